// Loops marked parallel and unroll.

// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops=layout=identity --canonicalize --cse | FileCheck %s
// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops="loops=scf layout=identity" --canonicalize --cse | FileCheck %s --check-prefix=SCF

// Buffers are in the body of the parallel loop, so that each iteration has its own;
// not on the stack, which is the function's.
// CHECK-LABEL: func.func @parallel_rows(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// CHECK: affine.parallel (%[[I2:.+]]) = (0) to (6) {
// CHECK:   %[[B3:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10xf32>
// CHECK:   affine.for %[[I4:.+]] = 0 to 10 {
// CHECK:     %[[V5:.+]] = affine.load %[[X0]][%[[I2]], %[[I4]]] : memref<6x10xf32>
// CHECK:     %[[V6:.+]] = arith.addf %[[V5]], %{{.*}} : f32
// CHECK:     affine.store %[[V6]], %[[B3]][%[[I4]]] : memref<10xf32>
// CHECK:   %[[V7:.+]] = affine.for %[[I8:.+]] = 0 to 10 iter_args(%[[A9:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[B10:.+]] = affine.load %[[B3]][%[[I8]]] : memref<10xf32>
// CHECK:     %[[V11:.+]] = arith.addf %[[A9]], %[[B10]] : f32
// CHECK:     affine.yield %[[V11]] : f32
// CHECK:   affine.for %[[I12:.+]] = 0 to 10 {
// CHECK:     %[[B13:.+]] = affine.load %[[B3]][%[[I12]]] : memref<10xf32>
// CHECK:     %[[V14:.+]] = arith.addf %[[B13]], %[[V7]] : f32
// CHECK:     %[[V15:.+]] = arith.addf %[[V14]], %{{.*}} : f32
// CHECK:     affine.store %[[V15]], %[[B1]][%[[I2]], %[[I12]]] : memref<6x10xf32>
// CHECK:   memref.dealloc %[[B3]] : memref<10xf32>
// CHECK: %[[B16:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
// SCF-LABEL: func.func @parallel_rows(
// SCF: %[[B0:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// SCF: scf.parallel (%[[I1:.+]]) = (%{{.*}}) to (%{{.*}}) step (%{{.*}}) {
// SCF:   %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10xf32>
// SCF:   scf.for %[[I3:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:     %[[V4:.+]] = tensor.extract %{{.*}}[%[[I1]], %[[I3]]] : tensor<6x10xf32>
// SCF:     %[[V5:.+]] = arith.addf %[[V4]], %{{.*}} : f32
// SCF:     memref.store %[[V5]], %[[B2]][%[[I3]]] : memref<10xf32>
// SCF:   %[[V6:.+]] = scf.for %[[I7:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A8:.+]] = %{{.*}}) -> (f32) {
// SCF:     %[[B9:.+]] = memref.load %[[B2]][%[[I7]]] : memref<10xf32>
// SCF:     %[[V10:.+]] = arith.addf %[[A8]], %[[B9]] : f32
// SCF:     scf.yield %[[V10]] : f32
// SCF:   scf.for %[[I11:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:     %[[B12:.+]] = memref.load %[[B2]][%[[I11]]] : memref<10xf32>
// SCF:     %[[V13:.+]] = arith.addf %[[B12]], %[[V6]] : f32
// SCF:     %[[V14:.+]] = arith.addf %[[V13]], %{{.*}} : f32
// SCF:     memref.store %[[V14]], %[[B0]][%[[I1]], %[[I11]]] : memref<6x10xf32>
// SCF:   scf.reduce
// SCF: %[[B15:.+]] = bufferization.to_tensor %[[B0]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
func.func @parallel_rows(%T0: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %r = fuse.fusion ins(%T0 : tensor<6x10xf32>) -> tensor<6x10xf32> {
  ^bb0(%in_T0: tensor<6x10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6x10xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<6x10xf32>) outs(%e_T1 : tensor<6x10xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], type(0, parallel), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<6x10xf32>
    %e_T2 = tensor.empty() : tensor<6xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<6xf32>) -> tensor<6xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<6x10xf32>) outs(%f_T2 : tensor<6xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], type(0, parallel), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<6xf32>
    %e_T4 = tensor.empty() : tensor<6x10xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1, %T2 : tensor<6x10xf32>, tensor<6xf32>) outs(%e_T4 : tensor<6x10xf32>)
        attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a, b], type(0, parallel)>} {
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


// The full tiles are unrolled.
// CHECK-LABEL: func.func @unrolled(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 6 {
// CHECK:   %[[V3:.+]] = affine.for %[[I4:.+]] = 0 to 2 iter_args(%[[A5:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[V6:.+]] = affine.load %[[X0]][%[[I2]], %[[I4]] * 4] : memref<6x10xf32>
// CHECK:     %[[V7:.+]] = arith.addf %[[V6]], %{{.*}} : f32
// CHECK:     %[[V8:.+]] = arith.addf %[[A5]], %[[V7]] : f32
// CHECK:     %[[V9:.+]] = affine.load %[[X0]][%[[I2]], %[[I4]] * 4 + 1] : memref<6x10xf32>
// CHECK:     %[[V10:.+]] = arith.addf %[[V9]], %{{.*}} : f32
// CHECK:     %[[V11:.+]] = arith.addf %[[V8]], %[[V10]] : f32
// CHECK:     %[[V12:.+]] = affine.load %[[X0]][%[[I2]], %[[I4]] * 4 + 2] : memref<6x10xf32>
// CHECK:     %[[V13:.+]] = arith.addf %[[V12]], %{{.*}} : f32
// CHECK:     %[[V14:.+]] = arith.addf %[[V11]], %[[V13]] : f32
// CHECK:     %[[V15:.+]] = affine.load %[[X0]][%[[I2]], %[[I4]] * 4 + 3] : memref<6x10xf32>
// CHECK:     %[[V16:.+]] = arith.addf %[[V15]], %{{.*}} : f32
// CHECK:     %[[V17:.+]] = arith.addf %[[V14]], %[[V16]] : f32
// CHECK:     affine.yield %[[V17]] : f32
// CHECK:   %[[V18:.+]] = affine.load %[[X0]][%[[I2]], 8] : memref<6x10xf32>
// CHECK:   %[[V19:.+]] = arith.addf %[[V18]], %{{.*}} : f32
// CHECK:   %[[V20:.+]] = arith.addf %[[V3]], %[[V19]] : f32
// CHECK:   %[[V21:.+]] = affine.load %[[X0]][%[[I2]], 9] : memref<6x10xf32>
// CHECK:   %[[V22:.+]] = arith.addf %[[V21]], %{{.*}} : f32
// CHECK:   %[[V23:.+]] = arith.addf %[[V20]], %[[V22]] : f32
// CHECK:   affine.store %[[V23]], %[[B1]][%[[I2]]] : memref<6xf32>
// CHECK: %[[B24:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6xf32> to tensor<6xf32>
// SCF-LABEL: func.func @unrolled(
// SCF: %[[B0:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// SCF: scf.for %[[I1:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:   %[[V2:.+]] = scf.for %[[I3:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A4:.+]] = %{{.*}}) -> (f32) {
// SCF:     %[[V5:.+]] = arith.muli %[[I3]], %{{.*}} : index
// SCF:     %[[V6:.+]] = tensor.extract %{{.*}}[%[[I1]], %[[V5]]] : tensor<6x10xf32>
// SCF:     %[[V7:.+]] = arith.addf %[[V6]], %{{.*}} : f32
// SCF:     %[[V8:.+]] = arith.addf %[[A4]], %[[V7]] : f32
// SCF:     %[[V9:.+]] = arith.addi %[[V5]], %{{.*}} : index
// SCF:     %[[V10:.+]] = tensor.extract %{{.*}}[%[[I1]], %[[V9]]] : tensor<6x10xf32>
// SCF:     %[[V11:.+]] = arith.addf %[[V10]], %{{.*}} : f32
// SCF:     %[[V12:.+]] = arith.addf %[[V8]], %[[V11]] : f32
// SCF:     %[[V13:.+]] = arith.addi %[[V5]], %{{.*}} : index
// SCF:     %[[V14:.+]] = tensor.extract %{{.*}}[%[[I1]], %[[V13]]] : tensor<6x10xf32>
// SCF:     %[[V15:.+]] = arith.addf %[[V14]], %{{.*}} : f32
// SCF:     %[[V16:.+]] = arith.addf %[[V12]], %[[V15]] : f32
// SCF:     %[[V17:.+]] = arith.addi %[[V5]], %{{.*}} : index
// SCF:     %[[V18:.+]] = tensor.extract %{{.*}}[%[[I1]], %[[V17]]] : tensor<6x10xf32>
// SCF:     %[[V19:.+]] = arith.addf %[[V18]], %{{.*}} : f32
// SCF:     %[[V20:.+]] = arith.addf %[[V16]], %[[V19]] : f32
// SCF:     scf.yield %[[V20]] : f32
// SCF:   %[[V21:.+]] = tensor.extract %{{.*}}[%[[I1]], %{{.*}}] : tensor<6x10xf32>
// SCF:   %[[V22:.+]] = arith.addf %[[V21]], %{{.*}} : f32
// SCF:   %[[V23:.+]] = arith.addf %[[V2]], %[[V22]] : f32
// SCF:   %[[V24:.+]] = tensor.extract %{{.*}}[%[[I1]], %{{.*}}] : tensor<6x10xf32>
// SCF:   %[[V25:.+]] = arith.addf %[[V24]], %{{.*}} : f32
// SCF:   %[[V26:.+]] = arith.addf %[[V23]], %[[V25]] : f32
// SCF:   memref.store %[[V26]], %[[B0]][%[[I1]]] : memref<6xf32>
// SCF: %[[B27:.+]] = bufferization.to_tensor %[[B0]] restrict writable : memref<6xf32> to tensor<6xf32>
func.func @unrolled(%T0: tensor<6x10xf32>) -> tensor<6xf32> {
  %r = fuse.fusion ins(%T0 : tensor<6x10xf32>) -> tensor<6xf32> {
  ^bb0(%in_T0: tensor<6x10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6x10xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<6x10xf32>) outs(%e_T1 : tensor<6x10xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, unroll), ca = 3>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<6x10xf32>
    %e_T2 = tensor.empty() : tensor<6xf32>
    %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<6xf32>) -> tensor<6xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%T1 : tensor<6x10xf32>) outs(%f_T2 : tensor<6xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, unroll)>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<6xf32>
    fuse.yield %T2 : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}
