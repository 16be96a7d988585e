// A counter is expected to be 1.
pop.variable @n : tensor<i32> = dense<0> : tensor<i32>
func.func @main() {
  %r = pop.get_variable @n : !pop.ref<i32>
  %one = pop.constant dense<1> : tensor<i32>
  pop.add_ %r, %one : !pop.ref<i32>, tensor<i32>
  %n = pop.read %r : !pop.ref<i32>
  pop.expect_eq %n, dense<1> : tensor<i32>
  return
}
