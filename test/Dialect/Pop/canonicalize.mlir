// RUN: ipu-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @neutral_elements
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[I:.*]]: tensor<2xi32>)
func.func @neutral_elements(%x: tensor<2xf32>, %i: tensor<2xi32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) {
  %minus_zero = pop.constant dense<-0.0> : tensor<f32>
  %zero = pop.constant dense<0.0> : tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %int_zero = pop.constant dense<0> : tensor<i32>
  %int_ones = pop.constant dense<-1> : tensor<i32>
  %0 = pop.add %minus_zero, %x : (tensor<f32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = pop.sub %x, %zero : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %2 = pop.mul %x, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = pop.div %x, %one : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = pop.add %i, %int_zero : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %5 = pop.and %i, %int_ones : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %6 = pop.or %i, %i : tensor<2xi32>
  // CHECK-NEXT: return %[[X]], %[[X]], %[[X]], %[[X]], %[[I]], %[[I]], %[[I]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>
}

// -----

// -0 + 0 is 0, and x - -0 is x + 0; a neutral operand may still give the shape.
// CHECK-LABEL: func @not_neutral
func.func @not_neutral(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>) {
  %minus_zero = pop.constant dense<-0.0> : tensor<2xf32>
  %zero = pop.constant dense<0.0> : tensor<2xf32>
  %one = pop.constant dense<1.0> : tensor<3x2xf32>
  // CHECK: pop.add
  %0 = pop.add %x, %zero : tensor<2xf32>
  // CHECK: pop.sub
  %1 = pop.sub %x, %minus_zero : tensor<2xf32>
  // CHECK: pop.mul
  %2 = pop.mul %x, %one : (tensor<2xf32>, tensor<3x2xf32>) -> tensor<3x2xf32>
  return %0, %1, %2 : tensor<2xf32>, tensor<2xf32>, tensor<3x2xf32>
}

// -----

// CHECK-LABEL: func @same_type
// CHECK-SAME: (%[[X:.*]]: tensor<1x2xf32>)
func.func @same_type(%x: tensor<1x2xf32>) -> tensor<1x2xf32> {
  %0 = pop.reshape %x : tensor<1x2xf32> to tensor<1x2xf32>
  %1 = pop.transpose %0 {permutation = array<i64: 0, 1>} : tensor<1x2xf32> -> tensor<1x2xf32>
  %2 = pop.slice %1 {starts = array<i64: 0, 0>, sizes = array<i64: 1, 2>, steps = array<i64: -1, 1>} : tensor<1x2xf32> -> tensor<1x2xf32>
  %3 = pop.expand %2 : tensor<1x2xf32> to tensor<1x2xf32>
  %4 = pop.pad %3 {low = array<i64: 0, 0>, high = array<i64: 0, 0>, value = 0.0 : f32} : tensor<1x2xf32> -> tensor<1x2xf32>
  %5 = pop.cast %4 : tensor<1x2xf32> to tensor<1x2xf32>
  %6 = pop.concat %5 {axis = 0 : i64} : (tensor<1x2xf32>) -> tensor<1x2xf32>
  %7 = pop.reduce sum %6 {axes = array<i64>} : tensor<1x2xf32> -> tensor<1x2xf32>
  // CHECK-NEXT: return %[[X]]
  return %7 : tensor<1x2xf32>
}

// -----

// A reduction or a pool of one element is this element.
// CHECK-LABEL: func @one_element
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x1x4xf16>)
func.func @one_element(%x: tensor<1x2x1x4xf16>) -> (tensor<1x2x1x4xf16>, tensor<2x1x4xf16>, tensor<2x4xf32>, tensor<1x2x1x4xf16>, tensor<1x2x1x4xf16>, tensor<1x2x1x4xf16>) {
  %0 = pop.reduce max %x {axes = array<i64: 0, 2>, keep_dims} : tensor<1x2x1x4xf16> -> tensor<1x2x1x4xf16>
  // CHECK-DAG: %[[SHAPE:.*]] = pop.reshape %[[X]] : tensor<1x2x1x4xf16> to tensor<2x1x4xf16>
  %1 = pop.reduce mean %x {axes = array<i64: 0>} : tensor<1x2x1x4xf16> -> tensor<2x1x4xf16>
  // CHECK-DAG: %[[WIDE:.*]] = pop.cast %[[X]] : tensor<1x2x1x4xf16> to tensor<1x2x1x4xf32>
  // CHECK-DAG: %[[WIDE_SHAPE:.*]] = pop.reshape %[[WIDE]] : tensor<1x2x1x4xf32> to tensor<2x4xf32>
  %2 = pop.reduce sum %x {axes = array<i64: 0, 2>} : tensor<1x2x1x4xf16> -> tensor<2x4xf32>
  %3 = pop.max_pool %x {kernel = array<i64: 1, 1>} : tensor<1x2x1x4xf16> -> tensor<1x2x1x4xf16>
  %4 = pop.avg_pool %x {kernel = array<i64: 1, 1>, count_include_pad, ceil_mode, strides = array<i64: 1, 1>} : tensor<1x2x1x4xf16> -> tensor<1x2x1x4xf16>
  %5 = pop.reduce_window sum %x {kernel = array<i64: 1, 1>} : tensor<1x2x1x4xf16> -> tensor<1x2x1x4xf16>
  // CHECK: return %[[X]], %[[SHAPE]], %[[WIDE_SHAPE]], %[[X]], %[[X]], %[[X]]
  return %0, %1, %2, %3, %4, %5 : tensor<1x2x1x4xf16>, tensor<2x1x4xf16>, tensor<2x4xf32>, tensor<1x2x1x4xf16>, tensor<1x2x1x4xf16>, tensor<1x2x1x4xf16>
}

