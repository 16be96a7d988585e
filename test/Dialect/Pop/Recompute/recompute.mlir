// RUN: ipu-opt %s --pop-recompute --split-input-file --verify-contracts | FileCheck %s

// The copy is directly before the first op of the backward pass that needs it.
// Marks of the backward pass, which gradients inherit, are erased.
//
// CHECK-LABEL: func.func @one_op(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK:         %[[EXP:.+]] = pop.exp %[[X]] {pop.recompute = #pop<recompute checkpoint>}
// CHECK-NEXT:    %[[SIN:.+]] = pop.sin %[[EXP]] : tensor<4xf32>
// CHECK-NEXT:    pop.reduce sum %[[SIN]]
// CHECK:         %[[SCALE:.+]] = pop.loss_scale
// CHECK-NEXT:    %[[COPY:.+]] = pop.exp %[[X]] {pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    %[[COS:.+]] = pop.cos %[[COPY]] : tensor<4xf32>
// CHECK-NEXT:    %[[MUL:.+]] = pop.mul %[[COS]], %[[SCALE]] : (
// CHECK-NEXT:    pop.mul %[[MUL]], %[[COPY]] : tensor<4xf32>
func.func @one_op(%x: tensor<4xf32>) -> (tensor<f32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %1 = pop.sin %0 : tensor<4xf32>
  %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %scale = pop.loss_scale %one : tensor<f32>
  %3 = pop.cos %0 : tensor<4xf32>
  %4 = pop.mul %3, %scale : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %5 = pop.mul %4, %0 {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  return %2, %5 : tensor<f32>, tensor<4xf32>
}

// -----

// A marked op is copied if only another copy needs it, and not copied if nothing
// of the backward pass needs it. Each op is copied once: 2 copies for 3 marks.
//
// CHECK-LABEL: func.func @chain(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>
// CHECK:         %[[C:.+]] = pop.tanh %[[X]] : tensor<4xf32>
// CHECK-NEXT:    %[[R0:.+]] = pop.exp %[[C]] {pop.recompute = #pop<recompute checkpoint>}
// CHECK-NEXT:    %[[R1:.+]] = pop.sin %[[R0]] {pop.recompute = #pop<recompute checkpoint>}
// CHECK-NEXT:    %[[N:.+]] = pop.abs %[[R1]] : tensor<4xf32>
// CHECK:         pop.loss_scale
// CHECK-NEXT:    %[[D0:.+]] = pop.exp %[[C]] {pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    %[[D1:.+]] = pop.sin %[[D0]] {pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    pop.sign %[[D1]]
// CHECK-NEXT:    pop.cos %[[D0]]
// CHECK-NEXT:    pop.mul %{{.+}}, %[[D0]]
// CHECK-NOT:     #pop<recompute
// CHECK:         return
func.func @chain(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %c = pop.tanh %x : tensor<4xf32>
  %r0 = pop.exp %c {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %r1 = pop.sin %r0 {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %n = pop.abs %r1 {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %0 = pop.sign %r1 : tensor<4xf32>
  %1 = pop.cos %r0 : tensor<4xf32>
  %2 = pop.mul %1, %r0 : tensor<4xf32>
  return %n, %0, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// An op that only the backward pass needs moves there. A read is not copied, and
// views are copied with what they are views of.
//
// CHECK-LABEL: func.func @moved
// CHECK:         %[[W:.+]] = pop.read
// CHECK-NOT:     pop.neg
// CHECK:         pop.loss_scale
// CHECK-NEXT:    %[[NEG:.+]] = pop.neg %[[W]] {pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    %[[VIEW:.+]] = pop.reshape %[[NEG]] {pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    pop.exp %[[VIEW]]
pop.variable @w : tensor<4xf32> = dense<0.5> : tensor<4xf32>
func.func @moved() -> tensor<2x2xf32> {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %r {pop.recompute = #pop<recompute recompute>} : !pop.ref<4xf32>
  %0 = pop.neg %w {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %1 = pop.reshape %0 {pop.recompute = #pop<recompute recompute>} : tensor<4xf32> to tensor<2x2xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %2 = pop.exp %1 : tensor<2x2xf32>
  return %2 : tensor<2x2xf32>
}

// -----

// Without a loss scale, the backward pass starts at the first op with a role.
// The copies for stages 2 and 3 are in these stages, and have a role, too. The
// result of %0 is not recomputed for virtual graph 1.
//
// CHECK-LABEL: func.func @stages
// CHECK:         %[[E:.+]] = pop.exp %{{.+}} {pop.recompute = #pop<recompute checkpoint>, pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK-NEXT:    pop.neg %{{.+}} {pop.stage = 1 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}
// CHECK-NEXT:    pop.abs %[[E]] {pop.stage = 1 : i64, pop.training_role = "backward", pop.vgraph = 1 : i64}
// CHECK-NEXT:    %[[E2:.+]] = pop.exp %{{.+}} {pop.recompute = #pop<recompute recomputed>, pop.stage = 2 : i64, pop.training_role = "recomputed", pop.vgraph = 0 : i64}
// CHECK-NEXT:    pop.sin %[[E2]] {pop.stage = 2 : i64
// CHECK-NEXT:    pop.tanh %[[E2]] {pop.stage = 2 : i64
// CHECK-NEXT:    %[[E3:.+]] = pop.exp %{{.+}} {pop.recompute = #pop<recompute recomputed>, pop.stage = 3 : i64, pop.training_role = "recomputed", pop.vgraph = 0 : i64}
// CHECK-NEXT:    pop.cos %[[E3]] {pop.stage = 3 : i64
func.func @stages(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.stage = 0 : i64, pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %1 = pop.neg %x {pop.vgraph = 0 : i64, pop.stage = 1 : i64, pop.training_role = "backward"} : tensor<4xf32>
  %2 = pop.abs %0 {pop.vgraph = 1 : i64, pop.stage = 1 : i64, pop.training_role = "backward"} : tensor<4xf32>
  %3 = pop.sin %0 {pop.vgraph = 0 : i64, pop.stage = 2 : i64, pop.training_role = "backward"} : tensor<4xf32>
  %4 = pop.tanh %0 {pop.vgraph = 0 : i64, pop.stage = 2 : i64, pop.training_role = "backward"} : tensor<4xf32>
  %5 = pop.cos %0 {pop.vgraph = 0 : i64, pop.stage = 3 : i64, pop.training_role = "backward"} : tensor<4xf32>
  return %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// The copy for phase 2 is in phase 2.
//
// CHECK-LABEL: func.func @phases
// CHECK:         pop.loss_scale
// CHECK-NEXT:    %[[E2:.+]] = pop.exp %{{.+}} {pop.phase = 2 : i64, pop.recompute = #pop<recompute recomputed>, pop.training_role = "recomputed"}
// CHECK-NEXT:    pop.cos %[[E2]] {pop.phase = 2 : i64}
func.func @phases(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.phase = 0 : i64, pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %1 = pop.sin %0 {pop.phase = 1 : i64} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one {pop.phase = 1 : i64} : tensor<4xf32>
  %2 = pop.cos %0 {pop.phase = 2 : i64} : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop is copied with its region, and each body of a loop over batches has its
// own passes. A region of the backward pass uses copies.
//
// CHECK-LABEL: func.func @regions
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:           } {pop.recompute = #pop<recompute checkpoint>}
// CHECK:           pop.loss_scale
// CHECK:           %[[LOOP:.+]] = scf.for
// CHECK:             pop.exp
// CHECK:           } {pop.recompute = #pop<recompute recomputed>}
// CHECK:           scf.for {{.+}} iter_args(%[[G:.+]] = %{{.+}})
// CHECK-NEXT:        pop.mul %[[G]], %[[LOOP]]
func.func @regions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %r = scf.for %b = %c0 to %c2 step %c1 iter_args(%sum = %x) -> (tensor<4xf32>) {
    %0 = scf.for %i = %c0 to %c2 step %c1 iter_args(%y = %sum) -> (tensor<4xf32>) {
      %e = pop.exp %y : tensor<4xf32>
      scf.yield %e : tensor<4xf32>
    } {pop.recompute = #pop<recompute recompute>}
    %1 = pop.reduce sum %0 {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
    %one = pop.constant dense<1.0> : tensor<4xf32>
    %scale = pop.loss_scale %one : tensor<4xf32>
    %2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%g = %scale) -> (tensor<4xf32>) {
      %m = pop.mul %g, %0 : tensor<4xf32>
      scf.yield %m : tensor<4xf32>
    }
    %3 = pop.add %2, %1 : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    scf.yield %3 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// A store after the backward pass reads the result of the original op.
//
// CHECK-LABEL: func.func @store
// CHECK:         %[[E:.+]] = pop.exp %{{.+}} {pop.recompute = #pop<recompute checkpoint>}
// CHECK:         %[[COPY:.+]] = pop.exp %{{.+}} {pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    pop.cos %[[COPY]]
// CHECK-NEXT:    pop.host_store %[[E]], @y
pop.stream @y device_to_host : tensor<4xf32>
func.func @store(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %1 = pop.cos %0 : tensor<4xf32>
  pop.host_store %0, @y : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A call that reads a variable is repeatable until the variable is written.
//
// CHECK-LABEL: func.func @calls
// CHECK:         call @f(%{{.+}}) {pop.recompute = #pop<recompute checkpoint>}
// CHECK:         pop.loss_scale
// CHECK-NEXT:    %[[F:.+]] = call @f(%{{.+}}) {pop.recompute = #pop<recompute recomputed>}
// CHECK-NEXT:    pop.cos %[[F]]
pop.variable @w : tensor<4xf32> = dense<0.5> : tensor<4xf32>
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  %w = pop.read %r : !pop.ref<4xf32>
  %0 = pop.mul %x, %w : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @calls(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = call @f(%x) {pop.recompute = #pop<recompute recompute>} : (tensor<4xf32>) -> tensor<4xf32>
  %1 = pop.sin %0 : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one : tensor<4xf32>
  %2 = pop.cos %0 : tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A loop without a placement is where its ops are. %0 is not copied for it, as
// it is on another virtual graph, but %1 is.
//
// CHECK-LABEL: func.func @placed_regions
// CHECK:         %[[E:.+]] = pop.exp %{{.+}} {pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CHECK:         pop.loss_scale
// CHECK:         pop.sin {{.*}}recompute recomputed{{.*}}pop.stage = 3 : i64, pop.training_role = "recomputed", pop.vgraph = 0 : i64
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      pop.mul %{{.+}}, %[[E]]
func.func @placed_regions(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.recompute = #pop<recompute recompute>, pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  %1 = pop.sin %x {pop.recompute = #pop<recompute recompute>, pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %scale = pop.loss_scale %one {pop.stage = 2 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
  %2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%g = %1) -> (tensor<4xf32>) {
    %m = pop.mul %g, %0 {pop.stage = 3 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %m : tensor<4xf32>
  }
  return %2 : tensor<4xf32>
}
