// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s

// A fusion of a reduction and what reads it; all kinds of steps.
// CHECK-LABEL: func @reduction_and_reader
// CHECK-SAME: %[[X:.*]]: tensor<8x16xf32> {fuse.name = "T0"}
func.func @reduction_and_reader(%x: tensor<8x16xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
  // CHECK: %[[R:.*]] = fuse.fusion ins(%[[X]] : tensor<8x16xf32>) -> tensor<8xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<8x16xf32>):
  %r = fuse.fusion ins(%x : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // CHECK: fuse.schedule = #fuse.schedule<[a, "b c"], split(1, 4, inner), split(1, 2, outer), merge(1, 2), reorder(1, 0, 2), type(0, vectorize), type(2, unroll), ca = 1, with = 2>
    %1 = linalg.reduce { arith.addf } ins(%a : tensor<8x16xf32>) outs(%f : tensor<8xf32>) dimensions = [1]
      {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, "b c"], split(1, 4, inner), split(1, 2, outer), merge(1, 2), reorder(1, 0, 2), type(0, vectorize), type(2, unroll), ca = 1, with = 2>}
    // CHECK: linalg.exp {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0], type(0, parallel)>}
    %2 = linalg.exp {fuse.name = "T2", fuse.schedule = #fuse.schedule<[i0], type(0, parallel)>} ins(%1 : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // CHECK: fuse.yield %{{.*}} : tensor<8xf32>
    fuse.yield %2 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// A partial result: what is before rfactor leads to its dimensions.
// CHECK-LABEL: func @partial_result
func.func @partial_result(%x: tensor<8x64xf32>) -> tensor<8x32xf32> {
  %r = fuse.fusion ins(%x : tensor<8x64xf32>) -> tensor<8x32xf32> {
  ^bb0(%a: tensor<8x64xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x32xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<8x32xf32>) -> tensor<8x32xf32>
    %1 = linalg.generic {
      indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b mod 32)>],
      iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<8x64xf32>) outs(%f : tensor<8x32xf32>)
      // CHECK: fuse.schedule = #fuse.schedule<[a, b], split(1, 32, inner), rfactor(2), split(2, 8, inner)>
      attrs = {fuse.schedule = #fuse.schedule<[a, b], split(1, 32, inner), rfactor(2), split(2, 8, inner)>} {
    ^bb0(%in: f32, %out: f32):
      %s = arith.addf %in, %out : f32
      linalg.yield %s : f32
    } -> tensor<8x32xf32>
    fuse.yield %1 : tensor<8x32xf32>
  }
  return %r : tensor<8x32xf32>
}

// No inputs, scalars as inputs, no results, an op of rank 0.
// CHECK-LABEL: func @few_operands
func.func @few_operands(%s: f32) -> tensor<f32> {
  // CHECK: fuse.fusion {
  fuse.fusion {
  }
  // CHECK: fuse.fusion ins(%{{.*}} : f32) -> tensor<f32> attributes {tensor.note = "kept"} {
  %r = fuse.fusion ins(%s : f32) -> tensor<f32> attributes {tensor.note = "kept"} {
  ^bb0(%t: f32):
    %e = tensor.empty() : tensor<f32>
    // CHECK: fuse.schedule = #fuse.schedule<[]>
    %1 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%t : f32) outs(%e : tensor<f32>) attrs = {fuse.schedule = #fuse.schedule<[]>} {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<f32>
    fuse.yield %1 : tensor<f32>
  }
  return %r : tensor<f32>
}

// Sizes are computed in the region.
// CHECK-LABEL: func @dynamic_sizes
func.func @dynamic_sizes(%x: tensor<?xf32>) -> tensor<?xf32> {
  // CHECK: fuse.fusion
  %r = fuse.fusion ins(%x : tensor<?xf32>) -> tensor<?xf32> {
  ^bb0(%a: tensor<?xf32>):
    %c0 = arith.constant 0 : index
    %d = tensor.dim %a, %c0 : tensor<?xf32>
    %m = arith.maxsi %d, %c0 : index
    %e = tensor.empty(%m) : tensor<?xf32>
    %1 = linalg.abs ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    fuse.yield %1 : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}
