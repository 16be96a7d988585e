// RUN: ipu-opt %s --sdy-populate-op-sharding-rules | FileCheck %s
// RUN: ipu-opt %s --sdy-populate-op-sharding-rules=conservative-propagation=true | FileCheck %s

// Custom calls that have a rule by their target.

// Element by element, or nearly so.
// CHECK-LABEL: func.func @pointwise(
func.func @pointwise(%a: tensor<4x8xf32>, %s: tensor<f32>, %b: tensor<4x6xf32>) {
  // CHECK: stablehlo.custom_call @annotate_device_placement{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %0 = stablehlo.custom_call @annotate_device_placement(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @Cholesky{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %1 = stablehlo.custom_call @Cholesky(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @CompactWyHelper{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %2 = stablehlo.custom_call @CompactWyHelper(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @InspectSharding{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %3 = stablehlo.custom_call @InspectSharding(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @InvertDiagBlocksLowerTriangular{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %4 = stablehlo.custom_call @InvertDiagBlocksLowerTriangular(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @InvertDiagBlocksUpperTriangular{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %5 = stablehlo.custom_call @InvertDiagBlocksUpperTriangular(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @LayoutConstraint{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %6 = stablehlo.custom_call @LayoutConstraint(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @mhlo.erf{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %7 = stablehlo.custom_call @mhlo.erf(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @MoveToDevice{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %8 = stablehlo.custom_call @MoveToDevice(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @MoveToHost{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %9 = stablehlo.custom_call @MoveToHost(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @X64Combine{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [i, j])->([i, j]) {i=4, j=8}>
  %10 = stablehlo.custom_call @X64Combine(%a, %a) : (tensor<4x8xf32>, tensor<4x8xf32>) -> tensor<4x8xf64>
  // CHECK: stablehlo.custom_call @X64SplitHigh{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %11 = stablehlo.custom_call @X64SplitHigh(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @X64SplitLow{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %12 = stablehlo.custom_call @X64SplitLow(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @xla.megascale.provide_metadata{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %13 = stablehlo.custom_call @xla.megascale.provide_metadata(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @_SPMDInternalOp_MultiPad{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j], [])->([i, j]) {i=4, j=9}>
  %14 = stablehlo.custom_call @_SPMDInternalOp_MultiPad(%a, %s) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x9xf32>
  // CHECK: stablehlo.custom_call @_SPMDInternalOp_RotateRight{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %15 = stablehlo.custom_call @_SPMDInternalOp_RotateRight(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @_SPMDInternalOp_MultiRotate{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %16 = stablehlo.custom_call @_SPMDInternalOp_MultiRotate(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  // CHECK: stablehlo.custom_call @_SPMDInternalOp_MultiSlice{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j], [i, j]) {i=4, j=6}>
  %17:2 = stablehlo.custom_call @_SPMDInternalOp_MultiSlice(%a) : (tensor<4x8xf32>) -> (tensor<4x6xf32>, tensor<4x6xf32>)
  // CHECK: stablehlo.custom_call @_SPMDInternalOp_Wrap{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, j]) {i=4, j=8}>
  %18 = stablehlo.custom_call @_SPMDInternalOp_Wrap(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// Matrices and vectors go together by batches; eigenvalues are as many as the
// columns are.
// CHECK-LABEL: func.func @matrices(
func.func @matrices(%a: tensor<4x16x8xf32>, %t: tensor<4x8xf32>) {
  // CHECK: stablehlo.custom_call @Eigh{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, k]) {i=4, j=16, k=8}>
  %0:2 = stablehlo.custom_call @Eigh(%a) : (tensor<4x16x8xf32>) -> (tensor<4x16x8xf32>, tensor<4x8xf32>)
  // CHECK: stablehlo.custom_call @Qr{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=4, j=16, k=8, l=8} need_replication={j, k, l}>
  %1:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x16x8xf32>) -> (tensor<4x16x8xf32>, tensor<4x8xf32>)
  // CHECK: stablehlo.custom_call @QrDecompositionBlock{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, l]) {i=4, j=16, k=8, l=8} need_replication={j, k, l}>
  %2:2 = stablehlo.custom_call @QrDecompositionBlock(%a) : (tensor<4x16x8xf32>) -> (tensor<4x16x8xf32>, tensor<4x8xf32>)
  // CHECK: stablehlo.custom_call @ProductOfElementaryHouseholderReflectors{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k], [i, l])->([i, j, k]) {i=4, j=16, k=8, l=8} need_replication={j, k, l}>
  %3 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %t) : (tensor<4x16x8xf32>, tensor<4x8xf32>) -> tensor<4x16x8xf32>
  return
}

