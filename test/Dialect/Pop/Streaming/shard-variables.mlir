// RUN: ipu-opt %s --split-input-file --pop-shard-variables="variables=optimizer min-elements=2" | FileCheck %s --check-prefixes=CHECK,STATE
// RUN: ipu-opt %s --split-input-file --pop-shard-variables="variables=optimizer,weights min-elements=2" | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: ipu-opt %s --split-input-file --pop-shard-variables="variables=optimizer,weights min-elements=2 exact" | FileCheck %s --check-prefix=EXACT

// The state of the optimizer is in parts (ZeRO-1): the gradients are scattered, each
// replica updates its part of the state and of the weight, and the new weight is
// gathered. If weights are in parts, too (ZeRO-3), the weight is gathered where it is
// needed, and a matmul needs it.

// STATE: pop.variable @w : {{.*}} = dense<5.000000e-01> : tensor<4x4xf32>{{$}}
// ALL: pop.variable @w : {{.*}} {sharding = #pop.replica_groups<stride = 1, size = 2>}
// CHECK: pop.variable @Accl___w : {{.*}} {sharding = #pop.replica_groups<stride = 1, size = 2>}
// CHECK-LABEL: func.func @adam
// STATE: %[[rw:.*]] = pop.get_variable @w : !pop.ref<4x4xf32>
// ALL: %[[rw:.*]] = pop.get_variable @w : !pop.ref<8xf32>
// CHECK: %[[rm:.*]] = pop.get_variable @Accl___w : !pop.ref<8xf32>
// STATE-NEXT: %[[w:.*]] = pop.read %[[rw]] : !pop.ref<4x4xf32>
// STATE-NEXT: %[[flat:.*]] = pop.reshape %[[w]] : tensor<4x4xf32> to tensor<16xf32>
// STATE-NEXT: %[[part:.*]] = pop.replica_slice %[[flat]] {{.*}} : tensor<16xf32> to tensor<8xf32>
// ALL-NEXT: %[[part:.*]] = pop.read %[[rw]] : !pop.ref<8xf32>
// ALL-NEXT: %[[gathered:.*]] = pop.all_gather %[[part]] {{.*}} : tensor<8xf32> to tensor<16xf32>
// ALL-NEXT: %[[w:.*]] = pop.reshape %[[gathered]] : tensor<16xf32> to tensor<4x4xf32>
// CHECK: pop.matmul %{{.*}}, %[[w]]
// CHECK: %[[g:.*]] = pop.reduce_scatter add %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<16xf32> to tensor<8xf32>
// CHECK-NOT: all_reduce
// CHECK: %[[m:.*]] = pop.read %[[rm]] : !pop.ref<8xf32>
// CHECK-NEXT: %[[n:.*]] = pop.accumulate moving_average %[[m]], %[[g]] {factor = 9.000000e-01 : f64} : tensor<8xf32>, tensor<8xf32>
// CHECK: %[[x:.*]] = pop.mul %[[n]], %{{.*}} : (tensor<8xf32>, tensor<f32>) -> tensor<8xf32>
// CHECK-NEXT: %[[new:.*]] = pop.sub %[[part]], %[[x]] : tensor<8xf32>
// STATE-NEXT: %[[all:.*]] = pop.all_gather %[[new]] {{.*}} : tensor<8xf32> to tensor<16xf32>
// STATE-NEXT: %[[whole:.*]] = pop.reshape %[[all]] : tensor<16xf32> to tensor<4x4xf32>
// STATE-NEXT: pop.copy_ %[[rw]], %[[whole]] : !pop.ref<4x4xf32>
// ALL-NEXT: pop.copy_ %[[rw]], %[[new]] : !pop.ref<8xf32>
// CHECK-NEXT: pop.copy_ %[[rm]], %[[n]] : !pop.ref<8xf32>
// CHECK-NEXT: return
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @w : tensor<4x4xf32> = dense<0.5> : tensor<4x4xf32>
  pop.variable @Accl___w : tensor<4x4xf32> = dense<0.0> : tensor<4x4xf32>
  pop.stream @x host_to_device : tensor<4x4xf32>
  func.func @adam() {
    %rw = pop.get_variable @w : !pop.ref<4x4xf32>
    %rm = pop.get_variable @Accl___w : !pop.ref<4x4xf32>
    %w = pop.read %rw : !pop.ref<4x4xf32>
    %x = pop.host_load @x : tensor<4x4xf32>
    %g = pop.matmul %x, %w : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
    %sum = pop.all_reduce add %g : tensor<4x4xf32>
    %m = pop.read %rm : !pop.ref<4x4xf32>
    %n = pop.accumulate moving_average %m, %sum {factor = 0.9 : f64} : tensor<4x4xf32>, tensor<4x4xf32>
    %lr = pop.constant dense<0.1> : tensor<f32>
    %step = pop.mul %n, %lr : (tensor<4x4xf32>, tensor<f32>) -> tensor<4x4xf32>
    %new = pop.sub %w, %step : tensor<4x4xf32>
    pop.copy_ %rw, %new : !pop.ref<4x4xf32>, tensor<4x4xf32>
    pop.copy_ %rm, %n : !pop.ref<4x4xf32>, tensor<4x4xf32>
    return
  }
}

// -----

// The norm of a tensor in parts is that of the parts, unless no sum may change its
// order. The maximum is exact.

