// A branch and a loop whose conditions are computed on IPU 0 and whose bodies are on
// IPU 1 give the bits of the program without placement. The conditions are copied to
// IPU 1, next to the 256 bytes of x: one byte for the branch, and one for each of five
// tests of the loop. IPU 2 does not take part.
//
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.json" -o /dev/null > %t.placed
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp engine=interp check" -o /dev/null > %t.interp
// RUN: ipu-opt %s --pop-remove-vgraphs --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null > %t.unplaced
// RUN: diff %t.placed %t.unplaced
// RUN: diff %t.interp %t.unplaced
// RUN: %python %src_root/test/Executor/Inputs/clocks.py %t.json | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline | FileCheck %s --check-prefix=COST
//
// CHECK: links {{\[}}[0, 1, 262], [0, 2, 256]]
// COST: ipu.if
// COST: {{^}}    } cost <cycles = [4271, 4273, 0]
// COST: ipu.while
// COST: {{^}}    } cost <cycles = [4271, 4273, 0]

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 3 : i64}>} {
  func.func @main(%x: tensor<8x8xf32> {pop.name = "x"}) -> (tensor<8x8xf32> {pop.name = "y"}, tensor<8x8xf32> {pop.name = "z"}) {
    %x1 = pop.ipu_copy %x from 0 to 1 : tensor<8x8xf32>
    %x2 = pop.ipu_copy %x from 0 to 2 : tensor<8x8xf32>
    %zero = pop.constant dense<0.0> : tensor<f32>
    %none = pop.constant dense<0> : tensor<i32>
    %one = pop.constant dense<1> : tensor<i32>
    %four = pop.constant dense<4> : tensor<i32>
    %t = pop.tanh %x {pop.vgraph = 0 : i64} : tensor<8x8xf32>
    %sum = pop.reduce sum %t {axes = array<i64: 0, 1>, pop.vgraph = 0 : i64} : tensor<8x8xf32> -> tensor<f32>
    %isLess = pop.less %sum, %zero {pop.vgraph = 0 : i64} : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %condition = tensor.extract %isLess[] : tensor<i1>
    %a = scf.if %condition -> tensor<8x8xf32> {
      %0 = pop.exp %x1 {pop.vgraph = 1 : i64} : tensor<8x8xf32>
      scf.yield %0 : tensor<8x8xf32>
    } else {
      %0 = pop.cos %x1 {pop.vgraph = 1 : i64} : tensor<8x8xf32>
      scf.yield %0 : tensor<8x8xf32>
    }
    %n, %b = scf.while (%n = %none, %b = %a) : (tensor<i32>, tensor<8x8xf32>) -> (tensor<i32>, tensor<8x8xf32>) {
      %0 = pop.less %n, %four {pop.vgraph = 0 : i64} : (tensor<i32>, tensor<i32>) -> tensor<i1>
      %1 = tensor.extract %0[] : tensor<i1>
      scf.condition(%1) %n, %b : tensor<i32>, tensor<8x8xf32>
    } do {
    ^bb0(%m: tensor<i32>, %c: tensor<8x8xf32>):
      %0 = pop.add %m, %one {pop.vgraph = 0 : i64} : tensor<i32>
      %1 = pop.sin %c {pop.vgraph = 1 : i64} : tensor<8x8xf32>
      scf.yield %0, %1 : tensor<i32>, tensor<8x8xf32>
    }
    %u = pop.sin %x2 {pop.vgraph = 2 : i64} : tensor<8x8xf32>
    return %b, %u : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
