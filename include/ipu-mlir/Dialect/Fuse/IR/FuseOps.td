//===- FuseOps.td - fuse dialect, ops, attributes ----------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_IR_FUSEOPS
#define IPU_MLIR_DIALECT_FUSE_IR_FUSEOPS

include "ipu-mlir/Support/DialectAttributes.td"
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
    A `fuse.fusion` holds `linalg` ops on tensors. These ops become one loop nest.
    The attribute `fuse.schedule` of each op describes how the loop nest computes the
    op: the attribute has the transforms of the op's loops, and the number of loops
    that the op shares with its consumers. Passes (`fuse-compute-at`, ...) and
    transform ops (`transform.fuse.compute_at`, ...) change these schedules;
    `fuse-to-loops` creates the loop nest. See docs/fusion.md.
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

/// The steps of a schedule. The storage of the attribute owns a copy of the numbers
/// in the steps.
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
    A schedule has three parts. The first part is the list of the op's loops: one
    name for each dimension of the op's iteration space. The second part is the
    steps that transform the list of loops, one after the other. The third part is
    the positions `ca` and `with`. In a step, an axis is a number, counted from 0: the
    position of a loop in the list that the previous steps have made.

      split(axis, factor, inner|outer)  replaces the axis by two axes; the inner
                                        (or the outer) axis has the extent
                                        `factor`
      merge(outer, inner)               replaces two axes by their product, at
                                        the position of `outer`
      reorder(p0, p1, ...)              makes the old loop p_i the new loop i
      rfactor(p0, ...)                  turns these reduction loops into
                                        dimensions of a partial result, after
                                        the other dimensions; transforms can no
                                        longer change the steps before this one
      type(axis, parallel|vectorize|unroll)
                                        sets the type of the loop
      ca = n                            computes and stores the op's result in the
                                        op's first n loops, which all consumers
                                        share
      with = n                          computes the result in the first n loops,
                                        but stores it in the first `ca` loops

    (C1) The number of names is the number of the op's loops. (C2) Each axis of a
    step is the number of a loop that exists before the step, every reorder is a
    permutation, every factor is at least 1, and no merge combines a reduction with
    an axis that is not a reduction. (C3) `ca` and `with` are at most the number of
    loops, and `ca` is at most `with`. (C4) The op with the schedule is a `linalg` op
    in a `fuse.fusion`, but not a `linalg.fill`. (C5) There is at most one `rfactor`.
    It lists each reduction loop at most once, and does not list all reduction loops.

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
    /// Returns the number of loops after all steps.
    int64_t getNumLoops() const;
    /// Verifies (C1), (C2) and (C5) for an op whose loop i is a reduction if
    /// `isReduction[i]` is true. Emits errors by `emitError`.
    ::llvm::LogicalResult verifyFor(
        ::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
        ::llvm::ArrayRef<bool> isReduction) const;
  }];
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

def Fuse_FusionOp : Op<Fuse_Dialect, "fusion", [
    IsolatedFromAbove, OnlyKnownAttributes, RecursiveMemoryEffects,
    SingleBlockImplicitTerminator<"::mlir::fuse::YieldOp">]> {
  let summary = "Group linalg ops that become one loop nest";
  let description = [{
    The region computes the results from the operands. It holds `linalg` ops on
    tensors and the ops that the `linalg` ops need: `tensor.empty`, `tensor.dim`,
    `linalg.fill`, constants, and arithmetic on scalars. Slices and reshapes
    (`tensor.extract_slice`, `expand_shape`, `collapse_shape`) are views of their
    operands. A chain of `tensor.insert_slice` ops that insert computed tensors into
    a `tensor.empty` may also compute a result. `fuse-form` creates the op, and
    `fuse-to-loops` replaces the op.

    (C1) The region's arguments have the types of the operands. (C2) The yielded
    values have the types of the results. (C3) The region holds only the ops named
    above, and the `linalg` ops read no tensors other than their operands. (C4) No
    two tensors have the same `fuse.name`.

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
    OnlyKnownAttributes, Pure, ReturnLike, Terminator, HasParent<"FusionOp">]> {
  let summary = "Return the results of a fusion";
  let arguments = (ins Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = "($results^ `:` type($results))? attr-dict";
  let builders = [OpBuilder<(ins), "build($_builder, $_state, ::mlir::ValueRange());">];
}

#endif // IPU_MLIR_DIALECT_FUSE_IR_FUSEOPS
