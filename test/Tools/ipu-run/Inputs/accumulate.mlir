// Each run adds x to w, twice one to n, and gives w.
pop.variable @w : tensor<2x2xf32> = dense<[[1.0, 2.0], [3.0, 4.0]]> : tensor<2x2xf32>
pop.variable @n : tensor<i32> = dense<5> : tensor<i32>
pop.stream @x host_to_device : tensor<2x2xf32>
pop.stream @y device_to_host : tensor<2x2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2x2xf32>
  %n = pop.get_variable @n : !pop.ref<i32>
  %x = pop.host_load @x : tensor<2x2xf32>
  pop.add_ %w, %x : !pop.ref<2x2xf32>, tensor<2x2xf32>
  %two = pop.constant dense<2> : tensor<i32>
  pop.add_ %n, %two : !pop.ref<i32>, tensor<i32>
  %y = pop.read %w : !pop.ref<2x2xf32>
  pop.host_store %y, @y : tensor<2x2xf32>
  return
}
