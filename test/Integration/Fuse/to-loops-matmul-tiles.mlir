// Cached tiles of a matrix product; no tile size divides a size.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{peel=false}),%to_llvm)' | %run_main | FileCheck %s

// What is lowered without fusion is the same: sums of differences.
// CHECK: data =
// CHECK-NEXT: [0]
func.func @fused(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %r = fuse.fusion ins(%A, %B : tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32> {
  ^bb0(%in_A: tensor<?x?xf32>, %in_B: tensor<?x?xf32>):
    %c_m = arith.constant 0 : index
    %d_m = tensor.dim %in_A, %c_m : tensor<?x?xf32>
    %c_n = arith.constant 0 : index
    %d_n = tensor.dim %in_B, %c_n : tensor<?x?xf32>
    %c_k = arith.constant 1 : index
    %d_k = tensor.dim %in_A, %c_k : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e_As = tensor.empty(%d_m, %d_k) : tensor<?x?xf32>
    %As = linalg.generic {indexing_maps = [affine_map<(m,k) -> (m, k)>, affine_map<(m,k) -> (m, k)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_A : tensor<?x?xf32>) outs(%e_As : tensor<?x?xf32>)
        attrs = {fuse.name = "As", fuse.schedule = #fuse.schedule<[m, k], split(0, 8, inner), split(2, 4, inner), reorder(0, 2, 1, 3), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_Bs = tensor.empty(%d_n, %d_k) : tensor<?x?xf32>
    %Bs = linalg.generic {indexing_maps = [affine_map<(n,k) -> (n, k)>, affine_map<(n,k) -> (n, k)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_B : tensor<?x?xf32>) outs(%e_Bs : tensor<?x?xf32>)
        attrs = {fuse.name = "Bs", fuse.schedule = #fuse.schedule<[n, k], split(0, 8, inner), split(2, 4, inner), reorder(0, 2, 1, 3), ca = 2>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_C = tensor.empty(%d_m, %d_n) : tensor<?x?xf32>
    %f_C = linalg.fill ins(%zero : f32) outs(%e_C : tensor<?x?xf32>) -> tensor<?x?xf32>
    %C = linalg.generic {indexing_maps = [affine_map<(m,n,k) -> (m, k)>, affine_map<(m,n,k) -> (n, k)>, affine_map<(m,n,k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
        ins(%As, %Bs : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f_C : tensor<?x?xf32>)
        attrs = {fuse.name = "C", fuse.schedule = #fuse.schedule<[m, n, k], split(0, 8, inner), split(2, 8, inner), split(4, 4, inner), reorder(0, 2, 4, 1, 3, 5), ca = 2>} {
    ^bb0(%x0: f32, %x1: f32, %o: f32):
      %s0 = arith.mulf %x0, %x1 : f32
      %s1 = arith.addf %o, %s0 : f32
      linalg.yield %s1 : f32
    } -> tensor<?x?xf32>
    %e_D = tensor.empty(%d_m, %d_n) : tensor<?x?xf32>
    %D = linalg.generic {indexing_maps = [affine_map<(m,n) -> (m, n)>, affine_map<(m,n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
        ins(%C : tensor<?x?xf32>) outs(%e_D : tensor<?x?xf32>)
        attrs = {fuse.name = "D", fuse.schedule = #fuse.schedule<[m, n], split(0, 8, inner), split(2, 8, inner), reorder(0, 2, 1, 3)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    fuse.yield %D : tensor<?x?xf32>
  }
  return %r : tensor<?x?xf32>
}

func.func @plain(%A: tensor<?x?xf32>, %B: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %c_m = arith.constant 0 : index
  %d_m = tensor.dim %A, %c_m : tensor<?x?xf32>
  %c_n = arith.constant 0 : index
  %d_n = tensor.dim %B, %c_n : tensor<?x?xf32>
  %c_k = arith.constant 1 : index
  %d_k = tensor.dim %A, %c_k : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e_As = tensor.empty(%d_m, %d_k) : tensor<?x?xf32>
  %As = linalg.generic {indexing_maps = [affine_map<(m,k) -> (m, k)>, affine_map<(m,k) -> (m, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%A : tensor<?x?xf32>) outs(%e_As : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 3.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  %e_Bs = tensor.empty(%d_n, %d_k) : tensor<?x?xf32>
  %Bs = linalg.generic {indexing_maps = [affine_map<(n,k) -> (n, k)>, affine_map<(n,k) -> (n, k)>], iterator_types = ["parallel", "parallel"]}
      ins(%B : tensor<?x?xf32>) outs(%e_Bs : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 3.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  %e_C = tensor.empty(%d_m, %d_n) : tensor<?x?xf32>
  %f_C = linalg.fill ins(%zero : f32) outs(%e_C : tensor<?x?xf32>) -> tensor<?x?xf32>
  %C = linalg.generic {indexing_maps = [affine_map<(m,n,k) -> (m, k)>, affine_map<(m,n,k) -> (n, k)>, affine_map<(m,n,k) -> (m, n)>], iterator_types = ["parallel", "parallel", "reduction"]}
      ins(%As, %Bs : tensor<?x?xf32>, tensor<?x?xf32>) outs(%f_C : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %x1: f32, %o: f32):
    %s0 = arith.mulf %x0, %x1 : f32
    %s1 = arith.addf %o, %s0 : f32
    linalg.yield %s1 : f32
  } -> tensor<?x?xf32>
  %e_D = tensor.empty(%d_m, %d_n) : tensor<?x?xf32>
  %D = linalg.generic {indexing_maps = [affine_map<(m,n) -> (m, n)>, affine_map<(m,n) -> (m, n)>], iterator_types = ["parallel", "parallel"]}
      ins(%C : tensor<?x?xf32>) outs(%e_D : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 3.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  return %D : tensor<?x?xf32>
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
  %g_A = tensor.generate {
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
  } : tensor<20x18xf32>
  %A = tensor.cast %g_A : tensor<20x18xf32> to tensor<?x?xf32>
  %g_B = tensor.generate {
  ^bb0(%i0: index, %i1: index):
    %c1 = arith.constant 4 : index
    %s0 = arith.constant 6 : index
    %m0 = arith.muli %s0, %c1 : index
    %a0 = arith.addi %m0, %i0 : index
    %m1 = arith.muli %a0, %c1 : index
    %a1 = arith.addi %m1, %i1 : index
    %c7 = arith.constant 7 : index
    %rem = arith.remui %a1, %c7 : index
    %int = arith.index_cast %rem : index to i32
    %fl = arith.sitofp %int : i32 to f32
    tensor.yield %fl : f32
  } : tensor<24x18xf32>
  %B = tensor.cast %g_B : tensor<24x18xf32> to tensor<?x?xf32>
  %fused = call @fused(%A, %B) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %plain = call @plain(%A, %B) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %diff0 = call @difference0(%fused, %plain) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  %u0 = tensor.cast %diff0 : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
