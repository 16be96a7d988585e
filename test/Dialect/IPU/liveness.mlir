// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pass-pipeline='builtin.module(func.func(ipu-liveness))' | FileCheck %s

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>

// CHECK-LABEL: func.func @main
func.func @main() {
  // CHECK: %[[A:.*]] = ipu.var "a"
  // CHECK-NOT: "unused"
  // CHECK: %[[B:.*]] = ipu.var "b"
  // CHECK: ipu.var "weights"
  %a = ipu.var "a" : memref<8xf32, #m>
  %unused = ipu.var "unused" : memref<8xf32, #m>
  %b = ipu.var "b" : memref<8xf32, #m>
  %w = ipu.var "weights" init(dense<1.0> : tensor<8xf32>) : memref<8xf32, #m>
  // A use of a view is a use of its variable.
  %v = memref.reinterpret_cast %a to offset: [7], sizes: [8], strides: [-1] : memref<8xf32, #m> to memref<8xf32, strided<[-1], offset: 7>, #m>
  // CHECK: ipu.exchange "reverse" {
  // CHECK: }
  // CHECK-NEXT: ipu.write_undef %[[A]]
  ipu.exchange "reverse" {
    ipu.move %v to %b : memref<8xf32, strided<[-1], offset: 7>, #m> to memref<8xf32, #m>
  }
  // CHECK-NEXT: ipu.expect %[[B]]
  ipu.expect %b, dense<1.0> : tensor<8xf32> : memref<8xf32, #m>
  // CHECK-NEXT: ipu.expect
  ipu.expect %w, dense<1.0> : tensor<8xf32> : memref<8xf32, #m>
  // Ends that are there are kept.
  // CHECK-NEXT: ipu.write_undef %[[B]]
  // CHECK-NEXT: return
  ipu.write_undef %b : memref<8xf32, #m>
  return
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
// expected-error @+1 {{expects a program of one block but got 2}}
func.func @branches() {
  %a = ipu.var "a" : memref<8xf32, #m>
  cf.br ^bb1
^bb1:
  return
}

// -----

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>

// One from outside of a loop lives until the loop is over, one from inside no
// longer than it has to. What nothing uses goes, views too.
// CHECK-LABEL: func.func @loop
func.func @loop() {
  // CHECK-NEXT: %[[A:.*]] = ipu.var "a"
  %a = ipu.var "a" : memref<8xf32, #m>
  %unused = ipu.var "unused" : memref<8xf32, #m>
  %0 = memref.reinterpret_cast %unused to offset: [7], sizes: [8], strides: [-1] : memref<8xf32, #m> to memref<8xf32, strided<[-1], offset: 7>, #m>
  // CHECK-NEXT: ipu.repeat 3 {
  ipu.repeat 3 {
    // CHECK-NEXT: %[[B:.*]] = ipu.var "b"
    %b = ipu.var "b" : memref<8xf32, #m>
    %unused2 = ipu.var "unused" : memref<8xf32, #m>
    // CHECK-NEXT: memref.reinterpret_cast
    %v = memref.reinterpret_cast %a to offset: [7], sizes: [8], strides: [-1] : memref<8xf32, #m> to memref<8xf32, strided<[-1], offset: 7>, #m>
    // CHECK-NEXT: ipu.exchange "reverse" {
    // CHECK-NEXT: ipu.move
    // CHECK-NEXT: }
    ipu.exchange "reverse" {
      ipu.move %v to %b : memref<8xf32, strided<[-1], offset: 7>, #m> to memref<8xf32, #m>
    }
    // CHECK-NEXT: ipu.exchange "back" {
    // CHECK-NEXT: ipu.move
    // CHECK-NEXT: }
    ipu.exchange "back" {
      ipu.move %b to %a : memref<8xf32, #m> to memref<8xf32, #m>
    }
    // CHECK-NEXT: ipu.write_undef %[[B]]
    // CHECK-NEXT: ipu.sync internal
    ipu.sync internal
  // CHECK-NEXT: }
  }
  // CHECK-NEXT: ipu.write_undef %[[A]]
  // CHECK-NEXT: return
  return
}

// -----

// Functions without variables are no programs, and left alone.
// CHECK-LABEL: func.func private @external
func.func private @external(tensor<8xf32>)
// CHECK-LABEL: func.func @helper
func.func @helper() {
  cf.br ^bb1
^bb1:
  return
}
