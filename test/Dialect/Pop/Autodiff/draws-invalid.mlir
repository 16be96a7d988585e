// RUN: ipu-opt %s -split-input-file -verify-diagnostics -pop-number-draws -pop-autodiff=func=f

// The number of advances after the draw depends on the number of iterations.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @f(%x: tensor<2xf16>, %n: index) -> tensor<2xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'pop.exp' op draws random bits and is needed for gradients of @f but cannot be recomputed with the same bits, because the number of advances of random bits from the op to its recomputation is not a constant; expects stitching strategy 'add_fwd_outputs'}}
    %0 = pop.exp %x : tensor<2xf16>
    %1 = pop.stop_gradient %0 : tensor<2xf16>
    %2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %1) -> tensor<2xf16> {
      %3 = pop.tanh %a : tensor<2xf16>
      scf.yield %3 : tensor<2xf16>
    }
    %4 = pop.stop_gradient %2 : tensor<2xf16>
    %5 = pop.add %0, %4 : tensor<2xf16>
    return %5 : tensor<2xf16>
  }
}

// -----

// Each iteration of the backward loop would have to go back by another number.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @g(%x: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.exp %x : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
  func.func private @f(%x: tensor<2xf16>) -> tensor<2xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %0 = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %x) -> tensor<2xf16> {
      // expected-error @+1 {{'func.call' op is in a region, but gradients recompute values of its callee that are rounded with random bits; expects stitching strategy 'add_fwd_outputs'}}
      %1 = func.call @g(%a) : (tensor<2xf16>) -> tensor<2xf16>
      scf.yield %1 : tensor<2xf16>
    }
    return %0 : tensor<2xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @f(%x: tensor<2xf16>) -> tensor<2xf16> {
    // expected-error @+1 {{'pop.exp' op cannot be copied to a position where it draws the same random bits: expects the offset of its draw to fit 32 bits but got -2147483649}}
    %0 = pop.exp %x {pop.draw = #pop.draw<0, offset = -2147483648>} : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @g(%x: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.exp %x : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
  func.func private @f(%x: tensor<2xf16>, %n: index) -> tensor<2xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-error @+1 {{'func.call' op draws random bits and is needed for gradients of @f but cannot be recomputed with the same bits}}
    %0 = func.call @g(%x) : (tensor<2xf16>) -> tensor<2xf16>
    %1 = pop.stop_gradient %0 : tensor<2xf16>
    %2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %1) -> tensor<2xf16> {
      %3 = pop.tanh %a : tensor<2xf16>
      scf.yield %3 : tensor<2xf16>
    }
    %4 = pop.stop_gradient %2 : tensor<2xf16>
    %5 = pop.add %0, %4 : tensor<2xf16>
    return %5 : tensor<2xf16>
  }
}
