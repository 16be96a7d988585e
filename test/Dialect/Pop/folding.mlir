// RUN: ipu-opt %s --canonicalize --split-input-file | FileCheck %s

// CHECK-LABEL: func @arithmetic_on_floats
func.func @arithmetic_on_floats() -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %a = pop.constant dense<[1.0, -0.0]> : tensor<2xf32>
  %b = pop.constant dense<[3.0, 0.0]> : tensor<2xf32>
  %c = pop.constant dense<[3.0, 2.0]> : tensor<2xf32>
  // CHECK-DAG: dense<[4.000000e+00, 0.000000e+00]>
  %0 = pop.add %a, %b : tensor<2xf32>
  // CHECK-DAG: dense<[-2.000000e+00, -0.000000e+00]>
  %1 = pop.sub %a, %b : tensor<2xf32>
  // CHECK-DAG: dense<[3.000000e+00, -0.000000e+00]>
  %2 = pop.mul %a, %b : tensor<2xf32>
  // CHECK-DAG: dense<[0.333333343, -0.000000e+00]>
  %3 = pop.div %a, %c : tensor<2xf32>
  // CHECK-DAG: dense<[3.000000e+00, 0.000000e+00]>
  %4 = pop.max %a, %b : tensor<2xf32>
  // CHECK-DAG: dense<[1.000000e+00, -0.000000e+00]>
  %5 = pop.min %a, %b : tensor<2xf32>
  // CHECK-DAG: dense<[-1.000000e+00, 0.000000e+00]>
  %6 = pop.neg %a : tensor<2xf32>
  // CHECK-DAG: dense<[1.000000e+00, 0.000000e+00]>
  %7 = pop.abs %a : tensor<2xf32>
  return %0, %1, %2, %3, %4, %5, %6, %7 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// -----

// 2049 is no f16: each op rounds its result, ties to even.
// CHECK-LABEL: func @narrow_floats_round_once
func.func @narrow_floats_round_once() -> tensor<f16> {
  %a = pop.constant dense<2048.0> : tensor<f16>
  %b = pop.constant dense<1.0> : tensor<f16>
  // CHECK: pop.constant dense<2.048000e+03> : tensor<f16>
  %0 = pop.add %a, %b : tensor<f16>
  return %0 : tensor<f16>
}

// -----

// The bits of NaNs are the device's, and f8 types and transcendental functions
// are left to it as well.
// CHECK-LABEL: func @left_to_the_device
func.func @left_to_the_device() -> (tensor<f32>, tensor<f8E5M2>, tensor<f32>, tensor<f16>) {
  %inf = pop.constant dense<0x7F800000> : tensor<f32>
  %nan = pop.constant dense<0x7FC00000> : tensor<f32>
  %f8 = pop.constant dense<1.0> : tensor<f8E5M2>
  // CHECK: pop.sub
  %0 = pop.sub %inf, %inf : tensor<f32>
  // CHECK: pop.add
  %1 = pop.add %f8, %f8 : tensor<f8E5M2>
  // CHECK: pop.exp
  %2 = pop.exp %inf : tensor<f32>
  // CHECK: pop.cast
  %3 = pop.cast %nan : tensor<f32> to tensor<f16>
  return %0, %1, %2, %3 : tensor<f32>, tensor<f8E5M2>, tensor<f32>, tensor<f16>
}

// -----

// CHECK-LABEL: func @arithmetic_on_integers
func.func @arithmetic_on_integers() -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %a = pop.constant dense<[-128, 100, -7, 5]> : tensor<4xi8>
  %b = pop.constant dense<[-1, 100, 2, 0]> : tensor<4xi8>
  // CHECK-DAG: dense<[127, -56, -5, 5]>
  %0 = pop.add %a, %b : tensor<4xi8>
  // CHECK-DAG: dense<[-128, 16, -14, 0]>
  %1 = pop.mul %a, %b : tensor<4xi8>
  // CHECK-DAG: dense<[-128, 1, -3, -1]>
  %2 = pop.div %a, %b : tensor<4xi8>
  // CHECK-DAG: dense<[-1, 100, 2, 5]>
  %3 = pop.max %a, %b : tensor<4xi8>
  // CHECK-DAG: dense<[-128, 100, 7, 5]>
  %4 = pop.abs %a : tensor<4xi8>
  // CHECK-DAG: dense<[127, -101, 6, -6]>
  %5 = pop.not %a : tensor<4xi8>
  // CHECK-DAG: dense<[127, 0, -5, 5]>
  %6 = pop.xor %a, %b : tensor<4xi8>
  return %0, %1, %2, %3, %4, %5, %6 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

