// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// Every op once, in the text of JAX and of the published dialect.
// CHECK-LABEL: func @ops
// CHECK: stablehlo.dot_general %{{.*}}, %{{.*}}, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
// CHECK: stablehlo.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<f32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
// CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}), (%{{.*}} init: %{{.*}}) across dimensions = [0] : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>)
// CHECK: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>) (%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>)  {
// CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<f32>
// CHECK: "stablehlo.gather"(%{{.*}}, %{{.*}}) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<2x1xi32>) -> tensor<2x16xf32>
// CHECK: stablehlo.compare  LT, %{{.*}}, %{{.*}},  FLOAT : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
// CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x16xi1>, tensor<8x16xf32>
// CHECK: stablehlo.clamp %{{.*}}, %{{.*}}, %{{.*}} : (tensor<f32>, tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
// CHECK: stablehlo.slice %{{.*}} [0:8:2, 1:16] : (tensor<8x16xf32>) -> tensor<4x15xf32>
// CHECK: stablehlo.dynamic_slice %{{.*}}, %{{.*}}, %{{.*}}, sizes = [2, 2] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
// CHECK: stablehlo.dynamic_update_slice %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : (tensor<8x16xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
// CHECK: stablehlo.concatenate %{{.*}}, %{{.*}}, dim = 1 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
// CHECK: stablehlo.pad %{{.*}}, %{{.*}}, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16x17xf32>
// CHECK: stablehlo.convolution(%{{.*}}, %{{.*}}) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = {{\[\[}}1, 1], [1, 1{{\]\]}}, rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x8x8x2xf32>
// CHECK: stablehlo.while(%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : tensor<8x16xf32>, tensor<i32> attributes {foo = 1 : i32}
// CHECK: stablehlo.compare  LT, %{{.*}}, %{{.*}},  SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
// CHECK: stablehlo.exponential %{{.*}} : tensor<8x16xf32>
// CHECK: stablehlo.iota dim = 0 : tensor<8xi32>
// CHECK: stablehlo.optimization_barrier %{{.*}}, %{{.*}} : tensor<8x16xf32>, tensor<i32>
// CHECK: stablehlo.custom_call @foo(%{{.*}}) {backend_config = "", has_side_effect = true} : (tensor<8x16xf32>) -> tensor<8x16xf32>
// CHECK: stablehlo.reverse %{{.*}}, dims = [0] : tensor<8x16xf32>
// CHECK: stablehlo.transpose %{{.*}}, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
// CHECK: stablehlo.convert %{{.*}} : (tensor<8x16xf32>) -> tensor<8x16xbf16>
// CHECK: stablehlo.abs %{{.*}} {sdy.x = 1 : i32} : tensor<8x16xf32>
// CHECK: "stablehlo.case"(%{{.*}}) ({
func.func @ops(%a: tensor<8x16xf32>, %b: tensor<16x4xf32>, %i: tensor<2x1xi32>, %s: tensor<i32>, %p: tensor<8x16xi1>, %x: tensor<1x8x8x4xf32>, %k: tensor<3x3x4x2xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0], precision = [DEFAULT, HIGHEST] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
  %1 = stablehlo.constant {foo = 1 : i32} dense<1.0> : tensor<f32>
  %2 = stablehlo.reduce(%a init: %1) applies stablehlo.add across dimensions = [0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16xf32>
  %3:2 = stablehlo.reduce(%a init: %1), (%a init: %1) across dimensions = [0] : (tensor<8x16xf32>, tensor<8x16xf32>, tensor<f32>, tensor<f32>) -> (tensor<16xf32>, tensor<16xf32>)
   reducer(%x0: tensor<f32>, %x1: tensor<f32>) (%y0: tensor<f32>, %y1: tensor<f32>) {
    %q = stablehlo.add %x0, %y1 : tensor<f32>
    stablehlo.return %q, %q : tensor<f32>, tensor<f32>
  }
  %4 = "stablehlo.gather"(%a, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = false, slice_sizes = array<i64: 1, 16>}> : (tensor<8x16xf32>, tensor<2x1xi32>) -> tensor<2x16xf32>
  %5 = stablehlo.compare LT, %a, %a, FLOAT : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xi1>
  %6 = stablehlo.select %5, %a, %a : tensor<8x16xi1>, tensor<8x16xf32>
  %7 = stablehlo.clamp %1, %a, %1 : (tensor<f32>, tensor<8x16xf32>, tensor<f32>) -> tensor<8x16xf32>
  %8 = stablehlo.slice %a [0:8:2, 1:16] : (tensor<8x16xf32>) -> tensor<4x15xf32>
  %9 = stablehlo.dynamic_slice %a, %s, %s, sizes = [2, 2] : (tensor<8x16xf32>, tensor<i32>, tensor<i32>) -> tensor<2x2xf32>
  %10 = stablehlo.dynamic_update_slice %a, %9, %s, %s : (tensor<8x16xf32>, tensor<2x2xf32>, tensor<i32>, tensor<i32>) -> tensor<8x16xf32>
  %11 = stablehlo.concatenate %a, %10, dim = 1 : (tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x32xf32>
  %12 = stablehlo.pad %a, %1, low = [1, -1], high = [0, 2], interior = [1, 0] : (tensor<8x16xf32>, tensor<f32>) -> tensor<16x17xf32>
  %13 = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x4xf32>, tensor<3x3x4x2xf32>) -> tensor<1x8x8x2xf32>
  %14:2 = stablehlo.while(%m = %a, %n = %s) : tensor<8x16xf32>, tensor<i32> attributes {foo = 1 : i32}
   cond {
    %c = stablehlo.compare LT, %n, %n, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %c = stablehlo.exponential %m : tensor<8x16xf32>
    stablehlo.return %c, %n : tensor<8x16xf32>, tensor<i32>
  }
  %15 = stablehlo.iota dim = 0 : tensor<8xi32>
  %16:2 = stablehlo.optimization_barrier %a, %s : tensor<8x16xf32>, tensor<i32>
  %17 = stablehlo.custom_call @foo(%a) {backend_config = "", has_side_effect = true} : (tensor<8x16xf32>) -> tensor<8x16xf32>
  %18 = stablehlo.reverse %a, dims = [0] : tensor<8x16xf32>
  %19 = stablehlo.transpose %a, dims = [1, 0] : (tensor<8x16xf32>) -> tensor<16x8xf32>
  %20 = stablehlo.convert %a : (tensor<8x16xf32>) -> tensor<8x16xbf16>
  %21 = stablehlo.abs %a {sdy.x = 1 : i32} : tensor<8x16xf32>
  %22 = "stablehlo.case"(%s) ({
    stablehlo.return %a : tensor<8x16xf32>
  }, {
    stablehlo.return %18 : tensor<8x16xf32>
  }) : (tensor<i32>) -> tensor<8x16xf32>
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func @more_elementwise
func.func @more_elementwise(%a: tensor<4xf32>, %i: tensor<4xi32>, %c: tensor<4xcomplex<f32>>) {
  // CHECK: stablehlo.abs %{{.*}} : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  %0 = stablehlo.abs %c : (tensor<4xcomplex<f32>>) -> tensor<4xf32>
  // CHECK: stablehlo.is_finite %{{.*}} : (tensor<4xf32>) -> tensor<4xi1>
  %1 = stablehlo.is_finite %a : (tensor<4xf32>) -> tensor<4xi1>
  // CHECK: stablehlo.add %{{.*}}, %{{.*}} : tensor<4xf32>
  %2 = stablehlo.add %a, %a : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.popcnt %{{.*}} : tensor<4xi32>
  %3 = stablehlo.popcnt %i : tensor<4xi32>
  // CHECK: stablehlo.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<4xi1>, tensor<4xf32>
  %4 = stablehlo.select %1, %a, %a : (tensor<4xi1>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  // CHECK: stablehlo.bitcast_convert %{{.*}} : (tensor<4xf32>) -> tensor<4x4xui8>
  %5 = stablehlo.bitcast_convert %a : (tensor<4xf32>) -> tensor<4x4xui8>
  return
}

// CHECK-LABEL: func @matrices
func.func @matrices(%a: tensor<2x4x4xf32>, %b: tensor<2x4x3xf32>, %c: tensor<?x4xcomplex<f32>>) {
  // CHECK: stablehlo.cholesky %{{.*}}, lower = true : tensor<2x4x4xf32>
  %0 = stablehlo.cholesky %a, lower = true : tensor<2x4x4xf32>
  // CHECK: stablehlo.cholesky %{{.*}} : tensor<?x4xcomplex<f32>>
  %1 = stablehlo.cholesky %c, lower = false : (tensor<?x4xcomplex<f32>>) -> tensor<?x4xcomplex<f32>>
  // CHECK: "stablehlo.triangular_solve"(%{{.*}}, %{{.*}}) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  %2 = "stablehlo.triangular_solve"(%a, %b) {left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false} : (tensor<2x4x4xf32>, tensor<2x4x3xf32>) -> tensor<2x4x3xf32>
  return
}

// CHECK-LABEL: func @regions
func.func @regions(%a: tensor<4xf32>, %i: tensor<2x1xi32>, %u: tensor<2xf32>, %p: tensor<i1>, %t: !stablehlo.token) {
  // CHECK: "stablehlo.scatter"
  // CHECK-SAME: #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>
  %0 = "stablehlo.scatter"(%a, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.add %x, %y : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<4xf32>, tensor<2x1xi32>, tensor<2xf32>) -> tensor<4xf32>
  // CHECK: "stablehlo.sort"(%{{.*}}) <{dimension = 0 : i64, is_stable = true}>
  %1 = "stablehlo.sort"(%a) <{dimension = 0 : i64, is_stable = true}> ({
  ^bb0(%x: tensor<f32>, %y: tensor<f32>):
    %s = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %s : tensor<i1>
  }) : (tensor<4xf32>) -> tensor<4xf32>
  // CHECK: "stablehlo.if"
  %2 = "stablehlo.if"(%p) ({
    stablehlo.return %t : !stablehlo.token
  }, {
    stablehlo.return %t : !stablehlo.token
  }) : (tensor<i1>) -> !stablehlo.token
  // CHECK: stablehlo.optimization_barrier()
  stablehlo.optimization_barrier ()
  // CHECK: stablehlo.dot_general
  // CHECK-SAME: algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>
  %3 = stablehlo.dot_general %a, %a, contracting_dims = [0] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> : (tensor<4xf32>, tensor<4xf32>) -> tensor<f32>
  // The reduction of a body that is more than one op on its arguments.
  // CHECK: stablehlo.reduce(%{{.*}} init: %{{.*}}) across dimensions = [0]
  // CHECK-NEXT: reducer(%{{.*}}: tensor<f32>, %{{.*}}: tensor<f32>)
  %4 = stablehlo.reduce(%a init: %3) across dimensions = [0] : (tensor<4xf32>, tensor<f32>) -> tensor<f32>
   reducer(%x: tensor<f32>, %y: tensor<f32>) {
    %s = stablehlo.subtract %y, %x : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }
  return
}
