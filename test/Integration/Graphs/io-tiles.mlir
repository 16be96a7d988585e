// RUN: ipu-opt %s --pop-to-ipu-pipeline=accumulation=chain --ipu-execute="inputs=*=ramp profile=%t.io.json" -o /dev/null > %t.io
// RUN: sed -e 's/ {pop.tile_set = #pop<tile_set io>}//' %s > %t.mlir
// RUN: ipu-opt %t.mlir --pop-to-ipu-pipeline=accumulation=chain --ipu-execute="inputs=*=ramp profile=%t.json" -o /dev/null > %t.plain
// RUN: diff %t.io %t.plain
// RUN: FileCheck %s < %t.io.json
// RUN: FileCheck %s --check-prefix=PLAIN < %t.json

// Transfers on I/O tiles: the same values; each load takes 26600 cycles of
// waiting for the host and 12000 bytes on each of two tiles, at 4 a cycle. The
// second goes on while the tiles compute what the first one brought, for which
// they waited all but the 90 cycles of their own sync.

// CHECK: "sync_wait": 29510
// CHECK-NEXT: "io": 59200,
// CHECK-NEXT: "cycles": 4679376
// PLAIN: "sync_wait": 0
// PLAIN-NEXT: "io": 0,
// PLAIN-NEXT: "cycles": 4701876

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, io_tiles = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<6000xf32>
  pop.stream @y host_to_device : tensor<6000xf32>
  pop.stream @z device_to_host : tensor<f32>
  func.func @main() {
    %x = pop.host_load @x {pop.tile_set = #pop<tile_set io>} : tensor<6000xf32>
    %0 = pop.sin %x : tensor<6000xf32>
    %y = pop.host_load @y {pop.tile_set = #pop<tile_set io>} : tensor<6000xf32>
    %1 = pop.sin %y : tensor<6000xf32>
    %2 = pop.add %0, %1 : tensor<6000xf32>
    %3 = pop.reduce sum %2 {axes = array<i64: 0>} : tensor<6000xf32> -> tensor<f32>
    pop.host_store %3, @z : tensor<f32>
    return
  }
}
