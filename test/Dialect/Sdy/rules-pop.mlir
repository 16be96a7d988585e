// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// CHECK-LABEL: func @unary
func.func @unary(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>) -> tensor<4x8xf32> {
  // CHECK: pop.abs {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %abs = pop.abs %a : tensor<4x8xf32>
  // CHECK: pop.neg {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %neg = pop.neg %a : tensor<4x8xf32>
  // CHECK: pop.sign {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %sign = pop.sign %a : tensor<4x8xf32>
  // CHECK: pop.relu {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %relu = pop.relu %a : tensor<4x8xf32>
  // CHECK: pop.exp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %exp = pop.exp %a : tensor<4x8xf32>
  // CHECK: pop.log {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %log = pop.log %a : tensor<4x8xf32>
  // CHECK: pop.expm1 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %expm1 = pop.expm1 %a : tensor<4x8xf32>
  // CHECK: pop.log1p {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %log1p = pop.log1p %a : tensor<4x8xf32>
  // CHECK: pop.gaussian {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %gaussian = pop.gaussian %a : tensor<4x8xf32>
  // CHECK: pop.sinh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %sinh = pop.sinh %a : tensor<4x8xf32>
  // CHECK: pop.cosh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %cosh = pop.cosh %a : tensor<4x8xf32>
  // CHECK: pop.asinh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %asinh = pop.asinh %a : tensor<4x8xf32>
  // CHECK: pop.acosh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %acosh = pop.acosh %a : tensor<4x8xf32>
  // CHECK: pop.atanh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %atanh = pop.atanh %a : tensor<4x8xf32>
  // CHECK: pop.asin {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %asin = pop.asin %a : tensor<4x8xf32>
  // CHECK: pop.acos {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %acos = pop.acos %a : tensor<4x8xf32>
  // CHECK: pop.atan {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %atan = pop.atan %a : tensor<4x8xf32>
  // CHECK: pop.gelu {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %gelu = pop.gelu %a : tensor<4x8xf32>
  // CHECK: pop.gelu_slope {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %gelu_slope = pop.gelu_slope %a : tensor<4x8xf32>
  // CHECK: pop.sqrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %sqrt = pop.sqrt %a : tensor<4x8xf32>
  // CHECK: pop.rsqrt {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %rsqrt = pop.rsqrt %a : tensor<4x8xf32>
  // CHECK: pop.reciprocal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %reciprocal = pop.reciprocal %a : tensor<4x8xf32>
  // CHECK: pop.tanh {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %tanh = pop.tanh %a : tensor<4x8xf32>
  // CHECK: pop.sigmoid {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %sigmoid = pop.sigmoid %a : tensor<4x8xf32>
  // CHECK: pop.erf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %erf = pop.erf %a : tensor<4x8xf32>
  // CHECK: pop.sin {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %sin = pop.sin %a : tensor<4x8xf32>
  // CHECK: pop.cos {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %cos = pop.cos %a : tensor<4x8xf32>
  // CHECK: pop.floor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %floor = pop.floor %a : tensor<4x8xf32>
  // CHECK: pop.ceil {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %ceil = pop.ceil %a : tensor<4x8xf32>
  // CHECK: pop.round {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %round = pop.round %a : tensor<4x8xf32>
  // CHECK: pop.not {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %not = pop.not %b : tensor<4x8xi32>
  // CHECK: pop.is_nan {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %is_nan = pop.is_nan %a : tensor<4x8xf32>
  // CHECK: pop.is_inf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %is_inf = pop.is_inf %a : tensor<4x8xf32>
  // CHECK: pop.cast {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %cast = pop.cast %a : tensor<4x8xf32> to tensor<4x8xf16>
  return %abs : tensor<4x8xf32>
}

