// RUN: ipu-opt %s -split-input-file -ipu-switch-rng-states | FileCheck %s

#m = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>

// One state stays in the workers.
// CHECK-LABEL: @one
// CHECK-NOT: rng.workers
module @one attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.storage @a : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.a in @a #pop.replica_partition<all of 1> modifier 0
  ipu.codelet @draw(%y : memref<?xf16, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xf16, strided<[1], offset: ?>>) {
    ^bb0(%out: f16):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
      %c = arith.constant 1.3 : f32
      %r = ipu.round_stochastic %c, %b overflow nan : f32 to f16
      linalg.yield %r : f16
    }
  }
  func.func @main() {
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    %y = ipu.var "y" : memref<4xf16, #v>
    ipu.compute_set "y" {
      ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<0> access [#v]
    }
    return
  }
}

// -----

#m = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>

// CHECK-LABEL: module @two
module @two attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.storage @a : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.a in @a #pop.replica_partition<all of 1> modifier 0
  ipu.storage @b : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.b in @b #pop.replica_partition<all of 1> modifier 1
  ipu.codelet @draw(%y : memref<?xf16, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xf16, strided<[1], offset: ?>>) {
    ^bb0(%out: f16):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
      %c = arith.constant 1.3 : f32
      %r = ipu.round_stochastic %c, %b overflow nan : f32 to f16
      linalg.yield %r : f16
    }
  }

  // A called function starts with what it draws from first; nothing is changed
  // between draws of one state.
  // CHECK-LABEL: func.func @callee
  func.func @callee() {
    // CHECK-DAG: %[[W:.*]] = ipu.var "rng.workers" of @rng.workers
    // CHECK-DAG: %[[B:.*]] = ipu.var "b" of @b
    // CHECK-DAG: %[[A:.*]] = ipu.var "a" of @a
    %b = ipu.var "b" of @b : memref<2x6x4xi32, #m>
    %y = ipu.var "y" : memref<4xf16, #v>
    // CHECK: ipu.compute_set "first" {
    // CHECK-NEXT: rng(%[[W]]
    ipu.compute_set "first" {
      ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%b : memref<2x6x4xi32, #m>) draw<1> access [#v]
    }
    // CHECK: ipu.compute_set "again" {
    ipu.compute_set "again" {
      ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%b : memref<2x6x4xi32, #m>) draw<2> access [#v]
    }
    // CHECK: ipu.compute_set "rng.get" {
    // CHECK-NEXT: ipu.vertices @copy_rng ins(%[[W]] {{.*}} outs(%[[B]]
    // CHECK: ipu.compute_set "rng.set" {
    // CHECK-NEXT: ipu.vertices @copy_rng ins(%[[A]] {{.*}} outs(%[[W]]
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    // CHECK: ipu.compute_set "last" {
    // CHECK-NEXT: rng(%[[W]]
    ipu.compute_set "last" {
      ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<3> access [#v]
    }
    // CHECK-NOT: rng.
    // CHECK: return
    return
  }

  // CHECK-LABEL: func.func @main
  func.func @main() {
    // CHECK-DAG: %[[W:.*]] = ipu.var "rng.workers" of @rng.workers
    // CHECK-DAG: %[[B:.*]] = ipu.var "b" of @b
    // CHECK-DAG: %[[A:.*]] = ipu.var "a" of @a
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    %b = ipu.var "b" of @b : memref<2x6x4xi32, #m>
    %y = ipu.var "y" : memref<4xf16, #v>
    %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #s>
    // Nothing is saved before the first draw. A loop ends a round with what it
    // starts with.
    // CHECK: ipu.compute_set "rng.set" {
    // CHECK-NEXT: ins(%[[A]] {{.*}} outs(%[[W]]
    // CHECK: ipu.repeat 3 {
    // CHECK-NEXT: ipu.compute_set "one"
    // CHECK: "rng.get"
    // CHECK-NEXT: ins(%[[W]] {{.*}} outs(%[[A]]
    // CHECK: "rng.set"
    // CHECK-NEXT: ins(%[[B]] {{.*}} outs(%[[W]]
    // CHECK: ipu.compute_set "two"
    // CHECK: "rng.get"
    // CHECK-NEXT: ins(%[[W]] {{.*}} outs(%[[B]]
    // CHECK: "rng.set"
    // CHECK-NEXT: ins(%[[A]] {{.*}} outs(%[[W]]
    // CHECK: }
    ipu.repeat 3 {
      ipu.compute_set "one" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<4> access [#v]
      }
      ipu.compute_set "two" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%b : memref<2x6x4xi32, #m>) draw<5> access [#v]
      }
    }
    // The branch that changes nothing comes to where the other one is, which the
    // call starts with.
    // CHECK: ipu.if
    // CHECK-NEXT: "rng.get"
    // CHECK-NEXT: ins(%[[W]] {{.*}} outs(%[[A]]
    // CHECK: "rng.set"
    // CHECK-NEXT: ins(%[[B]] {{.*}} outs(%[[W]]
    // CHECK: "then"
    // CHECK: } else {
    // CHECK-NEXT: "rng.get"
    // CHECK-NEXT: ins(%[[W]] {{.*}} outs(%[[A]]
    // CHECK: "rng.set"
    // CHECK-NEXT: ins(%[[B]] {{.*}} outs(%[[W]]
    ipu.if %p : memref<i1, #s> {
      ipu.compute_set "then" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%b : memref<2x6x4xi32, #m>) draw<6> access [#v]
      }
    }
    // The callee starts with b and ends with a.
    // CHECK-NOT: rng.
    // CHECK: ipu.call @callee
    ipu.call @callee
    // A loop of its own start: a is there already.
    // CHECK-NEXT: ipu.while
    // CHECK-NEXT: "before"
    // CHECK: } do {
    // CHECK-NEXT: "rng.get"
    // CHECK: "rng.set"
    // CHECK: "body"
    // CHECK: "rng.get"
    // CHECK: "rng.set"
    // CHECK-NEXT: ins(%[[A]] {{.*}} outs(%[[W]]
    ipu.while %p : memref<i1, #s> {
      ipu.compute_set "before" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<7> access [#v]
      }
    } do {
      ipu.compute_set "body" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%b : memref<2x6x4xi32, #m>) draw<8> access [#v]
      }
    }
    // The end saves what is there.
    // CHECK: "rng.get"
    // CHECK-NEXT: ins(%[[W]] {{.*}} outs(%[[A]]
    // CHECK-NOT: rng.set
    // CHECK: return
    return
  }
}

