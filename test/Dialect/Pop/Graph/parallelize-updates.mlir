// RUN: ipu-opt %s --pop-parallelize-updates | FileCheck %s
// RUN: ipu-opt %s --pop-parallelize-updates --pop-merge-exchange | FileCheck %s --check-prefix=MERGED
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-parallelize-updates{equal-loads})' | FileCheck %s --check-prefix=EQUAL
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-parallelize-updates{excluded-vgraphs=1,2})' | FileCheck %s --check-prefix=EXCLUDED

// The programs of PopART's tests of AccumulateOuterFragmentParallelizer: weights in
// streaming memory on IPUs 0 and 1, whose updates load, compute and store them.

pop.remote_buffer @a : 1 x tensor<4xf32>
pop.remote_buffer @b : 1 x tensor<4xf32>
pop.remote_buffer @c : 1 x tensor<2x4xf32>
pop.remote_buffer @d : 1 x tensor<2x4xf32>
pop.remote_buffer @e : 1 x tensor<8xf32>

// The example of the pass. Both transfers become one exchange.
//
// CHECK-LABEL: func.func @example(
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.remote_load @b[0]
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.remote_store %{{.*}}, @a[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT:    return
//
// MERGED-LABEL: func.func @example(
// MERGED-NEXT:    pop.remote_exchange {
// MERGED-COUNT-2:   pop.remote_load
// MERGED:         pop.neg
// MERGED-NEXT:    pop.neg
// MERGED-NEXT:    pop.remote_exchange {
// MERGED-COUNT-2:   pop.remote_store
//
// EQUAL-LABEL: func.func @example(
// EQUAL-NEXT:    pop.remote_load
// EQUAL-NEXT:    pop.remote_load
//
// IPU 1 is excluded.
//
// EXCLUDED-LABEL: func.func @example(
// EXCLUDED-NEXT:    pop.remote_load @a[0]
// EXCLUDED-NEXT:    pop.neg
// EXCLUDED-NEXT:    pop.remote_store %{{.*}}, @a[0]
// EXCLUDED-NEXT:    pop.remote_load @b[0]
func.func @example() {
  %0 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.neg %0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  pop.remote_store %1, @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %2 = pop.remote_load @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.neg %2 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  pop.remote_store %3, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  return
}

// Two weights on each IPU: the small ones are updated together, and then the large
// ones, although the program has them in another order on IPU 0.
//
// CHECK-LABEL: func.func @matching(
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.remote_load @b[0]
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.remote_store %{{.*}}, @a[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT:    pop.remote_load @c[0]
// CHECK-NEXT:    pop.remote_load @d[0]
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.remote_store %{{.*}}, @c[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @d[0]
//
// MERGED-LABEL: func.func @matching(
// MERGED-COUNT-3: pop.remote_exchange {
// MERGED-NOT:     pop.remote_exchange {
// MERGED:         return
//
// EQUAL-LABEL: func.func @matching(
// EQUAL-NEXT:    pop.remote_load @a[0]
// EQUAL-NEXT:    pop.remote_load @b[0]
// EQUAL:         pop.remote_load @c[0]
// EQUAL-NEXT:    pop.remote_load @d[0]
func.func @matching() {
  %0 = pop.remote_load @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %1 = pop.neg %0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  pop.remote_store %1, @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %2 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %3 = pop.neg %2 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  pop.remote_store %3, @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %4 = pop.remote_load @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  %5 = pop.neg %4 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  pop.remote_store %5, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  %6 = pop.remote_load @d[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<2x4xf32>
  %7 = pop.neg %6 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<2x4xf32>
  pop.remote_store %7, @d[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<2x4xf32>
  return
}

// IPU 0 has one weight more than IPU 1, which is updated alone. With equal loads,
// the weights of the same type are updated together.
//
// CHECK-LABEL: func.func @more_weights(
// CHECK-NEXT:    pop.remote_load @c[0]
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.remote_store %{{.*}}, @c[0]
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.remote_load @d[0]
// CHECK:         pop.remote_store %{{.*}}, @a[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @d[0]
//
// EQUAL-LABEL: func.func @more_weights(
// EQUAL-NEXT:    pop.remote_load @a[0]
// EQUAL-NEXT:    pop.neg
// EQUAL-NEXT:    pop.remote_store %{{.*}}, @a[0]
// EQUAL-NEXT:    pop.remote_load @c[0]
// EQUAL-NEXT:    pop.remote_load @d[0]
// EQUAL:         pop.remote_store %{{.*}}, @c[0]
// EQUAL-NEXT:    pop.remote_store %{{.*}}, @d[0]
func.func @more_weights() {
  %2 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %3 = pop.neg %2 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  pop.remote_store %3, @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %0 = pop.remote_load @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %1 = pop.neg %0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  pop.remote_store %1, @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %6 = pop.remote_load @d[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<2x4xf32>
  %7 = pop.neg %6 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<2x4xf32>
  pop.remote_store %7, @d[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<2x4xf32>
  return
}

// With equal loads, tensors of the same bytes but different shapes are not loaded
// together.
//
// CHECK-LABEL: func.func @shapes(
// CHECK-NEXT:    pop.remote_load @c[0]
// CHECK-NEXT:    pop.remote_load @e[0]
//
// EQUAL-LABEL: func.func @shapes(
// EQUAL-NEXT:    pop.remote_load @c[0]
// EQUAL-NEXT:    pop.neg
// EQUAL-NEXT:    pop.remote_store %{{.*}}, @c[0]
// EQUAL-NEXT:    pop.remote_load @e[0]
func.func @shapes() {
  %0 = pop.remote_load @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %1 = pop.neg %0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  pop.remote_store %1, @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %2 = pop.remote_load @e[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<8xf32>
  %3 = pop.neg %2 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<8xf32>
  pop.remote_store %3, @e[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<8xf32>
  return
}

// Weights of three IPUs, of which EXCLUDED excludes IPUs 1 and 2.
//
// CHECK-LABEL: func.func @excluded(
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.remote_load @b[0]
// CHECK-NEXT:    pop.remote_load @e[0]
//
// EXCLUDED-LABEL: func.func @excluded(
// EXCLUDED-NEXT:    pop.remote_load @a[0]
// EXCLUDED-NEXT:    pop.neg
// EXCLUDED-NEXT:    pop.remote_store %{{.*}}, @a[0]
// EXCLUDED-NEXT:    pop.remote_load @b[0]
// EXCLUDED-NEXT:    pop.neg
func.func @excluded() {
  %0 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.neg %0 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  pop.remote_store %1, @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %2 = pop.remote_load @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.neg %2 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  pop.remote_store %3, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  %4 = pop.remote_load @e[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 2 : i64} : tensor<8xf32>
  %5 = pop.neg %4 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 2 : i64} : tensor<8xf32>
  pop.remote_store %5, @e[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 2 : i64} : tensor<8xf32>
  return
}

// Both updates multiply by a factor that depends on both loaded gradients. The
// factor is a scalar, so that the updates are independent except for it: the
// gradients are loaded together, and the weights are stored together.
//
// CHECK-LABEL: func.func @clipped(
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.remote_load @b[0]
// CHECK:         pop.remote_store %{{.*}}, @a[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @b[0]
func.func @clipped() {
  %0 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.reduce sum %0 {axes = array<i64: 0>, pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32> -> tensor<f32>
  %2 = pop.remote_load @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.reduce sum %2 {axes = array<i64: 0>, pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32> -> tensor<f32>
  %4 = pop.ipu_copy %3 from 1 to 0 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<f32>
  %5 = pop.add %1, %4 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<f32>
  %6 = pop.mul %0, %5 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  pop.remote_store %6, @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %7 = pop.ipu_copy %5 from 0 to 1 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<f32>
  %8 = pop.mul %2, %7 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  pop.remote_store %8, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  return
}

// The update on IPU 1 loads the row that the update on IPU 0 stores.
//
// CHECK-LABEL: func.func @dependent(
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT:    pop.remote_load @b[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT:    return
func.func @dependent() {
  %0 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  pop.remote_store %0, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.remote_load @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  pop.remote_store %1, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  return
}

// Nothing moves: ops outside of the fragment, updates of one IPU, and an update of
// several IPUs.
//
// CHECK-LABEL: func.func @kept(
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @a[0]
// CHECK-NEXT:    pop.remote_load @b[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT:    pop.remote_load @c[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @c[0]
// CHECK-NEXT:    pop.remote_load @d[0]
// CHECK-NEXT:    pop.remote_store %{{.*}}, @d[0]
// CHECK-NEXT:    pop.remote_load @a[0]
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT:    return
func.func @kept() {
  %0 = pop.remote_load @a[0] {pop.vgraph = 0 : i64} : tensor<4xf32>
  pop.remote_store %0, @a[0] {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.remote_load @b[0] {pop.vgraph = 1 : i64} : tensor<4xf32>
  pop.remote_store %1, @b[0] {pop.vgraph = 1 : i64} : tensor<4xf32>
  %2 = pop.remote_load @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  pop.remote_store %2, @c[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %3 = pop.remote_load @d[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  pop.remote_store %3, @d[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<2x4xf32>
  %4 = pop.remote_load @a[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 0 : i64} : tensor<4xf32>
  %5 = pop.neg %4 {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  pop.remote_store %5, @b[0] {pop.execution_context = #pop<execution_context accumulate_outer>, pop.vgraph = 1 : i64} : tensor<4xf32>
  return
}
