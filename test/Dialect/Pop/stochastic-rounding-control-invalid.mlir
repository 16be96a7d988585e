// RUN: ipu-opt %s -split-input-file -verify-diagnostics -pop-stochastic-rounding -pop-verify-stochastic-rounding

// A method that is coarser than what decides whether its op is executed: in a
// function that one branch calls, in a loop. What is finer may be there, and
// what does not round.

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>, ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  // expected-note @+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
  pop.stream @x host_to_device : tensor<i1>
  func.func private @f(%a: tensor<2xf16>) -> tensor<2xf16> {
    // expected-error @+1 {{'pop.add' op expects a rounding method that is at least as fine as the classes of replicas that execute the op equally often (replica partition 'none') but got #pop.stochastic_rounding_method<identical_seeds of 2>}}
    %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 2>} : tensor<2xf16>
    %1 = pop.add %a, %0 {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : tensor<2xf16>
    %2 = pop.reshape %1 {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 2>} : tensor<2xf16> to tensor<1x2xf16>
    %3 = pop.mul %a, %1 : tensor<2xf16>
    return %3 : tensor<2xf16>
  }
  func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
    // expected-note @+1 {{'pop.host_load' op passes the difference on}}
    %p = pop.host_load @x : tensor<i1>
    // expected-note @+1 {{'tensor.extract' op passes the difference on}}
    %q = tensor.extract %p[] : tensor<i1>
    // expected-note @+1 {{'scf.if' op passes the difference on}}
    %0 = scf.if %q -> tensor<2xf16> {
      %1 = func.call @f(%a) : (tensor<2xf16>) -> tensor<2xf16>
      scf.yield %1 : tensor<2xf16>
    } else {
      scf.yield %a : tensor<2xf16>
    }
    return %0 : tensor<2xf16>
  }
}

// -----

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>, ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  // expected-note @+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
  pop.stream @n host_to_device : tensor<i32>
  func.func @main(%a: tensor<2xf16>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    // expected-note @+1 {{'pop.host_load' op passes the difference on}}
    %n = pop.host_load @n : tensor<i32>
    // expected-note @+1 {{'tensor.extract' op passes the difference on}}
    %m = tensor.extract %n[] : tensor<i32>
    // expected-note @+1 {{'arith.index_cast' op passes the difference on}}
    %k = arith.index_cast %m : i32 to index
    // expected-note @+1 {{'scf.for' op passes the difference on}}
    scf.for %i = %c0 to %k step %c1 {
      // expected-error @+1 {{'pop.add' op expects a rounding method that is at least as fine as the classes of replicas that execute the op equally often}}
      %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 2>} : tensor<2xf16>
    }
    return
  }
}

// -----

// An advance that only some replicas execute leaves the states of others alone.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>, ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  pop.stream @n host_to_device : tensor<i32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = pop.host_load @n : tensor<i32>
    %m = tensor.extract %n[] : tensor<i32>
    %k = arith.index_cast %m : i32 to index
    scf.for %i = %c0 to %k step %c1 {
      pop.advance_draws
      // expected-error @+1 {{'pop.advance_draws' op expects a rounding method with the classes of replicas that execute the op equally often (replica partition 'none') but got #pop.stochastic_rounding_method<identical_seeds of 2>}}
      pop.advance_draws {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 2>}
    }
    return
  }
}

// -----

// An advance that all replicas execute moves the states of all of them on.
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>, ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  func.func @main(%x: tensor<2xf16>) -> tensor<2xf16> {
    %0 = pop.mul %x, %x : tensor<2xf16>
    // expected-error @+1 {{'pop.advance_draws' op expects a rounding method with the classes of replicas that execute the op equally often (replica partition 'all') but got #pop.stochastic_rounding_method<differing_seeds of 2>}}
    pop.advance_draws {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>}
    return %0 : tensor<2xf16>
  }
}
