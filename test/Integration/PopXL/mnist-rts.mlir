// mnist_rts: the network of mnist.mlir on two replicas, each with half of the batch
// and half of each parameter: parameters are gathered, gradients scattered, and each
// replica updates its half. The numbers are those of mnist.mlir.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:1 engine=jit})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:1 engine=interp})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=*=random:1 check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, replicas = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<4x8xf32>
  pop.stream @labels host_to_device : tensor<4xi32>
  pop.variable @W1 : tensor<8x6xf32> = dense<[
    [-0.5, -0.125, 0.25, -0.5, -0.125, 0.25],
    [0.125, -0.5, 0.0, 0.5, -0.125, 0.375],
    [-0.375, 0.25, -0.25, 0.375, -0.125, 0.5],
    [0.25, -0.125, -0.5, 0.25, -0.125, -0.5],
    [-0.25, -0.5, 0.375, 0.125, -0.125, -0.375],
    [0.375, 0.25, 0.125, 0.0, -0.125, -0.25],
    [-0.125, -0.125, -0.125, -0.125, -0.125, -0.125],
    [0.5, -0.5, -0.375, -0.25, -0.125, 0.0]]> : tensor<8x6xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @b1 : tensor<6xf32> = dense<[-0.125, -0.0625, 0.0, 0.0625, 0.125, 0.1875]> : tensor<6xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @W2 : tensor<6x3xf32> = dense<[
    [-0.375, -0.125, 0.125],
    [-0.375, 0.0, 0.375],
    [-0.375, 0.125, -0.25],
    [-0.375, 0.25, 0.0],
    [-0.375, 0.375, 0.25],
    [-0.375, -0.375, -0.375]]> : tensor<6x3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @b2 : tensor<3xf32> = dense<[0.125, -0.25, 0.0]> : tensor<3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  func.func private @linear1(%x: tensor<4x8xf32>, %W: tensor<8x6xf32>, %b: tensor<6xf32>) -> tensor<4x6xf32> {
    %0 = pop.matmul %x, %W : (tensor<4x8xf32>, tensor<8x6xf32>) -> tensor<4x6xf32>
    %1 = pop.add %0, %b : (tensor<4x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    return %1 : tensor<4x6xf32>
  }
  func.func private @linear1_grad(%dy: tensor<4x6xf32>, %x: tensor<4x8xf32>, %W: tensor<8x6xf32>) -> (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) {
    %Wt = pop.transpose %W {permutation = array<i64: 1, 0>} : tensor<8x6xf32> -> tensor<6x8xf32>
    %dx = pop.matmul %dy, %Wt : (tensor<4x6xf32>, tensor<6x8xf32>) -> tensor<4x8xf32>
    %xt = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
    %dW = pop.matmul %xt, %dy : (tensor<8x4xf32>, tensor<4x6xf32>) -> tensor<8x6xf32>
    %db = pop.reduce sum %dy {axes = array<i64: 0>} : tensor<4x6xf32> -> tensor<6xf32>
    return %dx, %dW, %db : tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>
  }
  func.func private @linear2(%x: tensor<4x6xf32>, %W: tensor<6x3xf32>, %b: tensor<3xf32>) -> tensor<4x3xf32> {
    %0 = pop.matmul %x, %W : (tensor<4x6xf32>, tensor<6x3xf32>) -> tensor<4x3xf32>
    %1 = pop.add %0, %b : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
  func.func private @linear2_grad(%dy: tensor<4x3xf32>, %x: tensor<4x6xf32>, %W: tensor<6x3xf32>) -> (tensor<4x6xf32>, tensor<6x3xf32>, tensor<3xf32>) {
    %Wt = pop.transpose %W {permutation = array<i64: 1, 0>} : tensor<6x3xf32> -> tensor<3x6xf32>
    %dx = pop.matmul %dy, %Wt : (tensor<4x3xf32>, tensor<3x6xf32>) -> tensor<4x6xf32>
    %xt = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x6xf32> -> tensor<6x4xf32>
    %dW = pop.matmul %xt, %dy : (tensor<6x4xf32>, tensor<4x3xf32>) -> tensor<6x3xf32>
    %db = pop.reduce sum %dy {axes = array<i64: 0>} : tensor<4x3xf32> -> tensor<3xf32>
    return %dx, %dW, %db : tensor<4x6xf32>, tensor<6x3xf32>, tensor<3xf32>
  }
  func.func private @gelu(%x: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %half = pop.constant dense<0.5> : tensor<f32>
    %one = pop.constant dense<1.0> : tensor<f32>
    %r = pop.constant dense<0.707106769> : tensor<f32>
    %0 = pop.mul %x, %r : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %1 = pop.erf %0 : tensor<4x6xf32>
    %2 = pop.add %1, %one : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %3 = pop.mul %x, %half : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %4 = pop.mul %3, %2 : tensor<4x6xf32>
    return %4 : tensor<4x6xf32>
  }
  func.func private @gelu_grad(%dy: tensor<4x6xf32>, %x: tensor<4x6xf32>) -> tensor<4x6xf32> {
    %half = pop.constant dense<0.5> : tensor<f32>
    %one = pop.constant dense<1.0> : tensor<f32>
    %r = pop.constant dense<0.707106769> : tensor<f32>
    %minus_half = pop.constant dense<-0.5> : tensor<f32>
    // 1 / sqrt(2 pi)
    %s = pop.constant dense<0.398942292> : tensor<f32>
    %0 = pop.mul %x, %r : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %1 = pop.erf %0 : tensor<4x6xf32>
    %2 = pop.add %1, %one : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %3 = pop.mul %2, %half : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %4 = pop.mul %x, %x : tensor<4x6xf32>
    %5 = pop.mul %4, %minus_half : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %6 = pop.exp %5 : tensor<4x6xf32>
    %7 = pop.mul %x, %6 : tensor<4x6xf32>
    %8 = pop.mul %7, %s : (tensor<4x6xf32>, tensor<f32>) -> tensor<4x6xf32>
    %9 = pop.add %3, %8 : tensor<4x6xf32>
    %10 = pop.mul %dy, %9 : tensor<4x6xf32>
    return %10 : tensor<4x6xf32>
  }
  func.func private @one_hot(%labels: tensor<4xi32>) -> tensor<4x3xf32> {
    %three = pop.constant dense<3> : tensor<i32>
    %two = pop.constant dense<2> : tensor<i32>
    %classes = pop.constant dense<[0, 1, 2]> : tensor<3xi32>
    %0 = pop.and %labels, %three : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %1 = pop.min %0, %two : (tensor<4xi32>, tensor<i32>) -> tensor<4xi32>
    %2 = pop.reshape %1 : tensor<4xi32> to tensor<4x1xi32>
    %3 = pop.equal %2, %classes : (tensor<4x1xi32>, tensor<3xi32>) -> tensor<4x3xi1>
    %4 = pop.cast %3 : tensor<4x3xi1> to tensor<4x3xf32>
    return %4 : tensor<4x3xf32>
  }
  // The mean over the batch of -log of the probability of the label, and the
  // probabilities.
  func.func private @nll(%z: tensor<4x3xf32>, %target: tensor<4x3xf32>) -> (tensor<f32>, tensor<4x3xf32>) {
    %n = pop.constant dense<4.0> : tensor<f32>
    %p = pop.softmax %z {axis = 1 : i64} : tensor<4x3xf32>
    %0 = pop.mul %p, %target : tensor<4x3xf32>
    %1 = pop.reduce sum %0 {axes = array<i64: 1>} : tensor<4x3xf32> -> tensor<4xf32>
    %2 = pop.log %1 : tensor<4xf32>
    %3 = pop.neg %2 : tensor<4xf32>
    %4 = pop.reduce sum %3 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    %5 = pop.div %4, %n : tensor<f32>
    return %5, %p : tensor<f32>, tensor<4x3xf32>
  }
  func.func private @nll_grad(%p: tensor<4x3xf32>, %target: tensor<4x3xf32>) -> tensor<4x3xf32> {
    %n = pop.constant dense<4.0> : tensor<f32>
    %0 = pop.sub %p, %target : tensor<4x3xf32>
    %1 = pop.div %0, %n : (tensor<4x3xf32>, tensor<f32>) -> tensor<4x3xf32>
    return %1 : tensor<4x3xf32>
  }
  func.func private @loss(%x: tensor<4x8xf32>, %target: tensor<4x3xf32>, %rW1: !pop.ref<24xf32>, %rb1: !pop.ref<3xf32>, %rW2: !pop.ref<9xf32>, %rb2: !pop.ref<2xf32>) -> tensor<f32> {
    %sW1 = pop.read %rW1 : !pop.ref<24xf32>
    %fW1 = pop.all_gather %sW1 : tensor<24xf32> to tensor<48xf32>
    %W1 = pop.reshape %fW1 : tensor<48xf32> to tensor<8x6xf32>
    %sb1 = pop.read %rb1 : !pop.ref<3xf32>
    %fb1 = pop.all_gather %sb1 : tensor<3xf32> to tensor<6xf32>
    %b1 = pop.reshape %fb1 : tensor<6xf32> to tensor<6xf32>
    %sW2 = pop.read %rW2 : !pop.ref<9xf32>
    %fW2 = pop.all_gather %sW2 : tensor<9xf32> to tensor<18xf32>
    %W2 = pop.reshape %fW2 : tensor<18xf32> to tensor<6x3xf32>
    %sb2 = pop.read %rb2 : !pop.ref<2xf32>
    %fb2 = pop.all_gather %sb2 : tensor<2xf32> to tensor<3xf32>
    %b2 = pop.reshape %fb2 : tensor<3xf32> to tensor<3xf32>
    %h = func.call @linear1(%x, %W1, %b1) : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %a = func.call @gelu(%h) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %z = func.call @linear2(%a, %W2, %b2) : (tensor<4x6xf32>, tensor<6x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %loss, %p = func.call @nll(%z, %target) : (tensor<4x3xf32>, tensor<4x3xf32>) -> (tensor<f32>, tensor<4x3xf32>)
    %mean = pop.all_reduce mean %loss : tensor<f32>
    return %mean : tensor<f32>
  }
  func.func private @train(%x: tensor<4x8xf32>, %target: tensor<4x3xf32>, %rW1: !pop.ref<24xf32>, %rb1: !pop.ref<3xf32>, %rW2: !pop.ref<9xf32>, %rb2: !pop.ref<2xf32>) {
    %sW1 = pop.read %rW1 : !pop.ref<24xf32>
    %fW1 = pop.all_gather %sW1 : tensor<24xf32> to tensor<48xf32>
    %W1 = pop.reshape %fW1 : tensor<48xf32> to tensor<8x6xf32>
    %sb1 = pop.read %rb1 : !pop.ref<3xf32>
    %fb1 = pop.all_gather %sb1 : tensor<3xf32> to tensor<6xf32>
    %b1 = pop.reshape %fb1 : tensor<6xf32> to tensor<6xf32>
    %sW2 = pop.read %rW2 : !pop.ref<9xf32>
    %fW2 = pop.all_gather %sW2 : tensor<9xf32> to tensor<18xf32>
    %W2 = pop.reshape %fW2 : tensor<18xf32> to tensor<6x3xf32>
    %sb2 = pop.read %rb2 : !pop.ref<2xf32>
    %fb2 = pop.all_gather %sb2 : tensor<2xf32> to tensor<3xf32>
    %b2 = pop.reshape %fb2 : tensor<3xf32> to tensor<3xf32>
    %h = func.call @linear1(%x, %W1, %b1) : (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>) -> tensor<4x6xf32>
    %a = func.call @gelu(%h) : (tensor<4x6xf32>) -> tensor<4x6xf32>
    %z = func.call @linear2(%a, %W2, %b2) : (tensor<4x6xf32>, tensor<6x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
    %loss, %p = func.call @nll(%z, %target) : (tensor<4x3xf32>, tensor<4x3xf32>) -> (tensor<f32>, tensor<4x3xf32>)
    %dz = func.call @nll_grad(%p, %target) : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
    %da, %dW2, %db2 = func.call @linear2_grad(%dz, %a, %W2) : (tensor<4x3xf32>, tensor<4x6xf32>, tensor<6x3xf32>) -> (tensor<4x6xf32>, tensor<6x3xf32>, tensor<3xf32>)
    %dh = func.call @gelu_grad(%da, %h) : (tensor<4x6xf32>, tensor<4x6xf32>) -> tensor<4x6xf32>
    %dx, %dW1, %db1 = func.call @linear1_grad(%dh, %x, %W1) : (tensor<4x6xf32>, tensor<4x8xf32>, tensor<8x6xf32>) -> (tensor<4x8xf32>, tensor<8x6xf32>, tensor<6xf32>)
    %gW1 = pop.reshape %dW1 : tensor<8x6xf32> to tensor<48xf32>
    %mW1 = pop.reduce_scatter mean %gW1 : tensor<48xf32> to tensor<24xf32>
    pop.scaled_add_ %rW1, %mW1 {b = -0.5} : !pop.ref<24xf32>, tensor<24xf32>
    %gb1 = pop.reshape %db1 : tensor<6xf32> to tensor<6xf32>
    %mb1 = pop.reduce_scatter mean %gb1 : tensor<6xf32> to tensor<3xf32>
    pop.scaled_add_ %rb1, %mb1 {b = -0.5} : !pop.ref<3xf32>, tensor<3xf32>
    %gW2 = pop.reshape %dW2 : tensor<6x3xf32> to tensor<18xf32>
    %mW2 = pop.reduce_scatter mean %gW2 : tensor<18xf32> to tensor<9xf32>
    pop.scaled_add_ %rW2, %mW2 {b = -0.5} : !pop.ref<9xf32>, tensor<9xf32>
    %gb2 = pop.reshape %db2 : tensor<3xf32> to tensor<3xf32>
    %mb2 = pop.reduce_scatter mean %gb2 : tensor<3xf32> to tensor<2xf32>
    pop.scaled_add_ %rb2, %mb2 {b = -0.5} : !pop.ref<2xf32>, tensor<2xf32>
    return
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<4x8xf32>
    %labels = pop.host_load @labels : tensor<4xi32>
    %target = func.call @one_hot(%labels) : (tensor<4xi32>) -> tensor<4x3xf32>
    %rW1 = pop.get_variable @W1 : !pop.ref<24xf32>
    %rb1 = pop.get_variable @b1 : !pop.ref<3xf32>
    %rW2 = pop.get_variable @W2 : !pop.ref<9xf32>
    %rb2 = pop.get_variable @b2 : !pop.ref<2xf32>
    %first = func.call @loss(%x, %target, %rW1, %rb1, %rW2, %rb2) : (tensor<4x8xf32>, tensor<4x3xf32>, !pop.ref<24xf32>, !pop.ref<3xf32>, !pop.ref<9xf32>, !pop.ref<2xf32>) -> tensor<f32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 20 : index
    scf.for %i = %c0 to %n step %c1 {
      func.call @train(%x, %target, %rW1, %rb1, %rW2, %rb2) : (tensor<4x8xf32>, tensor<4x3xf32>, !pop.ref<24xf32>, !pop.ref<3xf32>, !pop.ref<9xf32>, !pop.ref<2xf32>) -> ()
    }
    %last = func.call @loss(%x, %target, %rW1, %rb1, %rW2, %rb2) : (tensor<4x8xf32>, tensor<4x3xf32>, !pop.ref<24xf32>, !pop.ref<3xf32>, !pop.ref<9xf32>, !pop.ref<2xf32>) -> tensor<f32>
    %falls = pop.less %last, %first : (tensor<f32>, tensor<f32>) -> tensor<i1>
    pop.expect_eq %falls, dense<true> : tensor<i1>
    pop.expect_close %first, dense<1.1251513> : tensor<f32> {rtol = 1.0e-5 : f64}
    pop.expect_close %last, dense<0.14216083> : tensor<f32> {rtol = 1.0e-4 : f64}
    %sW1 = pop.read %rW1 : !pop.ref<24xf32>
    %fW1 = pop.all_gather %sW1 : tensor<24xf32> to tensor<48xf32>
    %W1 = pop.reshape %fW1 : tensor<48xf32> to tensor<8x6xf32>
    pop.expect_close %W1, dense<[
      [-0.34328365, 0.08951401, 0.64704037, -0.44100794, 0.289228, 0.25286093],
      [-0.18158473, -0.66035414, -0.5038378, 0.39062566, -0.6333424, 0.55871195],
      [-0.60430753, 0.26459748, -0.19165564, 0.35807842, -0.15002732, 0.58362377],
      [0.44200197, -0.010586978, -0.10566447, 0.3959017, 0.31269625, -0.9345228],
      [0.019713044, -0.45800608, 0.3344253, 0.13573052, -0.023584213, -0.4120279],
      [0.47049403, 0.27105427, -0.06658728, 0.06282543, -0.092904165, -0.70161796],
      [0.54350483, -0.12167352, -0.6315116, -0.13343827, -0.15314253, -0.37597474],
      [0.8124194, -0.6609191, -1.0295604, -0.3636422, -0.552021, 0.06395271]]> : tensor<8x6xf32> {rtol = 1.0e-4 : f64, atol = 1.0e-5 : f64}
    %sb1 = pop.read %rb1 : !pop.ref<3xf32>
    %fb1 = pop.all_gather %sb1 : tensor<3xf32> to tensor<6xf32>
    %b1 = pop.reshape %fb1 : tensor<6xf32> to tensor<6xf32>
    pop.expect_close %b1, dense<[0.43729395, 0.041870147, 0.08047275, -0.0005474208, 0.2968002, 0.64856046]> : tensor<6xf32> {rtol = 1.0e-4 : f64, atol = 1.0e-5 : f64}
    %sW2 = pop.read %rW2 : !pop.ref<9xf32>
    %fW2 = pop.all_gather %sW2 : tensor<9xf32> to tensor<18xf32>
    %W2 = pop.reshape %fW2 : tensor<18xf32> to tensor<6x3xf32>
    pop.expect_close %W2, dense<[
      [-0.67033416, -0.41862532, 0.71395946],
      [-0.55441254, 0.5248871, 0.02952551],
      [-0.67209965, 0.85058105, -0.6784814],
      [-0.29327112, 0.29027754, -0.12200643],
      [-0.64194274, 0.7841981, 0.10774465],
      [0.54206544, -0.37642008, -1.2906454]]> : tensor<6x3xf32> {rtol = 1.0e-4 : f64, atol = 1.0e-5 : f64}
    %sb2 = pop.read %rb2 : !pop.ref<2xf32>
    %fb2 = pop.all_gather %sb2 : tensor<2xf32> to tensor<3xf32>
    %b2 = pop.reshape %fb2 : tensor<3xf32> to tensor<3xf32>
    pop.expect_close %b2, dense<[-0.030981481, -0.6076153, 0.5135968]> : tensor<3xf32> {rtol = 1.0e-4 : f64, atol = 1.0e-5 : f64}
    return
  }
}
