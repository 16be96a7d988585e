// RUN: ipu-opt %s --sdy-inline-meshes | FileCheck %s
// RUN: ipu-opt %s --sdy-inline-meshes --sdy-lift-inlined-meshes | FileCheck %s --check-prefix=LIFTED
// RUN: ipu-opt %s --sdy-export-pipeline=inline-meshes | FileCheck %s

// CHECK-NOT: sdy.mesh
// LIFTED: sdy.mesh @mesh_0 = <["x"=2], device_ids=[1, 0]>
// LIFTED: sdy.mesh @mesh = <["x"=2]>
sdy.mesh @turned = <["x"=2], device_ids=[1, 0]>
sdy.mesh @m = <["x"=2]>
sdy.mesh @twin = <["x"=2]>
sdy.mesh @unused = <["y"=2]>

// CHECK-LABEL: func @values
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2]>, [{"x"}]>}
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>})
// LIFTED: #sdy.sharding<@mesh, [{"x"}]>
// LIFTED: #sdy.sharding<@mesh_0, [{"x"}]>
func.func @values(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>})
    -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@turned, [{"x"}]>}) {
  // CHECK: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>}
  %0 = stablehlo.negate %a {sdy.sharding = #sdy.sharding_per_value<[<@twin, [{"x"}]>]>} : tensor<8xf32>
  // CHECK: sdy.reshard %{{.*}} <mesh<["x"=2], device_ids=[1, 0]>, [{"x"}]>
  %1 = sdy.reshard %0 <@turned, [{"x"}]> : tensor<8xf32>
  return %1 : tensor<8xf32>
}
