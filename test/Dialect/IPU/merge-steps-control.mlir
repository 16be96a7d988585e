// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-merge-steps))' --mlir-print-local-scope | FileCheck %s

// Bodies are worked on by themselves; steps pass what they have nothing to do
// with, but no call.

!b = memref<?xf32, strided<[1], offset: ?>>
#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>
!m = memref<8xf32, #m>
module {
  ipu.codelet @f(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  ipu.storage @w.storage : !m
  ipu.remote_buffer @b : 3 x tensor<8xf32>
  func.func @g() {
    return
  }

  // CHECK-LABEL: func.func @call
  func.func @call() {
    %x = ipu.var "x" : !m
    %a = ipu.var "a" : !m
    %c = ipu.var "c" : !m
    // CHECK: ipu.compute_set "one" {
    ipu.compute_set "one" {
      ipu.vertices @f ins(%x : !m) outs(%a : !m) access [#m, #m]
    }
    // CHECK: ipu.call @g
    ipu.call @g
    // CHECK: ipu.compute_set "two" {
    ipu.compute_set "two" {
      ipu.vertices @f ins(%x : !m) outs(%c : !m) access [#m, #m]
    }
    return
  }

  // CHECK-LABEL: func.func @branch
  func.func @branch() {
    %p = ipu.var "p" : memref<i1, #s>
    %x = ipu.var "x" : !m
    %a = ipu.var "a" : !m
    %c = ipu.var "c" : !m
    %d = ipu.var "d" : !m
    // What the branch does not touch is done before it.
    // CHECK: ipu.compute_set "one+free" {
    ipu.compute_set "one" {
      ipu.vertices @f ins(%x : !m) outs(%a : !m) access [#m, #m]
    }
    // CHECK: ipu.if
    ipu.if %p : memref<i1, #s> {
      // CHECK-NEXT: ipu.compute_set "then" {
      ipu.compute_set "then" {
        ipu.vertices @f ins(%x : !m) outs(%c : !m) access [#m, #m]
      }
    // CHECK: } else {
    } else {
      // Independent steps of a body are one.
      // CHECK-NEXT: %[[T:.*]] = ipu.var "t"
      // CHECK-NEXT: %[[U:.*]] = ipu.var "u"
      // CHECK-NEXT: ipu.compute_set "t+u" {
      %t = ipu.var "t" : !m
      ipu.compute_set "t" {
        ipu.vertices @f ins(%x : !m) outs(%t : !m) access [#m, #m]
      }
      %u = ipu.var "u" : !m
      ipu.compute_set "u" {
        ipu.vertices @f ins(%x : !m) outs(%u : !m) access [#m, #m]
      }
      // CHECK: ipu.compute_set "c" {
      ipu.compute_set "c" {
        ipu.vertices @f ins(%t : !m) outs(%c : !m) access [#m, #m]
      }
    }
    %e = ipu.var "e" : !m
    ipu.compute_set "free" {
      ipu.vertices @f ins(%x : !m) outs(%e : !m) access [#m, #m]
    }
    // What it writes is read behind it.
    // CHECK: ipu.compute_set "after" {
    ipu.compute_set "after" {
      ipu.vertices @f ins(%c : !m) outs(%d : !m) access [#m, #m]
    }
    return
  }

  // The condition of a loop is read there.
  // CHECK-LABEL: func.func @condition
  func.func @condition(%unused : i32) {
    %p = ipu.var "p" : memref<i1, #s>
    %q = ipu.var "q" : memref<i1, #s>
    %r = ipu.var "r" : memref<i1, #s>
    // CHECK: ipu.exchange "first"
    // CHECK-NEXT: ipu.move
    // CHECK-NEXT: }
    ipu.exchange "first" {
      ipu.move %q to %r : memref<i1, #s> to memref<i1, #s>
    }
    // CHECK: ipu.while
    ipu.while %p : memref<i1, #s> {
    } do {
    }
    // CHECK: ipu.exchange "second"
    ipu.exchange "second" {
      ipu.move %q to %p : memref<i1, #s> to memref<i1, #s>
    }
    return
  }

  // A function that is called reads what this one leaves in storage, and writes
  // what it reads there, so that moves to and from storage stay.
  // CHECK-LABEL: func.func @storage
  func.func @storage() {
    %w = ipu.var "w" of @w.storage : !m
    %x = ipu.var "x" : !m
    // CHECK: ipu.exchange "in"
    // CHECK-NEXT: ipu.move %[[X:.*]] to %[[W:.*]] :
    ipu.exchange "in" {
      ipu.move %x to %w : !m to !m
    }
    // CHECK: ipu.call @g
    ipu.call @g
    // CHECK: ipu.exchange "again"
    // CHECK-NEXT: ipu.move %[[X]] to %[[W]] :
    ipu.exchange "again" {
      ipu.move %x to %w : !m to !m
    }
    ipu.call @g
    return
  }

  // Loads of streaming memory and of code stay in order with each other; a
  // compute set passes them.
  // CHECK-LABEL: func.func @transfers
  func.func @transfers() {
    %v = ipu.var "v" : !m
    %x = ipu.var "x" : !m
    %a = ipu.var "a" : !m
    // CHECK: ipu.compute_set "one+two" {
    ipu.compute_set "one" {
      ipu.vertices @f ins(%x : !m) outs(%a : !m) access [#m, #m]
    }
    // CHECK: ipu.remote_exchange "load"
    ipu.remote_exchange "load" {
      ipu.remote_load @b[0] to %v : !m
    }
    // CHECK: ipu.code_load
    ipu.code_load [@g] to executable
    // CHECK: ipu.remote_exchange "store"
    ipu.remote_exchange "store" {
      ipu.remote_store %v to @b[0] : !m
    }
    %c = ipu.var "c" : !m
    ipu.compute_set "two" {
      ipu.vertices @f ins(%x : !m) outs(%c : !m) access [#m, #m]
    }
    // What a load brings is there behind it.
    // CHECK: ipu.compute_set "loaded" {
    %d = ipu.var "d" : !m
    ipu.compute_set "loaded" {
      ipu.vertices @f ins(%v : !m) outs(%d : !m) access [#m, #m]
    }
    return
  }

  // CHECK-LABEL: func.func @collective
  func.func @collective() {
    %x = ipu.var "x" : !m
    %y = ipu.var "y" : !m
    %a = ipu.var "a" : !m
    // CHECK: ipu.compute_set "one" {
    ipu.compute_set "one" {
      ipu.vertices @f ins(%a : !m) outs(%x : !m) access [#m, #m]
    }
    // CHECK: ipu.collective all_reduce add
    ipu.collective all_reduce add %x to %y : !m to !m
    // CHECK: ipu.compute_set "two" {
    %c = ipu.var "c" : !m
    ipu.compute_set "two" {
      ipu.vertices @f ins(%y : !m) outs(%c : !m) access [#m, #m]
    }
    return
  }
}
