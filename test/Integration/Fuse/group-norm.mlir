// Group normalisation: the reshape between groups and channels shares loops with
// what it reshapes. Sums of four groups go side by side, each in its own order.

// UNSUPPORTED: asan
// RUN: %mlir_opt %s --pass-pipeline='builtin.module(%to_llvm)' | %run_main | sed "s/base@ = 0x[0-9a-f]*//" > %t.unfused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(fuse-pipeline)' > %t.loops
// RUN: FileCheck %s --input-file %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main | sed "s/base@ = 0x[0-9a-f]*//" > %t.fused
// RUN: diff %t.unfused %t.fused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(func.func(fuse-form,fuse-auto-schedule,fuse-to-loops),%to_llvm)' | %run_main | sed "s/base@ = 0x[0-9a-f]*//" > %t.all
// RUN: diff %t.unfused %t.all

// CHECK-LABEL: func.func @group_norm
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT: memref.alloc()
// CHECK: return

// Group normalisation of images with 16 channels in 4 groups.
#full = affine_map<(n, g, c, p) -> (n, g, c, p)>
#group = affine_map<(n, g, c, p) -> (n, g)>
#channel = affine_map<(n, c, p) -> (c)>
#image = affine_map<(n, c, p) -> (n, c, p)>

func.func @group_norm(%x: tensor<3x16x20xf32>, %gain: tensor<16xf32>, %bias: tensor<16xf32>) -> tensor<3x16x20xf32> {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 80.0 : f32
  %epsilon = arith.constant 1.0e-5 : f32
  %groups = tensor.expand_shape %x [[0], [1, 2], [3]] output_shape [3, 4, 4, 20] : tensor<3x16x20xf32> into tensor<3x4x4x20xf32>
  %sums = tensor.empty() : tensor<3x4xf32>
  %full = tensor.empty() : tensor<3x4x4x20xf32>
  %image = tensor.empty() : tensor<3x16x20xf32>
  %sum0 = linalg.fill ins(%zero : f32) outs(%sums : tensor<3x4xf32>) -> tensor<3x4xf32>
  %sum = linalg.generic {indexing_maps = [#full, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%groups : tensor<3x4x4x20xf32>) outs(%sum0 : tensor<3x4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %s = arith.addf %acc, %a : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  %centred = linalg.generic {indexing_maps = [#full, #group, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%groups, %sum : tensor<3x4x4x20xf32>, tensor<3x4xf32>) outs(%full : tensor<3x4x4x20xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %m = arith.divf %s, %count : f32
    %d = arith.subf %a, %m : f32
    linalg.yield %d : f32
  } -> tensor<3x4x4x20xf32>
  %square = linalg.generic {indexing_maps = [#full, #group], iterator_types = ["parallel", "parallel", "reduction", "reduction"]}
    ins(%centred : tensor<3x4x4x20xf32>) outs(%sum0 : tensor<3x4xf32>) {
  ^bb0(%a: f32, %acc: f32):
    %p = arith.mulf %a, %a : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<3x4xf32>
  %normal = linalg.generic {indexing_maps = [#full, #group, #full], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
    ins(%centred, %square : tensor<3x4x4x20xf32>, tensor<3x4xf32>) outs(%full : tensor<3x4x4x20xf32>) {
  ^bb0(%a: f32, %s: f32, %o: f32):
    %v = arith.divf %s, %count : f32
    %e = arith.addf %v, %epsilon : f32
    %r = math.rsqrt %e : f32
    %n = arith.mulf %a, %r : f32
    linalg.yield %n : f32
  } -> tensor<3x4x4x20xf32>
  %channels = tensor.collapse_shape %normal [[0], [1, 2], [3]] : tensor<3x4x4x20xf32> into tensor<3x16x20xf32>
  %y = linalg.generic {indexing_maps = [#image, #channel, #channel, #image], iterator_types = ["parallel", "parallel", "parallel"]}
    ins(%channels, %gain, %bias : tensor<3x16x20xf32>, tensor<16xf32>, tensor<16xf32>) outs(%image : tensor<3x16x20xf32>) {
  ^bb0(%a: f32, %g: f32, %b: f32, %o: f32):
    %p = arith.mulf %a, %g : f32
    %s = arith.addf %p, %b : f32
    linalg.yield %s : f32
  } -> tensor<3x16x20xf32>
  return %y : tensor<3x16x20xf32>
}

// Element i is ((9 i) mod 64) / 16 - 2.
func.func private @gain() -> tensor<16xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 9 : index
    %c64 = arith.constant 64 : index
    %scale = arith.constant 0.0625 : f32
    %two = arith.constant 2.0 : f32
    %a = arith.muli %i, %ci : index
    %mod = arith.remui %a, %c64 : index
    %int = arith.index_cast %mod : index to i32
    %float = arith.uitofp %int : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %element = arith.subf %scaled, %two : f32
    tensor.yield %element : f32
  } : tensor<16xf32>
  return %x : tensor<16xf32>
}

// Element i is ((5 i) mod 64) / 16 - 2.
func.func private @bias() -> tensor<16xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 5 : index
    %c64 = arith.constant 64 : index
    %scale = arith.constant 0.0625 : f32
    %two = arith.constant 2.0 : f32
    %a = arith.muli %i, %ci : index
    %mod = arith.remui %a, %c64 : index
    %int = arith.index_cast %mod : index to i32
    %float = arith.uitofp %int : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %element = arith.subf %scaled, %two : f32
    tensor.yield %element : f32
  } : tensor<16xf32>
  return %x : tensor<16xf32>
}

// Element (i, j) is ((29 i + 13 j) mod 64) / 16 - 2.
func.func private @rows() -> tensor<3x320xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 29 : index
    %cj = arith.constant 13 : index
    %c64 = arith.constant 64 : index
    %scale = arith.constant 0.0625 : f32
    %two = arith.constant 2.0 : f32
    %a = arith.muli %i, %ci : index
    %b = arith.muli %j, %cj : index
    %sum = arith.addi %a, %b : index
    %mod = arith.remui %sum, %c64 : index
    %int = arith.index_cast %mod : index to i32
    %float = arith.uitofp %int : i32 to f32
    %scaled = arith.mulf %float, %scale : f32
    %element = arith.subf %scaled, %two : f32
    tensor.yield %element : f32
  } : tensor<3x320xf32>
  return %x : tensor<3x320xf32>
}

func.func @main() {
  %gain = call @gain() : () -> tensor<16xf32>
  %bias = call @bias() : () -> tensor<16xf32>
  %rows = call @rows() : () -> tensor<3x320xf32>
  %x = tensor.expand_shape %rows [[0], [1, 2]] output_shape [3, 16, 20] : tensor<3x320xf32> into tensor<3x16x20xf32>
  %out = call @group_norm(%x, %gain, %bias) : (tensor<3x16x20xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<3x16x20xf32>
  %print = tensor.cast %out : tensor<3x16x20xf32> to tensor<*xf32>
  call @printMemrefF32(%print) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
