//===- PopOptimizerAttrs.td - Attributes of training -------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_IR_POPOPTIMIZERATTRS
#define IPU_MLIR_DIALECT_POP_IR_POPOPTIMIZERATTRS

include "ipu-mlir/Dialect/Pop/IR/PopDialect.td"

def Pop_OptimizerKind : I32EnumAttr<"OptimizerKind", "optimizer algorithm", [
    I32EnumAttrCase<"SGD0", 0, "sgd0">, I32EnumAttrCase<"SGD1", 1, "sgd1">,
    I32EnumAttrCase<"SGD2", 2, "sgd2">, I32EnumAttrCase<"Adam", 3, "adam">,
    I32EnumAttrCase<"AdamNoBias", 4, "adam_no_bias">,
    I32EnumAttrCase<"AdaMax", 5, "adamax">, I32EnumAttrCase<"Lamb", 6, "lamb">,
    I32EnumAttrCase<"LambNoBias", 7, "lamb_no_bias">,
    I32EnumAttrCase<"AdaGrad", 8, "adagrad">,
    I32EnumAttrCase<"RMSProp", 9, "rmsprop">,
    I32EnumAttrCase<"CenteredRMSProp", 10, "centered_rmsprop">,
    I32EnumAttrCase<"AdaDelta", 11, "adadelta">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}

def Pop_ScheduleKind : I32EnumAttr<"ScheduleKind", "kind of a schedule", [
    I32EnumAttrCase<"Constant", 0, "constant">,
    I32EnumAttrCase<"Step", 1, "step">,
    I32EnumAttrCase<"Linear", 2, "linear">,
    I32EnumAttrCase<"Cosine", 3, "cosine">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}

def Pop_AnchorKind : I32EnumAttr<"AnchorKind",
    "values of a result that the host gets", [
    I32EnumAttrCase<"All", 0, "all">, I32EnumAttrCase<"Sum", 1, "sum">,
    I32EnumAttrCase<"Final", 2, "final">,
    I32EnumAttrCase<"EveryN", 3, "every">]> {
  let cppNamespace = "::mlir::pop";
  let genSpecializedAttr = 0;
}

def Pop_OptimizerAttr : Pop_Attr<"Optimizer", "optimizer"> {
  let summary = "Optimizer and its settings";
  let description = [{
    The attribute gives the algorithm that updates a weight w from its gradient g, and
    the settings of this algorithm. The algorithms are those of PopART's optimizers. An
    absent setting has the default value in the table. A setting that is a number has
    one of these forms:

    - a constant;
    - `operand`: an operand of the op gives the number;
    - `#pop.schedule<...>`: the device computes the number for each update;
    - `@stream`: the host sends the number for each update through this stream.

    | setting | meaning and range | optimizers | default |
    | --- | --- | --- | --- |
    | `lr` | learning rate, at least 0 | all | 0.1 for `sgd0`, `sgd1`, `sgd2`; 1 for `adadelta`; else 0.001 |
    | `loss_scale` | factor of the loss, above 0 | all | 1 |
    | `weight_decay` | factor of the weight in the weight decay, at least 0 | all | 0 |
    | `decay` | `l2` adds `weight_decay * w` to g, `decoupled` adds the same product to the step | all but SGD | `l2` |
    | `momentum` | factor of the old velocity, 0 to below 1 | `sgd1`, `sgd2`, `rmsprop`, `centered_rmsprop`, `adadelta`, `adagrad` | 0 |
    | `dampening` | fraction of the gradient that is omitted, 0 to 1 | SGD | 0 |
    | `velocity_scaling` | factor of the velocity, above 0 | `sgd1`, `sgd2` | 1 |
    | `nesterov` | `true` for Nesterov's momentum | `sgd1`, `sgd2` | `false` |
    | `beta1`, `beta2` | decay of the moments, 0 to below 1 | Adam, AdaMax, Lamb | 0.9, 0.999 |
    | `eps` | addend of the denominator, above 0 | all but SGD | 1.0e-8; for `adadelta` 1.0e-6 |
    | `max_weight_norm` | limit of the weight's norm, at least 0; with 0, Lamb is Adam | Lamb | 65504 |
    | `alpha` | decay of the mean of squares, 0 to below 1 | `rmsprop`, `centered_rmsprop`, `adadelta` | 0.99; for `adadelta` 0.9 |
    | `tensorflow` | `true` applies the learning rate before the momentum | `rmsprop`, `centered_rmsprop`, `adadelta`, `adagrad` | `false` |
    | `accumulator` | float type of sums of gradients | all | that of the gradients |
    | `state` | float type of moments and velocities | all | f32, or f64 for f64 weights |
    | `master` | with `true`, the optimizer also keeps weights in the type `state` | all | `false` |

    docs/training.md lists the formulas of each kind.

    ```mlir
    #pop.optimizer<sgd1, lr = 0.01, momentum = 0.9>
    #pop.optimizer<adam, lr = @lr, decay = decoupled, weight_decay = 0.01>
    #pop.optimizer<lamb, lr = #pop.schedule<cosine, initial = 0.1, steps = 100, warmup = 10>>
    ```

    (C1) Each setting is a setting of the optimizer's kind, and no setting is
    given twice.
    (C2) All numbers, including those of schedules, are in the range that the table
    gives and in the range of f32. An optimizer with `nesterov` has no `dampening`.
  }];
  let parameters = (ins "::mlir::pop::OptimizerKind":$kind,
                        "::mlir::DictionaryAttr":$settings);
  let assemblyFormat = "`<` $kind `` custom<OptimizerSettings>($settings) `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Returns the setting `name`, or the default value if this setting is absent.
    /// The kind must have this setting.
    ::mlir::Attribute getSetting(::llvm::StringRef name) const;
    /// Returns the value of the setting `name`, or std::nullopt if the setting is
    /// not a constant.
    std::optional<double> getConstant(::llvm::StringRef name) const;
    /// Returns true if the setting `name` is `true`.
    bool isSet(::llvm::StringRef name) const;
    /// Returns true if optimizers of this kind have a setting `name`.
    bool hasSetting(::llvm::StringRef name) const;
    ::mlir::pop::OptimizerAttr withSetting(::llvm::StringRef name,
                                           ::mlir::Attribute value) const;
    /// Returns the names of the settings that are `operand`, in alphabetical order.
    ::llvm::SmallVector<::llvm::StringRef> getOperandSettings() const;
  }];
}

