// Nests: what is shared is computed in one loop; what has no loops of its own is a
// value; reductions into one element are carried by their loops.

// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops=layout=identity --canonicalize --cse | FileCheck %s

// Two reductions of one producer: two values carried by one loop.
// CHECK-LABEL: func.func @two_reductions(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8x16xf32> to memref<8x16xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 8 {
// CHECK:   %[[V3:.+]]:2 = affine.for %[[I4:.+]] = 0 to 16 iter_args(%[[A5:.+]] = %{{.*}}, %[[A6:.+]] = %{{.*}}) -> (f32, f32) {
// CHECK:     %[[V7:.+]] = affine.load %[[X0]][%[[I2]], %[[I4]]] : memref<8x16xf32>
// CHECK:     %[[V8:.+]] = arith.addf %[[V7]], %{{.*}} : f32
// CHECK:     %[[V9:.+]] = arith.maximumf %[[A5]], %[[V8]] : f32
// CHECK:     %[[V10:.+]] = arith.addf %[[A6]], %[[V8]] : f32
// CHECK:     affine.yield %[[V9]], %[[V10]] : f32, f32
// CHECK:   %[[V11:.+]] = arith.addf %[[V3]]#0, %[[V3]]#1 : f32
// CHECK:   %[[V12:.+]] = arith.addf %[[V11]], %{{.*}} : f32
// CHECK:   affine.store %[[V12]], %[[B1]][%[[I2]]] : memref<8xf32>
// CHECK: %[[B13:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<8xf32> to tensor<8xf32>
func.func @two_reductions(%T0: tensor<8x16xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%T0 : tensor<8x16xf32>) -> tensor<8xf32> {
  ^bb0(%in_T0: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<8x16xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<8x16xf32>) outs(%e_T1 : tensor<8x16xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T2 = tensor.empty() : tensor<8xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<8xf32>) -> tensor<8xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<8x16xf32>) outs(%f_T2 : tensor<8xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.maximumf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_T3 = tensor.empty() : tensor<8xf32>
    %f_T3 = linalg.fill ins(%zero : f32) outs(%e_T3 : tensor<8xf32>) -> tensor<8xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<8x16xf32>) outs(%f_T3 : tensor<8xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_T4 = tensor.empty() : tensor<8xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%T2, %T3 : tensor<8xf32>, tensor<8xf32>) outs(%e_T4 : tensor<8xf32>)
        attrs = {fuse.name = "T4"} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<8xf32>
    fuse.yield %T4 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}


// Two broadcasts along the inner loop: their values are the producer's.
// CHECK-LABEL: func.func @two_broadcasts_inner(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8xf32> to memref<8xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8x16xf32> to memref<8x16xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 8 {
// CHECK:   %[[V4:.+]] = affine.load %[[X0]][%[[I3]]] : memref<8xf32>
// CHECK:   %[[V5:.+]] = arith.addf %[[V4]], %{{.*}} : f32
// CHECK:   %[[V6:.+]] = arith.addf %[[V5]], %{{.*}} : f32
// CHECK:   %[[V7:.+]] = arith.addf %[[V5]], %{{.*}} : f32
// CHECK:   affine.for %[[I8:.+]] = 0 to 16 {
// CHECK:     %[[V9:.+]] = affine.load %[[X1]][%[[I3]], %[[I8]]] : memref<8x16xf32>
// CHECK:     %[[V10:.+]] = arith.addf %[[V6]], %[[V7]] : f32
// CHECK:     %[[V11:.+]] = arith.subf %[[V10]], %[[V9]] : f32
// CHECK:     %[[V12:.+]] = arith.addf %[[V11]], %{{.*}} : f32
// CHECK:     affine.store %[[V12]], %[[B2]][%[[I3]], %[[I8]]] : memref<8x16xf32>
// CHECK: %[[B13:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<8x16xf32> to tensor<8x16xf32>
func.func @two_broadcasts_inner(%T0: tensor<8xf32>, %X: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = fuse.fusion ins(%T0, %X : tensor<8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%in_T0: tensor<8xf32>, %in_X: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<8xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%in_T0 : tensor<8xf32>) outs(%e_T1 : tensor<8xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_T2 = tensor.empty() : tensor<8x16xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<8xf32>) outs(%e_T2 : tensor<8x16xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T3 = tensor.empty() : tensor<8x16xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<8xf32>) outs(%e_T3 : tensor<8x16xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 2.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T4 = tensor.empty() : tensor<8x16xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T2, %T3, %in_X : tensor<8x16xf32>, tensor<8x16xf32>, tensor<8x16xf32>) outs(%e_T4 : tensor<8x16xf32>)
        attrs = {fuse.name = "T4"} {
    ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %s1 = arith.subf %s0, %x2 : f32
      %k = arith.constant 3.0 : f32
      %s2 = arith.addf %s1, %k : f32
      linalg.yield %s2 : f32
    } -> tensor<8x16xf32>
    fuse.yield %T4 : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}


