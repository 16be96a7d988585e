//===- CollectivePasses.td - Merged collectives ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that move collectives and transfers next to each other, so that
// they can be merged. docs/memory-transforms.md has figures.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_COLLECTIVEPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_COLLECTIVEPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

defvar MaxBytesOption =
    Option<"maxBytes", "max-bytes", "int64_t", "::mlir::pop::kDefaultMergedBytes",
           "number of bytes of the operands of one merged collective, at most">;

def ContiguateCollectivesPass
    : Pass<"pop-contiguate-collectives", "::mlir::ModuleOp">, Contract {
  let summary = "Move collectives that can be merged next to each other";
  // The pass numbers draws, and the ops that this adds have no rounding method.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "ContiguateCollectives";
  let differs = "Ops move, because the order of the program is the schedule. The bytes of "
                "adjacent collectives are bounded.";
  let tests = [
    "Dialect/Pop/Graph/contiguate-collectives.mlir",
    "Dialect/Pop/Graph/contiguate-collectives-invalid.mlir",
    "Integration/Graphs/merge-collectives.mlir",
  ];
  let description = [{
    Moves the collectives of a block that `pop-merge-collectives` can merge next to each
    other: collectives that differ only in their tensors and do not depend on each other.
    They move down to the last of them, and the ops that need their results move after
    it. All other ops stay in order.

    The operands of adjacent collectives have at most `max-bytes` bytes, or one of them
    has more. These bytes are kept live until the last collective, so they bound what the
    collectives themselves add to the live bytes. The bound does not count tensors that
    stay live because an op that uses them waits for a result. A remark of category
    `pop-graph` has the peaks of the live bytes of the block before and after the pass.

    Of collectives that can only be merged in different ways, such as a1 and a2 or b1 and
    b2, where b1 uses the result of a1, and a2 uses the result of b2, the pass moves those
    that come first.

    The pass does not change the order of the ops of a `pop.in_sequence`. If the module
    rounds with random bits of the generator `counter`, ops get numbers first, as by
    `pop-number-draws`. With the generator `stream`, bits depend on the order of ops, so
    the pass emits a warning and changes nothing.

    Before:
    ```mlir
    %0 = pop.all_reduce add %g : tensor<4xf32>
    %1 = pop.sub %w, %0 : tensor<4xf32>
    %2 = pop.all_reduce add %h : tensor<2x3xf32>
    ```
    After:
    ```mlir
    %0 = pop.all_reduce add %g : tensor<4xf32>
    %1 = pop.all_reduce add %h : tensor<2x3xf32>
    %2 = pop.sub %w, %0 : tensor<4xf32>
    ```
  }];
  let options = [MaxBytesOption];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def MergeCollectivesPass
    : Pass<"pop-merge-collectives", "::mlir::func::FuncOp">, Contract {
  let summary = "Merge adjacent collectives";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of collectives that round, whose elements "
                                "have other positions">;
  let original = "MergeCollectives";
  let differs = "A merged collective is a collective of the concatenated tensors, and not "
                "an op with several operands. The bytes of a merged collective are "
                "bounded. Broadcasts and permutations are merged, too.";
  let tests = [
    "Dialect/Pop/Graph/merge-collectives.mlir",
    "Dialect/Pop/Graph/merge-collectives-invalid.mlir",
    "Integration/Graphs/merge-collectives.mlir",
  ];
  let description = [{
    Replaces adjacent collectives by one collective of their concatenated operands, and
    their results by slices of its result. One collective waits for the other replicas
    once. Each element is combined as before, so no bit changes.

    Two collectives are merged if they are the same op (`pop.all_reduce`,
    `pop.reduce_scatter`, `pop.all_gather`, `pop.broadcast` or `pop.collective_permute`)
    with the same attributes, including placements, and the same element type, and if
    neither uses the result of the other. In particular, collectives of different virtual
    graphs are not merged, because an op is executed on one virtual graph.

    For `pop.reduce_scatter` and `pop.all_gather`, each row of the concatenated tensors
    has a part of each tensor. So the tensors must have the same number of parts, and
    before their `axis` all dimensions must have size 1. The parts of a
    `pop.reduce_scatter` must not be padded, but the result of a `pop.all_gather` may be
    truncated. An op with the operator `local` exchanges nothing and is not merged.

    The operands of a merged collective have at most `max-bytes` bytes. The pass does not
    move ops; `pop-contiguate-collectives` moves collectives next to each other.

    Before:
    ```mlir
    %0 = pop.all_reduce add %g : tensor<4xf32>
    %1 = pop.all_reduce add %h : tensor<2x3xf32>
    ```
    After:
    ```mlir
    %2 = pop.reshape %g : tensor<4xf32> to tensor<1x4xf32>
    %3 = pop.reshape %h : tensor<2x3xf32> to tensor<1x6xf32>
    %4 = pop.concat %2, %3 {axis = 1 : i64} : (tensor<1x4xf32>, tensor<1x6xf32>) -> tensor<1x10xf32>
    %5 = pop.all_reduce add %4 : tensor<1x10xf32>
    ```
  }];
  let options = [MaxBytesOption];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def ParallelizeUpdatesPass
    : Pass<"pop-parallelize-updates", "::mlir::ModuleOp">, Contract {
  let summary = "Move transfers of independent weight updates next to each other";
  // The pass numbers draws, and the ops that this adds have no rounding method.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "AccumulateOuterFragmentParallelizer";
  let differs = "Ops move, because the order of the program is the schedule. Scalars, such as "
                "the factor of clipped gradients, do not connect updates, so that clipped "
                "updates need no special treatment. In both schedules, `pop-merge-exchange` "
                "may merge the stores of some updates with the loads of the next ones.";
  let tests = [
    "Dialect/Pop/Graph/parallelize-updates.mlir",
    "Dialect/Pop/Graph/parallelize-updates-invalid.mlir",
    "Integration/Graphs/parallelize-updates.mlir",
  ];
  let description = [{
    Moves the loads from streaming memory of independent updates on different virtual
    graphs next to each other, and likewise their stores. `pop-merge-exchange` then merges
    them into one exchange, so that the IPUs load and store at the same time. Without
    the pass, one IPU is idle while the other one updates its weights.

    The pass looks at the ops with the execution context `accumulate_outer`: those that
    are executed once after all parts of a batch. Two of them belong to one update if they
    use the same tensor, or if one uses a result of the other. Constants and scalars do
    not count, because updates share settings of optimizers and factors of clipped
    gradients. Updates without transfers, with ops of several virtual graphs, or on a
    virtual graph of `excluded-vgraphs` stay where they are.

    The updates of a virtual graph are in ascending order of the bytes that they load.
    The first updates of all virtual graphs are executed together, then the second ones,
    and so on (PopART's schedule OverlapCycleOptimized). With `equal-loads`, the smallest
    update is executed together with the first update of each other virtual graph that
    loads tensors of the same types (OverlapMemoryOptimized). Loads move down to the last
    load that they are executed with, and stores to the last such store. Transfers that
    depend on each other stay apart. All other ops stay in order, except that ops move
    after the ops that they depend on.

    The pass does not change the order of the ops of a `pop.in_sequence`. It numbers draws
    like `pop-contiguate-collectives`, and does nothing if bits depend on the order of ops.

    Before:
    ```mlir
    %0 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.neg %0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
    pop.remote_store %1, @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
    %2 = pop.remote_load @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
    %3 = pop.neg %2 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
    pop.remote_store %3, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.remote_load @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
    %2 = pop.neg %0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
    %3 = pop.neg %1 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
    pop.remote_store %2, @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
    pop.remote_store %3, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"equalLoads", "equal-loads", "bool", /*default=*/"false",
           "execute updates together only if they load tensors of the same types">,
    ListOption<"excludedVgraphs", "excluded-vgraphs", "int64_t",
               "virtual graphs whose updates stay where they are">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_COLLECTIVEPASSES
