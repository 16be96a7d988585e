// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// C1 of accumulate
func.func @f(%r: tensor<2xf32>, %x: tensor<3xf32>) {
  // expected-error @below {{'pop.accumulate' op expects `value` of shape [2] but got [3]}}
  %0 = pop.accumulate add %r, %x : tensor<2xf32>, tensor<3xf32>
  return
}

// -----

func.func @f(%r: tensor<2xf16>, %x: tensor<2xf32>) {
  // expected-error @below {{'pop.accumulate' op expects `value` to have an element type that is accumulated in 'f16' but got 'f32'}}
  %0 = pop.accumulate add %r, %x : tensor<2xf16>, tensor<2xf32>
  return
}

// -----

// C2
func.func @f(%r: tensor<2xf32>, %x: tensor<2xf32>) {
  // expected-error @below {{'pop.accumulate' op expects a `step` for `mean`}}
  %0 = pop.accumulate mean %r, %x : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// C3
func.func @f(%r: tensor<2xf32>, %x: tensor<2xf32>, %f: tensor<f32>) {
  // expected-error @below {{'pop.accumulate' op expects one `factor` but got a tensor and the attribute 5.000000e-01 : f64}}
  %0 = pop.accumulate add %r, %x factor(%f : tensor<f32>) {factor = 0.5 : f64} : tensor<2xf32>, tensor<2xf32>
  return
}

// -----

// C1 of optimizer_step
func.func @f(%w: tensor<2xf32>, %g: tensor<2xf16>) {
  // expected-error @below {{'pop.optimizer_step' op expects `gradient` of type 'tensor<2xf32>' but got 'tensor<2xf16>'}}
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%w: tensor<2xf16>, %g: tensor<2xf64>) {
  // expected-error @below {{'pop.optimizer_step' op expects `gradient` of type 'tensor<2xf16>' or 'tensor<2xf32>' but got 'tensor<2xf64>'}}
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<2xf16>, tensor<2xf64>) -> tensor<2xf16>
  return
}

// -----

