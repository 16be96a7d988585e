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
    An op that one compute set can execute: every tile runs the same codelet on its part of
    the operands and results. The op describes its parallel loops, and says which elements
    of each tensor a vertex accesses. The op also builds the body of the codelet.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the loops and accesses of the op. If `domain` is not empty, it is a shape with
      as many elements as the result. The caller then prefers loops over this shape, because
      existing tile mappings have this domain. The op may ignore `domain`. Fails without a
      diagnostic if the op must be decomposed first.
    }], "::mlir::FailureOr<::mlir::ipu::TileForm>", "getTileForm",
    (ins "::llvm::ArrayRef<int64_t>":$domain)>,
    InterfaceMethod<[{
      Builds the body of the codelet with linalg, scf, memref, arith and math ops. `buffers`
      are tile-local memrefs, one for each operand and then one for each result. Each buffer
      has the rank of its domain in `form`, dynamic sizes and a signless element type.
      `form` is a result of `getTileForm` for some domain. The body may depend on the size
      of a dimension only if no loop splits this dimension.
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
    An op with one tensor operand and one result. The elements of the result are elements of
    the operand at other indices, so no data moves until a consumer needs the elements on
    other tiles.
  }];
  let methods = [
    InterfaceMethod<[{
      Given the operand as a view `input` of a buffer, returns the result as a view of the
      same buffer. Fails if no strides can express the result; the operand must then be
      copied to a contiguous buffer first. Never fails for a contiguous `input`.
    }], "::mlir::FailureOr<::mlir::ipu::StridedView>", "getTileView",
    (ins "const ::mlir::ipu::StridedView &":$input)>,
  ];
}

def TileMoveOpInterface : OpInterface<"TileMoveOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that assembles its result from copies of regions of its operands, and fills all
    other elements with one value. Regions do not overlap.
  }];
  let methods = [
    InterfaceMethod<"Returns the regions of the result that operands fill.",
      "::llvm::SmallVector<::mlir::ipu::TileMove>", "getTileMoves">,
    InterfaceMethod<[{
      Returns the scalar that fills elements outside of all regions, or null if the regions
      cover the result.
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
      Builds simpler ops before this op and returns the values that replace the results of
      this op. Fails without building ops if the op needs no decomposition. Repeated
      decomposition must terminate.
    }], "::mlir::FailureOr<::llvm::SmallVector<::mlir::Value>>", "decompose",
    (ins "::mlir::OpBuilder &":$builder)>,
  ];
}

def TilePlanOpInterface : OpInterface<"TilePlanOpInterface"> {
  let cppNamespace = "::mlir::ipu";
  let description = [{
    An op that can be replaced by several smaller ops that together compute the same bits.
    The planner distributes the parallel loops of `CodeletOpInterface` over tiles, and can
    choose such a split in addition. A serial split computes parts one after the other, so
    that the program needs less memory at a time. A staged split distributes the work for
    one output over tiles and combines the partial values. The planner estimates the cost of
    a split from the new ops.

    The codelet of such an op does not round stochastically. It either only moves elements,
    or computes sums in f32, and another op rounds these sums. The reason is that random
    bits depend on the number of an element in the whole result, and that an op that
    computes only a part does not know this number.
  }];
  let methods = [
    InterfaceMethod<[{
      Returns the possible splits of the op in the order of preference. The list is empty if
      the op cannot be split.
    }], "::llvm::SmallVector<::mlir::ipu::TileSplit>", "getTileSplits">,
    InterfaceMethod<[{
      Splits the op into `parts` (2 to `split.maxParts`) nearly equal parts and returns
      values that replace the results of the op and have the same bits. `split` is one of
      `getTileSplits()`.
    }], "::llvm::SmallVector<::mlir::Value>", "buildTileSplit",
    (ins "::mlir::OpBuilder &":$builder, "const ::mlir::ipu::TileSplit &":$split,
         "int64_t":$parts)>,
  ];
}

#endif // IPU_MLIR_INTERFACES_TILEINTERFACES
