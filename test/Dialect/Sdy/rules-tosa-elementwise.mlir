// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s

// Elementwise ops by their trait; dimensions that are repeated take no part.

// CHECK-LABEL: func.func @elementwise(
func.func @elementwise(%f: tensor<4x8xf32>, %r: tensor<1x8xf32>, %i: tensor<4x8xi32>, %j: tensor<4x8xi32>, %p: tensor<4x8xi1>, %q: tensor<4x8xi1>) {
  // CHECK: tosa.abs {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = tosa.abs %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.ceil {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = tosa.ceil %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.cos {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %2 = tosa.cos %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.erf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %3 = tosa.erf %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.exp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %4 = tosa.exp %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.floor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %5 = tosa.floor %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.log {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %6 = tosa.log %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.reciprocal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %7 = tosa.reciprocal %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.rsqrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %8 = tosa.rsqrt %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.sigmoid {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %9 = tosa.sigmoid %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.sin {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %10 = tosa.sin %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.tanh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %11 = tosa.tanh %f : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.bitwise_not {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %12 = tosa.bitwise_not %i : (tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.clz {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %13 = tosa.clz %i : (tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.logical_not {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %14 = tosa.logical_not %p : (tensor<4x8xi1>) -> tensor<4x8xi1>
  // CHECK: tosa.add {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %15 = tosa.add %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.maximum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %16 = tosa.maximum %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.minimum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %17 = tosa.minimum %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.pow {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %18 = tosa.pow %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.sub {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %19 = tosa.sub %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.bitwise_and {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %20 = tosa.bitwise_and %i, %j : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.bitwise_or {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %21 = tosa.bitwise_or %i, %j : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.bitwise_xor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %22 = tosa.bitwise_xor %i, %j : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.intdiv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %23 = tosa.intdiv %i, %j : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.logical_left_shift {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %24 = tosa.logical_left_shift %i, %j : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.logical_right_shift {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %25 = tosa.logical_right_shift %i, %j : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.logical_and {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %26 = tosa.logical_and %p, %q : (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
  // CHECK: tosa.logical_or {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %27 = tosa.logical_or %p, %q : (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
  // CHECK: tosa.logical_xor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %28 = tosa.logical_xor %p, %q : (tensor<4x8xi1>, tensor<4x8xi1>) -> tensor<4x8xi1>
  // CHECK: tosa.equal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %29 = tosa.equal %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xi1>
  // CHECK: tosa.greater {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %30 = tosa.greater %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xi1>
  // CHECK: tosa.greater_equal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %31 = tosa.greater_equal %f, %r : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xi1>
  // CHECK: tosa.arithmetic_right_shift {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %32 = tosa.arithmetic_right_shift %i, %j {round = false} : (tensor<4x8xi32>, tensor<4x8xi32>) -> tensor<4x8xi32>
  // CHECK: tosa.clamp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %33 = tosa.clamp %f {max_val = 1.0 : f32, min_val = 0.0 : f32} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}
