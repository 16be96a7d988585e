//===- TrainingPasses.td - Optimizers, states and loops -----*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that make a training program of a function that computes gradients.
// docs/training.md says how they work together.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGPASSES

include "ipu-mlir/Dialect/Pop/Transforms/Contracts.td"
include "mlir/Pass/PassBase.td"

def AddOptimizerPass : Pass<"pop-add-optimizer", "::mlir::ModuleOp">, Contract {
  let summary = "Update weights by the gradients that a function returns";
  // Updates are where gradients are, which may be on another virtual graph than
  // the number of updates or a setting.
  let preserves = !listremove(AllConditions, Placement # [
    NO_INPLACE, NO_IMPLICIT_COPY, HOST_IO_EXPLICIT, LOOPS_EXPLICIT, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/Training/add-optimizer.mlir",
    "Dialect/Pop/Training/add-optimizer-accumulate.mlir",
    "Dialect/Pop/Training/add-optimizer-invalid.mlir",
    "Dialect/Pop/Training/add-optimizer-options-invalid.mlir",
    "Dialect/Pop/Training/differentiated.mlir",
    "Dialect/Pop/Training/initial-states.mlir",
  ];
  let description = [{
    A result of function `func` that is a gradient (`pop.gradient_of`) becomes the
    weight after an update by it. The optimizer is the attribute `pop.optimizer` of
    the weight (an argument or a variable), else of the function, else the option.

    What the optimizer keeps for an argument is an argument and a result more, and
    the result of each says which argument it updates (`pop.updates`); both have the
    virtual graph of the weight. For a variable it is a variable with the same
    groups of replicas. States start from zero, but the velocity of `sgd1` with
    weight decay and weights kept in a wider type: these start from the weight's
    value (`pop.default` of an argument).

    A setting that is a stream (`lr = @lr`) is loaded from the host once for each
    update. One that is a schedule is computed from the number of updates, which is
    a state of the function.

    With `accumulation-factor` above 1 gradients are added to accumulators, which
    are states, too. What follows that is done once for so many parts of the batch
    (execution context `accumulate_outer`), until `pop-main-loops` makes the loops.
    `sgd1` adds to its velocity.

    Gradients of replicas are combined by `reduce`: each gradient, or the
    accumulator, or neither; over the replicas that have equal weights. `reduction`
    says whether parts of the batch and replicas are added or averaged; a `running`
    mean of parts never exceeds the gradients, while a `post` mean divides at the
    end.

    If the optimizer has a `loss_scale` that is not 1, ops with `pop.loss_scale`,
    which `pop-autodiff` makes, give that instead of ones.

    Before:
    ```mlir
    func.func @main(%w: tensor<4xf32> {pop.name = "w"}, %g: tensor<4xf32>)
        -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<argument 0>}) {
      return %g : tensor<4xf32>
    }
    ```
    After `pop-add-optimizer{optimizer="#pop.optimizer<sgd2, momentum = 0.9>"}`:
    ```mlir
    func.func @main(%w: tensor<4xf32> {pop.name = "w"}, %g: tensor<4xf32>,
                    %v: tensor<4xf32> {pop.default = dense<0.0> : tensor<4xf32>,
                                       pop.name = "Accl___w"})
        -> (tensor<4xf32> {pop.name = "Updated___w",
                           pop.updates = #pop.graph_value<argument 0>},
            tensor<4xf32> {pop.name = "Updated___Accl___w",
                           pop.updates = #pop.graph_value<argument 2>}) {
      %0, %1 = pop.optimizer_step <sgd2, momentum = 0.9> %w, %g state(%v)
          : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
          -> (tensor<4xf32>, tensor<4xf32>)
      return %0, %1 : tensor<4xf32>, tensor<4xf32>
    }
    ```
  }];
  let options = [
    Option<"function", "func", "std::string", /*default=*/"",
           "name of the function; the entry function if it is absent">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"",
           "optimizer of weights that have none, a '#pop.optimizer<...>'">,
    Option<"accumulationFactor", "accumulation-factor", "int64_t",
           /*default=*/"1", "parts of the batch for each update">,
    Option<"reduce", "reduce", "::mlir::pop::GradientReduction",
           "::mlir::pop::GradientReduction::None",
           "what replicas combine",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::GradientReduction::None, "none",
                        "nothing: there is one replica"),
             clEnumValN(::mlir::pop::GradientReduction::Gradient, "gradient",
                        "each gradient"),
             clEnumValN(::mlir::pop::GradientReduction::Accumulator,
                        "accumulator", "the accumulated gradients"))}]>,
    Option<"mean", "mean", "::mlir::pop::GradientMean",
           "::mlir::pop::GradientMean::None",
           "whether parts of the batch and replicas are averaged",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::GradientMean::None, "none",
                        "they are added"),
             clEnumValN(::mlir::pop::GradientMean::Post, "post",
                        "their sum is divided"),
             clEnumValN(::mlir::pop::GradientMean::Running, "running",
                        "a mean is accumulated"))}]>,
    Option<"replicas", "replicas", "int64_t", /*default=*/"0",
           "number of replicas, where an optimizer needs it">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def DecomposeOptimizersPass
    : Pass<"pop-decompose-optimizers", "::mlir::ModuleOp">, Contract {
  let summary = "Write updates of weights as ops on tensors";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there are more">;
  let tests = ["Dialect/Pop/Training/decompose-optimizers.mlir"];
  let description = [{
    Replaces each `pop.optimizer_step` by `pop.accumulate` and arithmetic, with the
    placement of the step. `pop-decompose` does the same with all ops that it
    knows; after this pass the ops of optimizers can be seen by other passes.

    Before:
    ```mlir
    %0 = pop.optimizer_step <sgd0, lr = 0.5> %w, %g
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    ```
    After:
    ```mlir
    %0 = pop.constant dense<0.5> : tensor<f32>
    %1 = pop.mul %g, %0 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %2 = pop.sub %w, %1 : tensor<4xf32>
    ```
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def StateToVariablesPass
    : Pass<"pop-state-to-variables", "::mlir::ModuleOp">, Contract {
  let summary = "Keep the states of the program in variables";
  let preserves = !listremove(AllConditions, Placement # [
    NO_INPLACE, NO_IMPLICIT_COPY, BPHASE, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let tests = [
    "Dialect/Pop/Training/state-to-variables.mlir",
    "Dialect/Pop/Training/state-to-variables-invalid.mlir",
  ];
  let description = [{
    An argument of the entry function that a result updates (`pop.updates`) becomes a
    variable, named as the argument for the host, which starts with the argument's
    `pop.default` and is equal on the replicas of `pop.groups`, on all of them if that
    is absent. The variable is read where the argument was used, and written where
    the result was computed: by `pop.accumulate_` if it is what a `pop.accumulate`
    into the argument gives, else by `pop.copy_` at the end.

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
  let summary = "Make variables arguments and results";
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
    The inverse of `pop-state-to-variables`, to look at a program: a variable that
    only the body of the entry function uses, outside of loops and branches, and
    only by reading, writing and accumulating all of it, becomes an argument and a
    result that updates it. The other variables stay, and a remark says why.
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGPASSES
