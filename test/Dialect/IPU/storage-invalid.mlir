// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// expected-error @below {{'ipu.storage' op expects the domain of the tile mapping to have 4 elements but got 8}}
ipu.storage @s : memref<4xf32, #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>>

// -----

#copies = #ipu.map<[4], grid = [2], blocks = [all]>
module {
  // expected-note @below {{defined here}}
  ipu.storage @s : memref<4xf32, #copies>
  // expected-error @below {{'ipu.state' op expects the tile mapping of @s to put each element on one tile but got}}
  ipu.state @w in @s : tensor<4xf32> = dense<0.0> : tensor<4xf32>
}

// -----

#copies = #ipu.map<[4], grid = [2], blocks = [all]>
module {
  ipu.storage @s : memref<4xf32, #copies>
  func.func @handle() {
    // expected-error @below {{'ipu.var' op expects the tile mapping to put each element on exactly one tile}}
    %0 = ipu.var "v" of @s : memref<4xf32, #copies>
    return
  }
}

// -----

// expected-error @below {{'ipu.storage' op expects a type without layout but got}}
ipu.storage @s : memref<4xf32, strided<[2]>, #ipu.map<[4], grid = [1], blocks = [all]>>

// -----

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  // expected-error @below {{'ipu.storage' op is mapped to tiles up to tile 1 but the last tile of a replica is 0}}
  ipu.storage @s : memref<4xf32, #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>>
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
func.func @none() {
  // expected-error @below {{'ipu.var' op expects @s to be an 'ipu.storage'}}
  %0 = ipu.var "v" of @s : memref<4xf32, #m>
  return
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  // expected-note @below {{storage defined here}}
  ipu.storage @s : memref<4xf32, #m>
  func.func @type() {
    // expected-error @below {{'ipu.var' op expects the result to have type 'memref<4xf32, }}
    %0 = ipu.var "v" of @s : memref<2x2xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.storage @s : memref<4xf32, #m>
  func.func @twice() {
    // expected-note @below {{first handle to @s in this function}}
    %0 = ipu.var "v" of @s : memref<4xf32, #m>
    // expected-error @below {{'ipu.var' op is a second handle to @s; expects one handle to a storage in a function}}
    %1 = ipu.var "w" of @s : memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.storage @s : memref<4xf32, #m>
  func.func @init() {
    // expected-error @below {{'ipu.var' op of a storage cannot have an initial value}}
    %0 = ipu.var "v" of @s init(dense<0.0> : tensor<4xf32>) : memref<4xf32, #m>
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.storage @s : memref<4xf32, #m>
  func.func @nested() {
    ipu.repeat 2 {
      // expected-error @below {{'ipu.var' op of a storage belongs in the first block of a function}}
      %0 = ipu.var "v" of @s : memref<4xf32, #m>
    }
    return
  }
}

// -----

#m = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
module {
  ipu.storage @s : memref<4xf32, #m>
  func.func @undef() {
    %0 = ipu.var "v" of @s : memref<4xf32, #m>
    // expected-error @below {{'ipu.write_undef' op cannot end the live range of a variable of a storage}}
    ipu.write_undef %0 : memref<4xf32, #m>
    return
  }
}

// -----

// expected-error @below {{'ipu.remote_buffer' op expects a positive number of rows but got 0}}
ipu.remote_buffer @b : 0 x tensor<2xf32>

// -----

// expected-error @below {{'ipu.remote_buffer' op expects a statically shaped tensor of integers or floats, without encoding, but got 'tensor<?xf32>'}}
ipu.remote_buffer @b : 1 x tensor<?xf32>

// -----

// expected-error @below {{'ipu.remote_buffer' op expects at most 2^56 elements in all rows together but got 4611686018427387904 rows of 'tensor<1024xf32>'}}
ipu.remote_buffer @b : 4611686018427387904 x tensor<1024xf32>

// -----

// expected-error @below {{'ipu.remote_buffer' op expects a statically shaped tensor of integers or floats, without encoding, but got 'tensor<4xindex>'}}
ipu.remote_buffer @b : 1 x tensor<4xindex>

// -----

// expected-error @below {{'ipu.state' op expects a statically shaped tensor of integers or floats, without encoding, but got 'tensor<?xf32>'}}
ipu.state @w in @s : tensor<?xf32> = dense<0.0> : tensor<2xf32>

// -----

// expected-error @below {{'ipu.state' op expects at most 2^56 elements but got 'tensor<144115188075855872xf32>'}}
ipu.state @w in @s : tensor<144115188075855872xf32> = dense<0.0> : tensor<2xf32>

// -----

// expected-error @below {{'ipu.state' op expects @s to be an 'ipu.storage'}}
ipu.state @w in @s : tensor<2xf32> = dense<0.0> : tensor<2xf32>

// -----

module {
  ipu.storage @s : memref<2xf32, #ipu.map<[2], grid = [1], blocks = [all]>>
  // expected-error @below {{'ipu.state' op expects @s to be an 'ipu.remote_buffer'}}
  ipu.state @w in @s[0] : tensor<2xf32> = dense<0.0> : tensor<2xf32>
}

// -----

module {
  // expected-note @below {{buffer defined here}}
  ipu.remote_buffer @b : 2 x tensor<2xf32>
  // expected-error @below {{'ipu.state' op expects a row from 0 to 1 but got 2}}
  ipu.state @w in @b[2] : tensor<2xf32> = dense<0.0> : tensor<2xf32>
}

// -----

module {
  // expected-note @below {{defined here}}
  ipu.remote_buffer @b : 2 x tensor<3xf32>
  // expected-error @below {{'ipu.state' op expects @b to hold 'tensor<2xf32>' but got 'tensor<3xf32>'}}
  ipu.state @w in @b[1] : tensor<2xf32> = dense<0.0> : tensor<2xf32>
}

// -----

module {
  ipu.remote_buffer @b : 2 x tensor<2xf32>
  // expected-note @below {{defined here}}
  ipu.state @v in @b[1] : tensor<2xf32> = dense<0.0> : tensor<2xf32>
  // expected-error @below {{'ipu.state' op has the same memory location as @v}}
  ipu.state @w in @b[1] : tensor<2xf32> = dense<0.0> : tensor<2xf32>
}

// -----

// Two groups, each with its own value, and not three.
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 4 : i64}>} {
  ipu.remote_buffer @b : 2 x tensor<2xf32>
  // expected-error @below {{'ipu.state' op expects a value of type 'tensor<2x2xf32>' but got 'tensor<3x2xf32>'}}
  ipu.state @w in @b[1] : tensor<2xf32> = dense<0.0> : tensor<3x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
}

// -----

// Parts of two elements.
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  // expected-note @below {{defined here}}
  ipu.storage @s : memref<3xf32, #ipu.map<[3], grid = [1], blocks = [all]>>
  // expected-error @below {{'ipu.state' op expects @s to hold 'tensor<2xf32>' but got 'memref<3xf32, }}
  ipu.state @w in @s : tensor<3xf32> = dense<0.0> : tensor<3xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
}

// -----

module attributes {ipu.target = #ipu.target<"gc200", {replicas = 3 : i64}>} {
  ipu.remote_buffer @b : 2 x tensor<2xf32>
  // expected-error-re @below {{'ipu.state' op {{.*}}3}}
  ipu.state @w in @b[1] : tensor<2xf32> = dense<0.0> : tensor<2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
}
