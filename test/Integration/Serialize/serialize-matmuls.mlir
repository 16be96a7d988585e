// Matmuls in parts have the same bits as whole ones: in all modes, with updates
// of variables in parts, in loops, with dropout, with stochastic rounding, and
// with orders of accumulation in blocks and in groups of blocks.
//
// DEFINE: %{flags} =
// DEFINE: %{run} = ipu-run %s --target tiles=8 --replicas 2 --input 'x=random:1' --input 'g=random:2' --input random_seed=random:3 --runs 3 %{flags}
//
// RUN: rm -rf %t && mkdir %t
// RUN: %{run} --output-dir %t/whole --save-weights %t/whole.npz
//
// REDEFINE: %{flags} = --serialize-matmuls 1
// RUN: %{run} --output-dir %t/marked --save-weights %t/marked.npz --remarks=pop-graph 2>&1 | FileCheck %s --check-prefix=MARKED
// RUN: diff -r %t/whole %t/marked
// RUN: cmp %t/whole.npz %t/marked.npz
//
// REDEFINE: %{flags} = --serialize-matmuls 1 --engine interp --check --threads 1
// RUN: %{run} --output-dir %t/checked --save-weights %t/checked.npz
// RUN: diff -r %t/whole %t/checked
// RUN: cmp %t/whole.npz %t/checked.npz
//
// REDEFINE: %{flags} = --serialize-matmuls 1 --schedule
// RUN: %{run} --output-dir %t/scheduled --save-weights %t/scheduled.npz
// RUN: diff -r %t/whole %t/scheduled
// RUN: cmp %t/whole.npz %t/scheduled.npz

// MARKED-COUNT-7: Passed{{.*}}SerializeMatMuls

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<16x32xf32> = dense<0.25> : tensor<16x32xf32>
  pop.variable @m : tensor<16x32xf32> = dense<0.125> : tensor<16x32xf32>
  pop.variable @h : tensor<16x32xf16> = dense<0.5> : tensor<16x32xf16>
  pop.variable @t : tensor<32x16xf32> = dense<0.5> : tensor<32x16xf32>

  func.func @main(%x: tensor<24x16xf16> {pop.name = "x"}, %g: tensor<24x32xf32> {pop.name = "g"})
      -> (tensor<24x32xf16> {pop.name = "y"}, tensor<24x32xf16> {pop.name = "z"}, tensor<24x16xf32> {pop.name = "dx"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %lr = pop.constant dense<0.1> : tensor<f32>
    %seed = pop.next_seed
    %w = pop.get_variable @w : !pop.ref<16x32xf32>
    %m = pop.get_variable @m : !pop.ref<16x32xf32>
    %h = pop.get_variable @h : !pop.ref<16x32xf16>
    %t = pop.get_variable @t : !pop.ref<32x16xf32>
    %old = pop.read %w : !pop.ref<16x32xf32>
    %half = pop.read %h : !pop.ref<16x32xf16>
    // Results and sums of f16, which are rounded at random.
    %y = pop.matmul %x, %half {pop.serialize = {factor = 4 : i64, mode = "input_channels"}} : (tensor<24x16xf16>, tensor<16x32xf16>) -> tensor<24x32xf16>
    %d = pop.dropout %y, %seed, 0.25 : tensor<24x32xf16>, tensor<2xui32>
    %ht = pop.transpose %half {permutation = array<i64: 1, 0>} : tensor<16x32xf16> -> tensor<32x16xf16>
    %hh = pop.matmul %ht, %half : (tensor<32x16xf16>, tensor<16x32xf16>) -> tensor<32x32xf16>
    %z = pop.matmul %d, %hh {accum = #pop.accum<blocked, block = 3, lanes = 1, group = 2>, pop.serialize = {factor = 3 : i64, mode = "reducing_dim"}} : (tensor<24x32xf16>, tensor<32x32xf16>) -> tensor<24x32xf16>
    // A sum in blocks that is split at its last block.
    %wt = pop.transpose %old {permutation = array<i64: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
    %xf = pop.cast %x : tensor<24x16xf16> to tensor<24x16xf32>
    %xt = pop.transpose %xf {permutation = array<i64: 1, 0>} : tensor<24x16xf32> -> tensor<16x24xf32>
    %dw = pop.matmul %xt, %g {accum = #pop.accum<blocked, block = 5, lanes = 1>, pop.serialize = {factor = 4 : i64, mode = "input_channels"}} : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
    // The gradient uses the old weight.
    %dx = pop.matmul %g, %wt {accum = #pop.accum<blocked, block = 7, lanes = 1>, pop.serialize = {factor = 5 : i64, mode = "reducing_dim"}} : (tensor<24x32xf32>, tensor<32x16xf32>) -> tensor<24x16xf32>
    // An update of a weight and of its velocity.
    %velocity = pop.read %m : !pop.ref<16x32xf32>
    %new, %next = pop.optimizer_step <sgd2, lr = 0.1, momentum = 0.9> %old, %dw state(%velocity) : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>)
    pop.copy_ %w, %new : !pop.ref<16x32xf32>, tensor<16x32xf32>
    pop.copy_ %m, %next : !pop.ref<16x32xf32>, tensor<16x32xf32>
    // An update of an f16 weight is rounded at random, as a whole.
    %dh = pop.matmul %xt, %g {pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
    %step = pop.cast %dh : tensor<16x32xf32> to tensor<16x32xf16>
    pop.sub_ %h, %step : !pop.ref<16x32xf16>, tensor<16x32xf16>
    // Updates in a loop, of a transposed weight and with factors that broadcast.
    scf.for %i = %c0 to %c3 step %c1 {
      %now = pop.read %t : !pop.ref<32x16xf32>
      %scale = pop.reduce max %now {axes = array<i64: 1>, keep_dims} : tensor<32x16xf32> -> tensor<32x1xf32>
      %ts = pop.transpose %scale {permutation = array<i64: 1, 0>} : tensor<32x1xf32> -> tensor<1x32xf32>
      %dt = pop.matmul %xt, %g {pop.serialize = {factor = 4 : i64, mode = "output_channels"}} : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
      %scaled = pop.mul %dt, %ts : (tensor<16x32xf32>, tensor<1x32xf32>) -> tensor<16x32xf32>
      %turned = pop.transpose %scaled {permutation = array<i64: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
      %small = pop.mul %turned, %lr : (tensor<32x16xf32>, tensor<f32>) -> tensor<32x16xf32>
      pop.scaled_add_ %t, %small {a = 0.9, b = -0.001} : !pop.ref<32x16xf32>, tensor<32x16xf32>
      %more = pop.matmul %xt, %g {pop.serialize = {factor = 2 : i64, mode = "input_channels"}} : (tensor<16x24xf32>, tensor<24x32xf32>) -> tensor<16x32xf32>
      pop.accumulate_ moving_average %m, %more {factor = 0.5 : f64} : !pop.ref<16x32xf32>, tensor<16x32xf32>
    }
    return %y, %z, %dx : tensor<24x32xf16>, tensor<24x32xf16>, tensor<24x16xf32>
  }
}
