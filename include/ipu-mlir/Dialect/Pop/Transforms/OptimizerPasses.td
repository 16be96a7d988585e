//===- OptimizerPasses.td - Updates of weights -------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The passes that insert, expand, clip and merge the updates of an optimizer.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_OPTIMIZERPASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_OPTIMIZERPASSES

include "ipu-mlir/Dialect/Pop/Transforms/TrainingPasses.td"

def AddOptimizerPass : Pass<"pop-add-optimizer", "::mlir::ModuleOp">, Contract {
  let summary = "Insert optimizer updates of weights";
  // An update has the virtual graph of its weight, to which values that several
  // updates share are copied.
  let preserves = !listremove(AllConditions, [
    NO_INPLACE, NO_IPU_COPY, NO_IMPLICIT_COPY, EPHASE, HOST_IO_EXPLICIT,
    LOOPS_EXPLICIT, SR_COMPLETE
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
    Replaces each result of function `func` that is a gradient (`pop.gradient_of`) by
    the weight after an update with this gradient. The optimizer is the attribute
    `pop.optimizer` of the weight (an argument or a variable). If the weight has no such
    attribute, the optimizer is the attribute `pop.optimizer` of the function. If
    neither has the attribute, the optimizer is the option `optimizer`.

    If the weight is an argument, each state of the optimizer becomes one more argument
    and one more result. Each such result has the attribute `pop.updates`, which names
    the argument that the result updates. The new arguments and results have the virtual
    graph of the weight. If the weight is a variable, each state is a variable with the
    same replica groups. States start from zero, with two exceptions. With the setting
    `master`, one state is a copy of the weight w in the type of the states; this state
    starts from the initial value of w (for an argument, `pop.default`). The velocity of
    `sgd1` with weight decay starts from `weight_decay * (1 - dampening) *
    velocity_scaling * w`.

    A setting that is a stream (`lr = @lr`) is loaded from the host once for
    each update. A setting that is a schedule is computed from the number of
    updates, which is a state of the function.

    With an `accumulation-factor` N above 1, the batch of an update is divided into N
    parts, and the gradients of the parts are added to accumulators, which are further
    states. `sgd1` adds gradients to its velocity instead. The ops after the
    accumulation are executed once for all N parts of the batch. They have the execution
    context `accumulate_outer`, and `pop-main-loops` moves them to the loop over
    batches.

    `reduce` selects the values that replicas with equal weights combine: each gradient,
    the accumulator, or neither. `mean` says whether the gradients of the parts of the
    batch and of the replicas are added or averaged. With `running`, the accumulator
    holds the mean over the parts that are already accumulated. The magnitude of this
    mean never exceeds the magnitude of the largest gradient. With `post`, the sum is
    divided at the end.

    If a variable is distributed over replicas (attribute `sharding`), its states are
    distributed in the same way, and each replica updates its own part. The function
    gathers the parts of such a variable, so the variable's gradient is the result of a
    `pop.reduce_scatter`, which has already added the gradients of the replicas of a
    group. If there are several groups, and `reduce` is not `none`, a `pop.all_reduce`
    adds the gradients of the replicas that hold the same part; all replicas must then
    have equal values of the variable. If neither `reduce` nor `mean` is `none`, the
    gradient is divided by the number of replicas. The step has the attribute
    `pop.sharding`, so that `lamb` and `pop-clip-gradients` add the squares of all parts
    for a norm. With `lamb`, a setting `eps` of 0 is an error if the last part has padding.

    `pop-autodiff` creates a `pop.loss_scale` op that returns ones. If the optimizer has
    a `loss_scale` other than 1, each `pop.loss_scale` of the function returns this loss
    scale instead.

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
           "name of the function; by default the entry function">,
    Option<"optimizer", "optimizer", "std::string", /*default=*/"",
           "optimizer (`#pop.optimizer<...>`) of weights that have no attribute "
           "`pop.optimizer`">,
    Option<"accumulationFactor", "accumulation-factor", "int64_t",
           /*default=*/"1", "number of parts into which the batch of an update is "
                            "divided">,
    Option<"reduce", "reduce", "::mlir::pop::GradientReduction",
           "::mlir::pop::GradientReduction::None",
           "values that replicas combine",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::GradientReduction::None, "none",
                        "nothing"),
             clEnumValN(::mlir::pop::GradientReduction::Gradient, "gradient",
                        "each gradient"),
             clEnumValN(::mlir::pop::GradientReduction::Accumulator,
                        "accumulator", "the accumulated gradients"))}]>,
    Option<"mean", "mean", "::mlir::pop::GradientMean",
           "::mlir::pop::GradientMean::None",
           "whether gradients are averaged over the parts of the batch and the "
           "replicas",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::GradientMean::None, "none",
                        "gradients are added"),
             clEnumValN(::mlir::pop::GradientMean::Post, "post",
                        "the sum of the gradients is divided"),
             clEnumValN(::mlir::pop::GradientMean::Running, "running",
                        "a running mean of the gradients is accumulated"))}]>,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def DecomposeOptimizersPass
    : Pass<"pop-decompose-optimizers", "::mlir::ModuleOp">, Contract {
  let summary = "Expand weight updates into tensor ops";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "more ops">;
  let tests = [
    "Dialect/Pop/Training/decompose-optimizers.mlir",
    "Integration/Training/draws-of-steps.mlir",
  ];
  let description = [{
    Replaces each `pop.optimizer_step` by `pop.accumulate` and arithmetic, with the
    placement of the step. Ops that may round get the number of the step's `pop.draw`,
    and different values of `part`. `pop-decompose` also expands each `pop.optimizer_step`.
    `pop-decompose-optimizers` runs earlier, so that other passes can transform the
    expanded ops.

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
  // The norm has the placement of most of the gradients.
  let preserves = !listremove(AllConditions, [NO_IMPLICIT_COPY, PSTAGE, BPHASE]);
  let bitEffect = Reassociates<"gradients, which are multiplied by a factor">;
  let drawEffect = ChangesDraws<"the draws of ops without a number, because there are "
                                "more ops">;
  let original = "ClipWeightGradientsByNorm";
  let differs = "For all optimizers, the pass clips the gradient that updates a weight, "
                "after division by the loss scale. Weights of a group may have different "
                "optimizers. Another pass inserts copies between IPUs.";
  let tests = [
    "Dialect/Pop/Training/clip-gradients.mlir",
    "Dialect/Pop/Training/clip-gradients-invalid.mlir",
    "Integration/Training/clip-gradients.test",
  ];
  let description = [{
    The attribute `pop.clip_norms` of a function lists `#pop.clip_norm` attributes. Each
    `#pop.clip_norm` selects weights. The pass multiplies the gradients of these weights
    in each `pop.optimizer_step` by `max_norm / max(max_norm, n)`. Here n is the common
    L2 norm of all these gradients. The norm is computed from the gradients that the
    optimizer uses: they are summed or averaged over the parts of the batch and the
    replicas, and divided by the loss scale. With the option `max-norm`, the pass clips
    the gradients of all weights of function `func` instead. The pass erases the
    attribute `pop.clip_norms`, so that gradients are not clipped twice. If neither the
    attribute nor the option is given, the pass does nothing.

    Squares are added in f32, or in f64 for f64 gradients. The clipped gradient has the
    type of the sum of squares. If the norm does not exceed `max_norm`, no bit of the
    gradients changes. The norm is computed before the first update, on the virtual
    graph of most of the gradients. The pass moves updates, and ops that depend on them,
    after the op that computes the last gradient.

    Weights have the names by which the host refers to them: the name of an argument
    (`pop.name`), a variable or a stream. It is an error if a `#pop.clip_norm` names a
    weight that no step updates. It is also an error if the weights of one
    `#pop.clip_norm` have different replica groups, because the norms of these groups
    would differ. If an `sgd1` adds the gradients of the parts of a batch directly to
    its velocity, there is no gradient that can be clipped. If the function has the
    attribute `pop.clip_norms`, `pop-add-optimizer` therefore accumulates the gradient
    of an `sgd1` separately. The norm is divided by the current loss scale of the steps,
    so `pop-automatic-loss-scale` must run before `pop-clip-gradients`.

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
           "maximal common norm of the gradients of all weights">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def MergeVarUpdatesPass : Pass<"pop-merge-var-updates", "::mlir::ModuleOp">,
                          Contract {
  let summary = "Merge updates of several weights";
  let preserves = AllConditions;
  let bitEffect = Exact;
  let drawEffect = ChangesDraws<"the draws of updates, whose elements have "
                                 "other positions">;
  let original = "MergeVarUpdates";
  let differs = "All optimizers with elementwise updates are merged, including Adam. `loose` "
                "depends on the threshold alone and not on free memory.";
  let tests = [
    "Dialect/Pop/Training/merge-var-updates.mlir",
    "Dialect/Pop/Training/merge-var-updates-invalid.mlir",
    "Integration/Training/measures.test",
    "Integration/Training/merge-var-updates.test",
  ];
  let description = [{
    Merges `pop.optimizer_step` ops (steps) in function `func`. Steps can be merged if
    they have the same optimizer, settings, element types, placement and other
    attributes, for example `accumulations`. Their weights must also have the same
    replica groups. If a `#pop.clip_norm` of the function selects one of these weights,
    it must select all of them. The merged step takes the concatenated weights,
    gradients and states, in the order of the steps. Slices of the results of the merged
    step replace the results of the original steps.

    `mode` selects the weights of each merged step:
    - `all`: all weights whose steps can be merged;
    - `tight`: `threshold` bytes of weights, where a weight may be split between two
      merged steps;
    - `loose`: whole weights of at most `threshold` bytes together, or one larger
      weight.

    The pass does not merge a step that uses the result of another step. It does not
    merge steps of `lamb`, because these steps compute norms of single weights. Ops that
    depend on the merged steps move after the last of these steps. A remark names the
    steps that were not merged.

    Adam counts the updates of each weight in a state. The pass merges steps of Adam
    only if it knows that their counts are equal. Counts are equal if they are the same
    value. They are also equal if they start from equal values (`pop.default` of an
    argument, or the value of a variable) and only the steps change them. The merged
    step uses the first count, and all counts get the next value of the first count. Do
    not use this pass if the host loads counts that differ.

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
           "::mlir::pop::UpdateMerging::All", "which updates of weights are merged",
           [{::llvm::cl::values(
             clEnumValN(::mlir::pop::UpdateMerging::All, "all",
                        "all updates that can be merged"),
             clEnumValN(::mlir::pop::UpdateMerging::Tight, "tight",
                        "updates of `threshold` bytes of weights; weights may be "
                        "split"),
             clEnumValN(::mlir::pop::UpdateMerging::Loose, "loose",
                        "updates of whole weights of at most `threshold` bytes"))}]>,
    Option<"threshold", "threshold", "int64_t", /*default=*/"1000000",
           "number of bytes of weights that `tight` and `loose` merge into one update">,
  ];
  let dependentDialects = ["::mlir::pop::PopDialect"];
}

def HostReducePass : Pass<"pop-host-reduce", "::mlir::ModuleOp">, Contract {
  let summary = "Reduce gradients and update weights on the host";
  let preserves = !listremove(AllConditions, Placement # [
    NO_IMPLICIT_COPY, BPHASE, SR_COMPLETE
  ]);
  let bitEffect = Exact;
  let drawEffect = KeepsDraws;
  let original = "HostReduce";
  let differs = "PopART no longer has the transform. Its options `hostAllReduce` and "
                "`hostWeightUpdate` copied gradients to callbacks of the user. Here the "
                "host executes the ops of the device, so that all optimizers are possible "
                "and no bit changes.";
  let tests = [
    "Dialect/Pop/Training/host-reduce.mlir",
    "Dialect/Pop/Training/host-reduce-invalid.mlir",
    "Integration/Training/host-reduce.test",
  ];
  let description = [{
    Moves the updates of weights (`pop.optimizer_step`) from the entry function to the
    program of the host. The program of the host is a nested module `@host_program`
    with an entry function `@main`. The host executes it after each run of the device.
    It has the weights, the states of optimizers and the numbers of updates as
    variables, so the device does not hold the states.

    At its start, the device loads the weights that it reads from streams with the names
    of these weights. At its end, it stores gradients to streams
    (`Gradient___` and the name of a weight), each replica its own gradients. The host
    loads each of these streams, as an input of the same name. So weights return to the
    device at the start of the next run. The program of the host has as many replicas as
    the device, and replica r of the host loads the gradients of replica r of the device.
    The collectives of gradients and all ops after them move with their attributes, such
    as accumulation orders and numbers of draws, so that no bit changes. In particular,
    `pop.all_reduce` combines the gradients in ascending order of the replicas.

    The device computes and stores the operands of these collectives and, without a
    collective, the gradients of updates. Other operands of ops that move are computed on
    the host if they depend only on constants, results of `pop.all_reduce`, single numbers
    that the host provides, and variables that move. Otherwise the device stores them,
    too; with several replicas, this is an error, because such values may differ between
    replicas. A variable moves if it gets a result of an optimizer, or if its only update
    is computed on the host and an op that moves needs it.

    It is an error if
    - an update is not in the body of the entry function, for example in a loop over
      several batches in a run. If the batch has several parts, run `pop-main-loops`
      first;
    - the entry function uses a result of an update, other than to write a whole
      variable, or reads the variable after the update;
    - an updated variable has several values (`groups`, `sharding`), may become different
      on replicas, is in streaming memory, or is accessed by other ops than reads and
      writes of the whole variable in the entry function. `sgd1` accumulates gradients of
      parts in its velocity, so with several parts use `sgd2`;
    - the module rounds stochastically, and the generator is `stream` or an op that moves
      has no number (`pop-number-draws`).

    Before:
    ```mlir
    pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
    pop.variable @v : tensor<4xf32> = dense<0.0> : tensor<4xf32>
    pop.stream @x host_to_device : tensor<4xf32>
    func.func @main() {
      %rw = pop.get_variable @w : !pop.ref<4xf32>
      %rv = pop.get_variable @v : !pop.ref<4xf32>
      %x = pop.host_load @x : tensor<4xf32>
      %w = pop.read %rw : !pop.ref<4xf32>
      %g = pop.mul %w, %x : tensor<4xf32>
      %s = pop.all_reduce mean %g : tensor<4xf32>
      %v = pop.read %rv : !pop.ref<4xf32>
      %0, %1 = pop.optimizer_step <sgd2, momentum = 0.9> %w, %s state(%v)
          : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
          -> (tensor<4xf32>, tensor<4xf32>)
      pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
      pop.copy_ %rv, %1 : !pop.ref<4xf32>, tensor<4xf32>
      return
    }
    ```
    After:
    ```mlir
    pop.stream @x host_to_device : tensor<4xf32>
    pop.stream @Gradient___w device_to_host : tensor<4xf32>
    pop.stream @w host_to_device broadcast : tensor<4xf32>
    func.func @main() {
      %w = pop.host_load @w : tensor<4xf32>
      %x = pop.host_load @x : tensor<4xf32>
      %g = pop.mul %w, %x : tensor<4xf32>
      pop.host_store %g, @Gradient___w : tensor<4xf32>
      return
    }
    module @host_program {
      pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
      pop.variable @v : tensor<4xf32> = dense<0.0> : tensor<4xf32>
      pop.stream @Gradient___w host_to_device : tensor<4xf32>
      func.func @main() {
        %g = pop.host_load @Gradient___w : tensor<4xf32>
        %rw = pop.get_variable @w : !pop.ref<4xf32>
        %rv = pop.get_variable @v : !pop.ref<4xf32>
        %w = pop.read %rw : !pop.ref<4xf32>
        %s = pop.all_reduce mean %g : tensor<4xf32>
        %v = pop.read %rv : !pop.ref<4xf32>
        %0, %1 = pop.optimizer_step <sgd2, momentum = 0.9> %w, %s state(%v)
            : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
            -> (tensor<4xf32>, tensor<4xf32>)
        pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
        pop.copy_ %rv, %1 : !pop.ref<4xf32>, tensor<4xf32>
        return
      }
    }
    ```
  }];
  let dependentDialects = ["::mlir::func::FuncDialect", "::mlir::pop::PopDialect"];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_OPTIMIZERPASSES
