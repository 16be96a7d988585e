// RUN: ipu-opt %s --fuse-print-schedule | FileCheck %s
// RUN: ipu-opt %s --fuse-print-schedule | FileCheck %s --check-prefix=UNCHANGED

// Names are those given, else numbers of ops in the whole function; inputs are
// not printed. The module comes after.
// CHECK:      v1 [i0, i1] @0/0
// CHECK-NEXT: mine [j0, r:j1o:unroll, r:j1i] @0/0
// CHECK-NEXT: v3 [] @0/0
// CHECK-NEXT: v4 [i0, i1] @0/0
// CHECK-NEXT: v5 [b:i0, b:i1] @0/0
// CHECK-NEXT: v6 [i0, i1, i2] @0/0
// CHECK-NEXT: {{^}}second [i0] @0/0
// CHECK-NEXT: {{^}}#map
// UNCHANGED-LABEL: func @two_fusions
// UNCHANGED: fuse.schedule = #fuse.schedule<[j0, j1], split(1, 4, inner), type(1, unroll)>
func.func @two_fusions(%x: tensor<?x?xf32>, %y: tensor<4x?xf32>) -> (tensor<f32>, tensor<4x?x2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %d0 = tensor.dim %x, %c0 : tensor<?x?xf32>
  %d1 = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e0 = tensor.empty(%d0, %d1) : tensor<?x?xf32>
  %0 = linalg.exp ins(%x : tensor<?x?xf32>) outs(%e0 : tensor<?x?xf32>) -> tensor<?x?xf32>
  %r = fuse.fusion ins(%0 : tensor<?x?xf32>) -> tensor<f32> {
  ^bb0(%a: tensor<?x?xf32>):
    %i0 = arith.constant 0 : index
    %s = tensor.dim %a, %i0 : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty(%s) : tensor<?xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<?xf32>) -> tensor<?xf32>
    %1 = linalg.abs ins(%a : tensor<?x?xf32>) outs(%a : tensor<?x?xf32>) -> tensor<?x?xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1]
      {fuse.name = "mine", fuse.schedule = #fuse.schedule<[j0, j1], split(1, 4, inner), type(1, unroll)>}
    %e1 = tensor.empty() : tensor<f32>
    %3 = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%zero : f32) outs(%e1 : tensor<f32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<f32>
    fuse.yield %3 : tensor<f32>
  }
  %q = fuse.fusion ins(%y : tensor<4x?xf32>) -> tensor<4x?x2xf32> {
  ^bb0(%a: tensor<4x?xf32>):
    %i1 = arith.constant 1 : index
    %s = tensor.dim %a, %i1 : tensor<4x?xf32>
    %e = tensor.empty(%s) : tensor<4x?xf32>
    %e1 = tensor.empty() : tensor<4x2xf32>
    %e2 = tensor.empty(%s) : tensor<2x?xf32>
    %e3 = tensor.empty(%s) : tensor<4x?x2xf32>
    %c = arith.constant 1.0 : f32
    // What reads nothing varies along no loop, unless it reads the indices.
    %1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> ()>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : f32) outs(%e1 : tensor<4x2xf32>) {
    ^bb0(%in: f32, %out: f32):
      %i = linalg.index 0 : index
      %v = arith.index_cast %i : index to i32
      %w = arith.sitofp %v : i32 to f32
      linalg.yield %w : f32
    } -> tensor<4x2xf32>
    %2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> ()>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%c : f32) outs(%e2 : tensor<2x?xf32>) {
    ^bb0(%in: f32, %out: f32):
      linalg.yield %in : f32
    } -> tensor<2x?xf32>
    %3 = linalg.generic {
      indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, c)>, affine_map<(a, b, c) -> (c, b)>, affine_map<(a, b, c) -> (a, b, c)>],
      iterator_types = ["parallel", "parallel", "parallel"]}
      ins(%a, %1, %2 : tensor<4x?xf32>, tensor<4x2xf32>, tensor<2x?xf32>) outs(%e3 : tensor<4x?x2xf32>) {
    ^bb0(%x0: f32, %x1: f32, %x2: f32, %out: f32):
      %p = arith.addf %x0, %x1 : f32
      %q0 = arith.addf %p, %x2 : f32
      linalg.yield %q0 : f32
    } -> tensor<4x?x2xf32>
    fuse.yield %3 : tensor<4x?x2xf32>
  }
  return %r, %q : tensor<f32>, tensor<4x?x2xf32>
}

// A function without fusions prints nothing.
func.func @none(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

func.func @second(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %1 = linalg.exp {fuse.name = "second"} ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
