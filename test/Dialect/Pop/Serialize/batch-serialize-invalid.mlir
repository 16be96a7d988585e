// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(pop-batch-serialize{factor=4})'
// RUN: not ipu-opt %S/batch-serialize.mlir --pass-pipeline='builtin.module(pop-batch-serialize{factor=0})' 2>&1 | FileCheck %s --check-prefix=FACTOR
// RUN: not ipu-opt %S/batch-serialize.mlir --pass-pipeline='builtin.module(pop-batch-serialize{axis=-1})' 2>&1 | FileCheck %s --check-prefix=AXIS

// FACTOR: error: 'pop-batch-serialize' expects option 'factor' to be at least 1 but got 0
// AXIS: error: 'pop-batch-serialize' expects option 'axis' to be at least 0 but got -1

// The number of parts does not divide the batch.
// expected-error @below {{'func.func' op has a batch axis of argument #0; expects the number of parts to divide the batch, which is dimension 0 of 'tensor<6x2xf32>', but got 4 parts of a batch of 6; possible numbers are 2, 3, 6}}
func.func @main(%x: tensor<6x2xf32>) -> tensor<6x2xf32> {
  %0 = pop.exp %x : tensor<6x2xf32>
  return %0 : tensor<6x2xf32>
}

// -----

pop.stream @x host_to_device : tensor<1x2xf32>
func.func @load() -> tensor<1x2xf32> {
  // expected-error @below {{'pop.host_load' op expects the number of parts to divide the batch, which is dimension 0 of 'tensor<1x2xf32>', but got 4 parts of a batch of 1}}
  %0 = pop.host_load @x {pop.batch_axis = 0 : i64} : tensor<1x2xf32>
  return %0 : tensor<1x2xf32>
}

// -----

// Two batch axes meet in an op that does not connect them.
// expected-note @below {{the first of them is here}}
// expected-note @below {{the second of them is here}}
func.func @similarity(%x: tensor<4x2xf32> {pop.batch_axis = 0 : i64}, %y: tensor<2x4xf32> {pop.batch_axis = 1 : i64}) -> tensor<4x4xf32> {
  // expected-error @below {{'pop.matmul' op expects the batch axes of its operands to be one dimension of the op, but the batch axis of operand #0 (dimension 0) is another dimension than that of operand #1 (dimension 1)}}
  %0 = pop.matmul %x, %y : (tensor<4x2xf32>, tensor<2x4xf32>) -> tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// A mark contradicts the flow of data.
func.func @contradiction(%x: tensor<4x4xf32> {pop.batch_axis = 0 : i64}) -> tensor<4x4xf32> {
  // expected-error @below {{'pop.exp' op expects attribute 'pop.batch_axis' to be the dimension to which the batch axes of its operands lead, 0, but got 1}}
  %0 = pop.exp %x {pop.batch_axis = 1 : i64} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

func.func @phase(%x: tensor<4x4xf32> {pop.batch_axis = 0 : i64}) -> tensor<4x4xf32> {
  // expected-error @below {{'pop.exp' op is in batch phase 1 already, but its batch is to be divided into parts; expects no batch phases before 'pop-batch-serialize'}}
  %0 = pop.exp %x {pop.batch_phase = 1 : i64} : tensor<4x4xf32>
  return %0 : tensor<4x4xf32>
}

// -----

// expected-error @below {{'func.func' op has a batch axis of argument #1; expects its batch axis 2 to be a dimension of 'tensor<4x4xf32>'}}
func.func @rank(%x: tensor<4xf32>, %y: tensor<4x4xf32> {pop.batch_axis = 2 : i64}) {
  return
}

// -----

// expected-error @below {{'func.func' op has a batch axis of argument #0; expects a tensor with a batch axis but got '!pop.ref<4xf32>'}}
func.func @ref(%x: !pop.ref<4xf32> {pop.batch_axis = 0 : i64}) {
  return
}

// -----

func.func @results(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.expect_close' op has attribute 'pop.batch_axis'; expects 1 result but got 0}}
  pop.expect_close %x, dense<0.0> : tensor<4xf32> {pop.batch_axis = 0 : i64}
  return
}

// -----

// expected-error @below {{'func.func' op expects an input with a batch, but no argument and no load from the host has a dimension 0}}
func.func @main(%x: tensor<f32>) -> tensor<f32> {
  return %x : tensor<f32>
}

// -----

// expected-error @below {{'builtin.module' op expects a function 'main', or a single function, or marks 'pop.batch_axis'}}
module {
  func.func @f(%x: tensor<4xf32>) {
    return
  }
  func.func @g(%x: tensor<4xf32>) {
    return
  }
}

// -----

// expected-error @below {{'func.func' op expects argument attribute 'pop.batch_axis' to be an i64 of at least 0 but got -1}}
func.func @negative(%x: tensor<4xf32> {pop.batch_axis = -1 : i64}) {
  return
}
