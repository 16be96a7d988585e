// A program on two IPUs with variables, a loop that carries a value on each IPU, a call
// and a branch, but without copies between IPUs. Some ops have no virtual graph. With
// inserted copies, it gives the bits of the program without placement.
//
// RUN: ipu-opt %s --pop-inter-ipu-copy --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null > %t.placed
// RUN: ipu-opt %s --pop-inter-ipu-copy --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp engine=interp check" -o /dev/null > %t.interp
// RUN: ipu-opt %s --pop-remove-vgraphs --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null > %t.unplaced
// RUN: diff %t.placed %t.unplaced
// RUN: diff %t.interp %t.unplaced
//
// The lowering alone does not place ops.
// RUN: not ipu-opt %s --pop-to-ipu-pipeline -o /dev/null 2>&1 | FileCheck %s
// CHECK: error: 'pop.tanh' op expects attribute 'pop.vgraph'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 2 : i64, io_tiles = 2 : i64}>} {
  pop.variable @w : tensor<8x8xf32> = dense<0.25> : tensor<8x8xf32> {pop.vgraph = 1 : i64}
  pop.stream @in host_to_device : tensor<8x8xf32>
  func.func private @layer(%x: tensor<8x8xf32>, %k: tensor<8x8xf32>) -> tensor<8x8xf32> attributes {no_inline} {
    %0 = pop.matmul %x, %k {pop.vgraph = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
    %1 = pop.tanh %0 : tensor<8x8xf32>
    return %1 : tensor<8x8xf32>
  }
  func.func @main(%x: tensor<8x8xf32> {pop.name = "x"}) -> (tensor<8x8xf32> {pop.name = "y"}, tensor<8x8xf32> {pop.name = "z"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %scale = pop.constant dense<0.125> : tensor<f32>
    %in = pop.host_load @in {pop.tile_set = #pop<tile_set io>, pop.vgraph = 0 : i64} : tensor<8x8xf32>
    %in0 = pop.mul %in, %scale {pop.vgraph = 0 : i64} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
    %w = pop.get_variable @w : !pop.ref<8x8xf32>
    %y0, %y1 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %in0, %b = %x) -> (tensor<8x8xf32>, tensor<8x8xf32>) {
      %i0 = pop.from_scalar %i {pop.vgraph = 0 : i64} : index to tensor<i32>
      %f0 = pop.cast %i0 {pop.vgraph = 0 : i64} : tensor<i32> to tensor<f32>
      %a1 = pop.add %a, %f0 {pop.vgraph = 0 : i64} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
      %a2 = pop.sin %a1 : tensor<8x8xf32>
      %i1 = pop.from_scalar %i {pop.vgraph = 1 : i64} : index to tensor<i32>
      %f1 = pop.cast %i1 : tensor<i32> to tensor<f32>
      %b1 = pop.add %b, %f1 {pop.vgraph = 1 : i64} : (tensor<8x8xf32>, tensor<f32>) -> tensor<8x8xf32>
      %k = pop.read %w {pop.vgraph = 1 : i64} : !pop.ref<8x8xf32>
      %b2 = func.call @layer(%b1, %k) {pop.vgraph = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      %b3 = pop.add %b2, %a2 {pop.vgraph = 1 : i64} : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
      pop.copy_ %w, %b3 {pop.vgraph = 1 : i64} : !pop.ref<8x8xf32>, tensor<8x8xf32>
      scf.yield %a2, %b3 : tensor<8x8xf32>, tensor<8x8xf32>
    }
    %sum = pop.reduce sum %y1 {axes = array<i64: 0, 1>, pop.vgraph = 1 : i64} : tensor<8x8xf32> -> tensor<f32>
    %zero = pop.constant dense<0.0> : tensor<f32>
    %isLess = pop.less %sum, %zero : (tensor<f32>, tensor<f32>) -> tensor<i1>
    %condition = tensor.extract %isLess[] : tensor<i1>
    %z = scf.if %condition -> tensor<8x8xf32> {
      %0 = pop.exp %y0 {pop.vgraph = 0 : i64} : tensor<8x8xf32>
      scf.yield %0 : tensor<8x8xf32>
    } else {
      %0 = pop.cos %y0 {pop.vgraph = 0 : i64} : tensor<8x8xf32>
      scf.yield %0 : tensor<8x8xf32>
    }
    return %y1, %z : tensor<8x8xf32>, tensor<8x8xf32>
  }
}
