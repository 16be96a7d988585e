//===- FuseTransformOps.td - Transform ops on fusions ------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// All ops except `lower` only change attributes of the payload or add ops to the
// payload, so handles stay valid. If a transform op cannot be applied, it emits a
// silenceable error and does not change the payload. Notes of the error point to
// the payload ops that prevent the transform.
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

/// A transform op that reads its handles and changes the payload.
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

/// The number of a loop, as a parameter that a script can pass to other ops.
def Fuse_AxisParam
    : Type<CPred<"::llvm::isa<::mlir::transform::AnyParamType>($_self)">,
           "number of a loop", "::mlir::transform::AnyParamType">,
      BuildableType<"$_builder.getType<::mlir::transform::AnyParamType>()">;

/// A transform op that takes a list `[...]` of loops of the ops in `target`. Loops
/// are numbered from 0, outermost first. Negative numbers count from the end, so
/// -1 is the innermost loop. An element of the list is a constant or a parameter.
/// A parameter holds either one number or one number for each payload op.
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
    For each name, the op returns a handle to the ops with this name. If the result
    has a value handle type, the handle refers to values instead: to the fusion
    inputs with this name, or to the results of the ops with this name.
    `fuse-print-schedule` prints the names. The attribute `fuse.name` gives the name
    of an op or of a function's argument. Ops without this attribute have the names
    `v0`, `v1`, ..., and arguments without this attribute have the names `arg0`,
    `arg1`, ... The transform op searches all fusions in the target. If several ops
    have the same name, the handle refers to all these ops.

    ```mlir
    %t0, %t1 = transform.fuse.tensors %func ["T0", "T1"]
      : (!transform.any_op) -> (!transform.any_value, !transform.any_op)
    ```

    Silenceable error: no tensor has the name, or the name is the name of an input
    but the result has an op handle type.
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
    Replaces a loop by two loops. The inner loop has the extent `factor`. If `outer`
    is present, the outer loop has the extent `factor` instead. The factor need not
    divide the extent of the old loop. The first result is the number of the new outer
    loop, and the second result is the number of the new inner loop.

    ```mlir
    %o, %i = transform.fuse.split %t[1] by 32 : !transform.any_op
    transform.fuse.split %t[0] by 4 {outer} : !transform.any_op
    ```

    Silenceable error: `factor` is less than 1, or the loop does not exist, is shared
    with another tensor, or is not serial.
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
    Replaces two loops by one loop at the position of the first loop. The extent of
    the new loop is the product of the two extents. In the new loop, the index of the
    first loop varies more slowly than the index of the second loop.

    ```mlir
    transform.fuse.merge %t[0, 1] : !transform.any_op
    ```

    Silenceable error: exactly one of the loops is a reduction, or one of the loops
    does not exist, is shared with another tensor, or is not serial.
  }];
  let hasVerifier = 1;
}

def FuseReorderOp : Fuse_AxesOp<"reorder"> {
  let summary = "Reorder loops";
  let description = [{
    The old loop with the number `list[i]` becomes the new loop i. The list is a
    permutation of all loops.

    ```mlir
    transform.fuse.reorder %t [0, 2, 1] : !transform.any_op
    ```

    Silenceable error: the list is not a permutation, or it moves a loop that is
    shared with another tensor.
  }];
  let hasVerifier = 1;
}

def FuseRFactorOp : Fuse_AxesOp<"rfactor"> {
  let summary = "Split a reduction into two ops";
  let description = [{
    Creates an op named `<name>.rf` that reduces only the given loops. The old op
    reduces the other reduction loops. The result is a handle to the new op. The
    handle `target` still refers to the old op, or to the `linalg.generic` that
    replaces the old op.

    ```mlir
    transform.fuse.split %sum[1] by 32 : !transform.any_op
    %partial = transform.fuse.rfactor %sum[1]
      : (!transform.any_op) -> !transform.any_op
    ```

    Silenceable error: the list contains all reduction loops of the op, the reduction
    has no neutral element, or one of the loops is not a reduction or is shared with
    another tensor.
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
    makes all readers of the input read the copy. Unlike an input, the copy has
    loops. Readers can share these loops with the copy and with each other.

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
    Splits, merges and reorders the loops of all other tensors of the fusion. The
    loops of these tensors then match the first `position` loops of the tensor
    `target`. The computeAt positions do not change.

    ```mlir
    transform.fuse.propagate %t at 2 : !transform.any_op
    ```

    Silenceable error: the position does not exist, or a shared loop would have to
    change.
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
    Allows the iterations of the loop to run at the same time.

    ```mlir
    transform.fuse.parallelize %t[0] : !transform.any_op
    ```

    Silenceable error: the loop does not exist. If an op in the loop reduces over the
    loop, `fuse-verify` and the lowering emit an error.
  }];
}

def FuseVectorizeOp : Fuse_SetTypeOp<"vectorize", "vectorized"> {
  let description = [{
    Lowers the loop to one vector with as many lanes as the extent of the loop. The
    loop must not be shared with another tensor.

    ```mlir
    %o, %i = transform.fuse.split %t[1] by 16 : !transform.any_op
    transform.fuse.vectorize %t[%i] : !transform.any_op
    ```

    Silenceable error: the loop does not exist, or it is shared.
  }];
}

