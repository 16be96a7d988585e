// RUN: ipu-opt %s --split-input-file --pop-merge-loops | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-merge-loops --remarks-filter=pop-graph --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Loops that write different variables are merged, and so are their equal reads. A loop
// that reads what the first one writes is not.
// CHECK-LABEL: func.func @variables
// CHECK: scf.for
// CHECK: pop.read
// CHECK-NOT: pop.read
// CHECK: pop.add_ %[[V:.*]], %{{.*}} :
// CHECK: pop.add_ %[[W:.*]], %{{.*}} :
// CHECK: scf.for
// CHECK: pop.read %[[V]]
// REMARK: [Passed] MergeLoops
// REMARK: [Missed] MergeLoops{{.*}}their effects conflict
pop.variable @u : tensor<2xf32> = dense<0.0> : tensor<2xf32>
pop.variable @v : tensor<2xf32> = dense<0.0> : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @variables() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %u = pop.get_variable @u : !pop.ref<2xf32>
  %v = pop.get_variable @v : !pop.ref<2xf32>
  %w = pop.get_variable @w : !pop.ref<2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = pop.read %u : !pop.ref<2xf32>
    pop.add_ %v, %0 : !pop.ref<2xf32>, tensor<2xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = pop.read %u : !pop.ref<2xf32>
    pop.add_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = pop.read %v : !pop.ref<2xf32>
    pop.sub_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// Transfers of one stream stay in order.
// CHECK-LABEL: func.func @streams
// CHECK-COUNT-2: scf.for
pop.stream @x host_to_device : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @streams() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %w = pop.get_variable @w : !pop.ref<2xf32>
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = pop.host_load @x : tensor<2xf32>
    pop.add_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %0 = pop.host_load @x : tensor<2xf32>
    pop.sub_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// Random bits depend on the number of advances, which end each body.
// CHECK-LABEL: func.func @draws
// CHECK: scf.for
// CHECK: pop.advance_draws
// CHECK: scf.for
// REMARK: [Missed] MergeLoops{{.*}}both draw random bits
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @draws(%x: tensor<2xf16>, %y: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf16> {
      %2 = pop.exp %a : tensor<2xf16>
      scf.yield %2 : tensor<2xf16>
    }
    %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %y) -> tensor<2xf16> {
      %2 = pop.exp %a : tensor<2xf16>
      scf.yield %2 : tensor<2xf16>
    }
    return %0, %1 : tensor<2xf16>, tensor<2xf16>
  }
}

// -----

// Loops on different virtual graphs stay apart.
// CHECK-LABEL: func.func @placed
// CHECK-COUNT-2: scf.for
// REMARK: [Missed] MergeLoops{{.*}}their attributes differ
func.func @placed(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %2 = pop.exp %a : tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  } {pop.vgraph = 0 : i64}
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %2 = pop.exp %a : tensor<2xf32>
    scf.yield %2 : tensor<2xf32>
  } {pop.vgraph = 1 : i64}
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}
