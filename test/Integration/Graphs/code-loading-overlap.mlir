// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.json" --remarks-filter=pop-code --remark-format=emitRemark -o /dev/null > %t.out 2> %t.remarks
// RUN: FileCheck %s --check-prefix=REMARK --implicit-check-not=remark: < %t.remarks
// RUN: FileCheck %s < %t.json
// RUN: %python %S/../Inputs/live-bytes.py %t.json | FileCheck %s --check-prefix=LIVE
// RUN: sed "s/ {pop.tile_set = #pop<tile_set io>}//" %s > %t.plain.mlir
// RUN: ipu-opt %t.plain.mlir --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp profile=%t.plain.json" --remarks-filter=pop-code --remark-format=emitRemark -o /dev/null > %t.plain.out 2> %t.plain.remarks
// RUN: FileCheck %s --check-prefix=MISSED --implicit-check-not=remark: < %t.plain.remarks
// RUN: FileCheck %s --check-prefix=PLAIN < %t.plain.json
// RUN: cmp %t.out %t.plain.out

// A load of code to I/O tiles goes on while the others compute: all of its 6823
// cycles are hidden behind the 9248 of pop.exp. Where the load is not said to be on
// I/O tiles it takes them: 89876 + 6823 = 96699.

// REMARK: remark: [Passed] OverlapCodeLoad{{.*}}the load overlaps 'pop.exp_'
// MISSED: remark: [Missed] OverlapCodeLoad{{.*}}the load overlaps no compute: the load is not placed on I/O tiles{{.*}}condition=3
// CHECK: "sync_wait": 0,
// CHECK-NEXT: "io": 6823,
// CHECK-NEXT: "cycles": 89876
// PLAIN: "sync_wait": 0,
// PLAIN-NEXT: "io": 0,
// PLAIN-NEXT: "cycles": 96699

// @g has a codelet of 300 and 24 for its compute set on each of two tiles. In the
// buffer that is 324 on each of the two I/O tiles, which hold nothing else; on the
// compute tiles it is there from the copy at step 6 to the call.
// LIVE: 5 compute pop.exp 17084
// LIVE-NEXT: 6 code g 17408
// LIVE-NEXT: 7 compute pop.tanh 17408
// LIVE-NEXT: 8 compute g 17408
// LIVE-NEXT: 9 sync external 17084
// LIVE: code of @g in io_buffer 648 at most 324 on a tile in steps 4 to 6

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, io_tiles = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<6000xf32>
  pop.stream @y device_to_host : tensor<6000xf32>
  func.func private @g(%x: !pop.ref<6000xf32>) attributes {no_inline} {
    pop.tanh_ %x : !pop.ref<6000xf32>
    return
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<6000xf32>
    %r = pop.from_tensor %x : tensor<6000xf32>
    pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
    pop.exp_ %r : !pop.ref<6000xf32>
    pop.code_copy @g from io_buffer to executable
    func.call @g(%r) : (!pop.ref<6000xf32>) -> ()
    %y = pop.read %r : !pop.ref<6000xf32>
    pop.host_store %y, @y : tensor<6000xf32>
    return
  }
}
