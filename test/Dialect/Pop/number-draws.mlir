// RUN: ipu-opt %s -split-input-file -pop-number-draws | FileCheck %s
// RUN: ipu-opt %s -split-input-file -pop-number-draws -pop-number-draws | FileCheck %s

// What may round gets the numbers that are left, in order; f32 and views do not.
// Each body that draws ends with an advance: a branch is part of the body around
// it, a loop is one of its own, and one that has an advance keeps it.
// CHECK-LABEL: func.func private @callee
// CHECK: pop.add {{.*}} {pop.draw = #pop.draw<0>}
// CHECK-NEXT: pop.advance_draws
// CHECK-NEXT: return
// CHECK-LABEL: func.func @main
// CHECK: pop.add %{{.*}}, %{{.*}} {pop.draw = #pop.draw<2>}
// CHECK: pop.mul {{.*}} {pop.draw = #pop.draw<1, part = 3, offset = -2>}
// CHECK: pop.reshape %{{.*}} : tensor<2xf16>
// CHECK: pop.cast %{{[0-9]+}} : tensor<2xf16> to tensor<2xf32>
// CHECK: scf.if
// CHECK-NEXT: pop.sub {{.*}} {pop.draw = #pop.draw<3>}
// CHECK-NEXT: scf.yield
// CHECK: scf.for
// CHECK: scf.for
// CHECK: pop.add {{.*}} {pop.draw = #pop.draw<4>}
// CHECK-NEXT: pop.advance_draws
// CHECK-NEXT: scf.yield
// CHECK-NOT: pop.advance_draws
// CHECK: scf.yield
// CHECK: scf.for
// CHECK: pop.advance_draws
// CHECK-NEXT: pop.mul_ {{.*}} {pop.draw = #pop.draw<6>}
// CHECK-NEXT: }
// CHECK: scf.while
// CHECK: pop.add {{.*}} {pop.draw = #pop.draw<7>}
// CHECK-NEXT: pop.advance_draws
// CHECK-NEXT: scf.condition
// CHECK-NOT: pop.advance_draws
// CHECK: scf.yield
// CHECK: pop.copy_ %{{.*}}, %{{[0-9]+}} : !pop.ref
// CHECK-NEXT: pop.advance_draws
// CHECK-NEXT: return
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<2xf16> = dense<1.0> : tensor<2xf16>
  func.func private @declared(tensor<2xf16>)
  func.func private @callee(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %a, %a : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
  func.func @main(%a: tensor<2xf16>, %p: i1) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = pop.get_variable @w : !pop.ref<2xf16>
    %0 = pop.add %a, %a : tensor<2xf16>
    %1 = pop.mul %a, %0 {pop.draw = #pop.draw<1, part = 3, offset = -2>} : tensor<2xf16>
    %2 = pop.reshape %1 : tensor<2xf16> to tensor<1x2xf16>
    %3 = pop.cast %1 : tensor<2xf16> to tensor<2xf32>
    %4 = pop.exp %3 : tensor<2xf32>
    %5 = scf.if %p -> tensor<2xf16> {
      %6 = pop.sub %a, %1 : tensor<2xf16>
      scf.yield %6 : tensor<2xf16>
    } else {
      scf.yield %a : tensor<2xf16>
    }
    %7 = scf.for %i = %c0 to %c1 step %c1 iter_args(%b = %5) -> tensor<2xf16> {
      %8 = scf.for %j = %c0 to %c1 step %c1 iter_args(%c = %b) -> tensor<2xf16> {
        %9 = pop.add %c, %c : tensor<2xf16>
        scf.yield %9 : tensor<2xf16>
      }
      scf.yield %8 : tensor<2xf16>
    }
    scf.for %i = %c0 to %c1 step %c1 {
      pop.add_ %w, %a {pop.draw = #pop.draw<5>} : !pop.ref<2xf16>, tensor<2xf16>
      pop.advance_draws
      pop.mul_ %w, %a : !pop.ref<2xf16>, tensor<2xf16>
    }
    %10 = scf.while (%b = %7) : (tensor<2xf16>) -> tensor<2xf16> {
      %11 = pop.add %b, %b : tensor<2xf16>
      scf.condition(%p) %11 : tensor<2xf16>
    } do {
    ^bb0(%b: tensor<2xf16>):
      scf.yield %b : tensor<2xf16>
    }
    pop.copy_ %w, %10 : !pop.ref<2xf16>, tensor<2xf16>
    return
  }
}

// -----

// An advance in a branch is not executed each time.
// CHECK-LABEL: module @branch
// CHECK: scf.if
// CHECK-NEXT: pop.mul_
// CHECK-NEXT: pop.advance_draws
// CHECK-NEXT: }
// CHECK-NEXT: pop.advance_draws
// CHECK-NEXT: return
module @branch attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<2xf16>, %w: !pop.ref<2xf16>, %p: i1) {
    scf.if %p {
      pop.mul_ %w, %a : !pop.ref<2xf16>, tensor<2xf16>
      pop.advance_draws
    }
    return
  }
}

// -----

// Streams have no numbers, and what is rounded to nearest draws nothing.
// CHECK-LABEL: module @stream
// CHECK-NOT: pop.draw
// CHECK-NOT: pop.advance_draws
module @stream attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %a, %a : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

