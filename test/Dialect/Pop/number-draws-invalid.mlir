// RUN: ipu-opt %s -split-input-file -verify-diagnostics -pop-number-draws=first=16777215
// RUN: not ipu-opt %s -pop-number-draws=first=-1 2>&1 | FileCheck %s
// CHECK: error: 'pop-number-draws' expects option 'first' to be at least 0 but got -1

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %a, %a : tensor<2xf16>
    // expected-error @+1 {{'pop.mul' op gets no 'pop.draw' because other ops use all numbers from 16777215 to 16777215}}
    %1 = pop.mul %a, %0 : tensor<2xf16>
    return %1 : tensor<2xf16>
  }
}