// Along the outer loop: the producer is computed again in it.
// CHECK-LABEL: func.func @two_broadcasts_outer(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8xf32> to memref<8xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<16x8xf32> to memref<16x8xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<16x8xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 16 {
// CHECK:   affine.for %[[I4:.+]] = 0 to 8 {
// CHECK:     %[[V5:.+]] = affine.load %[[X0]][%[[I4]]] : memref<8xf32>
// CHECK:     %[[V6:.+]] = arith.addf %[[V5]], %{{.*}} : f32
// CHECK:     %[[V7:.+]] = arith.addf %[[V6]], %{{.*}} : f32
// CHECK:     %[[V8:.+]] = arith.addf %[[V6]], %{{.*}} : f32
// CHECK:     %[[V9:.+]] = affine.load %[[X1]][%[[I3]], %[[I4]]] : memref<16x8xf32>
// CHECK:     %[[V10:.+]] = arith.addf %[[V7]], %[[V8]] : f32
// CHECK:     %[[V11:.+]] = arith.subf %[[V10]], %[[V9]] : f32
// CHECK:     %[[V12:.+]] = arith.addf %[[V11]], %{{.*}} : f32
// CHECK:     affine.store %[[V12]], %[[B2]][%[[I3]], %[[I4]]] : memref<16x8xf32>
// CHECK: %[[B13:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<16x8xf32> to tensor<16x8xf32>
func.func @two_broadcasts_outer(%T0: tensor<8xf32>, %X: tensor<16x8xf32>) -> tensor<16x8xf32> {
  %r = fuse.fusion ins(%T0, %X : tensor<8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32> {
  ^bb0(%in_T0: tensor<8xf32>, %in_X: tensor<16x8xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<8xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%in_T0 : tensor<8xf32>) outs(%e_T1 : tensor<8xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_T2 = tensor.empty() : tensor<16x8xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(b,a) -> (a)>, affine_map<(b,a) -> (b, a)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<8xf32>) outs(%e_T2 : tensor<16x8xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[b, a], ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<16x8xf32>
    %e_T3 = tensor.empty() : tensor<16x8xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(b,a) -> (a)>, affine_map<(b,a) -> (b, a)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<8xf32>) outs(%e_T3 : tensor<16x8xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[b, a], ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 2.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<16x8xf32>
    %e_T4 = tensor.empty() : tensor<16x8xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(b,a) -> (b, a)>, affine_map<(b,a) -> (b, a)>, affine_map<(b,a) -> (b, a)>, affine_map<(b,a) -> (b, a)>], iterator_types = ["parallel", "parallel"]}
        ins(%T2, %T3, %in_X : tensor<16x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>) outs(%e_T4 : tensor<16x8xf32>)
        attrs = {fuse.name = "T4"} {
    ^bb0(%x0: f32, %x1: f32, %x2: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %s1 = arith.subf %s0, %x2 : f32
      %k = arith.constant 3.0 : f32
      %s2 = arith.addf %s1, %k : f32
      linalg.yield %s2 : f32
    } -> tensor<16x8xf32>
    fuse.yield %T4 : tensor<16x8xf32>
  }
  return %r : tensor<16x8xf32>
}


// A reduction and an output in one loop.
// CHECK-LABEL: func.func @mixed_branches(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8x16xf32> to memref<8x16xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 8 {
// CHECK:   %[[V4:.+]] = affine.for %[[I5:.+]] = 0 to 16 iter_args(%[[A6:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[V7:.+]] = affine.load %[[X0]][%[[I3]], %[[I5]]] : memref<8x16xf32>
// CHECK:     %[[V8:.+]] = arith.addf %[[V7]], %{{.*}} : f32
// CHECK:     %[[V9:.+]] = arith.addf %[[A6]], %[[V8]] : f32
// CHECK:     %[[V10:.+]] = arith.addf %[[V8]], %{{.*}} : f32
// CHECK:     affine.store %[[V10]], %[[B2]][%[[I3]], %[[I5]]] : memref<8x16xf32>
// CHECK:     affine.yield %[[V9]] : f32
// CHECK:   %[[V11:.+]] = arith.addf %[[V4]], %{{.*}} : f32
// CHECK:   affine.store %[[V11]], %[[B1]][%[[I3]]] : memref<8xf32>
// CHECK: %[[B12:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<8xf32> to tensor<8xf32>
// CHECK: %[[B13:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<8x16xf32> to tensor<8x16xf32>
func.func @mixed_branches(%T0: tensor<8x16xf32>) -> (tensor<8xf32>, tensor<8x16xf32>) {
  %r:2 = fuse.fusion ins(%T0 : tensor<8x16xf32>) -> tensor<8xf32>, tensor<8x16xf32> {
  ^bb0(%in_T0: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<8x16xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<8x16xf32>) outs(%e_T1 : tensor<8x16xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T2 = tensor.empty() : tensor<8xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<8xf32>) -> tensor<8xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<8x16xf32>) outs(%f_T2 : tensor<8xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_T3 = tensor.empty() : tensor<8x16xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<8x16xf32>) outs(%e_T3 : tensor<8x16xf32>)
        attrs = {fuse.name = "T3"} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 2.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T5 = tensor.empty() : tensor<8xf32>
    %T5 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%T2 : tensor<8xf32>) outs(%e_T5 : tensor<8xf32>)
        attrs = {fuse.name = "T5"} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    fuse.yield %T5, %T3 : tensor<8xf32>, tensor<8x16xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8x16xf32>
}


