// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-optimizer{func=scalar},pop-automatic-loss-scale{func=scalar})" | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-optimizer{func=scalar},pop-automatic-loss-scale{func=scalar track=contractions})" | FileCheck %s --check-prefix=CONTRACTIONS
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-optimizer{func=scalar},pop-automatic-loss-scale{func=scalar track=marked bin-edge=0.5 threshold=0.5})" | FileCheck %s --check-prefix=MARKED
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-optimizer{func=scalar},pop-automatic-loss-scale{func=scalar track=marked update-period=3})" | FileCheck %s --check-prefix=PERIOD
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-optimizer{func=scalar accumulation-factor=2},pop-automatic-loss-scale{func=scalar track=marked})" | FileCheck %s --check-prefix=PARTS
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-optimizer{func=streamed},pop-automatic-loss-scale{func=streamed})" | FileCheck %s --check-prefix=STREAMED

// The loss and what the optimizer divides by have the same factor. All gradients
// of f16 are counted, but for views and what does not depend on the scale; those
// of f32 are not.
//
// CHECK-LABEL: func.func @scalar(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4x4xf16> {{{[^%]*}}}, %[[X:[a-z0-9]+]]: tensor<2x4xf16>
// CHECK-SAME:    %[[FACTOR:[a-z0-9]+]]: tensor<f32> {pop.default = dense<1.000000e+00> : tensor<f32>, pop.name = "LossScaleFactor___"})
// CHECK-SAME:    tensor<f32> {pop.name = "Updated___LossScaleFactor___", pop.updates = #pop.graph_value<argument 2>}
// CHECK-NEXT:    %[[ONE:.+]] = pop.constant dense<1.280000e+02> : tensor<f32>
// CHECK-NEXT:    %[[SCALE:.+]] = pop.mul %[[ONE]], %[[FACTOR]] : tensor<f32>
// CHECK-NEXT:    %[[NARROW:.+]] = pop.cast %[[SCALE]] : tensor<f32> to tensor<f16>
// CHECK-NEXT:    %[[DY:.+]] = pop.loss_scale %[[NARROW]] : tensor<f16>
// CHECK-NEXT:    %[[DYS:.+]] = pop.expand %[[DY]]
// CHECK-NEXT:    pop.transpose
// CHECK-NEXT:    %[[WIDE:.+]] = pop.matmul
// CHECK-NEXT:    %[[G:.+]] = pop.cast %[[WIDE]] {pop.vgraph = 0 : i64} : tensor<4x4xf32> to tensor<4x4xf16>
// CHECK-NEXT:    %[[EDGE:.+]] = pop.constant {pop.vgraph = 0 : i64} dense<8.188000e+03> : tensor<f16>
// CHECK-NEXT:    %[[SIZE:.+]] = pop.abs %[[G]] {pop.vgraph = 0 : i64} : tensor<4x4xf16>
// CHECK-NEXT:    %[[BELOW:.+]] = pop.less_equal %[[SIZE]], %[[EDGE]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[ABOVE:.+]] = pop.not %[[BELOW]] {pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[ONES:.+]] = pop.cast %[[ABOVE]] {pop.vgraph = 0 : i64} : tensor<4x4xi1> to tensor<4x4xf32>
// CHECK-NEXT:    %[[COUNT:.+]] = pop.reduce sum %[[ONES]] {axes = array<i64: 0, 1>, pop.vgraph = 0 : i64}
// CHECK-NEXT:    %[[BASE:.+]] = pop.constant dense<1.280000e+02> : tensor<f32>
// CHECK-NEXT:    %[[LS:.+]] = pop.mul %[[BASE]], %[[FACTOR]]
// CHECK-NEXT:    %[[NEW:.+]] = pop.optimizer_step <sgd0, loss_scale = operand, lr = 1.000000e-01> %[[W]], %[[G]] settings(%[[LS]])
// CHECK-NEXT:    %[[LIMIT:.+]] = pop.constant dense<1.600000e-06>
// CHECK-NEXT:    %[[EXCESS:.+]] = pop.sub %[[COUNT]], %[[LIMIT]]
// CHECK-NEXT:    %[[MEAN:.+]] = pop.all_reduce mean %[[EXCESS]]
// CHECK-NEXT:    %[[ZERO:.+]] = pop.constant dense<0.000000e+00>
// CHECK-NEXT:    %[[MANY:.+]] = pop.greater %[[MEAN]], %[[ZERO]]
// CHECK-NEXT:    %[[HALF:.+]] = pop.constant dense<5.000000e-01>
// CHECK-NEXT:    %[[TWO:.+]] = pop.constant dense<2.000000e+00>
// CHECK-NEXT:    %[[CHANGE:.+]] = pop.select %[[MANY]], %[[HALF]], %[[TWO]]
// CHECK-NEXT:    %[[CHANGED:.+]] = pop.mul %[[FACTOR]], %[[CHANGE]]
// CHECK-NEXT:    %[[MOST:.+]] = pop.constant dense<1.84467441E+19>
// CHECK-NEXT:    %[[BELOW:.+]] = pop.min %[[CHANGED]], %[[MOST]]
// CHECK-NEXT:    %[[LEAST:.+]] = pop.constant dense<5.42101086E-20>
// CHECK-NEXT:    %[[NEXT:.+]] = pop.max %[[BELOW]], %[[LEAST]]
// CHECK-NEXT:    return %[[NEW]], %[[NEXT]]

