// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// Every op and attribute of the dialect survives printing and parsing.

// CHECK-DAG: #[[$LINEAR:.*]] = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
// CHECK-DAG: #[[$SHIFTED:.*]] = #ipu.map<[64], grid = [8], blocks = [p0 * 8 : 8], first = 3>
// CHECK-DAG: #[[$ROWS:.*]] = #ipu.map<[8, 8], grid = [4, 2], blocks = [p0 * 2 : 2, all]>
#linear = #ipu.map<[64], grid = [16], blocks = [p0 * 4 : 4]>
#shifted = #ipu.map<[64], grid = [8], blocks = [p0 * 8 : 8], first = 3>
#rows = #ipu.map<[8, 8], grid = [4, 2], blocks = [p0 * 2 : 2, all]>

// CHECK: module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>} {
  // CHECK: ipu.stream @x host_to_device : tensor<64xf32>
  ipu.stream @x host_to_device : tensor<64xf32>
  // CHECK: ipu.stream @y device_to_host replicated : tensor<64xf32>
  ipu.stream @y device_to_host replicated : tensor<64xf32>

  // CHECK: ipu.codelet @double(%{{.*}}: memref<?xf32, strided<[1], offset: ?>>, %{{.*}}: memref<?xf32, strided<[1], offset: ?>>) inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
  // CHECK-NEXT: linalg.add
  // CHECK-NEXT: }
  ipu.codelet @double(%x : memref<?xf32, strided<[1], offset: ?>>, %y : memref<?xf32, strided<[1], offset: ?>>)
      inputs 1 cost <vector, supervisor = 11, worker = 29, cycles = 3, per = 2> {
    linalg.add ins(%x, %x : memref<?xf32, strided<[1], offset: ?>>, memref<?xf32, strided<[1], offset: ?>>)
        outs(%y : memref<?xf32, strided<[1], offset: ?>>)
  }
  // CHECK: ipu.codelet @scalar(%{{.*}}: memref<f64, strided<[], offset: ?>>) inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> attributes {emulated} {
  ipu.codelet @scalar(%y : memref<f64, strided<[], offset: ?>>)
      inputs 0 cost <vector, supervisor = 0, worker = 1, per = 1> attributes {emulated} {
    %c = arith.constant 1.0 : f64
    memref.store %c, %y[] : memref<f64, strided<[], offset: ?>>
  }

  // CHECK-LABEL: func.func @main
  func.func @main() {
    // CHECK: %[[X:.*]] = ipu.var "x" : memref<64xf32, #[[$LINEAR]]>
    %x = ipu.var "x" : memref<64xf32, #linear>
    // CHECK: ipu.sync external
    ipu.sync external
    // CHECK: ipu.host_load @x to %[[X]] : memref<64xf32, #[[$LINEAR]]> cost <cycles = [26600], total = 64, tile = 0, flops = 0, bytes = 256>
    ipu.host_load @x to %x : memref<64xf32, #linear> cost <cycles = [26600], total = 64, tile = 0, flops = 0, bytes = 256>
    // CHECK: %[[Y:.*]] = ipu.var "y" : memref<64xf32, #[[$LINEAR]]>
    %y = ipu.var "y" : memref<64xf32, #linear>
    // CHECK: ipu.compute_set "double" {
    // CHECK: ipu.vertices @double ins(%[[X]] : memref<64xf32, #[[$LINEAR]]>) outs(%[[Y]] : memref<64xf32, #[[$LINEAR]]>) access [#[[$LINEAR]], #[[$LINEAR]]]
    // CHECK: }
    ipu.compute_set "double" {
      ipu.vertices @double ins(%x : memref<64xf32, #linear>) outs(%y : memref<64xf32, #linear>) access [#linear, #linear]
    }
    // CHECK: ipu.sync internal
    ipu.sync internal
    // CHECK: %[[T:.*]] = ipu.var "t" copies : memref<64xf32, #[[$ROWS]]>
    %t = ipu.var "t" copies : memref<64xf32, #rows>
    // CHECK: %[[V:.*]] = memref.reinterpret_cast %[[Y]] to offset: [63], sizes: [64], strides: [-1]
    %v = memref.reinterpret_cast %y to offset: [63], sizes: [64], strides: [-1]
      : memref<64xf32, #linear> to memref<64xf32, strided<[-1], offset: 63>, #linear>
    // CHECK: ipu.exchange "reverse" {
    // CHECK: ipu.move %[[V]] to %[[T]]
    // CHECK: } cost <cycles = [1], total = 2, tile = 3, flops = 4, bytes = 5>
    ipu.exchange "reverse" {
      ipu.move %v to %t : memref<64xf32, strided<[-1], offset: 63>, #linear> to memref<64xf32, #rows>
    } cost <cycles = [1], total = 2, tile = 3, flops = 4, bytes = 5>
    // CHECK: ipu.write_undef %[[T]]
    ipu.write_undef %t : memref<64xf32, #rows>
    // CHECK: ipu.var "w" init(dense<1.000000e+00> : tensor<64xf32>) : memref<64xf32, #[[$SHIFTED]]>
    %w = ipu.var "w" init(dense<1.0> : tensor<64xf32>) : memref<64xf32, #shifted>
    // CHECK: ipu.var "c" copies init(dense<1.000000e+00> : tensor<64xf32>) : memref<64xf32, #[[$ROWS]]>
    %c = ipu.var "c" copies init(dense<1.0> : tensor<64xf32>) : memref<64xf32, #rows>
    // CHECK: ipu.expect %{{.*}}, dense<1.000000e+00> : tensor<64xf32> {atol = 1.000000e-08 : f64, rtol = 0.000000e+00 : f64}
    ipu.expect %w, dense<1.0> : tensor<64xf32> {atol = 1.0e-8 : f64, rtol = 0.0 : f64} : memref<64xf32, #shifted>
    // CHECK: ipu.repeat 3 {
    // CHECK-NEXT: ipu.var "z"
    // CHECK-NEXT: ipu.repeat 0 {
    // CHECK-NEXT: }
    // CHECK: ipu.sync internal
    // CHECK-NEXT: } cost <cycles = [6], total = 384, tile = 0, flops = 0, bytes = 0>
    ipu.repeat 3 {
      %z = ipu.var "z" : memref<64xf32, #linear>
      ipu.repeat 0 {
      }
      ipu.write_undef %z : memref<64xf32, #linear>
      ipu.sync internal
    } cost <cycles = [6], total = 384, tile = 0, flops = 0, bytes = 0>
    // CHECK: ipu.sync ipus
    ipu.sync ipus
    // CHECK: ipu.host_store %[[Y]] to @y : memref<64xf32, #[[$LINEAR]]>
    ipu.host_store %y to @y : memref<64xf32, #linear>
    return
  }
}
