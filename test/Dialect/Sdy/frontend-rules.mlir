// RUN: ipu-opt %s --sdy-import-frontend-rules | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline | FileCheck %s --check-prefix=PIPELINE

// Rules that come as text are attributes like others.

sdy.mesh @mesh = <["x"=2]>

// CHECK-LABEL: func.func @text(
// CHECK: custom_call @a(%arg0) {mhlo.frontend_attributes = {other = "1"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}, custom>}
// CHECK: custom_call @b(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}>}
// PIPELINE-LABEL: func.func @text(
// PIPELINE-COUNT-2: custom_call {{.*}}sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>
func.func @text(%a: tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = stablehlo.custom_call @a(%a) {mhlo.frontend_attributes = {other = "1", sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}, custom>"}} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.custom_call @b(%a) {mhlo.frontend_attributes = {xla.sdy.sharding_rule = "#sdy.op_sharding_rule<([i, j])->([j, i]) {i=4, j=8}>"}} : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// An attribute goes before text.
// CHECK-LABEL: func.func @both(
// CHECK: custom_call @a(%arg0) {sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=1, k=1}>}
func.func @both(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @a(%a) {mhlo.frontend_attributes = {sdy.sharding_rule = "nonsense"}, sdy.sharding_rule = #sdy.op_sharding_rule<([i, j])->([i, k]) {i=4, j=1, k=1}>} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}

// Nothing to do with shardings.
// CHECK-LABEL: func.func @other(
// CHECK: custom_call @a(%arg0) {mhlo.frontend_attributes = {sdy.sharding_rule = 1 : i64}}
// CHECK: custom_call @a(%arg0) {mhlo.frontend_attributes = "text"}
func.func @other(%a: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = stablehlo.custom_call @a(%a) {mhlo.frontend_attributes = {sdy.sharding_rule = 1}} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  %1 = stablehlo.custom_call @a(%a) {mhlo.frontend_attributes = "text"} : (tensor<4x8xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