// -----

// Branches are brought to the state that is drawn from next.
#m = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>

// CHECK-LABEL: module @next
module @next attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.storage @a : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.a in @a #pop.replica_partition<all of 1> modifier 0
  ipu.storage @b : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.b in @b #pop.replica_partition<all of 1> modifier 1
  ipu.codelet @draw(%y : memref<?xf16, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xf16, strided<[1], offset: ?>>) {
    ^bb0(%out: f16):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
      %c = arith.constant 1.3 : f32
      %r = ipu.round_stochastic %c, %b overflow nan : f32 to f16
      linalg.yield %r : f16
    }
  }
  func.func @main() {
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    %b = ipu.var "b" of @b : memref<2x6x4xi32, #m>
    %y = ipu.var "y" : memref<4xf16, #v>
    %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #s>
    // CHECK: "first"
    ipu.compute_set "first" {
      ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<9> access [#v]
    }
    // CHECK: ipu.if
    // CHECK: "then"
    // CHECK: "rng.get"
    // CHECK: "rng.set"
    // CHECK: } else {
    // CHECK-NEXT: "else"
    // CHECK-NOT: rng.{{[gs]}}et
    // CHECK: "last"
    ipu.if %p : memref<i1, #s> {
      ipu.compute_set "then" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%b : memref<2x6x4xi32, #m>) draw<10> access [#v]
      }
    } else {
      ipu.compute_set "else" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<11> access [#v]
      }
    }
    ipu.compute_set "last" {
      ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<12> access [#v]
    }
    return
  }
}

