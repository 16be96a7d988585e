// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f provided=#0},pop-verify-contracts{conditions=VGRAPH,PSTAGE,NO_IMPLICIT_COPY})' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f provided=#0 caller=main},inline,symbol-dce,func.func(pop-canonicalize,pop-cse),pop-verify-contracts{conditions=VGRAPH,PSTAGE,NO_IMPLICIT_COPY})' | FileCheck %s --check-prefix=CALLER

// Stage s of 2 stages has its gradients in stage 3 - s. The gradient of a copy
// from 0 to 1 is a copy from 1 to 0. The gradients of @w, which two ops use,
// are added on its IPU.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:.+]]: tensor<4x4xf32> {pop.gradient_of = #pop.graph_value<result 0>, pop.vgraph = 1 : i64}
// CHECK-SAME:    %{{.+}}: tensor<4x4xf32> {pop.forward_value = #pop.graph_value<argument 0>, pop.vgraph = 0 : i64}
// CHECK-DAG:     pop.get_variable @w : 
// CHECK-DAG:     pop.read %{{.+}} {pop.stage = 1 : i64, pop.training_role = "recomputed", pop.vgraph = 1 : i64}
// CHECK:         pop.matmul %[[DY]], %{{.+}} {pop.stage = 2 : i64, pop.training_role = "backward", pop.vgraph = 1 : i64}
// CHECK:         pop.ipu_copy %{{.+}} from 1 to 0 {pop.stage = 3 : i64, pop.training_role = "backward"}
// CHECK:         pop.sum %{{.+}} {pop.stage = 2 : i64, pop.training_role = "backward", pop.vgraph = 1 : i64}
// CHECK:         pop.mul %{{.+}} {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}

// Each matmul of the forward pass is there once, although the backward graph
// computes the first one again: 2 products, and 2 gradients of each but that of
// the unplaced argument.
//
// CALLER-LABEL: func.func @main
// CALLER:         pop.matmul {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CALLER:         pop.matmul {{.*}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CALLER:         pop.loss_scale %{{.+}} {pop.stage = 2 : i64, pop.training_role = "backward", pop.vgraph = 1 : i64}
// CALLER-COUNT-4: pop.matmul {{.*}}pop.training_role = "backward"
// CALLER-NOT:     pop.matmul
pop.variable @w : tensor<4x4xf32> = dense<0.5> : tensor<4x4xf32> {pop.vgraph = 1 : i64}
func.func private @f(%x: tensor<4x4xf32> {pop.vgraph = 0 : i64}) -> tensor<4x4xf32> {
  %r = pop.get_variable @w : !pop.ref<4x4xf32>
  %0 = pop.sin %x {pop.vgraph = 0 : i64, pop.stage = 0 : i64} : tensor<4x4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 0 : i64} : tensor<4x4xf32>
  %w = pop.read %r {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : !pop.ref<4x4xf32>
  %2 = pop.matmul %1, %w {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = pop.matmul %2, %w {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// The sum of the gradients of %x is on the IPU from which the copies read it,
// although the argument states none.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-DAG:     %[[A:.+]] = pop.ipu_copy %{{.+}} from 1 to 0 {pop.stage = 5 : i64, pop.training_role = "backward"}
// CHECK-DAG:     %[[B:.+]] = pop.ipu_copy %{{.+}} from 2 to 0 {pop.stage = 5 : i64, pop.training_role = "backward"}
// CHECK:         pop.sum %{{.+}} {pop.stage = 5 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}

// CALLER-LABEL: func.func @main
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.ipu_copy %x from 0 to 1 {pop.stage = 0 : i64} : tensor<4xf32>
  %1 = pop.sin %0 {pop.vgraph = 1 : i64, pop.stage = 1 : i64} : tensor<4xf32>
  %2 = pop.ipu_copy %x from 0 to 2 {pop.stage = 0 : i64} : tensor<4xf32>
  %3 = pop.cos %2 {pop.vgraph = 2 : i64, pop.stage = 2 : i64} : tensor<4xf32>
  %4 = pop.ipu_copy %1 from 1 to 2 {pop.stage = 1 : i64} : tensor<4xf32>
  %5 = pop.mul %4, %3 {pop.vgraph = 2 : i64, pop.stage = 2 : i64} : tensor<4xf32>
  return %5 : tensor<4xf32>
}

// -----

// Two ops read a copy of %0, and one op reads %0: the gradients are summed on
// the IPU of %0, in the order of the program without copies.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         %[[COS:.+]] = pop.ipu_copy %{{.+}} from 1 to 0 {pop.stage = 5 : i64, pop.training_role = "backward"}
// CHECK:         %[[SIN:.+]] = pop.ipu_copy %{{.+}} from 1 to 0 {pop.stage = 5 : i64, pop.training_role = "backward"}
// CHECK:         pop.sum %{{[^,]+}}, %[[COS]], %[[SIN]] {pop.stage = 5 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}

// CALLER-LABEL: func.func @main
func.func private @f(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 0 : i64} : tensor<4xf32>
  %2 = pop.sin %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.cos %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  %4 = pop.mul %2, %3 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  %5 = pop.ipu_copy %4 from 1 to 0 {pop.stage = 1 : i64} : tensor<4xf32>
  %6 = pop.mul %5, %0 {pop.stage = 2 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  return %6 : tensor<4xf32>
}

// -----

// The gradients of the result of a loop, which two ops of another IPU and a loop
// read, are added in the stage of the loop: stage 3 - 0, although the loop states
// no stage.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         pop.sum {{.*}} {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}
// CALLER-LABEL: func.func @main(
// CALLER:        pop.{{sum|add}} {{.*}} {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}
func.func private @f(%x: tensor<4x4xf32> {pop.vgraph = 0 : i64}) -> tensor<4x4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4x4xf32>) {
    %4 = pop.exp %a {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4x4xf32>
    scf.yield %4 : tensor<4x4xf32>
  }
  %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 1 : i64} : tensor<4x4xf32>
  %2 = pop.sin %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4x4xf32>
  %3 = pop.mul %2, %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4x4xf32>
  return %3 : tensor<4x4xf32>
}

