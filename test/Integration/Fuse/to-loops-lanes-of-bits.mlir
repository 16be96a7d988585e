// Lanes of elements that vectors pack to the bit but memrefs do not.

// UNSUPPORTED: asan
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{loops=scf}),%to_llvm)' | %run_main | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(fuse-to-loops{peel=false}),%to_llvm)' | %run_main | FileCheck %s

func.func @bits(%x: tensor<10xf32>) -> tensor<10xi1> {
  %r = fuse.fusion ins(%x : tensor<10xf32>) -> tensor<10xi1> {
  ^bb0(%a: tensor<10xf32>):
    %e = tensor.empty() : tensor<10xi1>
    %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%a : tensor<10xf32>) outs(%e : tensor<10xi1>)
        attrs = {fuse.schedule = #fuse.schedule<[a], split(0, 4, inner), type(1, vectorize)>} {
    ^bb0(%in: f32, %out: i1):
      %k = arith.constant 2.5 : f32
      %1 = arith.cmpf ogt, %in, %k : f32
      linalg.yield %1 : i1
    } -> tensor<10xi1>
    fuse.yield %0 : tensor<10xi1>
  }
  return %r : tensor<10xi1>
}

func.func @numbers(%x: tensor<10xi1>) -> tensor<10xf32> {
  %r = fuse.fusion ins(%x : tensor<10xi1>) -> tensor<10xf32> {
  ^bb0(%a: tensor<10xi1>):
    %e = tensor.empty() : tensor<10xf32>
    %0 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a)>], iterator_types = ["parallel"]}
        ins(%a : tensor<10xi1>) outs(%e : tensor<10xf32>)
        attrs = {fuse.schedule = #fuse.schedule<[a], split(0, 4, inner), type(1, vectorize)>} {
    ^bb0(%in: i1, %out: f32):
      %1 = arith.uitofp %in : i1 to f32
      linalg.yield %1 : f32
    } -> tensor<10xf32>
    fuse.yield %0 : tensor<10xf32>
  }
  return %r : tensor<10xf32>
}

func.func private @printMemrefF32(tensor<*xf32> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

func.func @main() {
  %x = arith.constant dense<[1.0, 3.0, 0.0, 4.0, 5.0, 2.0, 3.0, 1.0, 9.0, 2.0]> : tensor<10xf32>
  %b = call @bits(%x) : (tensor<10xf32>) -> tensor<10xi1>
  %one = tensor.generate {
  ^bb0(%i: index):
    %t = tensor.extract %b[%i] : tensor<10xi1>
    %f = arith.uitofp %t : i1 to f32
    tensor.yield %f : f32
  } : tensor<10xf32>
  // CHECK: data =
  // CHECK-NEXT: [0,  1,  0,  1,  1,  0,  1,  0,  1,  0]
  %u0 = tensor.cast %one : tensor<10xf32> to tensor<*xf32>
  call @printMemrefF32(%u0) : (tensor<*xf32>) -> ()
  %k = arith.constant 2.5 : f32
  %bits = tensor.generate {
  ^bb0(%i: index):
    %v = tensor.extract %x[%i] : tensor<10xf32>
    %c = arith.cmpf olt, %v, %k : f32
    tensor.yield %c : i1
  } : tensor<10xi1>
  %n = call @numbers(%bits) : (tensor<10xi1>) -> tensor<10xf32>
  // CHECK: data =
  // CHECK-NEXT: [1,  0,  1,  0,  0,  1,  0,  1,  0,  1]
  %u1 = tensor.cast %n : tensor<10xf32> to tensor<*xf32>
  call @printMemrefF32(%u1) : (tensor<*xf32>) -> ()
  return
}
