//===- ReplicaPasses.td - Passes on replicas and rounding --*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that use the replica-equal analysis, and the passes that choose the random
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
    Runs the replica-equal analysis, which computes partitions of the replicas into
    equality classes. The pass attaches these partitions as attributes:
    - `pop.replica_equal` of an op has a partition for each result. If the result is a
      ref, the partition describes the tensor of the ref after the op. Arguments of
      functions also have this attribute.
    - `pop.replica_equal_operands` has a partition for each operand. If the operand is a
      ref, the partition describes the tensor that the op reads through the ref.
      Terminators do not have this attribute.
    - `pop.replica_equal_modified` has a partition for each ref operand that the op may
      modify, in the order of the operands.

    Existing attributes with these names are replaced. See docs/replica-equal.md.

    For each value of a function, the analysis computes one partition, which holds for
    all calls of the function. The pass warns if two calls of a function pass values
    whose partitions differ. With `clone-callees`, the pass clones such a function for
    each combination of partitions that its calls pass. The pass creates at most 1024
    clones. It does not clone functions that call themselves, or functions that have
    uses other than calls. The pass also warns if the host reads only one value of a
    variable for several replicas, but the analysis does not prove that the variable is
    equal on these replicas.

    It is an error if the replicas cannot be divided into the replica groups of an op,
    for example because the number of replicas is not a multiple of the group size.

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
           "Number of replicas; 0: the number of replicas of the module's target">,
    Option<"cloneCallees", "clone-callees", "bool", /*default=*/"false",
           "Clone functions whose calls pass values with different partitions">,
    Option<"fold", "fold", "bool", /*default=*/"true",
           "Replace ops in the analysis by the constants to which they can be folded">,
    Option<"onlyReplicated", "only-replicated", "bool", /*default=*/"false",
           "Do nothing if there is only one replica">,
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
    Prints the partitions of each function and op, in the order of the program. The line
    of an op begins with the partitions of the results. The partitions of ref operands
    that the op may modify follow after the word `modifies`, and the partitions of all
    operands follow after the word `from`. A partition is printed as `all`, `none`, or
    equality classes such as `{0,1}{2,3}`. The partition of a ref describes the tensor
    of the ref. Terminators and ops without partitions are omitted. The ops of each
    function are numbered from 0, in the order of the program.

    With `explain` the pass emits a remark for each result and each modified ref that is
    not equal on all replicas. The remark names the op that makes the values of two
    replicas differ, and the ops that propagate the difference.
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0: the number of replicas of the module's target">,
    Option<"explain", "explain", "bool", /*default=*/"false",
           "Emit a remark with the cause for each value that is not equal on all replicas">,
  ];
}

