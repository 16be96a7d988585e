// RUN: rm -rf %t && ipu-opt %s --sdy-propagation-pipeline="dump-sharding-origins dump-propagation-edges module-dump-directory=%t" | FileCheck %s --implicit-check-not=origin --implicit-check-not=edges --check-prefix=END
// RUN: cat %t/2_after_propagation.mlir | FileCheck %s
// RUN: rm -rf %t && ipu-opt %s --sdy-import-pipeline=debug-sharding-origins --sdy-user-priority-propagate=debug-sharding-origins \
// RUN:   --sdy-export-pipeline="dump-sharding-origins module-dump-directory=%t" | FileCheck %s --implicit-check-not=origin --implicit-check-not=edges --check-prefix=END
// RUN: cat %t/2_after_propagation.mlir | FileCheck %s --check-prefixes=EXPORT --implicit-check-not=edges
// RUN: ipu-opt %s --sdy-propagation-pipeline="debug-sharding-origins dump-propagation-edges" | FileCheck %s

sdy.mesh @mesh = <["a"=2]>

// Dumped modules tell where axes come from, the result does not.
// END: func.func @main
// END: stablehlo.while
// CHECK: func.func @main({{.*}}sdy.sharding_origins = {a = "self"}
// CHECK: stablehlo.while
// CHECK-SAME: sdy.result_propagation_edges = [
// CHECK-SAME: sdy.result_sharding_origins = [{}, {a = "input: 0"}]
// EXPORT: sdy.result_sharding_origins = [{}, {a = "input: 0"}]
func.func @main(%x: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}, %n: tensor<i32>) -> tensor<8xf32> {
  %0:2 = stablehlo.while(%i = %n, %y = %x) : tensor<i32>, tensor<8xf32> cond {
    %1 = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %1 = stablehlo.negate %y : tensor<8xf32>
    stablehlo.return %i, %1 : tensor<i32>, tensor<8xf32>
  }
  return %0#1 : tensor<8xf32>
}
