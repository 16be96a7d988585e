// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f regions=recompute},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-to-ipu-pipeline,ipu-execute{check=true})' -o /dev/null

// y = x * w^n by a loop with a condition, for n = 0, 3 and 4, the most that is
// allowed: dx = w^n, dw = n * x * w^(n - 1). The first region computes, too.
func.func private @f(%x: tensor<f32>, %w: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %zero = pop.constant dense<0> : tensor<i32>
  %one = pop.constant dense<1> : tensor<i32>
  %y:2 = scf.while (%a = %x, %k = %zero) : (tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<i32>) {
    %more = pop.less %k, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %c = tensor.extract %more[] : tensor<i1>
    %m = pop.neg %a : tensor<f32>
    %b = pop.neg %m : tensor<f32>
    scf.condition(%c) %b, %k : tensor<f32>, tensor<i32>
  } do {
  ^bb0(%b: tensor<f32>, %k: tensor<i32>):
    %f = pop.mul %b, %w : tensor<f32>
    %l = pop.add %k, %one : tensor<i32>
    scf.yield %f, %l : tensor<f32>, tensor<i32>
  } attributes {pop.max_trip_count = 4 : i64}
  return %y#0 : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>)
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<f32>
  %x = pop.constant dense<3.0> : tensor<f32>
  %w = pop.constant dense<2.0> : tensor<f32>
  %n0 = pop.constant dense<0> : tensor<i32>
  %dx0, %dw0 = call @f_backward(%dy, %x, %w, %n0) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>)
  pop.expect_eq %dx0, dense<1.0> : tensor<f32>
  pop.expect_eq %dw0, dense<0.0> : tensor<f32>
  %n3 = pop.constant dense<3> : tensor<i32>
  %dx3, %dw3 = call @f_backward(%dy, %x, %w, %n3) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>)
  pop.expect_eq %dx3, dense<8.0> : tensor<f32>
  pop.expect_eq %dw3, dense<36.0> : tensor<f32>
  %n4 = pop.constant dense<4> : tensor<i32>
  %dx4, %dw4 = call @f_backward(%dy, %x, %w, %n4) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>)
  pop.expect_eq %dx4, dense<16.0> : tensor<f32>
  pop.expect_eq %dw4, dense<96.0> : tensor<f32>
  return
}

// -----

// The number of iterations of a counted loop may be known on the device only.
func.func private @f(%x: tensor<f32>, %w: tensor<f32>, %n: tensor<i32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.extract %n[] : tensor<i32>
  %count = arith.index_cast %e : i32 to index
  %y = scf.for %i = %c0 to %count step %c1 iter_args(%a = %x) -> tensor<f32> {
    %b = pop.mul %a, %w : tensor<f32>
    scf.yield %b : tensor<f32>
  } {pop.max_trip_count = 4 : i64}
  return %y : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>)
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<f32>
  %x = pop.constant dense<3.0> : tensor<f32>
  %w = pop.constant dense<2.0> : tensor<f32>
  %n = pop.constant dense<3> : tensor<i32>
  %dx, %dw = call @f_backward(%dy, %x, %w, %n) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<i32>) -> (tensor<f32>, tensor<f32>)
  pop.expect_eq %dx, dense<8.0> : tensor<f32>
  pop.expect_eq %dw, dense<36.0> : tensor<f32>
  return
}

// -----

// Loops in loops: the inner one adds a * i + x^2 for its indices 1, 3 and 5, which
// makes 9 a + 3 x^2, and the outer one does so twice: y = 81 x + 30 x^2.
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %zero = pop.constant dense<0.0> : tensor<2xf32>
  %y = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %s = scf.for %j = %c1 to %c6 step %c2 iter_args(%b = %zero) -> tensor<2xf32> {
      %t = pop.from_scalar %j : index to tensor<i32>
      %f = pop.cast %t : tensor<i32> to tensor<f32>
      %m = pop.mul %a, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
      %q = pop.mul %x, %x : tensor<2xf32>
      %n = pop.sum %b, %m, %q : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
      scf.yield %n : tensor<2xf32>
    }
    scf.yield %s : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
