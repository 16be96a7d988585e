// Two ops that the lowering merges into one step, and one that needs both.
func.func @main(%x: tensor<64xf32> {pop.name = "x"}) -> (tensor<64xf32> {pop.name = "y"}) {
  %0 = pop.tanh %x : tensor<64xf32> loc("left"("model.py":1:1))
  %1 = pop.exp %x : tensor<64xf32> loc("right"("model.py":2:1))
  %2 = pop.add %0, %1 : tensor<64xf32> loc("sum"("model.py":3:1))
  return %2 : tensor<64xf32>
}
