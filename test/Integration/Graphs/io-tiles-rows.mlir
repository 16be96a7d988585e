// A loop stores rows, whose numbers are computed in the loop, from I/O tiles. The next
// loop loads the next such row to I/O tiles while it uses the one before. Both copy the
// row's number to the I/O tiles, and go on while those transfer the row. The values are
// those of the program without I/O tiles.
//
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="profile=%t.json" -o /dev/null > %t.io
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="engine=interp check" -o /dev/null > %t.check
// RUN: ipu-opt %s --pop-remove-vgraphs=tile-sets --pop-to-ipu-pipeline --ipu-execute -o /dev/null > %t.plain
// RUN: diff %t.io %t.plain
// RUN: diff %t.check %t.plain
// RUN: FileCheck %s < %t.json
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="engine=none profile=%t.none" -o /dev/null
// RUN: cmp %t.json %t.none
// RUN: ipu-opt %s --pop-to-ipu-pipeline --mlir-print-local-scope | FileCheck %s --check-prefix=IR
//
// An iteration of the first loop copies the row and its number in 90 + 3109 cycles, and
// computes for 14065 while the store takes 13034. An iteration of the second loop takes
// 5419 for the number, and for a sum of the one before, 90 + 103 to copy the number, 13034
// for the load while it computes for 12111, and 3100 + 90 + 793 to copy the row. The loops
// take 17 * (3199 + 14065 + 6) + 16 * (5419 + 193 + 13034 + 3983 + 6) = 655750. There are
// 17 + 17 transfers of 13034 on I/O tiles; the first load begins when the last store ends.
//
// CHECK: "sync_wait": 25235
// CHECK-NEXT: "io": 443156,
// CHECK-NEXT: "cycles": 701911
//
// IR: ipu.exchange "pop.remote_load"
// IR: ipu.move %{{.*}} to %[[ROW:[0-9]+]] : {{.*}} to memref<i32, #ipu.map<{{.*}}, first = 6>>
// IR: ipu.remote_load @b[%[[ROW]] :

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, io_tiles = 2 : i64}>} {
  pop.remote_buffer @b : 17 x tensor<6000xf32>
  func.func @main() -> (tensor<6000xf32> {pop.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c16 = arith.constant 16 : index
    %c17 = arith.constant 17 : index
    %one = pop.constant dense<1> : tensor<i32>
    %ones = pop.constant dense<1.0> : tensor<6000xf32>
    %last = scf.for %i = %c0 to %c17 step %c1 iter_args(%s = %ones) -> tensor<6000xf32> {
      %n = pop.from_scalar %i : index to tensor<i32>
      pop.remote_store %s, @b[%n] {pop.tile_set = #pop<tile_set io>} : tensor<6000xf32>
      %0 = pop.add %s, %ones : tensor<6000xf32>
      %1 = pop.sqrt %0 : tensor<6000xf32>
      %2 = pop.sqrt %1 : tensor<6000xf32>
      %3 = pop.add %2, %s : tensor<6000xf32>
      scf.yield %3 : tensor<6000xf32>
    }
    %l = pop.remote_load @b[0] {pop.tile_set = #pop<tile_set io>} : tensor<6000xf32>
    %x = pop.io_tile_copy %l to compute : tensor<6000xf32>
    %y, %z = scf.for %i = %c0 to %c16 step %c1 iter_args(%sum = %last, %in = %x) -> (tensor<6000xf32>, tensor<6000xf32>) {
      %n = pop.from_scalar %i : index to tensor<i32>
      %row = pop.add %n, %one : tensor<i32>
      %next = pop.remote_load @b[%row] {pop.tile_set = #pop<tile_set io>} : tensor<6000xf32>
      %0 = pop.sqrt %sum : tensor<6000xf32>
      %1 = pop.sqrt %0 : tensor<6000xf32>
      %2 = pop.sqrt %1 : tensor<6000xf32>
      %3 = pop.add %2, %in : tensor<6000xf32>
      %4 = pop.io_tile_copy %next to compute : tensor<6000xf32>
      scf.yield %3, %4 : tensor<6000xf32>, tensor<6000xf32>
    }
    return %y : tensor<6000xf32>
  }
}
