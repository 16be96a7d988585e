// RUN: rm -rf %t
// RUN: ipu-opt %s --sdy-propagation-pipeline="module-dump-directory=%t/in enable-insert-explicit-collectives" -o %t.out
// RUN: ls %t/in | FileCheck %s --check-prefix=FILES
// RUN: FileCheck %s --check-prefix=BEFORE < %t/in/0_before_propagation.mlir
// RUN: FileCheck %s --check-prefix=FIRST < %t/in/1_propagation_after_user_priority_0.mlir
// RUN: FileCheck %s --check-prefix=SECOND < %t/in/1_propagation_after_user_priority_2.mlir
// RUN: FileCheck %s --check-prefix=AFTER < %t/in/2_after_propagation.mlir

// RUN: ipu-opt %s --sdy-save-module-op="module-dump-directory=%t file-name=one" -o %t.out
// RUN: cmp %t/one.mlir %t.out

// A file is no directory.
// RUN: not ipu-opt %s --sdy-propagation-pipeline=module-dump-directory=%t/one.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not ipu-opt %s --sdy-save-module-op=module-dump-directory=%t/one.mlir/sub 2>&1 | FileCheck %s --check-prefix=SUB
// SUB: error: cannot make the directory '{{.*}}sub' for dumps: Not a directory
// ERROR: error: cannot dump the module: cannot open output file '{{.*}}': Not a directory

// FILES: 0_before_propagation.mlir
// FILES-NEXT: 1_propagation_after_user_priority_0.mlir
// FILES-NEXT: 1_propagation_after_user_priority_2.mlir
// FILES-NEXT: 2_after_propagation.mlir
// FILES-NEXT: 3_after_explicit_reshards.mlir

sdy.mesh @mesh = <["x"=2, "y"=2]>

// BEFORE: %arg0: {{.*}}[{"x"}p2, {?}]
// FIRST:  %arg0: {{.*}}[{}, {"y", ?}], replicated={"x"}
// SECOND: %arg0: {{.*}}[{"x"}, {"y", ?}]
// SECOND: sdy.sharding_group
// AFTER:  %arg0: {{.*}}[{"x"}, {"y"}]
// AFTER-NOT: sdy.sharding_group
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}p2, {?}]>},
                %b: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y"}]>}) -> tensor<8x8xf32> {
  %0 = stablehlo.add %a, %b : tensor<8x8xf32>
  sdy.sharding_group %0 group_id = 0 : tensor<8x8xf32>
  return %0 : tensor<8x8xf32>
}