// The dimension of which some elements are taken.
// CHECK-LABEL: func.func @largest(
func.func @largest(%a: tensor<16x8x4xf32>, %i: tensor<16x8x4xi32>, %x: tensor<f32>, %y: tensor<i32>) {
  // CHECK: stablehlo.custom_call @mhlo.topk{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, k])->([i, j, k], [i, j, k]) {i=16, j=8, k=4} need_replication={k} blocked_propagation={k}>
  %0:2 = stablehlo.custom_call @mhlo.topk(%a) : (tensor<16x8x4xf32>) -> (tensor<16x8x1xf32>, tensor<16x8x1xi32>)
  // CHECK: stablehlo.custom_call @ApproxTopK{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, j, l], [], [])->([i, k, l], [i, k, l]) {i=16, j=8, k=2, l=4} need_replication={k} blocked_propagation={k}>
  %1:2 = stablehlo.custom_call @ApproxTopK(%a, %i, %x, %y) : (tensor<16x8x4xf32>, tensor<16x8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<16x2x4xf32>, tensor<16x2x4xi32>)
  // CHECK: stablehlo.custom_call @PartialReduce{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j, l], [i, j, l], [], [])->([i, k, l], [i, k, l]) {i=16, j=8, k=2, l=4} need_replication={k} blocked_propagation={k}>
  %2:2 = stablehlo.custom_call @PartialReduce(%a, %i, %x, %y) : (tensor<16x8x4xf32>, tensor<16x8x4xi32>, tensor<f32>, tensor<i32>) -> (tensor<16x2x4xf32>, tensor<16x2x4xi32>)
  return
}

// Those that are known to have none, and unknown ones.
// CHECK-LABEL: func.func @none(
// CHECK-NOT: sharding_rule
func.func @none(%a: tensor<4x8xf32>) {
  %0 = stablehlo.custom_call @sdy_testonly(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @tpu_custom_call(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %2 = stablehlo.custom_call @xla.debug.Log(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %3 = stablehlo.custom_call @xla_python_cpu_callback(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %4 = stablehlo.custom_call @xla_python_gpu_callback(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %5 = stablehlo.custom_call @xla_ffi_python_cpu_callback(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %6 = stablehlo.custom_call @xla_ffi_python_gpu_callback(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = stablehlo.custom_call @mystery(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return
}

// Calls that are not what their names say.
// CHECK-LABEL: func.func @misfits(
// CHECK-NOT: sharding_rule
func.func @misfits(%a: tensor<4x8xf32>, %b: tensor<2x4x8xf32>, %c: tensor<8xf32>, %s: tensor<f32>) {
  %0 = stablehlo.custom_call @mhlo.erf(%b) : (tensor<2x4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @Eigh(%b) : (tensor<2x4x8xf32>) -> tensor<2x4x8xf32>
  %2:2 = stablehlo.custom_call @Eigh(%c) : (tensor<8xf32>) -> (tensor<8xf32>, tensor<f32>)
  %3:2 = stablehlo.custom_call @Eigh(%b) : (tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<2x4xf32>)
  %4:2 = stablehlo.custom_call @Qr(%a) : (tensor<4x8xf32>) -> (tensor<8x4xf32>, tensor<4xf32>)
  %5:2 = stablehlo.custom_call @Qr(%b) : (tensor<2x4x8xf32>) -> (tensor<2x4x8xf32>, tensor<8xf32>)
  %6 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a) : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %7 = stablehlo.custom_call @ProductOfElementaryHouseholderReflectors(%a, %s) : (tensor<4x8xf32>, tensor<f32>) -> tensor<4x8xf32>
  %8:2 = stablehlo.custom_call @mhlo.topk(%s) : (tensor<f32>) -> (tensor<f32>, tensor<i32>)
  %9:2 = stablehlo.custom_call @mhlo.topk(%a) : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<2x4xi32>)
  %10:2 = stablehlo.custom_call @ApproxTopK(%a, %b, %s, %s) : (tensor<4x8xf32>, tensor<2x4x8xf32>, tensor<f32>, tensor<f32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  %11:2 = stablehlo.custom_call @ApproxTopK(%a) : (tensor<4x8xf32>) -> (tensor<4x2xf32>, tensor<4x2xi32>)
  stablehlo.custom_call @mhlo.erf(%a) {has_side_effect = true} : (tensor<4x8xf32>) -> ()
  return
}

// A rule that the call has itself.
// CHECK-LABEL: func.func @given(
func.func @given(%a: tensor<4x8xf32>) -> tensor<8x4xf32> {
  // CHECK: stablehlo.custom_call @mystery{{.*}}sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}, custom>
  %0 = stablehlo.custom_call @mystery(%a) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}, custom>} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
