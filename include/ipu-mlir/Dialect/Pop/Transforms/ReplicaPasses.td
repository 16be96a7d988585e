//===- ReplicaPasses.td - Passes on replicas and rounding --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that use the replica-equal analysis, and those that choose the random bits
// of stochastic rounding.
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
    Runs the replica-equal analysis and attaches its results as partitions of the
    replicas:
    - `pop.replica_equal` of an op has a partition for each result. If the result is a
      ref, the partition is that of its tensor after the op. Arguments of functions have
      this attribute, too.
    - `pop.replica_equal_operands` has a partition for each operand. If the operand is a
      ref, the partition is that of the tensor that the op reads by it. Terminators do
      not have this attribute.
    - `pop.replica_equal_modified` has a partition for each ref operand that the op may
      modify, in order.

    Existing attributes with these names are replaced. See docs/replica-equal.md.

    The analysis has one result for all calls of a function. The pass warns if two
    calls pass values whose partitions differ. With `clone-callees` it clones such a
    function for each combination of partitions of its arguments, unless the function
    calls itself or has uses other than calls. It creates at most 1024 clones. The pass
    also warns if the host reads one value of a variable for several replicas that are not
    proven equal.

    It is an error if groups of replicas do not fit the number of replicas.

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
           "Number of replicas; 0: that of the module's target">,
    Option<"cloneCallees", "clone-callees", "bool", /*default=*/"false",
           "Clone functions whose calls pass values with different partitions">,
    Option<"fold", "fold", "bool", /*default=*/"true",
           "Use the constants that ops fold to">,
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
    Prints the partitions of each function and op, in the order of the program. A line has
    the partition of each result and, after `modifies`, that of each ref operand that the
    op may modify. After `from` it has the partitions of the operands. A partition is
    printed as `all`, `none`, or classes such as `{0,1}{2,3}`. The partition of a ref is
    that of its tensor. Terminators and ops without partitions are omitted. Ops are
    numbered in the order of their function.

    With `explain` the pass emits a remark for each result and each modified ref that is
    not equal on all replicas. The remark names the op that makes two of them differ, and
    the ops that pass the difference on.
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0: that of the module's target">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Emit remarks on values that are not equal, with the cause">,
  ];
}

def NumberDrawsPass : Pass<"pop-number-draws", "::mlir::ModuleOp">, Contract {
  let summary = "Number ops that draw random bits for rounding";
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number">;
  let tests = [
    "Dialect/Pop/number-draws.mlir",
    "Dialect/Pop/number-draws-invalid.mlir",
  ];
  let description = [{
    Gives each op that may round and has no `pop.draw` the next unused number, in the order
    of the program. The pass changes only modules with stochastic rounding and the
    generator `counter`. An op draws the bits of its number even if passes split it, move
    it within its body, or merge it with other ops into one step. Existing numbers do not
    change, so that users, and transforms that recompute an op, can choose its bits.

    The pass also adds a `pop.advance_draws` to the end of each function and loop body that
    draws and has none, so that it draws other bits when it is executed again.
    docs/stochastic-rounding.md explains the effect of transforms on numbers.

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
           "Smallest number that the pass assigns">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StochasticRoundingPass
    : Pass<"pop-stochastic-rounding", "::mlir::ModuleOp">, Contract {
  let summary = "Choose rounding methods";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-warn";
  // The option `generator` enables stochastic rounding for a module.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"which replicas draw the same bits">;
  let original = "StochasticRounding";
  let differs =
      "The methods distinguish groups of replicas, not only all replicas. A program may "
      "force methods. Random bits may be functions of numbers of ops instead of RNG "
      "states.";
  let tests = [
    "Dialect/Pop/stochastic-rounding.mlir",
    "Dialect/Pop/stochastic-rounding-options.mlir",
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
  ];
  let description = [{
    Gives each op of a function, except terminators, a
    `pop.stochastic_rounding_method` if the module has `pop.stochastic_rounding`. Options
    can also set this attribute. Two replicas draw the same random bits for an op if,
    according to the replica-equal analysis, the op's results and the memory that it
    modifies are equal on them. For an op without results and effects, its operands must
    be equal. In this way equal values stay equal: weights with equal updates do not drift
    apart, and gradients of different data get independent errors.

    An op that already has a method keeps it, and its results are equal at most on the
    classes of this method. An op of a function has one method for all calls of the
    function. If a function is called both for values that are equal on all replicas and
    for values that differ, it rounds both with differing seeds. With `only-warn`, before
    `pop-lower-calls`, the pass warns of such calls;
    `pop-annotate-replica-equal=clone-callees` clones the function for them. Ops that may
    round and have no `pop.draw` get one, as by `pop-number-draws`.

    The pass does nothing in a module that rounds to nearest. It should be the last pass on
    pop, because ops that later passes create have no method.
    `pop-annotate-replica-equal` uses the same analysis and takes the methods into account.

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
           "Number of replicas; 0: that of the module's target">,
    Option<"generator", "generator", "std::string", /*default=*/"\"\"",
           "'counter' or 'stream': enable stochastic rounding with this generator, in "
           "place of the module's attribute">,
    Option<"overflow", "overflow", "std::string", /*default=*/"\"nan\"",
           "Result of an overflow if 'generator' is set: 'nan' or 'clip'">,
    Option<"onlyWarn", "only-warn", "bool", /*default=*/"false",
           "Choose no methods, but warn of functions whose calls pass values equal on "
           "different replicas">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def VerifyStochasticRoundingPass
    : Pass<"pop-verify-stochastic-rounding", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Verify the rounding methods of all ops";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-forced";
  let tests = [
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
    "Dialect/Pop/stochastic-rounding-control-invalid.mlir",
  ];
  let description = [{
    Checks that, in a module with `pop.stochastic_rounding`, each op of a function except
    terminators has a `pop.stochastic_rounding_method` for the replicas of the target, and
    that no op has one in any other module.

    All replicas in a class of a rounding op's method must execute the op equally often,
    because otherwise their RNG states would differ. Control flow around the op, or around
    a call of its function, must therefore be equal on them. With the generator `counter`
    each op that may round must have a `pop.draw`, and no other op may have one.

    With `only-forced` ops may have no method. This is for use before methods are chosen:
    errors are then at the ops of the program, and not at each op that they are lowered to.
  }];
  let options = [
    Option<"onlyForced", "only-forced", "bool", /*default=*/"false",
           "Check only ops that have a method">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_REPLICAPASSES
