// RUN: ipu-opt %s -split-input-file -verify-diagnostics -pop-verify-stochastic-rounding

// Enabled: none, some or all ops have a method.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @none(%a: tensor<2xf16>) -> tensor<2xf16> {
    // expected-error @+1 {{'pop.add' op expects attribute 'pop.stochastic_rounding_method' in a module that rounds stochastically; run pop-stochastic-rounding}}
    %0 = pop.add %a, %a : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @some(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %a, %a {pop.draw = #pop.draw<0>, pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<2xf16>
    // expected-error @+1 {{'pop.mul' op expects attribute 'pop.stochastic_rounding_method'}}
    %1 = pop.mul %0, %a : tensor<2xf16>
    return %1 : tensor<2xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @all(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %a, %a {pop.draw = #pop.draw<0>, pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

// Disabled: none, some or all.
func.func @none(%a: tensor<2xf16>) -> tensor<2xf16> {
  %0 = pop.add %a, %a : tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

func.func @some(%a: tensor<2xf16>) -> tensor<2xf16> {
  %0 = pop.add %a, %a : tensor<2xf16>
  // expected-error @+1 {{'pop.mul' op has attribute 'pop.stochastic_rounding_method' in a module that rounds to nearest}}
  %1 = pop.mul %0, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<2xf16>
  return %1 : tensor<2xf16>
}

// -----

func.func @all(%a: tensor<2xf16>) -> tensor<2xf16> {
  // expected-error @+1 {{'pop.add' op has attribute 'pop.stochastic_rounding_method' in a module that rounds to nearest}}
  %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @replicas(%a: tensor<2xf16>) -> tensor<2xf16> {
    // expected-error @+1 {{'pop.add' op expects a rounding method for 2 replicas but got #pop.stochastic_rounding_method<differing_seeds of 3>}}
    %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 3>} : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

// expected-note @+1 {{the module has no target, which means one replica}}
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @target(%a: tensor<2xf16>) -> tensor<2xf16> {
    // expected-error @+1 {{'pop.add' op expects a rounding method for 1 replica but got #pop.stochastic_rounding_method<differing_seeds of 2>}}
    %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

// expected-error @+1 {{expects attribute 'pop.stochastic_rounding' to be a '#pop.stochastic_rounding<...>' but got unit}}
module attributes {pop.stochastic_rounding} {}

// -----

// expected-error @+1 {{expects attribute 'pop.stochastic_rounding' on a module only}}
func.func private @f() attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>}

// -----

func.func @f(%a: tensor<2xf16>) -> tensor<2xf16> {
  // expected-error @+1 {{expects attribute 'pop.stochastic_rounding_method' to be a '#pop.stochastic_rounding_method<...>' but got 1}}
  %0 = pop.add %a, %a {pop.stochastic_rounding_method = 1} : tensor<2xf16>
  return %0 : tensor<2xf16>
}

// -----

// expected-error @+1 {{expects between 1 and 1048576 replicas but got 0}}
#m = #pop.stochastic_rounding_method<identical_seeds of 0>

// -----

// expected-error @+1 {{expects replicas 0 to 1 in classes but replica 0 is missing}}
#m = #pop.stochastic_rounding_method<group_seeds {1, 2}>

// -----

// expected-error @+1 {{expects 'identical_seeds', 'differing_seeds' or classes in braces}}
#m = #pop.stochastic_rounding_method<foo of 2>

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @draw(%a: tensor<2xf16>) -> tensor<2xf16> {
    // expected-error @+1 {{'pop.add' op expects attribute 'pop.draw' in a module that rounds with generator 'counter'; run pop-number-draws}}
    %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<stream>} {
  func.func @draw(%a: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @draw(%a: tensor<2xf32>) -> tensor<2xf32> {
    // expected-error @+1 {{'pop.add' op has attribute 'pop.draw' but does not round}}
    %0 = pop.add %a, %a {pop.draw = #pop.draw<0>, pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<2xf32>
    return %0 : tensor<2xf32>
  }
}

// -----

func.func @draw(%a: tensor<2xf16>) -> tensor<2xf16> {
  // expected-error @+1 {{'pop.add' op has attribute 'pop.draw' in a module that rounds to nearest}}
  %0 = pop.add %a, %a {pop.draw = #pop.draw<0>} : tensor<2xf16>
  return %0 : tensor<2xf16>
}
