// RUN: ipu-opt %s --pop-verify-contracts=conditions=NO_INPLACE,NO_IPU_COPY,NO_IMPLICIT_COPY,VGRAPH,PSTAGE,EPHASE,BPHASE,RANDOM_SEEDED,HOST_IO_EXPLICIT,LOOPS_EXPLICIT,RECOMPUTE_RESOLVED,NO_DEAD_GRAPHS,SR_COMPLETE --split-input-file | FileCheck %s

// All conditions hold. Constants, handles on variables, loops and calls need no
// placement; variables are written, also by what they are passed to; graphs
// whose code is loaded are reached; without stochastic rounding no op has a
// method.

// CHECK: pop.variable @w
// CHECK: func.func @main
module {
  pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  pop.stream @x host_to_device : tensor<4xf32>
  func.func private @f(%r: !pop.ref<4xf32>, %x: tensor<4xf32>) {
    pop.add_ %r, %x {pop.vgraph = 0 : i64, pop.stage = 1 : i64, pop.phase = 0 : i64} : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
  func.func private @loaded() attributes {no_inline} {
    return
  }
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    %one = pop.constant dense<1.0> : tensor<4xf32>
    %w = pop.get_variable @w : !pop.ref<4xf32>
    pop.remote_code_load @loaded to executable
    %x = pop.host_load @x {pop.vgraph = 0 : i64, pop.stage = 0 : i64, pop.phase = 0 : i64, pop.recompute = #pop<recompute recomputed>} : tensor<4xf32>
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = pop.add %x, %one {pop.vgraph = 0 : i64, pop.stage = 1 : i64, pop.phase = 2 : i64, pop.batch_phase = 0 : i64, pop.execution_context = #pop<execution_context normal>} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
      %1 = pop.relu %0 {pop.vgraph = 0 : i64, pop.stage = 1 : i64, pop.phase = 0 : i64, pop.batch_phase = 1 : i64} : tensor<4xf32>
      func.call @f(%w, %1) : (!pop.ref<4xf32>, tensor<4xf32>) -> ()
    }
    return
  }
}

// -----

// Where no function is the entry, public ones are reached. In a module that
// rounds stochastically terminators need no method.

// CHECK: module attributes {pop.stochastic_rounding
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @f() {
    return
  }
  func.func @g() {
    return
  }
}
