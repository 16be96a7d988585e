// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s --check-prefixes=CHECK,CONSERVATIVE

// CHECK-LABEL: func @expand_shape
func.func @expand_shape(%a: tensor<24x8xf32>) -> tensor<4x6x1x8xf32> {
  // CHECK: tensor.expand_shape {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([ij, l])->([i, j, k, l]) {i=4, j=6, k=1, l=8}>
  %0 = tensor.expand_shape %a [[0, 1, 2], [3]] output_shape [4, 6, 1, 8] : tensor<24x8xf32> into tensor<4x6x1x8xf32>
  return %0 : tensor<4x6x1x8xf32>
}

// CHECK-LABEL: func @collapse_shape
func.func @collapse_shape(%a: tensor<4x6x8xf32>) -> tensor<24x8xf32> {
  // CHECK: tensor.collapse_shape {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([ij, k]) {i=4, j=6, k=8}>
  %0 = tensor.collapse_shape %a [[0, 1], [2]] : tensor<4x6x8xf32> into tensor<24x8xf32>
  return %0 : tensor<24x8xf32>
}

// The second operand holds the shape.
// CHECK-LABEL: func @reshape
func.func @reshape(%a: tensor<2x12xf32>, %shape: tensor<2xindex>) -> tensor<6x4xf32> {
  // CHECK: tensor.reshape {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, jk], [l])->([ij, k]) {i=2, j=3, k=4, l=1}>
  %0 = tensor.reshape %a(%shape) : (tensor<2x12xf32>, tensor<2xindex>) -> tensor<6x4xf32>
  return %0 : tensor<6x4xf32>
}

// CHECK-LABEL: func @reshape_empty
func.func @reshape_empty(%a: tensor<0x4xf32>) -> tensor<0xf32> {
  // CHECK: tensor.collapse_shape %{{[^ ]*}} {{.*}}]] : tensor<0x4xf32>
  %0 = tensor.collapse_shape %a [[0, 1]] : tensor<0x4xf32> into tensor<0xf32>
  return %0 : tensor<0xf32>
}

// CHECK-LABEL: func @extract_slice
func.func @extract_slice(%a: tensor<4x8x16xf32>) -> tensor<4x5x16xf32> {
  // DEFAULT: tensor.extract_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=16} permutation={j}>
  // CONSERVATIVE: tensor.extract_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k]) {i=4, j=8, k=16} permutation={j} blocked_propagation={j}>
  %0 = tensor.extract_slice %a[0, 2, 0] [4, 5, 16] [1, 1, 1] : tensor<4x8x16xf32> to tensor<4x5x16xf32>
  return %0 : tensor<4x5x16xf32>
}

// CHECK-LABEL: func @extract_slice_drop
func.func @extract_slice_drop(%a: tensor<4x8x1x16xf32>) -> tensor<4x16xf32> {
  // DEFAULT: tensor.extract_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, l]) {i=4, j=8, k=1, l=16} permutation={j}>
  // CONSERVATIVE: tensor.extract_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k, l])->([i, l]) {i=4, j=8, k=1, l=16} permutation={j} blocked_propagation={j}>
  %0 = tensor.extract_slice %a[0, 2, 0, 0] [4, 1, 1, 16] [1, 1, 1, 1] : tensor<4x8x1x16xf32> to tensor<4x16xf32>
  return %0 : tensor<4x16xf32>
}

// CHECK-LABEL: func @extract_slice_dynamic
func.func @extract_slice_dynamic(%a: tensor<4x8xf32>, %i: index) -> tensor<4x3xf32> {
  // CHECK: tensor.extract_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=8} need_replication={j} blocked_propagation={j}>
  %0 = tensor.extract_slice %a[0, %i] [4, 3] [1, 1] : tensor<4x8xf32> to tensor<4x3xf32>
  return %0 : tensor<4x3xf32>
}

// CHECK-LABEL: func @insert_slice
func.func @insert_slice(%a: tensor<4x3xf32>, %b: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: tensor.insert_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, k], [i, j])->([i, j]) {i=4, j=8, k=3}>
  %0 = tensor.insert_slice %a into %b[0, 2] [4, 3] [1, 1] : tensor<4x3xf32> into tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @insert_slice_dynamic