// Where the result of a contraction is narrowed it counts.
//
// CONTRACTIONS-LABEL: func.func @scalar(
// CONTRACTIONS-COUNT-1: pop.abs %{{.+}} : tensor<4x4xf16>
// CONTRACTIONS-NOT:     pop.abs

// The edge and the limit are the options'.
//
// MARKED-LABEL: func.func @scalar(
// MARKED-NOT:     pop.abs
// MARKED:         %[[G:.+]] = pop.cast %{{.+}} : tensor<4x4xf32> to tensor<4x4xf16>
// MARKED:         pop.constant {{.*}}dense<3.275200e+04> : tensor<f16>
// MARKED-NEXT:    pop.abs %[[G]]
// MARKED-NOT:     pop.auto_loss_scale_proxy
// MARKED:         pop.constant dense<8.000000e+00> : tensor<f32>
// MARKED:         return

// Gradients are counted at one of three updates, and the factor changes there.
//
// PERIOD-LABEL: func.func @scalar(
// PERIOD-SAME:    %[[FACTOR:[a-z0-9]+]]: tensor<f32> {{[^%]*}}pop.name = "LossScaleFactor___"
// PERIOD-SAME:    %[[UPDATE:[a-z0-9]+]]: tensor<f32> {{[^%]*}}pop.name = "LossScalePeriod___"
// PERIOD:         %[[IS:.+]] = pop.less %[[UPDATE]], %{{.+}}
// PERIOD:         %[[CONDITION:.+]] = tensor.extract %[[IS]][]
// PERIOD:         scf.if %[[CONDITION]] -> (tensor<f32>) {
// PERIOD:           pop.abs
// PERIOD:         } else {
// PERIOD-NEXT:      pop.constant {{.*}}dense<0.0
// PERIOD:         }
// PERIOD:         pop.mul %[[FACTOR]], %{{.+}} : tensor<f32>
// PERIOD:         %[[CHANGED:.+]] = pop.max
// PERIOD:         %[[AGAIN:.+]] = pop.less %[[UPDATE]]
// PERIOD:         %[[NEXT:.+]] = pop.select %[[AGAIN]], %[[CHANGED]], %[[FACTOR]]
// PERIOD:         %[[NUMBER:.+]] = pop.rem
// PERIOD:         return %{{.+}}, %[[NUMBER]], %[[NEXT]]

