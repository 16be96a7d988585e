// Of the module's number, which is three, only @k makes use.
module attributes {pop.host_transfers = 3 : i64} {
  pop.stream @k host_to_device broadcast : tensor<1xf32>
  pop.stream @x host_to_device : tensor<2xf32> {transfers = 2 : i64}
  pop.stream @s host_to_device broadcast : tensor<2xf32> {transfers = 1 : i64}
  pop.stream @y device_to_host : tensor<2xf32> {transfers = 2 : i64}
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %k = pop.host_load @k : tensor<1xf32>
    %s = pop.host_load @s : tensor<2xf32>
    scf.for %i = %c0 to %c2 step %c1 {
      %x = pop.host_load @x : tensor<2xf32>
      %0 = pop.add %x, %s : tensor<2xf32>
      %y = pop.add %0, %k : (tensor<2xf32>, tensor<1xf32>) -> tensor<2xf32>
      pop.host_store %y, @y : tensor<2xf32>
    }
    return
  }
}
