// Arguments of any strides and offset, the layout that one-shot-bufferize gives
// them by default: fused and unfused, to the bit. Callers pass slices with steps
// and what is transposed in memory.

// UNSUPPORTED: asan
// RUN: %mlir_opt %s --pass-pipeline='builtin.module(%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.unfused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(fuse-pipeline{layout=dynamic vector-width=4},%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.fused
// RUN: diff %t.unfused %t.fused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.scalar
// RUN: diff %t.unfused %t.scalar
// RUN: FileCheck %s --input-file %t.unfused

// CHECK: sizes = [5, 7]
// CHECK: [-64, -67, -70,
// CHECK: sizes = [5, 7]
// CHECK: [-0, -30, -60, -90,
// CHECK: sizes = [5]
// CHECK: [511, 931,
// CHECK: sizes = [35]
// CHECK: sizes = [4]
// CHECK: sizes = [5, 7]
// CHECK: sizes = [35]
// CHECK: [-0, -30, -60, -90,
// CHECK: sizes = [29]
// CHECK: [-304, -262, -259,

func.func @plain(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %m = tensor.dim %x, %c0 : tensor<?x?xf32>
  %n = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%m, %n) : tensor<?x?xf32>
  %0 = linalg.abs ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = linalg.negf ins(%0 : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
}