// What parts of a batch exceed is added before the update.
//
// PARTS-LABEL: func.func @scalar(
// PARTS-SAME:    %[[SUM:[a-z0-9]+]]: tensor<f32> {{[^%]*}}pop.name = "LossScaleExcess___"
// PARTS:         %[[EXCESS:.+]] = pop.sub %{{.+}}, %{{.+}} : tensor<f32>
// PARTS-NEXT:    %[[ALL:.+]] = pop.accumulate add %[[SUM]], %[[EXCESS]] : tensor<f32>, tensor<f32>
// PARTS-NEXT:    %[[ZERO:.+]] = pop.constant {pop.execution_context = #pop<execution_context accumulate_outer>} dense<0.0
// PARTS-NEXT:    pop.all_reduce mean %[[ALL]] {pop.execution_context = #pop<execution_context accumulate_outer>}
func.func @scalar(%w: tensor<4x4xf16> {pop.name = "w", pop.optimizer = #pop.optimizer<sgd0, lr = 0.1, loss_scale = 128>}, %x: tensor<2x4xf16>)
    -> (tensor<4x4xf16> {pop.gradient_of = #pop.graph_value<argument 0>}) {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  %1 = pop.expand %0 : tensor<f16> to tensor<2x4xf16>
  %2 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x4xf16> -> tensor<4x2xf16>
  %3 = pop.matmul %2, %1 : (tensor<4x2xf16>, tensor<2x4xf16>) -> tensor<4x4xf32>
  %4 = pop.cast %3 {pop.vgraph = 0 : i64} : tensor<4x4xf32> to tensor<4x4xf16>
  %5 = pop.auto_loss_scale_proxy %4 {gradient} : tensor<4x4xf16>
  return %5 : tensor<4x4xf16>
}

// A scale that the host gives is multiplied, once for all weights. States of
// weights that are variables are variables, and are read where they are used.
//
// STREAMED:       pop.variable @LossScaleFactor___ : tensor<f32> = dense<1.000000e+00>
// STREAMED-LABEL: func.func @streamed(
// STREAMED:         %[[FACTOR:.+]] = pop.get_variable @LossScaleFactor___
// STREAMED:         %[[GIVEN:.+]] = pop.host_load @scale : tensor<f32>
// STREAMED:         %[[SCALE:.+]] = pop.mul %{{.+}}, %[[GIVEN]]
// STREAMED:         %[[READ:.+]] = pop.read %[[FACTOR]]
// STREAMED:         %[[SCALED:.+]] = pop.mul %[[SCALE]], %[[READ]]
// STREAMED-NEXT:    %[[NARROW:.+]] = pop.cast %[[SCALED]]
// STREAMED-NEXT:    pop.loss_scale %[[NARROW]]
// STREAMED:         %[[AGAIN:.+]] = pop.read %[[FACTOR]]
// STREAMED:         %[[LS:.+]] = pop.mul %[[GIVEN]], %[[AGAIN]]
// STREAMED-COUNT-2: pop.optimizer_step <sgd0, loss_scale = operand> %{{.+}}, %{{.+}} settings(%[[LS]])
// STREAMED:         pop.copy_ %[[FACTOR]], %{{.+}} : !pop.ref<f32>, tensor<f32>
// STREAMED:         return
pop.variable @u : tensor<2xf16> = dense<1.0> : tensor<2xf16>
pop.variable @v : tensor<2xf16> = dense<1.0> : tensor<2xf16>
func.func @streamed(%x: tensor<2xf16>)
    -> (tensor<2xf16> {pop.gradient_of = #pop.graph_value<variable @u>},
        tensor<2xf16> {pop.gradient_of = #pop.graph_value<variable @v>})
    attributes {pop.optimizer = #pop.optimizer<sgd0, loss_scale = @scale>} {
  %one = pop.constant dense<1.0> : tensor<f16>
  %0 = pop.loss_scale %one : tensor<f16>
  %1 = pop.mul %x, %0 : (tensor<2xf16>, tensor<f16>) -> tensor<2xf16>
  %2 = pop.add %1, %1 : tensor<2xf16>
  return %1, %2 : tensor<2xf16>, tensor<2xf16>
}

func.func @main() {
  return
}
