// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-merge-steps,ipu-liveness,ipu-estimate-cost),ipu-execute{engine=interp profile=%t.interp})' -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-liveness,ipu-estimate-cost),ipu-execute{engine=jit threads=2 profile=%t.jit})' -o /dev/null | FileCheck %s
// RUN: %python %S/Inputs/check-profile.py %t.jit
// RUN: cmp %t.interp %t.jit
// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-liveness,ipu-estimate-cost),ipu-execute{engine=none profile=%t.none})' -o /dev/null | count 0
// RUN: cmp %t.jit %t.none
// RUN: FileCheck %s --check-prefix=PROFILE < %t.jit

// x = 1, y = 0, and three times: y += x three times over and five times nothing;
// then x += y. y is 3, then 3 + 12, then 15 + 57; x is 4, then 19, then 91.
// A variable of a body is zero or undefined again each time; a stream keeps what
// came last.
// CHECK: x : tensor<4xf32> = dense<[91.0, 91.0, 91.0, 91.0]>

// A step of a loop runs as often as its loops say; so does the way back.
// PROFILE: "name": "y+=x",
// PROFILE: "count": 9,
// PROFILE: "name": "repeat",
// PROFILE: "count": 9,
// PROFILE: "cycles": [
// PROFILE-NEXT: 6
// PROFILE: "name": "never",
// PROFILE: "count": 0,
// PROFILE: "name": "repeat",
// PROFILE: "count": 0,
// PROFILE: "name": "x+=y",
// PROFILE: "count": 3,
// PROFILE: "name": "repeat",
// PROFILE: "count": 3,

#m = #ipu.map<[4], grid = [4], blocks = [p0 * 1 : 1]>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  ipu.stream @x device_to_host : tensor<4xf32>
  ipu.codelet @add(%x : !b, %y : !b, %z : !b)
      inputs 2 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %y : !b, !b) outs(%z : !b)
  }
  func.func @main() {
    %one = ipu.var "one" init(dense<1.0> : tensor<4xf32>) : memref<4xf32, #m>
    %zero = ipu.var "zero" init(dense<0.0> : tensor<4xf32>) : memref<4xf32, #m>
    %x = ipu.var "x" : memref<4xf32, #m>
    %y = ipu.var "y" : memref<4xf32, #m>
    ipu.exchange "start" {
      ipu.move %one to %x : memref<4xf32, #m> to memref<4xf32, #m>
      ipu.move %zero to %y : memref<4xf32, #m> to memref<4xf32, #m>
    }
    ipu.repeat 3 {
      ipu.repeat 3 {
        %z = ipu.var "z" : memref<4xf32, #m>
        ipu.exchange "z" {
          ipu.move %x to %z : memref<4xf32, #m> to memref<4xf32, #m>
        }
        ipu.compute_set "y+=x" {
          ipu.vertices @add ins(%y, %z : memref<4xf32, #m>, memref<4xf32, #m>) outs(%y : memref<4xf32, #m>) access [#m, #m, #m]
        }
      }
      ipu.repeat 0 {
        ipu.compute_set "never" {
          ipu.vertices @add ins(%y, %x : memref<4xf32, #m>, memref<4xf32, #m>) outs(%y : memref<4xf32, #m>) access [#m, #m, #m]
        }
      }
      ipu.compute_set "x+=y" {
        ipu.vertices @add ins(%y, %x : memref<4xf32, #m>, memref<4xf32, #m>) outs(%x : memref<4xf32, #m>) access [#m, #m, #m]
      }
      ipu.sync external
      ipu.host_store %x to @x : memref<4xf32, #m>
    }
    func.return
  }
}
