// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-verify-code-loads

// What there is nothing to say of: loads and calls in order, by way of buffers, in
// loops and branches.

func.func private @g() attributes {no_inline} {
  return
}
func.func private @h() attributes {no_inline} {
  return
}
func.func private @load_g() {
  pop.remote_code_load @g to executable
  return
}
func.func @main(%p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  call @load_g() : () -> ()
  call @g() : () -> ()
  scf.for %i = %c0 to %n step %c1 {
    pop.remote_code_load @h to io_buffer
    pop.code_copy @h from io_buffer to compute_buffer
    scf.if %p {
      pop.code_copy @h from compute_buffer to executable
    } else {
      pop.remote_code_load @h to executable
    }
    func.call @h() : () -> ()
    // While @g is there, its next code comes.
    pop.remote_code_load @g to compute_buffer
    func.call @g() : () -> ()
    pop.code_copy @g from compute_buffer to executable
    func.call @g() : () -> ()
  }
  return
}

// -----

// A copy that no path has brought code for: nothing before it, another buffer, or
// only after it.

func.func private @g() attributes {no_inline} {
  return
}
func.func @main() {
  // expected-error @below {{'pop.code_copy' op copies the code of @g from 'io_buffer', but no path to this op moves the code to that memory}}
  pop.code_copy @g from io_buffer to executable
  func.call @g() : () -> ()
  // expected-error @below {{'pop.code_copy' op copies the code of @g from 'io_buffer', but no path to this op moves the code to that memory}}
  pop.code_copy @g from io_buffer to compute_buffer
  pop.code_copy @g from compute_buffer to executable
  func.call @g() : () -> ()
  // expected-note @below {{this op moves the code to '}}
  pop.code_copy @g from executable to io_buffer
  pop.code_copy @g from io_buffer to executable
  func.call @g() : () -> ()
  return
}

// -----

// A copy in a function, of which one call comes after a load and one does not.

func.func private @g() attributes {no_inline} {
  return
}
func.func private @copy() {
  // expected-warning @below {{copies the code of @g from 'io_buffer', but only some of the paths to this op move the code to that memory}}
  pop.code_copy @g from io_buffer to executable
  return
}
func.func @main(%p: i1) {
  scf.if %p {
    // expected-note @below {{this op moves the code to '}}
    pop.remote_code_load @g to io_buffer
    func.call @copy() : () -> ()
    func.call @g() : () -> ()
  } else {
    func.call @copy() : () -> ()
    func.call @g() : () -> ()
  }
  return
}

// -----

// Calls that some paths load for, and loads in vain.

func.func private @g() attributes {no_inline} {
  return
}
func.func @main(%p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.if %p {
    // expected-note @below {{this op moves the code to '}}
    pop.remote_code_load @g to executable
  }
  // expected-warning @below {{calls @g, but only some of the paths to this call load its code: for the other paths, the code is in the image and takes memory up to this call}}
  func.call @g() : () -> ()
  // expected-warning @below {{code load is dead: @g is not called before its code is loaded again; the load takes time and memory}}
  // expected-note @below {{this op moves the code to '}}
  pop.remote_code_load @g to executable
  // expected-note @below {{this op moves the code to '}}
  pop.remote_code_load @g to executable
  func.call @g() : () -> ()
  // expected-warning @below {{code load is dead: @g is not copied before its code is loaded again; the load takes time and memory}}
  pop.remote_code_load @g to io_buffer
  return
}

// -----

// A load to a buffer does not make code callable.

func.func private @g() attributes {no_inline} {
  return
}
func.func @main() {
  // expected-warning @below {{code load is dead: @g is not copied before its code is loaded again}}
  // expected-note @below {{this op moves the code to '}}
  pop.remote_code_load @g to io_buffer
  // expected-warning @below {{calls @g, whose code is in 'io_buffer' but was not copied to 'executable': the code in the image is called, and takes memory up to this call}}
  func.call @g() : () -> ()
  return
}

// -----

// What is brought in more than three places is not noted each time. Code of the
// second round is there in time, that of the first is not.

func.func private @g() attributes {no_inline} {
  return
}
func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    // expected-warning @below {{calls @g, but only some of the paths to this call load its code}}
    func.call @g() : () -> ()
    // expected-note @below {{this op moves the code to '}}
    pop.remote_code_load @g to executable
  }
  return
}

// -----

// On programs as well.

func.func @f() attributes {no_inline} {
  return
}
func.func @main() {
  // expected-error @below {{'ipu.code_copy' op copies the code of @f from 'io_buffer', but no path to this op moves the code to that memory}}
  ipu.code_copy @f from io_buffer to executable
  ipu.call @f
  return
}
