// RUN: ipu-opt %s --pop-pipeline | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-pipeline{schedule=gpipe})' | FileCheck %s --check-prefix=GPIPE

// An iteration draws the bits of the micro-batches that it processes. Each
// iteration advances 4 times, as the loop before: 3 times in the nested loop.
// The second stage is one iteration later, so its ops draw with an offset of -4.
// An op before the nested loop, which belongs to another stage now, draws the
// bits before the loop. A function with an advance takes it back, and after the
// last iteration, the advances of the additional iteration are taken back.

// CHECK-LABEL: func.func private @pipeline_stage_0
// CHECK: pop.exp {{.*}} {pop.draw = #pop.draw<0>}
// CHECK: scf.for
// CHECK: pop.sin {{.*}} {pop.draw = #pop.draw<1>}
// CHECK: pop.advance_draws{{$}}
// CHECK: pop.advance_draws by -3
// CHECK-NEXT: return

// CHECK-LABEL: func.func private @pipeline_stage_1
// CHECK: pop.log {{.*}} {pop.draw = #pop.draw<3, offset = -4>,
// CHECK: pop.cos {{.*}} {pop.draw = #pop.draw<2, offset = -1>,
// CHECK: pop.advance_draws by 0
// CHECK-NEXT: return

// CHECK-LABEL: func.func @main
// CHECK: call @pipeline_stage_0
// CHECK-NEXT: pop.advance_draws by 4
// CHECK: scf.for
// CHECK: call @pipeline_stage_1
// CHECK: call @pipeline_stage_0
// CHECK-NEXT: pop.advance_draws by 4
// CHECK: call @pipeline_stage_1
// CHECK-NEXT: pop.advance_draws by 4
// CHECK-NEXT: pop.advance_draws by -4
// CHECK: pop.tanh {{.*}} {pop.draw = #pop.draw<4>}

// The second loop starts at the position of the first one.

// GPIPE: call @pipeline_stage_0
// GPIPE: pop.advance_draws by -32
// GPIPE: call @pipeline_stage_1
// GPIPE-NOT: pop.advance_draws by -
// GPIPE: return
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %c8 = arith.constant 8 : index
    scf.for %i = %c0 to %c8 step %c1 {
      %0 = pop.exp %x {pop.draw = #pop.draw<0>, pop.stage = 0 : i64} : tensor<4xf16>
      %1 = pop.log %0 {pop.draw = #pop.draw<3>, pop.stage = 1 : i64, pop.training_role = "backward"} : tensor<4xf16>
      %2 = scf.for %j = %c0 to %c3 step %c1 iter_args(%a = %0) -> (tensor<4xf16>) {
        %4 = pop.sin %a {pop.draw = #pop.draw<1>, pop.stage = 0 : i64} : tensor<4xf16>
        pop.advance_draws
        scf.yield %4 : tensor<4xf16>
      }
      %3 = pop.cos %2 {pop.draw = #pop.draw<2>, pop.stage = 1 : i64, pop.training_role = "backward"} : tensor<4xf16>
      pop.advance_draws
    }
    %5 = pop.tanh %x {pop.draw = #pop.draw<4>} : tensor<4xf16>
    pop.advance_draws
    return %5 : tensor<4xf16>
  }
}
