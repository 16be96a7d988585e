// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// Attributes of pop-overlap-code-loads.

func.func @tile_set(%r: !pop.ref<4xf32>) {
  // expected-error@+1 {{'pop.exp_' op expects attribute 'pop.tile_set' to be a '#pop<tile_set ...>' but got "io"}}
  pop.exp_ %r {pop.tile_set = "io"} : !pop.ref<4xf32>
  return
}

// -----

func.func @overlaps(%r: !pop.ref<4xf32>) {
  // expected-error@+1 {{'pop.exp_' op expects attribute 'pop.overlaps_compute' only on a 'pop.remote_code_load'}}
  pop.exp_ %r {pop.overlaps_compute} : !pop.ref<4xf32>
  return
}

// -----

func.func private @g() attributes {no_inline} {
  return
}
func.func @overlaps() {
  // expected-error@+1 {{'pop.remote_code_load' op expects attribute 'pop.overlaps_compute' to be a unit attribute but got 1 : i64}}
  pop.remote_code_load @g to io_buffer {pop.overlaps_compute = 1 : i64}
  return
}
