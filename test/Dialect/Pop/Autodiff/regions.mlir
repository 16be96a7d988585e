// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=safe_add_fwd_outputs})' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f stitch=safe_add_fwd_outputs regions=recompute})' | FileCheck %s --check-prefix=RECOMPUTE

// A loop keeps what its iterations need in buffers with a row for each, and the
// backward loop takes the rows from the last one on. It carries the gradient of
// what the forward loop carries, and that of what this captures.
//
// CHECK-LABEL: func.func private @f(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[W:.+]]: tensor<4xf32>) -> (tensor<4xf32>, tensor<3x4xf32>, tensor<3x4xf32>)
// CHECK:         %[[LOOP:.+]]:3 = scf.for %[[I:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[A:.+]] = %[[X]], %[[AS:.+]] = %{{.+}}, %[[TS:.+]] = %{{.+}})
// CHECK-NEXT:      %[[Z:.+]] = pop.mul %[[A]], %[[W]]
// CHECK-NEXT:      %[[T:.+]] = pop.tanh %[[Z]]
// CHECK-NEXT:      %[[IT:.+]] = pop.from_scalar %[[I]]
// CHECK-NEXT:      %[[ROW:.+]] = pop.reshape %[[IT]]
// CHECK-NEXT:      %[[A1:.+]] = pop.reshape %[[T]]
// CHECK-NEXT:      %[[AS1:.+]] = pop.dynamic_update %[[AS]], %[[A1]][%[[ROW]]]
// CHECK-NEXT:      %[[T1:.+]] = pop.reshape %[[A]]
// CHECK-NEXT:      %[[TS1:.+]] = pop.dynamic_update %[[TS]], %[[T1]][%[[ROW]]]
// CHECK-NEXT:      scf.yield %[[T]], %[[AS1]], %[[TS1]]
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         %[[ZERO:.+]] = pop.constant dense<0.000000e+00> : tensor<4xf32>
// CHECK:         %[[GRADIENTS:.+]]:2 = scf.for %[[K:.+]] = %{{.+}} to %{{.+}} step %{{.+}} iter_args(%[[DA:.+]] = %{{.+}}, %[[DW:.+]] = %[[ZERO]])
// CHECK:           %[[LAST:.+]] = pop.constant dense<2> : tensor<i32>
// CHECK:           pop.sub %[[LAST]], %{{.+}} : tensor<i32>
// CHECK-COUNT-2:   pop.dynamic_slice
// CHECK:           %[[DW1:.+]] = pop.sum %[[DW]], %{{.+}}
// CHECK:           scf.yield %{{.+}}, %[[DW1]]
// CHECK:         return %[[GRADIENTS]]#0, %[[GRADIENTS]]#1

// The loop keeps what it carries; the rest is computed again.
//
// RECOMPUTE-LABEL: func.func private @f(
// RECOMPUTE-SAME:    -> (tensor<4xf32>, tensor<3x4xf32>)
// RECOMPUTE-LABEL: func.func private @f_backward(
// RECOMPUTE:         scf.for
// RECOMPUTE:           pop.dynamic_slice
// RECOMPUTE-NOT:       pop.dynamic_slice
// RECOMPUTE:           %[[Z:.+]] = pop.mul
// RECOMPUTE:           pop.tanh %[[Z]]
func.func private @f(%x: tensor<4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = pop.mul %a, %w : tensor<4xf32>
    %2 = pop.tanh %1 : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @main() {
  return
}

// -----

// A branch keeps what one of its regions needs; the others give zeros for it.
//
// CHECK-LABEL: func.func private @f(
// CHECK:         %[[IF:.+]]:2 = scf.if
// CHECK:           %[[T:.+]] = pop.tanh
// CHECK:           %[[U:.+]] = pop.mul %[[T]], %[[T]]
// CHECK-NEXT:      scf.yield %[[U]], %[[T]]
// CHECK:         else
// CHECK-NEXT:      %[[ZERO:.+]] = pop.constant dense<0.000000e+00>
// CHECK-NEXT:      scf.yield %{{.+}}, %[[ZERO]]
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32>
// CHECK:         %[[DX:.+]] = scf.if %{{.+}} -> (tensor<4xf32>)
// CHECK:         else
// CHECK-NEXT:      scf.yield %[[DY]]
// CHECK:         return %[[DX]]
func.func private @f(%x: tensor<4xf32>, %p: tensor<i1>) -> tensor<4xf32> {
  %c = tensor.extract %p[] : tensor<i1>
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = pop.tanh %x : tensor<4xf32>
    %2 = pop.mul %1, %1 : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  } else {
    scf.yield %x : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @main() {
  return
}

// -----

// A sequence is differentiated as the ops in it, which need no order.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-NOT:     pop.in_sequence
// CHECK:         pop.mul
// CHECK:         return
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.in_sequence {
    %1 = pop.exp %x : tensor<4xf32>
    %2 = pop.neg %1 : tensor<4xf32>
    pop.yield %2 : tensor<4xf32>
  } : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main() {
  return
}

// -----

// The gradient of the product needs the reshaped value, and that of the tanh
// needs the value. Only the value is kept, and it is reshaped again.
//
// CHECK-LABEL: func.func private @f(
// CHECK:         %[[LOOP:.+]]:2 = scf.for {{.*}} -> (tensor<4xf32>, tensor<3x4xf32>)
// CHECK:           %[[T:.+]] = pop.tanh
// CHECK:           %[[ROW:.+]] = pop.reshape %[[T]] : tensor<4xf32> to tensor<1x4xf32>
// CHECK:           pop.dynamic_update
// CHECK-NOT:       pop.dynamic_update
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         scf.for
// CHECK:           %[[ROW:.+]] = pop.dynamic_slice
// CHECK:           %[[KEPT:.+]] = pop.reshape %[[ROW]] : tensor<1x4xf32> to tensor<4xf32>
// CHECK:           pop.reshape %[[KEPT]] : tensor<4xf32> to tensor<2x2xf32>
// CHECK-NOT:       pop.dynamic_slice
// CHECK:         return
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %1 = pop.tanh %a : tensor<4xf32>
    %2 = pop.reshape %1 : tensor<4xf32> to tensor<2x2xf32>
    %3 = pop.mul %2, %2 : tensor<2x2xf32>
    %4 = pop.reshape %3 : tensor<2x2xf32> to tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @main() {
  return
}
