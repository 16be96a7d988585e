// Loops marked vectorize become vectors.

// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops=layout=identity --canonicalize --cse | FileCheck %s
// RUN: ipu-opt %s --mlir-print-local-scope --fuse-to-loops="loops=scf layout=identity" --canonicalize --cse | FileCheck %s --check-prefix=SCF

// A producer whose only own loop is vectorized is a vector value; the rest is masked.
// CHECK-LABEL: func.func @elementwise(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<10xf32> to memref<10xf32>
// CHECK: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// CHECK: affine.for %[[I3:.+]] = 0 to 6 {
// CHECK:   affine.for %[[I4:.+]] = 0 to 2 {
// CHECK:     %[[V5:.+]] = affine.vector_load %[[X0]][%[[I3]], %[[I4]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:     %[[V6:.+]] = affine.vector_load %[[X1]][%[[I4]] * 4] : memref<10xf32>, vector<4xf32>
// CHECK:     %[[V7:.+]] = arith.addf %[[V5]], %[[V6]] : vector<4xf32>
// CHECK:     %[[V8:.+]] = arith.addf %[[V7]], %{{.*}} : vector<4xf32>
// CHECK:     %[[V9:.+]] = arith.addf %[[V8]], %[[V6]] : vector<4xf32>
// CHECK:     %[[V10:.+]] = arith.addf %[[V9]], %{{.*}} : vector<4xf32>
// CHECK:     affine.vector_store %[[V10]], %[[B2]][%[[I3]], %[[I4]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:   %[[V11:.+]] = vector.constant_mask [2] : vector<4xi1>
// CHECK:   %[[V12:.+]] = vector.maskedload %[[X0]][%[[I3]], %{{.*}}], %[[V11]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:   %[[V13:.+]] = vector.maskedload %[[X1]][%{{.*}}], %[[V11]], %{{.*}} : memref<10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:   %[[V14:.+]] = arith.addf %[[V12]], %[[V13]] : vector<4xf32>
// CHECK:   %[[V15:.+]] = arith.addf %[[V14]], %{{.*}} : vector<4xf32>
// CHECK:   %[[V16:.+]] = arith.addf %[[V15]], %[[V13]] : vector<4xf32>
// CHECK:   %[[V17:.+]] = arith.addf %[[V16]], %{{.*}} : vector<4xf32>
// CHECK:   vector.maskedstore %[[B2]][%[[I3]], %{{.*}}], %[[V11]], %[[V17]] : memref<6x10xf32>, vector<4xi1>, vector<4xf32>
// CHECK: %[[B18:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
// SCF-LABEL: func.func @elementwise(
// SCF: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// SCF: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<10xf32> to memref<10xf32>
// SCF: %[[B2:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// SCF: scf.for %[[I3:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:   scf.for %[[I4:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:     %[[V5:.+]] = arith.muli %[[I4]], %{{.*}} : index
// SCF:     %[[V6:.+]] = vector.load %[[X0]][%[[I3]], %[[V5]]] : memref<6x10xf32>, vector<4xf32>
// SCF:     %[[V7:.+]] = vector.load %[[X1]][%[[V5]]] : memref<10xf32>, vector<4xf32>
// SCF:     %[[V8:.+]] = arith.addf %[[V6]], %[[V7]] : vector<4xf32>
// SCF:     %[[V9:.+]] = arith.addf %[[V8]], %{{.*}} : vector<4xf32>
// SCF:     %[[V10:.+]] = arith.addf %[[V9]], %[[V7]] : vector<4xf32>
// SCF:     %[[V11:.+]] = arith.addf %[[V10]], %{{.*}} : vector<4xf32>
// SCF:     vector.store %[[V11]], %[[B2]][%[[I3]], %[[V5]]] : memref<6x10xf32>, vector<4xf32>
// SCF:   %[[V12:.+]] = vector.constant_mask [2] : vector<4xi1>
// SCF:   %[[V13:.+]] = vector.maskedload %[[X0]][%[[I3]], %{{.*}}], %[[V12]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// SCF:   %[[V14:.+]] = vector.maskedload %[[X1]][%{{.*}}], %[[V12]], %{{.*}} : memref<10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// SCF:   %[[V15:.+]] = arith.addf %[[V13]], %[[V14]] : vector<4xf32>
// SCF:   %[[V16:.+]] = arith.addf %[[V15]], %{{.*}} : vector<4xf32>
// SCF:   %[[V17:.+]] = arith.addf %[[V16]], %[[V14]] : vector<4xf32>
// SCF:   %[[V18:.+]] = arith.addf %[[V17]], %{{.*}} : vector<4xf32>
// SCF:   vector.maskedstore %[[B2]][%[[I3]], %{{.*}}], %[[V12]], %[[V18]] : memref<6x10xf32>, vector<4xi1>, vector<4xf32>
// SCF: %[[B19:.+]] = bufferization.to_tensor %[[B2]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
func.func @elementwise(%T0: tensor<6x10xf32>, %V: tensor<10xf32>) -> tensor<6x10xf32> {
  %r = fuse.fusion ins(%T0, %V : tensor<6x10xf32>, tensor<10xf32>) -> tensor<6x10xf32> {
  ^bb0(%in_T0: tensor<6x10xf32>, %in_V: tensor<10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6x10xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0, %in_V : tensor<6x10xf32>, tensor<10xf32>) outs(%e_T1 : tensor<6x10xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize), ca = 2>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<6x10xf32>
    %e_T2 = tensor.empty() : tensor<6x10xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1, %in_V : tensor<6x10xf32>, tensor<10xf32>) outs(%e_T2 : tensor<6x10xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize)>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 4.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<6x10xf32>
    fuse.yield %T2 : tensor<6x10xf32>
  }
  return %r : tensor<6x10xf32>
}


