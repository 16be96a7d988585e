//===- GraphPasses.td - Graph transforms -------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that are modelled on PopART's graph transforms. docs/transforms.md
// lists them, and pop-graph-pipeline runs most of them in the required order.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_GRAPHPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_GRAPHPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def PrunePass : Pass<"pop-prune", "::mlir::ModuleOp">, Contract {
  let summary = "Erase ops and functions without effects";
  // The pass does not erase a public function, even if the pass erases the only
  // call of this function.
  let preserves = !listremove(AllConditions, [NO_DEAD_GRAPHS]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "fewer ops">;
  let original = "Prune";
  let differs = "Unused private functions are erased, too. A load from a stream is kept, "
                "because without it the next load would get another tensor.";
  let tests = ["Dialect/Pop/Graph/prune.mlir"];
  let description = [{
    The pass keeps an op if
    - it writes a variable, a stream, streaming memory, or a ref argument of its
      function;
    - its effects are not known;
    - the function returns a result of the op;
    - another kept op uses a result of this op, reads a tensor that this op may write,
      or is in a region of this op.

    The pass erases all other ops, including calls and writes to allocated tensors.
    Then it erases private functions that neither the entry function nor a public
    function uses. Signatures of functions do not change. It is an error if the pass
    would erase all ops of an entry function.

    Before:
    ```mlir
    func.func private @unused(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.exp %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %r = pop.alloc zero : !pop.ref<4xf32>
      pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
      %0 = call @unused(%x) : (tensor<4xf32>) -> tensor<4xf32>
      %1 = pop.relu %x : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %0 = pop.relu %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
}

def MergeDuplicateOpsPass
    : Pass<"pop-merge-duplicate-ops", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Merge duplicate ops and calls";
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "fewer ops">;
  let original = "MergeDuplicateOps";
  let differs = "Effects determine which ops may be merged. Reads and calls are merged, "
                "too. Values that the host gets are also merged, because the host refers "
                "to them by streams and not by name.";
  let tests = ["Dialect/Pop/Graph/merge-duplicate-ops.mlir"];
  let description = [{
    Replaces the results of an op by the results of an earlier op in the same block, or
    in an enclosing block, if
    - both ops have the same operands and attributes, including placements and
      replica-equal annotations;
    - neither op writes memory or creates a tensor that may be written;
    - no op between the two ops writes a memory location that they read.

    Unlike `pop-cse`, the pass also merges calls of functions that only compute or
    read.

    Before:
    ```mlir
    %0 = pop.relu %x : tensor<4xf32>
    %1 = pop.relu %x : tensor<4xf32>
    %2 = call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %3 = call @f(%1) : (tensor<4xf32>) -> tensor<4xf32>
    %4 = pop.add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.relu %x : tensor<4xf32>
    %1 = call @f(%0) : (tensor<4xf32>) -> tensor<4xf32>
    %2 = pop.add %1, %1 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
  }];
}

