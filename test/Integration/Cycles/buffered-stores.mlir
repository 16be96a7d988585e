// RUN: ipu-opt %s -o /dev/null --ipu-execute="engine=none profile=%t.none"
// RUN: ipu-opt %s -o /dev/null --ipu-execute="engine=interp profile=%t.interp"
// RUN: cmp %t.none %t.interp
// RUN: FileCheck %s < %t.none
// RUN: ipu-run %s --engine none --summary | FileCheck %s --check-prefix=SUMMARY

// A load without a buffer has the link for its 2600 cycles: 1000 of latency, and
// 1600. A store of a stream with two tensors ends when the tiles have written it,
// after 100, and the host has the one before. The host has it 2600 after the link
// is free for it. In times of the link, which stops for loads:
//
//   store at                starts at   is with the host at   takes
//     2700 - 2600 =  100          100                  2700     100
//     5500 - 5200 =  300         1700                  4300    2400: until 2700
//    10600 - 7800 = 2800         3300                  5900    1500: until 4300
//
// In the end the clock is at 12100; the host has all at 5900 + 7800 = 13700.

// CHECK: "cycles": 13700,
// CHECK: "host": 11800,
// CHECK: "sync_wait": 1600,
// CHECK: "host_hidden": 3800

// Many rounds are accounted for at once, and sums saturate.
// RUN: sed 's/ipu.repeat 3/ipu.repeat 4611686018427387904/; s/\[2600\]/[3]/' %s > %t.long.mlir
// RUN: ipu-run %t.long.mlir --engine none --summary | FileCheck %s --check-prefix=LONG
// LONG: time: at least 9.22e18 cycles
// LONG: compute at least 9.22e18 unknown at least 9.22e18
// LONG: (host copies, hidden by buffers: unknown)

// SUMMARY: (host copies, hidden by buffers: 3,800)
#m = #ipu.map<[400], grid = [4], blocks = [p0 * 100 : 100]>
#target = #ipu.target<"gc200", {tiles = 4 : i64, clock_hz = 1000000000 : i64, host_latency_ns = 1000 : i64,
                                host_bytes_per_second = 1000000000 : i64}>
module attributes {ipu.target = #target, ipu.host_transfers = 3 : i64} {
  ipu.stream @x host_to_device : tensor<400xf32> {default_value = dense<0.0> : tensor<400xf32>}
  ipu.stream @y device_to_host : tensor<400xf32> {depth = 2 : i64}
  func.func @main() {
    %x = ipu.var "x" : memref<400xf32, #m>
    ipu.repeat 3 {
      ipu.host_load @x to %x : memref<400xf32, #m>
        cost <cycles = [2600], total = 400, tile = 0, flops = 0, bytes = 1600>
      ipu.compute_set "work" {
      } cost <cycles = [100], total = 4, tile = 0, flops = 0, bytes = 0>
      ipu.host_store %x to @y : memref<400xf32, #m>
        cost <cycles = [2600], total = 400, tile = 0, flops = 0, bytes = 1600>
    } cost <cycles = [0], total = 0, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}
