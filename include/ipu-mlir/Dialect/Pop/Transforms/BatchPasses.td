//===- BatchPasses.td - Batches and loops in parts ---------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that process batches in parts, so that fewer bytes are live at the
// same time, and the pass that merges the loops over these parts.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_BATCHPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_BATCHPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

def MergeLoopsPass : Pass<"pop-merge-loops", "::mlir::ModuleOp">, Contract {
  let summary = "Merge loops of equal trip counts";
  // The pass numbers draws, and the ops that this adds have no rounding method.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "MergeLoops";
  let differs = "Effects determine which loops may be merged. Loops with ops between "
                "them are merged, too. Rows that only the merged loop reads are not "
                "stored any more.";
  let tests = [
    "Dialect/Pop/Serialize/merge-loops.mlir",
    "Dialect/Pop/Serialize/merge-loops-effects.mlir",
    "Dialect/Pop/Serialize/merge-loops-invalid.mlir",
    "Integration/Graphs/merge-loops.mlir",
  ];
  let description = [{
    Merges `scf.for` loops of a block into one loop whose body has the ops of all their
    bodies. The merged loop carries the values of the first loop, then those of the
    second loop, and so on. Ops of the merged body that compute the same are merged.

    Loops are merged if their bounds are the same constants or the same values, if
    their attributes are equal, and if no dependence prevents it:
    - The effects of the loops do not conflict, and at most one of them draws random bits.
    - A loop uses a result of another loop only row by row: the other loop stores row i
      in iteration i by a `pop.dynamic_update` of the carried tensor, and the loop reads
      this row in iteration i by a `pop.dynamic_slice`. The stored tensor then replaces
      the slice. Rows are slices along one dimension; they must not overlap, and their
      starts must be affine in the index of the loop. If nothing else uses the carried
      tensor, it is erased.
    - No op between them depends on one of the loops and is needed by another one. Other
      ops between the loops move before or after the merged loop.

    The pass emits a remark with the reason for each loop that it does not merge with
    the previous loop of its block. Loops with one name in their attributes
    `pop.merge_group` have to be merged into one loop; otherwise, the pass emits an
    error with the reason.

    Before:
    ```mlir
    func.func @rows(%x: tensor<4x2xf32>, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<4x2xf32>) {
        %n = pop.from_scalar %i : index to tensor<i32>
        %s = pop.reshape %n : tensor<i32> to tensor<1xi32>
        %r = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<4x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
        %e = pop.exp %r : tensor<1x2xf32>
        %u = pop.dynamic_update %a, %e[%s] {axes = array<i64: 0>} : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi32>
        scf.yield %u : tensor<4x2xf32>
      }
      %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<4x2xf32>) {
        %n = pop.from_scalar %i : index to tensor<i32>
        %s = pop.reshape %n : tensor<i32> to tensor<1xi32>
        %r = pop.dynamic_slice %0[%s] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<4x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
        %t = pop.tanh %r : tensor<1x2xf32>
        %u = pop.dynamic_update %a, %t[%s] {axes = array<i64: 0>} : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi32>
        scf.yield %u : tensor<4x2xf32>
      }
      return %1 : tensor<4x2xf32>
    }
    ```
    After:
    ```mlir
    func.func @rows(%x: tensor<4x2xf32>, %init: tensor<4x2xf32>) -> tensor<4x2xf32> {
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %c4 = arith.constant 4 : index
      %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %init) -> (tensor<4x2xf32>) {
        %n = pop.from_scalar %i : index to tensor<i32>
        %s = pop.reshape %n : tensor<i32> to tensor<1xi32>
        %r = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<4x2xf32>, tensor<1xi32> -> tensor<1x2xf32>
        %e = pop.exp %r : tensor<1x2xf32>
        %t = pop.tanh %e : tensor<1x2xf32>
        %u = pop.dynamic_update %a, %t[%s] {axes = array<i64: 0>} : tensor<4x2xf32>, tensor<1x2xf32>, tensor<1xi32>
        scf.yield %u : tensor<4x2xf32>
      }
      return %0 : tensor<4x2xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect", "::mlir::scf::SCFDialect"];
}

//===----------------------------------------------------------------------===//
// Batches
//===----------------------------------------------------------------------===//

def BatchSerializePass
    : Pass<"pop-batch-serialize", "::mlir::ModuleOp">, Contract {
  let summary = "Process a batch in parts, one after the other";
  // `dynamic` and `loop` write to allocated tensors. The pass numbers draws, and
  // the ops that this adds have no rounding method.
  let preserves = !listremove(AllConditions, [NO_INPLACE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "BatchSerialize";
  let differs = "The batch may be any dimension, and data flow finds it. Sums over the "
                "batch are divided, too, if this changes no bit. Loops may "
                "also process programs without gradients.";
  let tests = [
    "Dialect/Pop/Serialize/batch-serialize.mlir",
    "Dialect/Pop/Serialize/batch-serialize-axes.mlir",
    "Dialect/Pop/Serialize/batch-serialize-borders.mlir",
    "Dialect/Pop/Serialize/batch-serialize-loops.mlir",
    "Dialect/Pop/Serialize/batch-serialize-sums.mlir",
    "Dialect/Pop/Serialize/batch-serialize-rounding.mlir",
    "Dialect/Pop/Serialize/batch-serialize-invalid.mlir",
    "Integration/Graphs/batch-serialize.test",
  ];
  let description = [{
    Divides each batch into `factor` parts, and replaces each op that processes a batch
    by an op for each part. The new ops have the number of their part as
    `pop.batch_phase`. Directly after the pass, the parts of an op follow each other;
    `pop-order-batch-phases` then executes all ops of a part before those of the next
    part, so that intermediate tensors of one part only are live.

    The mark `pop.batch_axis` of an argument, or of an op with one result, such as a
    `pop.host_load`, gives the batch axis of a tensor. In a module without marks,
    dimension `axis` of the first input of the main function that has this dimension is
    the batch axis, and so is this dimension of the other inputs with the same size.
    Inputs are arguments and loads from the host. From there, batch axes flow through
    the ops of a block by their sharding rules, and may become any dimension: a
    transposition moves the batch axis, and a reshape may merge it, as the outer
    dimension, with others.

    An op processes parts if a factor of its sharding rule connects the batch axes of
    its operands and results, so that no element of the result needs several parts. A
    matrix product or convolution that sums over the batch also processes parts, if the
    parts end at borders of its accumulation order; each part then continues the sum of
    the part before, as `acc`. All other ops need the whole batch, for example other
    reductions over the batch, training batch normalizations, calls and loops. In a
    module with stochastic rounding, ops that may round need the whole batch, too,
    because random bits depend on the number of an element in the whole tensor. Ops
    that process parts get their accumulation order first, as by
    `pop-choose-accumulation`. So no bit changes.

    If an op needs the whole batch, parts are assembled before the op. They are also
    assembled between two ops on different virtual graphs, pipeline stages or execution
    phases, unless an option disables this. Methods differ in slices and assemblies:
    - `static`: `pop.slice` and `pop.concat`.
    - `dynamic`: `pop.dynamic_slice`, and `pop.dynamic_update_` of a `pop.alloc`.
    - `loop`: each op becomes a loop that slices its operands and stores its results by
      rows. The loops are then merged as by `pop-merge-loops`, and their results are
      stored to refs. The ops of a loop have no `pop.batch_phase`. Copies between
      placements are not in loops.

    It is an error if no input has a batch, if `factor` does not divide a batch, if
    batch axes of operands are different dimensions of an op, or if an op has a batch
    phase already.

    Before:
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<4x8xf32>, tensor<8x2xf32>) -> tensor<4x2xf32>
      %1 = pop.relu %0 : tensor<4x2xf32>
      return %1 : tensor<4x2xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<4x8xf32>, %w: tensor<8x2xf32>) -> tensor<4x2xf32> {
      %0 = pop.slice %x {pop.batch_phase = 0 : i64, sizes = array<i64: 2, 8>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<2x8xf32>
      %1 = pop.slice %x {pop.batch_phase = 1 : i64, sizes = array<i64: 2, 8>, starts = array<i64: 2, 0>, steps = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<2x8xf32>
      %2 = pop.matmul %0, %w {accum = #pop.accum<chain>, pop.batch_phase = 0 : i64} : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
      %3 = pop.matmul %1, %w {accum = #pop.accum<chain>, pop.batch_phase = 1 : i64} : (tensor<2x8xf32>, tensor<8x2xf32>) -> tensor<2x2xf32>
      %4 = pop.relu %2 {pop.batch_phase = 0 : i64} : tensor<2x2xf32>
      %5 = pop.relu %3 {pop.batch_phase = 1 : i64} : tensor<2x2xf32>
      %6 = pop.concat %4, %5 {axis = 0 : i64} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<4x2xf32>
      return %6 : tensor<4x2xf32>
    }
    ```
  }];
  let options = [
    Option<"factor", "factor", "int64_t", /*default=*/"2",
           "number of parts of a batch; with 1 the pass does nothing">,
    Option<"method", "method", "::mlir::pop::BatchMethod",
           /*default=*/"::mlir::pop::BatchMethod::Static",
           "how parts are sliced and assembled",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::BatchMethod::Static, "static",
                        "slices and concatenations"),
             clEnumValN(::mlir::pop::BatchMethod::Dynamic, "dynamic",
                        "dynamic slices, and updates in place"),
             clEnumValN(::mlir::pop::BatchMethod::Loop, "loop",
                        "a loop over the parts"))}]>,
    Option<"axis", "axis", "int64_t", /*default=*/"0",
           "batch axis of inputs, if the module has no marks">,
    Option<"concatOnVgraphChange", "concat-on-vgraph-change", "bool",
           /*default=*/"true",
           "whether parts are assembled between virtual graphs">,
    Option<"concatOnStageChange", "concat-on-stage-change", "bool",
           /*default=*/"true",
           "whether parts are assembled between pipeline stages">,
    Option<"concatOnPhaseChange", "concat-on-phase-change", "bool",
           /*default=*/"true",
           "whether parts are assembled between execution phases">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::pop::PopDialect",
                           "::mlir::scf::SCFDialect"];
}

