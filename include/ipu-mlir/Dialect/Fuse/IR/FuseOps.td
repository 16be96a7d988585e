//===- FuseOps.td - fuse dialect, ops, attributes -----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_IR_FUSEOPS
#define IPU_MLIR_DIALECT_FUSE_IR_FUSEOPS

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/BuiltinAttributeInterfaces.td"
include "mlir/IR/EnumAttr.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

//===----------------------------------------------------------------------===//
// Dialect
//===----------------------------------------------------------------------===//

def Fuse_Dialect : Dialect {
  let name = "fuse";
  let cppNamespace = "::mlir::fuse";
  let summary = "Fused loop nests of linalg ops";
  let description = [{
    A `fuse.fusion` holds `linalg` ops on tensors that become one loop nest. The
    attribute `fuse.schedule` of each op defines the nest: the transforms of its
    loops, and how many of them it shares with its consumers. Passes
    (`fuse-compute-at`, ...) and transform ops (`transform.fuse.compute_at`,
    ...) change these attributes; `fuse-to-loops` makes the nest. See
    docs/fusion.md.
  }];
  let useDefaultAttributePrinterParser = 1;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let dependentDialects = ["::mlir::linalg::LinalgDialect",
                           "::mlir::tensor::TensorDialect"];
  let extraClassDeclaration = [{
    /// Attribute of an op in a fusion, or of a function's argument: the name of
    /// the tensor.
    static constexpr ::llvm::StringLiteral kNameAttrName = "fuse.name";
    /// Attribute of an op in a fusion: its #fuse.schedule.
    static constexpr ::llvm::StringLiteral kScheduleAttrName = "fuse.schedule";

  private:
    void registerAttributes();
  }];
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Steps own their numbers in the attribute's storage.
def Fuse_Steps : AttrOrTypeParameter<"::llvm::ArrayRef<::mlir::fuse::ScheduleStep>", ""> {
  let allocator = [{$_dst = ::mlir::fuse::copySteps($_allocator, $_self);}];
  let cppStorageType = "::llvm::SmallVector<::mlir::fuse::ScheduleStep>";
}

class Fuse_Attr<string name, string attrMnemonic, list<Trait> traits = []>
    : AttrDef<Fuse_Dialect, name, traits> {
  let mnemonic = attrMnemonic;
}

def Fuse_StepKind : I32EnumAttr<"StepKind", "kind of a schedule step", [
    I32EnumAttrCase<"Split", 0, "split">,
    I32EnumAttrCase<"Merge", 1, "merge">,
    I32EnumAttrCase<"Reorder", 2, "reorder">,
    I32EnumAttrCase<"RFactor", 3, "rfactor">,
    I32EnumAttrCase<"Type", 4, "type">]> {
  let cppNamespace = "::mlir::fuse";
  let genSpecializedAttr = 0;
}

def Fuse_ScheduleAttr : Fuse_Attr<"Schedule", "schedule"> {
  let summary = "Schedule of one op of a fusion";
  let description = [{
    First the names of the op's loops, one per dimension of its iteration space,
    then steps that change the list of loops, then positions. Numbers are
    positions in the list of loops as it is before the step, from 0.

      split(axis, factor, inner|outer)  the axis becomes two, in its place; the
                                        inner (or the outer) has extent `factor`
      merge(outer, inner)               the product, where `outer` was
      reorder(p0, p1, ...)              loop i becomes what loop p_i was
      rfactor(p0, ...)                  the partial result keeps these pieces of
                                        its reductions as dimensions, after the
                                        others; steps before it are frozen
      type(axis, parallel|vectorize|unroll)
      ca = n                            computed in the first n loops, which all
                                        consumers share
      with = n                          computed, but not stored, in the first n

    (C1) As many names as the op has loops. (C2) Every axis is in the list, every
    reorder a permutation, every factor at least 1, no merge of a reduction with
    another axis. (C3) `ca` and `with` are at most the number of loops, and `ca`
    is at most `with`. (C4) The op is a `linalg` op, other than `linalg.fill`, in
    a `fuse.fusion`. (C5) At most one `rfactor`, of reductions, each once; some
    piece of a reduction is not in it.

    Example: `#fuse.schedule<[a, b], split(1, 32, inner), reorder(1, 0, 2), ca = 2>`
  }];
  let parameters = (ins
    ArrayRefParameter<"::mlir::StringAttr">:$names,
    Fuse_Steps:$steps,
    "int64_t":$computeAt,
    "::std::optional<int64_t>":$computeWith
  );
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// How many loops there are after all steps.
    int64_t getNumLoops() const;
    /// Checks what depends on which loops of the op are reductions (C1, C2, C5).
    ::llvm::LogicalResult verifyFor(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::llvm::ArrayRef<bool> isReduction) const;
  }];
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

def Fuse_FusionOp : Op<Fuse_Dialect, "fusion", [
    IsolatedFromAbove, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::mlir::fuse::YieldOp">]> {
  let summary = "Group linalg ops that become one loop nest";
  let description = [{
    The region computes the results from the operands by `linalg` ops on tensors
    and by what they need: `tensor.empty`, `tensor.dim`, `linalg.fill`,
    constants and arithmetic on scalars. Slices and reshapes
    (`tensor.extract_slice`, `expand_shape`, `collapse_shape`) are views of what
    they are made of; a result may be a chain of `tensor.insert_slice` of what
    the region computes into a `tensor.empty`. `fuse-form` creates the op,
    `fuse-to-loops` replaces it.

    (C1) The region's arguments have the types of the operands. (C2) It yields
    the types of the results. (C3) It holds no other ops than those named, and
    the `linalg` ops read no tensors but their operands. (C4) No two tensors have
    the same `fuse.name`.

    ```mlir
    %r = fuse.fusion ins(%t0 : tensor<8x16xf32>) -> tensor<8xf32> {
    ^bb0(%a : tensor<8x16xf32>):
      ...
      fuse.yield %t4 : tensor<8xf32>
    }
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? (`->` type($results)^)?
    attr-dict-with-keyword $body
  }];
  let hasVerifier = 1;
}

def Fuse_YieldOp : Op<Fuse_Dialect, "yield", [
    Pure, ReturnLike, Terminator, HasParent<"FusionOp">]> {
  let summary = "Return the results of a fusion";
  let arguments = (ins Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
}

#endif // IPU_MLIR_DIALECT_FUSE_IR_FUSEOPS
