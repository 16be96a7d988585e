// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f regions=recompute},pop-to-ipu-pipeline,ipu-execute)' -o /dev/null

// The gradient of a variable is the sum of those of its reads; one of a view is
// placed into it. A callee reads it by its name. What counts the calls is
// written, but is on no path to a result.
pop.variable @w : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
pop.variable @calls : tensor<f32> = dense<0.0> : tensor<f32>
func.func private @scale(%x: tensor<2xf32>) -> tensor<2xf32> {
  %w = pop.get_variable @w : !pop.ref<2x2xf32>
  %row = pop.ref_row %w[1] : !pop.ref<2x2xf32> -> !pop.ref<2xf32>
  %r = pop.read %row : !pop.ref<2xf32>
  %0 = pop.mul %x, %r : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %calls = pop.get_variable @calls : !pop.ref<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  pop.add_ %calls, %one : !pop.ref<f32>, tensor<f32>
  %w = pop.get_variable @w : !pop.ref<2x2xf32>
  %column = pop.ref_slice %w {sizes = array<i64: 2, 1>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : !pop.ref<2x2xf32> -> !pop.ref<2x1xf32>
  %v = pop.ref_reshape %column : !pop.ref<2x1xf32> to !pop.ref<2xf32>
  %c = pop.read %v : !pop.ref<2xf32>
  %0 = pop.mul %x, %c : tensor<2xf32>
  %1 = call @scale(%0) : (tensor<2xf32>) -> tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func private @f_backward(tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
func.func @main() {
  // y = x * [1, 3] * [3, 4]
  %x = pop.constant dense<[5.0, 6.0]> : tensor<2xf32>
  %y = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  pop.expect_eq %y, dense<[15.0, 72.0]> : tensor<2xf32>
  %dy = pop.constant dense<[1.0, 10.0]> : tensor<2xf32>
  %dx, %dw = call @f_backward(%dy, %x) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2x2xf32>)
  pop.expect_eq %dx, dense<[3.0, 120.0]> : tensor<2xf32>
  // Of the column [[15], [240]], and of the row [5, 180].
  pop.expect_eq %dw, dense<[[15.0, 0.0], [245.0, 180.0]]> : tensor<2x2xf32>
  %calls = pop.get_variable @calls : !pop.ref<f32>
  %n = pop.read %calls : !pop.ref<f32>
  pop.expect_eq %n, dense<1.0> : tensor<f32>
  return
}

// -----

// A gradient that the user gives: that of a rounding passes what comes to it.
func.func private @passes(%dy: tensor<2xf32>, %x: tensor<2xf32>, %n: tensor<i32>, %y: tensor<2xf32>) -> tensor<2xf32> {
  return %dy : tensor<2xf32>
}
func.func private @rounds(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> attributes {pop.custom_gradient = @passes} {
  %0 = pop.round %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @f(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %0 = call @rounds(%x, %n) : (tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  %1 = pop.mul %0, %x : tensor<2xf32>
  %2 = pop.stop_gradient %1 : tensor<2xf32>
  %3 = pop.mul %1, %2 : tensor<2xf32>
  return %3 : tensor<2xf32>
}
func.func private @f_backward(tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
func.func @main() {
  %x = pop.constant dense<[1.25, 2.75]> : tensor<2xf32>
  %n = pop.constant dense<0> : tensor<i32>
  %dy = pop.constant dense<1.0> : tensor<2xf32>
  // (round(x) + x) * round(x) * x
  %dx = call @f_backward(%dy, %x, %n) : (tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  pop.expect_eq %dx, dense<[2.8125, 47.4375]> : tensor<2xf32>
  return
}

// -----

// A switch, of which one region uses nothing.
func.func private @f(%x: tensor<2xf32>, %n: tensor<i32>) -> tensor<2xf32> {
  %e = tensor.extract %n[] : tensor<i32>
  %i = arith.index_cast %e : i32 to index
  %0 = scf.index_switch %i -> tensor<2xf32>
  case 0 {
    %1 = pop.mul %x, %x : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  case 2 {
    %1 = pop.constant dense<1.0> : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  }
  default {
    %1 = pop.neg %x : tensor<2xf32>
    %2 = pop.mul %1, %1 : tensor<2xf32>
    %3 = pop.mul %2, %x : tensor<2xf32>
    scf.yield %3 : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
func.func private @f_backward(tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
func.func @main() {
  %x = pop.constant dense<[1.0, 3.0]> : tensor<2xf32>
  %dy = pop.constant dense<1.0> : tensor<2xf32>
  %n0 = pop.constant dense<0> : tensor<i32>
  %dx0 = call @f_backward(%dy, %x, %n0) : (tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  pop.expect_eq %dx0, dense<[2.0, 6.0]> : tensor<2xf32>
  %n2 = pop.constant dense<2> : tensor<i32>
  %dx2 = call @f_backward(%dy, %x, %n2) : (tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  pop.expect_eq %dx2, dense<0.0> : tensor<2xf32>
  %n5 = pop.constant dense<5> : tensor<i32>
  %dx5 = call @f_backward(%dy, %x, %n5) : (tensor<2xf32>, tensor<2xf32>, tensor<i32>) -> tensor<2xf32>
  pop.expect_eq %dx5, dense<[3.0, 27.0]> : tensor<2xf32>
  return
}

// -----

// Two replicas: the sum of the losses of both is differentiated.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func private @f(%x: tensor<2xf32>) -> tensor<2xf32> {
    %0 = pop.all_reduce add %x : tensor<2xf32>
    %1 = pop.mul %0, %0 : tensor<2xf32>
    return %1 : tensor<2xf32>
  }
  func.func private @f_backward(tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  func.func @main() {
    %i = pop.replica_index : tensor<i32>
    %f = pop.cast %i : tensor<i32> to tensor<f32>
    %c = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
    %x = pop.add %c, %f : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %dy = pop.constant dense<1.0> : tensor<2xf32>
    // x is [1, 2] and [2, 3]: the losses are 2 (a + b)^2, and the slopes 4 (a + b).
    %dx = call @f_backward(%dy, %x) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
    pop.expect_eq %dx, dense<[12.0, 20.0]> : tensor<2xf32>
    return
  }
}
