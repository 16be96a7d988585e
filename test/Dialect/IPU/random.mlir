// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-DAG: #[[$M:.*]] = #ipu.map<[6, 10]
// CHECK-DAG: #[[$S:.*]] = #ipu.map<[4, 6, 4]
#m = #ipu.map<[6, 10], grid = [2, 2], blocks = [p0 * 3 : 3, p1 * 5 : 5]>
#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
!h = memref<6x10xf16, #m>
!s = memref<4x6x4xi32, #s>
!b = memref<?x?xf16, strided<[?, 1], offset: ?>>
// CHECK: module attributes {ipu.rng = #ipu<rng_generator stream>
module attributes {ipu.rng = #ipu<rng_generator stream>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // CHECK-LABEL: ipu.codelet @c
  ipu.codelet @c(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %f = arith.constant 1.0 : f32
    %d = arith.constant 1.0 : f64
    // CHECK: %[[N:.*]] = ipu.element_number %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf16, strided<[?, 1], offset: ?>>
    %n = ipu.element_number %y[%i, %i] : !b
    // CHECK: %[[R:.*]] = ipu.random_bits %{{.*}}[%{{.*}}, %{{.*}}] : memref<?x?xf16, strided<[?, 1], offset: ?>>
    %r = ipu.random_bits %y[%i, %i] : !b
    // CHECK: ipu.random_bits %{{.*}}[%{{.*}}, %{{.*}}] draw 15 : memref
    %q = ipu.random_bits %y[%i, %i] draw 15 : !b
    // CHECK: ipu.philox key(%[[N]], %[[R]]) counter(%[[R]], %[[N]], %[[R]], %[[N]])
    %w:4 = ipu.philox key(%n, %r) counter(%r, %n, %r, %n)
    // CHECK: ipu.round_stochastic %{{.*}}, %[[R]] overflow nan : f32 to f16
    %a = ipu.round_stochastic %f, %r overflow nan : f32 to f16
    // CHECK: ipu.round_stochastic %{{.*}}, %[[R]] overflow clip : f64 to f8E4M3FNUZ
    %e = ipu.round_stochastic %d, %r overflow clip : f64 to f8E4M3FNUZ
    // CHECK: ipu.round_stochastic %{{.*}}, %[[R]] overflow clip : f32 to f8E5M2FNUZ
    %g = ipu.round_stochastic %f, %r overflow clip : f32 to f8E5M2FNUZ
  }
  ipu.storage @all.storage : !s
  ipu.storage @two.storage : !s
  // CHECK: ipu.rng_state @all in @all.storage #pop.replica_partition<all of 4> modifier 0
  ipu.rng_state @all in @all.storage #pop.replica_partition<all of 4> modifier 0
  // CHECK: ipu.rng_state @two in @two.storage #pop.replica_partition<{0, 1}{2, 3}> modifier 4095
  ipu.rng_state @two in @two.storage #pop.replica_partition<{0, 1}{2, 3}> modifier 4095
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %x = ipu.var "x" : !h
    %y = ipu.var "y" : !h
    %s = ipu.var "s" of @two.storage : !s
    ipu.compute_set "c" {
      // CHECK: ipu.vertices @c ins(%{{.*}} : memref<6x10xf16, #[[$M]]>) outs(%{{.*}} : memref<6x10xf16, #[[$M]]>) rng(%{{.*}} : memref<4x6x4xi32, #[[$S]]>) access [#[[$M]], #[[$M]]] {ipu.replica_equal = #pop.replica_partition<{0, 1}{2, 3}>}
      ipu.vertices @c ins(%x : !h) outs(%y : !h) rng(%s : !s) access [#m, #m] {ipu.replica_equal = #pop.replica_partition<{0, 1}{2, 3}>}
    }
    // CHECK: ipu.collective all_reduce add %{{.*}} to %{{.*}} rng(%{{.*}} : memref<4x6x4xi32, #[[$S]]>) {overflow = #ipu<rounding_overflow nan>} : memref
    ipu.collective all_reduce add %x to %y rng(%s : !s) {overflow = #ipu<rounding_overflow nan>} : !h to !h
    return
  }
}
