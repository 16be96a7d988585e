//===- PlacementPasses.td - Passes on placement ------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/placement.md describes these passes together.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PLACEMENTPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PLACEMENTPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def VerifyPlacementPass
    : Pass<"pop-verify-placement", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify that placements do not contradict each other";
  let tests = [
    "Dialect/Pop/placement.mlir",
    "Dialect/Pop/verify-placement-invalid.mlir",
    "Dialect/Pop/verify-placement-complete.mlir",
    "Conversion/PopToIPU/ignored-placements.mlir",
  ];
  let description = [{
    The placement of an op is a set of optional attributes: `pop.vgraph` (the IPU),
    `pop.stage` (the pipeline stage), `pop.phase`, `pop.batch_phase`, `pop.tile_set`,
    `pop.recompute` and `pop.execution_context`. The pass emits an error for

    - a stage with ops on several virtual graphs;
    - a remote buffer that ops on several virtual graphs use;
    - an op that reads or writes memory on another virtual graph: a variable, an
      allocated tensor or the tensor of a ref argument;
    - a call with a ref operand whose tensor is on one virtual graph, if the callee's
      argument is on another virtual graph;
    - a `pop.ipu_copy`, if the virtual graph of an operand is not the source that the op
      names for this operand;
    - a virtual graph with number N or above, if a replica has only N IPUs on the
      module's target;
    - an op that reads a tensor of the other tile set, unless the op copies between tile
      sets (`pop.io_tile_copy`), or the op or the producer of the tensor is a transfer;
    - an op in the entry function with the execution context `subgraph`;
    - an op outside of the entry function with any other execution context.

    A module with a virtual graph is a placed program. Passes may place a part of its
    ops, and the result of an op may be used on another virtual graph. With `complete`,
    the pass also emits an error if a placed program violates the condition `VGRAPH`,
    because an op that computes or moves values has no virtual graph, or the condition
    `NO_IMPLICIT_COPY` (see `pop-verify-contracts`). `pop-to-ipu-pipeline` requires
    complete placements, because it places each value on the tiles of its IPU.

    `pop-to-ipu-pipeline` does not give all of these attributes an effect yet: it
    executes ops in the order of the program. With `warn-ignored`, the pass emits one
    warning that names `pop.stage`, `pop.phase` (unless the ops of each block are in the
    order of their phases), `pop.recompute` (`recompute`) and `pop.execution_context`
    (other than `normal`), as far as the module has them, and the first op that has each
    of them.

    A program that the pass accepts:

    ```mlir
    pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 0 : i64}
    func.func @main(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) {
      %w = pop.get_variable @w {pop.vgraph = 0 : i64} : !pop.ref<4xf32>
      pop.add_ %w, %x {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"isComplete", "complete", "bool", /*default=*/"false",
           "require virtual graphs of all ops, or of none">,
    Option<"warnsIgnored", "warn-ignored", "bool", /*default=*/"false",
           "warn about placements that the lowering ignores">,
  ];
}

def PlaceGraphsPass
    : Pass<"pop-place-graphs", "::mlir::ModuleOp">, Contract {
  let summary = "Place functions on the virtual graphs that call them";
  // The ops of a function on the virtual graph of a call may read values that
  // functions on other virtual graphs computed.
  let preserves = !listremove(AllConditions, [NO_IMPLICIT_COPY]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/place-graphs.mlir",
    "Dialect/Pop/place-graphs-invalid.mlir",
  ];
  let description = [{
    If a function has no virtual graph, but calls of it have one, the ops of the function
    get the virtual graph of the calls. If there are calls on several virtual graphs, the
    function is cloned for each of them, because each IPU needs the function's code and
    variables on its own tiles. The stages of calls are treated in the same way, if the
    calls have virtual graphs. The pass starts with the entry, so that calls in functions
    have the virtual graphs of these functions. It emits an error if the code of a
    function that would be cloned is loaded, because the load names one function.

    Before:
    ```mlir
    func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.exp %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @f(%x) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
      %2 = call @f(%1) {pop.vgraph = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func private @f_0(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = call @f(%x) {pop.vgraph = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
      %2 = call @f_0(%1) {pop.vgraph = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
      return %2 : tensor<4xf32>
    }
    ```
  }];
}

def InferVgraphsPass
    : Pass<"pop-infer-vgraphs", "::mlir::ModuleOp">, Contract {
  let summary = "Give the values of a placed program a virtual graph";
  let guarantees = [NO_IMPLICIT_COPY];
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/infer-vgraphs.mlir",
    "Dialect/Pop/infer-vgraphs-invalid.mlir",
  ];
  let description = [{
    Places the ops that other passes create without a virtual graph, such as the
    variables in which calls and loops pass values. The operands and results of an op,
    except a copy between IPUs, are on the virtual graph of the op. All refs to a
    variable are on the virtual graph of the variable. So a virtual graph applies to all
    values that are connected in this way. Values that are connected with no placed op
    are on the least virtual graph of the program. A constant without a virtual graph is
    cloned for each virtual graph that uses it.

    The pass emits an error if connected values have different virtual graphs. It does
    not change a program without virtual graphs. The pass runs after `pop-lower-calls`
    and `pop-lower-control-flow`, because it does not follow values that calls, loops and
    branches pass.

    Before:
    ```mlir
    %c = pop.constant dense<1.0> : tensor<4xf32>
    %r = pop.from_tensor %x : tensor<4xf32>
    %0 = pop.read %r : !pop.ref<4xf32>
    %1 = pop.add %0, %c {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %c = pop.constant {pop.vgraph = 1 : i64} dense<1.0> : tensor<4xf32>
    %r = pop.from_tensor %x {pop.vgraph = 1 : i64} : tensor<4xf32>
    %0 = pop.read %r {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
    %1 = pop.add %0, %c {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def InterIpuCopyPass
    : Pass<"pop-inter-ipu-copy", "::mlir::ModuleOp">, Contract {
  let summary = "Insert copies of values to the IPUs that use them";
  let guarantees = [NO_IMPLICIT_COPY];
  // Copies have no stage and no phase.
  let preserves = !listremove(AllConditions,
                              [NO_IPU_COPY, PSTAGE, EPHASE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "InterIpuCopy";
  let differs = "An op without a virtual graph gets one. A constant is not copied, "
                "because each IPU that uses it holds it. A copy has no stage.";
  let tests = [
    "Dialect/Pop/inter-ipu-copy.mlir",
    "Dialect/Pop/inter-ipu-copy-invalid.mlir",
    "Integration/Placement/inter-ipu-copy.mlir",
  ];
  let description = [{
    In a placed program, an op on one IPU may read a tensor of another IPU only from a
    `pop.ipu_copy`. The pass inserts these copies: one for each tensor and each IPU that
    reads it, before the first op that reads it there. If this op is in a loop or branch
    and the tensor is not, the copy is before the loop or branch. Copies that a program
    already has stay as they are, so the pass changes nothing if it runs again.

    The pass follows tensors through calls, loops and branches. An argument of a function
    that is placed, and a value that a loop carries, is on the IPU of the first tensor
    that it gets or, if that is on none, of the first op that reads it. A branch yields a
    result on the IPU of the tensor that its first region yields. A call of a function
    without virtual graphs is an op like others: `pop-place-graphs` places the function.

    An op without a virtual graph gets the greatest virtual graph of the tensors that it
    reads. If they have none, it gets that of the first op that reads its results. The
    least virtual graph of the program is for values that are connected with no placed
    op. Constants stay without a virtual graph, because each IPU that uses a constant
    holds it.

    A ref cannot be copied. All refs to a variable are on one IPU, and the pass emits an
    error if ops read or update a variable on two. The pass does not change a program
    without virtual graphs.

    Before:
    ```mlir
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.neg %0 : tensor<4xf32>
    %2 = pop.log %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
    %3 = pop.sin %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.neg %0 {pop.vgraph = 0 : i64} : tensor<4xf32>
    %2 = pop.ipu_copy %1 from 0 to 1 : tensor<4xf32>
    %3 = pop.log %2 {pop.vgraph = 1 : i64} : tensor<4xf32>
    %4 = pop.sin %2 {pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def InferStagesPass
    : Pass<"pop-infer-stages", "::mlir::ModuleOp">, Contract {
  let summary = "Turn virtual graphs into pipeline stages";
  // The ops of a function without a virtual graph get the stage of its calls by
  // `pop-place-graphs`.
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "InferPipelineStages";
  let differs = "A program in which only some ops have stages is an error.";
  let tests = [
    "Dialect/Pop/infer-stages.mlir",
    "Dialect/Pop/infer-stages-further.mlir",
    "Dialect/Pop/infer-stages-invalid.mlir",
  ];
  let description = [{
    The stage of each op is the number of its virtual graph. So is the stage of a call
    that has a virtual graph; `pop-place-graphs` gives it to the ops of the function. A copy between IPUs is in
    the stage of its destination or, if this is an earlier one, in that of its sources.
    The pass emits an error if an op reads a result of a
    later stage, because a stage works on one micro-batch after the stages before it; a
    value that a loop carries to its next iteration may go back. If all ops have stages
    already, the pass does nothing. If only some have stages, it emits an error.

    With `further-stages`, an op that reads a result of a later stage is in the first
    stage after it that has the virtual graph of the op. If there is no such stage, the
    op is in a further stage, whose number follows that of the last stage. So an output
    projection that shares its weight with the embedding, and is on the first IPU, is a
    last stage of its own.

    Before:
    ```mlir
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
    %2 = pop.log %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.exp %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 1 : i64} : tensor<4xf32>
    %2 = pop.log %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"furtherStages", "further-stages", "bool", /*default=*/"false",
           "whether ops that read results of later stages are in further "
           "stages">,
  ];
}

def MergeCopiesPass
    : Pass<"pop-merge-copies", "::mlir::ModuleOp">, Contract {
  let summary = "Merge copies between IPUs whose results are used by one op";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "MergeCopies";
  let differs = "Copies with several operands are merged, too. A merged copy keeps its "
                "placement, because copies of different placements are not merged.";
  let tests = [
    "Dialect/Pop/merge-copies.mlir",
    "Integration/Placement/merge-copies.mlir",
  ];
  let description = [{
    If one op is the first user of the results of several copies to its IPU, one copy
    with several operands replaces these copies. It is directly before the op, so that
    the tensors are on the IPU of the op only when it needs them, and the device copies
    them in one exchange with one sync. An op with regions is the first user of what the
    ops in its regions use. Copies are merged only if their attributes are equal. The
    source IPUs may differ, except in a program with pipeline stages.

    Before:
    ```mlir
    %0 = pop.ipu_copy %x from 0 to 2 : tensor<4xf32>
    %1 = pop.exp %y {pop.vgraph = 1 : i64} : tensor<4xf32>
    %2 = pop.ipu_copy %1 from 1 to 2 : tensor<4xf32>
    %3 = pop.add %0, %2 {pop.vgraph = 2 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.exp %y {pop.vgraph = 1 : i64} : tensor<4xf32>
    %1, %2 = pop.ipu_copy %x, %0 from [0, 1] to 2 : tensor<4xf32>, tensor<4xf32>
    %3 = pop.add %1, %2 {pop.vgraph = 2 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def PlaceTransfersPass
    : Pass<"pop-place-transfers", "::mlir::ModuleOp">, Contract {
  let summary = "Place transfers of loops on I/O tiles";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/place-transfers.mlir",
    "Dialect/Pop/place-transfers-invalid.mlir",
  ];
  let description = [{
    Places the loads from the host and the stores to the host that are in loops, and
    that have no tile set (`pop.tile_set`), on I/O tiles. `pop-pipeline` should run
    before, because it moves transfers on I/O tiles into functions. `pop-io-tile-copy` then copies
    their values, and `pop-overlap-io` lets them overlap compute. The option
    `just-in-time` has the names of streams whose transfers stay on compute tiles, which
    is JustInTime of PopART. A `pop.remote_exchange` stays there if one of its transfers
    does, if one states its tile set, or if it transfers nothing between host and
    device.

    It is an error if a name is that of no stream.

    Before:
    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = pop.host_load @x : tensor<4xf32>
      pop.host_store %0, @y : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
      pop.host_store %0, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    }
    ```
  }];
  let options = [
    ListOption<"justInTime", "just-in-time", "std::string",
               "streams whose transfers stay on compute tiles">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def IoTileCopyPass
    : Pass<"pop-io-tile-copy", "::mlir::ModuleOp">, Contract {
  let summary = "Copy values between I/O tiles and compute tiles";
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "IoComputeTileCopy";
  let differs = "Each tile set that uses a constant has it, so that no constant is "
                "copied.";
  let tests = [
    "Dialect/Pop/io-tile-copy.mlir",
    "Integration/Placement/io-tile-copy.mlir",
  ];
  let description = [{
    If an op reads a tensor of the other tile set (`pop.tile_set`), the pass inserts a
    `pop.io_tile_copy`: one for each tensor and tile set, before the first op that reads
    it there. If this op is in a loop or branch and the tensor is not, the copy is before
    the loop or branch. A copy has the IPU, the stage and the phases of the tensor. What
    loops, branches, calls and functions pass is on compute tiles, unless an attribute of
    the op or argument says otherwise. A constant is cloned for the tile set that uses
    it. Existing copies stay as they are, so the pass changes nothing if it runs again.

    Before:
    ```mlir
    %0 = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.exp %0 : tensor<4xf32>
    pop.host_store %1, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute : tensor<4xf32>
    %2 = pop.exp %1 : tensor<4xf32>
    %3 = pop.io_tile_copy %2 to io : tensor<4xf32>
    pop.host_store %3, @y {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def RemoveVgraphsPass
    : Pass<"pop-remove-vgraphs", "::mlir::ModuleOp">, Contract {
  let summary = "Remove virtual graphs, so that all IPUs execute all ops";
  let guarantees = [NO_IPU_COPY, NO_IMPLICIT_COPY];
  let preserves = !listremove(AllConditions, [VGRAPH]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = ["Dialect/Pop/remove-vgraphs.mlir"];
  let description = [{
    Removes the virtual graphs of all ops, variables and arguments, and replaces the
    copies between IPUs by their operands. The tensors of the program are then on the
    tiles of all IPUs. With `tile-sets`, also removes tile sets and replaces copies
    between tile sets, so that targets without I/O tiles can execute the program.

    Before:
    ```mlir
    %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
    %2 = pop.log %1 {pop.vgraph = 1 : i64} : tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.exp %x : tensor<4xf32>
    %2 = pop.log %0 : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"removesTileSets", "tile-sets", "bool", /*default=*/"false",
           "also remove tile sets">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PLACEMENTPASSES
