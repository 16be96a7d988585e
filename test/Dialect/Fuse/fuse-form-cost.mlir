// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-form{mode=cost}))' | FileCheck %s

// A sum over all elements ends a nest: what reads it has one of its own, with
// the broadcast, which costs no loop there.
// CHECK-LABEL: func.func @a_sum_over_all_ends_a_nest
// CHECK: %[[SUM:.*]] = fuse.fusion ins(%arg0 : tensor<64x64xf32>) -> tensor<f32>
// CHECK: linalg.exp
// CHECK: linalg.reduce
// CHECK: fuse.yield
// CHECK: fuse.fusion ins(%{{.*}}, %{{.*}} : {{.*}}) -> tensor<64x64xf32>
// CHECK: linalg.broadcast
// CHECK: linalg.div
// CHECK: linalg.abs
// CHECK: fuse.yield
// CHECK-NOT: fuse.fusion
func.func @a_sum_over_all_ends_a_nest(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<64x64xf32>
  %s = tensor.empty() : tensor<f32>
  %init = linalg.fill ins(%zero : f32) outs(%s : tensor<f32>) -> tensor<f32>
  %0 = linalg.exp ins(%x : tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<64x64xf32>) outs(%init : tensor<f32>) dimensions = [0, 1]
  %b = linalg.broadcast ins(%1 : tensor<f32>) outs(%full : tensor<64x64xf32>) dimensions = [0, 1]
  %2 = linalg.div ins(%x, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  %3 = linalg.abs ins(%2 : tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %3 : tensor<64x64xf32>
}

// Rows are one nest: the sum of a row is read in the loop that makes it.
// CHECK-LABEL: func.func @rows_are_one_nest
// CHECK-COUNT-1: fuse.fusion
// CHECK-NOT: fuse.fusion
func.func @rows_are_one_nest(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %full = tensor.empty() : tensor<64x64xf32>
  %y = linalg.softmax dimension(1) ins(%x : tensor<64x64xf32>) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %y : tensor<64x64xf32>
}

// A whole row of the first product is needed for each element of the second:
// they share the loop over rows, in which neither is repeated.
// CHECK-LABEL: func.func @products_share_rows
// CHECK-COUNT-1: fuse.fusion
// CHECK-NOT: fuse.fusion
func.func @products_share_rows(%a: tensor<64x64xf32>, %b: tensor<64x64xf32>, %c: tensor<64x64xf32>) -> tensor<64x64xf32> {
  %zero = arith.constant 0.0 : f32
  %full = tensor.empty() : tensor<64x64xf32>
  %init = linalg.fill ins(%zero : f32) outs(%full : tensor<64x64xf32>) -> tensor<64x64xf32>
  %0 = linalg.matmul ins(%a, %b : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  %1 = linalg.matmul ins(%0, %c : tensor<64x64xf32>, tensor<64x64xf32>) outs(%init : tensor<64x64xf32>) -> tensor<64x64xf32>
  return %1 : tensor<64x64xf32>
}

// What only reads the same input is not put together.
// CHECK-LABEL: func.func @readers_of_one_input_stay_apart
// CHECK-COUNT-2: fuse.fusion
// CHECK-NOT: fuse.fusion
func.func @readers_of_one_input_stay_apart(%x: tensor<64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %full = tensor.empty() : tensor<64xf32>
  %0 = linalg.exp ins(%x : tensor<64xf32>) outs(%full : tensor<64xf32>) -> tensor<64xf32>
  %1 = linalg.abs ins(%x : tensor<64xf32>) outs(%full : tensor<64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}
