// RUN: ipu-opt %s --split-input-file --pop-overlap-code-loads | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-overlap-code-loads --remarks-filter=pop-code --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

pop.stream @s host_to_device : tensor<4xf32>
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func private @g() attributes {no_inline} {
  return
}
func.func private @h() attributes {no_inline} {
  return
}
func.func private @io() {
  %0 = pop.host_load @s : tensor<4xf32>
  return
}

// All conditions hold: views and handles in between cost nothing, and other
// transfers on I/O tiles go along.
// CHECK-LABEL: func.func @overlaps
// CHECK-NEXT:    pop.remote_code_load @g to io_buffer {pop.overlaps_compute, pop.tile_set = #pop<tile_set io>}
// CHECK:         pop.remote_code_load @h to io_buffer {pop.overlaps_compute, pop.tile_set = #pop<tile_set io>}
// REMARK: remark: [Passed] OverlapCodeLoad{{.*}}the load overlaps 'pop.exp_'
// REMARK: remark: [Passed] OverlapCodeLoad{{.*}}the load overlaps 'pop.exp_'
func.func @overlaps() {
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  %w = pop.get_variable @w : !pop.ref<4xf32>
  %0 = pop.host_load @s {pop.tile_set = #pop<tile_set io>} : tensor<4xf32>
  pop.remote_code_load @h to io_buffer {pop.tile_set = #pop<tile_set io>}
  %v = pop.ref_reshape %w : !pop.ref<4xf32> to !pop.ref<2x2xf32>
  pop.exp_ %v : !pop.ref<2x2xf32>
  pop.code_copy @g from io_buffer to executable
  call @g() : () -> ()
  return
}

// A graph that loads nothing is compute, too.
// CHECK-LABEL: func.func @call
// CHECK-NEXT:    pop.remote_code_load @g to io_buffer {pop.overlaps_compute
// REMARK: remark: {{.*}}the load overlaps 'func.call' @h
func.func @call() {
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  call @h() : () -> ()
  return
}

// Condition 1: no compute before the code is used, or none at all. The mark of
// an earlier run is taken away.
// CHECK-LABEL: func.func @condition1
// CHECK-NOT:     pop.overlaps_compute
// REMARK: remark: [Missed] OverlapCodeLoad{{.*}}the load overlaps no compute: 'pop.code_copy' uses the code before any compute{{.*}}condition=1
// REMARK: remark: {{.*}}the load overlaps no compute: there is no compute after the load{{.*}}condition=1
func.func @condition1(%r: !pop.ref<4xf32>) {
  pop.remote_code_load @g to io_buffer {pop.overlaps_compute, pop.tile_set = #pop<tile_set io>}
  pop.code_copy @g from io_buffer to executable
  pop.exp_ %r : !pop.ref<4xf32>
  pop.remote_code_load @h to io_buffer {pop.tile_set = #pop<tile_set io>}
  return
}

// Condition 2: the compute needs the code.
// CHECK-LABEL: func.func @condition2
// CHECK-NOT:     pop.overlaps_compute
// REMARK: remark: {{.*}}the load overlaps no compute: 'func.call' @g needs the code that is loaded{{.*}}condition=2
func.func @condition2(%p: i1) {
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  scf.if %p {
    func.call @g() : () -> ()
  }
  return
}

// Condition 3: the load is on other tiles.
// CHECK-LABEL: func.func @condition3
// CHECK-NOT:     pop.overlaps_compute
// REMARK: remark: {{.*}}the load overlaps no compute: the load is not placed on I/O tiles{{.*}}condition=3
// REMARK: remark: {{.*}}the load overlaps no compute: the load writes memory of other tiles: expects destination 'io_buffer' but got 'executable'{{.*}}condition=3
func.func @condition3(%r: !pop.ref<4xf32>) {
  pop.remote_code_load @g to io_buffer
  pop.exp_ %r : !pop.ref<4xf32>
  pop.remote_code_load @g to executable {pop.tile_set = #pop<tile_set io>}
  pop.exp_ %r : !pop.ref<4xf32>
  return
}

// Condition 4: the compute is on I/O tiles.
// CHECK-LABEL: func.func @condition4
// CHECK-NOT:     pop.overlaps_compute
// REMARK: remark: {{.*}}the load overlaps no compute: 'pop.exp_' is placed on I/O tiles{{.*}}condition=4
func.func @condition4(%r: !pop.ref<4xf32>) {
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  pop.exp_ %r {pop.tile_set = #pop<tile_set io>} : !pop.ref<4xf32>
  return
}

// Condition 5: another transfer is in the way.
// CHECK-LABEL: func.func @condition5
// CHECK-NOT:     pop.overlaps_compute
// REMARK: remark: {{.*}}the load overlaps no compute: 'pop.host_load' between the load and the compute is not placed on I/O tiles and cannot be merged with the load{{.*}}condition=5
// REMARK: remark: {{.*}}the load overlaps no compute: 'pop.host_load' between the load and the compute is not placed on I/O tiles and cannot be merged with the load{{.*}}condition=5
func.func @condition5(%r: !pop.ref<4xf32>) {
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  %0 = pop.host_load @s : tensor<4xf32>
  pop.exp_ %r : !pop.ref<4xf32>
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  call @io() : () -> ()
  return
}

// What runs first after the load may be in a call, a branch or a loop: there it is
// found before what would be in the way.
// CHECK-LABEL: func.func private @computes_then_loads
// CHECK-LABEL: func.func @inside
// CHECK-COUNT-3: pop.remote_code_load @g to io_buffer {pop.overlaps_compute
// REMARK: remark: [Passed] {{.*}}the load overlaps 'pop.exp_'
// REMARK: remark: [Passed] {{.*}}the load overlaps 'pop.neg_'
// REMARK: remark: [Passed] {{.*}}the load overlaps 'pop.exp_'
func.func private @computes_then_loads(%r: !pop.ref<4xf32>) {
  pop.exp_ %r : !pop.ref<4xf32>
  %0 = pop.host_load @s : tensor<4xf32>
  return
}
func.func @inside(%r: !pop.ref<4xf32>, %p: i1, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  call @computes_then_loads(%r) : (!pop.ref<4xf32>) -> ()
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  scf.if %p {
    pop.neg_ %r : !pop.ref<4xf32>
    func.call @g() : () -> ()
  } else {
    func.call @computes_then_loads(%r) : (!pop.ref<4xf32>) -> ()
  }
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  scf.for %i = %c0 to %n step %c1 {
    func.call @computes_then_loads(%r) : (!pop.ref<4xf32>) -> ()
  }
  return
}

// One branch with what is in the way is enough.
// CHECK-LABEL: func.func @one_branch
// CHECK-NOT:     pop.overlaps_compute
// REMARK: remark: [Missed] {{.*}}the load overlaps no compute: 'func.call' @g needs the code that is loaded{{.*}}condition=2
func.func @one_branch(%r: !pop.ref<4xf32>, %p: i1) {
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  scf.if %p {
    pop.neg_ %r : !pop.ref<4xf32>
  } else {
    func.call @g() : () -> ()
  }
  return
}

// The load ends its block, or its function: what comes after that counts. In a
// loop that is the next round, too.
// CHECK-LABEL: func.func private @loads
// CHECK:         pop.remote_code_load @g to io_buffer {pop.overlaps_compute
// CHECK-LABEL: func.func @after
// CHECK:         pop.remote_code_load @h to io_buffer {pop.overlaps_compute
// CHECK-LABEL: func.func @next_round
// CHECK:         pop.remote_code_load @g to io_buffer {pop.tile_set
// REMARK: remark: [Passed] {{.*}}the load overlaps 'pop.exp_'
// REMARK: remark: [Passed] {{.*}}the load overlaps 'pop.neg_'
// REMARK: remark: [Missed] {{.*}}condition=3
// REMARK: remark: [Missed] {{.*}}the load overlaps no compute: 'pop.code_copy' uses the code before any compute{{.*}}condition=1
func.func private @loads() {
  pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  return
}
func.func @after(%r: !pop.ref<4xf32>, %p: i1) {
  call @loads() : () -> ()
  pop.exp_ %r : !pop.ref<4xf32>
  scf.if %p {
    pop.remote_code_load @h to io_buffer {pop.tile_set = #pop<tile_set io>}
  }
  pop.neg_ %r : !pop.ref<4xf32>
  return
}
func.func @next_round(%r: !pop.ref<4xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  pop.remote_code_load @g to io_buffer
  scf.for %i = %c0 to %n step %c1 {
    pop.code_copy @g from io_buffer to executable
    pop.remote_code_load @g to io_buffer {pop.tile_set = #pop<tile_set io>}
  }
  pop.neg_ %r : !pop.ref<4xf32>
  return
}
