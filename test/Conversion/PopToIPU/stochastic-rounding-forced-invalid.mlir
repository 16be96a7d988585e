// RUN: ipu-opt %s -split-input-file -verify-diagnostics -pop-to-ipu-pipeline=stochastic-rounding=counter

// Errors about a method that the program forces are at the op of the program,
// once, however many ops that is lowered to.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  // expected-note @+1 {{'pop.variable' op makes replicas 0 and 1 differ}}
  pop.variable @n : tensor<i32> = dense<[0, 1, 2, 3]> : tensor<4xi32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @w : tensor<2xf16> = dense<1.0> : tensor<2xf16>
  func.func private @f(%w: !pop.ref<2xf16>) attributes {no_inline} {
    %c = pop.constant dense<0.3> : tensor<2xf16>
    // expected-error @+1 {{'pop.mul_' op expects a rounding method that is at least as fine as the classes of replicas that execute the op equally often (replica partition 'none') but got #pop.stochastic_rounding_method<identical_seeds of 4>}}
    pop.mul_ %w, %c {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 4>} : !pop.ref<2xf16>, tensor<2xf16>
    return
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %w = pop.get_variable @w : !pop.ref<2xf16>
    %ref = pop.get_variable @n : !pop.ref<i32>
    // expected-note @+1 {{'pop.read' op passes the difference on}}
    %n = pop.read %ref : !pop.ref<i32>
    // expected-note @+1 {{'tensor.extract' op passes the difference on}}
    %m = tensor.extract %n[] : tensor<i32>
    // expected-note @+1 {{'arith.index_cast' op passes the difference on}}
    %k = arith.index_cast %m : i32 to index
    // expected-note @+1 {{'scf.for' op passes the difference on}}
    scf.for %i = %c0 to %k step %c1 {
      func.call @f(%w) : (!pop.ref<2xf16>) -> ()
    }
    return
  }
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.variable @w : tensor<f16> = dense<1.0> : tensor<f16>
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<f16>
    %c = pop.constant dense<1.3> : tensor<f16>
    // expected-error @+1 {{'pop.mul_' op expects a rounding method for 4 replicas but got #pop.stochastic_rounding_method<identical_seeds of 2>}}
    pop.mul_ %w, %c {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 2>} : !pop.ref<f16>, tensor<f16>
    return
  }
}
