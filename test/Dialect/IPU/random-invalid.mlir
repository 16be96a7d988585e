// RUN: ipu-opt %s --split-input-file --verify-diagnostics

func.func @f(%y : memref<?xf16>, %i : index) {
  // expected-error @below {{'ipu.element_number' op expects to be in an 'ipu.codelet'}}
  %n = ipu.element_number %y[%i] : memref<?xf16>
  return
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  // expected-error @below {{'ipu.random_bits' op expects the buffer to be an output of the codelet}}
  %r = ipu.random_bits %x[%i] : memref<?xf16, strided<[1], offset: ?>>
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  %a = memref.alloca() : memref<4xf16>
  // expected-error @below {{'ipu.element_number' op expects the buffer to be an output of the codelet}}
  %n = ipu.element_number %a[%i] : memref<4xf16>
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  // expected-error @below {{'ipu.element_number' op expects one index for each dimension of 'memref<?xf16, strided<[1], offset: ?>>' but got 2}}
  %n = ipu.element_number %y[%i, %i] : memref<?xf16, strided<[1], offset: ?>>
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  // expected-error @below {{'ipu.random_bits' op expects one index for each dimension of 'memref<?xf16, strided<[1], offset: ?>>' but got 0}}
  %r = ipu.random_bits %y[] : memref<?xf16, strided<[1], offset: ?>>
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  // expected-error @below {{'ipu.random_bits' op expects a draw from 0 to 15 but got 16}}
  %r = ipu.random_bits %y[%i] draw 16 : memref<?xf16, strided<[1], offset: ?>>
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  // expected-error @below {{'ipu.random_bits' op expects a draw from 0 to 15 but got -1}}
  %r = ipu.random_bits %y[%i] draw -1 : memref<?xf16, strided<[1], offset: ?>>
}

// -----

ipu.codelet @c(%y : memref<?xf16, strided<[1], offset: ?>>, %z : memref<?xf16, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  // expected-note @below {{another op is here}}
  %n = ipu.element_number %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  // expected-error @below {{'ipu.random_bits' op expects the same buffer as the other ops 'ipu.element_number' and 'ipu.random_bits' of the codelet}}
  %r = ipu.random_bits %z[%i] : memref<?xf16, strided<[1], offset: ?>>
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  %f = arith.constant 1.0 : f16
  %r = arith.constant 1 : i32
  // expected-error @below {{'ipu.round_stochastic' op operand #0 must be 32-bit float or 64-bit float, but got 'f16'}}
  %z = ipu.round_stochastic %f, %r overflow nan : f16 to f16
}

// -----

ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  %i = arith.constant 0 : index
  %f = arith.constant 1.0 : f32
  %r = arith.constant 1 : i32
  // expected-error @below {{'ipu.round_stochastic' op result #0 must be 16-bit float or f8E4M3FNUZ type or f8E5M2FNUZ type, but got 'bf16'}}
  %z = ipu.round_stochastic %f, %r overflow nan : f32 to bf16
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  // expected-note @below {{codelet defined here}}
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op has no 'rng' but @c draws random bits}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  // expected-note @below {{codelet defined here}}
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op has an 'rng' but @c draws no random bits}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) draw<0> access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4xi32, #m>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op expects an RNG state of type 'memref<4x6x4xi32, #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>>' but got 'memref<4xi32, }}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4xi32, #m>) draw<1> access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %v = ipu.var "v" : memref<96xi32, #s>
    %s = memref.reinterpret_cast %v to offset: [0], sizes: [4, 6, 4], strides: [24, 4, 1] : memref<96xi32, #s> to memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op expects an RNG state to be a whole variable}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) draw<2> access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    // expected-note @below {{variable defined here}}
    %s = ipu.var "s" copies : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op writes a variable that has copies of elements on several tiles; only exchanges and fills may write such a variable}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) draw<3> access [#m, #m]
    }
    return
  }
}

// -----

