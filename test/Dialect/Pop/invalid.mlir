// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// accum: c1, block.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `block` between 1 and 65536 but got 0}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 0, lanes = 16>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: c1, block.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `block` between 1 and 65536 but got 65537}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 65537, lanes = 1>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: c1, lanes.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `lanes` to be a power of two that divides 12 but got 3}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 12, lanes = 3>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: c1, lanes.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `lanes` to be a power of two that divides 12 but got 8}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 12, lanes = 8>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `chain` to be without `block`, `lanes`, `group`, `kernel`, `partials` and `box`}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<chain, block = 4, lanes = 1>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: c3.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `group` between 2 and 65535 and `lanes` 1 but got `group` 1 and `lanes` 1}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 4, lanes = 1, group = 1>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: c4.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects positive values in `kernel` and `lanes` 1 but got `kernel` }}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 4, lanes = 1, kernel = [0]>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: c5.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `partials` f16 and `lanes` 1 but got `partials` 'bf16' and `lanes` 1}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 4, lanes = 1, partials = bf16>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// accum: the order is `chain` or `blocked`.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expected one of [chain, blocked] for order of accumulation, got: tree}}
  // expected-error @below {{failed to parse Pop_AccumAttr parameter 'order'}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<tree>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects `box` with `lanes` 1 and without `group`, `kernel` and `partials`}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 4, lanes = 2, box = [4]>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{expects values between 1 and 65536 in `box` but got 0}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 4, lanes = 1, box = [0]>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// reduce: c4.
func.func @f(%x: tensor<4x2x3xf32>) {
  // expected-error @below {{'pop.reduce' op expects `box` with one size for each of 2 groups of adjacent axes but got #pop.accum<blocked, block = 4, lanes = 1, box = [4]>}}
  %y = pop.reduce sum %x {axes = array<i64: 0, 2>, accum = #pop.accum<blocked, block = 4, lanes = 1, box = [4]>} : tensor<4x2x3xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4x2xf32>) {
  // expected-error @below {{'pop.softmax' op expects `accum` without `box` but got #pop.accum<blocked, block = 4, lanes = 1, box = [4]>}}
  %y = pop.softmax %x {axis = 0 : i64, accum = #pop.accum<blocked, block = 4, lanes = 1, box = [4]>} : tensor<4x2xf32>
  return
}

// -----

// reduce_blocks: c1.
func.func @f(%x: tensor<4x0xf32>) {
  // expected-error @below {{'pop.reduce_blocks' op expects `axis` to be a dimension of 'tensor<4x0xf32>' that is not empty but got 1}}
  %y = pop.reduce_blocks sum %x {axis = 1 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1>} : tensor<4x0xf32> -> tensor<4x0xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.reduce_blocks' op expects `axis` to be a dimension of 'tensor<4xf32>' that is not empty but got -1}}
  %y = pop.reduce_blocks sum %x {axis = -1 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1>} : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

// reduce_blocks: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.reduce_blocks' op expects a `kind` other than `mean`}}
  %y = pop.reduce_blocks mean %x {axis = 0 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1>} : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.reduce_blocks' op expects elements of type i1 for `and` but got 'f32'}}
  %y = pop.reduce_blocks and %x {axis = 0 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1>} : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

// reduce_blocks: c3.
func.func @f(%x: tensor<5xf16>) {
  // expected-error @below {{'pop.reduce_blocks' op expects `result` of type 'tensor<3xf32>' but got 'tensor<2xf32>'}}
  %y = pop.reduce_blocks sum %x {axis = 0 : i64, accum = #pop.accum<blocked, block = 2, lanes = 1>} : tensor<5xf16> -> tensor<2xf32>
  return
}

// -----

// reduce_blocks: c4.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.reduce_blocks' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.reduce_blocks sum %x {axis = 0 : i64, accum = #pop.accum<chain>} : tensor<4xf32> -> tensor<2xf32>
  return
}

// -----

// reduce: c4.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.reduce' op expects `accum` without `group`, `kernel` and `partials` but got #pop.accum<blocked, block = 4, lanes = 1, partials = f16>}}
  %y = pop.reduce sum %x {axes = array<i64: 0>, accum = #pop.accum<blocked, block = 4, lanes = 1, partials = f16>} : tensor<4xf32> -> tensor<f32>
  return
}

// -----

// element types of pop.
func.func @f(%x: tensor<4xi4>) {
  // expected-error @below {{'pop.neg' op operand #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float or integer (iN or uiN, N = 8, 16, 32 or 64) values, but got 'tensor<4xi4>'}}
  %y = pop.neg %x : tensor<4xi4>
  return
}

// -----

// element types of pop: signed integers are signless.
func.func @f(%x: tensor<4xsi8>) {
  // expected-error @below {{'pop.neg' op operand #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float or integer (iN or uiN, N = 8, 16, 32 or 64) values, but got 'tensor<4xsi8>'}}
  %y = pop.neg %x : tensor<4xsi8>
  return
}

// -----

// shapes of pop are static.
func.func @f(%x: tensor<?xf32>) {
  // expected-error @below {{'pop.neg' op operand #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float or integer (iN or uiN, N = 8, 16, 32 or 64) values, but got 'tensor<?xf32>'}}
  %y = pop.neg %x : tensor<?xf32>
  return
}

// -----

// shapes of pop are ranked.
func.func @f(%x: tensor<*xf32>) {
  // expected-error @below {{custom op 'pop.neg' invalid kind of type specified: expected builtin.tensor, but found 'tensor<*xf32>'}}
  %y = pop.neg %x : tensor<*xf32>
  return
}

// -----

// shapes of pop have at most 2^56 elements.
func.func @f(%x: tensor<4611686018427387904x4xf32>) {
  // expected-error @below {{'pop.neg' op operand #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float or integer (iN or uiN, N = 8, 16, 32 or 64) values, but got 'tensor<4611686018427387904x4xf32>'}}
  %y = pop.neg %x : tensor<4611686018427387904x4xf32>
  return
}

// -----

// unary: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.exp' op all non-scalar operands/results must have the same shape and base type}}
  %y = "pop.exp"(%x) : (tensor<4xf32>) -> tensor<5xf32>
  return
}

// -----

// unary: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.exp' op requires the same type for all operands and results}}
  %y = "pop.exp"(%x) : (tensor<4xf32>) -> tensor<4xf16>
  return
}

// -----

// unary on the wrong type.
func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{'pop.exp' op operand #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float values, but got 'tensor<4xi32>'}}
  %y = pop.exp %x : tensor<4xi32>
  return
}

// -----

// predicate: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.is_nan' op all non-scalar operands/results must have the same shape and base type}}
  %y = "pop.is_nan"(%x) : (tensor<4xf32>) -> tensor<5xi1>
  return
}

// -----

// predicate: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.is_nan' op result #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of i1 values, but got 'tensor<4xf32>'}}
  %y = "pop.is_nan"(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// binary: c1.
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{'pop.add' op failed to verify that `lhs` and `rhs` have the same element type}}
  %y = pop.add %a, %b : (tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

// binary: c2.
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{'pop.add' op expects shapes that broadcast but got [2, 3] and [2]}}
  %y = pop.add %a, %b : (tensor<2x3xf32>, tensor<2xf32>) -> tensor<2x3xf32>
  return
}

// -----

// binary: c2, 0 is not 1.
func.func @f(%a: tensor<0xf32>, %b: tensor<2xf32>) {
  // expected-error @below {{'pop.add' op expects shapes that broadcast but got [0] and [2]}}
  %y = pop.add %a, %b : (tensor<0xf32>, tensor<2xf32>) -> tensor<0xf32>
  return
}

// -----

// binary: c3.
func.func @f(%a: tensor<2x1xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'pop.add' op expects `result` of type 'tensor<2x3xf32>' but got 'tensor<2x1xf32>'}}
  %y = pop.add %a, %b : (tensor<2x1xf32>, tensor<3xf32>) -> tensor<2x1xf32>
  return
}

// -----

// binary: c3, overflow.
func.func @f(%a: tensor<1073741824x1xf32>, %b: tensor<1073741824xf32>) {
  // expected-error @below {{'pop.add' op expects a result of at most 2^56 elements but got shape [1073741824, 1073741824]}}
  %y = pop.add %a, %b : (tensor<1073741824x1xf32>, tensor<1073741824xf32>) -> tensor<f32>
  return
}

// -----

// compare: c3.
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'pop.less' op result #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of i1 values, but got 'tensor<2xf32>'}}
  %y = pop.less %a, %a : tensor<2xf32>
  return
}

// -----

// select: c1.
func.func @f(%c: tensor<2xi1>, %a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{'pop.select' op failed to verify that `on_true` and `on_false` have the same element type}}
  %y = pop.select %c, %a, %b : tensor<2xi1>, tensor<2xf32>, tensor<2xf16> -> tensor<2xf32>
  return
}

// -----

