// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-merge-var-updates)' --verify-contracts | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-merge-var-updates)' --mlir-print-debuginfo | FileCheck %s --check-prefix=LOC
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-merge-var-updates)' --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 -o /dev/null | FileCheck %s --check-prefix=REMARK

// The example of the pass.
//
// REMARK: [Passed] MergeVarUpdates | Category:pop-graph | steps=1, updates=2
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[W:[a-z0-9]+]]: tensor<4xf32>, %[[G:[a-z0-9]+]]: tensor<4xf32>, %[[U:[a-z0-9]+]]: tensor<2x3xf32>, %[[H:[a-z0-9]+]]: tensor<2x3xf32>)
// CHECK-NEXT:    %[[FLAT:.+]] = pop.reshape %[[U]] : tensor<2x3xf32> to tensor<6xf32>
// CHECK-NEXT:    %[[WEIGHT:.+]] = pop.concat %[[W]], %[[FLAT]] {axis = 0 : i64}
// CHECK-NEXT:    %[[HFLAT:.+]] = pop.reshape %[[H]] : tensor<2x3xf32> to tensor<6xf32>
// CHECK-NEXT:    %[[GRADIENT:.+]] = pop.concat %[[G]], %[[HFLAT]] {axis = 0 : i64}
// CHECK-NEXT:    %[[NEW:.+]] = pop.optimizer_step <sgd0> %[[WEIGHT]], %[[GRADIENT]] : (tensor<10xf32>, tensor<10xf32>) -> tensor<10xf32>
// CHECK-NEXT:    %[[NEWW:.+]] = pop.slice %[[NEW]] {sizes = array<i64: 4>, starts = array<i64: 0>, steps = array<i64: 1>}
// CHECK-NEXT:    %[[PART:.+]] = pop.slice %[[NEW]] {sizes = array<i64: 6>, starts = array<i64: 4>, steps = array<i64: 1>}
// CHECK-NEXT:    %[[NEWU:.+]] = pop.reshape %[[PART]] : tensor<6xf32> to tensor<2x3xf32>
// CHECK-NEXT:    return %[[NEWW]], %[[NEWU]]

// Steps keep their names.
//
// LOC-LABEL: func.func @main(
// LOC:         pop.reshape {{.+}} loc(#[[ULOC:.+]])
// LOC:         pop.optimizer_step {{.+}} loc(#[[LOC:.+]])
// LOC-NEXT:    pop.slice {{.+}} loc(#[[WLOC:.+]])
// LOC-DAG:   #[[WLOC]] = loc("w")
// LOC-DAG:   #[[ULOC]] = loc("u")
// LOC:       #[[LOC]] = loc(fused<array<i64: 4, 6>>{{\[}}#[[WLOC]], #[[ULOC]]])
func.func @main(%w: tensor<4xf32>, %g: tensor<4xf32>, %u: tensor<2x3xf32>, %h: tensor<2x3xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
  %0 = pop.optimizer_step <sgd0> %w, %g
      : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32> loc("w")
  %1 = pop.optimizer_step <sgd0> %u, %h
      : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32> loc("u")
  return %0, %1 : tensor<4xf32>, tensor<2x3xf32>
}

// -----

