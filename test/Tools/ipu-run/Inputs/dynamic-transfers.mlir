// As often as n says, y is the next x.
module attributes {pop.host_transfers = 2 : i64} {
  pop.stream @n host_to_device broadcast : tensor<i32>
  pop.stream @x host_to_device : tensor<2xf32>
  pop.stream @y device_to_host : tensor<2xf32>
  func.func @main() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %t = pop.host_load @n : tensor<i32>
    %i = tensor.extract %t[] : tensor<i32>
    %n = arith.index_cast %i : i32 to index
    scf.for %k = %c0 to %n step %c1 {
      %x = pop.host_load @x : tensor<2xf32>
      pop.host_store %x, @y : tensor<2xf32>
    }
    return
  }
}
