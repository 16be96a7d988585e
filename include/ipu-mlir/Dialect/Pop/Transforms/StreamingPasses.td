//===- StreamingPasses.td - Passes on streaming memory -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// docs/memory-transforms.md describes these passes together.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_STREAMINGPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_STREAMINGPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

/// The selectors of variables of both passes.
defvar VariableSelectors =
    "`weights`, `optimizer`, `accumulators`, or names with wildcards";

def ShardVariablesPass
    : Pass<"pop-shard-variables", "::mlir::ModuleOp">, Contract {
  let summary = "Divide variables over replicas";
  // New ops have no rounding method.
  let preserves = !listremove(AllConditions, [NO_INPLACE, SR_COMPLETE]);
  let bitEffect = Reassociates<"sums of all elements of a divided tensor, such as the "
                               "norms of `lamb`, and sums over replicas if `domain` does "
                               "not have all replicas; none with `exact`">;
  let drawEffect = KeepsDraws;
  let original = "StreamingMemory";
  let differs = "The replica-equal analysis finds the ops that are executed in parts, "
                "instead of rules for each op. Tensors may be divided on the chip or in "
                "streaming memory. With `exact`, no bit changes.";
  let tests = [
    "Dialect/Pop/Streaming/shard-variables.mlir",
    "Dialect/Pop/Streaming/shard-variables-invalid.mlir",
    "Dialect/Pop/Streaming/shard-domain.mlir",
    "Integration/Streaming/train.test",
  ];
  let description = [{
    Divides variables over the replicas of each group of `domain` (replicated tensor
    sharding in PopART, ZeRO in Rajbhandari et al., *ZeRO*, 2020): they get the attribute
    `sharding`, and each replica holds one part. The host still reads and writes whole
    tensors.

    `variables` selects variables by their classes or names. The class `optimizer` has
    the states of optimizers, `accumulators` has the accumulators of gradients, and
    `weights` has all other variables. A variable that a class selects is not divided if
    it has fewer than `min-elements` elements, or if it cannot be divided. A variable
    that a name selects must be on the chip, and equal on the replicas of a group, and
    all accesses must read or write the whole tensor; otherwise the pass emits an error.

    Each replica executes its part of the elementwise ops that depend on a divided
    variable, if the replica-equal analysis proves that all operands are equal on the
    replicas of a group:

    - a `pop.all_reduce` whose result is needed only in parts becomes a
      `pop.reduce_scatter`, followed by a `pop.all_reduce` of the replicas that have
      the same part if there are several;
    - of any other value, a replica takes its part by `pop.replica_slice`;
    - a `pop.all_gather` combines the parts of a value where another op needs the whole
      value;
    - a sum, minimum or maximum of all elements, such as the norm of a weight, becomes that of
      the part and a `pop.all_reduce`.

    If a module has stochastic rounding, ops that round are executed for whole
    tensors, so that all elements are rounded with the same bits as before. With
    `exact`, the pass changes no order of sums: sums of all elements are computed from
    whole tensors, and gradients are added over all replicas before they are divided.

    The pass does not divide the update of a `pop.optimizer_step`, so
    `pop-decompose-optimizers` has to run before.

    Before, with 2 replicas:
    ```mlir
    pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
    func.func @main(%g: tensor<4xf32>) {
      %r = pop.get_variable @w : !pop.ref<4xf32>
      %w = pop.read %r : !pop.ref<4xf32>
      %sum = pop.all_reduce add %g : tensor<4xf32>
      %new = pop.sub %w, %sum : tensor<4xf32>
      pop.copy_ %r, %new : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    ```
    After `pop-shard-variables{variables=w}`:
    ```mlir
    pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
    func.func @main(%g: tensor<4xf32>) {
      %r = pop.get_variable @w : !pop.ref<2xf32>
      %w = pop.read %r : !pop.ref<2xf32>
      %sum = pop.reduce_scatter add %g {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32> to tensor<2xf32>
      %new = pop.sub %w, %sum : tensor<2xf32>
      pop.copy_ %r, %new : !pop.ref<2xf32>, tensor<2xf32>
      return
    }
    ```
  }];
  let options = [
    ListOption<"variables", "variables", "std::string", VariableSelectors>,
    Option<"domain", "domain", "std::string", /*default=*/"",
           "groups of replicas (`#pop.replica_groups<...>`) over which a variable is "
           "divided; by default one group of all replicas">,
    Option<"minElements", "min-elements", "int64_t", /*default=*/"8192",
           "the fewest elements of a variable that a class selects">,
    Option<"exact", "exact", "bool", /*default=*/"false",
           "Change no order of sums">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def RemoteSetupPass : Pass<"pop-remote-setup", "::mlir::ModuleOp">, Contract {
  let summary = "Move variables to streaming memory";
  let preserves = !listremove(AllConditions, [NO_INPLACE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "RemoteSetup";
  let differs = "The pass also moves variables, which PopART marks before. Rows are "
                "attributes of the transfers, so that no argument has to be traced to "
                "them. Tensors are loaded again if others are used in between.";
  let tests = [
    "Dialect/Pop/Streaming/remote-setup.mlir",
    "Dialect/Pop/Streaming/remote-setup-invalid.mlir",
    "Integration/Streaming/train.test",
  ];
  let description = [{
    Moves variables from the tiles to rows of remote buffers. `variables` selects them as
    in `pop-shard-variables`. Variables of fewer than `min-elements` elements that a class
    selects stay on the chip, as do variables with other accesses than reads and
    writes of the whole tensor. If a name selects such a variable, this is an error.

    Variables share a buffer if they have the same type, virtual graph, class, groups
    and division over replicas. Their rows are in the order of the program. The buffer
    has the name of the first variable, after `remote_`.

    A `pop.read` becomes a `pop.remote_load`, directly before the first op that uses the
    tensor. A later op loads the tensor again if an op in between uses another variable of the
    class, or if it is in another stage or phase or has another `pop.training_role`. So the backward pass
    loads weights again, and they are not on the tiles in between. A
    write becomes a `pop.remote_store`, directly after the op that computes the tensor.
    Loads of states of optimizers with at most 8 ops in between become neighbours, and
    so do stores, so that `pop-merge-exchange` can merge those of one weight. No
    transfer moves past an access of the same variable. Other updates in place are
    separated into a read, the op, and a write.

    Before:
    ```mlir
    pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
    func.func @main(%g: tensor<4xf32>) {
      %r = pop.get_variable @w : !pop.ref<4xf32>
      pop.sub_ %r, %g : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    ```
    After `pop-remote-setup{variables=weights}`:
    ```mlir
    pop.remote_buffer @remote_w : 1 x tensor<4xf32>
    pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {buffer = @remote_w, row = 0 : i64}
    func.func @main(%g: tensor<4xf32>) {
      %w = pop.remote_load @remote_w[0] : tensor<4xf32>
      %new = pop.sub %w, %g : tensor<4xf32>
      pop.remote_store %new, @remote_w[0] : tensor<4xf32>
      return
    }
    ```
  }];
  let options = [
    ListOption<"variables", "variables", "std::string", VariableSelectors>,
    Option<"minElements", "min-elements", "int64_t", /*default=*/"2",
           "the fewest elements of a variable that a class selects">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StreamingMemoryPass
    : Pass<"pop-streaming-memory", "::mlir::ModuleOp">, Contract {
  let summary = "Execute a program in phases, and keep tensors in streaming memory";
  // Only the ops of one block have phases, and views are executed again.
  let preserves = !listremove(AllConditions, [EPHASE, SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "StreamingMemory";
  let differs = "Phases are found after differentiation, so that the fewest bytes are live "
                "between them, and need not be mirrored. `pop-remote-setup` moves variables, and "
                "`pop-shard-variables` divides them over replicas.";
  let tests = [
    "Dialect/Pop/Streaming/streaming-memory.mlir",
    "Dialect/Pop/Streaming/streaming-memory-invalid.mlir",
    "Integration/Streaming/train.test",
  ];
  let description = [{
    Divides the block with most ops, which is the body of the entry function or of one
    of its loops, into `phases` execution phases. The ops keep their order, and get the
    attribute `pop.phase`. The division minimizes the bytes of the tensors that are live
    between phases, as long as the tensors that a phase computes and loads have at most 5/4 of the
    bytes of the heaviest phase of an even division.

    With `activations`, a tensor of at least `min-elements` elements that a phase
    computes, and that is next needed neither in the same nor in the next phase, is in
    streaming memory in between: a `pop.remote_store` follows the op that computes it,
    and a `pop.remote_load` is in each phase that needs it, unless the phase before also
    needs it. Tensors of one type share a buffer, and their rows are used again.
    Reshapes and transposes are executed again in each phase. Tensors that are loaded or
    read from variables, carried by loops, or returned stay as they are.

    `schedule` gives the positions of the transfers of each phase whose rows are
    attributes, including those that `pop-remote-setup` created. With `early`, loads are
    at the beginning of the phase before: I/O tiles, if the transfers are on them,
    then load while this phase computes. No transfer moves past another access of its
    row, or past a call.

    Before:
    ```mlir
    func.func @main() {
      %x = pop.host_load @x : tensor<4xf32>
      %a = pop.exp %x : tensor<4xf32>
      %b = pop.sin %a : tensor<4xf32>
      %c = pop.cos %b : tensor<4xf32>
      %d = pop.mul %c, %a : tensor<4xf32>
      pop.host_store %d, @y : tensor<4xf32>
      return
    }
    ```
    After `pop-streaming-memory{phases=3 activations}`, without attributes:
    ```mlir
    pop.remote_buffer @remote_tensors : 1 x tensor<4xf32>
    func.func @main() {
      %x = pop.host_load @x : tensor<4xf32>
      %a = pop.exp %x : tensor<4xf32>
      pop.remote_store %a, @remote_tensors[0] : tensor<4xf32>
      %b = pop.sin %a : tensor<4xf32>
      %c = pop.cos %b : tensor<4xf32>
      %a2 = pop.remote_load @remote_tensors[0] : tensor<4xf32>
      %d = pop.mul %c, %a2 : tensor<4xf32>
      pop.host_store %d, @y : tensor<4xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"numPhases", "phases", "int64_t", /*default=*/"2",
           "number of execution phases">,
    Option<"activations", "activations", "bool", /*default=*/"false",
           "keep tensors in streaming memory that the next phase does not need">,
    Option<"minElements", "min-elements", "int64_t", /*default=*/"2",
           "the fewest elements of such a tensor">,
    Option<"schedule", "schedule", "::mlir::pop::StreamingSchedule",
           /*default=*/"::mlir::pop::StreamingSchedule::Interleaving",
           "positions of transfers",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::StreamingSchedule::Interleaving,
                        "interleaving", "next to the ops that use the tensors"),
             clEnumValN(::mlir::pop::StreamingSchedule::Batch, "batch",
                        "loads at the beginning of a phase, stores at its end"),
             clEnumValN(::mlir::pop::StreamingSchedule::BatchClusteredIO,
                        "batch-clustered-io",
                        "the same, with loads next to the stores of the phase "
                        "before"))}]>,
    Option<"early", "early", "bool", /*default=*/"false",
           "load at the beginning of the phase before">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_STREAMINGPASSES
