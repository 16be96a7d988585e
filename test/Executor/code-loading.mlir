// RUN: ipu-opt %s --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{engine=interp profile=%t.interp})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{check profile=%t.check})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(ipu-estimate-cost,ipu-execute{engine=none profile=%t.none})' -o /dev/null
// RUN: %python %S/Inputs/check-profile.py %t.none
// RUN: cmp %t.interp %t.check
// RUN: cmp %t.interp %t.none
// RUN: FileCheck %s --check-prefix=PROFILE < %t.none

// The code of @f is loaded, called twice, and may be gone then; so it is loaded
// again, by way of a buffer, in each round of a loop. Each call adds one.
// CHECK: s : tensor<1xf32> = dense<[4.0]>

// PROFILE: "version": 5
// PROFILE: "totals"
// PROFILE: "code": {
// PROFILE-NEXT: "steps": 5,
// PROFILE: "kind": "code",
// PROFILE-NEXT: "name": "f",
// PROFILE: "count": 1,
// PROFILE: "name": "s+=1",
// PROFILE: "count": 4,

#one = #ipu.map<[1], grid = [1], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
!v = memref<1xf32, #one>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @s device_to_host : tensor<1xf32>
  ipu.storage @s.storage : !v
  ipu.state @state in @s.storage : tensor<1xf32> = dense<0.0> : tensor<1xf32>
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
    %s = ipu.var "s" of @s.storage : !v
    ipu.code_load [@f] to executable
    ipu.call @f
    ipu.call @f
    ipu.repeat 2 {
      ipu.code_load [@f] to io_buffer
      ipu.code_copy @f from io_buffer to executable
      ipu.call @f
    }
    ipu.host_store %s to @s : !v
    return
  }
}