func.func @insert_slice_dynamic(%a: tensor<3xf32>, %b: tensor<4x8xf32>, %i: index) -> tensor<4x8xf32> {
  // CHECK: tensor.insert_slice {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([k], [i, j], [])->([i, j]) {i=4, j=8, k=3} need_replication={k}>
  %0 = tensor.insert_slice %a into %b[2, %i] [1, 3] [1, 1] : tensor<3xf32> into tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @insert
func.func @insert(%x: f32, %a: tensor<4x8xf32>, %i: index) -> tensor<4x8xf32> {
  // CHECK: tensor.insert {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [], [])->([i, j]) {i=4, j=8}>
  %0 = tensor.insert %x into %a[%i, %i] : tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// CHECK-LABEL: func @pad
func.func @pad(%a: tensor<4x8xf32>, %x: f32) -> tensor<4x11xf32> {
  // DEFAULT: tensor.pad
  // DEFAULT: } {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j}>
  // CONSERVATIVE: tensor.pad
  // CONSERVATIVE: } {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8} permutation={j} blocked_propagation={j}>
  %0 = tensor.pad %a low[0, 1] high[0, 2] {
  ^bb0(%i: index, %j: index):
    tensor.yield %x : f32
  } : tensor<4x8xf32> to tensor<4x11xf32>
  return %0 : tensor<4x11xf32>
}

// CHECK-LABEL: func @concat
func.func @concat(%a: tensor<4x8xf32>, %b: tensor<4x3xf32>) -> tensor<4x11xf32> {
  // DEFAULT: tensor.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=11} need_replication={j}>
  // CONSERVATIVE: tensor.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, k])->([i, l]) {i=4, j=1, k=1, l=1}>
  %0 = tensor.concat dim(1) %a, %b : (tensor<4x8xf32>, tensor<4x3xf32>) -> tensor<4x11xf32>
  return %0 : tensor<4x11xf32>
}

// Parts of one tensor go to their neighbours.
// CHECK-LABEL: func @concat_slices
func.func @concat_slices(%a: tensor<8xf32>) -> tensor<11xf32> {
  %0 = tensor.extract_slice %a[0] [3] [1] : tensor<8xf32> to tensor<3xf32>
  // DEFAULT: tensor.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i], [i])->([i]) {i=11} permutation={i}>
  // CONSERVATIVE: tensor.concat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i], [j])->([k]) {i=1, j=1, k=1}>
  %1 = tensor.concat dim(0) %a, %0 : (tensor<8xf32>, tensor<3xf32>) -> tensor<11xf32>
  return %1 : tensor<11xf32>
}

// CHECK-LABEL: func @gather
func.func @gather(%a: tensor<16x8xf32>, %i: tensor<4x2x1xindex>) -> (tensor<4x2x8xf32>, tensor<4x2x1x8xf32>) {
  // CHECK: tensor.gather {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l, m])->([k, l, j]) {i=16, j=8, k=4, l=2, m=1} reduction={i} need_replication={m}>
  %0 = tensor.gather %a[%i] gather_dims([0]) : (tensor<16x8xf32>, tensor<4x2x1xindex>) -> tensor<4x2x8xf32>
  // CHECK: tensor.gather {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [k, l, m])->([k, l, n, j]) {i=16, j=8, k=4, l=2, m=1, n=1} reduction={i} need_replication={m}>
  %1 = tensor.gather %a[%i] gather_dims([0]) : (tensor<16x8xf32>, tensor<4x2x1xindex>) -> tensor<4x2x1x8xf32>
  return %0, %1 : tensor<4x2x8xf32>, tensor<4x2x1x8xf32>
}

// CHECK-LABEL: func @cast
func.func @cast(%a: tensor<4x8xi32>, %b: tensor<?xf32>) -> (tensor<4x8xui32>, tensor<4xf32>) {
  // CHECK: tensor.bitcast {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = tensor.bitcast %a : tensor<4x8xi32> to tensor<4x8xui32>
  // CHECK: tensor.cast %arg1 : tensor<?xf32> to tensor<4xf32>
  %1 = tensor.cast %b : tensor<?xf32> to tensor<4xf32>
  return %0, %1 : tensor<4x8xui32>, tensor<4xf32>
}

// CHECK-LABEL: func @cast_layout
func.func @cast_layout(%a: tensor<4x8xf32>) -> tensor<4x8xf32, 1 : i32> {
  // CHECK: tensor.cast {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = tensor.cast %a : tensor<4x8xf32> to tensor<4x8xf32, 1 : i32>
  return %0 : tensor<4x8xf32, 1 : i32>
}

// Every elementwise op of arith and math, by its trait.
// CHECK-LABEL: func @elementwise
func.func @elementwise(%a: tensor<4x8xf32>, %b: tensor<f32>, %c: i1, %d: tensor<4x8xi1>) -> tensor<4x8xf32> {
  // CHECK: arith.addf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %0 = arith.addf %a, %a : tensor<4x8xf32>
  // CHECK: arith.mulf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([], [])->([])>
  %1 = arith.mulf %b, %b : tensor<f32>
  // CHECK: arith.cmpf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %2 = arith.cmpf olt, %a, %0 : tensor<4x8xf32>
  // CHECK: arith.select {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %3 = arith.select %c, %a, %0 : tensor<4x8xf32>
  // CHECK: arith.select {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %4 = arith.select %d, %a, %0 : tensor<4x8xi1>, tensor<4x8xf32>
  // CHECK: arith.truncf {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %5 = arith.truncf %a : tensor<4x8xf32> to tensor<4x8xf16>
  // CHECK: math.exp {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %6 = math.exp %a : tensor<4x8xf32>
  // CHECK: math.fma {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j], [i, j])->([i, j]) {i=4, j=8}>
  %7 = math.fma %a, %a, %a : tensor<4x8xf32>
  // CHECK: math.sincos {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=4, j=8}>
  %8:2 = math.sincos %a : tensor<4x8xf32>
  return %7 : tensor<4x8xf32>
}

// Scalars, vectors, constants and dynamic sizes.
// CHECK-LABEL: func @none
func.func @none(%a: f32, %b: vector<4xf32>, %c: tensor<?xf32>, %d: tensor<4xvector<2xf32>>, %v: vector<2xf32>, %i: index) -> tensor<4xf32> {
  // CHECK-NOT: sharding_rule
  %0 = arith.addf %a, %a : f32
  %1 = math.exp %b : vector<4xf32>
  %2 = math.exp %c : tensor<?xf32>
  %3 = tensor.insert %v into %d[%i] : tensor<4xvector<2xf32>>
  %4 = arith.constant dense<1.0> : tensor<4xf32>
  return %4 : tensor<4xf32>
}

// Elements are replaced in the dimensions that are indexed.
// CHECK-LABEL: func.func @scatter(
func.func @scatter(%a: tensor<16x4x8xf32>, %i: tensor<3x2x1xindex>, %u: tensor<3x2x4x8xf32>, %k: tensor<3x2x1x4x8xf32>, %j: tensor<3x2xindex>, %v: tensor<3x4xf32>) {
  // CHECK: tensor.scatter {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([l, m, j, k], [i, j, k], [l, m, n])->([i, j, k]) {i=16, j=4, k=8, l=3, m=2, n=1} need_replication={l, m, n}>
  %0 = tensor.scatter %u into %a[%i] scatter_dims([0]) unique : (tensor<3x2x4x8xf32>, tensor<16x4x8xf32>, tensor<3x2x1xindex>) -> tensor<16x4x8xf32>
  // CHECK: tensor.scatter {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([l, m, o, j, k], [i, j, k], [l, m, n])->([i, j, k]) {i=16, j=4, k=8, l=3, m=2, n=1, o=1} need_replication={l, m, n}>
  %1 = tensor.scatter %k into %a[%i] scatter_dims([0]) unique : (tensor<3x2x1x4x8xf32>, tensor<16x4x8xf32>, tensor<3x2x1xindex>) -> tensor<16x4x8xf32>
  // CHECK: tensor.scatter {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([l, j], [i, j, k], [l, m])->([i, j, k]) {i=16, j=4, k=8, l=3, m=2} need_replication={l, m}>
  %2 = tensor.scatter %v into %a[%j] scatter_dims([0, 2]) unique : (tensor<3x4xf32>, tensor<16x4x8xf32>, tensor<3x2xindex>) -> tensor<16x4x8xf32>
  return
}

// CHECK-LABEL: func.func @splat(
func.func @splat(%x: f32) {
  // CHECK: tensor.splat {{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([])->([i, j]) {i=4, j=8}>
  %0 = tensor.splat %x : tensor<4x8xf32>
  return
}