// select: c2.
func.func @f(%c: tensor<3xi1>, %a: tensor<2xf32>) {
  // expected-error @below {{'pop.select' op expects shapes that broadcast but got [3] and [2]}}
  %y = pop.select %c, %a, %a : tensor<3xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// select: c3.
func.func @f(%c: tensor<3x1xi1>, %a: tensor<2xf32>) {
  // expected-error @below {{'pop.select' op expects `result` of type 'tensor<3x2xf32>' but got 'tensor<2xf32>'}}
  %y = pop.select %c, %a, %a : tensor<3x1xi1>, tensor<2xf32>, tensor<2xf32> -> tensor<2xf32>
  return
}

// -----

// cast: c1.
func.func @f(%a: tensor<2xf32>) {
  // expected-error @below {{'pop.cast' op all non-scalar operands/results must have the same shape and base type}}
  %y = pop.cast %a : tensor<2xf32> to tensor<3xf16>
  return
}

// -----

// matmul: c1, rank.
func.func @f(%a: tensor<3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects operands of rank 2 or more but got 'tensor<3xf32>' and 'tensor<3x4xf32>'}}
  %y = pop.matmul %a, %b : (tensor<3xf32>, tensor<3x4xf32>) -> tensor<4xf32>
  return
}

// -----

// matmul: c1, element type.
func.func @f(%a: tensor<2x3xf16>, %b: tensor<3x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects operands of one element type but got 'f16' and 'f32'}}
  %y = pop.matmul %a, %b : (tensor<2x3xf16>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// matmul: c2.
func.func @f(%a: tensor<2x3xf32>, %b: tensor<2x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects the last dimension of `lhs` to be 2, the second-last of `rhs`, but got 3}}
  %y = pop.matmul %a, %b : (tensor<2x3xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// matmul: c3.
func.func @f(%a: tensor<5x2x3xf32>, %b: tensor<4x3x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects shapes that broadcast but got [5] and [4]}}
  %y = pop.matmul %a, %b : (tensor<5x2x3xf32>, tensor<4x3x4xf32>) -> tensor<5x2x4xf32>
  return
}

// -----

// matmul: c4, shape.
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects `result` of type 'tensor<2x4xf32>' but got 'tensor<2x5xf32>'}}
  %y = pop.matmul %a, %b : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x5xf32>
  return
}

// -----

// matmul: c4, element type.
func.func @f(%a: tensor<2x3xi8>, %b: tensor<3x4xi8>) {
  // expected-error @below {{'pop.matmul' op expects `result` of type 'tensor<2x4xi8>' but got 'tensor<2x4xi32>'}}
  %y = pop.matmul %a, %b : (tensor<2x3xi8>, tensor<3x4xi8>) -> tensor<2x4xi32>
  return
}

// -----

// matmul: c5. What is accumulated is not rounded.
func.func @f(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>, %c: tensor<2x4xf16>) {
  // expected-error @below {{'pop.matmul' op expects `acc` of type 'tensor<2x4xf32>' but got 'tensor<2x4xf16>'}}
  %y = pop.matmul %a, %b, %c : (tensor<2x3xf16>, tensor<3x4xf16>, tensor<2x4xf16>) -> tensor<2x4xf16>
  return
}

// -----

// matmul: c5.
func.func @f(%a: tensor<2x3xf16>, %b: tensor<3x4xf16>, %c: tensor<2x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects `result` of type 'tensor<2x4xf32>' but got 'tensor<2x4xf16>'}}
  %y = pop.matmul %a, %b, %c : (tensor<2x3xf16>, tensor<3x4xf16>, tensor<2x4xf32>) -> tensor<2x4xf16>
  return
}

// -----

// matmul: c6.
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects `accum` to be `chain` or `blocked` with one lane but got #pop.accum<blocked, block = 4, lanes = 2>}}
  %y = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 4, lanes = 2>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// matmul: c6.
func.func @f(%a: tensor<2x65536xf32>, %b: tensor<65536x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects at most 65535 blocks of addends but got 65536 for #pop.accum<blocked, block = 1, lanes = 1>}}
  %y = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 1, lanes = 1>} : (tensor<2x65536xf32>, tensor<65536x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// matmul: c7.
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects `accum` without `kernel` but got #pop.accum<blocked, block = 2, lanes = 1, kernel = [1]>}}
  %y = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 2, lanes = 1, kernel = [1]>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// matmul: c7.
func.func @f(%a: tensor<2x3xf32>, %b: tensor<3x4xf32>) {
  // expected-error @below {{'pop.matmul' op expects `partials` only for elements narrower than f32 but got #pop.accum<blocked, block = 2, lanes = 1, partials = f16> for 'f32'}}
  %y = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 2, lanes = 1, partials = f16>} : (tensor<2x3xf32>, tensor<3x4xf32>) -> tensor<2x4xf32>
  return
}

// -----

// matmul_partials: c4.
func.func @f(%a: tensor<2x6xf32>, %b: tensor<6x4xf32>) {
  // expected-error @below {{'pop.matmul_partials' op expects `block` to be positive but got 0}}
  %y = pop.matmul_partials %a, %b {block = 0 : i64} : (tensor<2x6xf32>, tensor<6x4xf32>) -> tensor<2x2x4xf32>
  return
}

// -----

// matmul_partials: c5.
func.func @f(%a: tensor<2x6xf16>, %b: tensor<6x4xf16>) {
  // expected-error @below {{'pop.matmul_partials' op expects `result` of type 'tensor<3x2x4xf32>' but got 'tensor<3x2x4xf16>'}}
  %y = pop.matmul_partials %a, %b {block = 2 : i64} : (tensor<2x6xf16>, tensor<6x4xf16>) -> tensor<3x2x4xf16>
  return
}

// -----

// conv: c1, rank.
func.func @f(%x: tensor<1x4xf32>, %w: tensor<6x4xf32>) {
  // expected-error @below {{'pop.conv' op expects `input` of rank 3, 4 or 5 but got 'tensor<1x4xf32>'}}
  %y = pop.conv %x, %w : (tensor<1x4xf32>, tensor<6x4xf32>) -> tensor<1x6xf32>
  return
}

// -----

// conv: c1, weights.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf16>) {
  // expected-error @below {{'pop.conv' op expects `weights` with the rank and element type of 'tensor<1x4x8xf32>' but got 'tensor<6x4x3xf16>'}}
  %y = pop.conv %x, %w : (tensor<1x4x8xf32>, tensor<6x4x3xf16>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, strides.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `strides` to have as many values as there are spatial dimensions (1) but got 2}}
  %y = pop.conv %x, %w {strides = array<i64: 1, 1>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, dilations.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `dilations` to be positive but got 0}}
  %y = pop.conv %x, %w {dilations = array<i64: 0>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, input_dilations.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `input_dilations` to have as many values as there are spatial dimensions (1) but got 2}}
  %y = pop.conv %x, %w {input_dilations = array<i64: 1, 1>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, input_dilations.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `input_dilations` to be positive but got 0}}
  %y = pop.conv %x, %w {input_dilations = array<i64: 0>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, input_dilations beyond all sizes.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects spatial dimension 0 to have at most 2^58 elements after `input_dilations`}}
  %y = pop.conv %x, %w {input_dilations = array<i64: 9223372036854775807>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c4, of 0 elements there are no zeros between.
func.func @f(%x: tensor<1x4x0xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects a dilated kernel that fits the 2 padded elements of spatial dimension 0 but got kernel 3 with dilation 1}}
  %y = pop.conv %x, %w {input_dilations = array<i64: 3>, pads = array<i64: 1, 1>} : (tensor<1x4x0xf32>, tensor<6x4x3xf32>) -> tensor<1x6x1xf32>
  return
}

// -----

// conv: c5, with zeros between elements.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `result` of type 'tensor<1x6x13xf32>' but got 'tensor<1x6x6xf32>'}}
  %y = pop.conv %x, %w {input_dilations = array<i64: 2>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, pads.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `pads` to have 2 values but got 1}}
  %y = pop.conv %x, %w {pads = array<i64: 1>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, negative pads.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `pads` not to be negative but got -1}}
  %y = pop.conv %x, %w {pads = array<i64: 1, -1>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c2, pads beyond all sizes.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects spatial dimension 0 to have at most 2^58 elements after `pads`}}
  %y = pop.conv %x, %w {pads = array<i64: 9223372036854775807, 9223372036854775807>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c3, groups.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `groups` to be positive but got 0}}
  %y = pop.conv %x, %w {groups = 0 : i64} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c3, groups.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `groups` to divide 4 input channels and 6 output channels but got 3}}
  %y = pop.conv %x, %w {groups = 3 : i64} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c3, weights.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects 2 input channels for each group of `weights` but got 4}}
  %y = pop.conv %x, %w {groups = 2 : i64} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c4.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects a dilated kernel that fits the 8 padded elements of spatial dimension 0 but got kernel 3 with dilation 4}}
  %y = pop.conv %x, %w {dilations = array<i64: 4>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c4, overflow.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects a dilated kernel that fits the 8 padded elements of spatial dimension 0 but got kernel 3 with dilation 9223372036854775807}}
  %y = pop.conv %x, %w {dilations = array<i64: 9223372036854775807>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c4, empty kernel.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x0xf32>) {
  // expected-error @below {{'pop.conv' op expects the spatial dimensions of `weights` to be positive but got 0}}
  %y = pop.conv %x, %w : (tensor<1x4x8xf32>, tensor<6x4x0xf32>) -> tensor<1x6x9xf32>
  return
}

// -----

// conv: c5.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `result` of type 'tensor<1x6x6xf32>' but got 'tensor<1x6x8xf32>'}}
  %y = pop.conv %x, %w : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x8xf32>
  return
}

// -----

