// RUN: ipu-opt %s -split-input-file -pop-to-ipu-pipeline=merge-steps=false | FileCheck %s
// RUN: ipu-opt %s -split-input-file -pop-to-ipu-pipeline | FileCheck %s --check-prefix=MERGED

// The number of a draw, its part and its offset; equal ops draw once. Draws of one
// state are one step where nothing else keeps them apart.
// CHECK-LABEL: module @numbers
// CHECK-LABEL: func.func @main
// CHECK: ipu.vertices @add_f16_sr {{.*}} rng(%[[RNG:.*]] : memref<4x6x4xi32, #{{.*}}>) draw<0> access
// CHECK: ipu.vertices @mul_f16_sr {{.*}} rng(%[[RNG]] : {{.*}}) draw<115, offset = -2> access
// CHECK-NOT: draw<
// CHECK: ipu.advance_rng %[[RNG]] :
// CHECK-NOT: ipu.advance_rng
// MERGED-LABEL: module @numbers
// MERGED: ipu.compute_set
// MERGED-NEXT: ipu.vertices @add_f16_sr
// MERGED-NEXT: ipu.vertices @mul_f16_sr
// MERGED-NEXT: {{^ *}}}
// MERGED-NOT: ipu.compute_set
module @numbers attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<64xf16>, %b: tensor<64xf16>) -> (tensor<64xf16>, tensor<64xf16>, tensor<64xf16>) {
    %0 = pop.add %a, %b : tensor<64xf16>
    %1 = pop.mul %a, %b {pop.draw = #pop.draw<7, part = 3, offset = -2>} : tensor<64xf16>
    %2 = pop.add %a, %b : tensor<64xf16>
    return %0, %1, %2 : tensor<64xf16>, tensor<64xf16>, tensor<64xf16>
  }
}

// -----

// States advance where all replicas that share them are: not in a loop that each
// executes by itself.
// CHECK-LABEL: module @control
// CHECK-LABEL: func.func @main
// CHECK-DAG: %[[WORKERS:.*]] = ipu.var "rng.workers" of @rng.workers
// CHECK-DAG: %[[NONE:.*]] = ipu.var "rng.none.storage" of @rng.none.storage
// CHECK-DAG: %[[ALL:.*]] = ipu.var "rng.all.storage" of @rng.all.storage
// CHECK: ipu.vertices @add_f16_sr {{.*}} rng(%[[WORKERS]] : {{.*}}) draw<16>
// CHECK: ipu.repeat
// CHECK: ipu.vertices @mul_f16_sr {{.*}} rng(%[[WORKERS]] : {{.*}}) draw<0>
// CHECK-NOT: "rng.
// CHECK: ipu.advance_rng %[[WORKERS]] :
// CHECK-NEXT: {{^ *}}}
// CHECK: ipu.advance_rng %[[ALL]] :
// CHECK-NEXT: ipu.advance_rng %[[WORKERS]] :
// CHECK-NOT: ipu.advance_rng
// MERGED-LABEL: module @control
module @control attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.stream @n host_to_device : tensor<i32>
  pop.stream @x host_to_device : tensor<8xf16>
  pop.variable @v : tensor<8xf16> = dense<1.0> : tensor<8xf16> {retrieval = #pop<retrieval all_replicas>}
  pop.variable @w : tensor<8xf16> = dense<1.0> : tensor<8xf16>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %v = pop.get_variable @v : !pop.ref<8xf16>
    %w = pop.get_variable @w : !pop.ref<8xf16>
    %x = pop.host_load @x : tensor<8xf16>
    %n = pop.host_load @n : tensor<i32>
    %m = tensor.extract %n[] : tensor<i32>
    %k = arith.index_cast %m : i32 to index
    %c = pop.constant dense<0.3> : tensor<8xf16>
    pop.add_ %w, %c {pop.draw = #pop.draw<1>} : !pop.ref<8xf16>, tensor<8xf16>
    scf.for %i = %c0 to %k step %c1 {
      pop.mul_ %v, %x {pop.draw = #pop.draw<0>} : !pop.ref<8xf16>, tensor<8xf16>
    }
    return
  }
}

// -----

// The machine's own generators move on by themselves.
// CHECK-LABEL: module @stream
// CHECK: rng(
// CHECK-NOT: draw<
// CHECK-NOT: ipu.advance_rng
// MERGED-LABEL: module @stream
module @stream attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  func.func @main(%a: tensor<64xf16>, %b: tensor<64xf16>) -> tensor<64xf16> {
    %0 = pop.add %a, %b {pop.draw = #pop.draw<1>} : tensor<64xf16>
    pop.advance_draws
    return %0 : tensor<64xf16>
  }
}
