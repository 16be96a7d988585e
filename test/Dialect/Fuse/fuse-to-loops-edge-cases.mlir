// Fusions of unusual kinds.

// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops=layout=identity --canonicalize --cse | FileCheck %s

// Sizes that are known only inside of a loop are no symbols of affine maps.
// CHECK-LABEL: func.func @nested(
// CHECK: %[[V0:.+]] = scf.for %[[I1:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A2:.+]] = %{{.*}}) -> (tensor<?xf32>) {
// CHECK:   %[[V3:.+]] = tensor.extract_slice %[[A2]][0] [%[[I1]]] [1] : tensor<?xf32> to tensor<?xf32>
// CHECK:   %[[V4:.+]] = arith.divui %[[I1]], %{{.*}} : index
// CHECK:   %[[V5:.+]] = arith.addi %[[I1]], %{{.*}} : index
// CHECK:   %[[V6:.+]] = arith.divui %[[V5]], %{{.*}} : index
// CHECK:   %[[B7:.+]] = memref.alloc(%[[I1]]) {alignment = 64 : i64} : memref<?xf32>
// CHECK:   scf.for %[[I8:.+]] = %{{.*}} to %[[V4]] step %{{.*}} {
// CHECK:     scf.for %[[I9:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// CHECK:       %[[V10:.+]] = arith.muli %[[I8]], %{{.*}} : index
// CHECK:       %[[V11:.+]] = arith.addi %[[V10]], %[[I9]] : index
// CHECK:       %[[V12:.+]] = tensor.extract %[[V3]][%[[V11]]] : tensor<?xf32>
// CHECK:       %[[V13:.+]] = math.exp %[[V12]] : f32
// CHECK:       memref.store %[[V13]], %[[B7]][%[[V11]]] : memref<?xf32>
// CHECK:   scf.for %[[I14:.+]] = %[[V4]] to %[[V6]] step %{{.*}} {
// CHECK:     %[[V15:.+]] = arith.muli %[[I14]], %{{.*}}-4 : index
// CHECK:     %[[V16:.+]] = arith.addi %[[V15]], %[[I1]] : index
// CHECK:     %[[V17:.+]] = arith.minsi %[[V16]], %{{.*}} : index
// CHECK:     scf.for %[[I18:.+]] = %{{.*}} to %[[V17]] step %{{.*}} {
// CHECK:       %[[V19:.+]] = arith.muli %[[I14]], %{{.*}} : index
// CHECK:       %[[V20:.+]] = arith.addi %[[V19]], %[[I18]] : index
// CHECK:       %[[V21:.+]] = tensor.extract %[[V3]][%[[V20]]] : tensor<?xf32>
// CHECK:       %[[V22:.+]] = math.exp %[[V21]] : f32
// CHECK:       memref.store %[[V22]], %[[B7]][%[[V20]]] : memref<?xf32>
// CHECK:   %[[B23:.+]] = bufferization.to_tensor %[[B7]] restrict writable : memref<?xf32> to tensor<?xf32>
// CHECK:   scf.yield %[[B23]] : tensor<?xf32>
func.func @nested(%x: tensor<?xf32>, %n: index) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<?xf32> {
    %s = tensor.extract_slice %t[0] [%i] [1] : tensor<?xf32> to tensor<?xf32>
    %d = tensor.dim %s, %c0 : tensor<?xf32>
    %q = fuse.fusion ins(%s, %d : tensor<?xf32>, index) -> tensor<?xf32> {
    ^bb0(%a: tensor<?xf32>, %size: index):
      %e = tensor.empty(%size) : tensor<?xf32>
      %0 = linalg.exp {fuse.schedule = #fuse.schedule<[a], split(0, 4, inner)>} ins(%a : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
      fuse.yield %0 : tensor<?xf32>
    }
    scf.yield %q : tensor<?xf32>
  }
  return %r : tensor<?xf32>
}