def SeparateVariablesPass
    : Pass<"pop-separate-variables", "::mlir::ModuleOp">, KeepsAll {
  let summary = "Give each replica its own value of variables that may differ between "
                "replicas";
  let tests = ["Dialect/Pop/separate-variables.mlir"];
  let description = [{
    For each variable, the host writes one value to each group of replicas. If the
    replica-equal analysis does not prove that a variable stays equal on all replicas of
    a group, the pass gives the variable `groups` of one replica each. The host then
    reads and writes the values of all replicas. The variable starts with the same value
    on all replicas, as before. Variables with `sharding` keep their groups, even if the
    values in a group may become different. Variables with several groups also keep
    their groups, with one exception: if the host reads the values of all replicas
    (`retrieval` is `all_replicas`), and all groups have one common initial value, the
    pass changes the variable as described above. `ipu-train` runs this pass, so that a
    checkpoint has, for example, the statistics of a BatchNormalization on all replicas.

    Before:
    ```mlir
    pop.stream @x host_to_device : tensor<2xf32>
    pop.variable @v : tensor<2xf32> = dense<0.0> : tensor<2xf32>
    func.func @main() {
      %x = pop.host_load @x : tensor<2xf32>
      %v = pop.get_variable @v : !pop.ref<2xf32>
      pop.add_ %v, %x : !pop.ref<2xf32>, tensor<2xf32>
      return
    }
    ```
    After, with `replicas=2`:
    ```mlir
    pop.stream @x host_to_device : tensor<2xf32>
    pop.variable @v : tensor<2xf32> = dense<0.0> : tensor<2xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
    func.func @main() {
      %x = pop.host_load @x : tensor<2xf32>
      %v = pop.get_variable @v : !pop.ref<2xf32>
      pop.add_ %v, %x : !pop.ref<2xf32>, tensor<2xf32>
      return
    }
    ```
  }];
  let options = [
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "Number of replicas; 0: the number of replicas of the module's target">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def NumberDrawsPass : Pass<"pop-number-draws", "::mlir::ModuleOp">, Contract {
  let summary = "Number ops that draw random bits for rounding";
  // The option `generator` enables stochastic rounding for a module.
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number">;
  let tests = [
    "Dialect/Pop/number-draws.mlir",
    "Dialect/Pop/number-draws-options.mlir",
    "Dialect/Pop/number-draws-invalid.mlir",
  ];
  let description = [{
    In the order of the program, each op that may round and has no `pop.draw` gets a
    `pop.draw` with the next unused number. Ops of a block that compute the same get one
    number, so that merging them changes no bit. If one of them already has a number,
    they get this number. Ops of equal functions get equal numbers, too. Ops may be equal
    on different IPUs or tile sets, so that placement changes no bit. The pass numbers
    draws only in modules with stochastic rounding and the generator `counter`. The
    options `generator` and `overflow` can set the module's attribute
    `pop.stochastic_rounding`, which enables stochastic rounding. The number determines
    the bits that an op draws, even if passes split the op, move it within its function or
    loop body, or merge it with other ops into one step. The pass
    does not change existing numbers. Users, and transforms that recompute an op, can
    therefore choose the bits that an op draws.

    The pass also adds a `pop.advance_draws` to the end of each function and loop body
    that draws random bits and has no `pop.advance_draws` yet. The function or loop body
    then draws other bits when it is executed again. docs/stochastic-rounding.md
    explains the effect of transforms on numbers.

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
    Option<"generator", "generator", "std::string", /*default=*/"\"\"",
           "'counter' or 'stream': enable stochastic rounding with this generator, in "
           "place of the module's attribute">,
    Option<"overflow", "overflow", "std::string", /*default=*/"\"\"",
           "Result of an overflow if 'generator' is set: 'nan' or 'clip'; by default that "
           "of the module's attribute, or 'nan'">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StochasticRoundingPass
    : Pass<"pop-stochastic-rounding", "::mlir::ModuleOp">, Contract {
  let summary = "Choose rounding methods";
  let guarantees = [SR_COMPLETE];
  let guaranteesUnless = "only-warn";
  let preserves = !listremove(AllConditions, [SR_COMPLETE]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"which replicas draw the same bits">;
  let original = "StochasticRounding";
  let differs =
      "A method may hold for groups of replicas, not only for all replicas. A program "
      "may specify methods. With the generator `counter`, random bits also depend on the "
      "number of the op.";
  let tests = [
    "Dialect/Pop/stochastic-rounding.mlir",
    "Dialect/Pop/stochastic-rounding-invalid.mlir",
  ];
  let description = [{
    If the module has the attribute `pop.stochastic_rounding`, the pass gives each op of
    a function, except terminators, a `pop.stochastic_rounding_method`. The
    replica-equal analysis determines the methods. Two replicas draw the same random
    bits for an op if the op's results, and the memory that the op modifies, are equal
    on both replicas. If the op has neither results nor effects, the operands must be
    equal instead. Equal values therefore stay equal. For example, weights that are
    equal on two replicas and get equal updates stay equal. Gradients of different data
    get independent rounding errors.

    An op that already has a method keeps this method. The analysis then treats the
    results of the op as equal only within the equality classes of the method. An op in
    the body of a function has the same method in all calls of the function. If some
    calls pass values that are equal on all replicas, and other calls pass values that
    differ, the function rounds with differing seeds in all calls. With `only-warn`, the
    pass warns of functions with such calls. `pop-annotate-replica-equal=clone-callees`
    clones these functions. To get the warnings, run the pass before `pop-lower-calls`,
    which removes the arguments of functions that are called. As in
    `pop-number-draws`, each op that may round and has no `pop.draw` gets a `pop.draw`.

    The pass does nothing in a module that rounds to nearest. It should be the last pass
    on `pop`, because ops that later passes create have no method.
    `pop-annotate-replica-equal` uses the same analysis and takes the methods into
    account.

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
           "Number of replicas; 0: the number of replicas of the module's target">,
    Option<"onlyWarn", "only-warn", "bool", /*default=*/"false",
           "Choose no methods, but warn of functions whose calls pass values with "
           "different partitions">,
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
    In a module with `pop.stochastic_rounding`, each op of a function, except
    terminators, must have a `pop.stochastic_rounding_method` for the replicas of the
    target. In any other module, no op may have this attribute.

    If an op rounds, its method divides the replicas into equality classes. Replicas of
    one equality class have equal RNG states. They must execute the op equally often,
    because otherwise their RNG states would differ. Branches and loops around the op,
    or around a call of its function, must therefore take the same path on these
    replicas. With the generator `counter`, each op that may round must have a
    `pop.draw`, and no other op may have a `pop.draw`.

    With `only-forced`, the pass accepts ops without a method. Use this option before
    methods are chosen. The pass then reports errors at the ops of the program instead
    of at each op to which these ops are lowered.
  }];
  let options = [
    Option<"onlyForced", "only-forced", "bool", /*default=*/"false",
           "Check only ops that have a method">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_REPLICAPASSES