// CHECK-LABEL: func @binary
func.func @binary(%a: tensor<4x8xf32>, %b: tensor<4x8xi32>) -> tensor<4x8xf32> {
  // CHECK: pop.add {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %add = pop.add %a, %a : tensor<4x8xf32>
  // CHECK: pop.sub {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %sub = pop.sub %a, %a : tensor<4x8xf32>
  // CHECK: pop.mul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %mul = pop.mul %a, %a : tensor<4x8xf32>
  // CHECK: pop.div {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %div = pop.div %a, %a : tensor<4x8xf32>
  // CHECK: pop.rem {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %rem = pop.rem %a, %a : tensor<4x8xf32>
  // CHECK: pop.pow {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %pow = pop.pow %a, %a : tensor<4x8xf32>
  // CHECK: pop.atan2 {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %atan2 = pop.atan2 %a, %a : tensor<4x8xf32>
  // CHECK: pop.max {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %max = pop.max %a, %a : tensor<4x8xf32>
  // CHECK: pop.min {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %min = pop.min %a, %a : tensor<4x8xf32>
  // CHECK: pop.and {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %and = pop.and %b, %b : tensor<4x8xi32>
  // CHECK: pop.or {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %or = pop.or %b, %b : tensor<4x8xi32>
  // CHECK: pop.xor {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %xor = pop.xor %b, %b : tensor<4x8xi32>
  // CHECK: pop.shift_left {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %shift_left = pop.shift_left %b, %b : tensor<4x8xi32>
  // CHECK: pop.shift_right_logical {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %shift_right_logical = pop.shift_right_logical %b, %b : tensor<4x8xi32>
  // CHECK: pop.shift_right_arithmetic {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %shift_right_arithmetic = pop.shift_right_arithmetic %b, %b : tensor<4x8xi32>
  // CHECK: pop.equal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %equal = pop.equal %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: pop.not_equal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %not_equal = pop.not_equal %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: pop.less {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %less = pop.less %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: pop.less_equal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %less_equal = pop.less_equal %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: pop.greater {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %greater = pop.greater %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  // CHECK: pop.greater_equal {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %greater_equal = pop.greater_equal %a, %a : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xi1>
  return %add : tensor<4x8xf32>
}

