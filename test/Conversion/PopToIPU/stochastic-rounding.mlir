// RUN: ipu-opt %s -split-input-file -pop-to-ipu-pipeline -verify-diagnostics | FileCheck %s
// RUN: ipu-opt %s -split-input-file -pop-to-ipu-pipeline="stochastic-rounding=stream rounding-overflow=clip" | FileCheck %s --check-prefix=STREAM

// What is rounded to f16 draws bits for its element; f32, bf16 and f8 that the
// machine does not have are rounded to nearest.
// CHECK: module attributes {ipu.rng = #ipu<rng_generator counter>
// CHECK-NOT: pop.stochastic_rounding
// CHECK: ipu.storage @rng.all.storage : memref<4x6x4xi32, #[[$M:.*]]>
// CHECK: ipu.rng_state @rng.all in @rng.all.storage #pop.replica_partition<all of 1> modifier 0
// CHECK-LABEL: func.func @main
// CHECK: %[[RNG:.*]] = ipu.var "rng.all.storage" of @rng.all.storage
// CHECK: ipu.vertices @add_f16_sr {{.*}} rng(%[[RNG]] : memref<4x6x4xi32, #[[$M]]>)
// CHECK: ipu.vertices @cast_f16_f32 ins
// CHECK-NOT: rng(
// CHECK: ipu.vertices @cast_f32_bf16 ins
// CHECK-NOT: rng(
// CHECK: ipu.vertices @cast_f32_f8E4M3FNUZ ins
// CHECK-NOT: rng(
// CHECK: ipu.vertices @cast_i32_f16_sr {{.*}} rng(%[[RNG]]
// CHECK-LABEL: ipu.codelet @add_f16_sr
// CHECK-SAME: %[[OUT:[a-z0-9]*]]: memref<?xf16, strided<[1], offset: ?>>) inputs 2
// CHECK: linalg.generic
// CHECK: %[[SUM:.*]] = arith.addf {{.*}} : f32
// CHECK: %[[I:.*]] = linalg.index 0
// CHECK: %[[BITS:.*]] = ipu.random_bits %[[OUT]][%[[I]]]
// CHECK: %[[Y:.*]] = ipu.round_stochastic %[[SUM]], %[[BITS]] overflow nan : f32 to f16
// CHECK: linalg.yield %[[Y]] : f16
// Integers that are not exact in f32 are too large for f16.
// CHECK-LABEL: ipu.codelet @cast_i32_f16_sr
// CHECK: arith.sitofp {{.*}} : i32 to f32
// CHECK: ipu.round_stochastic {{.*}} : f32 to f16
// STREAM: module attributes {ipu.rng = #ipu<rng_generator stream>
// STREAM-LABEL: ipu.codelet @add_f16_sr
// STREAM: ipu.round_stochastic {{.*}} overflow clip : f32 to f16
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<8xf16>, %i: tensor<8xi32>)
      -> (tensor<8xbf16>, tensor<8xf8E4M3FNUZ>, tensor<8xf16>) {
    %0 = pop.add %a, %a : tensor<8xf16>
    %1 = pop.cast %0 : tensor<8xf16> to tensor<8xf32>
    %2 = pop.cast %1 : tensor<8xf32> to tensor<8xbf16>
    %3 = pop.cast %1 : tensor<8xf32> to tensor<8xf8E4M3FNUZ>
    %4 = pop.cast %i : tensor<8xi32> to tensor<8xf16>
    return %2, %3, %4 : tensor<8xbf16>, tensor<8xf8E4M3FNUZ>, tensor<8xf16>
  }
}

// -----

// A machine with f8, and an op of one class for each use.
// CHECK: ipu.rng_state @rng.groups0 in @rng.groups0.storage #pop.replica_partition<{0, 1}{2, 3}> modifier 2
// CHECK: ipu.rng_state @rng.none in @rng.none.storage #pop.replica_partition<none of 4> modifier 1
// CHECK-LABEL: func.func @main
// CHECK: "rng.set"
// CHECK: "pop.cast+rng.get"
// CHECK-NEXT: ipu.vertices @cast_f32_f8E4M3FNUZ_sr {{.*}} rng({{.*}} draw<0>
// CHECK: "rng.set"
// CHECK: ipu.collective all_reduce add {{.*}} rng({{.*}} draw<16> {groups = {{.*}}, overflow = #ipu<rounding_overflow nan>}
// Gathering and moving rounds nothing.
// CHECK: ipu.collective all_gather {{[^r]*}} to {{[^r]*}}{axis
// CHECK: "rng.get"
module attributes {ipu.target = #ipu.target<"c600", {tiles = 4 : i64, replicas = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.stream @x host_to_device : tensor<8xf32>
  pop.stream @h host_to_device : tensor<8xf16>
  pop.stream @y device_to_host : tensor<8xf8E4M3FNUZ>
  pop.stream @z device_to_host : tensor<32xf16>
  func.func @main() {
    %x = pop.host_load @x : tensor<8xf32>
    %y = pop.cast %x : tensor<8xf32> to tensor<8xf8E4M3FNUZ>
    pop.host_store %y, @y : tensor<8xf8E4M3FNUZ>
    %h = pop.host_load @h : tensor<8xf16>
    %s = pop.all_reduce add %h {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<8xf16>
    %g = pop.all_gather %s : tensor<8xf16> to tensor<32xf16>
    pop.host_store %g, @z : tensor<32xf16>
    return
  }
}
