//===- TileInterfaces.td - Interfaces of ops on tiles ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_TILEINTERFACES
#define IPU_MLIR_INTERFACES_TILEINTERFACES

include "mlir/IR/OpBase.td"

def CodeletOpInterface : OpInterface<"CodeletOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that one compute set can run: every tile executes the same codelet on
    its part of the operands and results. The op states its parallel loops and
    what a vertex touches of each tensor, and builds the codelet's body.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the op's loops and accesses. `domain`, if not empty, is a
      factorisation of the result's elements that the caller would like as
      loops (it already lies so over the tiles); an op is free to ignore it.
      Fails without a diagnostic if the op must be decomposed first.
    }], "::mlir::FailureOr<::mlir::ipu::TileForm>", "getTileForm",
    (ins "::llvm::ArrayRef<int64_t>":$domain)>,
    InterfaceMethod<[{
      Builds the body of the codelet with linalg, scf, memref, arith and math
      ops. `buffers` are tile-local memrefs, one for each operand and then each
      result, with the ranks of the domains of `form`, dynamic sizes and
      signless element types. `form` is what `getTileForm` returned for some
      domain. Must not look at any size but those of dimensions which no loop
      cuts.
    }], "void", "buildCodelet",
    (ins "::mlir::OpBuilder &":$builder, "::mlir::Location":$loc,
         "::mlir::ValueRange":$buffers, "const ::mlir::ipu::TileForm &":$form)>,
    InterfaceMethod<"Returns the cost formula of one vertex.",
      "::mlir::ipu::CodeletCost", "getCodeletCost">,
  ];
}

def TileViewOpInterface : OpInterface<"TileViewOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op with one tensor operand and one result whose result elements are
    operand elements under another index: no data moves until a consumer needs
    them elsewhere.
  }];
  let methods = [
    InterfaceMethod<[{
      Given the view of a buffer that is the operand, returns the view of the
      same buffer that is the result. Fails if no strides can express it; then
      the operand has to be copied to a contiguous buffer first. Never fails
      for a contiguous `input`.
    }], "::mlir::FailureOr<::mlir::ipu::StridedView>", "getTileView",
    (ins "const ::mlir::ipu::StridedView &":$input)>,
  ];
}

def TileMoveOpInterface : OpInterface<"TileMoveOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that assembles its one result from regions, each a copy of an operand,
    over an optional fill value. Regions do not overlap.
  }];
  let methods = [
    InterfaceMethod<"Returns the regions of the result that operands fill.",
      "::llvm::SmallVector<::mlir::ipu::TileMove>", "getTileMoves">,
    InterfaceMethod<[{
      Returns the scalar that elements outside of all boxes have, or null if
      the boxes cover the result.
    }], "::mlir::TypedAttr", "getTileFill">,
  ];
}

def DecomposableOpInterface : OpInterface<"DecomposableOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that may have to be decomposed into simpler ops before it can be
    mapped to tiles.
  }];
  let methods = [
    InterfaceMethod<[{
      Builds simpler ops before this one and returns the values that replace
      its results. Fails, having built nothing, if the op is already simple.
      Repeated application must end.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
    (ins "::mlir::OpBuilder &":$builder)>,
  ];
}

def TilePlanOpInterface : OpInterface<"TilePlanOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that can be written as several smaller ops which, together, give the
    same bits: the splits that a planner may make beside those of the parallel
    loops of `CodeletOpInterface`. A serial split does parts one after the other
    and so needs less memory at a time; a staged split lets tiles share the
    work of one output and combines what they made. The planner rates a split
    by the ops it builds.

    The codelet of such an op does not round stochastically: it computes sums in
    f32, which another op rounds, or only moves elements. Random bits depend on
    an element's number in the whole result, which a part does not know.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the ways to cut the op, those that the planner should prefer
      first. Empty if there is none.
    }], "::llvm::SmallVector<::mlir::ipu::TileSplit>", "getTileSplits">,
    InterfaceMethod<[{
      Builds the op cut into `parts` (2 to `split.maxParts`) nearly equal parts
      and returns the values that replace its results, with the same bits.
      `split` is one of `getTileSplits()`.
    }], "::llvm::SmallVector<::mlir::Value>", "buildTileSplit",
    (ins "::mlir::OpBuilder &":$builder, "const ::mlir::ipu::TileSplit &":$split,
         "int64_t":$parts)>,
  ];
}

#endif // IPU_MLIR_INTERFACES_TILEINTERFACES