// The accumulator starts from an operand; another result, of a fill's value, is
// read in the fusion only.
// CHECK-LABEL: func.func @results(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x18xf32> to memref<6x18xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6xf32> to memref<6xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: %[[B3:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: %[[B4:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: affine.for %[[I5:.+]] = 0 to 6 {
// CHECK:   %[[V6:.+]] = affine.load %[[X1]][%[[I5]]] : memref<6xf32>
// CHECK:   %[[V7:.+]]:2 = affine.for %[[I8:.+]] = 0 to 18 iter_args(%[[A9:.+]] = %[[V6]], %[[A10:.+]] = %{{.*}}) -> (f32, f32) {
// CHECK:     %[[V11:.+]] = affine.load %[[X0]][%[[I5]], %[[I8]]] : memref<6x18xf32>
// CHECK:     %[[V12:.+]] = arith.addf %[[A9]], %[[V11]] : f32
// CHECK:     %[[V13:.+]] = arith.index_cast %[[I8]] : index to i32
// CHECK:     %[[V14:.+]] = arith.sitofp %[[V13]] : i32 to f32
// CHECK:     %[[V15:.+]] = arith.maximumf %[[V14]], %[[A10]] : f32
// CHECK:     affine.yield %[[V12]], %[[V15]] : f32, f32
// CHECK:   affine.store %[[V7]]#0, %[[B2]][%[[I5]]] : memref<6xf32>
// CHECK:   affine.store %[[V7]]#1, %[[B4]][%[[I5]]] : memref<6xf32>
// CHECK: affine.for %[[I16:.+]] = 0 to 6 {
// CHECK:   %[[B17:.+]] = affine.load %[[B4]][%[[I16]]] : memref<6xf32>
// CHECK:   %[[V18:.+]] = math.exp %[[B17]] : f32
// CHECK:   affine.store %[[V18]], %[[B3]][%[[I16]]] : memref<6xf32>
// CHECK: memref.dealloc %[[B4]] : memref<6xf32>
// CHECK: %[[B19:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<6xf32> to tensor<6xf32>
// CHECK: %[[B20:.+]] = bufferization.to_tensor %[[B3]] restrict writable : memref<6xf32> to tensor<6xf32>
func.func @results(%x: tensor<6x18xf32>, %init: tensor<6xf32>, %v: f32) -> (tensor<6xf32>, tensor<6xf32>) {
  %r:2 = fuse.fusion ins(%x, %init, %v : tensor<6x18xf32>, tensor<6xf32>, f32) -> tensor<6xf32>, tensor<6xf32> {
  ^bb0(%t0: tensor<6x18xf32>, %i: tensor<6xf32>, %vv: f32):
    %e1 = tensor.empty() : tensor<6xf32>
    %f1 = linalg.fill ins(%vv : f32) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
    %t2:2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%t0 : tensor<6x18xf32>) outs(%i, %f1 : tensor<6xf32>, tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32, %out2: f32):
      %0 = arith.addf %out, %in : f32
      %j = linalg.index 1 : index
      %k = arith.index_cast %j : index to i32
      %f = arith.sitofp %k : i32 to f32
      %1 = arith.maximumf %f, %out2 : f32
      linalg.yield %0, %1 : f32, f32
    } -> (tensor<6xf32>, tensor<6xf32>)
    %t3 = linalg.exp ins(%t2#1 : tensor<6xf32>) outs(%e1 : tensor<6xf32>) -> tensor<6xf32>
    fuse.yield %t2#0, %t3 : tensor<6xf32>, tensor<6xf32>
  }
  return %r#0, %r#1 : tensor<6xf32>, tensor<6xf32>
}