// conv: c6.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>, %a: tensor<1x6x8xf32>) {
  // expected-error @below {{'pop.conv' op expects `acc` of type 'tensor<1x6x6xf32>' but got 'tensor<1x6x8xf32>'}}
  %y = pop.conv %x, %w, %a : (tensor<1x4x8xf32>, tensor<6x4x3xf32>, tensor<1x6x8xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c7.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `accum` to be `chain` or `blocked` with one lane but got #pop.accum<blocked, block = 1024, lanes = 16>}}
  %y = pop.conv %x, %w {accum = #pop.accum<blocked, block = 1024, lanes = 16>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c7.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `kernel` of `accum` to divide the spatial shape [3] of `weights` but got [2]}}
  %y = pop.conv %x, %w {accum = #pop.accum<blocked, block = 4, lanes = 1, kernel = [2]>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c7.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `kernel` of `accum` to divide the spatial shape [3] of `weights` but got [1, 1]}}
  %y = pop.conv %x, %w {accum = #pop.accum<blocked, block = 4, lanes = 1, kernel = [1, 1]>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv: c7.
func.func @f(%x: tensor<1x65536x1xf32>, %w: tensor<6x65536x1xf32>) {
  // expected-error @below {{'pop.conv' op expects at most 65535 blocks of addends but got 65536 for #pop.accum<blocked, block = 1, lanes = 1>}}
  %y = pop.conv %x, %w {accum = #pop.accum<blocked, block = 1, lanes = 1>} : (tensor<1x65536x1xf32>, tensor<6x65536x1xf32>) -> tensor<1x6x1xf32>
  return
}

// -----

// conv: c8.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv' op expects `partials` only for elements narrower than f32}}
  %y = pop.conv %x, %w {accum = #pop.accum<blocked, block = 4, lanes = 1, partials = f16>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x6x6xf32>
  return
}

// -----

// conv_partials: c5.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv_partials' op expects `channels` to be positive but got -3}}
  %y = pop.conv_partials %x, %w {channels = -3 : i64, kernel = array<i64: 3>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x1x1x6x6xf32>
  return
}

// -----

// conv_partials: c5.
func.func @f(%x: tensor<1x4x8xf32>, %w: tensor<6x4x3xf32>) {
  // expected-error @below {{'pop.conv_partials' op expects `kernel` to divide the spatial shape [3] of `weights` but got [0]}}
  %y = pop.conv_partials %x, %w {channels = 2 : i64, kernel = array<i64: 0>} : (tensor<1x4x8xf32>, tensor<6x4x3xf32>) -> tensor<1x1x1x6x6xf32>
  return
}

// -----

// reduce: c1, rank.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reduce' op expects `axes` to be at least 0 and less than rank 2 but got 2}}
  %y = pop.reduce sum %x {axes = array<i64: 2>} : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce: c1, negative.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reduce' op expects `axes` to be at least 0 and less than rank 2 but got -1}}
  %y = pop.reduce sum %x {axes = array<i64: -1>} : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce: c1, order.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reduce' op expects `axes` to ascend but got 1 after 1}}
  %y = pop.reduce sum %x {axes = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce: c2.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reduce' op expects elements of type i1 for `and` but got 'f32'}}
  %y = pop.reduce and %x {axes = array<i64: 1>} : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce: c2.
func.func @f(%x: tensor<4x8xi1>) {
  // expected-error @below {{'pop.reduce' op expects elements of a type other than i1 for `sum` but got 'i1'}}
  %y = pop.reduce sum %x {axes = array<i64: 1>} : tensor<4x8xi1> -> tensor<4xi1>
  return
}

// -----

// reduce: c3, shape.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reduce' op expects `result` of type 'tensor<4xf32>' but got 'tensor<4x1xf32>'}}
  %y = pop.reduce sum %x {axes = array<i64: 1>} : tensor<4x8xf32> -> tensor<4x1xf32>
  return
}

// -----

// reduce: c3, element type.
func.func @f(%x: tensor<4x8xf16>) {
  // expected-error @below {{'pop.reduce' op expects `result` of element type 'f16' but got 'f32'}}
  %y = pop.reduce max %x {axes = array<i64: 1>} : tensor<4x8xf16> -> tensor<4xf32>
  return
}

// -----

// reduce: c4.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reduce' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.reduce sum %x {axes = array<i64: 1>, accum = #pop.accum<chain>} : tensor<4x8xf32> -> tensor<4xf32>
  return
}

// -----

// reduce_window: c1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reduce_window' op expects `input` of rank 3, 4 or 5 but got 'tensor<4x8xf32>'}}
  %y = pop.reduce_window max %x {kernel = array<i64>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// reduce_window: c2, kernel.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.reduce_window' op expects `kernel` to be positive but got 0}}
  %y = pop.reduce_window max %x {kernel = array<i64: 0>} : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// reduce_window: c2, strides.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.reduce_window' op expects `strides` to be positive but got -1}}
  %y = pop.reduce_window max %x {kernel = array<i64: 2>, strides = array<i64: -1>} : tensor<1x4x8xf32> -> tensor<1x4x7xf32>
  return
}

// -----

// reduce_window: c3.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.reduce_window' op expects a dilated kernel that fits the 8 padded elements of spatial dimension 0 but got kernel 9 with dilation 1}}
  %y = pop.reduce_window max %x {kernel = array<i64: 9>} : tensor<1x4x8xf32> -> tensor<1x4x0xf32>
  return
}

// -----

// reduce_window: c4.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.reduce_window' op expects `kind` to be `sum`, `prod`, `max`, `min` or `mean` but got `or`}}
  %y = pop.reduce_window or %x {kernel = array<i64: 2>} : tensor<1x4x8xf32> -> tensor<1x4x7xf32>
  return
}

// -----

// reduce_window: c5, shape.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.reduce_window' op expects `result` of type 'tensor<1x4x7xf32>' but got 'tensor<1x4x8xf32>'}}
  %y = pop.reduce_window max %x {kernel = array<i64: 2>} : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// reduce_window: c5, element type.
func.func @f(%x: tensor<1x4x8xf16>) {
  // expected-error @below {{'pop.reduce_window' op expects `result` of element type 'f16' but got 'f32'}}
  %y = pop.reduce_window max %x {kernel = array<i64: 2>} : tensor<1x4x8xf16> -> tensor<1x4x7xf32>
  return
}

// -----

// reduce_window: c6.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.reduce_window' op expects `accum` to be `chain` but got #pop.accum<blocked, block = 4, lanes = 1>}}
  %y = pop.reduce_window max %x {kernel = array<i64: 2>, accum = #pop.accum<blocked, block = 4, lanes = 1>} : tensor<1x4x8xf32> -> tensor<1x4x7xf32>
  return
}

// -----

// pools: c1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.max_pool' op expects `input` of rank 3, 4 or 5 but got 'tensor<4x8xf32>'}}
  %y = pop.max_pool %x {kernel = array<i64>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// pools: c2.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.max_pool' op expects `kernel` to have as many values as there are spatial dimensions (1) but got 2}}
  %y = pop.max_pool %x {kernel = array<i64: 2, 2>} : tensor<1x4x8xf32> -> tensor<1x4x7xf32>
  return
}

// -----

// pools: c3.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.max_pool' op expects a dilated kernel that fits the 10 padded elements of spatial dimension 0 but got kernel 11 with dilation 1}}
  %y = pop.max_pool %x {kernel = array<i64: 11>, pads = array<i64: 1, 1>} : tensor<1x4x8xf32> -> tensor<1x4x0xf32>
  return
}

// -----

// pools: c4.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.max_pool' op expects `pads` to be less than the dilated kernel of 2 but got 2}}
  %y = pop.max_pool %x {kernel = array<i64: 2>, pads = array<i64: 0, 2>} : tensor<1x4x8xf32> -> tensor<1x4x9xf32>
  return
}

// -----

// pools: c5.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.avg_pool' op expects `result` of type 'tensor<1x4x7xf32>' but got 'tensor<1x4x8xf32>'}}
  %y = pop.avg_pool %x {kernel = array<i64: 2>} : tensor<1x4x8xf32> -> tensor<1x4x8xf32>
  return
}

// -----

// avg_pool: c6.
func.func @f(%x: tensor<1x4x8xf32>) {
  // expected-error @below {{'pop.avg_pool' op expects `accum` to be `chain` but got #pop.accum<blocked, block = 4, lanes = 1>}}
  %y = pop.avg_pool %x {kernel = array<i64: 2>, accum = #pop.accum<blocked, block = 4, lanes = 1>} : tensor<1x4x8xf32> -> tensor<1x4x7xf32>
  return
}

// -----

// reduce: c4, blocks of one, which suit none or one position.
func.func @f(%x: tensor<2x1x0x3xf32>) {
  %y = pop.reduce sum %x {axes = array<i64: 1>, accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<2x1x0x3xf32> -> tensor<2x0x3xf32>
  %z = pop.reduce sum %x {axes = array<i64: 2, 3>, accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<2x1x0x3xf32> -> tensor<2x1xf32>
  // expected-error @below {{'pop.reduce' op expects `block` of at least 2 for 6 positions but got #pop.accum<blocked, block = 1, lanes = 1>}}
  %w = pop.reduce max %x {axes = array<i64: 0, 3>, accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<2x1x0x3xf32> -> tensor<1x0xf32>
  return
}

// -----

// softmax: c1.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.softmax' op expects `axis` to be at least 0 and less than rank 2 but got 2}}
  %y = pop.softmax %x {axis = 2 : i64} : tensor<4x8xf32>
  return
}

// -----

// softmax: c1, negative.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.softmax' op expects `axis` to be at least 0 and less than rank 2 but got -1}}
  %y = pop.softmax %x {axis = -1 : i64} : tensor<4x8xf32>
  return
}

// -----

// softmax: c2.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.softmax' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y = pop.softmax %x {axis = 1 : i64, accum = #pop.accum<chain>} : tensor<4x8xf32>
  return
}

// -----

// softmax: c3; the ops with `compute` share this constraint.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.softmax' op with `compute` expects `input` of element type f16 but got 'f32'}}
  %y = pop.softmax %x {axis = 1 : i64, compute = f16} : tensor<4x8xf32>
  return
}

