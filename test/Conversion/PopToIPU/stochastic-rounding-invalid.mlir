// RUN: ipu-opt %s -pop-map-tensors -convert-pop-to-ipu -verify-diagnostics

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<8xf16>) -> tensor<8xf16> {
    // expected-error @+1 {{'pop.add' op expects attribute 'pop.stochastic_rounding_method'; run pop-stochastic-rounding}}
    %0 = pop.add %a, %a : tensor<8xf16>
    return %0 : tensor<8xf16>
  }
}