// Halves are added until one lane is left; lanes beyond the end add 0.
// CHECK-LABEL: func.func @reduction_of_lanes(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 6 {
// CHECK:   %[[V3:.+]] = affine.for %[[I4:.+]] = 0 to 2 iter_args(%[[A5:.+]] = %{{.*}}) -> (f32) {
// CHECK:     %[[V6:.+]] = affine.vector_load %[[X0]][%[[I2]], %[[I4]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:     %[[V7:.+]] = vector.extract_strided_slice %[[V6]] {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// CHECK:     %[[V8:.+]] = vector.extract_strided_slice %[[V6]] {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// CHECK:     %[[V9:.+]] = arith.addf %[[V7]], %[[V8]] : vector<2xf32>
// CHECK:     %[[V10:.+]] = vector.extract_strided_slice %[[V9]] {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// CHECK:     %[[V11:.+]] = vector.extract_strided_slice %[[V9]] {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// CHECK:     %[[V12:.+]] = arith.addf %[[V10]], %[[V11]] : vector<1xf32>
// CHECK:     %[[V13:.+]] = vector.extract %[[V12]][0] : f32 from vector<1xf32>
// CHECK:     %[[V14:.+]] = arith.addf %[[A5]], %[[V13]] : f32
// CHECK:     affine.yield %[[V14]] : f32
// CHECK:   %[[V15:.+]] = vector.constant_mask [2] : vector<4xi1>
// CHECK:   %[[V16:.+]] = vector.maskedload %[[X0]][%[[I2]], %{{.*}}], %[[V15]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:   %[[V17:.+]] = arith.select %[[V15]], %[[V16]], %{{.*}} : vector<4xi1>, vector<4xf32>
// CHECK:   %[[V18:.+]] = vector.extract_strided_slice %[[V17]] {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// CHECK:   %[[V19:.+]] = vector.extract_strided_slice %[[V17]] {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// CHECK:   %[[V20:.+]] = arith.addf %[[V18]], %[[V19]] : vector<2xf32>
// CHECK:   %[[V21:.+]] = vector.extract_strided_slice %[[V20]] {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// CHECK:   %[[V22:.+]] = vector.extract_strided_slice %[[V20]] {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// CHECK:   %[[V23:.+]] = arith.addf %[[V21]], %[[V22]] : vector<1xf32>
// CHECK:   %[[V24:.+]] = vector.extract %[[V23]][0] : f32 from vector<1xf32>
// CHECK:   %[[V25:.+]] = arith.addf %[[V3]], %[[V24]] : f32
// CHECK:   affine.for %[[I26:.+]] = 0 to 2 {
// CHECK:     %[[V27:.+]] = affine.vector_load %[[X0]][%[[I2]], %[[I26]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:     %[[V28:.+]] = vector.broadcast %[[V25]] : f32 to vector<4xf32>
// CHECK:     %[[V29:.+]] = arith.addf %[[V28]], %[[V27]] : vector<4xf32>
// CHECK:     %[[V30:.+]] = arith.addf %[[V29]], %{{.*}} : vector<4xf32>
// CHECK:     affine.vector_store %[[V30]], %[[B1]][%[[I2]], %[[I26]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:   %[[V31:.+]] = vector.maskedload %[[X0]][%[[I2]], %{{.*}}], %[[V15]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:   %[[V32:.+]] = vector.broadcast %[[V25]] : f32 to vector<4xf32>
// CHECK:   %[[V33:.+]] = arith.addf %[[V32]], %[[V31]] : vector<4xf32>
// CHECK:   %[[V34:.+]] = arith.addf %[[V33]], %{{.*}} : vector<4xf32>
// CHECK:   vector.maskedstore %[[B1]][%[[I2]], %{{.*}}], %[[V15]], %[[V34]] : memref<6x10xf32>, vector<4xi1>, vector<4xf32>
// CHECK: %[[B35:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
// SCF-LABEL: func.func @reduction_of_lanes(
// SCF: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// SCF: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// SCF: scf.for %[[I2:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:   %[[V3:.+]] = scf.for %[[I4:.+]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[A5:.+]] = %{{.*}}) -> (f32) {
// SCF:     %[[V6:.+]] = arith.muli %[[I4]], %{{.*}} : index
// SCF:     %[[V7:.+]] = vector.load %[[X0]][%[[I2]], %[[V6]]] : memref<6x10xf32>, vector<4xf32>
// SCF:     %[[V8:.+]] = vector.extract_strided_slice %[[V7]] {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// SCF:     %[[V9:.+]] = vector.extract_strided_slice %[[V7]] {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// SCF:     %[[V10:.+]] = arith.addf %[[V8]], %[[V9]] : vector<2xf32>
// SCF:     %[[V11:.+]] = vector.extract_strided_slice %[[V10]] {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// SCF:     %[[V12:.+]] = vector.extract_strided_slice %[[V10]] {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// SCF:     %[[V13:.+]] = arith.addf %[[V11]], %[[V12]] : vector<1xf32>
// SCF:     %[[V14:.+]] = vector.extract %[[V13]][0] : f32 from vector<1xf32>
// SCF:     %[[V15:.+]] = arith.addf %[[A5]], %[[V14]] : f32
// SCF:     scf.yield %[[V15]] : f32
// SCF:   %[[V16:.+]] = vector.constant_mask [2] : vector<4xi1>
// SCF:   %[[V17:.+]] = vector.maskedload %[[X0]][%[[I2]], %{{.*}}], %[[V16]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// SCF:   %[[V18:.+]] = arith.select %[[V16]], %[[V17]], %{{.*}} : vector<4xi1>, vector<4xf32>
// SCF:   %[[V19:.+]] = vector.extract_strided_slice %[[V18]] {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// SCF:   %[[V20:.+]] = vector.extract_strided_slice %[[V18]] {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// SCF:   %[[V21:.+]] = arith.addf %[[V19]], %[[V20]] : vector<2xf32>
// SCF:   %[[V22:.+]] = vector.extract_strided_slice %[[V21]] {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// SCF:   %[[V23:.+]] = vector.extract_strided_slice %[[V21]] {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// SCF:   %[[V24:.+]] = arith.addf %[[V22]], %[[V23]] : vector<1xf32>
// SCF:   %[[V25:.+]] = vector.extract %[[V24]][0] : f32 from vector<1xf32>
// SCF:   %[[V26:.+]] = arith.addf %[[V3]], %[[V25]] : f32
// SCF:   scf.for %[[I27:.+]] = %{{.*}} to %{{.*}} step %{{.*}} {
// SCF:     %[[V28:.+]] = arith.muli %[[I27]], %{{.*}} : index
// SCF:     %[[V29:.+]] = vector.load %[[X0]][%[[I2]], %[[V28]]] : memref<6x10xf32>, vector<4xf32>
// SCF:     %[[V30:.+]] = vector.broadcast %[[V26]] : f32 to vector<4xf32>
// SCF:     %[[V31:.+]] = arith.addf %[[V30]], %[[V29]] : vector<4xf32>
// SCF:     %[[V32:.+]] = arith.addf %[[V31]], %{{.*}} : vector<4xf32>
// SCF:     vector.store %[[V32]], %[[B1]][%[[I2]], %[[V28]]] : memref<6x10xf32>, vector<4xf32>
// SCF:   %[[V33:.+]] = vector.maskedload %[[X0]][%[[I2]], %{{.*}}], %[[V16]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// SCF:   %[[V34:.+]] = vector.broadcast %[[V26]] : f32 to vector<4xf32>
// SCF:   %[[V35:.+]] = arith.addf %[[V34]], %[[V33]] : vector<4xf32>
// SCF:   %[[V36:.+]] = arith.addf %[[V35]], %{{.*}} : vector<4xf32>
// SCF:   vector.maskedstore %[[B1]][%[[I2]], %{{.*}}], %[[V16]], %[[V36]] : memref<6x10xf32>, vector<4xi1>, vector<4xf32>
// SCF: %[[B37:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
func.func @reduction_of_lanes(%T0: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %r = fuse.fusion ins(%T0 : tensor<6x10xf32>) -> tensor<6x10xf32> {
  ^bb0(%in_T0: tensor<6x10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6xf32>
    %f_T1 = linalg.fill ins(%zero : f32) outs(%e_T1 : tensor<6xf32>) -> tensor<6xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%in_T0 : tensor<6x10xf32>) outs(%f_T1 : tensor<6xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<6xf32>
    %e_T2 = tensor.empty() : tensor<6x10xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1, %in_T0 : tensor<6xf32>, tensor<6x10xf32>) outs(%e_T2 : tensor<6x10xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize)>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 4.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<6x10xf32>
    fuse.yield %T2 : tensor<6x10xf32>
  }
  return %r : tensor<6x10xf32>
}