func.func private @f_backward(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @main() {
  %dy = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %x = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %dx = call @f_backward(%dy, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  pop.expect_eq %dx, dense<[141.0, 402.0]> : tensor<2xf32>
  return
}

// -----

// No iteration: y = x. A row of what iterations keep is read all the same.
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %c5 = arith.constant 5 : index
  %c4 = arith.constant 4 : index
  %c1 = arith.constant 1 : index
  %y = scf.for %i = %c5 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf32> {
    %0 = pop.mul %a, %x : tensor<2xf32>
    %1 = pop.mul %0, %0 : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  return %y : tensor<2xf32>
}
func.func private @f_backward(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
func.func @main() {
  %dy = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %x = pop.constant dense<3.0> : tensor<2xf32>
  %dx = call @f_backward(%dy, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  pop.expect_eq %dx, dense<[1.0, 2.0]> : tensor<2xf32>
  return
}

// -----

// The inner loop is computed again before and after it keeps values:
// z = (x + x)^2 and y = x * z * z = 16 x^5.
func.func private @f(%x: tensor<f32>) -> tensor<f32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %y:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%a = %x, %e = %x) -> (tensor<f32>, tensor<f32>) {
    %z:2 = scf.for %j = %c0 to %c1 step %c1 iter_args(%b = %e, %c = %e) -> (tensor<f32>, tensor<f32>) {
      %0 = pop.add %b, %c : tensor<f32>
      %1 = pop.mul %0, %0 : tensor<f32>
      scf.yield %1, %c : tensor<f32>, tensor<f32>
    }
    %2 = pop.mul %a, %z#0 : tensor<f32>
    scf.yield %2, %e : tensor<f32>, tensor<f32>
  }
  return %y#0 : tensor<f32>
}
func.func private @f_backward(tensor<f32>, tensor<f32>) -> tensor<f32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<f32>
  %x = pop.constant dense<2.0> : tensor<f32>
  %dx = call @f_backward(%dy, %x) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  pop.expect_eq %dx, dense<1280.0> : tensor<f32>
  return
}

// -----

// A branch and a loop in the loop make tensors of its index, and a tensor that is
// made in memory is read: y = x * (0 + 1 + 2) * 2.
func.func private @f(%x: tensor<2xf32>, %p: tensor<i1>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c = tensor.extract %p[] : tensor<i1>
  %zero = pop.constant dense<0.0> : tensor<2xf32>
  %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero) -> tensor<2xf32> {
    %b = scf.if %c -> tensor<2xf32> {
      %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%d = %a) -> tensor<2xf32> {
        %t = pop.from_scalar %i : index to tensor<i32>
        %f = pop.cast %t : tensor<i32> to tensor<f32>
        %r = pop.from_tensor %x : tensor<2xf32>
        %v = pop.read %r : !pop.ref<2xf32>
        %m = pop.mul %v, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
        %n = pop.add %d, %m : tensor<2xf32>
        scf.yield %n : tensor<2xf32>
      }
      scf.yield %s : tensor<2xf32>
    } else {
      scf.yield %a : tensor<2xf32>
    }
    scf.yield %b : tensor<2xf32>
  }
  %z = pop.mul %y, %x : tensor<2xf32>
  return %z : tensor<2xf32>
}
func.func private @f_backward(tensor<2xf32>, tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
func.func @main() {
  %dy = pop.constant dense<1.0> : tensor<2xf32>
  %x = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  %p = pop.constant dense<true> : tensor<i1>
  // 6 x^2
  %dx = call @f_backward(%dy, %x, %p) : (tensor<2xf32>, tensor<2xf32>, tensor<i1>) -> tensor<2xf32>
  pop.expect_eq %dx, dense<[12.0, 24.0]> : tensor<2xf32>
  return
}
