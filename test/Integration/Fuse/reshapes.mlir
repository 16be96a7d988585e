// An index beside a reshape, a reshape of a slice whose rows are contiguous, and
// a slice of one element with a step: fused and unfused, to the bit.

// UNSUPPORTED: asan
// RUN: %mlir_opt %s --pass-pipeline='builtin.module(%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.unfused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.fused
// RUN: diff %t.unfused %t.fused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(fuse-pipeline{vector-width=1},%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.scalar
// RUN: diff %t.unfused %t.scalar
// RUN: FileCheck %s --input-file %t.unfused

// CHECK: sizes = [48]
// CHECK: sizes = [2, 16]
// CHECK: sizes = [1]

func.func @index(%x: tensor<12x4xf32>) -> tensor<48xf32> {
  %flat = tensor.empty() : tensor<48xf32>
  %full = tensor.empty() : tensor<12x4xf32>
  %a = linalg.abs ins(%x : tensor<12x4xf32>) outs(%full : tensor<12x4xf32>) -> tensor<12x4xf32>
  %s = tensor.collapse_shape %a [[0, 1]] : tensor<12x4xf32> into tensor<48xf32>
  %r = linalg.generic {
    indexing_maps = [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>], iterator_types = ["parallel"]}
    ins(%s : tensor<48xf32>) outs(%flat : tensor<48xf32>) {
  ^bb0(%v: f32, %o: f32):
    %k = linalg.index 0 : index
    %int = arith.index_cast %k : index to i32
    %float = arith.sitofp %int : i32 to f32
    %q = arith.addf %v, %float : f32
    linalg.yield %q : f32
  } -> tensor<48xf32>
  return %r : tensor<48xf32>
}

func.func @planes(%x: tensor<3x4x4xf32>, %at: index) -> tensor<2x16xf32> {
  %e = tensor.empty() : tensor<2x16xf32>
  %s = tensor.extract_slice %x[%at, 0, 0] [2, 4, 4] [1, 1, 1] : tensor<3x4x4xf32> to tensor<2x4x4xf32>
  %c = tensor.collapse_shape %s [[0], [1, 2]] : tensor<2x4x4xf32> into tensor<2x16xf32>
  %0 = linalg.negf ins(%c : tensor<2x16xf32>) outs(%e : tensor<2x16xf32>) -> tensor<2x16xf32>
  return %0 : tensor<2x16xf32>
}

func.func @element(%x: tensor<12x4xf32>) -> tensor<1xf32> {
  %e = tensor.empty() : tensor<1xf32>
  %s = tensor.extract_slice %x[11, 3] [1, 1] [1, 2] : tensor<12x4xf32> to tensor<1xf32>
  %0 = linalg.negf ins(%s : tensor<1xf32>) outs(%e : tensor<1xf32>) -> tensor<1xf32>
  return %0 : tensor<1xf32>
}

func.func @main() {
  %c1 = arith.constant 1 : index
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c29 = arith.constant 29 : index
    %c7 = arith.constant 7 : index
    %a = arith.muli %i, %c29 : index
    %b = arith.muli %j, %c7 : index
    %sum = arith.addi %a, %b : index
    %int = arith.index_cast %sum : index to i32
    %float = arith.sitofp %int : i32 to f32
    tensor.yield %float : f32
  } : tensor<12x4xf32>
  %y = tensor.expand_shape %x [[0, 1], [2]] output_shape [3, 4, 4] : tensor<12x4xf32> into tensor<3x4x4xf32>
  %0 = call @index(%x) : (tensor<12x4xf32>) -> tensor<48xf32>
  %1 = call @planes(%y, %c1) : (tensor<3x4x4xf32>, index) -> tensor<2x16xf32>
  %2 = call @element(%x) : (tensor<12x4xf32>) -> tensor<1xf32>
  %p0 = tensor.cast %0 : tensor<48xf32> to tensor<*xf32>
  %p1 = tensor.cast %1 : tensor<2x16xf32> to tensor<*xf32>
  %p2 = tensor.cast %2 : tensor<1xf32> to tensor<*xf32>
  call @printMemrefF32(%p0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p1) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p2) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
