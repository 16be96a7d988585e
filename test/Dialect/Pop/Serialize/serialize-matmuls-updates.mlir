// RUN: ipu-opt %s --split-input-file --pop-serialize-matmuls | FileCheck %s

// Each part of the gradient updates a slice of the weight before the next part
// is computed. The part reads the slice of the old weight.
//
// CHECK-LABEL: func.func @step(
// CHECK:         %[[W:.+]] = pop.get_variable @w
// CHECK-NOT:     pop.concat
// CHECK:         %[[X0:.+]] = pop.slice %{{.+}} {sizes = array<i64: 8, 8>, starts = array<i64: 0, 0>
// CHECK:         %[[D0:.+]] = pop.matmul %[[X0]]
// CHECK:         %[[W0:.+]] = pop.ref_slice %[[W]] {sizes = array<i64: 8, 32>, starts = array<i64: 0, 0>
// CHECK:         %[[R0:.+]] = pop.read %[[W0]]
// CHECK:         %[[N0:.+]] = pop.optimizer_step <sgd0, lr = 1.000000e-01> %[[R0]], %[[D0]] : (tensor<8x32xf32>, tensor<8x32xf32>)
// CHECK:         pop.copy_ %[[W0]], %[[N0]]
// CHECK:         pop.slice %{{.+}} {sizes = array<i64: 8, 8>, starts = array<i64: 8, 0>
// CHECK:         %[[D1:.+]] = pop.matmul
// CHECK:         %[[W1:.+]] = pop.ref_slice %[[W]] {sizes = array<i64: 8, 32>, starts = array<i64: 8, 0>
// CHECK:         %[[R1:.+]] = pop.read %[[W1]]
// CHECK:         %[[N1:.+]] = pop.optimizer_step <sgd0, lr = 1.000000e-01> %[[R1]], %[[D1]]
// CHECK:         pop.copy_ %[[W1]], %[[N1]]
// CHECK-NEXT:    return
func.func @step(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>) {
  %w = pop.get_variable @w : !pop.ref<16x32xf32>
  %old = pop.read %w : !pop.ref<16x32xf32>
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "input_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %new = pop.optimizer_step <sgd0, lr = 0.1> %old, %dw : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  pop.copy_ %w, %new : !pop.ref<16x32xf32>, tensor<16x32xf32>
  return
}
pop.variable @w : tensor<16x32xf32> = dense<0.0> : tensor<16x32xf32>

// -----

// The update is moved up to the gradient: after the learning rate, and after
// the op that uses the old weight, but before an op that does neither. All
// states are divided along the dimension that reshapes and transposes leave.
// The number of updates is the same for all parts.
//
// CHECK-LABEL: func.func @adam(
// CHECK:         %[[DX:.+]] = pop.matmul %{{.+}}, %{{.+}} : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
// CHECK:         %[[LR:.+]] = pop.mul
// CHECK:         pop.matmul {{.*}} -> tensor<16x8xf32>
// CHECK:         pop.transpose {{.*}} -> tensor<8x16xf32>
// CHECK:         pop.reshape {{.*}} to tensor<8x1x16xf32>
// CHECK:         %{{.+}}, %[[STATES:.+]]:3 = pop.optimizer_step <adam, lr = operand> {{.*}} settings(%[[LR]]) : (tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<8x1x16xf32>, tensor<f32>, tensor<f32>)
// CHECK-COUNT-3: pop.copy_ {{.*}} : !pop.ref<8x1x16xf32>
// CHECK-COUNT-3: pop.matmul {{.*}} -> tensor<16x8xf32>
// CHECK-NOT:     pop.concat
// CHECK:         pop.exp
// CHECK-NEXT:    pop.copy_ %{{.+}}, %[[STATES]]#2 : !pop.ref<f32>
// CHECK-NEXT:    return %[[DX]]
func.func @adam(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %rate: tensor<f32>) -> (tensor<8x16xf32>, tensor<8x32xf32>) {
  %w = pop.get_variable @w : !pop.ref<32x1x16xf32>
  %m = pop.get_variable @m : !pop.ref<32x1x16xf32>
  %v = pop.get_variable @v : !pop.ref<32x1x16xf32>
  %n = pop.get_variable @n : !pop.ref<f32>
  %old = pop.read %w : !pop.ref<32x1x16xf32>
  %flat = pop.reshape %old : tensor<32x1x16xf32> to tensor<32x16xf32>
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 4 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %other = pop.exp %g : tensor<8x32xf32>
  %dx = pop.matmul %g, %flat : (tensor<8x32xf32>, tensor<32x16xf32>) -> tensor<8x16xf32>
  %lr = pop.mul %rate, %rate : tensor<f32>
  %turned = pop.transpose %dw {permutation = array<i64: 1, 0>} : tensor<16x32xf32> -> tensor<32x16xf32>
  %shaped = pop.reshape %turned : tensor<32x16xf32> to tensor<32x1x16xf32>
  %0 = pop.read %m : !pop.ref<32x1x16xf32>
  %1 = pop.read %v : !pop.ref<32x1x16xf32>
  %2 = pop.read %n : !pop.ref<f32>
  %new, %states:3 = pop.optimizer_step <adam, lr = operand> %old, %shaped state(%0, %1, %2) settings(%lr) : (tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<32x1x16xf32>, tensor<f32>)
  pop.copy_ %w, %new : !pop.ref<32x1x16xf32>, tensor<32x1x16xf32>
  pop.copy_ %m, %states#0 : !pop.ref<32x1x16xf32>, tensor<32x1x16xf32>
  pop.copy_ %v, %states#1 : !pop.ref<32x1x16xf32>, tensor<32x1x16xf32>
  pop.copy_ %n, %states#2 : !pop.ref<f32>, tensor<f32>
  return %dx, %other : tensor<8x16xf32>, tensor<8x32xf32>
}
pop.variable @w : tensor<32x1x16xf32> = dense<0.0> : tensor<32x1x16xf32>
pop.variable @m : tensor<32x1x16xf32> = dense<0.0> : tensor<32x1x16xf32>
pop.variable @v : tensor<32x1x16xf32> = dense<0.0> : tensor<32x1x16xf32>
pop.variable @n : tensor<f32> = dense<0.0> : tensor<f32>