// C2
func.func @f(%w: tensor<2xf32>) {
  // expected-error @below {{'pop.optimizer_step' op expects 2 `states` but got 1}}
  %0:2 = pop.optimizer_step <adam_no_bias> %w, %w state(%w) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

func.func @f(%w: tensor<2xf16>) {
  // expected-error @below {{'pop.optimizer_step' op expects state 'Accl___' of type 'tensor<2xf32>' but got 'tensor<2xf16>'}}
  %0:2 = pop.optimizer_step <sgd2> %w, %w state(%w) : (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>)
  return
}

// -----

// C3
func.func @f(%w: tensor<2xf32>) {
  // expected-error @below {{'pop.optimizer_step' op expects 1 `settings` but got 0}}
  %0 = pop.optimizer_step <sgd0, lr = operand> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

func.func @f(%w: tensor<2xf32>) {
  // expected-error @below {{'pop.optimizer_step' op expects setting 'lr' to be a constant or 'operand' but got @lr}}
  %0 = pop.optimizer_step <sgd0, lr = @lr> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// C4
func.func @f(%w: tensor<2xf32>) {
  // expected-error @below {{'pop.optimizer_step' op expects `accumulations` of at least 1 but got 0}}
  %0 = pop.optimizer_step <sgd0> %w, %w {accumulations = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// C5
func.func @f(%w: tensor<2xf32>) {
  // expected-error @below {{'pop.optimizer_step' op expects results of the types of `weight` and `states` but got ('tensor<3xf32>')}}
  %0 = pop.optimizer_step <sgd0> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<3xf32>
  return
}

// -----

// C6
func.func @f(%w: tensor<2xf32>) {
  // expected-error @below {{'pop.optimizer_step' op expects a `gradient` but got none}}
  %0:2 = pop.optimizer_step <sgd2> %w state(%w) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// C1 of optimizers
// expected-error @below {{expects no setting 'momentum', because optimizer 'sgd0' does not have this setting}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, momentum = 0.9>}

// -----

// expected-error @below {{has setting 'lr' twice}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, lr = 0.9, lr = 0.8>}

// -----

// C2
// expected-error @below {{expects setting 'lr' to be a number of at least 0 but got -1.000000e-01 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, lr = -0.1>}

// -----

// expected-error @below {{expects setting 'momentum' to be a number of at least 0 and below 1 but got 1.000000e+00 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd1, momentum = 1>}

// -----

// expected-error @below {{expects setting 'dampening' to be a number of at least 0 and at most 1 but got 1.500000e+00 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd1, dampening = 1.5>}

// -----

// expected-error @below {{expects setting 'eps' to be a number above 0 but got 0.000000e+00 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<adam, eps = 0.0>}

// -----

// expected-error @below {{expects setting 'nesterov' to be true or false but got 1.000000e+00 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd1, nesterov = 1.0>}

// -----

// expected-error @below {{expects setting 'decay' to be l2 or decoupled but got 1.000000e+00 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<adam, decay = 1.0>}

// -----

// expected-error @below {{expects setting 'state' to be a float type but got i32}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<adam, state = i32>}

// -----

// expected-error @below {{expects no setting 'dampening' if 'nesterov' is true}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd1, nesterov = true, dampening = 0.5>}

// -----

// expected-error @below {{expects a number, a flag, a type, '@stream', '#pop.schedule<...>', 'operand', 'l2' or 'decoupled' but got "x"}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd1, lr = "x">}

// -----

// C1 of schedules
// expected-error @below {{expects 'steps' to be at least 1 but got 0}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, lr = #pop.schedule<cosine, initial = 0.1>>}

// -----

// expected-error @below {{expects 'warmup' to be at least 0 but got -1}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, lr = #pop.schedule<constant, initial = 0.1, warmup = -1>>}

// -----

// C2
// expected-error @below {{expects a 'factor' for 'step'}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, lr = #pop.schedule<step, initial = 0.1, steps = 3>>}

// -----

// expected-error @below {{expects no 'final' for 'constant'}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, lr = #pop.schedule<constant, initial = 0.1, final = 0.3>>}

// -----

// expected-error @below {{expects 'factor' to be from 0 to 1 but got 2.000000e+00 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<sgd0, lr = #pop.schedule<step, initial = 0.1, factor = 2.0, steps = 3>>}

// -----

// Attributes of ops and of values

// expected-error @below {{expects attribute 'pop.optimizer' only on a function or a variable}}
module attributes {pop.optimizer = #pop.optimizer<sgd0>} {}

// -----

// expected-error @below {{expects argument attribute 'pop.optimizer' to be a '#pop.optimizer<...>' but got 1 : i32}}
func.func private @f(tensor<f32> {pop.optimizer = 1 : i32})

// -----

// expected-error @below {{expects argument attribute 'pop.groups' to be a '#pop.replica_groups<...>' but got 1 : i32}}
func.func private @f(tensor<f32> {pop.groups = 1 : i32})

// -----

// expected-error @below {{has unknown argument attribute 'pop.updates' of dialect 'pop'}}
func.func private @f(tensor<f32> {pop.updates = #pop.graph_value<argument 0>})

// -----

// expected-error @below {{expects result attribute 'pop.updates' to be a '#pop.graph_value<...>' but got 1 : i32}}
func.func private @f() -> (tensor<f32> {pop.updates = 1 : i32})

// -----

// expected-error @below {{expects result attribute 'pop.anchor' to be a '#pop.anchor<...>' but got "all"}}
func.func private @f() -> (tensor<f32> {pop.anchor = "all"})

// -----

// expected-error @below {{expects a positive interval for 'every' but got 0}}
func.func private @f() -> (tensor<f32> {pop.anchor = #pop.anchor<every>})

// -----

// expected-error @below {{expects no interval for 'sum' but got 2}}
func.func private @f() -> (tensor<f32> {pop.anchor = #pop.anchor<sum, 2>})

// -----

// expected-error @below {{expects attribute 'pop.clip_norms' only on a function}}
module attributes {pop.clip_norms = []} {}

// -----

// expected-error @below {{expects attribute 'pop.clip_norms' to be an array of '#pop.clip_norm<...>' but got 1.000000e+00 : f64}}
func.func private @f() attributes {pop.clip_norms = 1.0}

// -----

// expected-error @below {{expects a norm above 0, in the range of f32, but got 0.000000e+00 : f64}}
func.func private @f() attributes {pop.clip_norms = [#pop.clip_norm<0.0>]}

// -----

// expected-error @below {{expects a norm above 0, in the range of f32, but got 1.000000e+300 : f64}}
func.func private @f() attributes {pop.clip_norms = [#pop.clip_norm<1.0e300>]}

// -----

// expected-error @below {{expects setting 'eps' to be in the range of f32 but got 9.9999999999999997E-61 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<adam, eps = 1.0e-60>}

// -----

// expected-error @below {{expects setting 'loss_scale' to be a number above 0 but got #pop.schedule<linear, initial = 1.000000e+00 : f64, final = 0.000000e+00 : f64, steps = 3>}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<adam, loss_scale = #pop.schedule<linear, initial = 1.0, final = 0.0, steps = 3>>}

// -----

// expected-error @below {{expects setting 'loss_scale' to be a number above 0 but got #pop.schedule<step, initial = 1.000000e+00 : f64, factor = 0.000000e+00 : f64, steps = 3>}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<adam, loss_scale = #pop.schedule<step, initial = 1.0, factor = 0.0, steps = 3>>}

// -----

// expected-error @below {{expects numbers in the range of f32 but got 9.9999999999999994E+38 : f64}}
func.func private @f() attributes {pop.optimizer = #pop.optimizer<adam, lr = #pop.schedule<constant, initial = 1.0e39>>}

// -----

// expected-error @below {{expects names of weights but got [1]}}
func.func private @f() attributes {pop.clip_norms = [#pop.clip_norm<1.0, [1]>]}

// -----

// expected-error @below {{expects each weight once but got "w" twice}}
func.func private @f() attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["w", "w"]>]}

// -----

func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{operand #0 must be statically shaped tensor, without encoding}}
  %0 = pop.auto_loss_scale_proxy %x : tensor<4xi32>
  return
}
