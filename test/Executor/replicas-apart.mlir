// RUN: ipu-opt %s --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{engine=interp profile=%t.interp})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{engine=jit threads=3 profile=%t.jit})' -o /dev/null | FileCheck %s
// RUN: %python %S/Inputs/check-profile.py %t.jit
// RUN: ipu-opt %s --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{check check-replica-equal profile=%t.check})' -o /dev/null | FileCheck %s
// RUN: cmp %t.interp %t.jit
// RUN: cmp %t.interp %t.check
// RUN: FileCheck %s --check-prefix=PROFILE < %t.jit

// Replicas 0 and 2 call @f, the last call of its code, in one arm, and replicas 1 and 3
// twice in the other one; the number of a replica is read inside of an arm; what is
// expected there, is expected of the replicas that are there. Then replica r doubles s
// r - 1 times: a negative number is no round.
// CHECK: s : tensor<4x1xf32> = dense<{{\[\[}}1.0], [2.0], [2.0], [8.0]]>
// CHECK: i : tensor<4xi32> = dense<[0, -1, 2, -1]>

// Counts are those of replica 3, which takes the longest; replica 0 waits for it.
// PROFILE: "slowest_clock": 3,
// PROFILE: "clocks"
// PROFILE: "replica": 0,
// PROFILE: "sync_wait": {{[1-9]}}
// PROFILE: "replica": 3,
// PROFILE: "sync_wait": 0,
// PROFILE: "name": "s+=1",
// PROFILE: "count": 2,
// PROFILE: "name": "s+=s",
// PROFILE: "count": 2,

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
!v = memref<1xf32, #one>
!i = memref<i32, #one>
!p = memref<i1, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  ipu.stream @s device_to_host replicated : tensor<1xf32>
  ipu.stream @i device_to_host replicated : tensor<i32>
  ipu.storage @s.storage : !v
  ipu.state @state in @s.storage : tensor<1xf32> = dense<0.0> : tensor<1xf32>
  ipu.storage @p : !p
  ipu.state @ps in @p : tensor<i1> = dense<[1, 0, 1, 0]> : tensor<4xi1> {groups = #pop.replica_groups<stride = 1, size = 1>}
  ipu.storage @n : !i
  ipu.state @ns in @n : tensor<i32> = dense<[-1, 0, 1, 2]> : tensor<4xi32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  ipu.codelet @add(%x : !b, %y : !b, %z : !b)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @f() attributes {no_inline} {
    %k = ipu.var "one" init(dense<1.0> : tensor<1xf32>) : !v
    %s = ipu.var "s" of @s.storage : !v
    ipu.compute_set "s+=1" {
      ipu.vertices @add ins(%s, %k : !v, !v) outs(%s : !v) access [#one, #one, #one]
    }
    return
  }
  func.func @main() {
    %p = ipu.var "p" of @p : !p
    %n = ipu.var "n" of @n : !i
    %s = ipu.var "s" of @s.storage : !v
    %i = ipu.var "i" init(dense<-1> : tensor<i32>) : !i
    ipu.code_load [@f] to executable
    ipu.if %p : !p {
      ipu.replica_index to %i : !i
      ipu.call @f
      ipu.expect %s, dense<1.0> : tensor<1xf32> : !v
    } else {
      ipu.call @f
      ipu.expect %s, dense<1.0> : tensor<1xf32> : !v
      ipu.sync internal
      ipu.call @f
      ipu.expect %s, dense<2.0> : tensor<1xf32> : !v
    }
    ipu.repeat %n : !i {
      ipu.compute_set "s+=s" {
        ipu.vertices @add ins(%s, %s : !v, !v) outs(%s : !v) access [#one, #one, #one]
      }
    }
    ipu.host_store %s to @s : !v
    ipu.host_store %i to @i : !i
    return
  }
}
