//===- TrainingPasses.td - Losses, states and loops --------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that build a training program from a function that computes gradients.
// docs/training.md explains how they work together.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

/// The option that names the function that a pass changes.
def TrainedFunctionOption
    : Option<"function", "func", "std::string", /*default=*/"",
             "name of the function; by default the entry function">;

def AddLossPass : Pass<"pop-add-loss", "::mlir::ModuleOp">, Contract {
  let summary = "Add a loss to a function";
  let preserves = !listremove(AllConditions, [
    NO_IMPLICIT_COPY, EPHASE, BPHASE, HOST_IO_EXPLICIT, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there is "
                                "one more op">;
  let tests = [
    "Dialect/Pop/Training/add-loss.mlir",
    "Dialect/Pop/Training/add-loss-invalid.mlir",
  ];
  let description = [{
    Adds the loss of result `output` to function `func`. Except for the loss `identity`,
    the pass also adds an argument for the targets of the loss. If the function has one
    result, `output` may be absent. The losses `cross_entropy`, `nll` and
    `nll_of_probabilities` need labels as targets. Labels are integers, and their shape
    is the shape of the output without dimension 1. Each index of dimension 1 is a
    class. For other losses, the targets are the expected output. The loss becomes the
    first result, with the name `loss`. The output becomes the second result or, with
    `only-loss`, is removed. All other results are removed. The host gets the loss and
    the output for all parts of a batch (`pop.anchor`). With `own-batches`, each
    argument that has neither `pop.default` nor `pop.groups` is a part of the batch, and
    differs between replicas.

    The loss is the mean of the losses of a part of the batch. With `factor`, it is their
    sum, multiplied by an argument with this name, which is the same on all replicas. If
    this argument is the reciprocal of the number of labels that count in a whole batch,
    the losses of all parts add up to the mean for the whole batch.

    Positions whose label is `ignore-index`, or is not a class, do not count.
    `class-weights` has a number for each class, by which the losses of the labels of this
    class are multiplied.

    Before:
    ```mlir
    func.func @main(%x: tensor<8x4xf32> {pop.name = "x"})
        -> (tensor<8x4xf32> {pop.name = "y"}) {
      %0 = pop.tanh %x : tensor<8x4xf32>
      return %0 : tensor<8x4xf32>
    }
    ```
    After `pop-add-loss{loss=cross_entropy target=labels}`:
    ```mlir
    func.func @main(%x: tensor<8x4xf32> {pop.name = "x"},
                    %labels: tensor<8xi32> {pop.name = "labels"})
        -> (tensor<f32> {pop.anchor = #pop.anchor<all>, pop.name = "loss"},
            tensor<8x4xf32> {pop.anchor = #pop.anchor<all>, pop.name = "y"}) {
      %0 = pop.tanh %x : tensor<8x4xf32>
      %1 = pop.cross_entropy_loss mean %0, %labels
          : tensor<8x4xf32>, tensor<8xi32> -> tensor<f32>
      return %1, %0 : tensor<f32>, tensor<8x4xf32>
    }
    ```
  }];
  let options = [
    TrainedFunctionOption,
    Option<"loss", "loss", "::mlir::pop::LossKind",
           "::mlir::pop::LossKind::CrossEntropy", "the kind of loss",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::LossKind::L1, "l1", "absolute error"),
             clEnumValN(::mlir::pop::LossKind::L2, "l2", "squared error"),
             clEnumValN(::mlir::pop::LossKind::BinaryCrossEntropy,
                        "binary_cross_entropy",
                        "binary cross entropy of probabilities"),
             clEnumValN(::mlir::pop::LossKind::BinaryCrossEntropyOfLogits,
                        "binary_cross_entropy_of_logits",
                        "binary cross entropy of logits"),
             clEnumValN(::mlir::pop::LossKind::CrossEntropy, "cross_entropy",
                        "cross entropy of logits and labels"),
             clEnumValN(::mlir::pop::LossKind::Nll, "nll",
                        "negative log-likelihood of logarithms of probabilities and "
                        "labels"),
             clEnumValN(::mlir::pop::LossKind::NllOfProbabilities,
                        "nll_of_probabilities",
                        "negative log-likelihood of probabilities and labels"),
             clEnumValN(::mlir::pop::LossKind::Identity, "identity",
                        "the output is the loss"))}]>,
    Option<"output", "output", "std::string", /*default=*/"",
           "name of the result whose loss is computed">,
    Option<"target", "target", "std::string", "\"target\"",
           "name of the argument for the targets">,
    Option<"eachLoss", "each-loss", "bool", /*default=*/"false",
           "compute the loss of each position instead of the mean">,
    Option<"factor", "factor", "std::string", /*default=*/"",
           "name of an argument that multiplies the sum of the losses; without it, the "
           "loss is a mean">,
    Option<"ignoreIndex", "ignore-index", "int64_t", /*default=*/"-1",
           "label whose positions do not count">,
    ListOption<"classWeights", "class-weights", "double",
               "weights of the classes of labels (default: 1 for each class)">,
    Option<"onlyLoss", "only-loss", "bool", /*default=*/"false",
           "remove the output from the results">,
    Option<"ownBatches", "own-batches", "bool", /*default=*/"false",
           "give each replica its own part of the batch">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def NarrowFloatsPass : Pass<"pop-narrow-floats", "::mlir::ModuleOp">,
                       Contract {
  let summary = "Compute contractions, and elementwise ops on their results, in f16";
  let preserves = !listremove(AllConditions, Placement # [
    NO_IMPLICIT_COPY, BPHASE, SR_COMPLETE
  ]);
  let bitEffect = Reassociates<"f32 results, which are rounded to f16">;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "more ops">;
  let tests = [
    "Dialect/Pop/Training/narrow-floats.mlir",
    "Integration/Training/tutorial.test",
  ];
  let description = [{
    Changes f32 matrix products and convolutions in function `func` to take and return
    f16. Elementwise ops, maximum pools, and ops that only move elements also change
    under two conditions. At least one f32 operand of the op must be a result of a
    changed op. Each other f32 operand must be a result of a changed op, a constant, or
    a weight that the function reads. Other ops, such as reductions, softmax,
    normalizations and losses, stay in f32. Values are cast where the type changes.
    Arguments and results keep their types.

    With `functions`, softmax and batch normalizations of results of changed ops also take
    and return f16; statistics, scale and bias of a normalization stay in f32. Elementwise
    ops also change if their other f32 operands have fewer elements than the result, such
    as the mean of each row, unless only sums and means read the result. All softmax, gelu
    and batch normalizations of f16, also those that were in f16 before, get the attribute
    `compute = f16`.

    Weights stay in f32 and are cast where they are used, so that updates are not
    rounded to f16. With `weights`, a variable becomes f16 if `func` only reads the
    variable and no other function uses it. The initial value of the variable is then
    rounded to nearest.

    Before:
    ```mlir
    %0 = pop.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
    %1 = pop.relu %0 : tensor<2x4xf32>
    %2 = pop.softmax %1 {axis = 1 : i64} : tensor<2x4xf32>
    ```
    After:
    ```mlir
    %a = pop.cast %x : tensor<2x4xf32> to tensor<2x4xf16>
    %b = pop.cast %w : tensor<4x4xf32> to tensor<4x4xf16>
    %0 = pop.matmul %a, %b : (tensor<2x4xf16>, tensor<4x4xf16>) -> tensor<2x4xf16>
    %1 = pop.relu %0 : tensor<2x4xf16>
    %c = pop.cast %1 : tensor<2x4xf16> to tensor<2x4xf32>
    %2 = pop.softmax %c {axis = 1 : i64} : tensor<2x4xf32>
    ```
  }];
  let options = [
    TrainedFunctionOption,
    Option<"weights", "weights", "bool", /*default=*/"false",
           "also store weights in f16 if the function only reads them">,
    Option<"functions", "functions", "bool", /*default=*/"false",
           "also compute softmax, gelu and normalizations in f16">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def DisableDropoutPass
    : Pass<"pop-disable-dropout", "::mlir::ModuleOp">, Contract {
  let summary = "Remove dropouts";
  let preserves = AllConditions;
  let bitEffect = Reassociates<"results of dropouts, which become their inputs">;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/Training/disable-dropout.mlir",
    "Tools/ipu-train/dropout.test",
  ];
  let description = [{
    Replaces each `pop.dropout` by its input, for inference and validation. The pass
    does not erase the ops that computed the seeds. `pop-prune` erases these ops if they
    have no effects.

    Before:
    ```mlir
    %0 = pop.dropout %x, %seed, 0.1 : tensor<4xf16>, tensor<2xui32>
    %1 = pop.tanh %0 : tensor<4xf16>
    ```
    After:
    ```mlir
    %1 = pop.tanh %x : tensor<4xf16>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def DecomposeSumsPass : Pass<"pop-decompose-sums", "::mlir::ModuleOp">,
                        Contract {
  let summary = "Split sums into additions directly after the addends";
  let preserves = AllConditions;
  let bitEffect = Reassociates<"`pop.sum` of more than two tensors">;
  let drawEffect = ChangesDraws<"the draws of sums, which round once for each "
                                 "addition">;
  let original = "DecomposeGradSum";
  let differs = "The pass includes DecomposeSum. Gradients are values that depend on the "
                "loss scale, not values with certain names. A chain starts from its first "
                "addend, not from zeros.";
  let tests = [
    "Dialect/Pop/Training/decompose-sums.mlir",
    "Integration/Training/sums.test",
  ];
  let description = [{
    Replaces each `pop.sum` of more than two tensors by a chain of `pop.add`. Each
    addition comes directly after the op that computes its addend, so that the addend
    needs no memory afterwards. Addends are ordered by pipeline stage, then by execution
    phase, then by part of the batch, and then by the order of the program. Addends that
    are not results of ops come first. A missing attribute for the stage, the phase or
    the part comes before all values of this attribute. Additions have the placement of
    the sum.

    With `gradients-only`, the pass decomposes only sums that depend on a
    `pop.loss_scale` in the same function.

    Floats narrower than f32 are rounded after each addition instead of once.

    Before:
    ```mlir
    %0 = pop.tanh %x : tensor<4xf32>
    %1 = pop.exp %x : tensor<4xf32>
    %2 = pop.sqrt %x : tensor<4xf32>
    %3 = pop.sum %2, %0, %1 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.tanh %x : tensor<4xf32>
    %1 = pop.exp %x : tensor<4xf32>
    %2 = pop.add %0, %1 : tensor<4xf32>
    %3 = pop.sqrt %x : tensor<4xf32>
    %4 = pop.add %2, %3 : tensor<4xf32>
    ```
  }];
  let options = [
    Option<"gradientsOnly", "gradients-only", "bool", /*default=*/"false",
           "decompose only sums of gradients">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def InplaceAccumulatePass
    : Pass<"pop-inplace-accumulate", "::mlir::ModuleOp">, Contract {
  let summary = "Accumulate addends of a gradient in place";
  let preserves = AllConditions;
  let bitEffect = Reassociates<"the sum of an accumulator and the addends of a gradient">;
  let drawEffect = ChangesDraws<"the draws of accumulations that are split, because "
                                "each part rounds, and of ops without a number">;
  let original = "InplaceAccumulateGradPartialsIntoOptimizerAccumTensor";
  let differs = "The pass splits only `add`. PopART also splits sums of squares, "
                "although this changes the result. Sums need not start from zeros.";
  let tests = [
    "Dialect/Pop/Training/inplace-accumulate.mlir",
    "Integration/Training/sums.test",
  ];
  let description = [{
    If the value of a `pop.accumulate add` or `pop.accumulate_ add` is a tree of
    `pop.add` and `pop.sum`, the pass replaces the accumulation by one accumulation for
    each addend. Each new accumulation comes directly after the op that computes its
    addend. The sum of the addends then needs no memory. The order of the addends is the
    same as in `pop-decompose-sums`, and zeros are omitted.

    The ops of the tree must not broadcast operands. Outside of the tree, only the
    accumulation may use their results. The ops must be in the block of the
    accumulation, and must have the same execution context and virtual graph as the
    accumulation. The pass does not change a `pop.accumulate_` if an op between the
    first addend and the accumulation reads or writes the accumulator.

    Before:
    ```mlir
    %0 = pop.tanh %x : tensor<4xf32>
    %1 = pop.exp %x : tensor<4xf32>
    %2 = pop.add %0, %1 : tensor<4xf32>
    %3 = pop.accumulate add %a, %2 : tensor<4xf32>, tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.tanh %x : tensor<4xf32>
    %1 = pop.accumulate add %a, %0 : tensor<4xf32>, tensor<4xf32>
    %2 = pop.exp %x : tensor<4xf32>
    %3 = pop.accumulate add %1, %2 : tensor<4xf32>, tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StateToVariablesPass
    : Pass<"pop-state-to-variables", "::mlir::ModuleOp">, Contract {
  let summary = "Turn states of the entry function into variables";
  // An op may read a state of another IPU. The read of its variable then has no stage.
  let preserves = !listremove(AllConditions, [
    NO_INPLACE, NO_IMPLICIT_COPY, PSTAGE, EPHASE, BPHASE, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/Training/state-to-variables.mlir",
    "Dialect/Pop/Training/state-to-variables-invalid.mlir",
  ];
  let description = [{
    Replaces each argument of the entry function that a result updates (`pop.updates`)
    by a variable. The name of the variable is the argument's `pop.name`, and its
    initial value is the argument's `pop.default`. The variable is equal on the replicas
    of each group of `pop.groups`, or on all replicas if this attribute is absent. In
    the function, a `pop.read` of the variable replaces the argument. If the result is a
    `pop.accumulate` into the argument, a `pop.accumulate_` updates the variable.
    Otherwise, a `pop.copy_` at the end of the function updates the variable.

    Before:
    ```mlir
    func.func @main(%w: tensor<4xf32> {pop.default = dense<1.0> : tensor<4xf32>,
                                       pop.name = "w"}, %g: tensor<4xf32>)
        -> (tensor<4xf32> {pop.updates = #pop.graph_value<argument 0>}) {
      %0 = pop.sub %w, %g : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
    func.func @main(%g: tensor<4xf32>) {
      %r = pop.get_variable @w : !pop.ref<4xf32>
      %w = pop.read %r : !pop.ref<4xf32>
      %0 = pop.sub %w, %g : tensor<4xf32>
      pop.copy_ %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def VariablesToStatePass
    : Pass<"pop-variables-to-state", "::mlir::ModuleOp">, Contract {
  let summary = "Turn variables into arguments and results";
  let preserves = !listremove(AllConditions, Placement # [
    NO_IMPLICIT_COPY, BPHASE, HOST_IO_EXPLICIT, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/Training/state-to-variables.mlir",
    "Dialect/Pop/Training/variables-to-state.mlir",
  ];
  let description = [{
    The pass is the inverse of `pop-state-to-variables` and helps to inspect programs.
    It replaces a variable by an argument and by a result that updates this argument.
    Only the body of the entry function, outside of loops and branches, may use the
    variable. Each op that uses the variable must read, write or accumulate the whole
    variable. For each variable that the pass does not replace, a remark gives the
    reason.

    Before:
    ```mlir
    pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
    func.func @main(%g: tensor<4xf32>) {
      %r = pop.get_variable @w : !pop.ref<4xf32>
      %w = pop.read %r : !pop.ref<4xf32>
      %0 = pop.sub %w, %g : tensor<4xf32>
      pop.copy_ %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    ```
    After:
    ```mlir
    func.func @main(%g: tensor<4xf32>, %w: tensor<4xf32> {pop.default = dense<1.0> : tensor<4xf32>, pop.name = "w"})
        -> (tensor<4xf32> {pop.name = "Updated___w", pop.updates = #pop.graph_value<argument 1>}) {
      %0 = pop.sub %w, %g : tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def MainLoopsPass : Pass<"pop-main-loops", "::mlir::ModuleOp">, Contract {
  let summary = "Wrap the program in loops over batches and micro-batches";
  let guarantees = [LOOPS_EXPLICIT];
  let preserves = !listremove(AllConditions, [
    EPHASE, BPHASE, NO_IMPLICIT_COPY, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "MainLoops";
  let differs = "An anchor may select every Nth value. States are in variables, so that "
                "loops carry only anchors. Each stream has its own number of transfers.";
  let tests = [
    "Dialect/Pop/Training/main-loops.mlir",
    "Dialect/Pop/Training/main-loops-invalid.mlir",
    "Dialect/Pop/Training/main-loops-settings.mlir",
    "Integration/Training/measures.test",
    "Integration/Training/optimizers.test",
  ];
  let description = [{
    Wraps the body of the entry function in a loop over `batches-per-step` batches.
    There is one update for each batch. In this loop, a second loop over
    `accumulation-factor` parts of the batch (micro-batches) contains the ops that are
    executed for each part. The execution context of an op (`pop.execution_context`),
    and not its position, determines when the op is executed:

    | context | the op is executed |
    | --- | --- |
    | `weights_from_host` | before the loops, when weights are loaded: see `pop-weights-from-host` |
    | `optimizer_from_host` | for each batch, before its parts |
    | none, `normal`, `subgraph` | for each part |
    | `accumulate_outer` | for each batch, after its parts |
    | `weights_to_host` | after the loops |

    The attribute `transfers` of a stream is the number of tensors that the stream
    moves. If the loads or stores of the stream are in a loop, the pass multiplies this
    number by the number of times that the body of this loop is executed. If a result is
    computed in a loop, `pop.anchor` selects the values that the host gets. For the
    anchors `sum` and `final`, the loops carry the value and return it. For the anchors
    `all` and `every`, an op in the loop stores the value to a stream with the name of
    the result.

    It is an error if an op uses a value that is computed in another context; such
    values must be in variables. There are two exceptions. Ops of all contexts may use
    constants and values of `weights_from_host`. Ops in the two loops may use values of
    `optimizer_from_host`.

    Before:
    ```mlir
    func.func @main() -> (tensor<f32> {pop.anchor = #pop.anchor<sum>}) {
      %x = pop.host_load @x : tensor<4xf32>
      %a = pop.get_variable @Accum___w : !pop.ref<4xf32>
      pop.add_ %a, %x : !pop.ref<4xf32>, tensor<4xf32>
      %l = pop.reduce sum %x {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
      %w = pop.get_variable @w {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<4xf32>
      %r = pop.read %a {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<4xf32>
      pop.sub_ %w, %r {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<4xf32>, tensor<4xf32>
      return %l : tensor<f32>
    }
    ```
    After `pop-main-loops{batches-per-step=2 accumulation-factor=3}`:
    ```mlir
    func.func @main() -> tensor<f32> {
      %a = pop.get_variable @Accum___w : !pop.ref<4xf32>
      %w = pop.get_variable @w : !pop.ref<4xf32>
      %zero = pop.constant dense<0.0> : tensor<f32>
      %sum = scf.for %i = %c0 to %c2 step %c1 iter_args(%s = %zero) -> (tensor<f32>) {
        %inner = scf.for %j = %c0 to %c3 step %c1 iter_args(%t = %s) -> (tensor<f32>) {
          %x = pop.host_load @x : tensor<4xf32>
          pop.add_ %a, %x : !pop.ref<4xf32>, tensor<4xf32>
          %l = pop.reduce sum %x {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
          %next = pop.add %t, %l : tensor<f32>
          scf.yield %next : tensor<f32>
        }
        %r = pop.read %a : !pop.ref<4xf32>
        pop.sub_ %w, %r : !pop.ref<4xf32>, tensor<4xf32>
        scf.yield %inner : tensor<f32>
      }
      return %sum : tensor<f32>
    }
    ```
  }];
  let options = [
    Option<"batchesPerStep", "batches-per-step", "int64_t", /*default=*/"1",
           "number of batches in a run; each batch has one update">,
    Option<"accumulationFactor", "accumulation-factor", "int64_t",
           /*default=*/"1", "number of parts into which each batch is divided">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGPASSES
