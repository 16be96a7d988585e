// RUN: sed 's/DEPTH/1/; s/ROUNDS/4/; s/WORK/1000/' %s > %t.1.mlir
// RUN: ipu-opt %t.1.mlir -o /dev/null --ipu-execute="engine=none profile=%t.json"
// RUN: FileCheck %s --check-prefix=PLAIN < %t.json
// RUN: sed 's/DEPTH/2/; s/ROUNDS/4/; s/WORK/1000/' %s > %t.2.mlir
// RUN: ipu-opt %t.2.mlir -o /dev/null --ipu-execute="engine=none profile=%t.json"
// RUN: FileCheck %s --check-prefix=TWO < %t.json
// RUN: sed 's/DEPTH/3/; s/ROUNDS/4/; s/WORK/1000/' %s > %t.3.mlir
// RUN: ipu-opt %t.3.mlir -o /dev/null --ipu-execute="engine=none profile=%t.json"
// RUN: FileCheck %s --check-prefix=THREE < %t.json
// RUN: sed 's/DEPTH/2/; s/ROUNDS/4/; s/WORK/5000/' %s > %t.4.mlir
// RUN: ipu-opt %t.4.mlir -o /dev/null --ipu-execute="engine=none profile=%t.json"
// RUN: FileCheck %s --check-prefix=HIDDEN < %t.json

// Rounds that are not run one by one: with two tensors, they are the same again
// after two.
// RUN: sed 's/DEPTH/2/; s/ROUNDS/777/; s/WORK/1000/' %s > %t.5.mlir
// RUN: ipu-opt %t.5.mlir -o /dev/null --ipu-execute="engine=none profile=%t.none"
// RUN: ipu-opt %t.5.mlir -o /dev/null --ipu-execute="engine=interp profile=%t.interp"
// RUN: cmp %t.none %t.interp
// A buffer of any size.
// RUN: sed 's/DEPTH/9223372036854775807/; s/ROUNDS/777/; s/WORK/0/' %s > %t.6.mlir
// RUN: ipu-opt %t.6.mlir -o /dev/null --ipu-execute="engine=none profile=%t.none"
// RUN: ipu-opt %t.6.mlir -o /dev/null --ipu-execute="engine=interp profile=%t.interp"
// RUN: cmp %t.none %t.interp

// A load has a latency of 1000; 1600 bytes take 1600 on the link, and the 400 of
// a tile 100. Without a buffer each of four rounds takes 2600 and 1000.
// PLAIN: "cycles": 14400,
// PLAIN: "host": 10400,
// PLAIN: "host_hidden": 0{{$}}

// With two tensors, each but the first starts at the latest of the load before
// it, or when the link is free:
//
//   load at   starts at   is there at   takes
//         0           0          2600    2600
//      3600        1600          4200     600
//      5200        3600          6200    1000
//      7200        5200          7800     600
// TWO: "cycles": 8800,
// TWO: "host": 4800,
// TWO: "sync_wait": 0,
// TWO: "host_hidden": 5600
// TWO: "name": "host copy of x",
// TWO: "host": 4800,
// TWO: "hidden_cycles": 5600

// With three the link never waits: 0, 1600, 3200, 4800, there 2600 later.
// 2600 + 3 * 600 + 4 * 1000.
// THREE: "cycles": 8400,
// THREE: "host": 4400,

// More work hides all but what the tiles take: 2600 + 3 * 100 + 4 * 5000.
// HIDDEN: "cycles": 22900,
// HIDDEN: "host": 2900,
// HIDDEN: "host_hidden": 7500{{$}}
#m = #ipu.map<[400], grid = [4], blocks = [p0 * 100 : 100]>
#target = #ipu.target<"gc200", {tiles = 4 : i64, clock_hz = 1000000000 : i64, host_latency_ns = 1000 : i64,
                                host_bytes_per_second = 1000000000 : i64}>
module attributes {ipu.target = #target, ipu.host_transfers = 777 : i64} {
  ipu.stream @x host_to_device : tensor<400xf32> {depth = DEPTH : i64, default_value = dense<0.0> : tensor<400xf32>}
  func.func @main() {
    %x = ipu.var "x" : memref<400xf32, #m>
    ipu.repeat ROUNDS {
      ipu.host_load @x to %x : memref<400xf32, #m>
        cost <cycles = [2600], total = 400, tile = 0, flops = 0, bytes = 1600>
      ipu.compute_set "work" {
      } cost <cycles = [WORK], total = 4, tile = 0, flops = 0, bytes = 0>
    } cost <cycles = [0], total = 0, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}
