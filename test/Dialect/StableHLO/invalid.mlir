// RUN: ipu-opt %s --split-input-file --verify-diagnostics

func.func @add(%a: tensor<4xf32>, %b: tensor<8xf32>) {
  // expected-error @+1 {{must have the same shape and base type}}
  %0 = stablehlo.add %a, %b : (tensor<4xf32>, tensor<8xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @type_of_two(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects a type with 2 inputs and 1 result but got}}
  %0 = stablehlo.add %a, %a : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @abs(%a: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{expects result elements of type 'f32' but got 'complex<f32>'}}
  %0 = stablehlo.abs %a : tensor<4xcomplex<f32>>
  return
}

// -----

func.func @compare_type(%a: tensor<4xi32>) {
  // expected-error @+1 {{expects a compare_type that fits elements of type 'i32' but got FLOAT}}
  %0 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<4xi32>, tensor<4xi32>) -> tensor<4xi1>
  return
}

// -----

func.func @compare_complex(%a: tensor<4xcomplex<f32>>) {
  // expected-error @+1 {{expects complex numbers to be compared by EQ or NE but got LT}}
  %0 = stablehlo.compare LT, %a, %a : (tensor<4xcomplex<f32>>, tensor<4xcomplex<f32>>) -> tensor<4xi1>
  return
}

// -----

func.func @select(%p: tensor<3xi1>, %a: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects a predicate that is a scalar or has the shape of the values}}
  %0 = stablehlo.select %p, %a, %a : tensor<3xi1>, tensor<4xf32>
  return
}

// -----

func.func @clamp(%m: tensor<2xf32>, %a: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects min to be a scalar or a tensor like the operand}}
  %0 = stablehlo.clamp %m, %a, %a : (tensor<2xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @iota() {
  // expected-error @+1 {{expects iota_dimension in [0, 1) but got 1}}
  %0 = stablehlo.iota dim = 1 : tensor<4xi32>
  return
}

// -----

func.func @bitcast(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects equal shapes, except for a last dimension that divides the wider elements into the narrower ones, but got 'tensor<4xf32>' and 'tensor<4x2xi8>'}}
  %0 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x2xi8>
  return
}

// -----

func.func @reshape(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects the same number of elements but got 4 and 6}}
  %0 = stablehlo.reshape %a : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_size(%a: tensor<4xf32>) {
  // expected-error @+1 {{expects dimension 0 of the operand to have size 1 or 3 (the size of dimension 1 of the result) but got 4}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<4xf32>) -> tensor<2x3xf32>
  return
}

// -----

func.func @broadcast_twice(%a: tensor<4x4xf32>) {
  // expected-error @+1 {{expects no dimension twice in broadcast dimensions but got 1}}
  %0 = stablehlo.broadcast_in_dim %a, dims = [1, 1] : (tensor<4x4xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @transpose(%a: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects 2 permuted dimensions but got 1}}
  %0 = stablehlo.transpose %a, dims = [0] : (tensor<4x2xf32>) -> tensor<4x2xf32>
  return
}

// -----

func.func @cholesky_vector(%a: tensor<4xf32>) {
  // c2
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects square matrices but got 'tensor<4xf32>'}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4xf32>
  return
}

// -----

func.func @cholesky_sides(%a: tensor<4x4x3xf32>) {
  // c3
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects square matrices but got 'tensor<4x4x3xf32>'}}
  %0 = stablehlo.cholesky %a, lower = true : tensor<4x4x3xf32>
  return
}

// -----

func.func @cholesky_integers(%a: tensor<4x4xi32>) {
  // expected-error @+1 {{operand #0 must be}}
  %0 = stablehlo.cholesky %a : tensor<4x4xi32>
  return
}

// -----

func.func @triangular_solve_types(%a: tensor<4x4xf32>, %b: tensor<4x3xf16>) {
  // c1
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects operands of the same rank and element type but got 'tensor<4x4xf32>' and 'tensor<4x3xf16>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf16>) -> tensor<4x3xf16>
  return
}

// -----

