// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-autodiff{func=f})' | FileCheck %s

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf16> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[DY]] : tensor<4xf16> to tensor<4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<3.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[DIV:.+]] = pop.div %[[CAST]], %[[CONSTANT]] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[DIV]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT:    %[[CAST2:.+]] = pop.cast %[[RESHAPE]] : tensor<4x1xf32> to tensor<4x1xf16>
// CHECK-NEXT:    %[[EXPAND:.+]] = pop.expand %[[CAST2]] : tensor<4x1xf16> to tensor<4x3xf16>
// CHECK-NEXT:    return %[[EXPAND]]
func.func private @f(%x: tensor<4x3xf16>) -> tensor<4xf16> {
  %0 = pop.reduce mean %x {axes = array<i64: 1>} : tensor<4x3xf16> -> tensor<4xf16>
  return %0 : tensor<4xf16>
}

// -----

// Equal elements share the gradient.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<4x3xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-NEXT:    %[[REDUCE:.+]] = pop.reduce max %[[X0]] {axes = array<i64: 1>} : tensor<4x3xf32> -> tensor<4xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[REDUCE]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT:    %[[EQUAL:.+]] = pop.equal %[[X0]], %[[RESHAPE]] : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xi1>
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[EQUAL]] : tensor<4x3xi1> to tensor<4x3xf32>
// CHECK-NEXT:    %[[REDUCE2:.+]] = pop.reduce sum %[[CAST]] {axes = array<i64: 1>} : tensor<4x3xf32> -> tensor<4xf32>
// CHECK-NEXT:    %[[DIV:.+]] = pop.div %[[DY]], %[[REDUCE2]] : tensor<4xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[DIV]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SELECT:.+]] = pop.select %[[EQUAL]], %[[RESHAPE2]], %[[CONSTANT]] : tensor<4x3xi1>, tensor<4x1xf32>, tensor<f32> -> tensor<4x3xf32>
// CHECK-NEXT:    return %[[SELECT]]
func.func private @f(%x: tensor<4x3xf32>) -> tensor<4xf32> {
  %0 = pop.reduce max %x {axes = array<i64: 1>} : tensor<4x3xf32> -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A tree of products, filled up with ones: nothing is divided.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<f32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<3xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[X0]] : tensor<3xf32> to tensor<1x3xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[DY]] : tensor<f32> to tensor<1x1xf32>