// Lanes are elements of the result: the accumulator is a vector.
// CHECK-LABEL: func.func @vector_accumulator(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 2 {
// CHECK:   %[[V3:.+]] = affine.for %[[I4:.+]] = 0 to 6 iter_args(%[[A5:.+]] = %{{.*}}) -> (vector<4xf32>) {
// CHECK:     %[[V6:.+]] = affine.vector_load %[[X0]][%[[I4]], %[[I2]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:     %[[V7:.+]] = arith.addf %[[A5]], %[[V6]] : vector<4xf32>
// CHECK:     affine.yield %[[V7]] : vector<4xf32>
// CHECK:   affine.vector_store %[[V3]], %[[B1]][%[[I2]] * 4] : memref<10xf32>, vector<4xf32>
// CHECK: %[[V8:.+]] = affine.for %[[I9:.+]] = 0 to 6 iter_args(%[[A10:.+]] = %{{.*}}) -> (vector<4xf32>) {
// CHECK:   %[[V11:.+]] = vector.constant_mask [2] : vector<4xi1>
// CHECK:   %[[V12:.+]] = vector.maskedload %[[X0]][%[[I9]], %{{.*}}], %[[V11]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:   %[[V13:.+]] = arith.addf %[[A10]], %[[V12]] : vector<4xf32>
// CHECK:   %[[V14:.+]] = arith.select %[[V11]], %[[V13]], %[[A10]] : vector<4xi1>, vector<4xf32>
// CHECK:   affine.yield %[[V14]] : vector<4xf32>
// CHECK: %[[V15:.+]] = vector.constant_mask [2] : vector<4xi1>
// CHECK: vector.maskedstore %[[B1]][%{{.*}}], %[[V15]], %[[V8]] : memref<10xf32>, vector<4xi1>, vector<4xf32>
// CHECK: %[[B16:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<10xf32> to tensor<10xf32>
func.func @vector_accumulator(%T0: tensor<6x10xf32>) -> tensor<10xf32> {
  %r = fuse.fusion ins(%T0 : tensor<6x10xf32>) -> tensor<10xf32> {
  ^bb0(%in_T0: tensor<6x10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<10xf32>
    %f_T1 = linalg.fill ins(%zero : f32) outs(%e_T1 : tensor<10xf32>) -> tensor<10xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (b)>], iterator_types = ["reduction", "parallel"]}
        ins(%in_T0 : tensor<6x10xf32>) outs(%f_T1 : tensor<10xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), reorder(1, 0, 2), type(2, vectorize)>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<10xf32>
    fuse.yield %T1 : tensor<10xf32>
  }
  return %r : tensor<10xf32>
}


