// RUN: ipu-opt %s --pop-verify-refs | FileCheck %s

// CHECK: pop.variable @w
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>

func.func private @callee(%r: !pop.ref<2x2xf32>)

// Origins and views, refs that regions use and that are passed on.
func.func @main(%n: index, %c: i1, %t: tensor<2x2xf32>, %arg: !pop.ref<2x2xf32>) {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %v = pop.ref_reshape %w : !pop.ref<4xf32> to !pop.ref<2x2xf32>
  %r = pop.from_tensor %t : tensor<2x2xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    %a = pop.alloc zero : !pop.ref<2x2xf32>
    func.call @callee(%v) : (!pop.ref<2x2xf32>) -> ()
    scf.if %c {
      func.call @callee(%a) : (!pop.ref<2x2xf32>) -> ()
      pop.copy_ %arg, %t : !pop.ref<2x2xf32>, tensor<2x2xf32>
    }
  }
  return
}
