// RUN: ipu-opt %s --verify-diagnostics --pop-outline

// All calls of a function would round with one method.
// expected-error @below {{'pop-outline' expects ops of a module with stochastic rounding and 2 replicas to have annotations or rounding methods, but there are none; run pop-annotate-replica-equal before}}
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0 = pop.exp %x : tensor<4xf16>
    return %0 : tensor<4xf16>
  }
}
