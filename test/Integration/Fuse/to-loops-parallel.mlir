// Parallel rows, each with a buffer of its own.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{peel=false}),%to_llvm)' | %run_main | FileCheck %s

// What is lowered without fusion is the same: sums of differences.
// CHECK: data =
// CHECK-NEXT: [0]
func.func @fused(%T0: tensor<6x10xf32>) -> tensor<6x10xf32> {
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

func.func @plain(%T0: tensor<6x10xf32>) -> tensor<6x10xf32> {
  %zero = arith.constant 0.0 : f32
  %e_T1 = tensor.empty() : tensor<6x10xf32>
  %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%T0 : tensor<6x10xf32>) outs(%e_T1 : tensor<6x10xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 3.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<6x10xf32>
  %e_T2 = tensor.empty() : tensor<6xf32>
  %f_T2 = linalg.fill ins(%zero : f32) outs(%e_T2 : tensor<6xf32>) -> tensor<6xf32>
  %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%T1 : tensor<6x10xf32>) outs(%f_T2 : tensor<6xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s0 = arith.addf %o, %x0 : f32
    linalg.yield %s0 : f32
  } -> tensor<6xf32>
  %e_T4 = tensor.empty() : tensor<6x10xf32>
  %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%T1, %T2 : tensor<6x10xf32>, tensor<6xf32>) outs(%e_T4 : tensor<6x10xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s0 = arith.addf %x0, %x1 : f32
    %k = arith.constant 3.0 : f32
    %s1 = arith.addf %s0, %k : f32
    linalg.yield %s1 : f32
  } -> tensor<6x10xf32>
  return %T4 : tensor<6x10xf32>
}

func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

func.func @difference0(%a: tensor<6x10xf32>, %b: tensor<6x10xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<6x10xf32>, tensor<6x10xf32>) outs(%f : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.subf %x, %y : f32
    %1 = math.absf %0 : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %d : tensor<f32>
}

func.func @main() {
  %g_T0 = tensor.generate {
  ^bb0(%i0: index, %i1: index):
    %c0 = arith.constant 3 : index
    %s0 = arith.constant 1 : index
    %m0 = arith.muli %s0, %c0 : index
    %a0 = arith.addi %m0, %i0 : index
    %m1 = arith.muli %a0, %c0 : index
    %a1 = arith.addi %m1, %i1 : index
    %c7 = arith.constant 7 : index
    %rem = arith.remui %a1, %c7 : index
    %int = arith.index_cast %rem : index to i32
    %fl = arith.sitofp %int : i32 to f32
    tensor.yield %fl : f32
  } : tensor<6x10xf32>
  %T0 = tensor.cast %g_T0 : tensor<6x10xf32> to tensor<6x10xf32>
  %fused = call @fused(%T0) : (tensor<6x10xf32>) -> tensor<6x10xf32>
  %plain = call @plain(%T0) : (tensor<6x10xf32>) -> tensor<6x10xf32>
  %diff0 = call @difference0(%fused, %plain) : (tensor<6x10xf32>, tensor<6x10xf32>) -> tensor<f32>
  %u0 = tensor.cast %diff0 : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
