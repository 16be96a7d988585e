pop.stream @x host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
func.func private @f() attributes {no_inline} {
  return
}
func.func private @g(%x: tensor<4xf32>) -> tensor<4xf32> attributes {no_inline} {
  %0 = pop.neg %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @main() {
  %x = pop.host_load @x : tensor<4xf32>
  pop.remote_code_load @f to executable
  call @f() : () -> ()
  pop.remote_code_load @g to executable
  %y = call @g(%x) : (tensor<4xf32>) -> tensor<4xf32>
  pop.host_store %y, @y : tensor<4xf32>
  return
}
