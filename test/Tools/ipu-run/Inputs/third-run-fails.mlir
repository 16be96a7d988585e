// Run i stores to row i - 1 of two.
pop.variable @row : tensor<i32> = dense<0> : tensor<i32>
pop.remote_buffer @b : 2 x tensor<2xf32>
func.func @main() {
  %r = pop.get_variable @row : !pop.ref<i32>
  %row = pop.read %r : !pop.ref<i32>
  %x = pop.constant dense<1.0> : tensor<2xf32>
  pop.remote_store %x, @b[%row] : tensor<2xf32>
  %one = pop.constant dense<1> : tensor<i32>
  pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
  return
}
