// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-estimate-cost),ipu-execute{engine=interp})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-merge-steps,ipu-liveness,ipu-estimate-cost),ipu-execute{engine=jit threads=2})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-liveness,ipu-estimate-cost),ipu-execute{check})' -o /dev/null | FileCheck %s

// A function that is called 5 times, some of them from another one: s += 1.
// CHECK: s : tensor<4xf32> = dense<[5.0, 5.0, 5.0, 5.0]>

#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
!v = memref<4xf32, #m>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @s device_to_host : tensor<4xf32>
  ipu.storage @s.storage : !v
  ipu.codelet @add(%x : !b, %y : !b, %z : !b)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @inner() {
    %one = ipu.var "one" init(dense<1.0> : tensor<4xf32>) : !v
    %s = ipu.var "s" of @s.storage : !v
    ipu.compute_set "s+=1" {
      ipu.vertices @add ins(%s, %one : !v, !v) outs(%s : !v) access [#m, #m, #m]
    }
    return
  }
  func.func @outer() {
    ipu.call @inner
    ipu.call @inner
    return
  }
  func.func @main() {
    %zero = ipu.var "zero" init(dense<0.0> : tensor<4xf32>) : !v
    %s = ipu.var "s" of @s.storage : !v
    ipu.exchange "start" {
      ipu.move %zero to %s : !v to !v
    }
    ipu.repeat 2 {
      ipu.call @outer
    }
    ipu.call @inner
    ipu.host_store %s to @s : !v
    return
  }
}

// -----

// i = 0; while (i < 5) { i += 1; if (i < 3) a = i else b = i }; then as many
// rounds as i says, and none of -3.
// CHECK: i : tensor<1xi32> = dense<[5]>
// CHECK: a : tensor<1xi32> = dense<[2]>
// CHECK: b : tensor<1xi32> = dense<[5]>
// CHECK: c : tensor<1xi32> = dense<[5]>

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!i = memref<?xi32, strided<[1], offset: ?>>
!p = memref<?xi1, strided<[1], offset: ?>>
!v = memref<1xi32, #one>
!q = memref<1xi1, #one>
!n = memref<i32, #one>
!c = memref<i1, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 3 : i64}>} {
  ipu.stream @i device_to_host : tensor<1xi32>
  ipu.stream @a device_to_host : tensor<1xi32>
  ipu.stream @b device_to_host : tensor<1xi32>
  ipu.stream @c device_to_host : tensor<1xi32>
  ipu.codelet @add(%x : !i, %y : !i, %z : !i)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %y : !i, !i) outs(%z : !i)
  }
  ipu.codelet @less(%x : !i, %y : !i, %z : !p)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.generic {indexing_maps = [affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>], iterator_types = ["parallel"]}
        ins(%x, %y : !i, !i) outs(%z : !p) {
    ^bb0(%l : i32, %r : i32, %o : i1):
      %s = arith.cmpi slt, %l, %r : i32
      linalg.yield %s : i1
    }
  }
  func.func @main() {
    %zero = ipu.var "zero" init(dense<0> : tensor<1xi32>) : !v
    %k1 = ipu.var "one" init(dense<1> : tensor<1xi32>) : !v
    %k3 = ipu.var "three" init(dense<3> : tensor<1xi32>) : !v
    %k5 = ipu.var "five" init(dense<5> : tensor<1xi32>) : !v
    %minus = ipu.var "minus" init(dense<-3> : tensor<i32>) : !n
    %i = ipu.var "i" : !v
    %n = ipu.var "n" : !n
    %a = ipu.var "a" : !v
    %b = ipu.var "b" : !v
    %c = ipu.var "c" : !v
    %p = ipu.var "p" : !c
    ipu.exchange "start" {
      ipu.move %zero to %i : !v to !v
      ipu.move %zero to %c : !v to !v
    }
    ipu.while %p : !c {
      %q = ipu.var "q" : !q
      ipu.compute_set "i<5" {
        ipu.vertices @less ins(%i, %k5 : !v, !v) outs(%q : !q) access [#one, #one, #one]
      }
      %pv = memref.reinterpret_cast %p to offset: [0], sizes: [1], strides: [1] : !c to memref<1xi1, strided<[1]>, #one>
      ipu.exchange "p" {
        ipu.move %q to %pv : !q to memref<1xi1, strided<[1]>, #one>
      }
    } do {
      %q = ipu.var "q" : !q
      %r = ipu.var "r" : !c
      ipu.compute_set "i+=1" {
        ipu.vertices @add ins(%i, %k1 : !v, !v) outs(%i : !v) access [#one, #one, #one]
      }
      ipu.compute_set "i<3" {
        ipu.vertices @less ins(%i, %k3 : !v, !v) outs(%q : !q) access [#one, #one, #one]
      }
      %rv = memref.reinterpret_cast %r to offset: [0], sizes: [1], strides: [1] : !c to memref<1xi1, strided<[1]>, #one>
      ipu.exchange "r" {
        ipu.move %q to %rv : !q to memref<1xi1, strided<[1]>, #one>
      }
      ipu.if %r : !c {
        ipu.exchange "a" {
          ipu.move %i to %a : !v to !v
        }
      } else {
        ipu.exchange "b" {
          ipu.move %i to %b : !v to !v
        }
      }
      ipu.if %p : !c {
      }
    }
    %nv = memref.reinterpret_cast %n to offset: [0], sizes: [1], strides: [1] : !n to memref<1xi32, strided<[1]>, #one>
    ipu.exchange "n" {
      ipu.move %i to %nv : !v to memref<1xi32, strided<[1]>, #one>
    }
    ipu.repeat %n : !n {
      ipu.compute_set "c+=1" {
        ipu.vertices @add ins(%c, %k1 : !v, !v) outs(%c : !v) access [#one, #one, #one]
      }
    }
    ipu.repeat %minus : !n {
      ipu.compute_set "c+=1" {
        ipu.vertices @add ins(%c, %k1 : !v, !v) outs(%c : !v) access [#one, #one, #one]
      }
    }
    ipu.host_store %i to @i : !v
    ipu.host_store %a to @a : !v
    ipu.host_store %b to @b : !v
    ipu.host_store %c to @c : !v
    return
  }
}