def RandomSetupPass : Pass<"pop-random-setup", "::mlir::ModuleOp">, Contract {
  let summary = "Give each random op its own seed";
  let guarantees = [RANDOM_SEEDED];
  // Seeds are copied to the IPUs that use them. Ops that compute seeds have no phase.
  let preserves = !listremove(AllConditions,
                              [NO_IPU_COPY, EPHASE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops that request a seed, because "
                                 "they have no seed before the pass">;
  let original = "RandomSetup";
  let differs = "A separate op requests a seed, and this op may be in a branch. "
                "Functions do not return a next seed, because each call gets its own "
                "seed. A hash derives seeds from other seeds.";
  let tests = [
    "Dialect/Pop/Graph/random-setup.mlir",
    "Dialect/Pop/Graph/random-setup-entry.mlir",
    "Dialect/Pop/Graph/random-setup-invalid.mlir",
    "Integration/Graphs/random-seeds.mlir",
  ];
  let description = [{
    Replaces each `pop.next_seed` by a seed that no other op has. The entry function
    loads one seed from a host stream, which all replicas share, and adds the number of
    the replica to the seed. From the seed of a block, a `pop.split_seed` derives one seed
    for each op, call, loop or branch of the block that requests seeds. A function that
    needs seeds gets an additional argument, and calls of the function pass a seed. A
    loop carries a seed, and each iteration derives the seed of the next iteration from
    its own seed.

    Each strand (a pair of a virtual graph and a pipeline stage) whose ops request seeds
    has a copy of the seed of the block, and derives the seeds of its own ops from the
    copy. Functions have an argument, and loops carry a value, for each strand. The bits
    of random ops therefore do not depend on the placement.

    The op that derives a seed has the virtual graph and the stage of the strand. If a
    loop, branch or call of an earlier stage reads the seed, the op that derives the
    seed is in this earlier stage.

    The pass does not change seeds that a program defines itself. It must run before
    differentiation, so that the gradient of an op draws the same bits as the op.

    Before:
    ```mlir
    func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> {
      %seed = pop.next_seed
      %0 = pop.dropout %x, %seed, 5.000000e-01 : tensor<4xf32>, tensor<2xui32>
      return %0 : tensor<4xf32>
    }
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %seed = pop.next_seed
      %0 = pop.dropout %x, %seed, 5.000000e-01 : tensor<4xf32>, tensor<2xui32>
      %1 = call @g(%0) : (tensor<4xf32>) -> tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func private @g(%x: tensor<4xf32>, %seed: tensor<2xui32>) -> tensor<4xf32> {
      %0 = pop.dropout %x, %seed, 5.000000e-01 : tensor<4xf32>, tensor<2xui32>
      return %0 : tensor<4xf32>
    }
    pop.stream @random_seed host_to_device broadcast : tensor<2xui32> {seed}
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %seed = pop.host_load @random_seed : tensor<2xui32>
      %index = pop.replica_index : tensor<i32>
      %number = pop.cast %index : tensor<i32> to tensor<ui32>
      %mask = pop.constant dense<[0, 1]> : tensor<2xui32>
      %words = pop.mul %mask, %number : (tensor<2xui32>, tensor<ui32>) -> tensor<2xui32>
      %own = pop.add %seed, %words : tensor<2xui32>
      %0 = pop.split_seed %own : tensor<2xui32> -> tensor<2x2xui32>
      %1 = pop.slice %0 {sizes = array<i64: 1, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<2x2xui32> -> tensor<1x2xui32>
      %2 = pop.reshape %1 : tensor<1x2xui32> to tensor<2xui32>
      %3 = pop.slice %0 {sizes = array<i64: 1, 2>, starts = array<i64: 1, 0>, steps = array<i64: 1, 1>} : tensor<2x2xui32> -> tensor<1x2xui32>
      %4 = pop.reshape %3 : tensor<1x2xui32> to tensor<2xui32>
      %5 = pop.dropout %x, %2, 5.000000e-01 : tensor<4xf32>, tensor<2xui32>
      %6 = call @g(%5, %4) : (tensor<4xf32>, tensor<2xui32>) -> tensor<4xf32>
      return %6 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"function", "func", "std::string", /*default=*/"",
           "name of the entry function; by default 'main', or the only function">,
    Option<"stream", "stream", "std::string", "\"random_seed\"",
           "name of the stream of seeds">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def HostLoadSetupPass : Pass<"pop-host-load-setup", "::mlir::ModuleOp">, Contract {
  let summary = "Load the arguments of the entry function from streams";
  // An argument may be used on several IPUs, and a later stage may use an argument in
  // an earlier batch phase.
  let preserves = !listremove(AllConditions, [
    NO_IMPLICIT_COPY, EPHASE, BPHASE, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "HostIoSetup";
  let differs = "The transform is split into two passes. Loads are at the start of the "
                "function.";
  let tests = ["Dialect/Pop/Graph/host-load-setup.mlir"];
  let description = [{
    Replaces each argument of the entry function by a `pop.host_load` at the start of
    the function. If the argument has no `pop.groups`, all replicas load the same
    tensor from the stream. If its groups have one replica each, the stream has one
    tensor for each replica. Larger groups are an error. The name of the stream is the
    argument's `pop.name`, or `arg` followed by the argument's number. The argument's
    `pop.default` becomes the default value of the stream. The load has the placement of
    the argument. If the argument has no placement, the load has the virtual graph,
    stage and phases of an op that uses the argument: the first such op in the earliest
    stage. If no op with a placement uses the argument, the load has the virtual graph,
    stage and phases of the first op with a placement. (This is the first half of
    PopART's HostIOSetup.)

    Before:
    ```mlir
    func.func @main(%x: tensor<4xf32> {pop.name = "x"}) -> tensor<4xf32> {
      %0 = pop.relu %x : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    pop.stream @x host_to_device broadcast : tensor<4xf32>
    func.func @main() -> tensor<4xf32> {
      %0 = pop.host_load @x : tensor<4xf32>
      %1 = pop.relu %0 : tensor<4xf32>
      return %1 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def HostStoreSetupPass : Pass<"pop-host-store-setup", "::mlir::ModuleOp">, Contract {
  let summary = "Store the results of the entry function to streams";
  // If a value is not the result of a pop op, its store inherits no placement.
  let preserves = !listremove(AllConditions, Placement # [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "HostIoSetup";
  let differs = "The transform is split into two passes. A result corresponds to an "
                "anchor of PopART.";
  let tests = ["Dialect/Pop/Graph/host-store-setup.mlir"];
  let description = [{
    For each value that the entry function returns, the pass inserts a `pop.host_store`
    at the end of the function. The inserted op stores the value to a stream to the
    host. The name of the stream is the result's `pop.name`, or `result` followed by the
    result's number. The host gets the tensors of all replicas. The store has the
    virtual graph, stage and phases of the value. If the value has no placement, the
    store has the virtual graph, stage and phases of an op of the last stage. (This is
    the second half of PopART's HostIOSetup.)

    Before:
    ```mlir
    func.func @main() -> (tensor<4xf32> {pop.name = "y"}) {
      %0 = pop.constant dense<1.0> : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    pop.stream @y device_to_host : tensor<4xf32>
    func.func @main() {
      %0 = pop.constant dense<1.0> : tensor<4xf32>
      pop.host_store %0, @y : tensor<4xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StoreTensorsPass : Pass<"pop-store-tensors", "::mlir::ModuleOp">, Contract {
  let summary = "Store all float tensors to the host";
  let preserves = !listremove(AllConditions, Placement # [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = ["Dialect/Pop/Graph/store-tensors.mlir"];
  let description = [{
    For each float tensor that the entry function computes, or reads from a variable,
    the pass creates a stream to the host and stores the tensor to this stream. The
    stored tensors help to find the first op that computes wrong values. The pass does
    not store constants, views of other tensors, tensors in branches, or tensors in
    loops of unknown trip count. Tensors in a loop of known trip count are stored in
    each iteration.

    The name of a stream has the form `tensor N: OP of 'NAME'`. The tensors are numbered
    in the order of the program, and N is the tensor's number. OP is the op that
    computes the tensor. NAME is the name of the op's location; ` of 'NAME'` is omitted
    if the location has no name. If the op depends on the loss scale (`pop.loss_scale`),
    `gradient, ` precedes OP.

    Before:
    ```mlir
    %0 = pop.relu %x : tensor<4xf32> loc("act")
    ```
    After:
    ```mlir
    pop.stream @"tensor 0: pop.relu of 'act'" device_to_host : tensor<4xf32>
    %0 = pop.relu %x : tensor<4xf32> loc("act")
    pop.host_store %0, @"tensor 0: pop.relu of 'act'" : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def MergeExchangePass : Pass<"pop-merge-exchange", "::mlir::ModuleOp">, Contract {
  let summary = "Merge consecutive transfers";
  // An exchange has the placement that its transfers have in common.
  let preserves = !listremove(AllConditions,
                              [NO_IMPLICIT_COPY, BPHASE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "MergeExchange";
  let differs = "Two transfers of one stream are not merged. Ops that create scalars or "
                "views of refs may be between merged transfers.";
  let tests = ["Dialect/Pop/Graph/merge-exchange.mlir"];
  let description = [{
    Replaces consecutive host, remote and code transfers of a block by one
    `pop.remote_exchange` at the position of the last transfer. Ops that only create
    refs, scalars or constants, and do not use the transferred values, may be between
    the transfers. A transfer starts a new exchange if
    - it uses the result of an earlier transfer of the exchange;
    - it may use the same row of a remote buffer as another transfer of the exchange,
      and at least one of these two transfers is a store;
    - it uses the same stream as another transfer of the exchange;
    - its execution context differs from that of the preceding transfer, or only one of
      these two transfers has a batch phase.

    The exchange gets the placement attributes that all its transfers have in common.
    (This is PopART's MergeExchange, which PopART's notes also call MergeRemote.)

    Before:
    ```mlir
    %0 = pop.remote_load @b[0] : tensor<4xf32>
    %1 = pop.host_load @x : tensor<4xf32>
    pop.remote_store %t, @c[0] : tensor<4xf32>
    ```
    After:
    ```mlir
    %0, %1 = pop.remote_exchange {
      %2 = pop.remote_load @b[0] : tensor<4xf32>
      %3 = pop.host_load @x : tensor<4xf32>
      pop.remote_store %t, @c[0] : tensor<4xf32>
      pop.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
    } : tensor<4xf32>, tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def SchedulePass : Pass<"pop-schedule", "::mlir::ModuleOp">, Contract {
  let summary = "Reorder ops so that fewer bytes are live";
  // The pass numbers draws, and the ops that this adds have no rounding method.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/Graph/schedule.mlir",
    "Dialect/Pop/Graph/schedule-effects.mlir",
    "Dialect/Pop/Graph/schedule-priorities.mlir",
    "Dialect/Pop/Graph/schedule-invalid.mlir",
    "Integration/Graphs/schedule.mlir",
  ];
  let description = [{
    Reorders the ops of each block to minimise the peak of the bytes that are live at
    the same time. Of the orders with the smallest peak, it chooses one with a small sum
    of live bytes over all ops. The pass keeps the order of the program if it finds no
    better one. It compares several list schedules, from the start and from the end of
    the block, and improves the best ones by local search. The time is almost linear in
    the number of ops.

    A tensor is live from the op that computes it to the last op that uses it or a view
    of it. Views, constants and variables take no bytes, and a tensor that is read from a
    ref takes bytes only if the ref is written before the last use of the tensor. While
    an op with regions or a call is executed, the peak of its regions or its callee is
    live, too. An op with regions is one unit; its own ops are reordered inside it,
    except in a `pop.in_sequence` or a `pop.remote_exchange`.

    Ops stay in order if one of them uses a result of the other one, or if their effects
    conflict. If a read shares the storage of a ref, the ops that use it stay before the
    next write of the ref. If the module rounds with random bits of the generator
    `counter`, ops get numbers first, as by `pop-number-draws`, and no op moves past an
    advance on which its bits depend. With the generator `stream`, bits depend on the
    order of ops, so the pass emits a warning and changes nothing.

    Placements come before memory: ops are in the order of their execution contexts
    (`weights_from_host`, then `normal`, `accumulate_outer` and `weights_to_host`), then
    of `pop.phase`, then of `pop.batch_phase`, then of `pop.schedule_priority` from high
    to low. An op on which another op depends counts like this other op if that comes
    earlier. An op without a phase comes after the ops with one.

    The pass must run before `pop-overlap-code-loads`, which looks at the ops after a
    load of code.

    Before:
    ```mlir
    func.func @main(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64xf32> {
      %0 = pop.matmul %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
      %1 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
      %2 = pop.reduce max %0 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
      %3 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
      %4 = pop.sub %2, %3 : tensor<64xf32>
      return %4 : tensor<64xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64xf32> {
      %0 = pop.matmul %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
      %1 = pop.reduce max %0 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
      %2 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
      %3 = pop.reduce max %2 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
      %4 = pop.sub %1, %3 : tensor<64xf32>
      return %4 : tensor<64xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def WeightsFromHostPass
    : Pass<"pop-weights-from-host", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Execute ops of the context weights_from_host when weights are loaded";
  let tests = [
    "Dialect/Pop/Graph/weights-from-host.mlir",
    "Dialect/Pop/Graph/weights-from-host-invalid.mlir",
  ];
  let description = [{
    Moves the ops of the entry function with the execution context `weights_from_host`
    to a branch at the start of the function. A run executes the branch only if the
    host has loaded or written variables since the previous run: the condition is a
    `pop.scratch` that is then true, and that the branch sets to false. If other ops
    use a tensor that the branch computes, the tensor is kept in another `pop.scratch`,
    from which these ops read it in all runs.

    The branch contains copies of constants and of ops that only create refs to
    variables. It is an error if an op of the branch uses a value that is computed in
    each run, or if other ops use a result that is not a tensor.

    Before:
    ```mlir
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = pop.get_variable @w : !pop.ref<2xf32>
      %1 = pop.read %0 {pop.execution_context = #pop<execution_context weights_from_host>} : !pop.ref<2xf32>
      %2 = pop.exp %1 {pop.execution_context = #pop<execution_context weights_from_host>} : tensor<2xf32>
      %3 = pop.mul %x, %2 : tensor<2xf32>
      return %3 : tensor<2xf32>
    }
    ```
    After:
    ```mlir
    pop.scratch @weights_loaded : tensor<i1> = dense<true> : tensor<i1>
    pop.scratch @weights_from_host : tensor<2xf32> = dense<0.0> : tensor<2xf32>
    func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
      %0 = pop.get_variable @weights_from_host : !pop.ref<2xf32>
      %1 = pop.get_variable @weights_loaded : !pop.ref<i1>
      %2 = pop.read %1 : !pop.ref<i1>
      %3 = tensor.extract %2[] : tensor<i1>
      scf.if %3 {
        %6 = pop.get_variable @w : !pop.ref<2xf32>
        %7 = pop.read %6 : !pop.ref<2xf32>
        %8 = pop.exp %7 : tensor<2xf32>
        pop.copy_ %0, %8 : !pop.ref<2xf32>, tensor<2xf32>
        %9 = pop.constant dense<false> : tensor<i1>
        pop.copy_ %1, %9 : !pop.ref<i1>, tensor<i1>
      }
      %4 = pop.read %0 : !pop.ref<2xf32>
      %5 = pop.mul %x, %4 : tensor<2xf32>
      return %5 : tensor<2xf32>
    }
    ```
  }];
  let options = [
    Option<"entry", "entry", "std::string", /*default=*/"\"main\"",
           "name of the function with which the program starts">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_GRAPHPASSES
