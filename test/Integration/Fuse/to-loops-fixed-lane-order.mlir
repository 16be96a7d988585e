// Sums of four lanes in a fixed order; the last one is not full.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{peel=false}),%to_llvm)' | %run_main | FileCheck %s

// CHECK: data =
// CHECK-NEXT: [196,  244,  268,  212,  223,  259]
// CHECK: data =
// CHECK-NEXT: [196,  244,  268,  212,  223,  259]

#map2 = affine_map<(a, b) -> (a, b)>
#rf = affine_map<(a, b) -> (a, b mod 4)>
#mapa = affine_map<(a, b) -> (a)>
func.func @fused(%x: tensor<6x18xf32>) -> tensor<6xf32> {
  %r = fuse.fusion ins(%x : tensor<6x18xf32>) -> tensor<6xf32> {
  ^bb0(%t0: tensor<6x18xf32>):
    %zero = arith.constant 0.0 : f32
    %e1 = tensor.empty() : tensor<6x18xf32>
    %t1 = linalg.generic {indexing_maps = [#map2, #map2], iterator_types = ["parallel", "parallel"]}
        ins(%t0 : tensor<6x18xf32>) outs(%e1 : tensor<6x18xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), type(2, vectorize), ca = 2>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.mulf %in, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6x18xf32>
    %e2 = tensor.empty() : tensor<6x4xf32>
    %f2 = linalg.fill ins(%zero : f32) outs(%e2 : tensor<6x4xf32>) -> tensor<6x4xf32>
    %t2 = linalg.generic {indexing_maps = [#map2, #rf], iterator_types = ["parallel", "reduction"]}
        ins(%t1 : tensor<6x18xf32>) outs(%f2 : tensor<6x4xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], split(1, 4, inner), rfactor(2), reorder(0, 1, 2), type(2, vectorize), ca = 1>} {
    ^bb0(%in: f32, %out: f32):
      %0 = arith.addf %out, %in : f32
      linalg.yield %0 : f32
    } -> tensor<6x4xf32>
    %e3 = tensor.empty() : tensor<6xf32>
    %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<6xf32>) -> tensor<6xf32>
    %t3 = linalg.generic {indexing_maps = [#map2, #mapa], iterator_types = ["parallel", "reduction"]}
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
func.func @plain(%x: tensor<6x18xf32>) -> tensor<6xf32> {
    %zero = arith.constant 0.0 : f32
    %e3 = tensor.empty() : tensor<6xf32>
    %f3 = linalg.fill ins(%zero : f32) outs(%e3 : tensor<6xf32>) -> tensor<6xf32>
    %t3 = linalg.generic {indexing_maps = [#map2, #mapa], iterator_types = ["parallel", "reduction"]}
        ins(%x : tensor<6x18xf32>) outs(%f3 : tensor<6xf32>) {
    ^bb0(%in: f32, %out: f32):
      %1 = arith.mulf %in, %in : f32
      %0 = arith.addf %out, %1 : f32
      linalg.yield %0 : f32
    } -> tensor<6xf32>
  return %t3 : tensor<6xf32>
}
func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %x = tensor.generate {
  ^bb0(%i: index, %j: index):
    %c5 = arith.constant 5 : index
    %m = arith.muli %i, %c5 : index
    %s = arith.addi %m, %j : index
    %c7 = arith.constant 7 : index
    %q = arith.remui %s, %c7 : index
    %k = arith.index_cast %q : index to i32
    %f = arith.sitofp %k : i32 to f32
    tensor.yield %f : f32
  } : tensor<6x18xf32>
  %a = call @fused(%x) : (tensor<6x18xf32>) -> tensor<6xf32>
  %b = call @plain(%x) : (tensor<6x18xf32>) -> tensor<6xf32>
  %u = tensor.cast %a : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%u) : (tensor<*xf32>) -> ()
  %v = tensor.cast %b : tensor<6xf32> to tensor<*xf32>
  call @printMemrefF32(%v) : (tensor<*xf32>) -> ()
  return
}
