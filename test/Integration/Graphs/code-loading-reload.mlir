// RUN: ipu-opt %s --pop-print-code-liveness --pop-to-ipu-pipeline --remarks-filter=pop-code --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: ipu-opt %s --pop-print-code-liveness -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=x=ramp,p=ones profile=%t.json" -o /dev/null > %t.with
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=x=ramp,p=ones check=true" -o /dev/null > %t.checked
// RUN: cmp %t.with %t.checked
// RUN: sed "/pop.remote_code_load/d" %s > %t.without.mlir
// RUN: ipu-opt %t.without.mlir --pop-to-ipu-pipeline --ipu-execute="inputs=x=ramp,p=ones profile=%t.without.json" -o /dev/null > %t.without
// RUN: cmp %t.with %t.without
// RUN: %python %S/../Inputs/live-bytes.py %t.json | FileCheck %s --check-prefix=WITH
// RUN: %python %S/../Inputs/live-bytes.py %t.without.json | FileCheck %s --check-prefix=WITHOUT

// load; call; if {load}; call: the code stays from the first load to the last call
// for the path that does not load, and is dead in the branch before its load.
//
// All the time: 4096; 300 each for the codelets of pop.greater and pop.neg; 16 for
// the exchange that makes the ref; 24 for each of three compute sets; 12 for each
// of twelve steps: four syncs, three host copies, two loads, two calls, the branch.
// That is 4928 of code, and with that of @g, 300 + 24, 5252. A vertex of 28, three of
// 20 and three host copies of 80: 5256. The constant takes 8, the ref
// or the input 400: 5664. What decides takes 8 from step 2 to 12, twice that at 4.

// CHECK: code of @g: loaded
// CHECK-NEXT:   @main: #5 'pop.remote_code_load' to #12 'func.call' @g
// CHECK-NEXT:   @main, #8 'scf.if' region 0: #10 'pop.remote_code_load' to end
// CHECK-NEXT:   @g: start to end
// WITH: 0 sync external 5664
// WITH-NEXT: 1 host x 5664
// WITH-NEXT: 2 sync external 5672
// WITH-NEXT: 3 host p 5672
// WITH-NEXT: 4 compute pop.greater 5680
// WITH-NEXT: 5 sync internal 5672
// WITH-NEXT: 6 exchange pop.copy_ 6072
// WITH-NEXT: 7 code g 5996
// WITH-NEXT: 8 compute pop.tanh 5996
// WITH-NEXT: 9 compute g 5996
// WITH-NEXT: 10 compute pop.neg 5672
// WITH-NEXT: 11 code g 5996
// WITH-NEXT: 12 compute if 5996
// WITH-NEXT: 13 compute g 5988
// WITH-NEXT: 14 compute pop.neg 5664
// WITH-NEXT: 15 sync external 5664
// WITH-NEXT: 16 host y 5664
// WITH-NEXT: code 5252 bytes 6072

// Without: two steps of 12 fewer, 324 more.
// WITHOUT: 0 sync external 5968
// WITHOUT-NEXT: 1 host x 5968
// WITHOUT-NEXT: 2 sync external 5976
// WITHOUT-NEXT: 3 host p 5976
// WITHOUT-NEXT: 4 compute pop.greater 5984
// WITHOUT-NEXT: 5 sync internal 5976
// WITHOUT-NEXT: 6 exchange pop.copy_ 6376
// WITHOUT-NEXT: 7 compute pop.tanh 5976
// WITHOUT-NEXT: 8 compute g 5976
// WITHOUT-NEXT: 9 compute pop.neg 5976
// WITHOUT-NEXT: 10 compute if 5976
// WITHOUT-NEXT: 11 compute g 5968
// WITHOUT-NEXT: 12 compute pop.neg 5968
// WITHOUT-NEXT: 13 sync external 5968
// WITHOUT-NEXT: 14 host y 5968
// WITHOUT-NEXT: code 5228 bytes 6376

// REMARK: remark: {{.*}}CodeKeptAlive{{.*}}code of @g is kept on the chip by a path without a load: #8 'scf.if', #12 'func.call' @g
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  pop.stream @p host_to_device : tensor<i32>
  pop.stream @x host_to_device : tensor<100xf32>
  pop.stream @y device_to_host : tensor<100xf32>
  func.func private @g(%x: !pop.ref<100xf32>) attributes {no_inline} {
    pop.tanh_ %x : !pop.ref<100xf32>
    return
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<100xf32>
    %c = pop.host_load @p : tensor<i32>
    %zero = pop.constant dense<0> : tensor<i32>
    %q = pop.greater %c, %zero : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %r = pop.from_tensor %x : tensor<100xf32>
    pop.remote_code_load @g to executable
    func.call @g(%r) : (!pop.ref<100xf32>) -> ()
    %p = tensor.extract %q[] : tensor<i1>
    scf.if %p {
      pop.neg_ %r : !pop.ref<100xf32>
      pop.remote_code_load @g to executable
    }
    func.call @g(%r) : (!pop.ref<100xf32>) -> ()
    pop.neg_ %r : !pop.ref<100xf32>
    %y = pop.read %r : !pop.ref<100xf32>
    pop.host_store %y, @y : tensor<100xf32>
    return
  }
}
