// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(ipu-allocate))' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(ipu-allocate))' --remark-format=emitRemark --remarks-filter=ipu-memory 2>&1 | FileCheck %s --check-prefix=REMARK

// The numbers are worked out in docs/memory.md.

#m = #ipu.map<[3], grid = [2], blocks = [p0 * 2 : 2]>
!v = memref<3xf32, #m>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 3 : i64}>} {
  ipu.stream @in host_to_device : tensor<3xf32>
  ipu.codelet @f(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  // CHECK-LABEL: func.func @main() attributes {ipu.memory = #ipu.memory_summary<
  // CHECK-SAME: tile = 0, step = 1, classes = 3, bytes = 4632, least = 4632, stack = 4096, vertex_code = 300,
  // CHECK-SAME: exchange_code = 0, control_code = 84, vertex_state = 40, host_exchange = 80,
  // CHECK-SAME: always_live = 8, not_always_live = 24, gaps = 0>}
  // REMARK: remark: {{.*}}ipu-allocate{{.*}}bytes=4632, step=1, tile=0
  func.func @main() {
    %w = ipu.var "w" init(dense<1.0> : tensor<3xf32>) : !v
    %x = ipu.var "x" : !v
    ipu.host_load @in to %x : !v
    %y = ipu.var "y" : !v
    ipu.repeat 5 {
      %t = ipu.var "t" : !v
      ipu.compute_set "a" {
        ipu.vertices @f ins(%x : !v) outs(%t : !v) access [#m, #m]
      }
      ipu.compute_set "b" {
        ipu.vertices @f ins(%t : !v) outs(%y : !v) access [#m, #m]
      }
    }
    ipu.write_undef %x : !v
    ipu.sync internal
    func.return
  }
}

// -----

// Lives that do not meet share memory: two of three variables of 400 bytes,
// behind 4096 + 3 * 12 = 4132, rounded up to 4136.

#m = #ipu.map<[100], grid = [], blocks = [all]>
!v = memref<100xf32, #m>
// CHECK-LABEL: func.func @reuse() attributes
// CHECK-SAME: step = 1, classes = 2, bytes = 4936, least = 4936
// CHECK-SAME: not_always_live = 800, gaps = 4
func.func @reuse() {
  %a = ipu.var "a" : !v
  ipu.sync internal
  %b = ipu.var "b" : !v
  ipu.sync internal
  ipu.write_undef %a : !v
  %c = ipu.var "c" : !v
  ipu.sync internal
  func.return
}

// -----

// Operands of the matrix unit: 3 % of 1024 bytes more, in multiples of 32:
// 1024 + 31, rounded up to 1056, for two of them; 128 + 4 becomes 160.

#a = #ipu.map<[1, 2, 128], grid = [], blocks = [all, all, all]>
#b = #ipu.map<[1, 128, 2], grid = [], blocks = [all, all, all]>
#c = #ipu.map<[1, 2, 2], grid = [], blocks = [all, all, all]>
!b = memref<?x?x?xf32, strided<[?, ?, 1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  ipu.codelet @matmul(%x : !b, %y : !b, %z : !b) inputs 2 cost <matmul, supervisor = 0, worker = 0> {
    linalg.batch_matmul ins(%x, %y : !b, !b) outs(%z : !b)
  }
  // Code 4096 + 1800 + 24, a vertex 4 + 3 * 8 = 5948, rounded up to 5952.
  // CHECK-LABEL: func.func @amp() attributes
  // CHECK-SAME: bytes = 8096, least = 8096
  // CHECK-SAME: vertex_code = 1800
  // CHECK-SAME: not_always_live = 2064, gaps = 84
  func.func @amp() {
    %a = ipu.var "a" : memref<1x2x128xf32, #a>
    %b = ipu.var "b" : memref<1x128x2xf32, #b>
    %c = ipu.var "c" : memref<1x2x2xf32, #c>
    ipu.compute_set "c" {
      ipu.vertices @matmul ins(%a, %b : memref<1x2x128xf32, #a>, memref<1x128x2xf32, #b>) outs(%c : memref<1x2x2xf32, #c>) access [#a, #b, #c]
    }
    func.return
  }
}

// -----

// Functions without variables are no programs, and left alone.
// CHECK-LABEL: func.func @helper() {
func.func @helper() {
  func.return
}
// CHECK-LABEL: func.func private @external(tensor<8xf32>)
func.func private @external(tensor<8xf32>)

// -----

// A program without steps, and a variable that no step sees.
#m = #ipu.map<[100], grid = [], blocks = [all]>
// CHECK-LABEL: func.func @no_steps() attributes
// CHECK-SAME: step = 0, {{.*}} always_live = 400, not_always_live = 0
func.func @no_steps() {
  %a = ipu.var "a" init(dense<1.0> : tensor<100xf32>) : memref<100xf32, #m>
  %b = ipu.var "b" : memref<100xf32, #m>
  ipu.write_undef %b : memref<100xf32, #m>
  func.return
}
