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
  let summary = "Attach on which replicas values are equal";
  let tests = [
    "Dialect/Pop/annotate-replica-equal.mlir",
    "Dialect/Pop/replica-equal-calls.mlir",
  ];
  let description = [{
    Gives each op that makes tensors `pop.replica_equal`, a partition of the
    replicas for each result (of a ref: for what it refers to at first); each op
    that gets tensors or refs `pop.replica_equal_operands`, a partition for each
    operand (of a ref: for what the op reads by it), but not what ends a region;
    and each op that may modify refs by its operands
    `pop.replica_equal_modified`, a partition for each of these, in order.
    Arguments of functions get `pop.replica_equal` as well. Attributes of these
    names are replaced. See docs/replica-equal.md.

    A function has one answer for all of its calls; where they pass what is equal
    on different replicas, a warning shows them. With `clone-callees` such a
    function is cloned for each combination of partitions of its arguments, unless
    it is used by more than calls or calls itself; at most 1024 clones are made.
    Variables of which the host reads one value for replicas that are not proven
    equal get a warning.

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
  let summary = "Print on which replicas values are equal";
  let tests = [
    "Dialect/Pop/replica-equal.mlir",
    "Dialect/Pop/replica-equal-explain.mlir",
  ];
  let description = [{
    Prints, for each function and op in order of the program, each result's
    partition and, after `modifies`, that of each ref operand which the op may
    modify: `all`, `none`, or classes such as `{0,1}{2,3}`. Of a ref it is that of
    what it refers to. After `from` is what it gets by each operand. Ops without
    any are left out, and so are terminators; ops are numbered in the order of
    their function. With `explain` a remark on each result and each modified ref
    that is not equal on all replicas says which op makes two of them differ, and
    which ops pass the difference on.
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0 for that of the module's target">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Remark on what is not equal, with the cause">,
  ];
}

def NumberDrawsPass : Pass<"pop-number-draws", "::mlir::ModuleOp">, Contract {
  let summary = "Number what is rounded with random bits";
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those of ops without a number">;
  let tests = [
    "Dialect/Pop/number-draws.mlir",
    "Dialect/Pop/number-draws-invalid.mlir",
  ];
  let description = [{
    In a module that rounds stochastically with generator `counter`, gives each op
    that may round and has no `pop.draw` the next number that no op has, in the order
    of the program. Whatever happens to the op afterwards, it draws the bits of its
    number: passes may split it, move it within its body, or merge it with others
    into one step. Numbers that are there stay, so that a transform which computes an
    op once more, or a user, can say which bits it gets.

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
    %0 = pop.exp %x {pop.draw = #pop.draw<0>} : tensor<2xf16>
    %1 = pop.mul %0, %x {pop.draw = #pop.draw<7>} : tensor<2xf16>
    pop.advance_draws
    return %1 : tensor<2xf16>
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
  let summary = "Choose which replicas share random bits of rounding";
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
    For a module with `pop.stochastic_rounding`, or with the options of that name,
    which set it, gives each op of a function that is no terminator a
    `pop.stochastic_rounding_method`: replicas draw the same random bits where the
    op's results and what it modifies are equal on them (of an op that makes
    nothing, what it gets), by the replica-equal analysis. So what is equal stays
    equal: weights that get equal updates do not drift apart, and gradients of
    different data get errors of their own. An op that has a method already keeps
    it, and what it makes is no more equal than its method.

    A function has one method for all of its calls: one that updates what is equal
    and is also called for what differs rounds both with differing seeds. With
    `only-warn`, before `pop-lower-calls`, the pass warns of such calls;
    `pop-annotate-replica-equal=clone-callees` takes them apart.

    Ops that may round and have no number of a draw get one, as by
    `pop-number-draws`.

    Does nothing for a module that rounds to nearest. Last in a pipeline: an op
    made afterwards has no method. The analysis is that of
    `pop-annotate-replica-equal`, which gives the same answers afterwards.

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
  let summary = "Check that all ops have seeds for rounding, or none";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-forced";
  let tests = [
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
    "Dialect/Pop/stochastic-rounding-control-invalid.mlir",
  ];
  let description = [{
    In a module with `pop.stochastic_rounding` each op of a function that is no
    terminator has a `pop.stochastic_rounding_method` for the replicas of the
    target; in any other module none has. The method of an op that rounds has no
    class of replicas which do not execute the op equally often, because a branch
    or a loop around it or around a call of its function is decided differently:
    their generators would no longer be in the same state. With generator `counter`
    each op that may round has a `pop.draw`; no other op has one, and none in a module
    that rounds to nearest.

    With `only-forced`, before methods are chosen, ops may still be without one:
    errors are then at the ops of the program rather than at each of those that
    they are lowered to.
  }];
  let options = [
    Option<"onlyForced", "only-forced", "bool", /*default=*/"false",
           "Check only ops that have a method">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_REPLICAPASSES
