// RUN: ipu-opt %s -split-input-file -pop-number-draws -pop-autodiff="func=f caller=main" | FileCheck %s
// RUN: ipu-opt %s -split-input-file -pop-number-draws -pop-autodiff="func=f caller=main regions=recompute stitch=safe_add_fwd_outputs" | FileCheck %s --check-prefix=RECOMPUTE

// The graph is recomputed after its end. It need not advance where it is only
// computed again, but advances for its own gradients.
// CHECK-LABEL: module @again
// CHECK: func.func private @f_backward
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0, offset = -5>}
// CHECK-NEXT: pop.tanh {{.*}} {pop.draw = #pop.draw<3, offset = -1>}
// CHECK-NOT: pop.draw
// CHECK: pop.advance_draws
// CHECK-NOT: pop.advance_draws
// CHECK: return
module @again attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @f(%x: tensor<2xf16>) -> tensor<2xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = pop.exp %x : tensor<2xf16>
    %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %0) -> tensor<2xf16> {
      %3 = pop.neg %a : tensor<2xf16>
      %4 = pop.mul %3, %3 : tensor<2xf16>
      scf.yield %4 : tensor<2xf16>
    }
    %2 = pop.stop_gradient %1 : tensor<2xf16>
    %3 = pop.tanh %x : tensor<2xf16>
    %4 = pop.add %3, %2 : tensor<2xf16>
    %5 = pop.add %0, %4 : tensor<2xf16>
    return %5 : tensor<2xf16>
  }
}

// -----

// If nothing that draws is recomputed, nothing of the graph advances either.
// CHECK-LABEL: module @nothing
// CHECK: func.func private @f_backward
// CHECK-NOT: pop.draw
// CHECK: return
module @nothing attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @f(%x: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %x, %x : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

// Calls get copies of functions. @f_backward starts two advances after @f, and
// each of its calls advances.
// CHECK-LABEL: module @calls
// CHECK: func.func private @g(
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<0>}
// CHECK: func.func private @[[G1:g_[0-9]+]](
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<0, offset = -2>}
// CHECK: func.func private @g_backward(
// CHECK: pop.exp %{{.*}} {pop.draw = #pop.draw<0, offset = -1>}
// CHECK: func.func private @[[OF1:g_backward_[0-9]+]](
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<0, offset = -4>}
// CHECK: func.func private @[[OF2:g_backward_[0-9]+]](
// CHECK-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<0, offset = -2>}
// CHECK: func.func private @f_backward
// CHECK-NEXT: call @[[G1]](
// CHECK-NEXT: call @[[OF2]](
// CHECK-NEXT: call @[[OF1]](
module @calls attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @g(%x: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.exp %x : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
  func.func private @f(%x: tensor<2xf16>) -> tensor<2xf16> {
    %0 = call @g(%x) : (tensor<2xf16>) -> tensor<2xf16>
    %1 = call @g(%0) : (tensor<2xf16>) -> tensor<2xf16>
    return %1 : tensor<2xf16>
  }
}

// -----

// What is rounded with random bits in a region is stored, not recomputed.
// RECOMPUTE-LABEL: module @regions
// RECOMPUTE: func.func private @f(
// RECOMPUTE: scf.for
// RECOMPUTE: pop.exp %{{.*}} {pop.draw = #pop.draw<0>}
// RECOMPUTE: pop.dynamic_update
// RECOMPUTE: func.func private @f_backward(
// RECOMPUTE-NOT: pop.exp
// RECOMPUTE: return
module @regions attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @f(%x: tensor<2xf16>) -> tensor<2xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf16> {
      %1 = pop.exp %a : tensor<2xf16>
      scf.yield %1 : tensor<2xf16>
    }
    return %0 : tensor<2xf16>
  }
}
