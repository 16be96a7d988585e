// RUN: ipu-opt %s --split-input-file --sdy-flatten-call-graph | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(sdy-flatten-call-graph{only-manual-axes})' | FileCheck %s --check-prefix=AXES

// The first call of a function, by depth, has the function; others have copies of
// it and of what it calls.

// CHECK-LABEL: @main(
// CHECK: call @foo(
// CHECK: call @bar_4(
// CHECK: func.func private @foo(
// CHECK: call @bar(
// CHECK: call @bar_1(
// CHECK: call @baz_2(
// CHECK: func.func private @bar(
// CHECK: call @baz(
// CHECK: func.func private @baz(
// CHECK-NOT: sdy.original_func_name
// CHECK: func.func private @baz_0({{.*}} attributes {sdy.original_func_name = "baz"}
// CHECK: func.func private @bar_1({{.*}} attributes {sdy.original_func_name = "bar"}
// CHECK: call @baz_0({{.*}} {note = 1 : i64}
// CHECK: func.func private @baz_2({{.*}} attributes {sdy.original_func_name = "baz"}
// CHECK: func.func private @baz_3({{.*}} attributes {sdy.original_func_name = "baz"}
// CHECK: func.func private @bar_4({{.*}} attributes {sdy.original_func_name = "bar"}
// CHECK: call @baz_3(
// AXES-LABEL: @main(
// AXES-NOT: _0
func.func @main(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @foo(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @bar(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @foo(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @bar(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @bar(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @baz(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @bar(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @baz(%a) {note = 1 : i64} : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @baz(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

// A copy of a copy is named after the first.

// CHECK-LABEL: @copies(
// CHECK: call @twice(
// CHECK: call @twice_3(
// CHECK: func.func private @leaf_1({{.*}} {sdy.original_func_name = "leaf"}
// CHECK: func.func private @leaf_0_2({{.*}} {sdy.original_func_name = "leaf"}
// CHECK: func.func private @twice_3({{.*}} {sdy.original_func_name = "twice"}
// CHECK: call @leaf_1(
// CHECK: call @leaf_0_2(
func.func @copies(%a: tensor<8xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %0 = call @twice(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @twice(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0, %1 : tensor<8xf32>, tensor<8xf32>
}
func.func private @twice(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @leaf(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @leaf(%0) : (tensor<8xf32>) -> tensor<8xf32>
  return %1 : tensor<8xf32>
}
func.func private @leaf(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}

// -----

// A public function is not the callee's alone; a declaration has nothing to copy;
// functions without calls, arguments or one block are no exceptions; what has
// other types than the call is not its callee.

// CHECK-LABEL: @kinds(
// CHECK: call @public_0(
// CHECK: call @external(
// CHECK: call @external(
// CHECK: call @nothing() : () -> ()
// CHECK: call @nothing_1() : () -> ()
// CHECK: call @blocks(
// CHECK: call @blocks_2(
// CHECK: func.func @public(
// CHECK: func.func private @never()
// CHECK: func.func private @public_0(
// CHECK: func.func private @nothing_1()
// CHECK: func.func private @blocks_2(
func.func @kinds(%a: tensor<8xf32>) {
  %0 = call @public(%a) : (tensor<8xf32>) -> tensor<8xf32>
  call @external(%a) : (tensor<8xf32>) -> ()
  call @external(%a) : (tensor<8xf32>) -> ()
  call @nothing() : () -> ()
  call @nothing() : () -> ()
  %1 = call @blocks(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @blocks(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return
}
func.func private @external(tensor<8xf32>)
func.func @public(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @never() {
  return
}
func.func private @nothing() {
  return
}
func.func private @blocks(%a: tensor<8xf32>) -> tensor<8xf32> {
  cf.br ^next(%a : tensor<8xf32>)
^next(%b: tensor<8xf32>):
  return %b : tensor<8xf32>
}

// -----

sdy.mesh @mesh = <["x"=2, "y"=2]>

// The same axes are manual around the first call and that in @outer.
// AXES-LABEL: @axes(
// AXES: func.call @outer(
// AXES: call @inner(
// AXES: call @inner(
// AXES: func.func private @outer(
// AXES: call @inner_0(
// AXES: func.call @inner_1(
// AXES: func.func private @inner(
// AXES: func.func private @inner_0({{.*}} {sdy.original_func_name = "inner"}
// AXES: func.func private @inner_1({{.*}} {sdy.original_func_name = "inner"}
// CHECK-LABEL: @axes(
func.func @axes(%a: tensor<8xf32>, %b: tensor<2xf32>) -> tensor<8xf32> {
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"x"}]>] out_shardings=[<@mesh, [{"x"}]>] manual_axes={"x"} (%c: tensor<4xf32>) {
    %1 = func.call @outer(%c) : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %1 : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @inner(%b) : (tensor<2xf32>) -> tensor<2xf32>
  %3 = call @inner(%2) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<8xf32>
}
func.func private @outer(%a: tensor<4xf32>) -> tensor<4xf32> {
  %s = stablehlo.slice %a [0:2] : (tensor<4xf32>) -> tensor<2xf32>
  %t = call @inner(%s) : (tensor<2xf32>) -> tensor<2xf32>
  %0 = sdy.manual_computation(%a) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"y"}]>] manual_axes={"y"} (%c: tensor<2xf32>) {
    %1 = func.call @inner(%c) : (tensor<2xf32>) -> tensor<2xf32>
    sdy.return %1 : tensor<2xf32>
  } : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @inner(%a: tensor<2xf32>) -> tensor<2xf32> {
  return %a : tensor<2xf32>
}
