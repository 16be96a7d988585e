// RUN: ipu-opt %s --sdy-propagation-pipeline=report-conflicts -o %t 2>&1 | FileCheck %s
// RUN: ipu-opt %s --sdy-op-priority-propagate=report-conflicts -o %t 2>&1 | FileCheck %s
// RUN: ipu-opt %s --sdy-propagation-pipeline="report-conflicts report" -o %t 2>&1 | FileCheck %s --check-prefix=ALL

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Conflicts only; each names the op that decided it, as steps are not shown.
// CHECK: sharding report
// CHECK-NEXT: visits: {{[0-9]+}}, steps: {{[0-9]+}}
// CHECK-NEXT: conflict 1: stablehlo.dot_general at loc({{.*}}), factor F0 i, axes {"x"}
// CHECK-NEXT: candidates: {"x"} of T0 %arg0 (2048 bytes)
// CHECK-NEXT: choice: {}
// CHECK-NEXT: reason: T2 %0 has "x" on F1 j since step [[#STEP:]] of stablehlo.add at loc("{{.*}}propagation-report-conflicts.mlir":[[# @LINE + 11]]:
// CHECK-NEXT: at stake: 2048 bytes
// CHECK-NEXT: conflicts: 1
// CHECK-NOT: {{.}}
// ALL: visit 1:
// ALL: no rule:
func.func @main(
    %a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
    %b: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>},
    %c: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>}) -> (tensor<64x32xf32>, tensor<64x32xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.add %0, %c : tensor<64x32xf32>
  %2 = stablehlo.custom_call @unheard_of(%1) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  return %1, %2 : tensor<64x32xf32>, tensor<64x32xf32>
}
