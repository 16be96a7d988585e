// RUN: ipu-opt %s --allow-unregistered-dialect --sdy-propagation-pipeline | FileCheck %s
// RUN: ipu-opt %s --allow-unregistered-dialect --sdy-propagation-pipeline | ipu-opt --allow-unregistered-dialect --sdy-propagation-pipeline | FileCheck %s

// Edges of ops of other dialects: what is forwarded from where to where.

sdy.mesh @mesh = <["x"=2, "y"=2]>

// CHECK-LABEL: func.func @for(
// CHECK-SAME: -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>})
// CHECK: math.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
func.func @for(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %n: index) -> tensor<8xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a) -> (tensor<8xf32>) {
    %s = math.tanh %v : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// From the result to what the loop starts with; numbers are no tensors.
// CHECK-LABEL: func.func @back(
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK: math.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, []>]>}
func.func @back(%a: tensor<8xf32>, %n: index) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%v = %a, %k = %n) -> (tensor<8xf32>, index) {
    %s = math.tanh %v : tensor<8xf32>
    scf.yield %s, %i : tensor<8xf32>, index
  }
  return %0#0 : tensor<8xf32>
}

// The values that the condition takes are others than those that the body takes.
// No result stands for the former, so the op has an attribute for them.
// CHECK-LABEL: func.func @while(
// CHECK-SAME: -> (tensor<4x8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
// CHECK: linalg.transpose {{.*}}#sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>
// CHECK: linalg.transpose {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>
// CHECK: sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>, <@mesh, []>]>
// CHECK-SAME: sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>, <@mesh, []>]>
func.func @while(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}, {?}]>}, %n: i32) -> tensor<4x8xf32> {
  %c0 = arith.constant 0 : i32
  %0:2 = scf.while (%v = %a, %i = %c0) : (tensor<8x4xf32>, i32) -> (tensor<4x8xf32>, i32) {
    %c = arith.cmpi slt, %i, %n : i32
    %e = tensor.empty() : tensor<4x8xf32>
    %t = linalg.transpose ins(%v : tensor<8x4xf32>) outs(%e : tensor<4x8xf32>) permutation = [1, 0]
    scf.condition(%c) %t, %i : tensor<4x8xf32>, i32
  } do {
  ^bb0(%w: tensor<4x8xf32>, %j: i32):
    %e = tensor.empty() : tensor<8x4xf32>
    %s = linalg.transpose ins(%w : tensor<4x8xf32>) outs(%e : tensor<8x4xf32>) permutation = [1, 0]
    scf.yield %s, %j : tensor<8x4xf32>, i32
  }
  return %0#0 : tensor<4x8xf32>
}

