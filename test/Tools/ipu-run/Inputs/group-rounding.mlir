module attributes {ipu.target = #ipu.target<"gc200", {tiles = 2 : i64, replicas = 4 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.stream @x host_to_device : tensor<8xf16>
  pop.stream @y device_to_host : tensor<8xf16>
  func.func @main() {
    %x = pop.host_load @x : tensor<8xf16>
    %s = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<8xf16>
    %e = pop.exp %s : tensor<8xf16>
    pop.host_store %e, @y : tensor<8xf16>
    return
  }
}
