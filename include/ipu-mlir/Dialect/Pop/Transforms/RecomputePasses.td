//===- RecomputePasses.td - Recomputation ------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_RECOMPUTEPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_RECOMPUTEPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def AnnotateRecomputePass
    : Pass<"pop-annotate-recompute", "::mlir::ModuleOp">, Contract {
  let summary = "Mark ops that the backward pass computes again";
  let preserves = !listremove(AllConditions, [RECOMPUTE_RESOLVED]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/Recompute/annotate.mlir",
    "Dialect/Pop/Recompute/annotate-budget.mlir",
    "Dialect/Pop/Recompute/annotate-invalid.mlir",
    "Dialect/Pop/Recompute/annotate-pipeline.mlir",
    "Integration/Recompute/training.test",
  ];
  let description = [{
    Marks ops of the forward pass with `pop.recompute = #pop<recompute recompute>`.
    `pop-recompute` then lets the backward pass compute these ops again. All other
    values that the backward pass needs are kept. Ops that already have a
    `pop.recompute` keep it: a program can require ops to be recomputed (`recompute`) or
    not (`checkpoint`).

    In each block, the backward pass starts at the first `pop.loss_scale`, or at the
    first op with a `pop.training_role`. The ops before it are the forward pass. Only
    ops that `pop-recompute` can recompute, and that the backward pass then needs, are
    marked.

    The option `method` chooses the ops:

    - `standard`: divides the forward pass into intervals, whose lengths decrease
      towards the loss. In each interval, the values that are live at the position with
      the fewest live bytes are kept, and all other ops are marked, except those after
      the last such position. Of several numbers of intervals, the pass takes the one
      with the lowest peak of live bytes. It marks no ops if none lowers the peak. This
      is PopART's algorithm, which has one number of intervals.
    - `norm-only`: marks batch normalizations.
    - `all`: marks all ops.
    - `pipeline`: marks all ops with a `pop.stage`, except those whose result an op of
      another stage of the forward pass uses. So a stage keeps only its inputs. In the
      last stage of the forward pass, ops that lie between checkpoints and the loss are
      not marked, because their gradients are computed directly after them (PopART's
      `setFinalFwdStageRecomputation`). It is an error if several stages have a
      `pop.loss_scale`, or if no value is kept from which the last stage can be
      recomputed.
    - `budget`: marks ops so that the peak of live bytes is at most `budget`. Of all
      choices that the pass finds, it takes the one with the fewest scalar operations to
      recompute. If the ops of the forward pass are a chain of up to 63 ops, the choice
      is optimal. In any case it is not worse than `standard` with the same peak. It is
      an error if no choice with such a peak is found.

    Live bytes are those of whole tensors of one block, as for `pop-schedule`, without
    the tensors in regions and called functions. The bytes on a tile also depend on tile
    mappings. A remark has the peaks before and after recomputation, and the number of
    operations that are recomputed.

    Before:
    ```mlir
    %0 = pop.exp %x : tensor<4xf32>
    %1 = pop.sin %0 : tensor<4xf32>
    %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    %one = pop.constant dense<1.0> : tensor<f32>
    %scale = pop.loss_scale %one : tensor<f32>
    %3 = pop.cos %0 : tensor<4xf32>
    %4 = pop.mul %3, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = pop.mul %4, %0 : tensor<4xf32>
    ```
    After `pop-annotate-recompute{method=all}`:
    ```mlir
    %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
    %1 = pop.sin %0 : tensor<4xf32>
    %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    %3 = pop.constant dense<1.0> : tensor<f32>
    %4 = pop.loss_scale %3 : tensor<f32>
    %5 = pop.cos %0 : tensor<4xf32>
    %6 = pop.mul %5, %4 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %7 = pop.mul %6, %0 : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"method", "method", "::mlir::pop::RecomputeMethod",
           /*default=*/"::mlir::pop::RecomputeMethod::Standard",
           "which ops are marked",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::RecomputeMethod::Standard, "standard",
                        "ops between positions with few live bytes"),
             clEnumValN(::mlir::pop::RecomputeMethod::NormOnly, "norm-only",
                        "batch normalizations"),
             clEnumValN(::mlir::pop::RecomputeMethod::All, "all", "all ops"),
             clEnumValN(::mlir::pop::RecomputeMethod::Pipeline, "pipeline",
                        "all ops of a stage, except those of its end"),
             clEnumValN(::mlir::pop::RecomputeMethod::Budget, "budget",
                        "the cheapest ops with which the peak is in the "
                        "budget"))}]>,
    Option<"budget", "budget", "int64_t", /*default=*/"0",
           "with method 'budget', the greatest peak of live bytes">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def RecomputePass : Pass<"pop-recompute", "::mlir::ModuleOp">, Contract {
  let summary = "Compute marked ops again where the backward pass needs them";
  let guarantees = [RECOMPUTE_RESOLVED];
  // The pass numbers draws, and the ops that this adds have no rounding method.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "ExplicitRecompute";
  let differs = "Recomputed ops are inserted where they are needed, in place of "
                "constraints for a scheduler. Values are immutable, so a tensor that is "
                "overwritten is saved by `pop-snapshot-reads`.";
  let tests = [
    "Dialect/Pop/Recompute/recompute.mlir",
    "Dialect/Pop/Recompute/recompute-draws.mlir",
    "Dialect/Pop/Recompute/recompute-invalid.mlir",
    "Dialect/Pop/Recompute/recompute-merging.mlir",
    "Integration/Recompute/training.test",
  ];
  let description = [{
    Lets the backward pass use copies of the ops that are marked with
    `pop.recompute = #pop<recompute recompute>`, so that their results are not live
    between the two passes. A copy is inserted before the first op of the backward pass
    that needs it, and is used by all later ops. If the copy needs results of other
    marked ops, these are copied, too. The mark of the op becomes `checkpoint`, and that
    of the copy is `recomputed`. Because of this mark, no pass merges the two. If a
    result of a marked op is not needed by the backward pass, the op is not copied.

    The backward pass of a block starts at the first `pop.loss_scale`, or at the first
    op with a `pop.training_role`. Ops of the backward pass lose their marks, which they
    inherited from the ops whose gradients they compute. Ops without results, such as
    stores to the host, use the results of the original ops.

    If ops of the backward pass are in several pipeline stages or execution phases, each
    of these has its own copy. The copy has the stage and the phase of the ops that need
    it, and the other parts of the placement of the original op. A value is not
    recomputed for an op on another virtual graph.

    Copies compute the same bits. They use the same seeds, draw the same random bits of
    the generator `counter`, and have the same accumulation orders. A `pop.read` is
    never copied: the tensor that was read is used, and if it is overwritten in the
    meantime, `pop-snapshot-reads` saves it.

    It is an error if a marked op
    - has effects that must not be repeated, or has no results;
    - copies between IPUs or tile sets, or communicates with other replicas;
    - has ops in its regions on different virtual graphs, or in different stages or
      phases;
    - returns a ref;
    - reads what a later op of the block writes;
    - may draw other random bits in the backward pass: with the generator `stream`, or
      if the number of advances of random bits is not a constant.

    It is also an error if an op is marked, but its block has no backward pass, or if an
    op of the forward pass has the mark `recomputed`.

    Before:
    ```mlir
    %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
    %1 = pop.sin %0 : tensor<4xf32>
    %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    %one = pop.constant dense<1.0> : tensor<f32>
    %scale = pop.loss_scale %one : tensor<f32>
    %3 = pop.cos %0 : tensor<4xf32>
    %4 = pop.mul %3, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %5 = pop.mul %4, %0 : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.exp %x {pop.recompute = #pop<recompute checkpoint>} : tensor<4xf32>
    %1 = pop.sin %0 : tensor<4xf32>
    %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    %3 = pop.constant dense<1.0> : tensor<f32>
    %4 = pop.loss_scale %3 : tensor<f32>
    %5 = pop.exp %x {pop.recompute = #pop<recompute recomputed>} : tensor<4xf32>
    %6 = pop.cos %5 : tensor<4xf32>
    %7 = pop.mul %6, %4 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %8 = pop.mul %7, %5 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_RECOMPUTEPASSES
