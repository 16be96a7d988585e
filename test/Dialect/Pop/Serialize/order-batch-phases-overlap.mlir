// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-order-batch-phases)' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-order-batch-phases{schedule=overlap-on-io})' | FileCheck %s --check-prefix=IO
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-order-batch-phases{schedule=overlap-on-compute})' | FileCheck %s --check-prefix=COMPUTE

// Each phase by itself.
// CHECK: pop.remote_load @in[0]
// CHECK-NEXT: pop.io_tile_copy {{.*}} to compute
// CHECK-NEXT: pop.exp
// CHECK-NEXT: pop.io_tile_copy {{.*}} to io
// CHECK-NEXT: pop.remote_store {{.*}}@out[0]
// CHECK-NEXT: pop.remote_load @in[1]

// The next tensor comes from the I/O tiles before the result goes there.
// IO: pop.remote_load @in[0]
// IO-NEXT: pop.io_tile_copy {{.*}} to compute
// IO-NEXT: pop.exp
// IO-NEXT: pop.remote_load @in[1]
// IO-NEXT: pop.io_tile_copy {{.*}} to compute
// IO-NEXT: pop.io_tile_copy {{.*}} to io
// IO-NEXT: pop.remote_store {{.*}}@out[0]
// IO-NEXT: pop.exp
// IO-NEXT: pop.io_tile_copy {{.*}} to io
// IO-NEXT: pop.remote_store {{.*}}@out[1]

// The next tensor is loaded before the computation.
// COMPUTE: pop.remote_load @in[0]
// COMPUTE-NEXT: pop.io_tile_copy {{.*}} to compute
// COMPUTE-NEXT: pop.remote_load @in[1]
// COMPUTE-NEXT: pop.exp
// COMPUTE-NEXT: pop.io_tile_copy {{.*}} to compute
// COMPUTE-NEXT: pop.io_tile_copy {{.*}} to io
// COMPUTE-NEXT: pop.remote_store {{.*}}@out[0]
// COMPUTE-NEXT: pop.exp
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, io_tiles = 1 : i64}>} {
  pop.remote_buffer @in : 2 x tensor<4xf32>
  pop.remote_buffer @out : 2 x tensor<4xf32>
  func.func @main() {
    %0 = pop.remote_load @in[0] {pop.batch_phase = 0 : i64, pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %1 = pop.io_tile_copy %0 to compute {pop.batch_phase = 0 : i64} : tensor<4xf32>
    %2 = pop.exp %1 {pop.batch_phase = 0 : i64} : tensor<4xf32>
    %3 = pop.io_tile_copy %2 to io {pop.batch_phase = 0 : i64} : tensor<4xf32>
    pop.remote_store %3, @out[0] {pop.batch_phase = 0 : i64, pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %4 = pop.remote_load @in[1] {pop.batch_phase = 1 : i64, pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    %5 = pop.io_tile_copy %4 to compute {pop.batch_phase = 1 : i64} : tensor<4xf32>
    %6 = pop.exp %5 {pop.batch_phase = 1 : i64} : tensor<4xf32>
    %7 = pop.io_tile_copy %6 to io {pop.batch_phase = 1 : i64} : tensor<4xf32>
    pop.remote_store %7, @out[1] {pop.batch_phase = 1 : i64, pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
    return
  }
}
