// Weights that drift apart: nothing makes the gradients of replicas equal. The
// sum of a group differs between groups only.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<2xf32>
  pop.remote_buffer @rows : 1 x tensor<2xf32>
  pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  pop.variable @sum : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @row : tensor<2xf32> = dense<0.0> : tensor<2xf32> {buffer = @rows, row = 0 : i64}
  pop.variable @shard : tensor<4xf32> = dense<0.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<2xf32>
    %sum = pop.get_variable @sum : !pop.ref<2xf32>
    %shard = pop.get_variable @shard : !pop.ref<2xf32>
    %x = pop.host_load @x : tensor<2xf32>
    %g = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2xf32>
    pop.sub_ %SUBTRACTED : !pop.ref<2xf32>, tensor<2xf32>
    pop.add_ %sum, %g : !pop.ref<2xf32>, tensor<2xf32>
    pop.add_ %ADDED : !pop.ref<2xf32>, tensor<2xf32>
    pop.remote_store %STORED, @rows[0] : tensor<2xf32>
    return
  }
}