// Rows are kept, since their sum comes before their second use.
// CHECK-LABEL: func.func @normalisation(
// CHECK: %[[B0:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8x16xf32> to memref<8x16xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 8 {
// CHECK:   affine.for %[[I4:.+]] = 0 to 16 {
// CHECK:     %[[V5:.+]] = affine.load %[[X1]][%[[I3]], %[[I4]]] : memref<8x16xf32>
// CHECK:     %[[V6:.+]] = arith.addf %[[V5]], %{{.*}} : f32
// CHECK:     affine.store %[[V6]], %[[B0]][%[[I4]]] : memref<16xf32>
// CHECK:   %[[V7:.+]] = affine.for %[[I8:.+]] = 0 to 16 iter_args(%[[A9:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[B10:.+]] = affine.load %[[B0]][%[[I8]]] : memref<16xf32>
// CHECK:     %[[V11:.+]] = arith.addf %[[A9]], %[[B10]] : f32
// CHECK:     affine.yield %[[V11]] : f32
// CHECK:   affine.for %[[I12:.+]] = 0 to 16 {
// CHECK:     %[[B13:.+]] = affine.load %[[B0]][%[[I12]]] : memref<16xf32>
// CHECK:     %[[V14:.+]] = arith.addf %[[B13]], %[[V7]] : f32
// CHECK:     %[[V15:.+]] = arith.addf %[[V14]], %{{.*}} : f32
// CHECK:     affine.store %[[V15]], %[[B2]][%[[I3]], %[[I12]]] : memref<8x16xf32>
// CHECK: %[[B16:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<8x16xf32> to tensor<8x16xf32>
func.func @normalisation(%T0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = fuse.fusion ins(%T0 : tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%in_T0: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<8x16xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<8x16xf32>) outs(%e_T1 : tensor<8x16xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T2 = tensor.empty() : tensor<8xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<8xf32>) -> tensor<8xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<8x16xf32>) outs(%f_T2 : tensor<8xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_T4 = tensor.empty() : tensor<8x16xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1, %T2 : tensor<8x16xf32>, tensor<8xf32>) outs(%e_T4 : tensor<8x16xf32>)
        attrs = {fuse.name = "T4"} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<8x16xf32>
    fuse.yield %T4 : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}


// Two passes over a row, then one more over what was kept of it.
// CHECK-LABEL: func.func @softmax(
// CHECK: %[[B0:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8x16xf32> to memref<8x16xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 8 {
// CHECK:   %[[V4:.+]] = affine.for %[[I5:.+]] = 0 to 16 iter_args(%[[A6:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[V7:.+]] = affine.load %[[X1]][%[[I3]], %[[I5]]] : memref<8x16xf32>
// CHECK:     %[[V8:.+]] = arith.maximumf %[[A6]], %[[V7]] : f32
// CHECK:     affine.yield %[[V8]] : f32
// CHECK:   affine.for %[[I9:.+]] = 0 to 16 {
// CHECK:     %[[V10:.+]] = affine.load %[[X1]][%[[I3]], %[[I9]]] : memref<8x16xf32>
// CHECK:     %[[V11:.+]] = arith.addf %[[V10]], %[[V4]] : f32
// CHECK:     %[[V12:.+]] = arith.addf %[[V11]], %{{.*}} : f32
// CHECK:     %[[V13:.+]] = arith.addf %[[V12]], %{{.*}} : f32
// CHECK:     affine.store %[[V13]], %[[B0]][%[[I9]]] : memref<16xf32>
// CHECK:   %[[V14:.+]] = affine.for %[[I15:.+]] = 0 to 16 iter_args(%[[A16:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[B17:.+]] = affine.load %[[B0]][%[[I15]]] : memref<16xf32>
// CHECK:     %[[V18:.+]] = arith.addf %[[A16]], %[[B17]] : f32
// CHECK:     affine.yield %[[V18]] : f32
// CHECK:   affine.for %[[I19:.+]] = 0 to 16 {
// CHECK:     %[[B20:.+]] = affine.load %[[B0]][%[[I19]]] : memref<16xf32>
// CHECK:     %[[V21:.+]] = arith.addf %[[B20]], %[[V14]] : f32
// CHECK:     %[[V22:.+]] = arith.addf %[[V21]], %{{.*}} : f32
// CHECK:     affine.store %[[V22]], %[[B2]][%[[I3]], %[[I19]]] : memref<8x16xf32>
// CHECK: %[[B23:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<8x16xf32> to tensor<8x16xf32>
func.func @softmax(%X: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = fuse.fusion ins(%X : tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%in_X: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e_M = tensor.empty() : tensor<8xf32>
    %f_M = linalg.fill ins(%zero : f32) outs(%e_M : tensor<8xf32>) -> tensor<8xf32>
    %M = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%in_X : tensor<8x16xf32>) outs(%f_M : tensor<8xf32>)
        attrs = {fuse.name = "M", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.maximumf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_S = tensor.empty() : tensor<8x16xf32>
    %S = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_X, %M : tensor<8x16xf32>, tensor<8xf32>) outs(%e_S : tensor<8x16xf32>)
        attrs = {fuse.name = "S", fuse.schedule = #fuse.schedule<[a, b], ca = 2>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<8x16xf32>
    %e_E = tensor.empty() : tensor<8x16xf32>
    %E = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%S : tensor<8x16xf32>) outs(%e_E : tensor<8x16xf32>)
        attrs = {fuse.name = "E", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 1.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_Z = tensor.empty() : tensor<8xf32>
    %f_Z = linalg.fill ins(%zero : f32) outs(%e_Z : tensor<8xf32>) -> tensor<8xf32>
    %Z = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%E : tensor<8x16xf32>) outs(%f_Z : tensor<8xf32>)
        attrs = {fuse.name = "Z", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<8xf32>
    %e_Y = tensor.empty() : tensor<8x16xf32>
    %Y = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%E, %Z : tensor<8x16xf32>, tensor<8xf32>) outs(%e_Y : tensor<8x16xf32>)
        attrs = {fuse.name = "Y"} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<8x16xf32>
    fuse.yield %Y : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}


