// RUN: ipu-opt %s --sdy-propagation-pipeline=report -o %t 2>&1 | FileCheck %s
// RUN: ipu-opt %s --sdy-basic-propagate=report -o %t 2>&1 | FileCheck %s --check-prefix=BASIC
// RUN: ipu-opt %s --sdy-propagation-pipeline=report -o %t 2>%t.1
// RUN: ipu-opt %s --sdy-propagation-pipeline=report -o %t 2>%t.2
// RUN: cmp %t.1 %t.2

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Both operands want "x" in the result; the larger one gets it.
func.func @main(
    %a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>},
    %b: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"x", ?}]>},
    %c: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {?}]>},
    %e: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}p1]>})
    -> (tensor<64x32xf32>, tensor<64x32xf32>, tensor<4xf32>) {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
  %1 = stablehlo.add %0, %c : tensor<64x32xf32>
  %2 = stablehlo.custom_call @unheard_of(%1) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %3 = stablehlo.custom_call @unheard_of(%2) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  %4 = stablehlo.abs %e : tensor<4xf32>
  return %1, %3, %4 : tensor<64x32xf32>, tensor<64x32xf32>, tensor<4xf32>
}
// CHECK: sharding report
// CHECK: run: user priority 0, op priority 0
// CHECK: visit 1: stablehlo.dot_general at loc("{{.*}}propagation-report.mlir":16:8)
// CHECK: run: user priority 0, op priority 2
// CHECK: step [[STEP:[0-9]+]]: stablehlo.dot_general at
// CHECK: rule: ([i, k], [k, j])->([i, j]) {i=64, j=32, k=8} reduction={k}
// CHECK: before:
// CHECK: T2 %0    |      |      | N
// CHECK: after:
// CHECK: T2 %0    | +"x" |      | N
// CHECK: run: user priority 1, op priority 0
// CHECK: stablehlo.abs at
// CHECK: T0 %arg3 | "y"
// CHECK: T1 %4    | +"y"
// CHECK: visits: {{[0-9]+}}, steps: {{[0-9]+}}

// CHECK: conflict 1: stablehlo.dot_general at {{.*}}, factor F1 j, axes {"x"}
// CHECK: candidates: {"x"} of T1 %arg1 (1024 bytes)
// CHECK: choice: {}
// CHECK: reason: T2 %0 has "x" on F0 i since step [[STEP]], from the larger tensor
// CHECK: at stake: 1024 bytes
// CHECK: conflict 2: stablehlo.add at {{.*}}, factor F0 i, axes {"x"}
// CHECK: candidates: {"x"} of T0 %0 (8192 bytes), T2 %1 (8192 bytes)
// CHECK: choice: {}
// CHECK: reason: the dimension of T1 %arg2 is closed
// CHECK: at stake: 16384 bytes
// CHECK: conflicts:

// CHECK: no rule: stablehlo.custom_call @unheard_of, 2 times, first at {{.*}}: nothing propagates through it
// CHECK-NOT: no rule

// BASIC: conflict 1: stablehlo.dot_general at {{.*}}, factor F0 i, axes {"x"}
// BASIC: reason: T1 %arg1 has "x" on F1 j, given by the program

// Axes that do not fit, and tensors on several meshes.
// RUN: ipu-opt %s --sdy-aggressive-propagate=report -o %t 2>&1 | FileCheck %s --check-prefix=ODD
sdy.mesh @other = <["z"=2]>
func.func @odd(%n: tensor<6x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", "y", ?}, {?}]>},
    %o: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>},
    %p: tensor<4xf32> {sdy.sharding = #sdy.sharding<@other, [{"z", ?}]>}) -> (tensor<3x2x4xf32>, tensor<4xf32>) {
  %0 = stablehlo.reshape %n : (tensor<6x4xf32>) -> tensor<3x2x4xf32>
  %1 = stablehlo.add %o, %p : tensor<4xf32>
  return %0, %1 : tensor<3x2x4xf32>, tensor<4xf32>
}
// ODD: stablehlo.reshape at {{.*}}, factor F0 i, axes {"x", "y"}
// ODD-NEXT: candidates: {"x", "y"} of T0 %arg0 (96 bytes)
// ODD-NEXT: choice: {}
// ODD-NEXT: reason: T0 %arg0 has axes that do not divide the dimension
// ODD-NEXT: at stake: 96 bytes
// ODD: stablehlo.add at {{.*}}: tensors are on several meshes, nothing propagates: T0 %arg1 (16 bytes) on @mesh T1 %arg2 (16 bytes) on @other