// -----

// The other axes are still reduced, in the same order.
// CHECK-LABEL: func @axes_of_size_one
// CHECK-SAME: (%[[X:.*]]: tensor<1x2x1x4xf16>)
func.func @axes_of_size_one(%x: tensor<1x2x1x4xf16>) -> (tensor<1x1x1x4xf32>, tensor<1x2x1x2xf16>, tensor<1x2x1x4xf32>) {
  // CHECK: %[[SUM:.*]] = pop.reduce sum %[[X]] {accum = #pop.accum<blocked, block = 32, lanes = 16>, axes = array<i64: 1>} : tensor<1x2x1x4xf16> -> tensor<1x1x4xf32>
  // CHECK: %[[KEPT:.*]] = pop.reshape %[[SUM]] : tensor<1x1x4xf32> to tensor<1x1x1x4xf32>
  %0 = pop.reduce sum %x {axes = array<i64: 0, 1, 2>, keep_dims, accum = #pop.accum<blocked, block = 32, lanes = 16>} : tensor<1x2x1x4xf16> -> tensor<1x1x1x4xf32>
  // CHECK: %[[STRIDED:.*]] = pop.max_pool
  %1 = pop.max_pool %x {kernel = array<i64: 1, 1>, strides = array<i64: 1, 2>} : tensor<1x2x1x4xf16> -> tensor<1x2x1x2xf16>
  // CHECK: %[[WIDE:.*]] = pop.reduce_window
  %2 = pop.reduce_window sum %x {kernel = array<i64: 1, 1>} : tensor<1x2x1x4xf16> -> tensor<1x2x1x4xf32>
  // CHECK: return %[[KEPT]], %[[STRIDED]], %[[WIDE]]
  return %0, %1, %2 : tensor<1x1x1x4xf32>, tensor<1x2x1x2xf16>, tensor<1x2x1x4xf32>
}

// -----

// These have their operand's type and still move elements.
// CHECK-LABEL: func @not_the_same
func.func @not_the_same(%x: tensor<2x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xf32>) {
  // CHECK: pop.transpose
  %0 = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<2x2xf32> -> tensor<2x2xf32>
  // CHECK: pop.slice
  %1 = pop.slice %x {starts = array<i64: 1, 0>, sizes = array<i64: 2, 2>, steps = array<i64: -1, 1>} : tensor<2x2xf32> -> tensor<2x2xf32>
  return %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
}

// -----

// A pad of a pad with the same value is one pad, if nothing else reads the
// first one.
// CHECK-LABEL: func @pads
// CHECK-SAME: (%[[X:.*]]: tensor<2x3xf32>)
func.func @pads(%x: tensor<2x3xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x8xf32>) {
  // CHECK-DAG: pop.pad %[[X]] {high = array<i64: 0, 4>, low = array<i64: 2, 1>, value = 0.000000e+00 : f32} : tensor<2x3xf32> -> tensor<4x8xf32>
  %0 = pop.pad %x {low = array<i64: 2, 0>, high = array<i64: 0, 1>, value = 0.0 : f32} : tensor<2x3xf32> -> tensor<4x4xf32>
  %1 = pop.pad %0 {low = array<i64: 0, 1>, high = array<i64: 0, 3>, value = 0.0 : f32} : tensor<4x4xf32> -> tensor<4x8xf32>
  // CHECK-DAG: %[[ROWS:.*]] = pop.pad %[[X]] {high = array<i64: 0, 0>, low = array<i64: 2, 0>, value = 1.000000e+00 : f32}
  // CHECK-DAG: pop.pad %[[ROWS]] {high = array<i64: 0, 5>, low = array<i64: 0, 0>, value = 0.000000e+00 : f32}
  // CHECK-DAG: pop.pad %[[ROWS]] {high = array<i64: 0, 5>, low = array<i64: 0, 0>, value = 1.000000e+00 : f32}
  %2 = pop.pad %x {low = array<i64: 2, 0>, high = array<i64: 0, 0>, value = 1.0 : f32} : tensor<2x3xf32> -> tensor<4x3xf32>
  %3 = pop.pad %2 {low = array<i64: 0, 0>, high = array<i64: 0, 5>, value = 0.0 : f32} : tensor<4x3xf32> -> tensor<4x8xf32>
  %4 = pop.pad %2 {low = array<i64: 0, 0>, high = array<i64: 0, 5>, value = 1.0 : f32} : tensor<4x3xf32> -> tensor<4x8xf32>
  return %1, %3, %2, %4 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x3xf32>, tensor<4x8xf32>
}

// -----

// CHECK-LABEL: func @chains_of_views
// CHECK-SAME: (%[[X:.*]]: tensor<2x3x4xf32>)
func.func @chains_of_views(%x: tensor<2x3x4xf32>) -> (tensor<8x3xf32>, tensor<4x3x2xf32>, tensor<2x3x4xf32>) {
  // CHECK-DAG: pop.reshape %[[X]] : tensor<2x3x4xf32> to tensor<8x3xf32>
  %0 = pop.reshape %x : tensor<2x3x4xf32> to tensor<24xf32>
  %1 = pop.reshape %0 : tensor<24xf32> to tensor<8x3xf32>
  // CHECK-DAG: pop.transpose %[[X]] {permutation = array<i64: 2, 1, 0>} : tensor<2x3x4xf32> -> tensor<4x3x2xf32>
  %2 = pop.transpose %x {permutation = array<i64: 1, 2, 0>} : tensor<2x3x4xf32> -> tensor<3x4x2xf32>
  %3 = pop.transpose %2 {permutation = array<i64: 1, 0, 2>} : tensor<3x4x2xf32> -> tensor<4x3x2xf32>
  // CHECK: return %{{.*}}, %{{.*}}, %[[X]]
  %4 = pop.transpose %3 {permutation = array<i64: 2, 1, 0>} : tensor<4x3x2xf32> -> tensor<2x3x4xf32>
  return %1, %3, %4 : tensor<8x3xf32>, tensor<4x3x2xf32>, tensor<2x3x4xf32>
}

// -----

// CHECK-LABEL: func @concat_without_empty_operands
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[E:.*]]: tensor<0xf32>)
func.func @concat_without_empty_operands(%x: tensor<2xf32>, %e: tensor<0xf32>) -> (tensor<4xf32>, tensor<2xf32>, tensor<0xf32>) {
  // CHECK: %[[Y:.*]] = pop.concat %[[X]], %[[X]] {axis = 0 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<4xf32>
  %0 = pop.concat %x, %e, %x {axis = 0 : i64} : (tensor<2xf32>, tensor<0xf32>, tensor<2xf32>) -> tensor<4xf32>
  %1 = pop.concat %x, %e {axis = 0 : i64} : (tensor<2xf32>, tensor<0xf32>) -> tensor<2xf32>
  %2 = pop.concat %e, %e {axis = 0 : i64} : (tensor<0xf32>, tensor<0xf32>) -> tensor<0xf32>
  // CHECK: return %[[Y]], %[[X]], %[[E]]
  return %0, %1, %2 : tensor<4xf32>, tensor<2xf32>, tensor<0xf32>
}

