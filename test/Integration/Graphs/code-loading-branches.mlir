// RUN: ipu-opt %s --pop-print-code-liveness -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=x=ramp,p=ones profile=%t.json" -o /dev/null > %t.with
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=x=ramp,p=ones check=true" -o /dev/null > %t.checked
// RUN: cmp %t.with %t.checked
// RUN: sed "/pop.remote_code_load/d" %s > %t.without.mlir
// RUN: ipu-opt %t.without.mlir --pop-to-ipu-pipeline --ipu-execute="inputs=x=ramp,p=ones profile=%t.without.json" -o /dev/null > %t.without
// RUN: cmp %t.with %t.without
// RUN: %python %S/../Inputs/live-bytes.py %t.json | FileCheck %s --check-prefix=WITH
// RUN: %python %S/../Inputs/live-bytes.py %t.without.json | FileCheck %s --check-prefix=WITHOUT

// Each branch loads the graph that it calls: neither is there before the branch or
// behind it, and both share one place.
//
// All the time: 4096; 300 for the codelet of pop.greater; 16 for the exchange that
// makes the ref; 24 for a compute set; 12 for each of twelve steps: four syncs, three
// host copies, two loads, two calls, the branch. That is 4580 of code. A vertex of 28,
// three of 20 and three host copies of 80: 4908. The constant takes 8,
// the ref or the input 400: 5316. What decides takes 8 from step 2 on, twice
// that at step 4. Code of @g: 324, of @h: 648.

// CHECK: code of @g: loaded
// CHECK-NEXT:   @main, #6 'scf.if' region 0: #7 'pop.remote_code_load' to #8 'func.call' @g
// CHECK-NEXT:   @g: start to end
// CHECK-NEXT: code of @h: loaded
// CHECK-NEXT:   @main, #6 'scf.if' region 1: #10 'pop.remote_code_load' to #11 'func.call' @h
// CHECK-NEXT:   @h: start to end
// WITH: 0 sync external 5316
// WITH-NEXT: 1 host x 5316
// WITH-NEXT: 2 sync external 5324
// WITH-NEXT: 3 host p 5324
// WITH-NEXT: 4 compute pop.greater 5332
// WITH-NEXT: 5 sync internal 5324
// WITH-NEXT: 6 exchange pop.copy_ 5724
// WITH-NEXT: 7 code g 5648
// WITH-NEXT: 8 compute pop.tanh 5648
// WITH-NEXT: 9 compute g 5648
// WITH-NEXT: 10 code h 5972
// WITH-NEXT: 11 compute pop.exp 5972
// WITH-NEXT: 12 compute pop.sqrt 5972
// WITH-NEXT: 13 compute h 5972
// WITH-NEXT: 14 compute if 5324
// WITH-NEXT: 15 sync external 5316
// WITH-NEXT: 16 host y 5316
// WITH-NEXT: code 5228 bytes 5976

// Without: 4580 - 2 * 12 + 972 = 5528 of code: 948 more. What is always there ends
// at a multiple of 8 here, so that the difference is the same.
// WITHOUT: 0 sync external 6264
// WITHOUT-NEXT: 1 host x 6264
// WITHOUT-NEXT: 2 sync external 6272
// WITHOUT-NEXT: 3 host p 6272
// WITHOUT-NEXT: 4 compute pop.greater 6280
// WITHOUT-NEXT: 5 sync internal 6272
// WITHOUT-NEXT: 6 exchange pop.copy_ 6672
// WITHOUT-NEXT: 7 compute pop.tanh 6272
// WITHOUT-NEXT: 8 compute g 6272
// WITHOUT-NEXT: 9 compute pop.exp 6272
// WITHOUT-NEXT: 10 compute pop.sqrt 6272
// WITHOUT-NEXT: 11 compute h 6272
// WITHOUT-NEXT: 12 compute if 6272
// WITHOUT-NEXT: 13 sync external 6264
// WITHOUT-NEXT: 14 host y 6264
// WITHOUT-NEXT: code 5528 bytes 6672

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  pop.stream @p host_to_device : tensor<i32>
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
    %c = pop.host_load @p : tensor<i32>
    %zero = pop.constant dense<0> : tensor<i32>
    %q = pop.greater %c, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = pop.from_tensor %x : tensor<100xf32>
    %p = tensor.extract %q[] : tensor<i1>
    scf.if %p {
      pop.remote_code_load @g to executable
      func.call @g(%r) : (!pop.ref<100xf32>) -> ()
    } else {
      pop.remote_code_load @h to executable
      func.call @h(%r) : (!pop.ref<100xf32>) -> ()
    }
    %y = pop.read %r : !pop.ref<100xf32>
    pop.host_store %y, @y : tensor<100xf32>
    return
  }
}
