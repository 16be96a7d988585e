//===- GraphPasses.td - Graph transforms --------------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes after PopART's graph transforms; docs/transforms.md lists them.
// pop-graph-pipeline runs all of them in order.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_GRAPHPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_GRAPHPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def PrunePass : Pass<"pop-prune", "::mlir::ModuleOp">, Contract {
  let summary = "Erase ops and functions without effects";
  // A public function stays where the only call of it was not needed.
  let preserves = !listremove(AllConditions, [NO_DEAD_GRAPHS]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there are fewer">;
  let original = "Prune";
  let differs = "Private functions that are not used are erased, "
                "too; a load from a stream is kept, because the next one gets "
                "another tensor without it.";
  let tests = ["Dialect/Pop/Graph/prune.mlir"];
  let description = [{
    An op is kept if it writes a variable, a stream, remote memory or a ref
    argument of its function, if its effects are not known, if the function
    returns its result, or if an op that is kept uses its result, reads a tensor
    that it may write, or is in its region. The pass erases all other ops, calls
    and writes of allocated tensors included, and then private functions that
    neither the entry nor a public function uses. Signatures of functions do not
    change. It is an error if the pass would erase all ops of an entry function.

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
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there are fewer">;
  let original = "MergeDuplicateOps";
  let differs = "Effects say which ops may be merged; reads and calls are merged "
                "as well. Values that the host gets are merged: streams have the "
                "names that anchors have there.";
  let tests = ["Dialect/Pop/Graph/merge-duplicate-ops.mlir"];
  let description = [{
    Replaces the results of an op by those of an earlier op in the same block,
    or in a block around it, if both have the same operands and attributes
    (placements and replica-equal annotations included), neither op writes,
    neither creates a tensor that may be written, and no op in between writes
    what they read. Unlike `pop-cse`, the pass also merges calls of functions
    that only compute or read.

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
  // A seed for another IPU is made of one on the first; seeds have no phase.
  let preserves = !listremove(AllConditions,
                              [NO_IMPLICIT_COPY, EPHASE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those of ops that ask for a seed, which have "
                                "none before">;
  let original = "RandomSetup";
  let differs = "Programs ask for seeds by an op; branches may; functions have "
                "no result for the next seed, because each call gets one of its "
                "own; a seed is a word of a hash of the one that it is made of.";
  let tests = [
    "Dialect/Pop/Graph/random-setup.mlir",
    "Dialect/Pop/Graph/random-setup-entry.mlir",
    "Dialect/Pop/Graph/random-setup-invalid.mlir",
    "Integration/Graphs/random-seeds.mlir",
  ];
  let description = [{
    Replaces each `pop.next_seed` by a seed that no other op has. The entry
    function loads one seed from a stream of the host; each block derives, by
    `pop.split_seed`, the seeds of its ops, calls, loops and branches from its
    own seed. A function that needs seeds gets one more argument for them, which
    its calls pass. A loop carries a seed, from which each iteration derives the
    next one. There is a seed for each strand, that is, the virtual graph and
    the stage of the ops that request one. The op that derives the seed is on
    this virtual graph and in this stage, or in the stage of a loop, branch or
    call that reads it, if that is earlier. Seeds that programs define
    themselves do not change. The pass must run before differentiation, so that
    gradients draw the same bits.

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
    pop.stream @random_seed host_to_device : tensor<2xui32>
    func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
      %seed = pop.host_load @random_seed : tensor<2xui32>
      %0 = pop.split_seed %seed : tensor<2xui32> -> tensor<2x2xui32>
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
           "name of the function that the program starts with; 'main', or the "
           "only function, if it is absent">,
    Option<"stream", "stream", "std::string", "\"random_seed\"",
           "name of the stream of seeds">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def HostLoadSetupPass : Pass<"pop-host-load-setup", "::mlir::ModuleOp">, Contract {
  let summary = "Load the arguments of the entry function from streams";
  // An argument may be used on several IPUs, and earlier in the batch in a later
  // stage. What only terminators and calls use has no placement to inherit.
  let preserves = !listremove(AllConditions, Placement # [
    NO_IMPLICIT_COPY, BPHASE, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "HostIoSetup";
  let differs = "The two halves are two passes; loads are at the start.";
  let tests = ["Dialect/Pop/Graph/host-load-setup.mlir"];
  let description = [{
    Each argument of the entry function becomes a `pop.host_load` at its start, of a
    stream that all replicas share or, if the argument's groups (`pop.groups`) are of
    one replica each, of a stream with a tensor for each replica. The stream has the name that the argument has
    for the host (`pop.name`, or `arg` and its number), and the value that the
    argument has without the host (`pop.default`). The load has the placement of
    the argument or, without one, the virtual graph, stage and phases of the first
    op of the first stage that uses it. (The first half of PopART's HostIOSetup.)

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
  // A value that no op of pop makes has no placement to inherit.
  let preserves = !listremove(AllConditions, Placement # [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "HostIoSetup";
  let differs = "The two halves are two passes; a result is what PopART calls "
                "an anchor.";
  let tests = ["Dialect/Pop/Graph/host-store-setup.mlir"];
  let description = [{
    Each value that the entry function returns is stored to a stream at its end.
    The stream has the name that the result has for the host (`pop.name`, or
    `result` and its number); the host gets the tensors of all replicas. The
    store has the virtual graph, stage and phases of the value or, where the
    value has none, those of an op of the last stage. (The second half of
    PopART's HostIOSetup.)

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
    Stores each tensor of floats that the entry function computes, or reads from
    a variable, to its own stream, to find wrong values. Constants, views of
    other tensors, tensors in branches, and tensors in loops of unknown trip
    count are not stored; loops of known trip count store in each iteration.

    A stream has a name of the form `tensor N: OP of 'NAME'`: N is the tensor's number
    in the order of the program, NAME that of the op's location, if it has one. Ops that
    depend on the loss scale (`pop.loss_scale`) have `gradient, ` before OP.

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
  // The placement of an exchange becomes that of its transfers.
  let preserves = !listremove(AllConditions,
                              [NO_IMPLICIT_COPY, BPHASE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "MergeExchange";
  let differs = "Two transfers of one stream are not merged; what is between "
                "transfers may also be views of refs and scalars.";
  let tests = ["Dialect/Pop/Graph/merge-exchange.mlir"];
  let description = [{
    Host, remote and code transfers of a block that follow each other become one
    `pop.remote_exchange` where the last of them is. Between them there may be
    ops that only make refs, scalars or constants and do not use what is
    transferred. A transfer starts a new exchange if it uses the result of an
    earlier transfer of the exchange, if it may use the same row of a remote
    buffer and one of both is a store, if it is of the same stream, if it has
    another execution context, or if only one of both has a batch phase. The
    exchange gets the placement attributes that all its transfers have in
    common. (PopART's MergeExchange, MergeRemote in its notes.)

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

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_GRAPHPASSES