// CHECK-NEXT:    %[[PAD:.+]] = pop.pad %[[RESHAPE]] {high = array<i64: 0, 1>, low = array<i64: 0, 0>, value = 1.000000e+00 : f32} : tensor<1x3xf32> -> tensor<1x4xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[PAD]] {sizes = array<i64: 1, 2>, starts = array<i64: 0, 0>, steps = array<i64: 1, 2>} : tensor<1x4xf32> -> tensor<1x2xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[PAD]] {sizes = array<i64: 1, 2>, starts = array<i64: 0, 1>, steps = array<i64: 1, 2>} : tensor<1x4xf32> -> tensor<1x2xf32>
// CHECK-NEXT:    %[[MUL:.+]] = pop.mul %[[SLICE]], %[[SLICE2]] : tensor<1x2xf32>
// CHECK-NEXT:    %[[RESHAPE3:.+]] = pop.reshape %[[MUL]] : tensor<1x2xf32> to tensor<1x1x2xf32>
// CHECK-NEXT:    %[[SLICE3:.+]] = pop.slice %[[RESHAPE3]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, -1>} : tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE4:.+]] = pop.reshape %[[RESHAPE2]] : tensor<1x1xf32> to tensor<1x1x1xf32>
// CHECK-NEXT:    %[[MUL2:.+]] = pop.mul %[[RESHAPE4]], %[[SLICE3]] : (tensor<1x1x1xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[RESHAPE5:.+]] = pop.reshape %[[MUL2]] : tensor<1x1x2xf32> to tensor<1x2xf32>
// CHECK-NEXT:    %[[RESHAPE6:.+]] = pop.reshape %[[PAD]] : tensor<1x4xf32> to tensor<1x2x2xf32>
// CHECK-NEXT:    %[[SLICE4:.+]] = pop.slice %[[RESHAPE6]] {sizes = array<i64: 1, 2, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, -1>} : tensor<1x2x2xf32> -> tensor<1x2x2xf32>
// CHECK-NEXT:    %[[RESHAPE7:.+]] = pop.reshape %[[RESHAPE5]] : tensor<1x2xf32> to tensor<1x2x1xf32>
// CHECK-NEXT:    %[[MUL3:.+]] = pop.mul %[[RESHAPE7]], %[[SLICE4]] : (tensor<1x2x1xf32>, tensor<1x2x2xf32>) -> tensor<1x2x2xf32>
// CHECK-NEXT:    %[[RESHAPE8:.+]] = pop.reshape %[[MUL3]] : tensor<1x2x2xf32> to tensor<1x4xf32>
// CHECK-NEXT:    %[[SLICE5:.+]] = pop.slice %[[RESHAPE8]] {sizes = array<i64: 1, 3>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<1x4xf32> -> tensor<1x3xf32>
// CHECK-NEXT:    %[[RESHAPE9:.+]] = pop.reshape %[[SLICE5]] : tensor<1x3xf32> to tensor<3xf32>
// CHECK-NEXT:    return %[[RESHAPE9]]
func.func private @f(%x: tensor<3xf32>) -> tensor<f32> {
  %0 = pop.reduce prod %x {axes = array<i64: 0>} : tensor<3xf32> -> tensor<f32>
  return %0 : tensor<f32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x1x3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<{{\[\[\[}}2.000000e+00, 3.000000e+00, 3.000000e+00]]]> : tensor<1x1x3xf32>
// CHECK-NEXT:    %[[DIV:.+]] = pop.div %[[DY]], %[[CONSTANT]] : tensor<1x1x3xf32>
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[DIV]] : tensor<1x1x3xf32> to tensor<1x1x1x1x3x1xf32>
// CHECK-NEXT:    %[[PAD:.+]] = pop.pad %[[RESHAPE]] {high = array<i64: 0, 0, 0, 0, 0, 2>, low = array<i64: 0, 0, 0, 0, 0, 0>, value = 0.000000e+00 : f32} : tensor<1x1x1x1x3x1xf32> -> tensor<1x1x1x1x3x3xf32>
// CHECK-NEXT:    %[[RESHAPE2:.+]] = pop.reshape %[[PAD]] : tensor<1x1x1x1x3x3xf32> to tensor<1x1x9xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[RESHAPE2]] {sizes = array<i64: 1, 1, 7>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 1>} : tensor<1x1x9xf32> -> tensor<1x1x7xf32>
// CHECK-NEXT:    %[[PAD2:.+]] = pop.pad %[[SLICE]] {high = array<i64: 0, 0, 3>, low = array<i64: 0, 0, 1>, value = 0.000000e+00 : f32} : tensor<1x1x7xf32> -> tensor<1x1x11xf32>
// CHECK-NEXT:    %[[REDUCEWINDOW:.+]] = pop.reduce_window sum %[[PAD2]] {dilations = array<i64: 1>, kernel = array<i64: 3>} : tensor<1x1x11xf32> -> tensor<1x1x9xf32>
// CHECK-NEXT:    return %[[REDUCEWINDOW]]
func.func private @f(%x: tensor<1x1x9xf32>) -> tensor<1x1x3xf32> {
  %0 = pop.avg_pool %x {kernel = array<i64: 3>, pads = array<i64: 1, 0>, strides = array<i64: 3>} : tensor<1x1x9xf32> -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x1x4x4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x1x8x8xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-NEXT:    %[[SELECTANDSCATTER:.+]] = pop.select_and_scatter max %[[X0]], %[[DY]] {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x1x8x8xf32>, tensor<1x1x4x4xf32> -> tensor<1x1x8x8xf32>
// CHECK-NEXT:    return %[[SELECTANDSCATTER]]
func.func private @f(%x: tensor<1x1x8x8xf32>) -> tensor<1x1x4x4xf32> {
  %0 = pop.max_pool %x {kernel = array<i64: 3, 3>, pads = array<i64: 1, 1, 1, 1>, strides = array<i64: 2, 2>} : tensor<1x1x8x8xf32> -> tensor<1x1x4x4xf32>
  return %0 : tensor<1x1x4x4xf32>
}

// -----

// What windows select, position by position: one of them is in the pads.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<1x1x3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<1x1x3xf32> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-NEXT:    %[[PAD:.+]] = pop.pad %[[X0]] {high = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 1>, value = 0.000000e+00 : f32} : tensor<1x1x3xf32> -> tensor<1x1x4xf32>
// CHECK-NEXT:    %[[PAD2:.+]] = pop.pad %[[DY]] {high = array<i64: 0, 0, 0>, low = array<i64: 0, 0, 1>, value = 0.000000e+00 : f32} : tensor<1x1x3xf32> -> tensor<1x1x4xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<0.000000e+00> : tensor<1x1x2xf32>
// CHECK-NEXT:    %[[SLICE:.+]] = pop.slice %[[PAD]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 2>} : tensor<1x1x4xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[SLICE2:.+]] = pop.slice %[[PAD2]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 0, 0, 0>, steps = array<i64: 1, 1, 2>} : tensor<1x1x4xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[CONSTANT2:.+]] = pop.constant dense<{{\[\[\[}}false, true]]]> : tensor<1x1x2xi1>
// CHECK-NEXT:    %[[SELECT:.+]] = pop.select %[[CONSTANT2]], %[[SLICE2]], %[[CONSTANT]] : tensor<1x1x2xi1>, tensor<1x1x2xf32>, tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[SLICE3:.+]] = pop.slice %[[PAD]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 2>} : tensor<1x1x4xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[SLICE4:.+]] = pop.slice %[[PAD2]] {sizes = array<i64: 1, 1, 2>, starts = array<i64: 0, 0, 1>, steps = array<i64: 1, 1, 2>} : tensor<1x1x4xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    %[[CONSTANT3:.+]] = pop.constant dense<{{\[\[\[}}true, false]]]> : tensor<1x1x2xi1>
// CHECK-NEXT:    %[[GREATER:.+]] = pop.greater %[[SLICE3]], %[[SLICE]] : (tensor<1x1x2xf32>, tensor<1x1x2xf32>) -> tensor<1x1x2xi1>
// CHECK-NEXT:    %[[OR:.+]] = pop.or %[[GREATER]], %[[CONSTANT3]] : tensor<1x1x2xi1>
// CHECK-NEXT:    %[[SELECT2:.+]] = pop.select %[[OR]], %[[SLICE4]], %[[SELECT]] : tensor<1x1x2xi1>, tensor<1x1x2xf32>, tensor<1x1x2xf32> -> tensor<1x1x2xf32>
// CHECK-NEXT:    return %[[SELECT2]]
func.func private @f(%x: tensor<1x1x3xf32>, %s: tensor<1x1x2xf32>) -> tensor<1x1x3xf32> {
  %0 = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>, pads = array<i64: 1, 0>, strides = array<i64: 2>} : tensor<1x1x3xf32>, tensor<1x1x2xf32> -> tensor<1x1x3xf32>
  return %0 : tensor<1x1x3xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4x3xf16> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-SAME:    %[[X0:[^:]+]]: tensor<4x3xf16> {pop.forward_value = #pop.graph_value<argument 0>}
// CHECK-NEXT:    %[[SOFTMAX:.+]] = pop.softmax %[[X0]] {axis = 1 : i64} : tensor<4x3xf16>
// CHECK-NEXT:    %[[CAST:.+]] = pop.cast %[[SOFTMAX]] : tensor<4x3xf16> to tensor<4x3xf32>
// CHECK-NEXT:    %[[CAST2:.+]] = pop.cast %[[DY]] : tensor<4x3xf16> to tensor<4x3xf32>
// CHECK-NEXT:    %[[MUL:.+]] = pop.mul %[[CAST2]], %[[CAST]] : tensor<4x3xf32>
// CHECK-NEXT:    %[[REDUCE:.+]] = pop.reduce sum %[[MUL]] {axes = array<i64: 1>, keep_dims} : tensor<4x3xf32> -> tensor<4x1xf32>
// CHECK-NEXT:    %[[SUB:.+]] = pop.sub %[[CAST2]], %[[REDUCE]] : (tensor<4x3xf32>, tensor<4x1xf32>) -> tensor<4x3xf32>
// CHECK-NEXT:    %[[MUL2:.+]] = pop.mul %[[CAST]], %[[SUB]] : tensor<4x3xf32>
// CHECK-NEXT:    %[[CAST3:.+]] = pop.cast %[[MUL2]] : tensor<4x3xf32> to tensor<4x3xf16>
// CHECK-NEXT:    return %[[CAST3]]
func.func private @f(%x: tensor<4x3xf16>) -> tensor<4x3xf16> {
  %0 = pop.softmax %x {axis = 1 : i64} : tensor<4x3xf16>
  return %0 : tensor<4x3xf16>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<3xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK-NEXT:    %[[RESHAPE:.+]] = pop.reshape %[[DY]] : tensor<3xf32> to tensor<1x3x1xf32>
// CHECK-NEXT:    %[[CONSTANT:.+]] = pop.constant dense<1.250000e-01> : tensor<f32>
// CHECK-NEXT:    %[[MUL:.+]] = pop.mul %[[RESHAPE]], %[[CONSTANT]] : (tensor<1x3x1xf32>, tensor<f32>) -> tensor<1x3x1xf32>
// CHECK-NEXT:    %[[EXPAND:.+]] = pop.expand %[[MUL]] : tensor<1x3x1xf32> to tensor<2x3x4xf32>
// CHECK-NEXT:    return %[[EXPAND]]
func.func private @f(%x: tensor<2x3x4xf32>, %scale: tensor<3xf32>, %bias: tensor<3xf32>) -> tensor<3xf32> {
  %y, %mean, %variance = pop.batch_norm_training %x, %scale, %bias : tensor<2x3x4xf32>, tensor<3xf32>
  return %mean : tensor<3xf32>
}

// -----

// The gradient of an operand without elements has no elements, also behind
// other ops. Where a tensor without elements is between an operand and a
// result, the gradient is 0.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK:         %[[EMPTY:.+]] = pop.constant dense<0.000000e+00> : tensor<0x4xf32>
// CHECK:         %[[DX:.+]] = pop.mul %[[EMPTY]], %{{.+}} : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
// CHECK:         %[[PRODUCT:.+]] = pop.mul %[[EMPTY]], %{{.+}} : tensor<0x4xf32>
// CHECK:         %[[DW:.+]] = pop.reduce sum %[[PRODUCT]] {axes = array<i64: 0>} : tensor<0x4xf32> -> tensor<4xf32>
// CHECK:         return %[[DX]], %[[DW]] : tensor<0x4xf32>, tensor<4xf32>
func.func private @f(%x: tensor<0x4xf32>, %w: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.mul %x, %w : (tensor<0x4xf32>, tensor<4xf32>) -> tensor<0x4xf32>
  %1 = pop.reduce max %0 {axes = array<i64: 0>} : tensor<0x4xf32> -> tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// CHECK-LABEL: func.func private @f_backward(
// CHECK:         %[[ZERO:.+]] = pop.constant dense<0.000000e+00> : tensor<4x3xf32>
// CHECK:         return %[[ZERO]] : tensor<4x3xf32>
func.func private @f(%w: tensor<4x3xf32>) -> tensor<3xf32> {
  %0 = pop.slice %w {sizes = array<i64: 0, 3>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : tensor<4x3xf32> -> tensor<0x3xf32>
  %1 = pop.reduce mean %0 {axes = array<i64: 0>} : tensor<0x3xf32> -> tensor<3xf32>
  return %1 : tensor<3xf32>
}

// -----

// The value of the selected pair has the gradient.
//
// CHECK-LABEL: func.func private @f_backward(
// CHECK-SAME:    %[[DY:[^:]+]]: tensor<4xf32> {pop.gradient_of = #pop.graph_value<result 0>}
// CHECK:         %{{.+}}, %[[INDEX:.+]] = pop.arg_reduce max %[[X:.+]], %[[I:.+]] {axes = array<i64: 1>} : tensor<4x3xf32>, tensor<4x3xi32> -> tensor<4xf32>, tensor<4xi32>
// CHECK-NEXT:    %[[KEPT:.+]] = pop.reshape %[[INDEX]] : tensor<4xi32> to tensor<4x1xi32>
// CHECK-NEXT:    %[[EQUAL:.+]] = pop.equal %[[I]], %[[KEPT]] : (tensor<4x3xi32>, tensor<4x1xi32>) -> tensor<4x3xi1>
// CHECK-NEXT:    %[[ROWS:.+]] = pop.reshape %[[DY]] : tensor<4xf32> to tensor<4x1xf32>
// CHECK-NEXT:    %[[ZERO:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK-NEXT:    %[[SELECT:.+]] = pop.select %[[EQUAL]], %[[ROWS]], %[[ZERO]] : tensor<4x3xi1>, tensor<4x1xf32>, tensor<f32> -> tensor<4x3xf32>
// CHECK-NEXT:    return %[[SELECT]]
func.func private @f(%x: tensor<4x3xf32>, %i: tensor<4x3xi32>) -> tensor<4xf32> {
  %0:2 = pop.arg_reduce max %x, %i {axes = array<i64: 1>} : tensor<4x3xf32>, tensor<4x3xi32> -> tensor<4xf32>, tensor<4xi32>
  return %0#0 : tensor<4xf32>
}