// Merged loops: indices are quotients and remainders, buffers are tiles.
// CHECK-LABEL: func.func @side_output(
// CHECK: %[[B0:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[B1:.+]] = memref.alloca() {alignment = 64 : i64} : memref<16xf32>
// CHECK: %[[X2:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8x16xf32> to memref<8x16xf32>
// CHECK: %[[B3:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: %[[B4:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: affine.for %[[I5:.+]] = 0 to 8 {
// CHECK:   affine.for %[[I6:.+]] = 0 to 16 {
// CHECK:     %[[V7:.+]] = affine.load %[[X2]][%[[I5]], %[[I6]]] : memref<8x16xf32>
// CHECK:     %[[V8:.+]] = arith.addf %[[V7]], %{{.*}} : f32
// CHECK:     affine.store %[[V8]], %[[B1]][%[[I6]]] : memref<16xf32>
// CHECK:   affine.for %[[I9:.+]] = 0 to 16 {
// CHECK:     %[[B10:.+]] = affine.load %[[B1]][%[[I9]]] : memref<16xf32>
// CHECK:     %[[V11:.+]] = arith.addf %[[B10]], %{{.*}} : f32
// CHECK:     affine.store %[[V11]], %[[B3]][%[[I5]], %[[I9]]] : memref<8x16xf32>
// CHECK:   affine.for %[[I12:.+]] = 0 to 16 {
// CHECK:     %[[B13:.+]] = affine.load %[[B1]][%[[I12]]] : memref<16xf32>
// CHECK:     %[[V14:.+]] = arith.addf %[[B13]], %{{.*}} : f32
// CHECK:     affine.store %[[V14]], %[[B0]][%[[I12]]] : memref<16xf32>
// CHECK:   affine.for %[[I15:.+]] = 0 to 16 {
// CHECK:     %[[B16:.+]] = affine.load %[[B0]][%[[I15]]] : memref<16xf32>
// CHECK:     %[[V17:.+]] = arith.addf %[[B16]], %{{.*}} : f32
// CHECK:     affine.store %[[V17]], %[[B4]][%[[I5]], %[[I15]]] : memref<8x16xf32>
// CHECK: %[[B18:.+]] = bufferization.to_tensor %[[B3]] restrict writable : memref<8x16xf32> to tensor<8x16xf32>
// CHECK: %[[B19:.+]] = bufferization.to_tensor %[[B4]] restrict writable : memref<8x16xf32> to tensor<8x16xf32>
func.func @side_output(%T0: tensor<8x16xf32>) -> (tensor<8x16xf32>, tensor<8x16xf32>) {
  %r:2 = fuse.fusion ins(%T0 : tensor<8x16xf32>) -> tensor<8x16xf32>, tensor<8x16xf32> {
  ^bb0(%in_T0: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<8x16xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<8x16xf32>) outs(%e_T1 : tensor<8x16xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T2 = tensor.empty() : tensor<8x16xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<8x16xf32>) outs(%e_T2 : tensor<8x16xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T3 = tensor.empty() : tensor<8x16xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<8x16xf32>) outs(%e_T3 : tensor<8x16xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 2.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    %e_T4 = tensor.empty() : tensor<8x16xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T3 : tensor<8x16xf32>) outs(%e_T4 : tensor<8x16xf32>)
        attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<8x16xf32>
    fuse.yield %T2, %T4 : tensor<8x16xf32>, tensor<8x16xf32>
  }
  return %r#0, %r#1 : tensor<8x16xf32>, tensor<8x16xf32>
}