// Dimensions that are repeated take no part.
// CHECK-LABEL: func @broadcasting
func.func @broadcasting(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<4x1xf32>, %d: tensor<f32>, %e: tensor<3x1x8xi1>, %f: tensor<1x8xf32>) -> tensor<4x8xf32> {
  // CHECK: pop.add {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j])->([i, j]) {i=4, j=8}>
  %0 = pop.add %a, %b : (tensor<4x8xf32>, tensor<8xf32>) -> tensor<4x8xf32>
  // CHECK: pop.mul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [i, j])->([i, j]) {i=4, j=8, k=1}>
  %1 = pop.mul %c, %a : (tensor<4x1xf32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: pop.sub {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=1, j=8}>
  %2 = pop.sub %f, %f : tensor<1x8xf32>
  // CHECK: pop.max {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j])->([i, j]) {i=4, j=8}>
  %3 = pop.max %d, %a : (tensor<f32>, tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: pop.select {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, k], [j, k], [])->([i, j, k]) {i=3, j=4, k=8, l=1}>
  %4 = pop.select %e, %a, %d : tensor<3x1x8xi1>, tensor<4x8xf32>, tensor<f32> -> tensor<3x4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<2x3x4x8xf32>, %b: tensor<3x8x16xf32>, %c: tensor<4x8xf32>, %d: tensor<8x16xf32>, %e: tensor<4x16xf32>) -> tensor<2x3x4x16xf32> {
  // CHECK: pop.matmul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, m], [j, m, l])->([i, j, k, l]) {i=2, j=3, k=4, l=16, m=8} reduction={m}>
  %0 = pop.matmul %a, %b : (tensor<2x3x4x8xf32>, tensor<3x8x16xf32>) -> tensor<2x3x4x16xf32>
  // CHECK: pop.matmul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [k, j], [i, j])->([i, j]) {i=4, j=16, k=8} reduction={k}>
  %1 = pop.matmul %c, %d, %e : (tensor<4x8xf32>, tensor<8x16xf32>, tensor<4x16xf32>) -> tensor<4x16xf32>
  return %0 : tensor<2x3x4x16xf32>
}

// CHECK-LABEL: func @conv
func.func @conv(%a: tensor<2x4x10x10xf32>, %w: tensor<16x4x3x3xf32>, %y: tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32> {
  // DEFAULT: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j, k], [m, l, n, o])->([i, m, j, k]) {i=2, j=8, k=8, l=4, m=16, n=1, o=1} reduction={l} permutation={j, k}>
  // CONSERVATIVE: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l, m], [k, j, n, o])->([i, k, p, q]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
  %0 = pop.conv %a, %w : (tensor<2x4x10x10xf32>, tensor<16x4x3x3xf32>) -> tensor<2x16x8x8xf32>
  // DEFAULT: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j, k], [m, l, n, o], [i, m, j, k])->([i, m, j, k]) {i=2, j=8, k=8, l=4, m=16, n=1, o=1} reduction={l} permutation={j, k}>
  // CONSERVATIVE: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l, m], [k, j, n, o], [i, k, p, q])->([i, k, r, s]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1, r=1, s=1} reduction={j}>
  %1 = pop.conv %a, %w, %y : (tensor<2x4x10x10xf32>, tensor<16x4x3x3xf32>, tensor<2x16x8x8xf32>) -> tensor<2x16x8x8xf32>
  return %0 : tensor<2x16x8x8xf32>
}

// With groups, channels are made of group and channel; of a kernel that covers
// the input, the window comes first.
// CHECK-LABEL: func @conv_groups
func.func @conv_groups(%a: tensor<2x6x10xf32>, %w: tensor<12x2x3xf32>, %b: tensor<2x4x10xf32>, %v: tensor<4x1x10xf32>) -> tensor<2x12x8xf32> {
  // DEFAULT: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, kl, j], [km, l, n])->([i, km, j]) {i=2, j=8, k=3, l=2, m=4, n=1} reduction={l} permutation={j}>
  // CONSERVATIVE: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk, m], [jl, k, n])->([i, jl, o]) {i=2, j=3, k=2, l=4, m=1, n=1, o=1} reduction={k}>
  %0 = pop.conv %a, %w {groups = 3 : i64} : (tensor<2x6x10xf32>, tensor<12x2x3xf32>) -> tensor<2x12x8xf32>
  // DEFAULT: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k, j], [k, l, j])->([i, k, m]) {i=2, j=10, k=4, l=1, m=1} reduction={j, l}>
  // CONSERVATIVE: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [j, k, m])->([i, j, n]) {i=2, j=4, k=1, l=1, m=1, n=1} reduction={k}>
  %1 = pop.conv %b, %v {groups = 4 : i64} : (tensor<2x4x10xf32>, tensor<4x1x10xf32>) -> tensor<2x4x1xf32>
  return %0 : tensor<2x12x8xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%a: tensor<4x8x16xf32>) -> tensor<4x16xf32> {
  // CHECK: pop.reduce {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, k]) {i=4, j=8, k=16} reduction={j}>
  %0 = pop.reduce sum %a {axes = array<i64: 1>} : tensor<4x8x16xf32> -> tensor<4x16xf32>
  // CHECK: pop.reduce {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, l, k]) {i=4, j=8, k=16, l=1} reduction={j}>
  %1 = pop.reduce max %a {axes = array<i64: 1>, keep_dims} : tensor<4x8x16xf32> -> tensor<4x1x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: func @windows
func.func @windows(%a: tensor<2x4x8x6xf32>) -> tensor<2x4x4x6xf32> {
  // DEFAULT: pop.reduce_window {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=4, l=6} permutation={k}>
  // CONSERVATIVE: pop.reduce_window {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=4, l=6} permutation={k} blocked_propagation={k}>
  %0 = pop.reduce_window max %a {kernel = array<i64: 2, 1>, strides = array<i64: 2, 1>} : tensor<2x4x8x6xf32> -> tensor<2x4x4x6xf32>
  // DEFAULT: pop.max_pool {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=8, l=6} permutation={l}>
  // CONSERVATIVE: pop.max_pool {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=8, l=6} permutation={l} blocked_propagation={l}>
  %1 = pop.max_pool %a {kernel = array<i64: 1, 3>, pads = array<i64: 0, 1, 0, 1>} : tensor<2x4x8x6xf32> -> tensor<2x4x8x6xf32>
  // DEFAULT: pop.avg_pool {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=4, l=3} permutation={k, l}>
  // CONSERVATIVE: pop.avg_pool {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=4, l=3} permutation={k, l} blocked_propagation={k, l}>
  %2 = pop.avg_pool %a {kernel = array<i64: 2, 2>, strides = array<i64: 2, 2>} : tensor<2x4x8x6xf32> -> tensor<2x4x4x3xf32>
  return %0 : tensor<2x4x4x6xf32>
}

// CHECK-LABEL: func @normalise
func.func @normalise(%a: tensor<2x3x8xf32>, %b: tensor<3xf32>) -> tensor<2x3x8xf32> {
  // CHECK: pop.softmax {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=2, j=3, k=8} need_replication={j}>
  %0 = pop.softmax %a {axis = 1 : i64} : tensor<2x3x8xf32>
  // CHECK: pop.batch_norm {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [j], [j], [j], [j])->([i, j, k]) {i=2, j=3, k=8}>
  %1 = pop.batch_norm %a, %b, %b, %b, %b : tensor<2x3x8xf32>, tensor<3xf32>
  // CHECK: pop.batch_norm_training {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [j], [j])->([i, j, k], [j], [j]) {i=2, j=3, k=8} need_replication={i, k}>
  %2:3 = pop.batch_norm_training %a, %b, %b : tensor<2x3x8xf32>, tensor<3xf32>
  return %0 : tensor<2x3x8xf32>
}

// CHECK-LABEL: func @views
func.func @views(%a: tensor<2x12xf32>, %b: tensor<2x4x8xf32>, %c: tensor<3x1xf32>, %d: tensor<0x4xf32>) -> tensor<6x4xf32> {
  // CHECK: pop.reshape {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk])->([ij, k]) {i=2, j=3, k=4}>
  %0 = pop.reshape %a : tensor<2x12xf32> to tensor<6x4xf32>
  // Without elements there is no rule.
  // CHECK: pop.reshape %{{[^ ]*}} : tensor<0x4xf32>
  %1 = pop.reshape %d : tensor<0x4xf32> to tensor<0xf32>
  // CHECK: pop.transpose {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, i])->([i, j, k]) {i=8, j=2, k=4}>
  %2 = pop.transpose %b {permutation = array<i64: 2, 0, 1>} : tensor<2x4x8xf32> -> tensor<8x2x4xf32>
  // CHECK: pop.expand {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([j, l])->([i, j, k]) {i=2, j=3, k=4, l=1}>
  %3 = pop.expand %c : tensor<3x1xf32> to tensor<2x3x4xf32>
  return %0 : tensor<6x4xf32>
}

// A step back reverses.
// CHECK-LABEL: func @slice
func.func @slice(%a: tensor<4x8x6xf32>) -> tensor<4x3x6xf32> {
  // DEFAULT: pop.slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=6} permutation={j, k}>
  // CONSERVATIVE: pop.slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=6} permutation={j, k} blocked_propagation={j}>
  %0 = pop.slice %a {sizes = array<i64: 4, 3, 6>, starts = array<i64: 0, 2, 5>, steps = array<i64: 1, 2, -1>} : tensor<4x8x6xf32> -> tensor<4x3x6xf32>
  return %0 : tensor<4x3x6xf32>
}

// CHECK-LABEL: func @pad
func.func @pad(%a: tensor<2x3xf32>) -> tensor<3x3xf32> {
  // DEFAULT: pop.pad {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=3} permutation={i}>
  // CONSERVATIVE: pop.pad {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=3} permutation={i} blocked_propagation={i}>
  %0 = pop.pad %a {high = array<i64: 0, 0>, low = array<i64: 1, 0>, value = 0.0 : f32} : tensor<2x3xf32> -> tensor<3x3xf32>
  return %0 : tensor<3x3xf32>
}

// CHECK-LABEL: func @concat
func.func @concat(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<4x11xf32> {
  // DEFAULT: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=11} need_replication={j}>
  // CONSERVATIVE: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
  %0 = pop.concat %a, %b {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  %1 = pop.slice %b {sizes = array<i64: 4, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<4x3xf32> -> tensor<4x2xf32>
  // Parts of one tensor go to their neighbours.
  // DEFAULT: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=5} permutation={j}>
  // CONSERVATIVE: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
  %2 = pop.concat %b, %1 {axis = 1 : i64} : (tensor<4x3xf32>, tensor<4x2xf32>) -> tensor<4x5xf32>
  // Slices of two tensors also, but not a slice and another tensor.
  %3 = pop.slice %a {sizes = array<i64: 4, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<4x2xf32>
  // DEFAULT: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=4} permutation={j}>
  // CONSERVATIVE: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
  %4 = pop.concat %1, %3 {axis = 1 : i64} : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<4x4xf32>
  // DEFAULT: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=10} need_replication={j}>
  // CONSERVATIVE: pop.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
  %5 = pop.concat %a, %1 {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x2xf32>) -> tensor<4x10xf32>
  return %0 : tensor<4x11xf32>
}

// Rows are sorted as a whole, and pairs along axes are compared.
// CHECK-LABEL: func @orders
func.func @orders(%a: tensor<4x8xf32>, %i: tensor<4x8xi32>) -> tensor<4x8xf32> {
  // CHECK: pop.sort {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j], [i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}>
  %0:2 = pop.sort %a, %i by [ascending] {axis = 1 : i64} : (tensor<4x8xf32>, tensor<4x8xi32>) -> (tensor<4x8xf32>, tensor<4x8xi32>)
  // CHECK: pop.arg_reduce {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([j], [j]) {i=4, j=8} need_replication={i}>
  %1:2 = pop.arg_reduce max %a, %i {axes = array<i64: 0>} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<8xf32>, tensor<8xi32>
  // CHECK: pop.arg_reduce {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([k, j], [l, j]) {i=4, j=8, k=1, l=1} need_replication={i}>
  %2:2 = pop.arg_reduce min %a, %i {axes = array<i64: 0>, keep_dims} : tensor<4x8xf32>, tensor<4x8xi32> -> tensor<1x8xf32>, tensor<1x8xi32>
  return %0#0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<16x8xf32>, %i: tensor<2x4xi32>, %b: tensor<4x16x8xf32>, %j: tensor<4x3xi32>, %c: tensor<1x8xf32>) -> tensor<2x4x8xf32> {
  // CHECK: pop.gather {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([k, l, j]) {i=16, j=8, k=2, l=4} reduction={i}>
  %0 = pop.gather %a, %i : (tensor<16x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  // CHECK: pop.gather {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j], [k, l])->([k, l, j]) {i=16, j=8, k=4, l=3} reduction={i}>
  %1 = pop.gather %b, %j {batch_dims = 1 : i64} : (tensor<4x16x8xf32>, tensor<4x3xi32>) -> tensor<4x3x8xf32>
  // Of one row there is nothing to sum.
  // CHECK: pop.gather {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l])->([k, l, j]) {i=1, j=8, k=2, l=4} need_replication={i}>
  %2 = pop.gather %c, %i : (tensor<1x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// Shards of updates are applied apart, but for those that replace.
// CHECK-LABEL: func @scatter
func.func @scatter(%a: tensor<16x8xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4x8xf32>, %b: tensor<4x16x8xf32>, %j: tensor<4x3xi32>, %v: tensor<4x3x8xf32>) -> tensor<16x8xf32> {
  // CHECK: pop.scatter add {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l], [k, l, j])->([i, j]) {i=16, j=8, k=2, l=4} reduction={k, l}>
  %0 = pop.scatter add %a, %i, %u : tensor<16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>
  // CHECK: pop.scatter replace {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j], [k, l], [k, l, j])->([k, i, j]) {i=16, j=8, k=4, l=3} need_replication={l}>
  %1 = pop.scatter replace %b, %j, %v {batch_dims = 1 : i64} : tensor<4x16x8xf32>, tensor<4x3xi32>, tensor<4x3x8xf32>
  return %0 : tensor<16x8xf32>
}

// Windows lie over several elements, but for those of one element.
// CHECK-LABEL: func @select_and_scatter
func.func @select_and_scatter(%a: tensor<2x4x8x6xf32>, %s: tensor<2x4x4x6xf32>) -> tensor<2x4x8x6xf32> {
  // DEFAULT: pop.select_and_scatter {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=4, l=6} permutation={k}>
  // CONSERVATIVE: pop.select_and_scatter {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l], [i, j, k, l])->([i, j, k, l]) {i=2, j=4, k=4, l=6} permutation={k} blocked_propagation={k}>
  %0 = pop.select_and_scatter max %a, %s {kernel = array<i64: 2, 1>, strides = array<i64: 2, 1>} : tensor<2x4x8x6xf32>, tensor<2x4x4x6xf32> -> tensor<2x4x8x6xf32>
  return %0 : tensor<2x4x8x6xf32>
}

// Zeros between elements of the input change nothing.
// CHECK-LABEL: func @conv_zeros
func.func @conv_zeros(%a: tensor<2x4x5x10xf32>, %w: tensor<16x4x2x3xf32>) -> tensor<2x16x8x8xf32> {
  // DEFAULT: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, l, j, k], [m, l, n, o])->([i, m, j, k]) {i=2, j=5, k=8, l=4, m=16, n=1, o=1} reduction={l} permutation={j, k}>
  // CONSERVATIVE: pop.conv {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l, m], [k, j, n, o])->([i, k, p, q]) {i=2, j=4, k=16, l=1, m=1, n=1, o=1, p=1, q=1} reduction={j}>
  %0 = pop.conv %a, %w {input_dilations = array<i64: 2, 1>} : (tensor<2x4x5x10xf32>, tensor<16x4x2x3xf32>) -> tensor<2x16x8x8xf32>
  return %0 : tensor<2x16x8x8xf32>
}

// Constants and checks have no rule.
// CHECK-LABEL: func @none
func.func @none() -> tensor<4xf32> {
  // CHECK-NOT: sharding_rule
  %0 = pop.constant dense<1.0> : tensor<4xf32>
  pop.expect_eq %0, dense<1.0> : tensor<4xf32>
  // CHECK: return
  return %0 : tensor<4xf32>
}

// A rule that is given stays.
// CHECK-LABEL: func @given
func.func @given(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: pop.exp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}, custom>
  %0 = pop.exp %a {sdy.sharding_rule = #sdy.op_sharding_rule<([i])->([j]) {i=8, j=8}, custom>} : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Operands of a copy have nothing to do with one another.
// CHECK-LABEL: func @copies
func.func @copies(%a: tensor<4x8xf32>, %b: tensor<4xf16>) -> tensor<4x8xf32> {
  // CHECK: pop.ipu_copy {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([i, j], [k]) {i=4, j=8, k=4}>
  %0, %1 = pop.ipu_copy %a, %b from 0 to 1 : tensor<4x8xf32>, tensor<4xf16>
  // CHECK: pop.io_tile_copy {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %2 = pop.io_tile_copy %0 to io : tensor<4x8xf32>
  // CHECK: pop.stop_gradient {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %3 = pop.stop_gradient %2 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// CHECK-LABEL: func @boxes
func.func @boxes(%a: tensor<16x8xf32>, %u: tensor<4x8xf32>, %s: tensor<1xi32>) -> tensor<4x8xf32> {
  // CHECK: pop.dynamic_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([i, j]) {i=16, j=8, k=1} need_replication={i} blocked_propagation={i}>
  %0 = pop.dynamic_slice %a[%s] {axes = array<i64: 0>, sizes = array<i64: 4>} : tensor<16x8xf32>, tensor<1xi32> -> tensor<4x8xf32>
  // CHECK: pop.dynamic_update {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [j, k], [l])->([i, k]) {i=16, j=4, k=8, l=1} need_replication={j}>
  %1 = pop.dynamic_update %a, %u[%s] {axes = array<i64: 0>} : tensor<16x8xf32>, tensor<4x8xf32>, tensor<1xi32>
  %c = pop.constant dense<3> : tensor<1xi32>
  // CHECK: pop.dynamic_update {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [j, k], [l])->([i, k]) {i=16, j=4, k=8, l=1}>
  %2 = pop.dynamic_update %a, %u[%c] {axes = array<i64: 0>} : tensor<16x8xf32>, tensor<4x8xf32>, tensor<1xi32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @sum
func.func @sum(%a: tensor<4x8xf32>, %b: tensor<8xf32>, %c: tensor<f32>) -> tensor<4x8xf32> {
  // CHECK: pop.sum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j], [])->([i, j]) {i=4, j=8}>
  %0 = pop.sum %a, %b, %c : (tensor<4x8xf32>, tensor<8xf32>, tensor<f32>) -> tensor<4x8xf32>
  // CHECK: pop.reduce {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j]) {i=4, j=8} reduction={i}>
  %1 = pop.reduce mean %a {axes = array<i64: 0>} : tensor<4x8xf32> -> tensor<8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @marks
func.func @marks(%a: tensor<4x8xf16>) -> tensor<4x8xf16> {
  // CHECK: pop.loss_scale {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = pop.loss_scale %a : tensor<4x8xf16>
  // CHECK: pop.auto_loss_scale_proxy {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = pop.auto_loss_scale_proxy %0 : tensor<4x8xf16>
  return %1 : tensor<4x8xf16>
}

// Sums of shards are summed; means are of all positions.
// CHECK-LABEL: func @losses
func.func @losses(%x: tensor<2x3x8xf32>, %l: tensor<2x8xi32>, %w: tensor<3xf32>) -> tensor<2x8xf32> {
  // CHECK: pop.l1_loss none {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([i, j, k]) {i=2, j=3, k=8}>
  %0 = pop.l1_loss none %x, %x : tensor<2x3x8xf32> -> tensor<2x3x8xf32>
  // CHECK: pop.l2_loss sum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([]) {i=2, j=3, k=8} reduction={i, j, k}>
  %1 = pop.l2_loss sum %x, %x : tensor<2x3x8xf32> -> tensor<f32>
  // CHECK: pop.binary_cross_entropy_loss mean {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, j, k])->([]) {i=2, j=3, k=8} need_replication={i, j, k}>
  %2 = pop.binary_cross_entropy_loss mean %x, %x : tensor<2x3x8xf32> -> tensor<f32>
  // CHECK: pop.identity_loss sum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([]) {i=2, j=3, k=8} reduction={i, j, k}>
  %3 = pop.identity_loss sum %x : tensor<2x3x8xf32> -> tensor<f32>
  // CHECK: pop.nll_loss none {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, k], [j])->([i, k]) {i=2, j=3, k=8} need_replication={j}>
  %4 = pop.nll_loss none %x, %l, %w : tensor<2x3x8xf32>, tensor<2x8xi32>, tensor<3xf32> -> tensor<2x8xf32>
  // CHECK: pop.cross_entropy_loss sum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, k])->([]) {i=2, j=3, k=8} reduction={i, k} need_replication={j}>
  %5 = pop.cross_entropy_loss sum %x, %l : tensor<2x3x8xf32>, tensor<2x8xi32> -> tensor<f32>
  // CHECK: pop.cross_entropy_loss mean {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, k])->([]) {i=2, j=3, k=8} need_replication={i, j, k}>
  %6 = pop.cross_entropy_loss mean %x, %l : tensor<2x3x8xf32>, tensor<2x8xi32> -> tensor<f32>
  return %4 : tensor<2x8xf32>
}
