pop.variable @w : tensor<3xf32> = dense<1.0> : tensor<3xf32>
func.func @main(%x: tensor<4x3xf32> {pop.name = "x"}) -> (tensor<4x3xf32> {pop.name = "y"}) {
  %r = pop.get_variable @w : !pop.ref<3xf32>
  %w = pop.read %r : !pop.ref<3xf32>
  %c = pop.constant dense_resource<c> : tensor<3xf32>
  %0 = pop.mul %x, %w : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  %1 = pop.mul %0, %c : (tensor<4x3xf32>, tensor<3xf32>) -> tensor<4x3xf32>
  return %1 : tensor<4x3xf32>
}
{-#
  dialect_resources: { builtin: { c: "0x040000000000803F0000803FRESOURCE" } }
#-}
