// RUN: ipu-opt %s --cse --canonicalize | FileCheck %s
// RUN: ipu-opt %s --inline --cse --canonicalize --symbol-dce | FileCheck %s --check-prefix=INLINE

// Program order is the schedule: what upstream passes do to pure ops they must
// not do to ops that touch refs, streams, remote memory or code.

pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @unused host_to_device : tensor<2xf32>
pop.remote_buffer @b : 2 x tensor<2xf32>

// Each load is the next tensor, also if nobody wants it.
// CHECK-LABEL: func.func @streams
// CHECK-NEXT: pop.host_load @x
// CHECK-NEXT: %[[B:.*]] = pop.host_load @x
// CHECK-NEXT: %[[C:.*]] = pop.host_load @x
// CHECK-NEXT: return %[[B]], %[[C]]
func.func @streams() -> (tensor<2xf32>, tensor<2xf32>) {
  %a = pop.host_load @x : tensor<2xf32>
  %b = pop.host_load @x : tensor<2xf32>
  %c = pop.host_load @x : tensor<2xf32>
  return %b, %c : tensor<2xf32>, tensor<2xf32>
}

// CHECK-LABEL: func.func @rows
// CHECK: pop.remote_load @b[0]
// CHECK-NEXT: pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT: pop.remote_store %{{.*}}, @b[0]
// CHECK-NEXT: pop.remote_load @b[0]
func.func @rows(%t: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = pop.remote_load @b[0] : tensor<2xf32>
  pop.remote_store %t, @b[0] : tensor<2xf32>
  pop.remote_store %t, @b[0] : tensor<2xf32>
  %b = pop.remote_load @b[0] : tensor<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// The refs to one variable are merged, and reads with no write between them.
// CHECK-LABEL: func.func @reads
// CHECK-NEXT: %[[W:.*]] = pop.get_variable @w
// CHECK-NEXT: %[[A:.*]] = pop.read %[[W]]
// CHECK-NEXT: pop.copy_ %[[W]]
// CHECK-NEXT: %[[B:.*]] = pop.read %[[W]]
// CHECK-NEXT: return %[[A]], %[[A]], %[[B]]
func.func @reads(%t: tensor<2xf32>) -> (tensor<2xf32>, tensor<2xf32>, tensor<2xf32>) {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %a = pop.read %w : !pop.ref<2xf32>
  %a2 = pop.read %w : !pop.ref<2xf32>
  %v = pop.get_variable @w : !pop.ref<2xf32>
  pop.copy_ %v, %t : !pop.ref<2xf32>, tensor<2xf32>
  %b = pop.read %w : !pop.ref<2xf32>
  return %a, %a2, %b : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
}

// A call may write to what it is passed.
// CHECK-LABEL: func.func @across_a_call
// CHECK: pop.read
// CHECK-NEXT: call @callee
// CHECK-NEXT: pop.read
// INLINE-LABEL: func.func @across_a_call
// INLINE-NEXT: pop.read
// INLINE-NEXT: pop.exp_
// INLINE-NEXT: pop.read
func.func @across_a_call(%w: !pop.ref<2xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
  %a = pop.read %w : !pop.ref<2xf32>
  call @callee(%w) : (!pop.ref<2xf32>) -> ()
  %b = pop.read %w : !pop.ref<2xf32>
  return %a, %b : tensor<2xf32>, tensor<2xf32>
}

// INLINE-NOT: @callee
func.func private @callee(%w: !pop.ref<2xf32>) {
  pop.exp_ %w : !pop.ref<2xf32>
  return
}

// A new tensor that nobody uses goes; two new ones are not one.
// CHECK-LABEL: func.func @new
// CHECK-NEXT: %[[A:.*]] = pop.alloc zero
// CHECK-NEXT: %[[B:.*]] = pop.alloc zero
// CHECK-NEXT: pop.add_ %[[A]]
// CHECK-NEXT: call @callee(%[[A]])
// CHECK-NEXT: call @callee(%[[B]])
// CHECK-NEXT: return
func.func @new(%t: tensor<2xf32>) {
  %dead = pop.alloc zero : !pop.ref<2xf32>
  %dead2 = pop.from_tensor %t : tensor<2xf32>
  %dead3 = pop.read %dead : !pop.ref<2xf32>
  %a = pop.alloc zero : !pop.ref<2xf32>
  %b = pop.alloc zero : !pop.ref<2xf32>
  pop.add_ %a, %t : !pop.ref<2xf32>, tensor<2xf32>
  call @callee(%a) : (!pop.ref<2xf32>) -> ()
  call @callee(%b) : (!pop.ref<2xf32>) -> ()
  return
}

// CHECK-LABEL: func.func @views
// CHECK-SAME: (%[[R:.*]]: !pop.ref<2x3xf32>
// CHECK-NEXT: pop.exp_ %[[R]]
// CHECK-NEXT: pop.exp_ %[[R]]
// CHECK-NEXT: %[[V:.*]] = pop.ref_reshape %[[R]] : !pop.ref<2x3xf32> to !pop.ref<6xf32>
// CHECK-NEXT: pop.exp_ %[[V]]
// CHECK-NEXT: %[[F:.*]] = pop.ref_slice %[[V]]
// CHECK-NEXT: pop.exp_ %[[F]]
func.func @views(%r: !pop.ref<2x3xf32>) {
  %0 = pop.ref_transpose %r {permutation = array<i64: 0, 1>} : !pop.ref<2x3xf32> -> !pop.ref<2x3xf32>
  pop.exp_ %0 : !pop.ref<2x3xf32>
  %1 = pop.ref_slice %r {sizes = array<i64: 2, 3>, starts = array<i64: 0, 0>, steps = array<i64: 1, 1>} : !pop.ref<2x3xf32> -> !pop.ref<2x3xf32>
  pop.exp_ %1 : !pop.ref<2x3xf32>
  %2 = pop.ref_reshape %1 : !pop.ref<2x3xf32> to !pop.ref<3x2xf32>
  %3 = pop.ref_reshape %2 : !pop.ref<3x2xf32> to !pop.ref<6xf32>
  pop.exp_ %3 : !pop.ref<6xf32>
  %4 = pop.ref_slice %3 {sizes = array<i64: 6>, starts = array<i64: 5>, steps = array<i64: -1>} : !pop.ref<6xf32> -> !pop.ref<6xf32>
  pop.exp_ %4 : !pop.ref<6xf32>
  return
}

// A row of a row is one of the whole.

// CHECK-LABEL: func.func @rows_of_rows
// CHECK-SAME: (%[[R:.*]]: !pop.ref<2x3x4xf32>
// CHECK-NEXT: %[[V:.*]] = pop.ref_row %[[R]][1, 2, 3] : !pop.ref<2x3x4xf32> -> !pop.ref<f32>
// CHECK-NEXT: pop.exp_ %[[V]]
// CHECK-NEXT: return
func.func @rows_of_rows(%r: !pop.ref<2x3x4xf32>) {
  %0 = pop.ref_row %r[1] : !pop.ref<2x3x4xf32> -> !pop.ref<3x4xf32>
  %1 = pop.ref_row %0[2, 3] : !pop.ref<3x4xf32> -> !pop.ref<f32>
  pop.exp_ %1 : !pop.ref<f32>
  return
}

// CHECK-LABEL: func.func @code
// CHECK-NEXT: pop.remote_code_load @graph to io_buffer
// CHECK-NEXT: pop.code_copy @graph from io_buffer to executable
// CHECK-NEXT: call @graph()
// CHECK-NEXT: pop.remote_code_load @graph to executable
// CHECK-NEXT: pop.remote_code_load @graph to executable
// CHECK-NEXT: call @graph()
// INLINE-LABEL: func.func @code
// INLINE: pop.code_copy @graph from io_buffer to executable
// INLINE-NEXT: call @graph()
func.func @code() {
  pop.remote_code_load @graph to io_buffer
  pop.code_copy @graph from io_buffer to executable
  call @graph() : () -> ()
  pop.remote_code_load @graph to executable
  pop.remote_code_load @graph to executable
  call @graph() : () -> ()
  return
}
func.func @graph() attributes {no_inline} {
  return
}

// The index of a replica is known on the device only; that of a loop may be known.
// CHECK-LABEL: func.func @scalars
// CHECK-DAG: %[[C:.*]] = pop.constant dense<7> : tensor<i32>
// CHECK-DAG: %[[N:.*]] = pop.constant dense<255> : tensor<ui8>
// CHECK-DAG: %[[T:.*]] = pop.constant dense<true> : tensor<i1>
// CHECK-DAG: %[[I:.*]] = pop.replica_index
// CHECK: return %[[I]], %[[I]], %[[C]], %[[N]], %[[T]]
func.func @scalars() -> (tensor<i32>, tensor<i32>, tensor<i32>, tensor<ui8>, tensor<i1>) {
  %0 = pop.replica_index : tensor<i32>
  %1 = pop.replica_index : tensor<i32>
  %c7 = arith.constant 7 : index
  %minus = arith.constant -1 : index
  %true = arith.constant true
  %2 = pop.from_scalar %c7 : index to tensor<i32>
  %3 = pop.from_scalar %minus : index to tensor<ui8>
  %4 = pop.from_scalar %true : i1 to tensor<i1>
  return %0, %1, %2, %3, %4 : tensor<i32>, tensor<i32>, tensor<i32>, tensor<ui8>, tensor<i1>
}

// A region has the effects of its ops.
// CHECK-LABEL: func.func @regions
// CHECK-NEXT: pop.remote_exchange
// CHECK-NEXT: pop.host_load
// CHECK-NOT: pop.in_sequence
// CHECK: return
func.func @regions() {
  %0 = pop.remote_exchange {
    %1 = pop.host_load @x : tensor<2xf32>
    pop.yield %1 : tensor<2xf32>
  } : tensor<2xf32>
  %2 = pop.in_sequence {
    %3 = pop.replica_index : tensor<i32>
    pop.yield %3 : tensor<i32>
  } : tensor<i32>
  return
}

// A call is inlined into a loop, but not into a sequence, which keeps its ops
// adjacent.
// INLINE-LABEL: func.func @inlined
// INLINE: scf.for
// INLINE-NEXT: pop.exp_
// INLINE: pop.in_sequence
// INLINE-NEXT: call @sequenced
func.func @inlined(%n: index, %w: !pop.ref<2xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    func.call @callee(%w) : (!pop.ref<2xf32>) -> ()
  }
  pop.in_sequence {
    func.call @sequenced(%w) : (!pop.ref<2xf32>) -> ()
  }
  return
}
func.func private @sequenced(%w: !pop.ref<2xf32>) {
  pop.exp_ %w : !pop.ref<2xf32>
  return
}
