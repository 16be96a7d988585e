// RUN: ipu-opt %s --split-input-file --verify-diagnostics --ipu-allocate | FileCheck %s

// A function that is called has its steps before the first call, and its summary
// is part of the caller's. Worked out in docs/memory.md.

#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  ipu.codelet @sum(%x : !b) inputs 0 cost <reduce, supervisor = 1, worker = 1> {}
  ipu.storage @w.storage : !v
  ipu.state @w in @w.storage : tensor<100xf32> = dense<1.0> : tensor<100xf32>
  ipu.stream @out device_to_host : tensor<100xf32>
  // CHECK-LABEL: func.func @f() {
  func.func @f() {
    %t = ipu.var "t" : !v
    ipu.compute_set "f" {
      ipu.vertices @one outs(%t : !v) access [#m]
    }
    ipu.write_undef %t : !v
    return
  }
  // CHECK-LABEL: func.func @g() {
  func.func @g() {
    %w = ipu.var "w" of @w.storage : !v
    ipu.compute_set "g" {
      ipu.vertices @sum outs(%w : !v) access [#m]
    }
    return
  }
  // The most is live in @g: w, and y, which is live across the second call of it.
  // Code of @g: 900 + 24, which is there at step 4; that of @f, 300 + 24, has the
  // same place. Always: 4096, a store, two loads and three calls of 12, two vertices
  // of 12, and 64 + 16 for the copy to the host.
  // 4096 + 72 + 924 = 5092, rounded up to 5096 for y; 24 and 80 after it, and w: 6000.
  // CHECK-LABEL: func.func @main() attributes
  // CHECK-SAME: tile = 0, step = 4, classes = 1, bytes = 6000, least = 5996, stack = 4096, vertex_code = 900,
  // CHECK-SAME: exchange_code = 0, control_code = 96, vertex_state = 24, host_exchange = 80,
  // CHECK-SAME: always_live = 400, not_always_live = 400, gaps = 4>
  func.func @main() {
    ipu.code_load [@f] to executable      // 0
    ipu.call @f                           // 1 and 2
    ipu.code_load [@g] to executable      // 3
    ipu.call @g                           // 4 and 5
    %y = ipu.var "y" : !v
    ipu.call @g                           // 6
    ipu.host_store %y to @out : !v        // 7
    ipu.write_undef %y : !v
    return
  }
}

// -----

// All code is there all the time without loads: too much of it.

#m = #ipu.map<[1], grid = [], blocks = [all]>
!v = memref<1xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64, code_memory = 5000 : i64}>} {
  // expected-note @below {{codelet @one takes 900 bytes of code}}
  ipu.codelet @one(%x : !b) inputs 0 cost <reduce, supervisor = 1, worker = 1> {}
  // expected-note @below {{codelet @sum takes 900 bytes of code}}
  ipu.codelet @sum(%x : !b) inputs 0 cost <reduce, supervisor = 1, worker = 1> {}
  func.func @f() {
    %t = ipu.var "t" : !v
    // expected-note @below {{"f" ('ipu.compute_set') takes 24 bytes of control_code}}
    ipu.compute_set "f" {
      ipu.vertices @one outs(%t : !v) access [#m]
    }
    return
  }
  func.func @g() {
    %t = ipu.var "t" : !v
    // expected-note @below {{"g" ('ipu.compute_set') takes 24 bytes of control_code}}
    ipu.compute_set "g" {
      ipu.vertices @sum outs(%t : !v) access [#m]
    }
    return
  }
  // expected-error @+3 {{program has too much code: tile 0 needs 5968 bytes, 968 more than the 5000 bytes from which instructions can be fetched}}
  // expected-note @+2 {{bytes of tile 0: stack 4096, vertex_code 1800, control_code 72}}
  // expected-note @+1 {{most of the code is in codelets (vertex_code)}}
  func.func @main() {
    // expected-note @below {{"f" ('ipu.call') takes 12 bytes of control_code}}
    ipu.call @f
    ipu.call @g
    return
  }
}

// -----

// The same with loads: 4096 + 900 + 24 + 48 = 5068 at any time.

#m = #ipu.map<[1], grid = [], blocks = [all]>
!v = memref<1xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64, code_memory = 5068 : i64}>} {
  ipu.codelet @one(%x : !b) inputs 0 cost <reduce, supervisor = 1, worker = 1> {}
  ipu.codelet @sum(%x : !b) inputs 0 cost <reduce, supervisor = 1, worker = 1> {}
  func.func @f() {
    %t = ipu.var "t" : !v
    ipu.compute_set "f" {
      ipu.vertices @one outs(%t : !v) access [#m]
    }
    return
  }
  func.func @g() {
    %t = ipu.var "t" : !v
    ipu.compute_set "g" {
      ipu.vertices @sum outs(%t : !v) access [#m]
    }
    return
  }
  // CHECK-LABEL: func.func @main() attributes
  // CHECK-SAME: vertex_code = 900
  func.func @main() {
    ipu.code_load [@f] to executable
    ipu.call @f
    ipu.code_load [@g] to executable
    ipu.call @g
    return
  }
}

// -----

#s = #ipu.map<[], grid = [1], blocks = []>
module {
  func.func @recursive() {
    %v = ipu.var "v" : memref<i32, #s>
    // expected-error @below {{'ipu.call' op expects no recursion, but this call is part of a recursion of @recursive}}
    ipu.call @recursive
    return
  }
  func.func @main() {
    ipu.call @recursive
    return
  }
}

// -----

// The states of generators are kept between runs, also where no step uses them:
// 6 workers with 16 bytes each.

#s = #ipu.map<[1, 6, 4], grid = [1], blocks = [p0 * 1 : 1, all, all]>
!s = memref<1x6x4xi32, #s>
#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.rng = #ipu<rng_generator stream>, ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  ipu.storage @rng.storage : !s
  ipu.rng_state @rng in @rng.storage #pop.replica_partition<all of 1> modifier 0
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  // CHECK-LABEL: func.func @main() attributes
  // CHECK-SAME: always_live = 96
  func.func @main() {
    %t = ipu.var "t" : !v
    ipu.compute_set "set" {
      ipu.vertices @one outs(%t : !v) access [#m]
    }
    ipu.write_undef %t : !v
    return
  }
}
