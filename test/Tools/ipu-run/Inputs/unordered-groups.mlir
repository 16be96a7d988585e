// Of four replicas: w grows by their index. Neither group lists its least
// replica first.
pop.variable @w : tensor<1xi32> = dense<[[10], [20]]> : tensor<2x1xi32> {groups = #pop.replica_groups<[[3, 0], [2, 1]]>}
func.func @main() {
  %i = pop.replica_index : tensor<i32>
  %w = pop.get_variable @w : !pop.ref<1xi32>
  pop.add_ %w, %i : !pop.ref<1xi32>, tensor<i32>
  return
}
