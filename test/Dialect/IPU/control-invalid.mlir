// RUN: ipu-opt %s --split-input-file --verify-diagnostics

#s = #ipu.map<[], grid = [1], blocks = []>
#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @count() {
  %n = ipu.var "n" : memref<4xi32, #m>
  // expected-error @below {{'ipu.repeat' op expects its count to be a whole variable of one i32 but got 'memref<4xi32, }}
  ipu.repeat %n : memref<4xi32, #m> {
  }
  return
}

// -----

func.func @two_counts() {
  // expected-error @below {{'ipu.repeat' op expects either a count or a variable}}
  "ipu.repeat"() ({
    ipu.sync internal
  }) : () -> ()
  return
}

// -----

#s = #ipu.map<[], grid = [1], blocks = []>
func.func @condition_type() {
  %p = ipu.var "p" : memref<i8, #s>
  // expected-error @below {{'ipu.if' op expects its condition to be a whole variable of one i1 but got 'memref<i8, }}
  ipu.if %p : memref<i8, #s> {
  }
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @part() {
  %p = ipu.var "p" : memref<4xi1, #m>
  %0 = memref.reinterpret_cast %p to offset: [0], sizes: [1], strides: [1] : memref<4xi1, #m> to memref<1xi1, strided<[1]>, #m>
  // expected-error @below {{'ipu.while' op expects its condition to be a whole variable of one i1 but got 'memref<1xi1, }}
  ipu.while %0 : memref<1xi1, strided<[1]>, #m> {
  } do {
  }
  return
}

// -----

#s = #ipu.map<[], grid = [1], blocks = []>
func.func @body() {
  %p = ipu.var "p" : memref<i1, #s>
  // expected-error @below {{'ipu.if' op expects its body to hold only ops of a program but got 'arith.constant'}}
  ipu.if %p : memref<i1, #s> {
  } else {
    // expected-note @below {{op defined here}}
    %0 = arith.constant 0 : i32
  }
  return
}

// -----

#s = #ipu.map<[], grid = [1], blocks = []>
func.func @init() {
  %p = ipu.var "p" : memref<i1, #s>
  // expected-error @below {{'ipu.while' op expects variables with an initial value to be outside of its body}}
  ipu.while %p : memref<i1, #s> {
    // expected-note @below {{op defined here}}
    %0 = ipu.var "c" init(dense<0> : tensor<i32>) : memref<i32, #s>
  } do {
  }
  return
}

// -----

#s = #ipu.map<[], grid = [1], blocks = []>
func.func @end_of_life() {
  %p = ipu.var "p" : memref<i1, #s>
  // expected-note @below {{variable defined here}}
  %v = ipu.var "v" : memref<i32, #s>
  ipu.if %p : memref<i1, #s> {
    // expected-error @below {{'ipu.write_undef' op in a loop or branch cannot end the live range of a variable that is defined outside of the loop or branch}}
    ipu.write_undef %v : memref<i32, #s>
  }
  return
}

// -----

func.func @call() {
  // expected-error @below {{'ipu.call' op expects @f to be a 'func.func'}}
  ipu.call @f
  return
}

// -----

module {
  // expected-note @below {{function defined here}}
  func.func @f(%x : tensor<2xf32>) {
    return
  }
  func.func @main() {
    // expected-error @below {{'ipu.call' op expects a function with a body and without arguments and results but got @f of type '(tensor<2xf32>) -> ()'}}
    ipu.call @f
    return
  }
}

// -----

module {
  // expected-note @below {{function defined here}}
  func.func private @f()
  func.func @main() {
    // expected-error @below {{'ipu.code_load' op expects a function with a body and without arguments and results but got @f}}
    ipu.code_load [@f] to executable
    return
  }
}

// -----

module {
  func.func @f() {
    return
  }
  func.func @main() {
    // expected-error @below {{'ipu.code_load' op loads @f twice}}
    ipu.code_load [@f, @f] to executable
    return
  }
}

// -----

module {
  func.func @f() {
    return
  }
  func.func @main() {
    // expected-error @below {{'ipu.code_copy' op expects different memories but got 'executable' twice}}
    ipu.code_copy @f from executable to executable
    return
  }
}

// -----

func.func @main() {
  // expected-error @below {{'ipu.code_copy' op expects @f to be a 'func.func'}}
  ipu.code_copy @f from io_buffer to executable
  return
}

// -----

// expected-error @below {{attribute 'ipu.host_transfers' expects a positive i64 but got 0 : i64}}
module attributes {ipu.host_transfers = 0 : i64} {}

// -----

// expected-error @below {{attribute 'ipu.host_transfers' belongs on a module}}
func.func @transfers() attributes {ipu.host_transfers = 1 : i64} {
  return
}

// -----

// expected-error @below {{'ipu.stream' op expects a positive depth but got 0}}
ipu.stream @x host_to_device : tensor<2xf32> {depth = 0 : i64}

// -----

// stream: c3.
// expected-error @below {{'ipu.stream' op expects `default_value` only on a stream to the device}}
ipu.stream @y device_to_host : tensor<2xf32> {default_value = dense<0.0> : tensor<2xf32>}

// -----

// stream: c3.
// expected-error @below {{'ipu.stream' op expects `default_value` of type 'tensor<2xf32>' but got 'tensor<2xf16>'}}
ipu.stream @x host_to_device : tensor<2xf32> {default_value = dense<0.0> : tensor<2xf16>}

// -----

// stream: c5.
// expected-error @below {{'ipu.stream' op expects `seed` only on a stream to the device that all replicas share}}
ipu.stream @x host_to_device replicated : tensor<2xui32> {seed}

// -----

// stream: c5.
// expected-error @below {{'ipu.stream' op expects `seed` only on a stream to the device that all replicas share}}
ipu.stream @x device_to_host : tensor<2xui32> {seed}

// -----

// stream: c5.
// expected-error @below {{'ipu.stream' op expects a stream with `seed` to have type tensor<2xui32> but got 'tensor<2xi32>'}}
ipu.stream @x host_to_device : tensor<2xi32> {seed}

// -----

// stream: c5.
// expected-error @below {{'ipu.stream' op expects `seed` or `default_value` but got both}}
ipu.stream @x host_to_device : tensor<2xui32> {seed, default_value = dense<1> : tensor<2xui32>}

// -----

// A misspelt attribute.
// expected-error @below {{'ipu.stream' op has no attribute 'default_vale'; did you mean 'default_value'?}}
ipu.stream @x host_to_device : tensor<2xui32> {default_vale = dense<1> : tensor<2xui32>}

// -----

// stream: c4.
// expected-error @below {{'ipu.stream' op expects a positive number of transfers but got 0}}
ipu.stream @y device_to_host : tensor<2xf32> {transfers = 0 : i64}
