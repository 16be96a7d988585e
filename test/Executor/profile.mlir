// RUN: ipu-opt %s --ipu-execute="engine=interp profile=%t.interp" -o /dev/null
// RUN: ipu-opt %s --ipu-execute="engine=jit threads=2 profile=%t.jit" -o /dev/null
// RUN: cmp %t.interp %t.jit
// RUN: ipu-opt %s --ipu-execute="engine=none profile=%t.none" -o /dev/null
// RUN: %python %S/Inputs/check-profile.py %t.none
// RUN: cmp %t.jit %t.none
// RUN: FileCheck %s < %t.jit

// CHECK: "version": 5
// CHECK: "preset": "gc200"
// CHECK: "clock_hz": 1000000000
// CHECK: "cycles": 40,
// CHECK-NEXT: "nanoseconds": 40,
// CHECK: "clocks":
// CHECK: "ops":
// CHECK: "name": "Relu_3",
// CHECK: "memory":
// CHECK-NEXT: "fullest_tile": 0,
// CHECK-NEXT: "peak_step": 0,
// CHECK-NEXT: "max_tile_bytes": 4488,
// CHECK-NEXT: "least_tile_bytes": 4488,
// CHECK-NEXT: "mean_tile_bytes": 4488,
// CHECK-NEXT: "max_code_bytes": 4432,
// CHECK-NEXT: "tiles_over_memory": 0,
// CHECK-NEXT: "classes": 1,
// CHECK-NEXT: "ipus":
// CHECK-NEXT: {
// CHECK-NEXT: "fullest_tile": 0,
// CHECK-NEXT: "max_tile_bytes": 4488,
// CHECK-NEXT: "total_bytes": 8976,
// CHECK-NEXT: "tiles_over_memory": 0
// CHECK-NEXT: }
// CHECK-NEXT: ],
// CHECK-NEXT: "categories":
// CHECK: "name": "vertex_code",
// CHECK-NEXT: "estimated": true,
// CHECK-NEXT: "tile_bytes": 300,
// CHECK-NEXT: "total_bytes": 600
// CHECK: "name": "always_live",
// CHECK-NEXT: "estimated": false,
// CHECK-NEXT: "tile_bytes": 12,
// CHECK-NEXT: "total_bytes": 24
// CHECK: "fullest_tiles":
// CHECK: "largest":
// CHECK: "variable": 0,
// CHECK-NEXT: "bytes": 12
// CHECK: "live":
// CHECK: "step": 0,
// CHECK-NEXT: "bytes": 4488
// CHECK: "variables":
// CHECK: "name": "c",
// CHECK-NEXT: "location": "profile.mlir:{{.*}}",
// CHECK-NEXT: "type": "f32",
// CHECK-NEXT: "bytes": 24,
// CHECK-NEXT: "max_tile_bytes": 12,
// CHECK-NEXT: "fullest_tile_bytes": 12,
// CHECK-NEXT: "unique_bytes": 24,
// CHECK-NEXT: "map": "#ipu.map<[6], grid = [2], blocks = [p0 * 3 : 3]>",
// CHECK-NEXT: "first_step": 0,
// CHECK-NEXT: "last_step": 1,
// CHECK-NEXT: "ranges": [
// CHECK-NEXT: [
// CHECK-NEXT: 0,
// CHECK-NEXT: 1
// CHECK-NEXT: ]
// CHECK-NEXT: ],
// CHECK-NEXT: "always_live": true
// CHECK: "steps":
// CHECK: "index": 0,
// CHECK-NEXT: "kind": "compute",
// CHECK-NEXT: "name": "copy",
// CHECK-NEXT: "location": "Relu_3",
// CHECK-NEXT: "place": "",
// CHECK-NEXT: "count": 1,
// CHECK-NEXT: "cycles": [
// CHECK-NEXT: 40
// CHECK-NEXT: ],
// CHECK-NEXT: "total_cycles": 60,
// CHECK-NEXT: "busiest_tile": 1,
// CHECK-NEXT: "mean_cycles": 30,
// CHECK-NEXT: "balance_permille": 750,
// CHECK-NEXT: "flops": 6,
// CHECK-NEXT: "unit": "vector_f32",
// CHECK: "codelets": [
// CHECK-NEXT: "copy"
// CHECK-NEXT: ],
// CHECK-NEXT: "code_bytes": {{[0-9]+}},
// CHECK-NEXT: "reads": [
// CHECK-NEXT: 0
// CHECK-NEXT: ],
// CHECK-NEXT: "writes": [
// CHECK-NEXT: 1
// CHECK-NEXT: ]
// CHECK: "program": [
// CHECK-NEXT: 0,
// CHECK-NEXT: 1
// CHECK-NEXT: ],
// CHECK-NEXT: "functions": [],
// CHECK-NEXT: "timelines": [
// CHECK: "start": [
// CHECK-NEXT: 0,
// CHECK-NEXT: 40
// CHECK-NEXT: ],
// CHECK-NEXT: "end": [
// CHECK-NEXT: 40,
// CHECK-NEXT: 40
// CHECK-NEXT: ],

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
