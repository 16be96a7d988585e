// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// remote_code_load: c1.
func.func @f() {
  // expected-error @below {{'pop.remote_code_load' op expects @g to be a function with a body and the attribute 'no_inline' but there is no such symbol}}
  pop.remote_code_load @g to executable
  return
}

// -----

// remote_code_load: c1.
// expected-note @below {{the symbol is here}}
pop.stream @g host_to_device : tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.remote_code_load' op expects @g to be a function with a body and the attribute 'no_inline' but it is not a function}}
  pop.remote_code_load @g to executable
  return
}

// -----

// remote_code_load: c1.
// expected-note @below {{the symbol is here}}
func.func private @g() attributes {no_inline}
func.func @f() {
  // expected-error @below {{'pop.remote_code_load' op expects @g to be a function with a body and the attribute 'no_inline' but it has no body}}
  pop.remote_code_load @g to executable
  return
}

// -----

// remote_code_load: c1.
// expected-note @below {{the symbol is here}}
func.func @g() {
  return
}
func.func @f() {
  // expected-error @below {{'pop.remote_code_load' op expects @g to be a function with a body and the attribute 'no_inline' but it lacks the attribute}}
  pop.remote_code_load @g to executable
  return
}

// -----

// remote_code_load: c1.
func.func @g() attributes {no_inline} {
  return
}
func.func @f() {
  // expected-error @below {{'pop.remote_code_load' op expects each function once but got @g twice}}
  pop.remote_code_load [@g, @g] to executable
  return
}

// -----

func.func @f() {
  // expected-error @below {{'pop.remote_code_load' op attribute 'graphs' failed to satisfy constraint: flat symbol ref array attribute with at least 1 elements}}
  "pop.remote_code_load"() <{destination = #pop<code_location executable>, graphs = []}> : () -> ()
  return
}

// -----

func.func @g() attributes {no_inline} {
  return
}
func.func @f() {
  // expected-error @below {{custom op 'pop.remote_code_load' expected ::mlir::ipu::CodeLocation to be one of: executable, compute_buffer, io_buffer}}
  pop.remote_code_load @g to memory
  // expected-error @below {{custom op 'pop.remote_code_load' failed to parse Pop_CodeLocationAttr parameter 'value' which is to be a `::mlir::ipu::CodeLocation`}}
  return
}

// -----

// code_copy: c1.
// expected-note @below {{the symbol is here}}
func.func @g() {
  return
}
func.func @f() {
  // expected-error @below {{'pop.code_copy' op expects @g to be a function with a body and the attribute 'no_inline' but it lacks the attribute}}
  pop.code_copy @g from io_buffer to executable
  return
}

// -----

// code_copy: c2.
func.func @g() attributes {no_inline} {
  return
}
func.func @f() {
  // expected-error @below {{'pop.code_copy' op expects different memories but got `io_buffer` twice}}
  pop.code_copy @g from io_buffer to io_buffer
  return
}

