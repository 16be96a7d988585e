// A weight in streaming memory, which the forward graph and a function load, is
// trained: z = x w^2 has the gradient 2 x w, so that w = 3 becomes
// 3 - 0.5 * 2 * 3 x = 3 - 3 x, which is 0 and -3 for x = 1 and 2.

// RUN: ipu-opt %s --pop-graph-pipeline='train=main weights=@w' > %t.mlir
// RUN: FileCheck %s --check-prefix=IR < %t.mlir
// RUN: %python -c "import numpy as np; np.save('%t.npy', np.float32([1, 2]))"
// RUN: ipu-run %t.mlir --input x=%t.npy --output-dir %t --save-weights %t.npz --check
// RUN: %python -c "import numpy as np; np.testing.assert_array_equal(np.load('%t.npz')['w'], [0, -3]); np.testing.assert_array_equal(np.load('%t/z.npy'), [9, 18])"

// IR-NOT: pop.get_variable @w
// IR: pop.remote_load @b[1]
// IR: pop.remote_store %{{.*}}, @b[1]

pop.remote_buffer @b : 2 x tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<3.0> : tensor<2xf32> {buffer = @b, row = 1 : i64, pop.optimizer = #pop.optimizer<sgd0, lr = 0.5>}
func.func private @scale(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.remote_load @b[1] : tensor<2xf32>
  %1 = pop.mul %x, %0 : tensor<2xf32>
  return %1 : tensor<2xf32>
}
func.func @main(%x: tensor<2xf32> {pop.name = "x"}) -> (tensor<2xf32> {pop.name = "z"}) {
  %0 = pop.remote_load @b[1] : tensor<2xf32>
  %1 = pop.mul %x, %0 : tensor<2xf32>
  %2 = call @scale(%1) : (tensor<2xf32>) -> tensor<2xf32>
  return %2 : tensor<2xf32>
}
