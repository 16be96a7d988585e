// Rows that are read three times, one buffer for a row.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{peel=false}),%to_llvm)' | %run_main | FileCheck %s

// What is lowered without fusion is the same: sums of differences.
// CHECK: data =
// CHECK-NEXT: [0]
func.func @fused(%X: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = fuse.fusion ins(%X : tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%in_X: tensor<?x?xf32>):
    %c_a = arith.constant 0 : index
    %d_a = tensor.dim %in_X, %c_a : tensor<?x?xf32>
    %c_b = arith.constant 1 : index
    %d_b = tensor.dim %in_X, %c_b : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e_M = tensor.empty(%d_a) : tensor<?xf32>
    %f_M = linalg.fill ins(%zero : f32) outs(%e_M : tensor<?xf32>) -> tensor<?xf32>
    %M = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%in_X : tensor<?x?xf32>) outs(%f_M : tensor<?xf32>)
        attrs = {fuse.name = "M", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.maximumf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<?xf32>
    %e_S = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %S = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_X, %M : tensor<?x?xf32>, tensor<?xf32>) outs(%e_S : tensor<?x?xf32>)
        attrs = {fuse.name = "S", fuse.schedule = #fuse.schedule<[a, b], ca = 2>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<?x?xf32>
    %e_E = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %E = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%S : tensor<?x?xf32>) outs(%e_E : tensor<?x?xf32>)
        attrs = {fuse.name = "E", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 1.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_Z = tensor.empty(%d_a) : tensor<?xf32>
    %f_Z = linalg.fill ins(%zero : f32) outs(%e_Z : tensor<?xf32>) -> tensor<?xf32>
    %Z = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
        ins(%E : tensor<?x?xf32>) outs(%f_Z : tensor<?xf32>)
        attrs = {fuse.name = "Z", fuse.schedule = #fuse.schedule<[a, b], ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<?xf32>
    %e_Y = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %Y = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%E, %Z : tensor<?x?xf32>, tensor<?xf32>) outs(%e_Y : tensor<?x?xf32>)
        attrs = {fuse.name = "Y"} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.addf %x0, %x1 : f32
      %k = arith.constant 3.0 : f32
      %s1 = arith.addf %s0, %k : f32
      linalg.yield %s1 : f32
    } -> tensor<?x?xf32>
    fuse.yield %Y : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

func.func @plain(%X: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c_a = arith.constant 0 : index
  %d_a = tensor.dim %X, %c_a : tensor<?x?xf32>
  %c_b = arith.constant 1 : index
  %d_b = tensor.dim %X, %c_b : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e_M = tensor.empty(%d_a) : tensor<?xf32>
  %f_M = linalg.fill ins(%zero : f32) outs(%e_M : tensor<?xf32>) -> tensor<?xf32>
  %M = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%X : tensor<?x?xf32>) outs(%f_M : tensor<?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s0 = arith.maximumf %o, %x0 : f32
    linalg.yield %s0 : f32
  } -> tensor<?xf32>
  %e_S = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
  %S = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%X, %M : tensor<?x?xf32>, tensor<?xf32>) outs(%e_S : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s0 = arith.addf %x0, %x1 : f32
    %k = arith.constant 3.0 : f32
    %s1 = arith.addf %s0, %k : f32
    linalg.yield %s1 : f32
  } -> tensor<?x?xf32>
  %e_E = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
  %E = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%S : tensor<?x?xf32>) outs(%e_E : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 1.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  %e_Z = tensor.empty(%d_a) : tensor<?xf32>
  %f_Z = linalg.fill ins(%zero : f32) outs(%e_Z : tensor<?xf32>) -> tensor<?xf32>
  %Z = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>], iterator_types = ["parallel", "reduction"]}
      ins(%E : tensor<?x?xf32>) outs(%f_Z : tensor<?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %s0 = arith.addf %o, %x0 : f32
    linalg.yield %s0 : f32
  } -> tensor<?xf32>
  %e_Y = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
  %Y = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%E, %Z : tensor<?x?xf32>, tensor<?xf32>) outs(%e_Y : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s0 = arith.addf %x0, %x1 : f32
    %k = arith.constant 3.0 : f32
    %s1 = arith.addf %s0, %k : f32
    linalg.yield %s1 : f32
  } -> tensor<?x?xf32>
  return %Y : tensor<?x?xf32>
}

func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

func.func @difference0(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %d = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> (d0, d1)>, affine_map<(d0, d1) -> ()>], iterator_types = ["reduction", "reduction"]}
      ins(%a, %b : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f : tensor<f32>) {
  ^bb0(%x: f32, %y: f32, %o: f32):
    %0 = arith.subf %x, %y : f32
    %1 = math.absf %0 : f32
    %2 = arith.addf %o, %1 : f32
    linalg.yield %2 : f32
  } -> tensor<f32>
  return %d : tensor<f32>
}

func.func @main() {
  %g_X = tensor.generate {
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
  %X = tensor.cast %g_X : tensor<6x10xf32> to tensor<?x?xf32>
  %fused = call @fused(%X) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %plain = call @plain(%X) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %diff0 = call @difference0(%fused, %plain) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  %u0 = tensor.cast %diff0 : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