// -----

// Operands that broadcast, and ops that write refs in place.
//
// CHECK-LABEL: func.func @broadcast(
// CHECK-SAME:    %[[X:.+]]: tensor<16x8xf32>, %[[G:.+]]: tensor<8x32xf32>, %[[ROW:.+]]: tensor<32xf32>, %[[COLUMN:.+]]: tensor<16x1xf32>
// CHECK:         %[[D0:.+]] = pop.matmul
// CHECK:         %[[R0:.+]] = pop.slice %[[ROW]] {sizes = array<i64: 16>, starts = array<i64: 0>
// CHECK:         %[[A0:.+]] = pop.mul %[[D0]], %[[R0]]
// CHECK:         %[[B0:.+]] = pop.add %[[COLUMN]], %[[A0]]
// CHECK:         pop.accumulate_ add %{{.+}}, %[[B0]] : !pop.ref<16x16xf32>
// CHECK:         pop.matmul
// CHECK:         pop.accumulate_
func.func @broadcast(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %row: tensor<32xf32>, %column: tensor<16x1xf32>, %w: !pop.ref<16x32xf32>) {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %0 = pop.mul %dw, %row : (tensor<16x32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
  %1 = pop.add %column, %0 : (tensor<16x1xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
  pop.accumulate_ add %w, %1 : !pop.ref<16x32xf32>, tensor<16x32xf32>
  return
}

// -----

// Each of these updates needs the whole gradient: another op uses it; an op sums
// over its elements; bits of the rounding depend on positions; another op reads
// the weight between two writes; or the update is in another stage.

// CHECK-LABEL: func.func @other_use(
// CHECK:         pop.concat
// CHECK-NOT:     pop.ref_slice
func.func @other_use(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %w: !pop.ref<16x32xf32>) -> tensor<16x32xf32> {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  pop.sub_ %w, %dw : !pop.ref<16x32xf32>, tensor<16x32xf32>
  return %dw : tensor<16x32xf32>
}

// CHECK-LABEL: func.func @norm(
// CHECK:         pop.concat
// CHECK-NOT:     pop.ref_slice
func.func @norm(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %w: !pop.ref<16x32xf32>) {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %max = pop.reduce max %dw {axes = array<i64: 0, 1>} : tensor<16x32xf32> -> tensor<f32>
  %0 = pop.div %dw, %max : (tensor<16x32xf32>, tensor<f32>) -> tensor<16x32xf32>
  pop.sub_ %w, %0 : !pop.ref<16x32xf32>, tensor<16x32xf32>
  return
}

// CHECK-LABEL: func.func @lamb(
// CHECK:         pop.concat
// CHECK-NOT:     pop.ref_slice
func.func @lamb(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %w: !pop.ref<16x32xf32>, %m: tensor<16x32xf32>) {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %old = pop.read %w : !pop.ref<16x32xf32>
  %new, %states:2 = pop.optimizer_step <lamb_no_bias, lr = 0.1> %old, %dw state(%m, %m) : (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>) -> (tensor<16x32xf32>, tensor<16x32xf32>, tensor<16x32xf32>)
  pop.copy_ %w, %new : !pop.ref<16x32xf32>, tensor<16x32xf32>
  return
}

// CHECK-LABEL: func.func @draw(
// CHECK:         pop.concat
// CHECK-NOT:     pop.ref_slice
func.func @draw(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %w: !pop.ref<16x32xf16>) {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  %0 = pop.cast %dw {pop.draw = #pop.draw<3>} : tensor<16x32xf32> to tensor<16x32xf16>
  pop.copy_ %w, %0 : !pop.ref<16x32xf16>, tensor<16x32xf16>
  return
}

// CHECK-LABEL: func.func @read_between(
// CHECK:         pop.concat
// CHECK-NOT:     pop.ref_slice
func.func @read_between(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %v: !pop.ref<16x32xf32>, %w: !pop.ref<16x32xf32>) {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  pop.sub_ %w, %dw : !pop.ref<16x32xf32>, tensor<16x32xf32>
  %between = pop.read %w : !pop.ref<16x32xf32>
  %0 = pop.add %dw, %between : tensor<16x32xf32>
  pop.copy_ %v, %0 : !pop.ref<16x32xf32>, tensor<16x32xf32>
  return
}

// CHECK-LABEL: func.func @other_stage(
// CHECK:         pop.concat
// CHECK-NOT:     pop.ref_slice
func.func @other_stage(%x: tensor<16x8xf32>, %g: tensor<8x32xf32>, %w: !pop.ref<16x32xf32>) {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.stage = 0 : i64, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x32xf32>) -> tensor<16x32xf32>
  pop.sub_ %w, %dw {pop.stage = 1 : i64} : !pop.ref<16x32xf32>, tensor<16x32xf32>
  return
}

// -----

// Slices of views of one weight along other dimensions overlap, so that the
// order of their writes matters.
//
// CHECK-LABEL: func.func @two_views(
// CHECK:         pop.concat
// CHECK-NOT:     pop.ref_slice
func.func @two_views(%x: tensor<16x8xf32>, %g: tensor<8x16xf32>, %w: !pop.ref<16x16xf32>) {
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %t = pop.ref_transpose %w {permutation = array<i64: 1, 0>} : !pop.ref<16x16xf32> -> !pop.ref<16x16xf32>
  pop.mul_ %w, %dw : !pop.ref<16x16xf32>, tensor<16x16xf32>
  pop.add_ %t, %dw : !pop.ref<16x16xf32>, tensor<16x16xf32>
  return
}

// An update of the transposed weight uses slices of what was read before.
//
// CHECK-LABEL: func.func @transposed(
// CHECK:         %[[OLD:.+]] = pop.read
// CHECK:         pop.slice %[[OLD]] {sizes = array<i64: 16, 8>, starts = array<i64: 0, 0>
// CHECK:         pop.copy_
// CHECK:         pop.slice %[[OLD]] {sizes = array<i64: 16, 8>, starts = array<i64: 0, 8>
// CHECK:         pop.copy_
func.func @transposed(%x: tensor<16x8xf32>, %g: tensor<8x16xf32>, %w: !pop.ref<16x16xf32>) {
  %old = pop.read %w : !pop.ref<16x16xf32>
  %dw = pop.matmul %x, %g {accum = #pop.accum<chain>, pop.serialize = {factor = 2 : i64, mode = "output_channels"}} : (tensor<16x8xf32>, tensor<8x16xf32>) -> tensor<16x16xf32>
  %t = pop.ref_transpose %w {permutation = array<i64: 1, 0>} : !pop.ref<16x16xf32> -> !pop.ref<16x16xf32>
  %0 = pop.add %old, %dw : tensor<16x16xf32>
  pop.copy_ %t, %0 : !pop.ref<16x16xf32>, tensor<16x16xf32>
  return
}
