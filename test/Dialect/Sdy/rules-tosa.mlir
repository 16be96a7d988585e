// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// Elementwise ops by their trait; dimensions that are repeated take no part.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%a: tensor<4x8xf32>, %b: tensor<1x8xf32>, %c: tensor<4x8xi1>, %d: tensor<4x8xi8>, %zp: tensor<1xf32>, %shift: tensor<1xi8>) -> tensor<4x8xf32> {
  // CHECK: tosa.exp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = tosa.exp %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.add {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %1 = tosa.add %a, %b : (tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.select {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [k, j])->([i, j]) {i=4, j=8, k=1}>
  %2 = tosa.select %c, %a, %b : (tensor<4x8xi1>, tensor<4x8xf32>, tensor<1x8xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.mul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([k, j], [i, j], [l])->([i, j]) {i=4, j=8, k=1, l=1}>
  %3 = tosa.mul %b, %a, %shift : (tensor<1x8xf32>, tensor<4x8xf32>, tensor<1xi8>) -> tensor<4x8xf32>
  // CHECK: tosa.negate {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k], [l])->([i, j]) {i=4, j=8, k=1, l=1}>
  %4 = tosa.negate %a, %zp, %zp : (tensor<4x8xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<4x8xf32>
  // CHECK: tosa.cast {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %5 = tosa.cast %a : (tensor<4x8xf32>) -> tensor<4x8xf16>
  // CHECK: tosa.identity {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %6 = tosa.identity %a : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = "tosa.const"() <{values = dense<1> : tensor<8xi32>}> : () -> tensor<8xi32>
  %8 = "tosa.const"() <{values = dense<30> : tensor<8xi8>}> : () -> tensor<8xi8>
  %9 = "tosa.const"() <{values = dense<0> : tensor<1xi8>}> : () -> tensor<1xi8>
  // CHECK: tosa.rescale {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [j], [j], [k], [l])->([i, j]) {i=4, j=8, k=1, l=1}>
  %10 = tosa.rescale %d, %7, %8, %9, %9 {rounding_mode = SINGLE_ROUND, scale32 = true, per_channel = true, input_unsigned = false, output_unsigned = false} : (tensor<4x8xi8>, tensor<8xi32>, tensor<8xi8>, tensor<1xi8>, tensor<1xi8>) -> tensor<4x8xi8>
  return %1 : tensor<4x8xf32>
}

// CHECK-LABEL: func @table
func.func @table(%a: tensor<4x256xi8>, %table: tensor<256xi8>) -> tensor<4x256xi8> {
  // CHECK: tosa.table {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k])->([i, j]) {i=4, j=256, k=1}>
  %0 = tosa.table %a, %table : (tensor<4x256xi8>, tensor<256xi8>) -> tensor<4x256xi8>
  return %0 : tensor<4x256xi8>
}

// CHECK-LABEL: func @matmul
func.func @matmul(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>, %zp: tensor<1xf32>) -> tensor<2x4x16xf32> {
  // CHECK: tosa.matmul {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, l, k], [m], [n])->([i, j, k]) {i=2, j=4, k=16, l=8, m=1, n=1} reduction={l}>
  %0 = tosa.matmul %a, %b, %zp, %zp : (tensor<2x4x8xf32>, tensor<2x8x16xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<2x4x16xf32>
  return %0 : tensor<2x4x16xf32>
}

// CHECK-LABEL: func @reduce
func.func @reduce(%a: tensor<4x8xf32>, %b: tensor<4x8xi1>) -> tensor<4x1xf32> {
  // CHECK: tosa.reduce_max {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=1} reduction={j}>
  %max = tosa.reduce_max %a {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK: tosa.reduce_min {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=1} reduction={j}>
  %min = tosa.reduce_min %a {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK: tosa.reduce_product {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=1} reduction={j}>
  %product = tosa.reduce_product %a {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK: tosa.reduce_sum {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=8, k=1} reduction={j}>
  %sum = tosa.reduce_sum %a {axis = 1 : i32} : (tensor<4x8xf32>) -> tensor<4x1xf32>
  // CHECK: tosa.reduce_all {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, j]) {i=4, j=8, k=1} reduction={i}>
  %all = tosa.reduce_all %b {axis = 0 : i32} : (tensor<4x8xi1>) -> tensor<1x8xi1>
  // CHECK: tosa.reduce_any {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([k, j]) {i=4, j=8, k=1} reduction={i}>
  %any = tosa.reduce_any %b {axis = 0 : i32} : (tensor<4x8xi1>) -> tensor<1x8xi1>
  return %sum : tensor<4x1xf32>
}

// CHECK-LABEL: func @moves
func.func @moves(%a: tensor<2x12xf32>, %b: tensor<2x4x8xf32>, %zp: tensor<1xf32>) -> tensor<6x4xf32> {
  %shape = tosa.const_shape {values = dense<[6, 4]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // CHECK: tosa.reshape {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk], [])->([ij, k]) {i=2, j=3, k=4}>
  %0 = tosa.reshape %a, %shape : (tensor<2x12xf32>, !tosa.shape<2>) -> tensor<6x4xf32>
  // CHECK: tosa.transpose {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([j, k, i])->([i, j, k]) {i=8, j=2, k=4}>
  %1 = tosa.transpose %b {perms = array<i32: 2, 0, 1>} : (tensor<2x4x8xf32>) -> tensor<8x2x4xf32>
  // CHECK: tosa.reverse {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=2, j=12} permutation={j}>
  %2 = tosa.reverse %a {axis = 1 : i32} : (tensor<2x12xf32>) -> tensor<2x12xf32>
  %start = tosa.const_shape {values = dense<[0, 3]> : tensor<2xindex>} : () -> !tosa.shape<2>
  %size = tosa.const_shape {values = dense<[2, 5]> : tensor<2xindex>} : () -> !tosa.shape<2>
  // DEFAULT: tosa.slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=2, j=12} permutation={j}>
  // CONSERVATIVE: tosa.slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [])->([i, j]) {i=2, j=12} permutation={j} blocked_propagation={j}>
  %3 = tosa.slice %a, %start, %size : (tensor<2x12xf32>, !tosa.shape<2>, !tosa.shape<2>) -> tensor<2x5xf32>
  %pads = tosa.const_shape {values = dense<[1, 0, 0, 0]> : tensor<4xindex>} : () -> !tosa.shape<4>
  // DEFAULT: tosa.pad {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [k])->([i, j]) {i=2, j=12, k=1} permutation={i}>
  // CONSERVATIVE: tosa.pad {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [], [k])->([i, j]) {i=2, j=12, k=1} permutation={i} blocked_propagation={i}>
  %4 = tosa.pad %a, %pads, %zp : (tensor<2x12xf32>, !tosa.shape<4>, tensor<1xf32>) -> tensor<3x12xf32>
  // DEFAULT: tosa.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=2, j=17} permutation={j}>
  // CONSERVATIVE: tosa.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=2, j=1, k=1, l=1}>
  %5 = tosa.concat %a, %3 {axis = 1 : i32} : (tensor<2x12xf32>, tensor<2x5xf32>) -> tensor<2x17xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<2x16x8xf32>, %i: tensor<2x4xi32>) -> tensor<2x4x8xf32> {
  // CHECK: tosa.gather {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j], [k, l])->([k, l, j]) {i=16, j=8, k=2, l=4} reduction={i}>
  %0 = tosa.gather %a, %i : (tensor<2x16x8xf32>, tensor<2x4xi32>) -> tensor<2x4x8xf32>
  return %0 : tensor<2x4x8xf32>
}

// CHECK-LABEL: func.func @argmax(
func.func @argmax(%a: tensor<4x8x2xf32>) {
  // CHECK: tosa.argmax {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, k]) {i=4, j=8, k=2} reduction={j}>
  %0 = tosa.argmax %a {axis = 1 : i32} : (tensor<4x8x2xf32>) -> tensor<4x2xi32>
  return
}

// CHECK-LABEL: func.func @scatter(
func.func @scatter(%a: tensor<2x16x8xf32>, %i: tensor<2x4xi32>, %u: tensor<2x4x8xf32>) {
  // CHECK: tosa.scatter {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([k, i, j], [k, l], [k, l, j])->([k, i, j]) {i=16, j=8, k=2, l=4} need_replication={l}>
  %0 = tosa.scatter %a, %i, %u : (tensor<2x16x8xf32>, tensor<2x4xi32>, tensor<2x4x8xf32>) -> tensor<2x16x8xf32>
  return
}

// Copies are the major part of a dimension.
// CHECK-LABEL: func.func @tile(
func.func @tile(%a: tensor<4x1x8xf32>) {
  %multiples = tosa.const_shape {values = dense<[2, 3, 1]> : tensor<3xindex>} : () -> !tosa.shape<3>
  // CHECK: tosa.tile {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([j, m, l], [])->([ij, k, l]) {i=2, j=4, k=3, l=8, m=1}>
  %0 = tosa.tile %a, %multiples : (tensor<4x1x8xf32>, !tosa.shape<3>) -> tensor<8x3x8xf32>
  return
}
