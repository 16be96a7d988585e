// Copies between tile sets that the pass inserts do not change bits: in a loop that loads
// and stores on I/O tiles, for a constant, and for ops on I/O tiles.
//
// RUN: ipu-opt %s --pop-io-tile-copy --pop-verify-placement=complete --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null > %t.copied
// RUN: ipu-opt %s --pop-io-tile-copy --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp engine=interp check" -o /dev/null > %t.checked
// RUN: ipu-opt %s --pop-remove-vgraphs=tile-sets --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null > %t.plain
// RUN: diff %t.copied %t.plain
// RUN: diff %t.checked %t.plain

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, io_tiles = 2 : i64}>} {
  pop.stream @in host_to_device : tensor<8x8xf32> {transfers = 3 : i64}
  pop.stream @out device_to_host : tensor<8x8xf32> {transfers = 3 : i64}
  func.func @main(%x: tensor<8x8xf32> {pop.name = "x"}) -> (tensor<8x8xf32> {pop.name = "y"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %k = pop.constant dense<0.25> : tensor<8x8xf32>
    %start = pop.add %x, %k {pop.tile_set = #pop<tile_set io>} : tensor<8x8xf32>
    %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %start) -> tensor<8x8xf32> {
      %1 = pop.host_load @in {pop.tile_set = #pop<tile_set io>} : tensor<8x8xf32>
      %2 = pop.mul %1, %a : tensor<8x8xf32>
      %3 = pop.add %2, %k : tensor<8x8xf32>
      pop.host_store %3, @out {pop.tile_set = #pop<tile_set io>} : tensor<8x8xf32>
      scf.yield %3 : tensor<8x8xf32>
    }
    return %0 : tensor<8x8xf32>
  }
}
