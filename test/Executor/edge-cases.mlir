// RUN: ipu-opt %s --ipu-execute=engine=interp -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --ipu-execute=engine=jit -o /dev/null | FileCheck %s
// RUN: not ipu-opt %s --ipu-execute="engine=interp entry=bad" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STEP
// RUN: not ipu-opt %s --ipu-execute="engine=jit entry=bad" -o /dev/null 2>&1 | FileCheck %s --check-prefix=STEP

// Variables without elements and without dimensions; a loop that would not end.
// CHECK: y : tensor<f32> = dense<3.0>
// CHECK: z : tensor<0x3xf32>
// STEP: edge-cases.mlir:[[#]]:5: error: 'scf.for' has a step that is not positive on tile 0 of replica 0

#m = #ipu.map<[0, 3], grid = [2], blocks = [p0 * 1 : 1, all]>
#s = #ipu.map<[], grid = [1], blocks = []>
!b = memref<?x?xf32, strided<[?, 1], offset: ?>>
!r = memref<f32, strided<[], offset: ?>>
module {
  ipu.codelet @c(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !b) outs(%y : !b)
  }
  ipu.codelet @d(%x : !r, %y : !r) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    linalg.copy ins(%x : !r) outs(%y : !r)
  }
  ipu.codelet @e(%x : !r, %y : !r) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {
    %c0 = arith.constant 0 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c0 {
    }
  }
  ipu.stream @y device_to_host : tensor<f32>
  ipu.stream @z device_to_host : tensor<0x3xf32>
  func.func @main() {
    %x = ipu.var "x" : memref<0x3xf32, #m>
    %y = ipu.var "y" : memref<0x3xf32, #m>
    %p = ipu.var "p" init(dense<3.0> : tensor<f32>) : memref<f32, #s>
    %q = ipu.var "q" : memref<f32, #s>
    ipu.compute_set "c" {
      ipu.vertices @c ins(%x : memref<0x3xf32, #m>) outs(%y : memref<0x3xf32, #m>) access [#m, #m]
      ipu.vertices @d ins(%p : memref<f32, #s>) outs(%q : memref<f32, #s>) access [#s, #s]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.exchange "e" {
      ipu.move %x to %y : memref<0x3xf32, #m> to memref<0x3xf32, #m>
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.host_store %q to @y : memref<f32, #s> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    ipu.host_store %y to @z : memref<0x3xf32, #m> cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
  func.func @bad() {
    %p = ipu.var "p" init(dense<3.0> : tensor<f32>) : memref<f32, #s>
    %q = ipu.var "q" : memref<f32, #s>
    ipu.compute_set "c" {
      ipu.vertices @e ins(%p : memref<f32, #s>) outs(%q : memref<f32, #s>) access [#s, #s]
    } cost <cycles = [1], total = 1, tile = 0, flops = 0, bytes = 0>
    func.return
  }
}
