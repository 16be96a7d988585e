// RUN: ipu-opt %s --allow-unregistered-dialect --sdy-basic-propagate | FileCheck %s
// RUN: ipu-opt %s --allow-unregistered-dialect --sdy-propagation-pipeline | FileCheck %s

// From a region of an op that is not known meshes cannot be looked up: what is
// in it stays as it is.
sdy.mesh @m = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x", ?}, {?}]>}) -> tensor<8x8xf32> {
  // CHECK: "unk.region"
  %r = "unk.region"(%a) ({
    // CHECK: stablehlo.add %arg0, %arg0 : tensor<8x8xf32>
    %1 = stablehlo.add %a, %a : tensor<8x8xf32>
    "unk.yield"(%1) : (tensor<8x8xf32>) -> ()
  }) : (tensor<8x8xf32>) -> tensor<8x8xf32>
  // CHECK: stablehlo.negate %arg0 {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"
  %2 = stablehlo.negate %a : tensor<8x8xf32>
  return %2 : tensor<8x8xf32>
}
