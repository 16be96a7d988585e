// Elements that a split of a split part would meet twice.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{peel=false}),%to_llvm)' | %run_main | FileCheck %s

// What is lowered without fusion is the same: sums of differences.
// CHECK: data =
// CHECK-NEXT: [0]
func.func @fused(%T0: tensor<10xf32>) -> tensor<f32> {
  %r = fuse.fusion ins(%T0 : tensor<10xf32>) -> tensor<f32> {
  ^bb0(%in_T0: tensor<10xf32>):
    %zero = arith.constant 0.0 : f32
    %e_T1 = tensor.empty() : tensor<f32>
    %f_T1 = linalg.fill ins(%zero : f32) outs(%e_T1 : tensor<f32>) -> tensor<f32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> ()>], iterator_types = ["reduction"]}
        ins(%in_T0 : tensor<10xf32>) outs(%f_T1 : tensor<f32>)
        attrs = {fuse.name = "T1", fuse.schedule = #fuse.schedule<[b], split(0, 3, inner), split(1, 5, inner)>} {
    ^bb0(%x0: f32, %o: f32):
      %s0 = arith.addf %o, %x0 : f32
      linalg.yield %s0 : f32
    } -> tensor<f32>
    fuse.yield %T1 : tensor<f32>
  }
  return %r : tensor<f32>
}

func.func @plain(%T0: tensor<10xf32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e_T1 = tensor.empty() : tensor<f32>
  %f_T1 = linalg.fill ins(%zero : f32) outs(%e_T1 : tensor<f32>) -> tensor<f32>
  %T1 = linalg.generic {indexing_maps = [affine_map<(b) -> (b)>, affine_map<(b) -> ()>], iterator_types = ["reduction"]}
      ins(%T0 : tensor<10xf32>) outs(%f_T1 : tensor<f32>) {
  ^bb0(%x0: f32, %o: f32):
    %s0 = arith.addf %o, %x0 : f32
    linalg.yield %s0 : f32
  } -> tensor<f32>
  return %T1 : tensor<f32>
}

func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

func.func @difference0(%a: tensor<f32>, %b: tensor<f32>) -> tensor<f32> {
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<f32>
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<f32>) -> tensor<f32>
  %d = linalg.generic {indexing_maps = [affine_map<() -> ()>, affine_map<() -> ()>, affine_map<() -> ()>], iterator_types = []}
      ins(%a, %b : tensor<f32>, tensor<f32>) outs(%f : tensor<f32>) {
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
  ^bb0(%i0: index):
    %c0 = arith.constant 3 : index
    %s0 = arith.constant 1 : index
    %m0 = arith.muli %s0, %c0 : index
    %a0 = arith.addi %m0, %i0 : index
    %c7 = arith.constant 7 : index
    %rem = arith.remui %a0, %c7 : index
    %int = arith.index_cast %rem : index to i32
    %fl = arith.sitofp %int : i32 to f32
    tensor.yield %fl : f32
  } : tensor<10xf32>
  %T0 = tensor.cast %g_T0 : tensor<10xf32> to tensor<10xf32>
  %fused = call @fused(%T0) : (tensor<10xf32>) -> tensor<f32>
  %plain = call @plain(%T0) : (tensor<10xf32>) -> tensor<f32>
  %diff0 = call @difference0(%fused, %plain) : (tensor<f32>, tensor<f32>) -> tensor<f32>
  %u0 = tensor.cast %diff0 : tensor<f32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  return
}
