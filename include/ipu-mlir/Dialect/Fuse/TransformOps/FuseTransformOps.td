//===- FuseTransformOps.td - transform.fuse.* ---------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ops but `lower` change attributes of the payload, or add ops to it, so
// that handles stay valid. What a request asks in vain is a silenceable error
// at the op of the script, with notes at the payload ops that forbid it; the
// payload is then as before.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS
#define IPU_MLIR_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS

include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/IR/OpBase.td"

//===----------------------------------------------------------------------===//
// Base classes
//===----------------------------------------------------------------------===//

class Fuse_TransformOp<string mnemonic, list<Trait> traits = []>
    : Op<Transform_Dialect, "fuse." # mnemonic, !listconcat(traits, [
        DeclareOpInterfaceMethods<TransformOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>])>;

/// An op that reads its handles and changes the payload.
class Fuse_ScheduleOp<string mnemonic, list<Trait> traits = []>
    : Fuse_TransformOp<mnemonic, traits> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::MemoryEffects::EffectInstance> &effects) {
      ::mlir::transform::onlyReadsHandle(getOperation()->getOpOperands(), effects);
      ::mlir::transform::producesHandle(getOperation()->getOpResults(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

/// The number of a loop, which a script may pass on without knowing it.
def Fuse_AxisParam
    : Type<CPred<"::llvm::isa<::mlir::transform::AnyParamType>($_self)">,
           "number of a loop", "::mlir::transform::AnyParamType">,
      BuildableType<"$_builder.getType<::mlir::transform::AnyParamType>()">;

/// An op on some loops, `[...]`, of the ops in `target`. Loops are numbered
/// from 0, outermost first; negative ones from the end, -1 being the innermost.
/// A handle to numbers has one, or one per payload op.
class Fuse_AxesOp<string mnemonic, list<Trait> traits = []>
    : Fuse_ScheduleOp<mnemonic, traits> {
  dag axes = (ins TransformHandleTypeInterface:$target,
                  Variadic<Fuse_AxisParam>:$dynamic_axes,
                  DenseI64ArrayAttr:$axes);
  let arguments = axes;
  let assemblyFormat = [{
    $target custom<DynamicIndexList>($dynamic_axes, $axes) attr-dict
    `:` type($target)
  }];
}

//===----------------------------------------------------------------------===//
// Handles
//===----------------------------------------------------------------------===//

def FuseTensorsOp : Fuse_TransformOp<"tensors"> {
  let summary = "Match tensors by name";
  let description = [{
    Returns, for each name, a handle to the ops of that name or, if the type of
    the handle is one for values, to the inputs of fusions of that name. Names
    are those that `fuse-print-schedule` prints: `fuse.name` of an op or of an
    argument of the function, else `v0`, `v1`, ... and `arg0`, `arg1`, ... The
    op searches all fusions in the target, so a handle has several ops if
    several have the name.

    ```mlir
    %t0, %t1 = transform.fuse.tensors %func ["T0", "T1"]
      : (!transform.any_op) -> (!transform.any_value, !transform.any_op)
    ```

    Silenceable error: no tensor has the name, or the name is that of an input
    although the type of the handle is one for ops.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       StrArrayAttr:$names);
  let results = (outs Variadic<Transform_AnyHandleType>:$tensors);
  let assemblyFormat = [{
    $target $names attr-dict `:` functional-type($target, $tensors)
  }];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def FuseSplitOp : Fuse_AxesOp<"split"> {
  let summary = "Split a loop into two";
  let description = [{
    Replaces a loop by two loops. The inner one has the extent `factor`; with
    `outer`, the outer one has it. The factor need not divide the extent. The
    results are the numbers of the two loops.

    ```mlir
    %o, %i = transform.fuse.split %t[1] by 32 : !transform.any_op
    transform.fuse.split %t[0] by 4 {outer} : !transform.any_op
    ```

    Silenceable error: there is no such loop, it is shared with another tensor,
    it is not serial, or `factor` is less than 1.
  }];
  let arguments = !con(axes, (ins I64Attr:$factor, UnitAttr:$outer));
  let results = (outs Fuse_AxisParam:$outer_axis, Fuse_AxisParam:$inner_axis);
  let assemblyFormat = [{
    $target custom<DynamicIndexList>($dynamic_axes, $axes) `by` $factor
    attr-dict `:` type($target)
  }];
  let hasVerifier = 1;
}

def FuseMergeOp : Fuse_AxesOp<"merge"> {
  let summary = "Merge two loops";
  let description = [{
    Replaces two loops by one at the position of the first. Its extent is the
    product of theirs, and the first loop is the slower part.

    ```mlir
    transform.fuse.merge %t[0, 1] : !transform.any_op
    ```

    Silenceable error: as for `split`, and if only one of the loops is a
    reduction.
  }];
  let hasVerifier = 1;
}

def FuseReorderOp : Fuse_AxesOp<"reorder"> {
  let summary = "Reorder loops";
  let description = [{
    The new loop i is the loop that number i of the list names. The list is a
    permutation of all loops.

    ```mlir
    transform.fuse.reorder %t [0, 2, 1] : !transform.any_op
    ```

    Silenceable error: it is no permutation, or it moves a loop that is shared
    with another tensor.
  }];
  let hasVerifier = 1;
}

def FuseRFactorOp : Fuse_AxesOp<"rfactor"> {
  let summary = "Split a reduction into two ops";
  let description = [{
    Creates an op named `<name>.rf` that reduces only the given loops; the old
    op reduces the rest. The result is a handle to the new op; `target` stays a
    handle to the old op, even if a `linalg.generic` replaced it.

    ```mlir
    transform.fuse.split %sum[1] by 32 : !transform.any_op
    %partial = transform.fuse.rfactor %sum[1]
      : (!transform.any_op) -> !transform.any_op
    ```

    Silenceable error: a loop given is no reduction, all reductions are given, a
    loop is shared, or what accumulates has no neutral element.
  }];
  let results = (outs TransformHandleTypeInterface:$partial);
  let assemblyFormat = [{
    $target custom<DynamicIndexList>($dynamic_axes, $axes) attr-dict
    `:` functional-type($target, $partial)
  }];
  let hasVerifier = 1;
}

def FuseCacheReadOp : Fuse_ScheduleOp<"cache_read"> {
  let summary = "Cache an input in a new tensor";
  let description = [{
    Creates an op named `<name>.cache` that copies an input of the fusion, and
    lets all readers of the input read the copy. An input has no loops, but the
    copy has, so that its readers can share loops with it and with each other.

    ```mlir
    %x = transform.fuse.tensors %f ["X"] : (!transform.any_op) -> !transform.any_value
    %c = transform.fuse.cache_read %x
      : (!transform.any_value) -> !transform.any_op
    ```

    Silenceable error: the value is not an input of a fusion, or nothing reads it.
  }];
  let arguments = (ins TransformValueHandleTypeInterface:$input);
  let results = (outs TransformHandleTypeInterface:$cache);
  let assemblyFormat = [{
    $input attr-dict `:` functional-type($input, $cache)
  }];
}

def FusePropagateOp : Fuse_ScheduleOp<"propagate"> {
  let summary = "Propagate the loop transforms of one tensor to all";
  let description = [{
    Splits, merges and reorders the loops of the other tensors of the fusion so
    that they match the first `position` loops of this one. No computeAt
    position changes.

    ```mlir
    transform.fuse.propagate %t at 2 : !transform.any_op
    ```

    Silenceable error: there is no such position, or a loop that is shared would
    have to change.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       I64Attr:$position);
  let assemblyFormat = "$target `at` $position attr-dict `:` type($target)";
}

class Fuse_SetTypeOp<string mnemonic, string type>
    : Fuse_AxesOp<mnemonic> {
  let summary = "Mark a loop as " # type;
  let hasVerifier = 1;
}

def FuseParallelizeOp : Fuse_SetTypeOp<"parallelize", "parallel"> {
  let description = [{
    Lets the iterations of the loop run at the same time.

    ```mlir
    transform.fuse.parallelize %t[0] : !transform.any_op
    ```

    Silenceable error: there is no such loop. `fuse-verify` and lowering report
    reductions that cross the loop.
  }];
}

def FuseVectorizeOp : Fuse_SetTypeOp<"vectorize", "vectorized"> {
  let description = [{
    The loop becomes one vector of as many lanes as its extent. It is not shared
    with another tensor.

    ```mlir
    %o, %i = transform.fuse.split %t[1] by 16 : !transform.any_op
    transform.fuse.vectorize %t[%i] : !transform.any_op
    ```

    Silenceable error: there is no such loop, or it is shared.
  }];
}

def FuseUnrollOp : Fuse_SetTypeOp<"unroll", "unrolled"> {
  let description = [{
    The loop is unrolled when it is lowered.

    ```mlir
    transform.fuse.unroll %t[-1] : !transform.any_op
    ```

    Silenceable error: there is no such loop.
  }];
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

def FuseComputeAtOp : Fuse_ScheduleOp<"compute_at"> {
  let summary = "Compute a tensor inside loops of a consumer";
  let description = [{
    Computes `producer` in the first `position` loops of `consumer`; -1: in all
    of them, -2: in all but one. The consumer need not read it directly. All
    tensors between them, and those that common consumers need, get equal loops
    up to that position. `mode` says what happens where the position is not
    legal: `standard`, the default, fails for the producer and the tensors
    between; `best_effort` uses the deepest legal position; `most_inlined` uses
    the deepest legal position everywhere, whatever `position` is. With `hoist`,
    positions leave out trailing loops over broadcasts; it is the default only
    in `most_inlined`. With `recompute`, a producer that cannot be computed
    there because of other consumers is cloned (`<name>.clone`) for those that
    lead to `consumer`; a remark of category `ipu-fuse` says what is computed
    twice.

    `producer` and `consumer` have equally many payload ops; both ops of a pair
    are in one fusion. The producer may also be a value: an input of the fusion.

    ```mlir
    transform.fuse.compute_at %p, %c, -1 : !transform.any_op, !transform.any_op
    transform.fuse.compute_at %p, %c, 2 {mode = best_effort, recompute, hoist = true}
      : !transform.any_op, !transform.any_op
    ```

    Silenceable error: `consumer` does not depend on `producer`, there is no such
    position, loops cannot be made equal, or, in mode `standard`, the position is
    not legal.
  }];
  let arguments = (ins Transform_AnyHandleType:$producer,
                       TransformHandleTypeInterface:$consumer,
                       I64Attr:$position,
                       DefaultValuedStrAttr<StrAttr, "standard">:$mode,
                       UnitAttr:$recompute,
                       OptionalAttr<BoolAttr>:$hoist);
  let assemblyFormat = [{
    $producer `,` $consumer `,` $position
    `` custom<ComputeAtOptions>($mode, $recompute, $hoist)
    attr-dict-with-keyword `:` type($producer) `,` type($consumer)
  }];
  let hasVerifier = 1;
}

def FuseInlineAtOp : Fuse_ScheduleOp<"inline_at"> {
  let summary = "Compute a tensor inside loops that already match";
  let description = [{
    Computes the tensor in its first `position` loops, which all its consumers
    must have already. No loops and no other tensors change.

    ```mlir
    transform.fuse.inline_at %t at 2 : !transform.any_op
    ```

    Silenceable error: there is no such position, or it is not legal.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       I64Attr:$position);
  let assemblyFormat = "$target `at` $position attr-dict `:` type($target)";
}

def FuseInlineMostOp : Fuse_ScheduleOp<"inline_most"> {
  let summary = "Compute tensors at their deepest legal positions";
  let description = [{
    Gives each tensor the greatest position at which its first loops are those
    of all its consumers. No loops change. If the target is ops of a fusion,
    only these change; if it is fusions, or ops that contain fusions, all of
    their ops change. With `hoist`, the default, positions leave out trailing
    loops over broadcasts.

    ```mlir
    transform.fuse.inline_most %func : !transform.any_op
    transform.fuse.inline_most %t {hoist = false} : !transform.any_op
    ```

    Silenceable error: the target is no op of a fusion and contains no fusion.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<BoolAttr, "true">:$hoist);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def FuseComputeWithOp : Fuse_ScheduleOp<"compute_with"> {
  let summary = "Compute a tensor in inner loops and store it in outer ones";
  let description = [{
    Computes the tensor in the first `position` loops of its first consumer, but
    keeps its buffer where it is. The loops of all consumers up to there are
    fixed from then on.

    ```mlir
    transform.fuse.compute_with %t at -1 : !transform.any_op
    ```

    Silenceable error: there is no such position, or it is less than where the
    tensor is stored, or not legal.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       I64Attr:$position);
  let assemblyFormat = "$target `at` $position attr-dict `:` type($target)";
}

//===----------------------------------------------------------------------===//
// Lowering
//===----------------------------------------------------------------------===//

def FuseLowerOp : Fuse_TransformOp<"lower"> {
  let summary = "Lower each fusion to one loop nest";
  let description = [{
    Replaces the fusions in the target, which is consumed, by loops, as the pass
    `fuse-to-loops` does. The result is a handle to what was the target; if the
    target was a fusion, to its function. Handles to tensors of the fusions are
    invalid afterwards.

    ```mlir
    %f = transform.fuse.lower %func : (!transform.any_op) -> !transform.any_op
    %g = transform.fuse.lower %func {loops = scf, peel = false, layout = identity}
      : (!transform.any_op) -> !transform.any_op
    ```

    Silenceable error: a schedule is not legal, or cannot be lowered. No fusion
    is lowered then.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedStrAttr<StrAttr, "affine">:$loops,
                       DefaultValuedAttr<BoolAttr, "true">:$peel,
                       DefaultValuedStrAttr<StrAttr, "dynamic">:$layout);
  let results = (outs TransformHandleTypeInterface:$result);
  let assemblyFormat = [{
    $target `` custom<LowerOptions>($loops, $peel, $layout) attr-dict-with-keyword
    `:` functional-type($target, $result)
  }];
  let hasVerifier = 1;
}

#endif // IPU_MLIR_DIALECT_FUSE_TRANSFORMOPS_FUSETRANSFORMOPS
