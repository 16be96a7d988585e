//===- PipelinePasses.td - Pipelines -----------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINEPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINEPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def PipelinePass : Pass<"pop-pipeline", "::mlir::ModuleOp">, Contract {
  let summary = "Overlap the stages of several micro-batches";
  let assumes = [RANDOM_SEEDED];
  // New ops have no rounding method, and write stashes. Ops have no stage afterwards.
  let preserves = !listremove(AllConditions, [NO_INPLACE, PSTAGE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "Pipeline";
  let differs = "Copies between stages that are not neighbours are direct, because the "
                "links of the device connect all IPUs of a replica. A stage reads a "
                "saved value before the next one is saved, so a stash has one slot less. "
                "Anchors with an interval are supported. There are three schedules.";
  let tests = [
    "Dialect/Pop/Pipeline/pipeline.mlir",
    "Dialect/Pop/Pipeline/pipeline-draws.mlir",
    "Dialect/Pop/Pipeline/pipeline-invalid.mlir",
    "Dialect/Pop/Pipeline/pipeline-schedules.mlir",
    "Dialect/Pop/Pipeline/pipeline-seeds-invalid.mlir",
    "Integration/Pipeline/pipeline.mlir",
    "Integration/Pipeline/pipeline.test",
  ];
  let description = [{
    Transforms loops over micro-batches whose ops are in pipeline stages (`pop.stage`).
    After the pass, an iteration of a loop executes each stage for another micro-batch,
    so that IPUs work at the same time. All results keep their bits.

    A loop is transformed if its body has ops of at least two stages, and no loop in it
    has. Its number of iterations must be a constant: the number of micro-batches. The
    ops of each stage become a function, which is called for each micro-batch. Loads
    from the host are before the call, and stores to the host are after it. A copy
    between IPUs follows the stage that computes its operand. Consecutive stages of one
    IPU become one stage.

    The option `schedule` defines when a stage processes a micro-batch. With P stages,
    of which F belong to the forward pass:

    - `popart`: stage s processes micro-batch j - s in iteration j. Before the loop, P -
      1 iterations execute the first stages (fill); after it, P - 1 iterations execute
      the last stages (flush). The first stage of the backward pass is one stage with
      the last one of the forward pass, if it is on the same IPU.
    - `gpipe`: one loop executes the stages of the forward pass for all micro-batches,
      and a second loop those of the backward pass, both in the order of `popart`.
    - `1f1b`: an iteration has two turns, for the even stages and for the odd stages.
      Stage s processes micro-batch j - s / 2 (rounded down) in iteration j. So an IPU
      executes stages of the forward and of the backward pass in turn, and the fill has
      half as many iterations as with `popart`.

    A program without a backward pass has the same form with each schedule.

    If the next iteration needs a value, the loop carries it. If later iterations need
    it, it is saved in a stash: an allocated ref with a row for each micro-batch that is
    processed between the two stages. A write and a read of a stash move one row.

    It is an error if
    - an op reads a value of a later stage, or of the previous micro-batch of a later
      stage;
    - there are fewer micro-batches than stages (`1f1b`: than half of them, rounded up);
    - ops of two stages access the same variable, ref, stream or remote buffer, and at
      least one of them writes: micro-batches would then interfere;
    - a ref, a value on I/O tiles, or a value that is not a tensor, is passed to another
      stage, or the loop carries such a value;
    - a stage uses a copy between IPUs of its own value;
    - the index of the loop is used in another way than by `pop.from_scalar`;
    - a `pop.next_seed` remains;
    - an op with effects has no stage, or the ops in a region or in a called function
      are in several stages;
    - no loop has ops of two stages.

    Weights that a stage reads, and that no stage writes, are read again by each stage.
    Copies of values from outside of the loop are moved before the loop.

    Before:
    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = pop.host_load @x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
      %1 = pop.exp %0 {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
      %2 = pop.ipu_copy %1 from 0 to 1 : tensor<4xf32>
      %3 = pop.log %2 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
      pop.host_store %3, @y {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    %0 = pop.host_load @x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = func.call @pipeline_stage_0(%0) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 : tensor<4xf32>
    %3 = scf.for %i = %c1 to %c8 step %c1 iter_args(%a = %2) -> (tensor<4xf32>) {
      %5 = pop.host_load @x {pop.vgraph = 0 : i64} : tensor<4xf32>
      %6 = func.call @pipeline_stage_1(%a) {pop.vgraph = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      %7 = func.call @pipeline_stage_0(%5) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      pop.host_store %6, @y {pop.vgraph = 1 : i64} : tensor<4xf32>
      %8 = pop.ipu_copy %7 from 0 to 1 : tensor<4xf32>
      scf.yield %8 : tensor<4xf32>
    }
    %4 = func.call @pipeline_stage_1(%3) {pop.vgraph = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
    pop.host_store %4, @y {pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"schedule", "schedule", "::mlir::pop::PipelineKind",
           /*default=*/"::mlir::pop::PipelineKind::Popart",
           "when a stage processes a micro-batch",
           [{::mlir::pop::getPipelineKindValues()}]>,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
  ];
}

def OverlapIOPass : Pass<"pop-overlap-io", "::mlir::ModuleOp">, Contract {
  let summary = "Unroll loops so that transfers overlap compute";
  let assumes = [RANDOM_SEEDED];
  // New ops have no rounding method, and write stashes.
  let preserves = !listremove(AllConditions, [NO_INPLACE, PSTAGE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "DecomposeLoops";
  let differs = "Loops of one or two iterations are unrolled, instead of a warning. The "
                "ops between the transfers become one function, whose code the "
                "iterations share. Transfers of several runs do not overlap.";
  let tests = [
    "Dialect/Pop/Pipeline/overlap-io.mlir",
    "Dialect/Pop/Pipeline/overlap-io-loops.mlir",
    "Dialect/Pop/Pipeline/overlap-io-invalid.mlir",
    "Integration/Pipeline/overlap-io.mlir",
    "Integration/Pipeline/overlap-io.test",
  ];
  let description = [{
    Transforms loops with transfers on I/O tiles (`pop.tile_set`), so that these
    transfers run while the compute tiles compute. All results keep their bits.

    A loop becomes a pipeline of up to three stages:

    - loads, with the copies of what they load to compute tiles;
    - all other ops, which become a function;
    - copies of results to I/O tiles, and their stores.

    An iteration of the new loop executes the stages in the opposite order: it stores
    the results of micro-batch j - 2, computes micro-batch j - 1, and loads the operands
    of micro-batch j. The compute tiles wait only for the copies. The first iterations
    before the loop have no stores, and the last ones after it have no loads. The option
    `strategy` defines which loops are transformed:

    - `inner`: the innermost loops with transfers on I/O tiles, as OverlapInnerLoop of
      PopART does;
    - `loops`: also the loops around them, as OverlapLoops does. The first loads of the
      inner loop then overlap the ops after it of the iteration before.

    Other transfers, which are on compute tiles or outside of loops, stay as they are
    (JustInTime). A load on I/O tiles stays with the compute if its row depends on
    results of the loop, or if another op than a copy to compute tiles reads it. A store
    does so if the loop may read or write the same row of a remote buffer afterwards, if
    it stores another value than a copy of a value on compute tiles, or if its condition
    depends on results of the loop. So does an exchange that loads and stores. Remarks
    name these transfers.

    A store may be in a branch, as the stores of anchors with an interval are. If the ops
    between the transfers use a value on I/O tiles from outside of the loop, they do not
    become a function. With stochastic rounding and generator `stream`, bits depend on
    the order of ops, which the pass changes. Further
    conditions are those of `pop-pipeline`: the number of iterations is a constant, the
    loop carries only tensors, and the index of the loop is used only by
    `pop.from_scalar`. It is an error if an op of the loop has a pipeline stage
    (`pop-pipeline` runs before), or if no loop has transfers on I/O tiles.

    Before:
    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
      %2 = pop.exp %1 : tensor<4xf32>
      %3 = pop.io_tile_copy %2 to io : tensor<4xf32>
      pop.host_store %3, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    }
    ```
    After, without the iterations before and after the loop:
    ```mlir
    %r:2 = scf.for %i = %c2 to %c8 step %c1 iter_args(%x = %x1, %y = %y0) -> (tensor<4xf32>, tensor<4xf32>) {
      %0 = pop.io_tile_copy %y to io : tensor<4xf32>
      pop.host_store %0, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %1 = func.call @overlapped_compute(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %2 = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      %3 = pop.io_tile_copy %2 to compute : tensor<4xf32>
      scf.yield %3, %1 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"strategy", "strategy", "::mlir::pop::OverlapStrategy",
           /*default=*/"::mlir::pop::OverlapStrategy::Inner",
           "loops that are transformed",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::OverlapStrategy::Inner, "inner",
                        "the innermost loops with transfers on I/O tiles"),
             clEnumValN(::mlir::pop::OverlapStrategy::Loops, "loops",
                        "also the loops around them"))}]>,
  ];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::func::FuncDialect",
    "::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINEPASSES
