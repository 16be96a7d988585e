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
// 300 for the codelet of pop.neg; 24 for each of two compute sets of @main; 12 for
// each of six steps: two syncs, two host copies, the load and the call. Three
// vertices of 20, two host copies of 80: 4096 + 300 + 48 + 72 + 60 + 160 = 4736.
// Code of @g: a codelet of 300, a compute set of 24: 324. A variable takes 400. x or
// what comes of it is there in all steps: 5136, and with the code 5460.

// CHECK: code of @g: loaded
// CHECK-NEXT:   @main: #2 'pop.remote_code_load' to #3 'func.call' @g
// CHECK-NEXT:   @g: start to end

// Results of compute are there beside operands. Ops write what calls pass where
// it is passed; the result of @g is live across the call.
// WITH: 0 sync external 5136
// WITH-NEXT: 1 host x 5136
// WITH-NEXT: 2 compute pop.neg 5536
// WITH-NEXT: 3 code g 5460
// WITH-NEXT: 4 compute pop.exp 5860
// WITH-NEXT: 5 compute g 5860
// WITH-NEXT: 6 compute pop.neg 5536
// WITH-NEXT: 7 sync external 5136
// WITH-NEXT: 8 host y 5136
// WITH-NEXT: code 4840 bytes 5860

// One step fewer, of 12 bytes, and 352 more: 4736 - 12 + 324 = 5048. All the rest
// is the same, also at the peak, where @g runs.
// WITHOUT: 0 sync external 5448
// WITHOUT-NEXT: 1 host x 5448
// WITHOUT-NEXT: 2 compute pop.neg 5848
// WITHOUT-NEXT: 3 compute pop.exp 5848
// WITHOUT-NEXT: 4 compute g 5848
// WITHOUT-NEXT: 5 compute pop.neg 5848
// WITHOUT-NEXT: 6 sync external 5448
// WITHOUT-NEXT: 7 host y 5448
// WITHOUT-NEXT: code 4828 bytes 5848

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