// -----

// softmax: `compute` of another type.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.softmax' op attribute 'compute' failed to satisfy constraint: type attribute of 16-bit float}}
  %y = pop.softmax %x {axis = 1 : i64, compute = f32} : tensor<4x8xf32>
  return
}

// -----

// gelu: c2.
func.func @f(%x: tensor<4xbf16>) {
  // expected-error @below {{'pop.gelu' op with `compute` expects `input` of element type f16 but got 'bf16'}}
  %y = pop.gelu %x {compute = f16} : tensor<4xbf16>
  return
}

// -----

// batch_norm: c5.
func.func @f(%x: tensor<2x3xf32>, %s: tensor<3xf32>) {
  // expected-error @below {{'pop.batch_norm' op with `compute` expects `input` of element type f16 but got 'f32'}}
  %y = pop.batch_norm %x, %s, %s, %s, %s {compute = f16} : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

// softmax: c2, blocks of one.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.softmax' op expects `block` of at least 2 for 8 positions but got #pop.accum<blocked, block = 1, lanes = 1>}}
  %y = pop.softmax %x {axis = 1 : i64, accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<4x8xf32>
  return
}

// -----

// batch_norm: c1.
func.func @f(%x: tensor<3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{'pop.batch_norm' op expects `input` of rank 2 or more but got 'tensor<3xf32>'}}
  %y = pop.batch_norm %x, %c, %c, %c, %c : tensor<3xf32>, tensor<3xf32>
  return
}

// -----

// batch_norm: c2.
func.func @f(%x: tensor<2x4xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{'pop.batch_norm' op expects `scale`, `bias`, `mean` and `variance` of shape [4] but got 'tensor<3xf32>'}}
  %y = pop.batch_norm %x, %c, %c, %c, %c : tensor<2x4xf32>, tensor<3xf32>
  return
}

// -----

// batch_norm: c3.
func.func @f(%x: tensor<2x3xf32>, %c: tensor<3xf16>) {
  // expected-error @below {{'pop.batch_norm' op expects `scale`, `bias`, `mean` and `variance` of element type 'f32' but got 'f16'}}
  %y = pop.batch_norm %x, %c, %c, %c, %c : tensor<2x3xf32>, tensor<3xf16>
  return
}

// -----

// batch_norm: c4.
func.func @f(%x: tensor<2x3xf32>, %c: tensor<3xf32>) {
  // expected-error @below {{'pop.batch_norm' op expects `epsilon` not to be negative but got -1.000000e+00 : f32}}
  %y = pop.batch_norm %x, %c, %c, %c, %c {epsilon = -1.0 : f32} : tensor<2x3xf32>, tensor<3xf32>
  return
}

// -----

// constant: c1.
func.func @f() {
  // expected-error @below {{'pop.constant' op result #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of pop element type (f16, bf16, f32, f64, f8, iN or uiN) values, but got 'tensor<2xi4>'}}
  %y = pop.constant dense<1> : tensor<2xi4>
  return
}

// -----

// constant: c1, not a tensor.
func.func @f() {
  // expected-error @below {{'pop.constant' op result #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of pop element type (f16, bf16, f32, f64, f8, iN or uiN) values, but got 'vector<2xi32>'}}
  %y = pop.constant dense<1> : vector<2xi32>
  return
}

// -----

// constant: c2.
func.func @f() {
  // expected-error @below {{'pop.constant' op failed to verify that all of {value, result} have same type}}
  %y = "pop.constant"() {value = dense<1> : tensor<2xi32>} : () -> tensor<3xi32>
  return
}

// -----

// reshape: c1, elements.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reshape' op expects `result` to have 32 elements but got 28}}
  %y = pop.reshape %x : tensor<4x8xf32> to tensor<4x7xf32>
  return
}

// -----

// reshape: c1, element type.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.reshape' op expects `result` of element type 'f32' but got 'i32'}}
  %y = pop.reshape %x : tensor<4x8xf32> to tensor<32xi32>
  return
}

// -----

// transpose: c1, length.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.transpose' op expects `permutation` to be a permutation of 2 dimensions but got [0]}}
  %y = pop.transpose %x {permutation = array<i64: 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// transpose: c1, values.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.transpose' op expects `permutation` to be a permutation of 2 dimensions but got [0, -1]}}
  %y = pop.transpose %x {permutation = array<i64: 0, -1>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// transpose: c2.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.transpose' op expects `result` of type 'tensor<8x4xf32>' but got 'tensor<4x8xf32>'}}
  %y = pop.transpose %x {permutation = array<i64: 1, 0>} : tensor<4x8xf32> -> tensor<4x8xf32>
  return
}

// -----

// slice: c1, length.
func.func @f(%x: tensor<4x8xf32>) {
  // expected-error @below {{'pop.slice' op expects `starts`, `sizes` and `steps` to have as many values as there are dimensions (2) but got 1, 2 and 2}}
  %y = pop.slice %x {starts = array<i64: 0>, sizes = array<i64: 2, 2>, steps = array<i64: 1, 1>} : tensor<4x8xf32> -> tensor<2x2xf32>
  return
}

// -----

// slice: c1, size.
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'pop.slice' op expects `sizes` not to be negative but got -1}}
  %y = pop.slice %x {starts = array<i64: 0>, sizes = array<i64: -1>, steps = array<i64: 1>} : tensor<8xf32> -> tensor<2xf32>
  return
}

// -----

// slice: c1, step.
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'pop.slice' op expects `steps` other than 0 in dimension 0}}
  %y = pop.slice %x {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 0>} : tensor<8xf32> -> tensor<2xf32>
  return
}

// -----

// slice: c2, last.
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'pop.slice' op expects a slice inside the 8 elements of dimension 0 but got start 4, size 3, step 2}}
  %y = pop.slice %x {starts = array<i64: 4>, sizes = array<i64: 3>, steps = array<i64: 2>} : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

// slice: c2, overflow.
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'pop.slice' op expects a slice inside the 8 elements of dimension 0 but got start 4, size 3, step 9223372036854775807}}
  %y = pop.slice %x {starts = array<i64: 4>, sizes = array<i64: 3>, steps = array<i64: 9223372036854775807>} : tensor<8xf32> -> tensor<3xf32>
  return
}

// -----

// slice: c3.
func.func @f(%x: tensor<8xf32>) {
  // expected-error @below {{'pop.slice' op expects `result` of type 'tensor<3xf32>' but got 'tensor<4xf32>'}}
  %y = pop.slice %x {starts = array<i64: 4>, sizes = array<i64: 3>, steps = array<i64: -1>} : tensor<8xf32> -> tensor<4xf32>
  return
}

// -----

// expand: c1, shape.
func.func @f(%x: tensor<3x2xf32>) {
  // expected-error @below {{'pop.expand' op expects `result` of a shape that [3, 2] broadcasts to but got [3, 4]}}
  %y = pop.expand %x : tensor<3x2xf32> to tensor<3x4xf32>
  return
}

// -----

// expand: c1, rank.
func.func @f(%x: tensor<1x3xf32>) {
  // expected-error @below {{'pop.expand' op expects `result` of a shape that [1, 3] broadcasts to but got [3]}}
  %y = pop.expand %x : tensor<1x3xf32> to tensor<3xf32>
  return
}

// -----

// expand: c1, element type.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.expand' op expects `result` of element type 'f32' but got 'f16'}}
  %y = pop.expand %x : tensor<3xf32> to tensor<3xf16>
  return
}

// -----

// concat: c1, operands.
func.func @f() {
  // expected-error @below {{'pop.concat' op expects at least one operand but got none}}
  %y = pop.concat {axis = 0 : i64} : () -> tensor<3xf32>
  return
}

// -----

// concat: c1, rank 0.
func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'pop.concat' op expects operands of rank 1 or more but got 'tensor<f32>'}}
  %y = pop.concat %x {axis = 0 : i64} : (tensor<f32>) -> tensor<1xf32>
  return
}

// -----

// concat: c1, equal ranks.
func.func @f(%x: tensor<3xf32>, %z: tensor<3x1xf32>) {
  // expected-error @below {{'pop.concat' op expects operands of one rank and element type but got 'tensor<3xf32>' and 'tensor<3x1xf32>'}}
  %y = pop.concat %x, %z {axis = 0 : i64} : (tensor<3xf32>, tensor<3x1xf32>) -> tensor<6xf32>
  return
}

// -----

// concat: c2.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.concat' op expects `axis` to be at least 0 and less than rank 1 but got 1}}
  %y = pop.concat %x {axis = 1 : i64} : (tensor<3xf32>) -> tensor<3xf32>
  return
}

// -----

