//===- ReplicaPasses.td - Passes on replicas and rounding --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that ask what is equal on replicas, and those that choose the random
// bits of stochastic rounding.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_REPLICAPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_REPLICAPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def AnnotateReplicaEqualPass
    : Pass<"pop-annotate-replica-equal", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Annotate ops with the replicas on which results are equal";
  let tests = [
    "Dialect/Pop/annotate-replica-equal.mlir",
    "Dialect/Pop/replica-equal-calls.mlir",
  ];
  let description = [{
    Runs the replica-equal analysis and attaches its results, as partitions of
    the replicas. `pop.replica_equal` of an op has a partition for each result
    (for a ref: of the tensor that it refers to at first), and arguments of
    functions have one, too. `pop.replica_equal_operands` has a partition for
    each operand (for a ref: of what the op reads by it); terminators have none.
    `pop.replica_equal_modified` has a partition for each ref operand that the
    op may modify, in order. Attributes of these names are replaced. See
    docs/replica-equal.md.

    The analysis has one result for all calls of a function. If calls pass
    values that are equal on different replicas, the pass warns of them. With
    `clone-callees` it clones such a function for each combination of partitions
    of its arguments, unless the function has uses other than calls or calls
    itself; it makes at most 1024 clones. The pass warns of variables of which
    the host reads one value for replicas that are not proven equal.

    Fails if groups of replicas do not fit the number of replicas.

    Before:
    ```mlir
    pop.stream @x host_to_device : tensor<2xf32>
    func.func @main() {
      %x = pop.host_load @x : tensor<2xf32>
      %y = pop.all_reduce add %x : tensor<2xf32>
      return
    }
    ```
    After, with `replicas=2`:
    ```mlir
    pop.stream @x host_to_device : tensor<2xf32>
    func.func @main() {
      %x = pop.host_load @x {pop.replica_equal = [#pop.replica_partition<none of 2>]} : tensor<2xf32>
      %y = pop.all_reduce add %x {pop.replica_equal = [#pop.replica_partition<all of 2>], pop.replica_equal_operands = [#pop.replica_partition<none of 2>]} : tensor<2xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0 for that of the module's target">,
    Option<"cloneCallees", "clone-callees", "bool", /*default=*/"false",
           "Clone functions whose calls disagree on what is equal">,
    Option<"fold", "fold", "bool", /*default=*/"true",
           "Know what ops fold to, rather than take them to compute anything">,
    Option<"onlyReplicated", "only-replicated", "bool", /*default=*/"false",
           "Do nothing if there is one replica">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def PrintReplicaEqualPass
    : Pass<"pop-print-replica-equal", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Print the replicas on which values are equal";
  let tests = [
    "Dialect/Pop/replica-equal.mlir",
    "Dialect/Pop/replica-equal-explain.mlir",
  ];
  let description = [{
    Prints, for each function and op in order of the program, each result's
    partition and, after `modifies`, the partition of each ref operand that the
    op may modify: `all`, `none`, or classes such as `{0,1}{2,3}`. The partition
    of a ref is that of the tensor that it refers to. After `from` are the
    partitions of the operands. Terminators, and ops without partitions, are
    left out; ops are numbered in the order of their function. With `explain` a
    remark on each result and each modified ref that is not equal on all
    replicas says which op makes two of them differ, and which ops pass the
    difference on.
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0 for that of the module's target">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Remark on what is not equal, with the cause">,
  ];
}

def NumberDrawsPass : Pass<"pop-number-draws", "::mlir::ModuleOp">, Contract {
  let summary = "Number ops that draw random bits for rounding";
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those of ops without a number">;
  let tests = [
    "Dialect/Pop/number-draws.mlir",
    "Dialect/Pop/number-draws-invalid.mlir",
  ];
  let description = [{
    In a module with stochastic rounding and generator `counter`, gives each op
    that may round and has no `pop.draw` the next unused number, in the order of
    the program. The op then draws the bits of its number even if passes split
    it, move it within its body, or merge it with other ops into one step.
    Existing numbers stay, so that users, and transforms that recompute an op,
    can choose its bits.

    Each function and loop body that draws and has no `pop.advance_draws` ends with
    one, so that it draws other bits when it is executed again. What transforms do to
    numbers is in docs/stochastic-rounding.md.

    Does nothing to other modules.

    Before:
    ```mlir
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
      func.func @main(%x: tensor<2xf16>) -> tensor<2xf16> {
        %0 = pop.exp %x : tensor<2xf16>
        %1 = pop.mul %0, %x {pop.draw = #pop.draw<7>} : tensor<2xf16>
        return %1 : tensor<2xf16>
      }
    }
    ```
    After:
    ```mlir
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
      func.func @main(%x: tensor<2xf16>) -> tensor<2xf16> {
        %0 = pop.exp %x {pop.draw = #pop.draw<0>} : tensor<2xf16>
        %1 = pop.mul %0, %x {pop.draw = #pop.draw<7>} : tensor<2xf16>
        pop.advance_draws
        return %1 : tensor<2xf16>
      }
    }
    ```
  }];
  let options = [
    Option<"first", "first", "int64_t", /*default=*/"0",
           "The least number to give">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StochasticRoundingPass
    : Pass<"pop-stochastic-rounding", "::mlir::ModuleOp">, Contract {
  let summary = "Choose rounding methods";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-warn";
  // With `generator` it makes a module round stochastically.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"which replicas draw the same bits">;
  let original = "StochasticRounding";
  let differs =
      "Groups of replicas may be equal, not only all; a program may force "
      "methods; random bits may follow from numbers of ops instead of from "
      "generators with a state.";
  let tests = [
    "Dialect/Pop/stochastic-rounding.mlir",
    "Dialect/Pop/stochastic-rounding-options.mlir",
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
  ];
  let description = [{
    Gives each op of a function, except terminators, a
    `pop.stochastic_rounding_method` if the module has
    `pop.stochastic_rounding`, which options can also set. By the replica-equal
    analysis, replicas draw the same random bits if the op's results, and what
    it modifies, are equal on them (for an op without results and effects: its
    operands). So equal values stay equal: weights with equal updates do not
    drift apart, and gradients of different data get independent errors. An op
    that has a method keeps it, and its results are equal at most on the classes
    of its method. The ops of a function have one method for all of its calls: a
    function that is called both for values that are equal on all replicas and
    for values that differ rounds both with differing seeds. With `only-warn`,
    before `pop-lower-calls`, the pass warns of such calls;
    `pop-annotate-replica-equal=clone-callees` clones the function for them. Ops
    that may round and have no `pop.draw` get one, as by `pop-number-draws`.

    Does nothing for a module that rounds to nearest. The pass comes last in a
    pipeline, because ops that are created afterwards have no method.
    `pop-annotate-replica-equal` uses the same analysis and agrees with the
    methods.

    Before, with two replicas:
    ```mlir
    module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
      func.func @main() {
        %x = pop.host_load @x : tensor<2xf16>
        %g = pop.all_reduce mean %x : tensor<2xf16>
        return
      }
    }
    ```
    After:
    ```mlir
    %x = pop.host_load @x {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : tensor<2xf16>
    %g = pop.all_reduce mean %x {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 2>} : tensor<2xf16>
    ```
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0 for that of the module's target">,
    Option<"generator", "generator", "std::string", /*default=*/"\"\"",
           "'counter' or 'stream': round stochastically, whatever the module "
           "says">,
    Option<"overflow", "overflow", "std::string", /*default=*/"\"nan\"",
           "With a generator, what becomes of numbers that are too large: 'nan' "
           "or 'clip'">,
    Option<"onlyWarn", "only-warn", "bool", /*default=*/"false",
           "Give no methods, but warn where calls of a function disagree on what "
           "is equal">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def VerifyStochasticRoundingPass
    : Pass<"pop-verify-stochastic-rounding", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify that all ops have rounding methods, or none";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-forced";
  let tests = [
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
    "Dialect/Pop/stochastic-rounding-control-invalid.mlir",
  ];
  let description = [{
    Checks that, in a module with `pop.stochastic_rounding`, each op of a
    function except terminators has a `pop.stochastic_rounding_method` for the
    replicas of the target, and that in any other module none has. All replicas
    of a class of a rounding op's method must execute the op equally often;
    control flow around the op, or around a call of its function, must not
    differ on them, since their RNG states would then differ. With generator
    `counter` each op that may round must have a `pop.draw`; no other op may
    have one.

    With `only-forced`, which is for use before methods are chosen, ops may have
    none: errors are then at the ops of the program rather than at each op that
    they are lowered to.
  }];
  let options = [
    Option<"onlyForced", "only-forced", "bool", /*default=*/"false",
           "Check only ops that have a method">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_REPLICAPASSES
