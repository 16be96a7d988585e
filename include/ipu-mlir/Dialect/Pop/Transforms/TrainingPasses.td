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

/// The function that a pass works on.
def TrainedFunctionOption
    : Option<"function", "func", "std::string", /*default=*/"",
             "name of the function; the entry function if it is absent">;

def AddLossPass : Pass<"pop-add-loss", "::mlir::ModuleOp">, Contract {
  let summary = "Add a loss to a function";
  let preserves = !listremove(AllConditions, Placement # [
    NO_IMPLICIT_COPY, BPHASE, HOST_IO_EXPLICIT, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there is one more">;
  let tests = [
    "Dialect/Pop/Training/add-loss.mlir",
    "Dialect/Pop/Training/add-loss-invalid.mlir",
  ];
  let description = [{
    Adds to function `func` an argument for targets and the loss of result
    `output`, the only one if the option is absent. Losses of labels take
    integers, of the shape of the output without dimension 1, the dimension of
    the classes; other losses take the expected output. The loss becomes the
    first result, `loss`, and the output the second one, unless `only-loss` is
    given; other results are removed. The host gets the values of all parts of a
    batch (`pop.anchor`). With `own-batches` each replica has its own tensor,
    its part of the batch, for each argument without a `pop.default`.

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
                        "negative logarithm of probability, of logarithms and "
                        "labels"),
             clEnumValN(::mlir::pop::LossKind::NllOfProbabilities,
                        "nll_of_probabilities",
                        "the same, of probabilities and labels"),
             clEnumValN(::mlir::pop::LossKind::Identity, "identity",
                        "the output is the loss"))}]>,
    Option<"output", "output", "std::string", /*default=*/"",
           "name of the result that the loss is of">,
    Option<"target", "target", "std::string", "\"target\"",
           "name that the targets get">,
    Option<"eachLoss", "each-loss", "bool", /*default=*/"false",
           "whether the loss is that of each position, not their mean">,
    Option<"onlyLoss", "only-loss", "bool", /*default=*/"false",
           "whether to drop the output from the results">,
    Option<"ownBatches", "own-batches", "bool", /*default=*/"false",
           "whether replicas have batches of their own">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def NarrowFloatsPass : Pass<"pop-narrow-floats", "::mlir::ModuleOp">,
                       Contract {
  let summary = "Compute contractions and their users in f16";
  let preserves = !listremove(AllConditions, Placement # [
    NO_IMPLICIT_COPY, BPHASE, SR_COMPLETE
  ]);
  let bitEffect = Reassociates<"results of f32, which are rounded to f16">;
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there are more">;
  let tests = [
    "Dialect/Pop/Training/narrow-floats.mlir",
    "Integration/Training/tutorial.test",
  ];
  let description = [{
    Changes matrix products and convolutions of f32 in function `func` to take
    and return f16. Elementwise ops, maximum pools, and ops that only move
    elements change, too, if all of their operands are such results, constants,
    or weights that are read. Other ops, such as reductions, softmax,
    normalizations and losses, stay in f32. Values are cast where the type
    changes; arguments and results keep their types.

    Weights stay in f32 and are cast when they are used, so that updates are not
    rounded. With `weights`, variables that the function only reads are kept in
    f16, with values that are rounded to nearest.

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
           "whether weights are kept in f16, too">,
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
    Replaces each `pop.dropout` by its input, for inference and validation. The
    ops that computed the seeds stay; `pop-prune` erases those without effects.

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

def AddOptimizerPass : Pass<"pop-add-optimizer", "::mlir::ModuleOp">, Contract {
  let summary = "Insert optimizer updates of weights";
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
    Replaces each result of function `func` that is a gradient
    (`pop.gradient_of`) by the weight after an update with it. The optimizer is
    the attribute `pop.optimizer` of the weight (an argument or a variable),
    else of the function, else the option. For a weight that is an argument,
    each state of the optimizer is one more argument and one more result, and
    each result says which argument it updates (`pop.updates`); all have the
    virtual graph of the weight. For a weight that is a variable, each state is
    a variable with the same groups of replicas. States start from zero; only
    the velocity of `sgd1` with weight decay, and weights that are kept in a
    wider type, start from the weight's value (`pop.default` of an argument).

    A setting that is a stream (`lr = @lr`) is loaded from the host once for
    each update. A setting that is a schedule is computed from the number of
    updates, which is a state of the function.

    With `accumulation-factor` above 1 gradients are added to accumulators,
    which are states, too; `sgd1` adds them to its velocity. The ops that follow
    are executed once for that number of parts of the batch: they have the
    execution context `accumulate_outer`, which `pop-main-loops` turns into
    loops.

    `reduce` says whether each gradient, the accumulator, or neither is combined
    over the replicas that have equal weights. `mean` says whether parts of the
    batch and replicas are added or averaged; a `running` mean of parts never
    exceeds the gradients, while a `post` mean divides at the end.

    A variable that is distributed over all replicas (`sharding`) has states
    that are distributed equally, and each replica updates its part. The
    function gathers the parts, so that the gradient is the result of a
    `pop.reduce_scatter`, which has added the gradients of the replicas:
    `reduce` adds no other collective, and a mean divides by the number of
    replicas unless `reduce` is `none`. Such a variable cannot have the
    optimizer `lamb`, and its gradients cannot be clipped, because both need
    norms of the whole tensor.

    If the optimizer has a `loss_scale` that is not 1, each `pop.loss_scale` of
    the function, which `pop-autodiff` creates, returns the scale instead of
    ones.

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
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def DecomposeOptimizersPass
    : Pass<"pop-decompose-optimizers", "::mlir::ModuleOp">, Contract {
  let summary = "Expand weight updates into tensor ops";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there are more">;
  let tests = ["Dialect/Pop/Training/decompose-optimizers.mlir"];
  let description = [{
    Replaces each `pop.optimizer_step` by `pop.accumulate` and arithmetic, with
    the placement of the step. `pop-decompose` does the same for all ops; this
    pass shows other passes the ops of optimizers earlier.

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

def ClipGradientsPass : Pass<"pop-clip-gradients", "::mlir::ModuleOp">,
                        Contract {
  let summary = "Clip weight gradients by their common norm";
  // The norm is where most of the gradients are.
  let preserves = !listremove(AllConditions, [NO_IMPLICIT_COPY, PSTAGE, BPHASE]);
  let bitEffect = Reassociates<"gradients, which are multiplied by a factor">;
  let drawEffect = ChangesDraws<"those that ops get after the pass, of which "
                                "there are more">;
  let original = "ClipWeightGradientsByNorm";
  let differs = "Clips the gradient that updates a weight, of all optimizers, "
                "divided by the loss scale; weights of a group may be of several "
                "optimizers; copies between IPUs come later.";
  let tests = [
    "Dialect/Pop/Training/clip-gradients.mlir",
    "Dialect/Pop/Training/clip-gradients-invalid.mlir",
    "Integration/Training/clip-gradients.test",
  ];
  let description = [{
    For each `#pop.clip_norm` of the attribute `pop.clip_norms` of a function,
    multiplies the gradients of these weights in each `pop.optimizer_step` by
    `max_norm / max(max_norm, n)`. n is the L2 norm of all these gradients
    together, as the optimizer uses them: summed or averaged over the parts of
    the batch and the replicas, and divided by the loss scale. `max-norm` clips
    the gradients of all weights of function `func`. The attribute is erased, so
    that nothing is clipped twice. Without attribute and option the pass does
    nothing.

    Squares are added in f32, or in f64 for gradients of f64, and the clipped
    gradient has this type. Gradients whose norm is not above the limit keep
    their values to the bit. The norm is computed on the virtual graph of most
    of the gradients, before the first update: updates, and ops that depend on
    them, move to after the last gradient.

    Weights have the names by which the host knows them: of an argument
    (`pop.name`), a variable or a stream. It is an error if a group names what
    no step updates, or if weights of a group have different groups of replicas,
    whose norms differ. An `sgd1` that adds parts of a batch to its velocity has
    no gradient that could be clipped; if the function has the attribute,
    `pop-add-optimizer` gives it one. The norm is divided by the current loss
    scale of the steps, so that `pop-automatic-loss-scale` must run before.

    Before:
    ```mlir
    func.func @main(%w: tensor<4xf32> {pop.name = "w"}, %g: tensor<4xf32>)
        -> tensor<4xf32> attributes {pop.clip_norms = [#pop.clip_norm<0.5>]} {
      %0 = pop.optimizer_step <sgd0, loss_scale = 8.0> %w, %g
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %0 : tensor<4xf32>
    }
    ```
    After:
    ```mlir
    func.func @main(%w: tensor<4xf32> {pop.name = "w"}, %g: tensor<4xf32>)
        -> tensor<4xf32> {
      %0 = pop.mul %g, %g : tensor<4xf32>
      %1 = pop.reduce sum %0 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
      %2 = pop.sqrt %1 : tensor<f32>
      %3 = pop.constant dense<8.0> : tensor<f32>
      %n = pop.div %2, %3 : tensor<f32>
      %c = pop.constant dense<0.5> : tensor<f32>
      %4 = pop.max %c, %n : tensor<f32>
      %factor = pop.div %c, %4 : tensor<f32>
      %5 = pop.mul %g, %factor : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      %6 = pop.optimizer_step <sgd0, loss_scale = 8.0> %w, %5
          : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      return %6 : tensor<4xf32>
    }
    ```
  }];
  let options = [
    TrainedFunctionOption,
    Option<"maxNorm", "max-norm", "double", /*default=*/"0",
           "greatest norm of the gradients of all weights together">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def MergeVarUpdatesPass : Pass<"pop-merge-var-updates", "::mlir::ModuleOp">,
                          Contract {
  let summary = "Merge updates of several weights";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"those of updates, whose elements have other "
                                "positions">;
  let original = "MergeVarUpdates";
  let differs = "All optimizers whose updates are elementwise, Adam too; `loose` "
                "goes by the threshold alone and not by memory that is free.";
  let tests = [
    "Dialect/Pop/Training/merge-var-updates.mlir",
    "Dialect/Pop/Training/merge-var-updates-invalid.mlir",
    "Integration/Training/measures.test",
    "Integration/Training/merge-var-updates.test",
  ];
  let description = [{
    Merges the `pop.optimizer_step`s in function `func` that have the same
    optimizer, settings, number of parts of a batch, element types, placement
    and other attributes, and whose weights have the same groups of replicas and
    are clipped together. The merged step takes the concatenated weights,
    gradients and states, in the order of the steps; slices of its results
    replace theirs.

    `mode` says how many are merged: `all`; `tight`, as many elements as make up
    `threshold` bytes of weights, so that weights are split; or `loose`, whole
    weights of at most `threshold` bytes together, or one larger weight.

    A step that uses the result of another step is not merged, nor is a `lamb`,
    which takes norms of single weights. Ops that depend on the steps move to
    after the last step. A remark names the steps that were not merged.

    Adam counts the updates of each weight in a state. Steps are merged only if
    their counts are equal: if they are the same value, or start from equal
    values (`pop.default` of an argument, or the value of a variable) and only
    their steps change them. The merged step uses the first count, and all
    counts get its next value. Do not use this pass if the host loads counts
    that differ.

    Before:
    ```mlir
    %0 = pop.optimizer_step <sgd0> %w, %g
        : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    %1 = pop.optimizer_step <sgd0> %u, %h
        : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    ```
    After:
    ```mlir
    %2 = pop.reshape %u : tensor<2x3xf32> to tensor<6xf32>
    %3 = pop.concat %w, %2 {axis = 0 : i64} : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
    %4 = pop.reshape %h : tensor<2x3xf32> to tensor<6xf32>
    %5 = pop.concat %g, %4 {axis = 0 : i64} : (tensor<4xf32>, tensor<6xf32>) -> tensor<10xf32>
    %6 = pop.optimizer_step <sgd0> %3, %5
        : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
    %0 = pop.slice %6 {sizes = array<i64: 4>, starts = array<i64: 0>, steps = array<i64: 1>} : tensor<10xf32> -> tensor<4xf32>
    %7 = pop.slice %6 {sizes = array<i64: 6>, starts = array<i64: 4>, steps = array<i64: 1>} : tensor<10xf32> -> tensor<6xf32>
    %1 = pop.reshape %7 : tensor<6xf32> to tensor<2x3xf32>
    ```
  }];
  let options = [
    TrainedFunctionOption,
    Option<"mode", "mode", "::mlir::pop::UpdateMerging",
           "::mlir::pop::UpdateMerging::All", "how many updates are one",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::UpdateMerging::All, "all",
                        "all that can be"),
             clEnumValN(::mlir::pop::UpdateMerging::Tight, "tight",
                        "`threshold` bytes, of parts of weights"),
             clEnumValN(::mlir::pop::UpdateMerging::Loose, "loose",
                        "whole weights of at most `threshold` bytes"))}]>,
    Option<"threshold", "threshold", "int64_t", /*default=*/"1000000",
           "bytes of weights that `tight` and `loose` merge">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def DecomposeSumsPass : Pass<"pop-decompose-sums", "::mlir::ModuleOp">,
                        Contract {
  let summary = "Split sums of gradients into adds close to the addends";
  let preserves = AllConditions;
  let bitEffect = Reassociates<"`pop.sum` of more than two tensors">;
  let drawEffect = ChangesDraws<"those of sums, which round once for each "
                                "addition">;
  let original = "DecomposeGradSum";
  let differs = "Also does DecomposeSum; gradients are what depends on the loss "
                "scale, not what has a name; a chain starts from its first "
                "addend, not from zeros.";
  let tests = [
    "Dialect/Pop/Training/decompose-sums.mlir",
    "Integration/Training/sums.test",
  ];
  let description = [{
    Replaces each `pop.sum` of more than two tensors by a chain of `pop.add`.
    Each addition comes right after the tensor that it adds, so that this tensor
    needs no memory afterwards. Addends are ordered by pipeline stage, execution
    phase, part of the batch and then by the order of the program; addends
    without these, or that are no results of ops, come first. Additions have the
    placement of the sum.

    With `gradients-only` the pass decomposes sums that depend on a
    `pop.loss_scale` of the same function.

    Narrow floats are rounded after each addition and not once.

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
           "only sums of gradients">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def InplaceAccumulatePass
    : Pass<"pop-inplace-accumulate", "::mlir::ModuleOp">, Contract {
  let summary = "Accumulate addends of a gradient in place";
  let preserves = AllConditions;
  let bitEffect = Reassociates<"an accumulator and the addends of a sum">;
  let drawEffect = ChangesDraws<"those that ops get after the pass: each "
                                "accumulation rounds">;
  let original = "InplaceAccumulateGradPartialsIntoOptimizerAccumTensor";
  let differs = "Only `add` is split: PopART also splits squares, whose sum is "
                "another one. Sums need not start from zeros.";
  let tests = [
    "Dialect/Pop/Training/inplace-accumulate.mlir",
    "Integration/Training/sums.test",
  ];
  let description = [{
    Replaces a `pop.accumulate add`, or a `pop.accumulate_ add`, of a tree of
    `pop.add` and `pop.sum` by an accumulation of each addend, right after it is
    computed. The sum then needs no memory. Addends are in the order of
    `pop-decompose-sums`, and zeros are left out.

    The additions must have no other users and no operands that are broadcast,
    and must have the block, the execution context and the virtual graph of the
    accumulation. An accumulation in place does not change if an op between the
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
  let summary = "Turn states into variables";
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
    Replaces each argument of the entry function that a result updates
    (`pop.updates`) by a variable. The variable has the name that the argument
    has for the host, starts from the argument's `pop.default`, and is equal on
    the replicas of each of `pop.groups`, or on all replicas if that is absent.
    It is read where the argument was used, and written where the result was
    computed: by `pop.accumulate_` if the result is that of a `pop.accumulate`
    into the argument, else by `pop.copy_` at the end.

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
    The inverse of `pop-state-to-variables`, for inspection of programs.
    Replaces a variable by an argument, and a result that updates it, if only
    the body of the entry function uses the variable, outside of loops and
    branches, and only reads, writes or accumulates all of it. For each other
    variable a remark says why it stays.
  }];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def MainLoopsPass : Pass<"pop-main-loops", "::mlir::ModuleOp">, Contract {
  let summary = "Wrap the program in loops over batches and micro-batches";
  let guarantees = [LOOPS_EXPLICIT];
  // Sums and conditions of anchors have no virtual graph of their own.
  let preserves = !listremove(AllConditions, Placement # [
    BPHASE, NO_IMPLICIT_COPY, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "MainLoops";
  let differs = "Anchors may be every Nth value; states are in variables, so "
                "that loops carry anchors only; each stream has its own number "
                "of transfers.";
  let tests = [
    "Dialect/Pop/Training/main-loops.mlir",
    "Dialect/Pop/Training/main-loops-invalid.mlir",
    "Dialect/Pop/Training/main-loops-settings.mlir",
    "Integration/Training/measures.test",
    "Integration/Training/optimizers.test",
  ];
  let description = [{
    Wraps the body of the entry function in a loop over `batches-per-step`
    batches, each with one update. Inside, the ops that are executed for each
    part of a batch are in a loop over `accumulation-factor` parts. The
    execution context of an op (`pop.execution_context`) says where it goes, not
    its position:

    | context | is executed |
    | --- | --- |
    | `weights_from_host` | before the loops, as constants and handles of variables |
    | `optimizer_from_host` | for each batch, before its parts |
    | none, `normal`, `subgraph` | for each part |
    | `accumulate_outer` | for each batch, after its parts |
    | `weights_to_host` | after the loops |

    A stream moves as many tensors as its loads or stores are executed
    (`transfers`). `pop.anchor` says which values of a result in a loop the host
    gets: loops carry and return the sum and the final value; for `all` and
    `every`, an op in the loop stores to a stream with the name of the result.
    It is an error if a value of one context is used in another one, because
    only variables keep values of parts of a batch. Values of
    `weights_from_host` and constants may be used everywhere, and those of
    `optimizer_from_host` in both loops.

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
           "batches, and updates, in a run">,
    Option<"accumulationFactor", "accumulation-factor", "int64_t",
           /*default=*/"1", "parts of a batch for each update">,
  ];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::pop::PopDialect", "::mlir::scf::SCFDialect",
                           "::mlir::tensor::TensorDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_TRAININGPASSES