// concat: c3.
func.func @f(%x: tensor<3x2xf32>, %z: tensor<3x1xf32>) {
  // expected-error @below {{'pop.concat' op expects shapes that are equal except in dimension 0 but got 'tensor<3x2xf32>' and 'tensor<3x1xf32>'}}
  %y = pop.concat %x, %z {axis = 0 : i64} : (tensor<3x2xf32>, tensor<3x1xf32>) -> tensor<6x2xf32>
  return
}

// -----

// concat: c4.
func.func @f(%x: tensor<3x2xf32>) {
  // expected-error @below {{'pop.concat' op expects `result` of type 'tensor<6x2xf32>' but got 'tensor<5x2xf32>'}}
  %y = pop.concat %x, %x {axis = 0 : i64} : (tensor<3x2xf32>, tensor<3x2xf32>) -> tensor<5x2xf32>
  return
}

// -----

// concat: c4, overflow.
func.func @f(%x: tensor<72057594037927936xi8>) {
  // expected-error @below {{'pop.concat' op expects a result of at most 2^56 elements but got shape [144115188075855872]}}
  %y = pop.concat %x, %x {axis = 0 : i64} : (tensor<72057594037927936xi8>, tensor<72057594037927936xi8>) -> tensor<1xi8>
  return
}

// -----

// pad: c1, length.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.pad' op expects `low` and `high` to have as many values as there are dimensions (1) but got 1 and 0}}
  %y = pop.pad %x {low = array<i64: 1>, high = array<i64>, value = 0.0 : f32} : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

// pad: c1, negative.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.pad' op expects `low` and `high` not to be negative but got -1}}
  %y = pop.pad %x {low = array<i64: -1>, high = array<i64: 0>, value = 0.0 : f32} : tensor<3xf32> -> tensor<2xf32>
  return
}

// -----

// pad: c2.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.pad' op expects `value` of type 'f32' but got 'f16'}}
  %y = pop.pad %x {low = array<i64: 1>, high = array<i64: 0>, value = 0.0 : f16} : tensor<3xf32> -> tensor<4xf32>
  return
}

// -----

// pad: c3.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.pad' op expects `result` of type 'tensor<4xf32>' but got 'tensor<5xf32>'}}
  %y = pop.pad %x {low = array<i64: 1>, high = array<i64: 0>, value = 0.0 : f32} : tensor<3xf32> -> tensor<5xf32>
  return
}

// -----

// pad: c3, overflow.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.pad' op expects a result of at most 2^56 elements but got shape [9223372036854775807]}}
  %y = pop.pad %x {low = array<i64: 9223372036854775807>, high = array<i64: 1>, value = 0.0 : f32} : tensor<3xf32> -> tensor<5xf32>
  return
}

// -----

// expect_eq: c1.
func.func @f(%x: tensor<3xi32>) {
  // expected-error @below {{'pop.expect_eq' op failed to verify that all of {input, expected} have same type}}
  "pop.expect_eq"(%x) {expected = dense<1> : tensor<2xi32>} : (tensor<3xi32>) -> ()
  return
}

// -----

// expect_close: c1.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.expect_close' op failed to verify that all of {input, expected} have same type}}
  "pop.expect_close"(%x) {expected = dense<1.0> : tensor<2xf32>} : (tensor<3xf32>) -> ()
  return
}

// -----

// expect_close: c1, floats.
func.func @f(%x: tensor<3xi32>) {
  // expected-error @below {{'pop.expect_close' op operand #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float values, but got 'tensor<3xi32>'}}
  pop.expect_close %x, dense<1> : tensor<3xi32>
  return
}

// -----