// -----

// A state is advanced where it is: no copy is made for it.
#m = #ipu.map<[2, 6, 4], grid = [2], blocks = [p0 * 1 : 1, all, all]>
#v = #ipu.map<[4], grid = [2], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>

// CHECK-LABEL: module @advance
module @advance attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64}>, ipu.rng = #ipu<rng_generator counter>} {
  ipu.storage @a : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.a in @a #pop.replica_partition<all of 1> modifier 0
  ipu.storage @b : memref<2x6x4xi32, #m>
  ipu.rng_state @rng.b in @b #pop.replica_partition<all of 1> modifier 1
  ipu.codelet @draw(%y : memref<?xf16, strided<[1], offset: ?>>) inputs 0 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]} outs(%y : memref<?xf16, strided<[1], offset: ?>>) {
    ^bb0(%out: f16):
      %i = linalg.index 0 : index
      %b = ipu.random_bits %y[%i] : memref<?xf16, strided<[1], offset: ?>>
      %c = arith.constant 1.3 : f32
      %r = ipu.round_stochastic %c, %b overflow nan : f32 to f16
      linalg.yield %r : f16
    }
  }
  // CHECK-LABEL: func.func private @only
  func.func private @only() {
    // CHECK: %[[A:.*]] = ipu.var "a" of @a
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    // CHECK-NOT: rng.workers
    // CHECK: ipu.advance_rng %[[A]]
    ipu.advance_rng %a : memref<2x6x4xi32, #m>
    return
  }
  // CHECK-LABEL: func.func @main
  func.func @main() {
    // CHECK-DAG: %[[W:.*]] = ipu.var "rng.workers"
    // CHECK-DAG: %[[A:.*]] = ipu.var "a" of @a
    // CHECK-DAG: %[[B:.*]] = ipu.var "b" of @b
    %a = ipu.var "a" of @a : memref<2x6x4xi32, #m>
    %b = ipu.var "b" of @b : memref<2x6x4xi32, #m>
    %y = ipu.var "y" : memref<4xf16, #v>
    // CHECK: ipu.advance_rng %[[A]]
    ipu.advance_rng %a : memref<2x6x4xi32, #m>
    // CHECK: "rng.set"
    // CHECK-NEXT: ins(%[[A]]
    // CHECK: ipu.repeat
    // CHECK-NEXT: "loop"
    ipu.repeat 3 {
      ipu.compute_set "loop" {
        ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%a : memref<2x6x4xi32, #m>) draw<0> access [#v]
      }
      // CHECK-NOT: "rng.
      // CHECK: ipu.advance_rng %[[W]]
      // CHECK-NEXT: ipu.advance_rng %[[B]]
      // CHECK-NEXT: }
      ipu.advance_rng %a : memref<2x6x4xi32, #m>
      ipu.advance_rng %b : memref<2x6x4xi32, #m>
    }
    // A loop that only advances leaves what is there.
    // CHECK-NEXT: ipu.repeat
    // CHECK-NEXT: ipu.advance_rng %[[W]]
    // CHECK-NEXT: }
    ipu.repeat 3 {
      ipu.advance_rng %a : memref<2x6x4xi32, #m>
    }
    // A function finds what it only advances in storage.
    // CHECK-NEXT: "rng.get"
    // CHECK-NEXT: ins(%[[W]] {{.*}} outs(%[[A]]
    // CHECK: ipu.call @only
    ipu.call @only
    // CHECK-NEXT: "rng.set"
    // CHECK-NEXT: ins(%[[B]]
    // CHECK: "last"
    ipu.compute_set "last" {
      ipu.vertices @draw outs(%y : memref<4xf16, #v>) rng(%b : memref<2x6x4xi32, #m>) draw<1> access [#v]
    }
    // CHECK: ipu.advance_rng %[[A]]
    // CHECK: "rng.get"
    // CHECK-NEXT: ins(%[[W]] {{.*}} outs(%[[B]]
    // CHECK: return
    ipu.advance_rng %a : memref<2x6x4xi32, #m>
    return
  }
}
