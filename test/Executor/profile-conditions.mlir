// RUN: ipu-opt %s --ipu-estimate-cost --ipu-execute="engine=interp profile=%t.json" -o /dev/null
// RUN: ipu-opt %s --ipu-estimate-cost --ipu-execute="engine=none profile=%t.none" -o /dev/null
// RUN: cmp %t.json %t.none
// RUN: %python %S/Inputs/check-profile.py %t.json
// RUN: %python %S/Inputs/clocks.py %t.json | FileCheck %s

// The condition is on IPU 0, and the bodies are on IPUs 1 and 3, to which it is copied
// in each of three iterations. IPU 0 takes 295 cycles for its own exchange, 5867 for the
// branch (docs/device-model.md) and 6 for the loop: 3 * 6168 = 18504. IPUs 1 and 3 take
// 4273 for the branch, and wait for IPU 0 before it: 295 cycles in the first iteration.
// In the others, IPU 1 waits for 6168 - 4273 - 6 = 1889 cycles, and IPU 3, which takes
// 401 cycles in its body, for 1488. IPU 2 is not part of the loop and waits for nothing.

// CHECK: IPU 0: 18504 cycles, wait 0
// CHECK-NEXT: IPU 1: 16910 cycles, wait 4073
// CHECK-NEXT: IPU 2: 295 cycles, wait 0
// CHECK-NEXT: IPU 3: 17311 cycles, wait 3271
// CHECK-NEXT: links {{\[}}[0, 1, 3], [0, 3, 3]]

#p = #ipu.map<[], grid = [1], blocks = []>
#m0 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#m1 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 2>
#m2 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 4>
#m3 = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4], first = 6>
#n = #ipu.map<[8], grid = [1], blocks = [p0 * 8 : 8], first = 7>
!p = memref<i1, #p>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 4 : i64}>} {
  func.func @main() {
    %p = ipu.var "p" init(dense<false> : tensor<i1>) : !p
    %x0 = ipu.var "x0" init(dense<1.0> : tensor<8xf32>) : memref<8xf32, #m0>
    %y0 = ipu.var "y0" : memref<8xf32, #m0>
    %x1 = ipu.var "x1" init(dense<1.0> : tensor<8xf32>) : memref<8xf32, #m1>
    %y1 = ipu.var "y1" : memref<8xf32, #m1>
    %x2 = ipu.var "x2" init(dense<1.0> : tensor<8xf32>) : memref<8xf32, #m2>
    %y2 = ipu.var "y2" : memref<8xf32, #m2>
    %x3 = ipu.var "x3" init(dense<1.0> : tensor<8xf32>) : memref<8xf32, #m3>
    %y3 = ipu.var "y3" : memref<8xf32, #n>
    ipu.repeat 3 {
      ipu.exchange "before" {
        ipu.move %x0 to %y0 : memref<8xf32, #m0> to memref<8xf32, #m0>
      }
      ipu.if %p : !p {
        ipu.exchange "then" {
          ipu.move %x1 to %y1 : memref<8xf32, #m1> to memref<8xf32, #m1>
        }
      } else {
        ipu.exchange "else" {
          ipu.move %x3 to %y3 : memref<8xf32, #m3> to memref<8xf32, #n>
        }
      }
    }
    ipu.exchange "apart" {
      ipu.move %x2 to %y2 : memref<8xf32, #m2> to memref<8xf32, #m2>
    }
    return
  }
}