// sort: c1.
func.func @sort() {
  // expected-error @below {{'pop.sort' op expects at least one operand}}
  "pop.sort"() <{axis = 0 : i64, orders = [#pop<sort_order ascending>]}> : () -> ()
  return
}

// -----

// sort: c1.
func.func @sort(%x: tensor<4xf32>, %y: tensor<5xf32>) {
  // expected-error @below {{'pop.sort' op expects operand 1 of shape [4] but got 'tensor<5xf32>'}}
  %0:2 = pop.sort %x, %y by [ascending] {axis = 0 : i64} : (tensor<4xf32>, tensor<5xf32>) -> (tensor<4xf32>, tensor<5xf32>)
  return
}

// -----

// sort: c2.
func.func @sort(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.sort' op expects `axis` to be at least 0 and less than rank 1 but got 1}}
  %0 = pop.sort %x by [ascending] {axis = 1 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// sort: c5, with fewer operands than results.
func.func @sort(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.sort' op expects 1 result but got 2}}
  %0:2 = "pop.sort"(%x) <{axis = 0 : i64, orders = [#pop<sort_order ascending>]}> : (tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// sort: c3.
func.func @sort(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.sort' op expects at least one order of a key, and at most one for each of the 1 operands, but got 0}}
  %0 = pop.sort %x by [] {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// sort: c3.
func.func @sort(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.sort' op expects at least one order of a key, and at most one for each of the 1 operands, but got 2}}
  %0 = pop.sort %x by [ascending, ascending] {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// sort: c4.
func.func @sort(%x: tensor<4xi32>) {
  // expected-error @below {{'pop.sort' op expects the last key to be ascending i32 or i64 for `indexed` but got descending}}
  %0 = pop.sort %x by [descending] {axis = 0 : i64, indexed} : (tensor<4xi32>) -> tensor<4xi32>
  return
}

// -----

// sort: c4.
func.func @sort(%x: tensor<4xui32>) {
  // expected-error @below {{'pop.sort' op expects the last key to be ascending i32 or i64 for `indexed` but got ascending}}
  %0 = pop.sort %x by [ascending] {axis = 0 : i64, indexed} : (tensor<4xui32>) -> tensor<4xui32>
  return
}

// -----

// sort: the name of an order.
func.func @sort(%x: tensor<4xf32>) {
  // expected-error @below {{expects an order of keys but got 'rising'}}
  %0 = pop.sort %x by [rising] {axis = 0 : i64} : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// arg_reduce: c1.
func.func @arg_reduce(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{'pop.arg_reduce' op expects `kind` to be `max` or `min` but got `sum`}}
  %0:2 = pop.arg_reduce sum %x, %i {axes = array<i64: 0>} : tensor<4xf32>, tensor<4xi32> -> tensor<f32>, tensor<i32>
  return
}

// -----

// arg_reduce: c2.
func.func @arg_reduce(%x: tensor<4xf32>, %i: tensor<1xi32>) {
  // expected-error @below {{'pop.arg_reduce' op expects `indices` of shape [4] but got 'tensor<1xi32>'}}
  %0:2 = pop.arg_reduce max %x, %i {axes = array<i64: 0>} : tensor<4xf32>, tensor<1xi32> -> tensor<f32>, tensor<i32>
  return
}

// -----

// arg_reduce: c3.
func.func @arg_reduce(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{'pop.arg_reduce' op expects `axes` to be at least 0 and less than rank 1 but got 1}}
  %0:2 = pop.arg_reduce max %x, %i {axes = array<i64: 1>} : tensor<4xf32>, tensor<4xi32> -> tensor<4xf32>, tensor<4xi32>
  return
}

// -----

// arg_reduce: c4.
func.func @arg_reduce(%x: tensor<2x0xf32>, %i: tensor<2x0xi32>) {
  // expected-error @below {{'pop.arg_reduce' op expects at least one element along axis 1 but got 'tensor<2x0xf32>'}}
  %0:2 = pop.arg_reduce max %x, %i {axes = array<i64: 1>} : tensor<2x0xf32>, tensor<2x0xi32> -> tensor<2xf32>, tensor<2xi32>
  return
}

// -----

// shift_left: the operands are integers of more than one bit.
func.func @shift_left(%x: tensor<4xi1>) {
  // expected-error @below {{'pop.shift_left' op operand #0 must be}}
  %0 = pop.shift_left %x, %x : tensor<4xi1>
  return
}

// -----

// sort: c5.
func.func @sort(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{'pop.sort' op expects results of types 'tensor<4xf32>', 'tensor<4xi32>' but got 'tensor<4xf32>', 'tensor<4xf32>'}}
  %0:2 = pop.sort %x, %i by [ascending] {axis = 0 : i64} : (tensor<4xf32>, tensor<4xi32>) -> (tensor<4xf32>, tensor<4xf32>)
  return
}

// -----

// arg_reduce: c5.
func.func @arg_reduce(%x: tensor<4xf32>, %i: tensor<4xi32>) {
  // expected-error @below {{'pop.arg_reduce' op expects results of types 'tensor<f32>', 'tensor<i32>' but got 'tensor<1xf32>', 'tensor<1xi32>'}}
  %0:2 = pop.arg_reduce max %x, %i {axes = array<i64: 0>} : tensor<4xf32>, tensor<4xi32> -> tensor<1xf32>, tensor<1xi32>
  return
}

// -----

// gather: c1.
func.func @f(%t: tensor<4xf32>, %i: tensor<4x2xi32>) {
  // expected-error @below {{'pop.gather' op expects `batch_dims` to be at least 0, at most the rank of `indices` and less than the rank of `table` but got 1 for 'tensor<4x2xi32>' and 'tensor<4xf32>'}}
  %y = pop.gather %t, %i {batch_dims = 1 : i64} : (tensor<4xf32>, tensor<4x2xi32>) -> tensor<4x2xf32>
  return
}

// -----

// gather: c1.
func.func @f(%t: tensor<4x3xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{'pop.gather' op expects `batch_dims` to be at least 0, at most the rank of `indices` and less than the rank of `table` but got -1 for 'tensor<2xi32>' and 'tensor<4x3xf32>'}}
  %y = pop.gather %t, %i {batch_dims = -1 : i64} : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  return
}

// -----

// gather: c1.
func.func @f(%t: tensor<4x3xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{'pop.gather' op expects equal batch dimensions but got [4] of `table` and [2] of `indices`}}
  %y = pop.gather %t, %i {batch_dims = 1 : i64} : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2xf32>
  return
}

// -----

// gather: c2.
func.func @f(%t: tensor<4x3xf32>, %i: tensor<2xi1>) {
  // expected-error @below {{'pop.gather' op expects `indices` to have elements of more than one bit but got 'tensor<2xi1>'}}
  %y = pop.gather %t, %i : (tensor<4x3xf32>, tensor<2xi1>) -> tensor<2x3xf32>
  return
}

// -----

// gather: c3.
func.func @f(%t: tensor<4x3xf32>, %i: tensor<2xi32>) {
  // expected-error @below {{'pop.gather' op expects `result` of type 'tensor<2x3xf32>' but got 'tensor<2x4xf32>'}}
  %y = pop.gather %t, %i : (tensor<4x3xf32>, tensor<2xi32>) -> tensor<2x4xf32>
  return
}

// -----

// gather: c3.
func.func @f(%t: tensor<1x1099511627776xf32>, %i: tensor<1099511627776xi32>) {
  // expected-error @below {{'pop.gather' op expects a result of at most 2^56 elements but got shape [1099511627776, 1099511627776]}}
  %y = pop.gather %t, %i : (tensor<1x1099511627776xf32>, tensor<1099511627776xi32>) -> tensor<1x1xf32>
  return
}

// -----

// batch_norm_training: c1.
func.func @f(%x: tensor<3xf16>, %c: tensor<3xf16>) {
  // expected-error @below {{'pop.batch_norm_training' op expects `input` of rank 2 or more but got 'tensor<3xf16>'}}
  %y, %m, %v = pop.batch_norm_training %x, %c, %c : tensor<3xf16>, tensor<3xf16>
  return
}

// -----

// batch_norm_training: c2.
func.func @f(%x: tensor<2x3x4xf16>, %c: tensor<2xf16>) {
  // expected-error @below {{'pop.batch_norm_training' op expects `scale`, `bias`, `mean` and `variance` of shape [3] but got 'tensor<2xf16>'}}
  %y, %m, %v = pop.batch_norm_training %x, %c, %c : tensor<2x3x4xf16>, tensor<2xf16>
  return
}

// -----

// batch_norm_training: c3.
func.func @f(%x: tensor<2x3x4xf16>, %c: tensor<3xf64>) {
  // expected-error @below {{'pop.batch_norm_training' op expects `scale`, `bias`, `mean` and `variance` of element type 'f32' but got 'f64'}}
  %y, %m, %v = pop.batch_norm_training %x, %c, %c : tensor<2x3x4xf16>, tensor<3xf64>
  return
}

// -----

// batch_norm_training: c4.
func.func @f(%x: tensor<2x3x4xf16>, %c: tensor<3xf16>) {
  // expected-error @below {{'pop.batch_norm_training' op expects `epsilon` not to be negative but got -1.000000e+00 : f32}}
  %y, %m, %v = pop.batch_norm_training %x, %c, %c {epsilon = -1.0 : f32} : tensor<2x3x4xf16>, tensor<3xf16>
  return
}

// -----

// batch_norm_training: c5, order.
func.func @f(%x: tensor<2x3x4xf16>, %c: tensor<3xf16>) {
  // expected-error @below {{'pop.batch_norm_training' op expects `accum` to be `blocked` but got #pop.accum<chain>}}
  %y, %m, %v = pop.batch_norm_training %x, %c, %c {accum = #pop.accum<chain>} : tensor<2x3x4xf16>, tensor<3xf16>
  return
}

// -----

// batch_norm_training: c5, blocks.
func.func @f(%x: tensor<2x3x4xf16>, %c: tensor<3xf16>) {
  // expected-error @below {{'pop.batch_norm_training' op expects `block` of at least 2 for 8 positions but got #pop.accum<blocked, block = 1, lanes = 1>}}
  %y, %m, %v = pop.batch_norm_training %x, %c, %c {accum = #pop.accum<blocked, block = 1, lanes = 1>} : tensor<2x3x4xf16>, tensor<3xf16>
  return
}

// -----

// gather_partials: c1.
func.func @f(%t: tensor<10x3xf16>, %i: tensor<1x4xi8>) {
  // expected-error @below {{'pop.gather_partials' op expects `table` of rank 3 and `indices` of rank 2 but got 'tensor<10x3xf16>' and 'tensor<1x4xi8>'}}
  %y = pop.gather_partials %t, %i {block = 4 : i64} : (tensor<10x3xf16>, tensor<1x4xi8>) -> tensor<1x4x3x3xf16>
  return
}

// -----

// gather_partials: c1.
func.func @f(%t: tensor<2x10x3xf16>, %i: tensor<1x4xi8>) {
  // expected-error @below {{'pop.gather_partials' op expects equal batch dimensions but got [2] of `table` and [1] of `indices`}}
  %y = pop.gather_partials %t, %i {block = 4 : i64} : (tensor<2x10x3xf16>, tensor<1x4xi8>) -> tensor<1x4x3x3xf16>
  return
}

// -----

// gather_partials: c2.
func.func @f(%t: tensor<1x10x3xf16>, %i: tensor<1x4xi1>) {
  // expected-error @below {{'pop.gather_partials' op expects `indices` to have elements of more than one bit but got 'tensor<1x4xi1>'}}
  %y = pop.gather_partials %t, %i {block = 4 : i64} : (tensor<1x10x3xf16>, tensor<1x4xi1>) -> tensor<1x4x3x3xf16>
  return
}

// -----

// gather_partials: c3.
func.func @f(%t: tensor<1x10x3xf16>, %i: tensor<1x4xi8>) {
  // expected-error @below {{'pop.gather_partials' op expects `block` to be positive but got 0}}
  %y = pop.gather_partials %t, %i {block = 0 : i64} : (tensor<1x10x3xf16>, tensor<1x4xi8>) -> tensor<1x4x3x3xf16>
  return
}

// -----

// gather_partials: c4.
func.func @f(%t: tensor<1x10x3xf16>, %i: tensor<1x4xi8>) {
  // expected-error @below {{'pop.gather_partials' op expects `result` of type 'tensor<1x4x3x3xf16>' but got 'tensor<1x4x2x3xf16>'}}
  %y = pop.gather_partials %t, %i {block = 4 : i64} : (tensor<1x10x3xf16>, tensor<1x4xi8>) -> tensor<1x4x2x3xf16>
  return
}

// -----

// bucket_indices: c1.
func.func @f(%i: tensor<13xi32>) {
  // expected-error @below {{'pop.bucket_indices' op expects `indices` of rank 2 with elements of more than one bit but got 'tensor<13xi32>'}}
  %y = pop.bucket_indices %i {rows = 10 : i64, block = 4 : i64, chunk = 8 : i64} : tensor<13xi32> -> tensor<1x2x3x8xi32>
  return
}

// -----

// bucket_indices: c2.
func.func @f(%i: tensor<1x13xi32>) {
  // expected-error @below {{'pop.bucket_indices' op expects `rows` and `chunk` to be positive, and `block` to be a power of two of at most 2^31 / `chunk` but got 10, 8 and 3}}
  %y = pop.bucket_indices %i {rows = 10 : i64, block = 3 : i64, chunk = 8 : i64} : tensor<1x13xi32> -> tensor<1x2x4x8xi32>
  return
}

// -----

// bucket_indices: c2.
func.func @f(%i: tensor<1x13xi32>) {
  // expected-error @below {{'pop.bucket_indices' op expects `rows` and `chunk` to be positive, and `block` to be a power of two of at most 2^31 / `chunk` but got 10, 8 and 536870912}}
  %y = pop.bucket_indices %i {rows = 10 : i64, block = 536870912 : i64, chunk = 8 : i64} : tensor<1x13xi32> -> tensor<1x2x1x8xi32>
  return
}

// -----

// bucket_indices: c3.
func.func @f(%i: tensor<1x13xi32>) {
  // expected-error @below {{'pop.bucket_indices' op expects `result` of type 'tensor<1x2x3x8xi32>' but got 'tensor<1x2x3x8xi64>'}}
  %y = pop.bucket_indices %i {rows = 10 : i64, block = 4 : i64, chunk = 8 : i64} : tensor<1x13xi32> -> tensor<1x2x3x8xi64>
  return
}

// -----

// scatter_buckets: c1.
func.func @f(%x: tensor<10x3xf32>, %l: tensor<1x2x3x8xi32>, %u: tensor<1x13x3xf32>) {
  // expected-error @below {{'pop.scatter_buckets' op expects `input` of shape [batch, rows, columns], `updates` of shape [batch, i, columns] and `lists` of shape [batch, ceil(i / chunk), ceil(rows / 4), chunk] but got 'tensor<10x3xf32>', 'tensor<1x13x3xf32>' and 'tensor<1x2x3x8xi32>'}}
  %y = pop.scatter_buckets add %x, %l, %u {block = 4 : i64} : tensor<10x3xf32>, tensor<1x2x3x8xi32>, tensor<1x13x3xf32>
  return
}

// -----

// scatter_buckets: c1.
func.func @f(%x: tensor<1x10x3xf32>, %l: tensor<1x2x2x8xi32>, %u: tensor<1x13x3xf32>) {
  // expected-error @below {{'pop.scatter_buckets' op expects `input` of shape [batch, rows, columns], `updates` of shape [batch, i, columns] and `lists` of shape [batch, ceil(i / chunk), ceil(rows / 4), chunk] but got 'tensor<1x10x3xf32>', 'tensor<1x13x3xf32>' and 'tensor<1x2x2x8xi32>'}}
  %y = pop.scatter_buckets add %x, %l, %u {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x2x2x8xi32>, tensor<1x13x3xf32>
  return
}

// -----

// scatter_buckets: c1.
func.func @f(%x: tensor<1x10x3xf32>, %l: tensor<1x2x3x8xi32>, %u: tensor<1x17x3xf32>) {
  // expected-error @below {{'pop.scatter_buckets' op expects `input` of shape [batch, rows, columns], `updates` of shape [batch, i, columns] and `lists` of shape [batch, ceil(i / chunk), ceil(rows / 4), chunk] but got 'tensor<1x10x3xf32>', 'tensor<1x17x3xf32>' and 'tensor<1x2x3x8xi32>'}}
  %y = pop.scatter_buckets add %x, %l, %u {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x2x3x8xi32>, tensor<1x17x3xf32>
  return
}

// -----

// scatter_buckets: c2.
func.func @f(%x: tensor<1x10x3xf32>, %l: tensor<1x2x3x8xi64>, %u: tensor<1x13x3xf32>) {
  // expected-error @below {{'pop.scatter_buckets' op expects `lists` of i32, and `updates` of 'f32' but got 'tensor<1x2x3x8xi64>' and 'tensor<1x13x3xf32>'}}
  %y = pop.scatter_buckets add %x, %l, %u {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x2x3x8xi64>, tensor<1x13x3xf32>
  return
}

// -----

// scatter_buckets: c2.
func.func @f(%x: tensor<1x10x3xf32>, %l: tensor<1x2x3x8xi32>, %u: tensor<1x13x3xf16>) {
  // expected-error @below {{'pop.scatter_buckets' op expects `lists` of i32, and `updates` of 'f32' but got 'tensor<1x2x3x8xi32>' and 'tensor<1x13x3xf16>'}}
  %y = pop.scatter_buckets add %x, %l, %u {block = 4 : i64} : tensor<1x10x3xf32>, tensor<1x2x3x8xi32>, tensor<1x13x3xf16>
  return
}

// -----

// scatter_buckets: c3.
func.func @f(%x: tensor<1x10x3xf32>, %l: tensor<1x2x3x8xi32>, %u: tensor<1x13x3xf32>) {
  // expected-error @below {{'pop.scatter_buckets' op expects `block` to be a power of two but got 3}}
  %y = pop.scatter_buckets add %x, %l, %u {block = 3 : i64} : tensor<1x10x3xf32>, tensor<1x2x3x8xi32>, tensor<1x13x3xf32>
  return
}

// -----

// scatter_buckets: c4.
func.func @f(%x: tensor<1x10x3xi1>, %l: tensor<1x2x3x8xi32>, %u: tensor<1x13x3xi1>) {
  // expected-error @below {{'pop.scatter_buckets' op expects elements of a type other than i1 for `max`}}
  %y = pop.scatter_buckets max %x, %l, %u {block = 4 : i64} : tensor<1x10x3xi1>, tensor<1x2x3x8xi32>, tensor<1x13x3xi1>
  return
}

// -----

// scatter_buckets: c4.
func.func @f(%x: tensor<1x10x3xf16>, %l: tensor<1x2x3x8xi32>, %u: tensor<1x13x3xf16>) {
  // expected-error @below {{'pop.scatter_buckets' op expects elements that are not narrower than f32 for `mul` but got 'tensor<1x10x3xf16>'}}
  %y = pop.scatter_buckets mul %x, %l, %u {block = 4 : i64} : tensor<1x10x3xf16>, tensor<1x2x3x8xi32>, tensor<1x13x3xf16>
  return
}

// -----

// scatter: c1.
func.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{'pop.scatter' op expects `batch_dims` to be at least 0, at most the rank of `indices` and less than the rank of `input` but got 2 for 'tensor<2xi32>' and 'tensor<4x3xf32>'}}
  %y = pop.scatter add %x, %i, %u {batch_dims = 2 : i64} : tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf32>
  return
}

// -----

// scatter: c1.
func.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{'pop.scatter' op expects equal batch dimensions but got [4] of `input` and [2] of `indices`}}
  %y = pop.scatter add %x, %i, %u {batch_dims = 1 : i64} : tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf32>
  return
}

// -----

// scatter: c2.
func.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi1>, %u: tensor<2x3xf32>) {
  // expected-error @below {{'pop.scatter' op expects `indices` to have elements of more than one bit but got 'tensor<2xi1>'}}
  %y = pop.scatter add %x, %i, %u : tensor<4x3xf32>, tensor<2xi1>, tensor<2x3xf32>
  return
}

// -----

// scatter: c3, shape.
func.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi32>, %u: tensor<3x3xf32>) {
  // expected-error @below {{'pop.scatter' op expects `updates` of shape [2, 3] and element type 'f32' but got 'tensor<3x3xf32>'}}
  %y = pop.scatter add %x, %i, %u : tensor<4x3xf32>, tensor<2xi32>, tensor<3x3xf32>
  return
}

// -----

// scatter: c3, element type.
func.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi32>, %u: tensor<2x3xf16>) {
  // expected-error @below {{'pop.scatter' op expects `updates` of shape [2, 3] and element type 'f32' but got 'tensor<2x3xf16>'}}
  %y = pop.scatter add %x, %i, %u : tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf16>
  return
}

// -----

// scatter: c4.
func.func @f(%x: tensor<4x3xi1>, %i: tensor<2xi32>, %u: tensor<2x3xi1>) {
  // expected-error @below {{'pop.scatter' op expects elements of a type other than i1 for `max`}}
  %y = pop.scatter max %x, %i, %u : tensor<4x3xi1>, tensor<2xi32>, tensor<2x3xi1>
  return
}

// -----

// scatter: c5.
func.func @f(%x: tensor<4x3xf32>, %i: tensor<2xi32>, %u: tensor<2x3xf32>) {
  // expected-error @below {{'pop.scatter' op failed to verify that all of {input, result} have same type}}
  %y = "pop.scatter"(%x, %i, %u) <{kind = #pop<scatter_kind add>, batch_dims = 0 : i64}> : (tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<4x3xf16>
  return
}

// -----

// select_and_scatter: c1.
func.func @f(%x: tensor<2x8xf32>, %s: tensor<2x4xf32>) {
  // expected-error @below {{'pop.select_and_scatter' op expects `operand` of rank 3, 4 or 5 but got 'tensor<2x8xf32>'}}
  %y = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<2x8xf32>, tensor<2x4xf32> -> tensor<2x8xf32>
  return
}

// -----

// select_and_scatter: c2.
func.func @f(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xf16>) {
  // expected-error @below {{'pop.select_and_scatter' op expects `strides` to be positive but got 0}}
  %y = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>, strides = array<i64: 0>} : tensor<1x2x8xf16>, tensor<1x2x4xf16> -> tensor<1x2x8xf16>
  return
}

// -----

// select_and_scatter: c3.
func.func @f(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xf16>) {
  // expected-error @below {{'pop.select_and_scatter' op expects a dilated kernel that fits the 8 padded elements of spatial dimension 0 but got kernel 9 with dilation 1}}
  %y = pop.select_and_scatter max %x, %s {kernel = array<i64: 9>} : tensor<1x2x8xf16>, tensor<1x2x4xf16> -> tensor<1x2x8xf16>
  return
}

// -----

// select_and_scatter: c4.
func.func @f(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xf16>) {
  // expected-error @below {{'pop.select_and_scatter' op expects `pads` to be less than the dilated kernel of 2 but got 2}}
  %y = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>, pads = array<i64: 2, 0>, strides = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xf16> -> tensor<1x2x8xf16>
  return
}

// -----

// select_and_scatter: c5.
func.func @f(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xf16>) {
  // expected-error @below {{'pop.select_and_scatter' op expects `kind` to be `max` or `min` but got `sum`}}
  %y = pop.select_and_scatter sum %x, %s {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xf16> -> tensor<1x2x8xf16>
  return
}

// -----

// select_and_scatter: c6, shape.
func.func @f(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xf16>) {
  // expected-error @below {{'pop.select_and_scatter' op expects `source` of shape [1, 2, 7] and element type 'f32' but got 'tensor<1x2x4xf16>'}}
  %y = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xf16> -> tensor<1x2x8xf16>
  return
}

// -----

// select_and_scatter: c6, element type.
func.func @f(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xbf16>) {
  // expected-error @below {{'pop.select_and_scatter' op expects `source` of shape [1, 2, 4] and element type 'f32' but got 'tensor<1x2x4xbf16>'}}
  %y = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xbf16> -> tensor<1x2x8xbf16>
  return
}

// -----

// select_and_scatter: c7.
func.func @f(%x: tensor<1x2x8xf16>, %s: tensor<1x2x4xf32>) {
  // expected-error @below {{'pop.select_and_scatter' op expects `result` of type 'tensor<1x2x8xf32>' but got 'tensor<1x2x8xf16>'}}
  %y = pop.select_and_scatter max %x, %s {kernel = array<i64: 2>, strides = array<i64: 2>} : tensor<1x2x8xf16>, tensor<1x2x4xf32> -> tensor<1x2x8xf16>
  return
}

// -----

// expect_close: c2.
func.func @f(%x: tensor<3xf32>) {
  // expected-error @below {{'pop.expect_close' op expects `rtol` and `atol` not to be negative but got -1.000000e+00 : f64 and 1.000000e-08 : f64}}
  pop.expect_close %x, dense<1.0> : tensor<3xf32> {rtol = -1.0 : f64}
  return
}

// -----

// Passes would lose an encoding.
func.func @encoding(%x: tensor<4xf32, "rows">) {
  // expected-error @below {{operand #0 must be statically shaped tensor, without encoding and with at most 2^56 elements, of float values, but got 'tensor<4xf32, "rows">'}}
  %y = pop.exp %x : tensor<4xf32, "rows">
  return
}

// -----

// expected-error @below {{expects argument attribute 'pop.name' to be a string but got 3 : i32}}
func.func private @name(tensor<4xf32> {pop.name = 3 : i32})

// -----

// expected-error @below {{has unknown result attribute 'pop.nmae' of dialect 'pop'}}
func.func private @misspelt() -> (tensor<4xf32> {pop.nmae = "y"})

// -----

// sum: c1.
func.func @f() {
  // expected-error @below {{'pop.sum' op expects at least one operand}}
  %0 = "pop.sum"() : () -> tensor<2xf32>
  return
}

// -----

// sum: c2.
func.func @f(%a: tensor<2xf32>, %b: tensor<2xf16>) {
  // expected-error @below {{'pop.sum' op expects operand 2 of element type 'f32' but got 'f16'}}
  %0 = pop.sum %a, %a, %b : (tensor<2xf32>, tensor<2xf32>, tensor<2xf16>) -> tensor<2xf32>
  return
}

// -----

// sum: c3.
func.func @f(%a: tensor<2xf32>, %b: tensor<3xf32>) {
  // expected-error @below {{'pop.sum' op expects}}
  %0 = pop.sum %a, %b, %a : (tensor<2xf32>, tensor<3xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// sum: c4.
func.func @f(%a: tensor<2xf32>, %b: tensor<1xf32>) {
  // expected-error @below {{'pop.sum' op expects `result` of type 'tensor<2xf32>' but got 'tensor<1xf32>'}}
  %0 = pop.sum %a, %b, %b : (tensor<2xf32>, tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return
}

// -----

// sum: of numbers.
func.func @f(%a: tensor<2xi1>) {
  // expected-error @below {{'pop.sum' op operand #0 must be variadic of}}
  %0 = pop.sum %a : (tensor<2xi1>) -> tensor<2xi1>
  return
}

// -----

// reduce: c2, mean.
func.func @f(%x: tensor<4x8xi32>) {
  // expected-error @below {{'pop.reduce' op expects floats for `mean` but got 'i32'}}
  %y = pop.reduce mean %x {axes = array<i64: 1>} : tensor<4x8xi32> -> tensor<4xi32>
  return
}

// -----

// reduce: c2, mean.
func.func @f(%x: tensor<4x8xi1>) {
  // expected-error @below {{'pop.reduce' op expects elements of a type other than i1 for `mean` but got 'i1'}}
  %y = pop.reduce mean %x {axes = array<i64: 1>} : tensor<4x8xi1> -> tensor<4xi1>
  return
}

// -----

// reduce_window: c4, mean.
func.func @f(%x: tensor<1x4x8xui8>) {
  // expected-error @below {{'pop.reduce_window' op expects floats for `mean` but got 'ui8'}}
  %y = pop.reduce_window mean %x {kernel = array<i64: 2>} : tensor<1x4x8xui8> -> tensor<1x4x7xui8>
  return
}

// -----

// dynamic_slice: c1, rank.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects `axes` to be at least 0 and less than rank 2 but got 2}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 2>, sizes = array<i64: 1>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<8x4xf32>
  return
}

// -----

// dynamic_slice: c1, negative.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects `axes` to be at least 0 and less than rank 2 but got -1}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: -1>, sizes = array<i64: 1>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<8x4xf32>
  return
}

// -----

// dynamic_slice: c1, distinct.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<2xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects `axes` to be distinct but got 1 twice}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 1, 1>, sizes = array<i64: 1, 1>} : tensor<8x4xf32>, tensor<2xi32> -> tensor<8x1xf32>
  return
}

// -----

// dynamic_slice: c2, number.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects `sizes` to have as many values as `axes` (1) but got 2}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 1>, sizes = array<i64: 1, 1>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<8x1xf32>
  return
}

// -----

// dynamic_slice: c2, too large.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects a size from 0 to 4 along dimension 1 but got 5}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 1>, sizes = array<i64: 5>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<8x5xf32>
  return
}

// -----

// dynamic_slice: c2, negative.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects a size from 0 to 4 along dimension 1 but got -1}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 1>, sizes = array<i64: -1>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<8x1xf32>
  return
}

// -----

// dynamic_slice: c3, shape.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<2xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects `start` of shape [1] but got 'tensor<2xi32>'}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 1>, sizes = array<i64: 1>} : tensor<8x4xf32>, tensor<2xi32> -> tensor<8x1xf32>
  return
}

// -----

// dynamic_slice: c3, bits.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<1xi1>) {
  // expected-error @below {{'pop.dynamic_slice' op expects `start` to have elements of more than one bit but got 'tensor<1xi1>'}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 1>, sizes = array<i64: 1>} : tensor<8x4xf32>, tensor<1xi1> -> tensor<8x1xf32>
  return
}

// -----

// dynamic_slice: c4.
func.func @f(%x: tensor<8x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_slice' op expects `result` of type 'tensor<8x1xf32>' but got 'tensor<8x4xf32>'}}
  %0 = pop.dynamic_slice %x[%s] {axes = array<i64: 1>, sizes = array<i64: 1>} : tensor<8x4xf32>, tensor<1xi32> -> tensor<8x4xf32>
  return
}

// -----

// dynamic_update: c1.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update' op expects `axes` to be at least 0 and less than rank 2 but got 2}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 2>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>
  return
}

