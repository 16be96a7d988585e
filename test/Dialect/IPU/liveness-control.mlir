// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-liveness))' | FileCheck %s

// Conditions and counts are uses; storage has no end; a function may have all of
// its variables in bodies.

#m = #ipu.map<[8], grid = [4], blocks = [p0 * 2 : 2]>
#s = #ipu.map<[], grid = [1], blocks = []>
!m = memref<8xf32, #m>
module {
  ipu.storage @w.storage : !m
  ipu.remote_buffer @b : 3 x tensor<8xf32>
  ipu.stream @y device_to_host : tensor<8xf32>
  // CHECK-LABEL: func.func @main
  func.func @main() {
    // CHECK: %[[P:.*]] = ipu.var "p"
    %p = ipu.var "p" : memref<i1, #s>
    // CHECK: %[[N:.*]] = ipu.var "n"
    %n = ipu.var "n" : memref<i32, #s>
    // CHECK: %[[W:.*]] = ipu.var "w" of @w.storage
    %w = ipu.var "w" of @w.storage : !m
    // CHECK: %[[A:.*]] = ipu.var "a"
    %a = ipu.var "a" : !m
    // CHECK: %[[B:.*]] = ipu.var "b"
    %b = ipu.var "b" : !m
    // CHECK-NEXT: ipu.while %[[P]]
    ipu.while %p : memref<i1, #s> {
      // CHECK-NEXT: ipu.exchange "before" {
      // CHECK-NEXT: ipu.move
      // CHECK-NEXT: }
      // CHECK-NEXT: } do {
      ipu.exchange "before" {
        ipu.move %a to %b : !m to !m
      }
    } do {
      // CHECK-NEXT: %[[T:.*]] = ipu.var "t"
      %t = ipu.var "t" : !m
      // CHECK-NEXT: ipu.repeat %[[N]]
      ipu.repeat %n : memref<i32, #s> {
        // CHECK-NEXT: ipu.exchange "body"
        // CHECK-NEXT: ipu.move %[[W]] to %[[T]]
        ipu.exchange "body" {
          ipu.move %w to %t : !m to !m
        }
      }
      // CHECK-NEXT: }
      // CHECK-NEXT: }
      // CHECK-NEXT: ipu.write_undef %[[T]]
    }
    // CHECK-NEXT: }
    // CHECK-DAG: ipu.write_undef %[[P]]
    // CHECK-DAG: ipu.write_undef %[[N]]
    // CHECK-DAG: ipu.write_undef %[[A]]
    // CHECK-NOT: ipu.write_undef
    // CHECK: ipu.host_store %[[B]]
    // CHECK-NEXT: ipu.write_undef %[[B]]
    // CHECK-NEXT: return
    ipu.host_store %b to @y : !m
    return
  }
  // CHECK-LABEL: func.func @nested
  func.func @nested() {
    // CHECK-NEXT: ipu.repeat 2 {
    ipu.repeat 2 {
      // CHECK-NEXT: %[[T:.*]] = ipu.var "t"
      %t = ipu.var "t" : !m
      // CHECK-NEXT: ipu.remote_exchange
      // CHECK-NEXT: ipu.remote_load
      // CHECK-NEXT: }
      // CHECK-NEXT: ipu.write_undef %[[T]]
      ipu.remote_exchange "load" {
        ipu.remote_load @b[0] to %t : !m
      }
    }
    return
  }
}
