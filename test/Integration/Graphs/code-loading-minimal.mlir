// RUN: ipu-opt %s --pop-print-code-liveness -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.json" -o /dev/null > %t.with
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp check=true" -o /dev/null > %t.checked
// RUN: cmp %t.with %t.checked
// RUN: sed "/pop.remote_code_load/d" %s > %t.without.mlir
// RUN: ipu-opt %t.without.mlir --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.without.json" -o /dev/null > %t.without
// RUN: cmp %t.with %t.without
// RUN: %python %S/../Inputs/live-bytes.py %t.json | FileCheck %s --check-prefix=WITH
// RUN: %python %S/../Inputs/live-bytes.py %t.without.json | FileCheck %s --check-prefix=WITHOUT

// A load and a call: the code is not on the tile before the load, and not behind
// the call; without the load it is there all the time.
//
// What is there all the time, on the one tile: 4096 of stacks and the runtime;
// 300 for the codelet of pop.neg; 16 for the exchange of the argument; 24 for
// each of two compute sets of @main; 12 for each of seven steps: three syncs, two
// host copies, the load and the call. Three vertices of 20, two host copies of 80:
// 4096 + 300 + 16 + 48 + 84 + 60 + 160 = 4764.
// Code of @g: a codelet of 300, a compute set of 24, a sync of 12, an exchange of
// 16: 352. A variable takes 400. x or what comes of it is there in all steps:
// 5164, and with the code 5516.

// CHECK: code of @g: loaded
// CHECK-NEXT:   @main: #2 'pop.remote_code_load' to #3 'func.call' @g
// CHECK-NEXT:   @g: start to end

// Results of compute are there beside operands; so are copies, and the result of
// @g, which lives across the call, and so in all steps of @g.
// WITH: 0 sync external 5164
// WITH-NEXT: 1 host x 5164
// WITH-NEXT: 2 compute pop.neg 5564
// WITH-NEXT: 3 code g 5516
// WITH-NEXT: 4 sync internal 5516
// WITH-NEXT: 5 exchange pop.copy_ 5916
// WITH-NEXT: 6 compute pop.exp 6316
// WITH-NEXT: 7 sync internal 6316
// WITH-NEXT: 8 exchange pop.copy_ 6316
// WITH-NEXT: 9 compute g 5916
// WITH-NEXT: 10 compute pop.neg 5564
// WITH-NEXT: 11 sync external 5164
// WITH-NEXT: 12 host y 5164
// WITH-NEXT: code 4896 bytes 6316

// One step fewer, of 12 bytes, and 352 more: 4764 - 12 + 352 = 5104. All the rest
// is the same, also at the peak, where @g runs.
// WITHOUT: 0 sync external 5504
// WITHOUT-NEXT: 1 host x 5504
// WITHOUT-NEXT: 2 compute pop.neg 5904
// WITHOUT-NEXT: 3 sync internal 5504
// WITHOUT-NEXT: 4 exchange pop.copy_ 5904
// WITHOUT-NEXT: 5 compute pop.exp 6304
// WITHOUT-NEXT: 6 sync internal 6304
// WITHOUT-NEXT: 7 exchange pop.copy_ 6304
// WITHOUT-NEXT: 8 compute g 5904
// WITHOUT-NEXT: 9 compute pop.neg 5904
// WITHOUT-NEXT: 10 sync external 5504
// WITHOUT-NEXT: 11 host y 5504
// WITHOUT-NEXT: code 4884 bytes 6304

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  pop.stream @x host_to_device : tensor<100xf32>
  pop.stream @y device_to_host : tensor<100xf32>
  func.func private @g(%x: tensor<100xf32>) -> tensor<100xf32> attributes {no_inline} {
    %0 = pop.exp %x : tensor<100xf32>
    return %0 : tensor<100xf32>
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<100xf32>
    %0 = pop.neg %x : tensor<100xf32>
    pop.remote_code_load @g to executable
    %1 = func.call @g(%0) : (tensor<100xf32>) -> tensor<100xf32>
    %2 = pop.neg %1 : tensor<100xf32>
    pop.host_store %2, @y : tensor<100xf32>
    return
  }
}