// -----

// dynamic_update: c1.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<2xi32>) {
  // expected-error @below {{'pop.dynamic_update' op expects `axes` to be distinct but got 0 twice}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0, 0>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xi32>
  return
}

// -----

// dynamic_update: c2, rank.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update' op expects `update` of rank 2 and element type 'f32' but got 'tensor<2xf32>'}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2xf32>, tensor<1xi32>
  return
}

// -----

// dynamic_update: c2, element type.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf16>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update' op expects `update` of rank 2 and element type 'f32' but got 'tensor<2x4xf16>'}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x4xf16>, tensor<1xi32>
  return
}

// -----

// dynamic_update: c2, axis.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<9x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update' op expects `update` of at most 8 positions along dimension 0 but got 9}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<9x4xf32>, tensor<1xi32>
  return
}

// -----

// dynamic_update: c2, other dimension.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x3xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update' op expects `update` of 4 positions along dimension 1 but got 3}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x3xf32>, tensor<1xi32>
  return
}

// -----

// dynamic_update: c3.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<2xi32>) {
  // expected-error @below {{'pop.dynamic_update' op expects `start` of shape [1] but got 'tensor<2xi32>'}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<2xi32>
  return
}

// -----

// dynamic_update: c3.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<1xi1>) {
  // expected-error @below {{'pop.dynamic_update' op expects `start` to have elements of more than one bit but got 'tensor<1xi1>'}}
  %0 = pop.dynamic_update %x, %u[%s] {axes = array<i64: 0>} : tensor<8x4xf32>, tensor<2x4xf32>, tensor<1xi1>
  return
}