#t = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<2x6x4xi32, #t>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op expects an RNG state for tiles up to 3 but got 'memref<2x6x4xi32, }}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<2x6x4xi32, #t>) draw<4> access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator stream>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    %z = ipu.var "z" : memref<4xf16, #m>
    ipu.compute_set "c" {
      // expected-note @below {{other vertices here}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) access [#m, #m]
      // expected-error @below {{'ipu.vertices' op draws from the same RNG state as other vertices of the compute set}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%z : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator stream>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  ipu.codelet @r(%x : memref<?x?x?xi32, strided<[?, ?, 1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    %z = ipu.var "z" : memref<4xf16, #m>
    ipu.compute_set "c" {
      // expected-note @below {{other vertices draw here}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) access [#m, #m]
      // expected-error @below {{'ipu.vertices' op uses an RNG state that vertices of the compute set draw from}}
      ipu.vertices @r ins(%s : memref<4x6x4xi32, #s>) outs(%z : memref<4xf16, #m>) access [#s, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  ipu.codelet @r(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?x?x?xi32, strided<[?, ?, 1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    %z = ipu.var "z" : memref<4xf16, #m>
    ipu.compute_set "c" {
      // expected-note @below {{other vertices draw here}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) draw<7> access [#m, #m]
      // expected-error @below {{'ipu.vertices' op uses an RNG state that vertices of the compute set draw from}}
      ipu.vertices @r ins(%z : memref<4xf16, #m>) outs(%s : memref<4x6x4xi32, #s>) access [#m, #s]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op has an 'overflow' but no 'rng'}}
    ipu.collective all_reduce add %x to %y {overflow = #ipu<rounding_overflow nan>} : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op expects an 'overflow' for its 'rng'}}
    ipu.collective all_reduce add %x to %y rng(%s : memref<4x6x4xi32, #s>) draw<8> : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op with an 'rng' expects an operator other than 'local'}}
    ipu.collective all_reduce local %x to %y rng(%s : memref<4x6x4xi32, #s>) draw<9> {overflow = #ipu<rounding_overflow nan>} : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op with an 'rng' expects a reduction but got 'permute'}}
    ipu.collective permute %x to %y rng(%s : memref<4x6x4xi32, #s>) draw<10> {overflow = #ipu<rounding_overflow nan>, pairs = [[0, 1]]} : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op with an 'rng' expects elements of type f16, f8E4M3FNUZ or f8E5M2FNUZ but got 'f32'}}
    ipu.collective all_reduce add %x to %y rng(%s : memref<4x6x4xi32, #s>) draw<11> {overflow = #ipu<rounding_overflow nan>} : memref<4xf32, #m> to memref<4xf32, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4xi32, #m>
    // expected-error @below {{'ipu.collective' op expects an RNG state of type 'memref<4x6x4xi32, #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>>' but got 'memref<4xi32, }}
    ipu.collective all_reduce add %x to %y rng(%s : memref<4xi32, #m>) draw<12> {overflow = #ipu<rounding_overflow nan>} : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.storage @st : memref<4x6x4xi32, #s>
  // expected-error @below {{'ipu.rng_state' op expects a modifier from 0 to 4095 but got 4096}}
  ipu.rng_state @a in @st #pop.replica_partition<all of 2> modifier 4096
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.storage @st : memref<4x6x4xi32, #s>
  // expected-error @below {{'ipu.rng_state' op expects a modifier from 0 to 4095 but got -1}}
  ipu.rng_state @a in @st #pop.replica_partition<all of 2> modifier -1
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  // expected-error @below {{'ipu.rng_state' op expects @st to be an 'ipu.storage'}}
  ipu.rng_state @a in @st #pop.replica_partition<all of 2> modifier 0
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  // expected-note @below {{defined here}}
  ipu.storage @st : memref<4xi32, #m>
  // expected-error @below {{'ipu.rng_state' op expects @st to be of type 'memref<4x6x4xi32, #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>>' but got 'memref<4xi32, }}
  ipu.rng_state @a in @st #pop.replica_partition<all of 2> modifier 0
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.storage @st : memref<4x6x4xi32, #s>
  // expected-error @below {{'ipu.rng_state' op expects a partition of 2 replicas but got #pop.replica_partition<all of 4>}}
  ipu.rng_state @a in @st #pop.replica_partition<all of 4> modifier 0
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.storage @st : memref<4x6x4xi32, #s>
  // expected-error @below {{'ipu.rng_state' op expects the module to have attribute 'ipu.rng'}}
  ipu.rng_state @a in @st #pop.replica_partition<all of 2> modifier 0
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.storage @st : memref<4x6x4xi32, #s>
  // expected-note @below {{defined here}}
  ipu.rng_state @a in @st #pop.replica_partition<all of 2> modifier 0
  // expected-error @below {{'ipu.rng_state' op has the same memory location as @a}}
  ipu.rng_state @b in @st #pop.replica_partition<all of 2> modifier 1
}

// -----

// expected-error @below {{'func.func' op attribute 'ipu.rng' belongs on a module}}
func.func private @f() attributes {ipu.rng = #ipu<rng_generator counter>}

// -----

// expected-error @below {{'builtin.module' op attribute 'ipu.rng' expects a #ipu<rng_generator ...> but got 1 : i64}}
module attributes {ipu.rng = 1 : i64} {
}

// -----

#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
func.func @f() {
  %x = ipu.var "x" : memref<4xf16, #m>
  %y = ipu.var "y" : memref<4xf16, #m>
  ipu.exchange "e" {
    // expected-error @below {{'ipu.move' op attribute 'ipu.replica_equal' expects a #pop.replica_partition but got unit}}
    ipu.move %x to %y {ipu.replica_equal} : memref<4xf16, #m> to memref<4xf16, #m>
  }
  return
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op expects a 'draw' because the module's generator is 'counter'}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator stream>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
    %i = arith.constant 0 : index
    %r = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op has a 'draw' but the module's generator is 'stream'}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) rng(%s : memref<4x6x4xi32, #s>) draw<0> access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.codelet @c(%x : memref<?xf16, strided<[1], offset: ?>>, %y : memref<?xf16, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 1, worker = 1, per = 1> {
  }
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    ipu.compute_set "c" {
      // expected-error @below {{'ipu.vertices' op has a 'draw' but no 'rng'}}
      ipu.vertices @c ins(%x : memref<4xf16, #m>) outs(%y : memref<4xf16, #m>) draw<0> access [#m, #m]
    }
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op expects a 'draw' because the module's generator is 'counter'}}
    ipu.collective all_reduce add %x to %y rng(%s : memref<4x6x4xi32, #s>) {overflow = #ipu<rounding_overflow nan>} : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.collective' op has a 'draw' but no 'rng'}}
    ipu.collective all_reduce add %x to %y draw<1> : memref<4xf16, #m> to memref<4xf16, #m>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator stream>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.advance_rng' op expects the module's generator to be 'counter' but got 'stream'}}
    ipu.advance_rng %s : memref<4x6x4xi32, #s>
    return
  }
}

// -----

#s = #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>
#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
module attributes {ipu.rng = #ipu<rng_generator counter>, ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  func.func @main() {
    %x = ipu.var "x" : memref<4xf16, #m>
    %y = ipu.var "y" : memref<4xf16, #m>
    %s = ipu.var "s" : memref<4x6x4xi32, #s>
    // expected-error @below {{'ipu.advance_rng' op expects an RNG state of type 'memref<4x6x4xi32, #ipu.map<[4, 6, 4], grid = [4], blocks = [p0 * 1 : 1, all, all]>>' but got 'memref<4xf16, }}
    ipu.advance_rng %x : memref<4xf16, #m>
    return
  }
}

// -----

// expected-error @below {{expects the number of a draw to be from 0 to 268435455 but got -1}}
func.func private @f() attributes {draw = #ipu.draw<-1>}

// -----

// expected-error @below {{expects the number of a draw to be from 0 to 268435455 but got 268435456}}
func.func private @f() attributes {draw = #ipu.draw<268435456>}

// -----

// expected-error @below {{expects the offset of a draw to be from -2147483648 to 2147483647 but got 2147483648}}
func.func private @f() attributes {draw = #ipu.draw<0, offset = 2147483648>}

// -----

// expected-error @below {{expects the offset of a draw to be from -2147483648 to 2147483647 but got -2147483649}}
func.func private @f() attributes {draw = #ipu.draw<0, offset = -2147483649>}
