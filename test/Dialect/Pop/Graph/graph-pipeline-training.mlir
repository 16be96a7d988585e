// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=f weights=w optimizer={#pop.optimizer<sgd0, lr = 0.25>} batches-per-step=2 accumulation-factor=2 mean=post verify-contracts})' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=h weights=w optimizer={#pop.optimizer<sgd0>} decompose-grad-sums host-io=false verify-contracts})' | FileCheck %s --check-prefix=SUMS
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=h weights=w,v optimizer={#pop.optimizer<adam>} reduce=gradient mean=post automatic-loss-scale tracked-tensors=e loss-scale-update-period=2 merge-updates=all verify-contracts})' | FileCheck %s --check-prefix=SCALE
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=drop loss=loss weights=w optimizer={#pop.optimizer<sgd0>} verify-contracts})' | FileCheck %s --check-prefix=DROP
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=g weights=w})' 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=f weights=w accumulation-factor=0})' 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{weights=w})' 2>&1 | FileCheck %s --check-prefix=TRAIN
// RUN: not ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=f tracked-tensors=x})' 2>&1 | FileCheck %s --check-prefix=TRACKED

// TRAIN: error: option 'weights' of 'pop-graph-pipeline' expects option 'train' but got none
// TRACKED: error: option 'tracked-tensors' of 'pop-graph-pipeline' expects option 'automatic-loss-scale' but got none

// Each update moves w half way to 1: after 3 steps of 2 updates it is 1 - 1/64, and
// the loss of each part of the last update is 2 * (1/32)^2.
//
// RUN: %python -c 'import numpy; numpy.save("%t.npy", numpy.ones((4, 2), numpy.float32))'
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-graph-pipeline{train=f weights=w optimizer={#pop.optimizer<sgd0, lr = 0.25>} batches-per-step=2 accumulation-factor=2 mean=post})' -o %t.mlir
// RUN: ipu-run %t.mlir --runs 3 --target tiles=4 --input x=%t.npy --input y=%t.npy --save-weights %t.npz --output-dir %t.out
// RUN: %python -c 'import numpy; print(numpy.load("%t.npz")["w"], numpy.load("%t.out/loss.npy"))' | FileCheck %s --check-prefix=VALUES

// VALUES: [0.984375 0.984375] 0.001953125

// ERROR: error: 'pop-random-setup' expects function 'g' with a body
// FACTOR: error: 'pop-add-optimizer' expects option 'accumulation-factor' to be at least 1 but got 0

// Loops over batches and their parts, around what the passes make.
//
// CHECK-DAG:     pop.variable @w : tensor<2xf32>
// CHECK-DAG:     pop.variable @Accum___w : tensor<2xf32>
// CHECK-DAG:     pop.stream @x host_to_device broadcast : tensor<2xf32> {transfers = 4 : i64}
// CHECK-DAG:     pop.stream @loss device_to_host : tensor<f32>
// CHECK-LABEL:   func.func @main() {
// CHECK:           scf.for
// CHECK:             scf.for
// CHECK:               pop.remote_exchange
// CHECK:               pop.loss_scale
// CHECK:               pop.accumulate_ add
// CHECK:               scf.yield
// CHECK:             pop.optimizer_step <sgd0, lr = 2.500000e-01> %{{.+}}, %{{.+}} {accumulations = 2 : i64}
// CHECK:             scf.yield
// CHECK:           pop.host_store %{{.+}}, @loss
// CHECK-NOT:     func.func

// Sums of gradients are chains; those of the loss are not.
//
// SUMS-LABEL:    func.func @main(
// SUMS:            pop.sum
// SUMS:            pop.loss_scale
// SUMS-NOT:        pop.sum
// SUMS:            pop.optimizer_step

// The loss scale adapts to marked gradients, before updates of several weights, which
// replicas agree on.
//
// SCALE-DAG:     pop.variable @LossScaleFactor___ :
// SCALE-DAG:     pop.variable @LossScalePeriod___ :
// SCALE-DAG:     pop.variable @w : tensor<2xf16>
// SCALE-LABEL:   func.func @main() {
// SCALE:           pop.loss_scale
// SCALE-NOT:       pop.auto_loss_scale_proxy
// SCALE:           pop.all_reduce mean
// SCALE:           pop.optimizer_step <adam, loss_scale = operand>
// SCALE-NOT:       pop.optimizer_step
func.func private @f(%w: tensor<2xf32> {pop.name = "w", pop.default = dense<0.0> : tensor<2xf32>}, %x: tensor<2xf32> {pop.name = "x"}, %y: tensor<2xf32> {pop.name = "y"})
    -> (tensor<f32> {pop.name = "loss"}) {
  %0 = pop.mul %w, %x : tensor<2xf32>
  %1 = pop.sub %0, %y : tensor<2xf32>
  %2 = pop.mul %1, %1 : tensor<2xf32>
  %3 = pop.reduce sum %2 {axes = array<i64: 0>} : tensor<2xf32> -> tensor<f32>
  return %3 : tensor<f32>
}

func.func private @h(%w: tensor<2xf16> {pop.name = "w", pop.default = dense<0.0> : tensor<2xf16>}, %v: tensor<2xf16> {pop.name = "v", pop.default = dense<0.0> : tensor<2xf16>}, %x: tensor<2xf16> {pop.name = "x"})
    -> (tensor<f16> {pop.name = "loss"}) {
  %0 = pop.mul %w, %x : tensor<2xf16>
  %1 = pop.sub %0, %v : tensor<2xf16> loc("e")
  %2 = pop.mul %1, %1 : tensor<2xf16>
  %3 = pop.tanh %1 : tensor<2xf16>
  %4 = pop.sum %2, %3, %x : (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %5 = pop.reduce sum %4 {axes = array<i64: 0>} : tensor<2xf16> -> tensor<f16>
  return %5 : tensor<f16>
}

// A random op is done once, and its gradient draws the same bits. What is not the
// loss has no gradient, and is computed once.
//
// DROP-LABEL:    func.func @main() {
// DROP:            pop.host_load @random_seed
// DROP:            pop.dropout %{{.+}}, %[[DRAWN:[a-z0-9#]+]], 5.0
// DROP-COUNT-1:    pop.tanh
// DROP-NOT:        pop.tanh
// DROP:            pop.dropout %{{.+}}, %[[DRAWN]], 5.0
// DROP-NOT:        pop.dropout
// DROP:            pop.optimizer_step <sgd0>
// DROP:            pop.host_store %{{.+}}, @prediction
func.func private @drop(%w: tensor<4xf32> {pop.name = "w", pop.default = dense<0.0> : tensor<4xf32>}, %x: tensor<4xf32> {pop.name = "x"})
    -> (tensor<f32> {pop.name = "loss"}, tensor<4xf32> {pop.name = "prediction"}) {
  %0 = pop.mul %w, %x : tensor<4xf32>
  %seed = pop.next_seed
  %1 = pop.dropout %0, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  %2 = pop.tanh %1 : tensor<4xf32>
  %3 = pop.mul %2, %2 : tensor<4xf32>
  %4 = pop.reduce sum %3 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
  return %4, %2 : tensor<f32>, tensor<4xf32>
}
