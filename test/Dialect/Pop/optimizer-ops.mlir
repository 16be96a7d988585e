// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s

// CHECK-LABEL: func.func @accumulate
func.func @accumulate(%r: tensor<2xf32>, %x: tensor<2xf16>, %y: tensor<2xf32>,
                      %f: tensor<f32>, %s: tensor<i32>) {
  // CHECK: pop.accumulate add %{{.+}}, %{{.+}} {factor = 5.000000e-01 : f64} : tensor<2xf32>, tensor<2xf16>
  %0 = pop.accumulate add %r, %x {factor = 0.5 : f64} : tensor<2xf32>, tensor<2xf16>
  // CHECK: pop.accumulate moving_average %{{.+}}, %{{.+}} factor(%{{.+}} : tensor<f32>) : tensor<2xf32>, tensor<2xf32>
  %1 = pop.accumulate moving_average %r, %y factor(%f : tensor<f32>) : tensor<2xf32>, tensor<2xf32>
  // CHECK: pop.accumulate mean %{{.+}}, %{{.+}} step(%{{.+}} : tensor<i32>) : tensor<2xf32>, tensor<2xf32>
  %2 = pop.accumulate mean %r, %y step(%s : tensor<i32>) : tensor<2xf32>, tensor<2xf32>
  return
}

// Numbers may be integers, settings are in the order of their names.
//
// CHECK-LABEL: func.func @optimizer_step
func.func @optimizer_step(%w: tensor<4xf32>, %h: tensor<4xf16>, %g: tensor<4xf32>,
                          %v: tensor<4xf32>, %t: tensor<f32>) {
  // CHECK: pop.optimizer_step <sgd0> %{{.+}}, %{{.+}} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %0 = pop.optimizer_step <sgd0> %w, %g : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: pop.optimizer_step <sgd1, loss_scale = 1.024000e+03, momentum = 9.000000e-01> %{{.+}} state(%{{.+}}) {accumulations = 4 : i64} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  %1:2 = pop.optimizer_step <sgd1, momentum = 0.9, loss_scale = 1024> %w state(%v) {accumulations = 4 : i64} : (tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  // CHECK: pop.optimizer_step <adam, decay = decoupled, lr = operand, weight_decay = 1.000000e-02> %{{.+}}, %{{.+}} state(%{{.+}}, %{{.+}}, %{{.+}}) settings(%{{.+}}) : (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>)
  %2:4 = pop.optimizer_step <adam, lr = operand, decay = decoupled, weight_decay = 0.01> %h, %g state(%v, %v, %t) settings(%t) : (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<f32>)
  // CHECK: pop.optimizer_step <rmsprop, master = true, momentum = 5.000000e-01, state = f32, tensorflow = true> %{{.+}}, %{{.+}} state(%{{.+}}, %{{.+}}, %{{.+}})
  %3:4 = pop.optimizer_step <rmsprop, momentum = 0.5, tensorflow = true, master = true, state = f32> %h, %h state(%v, %v, %v) : (tensor<4xf16>, tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf16>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>)
  return
}

// CHECK: func.func private @attributes() attributes {pop.optimizer = #pop.optimizer<lamb, lr = #pop.schedule<cosine, initial = 1.000000e-01 : f64, final = 1.000000e-03 : f64, steps = 100, warmup = 10>, max_weight_norm = @limit>}
func.func private @attributes() attributes {pop.optimizer = #pop.optimizer<lamb,
  lr = #pop.schedule<cosine, initial = 0.1, final = 0.001, steps = 100, warmup = 10>, max_weight_norm = @limit>}
// CHECK: pop.variable @w {{.+}} {pop.optimizer = #pop.optimizer<sgd2, lr = #pop.schedule<step, initial = 1.000000e-01 : f64, factor = 5.000000e-01 : f64, steps = 30>>}
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32> {pop.optimizer = #pop.optimizer<sgd2,
  lr = #pop.schedule<step, initial = 0.1, factor = 0.5, steps = 30>>}
// CHECK: pop.optimizer = #pop.optimizer<sgd0, lr = #pop.schedule<constant, initial = 1.000000e-01 : f64, warmup = 5>>
// CHECK-SAME: pop.updates = #pop.graph_value<argument 0>
func.func private @values(tensor<2xf32> {pop.optimizer = #pop.optimizer<sgd0, lr = #pop.schedule<constant, initial = 0.1, warmup = 5>>,
                                         pop.groups = #pop.replica_groups<stride = 1, size = 2>})
  -> (tensor<2xf32> {pop.updates = #pop.graph_value<argument 0>})

// CHECK: func.func private @anchors() -> (tensor<f32> {pop.anchor = #pop.anchor<sum>}, tensor<f32> {pop.anchor = #pop.anchor<every, 4>})
// CHECK-SAME: pop.clip_norms = [#pop.clip_norm<1.000000e+00 : f64, ["v"]>, #pop.clip_norm<5.000000e-01 : f64, ["w", "x"]>]
func.func private @anchors() -> (tensor<f32> {pop.anchor = #pop.anchor<sum>}, tensor<f32> {pop.anchor = #pop.anchor<every, 4>})
  attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["v"]>, #pop.clip_norm<0.5, ["w", "x"]>]}

// CHECK-LABEL: func.func @loss_scale
func.func @loss_scale(%x: tensor<f32>) {
  // CHECK: pop.loss_scale %{{.+}} : tensor<f32>
  %0 = pop.loss_scale %x : tensor<f32>
  return
}

// CHECK-LABEL: func.func @auto_loss_scale_proxy
func.func @auto_loss_scale_proxy(%x: tensor<4xf16>) {
  // CHECK: pop.auto_loss_scale_proxy %{{.+}} : tensor<4xf16>
  %0 = pop.auto_loss_scale_proxy %x : tensor<4xf16>
  // CHECK: pop.auto_loss_scale_proxy %{{.+}} {gradient} : tensor<4xf16>
  %1 = pop.auto_loss_scale_proxy %0 {gradient} : tensor<4xf16>
  return
}
