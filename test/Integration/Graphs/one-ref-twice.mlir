// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="engine=jit" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="check" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --inline --pop-to-ipu-pipeline --ipu-execute="check" -o /dev/null | FileCheck %s

// A graph that reads one of its refs before it modifies the other may get the same for
// both, also views that overlap; and others elsewhere, so that refs are copied. What it
// read stays what it was.

// @f: a += 2 b, then a -= b as it was: a += b.
// v = [1, 2, 3, 4], u = [10, 10]: @f(v, v) makes [2, 4, 6, 8]; @f on elements 0, 1 and 1, 2 makes
// [2 + 4, 4 + 6, 6, 8]; @f(u, last two of v) makes [10 + 6, 10 + 8].
// CHECK-DAG: v.out : tensor<4xf32> = dense<[6.0, 10.0, 6.0, 8.0]>
// CHECK-DAG: u.out : tensor<2xf32> = dense<[16.0, 18.0]>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @v : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
  pop.variable @u : tensor<2xf32> = dense<10.0> : tensor<2xf32>
  pop.stream @v.out device_to_host : tensor<4xf32>
  pop.stream @u.out device_to_host : tensor<2xf32>
  func.func private @whole(%a: !pop.ref<4xf32>, %b: !pop.ref<4xf32>) {
    %t = pop.read %b : !pop.ref<4xf32>
    pop.add_ %a, %t : !pop.ref<4xf32>, tensor<4xf32>
    pop.add_ %a, %t : !pop.ref<4xf32>, tensor<4xf32>
    pop.sub_ %a, %t : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
  func.func private @f(%b: !pop.ref<2xf32>, %a: !pop.ref<2xf32>) {
    %t = pop.read %b : !pop.ref<2xf32>
    pop.add_ %a, %t : !pop.ref<2xf32>, tensor<2xf32>
    pop.add_ %a, %t : !pop.ref<2xf32>, tensor<2xf32>
    pop.sub_ %a, %t : !pop.ref<2xf32>, tensor<2xf32>
    return
  }
  func.func @main() {
    %v = pop.get_variable @v : !pop.ref<4xf32>
    %u = pop.get_variable @u : !pop.ref<2xf32>
    func.call @whole(%v, %v) : (!pop.ref<4xf32>, !pop.ref<4xf32>) -> ()
    %first = pop.ref_slice %v {starts = array<i64: 0>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
    %middle = pop.ref_slice %v {starts = array<i64: 1>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
    %last = pop.ref_slice %v {starts = array<i64: 2>, sizes = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<4xf32> -> !pop.ref<2xf32>
    func.call @f(%middle, %first) : (!pop.ref<2xf32>, !pop.ref<2xf32>) -> ()
    func.call @f(%last, %u) : (!pop.ref<2xf32>, !pop.ref<2xf32>) -> ()
    %0 = pop.read %v : !pop.ref<4xf32>
    pop.host_store %0, @v.out : tensor<4xf32>
    %1 = pop.read %u : !pop.ref<2xf32>
    pop.host_store %1, @u.out : tensor<2xf32>
    return
  }
}
