// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-verify-graphs

// Recursion, with the calls on the way.

func.func @main() {
  call @f() : () -> ()
  return
}
func.func private @f() {
  // expected-note@+1 {{@g is called here}}
  call @g() : () -> ()
  return
}
func.func private @g() {
  // expected-error@+1 {{'func.call' op expects no recursion, but this call is part of a recursion of @f}}
  call @f() : () -> ()
  return
}

// -----

// Code that is replaced while it runs, two calls up.

// expected-note@+1 {{@f is defined here}}
func.func private @f() attributes {no_inline} {
  // expected-note@+1 {{@g is called here}}
  call @g() : () -> ()
  return
}
func.func private @g() {
  // expected-error@+1 {{'pop.remote_code_load' op loads the code of @f, which is running here}}
  pop.remote_code_load @f to executable
  return
}
func.func @main() {
  call @f() : () -> ()
  return
}

// -----

// One variable under two names, one of which is written.

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-note@+1 {{@f is defined here}}
func.func private @f(%a: !pop.ref<4xf32>, %b: !pop.ref<4xf32>) {
  %t = pop.read %b : !pop.ref<4xf32>
  pop.add_ %a, %t : !pop.ref<4xf32>, tensor<4xf32>
  // What is it now?
  %u = pop.read %b : !pop.ref<4xf32>
  pop.add_ %a, %u : !pop.ref<4xf32>, tensor<4xf32>
  return
}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %again = pop.get_variable @w : !pop.ref<4xf32>
  // expected-error@+1 {{'func.call' op passes the same elements as operands 0 and 1 of @f, which modifies the elements; the callee may read one of the operands only before it modifies the other}}
  call @f(%w, %again) : (!pop.ref<4xf32>, !pop.ref<4xf32>) -> ()
  return
}

// -----

// Views with a common element; and what is written two calls down.

func.func private @inner(%a: !pop.ref<2xf32>) {
  pop.zero_ %a : !pop.ref<2xf32>
  return
}
// expected-note@+1 {{@f is defined here}}
func.func private @f(%a: !pop.ref<2xf32>, %b: !pop.ref<2xf32>) -> tensor<2xf32> {
  call @inner(%a) : (!pop.ref<2xf32>) -> ()
  %t = pop.read %b : !pop.ref<2xf32>
  return %t : tensor<2xf32>
}
func.func @main(%w: !pop.ref<4xf32>) {
  %a = pop.ref_slice %w {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  %b = pop.ref_slice %w {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
  // expected-error@+1 {{'func.call' op passes the same elements as operands 0 and 1 of @f, which modifies the elements; the callee may read one of the operands only before it modifies the other}}
  %t = call @f(%a, %b) : (!pop.ref<2xf32>, !pop.ref<2xf32>) -> tensor<2xf32>
  return
}

// -----

// A variable by ref and by name; the callee only reads the argument.

pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
// expected-note@+1 {{@f is defined here}}
func.func private @f(%a: !pop.ref<4xf32>) {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %t = pop.read %a : !pop.ref<4xf32>
  pop.copy_ %w, %t : !pop.ref<4xf32>, tensor<4xf32>
  return
}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  // expected-error@+1 {{'func.call' op passes elements of variable @w as operand 0 of @f, which also accesses the variable by name and modifies the elements}}
  call @f(%w) : (!pop.ref<4xf32>) -> ()
  return
}

// -----

// Two variables in one row.

pop.remote_buffer @b : 2 x tensor<2xf32>
// expected-note@+1 {{@w is defined here}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b, row = 1 : i64}
pop.variable @u : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b, row = 0 : i64}
// expected-error@+1 {{'pop.variable' op @v is in row 1 of @b, like @w: expects a separate row for each variable}}
pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2xf32> {buffer = @b, row = 1 : i64}
func.func @main() {
  return
}
