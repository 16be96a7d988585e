// RUN: ipu-opt %s --ipu-execute="engine=interp profile=%t.interp" -o /dev/null
// RUN: ipu-opt %s --ipu-execute="engine=jit threads=2 profile=%t.jit" -o /dev/null
// RUN: cmp %t.interp %t.jit
// RUN: FileCheck %s < %t.jit

// CHECK: "version": 1
// CHECK: "preset": "gc200"
// CHECK: "clock_hz": 1000000000
// CHECK: "cycles": 40,
// CHECK-NEXT: "nanoseconds": 40,
// CHECK: "clocks":
// CHECK: "memory":
// CHECK: "max_tile_bytes": 32
// CHECK: "variables":
// CHECK: "name": "c",
// CHECK-NEXT: "bytes": 32,
// CHECK-NEXT: "max_tile_bytes": 16,
// CHECK-NEXT: "map": "#ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>",
// CHECK-NEXT: "first_step": 0,
// CHECK-NEXT: "last_step": 1,
// CHECK-NEXT: "always_live": true
// CHECK: "steps":
// CHECK: "index": 0,
// CHECK-NEXT: "kind": "compute",
// CHECK-NEXT: "name": "copy",
// CHECK-NEXT: "location": "Relu_3",
// CHECK-NEXT: "count": 1,
// CHECK-NEXT: "cycles": [
// CHECK-NEXT: 40
// CHECK-NEXT: ],
// CHECK-NEXT: "total_cycles": 60,
// CHECK-NEXT: "busiest_tile": 1,
// CHECK-NEXT: "mean_cycles": 30,
// CHECK-NEXT: "balance_permille": 750,
// CHECK-NEXT: "flops": 6,

#m = #ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, clock_hz = 1000000000 : i64}>} {
  ipu.codelet @copy(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  func.func @main() {
    %c = ipu.var "c" init(dense<1.0> : tensor<6xf32>) : memref<6xf32, #m>
    %y = ipu.var "y" : memref<6xf32, #m>
    ipu.compute_set "copy" {
      ipu.vertices @copy ins(%c : memref<6xf32, #m>) outs(%y : memref<6xf32, #m>) access [#m, #m]
    } cost <cycles = [40], total = 60, tile = 1, flops = 6, bytes = 0> loc("Relu_3"("model.onnx":0:0))
    ipu.sync internal cost <cycles = [0], total = 0, tile = 0, flops = 0, bytes = 0>
    ipu.expect %y, dense<1.0> : tensor<6xf32> : memref<6xf32, #m>
    func.return
  }
}
