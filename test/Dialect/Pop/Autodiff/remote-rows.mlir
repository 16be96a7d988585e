// RUN: ipu-opt %s --split-input-file --pop-autodiff='caller=train' --verify-diagnostics | FileCheck %s
// RUN: ipu-opt %s --pop-autodiff='caller=train required=@w' --pop-add-optimizer='func=train' | FileCheck %s --check-prefix=OPT

// The gradient of a variable in a row of a remote buffer is that of its loads.
// The backward graph loads the row again.

// CHECK-LABEL: func.func private @main_backward
// CHECK-SAME: (%[[G:.*]]: tensor<2xf32>{{.*}}, %[[X:.*]]: tensor<2xf32>
// CHECK-DAG: %[[W:.*]] = pop.remote_load @b[1] : tensor<2xf32>
// CHECK-DAG: %[[DX:.*]] = pop.mul %[[G]], %[[W]]
// CHECK-DAG: %[[DW:.*]] = pop.mul %[[G]], %[[X]]
// CHECK: return %[[DX]], %[[DW]]
// CHECK-NOT: pop.get_variable
// CHECK-LABEL: func.func @train
// CHECK-SAME: pop.gradient_of = #pop.graph_value<variable @w>

// The update loads and stores the row.

// OPT-LABEL: func.func @train
// OPT: pop.remote_load @b[1]
// OPT: pop.optimizer_step
// OPT: pop.remote_store %{{.*}}, @b[1]
pop.remote_buffer @b : 2 x tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<3.0> : tensor<2xf32> {buffer = @b, row = 1 : i64, pop.optimizer = #pop.optimizer<sgd0, lr = 0.5>}
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.remote_load @b[1] : tensor<2xf32>
  %1 = pop.mul %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
