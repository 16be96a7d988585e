// A program with shardings that nothing has partitioned runs whole on every
// replica: the user is warned.

// RUN: ipu-run %s --input x=ones --replicas 2 2>&1 | FileCheck %s --check-prefix=TWO
// TWO: sharded-replicas.mlir:[[#]]:{{[0-9]+}}: warning: 'func.func' op argument 0 is sharded as #sdy.sharding<@mesh, [{"a"}]>, but the program is not partitioned: each of the 2 replicas computes the whole program
// TWO: result0 : tensor<4xf32>
// RUN: ipu-opt %s --sdy-propagation-pipeline | ipu-run - --input x=ones --replicas 2 2>&1 | FileCheck %s --check-prefix=PROPAGATED
// PROPAGATED: warning: {{.*}} the whole program; 3 values are sharded
// RUN: ipu-run %s --input x=ones 2>&1 | FileCheck %s --check-prefix=ONE
// ONE-NOT: warning
// ONE: result0 : tensor<4xf32>

sdy.mesh @mesh = <["a"=2]>
func.func @main(%x: tensor<4xf32> {pop.name = "x", sdy.sharding = #sdy.sharding<@mesh, [{"a"}]>}) -> tensor<4xf32> {
  %0 = pop.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
