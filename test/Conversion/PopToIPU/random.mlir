// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-map-tensors,convert-pop-to-ipu)' | FileCheck %s

// Every vertex has the whole seed; the words of an element follow from its number
// in the result, wherever it lies.

// CHECK: #[[$SEED:.*]] = #ipu.map<[2], grid = [4], blocks = [all]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK: ipu.vertices @random_uniform_ui32_f32 ins(%{{.*}} : memref<2xi32, #{{.*}}>) outs(%{{.*}} : memref<4x4xf32, #[[OUT:.*]]>) access [#[[$SEED]], #[[OUT]]]
  // CHECK: ipu.codelet @random_uniform_ui32_f32(%[[S:.*]]: memref<?xi32, {{.*}}>, %[[Y:.*]]: memref<?xf32, {{.*}}>) inputs 1 cost <vector, supervisor = 4, worker = 22, cycles = 4, per = 2> {
  // CHECK: %[[K0:.*]] = memref.load %[[S]][%c0]
  // CHECK: %[[K1:.*]] = memref.load %[[S]][%c1]
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} outs(%[[Y]] :
  // CHECK: %[[I:.*]] = linalg.index 0
  // CHECK: %[[N:.*]] = ipu.element_number %[[Y]][%[[I]]]
  // CHECK: %[[W:.*]], %{{.*}}, %{{.*}}, %{{.*}} = ipu.philox key(%[[K0]], %[[K1]]) counter(%[[N]], %[[ZERO:.*]], %[[ZERO]], %[[OP:.*]])
  // CHECK: %[[M:.*]] = arith.shrui %[[W]], %c8_i32
  // CHECK: arith.uitofp %[[M]] : i32 to f32
  func.func @main(%seed: tensor<2xui32>) -> tensor<4x4xf32> {
    %0 = pop.random_uniform %seed : tensor<2xui32> -> tensor<4x4xf32>
    return %0 : tensor<4x4xf32>
  }
}

// -----

// The cost is that of the result's type, not of the seed's. Where words are hashed
// for, codelets tell ops apart.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK: ipu.codelet @random_bernoulli_ui32_i1
  // CHECK: arith.constant -2147483646 : i32
  // CHECK: ipu.codelet @random_normal_ui32_f16
  // CHECK-SAME: cost <vector, supervisor = 4, worker = 22, cycles = 4, per = 4>
  // CHECK: arith.constant -2147483647 : i32
  // CHECK: math.log %{{.*}} : f64
  // Narrow floats by way of f32.
  // CHECK: %[[Z:.*]] = arith.truncf %{{.*}} : f64 to f32
  // CHECK: arith.truncf %[[Z]] : f32 to f16
  func.func @main(%seed: tensor<2xui32>) -> (tensor<8xi1>, tensor<f16>) {
    %0 = pop.random_bernoulli %seed, 0.5 : tensor<2xui32> -> tensor<8xi1>
    %1 = pop.random_normal %seed : tensor<2xui32> -> tensor<f16>
    return %0, %1 : tensor<8xi1>, tensor<f16>
  }
}

// -----

// An element of the input lies where that of the result does.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK: ipu.vertices @dropout_f16_ui32_f16 {{.*}} access [#[[MAP:.*]], #{{.*}}, #[[MAP]]]
  // CHECK: ipu.codelet @dropout_f16_ui32_f16
  // CHECK: ^bb0(%[[X:.*]]: f16, %{{.*}}: f16):
  // CHECK: %[[WIDE:.*]] = arith.extf %[[X]] : f16 to f32
  // CHECK: %[[DROPPED:.*]] = arith.cmpi ult
  // CHECK: %[[SCALED:.*]] = arith.mulf %[[WIDE]]
  // CHECK: arith.select %[[DROPPED]], %{{.*}}, %[[SCALED]] : f32
  func.func @main(%x: tensor<16xf16>, %seed: tensor<2xui32>) -> tensor<16xf16> {
    %0 = pop.dropout %x, %seed, 0.5 : tensor<16xf16>, tensor<2xui32>
    return %0 : tensor<16xf16>
  }
}

// -----

// Two elements share a hash.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  // CHECK-LABEL: func.func @main
  // CHECK: ipu.codelet @split_seed_ui32
  // CHECK: %[[N:.*]] = ipu.element_number
  // CHECK: %[[I:.*]] = arith.shrui %[[N]], %c1_i32
  // CHECK: %[[W0:.*]], %[[W1:.*]], %{{.*}}, %{{.*}} = ipu.philox {{.*}} counter(%[[I]], %
  // CHECK: %[[ODD:.*]] = arith.trunci %[[N]] : i32 to i1
  // CHECK: arith.select %[[ODD]], %[[W1]], %[[W0]] : i32
  func.func @main(%seed: tensor<2xui32>) -> tensor<3x2xui32> {
    %0 = pop.split_seed %seed : tensor<2xui32> -> tensor<3x2xui32>
    return %0 : tensor<3x2xui32>
  }
}
