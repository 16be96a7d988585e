// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// remote_buffer: c1.
// expected-error @below {{'pop.remote_buffer' op expects at least 1 row but got 0}}
pop.remote_buffer @b : 0 x tensor<2xf32>

// -----

// remote_buffer: c1.
// expected-error @below {{'pop.remote_buffer' op expects at most 2^56 elements in all rows together but got shape [1024, 72057594037927936]}}
pop.remote_buffer @b : 1024 x tensor<72057594037927936xi8>

// -----

// remote_load: c1.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.remote_load' op expects either `row` or `static_row` but got neither}}
  %t = "pop.remote_load"() <{buffer = @b}> : () -> tensor<2xf32>
  return
}

// -----

// remote_store: c1.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>, %row: tensor<i32>) {
  // expected-error @below {{'pop.remote_store' op expects either `row` or `static_row` but got both}}
  "pop.remote_store"(%t, %row) <{buffer = @b, static_row = 0 : i64}> : (tensor<2xf32>, tensor<i32>) -> ()
  return
}

// -----

// remote_load: c2.
func.func @f() {
  // expected-error @below {{'pop.remote_load' op expects @b to be a 'pop.remote_buffer' but there is no such symbol}}
  %t = pop.remote_load @b[0] : tensor<2xf32>
  return
}

// -----

// remote_load: c2.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.remote_load' op expects `static_row` to be from 0 to 1, the last row of @b, but got 2}}
  %t = pop.remote_load @b[2] : tensor<2xf32>
  return
}

// -----

// remote_store: c2.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>) {
  // expected-error @below {{'pop.remote_store' op expects `static_row` to be from 0 to 1, the last row of @b, but got -1}}
  pop.remote_store %t, @b[-1] : tensor<2xf32>
  return
}

// -----

// remote_load: c3.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.remote_load' op expects a tensor of type 'tensor<2xf32>', the type of a row of @b, but got 'tensor<2xi32>'}}
  %t = pop.remote_load @b[0] : tensor<2xi32>
  return
}

// -----

// remote_store: c3.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<3xf32>) {
  // expected-error @below {{'pop.remote_store' op expects a tensor of type 'tensor<2xf32>', the type of a row of @b, but got 'tensor<3xf32>'}}
  pop.remote_store %t, @b[0] : tensor<3xf32>
  return
}

// -----

func.func @f(%row: tensor<i64>) {
  // expected-error @below {{'pop.remote_load' op operand #0 must be tensor<i32>, but got 'tensor<i64>'}}
  %t = "pop.remote_load"(%row) <{buffer = @b}> : (tensor<i64>) -> tensor<2xf32>
  return
}

// -----

// remote_exchange: c1.
func.func @f(%t: tensor<2xf32>) {
  pop.remote_exchange {
    // expected-error @below {{'pop.exp' op cannot be part of 'pop.remote_exchange', which expects transfers only}}
    %0 = pop.exp %t : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c2.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f() {
  pop.remote_exchange {
    // expected-note @below {{the operand is defined here}}
    %0 = pop.remote_load @b[0] : tensor<2xf32>
    // expected-error @below {{'pop.remote_store' op expects operands from outside of 'pop.remote_exchange' but got operand #0 from inside}}
    pop.remote_store %0, @b[1] : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c3.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>) {
  pop.remote_exchange {
    // expected-note @below {{the other op is here}}
    %0 = pop.remote_load @b[1] : tensor<2xf32>
    // expected-error @below {{'pop.remote_store' op may use the same row of @b as another op of 'pop.remote_exchange', and one of the two is a store}}
    pop.remote_store %t, @b[1] : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c3.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>) {
  pop.remote_exchange {
    // expected-note @below {{the other op is here}}
    pop.remote_store %t, @b[1] : tensor<2xf32>
    // expected-error @below {{'pop.remote_load' op may use the same row of @b as another op of 'pop.remote_exchange', and one of the two is a store}}
    %0 = pop.remote_load @b[1] : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c3, two stores.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>) {
  pop.remote_exchange {
    // expected-note @below {{the other op is here}}
    pop.remote_store %t, @b[1] : tensor<2xf32>
    // expected-error @below {{'pop.remote_store' op may use the same row of @b as another op of 'pop.remote_exchange', and one of the two is a store}}
    pop.remote_store %t, @b[1] : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c3, a row that is not static.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>, %row: tensor<i32>) {
  pop.remote_exchange {
    // expected-note @below {{the other op is here}}
    %0 = pop.remote_load @b[%row] : tensor<2xf32>
    // expected-error @below {{'pop.remote_store' op may use the same row of @b as another op of 'pop.remote_exchange', and one of the two is a store}}
    pop.remote_store %t, @b[1] : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c3, a row that is not static.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>, %row: tensor<i32>) {
  pop.remote_exchange {
    // expected-note @below {{the other op is here}}
    pop.remote_store %t, @b[%row] : tensor<2xf32>
    // expected-error @below {{'pop.remote_load' op may use the same row of @b as another op of 'pop.remote_exchange', and one of the two is a store}}
    %0 = pop.remote_load @b[1] : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c3, a row that is not static.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>, %row: tensor<i32>) {
  pop.remote_exchange {
    // expected-note @below {{the other op is here}}
    %0 = pop.remote_load @b[1] : tensor<2xf32>
    // expected-error @below {{'pop.remote_store' op may use the same row of @b as another op of 'pop.remote_exchange', and one of the two is a store}}
    pop.remote_store %t, @b[%row] : tensor<2xf32>
  }
  return
}

// -----

// remote_exchange: c3, a row that is not static.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f(%t: tensor<2xf32>, %row: tensor<i32>) {
  pop.remote_exchange {
    // expected-note @below {{the other op is here}}
    pop.remote_store %t, @b[1] : tensor<2xf32>
    // expected-error @below {{'pop.remote_load' op may use the same row of @b as another op of 'pop.remote_exchange', and one of the two is a store}}
    %0 = pop.remote_load @b[%row] : tensor<2xf32>
  }
  return
}

// -----

// yield: types are those of the results.
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @f() {
  // expected-error @below {{'pop.remote_exchange' op along control flow edge from Operation pop.yield to parent: successor operand type #0 'tensor<2xf32>' should match successor input type #0 'tensor<3xf32>'}}
  %x = pop.remote_exchange {
    %0 = pop.remote_load @b[1] : tensor<2xf32>
    // expected-note @below {{region branch point}}
    pop.yield %0 : tensor<2xf32>
  } : tensor<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'pop.in_sequence' op along control flow edge from Operation pop.yield to parent: region branch point has 0 operands, but region successor needs 1 inputs}}
  // expected-note @below {{region branch point}}
  %x = pop.in_sequence {
  } : tensor<3xf32>
  return
}

// -----

// Results of regions are tensors.
func.func @f(%r: !pop.ref<3xf32>) {
  // expected-error @below {{'pop.in_sequence' op result #0 must be variadic of statically shaped tensor, without encoding and with at most 2^56 elements, of pop element type (f16, bf16, f32, f64, f8, iN or uiN) values, but got '!pop.ref<3xf32>'}}
  %x = pop.in_sequence {
    pop.yield %r : !pop.ref<3xf32>
  } : !pop.ref<3xf32>
  return
}

// -----

func.func @f() {
  // expected-error @below {{'pop.yield' op expects parent op to be one of 'pop.remote_exchange, pop.in_sequence'}}
  pop.yield
}
