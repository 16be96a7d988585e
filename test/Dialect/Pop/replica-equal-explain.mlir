// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-print-replica-equal="replicas=2 explain" -o /dev/null | FileCheck %s

// What ops get and make, and why it is not equal: a stream.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.host_load': none{{$}}
// CHECK-NEXT: 'pop.add': none from all, none{{$}}
// CHECK-NEXT: 'pop.all_reduce': all from none{{$}}
// CHECK-NEXT: 'pop.host_store': from none{{$}}

// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  // expected-remark@+2 {{'pop.host_load' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf32>
  // expected-remark@+2 {{'pop.add' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.add' op passes the difference on}}
  %0 = pop.add %a, %x : tensor<2xf32>
  %1 = pop.all_reduce add %0 : tensor<2xf32>
  pop.host_store %0, @y : tensor<2xf32>
  return
}

// -----

// The number of a replica, in a branch that it decides.

// CHECK-LABEL: @main(all)
func.func @main(%a: tensor<2xf32>) {
  %r = pop.alloc zero : !pop.ref<2xf32>
  %one = arith.constant 1 : i32
  // expected-remark@+2 {{'pop.replica_index' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.replica_index' op makes replicas 0 and 1 differ}}
  %i = pop.replica_index : tensor<i32>
  // expected-remark@+2 {{'tensor.extract' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'tensor.extract' op passes the difference on}}
  %n = tensor.extract %i[] : tensor<i32>
  // expected-remark@+2 {{'arith.cmpi' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'arith.cmpi' op passes the difference on}}
  %p = arith.cmpi eq, %n, %one : i32
  // expected-note@+1 {{'scf.if' op passes the difference on}}
  scf.if %p {
    // expected-remark@+2 {{'pop.copy_' op modified operand #0 has replica partition 'none'}}
    // expected-note@+1 {{'pop.copy_' op passes the difference on}}
    pop.copy_ %r, %a : !pop.ref<2xf32>, tensor<2xf32>
  }
  return
}

// -----

// Seeds.

// CHECK-LABEL: @main(all)
func.func @main(%a: tensor<2xf16>) {
  // expected-remark@+2 {{'pop.add' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.add' op makes replicas 0 and 1 differ, because its rounding method gives these replicas different seeds}}
  %0 = pop.add %a, %a {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : tensor<2xf16>
  return
}

// -----

// A call, of a function that also gets something else.

// CHECK-LABEL: @f(none)
// CHECK-LABEL: @main(all)
// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf32>
// expected-warning@+1 {{argument #0 of @f has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
func.func private @f(%a: tensor<2xf32>) -> tensor<2xf32> {
  // expected-remark@+2 {{'pop.neg' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.neg' op passes the difference on}}
  %0 = pop.neg %a : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func @main(%a: tensor<2xf32>) {
  // expected-remark@+2 {{'pop.host_load' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf32>
  // expected-remark@+2 {{'func.call' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{replica partition in this call: 'none'}}
  %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  // expected-remark@+2 {{'func.call' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{replica partition in this call: 'all'}}
  %1 = call @f(%a) : (tensor<2xf32>) -> tensor<2xf32>
  return
}

// -----

// Seeds that differ because what is rounded does: its way is told, also if it
// is from the run before.

// CHECK-LABEL: @main()
// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf16>
// expected-note@+1 {{'pop.variable' op passes the difference on}}
pop.variable @w : tensor<2xf16> = dense<1.0> : tensor<2xf16>
func.func @main() {
  // expected-remark@+1 {{'pop.get_variable' op result #0 has replica partition 'none'}}
  %w = pop.get_variable @w : !pop.ref<2xf16>
  // expected-remark@+2 {{'pop.read' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.read' op passes the difference on}}
  %r = pop.read %w : !pop.ref<2xf16>
  // expected-remark@+2 {{'pop.neg' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.neg' op passes the difference on}}
  %0 = pop.neg %r {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<differing_seeds of 2>} : tensor<2xf16>
  // expected-remark@+2 {{'pop.host_load' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf16>
  // expected-remark@+2 {{'pop.copy_' op modified operand #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.copy_' op passes the difference on}}
  pop.copy_ %w, %x : !pop.ref<2xf16>, tensor<2xf16>
  return
}

// -----

// A call of a function without a body, but the stream that is loaded.

// CHECK-LABEL: @main()
// expected-note@+1 {{'pop.stream' op makes replicas 0 and 1 differ}}
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @unused host_to_device : tensor<2xf32>
func.func private @outside() -> tensor<2xf32>
func.func @main() {
  // expected-remark@+2 {{'func.call' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'func.call' op makes replicas 0 and 1 differ}}
  %0 = call @outside() : () -> tensor<2xf32>
  // expected-remark@+2 {{'pop.host_load' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.host_load' op passes the difference on}}
  %x = pop.host_load @x : tensor<2xf32>
  // expected-remark@+2 {{'pop.neg' op result #0 has replica partition 'none'}}
  // expected-note@+1 {{'pop.neg' op passes the difference on}}
  %1 = pop.neg %0 : tensor<2xf32>
  return
}