func.func @sums(%x: tensor<5x7xf32>) -> tensor<5xf32> {
  %e = tensor.empty() : tensor<5x7xf32>
  %r = tensor.empty() : tensor<5xf32>
  %zero = arith.constant 0.0 : f32
  %init = linalg.fill ins(%zero : f32) outs(%r : tensor<5xf32>) -> tensor<5xf32>
  %0 = linalg.abs ins(%x : tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
  %1 = linalg.reduce { arith.addf } ins(%0 : tensor<5x7xf32>) outs(%init : tensor<5xf32>) dimensions = [1]
  return %1 : tensor<5xf32>
}

func.func @flat(%x: tensor<5x7xf32>, %at: index) -> (tensor<35xf32>, tensor<4xf32>) {
  %e = tensor.empty() : tensor<35xf32>
  %f = tensor.empty() : tensor<4xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<5x7xf32> into tensor<35xf32>
  %s = tensor.extract_slice %x[%at, 1] [2, 4] [1, 1] : tensor<5x7xf32> to tensor<2x4xf32>
  %h = tensor.expand_shape %s [[0], [1, 2]] output_shape [2, 2, 2] : tensor<2x4xf32> into tensor<2x2x2xf32>
  %g = tensor.collapse_shape %h [[0, 1], [2]] : tensor<2x2x2xf32> into tensor<4x2xf32>
  %p = tensor.extract_slice %g[0, 1] [4, 1] [1, 1] : tensor<4x2xf32> to tensor<4xf32>
  %0 = linalg.negf ins(%c : tensor<35xf32>) outs(%e : tensor<35xf32>) -> tensor<35xf32>
  %1 = linalg.negf ins(%p : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
  return %0, %1 : tensor<35xf32>, tensor<4xf32>
}

// The quotient is (-i) floordiv 7 + 4.
func.func @reversed(%x: tensor<5x7xf32>) -> tensor<29xf32> {
  %e = tensor.empty() : tensor<29xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<5x7xf32> into tensor<35xf32>
  %s = tensor.extract_slice %c[0] [29] [1] : tensor<35xf32> to tensor<29xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i) -> (28 - i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%s : tensor<29xf32>) outs(%e : tensor<29xf32>) {
  ^bb0(%v: f32, %o: f32):
    linalg.yield %v : f32
  } -> tensor<29xf32>
  %1 = linalg.negf ins(%0 : tensor<29xf32>) outs(%e : tensor<29xf32>) -> tensor<29xf32>
  return %1 : tensor<29xf32>
}

// Copied: the size to divide by is not a constant.
func.func @unknown_sizes(%x: tensor<?x?xf32>) -> tensor<?xf32> {
  %c0 = arith.constant 0 : index
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<?x?xf32> into tensor<?xf32>
  %n = tensor.dim %c, %c0 : tensor<?xf32>
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.negf ins(%c : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}

func.func @loop(%x: tensor<5x7xf32>, %w: tensor<5x7xf32>, %n: index) -> tensor<5x7xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<5x7xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> (tensor<5x7xf32>) {
    %0 = linalg.add ins(%t, %w : tensor<5x7xf32>, tensor<5x7xf32>) outs(%e : tensor<5x7xf32>) -> tensor<5x7xf32>
    %1 = linalg.negf ins(%0 : tensor<5x7xf32>) outs(%t : tensor<5x7xf32>) -> tensor<5x7xf32>
    scf.yield %1 : tensor<5x7xf32>
  }
  return %r : tensor<5x7xf32>
}

func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c3 = arith.constant 3 : index
  %c12 = arith.constant 12 : index
  %c30 = arith.constant 30 : index
  %memory = memref.alloc() : memref<12x30xf32>
  scf.for %i = %c0 to %c12 step %c1 {
    scf.for %j = %c0 to %c30 step %c1 {
      %row = arith.muli %i, %c30 : index
      %sum = arith.addi %row, %j : index
      %int = arith.index_cast %sum : index to i32
      %float = arith.sitofp %int : i32 to f32
      memref.store %float, %memory[%i, %j] : memref<12x30xf32>
    }
  }
  // Rows of 64, 67, ..., and of 0, 30, ....
  %steps = memref.subview %memory[2, 4] [5, 7] [2, 3] : memref<12x30xf32> to memref<5x7xf32, strided<[60, 3], offset: 64>>
  %corner = memref.subview %memory[0, 0] [7, 5] [1, 1] : memref<12x30xf32> to memref<7x5xf32, strided<[30, 1]>>
  %turned = memref.transpose %corner (i, j) -> (j, i) : memref<7x5xf32, strided<[30, 1]>> to memref<5x7xf32, strided<[1, 30]>>
  %x = bufferization.to_tensor %steps restrict : memref<5x7xf32, strided<[60, 3], offset: 64>> to tensor<5x7xf32>
  %t = bufferization.to_tensor %turned restrict : memref<5x7xf32, strided<[1, 30]>> to tensor<5x7xf32>
  %xd = tensor.cast %x : tensor<5x7xf32> to tensor<?x?xf32>
  %td = tensor.cast %t : tensor<5x7xf32> to tensor<?x?xf32>
  %0 = call @plain(%xd) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = call @plain(%td) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = call @sums(%x) : (tensor<5x7xf32>) -> tensor<5xf32>
  %3:2 = call @flat(%t, %c3) : (tensor<5x7xf32>, index) -> (tensor<35xf32>, tensor<4xf32>)
  %4 = call @loop(%x, %t, %c3) : (tensor<5x7xf32>, tensor<5x7xf32>, index) -> tensor<5x7xf32>
  %5 = call @unknown_sizes(%td) : (tensor<?x?xf32>) -> tensor<?xf32>
  %6 = call @reversed(%x) : (tensor<5x7xf32>) -> tensor<29xf32>
  %p7 = tensor.cast %6 : tensor<29xf32> to tensor<*xf32>
  %p0 = tensor.cast %0 : tensor<?x?xf32> to tensor<*xf32>
  %p1 = tensor.cast %1 : tensor<?x?xf32> to tensor<*xf32>
  %p2 = tensor.cast %2 : tensor<5xf32> to tensor<*xf32>
  %p3 = tensor.cast %3#0 : tensor<35xf32> to tensor<*xf32>
  %p4 = tensor.cast %3#1 : tensor<4xf32> to tensor<*xf32>
  %p5 = tensor.cast %4 : tensor<5x7xf32> to tensor<*xf32>
  %p6 = tensor.cast %5 : tensor<?xf32> to tensor<*xf32>
  call @printMemrefF32(%p0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p1) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p2) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p3) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p4) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p5) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p6) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p7) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
