// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=loss tensors=y,w})" | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=loss tensors=y,y})" 2>&1 | FileCheck %s --check-prefix=TWICE
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=loss})" 2>&1 | FileCheck %s --check-prefix=EMPTY
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=loss tensors=a,y,b})" 2>&1 | FileCheck %s --check-prefix=MISSING
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=loss tensors=labels})" 2>&1 | FileCheck %s --check-prefix=TYPE
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=none tensors=y})" 2>&1 | FileCheck %s --check-prefix=FUNCTION
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=loss tensors=y,w},pop-autodiff{func=loss required=w caller=main},inline,symbol-dce)" | FileCheck %s --check-prefix=GRADIENT
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=loss tensors=y},func.func(pop-decompose))" | FileCheck %s --check-prefix=DECOMPOSE
// RUN: ipu-opt %s --verify-contracts --pass-pipeline="builtin.module(pop-pre-automatic-loss-scale{func=placed tensors=w})" | FileCheck %s --check-prefix=PLACED

// TWICE: warning: 'pop-pre-automatic-loss-scale' got tensor 'y' more than once
// TWICE-COUNT-1: pop.auto_loss_scale_proxy
// TWICE-NOT: pop.auto_loss_scale_proxy
// EMPTY: error: 'func.func' op has no tensors to track; 'pop-pre-automatic-loss-scale' expects names in option 'tensors'
// MISSING: error: 'func.func' op expects tensors 'a', 'b', whose gradients should be tracked, but has no such tensors
// TYPE: error: 'func.func' op has tensor 'labels' of type 'tensor<2xi32>', whose gradient should be tracked; expects a tensor of floats
// TYPE: note: the tensor is defined here
// FUNCTION: error: 'pop-pre-automatic-loss-scale' expects function 'none' with a body of one block

// All uses of the tensors go through the proxies, which inherit placements.
//
// CHECK-LABEL: func.func private @loss(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4x4xf16>
// CHECK-NEXT:    %[[PW:.+]] = pop.auto_loss_scale_proxy %[[W]] {pop.vgraph = 1 : i64} : tensor<4x4xf16>
// CHECK-NEXT:    %[[Y:.+]] = pop.matmul %{{.+}}, %[[PW]]
// CHECK-NEXT:    %[[PY:.+]] = pop.auto_loss_scale_proxy %[[Y]] {pop.vgraph = 1 : i64} : tensor<2x4xf16>
// CHECK-NEXT:    pop.relu %[[PY]]

// The gradients of the tensors go through proxies with a mark.
//
// GRADIENT-LABEL: func.func @main(
// GRADIENT:         pop.select
// GRADIENT:         %[[DY:.+]] = pop.auto_loss_scale_proxy %{{.+}} {gradient{{.*}}} : tensor<2x4xf16>
// GRADIENT:         pop.matmul %{{.+}}, %[[DY]]
// GRADIENT:         %[[DW:.+]] = pop.auto_loss_scale_proxy %{{.+}} {gradient{{.*}}} : tensor<4x4xf16>
// GRADIENT:         return %{{.+}}, %[[DW]]

// DECOMPOSE-LABEL: func.func private @loss(
// DECOMPOSE-NOT:     pop.auto_loss_scale_proxy
// DECOMPOSE:         return
func.func private @loss(%w: tensor<4x4xf16> {pop.name = "w"}, %x: tensor<2x4xf16>, %labels: tensor<2xi32> {pop.name = "labels"}) -> tensor<f16> {
  %0 = pop.matmul %x, %w {pop.vgraph = 1 : i64} : (tensor<2x4xf16>, tensor<4x4xf16>) -> tensor<2x4xf16> loc("y")
  %1 = pop.relu %0 : tensor<2x4xf16>
  %2 = pop.identity_loss sum %1 : tensor<2x4xf16> -> tensor<f16>
  return %2 : tensor<f16>
}

// The proxy of an argument is where the argument is, and has the stage of the first
// op there that uses it.
//
// PLACED-LABEL: func.func private @placed(
// PLACED-NEXT:    pop.auto_loss_scale_proxy %{{.+}} {pop.stage = 2 : i64, pop.vgraph = 1 : i64}
func.func private @placed(%w: tensor<4xf16> {pop.name = "w", pop.vgraph = 1 : i64}) -> tensor<4xf16> {
  %0 = pop.tanh %w {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf16>
  %1 = pop.mul %w, %0 {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<4xf16>
  return %1 : tensor<4xf16>
}