// Tiles of both operands and of the accumulator are kept.
// CHECK-LABEL: func.func @matmul_tiles(
// CHECK: %[[B0:.+]] = memref.alloca() {alignment = 64 : i64} : memref<8x4xf32>
// CHECK: %[[B1:.+]] = memref.alloca() {alignment = 64 : i64} : memref<8x4xf32>
// CHECK: %[[B2:.+]] = memref.alloca() {alignment = 64 : i64} : memref<8x8xf32>
// CHECK: %[[X3:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<64x32xf32> to memref<64x32xf32>
// CHECK: %[[X4:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<64x32xf32> to memref<64x32xf32>
// CHECK: %[[B5:.+]] = memref.alloc() {alignment = 64 : i64} : memref<64x64xf32>
// CHECK: affine.for %[[I6:.+]] = 0 to 8 {
// CHECK:   affine.for %[[I7:.+]] = 0 to 8 {
// CHECK:     affine.for %[[I8:.+]] = 0 to 8 {
// CHECK:       affine.for %[[I9:.+]] = 0 to 8 {
// CHECK:         affine.store %{{.*}}, %[[B2]][%[[I8]], %[[I9]]] : memref<8x8xf32>
// CHECK:     affine.for %[[I10:.+]] = 0 to 8 {
// CHECK:       affine.for %[[I11:.+]] = 0 to 8 {
// CHECK:         affine.for %[[I12:.+]] = 0 to 4 {
// CHECK:           %[[V13:.+]] = affine.load %[[X3]][%[[I6]] * 8 + %[[I11]], %[[I10]] * 4 + %[[I12]]] : memref<64x32xf32>
// CHECK:           %[[V14:.+]] = arith.addf %[[V13]], %{{.*}} : f32
// CHECK:           affine.store %[[V14]], %[[B1]][%[[I11]], %[[I12]]] : memref<8x4xf32>
// CHECK:       affine.for %[[I15:.+]] = 0 to 8 {
// CHECK:         affine.for %[[I16:.+]] = 0 to 4 {
// CHECK:           %[[V17:.+]] = affine.load %[[X4]][%[[I7]] * 8 + %[[I15]], %[[I10]] * 4 + %[[I16]]] : memref<64x32xf32>
// CHECK:           %[[V18:.+]] = arith.addf %[[V17]], %{{.*}} : f32
// CHECK:           affine.store %[[V18]], %[[B0]][%[[I15]], %[[I16]]] : memref<8x4xf32>
// CHECK:       affine.for %[[I19:.+]] = 0 to 8 {
// CHECK:         affine.for %[[I20:.+]] = 0 to 8 {
// CHECK:           affine.for %[[I21:.+]] = 0 to 4 {
// CHECK:             %[[B22:.+]] = affine.load %[[B1]][%[[I19]], %[[I21]]] : memref<8x4xf32>
// CHECK:             %[[B23:.+]] = affine.load %[[B0]][%[[I20]], %[[I21]]] : memref<8x4xf32>
// CHECK:             %[[B24:.+]] = affine.load %[[B2]][%[[I19]], %[[I20]]] : memref<8x8xf32>
// CHECK:             %[[V25:.+]] = arith.mulf %[[B22]], %[[B23]] : f32
// CHECK:             %[[V26:.+]] = arith.addf %[[B24]], %[[V25]] : f32
// CHECK:             affine.store %[[V26]], %[[B2]][%[[I19]], %[[I20]]] : memref<8x8xf32>
// CHECK:     affine.for %[[I27:.+]] = 0 to 8 {
// CHECK:       affine.for %[[I28:.+]] = 0 to 8 {
// CHECK:         %[[B29:.+]] = affine.load %[[B2]][%[[I27]], %[[I28]]] : memref<8x8xf32>
// CHECK:         %[[V30:.+]] = arith.addf %[[B29]], %{{.*}} : f32
// CHECK:         affine.store %[[V30]], %[[B5]][%[[I6]] * 8 + %[[I27]], %[[I7]] * 8 + %[[I28]]] : memref<64x64xf32>
// CHECK: %[[B31:.+]] = bufferization.to_tensor %[[B5]] restrict writable : memref<64x64xf32> to tensor<64x64xf32>
func.func @matmul_tiles(%A: tensor<64x32xf32>, %B: tensor<64x32xf32>) -> tensor<64x64xf32> {
  %r = fuse.fusion ins(%A, %B : tensor<64x32xf32>, tensor<64x32xf32>) -> tensor<64x64xf32> {
  ^bb0(%in_A: tensor<64x32xf32>, %in_B: tensor<64x32xf32>):
    %zero = arith.constant 0.0 : f32
    %e_As = tensor.empty() : tensor<64x32xf32>
    %As = linalg.generic {indexing_maps = [affine_map<(m,k) -> (m, k)>, affine_map<(m,k) -> (m, k)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_A : tensor<64x32xf32>) outs(%e_As : tensor<64x32xf32>)
        attrs = {fuse.name = "As", fuse.schedule = #fuse.schedule<[m, k], split(0, 8, inner), split(2, 4, inner), reorder(0, 2, 1, 3), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<64x32xf32>
    %e_Bs = tensor.empty() : tensor<64x32xf32>
    %Bs = linalg.generic {indexing_maps = [affine_map<(n,k) -> (n, k)>, affine_map<(n,k) -> (n, k)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_B : tensor<64x32xf32>) outs(%e_Bs : tensor<64x32xf32>)
        attrs = {fuse.name = "Bs", fuse.schedule = #fuse.schedule<[n, k], split(0, 8, inner), split(2, 4, inner), reorder(0, 2, 1, 3), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<64x32xf32>
    %e_C = tensor.empty() : tensor<64x64xf32>
    %f_C = linalg.fill ins(%zero : f32) outs(%e_C : tensor<64x64xf32>) -> tensor<64x64xf32>
    %C = linalg.generic {indexing_maps = [affine_map<(m,n,k) -> (m, k)>, affine_map<(m,n,k) -> (n, k)>, affine_map<(m,n,k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%As, %Bs : tensor<64x32xf32>, tensor<64x32xf32>) outs(%f_C : tensor<64x64xf32>)
        attrs = {fuse.name = "C", fuse.schedule = #fuse.schedule<[m, n, k], split(0, 8, inner), split(2, 8, inner), split(4, 4, inner), reorder(0, 2, 4, 1, 3, 5), ca = 2>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.mulf %x0, %x1 : f32
      %s1 = arith.addf %o, %s0 : f32
      linalg.yield %s1 : f32
    } -> tensor<64x64xf32>
    %e_D = tensor.empty() : tensor<64x64xf32>
    %D = linalg.generic {indexing_maps = [affine_map<(m,n) -> (m, n)>, affine_map<(m,n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%C : tensor<64x64xf32>) outs(%e_D : tensor<64x64xf32>)
        attrs = {fuse.name = "D", fuse.schedule = #fuse.schedule<[m, n], split(0, 8, inner), split(2, 8, inner), reorder(0, 2, 1, 3)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<64x64xf32>
    fuse.yield %D : tensor<64x64xf32>
  }
  return %r : tensor<64x64xf32>
}


// The partial sums of four lanes, then their sum.
// CHECK-LABEL: func.func @rfactor(
// CHECK: %[[B0:.+]] = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK: %[[B1:.+]] = memref.alloca() {alignment = 64 : i64} : memref<4xf32>
// CHECK: %[[X2:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x18xf32> to memref<6x18xf32>
// CHECK: %[[B3:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: affine.for %[[I4:.+]] = 0 to 6 {
// CHECK:   affine.for %[[I5:.+]] = 0 to 4 {
// CHECK:     affine.store %{{.*}}, %[[B1]][%[[I5]]] : memref<4xf32>
// CHECK:   affine.for %[[I6:.+]] = 0 to 4 {
// CHECK:     affine.for %[[I7:.+]] = 0 to 4 {
// CHECK:       %[[V8:.+]] = affine.load %[[X2]][%[[I4]], %[[I6]] * 4 + %[[I7]]] : memref<6x18xf32>
// CHECK:       %[[V9:.+]] = arith.mulf %[[V8]], %[[V8]] : f32
// CHECK:       affine.store %[[V9]], %[[B0]][%[[I7]]] : memref<4xf32>
// CHECK:     affine.for %[[I10:.+]] = 0 to 4 {
// CHECK:       %[[B11:.+]] = affine.load %[[B0]][%[[I10]]] : memref<4xf32>
// CHECK:       %[[B12:.+]] = affine.load %[[B1]][%[[I10]]] : memref<4xf32>
// CHECK:       %[[V13:.+]] = arith.addf %[[B12]], %[[B11]] : f32
// CHECK:       affine.store %[[V13]], %[[B1]][%[[I10]]] : memref<4xf32>
// CHECK:   affine.for %[[I14:.+]] = 0 to 2 {
// CHECK:     %[[V15:.+]] = affine.load %[[X2]][%[[I4]], %[[I14]] + 16] : memref<6x18xf32>
// CHECK:     %[[V16:.+]] = arith.mulf %[[V15]], %[[V15]] : f32
// CHECK:     affine.store %[[V16]], %[[B0]][%[[I14]]] : memref<4xf32>
// CHECK:   affine.for %[[I17:.+]] = 0 to 2 {
// CHECK:     %[[B18:.+]] = affine.load %[[B0]][%[[I17]]] : memref<4xf32>
// CHECK:     %[[B19:.+]] = affine.load %[[B1]][%[[I17]]] : memref<4xf32>
// CHECK:     %[[V20:.+]] = arith.addf %[[B19]], %[[B18]] : f32
// CHECK:     affine.store %[[V20]], %[[B1]][%[[I17]]] : memref<4xf32>
// CHECK:   %[[V21:.+]] = affine.for %[[I22:.+]] = 0 to 4 iter_args(%[[A23:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[B24:.+]] = affine.load %[[B1]][%[[I22]]] : memref<4xf32>
// CHECK:     %[[V25:.+]] = arith.addf %[[A23]], %[[B24]] : f32
// CHECK:     affine.yield %[[V25]] : f32
// CHECK:   affine.store %[[V21]], %[[B3]][%[[I4]]] : memref<6xf32>
// CHECK: %[[B26:.+]] = bufferization.to_tensor %[[B3]] restrict writable : memref<6xf32> to tensor<6xf32>
func.func @rfactor(%x: tensor<6x18xf32>) -> tensor<6xf32> {
  %r = fuse.fusion ins(%x : tensor<6x18xf32>) -> tensor<6xf32> {
  ^bb0(%t0: tensor<6x18xf32>):
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty() : tensor<6x18xf32>
    %t1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%t0 : tensor<6x18xf32>) outs(%e1 : tensor<6x18xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), ca = 2>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6x18xf32>
    %e2 = tensor.empty() : tensor<6x4xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x4xf32>) -> tensor<6x4xf32>
    %t2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b mod 4)>], iterator_types = ["parallel", "reduction"]}
        ins(%t1 : tensor<6x18xf32>) outs(%f2 : tensor<6x4xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), rfactor(2), reorder(0, 1, 2), ca = 1>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6x4xf32>
    %e3 = tensor.empty() : tensor<6xf32>
    %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<6xf32>) -> tensor<6xf32>
    %t3 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%t2 : tensor<6x4xf32>) outs(%f3 : tensor<6xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b]>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6xf32>
    fuse.yield %t3 : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// A reduction with other loops in it adds into memory.
// CHECK-LABEL: func.func @reduction_around_a_loop(
// CHECK: %[[B0:.+]] = memref.alloca() {alignment = 64 : i64} : memref<5xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10x5xf32> to memref<6x10x5xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x5xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 6 {
// CHECK:   affine.for %[[I4:.+]] = 0 to 5 {
// CHECK:     affine.store %{{.*}}, %[[B0]][%[[I4]]] : memref<5xf32>
// CHECK:   affine.for %[[I5:.+]] = 0 to 10 {
// CHECK:     affine.for %[[I6:.+]] = 0 to 5 {
// CHECK:       %[[V7:.+]] = affine.load %[[X1]][%[[I3]], %[[I5]], %[[I6]]] : memref<6x10x5xf32>
// CHECK:       %[[B8:.+]] = affine.load %[[B0]][%[[I6]]] : memref<5xf32>
// CHECK:       %[[V9:.+]] = arith.addf %[[B8]], %[[V7]] : f32
// CHECK:       affine.store %[[V9]], %[[B0]][%[[I6]]] : memref<5xf32>
// CHECK:   affine.for %[[I10:.+]] = 0 to 5 {
// CHECK:     %[[B11:.+]] = affine.load %[[B0]][%[[I10]]] : memref<5xf32>
// CHECK:     %[[V12:.+]] = arith.addf %[[B11]], %{{.*}} : f32
// CHECK:     affine.store %[[V12]], %[[B2]][%[[I3]], %[[I10]]] : memref<6x5xf32>
// CHECK: %[[B13:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<6x5xf32> to tensor<6x5xf32>
func.func @reduction_around_a_loop(%T0: tensor<6x10x5xf32>) -> tensor<6x5xf32> {
  %r = fuse.fusion ins(%T0 : tensor<6x10x5xf32>) -> tensor<6x5xf32> {
  ^bb0(%in_T0: tensor<6x10x5xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6x5xf32>
    %f_T1 = linalg.fill ins(%zero : f32) outs(%e_T1 : tensor<6x5xf32>) -> tensor<6x5xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b,c) -> (a, b, c)>, affine_map<(a,b,c) -> (a, c)>], iterator_types = ["parallel", "reduction", "parallel"]}
        ins(%in_T0 : tensor<6x10x5xf32>) outs(%f_T1 : tensor<6x5xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b, c], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<6x5xf32>
    %e_T2 = tensor.empty() : tensor<6x5xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,c) -> (a, c)>, affine_map<(a,c) -> (a, c)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<6x5xf32>) outs(%e_T2 : tensor<6x5xf32>)
        attrs = {fuse.name = "T2"} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<6x5xf32>
    fuse.yield %T2 : tensor<6x5xf32>
  }
  return %r : tensor<6x5xf32>
}