// Steps that differ in a setting, a constant or an operand, in the number of
// parts, a type, a gradient, the placement, groups of replicas or the group in
// which they are clipped are apart. A lamb takes norms of its weight, unless the
// greatest one is 0.
//
// REMARK: [Missed] MergeVarUpdates | Category:pop-graph | Remark="the update is not merged with others: it takes the norm of its weight"
// REMARK: [Passed] MergeVarUpdates | Category:pop-graph | steps=1, updates=2
// CHECK-LABEL: func.func @main(
// CHECK-COUNT-13: pop.optimizer_step
// CHECK-COUNT-4: pop.concat
// CHECK-NEXT:    pop.optimizer_step <lamb_no_bias
// CHECK-COUNT-6: pop.slice
// CHECK-NEXT:    return
func.func @main(%a: tensor<2xf32>, %b: tensor<2xf32> {pop.name = "b"}, %c: tensor<2xf32> {pop.groups = #pop.replica_groups<stride = 1, size = 2>}, %h: tensor<2xf16>, %s: tensor<f32>, %t: tensor<f32>, %v: tensor<2xf32>)
    attributes {pop.clip_norms = [#pop.clip_norm<1.0, ["b"]>]} {
  %0 = pop.optimizer_step <sgd0, lr = 0.5> %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = pop.optimizer_step <sgd0> %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %2 = pop.optimizer_step <sgd0, lr = operand> %a, %a settings(%s) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %3 = pop.optimizer_step <sgd0, lr = operand> %a, %a settings(%t) : (tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  %4 = pop.optimizer_step <sgd0> %a, %a {accumulations = 2 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %5 = pop.optimizer_step <sgd0> %h, %h : (tensor<2xf16>, tensor<2xf16>) -> tensor<2xf16>
  %6 = pop.optimizer_step <sgd0> %h, %a : (tensor<2xf16>, tensor<2xf32>) -> tensor<2xf16>
  %7:2 = pop.optimizer_step <sgd1> %a, %a state(%v) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %8:2 = pop.optimizer_step <sgd1> %a state(%v) : (tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  %9 = pop.optimizer_step <sgd0> %a, %a {pop.vgraph = 1 : i64} : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %10 = pop.optimizer_step <sgd0> %b, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %11 = pop.optimizer_step <sgd0> %c, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %12:4 = pop.optimizer_step <lamb> %a, %a state(%v, %v, %s) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  %13:3 = pop.optimizer_step <lamb_no_bias, max_weight_norm = 0> %a, %a state(%v, %v) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  %14:3 = pop.optimizer_step <lamb_no_bias, max_weight_norm = 0> %v, %a state(%v, %v) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>)
  return
}

// -----

// Numbers of updates that start from one value are one number. Another start, or
// one that is not updated, is apart. Scalars are merged, too.
//
// REMARK: the update is not merged with others: its step count may differ from the step counts of the other updates"
// REMARK: [Passed] MergeVarUpdates | Category:pop-graph | steps=1, updates=2
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<f32>, %[[S:[a-z0-9]+]]: tensor<f32> {pop.default
// CHECK:         %[[FLAT:.+]] = pop.reshape %[[B]] : tensor<f32> to tensor<1xf32>
// CHECK:         %[[W:.+]], %[[STATES:.+]]:3 = pop.optimizer_step <adam> %{{.+}}, %{{.+}} state(%{{.+}}, %{{.+}}, %[[S]]) : (tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<f32>)
// CHECK-NEXT:    %[[NEWA:.+]] = pop.slice %[[W]]
// CHECK:         %[[PART:.+]] = pop.slice %[[W]] {sizes = array<i64: 1>, starts = array<i64: 2>
// CHECK:         %[[NEWB:.+]] = pop.reshape %[[PART]] : tensor<1xf32> to tensor<f32>
// CHECK:         %{{.+}}, %[[OTHER:.+]]:3 = pop.optimizer_step <adam>
// CHECK:         %{{.+}}, %[[LAST:.+]]:3 = pop.optimizer_step <adam>
// CHECK-NEXT:    return %[[STATES]]#2, %[[STATES]]#2, %[[OTHER]]#2, %[[LAST]]#2, %[[NEWA]], %[[NEWB]]
func.func @main(%a: tensor<2xf32>, %b: tensor<f32>, %s: tensor<f32> {pop.default = dense<0.0> : tensor<f32>}, %t: tensor<f32> {pop.default = dense<0.0> : tensor<f32>}, %u: tensor<f32> {pop.default = dense<1.0> : tensor<f32>}, %v: tensor<f32> {pop.default = dense<0.0> : tensor<f32>})
    -> (tensor<f32> {pop.updates = #pop.graph_value<argument 3>}, tensor<f32> {pop.updates = #pop.graph_value<argument 2>}, tensor<f32> {pop.updates = #pop.graph_value<argument 4>}, tensor<f32>, tensor<2xf32>, tensor<f32>) {
  %0:4 = pop.optimizer_step <adam> %a, %a state(%a, %a, %s) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  %1:4 = pop.optimizer_step <adam> %b, %b state(%b, %b, %t) : (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>) -> (tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>)
  %2:4 = pop.optimizer_step <adam> %a, %a state(%a, %a, %u) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  %3:4 = pop.optimizer_step <adam> %a, %a state(%a, %a, %v) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  return %1#3, %0#3, %2#3, %3#3, %0#0, %1#0 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>, tensor<2xf32>, tensor<f32>
}

// -----

// Of variables, too, if nothing else writes them. Writes wait for the step, that
// of the accumulator, too, so that it is not copied.
//
// REMARK: the update is not merged with others: its step count may differ from the step counts of the other updates"
// REMARK: the update is not merged with others: its step count may differ from the step counts of the other updates"
// REMARK: [Passed] MergeVarUpdates | Category:pop-graph | steps=1, updates=2
// CHECK-LABEL: func.func @main(
// CHECK:         %[[S:.+]] = pop.get_variable @s
// CHECK:         %[[T:.+]] = pop.get_variable @t
// CHECK:         %[[W:.+]] = pop.get_variable @w
// CHECK:         %[[A:.+]] = pop.get_variable @a
// CHECK:         %[[OLD:.+]] = pop.read %[[W]]
// CHECK:         %[[COUNT:.+]] = pop.read %[[S]]
// CHECK-NOT:     pop.copy_
// CHECK:         %[[NEW:.+]], %[[STATES:.+]]:3 = pop.optimizer_step <adam> %{{.+}}, %{{.+}} state(%{{.+}}, %{{.+}}, %[[COUNT]]) : (tensor<4xf32>
// CHECK-NEXT:    %[[NEWW:.+]] = pop.slice %[[NEW]]
// CHECK:         pop.copy_ %[[A]]
// CHECK-NEXT:    pop.copy_ %[[W]], %[[NEWW]]
// CHECK-NEXT:    pop.copy_ %[[S]], %[[STATES]]#2
// CHECK-NEXT:    pop.copy_ %[[T]], %[[STATES]]#2
// CHECK-NEXT:    pop.read
// CHECK-NEXT:    pop.optimizer_step <adam> {{.+}} : (tensor<2xf32>
// CHECK:         pop.optimizer_step <adam> {{.+}} : (tensor<2xf32>
pop.variable @s : tensor<f32> = dense<0.0> : tensor<f32>
pop.variable @t : tensor<f32> = dense<0.0> : tensor<f32>
pop.variable @u : tensor<f32> = dense<0.0> : tensor<f32>
pop.variable @v : tensor<f32> = dense<0.0> : tensor<f32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
pop.variable @a : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %sr = pop.get_variable @s : !pop.ref<f32>
  %tr = pop.get_variable @t : !pop.ref<f32>
  %ur = pop.get_variable @u : !pop.ref<f32>
  %wr = pop.get_variable @w : !pop.ref<2xf32>
  %ar = pop.get_variable @a : !pop.ref<2xf32>
  %w = pop.read %wr : !pop.ref<2xf32>
  %s = pop.read %sr : !pop.ref<f32>
  %g = pop.read %ar : !pop.ref<2xf32>
  %zero = pop.constant dense<0.0> : tensor<2xf32>
  pop.copy_ %ar, %zero : !pop.ref<2xf32>, tensor<2xf32>
  %0:4 = pop.optimizer_step <adam> %w, %g state(%x, %x, %s) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  pop.copy_ %wr, %0#0 : !pop.ref<2xf32>, tensor<2xf32>
  pop.copy_ %sr, %0#3 : !pop.ref<f32>, tensor<f32>
  %t = pop.read %tr : !pop.ref<f32>
  %y = pop.neg %x : tensor<2xf32>
  %1:4 = pop.optimizer_step <adam> %y, %y state(%y, %y, %t) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  pop.copy_ %tr, %1#3 : !pop.ref<f32>, tensor<f32>
  %u = pop.read %ur : !pop.ref<f32>
  %2:4 = pop.optimizer_step <adam> %y, %y state(%y, %y, %u) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  pop.copy_ %ur, %2#3 : !pop.ref<f32>, tensor<f32>
  pop.zero_ %ur : !pop.ref<f32>
  %vr = pop.get_variable @v : !pop.ref<f32>
  %v = pop.read %vr : !pop.ref<f32>
  %3:4 = pop.optimizer_step <adam> %y, %y state(%y, %y, %v) : (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<f32>)
  pop.copy_ %vr, %3#3 : !pop.ref<f32>, tensor<f32>
  pop.copy_ %vr, %1#3 : !pop.ref<f32>, tensor<f32>
  return %1#0 : tensor<2xf32>
}

// -----

// A step that depends on another one, by what it uses or by a variable, stays, and
// comes after the merged one.
//
// REMARK: the update is not merged with others: it depends on the result of another update"
// REMARK: the update is not merged with others: it depends on the result of another update"
// REMARK: [Passed] MergeVarUpdates | Category:pop-graph | steps=1, updates=2
// CHECK-LABEL: func.func @main(
// CHECK:         %[[R:.+]] = pop.get_variable @w
// CHECK:         %[[NEW:.+]] = pop.optimizer_step <sgd0> {{.+}} : (tensor<4xf32>
// CHECK-NEXT:    %[[FIRST:.+]] = pop.slice %[[NEW]] {{{.*}}starts = array<i64: 0>
// CHECK-NEXT:    %[[SECOND:.+]] = pop.slice %[[NEW]] {{{.*}}starts = array<i64: 2>
// CHECK-NEXT:    pop.copy_ %[[R]], %[[FIRST]]
// CHECK-NEXT:    %[[G:.+]] = pop.neg %[[FIRST]]
// CHECK-NEXT:    %[[B:.+]] = pop.optimizer_step <sgd0> %{{.+}}, %[[G]]
// CHECK-NEXT:    %[[W:.+]] = pop.read %[[R]]
// CHECK-NEXT:    %[[C:.+]] = pop.optimizer_step <sgd0> %[[W]]
// CHECK-NEXT:    return %[[B]], %[[C]], %[[SECOND]]
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func @main(%x: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %r = pop.get_variable @w : !pop.ref<2xf32>
  %0 = pop.optimizer_step <sgd0> %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  pop.copy_ %r, %0 : !pop.ref<2xf32>, tensor<2xf32>
  %g = pop.neg %0 : tensor<2xf32>
  %1 = pop.optimizer_step <sgd0> %x, %g : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %w = pop.read %r : !pop.ref<2xf32>
  %2 = pop.optimizer_step <sgd0> %w, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %3 = pop.optimizer_step <sgd0> %x, %x : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}
