// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{planner=generic},ipu-execute{inputs="*=ramp" results=%t profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s
// RUN: sed 's/#there = .*/#there = #ipu.map<[48], grid = [4], blocks = [p0 * 12 : 12]>/' %s > %t.other.mlir
// RUN: ipu-opt %t.other.mlir -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline{planner=generic},ipu-execute{inputs="*=ramp" results=%t.other profile=%t.json})'
// RUN: %python %S/Inputs/steps.py %t.json | FileCheck %s --check-prefix=OTHER
// RUN: cmp %t/y.npy %t.other/y.npy

// x has 12 elements on each of 4 tiles; relu runs on tiles 1 and 2 with 24 each.
// Tile 1 receives tile 0's 48 bytes, 12 cycles, in one run, 2, and copies its
// own 48, one run as well: 288 + 6 + 5 = 299. Tile 2 likewise with tile 3's.
// 12 + 2 + 299 = 313, and 100: 413.
// relu: 20 + 6 * (17 + 3 * ceil(4 / 2)) = 158, and 30: 188.

// CHECK: sync internal 90
// CHECK-NEXT: exchange pop.relu 413
// CHECK-NEXT: compute pop.relu 188

// Where x lies, relu needs no exchange and takes 20 + 6 * (17 + 3 * 1) + 30.
// The bits are the same.

// OTHER-NOT: exchange
// OTHER: compute pop.relu 170
#there = #ipu.map<[48], grid = [2], blocks = [p0 * 24 : 24], first = 1>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func @main(%x: tensor<48xf32> {pop.name = "x"}) -> (tensor<48xf32> {pop.name = "y"}) {
    %0 = pop.relu %x {ipu.map = #there} : tensor<48xf32>
    return %0 : tensor<48xf32>
  }
}