// -----

// CHECK-LABEL: func @select
// CHECK-SAME: (%[[C:.*]]: tensor<2xi1>, %[[X:.*]]: tensor<2xf32>, %[[Y:.*]]: tensor<2xf32>)
func.func @select(%c: tensor<2xi1>, %x: tensor<2xf32>, %y: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %false = pop.constant dense<false> : tensor<i1>
  %0 = pop.select %c, %x, %x : tensor<2xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  %1 = pop.select %false, %x, %y : tensor<i1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  // CHECK-NEXT: return %[[X]], %[[Y]]
  return %0, %1 : tensor<2xf32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @broadcast_instead_of_expand
// CHECK-SAME: (%[[B:.*]]: tensor<3xf32>, %[[X:.*]]: tensor<2x3xf32>)
func.func @broadcast_instead_of_expand(%b: tensor<3xf32>, %x: tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<2x3xf32>) {
  // CHECK: %[[E:.*]] = pop.expand %[[B]] : tensor<3xf32> to tensor<2x3xf32>
  %0 = pop.expand %b : tensor<3xf32> to tensor<2x3xf32>
  // CHECK: pop.add %[[X]], %[[B]] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %1 = pop.add %x, %0 : tensor<2x3xf32>
  // One operand has to give the result its shape.
  // CHECK: pop.mul %[[E]], %[[B]] : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %2 = pop.mul %0, %0 : tensor<2x3xf32>
  return %1, %2 : tensor<2x3xf32>, tensor<2x3xf32>
}

// -----

// A sum of one is its operand, one of two is rounded once as well; one of three
// is not two additions, which round twice.
// CHECK-LABEL: func @sums
// CHECK-SAME: (%[[A:.*]]: tensor<2xf16>, %[[B:.*]]: tensor<3x2xf16>)
func.func @sums(%a: tensor<2xf16>, %b: tensor<3x2xf16>) -> (tensor<2xf16>, tensor<3x2xf16>, tensor<3x2xf16>) {
  // CHECK: %[[TWO:.*]] = pop.add %[[A]], %[[B]] {pop.draw = #pop.draw<3>, pop.tile_set = #pop<tile_set io>} : (tensor<2xf16>, tensor<3x2xf16>) -> tensor<3x2xf16>
  // CHECK: %[[THREE:.*]] = pop.sum %[[A]], %[[B]], %[[A]]
  // CHECK: return %[[A]], %[[TWO]], %[[THREE]]
  %0 = pop.sum %a : (tensor<2xf16>) -> tensor<2xf16>
  %1 = pop.sum %a, %b {pop.draw = #pop.draw<3>, pop.tile_set = #pop<tile_set io>} : (tensor<2xf16>, tensor<3x2xf16>) -> tensor<3x2xf16>
  %2 = pop.sum %a, %b, %a : (tensor<2xf16>, tensor<3x2xf16>, tensor<2xf16>) -> tensor<3x2xf16>
  return %0, %1, %2 : tensor<2xf16>, tensor<3x2xf16>, tensor<3x2xf16>
}

// -----

// Constant starts are brought inside; 200 is no negative ui8.
// CHECK-LABEL: func @constant_starts
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[S:.*]]: tensor<1xi32>)
func.func @constant_starts(%x: tensor<8x4xf32>, %s: tensor<1xi32>) -> (tensor<2x3xf32>, tensor<2x4xf32>, tensor<8x4xf32>, tensor<2x4xf32>) {
  %low = pop.constant dense<[-5, 3]> : tensor<2xi8>
  %high = pop.constant dense<200> : tensor<1xui8>
  // CHECK-DAG: %[[LOW:.*]] = pop.slice %[[X]] {sizes = array<i64: 2, 3>, starts = array<i64: 3, 0>, steps = array<i64: 1, 1>}
  // CHECK-DAG: %[[HIGH:.*]] = pop.slice %[[X]] {sizes = array<i64: 2, 4>, starts = array<i64: 6, 0>, steps = array<i64: 1, 1>}
  // CHECK-DAG: %[[KEPT:.*]] = pop.dynamic_slice %[[X]][%[[S]]]
  %0 = pop.dynamic_slice %x[%low] {axes = array<i64: 1, 0>, sizes = array<i64: 3, 2>} : tensor<8x4xf32>, tensor<2xi8> -> tensor<2x3xf32>
  %1 = pop.dynamic_slice %x[%high] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<8x4xf32>, tensor<1xui8> -> tensor<2x4xf32>
  %2 = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 8>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<8x4xf32>
  %3 = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<2x4xf32>
  // CHECK: return %[[LOW]], %[[HIGH]], %[[X]], %[[KEPT]]
  return %0, %1, %2, %3 : tensor<2x3xf32>, tensor<2x4xf32>, tensor<8x4xf32>, tensor<2x4xf32>
}