// -----

// Only a loop reads the result of a loop: the gradients of what the second loop
// carries and captures are added in stage 3 - 0, although no loop states a
// stage, and the first source of the gradient is a copy in stage 2. The rows of
// both loops are in the stages of their loops, although the first argument that
// they keep states no stage.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         pop.dynamic_update {{.*}}pop.stage = 0 : i64, pop.training_role = "recomputed", pop.vgraph = 0 : i64}
// CHECK:         %[[BACK:.+]] = pop.ipu_copy %{{.+}} from 1 to 0 {pop.stage = 2 : i64, pop.training_role = "backward"}
// CHECK:         %[[LOOP:.+]]:2 = scf.for {{.*}} iter_args(%{{.+}} = %[[BACK]],
// CHECK:           pop.dynamic_slice {{.*}}pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64
// CHECK:         pop.sum %[[LOOP]]#0, %[[LOOP]]#1 {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}

// CALLER-LABEL: func.func @main(
func.func private @f(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %4 = pop.sin %a {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  %1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %0) -> (tensor<4xf32>) {
    %4 = pop.mul %a, %0 {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  }
  %2 = pop.ipu_copy %1 from 0 to 1 {pop.stage = 1 : i64} : tensor<4xf32>
  %3 = pop.sin %2 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// The same of an argument of a loop, which an inner loop carries and captures,
// and of an argument of the function.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         pop.ipu_copy %{{.+}} from 1 to 0 {pop.stage = 2 : i64, pop.training_role = "backward"}
// CHECK:         %[[OUTER:.+]]:2 = scf.for
// CHECK:           %[[INNER:.+]]:3 = scf.for
// CHECK:           pop.sum %[[INNER]]#0, %[[INNER]]#{{[12]}} {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}
// CHECK:         pop.sum %[[OUTER]]#0, %[[OUTER]]#1 {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}

// CALLER-LABEL: func.func @main(
func.func private @f(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %4 = scf.for %j = %c0 to %c3 step %c1 iter_args(%b = %a) -> (tensor<4xf32>) {
      %5 = pop.mul %b, %a {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
      %6 = pop.mul %5, %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
      scf.yield %6 : tensor<4xf32>
    }
    scf.yield %4 : tensor<4xf32>
  }
  %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 1 : i64} : tensor<4xf32>
  %2 = pop.sin %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// A loop in stage 2 captures a value of stage 0 on the same IPU. All ops of its
// gradient are in stage 5 - 2, and the gradients of the value are added in stage
// 5 - 0. The loop keeps its argument in stage 2, although a copy in stage 1 is
// its first value.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         pop.dynamic_update {{.*}}pop.stage = 2 : i64, pop.training_role = "recomputed", pop.vgraph = 0 : i64}
// CHECK:         scf.for
// CHECK:           pop.sum {{.*}} {pop.stage = 3 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}
// CHECK:         pop.sum {{.*}} {pop.stage = 5 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}

// CALLER-LABEL: func.func @main(
func.func private @f(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = pop.exp %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 0 : i64} : tensor<4xf32>
  %2 = pop.sin %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.ipu_copy %2 from 1 to 0 {pop.stage = 1 : i64} : tensor<4xf32>
  %4 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %3) -> (tensor<4xf32>) {
    %5 = pop.mul %a, %0 {pop.stage = 2 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %5 : tensor<4xf32>
  }
  return %4 : tensor<4xf32>
}

// -----

// The counter of a loop with a condition, and the check of its number of
// iterations, are on the IPU and in the stage of the loop.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         scf.while
// CHECK:           pop.add {{.*}} {pop.stage = 1 : i64, pop.training_role = "recomputed", pop.vgraph = 1 : i64}
// CHECK:         pop.less_equal {{.*}} {pop.stage = 2 : i64, pop.training_role = "backward", pop.vgraph = 1 : i64}
// CHECK:         pop.expect_eq {{.*}} {pop.stage = 2 : i64, pop.training_role = "backward", pop.vgraph = 1 : i64}

// CALLER-LABEL: func.func @main(
func.func private @f(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %0 = pop.sin %x {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 {pop.stage = 0 : i64} : tensor<4xf32>
  %2 = scf.while (%a = %1) : (tensor<4xf32>) -> tensor<4xf32> {
    %3 = pop.reduce sum %a {axes = array<i64: 0>, pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32> -> tensor<f32>
    %4 = pop.less %3, %3 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %5 = tensor.extract %4[] : tensor<i1>
    scf.condition(%5) %a : tensor<4xf32>
  } do {
  ^bb0(%b: tensor<4xf32>):
    %6 = pop.mul %b, %1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %6 : tensor<4xf32>
  } attributes {pop.max_trip_count = 4 : i64}
  return %2 : tensor<4xf32>
}
