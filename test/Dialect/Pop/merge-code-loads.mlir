// RUN: ipu-opt %s --split-input-file --pop-merge-code-loads | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-merge-code-loads --remarks-filter=pop-code --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

pop.stream @s host_to_device : tensor<4xf32>
pop.remote_buffer @b : 2 x tensor<4xf32>
func.func private @f() attributes {no_inline} {
  return
}
func.func private @g() attributes {no_inline} {
  return
}
func.func private @h() attributes {no_inline} {
  return
}

// Neighbours.
// CHECK-LABEL: func.func @neighbours
// CHECK-NEXT:    pop.remote_code_load [@f, @g, @h] to executable
// CHECK-NEXT:    call @f
// REMARK: remark: [Passed] MergeCodeLoads{{.*}}graphs=2
// REMARK: remark: [Passed] MergeCodeLoads{{.*}}graphs=3
func.func @neighbours() {
  pop.remote_code_load @f to executable
  pop.remote_code_load [@g, @f] to executable
  pop.remote_code_load @h to executable
  call @f() : () -> ()
  return
}

// Compute in between: code for executable memory is loaded behind it, code for
// a buffer before it.
// REMARK: remark: [Passed] MergeCodeLoads{{.*}}graphs=2
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}the load is not merged with the load before it: the loads have different destinations, 'executable' and 'io_buffer'
// REMARK: remark: [Passed] MergeCodeLoads{{.*}}graphs=2
// CHECK-LABEL: func.func @compute
// CHECK-NEXT:    pop.exp_
// CHECK-NEXT:    pop.remote_code_load [@f, @g] to executable
// CHECK-NEXT:    pop.remote_code_load [@f, @g] to io_buffer
// CHECK-NEXT:    pop.exp_
// CHECK-NEXT:    return
func.func @compute(%r: !pop.ref<4xf32>) {
  pop.remote_code_load @f to executable
  pop.exp_ %r : !pop.ref<4xf32>
  pop.remote_code_load @g to executable
  pop.remote_code_load @f to io_buffer
  pop.exp_ %r : !pop.ref<4xf32>
  pop.remote_code_load @g to io_buffer
  return
}

// What keeps loads apart: streams, remote memory, collectives, calls, other
// moves of code, also in regions; another place; other attributes.
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: 'pop.host_load' between the loads
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: 'pop.remote_store' between the loads
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: 'pop.all_reduce' between the loads
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: 'func.call' @f between the loads
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: 'scf.if' between the loads
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: 'pop.code_copy' between the loads
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: the loads have different destinations, 'executable' and 'compute_buffer'
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}: the attributes of the loads differ
// CHECK-LABEL: func.func @apart
// CHECK-COUNT-9:   pop.remote_code_load @
func.func @apart(%t: tensor<4xf32>, %p: i1) -> tensor<4xf32> {
  pop.remote_code_load @f to executable
  %0 = pop.host_load @s : tensor<4xf32>
  pop.remote_code_load @g to executable
  pop.remote_store %t, @b[1] : tensor<4xf32>
  pop.remote_code_load @h to executable
  %1 = pop.all_reduce add %t : tensor<4xf32>
  pop.remote_code_load @f to executable
  call @f() : () -> ()
  pop.remote_code_load @g to executable
  scf.if %p {
    func.call @f() : () -> ()
  }
  pop.remote_code_load @h to executable
  pop.code_copy @f from executable to io_buffer
  pop.remote_code_load @g to executable
  pop.remote_code_load @f to compute_buffer
  pop.remote_code_load @f to compute_buffer {pop.tile_set = #pop<tile_set compute>}
  %2 = pop.add %0, %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// A sequence keeps the order of loads and what they have to do with; an exchange is
// one load already.
// REMARK: remark: [Passed] MergeCodeLoads{{.*}}graphs=2
// REMARK: remark: [Passed] MergeCodeLoads{{.*}}graphs=3
// REMARK: remark: [Missed] MergeCodeLoads{{.*}}the load is not merged with the load before it: 'pop.remote_exchange' between the loads moves data to or from the chip, or needs or moves code
// CHECK-LABEL: func.func @regions
// CHECK:         pop.in_sequence {
// CHECK-NEXT:      pop.exp_
// CHECK-NEXT:      pop.remote_code_load [@f, @g, @h] to executable
// CHECK-NEXT:      pop.remote_exchange
// CHECK-NEXT:        pop.remote_code_load @f to executable
// CHECK:           pop.remote_code_load @g to executable
// CHECK:         pop.remote_exchange {
// CHECK-NEXT:      pop.remote_code_load @f to executable
// CHECK-NEXT:      pop.remote_code_load @g to executable
func.func @regions(%r: !pop.ref<4xf32>) {
  pop.in_sequence {
    pop.remote_code_load @f to executable
    pop.exp_ %r : !pop.ref<4xf32>
    pop.remote_code_load @g to executable
    pop.remote_code_load @h to executable
    pop.remote_exchange {
      pop.remote_code_load @f to executable
    }
    pop.remote_code_load @g to executable
  }
  pop.remote_exchange {
    pop.remote_code_load @f to executable
    pop.remote_code_load @g to executable
  }
  return
}