// Shifts by counts outside of the width leave zeros, or copies of the highest
// bit. A shift by 0 is the operand.
// CHECK-LABEL: func @shifts
// CHECK-SAME: (%[[X:.*]]: tensor<4xi8>)
func.func @shifts(%x: tensor<4xi8>) -> (tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>) {
  %a = pop.constant dense<[-128, 100, -7, 5]> : tensor<4xi8>
  %b = pop.constant dense<[1, 2, 8, -1]> : tensor<4xi8>
  %zero = pop.constant dense<0> : tensor<i8>
  // CHECK-DAG: %[[LEFT:.*]] = pop.constant dense<[0, -112, 0, 0]>
  %0 = pop.shift_left %a, %b : tensor<4xi8>
  // CHECK-DAG: %[[LOGICAL:.*]] = pop.constant dense<[64, 25, 0, 0]>
  %1 = pop.shift_right_logical %a, %b : tensor<4xi8>
  // CHECK-DAG: %[[ARITHMETIC:.*]] = pop.constant dense<[-64, 25, -1, 0]>
  %2 = pop.shift_right_arithmetic %a, %b : tensor<4xi8>
  %3 = pop.shift_left %x, %zero : (tensor<4xi8>, tensor<i8>) -> tensor<4xi8>
  // CHECK: return %[[LEFT]], %[[LOGICAL]], %[[ARITHMETIC]], %[[X]]
  return %0, %1, %2, %3 : tensor<4xi8>, tensor<4xi8>, tensor<4xi8>, tensor<4xi8>
}

// -----

// Rows of one position are sorted, and one pair is extreme.
// CHECK-LABEL: func @single_positions
// CHECK-SAME: (%[[X:.*]]: tensor<4x1xf32>, %[[I:.*]]: tensor<4x1xi32>)
func.func @single_positions(%x: tensor<4x1xf32>, %i: tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1xi32>, tensor<4x1xf32>, tensor<4x1xi32>) {
  %0:2 = pop.sort %x, %i by [ascending] {axis = 1 : i64} : (tensor<4x1xf32>, tensor<4x1xi32>) -> (tensor<4x1xf32>, tensor<4x1xi32>)
  %1:2 = pop.arg_reduce max %x, %i {axes = array<i64: 1>, keep_dims} : tensor<4x1xf32>, tensor<4x1xi32> -> tensor<4x1xf32>, tensor<4x1xi32>
  // CHECK: return %[[X]], %[[I]], %[[X]], %[[I]]
  return %0#0, %0#1, %1#0, %1#1 : tensor<4x1xf32>, tensor<4x1xi32>, tensor<4x1xf32>, tensor<4x1xi32>
}

// -----

