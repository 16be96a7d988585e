// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-materialize-exchange))' --mlir-print-local-scope | FileCheck %s

// In bodies of branches and loops, and of handles on storage, in each function.

!b = memref<?xf32, strided<[1], offset: ?>>
#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#n = #ipu.map<[8], grid = [2], blocks = [p0 * 4 : 4]>
#s = #ipu.map<[], grid = [1], blocks = []>
!m = memref<8xf32, #m>
!n = memref<8xf32, #n>
module {
  ipu.codelet @f(%x : !b, %y : !b) inputs 1 cost <vector, supervisor = 1, worker = 1, cycles = 1, per = 1> {}
  ipu.storage @w.storage : !n
  // CHECK-LABEL: func.func @callee
  func.func @callee() {
    // CHECK: %[[W:.*]] = ipu.var "w" of @w.storage
    %w = ipu.var "w" of @w.storage : !n
    %y = ipu.var "y" : !m
    // CHECK: %[[T:.*]] = ipu.var "a.in0" copies
    // CHECK-NEXT: ipu.sync internal
    // CHECK-NEXT: ipu.exchange "a" {
    // CHECK-NEXT: ipu.move %[[W]] to %[[T]]
    // CHECK: ipu.vertices @f ins(%[[T]]
    ipu.compute_set "a" {
      ipu.vertices @f ins(%w : !n) outs(%y : !m) access [#m, #m]
    }
    return
  }
  // CHECK-LABEL: func.func @main
  func.func @main() {
    %p = ipu.var "p" init(dense<true> : tensor<i1>) : memref<i1, #s>
    %x = ipu.var "x" : !n
    %y = ipu.var "y" : !m
    ipu.call @callee
    // CHECK: ipu.if
    ipu.if %p : memref<i1, #s> {
    // CHECK: } else {
    } else {
      // CHECK-NEXT: ipu.while
      ipu.while %p : memref<i1, #s> {
        // CHECK-NEXT: %[[T:.*]] = ipu.var "b.in0" copies
        // CHECK-NEXT: ipu.sync internal
        // CHECK-NEXT: ipu.exchange "b" {
        // CHECK-NEXT: ipu.move %{{.*}} to %[[T]]
        // CHECK-NEXT: }
        // CHECK-NEXT: ipu.compute_set "b" {
        // CHECK-NEXT: ipu.vertices @f ins(%[[T]]
        ipu.compute_set "b" {
          ipu.vertices @f ins(%x : !n) outs(%y : !m) access [#m, #m]
        }
      } do {
      }
    }
    return
  }
}
