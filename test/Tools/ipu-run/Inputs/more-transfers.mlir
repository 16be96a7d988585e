// Three loads and stores in a loop, one in either branch, one in a graph that is
// called twice: six. Of @z a branch may have none.
module attributes {pop.host_transfers = 2 : i64} {
  pop.stream @x host_to_device : tensor<1xf32>
  pop.stream @y device_to_host : tensor<1xf32>
  pop.stream @z device_to_host : tensor<1xf32>
  func.func private @copy() attributes {no_inline} {
    %x = pop.host_load @x : tensor<1xf32>
    pop.host_store %x, @y : tensor<1xf32>
    return
  }
  func.func @main(%b: tensor<i1> {pop.name = "b"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %k = %c0 to %c3 step %c1 {
      %x = pop.host_load @x : tensor<1xf32>
      pop.host_store %x, @y : tensor<1xf32>
    }
    %c = tensor.extract %b[] : tensor<i1>
    scf.if %c {
      func.call @copy() : () -> ()
    } else {
      %x = pop.host_load @x : tensor<1xf32>
      pop.host_store %x, @y : tensor<1xf32>
      pop.host_store %x, @z : tensor<1xf32>
      pop.host_store %x, @z : tensor<1xf32>
      pop.host_store %x, @z : tensor<1xf32>
    }
    func.call @copy() : () -> ()
    func.call @copy() : () -> ()
    return
  }
}
