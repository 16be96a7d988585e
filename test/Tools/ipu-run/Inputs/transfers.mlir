// Twice in a run, y is the next x, doubled.
module attributes {pop.host_transfers = 2 : i64} {
  pop.stream @x host_to_device : tensor<2xf32>
  pop.stream @y device_to_host : tensor<2xf32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    scf.for %i = %c0 to %c2 step %c1 {
      %x = pop.host_load @x : tensor<2xf32>
      %y = pop.add %x, %x : tensor<2xf32>
      pop.host_store %y, @y : tensor<2xf32>
    }
    return
  }
}