// CHECK-LABEL: func.func @norm
// CHECK: %[[m:.*]] = pop.read %{{.*}} : !pop.ref<4xf32>
// CHECK-NEXT: %[[square:.*]] = pop.mul %[[m]], %[[m]] : tensor<4xf32>
// CHECK-NEXT: %[[sum:.*]] = pop.reduce sum %[[square]] {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
// CHECK-NEXT: %[[norm:.*]] = pop.all_reduce add %[[sum]] {{.*}} : tensor<f32>
// CHECK-NEXT: %[[max:.*]] = pop.reduce max %[[square]]
// CHECK-NEXT: pop.all_reduce max %[[max]]
// CHECK: pop.div %[[m]], %[[norm]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NOT: all_gather
// EXACT-LABEL: func.func @norm
// EXACT: %[[square:.*]] = pop.mul %{{.*}} : tensor<4xf32>
// EXACT-NEXT: %[[flat:.*]] = pop.all_gather %[[square]]
// EXACT-NEXT: %[[whole:.*]] = pop.reshape %[[flat]] : tensor<8xf32> to tensor<2x4xf32>
// EXACT-NEXT: pop.reduce sum %[[whole]] {axes = array<i64: 0, 1>}
// EXACT-NEXT: %[[max:.*]] = pop.reduce max %[[square]]
// EXACT-NEXT: pop.all_reduce max %[[max]]
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @Accl___w : tensor<2x4xf32> = dense<0.0> : tensor<2x4xf32>
  pop.stream @y device_to_host : tensor<f32>
  func.func @norm() {
    %rm = pop.get_variable @Accl___w : !pop.ref<2x4xf32>
    %m = pop.read %rm : !pop.ref<2x4xf32>
    %square = pop.mul %m, %m : tensor<2x4xf32>
    %norm = pop.reduce sum %square {axes = array<i64: 0, 1>} : tensor<2x4xf32> -> tensor<f32>
    %max = pop.reduce max %square {axes = array<i64: 0, 1>} : tensor<2x4xf32> -> tensor<f32>
    %n = pop.div %m, %norm : (tensor<2x4xf32>, tensor<f32>) -> tensor<2x4xf32>
    pop.copy_ %rm, %n : !pop.ref<2x4xf32>, tensor<2x4xf32>
    pop.host_store %max, @y : tensor<f32>
    return
  }
}

// -----

// An op whose operand may differ between replicas is executed for the whole tensor, and
// so is an op that rounds with random bits.

// CHECK-LABEL: func.func @different
// CHECK: %[[m:.*]] = pop.reshape %{{.*}} : tensor<8xf16> to tensor<2x4xf16>
// CHECK: pop.mul %[[m]], %{{.*}} : tensor<2x4xf16>
// CHECK: %[[n:.*]] = pop.add %[[m]], %[[m]] {{.*}} : tensor<2x4xf16>
// CHECK-NEXT: %[[flat:.*]] = pop.reshape %[[n]] : tensor<2x4xf16> to tensor<8xf16>
// CHECK-NEXT: %[[part:.*]] = pop.replica_slice %[[flat]]
// CHECK: pop.copy_ %{{.*}}, %[[part]]
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @Accl___w : tensor<2x4xf16> = dense<0.0> : tensor<2x4xf16>
  pop.stream @x host_to_device : tensor<2x4xf16>
  pop.stream @y device_to_host : tensor<2x4xf16>
  func.func @different() {
    %rm = pop.get_variable @Accl___w : !pop.ref<2x4xf16>
    %m = pop.read %rm : !pop.ref<2x4xf16>
    %x = pop.host_load @x : tensor<2x4xf16>
    %y = pop.mul %m, %x {pop.draw = #pop.draw<0>} : tensor<2x4xf16>
    %n = pop.add %m, %m {pop.draw = #pop.draw<1>} : tensor<2x4xf16>
    pop.copy_ %rm, %n : !pop.ref<2x4xf16>, tensor<2x4xf16>
    pop.host_store %y, @y : tensor<2x4xf16>
    return
  }
}

// -----

// The maximum is computed in a branch that replicas decide differently, so the whole
// tensor is gathered before it.

// CHECK-LABEL: func.func @branch
// CHECK: pop.all_gather
// CHECK: scf.if
// CHECK-NEXT: pop.reduce max %{{.*}} : tensor<8xf32> -> tensor<f32>
// CHECK-NOT: all_reduce
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  pop.variable @n : tensor<i32> = dense<[0, 1]> : tensor<2xi32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @Accl___w : tensor<8xf32> = dense<1.0> : tensor<8xf32>
  pop.stream @y device_to_host : tensor<f32>
  func.func @branch() {
    %one = pop.constant dense<1> : tensor<i32>
    %rn = pop.get_variable @n : !pop.ref<i32>
    %rw = pop.get_variable @Accl___w : !pop.ref<8xf32>
    %n = pop.read %rn : !pop.ref<i32>
    %w = pop.read %rw : !pop.ref<8xf32>
    %c = pop.equal %n, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %p = tensor.extract %c[] : tensor<i1>
    scf.if %p {
      %m = pop.reduce max %w {axes = array<i64: 0>} : tensor<8xf32> -> tensor<f32>
      pop.host_store %m, @y : tensor<f32>
    }
    return
  }
}
