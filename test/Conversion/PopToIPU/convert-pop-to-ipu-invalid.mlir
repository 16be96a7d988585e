// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(convert-pop-to-ipu)'

// expected-error @+1 {{expects a func.func 'main' with a body; the module has no functions}}
module {}

// -----

// expected-error @+1 {{expects a tile mapping of 4 elements on argument 0; run pop-map-tensors}}
func.func @main(%x: tensor<4xf32>) { return }

// -----

#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
func.func @main(%x: tensor<4xf32> {ipu.map = #m}) {
  // expected-error @+1 {{expects a tile mapping; run pop-map-tensors}}
  %0 = pop.relu %x : tensor<4xf32>
  return
}

// -----

#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
func.func @main(%x: tensor<4xf32> {ipu.map = #m}) {
  // expected-error @+1 {{has no lowering to ipu; run pop-choose-accumulation and pop-decompose}}
  %0 = pop.softmax %x {axis = 0 : i64, ipu.map = #m} : tensor<4xf32>
  return
}

// -----

#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
func.func @main(%x: tensor<2x2xf32> {ipu.map = #m}) {
  // expected-error @+1 {{cannot be distributed over tiles by its tile mapping}}
  %0 = pop.matmul %x, %x {accum = #pop.accum<chain>, ipu.map = #m} : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  return
}

// -----

func.func @main() {
  // expected-error @+1 {{has no lowering to ipu}}
  %0 = arith.constant 1.0 : f32
  return
}

// -----

func.func @main() {
  func.call @other() : () -> ()
  return
}
// expected-error @+1 {{expects a function of one block}}
func.func private @other()

// -----

func.func @main(%x: tensor<f32> {ipu.map = #ipu.map<[], grid = [], blocks = []>}) {
  // expected-error @+1 {{expects a call without operands and results; run pop-lower-calls}}
  call @other(%x) : (tensor<f32>) -> ()
  return
}
func.func @other(%x: tensor<f32>) {
  return
}

// -----

// expected-error @+1 {{expects statically shaped tensors of pop element types, without encoding, but got 'tensor<?xf32>'}}
func.func @main(%x: tensor<?xf32>) { return }

// -----

// expected-error @+1 {{expects statically shaped tensors of pop element types, without encoding, but got 'i32'}}
func.func @main(%x: i32) { return }

// -----

// expected-error @+1 {{expects statically shaped tensors of pop element types, without encoding, but got 'tensor<4xf8E3M4>'}}
func.func @main(%x: tensor<4xf8E3M4>) { return }

// -----

// expected-error @+1 {{expects a function of one block}}
func.func @main() {
  cf.br ^bb1
^bb1:
  return
}

// -----

// expected-error @+1 {{expects statically shaped tensors of pop element types, without encoding, but got 'tensor<4xf32, "rows">'}}
func.func @main(%x: tensor<4xf32, "rows">) { return }

// -----

// expected-error @+1 {{expects tensors as arguments and results of the entry but got '!pop.ref<4xf32>'}}
func.func @main(%r: !pop.ref<4xf32>) {
  return
}

// -----

// expected-error @+1 {{expects a graph without arguments and results; run pop-lower-calls}}
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> attributes {no_inline} {
  return %x : tensor<2xf32>
}
func.func @main() {
  pop.remote_code_load @f to executable
  return
}

// -----

#x = #ipu.map<[4], grid = [1], blocks = [all]>
#row = #ipu.map<[], grid = [1], blocks = []>
pop.remote_buffer @b : 2 x tensor<4xf32>
func.func @main(%x: tensor<4xf32> {ipu.map = #x}, %row: tensor<i32> {ipu.map = #row}) {
  // expected-error @below {{'pop.remote_store' op is placed on I/O tiles but the target has no I/O tiles}}
  pop.remote_store %x, @b[%row] {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  return
}