// CHECK-LABEL: module @nearest
// CHECK-NOT: pop.draw
// CHECK-NOT: pop.advance_draws
module @nearest {
  func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %a, %a : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

// Ops of a block that compute the same have one number, also if their operands
// only compute the same.
// CHECK-LABEL: module @equal
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0>}
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<0>}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<1>}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<1>}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<2>}
module @equal attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<2xf16>, %b: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) {
    %0 = pop.exp %a : tensor<2xf16>
    %1 = pop.exp %a : tensor<2xf16>
    %2 = pop.mul %0, %b : tensor<2xf16>
    %3 = pop.mul %1, %b : tensor<2xf16>
    %4 = pop.mul %a, %b : tensor<2xf16>
    return %2, %3, %4 : tensor<2xf16>, tensor<2xf16>, tensor<2xf16>
  }
}

// -----

// Operands that only compute the same are known in nested blocks, too.
// CHECK-LABEL: module @nested
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0>}
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<0>}
// CHECK: scf.if
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<1>}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<1>}
module @nested attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<2xf16>, %p: i1) -> (tensor<2xf16>, tensor<2xf16>) {
    %0 = pop.exp %a : tensor<2xf16>
    %1 = pop.exp %a : tensor<2xf16>
    %2:2 = scf.if %p -> (tensor<2xf16>, tensor<2xf16>) {
      %3 = pop.mul %0, %a : tensor<2xf16>
      %4 = pop.mul %1, %a : tensor<2xf16>
      scf.yield %3, %4 : tensor<2xf16>, tensor<2xf16>
    } else {
      scf.yield %0, %1 : tensor<2xf16>, tensor<2xf16>
    }
    return %2#0, %2#1 : tensor<2xf16>, tensor<2xf16>
  }
}

// -----

// If one of several equal ops has a number, the ops without one get it. Equal
// ops with other numbers, and what uses them, compute other values.
// CHECK-LABEL: module @given
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<5>}
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<5>}
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<5>}
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<6, offset = -1>}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<0>}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<0>}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<1>}
module @given attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<2xf16>) -> (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) {
    %0 = pop.exp %a : tensor<2xf16>
    %1 = pop.exp %a {pop.draw = #pop.draw<5>} : tensor<2xf16>
    %2 = pop.exp %a : tensor<2xf16>
    %3 = pop.exp %a {pop.draw = #pop.draw<6, offset = -1>} : tensor<2xf16>
    %4 = pop.mul %0, %a : tensor<2xf16>
    %5 = pop.mul %2, %a : tensor<2xf16>
    %6 = pop.mul %3, %a : tensor<2xf16>
    return %4, %5, %6 : tensor<2xf16>, tensor<2xf16>, tensor<2xf16>
  }
}

// -----

// Ops that compute the same on two IPUs, or on compute tiles and I/O tiles, have
// one number. So numbers do not depend on placement.
// CHECK-LABEL: module @placed
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0>, pop.vgraph = 0 : i64}
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0>, pop.stage = 1 : i64, pop.vgraph = 1 : i64}
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0>, pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64}
// CHECK: pop.mul {{.*}} {pop.draw = #pop.draw<1>, pop.vgraph = 0 : i64}
// CHECK: pop.mul {{.*}} {pop.draw = #pop.draw<1>, pop.vgraph = 1 : i64}
module @placed attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<2xf16> {pop.vgraph = 0 : i64}) -> (tensor<2xf16>, tensor<2xf16>, tensor<2xf16>) {
    %0 = pop.exp %a {pop.vgraph = 0 : i64} : tensor<2xf16>
    %b = pop.ipu_copy %a from 0 to 1 : tensor<2xf16>
    %1 = pop.exp %b {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<2xf16>
    %c = pop.io_tile_copy %b to io {pop.vgraph = 1 : i64} : tensor<2xf16>
    %2 = pop.exp %c {pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64} : tensor<2xf16>
    %3 = pop.mul %0, %a {pop.vgraph = 0 : i64} : tensor<2xf16>
    %d = pop.ipu_copy %0 from 0 to 1 : tensor<2xf16>
    %4 = pop.mul %d, %b {pop.vgraph = 1 : i64} : tensor<2xf16>
    return %2, %3, %4 : tensor<2xf16>, tensor<2xf16>, tensor<2xf16>
  }
}

// -----

// Equal functions have equal numbers, so that copies of a function for several
// IPUs draw the bits of the function. Given numbers do not change.
// CHECK-LABEL: module @functions
// CHECK: func.func private @f
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0>, pop.vgraph = 0 : i64}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<5>, pop.vgraph = 0 : i64}
// CHECK: func.func private @g
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0>, pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.mul {{.*}} {pop.draw = #pop.draw<6>, pop.vgraph = 1 : i64}
// CHECK: func.func private @h
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<1>, pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.div {{.*}} {pop.draw = #pop.draw<2>, pop.vgraph = 1 : i64}
module @functions attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @f(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.exp %a {pop.vgraph = 0 : i64} : tensor<2xf16>
    %1 = pop.mul %0, %a {pop.draw = #pop.draw<5>, pop.vgraph = 0 : i64} : tensor<2xf16>
    return %1 : tensor<2xf16>
  }
  func.func private @g(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.exp %a {pop.vgraph = 1 : i64} : tensor<2xf16>
    %1 = pop.mul %0, %a {pop.draw = #pop.draw<6>, pop.vgraph = 1 : i64} : tensor<2xf16>
    return %1 : tensor<2xf16>
  }
  func.func private @h(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.exp %a {pop.vgraph = 1 : i64} : tensor<2xf16>
    %1 = pop.div %0, %a {pop.vgraph = 1 : i64} : tensor<2xf16>
    return %1 : tensor<2xf16>
  }
}
