// Slices with steps, at an offset and of a size known at run time, reverses,
// reshapes and interleaved results: fused and unfused, to the bit. Rows of 36 and
// of 18 elements leave lanes over.

// UNSUPPORTED: asan
// RUN: %mlir_opt %s --pass-pipeline='builtin.module(%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.unfused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops),%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.fused
// RUN: diff %t.unfused %t.fused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.scf
// RUN: diff %t.unfused %t.scf
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(fuse-pipeline,%to_llvm)' | %run_main | sed "/^Unranked/s/base@ = 0x[0-9a-f]*//" > %t.pipeline
// RUN: diff %t.unfused %t.pipeline
// RUN: FileCheck %s --input-file %t.unfused

// CHECK-COUNT-2: sizes = [5, 36]
// CHECK: sizes = [5, 12]

#id = affine_map<(i, j) -> (i, j)>

func.func @interleave(%x: tensor<5x36xf32>, %y: tensor<5x36xf32>) -> tensor<5x36xf32> {
  %half = tensor.empty() : tensor<5x18xf32>
  %full = tensor.empty() : tensor<5x36xf32>
  %sum = linalg.add ins(%x, %y : tensor<5x36xf32>, tensor<5x36xf32>) outs(%full : tensor<5x36xf32>) -> tensor<5x36xf32>
  %even = tensor.extract_slice %sum[0, 0] [5, 18] [1, 2] : tensor<5x36xf32> to tensor<5x18xf32>
  %odd = tensor.extract_slice %sum[0, 1] [5, 18] [1, 2] : tensor<5x36xf32> to tensor<5x18xf32>
  %a = linalg.sub ins(%even, %odd : tensor<5x18xf32>, tensor<5x18xf32>) outs(%half : tensor<5x18xf32>) -> tensor<5x18xf32>
  %b = linalg.mul ins(%even, %odd : tensor<5x18xf32>, tensor<5x18xf32>) outs(%half : tensor<5x18xf32>) -> tensor<5x18xf32>
  %0 = tensor.insert_slice %a into %full[0, 0] [5, 18] [1, 2] : tensor<5x18xf32> into tensor<5x36xf32>
  %1 = tensor.insert_slice %b into %0[0, 1] [5, 18] [1, 2] : tensor<5x18xf32> into tensor<5x36xf32>
  return %1 : tensor<5x36xf32>
}

// The reverse is of an input, then of what was computed and reshaped.
func.func @reverse(%x: tensor<5x36xf32>, %y: tensor<5x36xf32>) -> tensor<5x36xf32> {
  %full = tensor.empty() : tensor<5x36xf32>
  %flat = tensor.empty() : tensor<180xf32>
  %back = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, 35 - j)>, #id],
    iterator_types = ["parallel", "parallel"]} ins(%x : tensor<5x36xf32>) outs(%full : tensor<5x36xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<5x36xf32>
  %sum = linalg.sub ins(%back, %y : tensor<5x36xf32>, tensor<5x36xf32>) outs(%full : tensor<5x36xf32>) -> tensor<5x36xf32>
  %line = tensor.collapse_shape %sum [[0, 1]] : tensor<5x36xf32> into tensor<180xf32>
  %turned = linalg.generic {
    indexing_maps = [affine_map<(i) -> (179 - i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} ins(%line : tensor<180xf32>) outs(%flat : tensor<180xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<180xf32>
  %abs = linalg.abs ins(%turned : tensor<180xf32>) outs(%flat : tensor<180xf32>) -> tensor<180xf32>
  %grid = tensor.expand_shape %abs [[0, 1]] output_shape [5, 36] : tensor<180xf32> into tensor<5x36xf32>
  %r = linalg.add ins(%grid, %x : tensor<5x36xf32>, tensor<5x36xf32>) outs(%full : tensor<5x36xf32>) -> tensor<5x36xf32>
  return %r : tensor<5x36xf32>
}

func.func @window(%x: tensor<5x36xf32>, %at: index, %size: index) -> tensor<5x?xf32> {
  %e = tensor.empty(%size) : tensor<5x?xf32>
  %s = tensor.extract_slice %x[0, %at] [5, %size] [1, 1] : tensor<5x36xf32> to tensor<5x?xf32>
  %0 = linalg.abs ins(%s : tensor<5x?xf32>) outs(%e : tensor<5x?xf32>) -> tensor<5x?xf32>
  %1 = linalg.mul ins(%0, %s : tensor<5x?xf32>, tensor<5x?xf32>) outs(%e : tensor<5x?xf32>) -> tensor<5x?xf32>
  return %1 : tensor<5x?xf32>
}

func.func private @input(%factor: index) -> tensor<5x36xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 29 : index
    %c64 = arith.constant 64 : index
    %scale = arith.constant 0.0625 : f32
    %two = arith.constant 2.0 : f32
    %a = arith.muli %i, %ci : index
    %b = arith.muli %j, %factor : index
    %sum = arith.addi %a, %b : index
    %mod = arith.remui %sum, %c64 : index
    %int = arith.index_cast %mod : index to i32
    %float = arith.uitofp %int : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %element = arith.subf %scaled, %two : f32
    tensor.yield %element : f32
  } : tensor<5x36xf32>
  return %x : tensor<5x36xf32>
}

func.func @main() {
  %c7 = arith.constant 7 : index
  %c12 = arith.constant 12 : index
  %c25 = arith.constant 25 : index
  %x = call @input(%c7) : (index) -> tensor<5x36xf32>
  %y = call @input(%c25) : (index) -> tensor<5x36xf32>
  %0 = call @interleave(%x, %y) : (tensor<5x36xf32>, tensor<5x36xf32>) -> tensor<5x36xf32>
  %1 = call @reverse(%x, %y) : (tensor<5x36xf32>, tensor<5x36xf32>) -> tensor<5x36xf32>
  %2 = call @window(%x, %c7, %c12) : (tensor<5x36xf32>, index, index) -> tensor<5x?xf32>
  %p0 = tensor.cast %0 : tensor<5x36xf32> to tensor<*xf32>
  %p1 = tensor.cast %1 : tensor<5x36xf32> to tensor<*xf32>
  %p2 = tensor.cast %2 : tensor<5x?xf32> to tensor<*xf32>
  call @printMemrefF32(%p0) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p1) : (tensor<*xf32>) -> ()
  call @printMemrefF32(%p2) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
