// Four stages on four IPUs, in calls inside a loop of 16 iterations. The first
// stage loads its input from the host. Each IPU has its own clock: an iteration
// begins on IPU 0 as soon as IPU 1 has received the result of the previous one.
//
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.json" -o /dev/null > %t.placed
// RUN: ipu-opt %s --pop-remove-vgraphs --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null > %t.unplaced
// RUN: diff %t.placed %t.unplaced
// RUN: %python %S/Inputs/check-pipeline.py %t.json 4 16

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, ipus = 4 : i64}>} {
  pop.stream @in host_to_device : tensor<16x64xf32>
  pop.variable @out : tensor<16x64xf32> = dense<0.0> : tensor<16x64xf32> {pop.vgraph = 3 : i64}
  func.func private @first() -> tensor<16x64xf32> attributes {no_inline} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 40 : index
    %w = pop.constant dense<0.0625> : tensor<64x64xf32>
    %x = pop.host_load @in {pop.vgraph = 0 : i64} : tensor<16x64xf32>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<16x64xf32> {
      %0 = pop.matmul %a, %w {pop.vgraph = 0 : i64} : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
      %1 = pop.sin %0 {pop.vgraph = 0 : i64} : tensor<16x64xf32>
      scf.yield %1 : tensor<16x64xf32>
    }
    return %y : tensor<16x64xf32>
  }
  func.func private @second(%x: tensor<16x64xf32>) -> tensor<16x64xf32> attributes {no_inline} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 40 : index
    %w = pop.constant dense<0.03125> : tensor<64x64xf32>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<16x64xf32> {
      %0 = pop.matmul %a, %w {pop.vgraph = 1 : i64} : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
      %1 = pop.sin %0 {pop.vgraph = 1 : i64} : tensor<16x64xf32>
      scf.yield %1 : tensor<16x64xf32>
    }
    return %y : tensor<16x64xf32>
  }
  func.func private @third(%x: tensor<16x64xf32>) -> tensor<16x64xf32> attributes {no_inline} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 40 : index
    %w = pop.constant dense<0.03125> : tensor<64x64xf32>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<16x64xf32> {
      %0 = pop.matmul %a, %w {pop.vgraph = 2 : i64} : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
      %1 = pop.sin %0 {pop.vgraph = 2 : i64} : tensor<16x64xf32>
      scf.yield %1 : tensor<16x64xf32>
    }
    return %y : tensor<16x64xf32>
  }
  func.func private @fourth(%x: tensor<16x64xf32>) -> tensor<16x64xf32> attributes {no_inline} {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %n = arith.constant 40 : index
    %w = pop.constant dense<0.03125> : tensor<64x64xf32>
    %y = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<16x64xf32> {
      %0 = pop.matmul %a, %w {pop.vgraph = 3 : i64} : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
      %1 = pop.sin %0 {pop.vgraph = 3 : i64} : tensor<16x64xf32>
      scf.yield %1 : tensor<16x64xf32>
    }
    return %y : tensor<16x64xf32>
  }
  func.func @main() -> (tensor<16x64xf32> {pop.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %out = pop.get_variable @out : !pop.ref<16x64xf32>
    scf.for %i = %c0 to %c16 step %c1 {
      %0 = func.call @first() {pop.vgraph = 0 : i64} : () -> tensor<16x64xf32>
      %1 = pop.ipu_copy %0 from 0 to 1 : tensor<16x64xf32>
      %2 = func.call @second(%1) {pop.vgraph = 1 : i64} : (tensor<16x64xf32>) -> tensor<16x64xf32>
      %3 = pop.ipu_copy %2 from 1 to 2 : tensor<16x64xf32>
      %4 = func.call @third(%3) {pop.vgraph = 2 : i64} : (tensor<16x64xf32>) -> tensor<16x64xf32>
      %5 = pop.ipu_copy %4 from 2 to 3 : tensor<16x64xf32>
      %6 = func.call @fourth(%5) {pop.vgraph = 3 : i64} : (tensor<16x64xf32>) -> tensor<16x64xf32>
      pop.add_ %out, %6 {pop.vgraph = 3 : i64} : !pop.ref<16x64xf32>, tensor<16x64xf32>
    }
    %r = pop.read %out {pop.vgraph = 3 : i64} : !pop.ref<16x64xf32>
    return %r : tensor<16x64xf32>
  }
}
