// RUN: ipu-opt %s --split-input-file --sdy-import-func-calls | FileCheck %s
// RUN: ipu-opt %s --split-input-file --sdy-import-func-calls --sdy-export-named-computations | FileCheck %s --check-prefix=BACK

sdy.mesh @mesh = <["x"=2, "y"=2]>

// Shardings of operands are the function's, those of results the call's. The
// attributes of both survive the way there and back.

// CHECK-LABEL: @main(
// CHECK: %[[R:.+]] = sdy.named_computation<"foo">(%{{.+}}) in_shardings=[<@mesh, [{?}]>, <@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x"}]>] (%[[A:.+]]: tensor<8xf32>, %[[B:.+]]: tensor<8xf32>) {
// CHECK: %[[S:.+]] = stablehlo.add %[[A]], %[[B]]
// CHECK: sdy.return %[[S]]
// CHECK: } {no_inline, note = "call", sdy.func_attrs = {arg_attrs = [{my.first}, {}], note = "function", res_attrs = [{my.sum}]}}
// CHECK: return %[[R]]
// CHECK-NOT: func.func private
// BACK-LABEL: @main(
// BACK: call @foo(%{{.+}}, %{{.+}}) {no_inline, note = "call", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>}
// BACK: func.func private @foo(%{{.+}}: tensor<8xf32> {my.first, sdy.sharding = #sdy.sharding<@mesh, [{?}]>}, %{{.+}}: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {my.sum}) attributes {note = "function", sdy.original_func_name = "foo"} {
// BACK: return %{{.+}} : tensor<8xf32>
func.func @main(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%a, %a) {no_inline, note = "call", sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}]>]>} : (tensor<8xf32>, tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @foo(%a: tensor<8xf32> {my.first}, %b: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"y"}]>, my.sum}) attributes {note = "function"} {
  %0 = stablehlo.add %a, %b : tensor<8xf32>
  return %0 : tensor<8xf32>
}

// -----

// Calls in calls; one function called twice, as a copy or not.

// CHECK-LABEL: @nested(
// CHECK: sdy.named_computation<"foo">(%{{.+}}) (%[[A:.+]]: tensor<8xf32>) {
// CHECK:   sdy.named_computation<"bar">(%[[A]])
// CHECK: sdy.named_computation<"bar">(
// CHECK: sdy.named_computation<"bar">(
// CHECK-NOT: func.func private
// BACK-LABEL: @nested(
// BACK: call @foo(
// BACK: call @bar_0(
// BACK: call @bar_1(
// BACK: func.func private @bar(
// BACK: func.func private @foo(
// BACK: call @bar(
// BACK: func.func private @bar_0({{.*}} {sdy.original_func_name = "bar"}
// BACK: func.func private @bar_1({{.*}} {sdy.original_func_name = "bar"}
func.func @nested(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @foo(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @bar(%0) : (tensor<8xf32>) -> tensor<8xf32>
  %2 = call @bar_0(%1) : (tensor<8xf32>) -> tensor<8xf32>
  return %2 : tensor<8xf32>
}
func.func private @foo(%a: tensor<8xf32>) -> tensor<8xf32> {
  %0 = call @bar(%a) : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
func.func private @bar(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @bar_0(%a: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "bar"} {
  return %a : tensor<8xf32>
}

// -----

// Calls of declarations and of functions of several blocks stay, functions that
// are public or used otherwise too.

// CHECK-LABEL: @kinds(
// CHECK: call @external(
// CHECK: call @blocks(
// CHECK: sdy.named_computation<"public">(
// CHECK: sdy.named_computation<"named">() () {
// CHECK: func.func private @external(
// CHECK: func.func private @blocks(
// CHECK: sdy.named_computation<"named">() () {
// CHECK: func.func @public(
// CHECK: func.func private @named(
// CHECK: func.func private @never(
// BACK-LABEL: @kinds(
// BACK: call @external(
// BACK: call @blocks(
// BACK: call @public_0(
// BACK: call @named_1(
// BACK: func.func @public(
func.func @kinds(%a: tensor<8xf32>) {
  call @external(%a) : (tensor<8xf32>) -> ()
  %0 = call @blocks(%a) : (tensor<8xf32>) -> tensor<8xf32>
  %1 = call @public(%a) : (tensor<8xf32>) -> tensor<8xf32>
  call @named() : () -> ()
  %2 = func.constant @named : () -> ()
  return
}
func.func private @external(tensor<8xf32>)
func.func private @blocks(%a: tensor<8xf32>) -> tensor<8xf32> {
  call @named() : () -> ()
  cf.br ^next(%a : tensor<8xf32>)
^next(%b: tensor<8xf32>):
  return %b : tensor<8xf32>
}
func.func @public(%a: tensor<8xf32>) -> tensor<8xf32> {
  return %a : tensor<8xf32>
}
func.func private @named() {
  return
}
func.func private @never() {
  return
}

// -----

// Names that are taken, that no function can have; attributes that do not fit.

// BACK-LABEL: @names(
// BACK: call @computation(%{{.+}}) : (tensor<8xf32>)
// BACK: call @names_0(%{{.+}}) {note = 1 : i64} : (tensor<8xf32>)
// BACK: func.func private @computation(%{{.+}}: tensor<8xf32>) -> tensor<8xf32> attributes {sdy.original_func_name = "computation"}
// BACK: func.func private @names_0(%{{.+}}: tensor<8xf32>) -> tensor<8xf32> attributes {note = 2 : i64, sdy.original_func_name = "names"}
func.func @names(%a: tensor<8xf32>) {
  %0 = sdy.named_computation<"">(%a) (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %1 = sdy.named_computation<"names">(%a) (%b: tensor<8xf32>) {
    sdy.return %b : tensor<8xf32>
  } {callee = @other, note = 1 : i64, sdy.func_attrs = {arg_attrs = [], function_type = i32, note = 2 : i64, res_attrs = 3 : i64, sym_name = "other"}} : (tensor<8xf32>) -> tensor<8xf32>
  return
}
