// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp engine=jit profile=%t.json" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp check" -o /dev/null | FileCheck %s
// RUN: %python %S/../Inputs/live-bytes.py %t.json | FileCheck %s --check-prefix=LIVE

// Code goes from each memory to each other one: from remote memory to the I/O tiles, to
// the compute tiles, to where it is called; back from there to both, and from one of these
// to the other. It is called after each time that it was brought, three times 1 - x:
// 1 - x in all.

// CHECK: y : tensor<4xf32> = dense<[1.0, 0.75, 0.5, 0.25]>

// A codelet of 300 and 24 for its compute set, on each of two tiles.
// LIVE-DAG: code of @g in compute_buffer 648 at most 324 on a tile
// LIVE-DAG: code of @g in io_buffer 648 at most 324 on a tile

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, io_tiles = 2 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32>
  pop.stream @y device_to_host : tensor<4xf32>
  func.func private @g(%x: !pop.ref<4xf32>) attributes {no_inline} {
    %one = pop.constant dense<1.0> : tensor<4xf32>
    %0 = pop.read %x : !pop.ref<4xf32>
    %1 = pop.sub %one, %0 : tensor<4xf32>
    pop.copy_ %x, %1 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<4xf32>
    %r = pop.from_tensor %x : tensor<4xf32>
    pop.remote_code_load @g to io_buffer
    pop.code_copy @g from io_buffer to compute_buffer
    pop.code_copy @g from compute_buffer to executable
    func.call @g(%r) : (!pop.ref<4xf32>) -> ()
    pop.code_copy @g from executable to compute_buffer
    pop.code_copy @g from compute_buffer to io_buffer
    pop.code_copy @g from io_buffer to executable
    func.call @g(%r) : (!pop.ref<4xf32>) -> ()
    pop.code_copy @g from executable to io_buffer
    pop.code_copy @g from io_buffer to executable
    func.call @g(%r) : (!pop.ref<4xf32>) -> ()
    %y = pop.read %r : !pop.ref<4xf32>
    pop.host_store %y, @y : tensor<4xf32>
    return
  }
}