// Both loops of the producer run over the product of the consumer.
// CHECK-LABEL: func.func @merged_with_broadcast(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6xf32> to memref<6xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 60 {
// CHECK:   %[[V4:.+]] = affine.load %[[X0]][%[[I3]] floordiv 10] : memref<6xf32>
// CHECK:   %[[V5:.+]] = arith.addf %[[V4]], %{{.*}} : f32
// CHECK:   %[[V6:.+]] = arith.addf %[[V5]], %{{.*}} : f32
// CHECK:   %[[V7:.+]] = affine.load %[[X1]][%[[I3]] floordiv 10, %[[I3]] mod 10] : memref<6x10xf32>
// CHECK:   %[[V8:.+]] = arith.addf %[[V6]], %[[V7]] : f32
// CHECK:   %[[V9:.+]] = arith.addf %[[V8]], %{{.*}} : f32
// CHECK:   affine.store %[[V9]], %[[B2]][%[[I3]] floordiv 10, %[[I3]] mod 10] : memref<6x10xf32>
// CHECK: %[[B10:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
func.func @merged_with_broadcast(%T0: tensor<6xf32>, %X: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %r = fuse.fusion ins(%T0, %X : tensor<6xf32>, tensor<6x10xf32>) -> tensor<6x10xf32> {
  ^bb0(%in_T0: tensor<6xf32>, %in_X: tensor<6x10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%in_T0 : tensor<6xf32>) outs(%e_T1 : tensor<6xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[y], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<6xf32>
    %e_T2 = tensor.empty() : tensor<6x10xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<6xf32>) outs(%e_T2 : tensor<6x10xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[y, b], merge(0, 1), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<6x10xf32>
    %e_T4 = tensor.empty() : tensor<6x10xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T2, %in_X : tensor<6x10xf32>, tensor<6x10xf32>) outs(%e_T4 : tensor<6x10xf32>)
        attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[y, z], merge(0, 1)>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<6x10xf32>
    fuse.yield %T4 : tensor<6x10xf32>
  }
  return %r : tensor<6x10xf32>
}


