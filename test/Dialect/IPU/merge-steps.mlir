// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-merge-steps))' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --mlir-print-debuginfo --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(ipu-merge-steps))' | FileCheck %s --check-prefix=LOC
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-merge-steps))' --remark-format=emitRemark --remarks-filter=ipu-merge -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
!b = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @neg(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 20, worker = 17, cycles = 2, per = 2> {
}
ipu.codelet @add(%x : !b, %y : !b, %z : !b) inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
}

// Two chains of two supersteps each become one, and their sum follows. The
// variables of what is done sooner are there in time.
// CHECK-LABEL: func.func @chains
// CHECK: %[[X:.*]] = ipu.var "x"
// CHECK: %[[Y:.*]] = ipu.var "y"
// CHECK: %[[X0:.*]] = ipu.var "x0" copies
// CHECK: %[[Y0:.*]] = ipu.var "y0" copies
// CHECK-NEXT: ipu.sync internal
// CHECK-NEXT: ipu.exchange "a0+b0" {
// CHECK-NEXT:   ipu.move %[[X]] to %[[X0]]
// CHECK-NEXT:   ipu.move %[[Y]] to %[[Y0]]
// CHECK-NEXT: {{^ *}}}
// CHECK: ipu.compute_set "a0+b0" {
// CHECK-NEXT:   ipu.vertices @neg ins(%[[X0]]
// CHECK-NEXT:   ipu.vertices @neg ins(%[[Y0]]
// CHECK-NEXT: {{^ *}}}
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "a1+b1" {
// CHECK-NEXT:   ipu.move
// CHECK-NEXT:   ipu.move
// CHECK-NEXT: {{^ *}}}
// CHECK: ipu.compute_set "a1+b1" {
// CHECK-NEXT:   ipu.vertices
// CHECK-NEXT:   ipu.vertices
// CHECK-NEXT: {{^ *}}}
// CHECK-NOT: ipu.sync
// CHECK-NOT: ipu.exchange
// CHECK: ipu.compute_set "sum" {
// CHECK-NEXT: ipu.vertices
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: return

// The place of the first part comes first.
// LOC-LABEL: func.func @chains
// LOC: ipu.exchange "a0+b0" {
// LOC: } loc(fused["first", "second"])
// REMARK: remark: {{.*}}ipu-merge-steps{{.*}}compute_sets=2, exchanges=2, moves=0
func.func @chains() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #m>
  %x0 = ipu.var "x0" copies : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "a0" {
    ipu.move %x to %x0 : memref<8xf32, #m> to memref<8xf32, #n>
  } loc("first")
  %a = ipu.var "a" : memref<8xf32, #n>
  ipu.compute_set "a0" {
    ipu.vertices @neg ins(%x0 : memref<8xf32, #n>) outs(%a : memref<8xf32, #n>) access [#n, #n]
  }
  %a0 = ipu.var "a1" copies : memref<8xf32, #m>
  ipu.sync internal
  ipu.exchange "a1" {
    ipu.move %a to %a0 : memref<8xf32, #n> to memref<8xf32, #m>
  }
  %c = ipu.var "c" : memref<8xf32, #m>
  ipu.compute_set "a1" {
    ipu.vertices @neg ins(%a0 : memref<8xf32, #m>) outs(%c : memref<8xf32, #m>) access [#m, #m]
  }
  %y0 = ipu.var "y0" copies : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "b0" {
    ipu.move %y to %y0 : memref<8xf32, #m> to memref<8xf32, #n>
  } loc("second")
  %b = ipu.var "b" : memref<8xf32, #n>
  ipu.compute_set "b0" {
    ipu.vertices @neg ins(%y0 : memref<8xf32, #n>) outs(%b : memref<8xf32, #n>) access [#n, #n]
  }
  %b0 = ipu.var "b1" copies : memref<8xf32, #m>
  ipu.sync internal
  ipu.exchange "b1" {
    ipu.move %b to %b0 : memref<8xf32, #n> to memref<8xf32, #m>
  }
  %d = ipu.var "d" : memref<8xf32, #m>
  ipu.compute_set "b1" {
    ipu.vertices @neg ins(%b0 : memref<8xf32, #m>) outs(%d : memref<8xf32, #m>) access [#m, #m]
  }
  %s = ipu.var "s" : memref<8xf32, #m>
  ipu.compute_set "sum" {
    ipu.vertices @add ins(%c, %d : memref<8xf32, #m>, memref<8xf32, #m>) outs(%s : memref<8xf32, #m>) access [#m, #m, #m]
  }
  return
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#h = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>

// An exchange that reads what an earlier one writes, one that writes what it
// reads, and one that writes what it writes stay behind it. Halves of a variable
// are independent; what nobody waits for is done no sooner than need be.
// CHECK-LABEL: func.func @moves
// CHECK: ipu.exchange "first" {
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "reads" {
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "overwrites" {
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "again+half" {
// CHECK-NOT: ipu.sync
func.func @moves() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #m>
  %z = ipu.var "z" : memref<8xf32, #n>
  %w = ipu.var "w" : memref<8xf32, #n>
  %low = memref.reinterpret_cast %w to offset: [0], sizes: [4], strides: [1] : memref<8xf32, #n> to memref<4xf32, #n>
  %high = memref.reinterpret_cast %w to offset: [4], sizes: [4], strides: [1] : memref<8xf32, #n> to memref<4xf32, strided<[1], offset: 4>, #n>
  %u = ipu.var "u" : memref<4xf32, #h>
  ipu.sync internal
  ipu.exchange "first" {
    ipu.move %x to %z : memref<8xf32, #m> to memref<8xf32, #n>
    ipu.move %u to %low : memref<4xf32, #h> to memref<4xf32, #n>
  }
  ipu.sync internal
  ipu.exchange "reads" {
    ipu.move %z to %y : memref<8xf32, #n> to memref<8xf32, #m>
  }
  ipu.sync internal
  ipu.exchange "overwrites" {
    ipu.move %y to %x : memref<8xf32, #m> to memref<8xf32, #m>
  }
  ipu.sync internal
  ipu.exchange "again" {
    ipu.move %x to %z : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.sync internal
  ipu.exchange "half" {
    ipu.move %u to %high : memref<4xf32, #h> to memref<4xf32, strided<[1], offset: 4>, #n>
  }
  return
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>

// The stronger sync stays.
// CHECK-LABEL: func.func @stronger
// CHECK: ipu.sync ipus
// CHECK-NEXT: ipu.exchange "a+b" {
// CHECK-NOT: ipu.sync
// CHECK: return
func.func @stronger() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #m>
  %a = ipu.var "a" : memref<8xf32, #n>
  %b = ipu.var "b" : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "a" {
    ipu.move %x to %a : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.expect %a, dense<0.0> : tensor<8xf32> : memref<8xf32, #n>
  ipu.sync ipus
  ipu.exchange "b" {
    ipu.move %y to %b : memref<8xf32, #m> to memref<8xf32, #n>
  }
  return
}

// A sync that another exchange needs does not go away.
// CHECK-LABEL: func.func @shared
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "a+b" {
// CHECK: ipu.expect
// CHECK-NEXT: ipu.sync internal
// CHECK-NEXT: ipu.exchange "c" {
// CHECK-NOT: ipu.sync
// CHECK: ipu.expect
// CHECK-NEXT: ipu.sync ipus
// CHECK-NEXT: ipu.exchange "d" {
// CHECK: ipu.exchange "e" {
func.func @shared() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #m>
  %z = ipu.var "z" : memref<8xf32, #m>
  %a = ipu.var "a" : memref<8xf32, #n>
  %b = ipu.var "b" : memref<8xf32, #n>
  %d = ipu.var "d" : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "a" {
    ipu.move %x to %a : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.expect %a, dense<0.0> : tensor<8xf32> : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "b" {
    ipu.move %y to %b : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.exchange "c" {
    ipu.move %a to %y : memref<8xf32, #n> to memref<8xf32, #m>
  }
  ipu.expect %y, dense<0.0> : tensor<8xf32> : memref<8xf32, #m>
  // Its sync is stronger than that of "c", but stays for "e".
  ipu.sync ipus
  ipu.exchange "d" {
    ipu.move %z to %d : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.exchange "e" {
    ipu.move %d to %y : memref<8xf32, #n> to memref<8xf32, #m>
  }
  return
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
!b = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @neg(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 20, worker = 17, cycles = 2, per = 2> {
}

// What is there already is not brought again, until its source or it is written.
// CHECK-LABEL: func.func @again
// CHECK: %[[X:.*]] = ipu.var "x"
// CHECK: %[[A:.*]] = ipu.var "a"
// CHECK-NOT: ipu.var "b"
// CHECK: ipu.exchange "a" {
// CHECK-NEXT: ipu.move %[[X]] to %[[A]]
// CHECK-NEXT: {{^ *}}}
// CHECK: ipu.compute_set "use+write" {
// CHECK-NEXT: ipu.vertices @neg ins(%[[A]]
// CHECK-NEXT: ipu.vertices @neg ins(%[[A]]
// CHECK-NEXT: ipu.vertices @neg ins(%[[X]]
// CHECK-NEXT: {{^ *}}}
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "c" {
// CHECK-NEXT: ipu.move %[[X]] to %[[C:.*]] :
// CHECK: ipu.vertices @neg ins(%[[C]]
func.func @again() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #n>
  %z = ipu.var "z" : memref<8xf32, #n>
  %a = ipu.var "a" copies : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "a" {
    ipu.move %x to %a : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.compute_set "use" {
    ipu.vertices @neg ins(%a : memref<8xf32, #n>) outs(%y : memref<8xf32, #n>) access [#n, #n]
  }
  %b = ipu.var "b" copies : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "b" {
    ipu.move %x to %b : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.compute_set "use" {
    ipu.vertices @neg ins(%b : memref<8xf32, #n>) outs(%z : memref<8xf32, #n>) access [#n, #n]
  }
  ipu.compute_set "write" {
    ipu.vertices @neg ins(%x : memref<8xf32, #m>) outs(%x : memref<8xf32, #m>) access [#m, #m]
  }
  %c = ipu.var "c" copies : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "c" {
    ipu.move %x to %c : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.compute_set "use" {
    ipu.vertices @neg ins(%c : memref<8xf32, #n>) outs(%z : memref<8xf32, #n>) access [#n, #n]
  }
  return
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
!b = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @neg(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 20, worker = 17, cycles = 2, per = 2> {
}
ipu.codelet @add(%x : !b, %y : !b, %z : !b) inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
}

// In the body of a loop as elsewhere; nothing leaves it, but what is after the
// loop may be done before it.
// CHECK-LABEL: func.func @loop
// CHECK: ipu.exchange "before+after" {
// CHECK: ipu.repeat 10 {
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "a+b" {
// CHECK-NEXT: ipu.move
// CHECK-NEXT: ipu.move
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: ipu.compute_set "a" {
// CHECK: ipu.compute_set "b" {
// CHECK-NEXT: ipu.vertices
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: ipu.compute_set "after" {
func.func @loop() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %y = ipu.var "y" : memref<8xf32, #n>
  %z = ipu.var "z" : memref<8xf32, #m>
  %w = ipu.var "w" : memref<8xf32, #m>
  %w0 = ipu.var "w0" copies : memref<8xf32, #n>
  %w1 = ipu.var "w1" : memref<8xf32, #n>
  %z1 = ipu.var "z1" : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "before" {
    ipu.move %z to %z1 : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.repeat 10 {
    %a = ipu.var "a" copies : memref<8xf32, #n>
    %c = ipu.var "c" : memref<8xf32, #n>
    ipu.sync internal
    ipu.exchange "a" {
      ipu.move %x to %a : memref<8xf32, #m> to memref<8xf32, #n>
    }
    ipu.compute_set "a" {
      ipu.vertices @neg ins(%a : memref<8xf32, #n>) outs(%c : memref<8xf32, #n>) access [#n, #n]
    }
    %b = ipu.var "b" copies : memref<8xf32, #n>
    ipu.sync internal
    ipu.exchange "b" {
      ipu.move %z to %b : memref<8xf32, #m> to memref<8xf32, #n>
    }
    ipu.compute_set "b" {
      ipu.vertices @add ins(%b, %c : memref<8xf32, #n>, memref<8xf32, #n>) outs(%y : memref<8xf32, #n>) access [#n, #n, #n]
    }
  }
  ipu.sync internal
  ipu.exchange "after" {
    ipu.move %w to %w0 : memref<8xf32, #m> to memref<8xf32, #n>
  }
  ipu.compute_set "after" {
    ipu.vertices @add ins(%w0, %y : memref<8xf32, #n>, memref<8xf32, #n>) outs(%w1 : memref<8xf32, #n>) access [#n, #n, #n]
  }
  return
}

// -----

// Tiles receive 1408 bytes that pairs of them share and 704 others for each sum:
// together that takes 2112 / 4 = 528 cycles, in two exchanges 1408 / 8 + 704 / 4
// = 352 and for one more sync and set-up 190, which is more. For both sums it is
// 1056 or 894.
#far = #ipu.map<[704], grid = [4], blocks = [p0 * 176 : 176], first = 4>
#near = #ipu.map<[704], grid = [4], blocks = [p0 * 176 : 176]>
#pairs = #ipu.map<[704], grid = [2, 2], blocks = [p0 * 352 : 352]>
// CHECK-LABEL: func.func @split_together
// CHECK: %[[A:.*]] = ipu.var "a"
// CHECK: %[[B:.*]] = ipu.var "b"
// CHECK: %[[C:.*]] = ipu.var "c"
// CHECK: %[[D:.*]] = ipu.var "d"
// CHECK: ipu.sync internal
// CHECK-NEXT: ipu.exchange "first+second" {
// CHECK-NEXT:   ipu.move %[[A]]
// CHECK-NEXT:   ipu.move %[[C]]
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: ipu.sync internal
// CHECK-NEXT: ipu.exchange "first+second" {
// CHECK-NEXT:   ipu.move %[[B]]
// CHECK-NEXT:   ipu.move %[[D]]
// CHECK-NEXT: {{^ *}}}
// CHECK-NEXT: return
func.func @split_together() {
  %a = ipu.var "a" : memref<704xf32, #far>
  %b = ipu.var "b" : memref<704xf32, #far>
  %c = ipu.var "c" : memref<704xf32, #far>
  %d = ipu.var "d" : memref<704xf32, #far>
  %a0 = ipu.var "a0" copies : memref<704xf32, #pairs>
  %b0 = ipu.var "b0" : memref<704xf32, #near>
  %c0 = ipu.var "c0" copies : memref<704xf32, #pairs>
  %d0 = ipu.var "d0" : memref<704xf32, #near>
  ipu.sync internal
  ipu.exchange "first" {
    ipu.move %a to %a0 : memref<704xf32, #far> to memref<704xf32, #pairs>
    ipu.move %b to %b0 : memref<704xf32, #far> to memref<704xf32, #near>
  }
  ipu.sync internal
  ipu.exchange "second" {
    ipu.move %c to %c0 : memref<704xf32, #far> to memref<704xf32, #pairs>
    ipu.move %d to %d0 : memref<704xf32, #far> to memref<704xf32, #near>
  }
  return
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
!b = memref<?xf32, strided<[1], offset: ?>>
ipu.codelet @add(%x : !b, %y : !b, %z : !b) inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
}

// Two ops read the same tensor, as the projections of an attention layer do.
// Their exchanges and compute sets are merged.
// CHECK-LABEL: func.func @projections
// CHECK: ipu.exchange "q+k" {
// CHECK-COUNT-3: ipu.move
// CHECK-NOT: ipu.exchange
// CHECK: ipu.compute_set "q+k" {
// CHECK-COUNT-2: ipu.vertices
// CHECK-NOT: ipu.compute_set
// CHECK: ipu.exchange "q sums+k sums" {
// CHECK: ipu.compute_set "q sums+k sums" {
// CHECK-NOT: ipu.compute_set
// CHECK: return
func.func @projections() {
  %x = ipu.var "x" : memref<8xf32, #m>
  %wq = ipu.var "wq" : memref<8xf32, #m>
  %wk = ipu.var "wk" : memref<8xf32, #m>
  %q = ipu.var "q" : memref<8xf32, #m>
  %k = ipu.var "k" : memref<8xf32, #m>
  %xq = ipu.var "xq" copies : memref<8xf32, #n>
  %wq0 = ipu.var "wq0" copies : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "q" {
    ipu.move %x to %xq : memref<8xf32, #m> to memref<8xf32, #n>
    ipu.move %wq to %wq0 : memref<8xf32, #m> to memref<8xf32, #n>
  }
  %q0 = ipu.var "q0" : memref<8xf32, #n>
  ipu.compute_set "q" {
    ipu.vertices @add ins(%xq, %wq0 : memref<8xf32, #n>, memref<8xf32, #n>) outs(%q0 : memref<8xf32, #n>) access [#n, #n, #n]
  }
  %q1 = ipu.var "q1" copies : memref<8xf32, #m>
  ipu.sync internal
  ipu.exchange "q sums" {
    ipu.move %q0 to %q1 : memref<8xf32, #n> to memref<8xf32, #m>
  }
  ipu.compute_set "q sums" {
    ipu.vertices @add ins(%q1, %q1 : memref<8xf32, #m>, memref<8xf32, #m>) outs(%q : memref<8xf32, #m>) access [#m, #m, #m]
  }
  %xk = ipu.var "xk" copies : memref<8xf32, #n>
  %wk0 = ipu.var "wk0" copies : memref<8xf32, #n>
  ipu.sync internal
  ipu.exchange "k" {
    ipu.move %x to %xk : memref<8xf32, #m> to memref<8xf32, #n>
    ipu.move %wk to %wk0 : memref<8xf32, #m> to memref<8xf32, #n>
  }
  %k0 = ipu.var "k0" : memref<8xf32, #n>
  ipu.compute_set "k" {
    ipu.vertices @add ins(%xk, %wk0 : memref<8xf32, #n>, memref<8xf32, #n>) outs(%k0 : memref<8xf32, #n>) access [#n, #n, #n]
  }
  %k1 = ipu.var "k1" copies : memref<8xf32, #m>
  ipu.sync internal
  ipu.exchange "k sums" {
    ipu.move %k0 to %k1 : memref<8xf32, #n> to memref<8xf32, #m>
  }
  ipu.compute_set "k sums" {
    ipu.vertices @add ins(%k1, %k1 : memref<8xf32, #m>, memref<8xf32, #m>) outs(%k : memref<8xf32, #m>) access [#m, #m, #m]
  }
  return
}