def OrderBatchPhasesPass
    : Pass<"pop-order-batch-phases", "::mlir::ModuleOp">, Contract {
  let summary = "Execute the parts of a batch one after the other";
  // The pass numbers draws, and the ops that this adds have no rounding method.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "BatchSerialize";
  let differs = "The transform is split into two passes. Ops that need whole batches "
                "divide a program into sections, each of which is ordered by itself.";
  let tests = [
    "Dialect/Pop/Serialize/order-batch-phases.mlir",
    "Dialect/Pop/Serialize/order-batch-phases-overlap.mlir",
    "Dialect/Pop/Serialize/order-batch-phases-invalid.mlir",
    "Integration/Graphs/batch-serialize.test",
  ];
  let description = [{
    Reorders the ops of each block by their `pop.batch_phase`: all ops of phase 0, then
    all ops of phase 1, and so on. An op without a phase that depends on phases, such as
    a concatenation of their results, comes after all of these ops, and the ops of
    phases that need it are ordered after it in the same way. Dependences by values,
    effects and random draws are kept, as by `pop-schedule`.

    With the schedule `isomorphic`, the ops of all phases are in the order of phase 0.
    An op corresponds to an op of phase 0 if both have the same name, and operands that
    correspond to each other. `scheduler` keeps the order of the program within each
    phase. `overlap-on-io` is `isomorphic`, but `pop.io_tile_copy` ops to compute tiles,
    and other ops on I/O tiles with results, come before the `pop.io_tile_copy` ops to
    I/O tiles of the previous phase. `overlap-on-compute` also moves ops on I/O tiles
    with results before the ops on compute tiles of the previous phase.

    Before:
    ```mlir
    func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = pop.exp %x {pop.batch_phase = 0 : i64} : tensor<2xf32>
      %1 = pop.exp %y {pop.batch_phase = 1 : i64} : tensor<2xf32>
      %2 = pop.tanh %0 {pop.batch_phase = 0 : i64} : tensor<2xf32>
      %3 = pop.tanh %1 {pop.batch_phase = 1 : i64} : tensor<2xf32>
      return %2, %3 : tensor<2xf32>, tensor<2xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %0 = pop.exp %x {pop.batch_phase = 0 : i64} : tensor<2xf32>
      %1 = pop.tanh %0 {pop.batch_phase = 0 : i64} : tensor<2xf32>
      %2 = pop.exp %y {pop.batch_phase = 1 : i64} : tensor<2xf32>
      %3 = pop.tanh %2 {pop.batch_phase = 1 : i64} : tensor<2xf32>
      return %1, %3 : tensor<2xf32>, tensor<2xf32>
    }
    ```
  }];
  let options = [
    Option<"schedule", "schedule", "::mlir::pop::PhaseSchedule",
           /*default=*/"::mlir::pop::PhaseSchedule::Isomorphic",
           "order of the ops of a phase",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::PhaseSchedule::Scheduler, "scheduler",
                        "the order of the program"),
             clEnumValN(::mlir::pop::PhaseSchedule::Isomorphic, "isomorphic",
                        "the order of phase 0"),
             clEnumValN(::mlir::pop::PhaseSchedule::OverlapOnIo, "overlap-on-io",
                        "copies from I/O tiles before those to I/O tiles"),
             clEnumValN(::mlir::pop::PhaseSchedule::OverlapOnCompute,
                        "overlap-on-compute",
                        "also loads before the computation of the previous phase"))}]>,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_BATCHPASSES