// CHECK-LABEL: func.func @if(
// CHECK: scf.if
// CHECK: math.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: math.exp {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
func.func @if(%p: i1, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.if %p -> (tensor<8xf32>) {
    %s = math.tanh %a : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  } else {
    %s = math.exp %b : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @switch(
// CHECK: scf.index_switch {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: math.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: math.exp {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: scf.execute_region
// CHECK: math.sin {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
func.func @switch(%i: index, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = scf.index_switch %i -> tensor<8xf32>
  case 2 {
    %s = math.tanh %a : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  default {
    %s = math.exp %b : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  %1 = scf.execute_region -> tensor<8xf32> {
    %s = math.sin %0 : tensor<8xf32>
    scf.yield %s : tensor<8xf32>
  }
  return %1 : tensor<8xf32>
}

// Slices are written into a tensor that stays what it is.
// CHECK-LABEL: func.func @forall(
// CHECK: scf.forall
// CHECK: tensor.extract_slice %arg0{{.*}}#sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>
// CHECK: math.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>
// CHECK: tensor.extract_slice %arg3{{.*}}#sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>
// CHECK: arith.addf {{.*}}#sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>
// CHECK: } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>}
func.func @forall(%a: tensor<8x4xf32> {sdy.sharding = #sdy.sharding<@mesh, [{?}, {"y", ?}]>}, %b: tensor<8x4xf32>) -> tensor<8x4xf32> {
  %0 = scf.forall (%i) in (8) shared_outs(%o = %b) -> (tensor<8x4xf32>) {
    %s = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %t = math.tanh %s : tensor<1x4xf32>
    %u = tensor.extract_slice %o[%i, 0] [1, 4] [1, 1] : tensor<8x4xf32> to tensor<1x4xf32>
    %v = arith.addf %t, %u : tensor<1x4xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %v into %o[%i, 0] [1, 4] [1, 1] : tensor<1x4xf32> into tensor<8x4xf32>
    }
  }
  return %0 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @affine(
// CHECK: affine.for
// CHECK: math.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: } {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
func.func @affine(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %0 = affine.for %i = 0 to 10 iter_args(%v = %a) -> (tensor<8xf32>) {
    %s = math.tanh %v : tensor<8xf32>
    affine.yield %s : tensor<8xf32>
  }
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @stablehlo_if(
// CHECK: stablehlo.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: stablehlo.negate {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: }) {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
func.func @stablehlo_if(%p: tensor<i1>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "stablehlo.if"(%p) ({
    %s = stablehlo.tanh %a : tensor<8xf32>
    stablehlo.return %s : tensor<8xf32>
  }, {
    %s = stablehlo.negate %b : tensor<8xf32>
    stablehlo.return %s : tensor<8xf32>
  }) : (tensor<i1>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// Both branches take the operands.
// CHECK-LABEL: func.func @tosa_if(
// CHECK-SAME: %arg2: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}
// CHECK: tosa.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: tosa.exp {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>, <@mesh, [{"x"}]>]>, sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
func.func @tosa_if(%p: tensor<i1>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}, %b: tensor<8xf32>) -> tensor<8xf32> {
  %0 = "tosa.cond_if"(%p, %a, %b) ({
  ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>):
    %s = tosa.tanh %x : (tensor<8xf32>) -> tensor<8xf32>
    tosa.yield %s : tensor<8xf32>
  }, {
  ^bb0(%x: tensor<8xf32>, %y: tensor<8xf32>):
    %s = tosa.exp %y : (tensor<8xf32>) -> tensor<8xf32>
    tosa.yield %s : tensor<8xf32>
  }) : (tensor<i1>, tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}

// CHECK-LABEL: func.func @tosa_while(
// CHECK: tosa.while_loop
// CHECK: tosa.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"x"}]>]>
// CHECK: sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}]>]>
func.func @tosa_while(%n: tensor<i1>, %a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x", ?}]>}) -> tensor<8xf32> {
  %0:2 = "tosa.while_loop"(%n, %a) ({
  ^bb0(%x: tensor<i1>, %y: tensor<8xf32>):
    tosa.yield %x : tensor<i1>
  }, {
  ^bb0(%x: tensor<i1>, %y: tensor<8xf32>):
    %s = tosa.tanh %y : (tensor<8xf32>) -> tensor<8xf32>
    tosa.yield %x, %s : tensor<i1>, tensor<8xf32>
  }) : (tensor<i1>, tensor<8xf32>) -> (tensor<i1>, tensor<8xf32>)
  return %0#1 : tensor<8xf32>
}

// Given by the user.
// CHECK-LABEL: func.func @given(
// CHECK-SAME: %arg0: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}
// CHECK: math.tanh {{.*}}#sdy.sharding_per_value<[<@mesh, [{"y"}]>]>
// CHECK: math.exp {{.*}}#sdy.sharding_per_value<[<@mesh, [{"y"}]>]>
// CHECK: sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>
func.func @given(%a: tensor<8xf32>, %p: i1) {
  scf.while (%v = %a) : (tensor<8xf32>) -> () {
    %s = math.tanh %v : tensor<8xf32>
    "test.use"(%s) : (tensor<8xf32>) -> ()
    scf.condition(%p)
  } do {
    %e = math.exp %a : tensor<8xf32>
    scf.yield %e : tensor<8xf32>
  } attributes {sdy.block_arg_sharding = #sdy.sharding_per_value<[<@mesh, [{"y", ?}]>]>}
  return
}