func.func @triangular_solve_ranks(%a: tensor<4x4xf32>, %b: tensor<4xf32>) {
  // c2
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects operands of the same rank and element type but got 'tensor<4x4xf32>' and 'tensor<4xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @triangular_solve_square(%a: tensor<4x3xf32>, %b: tensor<4x3xf32>) {
  // c3
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects square matrices but got 'tensor<4x3xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x3xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @triangular_solve_side(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // c3
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{with left_side = false expects dimension 1 of a and b to have the same size but got 'tensor<4x4xf32>' and 'tensor<4x3xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = false, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x3xf32>
  return
}

// -----

func.func @triangular_solve_batch(%a: tensor<2x4x4xf32>, %b: tensor<3x4x3xf32>) {
  // c3
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects batch dimension 0 of a and b to have the same size but got 'tensor<2x4x4xf32>' and 'tensor<3x4x3xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<3x4x3xf32>) -> tensor<3x4x3xf32>
  return
}

// -----

func.func @triangular_solve_result(%a: tensor<4x4xf32>, %b: tensor<4x3xf32>) {
  // c4
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{inferred type(s) 'tensor<4x3xf32>' are incompatible with return type(s) of operation 'tensor<4x4xf32>'}}
  %0 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<4x4xf32>, tensor<4x3xf32>) -> tensor<4x4xf32>
  return
}

// -----

func.func @reverse(%a: tensor<4x2xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects reversed dimensions in [0, 2) but got 2}}
  %0 = stablehlo.reverse %a, dims = [2] : tensor<4x2xf32>
  return
}

// -----

func.func @concatenate(%a: tensor<4x2xf32>, %b: tensor<4x3xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects operands that differ in dimension 0 only}}
  %0 = stablehlo.concatenate %a, %b, dim = 0 : (tensor<4x2xf32>, tensor<4x3xf32>) -> tensor<8x2xf32>
  return
}

// -----

func.func @slice_limit(%a: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects 0 <= start <= limit <= 4 in dimension 0 but got start 1 and limit 5}}
  %0 = stablehlo.slice %a [1:5] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @slice_stride(%a: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects a positive stride in dimension 0 but got 0}}
  %0 = stablehlo.slice %a [1:4:0] : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects padding that leaves a size of at least 0 in dimension 0 but got -1}}
  %0 = stablehlo.pad %a, %z, low = [-5], high = [0], interior = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @pad_type(%a: tensor<4xf32>, %z: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects a padding value of type 'f32' but got 'i32'}}
  %0 = stablehlo.pad %a, %z, low = [0], high = [0], interior = [0] : (tensor<4xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @dynamic_slice(%a: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects a slice size in [0, 4] in dimension 0 but got 5}}
  %0 = stablehlo.dynamic_slice %a, %i, sizes = [5] : (tensor<4xf32>, tensor<i32>) -> tensor<5xf32>
  return
}

// -----

func.func @dynamic_update_slice(%a: tensor<4xf32>, %u: tensor<5xf32>, %i: tensor<i32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects an update that fits in}}
  %0 = stablehlo.dynamic_update_slice %a, %u, %i : (tensor<4xf32>, tensor<5xf32>, tensor<i32>) -> tensor<4xf32>
  return
}

// -----

func.func @inferred(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "stablehlo.transpose"(%a) <{permutation = array<i64: 0, 0>}> : (tensor<4x2xf32>) -> tensor<4x2xf32>
  // expected-error @-1 {{expects no dimension twice in permuted dimensions but got 0}}
  return
}

// -----

func.func @gather(%a: tensor<4x2xf32>, %i: tensor<3x1xi32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects 1 indexed dimensions, one for each element of an index vector, but got 2}}
  %0 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0, 1], index_vector_dim = 1>, slice_sizes = array<i64: 1, 2>}> : (tensor<4x2xf32>, tensor<3x1xi32>) -> tensor<3x2xf32>
  return
}

// -----

// expected-error @+1 {{'offset_dims' is given twice}}
#g = #stablehlo.gather<offset_dims = [1], offset_dims = [0]>

