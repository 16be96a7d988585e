func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %n = arith.constant 3000000 : index
  %one = pop.constant dense<1.0> : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %b = pop.add %a, %one : tensor<4xf32> loc("add")
    scf.yield %b : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