def FuseUnrollOp : Fuse_SetTypeOp<"unroll", "unrolled"> {
  let description = [{
    Requests that the lowering unroll the loop.

    ```mlir
    transform.fuse.unroll %t[-1] : !transform.any_op
    ```

    Silenceable error: the loop does not exist.
  }];
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

def FuseComputeAtOp : Fuse_ScheduleOp<"compute_at"> {
  let summary = "Compute a tensor inside loops of a consumer";
  let description = [{
    Computes `producer` in the first `position` loops of `consumer`. Negative
    positions count from the end: -1 is all loops, -2 is all but one. The consumer
    may read the producer through other tensors. Some tensors are on every path that
    starts at the producer. Let D be the first of these tensors that is `consumer` or
    depends on `consumer`. The producer and all tensors on paths from the producer to
    D, but not D, get the same loops up to this position. If there is no such tensor
    D, the producer and all tensors that depend on the producer and have a consumer
    get these loops. `mode` selects the behaviour if the position is not legal:

    - `standard`, the default, fails if the position is not legal for the producer or
      for a tensor between `producer` and `consumer`.
    - `best_effort` uses the deepest legal position up to `position`.
    - `most_inlined` ignores `position` and uses the deepest legal position for each
      tensor.

    With `hoist`, positions exclude trailing loops over broadcasts. By default,
    `hoist` is true for `most_inlined` and false for the other modes.

    If the position is not legal, `recompute` clones the producer (`<name>.clone`).
    Two kinds of readers of the producer then read the clone: `consumer` itself, and
    ops on which `consumer` depends. The other readers still read the producer, so
    they no longer restrict the position. A remark of category `ipu-fuse` reports the
    number of recomputed elements.

    `producer` and `consumer` must have the same number of payload ops. The transform
    applies to pairs of these ops: to the first ops of both handles, to the second
    ops, and so on. The two ops of a pair must be in the same fusion. The producer
    may also be an input of the fusion.

    ```mlir
    transform.fuse.compute_at %p, %c, -1 : !transform.any_op, !transform.any_op
    transform.fuse.compute_at %p, %c, 2 {mode = best_effort, recompute, hoist = true}
      : !transform.any_op, !transform.any_op
    ```

    Silenceable error: `consumer` does not depend on `producer`, the position does
    not exist, the loops cannot be made equal, or the mode is `standard` and the
    position is not legal.
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
    Computes the tensor in its first `position` loops, which all its consumers must
    already have. The loops and the other tensors do not change.

    ```mlir
    transform.fuse.inline_at %t at 2 : !transform.any_op
    ```

    Silenceable error: the position does not exist or is not legal.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       I64Attr:$position);
  let assemblyFormat = "$target `at` $position attr-dict `:` type($target)";
}

def FuseInlineMostOp : Fuse_ScheduleOp<"inline_most"> {
  let summary = "Compute tensors at their deepest legal positions";
  let description = [{
    Gives each tensor the deepest position at which all consumers have the same
    loops as the tensor. The loops do not change. If the target refers to ops in a
    fusion, only these ops change. If the target refers to fusions, or to ops that
    contain fusions, all ops of these fusions change. With `hoist`, the default,
    positions exclude trailing loops over broadcasts.

    ```mlir
    transform.fuse.inline_most %func : !transform.any_op
    transform.fuse.inline_most %t {hoist = false} : !transform.any_op
    ```

    Silenceable error: the target is neither an op in a fusion nor an op that
    contains a fusion.
  }];
  let arguments = (ins TransformHandleTypeInterface:$target,
                       DefaultValuedAttr<BoolAttr, "true">:$hoist);
  let assemblyFormat = "$target attr-dict `:` type($target)";
}

def FuseComputeWithOp : Fuse_ScheduleOp<"compute_with"> {
  let summary = "Compute a tensor in inner loops and store it in outer loops";
  let description = [{
    Computes the tensor in the first `position` loops of the tensor's first consumer.
    The buffer of the tensor is still allocated at the tensor's computeAt position.
    Afterwards the first `position` loops of all consumers can no longer change.

    ```mlir
    transform.fuse.compute_with %t at -1 : !transform.any_op
    ```

    Silenceable error: the position does not exist, is not legal, or is less than the
    computeAt position of the tensor.
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
    Replaces the fusions in the target by loops, as the pass `fuse-to-loops` does.
    The transform op consumes the handle to the target. Its result is a new handle to
    the target or, if the target was a fusion, to the function that contained the
    fusion. Handles to tensors of the fusions become invalid.

    ```mlir
    %f = transform.fuse.lower %func : (!transform.any_op) -> !transform.any_op
    %g = transform.fuse.lower %func {loops = scf, peel = false, layout = identity}
      : (!transform.any_op) -> !transform.any_op
    ```

    Silenceable error: a schedule is not legal or cannot be lowered. In this case no
    fusion is lowered.
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
