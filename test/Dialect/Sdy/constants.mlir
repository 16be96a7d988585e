// RUN: ipu-opt %s --sdy-constant-or-scalar-splitter | FileCheck %s --check-prefixes=CHECK,SPLIT
// RUN: ipu-opt %s --sdy-constant-or-scalar-splitter --sdy-constant-or-scalar-merger | FileCheck %s --check-prefixes=CHECK,MERGE

// Constants of any dialect, and what is computed from nothing else, have a copy
// for each use while shardings propagate; afterwards the constants are one.

// CHECK-LABEL: func.func @arith(
// SPLIT-DAG: %[[C0:.*]] = arith.constant dense<2.000000e+00>
// SPLIT-DAG: %[[C1:.*]] = arith.constant dense<2.000000e+00>
// SPLIT-DAG: math.exp %[[C0]]
// SPLIT-DAG: math.exp %[[C1]]
// MERGE: %[[C:.*]] = arith.constant
// MERGE-NOT: arith.constant
// MERGE: %[[E:.*]] = math.exp %[[C]]
// MERGE: %[[F:.*]] = math.exp %[[C]]
// MERGE: arith.addf %arg0, %[[E]]
// MERGE: arith.mulf %arg0, %[[F]]
func.func @arith(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = arith.constant dense<2.0> : tensor<8x8xf32>
  %d = math.exp %c : tensor<8x8xf32>
  %0 = arith.addf %a, %d : tensor<8x8xf32>
  %1 = arith.mulf %a, %d : tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// Scalars are not copied.
// CHECK-LABEL: func.func @linalg(
// CHECK: %[[Z:.*]] = arith.constant 0.000000e+00 : f32
// SPLIT-COUNT-6: tensor.empty
// SPLIT-COUNT-2: linalg.fill ins(%[[Z]]
// SPLIT-COUNT-2: linalg.fill ins(%arg1
// MERGE: %[[E:.*]] = tensor.empty
// MERGE-NEXT: %[[F:.*]] = linalg.fill ins(%[[Z]] : f32) outs(%[[E]]
// MERGE-NEXT: %[[G:.*]] = linalg.fill ins(%arg1 : f32) outs(%[[E]]
// MERGE-NEXT: linalg.matmul {{.*}} outs(%[[F]]
// MERGE-NEXT: linalg.matmul {{.*}} outs(%[[F]]
// MERGE-NEXT: linalg.add ins(%{{.*}}, %[[G]] {{.*}} outs(%[[E]]
// MERGE-NEXT: linalg.add ins(%{{.*}}, %[[G]] {{.*}} outs(%[[E]]
func.func @linalg(%a: tensor<8x8xf32>, %x: f32) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %z = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<8x8xf32>
  %f = linalg.fill ins(%z : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %g = linalg.fill ins(%x : f32) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %0 = linalg.matmul ins(%a, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = linalg.matmul ins(%0, %a : tensor<8x8xf32>, tensor<8x8xf32>) outs(%f : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.add ins(%0, %g : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = linalg.add ins(%2, %g : tensor<8x8xf32>, tensor<8x8xf32>) outs(%e : tensor<8x8xf32>) -> tensor<8x8xf32>
  return %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @tosa(
// SPLIT-COUNT-2: "tosa.const"
// MERGE-COUNT-1: "tosa.const"
// CHECK-NEXT: tosa.add
func.func @tosa(%a: tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = "tosa.const"() <{values = dense<1.0> : tensor<8x8xf32>}> : () -> tensor<8x8xf32>
  %0 = tosa.add %a, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = tosa.sub %a, %c : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1 : tensor<8x8xf32>, tensor<8x8xf32>
}

// CHECK-LABEL: func.func @pop(
// SPLIT-COUNT-2: pop.constant
// SPLIT-COUNT-2: pop.expand %{{.*}} : tensor<8xf32>
// SPLIT-COUNT-2: pop.expand %arg1 : tensor<f32>
// MERGE-COUNT-1: pop.constant
// MERGE-COUNT-2: pop.expand %{{.*}} : tensor<8xf32>
// MERGE-COUNT-1: pop.expand %arg1 : tensor<f32>
// CHECK-NEXT: pop.add
func.func @pop(%a: tensor<8x8xf32>, %s: tensor<f32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>) {
  %c = pop.constant dense<1.0> : tensor<8xf32>
  %d = pop.expand %c : tensor<8xf32> to tensor<8x8xf32>
  %e = pop.expand %s : tensor<f32> to tensor<8x8xf32>
  %0 = pop.add %a, %d : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %1 = pop.sub %a, %d : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = pop.mul %a, %e : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = pop.div %a, %e : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  return %0, %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>, tensor<8x8xf32>
}

// A region that uses what is no constant.
// CHECK-LABEL: func.func @captured(
// CHECK-COUNT-1: linalg.map
// CHECK-NOT: linalg.map
func.func @captured(%x: f32) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %m = linalg.map ins(%c : tensor<8xf32>) outs(%c : tensor<8xf32>) (%v: f32, %o: f32) {
    %n = arith.mulf %v, %x : f32
    linalg.yield %n : f32
  }
  %0 = math.tanh %m : tensor<8xf32>
  %1 = math.exp %m : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// With other shardings they stay apart.
// CHECK-LABEL: func.func @apart(
// CHECK-COUNT-2: = arith.constant
func.func @apart(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %c = arith.constant {sdy.sharding = #sdy.sharding_per_value<[<mesh<["x"=2]>, [{"x"}]>]>} dense<2.0> : tensor<8xf32>
  %d = arith.constant dense<2.0> : tensor<8xf32>
  %0 = arith.addf %a, %c : tensor<8xf32>
  %1 = arith.mulf %a, %d : tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}

// Tensors of unknown size have no sharding.
// CHECK-LABEL: func.func @dynamic(
// CHECK-COUNT-1: tensor.empty
// CHECK-NOT: tensor.empty
func.func @dynamic(%n: index, %x: f32) -> (tensor<?xf32>, tensor<?xf32>) {
  %e = tensor.empty(%n) : tensor<?xf32>
  %0 = linalg.exp ins(%e : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  %1 = linalg.exp ins(%0 : tensor<?xf32>) outs(%e : tensor<?xf32>) -> tensor<?xf32>
  return %0, %1 : tensor<?xf32>, tensor<?xf32>
}