// CHECK-LABEL: func @unsigned_integers
func.func @unsigned_integers() -> (tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xf32>) {
  %a = pop.constant dense<[200, 7]> : tensor<2xui8>
  %b = pop.constant dense<[100, 0]> : tensor<2xui8>
  // CHECK-DAG: dense<[2, 255]> : tensor<2xui8>
  %0 = pop.div %a, %b : tensor<2xui8>
  // CHECK-DAG: dense<[200, 7]> : tensor<2xui8>
  %1 = pop.max %a, %b : tensor<2xui8>
  // CHECK-DAG: dense<false> : tensor<2xi1>
  %2 = pop.less %a, %b : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  // CHECK-DAG: dense<[2.000000e+02, 7.000000e+00]> : tensor<2xf32>
  %3 = pop.cast %a : tensor<2xui8> to tensor<2xf32>
  return %0, %1, %2, %3 : tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @comparisons_with_nan
func.func @comparisons_with_nan() -> (tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>) {
  %a = pop.constant dense<[0x7FC00000, -0.0, 1.0]> : tensor<3xf32>
  %b = pop.constant dense<0.0> : tensor<3xf32>
  // CHECK-DAG: dense<[false, true, false]>
  %0 = pop.equal %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-DAG: dense<[true, false, true]>
  %1 = pop.not_equal %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-DAG: dense<false>
  %2 = pop.less %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  // CHECK-DAG: dense<[false, true, true]>
  %3 = pop.greater_equal %a, %b : (tensor<3xf32>, tensor<3xf32>) -> tensor<3xi1>
  return %0, %1, %2, %3 : tensor<3xi1>, tensor<3xi1>, tensor<3xi1>, tensor<3xi1>
}

// -----

// CHECK-LABEL: func @casts
func.func @casts() -> (tensor<6xi8>, tensor<6xui8>, tensor<6xi1>, tensor<6xf16>, tensor<1xbf16>, tensor<2xi32>) {
  %a = pop.constant dense<[0x7FC00000, 0x7F800000, -300.0, -1.5, 2.9, 70000.0]> : tensor<6xf32>
  %finite = pop.constant dense<[0.0, 0xFF800000, -300.0, -1.5, 2.9, 70000.0]> : tensor<6xf32>
  // 2^30 + 2^22 + 1 lies just above a tie of bf16.
  %i = pop.constant dense<1077936129> : tensor<1xi32>
  %b = pop.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG: dense<[0, 127, -128, -1, 2, 127]> : tensor<6xi8>
  %0 = pop.cast %a : tensor<6xf32> to tensor<6xi8>
  // CHECK-DAG: dense<[0, 255, 0, 0, 2, 255]> : tensor<6xui8>
  %1 = pop.cast %a : tensor<6xf32> to tensor<6xui8>
  // CHECK-DAG: dense<true> : tensor<6xi1>
  %2 = pop.cast %a : tensor<6xf32> to tensor<6xi1>
  // CHECK-DAG: dense<[0.000000e+00, 0xFC00, -3.000000e+02, -1.500000e+00, 2.900390e+00, 0x7C00]> : tensor<6xf16>
  %3 = pop.cast %finite : tensor<6xf32> to tensor<6xf16>
  // CHECK-DAG: dense<1.082130e+09> : tensor<1xbf16>
  %4 = pop.cast %i : tensor<1xi32> to tensor<1xbf16>
  // CHECK-DAG: dense<[1, 0]> : tensor<2xi32>
  %5 = pop.cast %b : tensor<2xi1> to tensor<2xi32>
  return %0, %1, %2, %3, %4, %5 : tensor<6xi8>, tensor<6xui8>, tensor<6xi1>, tensor<6xf16>, tensor<1xbf16>, tensor<2xi32>
}

// -----

// CHECK-LABEL: func @broadcasting
func.func @broadcasting() -> (tensor<2x2xi32>, tensor<2x2xi32>) {
  %a = pop.constant dense<[[1], [2]]> : tensor<2x1xi32>
  %b = pop.constant dense<[10, 20]> : tensor<2xi32>
  %c = pop.constant dense<[true, false]> : tensor<2xi1>
  // CHECK-DAG: dense<{{\[}}[11, 21], [12, 22]]>
  %0 = pop.add %a, %b : (tensor<2x1xi32>, tensor<2xi32>) -> tensor<2x2xi32>
  // CHECK-DAG: dense<{{\[}}[1, 20], [2, 20]]>
  %1 = pop.select %c, %a, %b : tensor<2xi1>, tensor<2x1xi32>, tensor<2xi32> -> tensor<2x2xi32>
  return %0, %1 : tensor<2x2xi32>, tensor<2x2xi32>
}

// -----

// Splats fold at any size, other constants up to 65536 elements, but not those
// whose bytes are a resource.
// CHECK-LABEL: func @sizes
func.func @sizes() -> (tensor<1000000xf32>, tensor<65537x2xf32>, tensor<1xf32>) {
  %a = pop.constant dense<1.0> : tensor<1000000xf32>
  %b = pop.constant dense<1.0> : tensor<65537x1xf32>
  %c = pop.constant dense_resource<numbers> : tensor<1xf32>
  %d = pop.constant dense<[1.0, 2.0]> : tensor<2xf32>
  // CHECK-DAG: dense<2.000000e+00> : tensor<1000000xf32>
  %0 = pop.add %a, %a : tensor<1000000xf32>
  // CHECK-DAG: pop.add {{.*}} -> tensor<65537x2xf32>
  %1 = pop.add %b, %d : (tensor<65537x1xf32>, tensor<2xf32>) -> tensor<65537x2xf32>
  // CHECK-DAG: pop.add {{.*}} : tensor<1xf32>
  %2 = pop.add %c, %c : tensor<1xf32>
  return %0, %1, %2 : tensor<1000000xf32>, tensor<65537x2xf32>, tensor<1xf32>
}

// -----

// The remainder of integers has the sign of the dividend; by zero it is the
// dividend. That of floats is the device's.
// CHECK-LABEL: func @remainder
func.func @remainder() -> (tensor<4xi8>, tensor<2xui8>, tensor<1xf32>) {
  %a = pop.constant dense<[7, -7, -128, 5]> : tensor<4xi8>
  %b = pop.constant dense<[-3, 3, -1, 0]> : tensor<4xi8>
  %c = pop.constant dense<[255, 4]> : tensor<2xui8>
  %d = pop.constant dense<[16, 0]> : tensor<2xui8>
  %e = pop.constant dense<5.5> : tensor<1xf32>
  // CHECK-DAG: dense<[1, -1, 0, 5]> : tensor<4xi8>
  %0 = pop.rem %a, %b : tensor<4xi8>
  // CHECK-DAG: dense<[15, 4]> : tensor<2xui8>
  %1 = pop.rem %c, %d : tensor<2xui8>
  // CHECK-DAG: pop.rem
  %2 = pop.rem %e, %e : tensor<1xf32>
  return %0, %1, %2 : tensor<4xi8>, tensor<2xui8>, tensor<1xf32>
}

{-#
  dialect_resources: {
    builtin: {
      numbers: "0x040000000000803F"
    }
  }
#-}

// -----

// CHECK-LABEL: func @views_of_constants
func.func @views_of_constants() -> (tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<2x2x3xi32>, tensor<2x1000000xi32>) {
  %a = pop.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  %s = pop.constant dense<7> : tensor<1x1000000xi32>
  // CHECK-DAG: dense<{{\[}}[1, 4], [2, 5], [3, 6]]> : tensor<3x2xi32>
  %0 = pop.transpose %a {permutation = array<i64: 1, 0>} : tensor<2x3xi32> -> tensor<3x2xi32>
  // CHECK-DAG: dense<[1, 2, 3, 4, 5, 6]> : tensor<6xi32>
  %1 = pop.reshape %a : tensor<2x3xi32> to tensor<6xi32>
  // CHECK-DAG: dense<{{\[}}[6, 4], [3, 1]]> : tensor<2x2xi32>
  %2 = pop.slice %a {starts = array<i64: 1, 2>, sizes = array<i64: 2, 2>, steps = array<i64: -1, -2>} : tensor<2x3xi32> -> tensor<2x2xi32>
  // CHECK-DAG: dense<{{\[\[}}[1, 2, 3], [4, 5, 6]], {{\[}}[1, 2, 3], [4, 5, 6]]]> : tensor<2x2x3xi32>
  %3 = pop.expand %a : tensor<2x3xi32> to tensor<2x2x3xi32>
  // CHECK-DAG: dense<7> : tensor<2x1000000xi32>
  %4 = pop.expand %s : tensor<1x1000000xi32> to tensor<2x1000000xi32>
  return %0, %1, %2, %3, %4 : tensor<3x2xi32>, tensor<6xi32>, tensor<2x2xi32>, tensor<2x2x3xi32>, tensor<2x1000000xi32>
}

// -----

// Indices that are not inside give zeros; NaNs are copied.
// CHECK-LABEL: func @gathers
func.func @gathers() -> (tensor<2x3xf32>, tensor<2xi8>, tensor<4x2xi1>) {
  %t = pop.constant dense<[-0.0, 0x7FC00001, 2.0]> : tensor<3xf32>
  %i = pop.constant dense<[[0, 1, 3], [-1, 2, -2147483648]]> : tensor<2x3xi32>
  // CHECK-DAG: dense<{{\[\[}}-0.000000e+00, 0x7FC00001, 0.000000e+00], [0.000000e+00, 2.000000e+00, 0.000000e+00]]> : tensor<2x3xf32>
  %0 = pop.gather %t, %i : (tensor<3xf32>, tensor<2x3xi32>) -> tensor<2x3xf32>
  %b = pop.constant dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi8>
  %j = pop.constant dense<[2, 1]> : tensor<2xui8>
  // CHECK-DAG: dense<[3, 5]> : tensor<2xi8>
  %1 = pop.gather %b, %j {batch_dims = 1 : i64} : (tensor<2x3xi8>, tensor<2xui8>) -> tensor<2xi8>
  %c = pop.constant dense<true> : tensor<5x2xi1>
  %k = pop.constant dense<[4, 5, 0, 255]> : tensor<4xui8>
  // CHECK-DAG: dense<{{\[\[}}true, true], [false, false], [true, true], [false, false]]> : tensor<4x2xi1>
  %2 = pop.gather %c, %k : (tensor<5x2xi1>, tensor<4xui8>) -> tensor<4x2xi1>
  return %0, %1, %2 : tensor<2x3xf32>, tensor<2xi8>, tensor<4x2xi1>
}

// -----

// Without updates nothing changes.
// CHECK-LABEL: func @scatters
// CHECK-SAME: (%[[X:.*]]: tensor<4x3xf16>, %[[Y:.*]]: tensor<4x0xf32>
func.func @scatters(%x: tensor<4x3xf16>, %y: tensor<4x0xf32>, %i: tensor<0xi32>, %u: tensor<0x3xf16>, %j: tensor<2xi32>, %v: tensor<2x0xf32>) -> (tensor<4x3xf16>, tensor<4x0xf32>) {
  %0 = pop.scatter add %x, %i, %u : tensor<4x3xf16>, tensor<0xi32>, tensor<0x3xf16>
  %1 = pop.scatter max %y, %j, %v : tensor<4x0xf32>, tensor<2xi32>, tensor<2x0xf32>
  // CHECK: return %[[X]], %[[Y]]
  return %0, %1 : tensor<4x3xf16>, tensor<4x0xf32>
}

// -----

// Chains start from +0 without an accumulator; -0 is another start.
// CHECK-LABEL: func @accumulators
// CHECK-SAME: (%[[A:.*]]: tensor<2x3xf32>, %[[B:.*]]: tensor<3x4xf32>, %[[E:.*]]: tensor<2x0xf32>, %[[F:.*]]: tensor<0x4xf32>, %[[C:.*]]: tensor<2x4xf32>)
func.func @accumulators(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>, %e: tensor<2x0xf32>, %f: tensor<0x4xf32>, %c: tensor<2x4xf32>)
    -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>) {
  %zero = pop.constant dense<0.0> : tensor<2x4xf32>
  %minus = pop.constant dense<-0.0> : tensor<2x4xf32>
  // CHECK: %[[MINUS:.*]] = pop.constant dense<-0.000000e+00> : tensor<2x4xf32>
  // CHECK: %[[R0:.*]] = pop.matmul %[[A]], %[[B]] : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  %0 = pop.matmul %a, %b, %zero : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: %[[R1:.*]] = pop.matmul %[[A]], %[[B]], %[[MINUS]] :
  %1 = pop.matmul %a, %b, %minus : (tensor<2x3xf32>, tensor<3x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2 = pop.matmul %e, %f, %c : (tensor<2x0xf32>, tensor<0x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  // CHECK: return %[[R0]], %[[R1]], %[[C]]
  return %0, %1, %2 : tensor<2x4xf32>, tensor<2x4xf32>, tensor<2x4xf32>
}

// -----

// Nothing is there to be computed, and nothing to crash on.
// CHECK-LABEL: func @constants_without_elements
func.func @constants_without_elements() -> (tensor<0xf32>, tensor<0x2xf32>, tensor<0xf32>, tensor<0xf32>) {
  %a = pop.constant dense<> : tensor<0xf32>
  %b = pop.constant dense<1.0> : tensor<2xf32>
  %0 = pop.add %a, %a : tensor<0xf32>
  %1 = pop.reshape %a : tensor<0xf32> to tensor<0x2xf32>
  %2 = pop.slice %b {starts = array<i64: 9>, sizes = array<i64: 0>, steps = array<i64: 1>} : tensor<2xf32> -> tensor<0xf32>
  %3 = pop.cast %a : tensor<0xf32> to tensor<0xf32>
  return %0, %1, %2, %3 : tensor<0xf32>, tensor<0x2xf32>, tensor<0xf32>, tensor<0xf32>
}

// -----

// What integers are whatever their values: of floats an operand may be NaN.
// CHECK-LABEL: func @values_themselves
// CHECK-SAME: (%[[A:.*]]: tensor<2xi32>, %[[F:.*]]: tensor<2xf32>)
func.func @values_themselves(%a: tensor<2xi32>, %f: tensor<2xf32>)
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>) {
  // CHECK-DAG: %[[ZERO:.*]] = pop.constant dense<0> : tensor<2xi32>
  // CHECK-DAG: %[[ONES:.*]] = pop.constant dense<-1> : tensor<2xi32>
  %not = pop.not %a : tensor<2xi32>
  %0 = pop.and %a, %not : tensor<2xi32>
  %1 = pop.or %not, %a : tensor<2xi32>
  %2 = pop.xor %a, %a : tensor<2xi32>
  %3 = pop.xor %not, %a : tensor<2xi32>
  %4 = pop.sub %a, %a : tensor<2xi32>
  // CHECK: %[[SUB:.*]] = pop.sub %[[F]], %[[F]]
  %5 = pop.sub %f, %f : tensor<2xf32>
  // CHECK: return %[[ZERO]], %[[ONES]], %[[ZERO]], %[[ONES]], %[[ZERO]], %[[SUB]]
  return %0, %1, %2, %3, %4, %5 : tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>, tensor<2xf32>
}

// -----

// CHECK-LABEL: func @compared_with_themselves
// CHECK-SAME: (%[[A:.*]]: tensor<2xui8>, %[[F:.*]]: tensor<2xf32>)
func.func @compared_with_themselves(%a: tensor<2xui8>, %f: tensor<2xf32>)
    -> (tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  // CHECK-DAG: %[[TRUE:.*]] = pop.constant dense<true> : tensor<2xi1>
  // CHECK-DAG: %[[FALSE:.*]] = pop.constant dense<false> : tensor<2xi1>
  %0 = pop.equal %a, %a : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  %1 = pop.not_equal %a, %a : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  %2 = pop.less_equal %a, %a : (tensor<2xui8>, tensor<2xui8>) -> tensor<2xi1>
  %3 = pop.greater %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK-DAG: %[[GE:.*]] = pop.greater_equal %[[F]], %[[F]]
  %4 = pop.greater_equal %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK-DAG: %[[EQ:.*]] = pop.equal %[[F]], %[[F]]
  %5 = pop.equal %f, %f : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xi1>
  // CHECK: return %[[TRUE]], %[[FALSE]], %[[TRUE]], %[[FALSE]], %[[GE]], %[[EQ]]
  return %0, %1, %2, %3, %4, %5 : tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// -----

// Limits of integers: of their type, and those that constants set.
// CHECK-LABEL: func @limits
// CHECK-SAME: (%[[A:.*]]: tensor<2xi32>, %[[B:.*]]: tensor<2xi32>, %[[U:.*]]: tensor<2xui8>)
func.func @limits(%a: tensor<2xi32>, %b: tensor<2xi32>, %u: tensor<2xui8>)
    -> (tensor<2xi32>, tensor<2xi32>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>) {
  %low = pop.constant dense<-10> : tensor<i32>
  %high = pop.constant dense<10> : tensor<i32>
  %three = pop.constant dense<3> : tensor<2xi32>
  %zero = pop.constant dense<0> : tensor<ui8>
  // CHECK-DAG: %[[ZERO:.*]] = pop.constant dense<0> : tensor<2xui8>
  // CHECK-DAG: %[[TRUE:.*]] = pop.constant dense<true> : tensor<2xi1>
  // CHECK-DAG: %[[FALSE:.*]] = pop.constant dense<false> : tensor<2xi1>
  // CHECK-DAG: %[[LEAST:.*]] = pop.min %[[A]], %{{.*}} : (tensor<2xi32>, tensor<i32>)
  // CHECK-DAG: %[[MOST:.*]] = pop.max %[[B]], %{{.*}} : (tensor<2xi32>, tensor<i32>)
  %least = pop.min %a, %low : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %most = pop.max %b, %high : (tensor<2xi32>, tensor<i32>) -> tensor<2xi32>
  %bits = pop.and %b, %three : tensor<2xi32>
  %0 = pop.max %least, %most : tensor<2xi32>
  %1 = pop.min %bits, %least : tensor<2xi32>
  %2 = pop.min %u, %zero : (tensor<2xui8>, tensor<ui8>) -> tensor<2xui8>
  %3 = pop.max %zero, %u : (tensor<ui8>, tensor<2xui8>) -> tensor<2xui8>
  %4 = pop.less %bits, %most : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  %5 = pop.equal %least, %bits : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  // CHECK-DAG: %[[LESS:.*]] = pop.less %[[A]], %[[MOST]]
  %6 = pop.less %a, %most : (tensor<2xi32>, tensor<2xi32>) -> tensor<2xi1>
  // CHECK: return %[[MOST]], %[[LEAST]], %[[ZERO]], %[[U]], %[[TRUE]], %[[FALSE]], %[[LESS]]
  return %0, %1, %2, %3, %4, %5, %6 : tensor<2xi32>, tensor<2xi32>, tensor<2xui8>, tensor<2xui8>, tensor<2xi1>, tensor<2xi1>, tensor<2xi1>
}

// -----

// Of f16: 2048 + 1 + 1 is 2050 where only the sum is rounded. Not of NaN, which
// inf + -inf is.
// CHECK-LABEL: func @sums
func.func @sums() -> (tensor<f16>, tensor<2xui8>, tensor<2xf32>) {
  %a = pop.constant dense<2048.0> : tensor<f16>
  %b = pop.constant dense<1.0> : tensor<f16>
  %i = pop.constant dense<[200, 1]> : tensor<2xui8>
  %j = pop.constant dense<50> : tensor<ui8>
  %inf = pop.constant dense<0x7F800000> : tensor<f32>
  %minus = pop.constant dense<[0xFF800000, 1.0]> : tensor<2xf32>
  // CHECK-DAG: %[[A:.*]] = pop.constant dense<2.050000e+03> : tensor<f16>
  // CHECK-DAG: %[[I:.*]] = pop.constant dense<[44, 101]> : tensor<2xui8>
  // CHECK-DAG: %[[NAN:.*]] = pop.sum
  // CHECK: return %[[A]], %[[I]], %[[NAN]]
  %0 = pop.sum %a, %b, %b : (tensor<f16>, tensor<f16>, tensor<f16>) -> tensor<f16>
  %1 = pop.sum %i, %j, %j : (tensor<2xui8>, tensor<ui8>, tensor<ui8>) -> tensor<2xui8>
  %2 = pop.sum %inf, %minus, %inf : (tensor<f32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  return %0, %1, %2 : tensor<f16>, tensor<2xui8>, tensor<2xf32>
}
