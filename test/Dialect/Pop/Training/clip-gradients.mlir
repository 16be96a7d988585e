// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-clip-gradients)' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-clip-gradients,pop-clip-gradients)' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-clip-gradients)' --verify-contracts --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 -o /dev/null | FileCheck %s --check-prefix=REMARK
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-clip-gradients)' --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC

// The example of the pass. The attribute is erased, so that a second run does
// nothing. The norm has a name.
//
// LOC: pop.sqrt %{{.+}} : tensor<f32> loc(#[[LOC:.+]])
// LOC: #[[LOC]] = loc("globalNorm_0"(#
// REMARK: remark: [Passed] ClipGradients | Category:pop-graph | gradients=1
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4xf32> {pop.name = "w"}, %[[G:[a-z0-9]+]]: tensor<4xf32>) -> tensor<4xf32> {
// CHECK-NEXT:    %[[SQUARES:.+]] = pop.mul %[[G]], %[[G]] : tensor<4xf32>
// CHECK-NEXT:    %[[SUM:.+]] = pop.reduce sum %[[SQUARES]] {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT:    %[[RAW:.+]] = pop.sqrt %[[SUM]] : tensor<f32>
// CHECK-NEXT:    %[[SCALE:.+]] = pop.constant dense<8.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[NORM:.+]] = pop.div %[[RAW]], %[[SCALE]] : tensor<f32>
// CHECK-NEXT:    %[[LIMIT:.+]] = pop.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT:    %[[MAX:.+]] = pop.max %[[LIMIT]], %[[NORM]] : tensor<f32>
// CHECK-NEXT:    %[[FACTOR:.+]] = pop.div %[[LIMIT]], %[[MAX]] : tensor<f32>
// CHECK-NEXT:    %[[CLIPPED:.+]] = pop.mul %[[G]], %[[FACTOR]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[NEW:.+]] = pop.optimizer_step <sgd0, loss_scale = 8.000000e+00> %[[W]], %[[CLIPPED]]
// CHECK-NEXT:    return %[[NEW]]
func.func @main(%w: tensor<4xf32> {pop.name = "w"}, %g: tensor<4xf32>)
    -> tensor<4xf32> attributes {pop.clip_norms = [#pop.clip_norm<0.5>]} {
  %0 = pop.optimizer_step <sgd0, loss_scale = 8.0> %w, %g
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// Squares are added in f32, of scalars as they are, where the gradients are; the
// norm is where most of them are. Gradients stay in f32. Those with other scales
// have norms of their own first. What is of no group is not clipped.
//
// REMARK: gradients=3
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2x3xf16>, %[[B:[a-z0-9]+]]: tensor<f32>, %[[C:[a-z0-9]+]]: tensor<3xf32>, %[[D:[a-z0-9]+]]: tensor<3xf32>,
// CHECK-SAME:    %[[S:[a-z0-9]+]]: tensor<f32>
// CHECK-NEXT:    %[[GA:.+]] = pop.neg %[[A]] {pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[WIDE:.+]] = pop.cast %[[GA]] {pop.vgraph = 1 : i64} : tensor<2x3xf16> to tensor<2x3xf32>
// CHECK-NEXT:    %[[A2:.+]] = pop.mul %[[WIDE]], %[[WIDE]] {pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[ASUM:.+]] = pop.reduce sum %[[A2]] {axes = array<i64: 0, 1>, pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[BSUM:.+]] = pop.mul %[[B]], %[[B]] {pop.vgraph = 0 : i64} : tensor<f32>
// CHECK-NEXT:    %[[C2:.+]] = pop.mul %[[C]], %[[C]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[CSUM:.+]] = pop.reduce sum %[[C2]] {axes = array<i64: 0>, pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[FIRST:.+]] = pop.sum %[[ASUM]], %[[CSUM]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[ROOT:.+]] = pop.sqrt %[[FIRST]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[EIGHT:.+]] = pop.constant {pop.vgraph = 0 : i64} dense<8.0
// CHECK-NEXT:    %[[N0:.+]] = pop.div %[[ROOT]], %[[EIGHT]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[SECOND:.+]] = pop.sqrt %[[BSUM]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[SCALED:.+]] = pop.div %[[SECOND]], %[[S]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[TWO:.+]] = pop.constant {pop.vgraph = 0 : i64} dense<2.0
// CHECK-NEXT:    %[[N1:.+]] = pop.div %[[SCALED]], %[[TWO]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[N0S:.+]] = pop.mul %[[N0]], %[[N0]]
// CHECK-NEXT:    %[[N1S:.+]] = pop.mul %[[N1]], %[[N1]]
// CHECK-NEXT:    %[[NS:.+]] = pop.sum %[[N0S]], %[[N1S]]
// CHECK-NEXT:    %[[N:.+]] = pop.sqrt %[[NS]]
// CHECK-NEXT:    %[[LIMIT:.+]] = pop.constant {pop.vgraph = 0 : i64} dense<1.0
// CHECK-NEXT:    %[[MAX:.+]] = pop.max %[[LIMIT]], %[[N]]
// CHECK-NEXT:    %[[FACTOR:.+]] = pop.div %[[LIMIT]], %[[MAX]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[GA1:.+]] = pop.cast %[[GA]] {pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[AC:.+]] = pop.mul %[[GA1]], %[[FACTOR]] {pop.vgraph = 1 : i64} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
// CHECK-NEXT:    pop.optimizer_step <sgd0, loss_scale = 4.000000e+00> %[[A]], %[[AC]] {accumulations = 2 : i64, pop.vgraph = 1 : i64} : (tensor<2x3xf16>, tensor<2x3xf32>) -> tensor<2x3xf16>
// CHECK-NEXT:    %[[BC:.+]] = pop.mul %[[B]], %[[FACTOR]]
// CHECK-NEXT:    pop.optimizer_step <sgd0, loss_scale = operand> %[[B]], %[[BC]] settings(%[[S]])
// CHECK-NEXT:    %[[CC:.+]] = pop.mul %[[C]], %[[FACTOR]]
// CHECK-NEXT:    pop.optimizer_step <sgd0, loss_scale = 8.000000e+00, lr = 2.000000e-01> %[[C]], %[[CC]]
// CHECK-NEXT:    pop.optimizer_step <sgd0> %[[D]], %[[D]]
func.func @main(%a: tensor<2x3xf16>, %b: tensor<f32>, %c: tensor<3xf32>, %d: tensor<3xf32>, %s: tensor<f32>)
    -> (tensor<2x3xf16>, tensor<f32>, tensor<3xf32>, tensor<3xf32>)
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["arg2", "arg0", "arg1"]>]} {
  %g = pop.neg %a {pop.vgraph = 1 : i64} : tensor<2x3xf16>
  %0 = pop.optimizer_step <sgd0, loss_scale = 4.0> %a, %g {accumulations = 2 : i64, pop.vgraph = 1 : i64} : (tensor<2x3xf16>, tensor<2x3xf16>) -> tensor<2x3xf16>
  %1 = pop.optimizer_step <sgd0, loss_scale = operand> %b, %b settings(%s) {accumulations = 2 : i64, pop.vgraph = 0 : i64} : (tensor<f32>, tensor<f32>, tensor<f32>) -> tensor<f32>
  %2 = pop.optimizer_step <sgd0, loss_scale = 8.0, lr = 0.2> %c, %c {pop.vgraph = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  %3 = pop.optimizer_step <sgd0> %d, %d {pop.vgraph = 0 : i64} : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xf32>
  return %0, %1, %2, %3 : tensor<2x3xf16>, tensor<f32>, tensor<3xf32>, tensor<3xf32>
}

// -----

// Updates wait for the last gradient, together with what depends on them: the
// write of the weight, and what reads that. What empties the accumulator does so
// after the update, which needs no copy of it then. Norms of f64 are in f64, and
// are done when the updates are.
//
// REMARK: gradients=2
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<2xf32>
// CHECK-NEXT:    %[[W:.+]] = pop.get_variable @w
// CHECK-NEXT:    %[[A:.+]] = pop.get_variable @a
// CHECK-NEXT:    %[[V:.+]] = pop.read %[[W]]
// CHECK-NEXT:    %[[G:.+]] = pop.read %[[A]]
// CHECK-NEXT:    %[[ZERO:.+]] = pop.constant
// CHECK-NEXT:    %[[U:.+]] = pop.cast %[[X]]
// CHECK-NEXT:    %[[H:.+]] = pop.neg %[[U]]
// CHECK:         pop.reduce sum %{{.+}} {axes = array<i64: 0>, pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<2xf32> -> tensor<f32>
// CHECK-NEXT:    pop.cast %{{.+}} {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<f32> to tensor<f64>
// CHECK:         pop.reduce sum {{.+}} : tensor<2xf64> -> tensor<f64>
// CHECK:         %[[FACTOR:.+]] = pop.div {{.+}}accumulate_outer>} : tensor<f64>
// CHECK-NEXT:    pop.copy_ %[[A]], %[[ZERO]]
// CHECK-NEXT:    %[[NARROW:.+]] = pop.cast %[[FACTOR]] {{.+}} : tensor<f64> to tensor<f32>
// CHECK-NEXT:    %[[GC:.+]] = pop.mul %[[G]], %[[NARROW]]
// CHECK-NEXT:    %[[NEW:.+]] = pop.optimizer_step <sgd0> %[[V]], %[[GC]]
// CHECK-NEXT:    pop.copy_ %[[W]], %[[NEW]]
// CHECK-NEXT:    %[[AGAIN:.+]] = pop.read %[[W]]
// CHECK-NEXT:    %[[HC:.+]] = pop.mul %[[H]], %[[FACTOR]]
// CHECK-NEXT:    pop.optimizer_step <sgd0> %[[U]], %[[HC]]
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
pop.variable @a : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf64>)
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %a = pop.get_variable @a : !pop.ref<2xf32>
  %v = pop.read %w : !pop.ref<2xf32>
  %g = pop.read %a : !pop.ref<2xf32>
  %zero = pop.constant dense<0.0> : tensor<2xf32>
  pop.copy_ %a, %zero : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.optimizer_step <sgd0> %v, %g {pop.execution_context = #pop<execution_context accumulate_outer>} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  pop.copy_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
  %again = pop.read %w : !pop.ref<2xf32>
  %u = pop.cast %x : tensor<2xf32> to tensor<2xf64>
  %h = pop.neg %u : tensor<2xf64>
  %1 = pop.optimizer_step <sgd0> %u, %h {pop.execution_context = #pop<execution_context accumulate_outer>} : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %again, %1 : tensor<2xf32>, tensor<2xf64>
}

// -----

// A gradient that is read after its accumulator was emptied can still be clipped
// with the one before: the write does not wait then.
//
// REMARK: gradients=2
// CHECK-LABEL: func.func @main(
// CHECK:         %[[A:.+]] = pop.get_variable @a
// CHECK-NEXT:    %[[G:.+]] = pop.read %[[A]]
// CHECK-NEXT:    pop.copy_ %[[A]]
// CHECK-NEXT:    %[[H:.+]] = pop.read %[[A]]
// CHECK-NEXT:    pop.mul %[[G]], %[[G]]
pop.variable @a : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
  %a = pop.get_variable @a : !pop.ref<2xf32>
  %g = pop.read %a : !pop.ref<2xf32>
  pop.copy_ %a, %x : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.optimizer_step <sgd0> %x, %g : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %h = pop.read %a : !pop.ref<2xf32>
  %1 = pop.optimizer_step <sgd0> %x, %h : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// Weights that are merged are known by the names of their parts, which may be
// streams, too. Another function that has steps is clipped, too; one that was
// differentiated has none.
//
// REMARK: gradients=1
// REMARK: gradients=1
// CHECK-LABEL: func.func @other(
// CHECK:         %[[U:.+]] = pop.host_load @u
// CHECK:         pop.constant dense<2.000000e+00>
// CHECK:         %[[C:.+]] = pop.mul %{{.+}}, %{{.+}} : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
// CHECK-NEXT:    pop.optimizer_step <sgd0> %{{.+}}, %[[C]]
pop.stream @u host_to_device : tensor<2xf32>
pop.variable @v : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @other(%w: tensor<2x2xf32>, %g: tensor<6xf32>) -> tensor<6xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<2.0, ["u", "v", "arg0"]>]} {
  %u = pop.host_load @u : tensor<2xf32>
  %r = pop.get_variable @v : !pop.ref<2xf32>
  %v = pop.read %r : !pop.ref<2xf32>
  %f = pop.reshape %w : tensor<2x2xf32> to tensor<4xf32>
  %s = pop.slice %f {sizes = array<i64: 2>, starts = array<i64: 2>, steps = array<i64: 1>} : tensor<4xf32> -> tensor<2xf32>
  %c = pop.concat %u, %v, %s {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<6xf32>
  %0 = pop.optimizer_step <sgd0> %c, %g : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
  return %0 : tensor<6xf32>
}
func.func private @loss(%w: tensor<2xf32> {pop.name = "w"})
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["w"]>]} {
  return
}
func.func @main(%w: tensor<2xf32> {pop.name = "w"}) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["w"]>]} {
  %0 = pop.optimizer_step <sgd0> %w, %w : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// Steps may be in a loop, and loss scales come as late as gradients.
//
// REMARK: gradients=2
// CHECK-LABEL: func.func @main(
// CHECK:         scf.for
// CHECK-NEXT:      %[[SCALE:.+]] = pop.exp
// CHECK-NEXT:      pop.mul
// CHECK:           pop.div %{{.+}}, %[[SCALE]]
// CHECK:           pop.optimizer_step
// CHECK:           pop.optimizer_step
// CHECK:           scf.yield
func.func @main(%w: tensor<2xf32>, %s: tensor<f32>) -> tensor<2xf32>
    attributes {pop.clip_norms = [#pop.clip_norm<1.0>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%v = %w) -> (tensor<2xf32>) {
    %1 = pop.optimizer_step <sgd0> %v, %v : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    %scale = pop.exp %s : tensor<f32>
    %2 = pop.optimizer_step <sgd0, loss_scale = operand> %1, %v settings(%scale) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