// Lanes apart from each other in memory are read one by one.
// CHECK-LABEL: func.func @strided(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<10x6xf32> to memref<10x6xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6x10xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 6 {
// CHECK:   affine.for %[[I3:.+]] = 0 to 2 {
// CHECK:     %[[V4:.+]] = affine.load %[[X0]][%[[I3]] * 4, %[[I2]]] : memref<10x6xf32>
// CHECK:     %[[V5:.+]] = affine.load %[[X0]][%[[I3]] * 4 + 1, %[[I2]]] : memref<10x6xf32>
// CHECK:     %[[V6:.+]] = affine.load %[[X0]][%[[I3]] * 4 + 2, %[[I2]]] : memref<10x6xf32>
// CHECK:     %[[V7:.+]] = affine.load %[[X0]][%[[I3]] * 4 + 3, %[[I2]]] : memref<10x6xf32>
// CHECK:     %[[V8:.+]] = vector.from_elements %[[V4]], %[[V5]], %[[V6]], %[[V7]] : vector<4xf32>
// CHECK:     %[[V9:.+]] = arith.addf %[[V8]], %{{.*}} : vector<4xf32>
// CHECK:     affine.vector_store %[[V9]], %[[B1]][%[[I2]], %[[I3]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:   %[[V10:.+]] = vector.constant_mask [2] : vector<4xi1>
// CHECK:   %[[V11:.+]] = affine.load %[[X0]][8, %[[I2]]] : memref<10x6xf32>
// CHECK:   %[[V12:.+]] = vector.extract %[[V10]][1] : i1 from vector<4xi1>
// CHECK:   %[[V13:.+]] = arith.select %[[V12]], %{{.*}}, %{{.*}} : index
// CHECK:   %[[V14:.+]] = tensor.extract %{{.*}}[%[[V13]], %[[I2]]] : tensor<10x6xf32>
// CHECK:   %[[V15:.+]] = vector.extract %[[V10]][2] : i1 from vector<4xi1>
// CHECK:   %[[V16:.+]] = arith.select %[[V15]], %{{.*}}, %{{.*}} : index
// CHECK:   %[[V17:.+]] = tensor.extract %{{.*}}[%[[V16]], %[[I2]]] : tensor<10x6xf32>
// CHECK:   %[[V18:.+]] = vector.extract %[[V10]][3] : i1 from vector<4xi1>
// CHECK:   %[[V19:.+]] = arith.select %[[V18]], %{{.*}}, %{{.*}} : index
// CHECK:   %[[V20:.+]] = tensor.extract %{{.*}}[%[[V19]], %[[I2]]] : tensor<10x6xf32>
// CHECK:   %[[V21:.+]] = vector.from_elements %[[V11]], %[[V14]], %[[V17]], %[[V20]] : vector<4xf32>
// CHECK:   %[[V22:.+]] = arith.addf %[[V21]], %{{.*}} : vector<4xf32>
// CHECK:   vector.maskedstore %[[B1]][%[[I2]], %{{.*}}], %[[V10]], %[[V22]] : memref<6x10xf32>, vector<4xi1>, vector<4xf32>
// CHECK: %[[B23:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6x10xf32> to tensor<6x10xf32>
func.func @strided(%T0: tensor<10x6xf32>) -> tensor<6x10xf32> {
  %r = fuse.fusion ins(%T0 : tensor<10x6xf32>) -> tensor<6x10xf32> {
  ^bb0(%in_T0: tensor<10x6xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<6x10xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (b, a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<10x6xf32>) outs(%e_T1 : tensor<6x10xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<6x10xf32>
    fuse.yield %T1 : tensor<6x10xf32>
  }
  return %r : tensor<6x10xf32>
}


// And written one by one.
// CHECK-LABEL: func.func @scattered(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x10xf32> to memref<6x10xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<10x6xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 6 {
// CHECK:   affine.for %[[I3:.+]] = 0 to 2 {
// CHECK:     %[[V4:.+]] = affine.vector_load %[[X0]][%[[I2]], %[[I3]] * 4] : memref<6x10xf32>, vector<4xf32>
// CHECK:     %[[V5:.+]] = arith.addf %[[V4]], %{{.*}} : vector<4xf32>
// CHECK:     %[[V6:.+]] = vector.extract %[[V5]][0] : f32 from vector<4xf32>
// CHECK:     affine.store %[[V6]], %[[B1]][%[[I3]] * 4, %[[I2]]] : memref<10x6xf32>
// CHECK:     %[[V7:.+]] = vector.extract %[[V5]][1] : f32 from vector<4xf32>
// CHECK:     affine.store %[[V7]], %[[B1]][%[[I3]] * 4 + 1, %[[I2]]] : memref<10x6xf32>
// CHECK:     %[[V8:.+]] = vector.extract %[[V5]][2] : f32 from vector<4xf32>
// CHECK:     affine.store %[[V8]], %[[B1]][%[[I3]] * 4 + 2, %[[I2]]] : memref<10x6xf32>
// CHECK:     %[[V9:.+]] = vector.extract %[[V5]][3] : f32 from vector<4xf32>
// CHECK:     affine.store %[[V9]], %[[B1]][%[[I3]] * 4 + 3, %[[I2]]] : memref<10x6xf32>
// CHECK:   %[[V10:.+]] = vector.constant_mask [2] : vector<4xi1>
// CHECK:   %[[V11:.+]] = vector.maskedload %[[X0]][%[[I2]], %{{.*}}], %[[V10]], %{{.*}} : memref<6x10xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:   %[[V12:.+]] = arith.addf %[[V11]], %{{.*}} : vector<4xf32>
// CHECK:   %[[V13:.+]] = vector.extract %[[V12]][0] : f32 from vector<4xf32>
// CHECK:   %[[V14:.+]] = vector.extract %[[V10]][0] : i1 from vector<4xi1>
// CHECK:   scf.if %[[V14]] {
// CHECK:     affine.store %[[V13]], %[[B1]][8, %[[I2]]] : memref<10x6xf32>
// CHECK:   %[[V15:.+]] = vector.extract %[[V12]][1] : f32 from vector<4xf32>
// CHECK:   %[[V16:.+]] = vector.extract %[[V10]][1] : i1 from vector<4xi1>
// CHECK:   scf.if %[[V16]] {
// CHECK:     affine.store %[[V15]], %[[B1]][9, %[[I2]]] : memref<10x6xf32>
// CHECK:   %[[V17:.+]] = vector.extract %[[V12]][2] : f32 from vector<4xf32>
// CHECK:   %[[V18:.+]] = vector.extract %[[V10]][2] : i1 from vector<4xi1>
// CHECK:   scf.if %[[V18]] {
// CHECK:     affine.store %[[V17]], %[[B1]][10, %[[I2]]] : memref<10x6xf32>
// CHECK:   %[[V19:.+]] = vector.extract %[[V12]][3] : f32 from vector<4xf32>
// CHECK:   %[[V20:.+]] = vector.extract %[[V10]][3] : i1 from vector<4xi1>
// CHECK:   scf.if %[[V20]] {
// CHECK:     affine.store %[[V19]], %[[B1]][11, %[[I2]]] : memref<10x6xf32>
// CHECK: %[[B21:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<10x6xf32> to tensor<10x6xf32>
func.func @scattered(%T0: tensor<6x10xf32>) -> tensor<10x6xf32> {
  %r = fuse.fusion ins(%T0 : tensor<6x10xf32>) -> tensor<10x6xf32> {
  ^bb0(%in_T0: tensor<6x10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<10x6xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (b, a)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<6x10xf32>) outs(%e_T1 : tensor<10x6xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<10x6xf32>
    fuse.yield %T1 : tensor<10x6xf32>
  }
  return %r : tensor<10x6xf32>
}


// Sums of four lanes in a fixed order.
// CHECK-LABEL: func.func @fixed_lane_order(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<6x18xf32> to memref<6x18xf32>
// CHECK: %[[B1:.+]] = memref.alloc() {alignment = 64 : i64} : memref<6xf32>
// CHECK: affine.for %[[I2:.+]] = 0 to 6 {
// CHECK:   %[[V3:.+]] = affine.for %[[I4:.+]] = 0 to 4 iter_args(%[[A5:.+]] = %{{.*}}) -> (vector<4xf32>) {
// CHECK:     %[[V6:.+]] = affine.vector_load %[[X0]][%[[I2]], %[[I4]] * 4] : memref<6x18xf32>, vector<4xf32>
// CHECK:     %[[V7:.+]] = arith.mulf %[[V6]], %[[V6]] : vector<4xf32>
// CHECK:     %[[V8:.+]] = arith.addf %[[A5]], %[[V7]] : vector<4xf32>
// CHECK:     affine.yield %[[V8]] : vector<4xf32>
// CHECK:   %[[V9:.+]] = vector.constant_mask [2] : vector<4xi1>
// CHECK:   %[[V10:.+]] = vector.maskedload %[[X0]][%[[I2]], %{{.*}}], %[[V9]], %{{.*}} : memref<6x18xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:   %[[V11:.+]] = arith.mulf %[[V10]], %[[V10]] : vector<4xf32>
// CHECK:   %[[V12:.+]] = arith.addf %[[V3]], %[[V11]] : vector<4xf32>
// CHECK:   %[[V13:.+]] = arith.select %[[V9]], %[[V12]], %[[V3]] : vector<4xi1>, vector<4xf32>
// CHECK:   %[[V14:.+]] = vector.extract_strided_slice %[[V13]] {offsets = [0], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// CHECK:   %[[V15:.+]] = vector.extract_strided_slice %[[V13]] {offsets = [2], sizes = [2], strides = [1]} : vector<4xf32> to vector<2xf32>
// CHECK:   %[[V16:.+]] = arith.addf %[[V14]], %[[V15]] : vector<2xf32>
// CHECK:   %[[V17:.+]] = vector.extract_strided_slice %[[V16]] {offsets = [0], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// CHECK:   %[[V18:.+]] = vector.extract_strided_slice %[[V16]] {offsets = [1], sizes = [1], strides = [1]} : vector<2xf32> to vector<1xf32>
// CHECK:   %[[V19:.+]] = arith.addf %[[V17]], %[[V18]] : vector<1xf32>
// CHECK:   %[[V20:.+]] = vector.extract %[[V19]][0] : f32 from vector<1xf32>
// CHECK:   %[[V21:.+]] = arith.addf %[[V20]], %{{.*}} : f32
// CHECK:   affine.store %[[V21]], %[[B1]][%[[I2]]] : memref<6xf32>
// CHECK: %[[B22:.+]] = bufferization.to_tensor %[[B1]] restrict writable : memref<6xf32> to tensor<6xf32>
func.func @fixed_lane_order(%x: tensor<6x18xf32>) -> tensor<6xf32> {
  %r = fuse.fusion ins(%x : tensor<6x18xf32>) -> tensor<6xf32> {
  ^bb0(%t0: tensor<6x18xf32>):
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty() : tensor<6x18xf32>
    %t1 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%t0 : tensor<6x18xf32>) outs(%e1 : tensor<6x18xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize), ca = 2>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6x18xf32>
    %e2 = tensor.empty() : tensor<6x4xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x4xf32>) -> tensor<6x4xf32>
    %t2 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a, b mod 4)>], iterator_types = ["parallel", "reduction"]}
        ins(%t1 : tensor<6x18xf32>) outs(%f2 : tensor<6x4xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), rfactor(2), reorder(0, 1, 2), type(2, vectorize), ca = 1>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6x4xf32>
    %e3 = tensor.empty() : tensor<6xf32>
    %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<6xf32>) -> tensor<6xf32>
    %t3 = linalg.generic {indexing_maps = [affine_map<(a, b) -> (a, b)>, affine_map<(a, b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%t2 : tensor<6x4xf32>) outs(%f3 : tensor<6xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], type(1, vectorize)>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6xf32>
    fuse.yield %t3 : tensor<6xf32>
  }
  return %r : tensor<6xf32>
}

