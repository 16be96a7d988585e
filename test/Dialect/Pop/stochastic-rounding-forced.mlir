// RUN: ipu-opt %s -pop-verify-stochastic-rounding=only-forced | FileCheck %s
// RUN: not ipu-opt %s -pop-verify-stochastic-rounding 2>&1 | FileCheck %s --check-prefix=ALL

// Before methods are chosen only some ops have one.

// CHECK-LABEL: func.func @main
// ALL: 'pop.add' op expects attribute 'pop.stochastic_rounding_method'
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>, ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<i1>
  func.func @main(%a: tensor<2xf16>) {
    %p = pop.host_load @x : tensor<i1>
    %q = tensor.extract %p[] : tensor<i1>
    scf.if %q {
      %0 = pop.add %a, %a : tensor<2xf16>
      %1 = pop.add %0, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : tensor<2xf16>
    }
    return
  }
}
