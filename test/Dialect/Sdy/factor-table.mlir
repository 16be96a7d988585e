// RUN: ipu-opt %s --sdy-print-factor-table="op=stablehlo.add propagation-strategy=basic" -o %t | FileCheck %s --check-prefix=NOTES --match-full-lines --strict-whitespace
// RUN: ipu-opt %s --sdy-print-factor-table=op=stablehlo.add -o %t | FileCheck %s --check-prefix=NOTES --match-full-lines --strict-whitespace
// RUN: ipu-opt %s --sdy-print-factor-table -o %t | FileCheck %s
// RUN: ipu-opt %s --sdy-print-factor-table="propagation-strategy=basic" -o %t | FileCheck %s --check-prefix=BASIC
// RUN: ipu-opt %s --sdy-print-factor-table=op=stablehlo.nope -o %t 2>&1 | FileCheck %s --check-prefix=NONE
// NONE: warning: expects an op 'stablehlo.nope' with a sharding rule and a sharded tensor but found none

// The example that Shardy's description of propagation works through.

sdy.mesh @mesh = <["a"=2, "b"=2, "c"=2, "d"=2, "e"=2, "f"=2, "g"=2]>
sdy.mesh @other = <["a"=4, "b"=2]>

func.func @notes(
    %t0: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {?}, {"f", ?}]>},
    %t1: tensor<8x8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", "b", ?}, {"c", "d", ?}, {"g", ?}]>})
    -> tensor<8x8x8xf32> {
  %t2 = stablehlo.add %t0, %t1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{?}, {"c", "e", ?}, {?}]>]>} : tensor<8x8x8xf32>
  return %t2 : tensor<8x8x8xf32>
}
//      NOTES:stablehlo.add at {{.*}}
// NOTES-NEXT:  rule: ([i, j, k], [i, j, k])->([i, j, k]) {i=8, j=8, k=8}
// NOTES-NEXT:             | F0 i     | F1 j     | F2 k | replicated
// NOTES-NEXT:    T0 %arg0 | "a"      |          | "f"  |
// NOTES-NEXT:    T1 %arg1 | "a", "b" | "c", "d" | "g"  |
// NOTES-NEXT:    T2 %0    |          | "c", "e" |      |
// NOTES-NEXT:  step 1: F0 i {"a", "b"}, F1 j {"c"}, F2 k {}
// NOTES-NEXT:  step 2:
// NOTES-NEXT:             | F0 i       | F1 j     | F2 k | replicated
// NOTES-NEXT:    T0 %arg0 | "a", +"b"  | +"c"     | "f"  |
// NOTES-NEXT:    T1 %arg1 | "a", "b"   | "c", "d" | "g"  |
// NOTES-NEXT:    T2 %0    | +"a", +"b" | "c", "e" |      |

// Parts of axes, closed dimensions, factors that a tensor does not have.
func.func @dot(
    %a: tensor<64x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}, {}], replicated={"g"}>},
    %b: tensor<8x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"a", ?}]>})
    -> tensor<64x32xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x8xf32>, tensor<8x32xf32>) -> tensor<64x32xf32>
  return %0 : tensor<64x32xf32>
}
// CHECK-LABEL: stablehlo.dot_general at
// CHECK-NEXT: rule: ([i, k], [k, j])->([i, j]) {i=64, j=32, k=8} reduction={k}
// CHECK-NEXT:          | F0 i | F1 j | F2 k   | replicated
// CHECK-NEXT: T0 %arg0 | "a"  | N    | closed | "g"
// CHECK-NEXT: T1 %arg1 | N    | "a"  |        |
// CHECK-NEXT: T2 %0    |      |      | N      |
// CHECK-NEXT: step 1: F0 i {"a"}, F1 j {"a"}, F2 k {}
// CHECK-NEXT: step 2:
// CHECK-NEXT:          | F0 i | F1 j | F2 k   | replicated
// CHECK-NEXT: T0 %arg0 | "a"  | N    | closed | "g"
// CHECK-NEXT: T1 %arg1 | N    | "a"  |        |
// CHECK-NEXT: T2 %0    | +"a" |      | N      |
// BASIC-LABEL: stablehlo.dot_general at
//       BASIC: step 2:
//       BASIC: T2 %0    |      |      | N      |

func.func @parts(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a", ?}], unreduced={"b"}>})
    -> tensor<2x4xf32> {
  %0 = stablehlo.reshape %a : (tensor<8xf32>) -> tensor<2x4xf32>
  %1 = stablehlo.abs %0 : tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}
// CHECK-LABEL: stablehlo.reshape at
//       CHECK: T0 %arg0 | "a":(1)2  | "a":(2)2  |
//       CHECK: step 1: F0 i {"a":(1)2}, F1 j {"a":(2)2}
//       CHECK: T1 %0    | +"a":(1)2 | +"a":(2)2 |

// Nothing is known of the result of the reshape: no table for the abs.
// CHECK-NOT: stablehlo.abs

func.func @meshes(
    %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a", ?}]>},
    %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@other, [{"a", ?}]>}) -> tensor<8xf32> {
  %0 = stablehlo.multiply %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}
// CHECK-LABEL: stablehlo.multiply at
//  CHECK-NEXT: rule: ([i], [i])->([i]) {i=8}
//  CHECK-NEXT: tensors are on several meshes
