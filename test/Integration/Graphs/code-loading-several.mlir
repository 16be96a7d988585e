// RUN: ipu-opt %s --pop-print-code-liveness -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.json" -o /dev/null > %t.with
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp check=true" -o /dev/null > %t.checked
// RUN: cmp %t.with %t.checked
// RUN: sed "/pop.remote_code_load/d" %s > %t.without.mlir
// RUN: ipu-opt %t.without.mlir --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.without.json" -o /dev/null > %t.without
// RUN: cmp %t.with %t.without
// RUN: %python %S/../Inputs/live-bytes.py %t.json | FileCheck %s --check-prefix=WITH
// RUN: %python %S/../Inputs/live-bytes.py %t.without.json | FileCheck %s --check-prefix=WITHOUT

// Several loads and calls of two graphs, which are never there together and so
// share one place: 288 bytes of code less than without loads. The copy of the input
// in step 3 lies where they come to be: at the peak there are 688 bytes less.
//
// All the time: 4096 of stacks and the runtime; 300 for the codelet of pop.neg;
// 16 for the exchange that makes the ref; 24 for the compute set of @main; 12 for
// each of eleven steps: three syncs, two host copies, three loads, three calls.
// That is 4568 of code. Four vertices of 20 and two host copies of 80: 4808. The
// ref takes 400 in all steps, if not the input: 5208.
// Code of @g: a codelet of 300 and a compute set of 24; of @h twice as much.

// CHECK: code of @g: loaded
// CHECK-NEXT:   @main: #2 'pop.remote_code_load' to #3 'func.call' @g
// CHECK-NEXT:   @main: #7 'pop.remote_code_load' to #8 'func.call' @g
// CHECK-NEXT:   @g: start to end
// CHECK-NEXT: code of @h: loaded
// CHECK-NEXT:   @main: #5 'pop.remote_code_load' to #6 'func.call' @h
// CHECK-NEXT:   @h: start to end
// WITH: 0 sync external 5208
// WITH-NEXT: 1 host x 5208
// WITH-NEXT: 2 sync internal 5208
// WITH-NEXT: 3 exchange pop.copy_ 5608
// WITH-NEXT: 4 code g 5532
// WITH-NEXT: 5 compute pop.tanh 5532
// WITH-NEXT: 6 compute g 5532
// WITH-NEXT: 7 compute pop.neg 5208
// WITH-NEXT: 8 code h 5856
// WITH-NEXT: 9 compute pop.exp 5856
// WITH-NEXT: 10 compute pop.sqrt 5856
// WITH-NEXT: 11 compute h 5856
// WITH-NEXT: 12 code g 5532
// WITH-NEXT: 13 compute g 5532
// WITH-NEXT: 14 sync external 5208
// WITH-NEXT: 15 host y 5208
// WITH-NEXT: code 5216 bytes 5856

// Without: 4568 - 3 * 12 + 324 + 648 = 5504 of code, and 972 - 36 more in each step.
// WITHOUT: 0 sync external 6144
// WITHOUT-NEXT: 1 host x 6144
// WITHOUT-NEXT: 2 sync internal 6144
// WITHOUT-NEXT: 3 exchange pop.copy_ 6544
// WITHOUT-NEXT: 4 compute pop.tanh 6144
// WITHOUT-NEXT: 5 compute g 6144
// WITHOUT-NEXT: 6 compute pop.neg 6144
// WITHOUT-NEXT: 7 compute pop.exp 6144
// WITHOUT-NEXT: 8 compute pop.sqrt 6144
// WITHOUT-NEXT: 9 compute h 6144
// WITHOUT-NEXT: 10 compute g 6144
// WITHOUT-NEXT: 11 sync external 6144
// WITHOUT-NEXT: 12 host y 6144
// WITHOUT-NEXT: code 5504 bytes 6544

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  pop.stream @x host_to_device : tensor<100xf32>
  pop.stream @y device_to_host : tensor<100xf32>
  func.func private @g(%x: !pop.ref<100xf32>) attributes {no_inline} {
    pop.tanh_ %x : !pop.ref<100xf32>
    return
  }
  func.func private @h(%x: !pop.ref<100xf32>) attributes {no_inline} {
    pop.exp_ %x : !pop.ref<100xf32>
    pop.sqrt_ %x : !pop.ref<100xf32>
    return
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<100xf32>
    %r = pop.from_tensor %x : tensor<100xf32>
    pop.remote_code_load @g to executable
    func.call @g(%r) : (!pop.ref<100xf32>) -> ()
    pop.neg_ %r : !pop.ref<100xf32>
    pop.remote_code_load @h to executable
    func.call @h(%r) : (!pop.ref<100xf32>) -> ()
    pop.remote_code_load @g to executable
    func.call @g(%r) : (!pop.ref<100xf32>) -> ()
    %y = pop.read %r : !pop.ref<100xf32>
    pop.host_store %y, @y : tensor<100xf32>
    return
  }
}
