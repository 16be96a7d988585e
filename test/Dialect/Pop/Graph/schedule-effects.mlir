// RUN: ipu-opt %s --split-input-file --pop-schedule | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-schedule --verify-contracts -o /dev/null

pop.variable @w : tensor<64x64xf32> = dense<1.0> : tensor<64x64xf32>
pop.stream @x host_to_device : tensor<64x64xf32>
pop.stream @y device_to_host : tensor<64xf32>
pop.stream @z device_to_host : tensor<64xf32>
pop.remote_buffer @b : 2 x tensor<64x64xf32>

// Loads of a stream stay in order. Each load is directly before its use.
//
// CHECK-LABEL: func.func @streams(
// CHECK-NEXT:    %[[A:.+]] = pop.host_load @x
// CHECK-NEXT:    %[[MAX:.+]] = pop.reduce max %[[A]]
// CHECK-NEXT:    %[[B:.+]] = pop.host_load @x
// CHECK-NEXT:    %[[MIN:.+]] = pop.reduce min %[[B]]
// CHECK-NEXT:    pop.sub %[[MIN]], %[[MAX]]
func.func @streams() -> tensor<64xf32> {
  %a = pop.host_load @x : tensor<64x64xf32>
  %b = pop.host_load @x : tensor<64x64xf32>
  %min = pop.reduce min %b {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %max = pop.reduce max %a {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %0 = pop.sub %min, %max : tensor<64xf32>
  return %0 : tensor<64xf32>
}

// The store of the sum would be better before the load. It stays after a load of
// the same row, but not after a load of the other row.
//
// CHECK-LABEL: func.func @row(
// CHECK-NEXT:    pop.remote_load @b[0]
// CHECK-NEXT:    pop.reduce
// CHECK-NEXT:    pop.add
// CHECK-NEXT:    pop.remote_store
// CHECK-LABEL: func.func @other_row(
// CHECK-NEXT:    pop.add
// CHECK-NEXT:    pop.remote_store
// CHECK-NEXT:    pop.remote_load @b[1]
// CHECK-NEXT:    pop.reduce
func.func @row(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64xf32> {
  %0 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = pop.remote_load @b[0] : tensor<64x64xf32>
  pop.remote_store %0, @b[0] : tensor<64x64xf32>
  %2 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  return %2 : tensor<64xf32>
}
func.func @other_row(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64xf32> {
  %0 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = pop.remote_load @b[1] : tensor<64x64xf32>
  pop.remote_store %0, @b[0] : tensor<64x64xf32>
  %2 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  return %2 : tensor<64xf32>
}

// The first maximum is of the old weight: the read shares the storage of the
// variable, so that its use stays before the write. The second read is used
// after another write, so that the tensor is copied, and its use may move.
//
// CHECK-LABEL: func.func @refs(
// CHECK:         %[[OLD:.+]] = pop.read
// CHECK-NEXT:    pop.reduce max %[[OLD]]
// CHECK:         pop.exp_
// CHECK:         %[[NEW:.+]] = pop.read
// CHECK-NOT:     pop.read
// CHECK:         pop.abs_
func.func @refs() -> (tensor<64xf32>, tensor<64xf32>) {
  %w = pop.get_variable @w : !pop.ref<64x64xf32>
  %old = pop.read %w : !pop.ref<64x64xf32>
  %0 = pop.reduce max %old {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  pop.exp_ %w : !pop.ref<64x64xf32>
  %new = pop.read %w : !pop.ref<64x64xf32>
  pop.abs_ %w : !pop.ref<64x64xf32>
  %1 = pop.reduce max %new {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  return %0, %1 : tensor<64xf32>, tensor<64xf32>
}

// An op of another dialect has unknown effects.
//
// CHECK-LABEL: func.func @asserts(
// CHECK:         pop.host_load
// CHECK:         cf.assert
// CHECK:         pop.host_store
func.func @asserts(%c: i1) {
  %a = pop.host_load @x : tensor<64x64xf32>
  cf.assert %c, "true"
  %0 = pop.reduce max %a {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  pop.host_store %0, @y : tensor<64xf32>
  return
}

// A load of code stays between the call before it and the call after it.
//
// CHECK-LABEL: func.func @code(
// CHECK:         call @g
// CHECK:         pop.remote_code_load @g to executable
// CHECK-NEXT:    call @g
func.func @code(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> (tensor<64xf32>, tensor<64xf32>) {
  %0 = call @g(%a, %b) : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64xf32>
  pop.remote_code_load @g to executable
  %1 = pop.abs %a : tensor<64x1xf32>
  %2 = call @g(%1, %b) : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64xf32>
  return %0, %2 : tensor<64xf32>, tensor<64xf32>
}
func.func private @g(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64xf32> attributes {no_inline} {
  %0 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = pop.reduce max %0 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// -----

// Ops get numbers in the order of the program. No op moves past an advance, not
// even the op with a number in a branch.
//
// CHECK-LABEL: func.func @draws(
// CHECK-DAG:     pop.matmul {{.*}}pop.draw = #pop.draw<0>
// CHECK-DAG:     pop.add {{.*}}pop.draw = #pop.draw<1>
// CHECK:         pop.advance_draws
// CHECK:         scf.if
// CHECK:         pop.mul {{.*}}pop.draw = #pop.draw<3>
// CHECK:         pop.advance_draws
// CHECK:         pop.sub {{.*}}pop.draw = #pop.draw<4>
// CHECK-NEXT:    return
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
func.func @draws(%a: tensor<64x1xf16>, %b: tensor<1x64xf16>, %c: i1) -> (tensor<64x64xf16>, tensor<64xf16>, tensor<64x1xf16>, tensor<64x1xf16>) {
  %0 = pop.matmul %a, %b : (tensor<64x1xf16>, tensor<1x64xf16>) -> tensor<64x64xf16>
  %1 = pop.add %a, %b : (tensor<64x1xf16>, tensor<1x64xf16>) -> tensor<64x64xf16>
  %2 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<64x64xf16> -> tensor<64xf16>
  pop.advance_draws
  %3 = scf.if %c -> tensor<64x1xf16> {
    %4 = pop.mul %a, %a : tensor<64x1xf16>
    scf.yield %4 : tensor<64x1xf16>
  } else {
    scf.yield %a : tensor<64x1xf16>
  }
  pop.advance_draws
  %5 = pop.sub %a, %a : tensor<64x1xf16>
  return %0, %2, %3, %5 : tensor<64x64xf16>, tensor<64xf16>, tensor<64x1xf16>, tensor<64x1xf16>
}
}
