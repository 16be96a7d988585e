// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s

// Elementwise ops: a factor for each dimension.

// CHECK-LABEL: func.func @elementwise(
func.func @elementwise(%f: tensor<4x8xf32>, %g: tensor<4x8xf32>, %i: tensor<4x8xi32>, %j: tensor<4x8xi32>, %p: tensor<4x8xi1>) {
  // CHECK: stablehlo.abs {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = stablehlo.abs %f : tensor<4x8xf32>
  // CHECK: stablehlo.cbrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = stablehlo.cbrt %f : tensor<4x8xf32>
  // CHECK: stablehlo.ceil {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %2 = stablehlo.ceil %f : tensor<4x8xf32>
  // CHECK: stablehlo.cosine {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %3 = stablehlo.cosine %f : tensor<4x8xf32>
  // CHECK: stablehlo.exponential {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %4 = stablehlo.exponential %f : tensor<4x8xf32>
  // CHECK: stablehlo.exponential_minus_one {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %5 = stablehlo.exponential_minus_one %f : tensor<4x8xf32>
  // CHECK: stablehlo.floor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %6 = stablehlo.floor %f : tensor<4x8xf32>
  // CHECK: stablehlo.log {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %7 = stablehlo.log %f : tensor<4x8xf32>
  // CHECK: stablehlo.log_plus_one {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %8 = stablehlo.log_plus_one %f : tensor<4x8xf32>
  // CHECK: stablehlo.logistic {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %9 = stablehlo.logistic %f : tensor<4x8xf32>
  // CHECK: stablehlo.negate {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %10 = stablehlo.negate %f : tensor<4x8xf32>
  // CHECK: stablehlo.round_nearest_afz {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %11 = stablehlo.round_nearest_afz %f : tensor<4x8xf32>
  // CHECK: stablehlo.round_nearest_even {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %12 = stablehlo.round_nearest_even %f : tensor<4x8xf32>
  // CHECK: stablehlo.rsqrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %13 = stablehlo.rsqrt %f : tensor<4x8xf32>
  // CHECK: stablehlo.sign {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %14 = stablehlo.sign %f : tensor<4x8xf32>
  // CHECK: stablehlo.sine {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %15 = stablehlo.sine %f : tensor<4x8xf32>
  // CHECK: stablehlo.sqrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %16 = stablehlo.sqrt %f : tensor<4x8xf32>
  // CHECK: stablehlo.tan {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %17 = stablehlo.tan %f : tensor<4x8xf32>
  // CHECK: stablehlo.tanh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %18 = stablehlo.tanh %f : tensor<4x8xf32>
  // CHECK: stablehlo.count_leading_zeros {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %19 = stablehlo.count_leading_zeros %i : tensor<4x8xi32>
  // CHECK: stablehlo.not {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %20 = stablehlo.not %i : tensor<4x8xi32>
  // CHECK: stablehlo.popcnt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %21 = stablehlo.popcnt %i : tensor<4x8xi32>
  // CHECK: stablehlo.add {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %22 = stablehlo.add %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.atan2 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %23 = stablehlo.atan2 %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.divide {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %24 = stablehlo.divide %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.maximum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %25 = stablehlo.maximum %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.minimum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %26 = stablehlo.minimum %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.multiply {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %27 = stablehlo.multiply %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.power {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %28 = stablehlo.power %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.remainder {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %29 = stablehlo.remainder %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.subtract {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %30 = stablehlo.subtract %f, %g : tensor<4x8xf32>
  // CHECK: stablehlo.and {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %31 = stablehlo.and %i, %j : tensor<4x8xi32>
  // CHECK: stablehlo.or {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %32 = stablehlo.or %i, %j : tensor<4x8xi32>
  // CHECK: stablehlo.shift_left {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %33 = stablehlo.shift_left %i, %j : tensor<4x8xi32>
  // CHECK: stablehlo.shift_right_arithmetic {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %34 = stablehlo.shift_right_arithmetic %i, %j : tensor<4x8xi32>
  // CHECK: stablehlo.shift_right_logical {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %35 = stablehlo.shift_right_logical %i, %j : tensor<4x8xi32>
  // CHECK: stablehlo.xor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %36 = stablehlo.xor %i, %j : tensor<4x8xi32>
  // CHECK: stablehlo.compare {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %37 = stablehlo.compare LT, %f, %g : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: stablehlo.convert {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %38 = stablehlo.convert %f : (tensor<4x8xf32>) -> tensor<4x8xi32>
  // CHECK: stablehlo.is_finite {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %39 = stablehlo.is_finite %f : (tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: stablehlo.bitcast_convert {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %40 = stablehlo.bitcast_convert %f : (tensor<4x8xf32>) -> tensor<4x8xi32>
  // CHECK: stablehlo.select {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %41 = stablehlo.select %p, %f, %g : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK: stablehlo.clamp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %42 = stablehlo.clamp %f, %g, %f : tensor<4x8xf32>
  return
}