// -----

// dynamic_update: c4.
func.func @f(%x: tensor<8x4xf32>, %u: tensor<2x4xf32>, %s: tensor<1xi32>) {
  // expected-error @below {{'pop.dynamic_update' op failed to verify that all of {input, result} have same type}}
  %0 = "pop.dynamic_update"(%x, %u, %s) {axes = array<i64: 0>} : (tensor<8x4xf32>, tensor<2x4xf32>, tensor<1xi32>) -> tensor<2x4xf32>
  return
}

// -----

// expected-error @below {{argument attribute 'pop.default' expects elements of type 'tensor<2xf32>' but got "zero"}}
func.func @default(%x: tensor<2xf32> {pop.default = "zero"}) {
  return
}

// -----

// expected-error @below {{argument attribute 'pop.default' expects elements of type 'tensor<2xf32>' but got elements of type 'tensor<3xf32>'}}
func.func @default(%x: tensor<2xf32> {pop.default = dense<0.0> : tensor<3xf32>}) {
  return
}

// -----

// expected-error @below {{has unknown result attribute 'pop.default' of dialect 'pop'}}
func.func @default(%x: tensor<2xf32>) -> (tensor<2xf32> {pop.default = dense<0.0> : tensor<2xf32>}) {
  return %x : tensor<2xf32>
}
