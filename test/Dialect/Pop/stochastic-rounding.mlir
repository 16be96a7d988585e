// RUN: ipu-opt %s -split-input-file -pop-stochastic-rounding | FileCheck %s
// RUN: ipu-opt %s -split-input-file -pop-stochastic-rounding -pop-verify-stochastic-rounding -o /dev/null
// RUN: ipu-opt %s -split-input-file -pop-stochastic-rounding -pop-print-replica-equal -o /dev/null 2>&1 | FileCheck %s --check-prefix=EQUAL

// Weights are updated alike, gradients are not.
// CHECK-LABEL: module attributes {{.*}}pop.stochastic_rounding = #pop.stochastic_rounding<counter>
// EQUAL-LABEL: @main
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<2xf16> = dense<1.0> : tensor<2xf16>
  pop.stream @x host_to_device : tensor<2xf16>
  func.func @main() {
    // CHECK: pop.get_variable @w {{.*}}<identical_seeds of 2>
    %w = pop.get_variable @w : !pop.ref<2xf16>
    // CHECK: pop.host_load {{.*}}<differing_seeds of 2>
    %x = pop.host_load @x : tensor<2xf16>
    // CHECK: pop.read {{.*}}<identical_seeds of 2>
    %v = pop.read %w : !pop.ref<2xf16>
    // CHECK: pop.mul {{.*}}<differing_seeds of 2>
    %y = pop.mul %x, %v : tensor<2xf16>
    // CHECK: pop.all_reduce {{.*}}<identical_seeds of 2>
    %g = pop.all_reduce mean %y : tensor<2xf16>
    // CHECK: pop.sub_ {{.*}}<identical_seeds of 2>
    // EQUAL: 'pop.sub_': modifies operand 0 all
    pop.sub_ %w, %g : !pop.ref<2xf16>, tensor<2xf16>
    // CHECK: return{{$}}
    return
  }
}

// -----

// What is equal in groups only; what a host store of it gets; an op with no
// operands.
// CHECK-LABEL: module attributes
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<stream, overflow = clip>} {
  pop.stream @x host_to_device : tensor<2xf16>
  pop.stream @y device_to_host : tensor<2xf16>
  func.func @main() {
    %x = pop.host_load @x : tensor<2xf16>
    // CHECK: pop.all_reduce {{.*}}<group_seeds {0, 1}{2, 3}>
    %g = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2xf16>
    // CHECK: pop.add {{.*}}<group_seeds {0, 1}{2, 3}>
    %h = pop.add %g, %g : tensor<2xf16>
    // CHECK: pop.host_store {{.*}}<group_seeds {0, 1}{2, 3}>
    pop.host_store %h, @y : tensor<2xf16>
    // CHECK: pop.constant {{.*}}<identical_seeds of 4>
    %c = pop.constant dense<1.0> : tensor<2xf16>
    return
  }
}

// -----

// A method that is there stays, and what the op makes is no more equal.
// CHECK-LABEL: module attributes
// EQUAL-LABEL: @main
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<2xf16> = dense<1.0> : tensor<2xf16>
  pop.variable @m : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  pop.stream @y device_to_host : tensor<2xf16>
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<2xf16>
    %m = pop.get_variable @m : !pop.ref<2xf32>
    %c = pop.constant dense<0.1> : tensor<2xf16>
    %d = pop.constant dense<0.1> : tensor<2xf32>
    // CHECK: pop.sub_ {{.*}}<differing_seeds of 2>
    // EQUAL: 'pop.sub_': modifies operand 0 none
    pop.sub_ %w, %c {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : !pop.ref<2xf16>, tensor<2xf16>
    // f32 is rounded to nearest.
    // EQUAL: 'pop.sub_': modifies operand 0 all
    pop.sub_ %m, %d {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : !pop.ref<2xf32>, tensor<2xf32>
    // What follows from it has seeds of its own, too.
    // CHECK: pop.read {{.*}}<differing_seeds of 2>
    %v = pop.read %w : !pop.ref<2xf16>
    // CHECK: pop.add {{.*}}<differing_seeds of 2>
    %s = pop.add %v, %v : tensor<2xf16>
    pop.host_store %s, @y : tensor<2xf16>
    return
  }
}

// -----

// Calls, loops and branches have a method as well, and so has what is in them;
// under a condition that differs everything differs.
// CHECK-LABEL: module attributes
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.stream @p host_to_device : tensor<i1>
  func.func private @f(%a: tensor<2xf16>) -> tensor<2xf16> {
    // CHECK: pop.exp {{.*}}<identical_seeds of 2>
    %0 = pop.exp %a : tensor<2xf16>
    return %0 : tensor<2xf16>
  }
  func.func @main(%a: tensor<2xf16>) -> tensor<2xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // CHECK: call @f{{.*}}<identical_seeds of 2>
    %0 = func.call @f(%a) : (tensor<2xf16>) -> tensor<2xf16>
    %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%b = %0) -> tensor<2xf16> {
      // CHECK: pop.add {{.*}}<identical_seeds of 2>
      %2 = pop.add %b, %a : tensor<2xf16>
      scf.yield %2 : tensor<2xf16>
    // CHECK: } {pop.stochastic_rounding_method = #{{.*}}<identical_seeds of 2>}
    }
    %p = pop.host_load @p : tensor<i1>
    %q = tensor.extract %p[] : tensor<i1>
    %3 = scf.if %q -> tensor<2xf16> {
      // CHECK: pop.sin {{.*}}<differing_seeds of 2>
      %4 = pop.sin %1 : tensor<2xf16>
      scf.yield %4 : tensor<2xf16>
    } else {
      scf.yield %1 : tensor<2xf16>
    // CHECK: } {pop.stochastic_rounding_method = #{{.*}}<differing_seeds of 2>}
    }
    return %3 : tensor<2xf16>
  }
}

// -----

// A module that rounds to nearest is as it was.
// CHECK-LABEL: @nearest
// CHECK-NOT: stochastic
func.func @nearest(%a: tensor<2xf16>) -> tensor<2xf16> {
  %0 = pop.add %a, %a : tensor<2xf16>
  return %0 : tensor<2xf16>
}
