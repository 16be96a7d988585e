// RUN: ipu-opt %s --split-input-file --ipu-allocate | FileCheck %s

// @outer overwrites x before it reads x, and only @outer and its callee use x. So x
// keeps nothing between the calls of @outer, and y has the memory of x: 400 bytes for w,
// which are always live, and 400 bytes for x or y.

#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  ipu.storage @x.storage : !v
  ipu.storage @w.storage : !v
  ipu.state @w in @w.storage : tensor<100xf32> = dense<1.0> : tensor<100xf32>
  func.func @inner() {
    %x = ipu.var "x" of @x.storage : !v
    ipu.compute_set "inner" {
      ipu.vertices @one outs(%x : !v) access [#m]
    }
    return
  }
  func.func @outer() {
    %x = ipu.var "x" of @x.storage : !v
    %w = ipu.var "w" of @w.storage : !v
    ipu.exchange "copy" {
      ipu.move %w to %x : !v to !v
    }
    ipu.call @inner
    ipu.call @inner
    return
  }
  // CHECK-LABEL: func.func @main() attributes
  // CHECK-SAME: always_live = 400, not_always_live = 400,
  func.func @main() {
    ipu.call @outer
    %y = ipu.var "y" : !v
    ipu.compute_set "y" {
      ipu.vertices @one outs(%y : !v) access [#m]
    }
    ipu.write_undef %y : !v
    ipu.call @outer
    return
  }
}

// -----

// A part of x may keep what an earlier call wrote.

#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  ipu.storage @x.storage : !v
  ipu.storage @w.storage : !v
  ipu.state @w in @w.storage : tensor<100xf32> = dense<1.0> : tensor<100xf32>
  func.func @outer() {
    %x = ipu.var "x" of @x.storage : !v
    %w = ipu.var "w" of @w.storage : !v
    %to = memref.reinterpret_cast %x to offset: [0], sizes: [50], strides: [1] : !v to memref<50xf32, strided<[1]>, #m>
    %from = memref.reinterpret_cast %w to offset: [0], sizes: [50], strides: [1] : !v to memref<50xf32, strided<[1]>, #m>
    ipu.exchange "copy" {
      ipu.move %from to %to : memref<50xf32, strided<[1]>, #m> to memref<50xf32, strided<[1]>, #m>
    }
    ipu.compute_set "outer" {
      ipu.vertices @one outs(%x : !v) access [#m]
    }
    return
  }
  // CHECK-LABEL: func.func @main() attributes
  // CHECK-SAME: always_live = 400, not_always_live = 800,
  func.func @main() {
    ipu.call @outer
    %y = ipu.var "y" : !v
    ipu.compute_set "y" {
      ipu.vertices @one outs(%y : !v) access [#m]
    }
    ipu.write_undef %y : !v
    ipu.call @outer
    return
  }
}

// -----

// Another function reads x after the call.

#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  ipu.storage @x.storage : !v
  ipu.storage @w.storage : !v
  ipu.state @w in @w.storage : tensor<100xf32> = dense<1.0> : tensor<100xf32>
  func.func @outer() {
    %x = ipu.var "x" of @x.storage : !v
    %w = ipu.var "w" of @w.storage : !v
    ipu.exchange "copy" {
      ipu.move %w to %x : !v to !v
    }
    return
  }
  // CHECK-LABEL: func.func @main() attributes
  // CHECK-SAME: always_live = 400, not_always_live = 800,
  func.func @main() {
    ipu.call @outer
    %y = ipu.var "y" : !v
    ipu.compute_set "y" {
      ipu.vertices @one outs(%y : !v) access [#m]
    }
    ipu.write_undef %y : !v
    %x = ipu.var "x" of @x.storage : !v
    ipu.compute_set "x" {
      ipu.vertices @one outs(%x : !v) access [#m]
    }
    return
  }
}

// -----

// A loop may have no iterations.

#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  ipu.codelet @one(%x : !b) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  ipu.storage @x.storage : !v
  ipu.storage @w.storage : !v
  ipu.state @w in @w.storage : tensor<100xf32> = dense<1.0> : tensor<100xf32>
  func.func @outer() {
    %x = ipu.var "x" of @x.storage : !v
    %w = ipu.var "w" of @w.storage : !v
    ipu.repeat 2 {
      ipu.exchange "copy" {
        ipu.move %w to %x : !v to !v
      }
    }
    return
  }
  // CHECK-LABEL: func.func @main() attributes
  // CHECK-SAME: always_live = 400, not_always_live = 800,
  func.func @main() {
    ipu.call @outer
    %y = ipu.var "y" : !v
    ipu.compute_set "y" {
      ipu.vertices @one outs(%y : !v) access [#m]
    }
    ipu.write_undef %y : !v
    ipu.call @outer
    return
  }
}