// -----

// An update of everything is the update, one of nothing the input.
// CHECK-LABEL: func @whole_updates
// CHECK-SAME: (%[[X:.*]]: tensor<8x4xf32>, %[[U:.*]]: tensor<8x4xf32>, %[[N:.*]]: tensor<0x4xf32>, %[[S:.*]]: tensor<1xi32>)
func.func @whole_updates(%x: tensor<8x4xf32>, %u: tensor<8x4xf32>, %n: tensor<0x4xf32>, %s: tensor<1xi32>) -> (tensor<8x4xf32>, tensor<8x4xf32>) {
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<8x4xf32>, tensor<1xi32>
  %1 = pop.dynamic_update %x, %n[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<0x4xf32>, tensor<1xi32>
  // CHECK: return %[[U]], %[[X]]
  return %0, %1 : tensor<8x4xf32>, tensor<8x4xf32>
}

// -----

// Two groups of channels are interleaved by one copy.
// CHECK-LABEL: func @interleave
// CHECK-SAME: (%[[A:.*]]: tensor<1x3x4xf16>, %[[B:.*]]: tensor<1x3x4xf16>)
func.func @interleave(%a: tensor<1x3x4xf16>, %b: tensor<1x3x4xf16>) -> tensor<1x6x4xf16> {
  // CHECK: %[[RA:.*]] = pop.reshape %[[A]] : tensor<1x3x4xf16> to tensor<1x1x3x4xf16>
  // CHECK: %[[TA:.*]] = pop.transpose %[[RA]] {permutation = array<i64: 0, 2, 1, 3>}
  // CHECK: %[[RB:.*]] = pop.reshape %[[B]] : tensor<1x3x4xf16> to tensor<1x1x3x4xf16>
  // CHECK: %[[TB:.*]] = pop.transpose %[[RB]] {permutation = array<i64: 0, 2, 1, 3>}
  // CHECK: %[[C:.*]] = pop.concat %[[TA]], %[[TB]] {axis = 2 : i64} : (tensor<1x3x1x4xf16>, tensor<1x3x1x4xf16>) -> tensor<1x3x2x4xf16>
  // CHECK: pop.reshape %[[C]] : tensor<1x3x2x4xf16> to tensor<1x6x4xf16>
  %0 = pop.concat %a, %b {axis = 1 : i64} : (tensor<1x3x4xf16>, tensor<1x3x4xf16>) -> tensor<1x6x4xf16>
  %1 = pop.reshape %0 : tensor<1x6x4xf16> to tensor<1x2x3x4xf16>
  %2 = pop.transpose %1 {permutation = array<i64: 0, 2, 1, 3>} : tensor<1x2x3x4xf16> -> tensor<1x3x2x4xf16>
  %3 = pop.reshape %2 : tensor<1x3x2x4xf16> to tensor<1x6x4xf16>
  return %3 : tensor<1x6x4xf16>
}

// -----

// The reshape splits other dimensions than the operands of the concat, or the
// stack has another use.
// CHECK-LABEL: func @no_interleaving
func.func @no_interleaving(%a: tensor<2x4xf16>, %b: tensor<4x4xf16>) -> (tensor<3x2x4xf16>, tensor<2x4x4xf16>, tensor<4x2x4xf16>) {
  // CHECK: %[[C:.*]] = pop.concat %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<2x4xf16>, tensor<4x4xf16>)
  // CHECK: pop.reshape %[[C]]
  %0 = pop.concat %a, %b {axis = 0 : i64} : (tensor<2x4xf16>, tensor<4x4xf16>) -> tensor<6x4xf16>
  %1 = pop.reshape %0 : tensor<6x4xf16> to tensor<2x3x4xf16>
  %2 = pop.transpose %1 {permutation = array<i64: 1, 0, 2>} : tensor<2x3x4xf16> -> tensor<3x2x4xf16>
  // CHECK: %[[D:.*]] = pop.concat %{{.*}}, %{{.*}} {axis = 0 : i64} : (tensor<4x4xf16>, tensor<4x4xf16>)
  // CHECK: pop.reshape %[[D]]
  %3 = pop.concat %b, %b {axis = 0 : i64} : (tensor<4x4xf16>, tensor<4x4xf16>) -> tensor<8x4xf16>
  %4 = pop.reshape %3 : tensor<8x4xf16> to tensor<2x4x4xf16>
  %5 = pop.transpose %4 {permutation = array<i64: 1, 0, 2>} : tensor<2x4x4xf16> -> tensor<4x2x4xf16>
  return %2, %4, %5 : tensor<3x2x4xf16>, tensor<2x4x4xf16>, tensor<4x2x4xf16>
}

// -----

// A view draws no random bits.
// CHECK-LABEL: func.func @slice_without_draw
// CHECK-NOT: pop.draw
// CHECK: return
func.func @slice_without_draw(%x: tensor<12x8xf16>) -> tensor<4x8xf16> {
  %c = pop.constant dense<2> : tensor<1xi32>
  %0 = pop.dynamic_slice %x[%c] {axes = array<i64: 0>, sizes = array<i64: 4>, pop.draw = #pop.draw<3>} : tensor<12x8xf16>, tensor<1xi32> -> tensor<4x8xf16>
  return %0 : tensor<4x8xf16>
}
