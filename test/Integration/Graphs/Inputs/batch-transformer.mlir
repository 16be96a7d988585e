// A layer of a transformer. Attention has the batch as the second dimension of four,
// and linear layers have it merged with the positions.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  pop.variable @wqkv : tensor<32x96xf32> = dense<0.04> : tensor<32x96xf32>
  pop.variable @wo : tensor<32x32xf32> = dense<0.05> : tensor<32x32xf32>
  pop.variable @w1 : tensor<32x128xf32> = dense<-0.03> : tensor<32x128xf32>
  pop.variable @w2 : tensor<128x32xf32> = dense<0.02> : tensor<128x32xf32>
  func.func @main(%x: tensor<16x24x32xf32> {pop.name = "x"}) -> (tensor<16x24x32xf32> {pop.name = "y"}) {
    %ref_wqkv = pop.get_variable @wqkv : !pop.ref<32x96xf32>
    %ref_wo = pop.get_variable @wo : !pop.ref<32x32xf32>
    %ref_w1 = pop.get_variable @w1 : !pop.ref<32x128xf32>
    %ref_w2 = pop.get_variable @w2 : !pop.ref<128x32xf32>
    %wqkv = pop.read %ref_wqkv : !pop.ref<32x96xf32>
    %wo = pop.read %ref_wo : !pop.ref<32x32xf32>
    %w1 = pop.read %ref_w1 : !pop.ref<32x128xf32>
    %w2 = pop.read %ref_w2 : !pop.ref<128x32xf32>
    %flat = pop.reshape %x : tensor<16x24x32xf32> to tensor<384x32xf32>
    %qkv = pop.matmul %flat, %wqkv : (tensor<384x32xf32>, tensor<32x96xf32>) -> tensor<384x96xf32>
    %qs = pop.slice %qkv {sizes = array<i64: 384, 32>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<384x96xf32> -> tensor<384x32xf32>
    %ks = pop.slice %qkv {sizes = array<i64: 384, 32>, starts = array<i64: 0, 32>, steps = array<i64: 1, 1>} : tensor<384x96xf32> -> tensor<384x32xf32>
    %vs = pop.slice %qkv {sizes = array<i64: 384, 32>, starts = array<i64: 0, 64>, steps = array<i64: 1, 1>} : tensor<384x96xf32> -> tensor<384x32xf32>
    %qh = pop.reshape %qs : tensor<384x32xf32> to tensor<16x24x4x8xf32>
    %kh = pop.reshape %ks : tensor<384x32xf32> to tensor<16x24x4x8xf32>
    %vh = pop.reshape %vs : tensor<384x32xf32> to tensor<16x24x4x8xf32>
    %q = pop.transpose %qh {permutation = array<i64: 2, 0, 1, 3>} : tensor<16x24x4x8xf32> -> tensor<4x16x24x8xf32>
    %k = pop.transpose %kh {permutation = array<i64: 2, 0, 3, 1>} : tensor<16x24x4x8xf32> -> tensor<4x16x8x24xf32>
    %v = pop.transpose %vh {permutation = array<i64: 2, 0, 1, 3>} : tensor<16x24x4x8xf32> -> tensor<4x16x24x8xf32>
    %scores = pop.matmul %q, %k : (tensor<4x16x24x8xf32>, tensor<4x16x8x24xf32>) -> tensor<4x16x24x24xf32>
    %probs = pop.softmax %scores {axis = 3 : i64} : tensor<4x16x24x24xf32>
    %mixed = pop.matmul %probs, %v : (tensor<4x16x24x24xf32>, tensor<4x16x24x8xf32>) -> tensor<4x16x24x8xf32>
    %back = pop.transpose %mixed {permutation = array<i64: 1, 2, 0, 3>} : tensor<4x16x24x8xf32> -> tensor<16x24x4x8xf32>
    %joined = pop.reshape %back : tensor<16x24x4x8xf32> to tensor<384x32xf32>
    %out = pop.matmul %joined, %wo : (tensor<384x32xf32>, tensor<32x32xf32>) -> tensor<384x32xf32>
    %sum = pop.add %out, %flat : tensor<384x32xf32>
    %inner = pop.matmul %sum, %w1 : (tensor<384x32xf32>, tensor<32x128xf32>) -> tensor<384x128xf32>
    %act = pop.gelu %inner : tensor<384x128xf32>
    %outer = pop.matmul %act, %w2 : (tensor<384x128xf32>, tensor<128x32xf32>) -> tensor<384x32xf32>
    %next = pop.add %outer, %sum : tensor<384x32xf32>
    %y = pop.reshape %next : tensor<384x32xf32> to tensor<16x24x32xf32>
    return %y : tensor<16x24x32xf32>
  }
}
