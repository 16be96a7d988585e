// Gradients of layer normalisation: that of the bias reads the gradient of the
// result in the pass of the others, by an op that reads it for both. As unfused,
// to the bit.

// UNSUPPORTED: asan
// RUN: %mlir_opt %s --pass-pipeline='builtin.module(%to_llvm)' | %run_main | sed "s/base@ = 0x[0-9a-f]*//" > %t.unfused
// RUN: %mlir_opt %s %load_plugin --pass-pipeline='builtin.module(fuse-pipeline)' > %t.loops
// RUN: FileCheck %s --input-file %t.loops
// RUN: %mlir_opt %t.loops --pass-pipeline='builtin.module(%to_llvm)' | %run_main | sed "s/base@ = 0x[0-9a-f]*//" > %t.fused
// RUN: diff %t.unfused %t.fused

// CHECK-LABEL: func.func @layer_norm_backward
// CHECK-SAME: %[[DY:.*]]: memref<12x50xf32>, %{{.*}}: memref<12x50xf32>
// CHECK: affine.vector_load %[[DY]]
// CHECK-NOT: affine.vector_load %[[DY]]
// CHECK: return

// The backward pass of layer normalisation: gradients of input, gain and bias.
#full = affine_map<(i, j) -> (i, j)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

func.func @layer_norm_backward(%dy: tensor<12x50xf32>, %x: tensor<12x50xf32>, %mean: tensor<12xf32>, %rstd: tensor<12xf32>, %gain: tensor<50xf32>) -> (tensor<12x50xf32>, tensor<50xf32>, tensor<50xf32>) {
  %zero = arith.constant 0.0 : f32
  %count = arith.constant 50.0 : f32
  %full = tensor.empty() : tensor<12x50xf32>
  %rows = tensor.empty() : tensor<12xf32>
  %columns = tensor.empty() : tensor<50xf32>
  %row0 = linalg.fill ins(%zero : f32) outs(%rows : tensor<12xf32>) -> tensor<12xf32>
  %column0 = linalg.fill ins(%zero : f32) outs(%columns : tensor<50xf32>) -> tensor<50xf32>
  %normal = linalg.generic {indexing_maps = [#full, #row, #row, #full], iterator_types = ["parallel", "parallel"]}
    ins(%x, %mean, %rstd : tensor<12x50xf32>, tensor<12xf32>, tensor<12xf32>) outs(%full : tensor<12x50xf32>) {
  ^bb0(%a: f32, %m: f32, %r: f32, %o: f32):
    %d = arith.subf %a, %m : f32
    %n = arith.mulf %d, %r : f32
    linalg.yield %n : f32
  } -> tensor<12x50xf32>
  %dbias = linalg.generic {indexing_maps = [#full, #column], iterator_types = ["reduction", "parallel"]}
    ins(%dy : tensor<12x50xf32>) outs(%column0 : tensor<50xf32>) {
  ^bb0(%g: f32, %acc: f32):
    %s = arith.addf %acc, %g : f32
    linalg.yield %s : f32
  } -> tensor<50xf32>
  %dgain = linalg.generic {indexing_maps = [#full, #full, #column], iterator_types = ["reduction", "parallel"]}
    ins(%dy, %normal : tensor<12x50xf32>, tensor<12x50xf32>) outs(%column0 : tensor<50xf32>) {
  ^bb0(%g: f32, %n: f32, %acc: f32):
    %p = arith.mulf %g, %n : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<50xf32>
  %scaled = linalg.generic {indexing_maps = [#full, #column, #full], iterator_types = ["parallel", "parallel"]}
    ins(%dy, %gain : tensor<12x50xf32>, tensor<50xf32>) outs(%full : tensor<12x50xf32>) {
  ^bb0(%g: f32, %w: f32, %o: f32):
    %p = arith.mulf %g, %w : f32
    linalg.yield %p : f32
  } -> tensor<12x50xf32>
  %sum = linalg.generic {indexing_maps = [#full, #row], iterator_types = ["parallel", "reduction"]}
    ins(%scaled : tensor<12x50xf32>) outs(%row0 : tensor<12xf32>) {
  ^bb0(%g: f32, %acc: f32):
    %s = arith.addf %acc, %g : f32
    linalg.yield %s : f32
  } -> tensor<12xf32>
  %dot = linalg.generic {indexing_maps = [#full, #full, #row], iterator_types = ["parallel", "reduction"]}
    ins(%scaled, %normal : tensor<12x50xf32>, tensor<12x50xf32>) outs(%row0 : tensor<12xf32>) {
  ^bb0(%g: f32, %n: f32, %acc: f32):
    %p = arith.mulf %g, %n : f32
    %s = arith.addf %acc, %p : f32
    linalg.yield %s : f32
  } -> tensor<12xf32>
  %dx = linalg.generic {indexing_maps = [#full, #full, #row, #row, #row, #full], iterator_types = ["parallel", "parallel"]}
    ins(%scaled, %normal, %sum, %dot, %rstd : tensor<12x50xf32>, tensor<12x50xf32>, tensor<12xf32>, tensor<12xf32>, tensor<12xf32>) outs(%full : tensor<12x50xf32>) {
  ^bb0(%g: f32, %n: f32, %s: f32, %d: f32, %r: f32, %o: f32):
    %ms = arith.divf %s, %count : f32
    %md = arith.divf %d, %count : f32
    %a = arith.mulf %n, %md : f32
    %b = arith.addf %ms, %a : f32
    %c = arith.subf %g, %b : f32
    %e = arith.mulf %c, %r : f32
    linalg.yield %e : f32
  } -> tensor<12x50xf32>
  return %dx, %dgain, %dbias : tensor<12x50xf32>, tensor<50xf32>, tensor<50xf32>
}

// Element (i, j) is ((21 i + 25 j) mod 64) / 16 - 2.
func.func private @dy() -> tensor<12x50xf32> {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %ci = arith.constant 21 : index
    %cj = arith.constant 25 : index
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
  } : tensor<12x50xf32>
  return %x : tensor<12x50xf32>
}

// Element (i, j) is ((29 i + 13 j) mod 64) / 16 - 2.
func.func private @x() -> tensor<12x50xf32> {
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
  } : tensor<12x50xf32>
  return %x : tensor<12x50xf32>
}

// Element i is ((9 i) mod 64) / 16 - 2.
func.func private @mean() -> tensor<12xf32> {
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
  } : tensor<12xf32>
  return %x : tensor<12xf32>
}

// Element i is ((5 i) mod 64) / 16 - 2.
func.func private @rstd() -> tensor<12xf32> {
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
  } : tensor<12xf32>
  return %x : tensor<12xf32>
}

// Element i is ((7 i) mod 64) / 16 - 2.
func.func private @gain() -> tensor<50xf32> {
  %x = tensor.generate {
  ^bb0(%i: index):
    %ci = arith.constant 7 : index
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
  } : tensor<50xf32>
  return %x : tensor<50xf32>
}

func.func @main() {
  %in0 = call @dy() : () -> tensor<12x50xf32>
  %in1 = call @x() : () -> tensor<12x50xf32>
  %in2 = call @mean() : () -> tensor<12xf32>
  %in3 = call @rstd() : () -> tensor<12xf32>
  %in4 = call @gain() : () -> tensor<50xf32>
  %out:3 = call @layer_norm_backward(%in0, %in1, %in2, %in3, %in4) : (tensor<12x50xf32>, tensor<12x50xf32>, tensor<12xf32>, tensor<12xf32>, tensor<50xf32>) -> (tensor<12x50xf32>, tensor<50xf32>, tensor<50xf32>)
  %print0 = tensor.cast %out#0 : tensor<12x50xf32> to tensor<*xf32>
  call @printMemrefF32(%print0) : (tensor<*xf32>) -> ()
  %print1 = tensor.cast %out#1 : tensor<50xf32> to tensor<*xf32>
  call @printMemrefF32(%print1) : (tensor<*xf32>) -> ()
  %print2 = tensor.cast %out#2 : tensor<50xf32> to tensor<*xf32>
  call @printMemrefF32(%print2) : (tensor<*xf32>) -> ()
  return
}
func.func private @printMemrefF32(%ptr: tensor<*xf32>)
