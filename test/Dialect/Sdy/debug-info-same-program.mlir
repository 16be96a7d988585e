// The attributes that tell where axes come from make no other program.
// RUN: rm -rf %t && split-file %s %t
// RUN: ipu-opt %t/constants.mlir --sdy-propagation-pipeline -o %t/constants.plain
// RUN: ipu-opt %t/constants.mlir --sdy-propagation-pipeline="dump-sharding-origins dump-propagation-edges" | diff %t/constants.plain -
// RUN: ipu-opt %t/constants.mlir --sdy-propagation-pipeline=debug-sharding-origins -o %t/constants.debug
// RUN: FileCheck %t/constants.mlir --input-file=%t/constants.debug
// RUN: ipu-opt %t/constants.debug --sdy-remove-propagation-debug-info | diff %t/constants.plain -

// RUN: ipu-opt %t/scalars.mlir --sdy-propagation-pipeline=enable-insert-explicit-collectives -o %t/scalars.plain
// RUN: ipu-opt %t/scalars.mlir --sdy-propagation-pipeline="enable-insert-explicit-collectives dump-sharding-origins" | diff %t/scalars.plain -
// RUN: ipu-opt %t/scalars.mlir --sdy-propagation-pipeline="enable-insert-explicit-collectives debug-sharding-origins debug-propagation-edge-sharding" \
// RUN:   --sdy-remove-propagation-debug-info | diff %t/scalars.plain -
// RUN: FileCheck %t/scalars.mlir --input-file=%t/scalars.plain

// RUN: ipu-opt %t/calls.mlir --sdy-propagation-pipeline=inline-calls=false -o %t/calls.plain
// RUN: ipu-opt %t/calls.mlir --sdy-propagation-pipeline="inline-calls=false dump-sharding-origins dump-propagation-edges" | diff %t/calls.plain -
// RUN: ipu-opt %t/calls.mlir --sdy-propagation-pipeline="inline-calls=false debug-sharding-origins" -o %t/calls.debug
// RUN: FileCheck %t/calls.mlir --input-file=%t/calls.debug
// RUN: ipu-opt %t/calls.debug --sdy-remove-propagation-debug-info | diff %t/calls.plain -

// RUN: ipu-opt %t/names.mlir --sdy-constant-or-scalar-merger | FileCheck %t/names.mlir

//--- constants.mlir

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The constant that is left is the one that the others name.
// CHECK: func.func @main(
// CHECK-SAME: sdy.sharding_origins = {x = "op_0: 0"}
// CHECK: sdy.constant {{.*}}sdy.sharding_origin_name = "op_0", sdy.sharding_origins = [{x = "self"}]
// CHECK-NOT: sdy.constant
// CHECK-NOT: op_1
// CHECK: stablehlo.divide {{.*}}sdy.sharding_origins = [{x = "op_0: 0"}]
func.func @main(%a: tensor<6x4xf32>, %b: tensor<6x4xf32>) -> (tensor<6x4xf32>, tensor<6x4xf32>) {
  %0 = stablehlo.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} dense<3.0> : tensor<6x4xf32>
  %1 = stablehlo.subtract %a, %0 : tensor<6x4xf32>
  %2 = stablehlo.divide %b, %0 : tensor<6x4xf32>
  return %1, %2 : tensor<6x4xf32>, tensor<6x4xf32>
}

//--- scalars.mlir

sdy.mesh @mesh = <["x"=2, "y"=4]>

// One broadcast of each sharding, which two ops use.
// CHECK: stablehlo.broadcast_in_dim
// CHECK: stablehlo.broadcast_in_dim
// CHECK-NOT: stablehlo.broadcast_in_dim
func.func @main(%s: tensor<f32>, %a: tensor<8x12xf32>)
    -> (tensor<8x12xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {}], unreduced={"y"}>}, tensor<8x12xf32>, tensor<8x12xf32>) {
  %0 = stablehlo.broadcast_in_dim %s, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}], unreduced={"y"}>]>} : (tensor<f32>) -> tensor<8x12xf32>
  %1 = stablehlo.add %0, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {}], unreduced={"y"}>]>} : tensor<8x12xf32>
  %2 = stablehlo.broadcast_in_dim %s, dims = [] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<f32>) -> tensor<8x12xf32>
  %3 = stablehlo.maximum %a, %2 : tensor<8x12xf32>
  %4 = stablehlo.minimum %a, %2 : tensor<8x12xf32>
  return %1, %3, %4 : tensor<8x12xf32>, tensor<8x12xf32>, tensor<8x12xf32>
}

//--- calls.mlir

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Both calls call one function; what came from an op of the other copy comes
// from that of the one that is left.
// CHECK: func.func @main(
// CHECK: call @f(
// CHECK: call @f(
// CHECK: stablehlo.negate {{.*}}sdy.sharding_origins = [{x = "[[NAME:op_[0-9]+]]: 0"}]
// CHECK: stablehlo.cosine {{.*}}sdy.sharding_origins = [{x = "[[NAME]]: 0"}]
// CHECK: func.func private @f(
// CHECK: stablehlo.sine {{.*}}sdy.sharding_origin_name = "[[NAME]]", sdy.sharding_origins = [{x = "self"}]
// CHECK-NOT: func.func
func.func @main(%a: tensor<10x4xf32>, %b: tensor<10x4xf32>) -> (tensor<10x4xf32>, tensor<10x4xf32>) {
  %0 = call @f(%a) : (tensor<10x4xf32>) -> tensor<10x4xf32>
  %1 = call @f(%b) : (tensor<10x4xf32>) -> tensor<10x4xf32>
  %2 = stablehlo.negate %0 : tensor<10x4xf32>
  %3 = stablehlo.cosine %1 : tensor<10x4xf32>
  return %2, %3 : tensor<10x4xf32>, tensor<10x4xf32>
}
func.func private @f(%a: tensor<10x4xf32>) -> tensor<10x4xf32> {
  %0 = stablehlo.sine %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x", ?}, {?}]>]>} : tensor<10x4xf32>
  return %0 : tensor<10x4xf32>
}

//--- names.mlir

sdy.mesh @mesh = <["x"=2, "y"=2]>

// A constant without a name gets that of the one that is merged into it; what
// had come to it from there is its own now. Other attributes still tell
// constants apart.
// CHECK: func.func @main(
// CHECK-SAME: sdy.sharding_origins = {x = "mine: 0"}
// CHECK: sdy.constant {{.*}}sdy.sharding_origin_name = "mine", sdy.sharding_origins = [{x = "self"}]{{.*}} dense<1.0
// CHECK: sdy.constant {{{.*}}layer = 1
// CHECK-NOT: sdy.constant
func.func @main(%a: tensor<4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>, sdy.sharding_origins = {x = "mine: 0"}})
    -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origins = [{x = "mine: 0"}]} dense<1.0> : tensor<4xf32>
  %1 = sdy.constant {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>, sdy.sharding_origin_name = "mine", sdy.sharding_origins = [{x = "self"}]} dense<1.0> : tensor<4xf32>
  %2 = sdy.constant {layer = 1 : i64, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} dense<1.0> : tensor<4xf32>
  %3 = stablehlo.add %a, %0 : tensor<4xf32>
  %4 = stablehlo.add %3, %1 : tensor<4xf32>
  %5 = stablehlo.add %4, %2 : tensor<4xf32>
  return %4, %5 : tensor<4xf32>, tensor<4xf32>
}
