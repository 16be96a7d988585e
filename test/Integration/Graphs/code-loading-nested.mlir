// RUN: ipu-opt %s --pop-print-code-liveness -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.json" -o /dev/null > %t.with
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp check=true" -o /dev/null > %t.checked
// RUN: cmp %t.with %t.checked
// RUN: sed "/pop.remote_code_load/d" %s > %t.without.mlir
// RUN: ipu-opt %t.without.mlir --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.without.json" -o /dev/null > %t.without
// RUN: cmp %t.with %t.without
// RUN: %python %S/../Inputs/live-bytes.py %t.json | FileCheck %s --check-prefix=WITH
// RUN: %python %S/../Inputs/live-bytes.py %t.without.json | FileCheck %s --check-prefix=WITHOUT

// Graphs that load graphs: @g1 is loaded by @g3, which @main and @g2 call, @g2 by @g4.
//
// All the time: 4096; 300 for the codelet of pop.neg; 16 for the exchange that makes
// the ref; 24 for a compute set; 12 for each of nine steps of @main, three syncs, two
// host copies, four calls, and for the loads in @g3 and @g4: 4568 of code.
// Three vertices of 20, two host copies of 80, the ref of 400: 5188.
// Code of @g1: 300 + 24. Of @g2, with two calls: 348. Both are there from the load
// in @g2 to the end of the call of @g1, which is in steps 7 to 10: 4568 + 672 = 5240.

// CHECK: code of @g1: loaded
// CHECK-NEXT:   @main: #5 'func.call' @g3 to #6 'func.call' @g1
// CHECK-NEXT:   @g2: #1 'func.call' @g3 to #2 'func.call' @g1
// CHECK-NEXT:   @g1: start to end
// CHECK-NEXT:   @g3: #0 'pop.remote_code_load' to end
// CHECK-NEXT: code of @g2: loaded
// CHECK-NEXT:   @main: #2 'func.call' @g4 to #3 'func.call' @g2
// CHECK-NEXT:   @g2: start to end
// CHECK-NEXT:   @g1: start to end
// CHECK-NEXT:   @g3: start to end
// CHECK-NEXT:   @g4: #0 'pop.remote_code_load' to end
// CHECK-NEXT: code of @g3: always live
// CHECK-NEXT: code of @g4: always live
// WITH: 0 sync external 5188
// WITH-NEXT: 1 host x 5188
// WITH-NEXT: 2 sync internal 5188
// WITH-NEXT: 3 exchange pop.copy_ 5588
// WITH-NEXT: 4 code g2 5536
// WITH-NEXT: 5 compute g4 5536
// WITH-NEXT: 6 compute pop.exp 5536
// WITH-NEXT: 7 code g1 5860
// WITH-NEXT: 8 compute g3 5860
// WITH-NEXT: 9 compute pop.tanh 5860
// WITH-NEXT: 10 compute g1 5860
// WITH-NEXT: 11 compute g2 5536
// WITH-NEXT: 12 compute pop.neg 5188
// WITH-NEXT: 13 compute g3 5512
// WITH-NEXT: 14 compute g1 5512
// WITH-NEXT: 15 sync external 5188
// WITH-NEXT: 16 host y 5188
// WITH-NEXT: code 5240 bytes 5860

// Without: two steps of 12 fewer, 672 more, and 4 before the ref.
// WITHOUT: 0 sync external 5840
// WITHOUT-NEXT: 1 host x 5840
// WITHOUT-NEXT: 2 sync internal 5840
// WITHOUT-NEXT: 3 exchange pop.copy_ 6240
// WITHOUT-NEXT: 4 compute g4 5840
// WITHOUT-NEXT: 5 compute pop.exp 5840
// WITHOUT-NEXT: 6 compute g3 5840
// WITHOUT-NEXT: 7 compute pop.tanh 5840
// WITHOUT-NEXT: 8 compute g1 5840
// WITHOUT-NEXT: 9 compute g2 5840
// WITHOUT-NEXT: 10 compute pop.neg 5840
// WITHOUT-NEXT: 11 compute g3 5840
// WITHOUT-NEXT: 12 compute g1 5840
// WITHOUT-NEXT: 13 sync external 5840
// WITHOUT-NEXT: 14 host y 5840
// WITHOUT-NEXT: code 5216 bytes 6240

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  pop.stream @x host_to_device : tensor<100xf32>
  pop.stream @y device_to_host : tensor<100xf32>
  func.func private @g1(%x: !pop.ref<100xf32>) attributes {no_inline} {
    pop.tanh_ %x : !pop.ref<100xf32>
    return
  }
  func.func private @g2(%x: !pop.ref<100xf32>) attributes {no_inline} {
    pop.exp_ %x : !pop.ref<100xf32>
    func.call @g3() : () -> ()
    func.call @g1(%x) : (!pop.ref<100xf32>) -> ()
    return
  }
  func.func private @g3() {
    pop.remote_code_load @g1 to executable
    return
  }
  func.func private @g4() {
    pop.remote_code_load @g2 to executable
    return
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<100xf32>
    %r = pop.from_tensor %x : tensor<100xf32>
    func.call @g4() : () -> ()
    func.call @g2(%r) : (!pop.ref<100xf32>) -> ()
    pop.neg_ %r : !pop.ref<100xf32>
    func.call @g3() : () -> ()
    func.call @g1(%r) : (!pop.ref<100xf32>) -> ()
    %y = pop.read %r : !pop.ref<100xf32>
    pop.host_store %y, @y : tensor<100xf32>
    return
  }
}
