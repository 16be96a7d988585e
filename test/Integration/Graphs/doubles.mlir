// Updates in place and collectives of f64, and ops that decompose, to all bits
// but the last.

// RUN: ipu-opt %s --split-input-file -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})'
// RUN: ipu-opt %s --split-input-file -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=interp})'
// RUN: ipu-opt %s --split-input-file -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @w : tensor<4xf64> = dense<[-1.25, 0.1, 0.7, 3.0]> : tensor<4xf64>
  pop.variable @r : tensor<2xf64> = dense<[0.1, -0.7]> : tensor<2xf64>

  func.func @functions() {
    %r = pop.get_variable @w : !pop.ref<4xf64>
    pop.tanh_ %r : !pop.ref<4xf64>
    %tanh = pop.read %r : !pop.ref<4xf64>
    pop.expect_close %tanh, dense<[-0.8482836399575129, 0.09966799462495582, 0.6043677771171635, 0.9950547536867305]> : tensor<4xf64> {rtol = 2.5e-16 : f64, atol = 0.0 : f64}
    pop.sigmoid_ %r : !pop.ref<4xf64>
    %sigmoid = pop.read %r : !pop.ref<4xf64>
    pop.expect_close %sigmoid, dense<[0.2997930271129245, 0.5248963926073128, 0.6466549478782915, 0.7300851739230556]> : tensor<4xf64> {rtol = 2.5e-16 : f64, atol = 0.0 : f64}
    pop.sqrt_ %r : !pop.ref<4xf64>
    pop.log_ %r : !pop.ref<4xf64>
    %log = pop.read %r : !pop.ref<4xf64>
    pop.expect_close %log, dense<[-0.602331476023341, -0.3222771916403595, -0.21797121879738446, -0.15729703751948035]> : tensor<4xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    pop.exp_ %r : !pop.ref<4xf64>
    %exp = pop.read %r : !pop.ref<4xf64>
    pop.expect_close %exp, dense<[0.5475335853743809, 0.7244973378883547, 0.8041485856968795, 0.854450217346251]> : tensor<4xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    return
  }
  func.func @updates() {
    %x = pop.constant dense<[0.3, 0.2]> : tensor<2xf64>
    %half = pop.constant dense<0.5> : tensor<2xf64>
    %f = pop.constant dense<0.1> : tensor<f64>
    %step = pop.constant dense<2> : tensor<i32>
    %r = pop.get_variable @r : !pop.ref<2xf64>
    pop.scaled_add_ %r, %x {a = 0.9 : f64, b = -0.1 : f64} : !pop.ref<2xf64>, tensor<2xf64>
    %0 = pop.read %r : !pop.ref<2xf64>
    pop.expect_close %0, dense<[0.06, -0.65]> : tensor<2xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    pop.accumulate_ add %r, %half {factor = 0.1 : f64} : !pop.ref<2xf64>, tensor<2xf64>
    pop.accumulate_ square %r, %x factor(%f : tensor<f64>) : !pop.ref<2xf64>, tensor<2xf64>
    %1 = pop.read %r : !pop.ref<2xf64>
    pop.expect_close %1, dense<[0.119, -0.596]> : tensor<2xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    pop.accumulate_ mean %r, %x step(%step : tensor<i32>) : !pop.ref<2xf64>, tensor<2xf64>
    %2 = pop.read %r : !pop.ref<2xf64>
    pop.expect_close %2, dense<[0.17933333333333334, -0.33066666666666666]> : tensor<2xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    pop.accumulate_ moving_average %r, %x {factor = 0.75 : f64} : !pop.ref<2xf64>, tensor<2xf64>
    pop.accumulate_ moving_average_square %r, %x {factor = 0.75 : f64} : !pop.ref<2xf64>, tensor<2xf64>
    %3 = pop.read %r : !pop.ref<2xf64>
    pop.expect_close %3, dense<[0.179625, -0.1385]> : tensor<2xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    pop.accumulate_ infinity %r, %x {factor = 0.1 : f64} : !pop.ref<2xf64>, tensor<2xf64>
    %4 = pop.read %r : !pop.ref<2xf64>
    pop.expect_eq %4, dense<[0.3, 0.2]> : tensor<2xf64>
    return
  }
  func.func @decomposed() {
    %x = pop.constant dense<[-1.25, 0.1, 0.7, 3.0]> : tensor<4xf64>
    %softmax = pop.softmax %x {axis = 0 : i64} : tensor<4xf64>
    pop.expect_close %softmax, dense<[0.012196382423846519, 0.04704663694388941, 0.08572456167060756, 0.8550324189616565]> : tensor<4xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    %b = pop.constant dense<[[0.1, 0.7], [3.0, -1.25]]> : tensor<2x2xf64>
    %scale = pop.constant dense<1.0> : tensor<2xf64>
    %bias = pop.constant dense<0.0> : tensor<2xf64>
    %norm:3 = pop.batch_norm_training %b, %scale, %bias {epsilon = 0.5 : f32} : tensor<2x2xf64>, tensor<2xf64>
    pop.expect_close %norm#0, dense<[[-0.8988198046919282, 0.8095189820721935], [0.8988198046919282, -0.8095189820721935]]> : tensor<2x2xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    pop.expect_close %norm#2, dense<[2.1025, 0.950625]> : tensor<2xf64> {rtol = 1.0e-15 : f64, atol = 0.0 : f64}
    %seven = pop.constant dense<0.7> : tensor<4xf64>
    %rem = pop.rem %x, %seven : tensor<4xf64>
    pop.expect_eq %rem, dense<[-0.55, 0.1, 0.0, 0.20000000000000018]> : tensor<4xf64>
    return
  }
  func.func @main() {
    func.call @functions() : () -> ()
    func.call @updates() : () -> ()
    func.call @decomposed() : () -> ()
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @mine : tensor<2xf64> = dense<[[0.1, 0.7], [0.2, -3.0]]> : tensor<2x2xf64> {groups = #pop.replica_groups<stride = 1, size = 1>}

  func.func @main() {
    %r = pop.get_variable @mine : !pop.ref<2xf64>
    %x = pop.read %r : !pop.ref<2xf64>
    %sum = pop.all_reduce add %x : tensor<2xf64>
    pop.expect_eq %sum, dense<[0.30000000000000004, -2.3]> : tensor<2xf64>
    %mean = pop.all_reduce mean %x : tensor<2xf64>
    pop.expect_eq %mean, dense<[0.15000000000000002, -1.15]> : tensor<2xf64>
    %product = pop.all_reduce mul %x : tensor<2xf64>
    pop.expect_close %product, dense<[0.02, -2.1]> : tensor<2xf64> {rtol = 2.5e-16 : f64, atol = 0.0 : f64}
    %squares = pop.all_reduce square_add %x : tensor<2xf64>
    pop.expect_close %squares, dense<[0.05, 9.49]> : tensor<2xf64> {rtol = 2.5e-16 : f64, atol = 0.0 : f64}
    %part = pop.reduce_scatter add %x : tensor<2xf64> to tensor<1xf64>
    %all = pop.all_gather %part : tensor<1xf64> to tensor<2xf64>
    pop.expect_eq %all, dense<[0.30000000000000004, -2.3]> : tensor<2xf64>
    return
  }
}
