// RUN: ipu-opt %s -split-input-file -pop-map-tensors -convert-pop-to-ipu -verify-diagnostics

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<8xf16>) -> tensor<8xf16> {
    // expected-error @+1 {{'pop.add' op expects attribute 'pop.stochastic_rounding_method'; run pop-stochastic-rounding}}
    %0 = pop.add %a, %a : tensor<8xf16>
    return %0 : tensor<8xf16>
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<8xf16>) -> tensor<8xf16> {
    // expected-error @+1 {{'pop.add' op expects attribute 'pop.draw'; run pop-stochastic-rounding}}
    %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<8xf16>
    return %0 : tensor<8xf16>
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main() {
    // expected-error @+1 {{'pop.advance_draws' op expects attribute 'pop.stochastic_rounding_method'; run pop-stochastic-rounding}}
    pop.advance_draws
    return
  }
}
