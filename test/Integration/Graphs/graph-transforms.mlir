// Each graph transform, and all of them, leave the values as they were.
//
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null > %t.plain
// RUN: ipu-opt %s --pop-prune --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null | diff %t.plain -
// RUN: ipu-opt %s --pop-merge-duplicate-ops --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null | diff %t.plain -
// RUN: ipu-opt %s --pop-merge-exchange --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null | diff %t.plain -
// RUN: ipu-opt %s --pop-host-load-setup --pop-host-store-setup --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null | diff %t.plain -
// RUN: ipu-opt %s --pop-graph-pipeline --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null | diff %t.plain -

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.remote_buffer @b : 2 x tensor<6xf32>
  pop.variable @b0 : tensor<6xf32> = dense<1.0> : tensor<6xf32> {buffer = @b, row = 0 : i64}
  pop.variable @b1 : tensor<6xf32> = dense<2.0> : tensor<6xf32> {buffer = @b, row = 1 : i64}
  func.func private @scale(%x: tensor<6xf32>) -> tensor<6xf32> {
    %0 = pop.add %x, %x : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %0 : tensor<6xf32>
  }
  func.func @main(%x: tensor<6xf32> {pop.name = "x"}) -> (tensor<6xf32> {pop.name = "y"}, tensor<6xf32> {pop.name = "row"}) {
    %0 = pop.remote_load @b[0] : tensor<6xf32>
    %1 = pop.remote_load @b[1] : tensor<6xf32>
    pop.remote_store %0, @b[1] : tensor<6xf32>
    pop.remote_store %1, @b[0] : tensor<6xf32>
    %2 = call @scale(%x) : (tensor<6xf32>) -> tensor<6xf32>
    %3 = call @scale(%x) : (tensor<6xf32>) -> tensor<6xf32>
    %r = pop.alloc zero : !pop.ref<6xf32>
    pop.copy_ %r, %3 : !pop.ref<6xf32>, tensor<6xf32>
    %4 = pop.exp %3 : tensor<6xf32>
    %5 = pop.mul %2, %3 : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    return %5, %0 : tensor<6xf32>, tensor<6xf32>
  }
}
