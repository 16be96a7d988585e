// RUN: ipu-opt %s --ipu-execute="inputs=x=ramp engine=interp" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --ipu-execute="inputs=x=ramp engine=jit threads=3" -o /dev/null | FileCheck %s
// An instrumented plugin does not load into a stock mlir-opt.
// RUN: %if asan %{ true %} %else %{ %mlir_opt %load_plugin --pass-pipeline='builtin.module(ipu-execute{inputs=x=ramp})' %s -o /dev/null | FileCheck %s %}

// Two replicas with tensors of their own; a vertex in place; a copy backwards.
// CHECK: y : tensor<2x8xf32> = dense<{{\[\[}}1.75, 1.5, 1.25, 1.0, 0.75, 0.5, 0.25, 0.0], [3.75, 3.5, 3.25, 3.0, 2.75, 2.5, 2.25, 2.0]]>

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [3], blocks = [p0 * 3 : 3]>
!b = memref<?xf32, strided<[1], offset: ?>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>} {
  ipu.stream @x host_to_device replicated : tensor<8xf32>
  ipu.stream @y device_to_host replicated : tensor<8xf32>
  ipu.codelet @double(%x : !b, %y : !b)
      inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %x : !b, !b) outs(%y : !b)
  }
  func.func @main() {
    %0 = ipu.var "x" : memref<8xf32, #m>
    ipu.host_load @x to %0 : memref<8xf32, #m> cost <cycles = [1000], total = 1000, tile = 0, flops = 0, bytes = 32>
    %1 = ipu.var "y" : memref<8xf32, #m>
    ipu.compute_set "double" {
      ipu.vertices @double ins(%0 : memref<8xf32, #m>) outs(%1 : memref<8xf32, #m>) access [#m, #m]
    } cost <cycles = [120], total = 480, tile = 0, flops = 8, bytes = 0>
    ipu.write_undef %0 : memref<8xf32, #m>
    ipu.compute_set "double" {
      ipu.vertices @double ins(%1 : memref<8xf32, #m>) outs(%1 : memref<8xf32, #m>) access [#m, #m]
    } cost <cycles = [120], total = 480, tile = 0, flops = 8, bytes = 0>
    %2 = ipu.var "z" : memref<8xf32, #n>
    %3 = memref.reinterpret_cast %1 to offset: [7], sizes: [8], strides: [-1] : memref<8xf32, #m> to memref<8xf32, strided<[-1], offset: 7>, #m>
    ipu.sync internal cost <cycles = [90], total = 0, tile = 0, flops = 0, bytes = 0>
    ipu.exchange "reverse" {
      ipu.move %3 to %2 : memref<8xf32, strided<[-1], offset: 7>, #m> to memref<8xf32, #n>
    } cost <cycles = [110], total = 330, tile = 1, flops = 0, bytes = 32>
    ipu.host_store %2 to @y : memref<8xf32, #n> cost <cycles = [1000], total = 1000, tile = 0, flops = 0, bytes = 32>
    func.return
  }
}
