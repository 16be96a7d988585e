// A layer of a transformer. Attention has the batch as the second dimension of four,
// and linear layers have it merged with the positions.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  pop.variable @wqkv : tensor<16x48xf32> = dense<0.04> : tensor<16x48xf32>
  pop.variable @wo : tensor<16x16xf32> = dense<0.05> : tensor<16x16xf32>
  pop.variable @w1 : tensor<16x64xf32> = dense<-0.03> : tensor<16x64xf32>
  pop.variable @w2 : tensor<64x16xf32> = dense<0.02> : tensor<64x16xf32>
  func.func @main(%x: tensor<8x6x16xf32> {pop.name = "x"}) -> (tensor<8x6x16xf32> {pop.name = "y"}) {
    %rqkv = pop.get_variable @wqkv : !pop.ref<16x48xf32>
    %ro = pop.get_variable @wo : !pop.ref<16x16xf32>
    %r1 = pop.get_variable @w1 : !pop.ref<16x64xf32>
    %r2 = pop.get_variable @w2 : !pop.ref<64x16xf32>
    %wqkv = pop.read %rqkv : !pop.ref<16x48xf32>
    %wo = pop.read %ro : !pop.ref<16x16xf32>
    %w1 = pop.read %r1 : !pop.ref<16x64xf32>
    %w2 = pop.read %r2 : !pop.ref<64x16xf32>
    %flat = pop.reshape %x : tensor<8x6x16xf32> to tensor<48x16xf32>
    %qkv = pop.matmul %flat, %wqkv : (tensor<48x16xf32>, tensor<16x48xf32>) -> tensor<48x48xf32>
    %qs = pop.slice %qkv {sizes = array<i64: 48, 16>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<48x48xf32> -> tensor<48x16xf32>
    %ks = pop.slice %qkv {sizes = array<i64: 48, 16>, starts = array<i64: 0, 16>, steps = array<i64: 1, 1>} : tensor<48x48xf32> -> tensor<48x16xf32>
    %vs = pop.slice %qkv {sizes = array<i64: 48, 16>, starts = array<i64: 0, 32>, steps = array<i64: 1, 1>} : tensor<48x48xf32> -> tensor<48x16xf32>
    %qh = pop.reshape %qs : tensor<48x16xf32> to tensor<8x6x4x4xf32>
    %kh = pop.reshape %ks : tensor<48x16xf32> to tensor<8x6x4x4xf32>
    %vh = pop.reshape %vs : tensor<48x16xf32> to tensor<8x6x4x4xf32>
    %q = pop.transpose %qh {permutation = array<i64: 2, 0, 1, 3>} : tensor<8x6x4x4xf32> -> tensor<4x8x6x4xf32>
    %k = pop.transpose %kh {permutation = array<i64: 2, 0, 3, 1>} : tensor<8x6x4x4xf32> -> tensor<4x8x4x6xf32>
    %v = pop.transpose %vh {permutation = array<i64: 2, 0, 1, 3>} : tensor<8x6x4x4xf32> -> tensor<4x8x6x4xf32>
    %scores = pop.matmul %q, %k : (tensor<4x8x6x4xf32>, tensor<4x8x4x6xf32>) -> tensor<4x8x6x6xf32>
    %probs = pop.softmax %scores {axis = 3 : i64} : tensor<4x8x6x6xf32>
    %mixed = pop.matmul %probs, %v : (tensor<4x8x6x6xf32>, tensor<4x8x6x4xf32>) -> tensor<4x8x6x4xf32>
    %back = pop.transpose %mixed {permutation = array<i64: 1, 2, 0, 3>} : tensor<4x8x6x4xf32> -> tensor<8x6x4x4xf32>
    %joined = pop.reshape %back : tensor<8x6x4x4xf32> to tensor<48x16xf32>
    %out = pop.matmul %joined, %wo : (tensor<48x16xf32>, tensor<16x16xf32>) -> tensor<48x16xf32>
    %sum = pop.add %out, %flat : tensor<48x16xf32>
    %inner = pop.matmul %sum, %w1 : (tensor<48x16xf32>, tensor<16x64xf32>) -> tensor<48x64xf32>
    %act = pop.gelu %inner : tensor<48x64xf32>
    %outer = pop.matmul %act, %w2 : (tensor<48x64xf32>, tensor<64x16xf32>) -> tensor<48x16xf32>
    %next = pop.add %outer, %sum : tensor<48x16xf32>
    %y = pop.reshape %next : tensor<48x16xf32> to tensor<8x6x16xf32>
    return %y : tensor<8x6x16xf32>
  }
}
