// RUN: ipu-opt %s --split-input-file --allow-unregistered-dialect --sdy-verify-unreduced-axes --sdy-insert-explicit-reshards=enable-full-version=true | FileCheck %s
// RUN: ipu-opt %s --split-input-file --allow-unregistered-dialect --sdy-add-data-flow-edges --sdy-add-func-data-flow-edges | FileCheck %s --check-prefix=EDGES

// Of an op of no known dialect nothing is known.
sdy.mesh @m = <["x"=2]>

// CHECK-LABEL: func.func @op
// EDGES-LABEL: func.func @op
func.func @op(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}]>}) -> tensor<8xf32> {
  // CHECK: %[[R:.*]] = "unk.op"(%arg0)
  %0 = "unk.op"(%a) : (tensor<8xf32>) -> tensor<8xf32>
  // CHECK: sdy.data_flow_edge %[[R]]
  %1 = sdy.data_flow_edge %0 : tensor<8xf32>
  return %1 : tensor<8xf32>
}

// -----

// CHECK-LABEL: func.func @in_a_reduction
// EDGES-LABEL: func.func @in_a_reduction
func.func @in_a_reduction(%a: tensor<8xf32>, %init: tensor<f32>) -> tensor<f32> {
  // CHECK: "unk.combine"
  %0 = stablehlo.reduce(%a init: %init) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %1 = "unk.combine"(%x, %y) : (tensor<f32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %1 : tensor<f32>
  }
  return %0 : tensor<f32>
}

// -----

// No shardings, and no sdy dialect loaded: a rule is written all the same where
// it depends on what operands come from.
// CHECK-LABEL: func.func @without_shardings
// EDGES-LABEL: func.func @without_shardings
func.func @without_shardings(%a: tensor<8xf32>) -> tensor<8xf32> {
  // CHECK: stablehlo.negate
  %0 = stablehlo.negate %a : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Only tensors have edges.
func.func private @callee(%a: vector<4xf32>, %b: tensor<4xf32>) -> (vector<4xf32>, tensor<4xf32>) {
  return %a, %b : vector<4xf32>, tensor<4xf32>
}
// CHECK-LABEL: func.func @call
// EDGES-LABEL: func.func @call
// EDGES: call @callee
// EDGES-NEXT: sdy.func_data_flow_edge %{{.*}}#1 : tensor<4xf32>
func.func @call(%a: vector<4xf32>, %b: tensor<4xf32>) -> (vector<4xf32>, tensor<4xf32>) {
  %0:2 = func.call @callee(%a, %b) : (vector<4xf32>, tensor<4xf32>) -> (vector<4xf32>, tensor<4xf32>)
  return %0#0, %0#1 : vector<4xf32>, tensor<4xf32>
}
func.func @main() { return }
