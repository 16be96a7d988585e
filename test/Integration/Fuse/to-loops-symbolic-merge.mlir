// Merged and split loops of sizes known at run time, with two outputs.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{peel=false}),%to_llvm)' | %run_main | FileCheck %s

// What is lowered without fusion is the same: sums of differences.
// CHECK: data =
// CHECK-NEXT: [0]
// CHECK: data =
// CHECK-NEXT: [0]
func.func @fused(%T0: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %r:2 = fuse.fusion ins(%T0 : tensor<?x?xf32>) -> tensor<?x?xf32>, tensor<?x?xf32> {
  ^bb0(%in_T0: tensor<?x?xf32>):
    %c_a = arith.constant 0 : index
    %d_a = tensor.dim %in_T0, %c_a : tensor<?x?xf32>
    %c_b = arith.constant 1 : index
    %d_b = tensor.dim %in_T0, %c_b : tensor<?x?xf32>
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%in_T0 : tensor<?x?xf32>) outs(%e_T1 : tensor<?x?xf32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T2 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<?x?xf32>) outs(%e_T2 : tensor<?x?xf32>)
        attrs = {fuse.name = "T2", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 4.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T3 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T1 : tensor<?x?xf32>) outs(%e_T3 : tensor<?x?xf32>)
        attrs = {fuse.name = "T3", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner), ca = 1>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 2.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    %e_T4 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
        ins(%T3 : tensor<?x?xf32>) outs(%e_T4 : tensor<?x?xf32>)
        attrs = {fuse.name = "T4", fuse.schedule = #fuse.schedule<[a, b], merge(0, 1), split(0, 16, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %k = arith.constant 3.0 : f32
      %s0 = arith.addf %x0, %k : f32
      linalg.yield %s0 : f32
    } -> tensor<?x?xf32>
    fuse.yield %T2, %T4 : tensor<?x?xf32>, tensor<?x?xf32>
  }
  return %r#0, %r#1 : tensor<?x?xf32>, tensor<?x?xf32>
}

func.func @plain(%T0: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %c_a = arith.constant 0 : index
  %d_a = tensor.dim %T0, %c_a : tensor<?x?xf32>
  %c_b = arith.constant 1 : index
  %d_b = tensor.dim %T0, %c_b : tensor<?x?xf32>
  %zero = arith.constant 0.0 : f32
  %e_T1 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
  %T1 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%T0 : tensor<?x?xf32>) outs(%e_T1 : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 3.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  %e_T2 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
  %T2 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%T1 : tensor<?x?xf32>) outs(%e_T2 : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 4.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  %e_T3 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
  %T3 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%T1 : tensor<?x?xf32>) outs(%e_T3 : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 2.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  %e_T4 = tensor.empty(%d_a, %d_b) : tensor<?x?xf32>
  %T4 = linalg.generic {indexing_maps = [affine_map<(a,b) -> (a, b)>, affine_map<(a,b) -> (a, b)>], iterator_types = ["parallel", "parallel"]}
      ins(%T3 : tensor<?x?xf32>) outs(%e_T4 : tensor<?x?xf32>) {
  ^bb0(%x0: f32, %o: f32):
    %k = arith.constant 3.0 : f32
    %s0 = arith.addf %x0, %k : f32
    linalg.yield %s0 : f32
  } -> tensor<?x?xf32>
  return %T2, %T4 : tensor<?x?xf32>, tensor<?x?xf32>
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

func.func @difference1(%a: tensor<?x?xf32>, %b: tensor<?x?xf32>) -> tensor<f32> {
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
  %T0 = tensor.cast %g_T0 : tensor<6x10xf32> to tensor<?x?xf32>
  %fused:2 = call @fused(%T0) : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
  %plain:2 = call @plain(%T0) : (tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>)
  %diff0 = call @difference0(%fused#0, %plain#0) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  %u0 = tensor.cast %diff0 : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %diff1 = call @difference1(%fused#1, %plain#1) : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<f32>
  %u1 = tensor.cast %diff1 : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