// Sizes known only at run time.
// CHECK-LABEL: func.func @symbolic(
// CHECK: %[[X0:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<?x?xf32> to memref<?x?xf32>
// CHECK: %[[X1:.+]] = bufferization.to_buffer %{{.*}} read_only : tensor<?xf32> to memref<?xf32>
// CHECK: %[[V2:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[V3:.+]] = tensor.dim %{{.*}}, %{{.*}} : tensor<?x?xf32>
// CHECK: %[[B4:.+]] = memref.alloc(%[[V2]], %[[V3]]) {alignment = 64 : i64} : memref<?x?xf32>
// CHECK: affine.for %[[I5:.+]] = 0 to %[[V2]] {
// CHECK:   affine.for %[[I6:.+]] = 0 to affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V3]]] {
// CHECK:     %[[V7:.+]] = affine.vector_load %[[X0]][%[[I5]], %[[I6]] * 4] : memref<?x?xf32>, vector<4xf32>
// CHECK:     %[[V8:.+]] = affine.vector_load %[[X1]][%[[I6]] * 4] : memref<?xf32>, vector<4xf32>
// CHECK:     %[[V9:.+]] = arith.addf %[[V7]], %[[V8]] : vector<4xf32>
// CHECK:     %[[V10:.+]] = arith.addf %[[V9]], %{{.*}} : vector<4xf32>
// CHECK:     %[[V11:.+]] = arith.addf %[[V10]], %[[V8]] : vector<4xf32>
// CHECK:     %[[V12:.+]] = arith.addf %[[V11]], %{{.*}} : vector<4xf32>
// CHECK:     affine.vector_store %[[V12]], %[[B4]][%[[I5]], %[[I6]] * 4] : memref<?x?xf32>, vector<4xf32>
// CHECK:   affine.for %[[I13:.+]] = affine_map<()[s0] -> (s0 floordiv 4)>()[%[[V3]]] to affine_map<()[s0] -> (s0 ceildiv 4)>()[%[[V3]]] {
// CHECK:     %[[V14:.+]] = affine.if affine_set<(d0)[s0] : (d0 * -4 + s0 - 1 >= 0)>(%[[I13]])[%[[V3]]] -> vector<4xf32> {
// CHECK:       %[[V15:.+]] = affine.apply affine_map<(d0)[s0] -> (d0 * -4 + s0)>(%[[I13]])[%[[V3]]]
// CHECK:       %[[V16:.+]] = vector.create_mask %[[V15]] : vector<4xi1>
// CHECK:       %[[V17:.+]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[I13]])
// CHECK:       %[[V18:.+]] = vector.maskedload %[[X0]][%[[I5]], %[[V17]]], %[[V16]], %{{.*}} : memref<?x?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:       %[[V19:.+]] = vector.maskedload %[[X1]][%[[V17]]], %[[V16]], %{{.*}} : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:       %[[V20:.+]] = arith.addf %[[V18]], %[[V19]] : vector<4xf32>
// CHECK:       %[[V21:.+]] = arith.addf %[[V20]], %{{.*}} : vector<4xf32>
// CHECK:       affine.yield %[[V21]] : vector<4xf32>
// CHECK: } else {
// CHECK:       affine.yield %{{.*}} : vector<4xf32>
// CHECK:     affine.if affine_set<(d0)[s0] : (d0 * -4 + s0 - 1 >= 0)>(%[[I13]])[%[[V3]]] {
// CHECK:       %[[V22:.+]] = affine.apply affine_map<(d0)[s0] -> (d0 * -4 + s0)>(%[[I13]])[%[[V3]]]
// CHECK:       %[[V23:.+]] = vector.create_mask %[[V22]] : vector<4xi1>
// CHECK:       %[[V24:.+]] = affine.apply affine_map<(d0) -> (d0 * 4)>(%[[I13]])
// CHECK:       %[[V25:.+]] = vector.maskedload %[[X1]][%[[V24]]], %[[V23]], %{{.*}} : memref<?xf32>, vector<4xi1>, vector<4xf32> into vector<4xf32>
// CHECK:       %[[V26:.+]] = arith.addf %[[V14]], %[[V25]] : vector<4xf32>
// CHECK:       %[[V27:.+]] = arith.addf %[[V26]], %{{.*}} : vector<4xf32>
// CHECK:       vector.maskedstore %[[B4]][%[[I5]], %[[V24]]], %[[V23]], %[[V27]] : memref<?x?xf32>, vector<4xi1>, vector<4xf32>
// CHECK: %[[B28:.+]] = bufferization.to_tensor %[[B4]] restrict writable : memref<?x?xf32> to tensor<?x?xf32>
func.func @symbolic(%T0: tensor<?x?xf32>, %V: tensor<?xf32>) -> tensor<?x?xf32> {
  %r = fuse.fusion ins(%T0, %V : tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32> {
  ^bb0(%in_T0: tensor<?x?xf32>, %in_V: tensor<?xf32>):
    %c_a = arith.constant 0 : index
    %d_a = tensor.dim %in_T0, %c_a : tensor<?x?xf32>
    %c_b = arith.constant 1 : index
    %d_b = tensor.dim %in_T0, %c_b : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0, %in_V : tensor<?x?xf32>, tensor<?xf32>) outs(%e_T1 : tensor<?x?xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize), ca = 2>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<?x?xf32>
    %e_T2 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1, %in_V : tensor<?x?xf32>, tensor<?xf32>) outs(%e_T2 : tensor<?x?xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize)>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 4.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<?x?xf32>
    fuse.yield %T2 : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}