// -----

// expected-error @+1 {{expects one of offset_dims, collapsed_slice_dims, operand_batching_dims, start_indices_batching_dims, start_index_map, index_vector_dim but got 'dims'}}
#g = #stablehlo.gather<dims = [1]>

// -----

// expected-error @+1 {{expects 'b' and 'f' once each but got 'b' twice}}
#c = #stablehlo.conv<[b, 0, b]x[0, i, o]->[b, 0, f]>

// -----

// expected-error @+1 {{expects 'b', 'f' or a number but got 'x'}}
#c = #stablehlo.conv<[b, 0, x]x[0, i, o]->[b, 0, f]>

// -----

// expected-error @+1 {{expects each spatial dimension in [0, 2) once but got 0 twice}}
#c = #stablehlo.conv<[b, 0, 0, f]x[0, 1, i, o]->[b, 0, 1, f]>

// -----

// expected-error @+1 {{expects spatial dimensions in [0, 1) but got 1}}
#c = #stablehlo.conv<[b, 1, f]x[0, i, o]->[b, 0, f]>

// -----

func.func @dot_sizes(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{expects dimension 0 of lhs and dimension 1 of rhs to have the same size but got 4 and 2}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [1] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @dot_result(%a: tensor<4x2xf32>) {
  // expected-error @+1 {{expects a result of shape [2, 2] but got 'tensor<2x4xf32>'}}
  %0 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0] : (tensor<4x2xf32>, tensor<4x2xf32>) -> tensor<2x4xf32>
  return
}

// -----

func.func @convolution(%x: tensor<1x8x4xf32>, %k: tensor<3x3x2xf32>) {
  // expected-error @+1 {{expects a kernel with 4 input features but got 3}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x4xf32>, tensor<3x3x2xf32>) -> tensor<1x6x2xf32>
  return
}

// -----

func.func @no_groups(%x: tensor<1x8x4xf32>, %k: tensor<3x4x2xf32>) {
  // expected-error @+1 {{expects positive group counts, at least one of them 1, but got feature_group_count 2 and batch_group_count 2}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 2 : i64, feature_group_count = 2 : i64} : (tensor<1x8x4xf32>, tensor<3x4x2xf32>) -> tensor<1x6x2xf32>
  return
}

// -----

func.func @groups(%x: tensor<?x8x4xf32>, %k: tensor<3x1x2xf32>) {
  // expected-error @+1 {{expects the number of batch groups to divide the batch size, the number of feature groups to divide the input features, and both numbers to divide the output features but got batch_group_count 1, feature_group_count 4, batch size ?, 4 input features and 2 output features}}
  %0 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 4 : i64} : (tensor<?x8x4xf32>, tensor<3x1x2xf32>) -> tensor<?x6x2xf32>
  return
}

// -----

func.func @reduce_dims(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects reduced dimensions in [0, 1) but got 1}}
  %0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  return
}

// -----

func.func @reduce_applies(%a: tensor<4xf32>, %z: tensor<f32>) {
  // expected-error @+1 {{expects an op of the stablehlo dialect but got 'arith.addf'}}
  %0 = stablehlo.reduce(%a init: %z) applies arith.addf across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
  return
}

// -----

func.func @while(%a: tensor<4xf32>) {
  // expected-error @+2 {{failed to infer returned types}}
  // expected-error @+1 {{expects the body to return ('tensor<4xf32>') but got ()}}
  %0 = stablehlo.while(%x = %a) : tensor<4xf32>
   cond {
    %p = stablehlo.constant dense<true> : tensor<i1>
    stablehlo.return %p : tensor<i1>
  } do {
    stablehlo.return
  }
  return
}

// -----

func.func @case(%a: tensor<4xf32>, %i: tensor<i32>) {
  // expected-error @+1 {{expects branch 0 to return values of the results' types ('tensor<4xf32>') but got ('tensor<i32>')}}
  %0 = "stablehlo.case"(%i) ({
    stablehlo.return %i : tensor<i32>
  }) : (tensor<i32>) -> tensor<4xf32>
  return
}