// No dimension at all.
// CHECK-LABEL: func.func @scalar(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<8x16xf32> to memref<8x16xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<8x16xf32>
// CHECK: %[[V2:.+]] = affine.for %[[I3:.+]] = 0 to 18 iter_args(%[[A4:.+]] = %{{.*}}) -> (f32) {
// CHECK:   %[[V5:.+]] = affine.for %[[I6:.+]] = 0 to 7 iter_args(%[[A7:.+]] = %[[A4]]) -> (f32) {
// CHECK:     %[[V8:.+]] = affine.load %[[X0]][(%[[I3]] * 7 + %[[I6]]) floordiv 16, (%[[I3]] * 7 + %[[I6]]) mod 16] : memref<8x16xf32>
// CHECK:     %[[V9:.+]] = arith.addf %[[A7]], %[[V8]] : f32
// CHECK:     affine.yield %[[V9]] : f32
// CHECK:   affine.yield %[[V5]] : f32
// CHECK: %[[V10:.+]] = affine.for %[[I11:.+]] = 0 to 2 iter_args(%[[A12:.+]] = %[[V2]]) -> (f32) {
// CHECK:   %[[V13:.+]] = affine.load %[[X0]][7, %[[I11]] + 14] : memref<8x16xf32>
// CHECK:   %[[V14:.+]] = arith.addf %[[A12]], %[[V13]] : f32
// CHECK:   affine.yield %[[V14]] : f32
// CHECK: affine.for %[[I15:.+]] = 0 to 8 {
// CHECK:   affine.for %[[I16:.+]] = 0 to 16 {
// CHECK:     %[[V17:.+]] = affine.load %[[X0]][%[[I15]], %[[I16]]] : memref<8x16xf32>
// CHECK:     %[[V18:.+]] = arith.addf %[[V17]], %[[V10]] : f32
// CHECK:     %[[V19:.+]] = arith.addf %[[V18]], %{{.*}} : f32
// CHECK:     affine.store %[[V19]], %[[B1]][%[[I15]], %[[I16]]] : memref<8x16xf32>
// CHECK: %[[B20:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<8x16xf32> to tensor<8x16xf32>
func.func @scalar(%T0: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %r = fuse.fusion ins(%T0 : tensor<8x16xf32>) -> tensor<8x16xf32> {
  ^bb0(%in_T0: tensor<8x16xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<f32>
    %f_T1 = linalg.fill ins(%zero : f32) outs(%e_T1 : tensor<f32>) -> tensor<f32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> ()>], iterator_types = ["reduction", "reduction"]}
        ins(%in_T0 : tensor<8x16xf32>) outs(%f_T1 : tensor<f32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 7, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<f32>
    %e_T2 = tensor.empty() : tensor<8x16xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> ()>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0, %T1 : tensor<8x16xf32>, tensor<f32>) outs(%e_T2 : tensor<8x16xf32>)
        attrs = {fuse.name = "T2"} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 4.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<8x16xf32>
    fuse.yield %T2 : tensor<8x16xf32>
  }
  return %r : tensor<8x16xf32>
}
