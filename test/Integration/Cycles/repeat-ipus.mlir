// RUN: ipu-opt %s -o /dev/null --ipu-execute="engine=interp profile=%t.interp"
// RUN: ipu-opt %s -o /dev/null --ipu-execute="engine=none profile=%t.none"
// RUN: cmp %t.interp %t.none
// RUN: FileCheck %s < %t.none

// Two IPUs, of which the second is slower. Without a sync of both, 100 rounds
// take them 100 * (50 + 6) = 5600 and 100 * (150 + 6) = 15600. Then the first
// waits 10000 in the first of 1000 rounds. A round takes
//   10 + 20 + 3 * (1 + 0) + 6 = 39 and 10 + 30 + 3 * (2 + 0) + 6 = 52,
// so that it waits 13 in each of the other 999: 10000 + 12987 = 22987. In the
// end the clocks are at 15600 + 1000 * 52 = 67600, and 13 less.

// CHECK: "cycles": 67600,
// CHECK: "ipu": 0
// CHECK: "sync_wait": 22987
// CHECK: "ipu": 1
// CHECK: "sync_wait": 0
// CHECK: "name": "inner"
// CHECK: "count": 3000
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, ipus = 2 : i64}>} {
  func.func @main() {
    ipu.repeat 100 {
      ipu.compute_set "apart" {
      } cost <cycles = [50, 150], total = 400, tile = 2, flops = 0, bytes = 0>
    } cost <cycles = [6, 6], total = 24, tile = 0, flops = 0, bytes = 0>
    ipu.repeat 1000 {
      ipu.sync ipus cost <cycles = [10, 10], total = 40, tile = 0, flops = 0, bytes = 0>
      ipu.compute_set "outer" {
      } cost <cycles = [20, 30], total = 100, tile = 2, flops = 0, bytes = 0>
      ipu.repeat 3 {
        ipu.compute_set "inner" {
        } cost <cycles = [1, 2], total = 6, tile = 2, flops = 0, bytes = 0>
      } cost <cycles = [0, 0], total = 0, tile = 0, flops = 0, bytes = 0>
    } cost <cycles = [6, 6], total = 24, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}
