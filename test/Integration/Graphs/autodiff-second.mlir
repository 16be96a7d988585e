// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-autodiff{func=f_backward required=#1},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f regions=recompute},pop-autodiff{func=f_backward regions=recompute required=#1},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null

// The second derivatives of y = x^(n + 1), where data says how often a loop is
// executed: the backward loop is executed as often and is bounded, too.
func.func private @f(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i32>
  %count = arith.index_cast %e : i32 to index
  %y = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %b = pop.mul %a, %x : tensor<2xf32>
    scf.yield %b : tensor<2xf32>
  } {pop.max_trip_count = 4 : i64}
  return %y : tensor<2xf32>
}
func.func private @f_backward_backward(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
func.func @main() {
  %one = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.constant dense<[2.0, -1.0]> : tensor<2xf32>
  %n = pop.constant dense<3> : tensor<i32>
  %d = call @f_backward_backward(%one, %one, %x, %n) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  pop.expect_eq %d, dense<[48.0, 12.0]> : tensor<2xf32>
  return
}

// -----

// The same in a loop with a condition.
func.func private @f(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %zero = pop.constant dense<0> : tensor<i32>
  %one = pop.constant dense<1> : tensor<i32>
  %y:2 = scf.while (%a = %x, %k = %zero) : (tensor<2xf32>, tensor<i32>) -> (tensor<2xf32>, tensor<i32>) {
    %more = pop.less %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = tensor.extract %more[] : tensor<i1>
    scf.condition(%c) %a, %k : tensor<2xf32>, tensor<i32>
  } do {
  ^bb0(%a: tensor<2xf32>, %k: tensor<i32>):
    %b = pop.mul %a, %x : tensor<2xf32>
    %l = pop.add %k, %one : tensor<i32>
    scf.yield %b, %l : tensor<2xf32>, tensor<i32>
  } attributes {pop.max_trip_count = 3 : i64}
  return %y#0 : tensor<2xf32>
}
func.func private @f_backward_backward(tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
func.func @main() {
  %one = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.constant dense<[2.0, -1.0]> : tensor<2xf32>
  %n = pop.constant dense<3> : tensor<i32>
  %d = call @f_backward_backward(%one, %one, %x, %n) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  pop.expect_eq %d, dense<[48.0, 12.0]> : tensor<2xf32>
  return
}
