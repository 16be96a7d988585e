// Of four replicas: their index is added to what they have, in every kind of
// variable; y is the sum of all that came of @shared.
pop.variable @shared : tensor<2xf32> = dense<[0.5, 1.0]> : tensor<2xf32> {retrieval = #pop<retrieval all_replicas>}
pop.variable @own : tensor<2xf32> = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]]> : tensor<4x2xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
pop.variable @parts : tensor<3xf32> = dense<[10.0, 20.0, 30.0]> : tensor<3xf32> {sharding = #pop.replica_groups<stride = 1, size = 4>}
pop.variable @far : tensor<2xf32> = dense<[[-1.0, -2.0], [-3.0, -4.0]]> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 2, size = 2>, buffer = @b, row = 1 : i64}
pop.remote_buffer @b : 2 x tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
func.func @main() {
  %index = pop.replica_index : tensor<i32>
  %i = pop.cast %index : tensor<i32> to tensor<f32>
  %own = pop.get_variable @own : !pop.ref<2xf32>
  pop.add_ %own, %i : !pop.ref<2xf32>, tensor<f32>
  %parts = pop.get_variable @parts : !pop.ref<1xf32>
  pop.add_ %parts, %i : !pop.ref<1xf32>, tensor<f32>
  %far = pop.remote_load @b[1] : tensor<2xf32>
  %more = pop.add %far, %i : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
  pop.remote_store %more, @b[1] : tensor<2xf32>
  %shared = pop.get_variable @shared : !pop.ref<2xf32>
  %one = pop.constant dense<1.0> : tensor<f32>
  pop.add_ %shared, %one : !pop.ref<2xf32>, tensor<f32>
  %s = pop.read %shared : !pop.ref<2xf32>
  %y = pop.all_reduce add %s : tensor<2xf32>
  pop.host_store %y, @y : tensor<2xf32>
  return
}