// An element of outs that the body reads, and one result twice.
// CHECK-LABEL: func.func @yields(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<4xi32> to memref<4xi32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<4xi32> to memref<4xi32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<4xi32>
// CHECK: affine.for %[[I3:.+]] = 0 to 4 {
// CHECK:   %[[V4:.+]] = affine.load %[[X0]][%[[I3]]] : memref<4xi32>
// CHECK:   %[[V5:.+]] = affine.load %[[X1]][%[[I3]]] : memref<4xi32>
// CHECK:   %[[V6:.+]] = arith.addi %[[V4]], %[[V5]] : i32
// CHECK:   affine.store %[[V6]], %[[B2]][%[[I3]]] : memref<4xi32>
// CHECK: %[[B7:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<4xi32> to tensor<4xi32>
func.func @yields(%x: tensor<4xi32>, %o: tensor<4xi32>) -> (tensor<4xi32>, tensor<4xi32>) {
  %r:2 = fuse.fusion ins(%x, %o : tensor<4xi32>, tensor<4xi32>) -> tensor<4xi32>, tensor<4xi32> {
  ^bb0(%a: tensor<4xi32>, %b: tensor<4xi32>):
    %0 = linalg.generic {indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
        ins(%a : tensor<4xi32>) outs(%b : tensor<4xi32>) {
    ^bb0(%in: i32, %out: i32):
      %1 = arith.addi %in, %out : i32
      linalg.yield %1 : i32
    } -> tensor<4xi32>
    fuse.yield %0, %0 : tensor<4xi32>, tensor<4xi32>
  }
  return %r#0, %r#1 : tensor<4xi32>, tensor<4xi32>
}

// No element at all.
// CHECK-LABEL: func.func @empty(
// CHECK: %[[B0:.+]] = memref.alloc() {alignment = 64 : i64} : memref<3xf32>
// CHECK: affine.for %[[I1:.+]] = 0 to 3 {
// CHECK:   affine.store %{{.*}}, %[[B0]][%[[I1]]] : memref<3xf32>
// CHECK: %[[B2:.+]] = bufferization.to_tensor %[[B0]] restrict writable : memref<3xf32> to tensor<3xf32>
func.func @empty(%x: tensor<0x3xf32>) -> tensor<3xf32> {
  %r = fuse.fusion ins(%x : tensor<0x3xf32>) -> tensor<3xf32> {
  ^bb0(%a: tensor<0x3xf32>):
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<3xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e : tensor<3xf32>) -> tensor<3xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (b)>], iterator_types = ["reduction", "parallel"]}
        ins(%a : tensor<0x3xf32>) outs(%f : tensor<3xf32>)
        attrs = {fuse.schedule = #fuse.schedule<[a, b], split(0, 4, inner), reorder(2, 0, 1)>} {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.addf %in, %out : f32
      linalg.yield %1 : f32
    } -> tensor<3xf32>
    fuse.yield %0 : tensor<3xf32>
  }
  return %r : tensor<3xf32>
}

// A division must not run where no element is, so the loop stays serial.
// CHECK-LABEL: func.func @not_speculatable(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<10xi32> to memref<10xi32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<10xi32> to memref<10xi32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10xi32>
// CHECK: affine.for %[[I3:.+]] = 0 to 2 {
// CHECK:   affine.for %[[I4:.+]] = 0 to 4 {
// CHECK:     %[[V5:.+]] = affine.load %[[X0]][%[[I3]] * 4 + %[[I4]]] : memref<10xi32>
// CHECK:     %[[V6:.+]] = affine.load %[[X1]][%[[I3]] * 4 + %[[I4]]] : memref<10xi32>
// CHECK:     %[[V7:.+]] = arith.divsi %[[V5]], %[[V6]] : i32
// CHECK:     affine.store %[[V7]], %[[B2]][%[[I3]] * 4 + %[[I4]]] : memref<10xi32>
// CHECK: affine.for %[[I8:.+]] = 0 to 2 {
// CHECK:   %[[V9:.+]] = affine.load %[[X0]][%[[I8]] + 8] : memref<10xi32>
// CHECK:   %[[V10:.+]] = affine.load %[[X1]][%[[I8]] + 8] : memref<10xi32>
// CHECK:   %[[V11:.+]] = arith.divsi %[[V9]], %[[V10]] : i32
// CHECK:   affine.store %[[V11]], %[[B2]][%[[I8]] + 8] : memref<10xi32>
// CHECK: %[[B12:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<10xi32> to tensor<10xi32>
func.func @not_speculatable(%x: tensor<10xi32>, %y: tensor<10xi32>) -> tensor<10xi32> {
  %r = fuse.fusion ins(%x, %y : tensor<10xi32>, tensor<10xi32>) -> tensor<10xi32> {
  ^bb0(%a: tensor<10xi32>, %b: tensor<10xi32>):
    %e = tensor.empty() : tensor<10xi32>
    %0 = linalg.div {fuse.schedule = #fuse.schedule<[a], split(0, 4, inner), type(1, vectorize)>} ins(%a, %b : tensor<10xi32>, tensor<10xi32>) outs(%e : tensor<10xi32>) -> tensor<10xi32>
    fuse.yield %0 : tensor<10xi32>
  }
  return %r : tensor<10xi32>
}
