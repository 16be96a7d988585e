// RUN: ipu-opt %s --pop-place-transfers=just-in-time=labels | FileCheck %s
// RUN: ipu-opt %s --pop-place-transfers=just-in-time=labels --pop-io-tile-copy --verify-contracts | FileCheck %s --check-prefix=COPY

pop.stream @a host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @b host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @labels host_to_device : tensor<4xf32> {transfers = 8 : i64}
pop.stream @scale host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32> {transfers = 8 : i64}
pop.stream @z device_to_host : tensor<4xf32> {transfers = 8 : i64}

// CHECK-LABEL: func.func @main
// COPY-LABEL: func.func @main
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  // A transfer outside of loops stays.
  // CHECK: pop.host_load @scale : tensor
  %scale = pop.host_load @scale : tensor<4xf32>
  scf.for %i = %c0 to %c8 step %c1 {
    // The transfers of an exchange are all on I/O tiles, and so are its results.
    // CHECK: pop.remote_exchange
    // CHECK-NEXT: pop.host_load @a {pop.tile_set = #pop<tile_set io>}
    // CHECK-NEXT: pop.host_load @b {pop.tile_set = #pop<tile_set io>}
    // CHECK: } {pop.tile_set = #pop<tile_set io>}
    // COPY: %[[AB:.*]]:2 = pop.remote_exchange
    // COPY: } {pop.tile_set = #pop<tile_set io>}
    // COPY-NEXT: %[[L:.*]] = pop.host_load @labels : tensor
    // COPY-NEXT: %[[A:.*]] = pop.io_tile_copy %[[AB]]#0 to compute
    // COPY-NEXT: %[[X:.*]] = pop.add %[[A]], %[[L]]
    // COPY-NEXT: %[[B:.*]] = pop.io_tile_copy %[[AB]]#1 to compute
    // COPY-NEXT: %[[Y:.*]] = pop.mul %[[X]], %[[B]]
    %ab:2 = pop.remote_exchange {
      %a = pop.host_load @a : tensor<4xf32>
      %b = pop.host_load @b : tensor<4xf32>
      pop.yield %a, %b : tensor<4xf32>, tensor<4xf32>
    } : tensor<4xf32>, tensor<4xf32>
    // A stream that the option names stays, also in an exchange.
    // CHECK: pop.host_load @labels : tensor
    %l = pop.host_load @labels : tensor<4xf32>
    %x = pop.add %ab#0, %l : tensor<4xf32>
    %y = pop.mul %x, %ab#1 : tensor<4xf32>
    // COPY-NEXT: %[[S:.*]] = pop.io_tile_copy %[[Y]] to io
    // COPY-NEXT: pop.remote_exchange
    // COPY-NEXT: pop.host_store %[[S]], @y {pop.tile_set = #pop<tile_set io>}
    // COPY-NEXT: pop.host_store %[[S]], @z {pop.tile_set = #pop<tile_set io>}
    pop.remote_exchange {
      pop.host_store %y, @y : tensor<4xf32>
      pop.host_store %y, @z : tensor<4xf32>
    }
    // What states its tiles stays there, also in an exchange.
    // CHECK: pop.host_load @a {pop.tile_set = #pop<tile_set compute>}
    // CHECK-NEXT: pop.host_load @b : tensor
    // COPY: pop.remote_exchange
    %cd:2 = pop.remote_exchange {
      %a = pop.host_load @a {pop.tile_set = #pop<tile_set compute>} : tensor<4xf32>
      %b = pop.host_load @b : tensor<4xf32>
      pop.yield %a, %b : tensor<4xf32>, tensor<4xf32>
    } : tensor<4xf32>, tensor<4xf32>
    // CHECK: pop.host_store %{{.*}}, @z {pop.tile_set = #pop<tile_set compute>}
    pop.host_store %x, @z {pop.tile_set = #pop<tile_set compute>} : tensor<4xf32>
  }
  return
}