def Pop_ScheduleAttr : Pop_Attr<"Schedule", "schedule"> {
  let summary = "Schedule of an optimizer's setting";
  let description = [{
    The schedule gives the value of a setting for the updates t = 0, 1, ... The device
    computes the value by one of these formulas:

    - `constant`: `initial`.
    - `step`: `initial * factor^floor(t / steps)`.
    - `linear`: from `initial` to `final` in `steps` updates, then `final`.
    - `cosine`: `final + (initial - final) * (1 + cos(pi * min(t / steps, 1))) / 2`.

    With `warmup` the value is multiplied by `min((t + 1) / warmup, 1)`.

    ```mlir
    #pop.schedule<constant, initial = 0.1, warmup = 100>
    #pop.schedule<step, initial = 0.1, factor = 0.5, steps = 30>
    #pop.schedule<cosine, initial = 0.1, final = 0.001, steps = 1000, warmup = 10>
    ```

    (C1) `steps` is at least 1, or 0 for `constant`; `warmup` is at least 0.
    (C2) Only `step` has a `factor`, which is from 0 to 1. Only `linear` and `cosine`
    have a `final`. `initial` and `final` are in the range of f32.
  }];
  let parameters = (ins "::mlir::pop::ScheduleKind":$kind,
                        "::mlir::FloatAttr":$initial,
                        OptionalParameter<"::mlir::FloatAttr">:$final,
                        OptionalParameter<"::mlir::FloatAttr">:$factor,
                        DefaultValuedParameter<"int64_t", "0">:$steps,
                        DefaultValuedParameter<"int64_t", "0">:$warmup);
  let assemblyFormat = [{
    `<` $kind `,` struct($initial, $final, $factor, $steps, $warmup) `>`
  }];
  let genVerifyDecl = 1;
}

def Pop_AnchorAttr : Pop_Attr<"Anchor", "anchor"> {
  let summary = "Host return mode of a result";
  let description = [{
    A result that is computed for each part of a batch, or for each batch, has one value
    in each iteration of the loops that `pop-main-loops` creates. This attribute
    corresponds to PopART's anchor return type, and selects the values that the host
    gets:

    - `all`: each value, in the order of the iterations.
    - `sum`: the sum of the values.
    - `final`: the last value. This is the default for results without the attribute.
    - `every, N`: the values of the iterations N - 1, 2N - 1, ...

    ```mlir
    #pop.anchor<sum>
    #pop.anchor<every, 4>
    ```

    (C1) `every` has an `interval` of at least 1; the other kinds have none.
  }];
  let parameters = (ins "::mlir::pop::AnchorKind":$kind,
                        DefaultValuedParameter<"int64_t", "0">:$interval);
  let assemblyFormat = "`<` $kind (`,` $interval^)? `>`";
  let genVerifyDecl = 1;
}

def Pop_ClipNormAttr : Pop_Attr<"ClipNorm", "clip_norm"> {
  let summary = "Maximal norm of weight gradients";
  let description = [{
    `max_norm` is the limit of the common L2 norm of the gradients of `weights`. If
    `weights` is absent, the norm is that of the gradients of all weights.
    `pop-clip-gradients` applies the limit before the gradients update the weights.
    `weights` contains the names by which the host refers to the weights.

    ```mlir
    #pop.clip_norm<1.0>
    #pop.clip_norm<0.5, ["w0", "w1"]>
    ```

    (C1) `max_norm` is above 0 and in the range of f32.
    (C2) If `weights` is present, it contains at least one string and does not contain a
    string twice.
  }];
  let parameters = (ins "::mlir::FloatAttr":$max_norm,
                        OptionalParameter<"::mlir::ArrayAttr">:$weights);
  let assemblyFormat = "`<` $max_norm (`,` $weights^)? `>`";
  let genVerifyDecl = 1;
}

#endif // IPU_MLIR_DIALECT_POP_IR_POPOPTIMIZERATTRS
