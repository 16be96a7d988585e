// RUN: ipu-opt %s --pop-merge-exchange | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pop-merge-exchange --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

pop.remote_buffer @b : 4 x tensor<4xf32>
pop.remote_buffer @c : 1 x tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>

// The example of the pass.
//
// CHECK-LABEL: func.func @example(
// CHECK-NEXT:    %[[E:.+]]:2 = pop.remote_exchange {
// CHECK-NEXT:      %[[A:.+]] = pop.remote_load @b[0] : tensor<4xf32>
// CHECK-NEXT:      %[[B:.+]] = pop.host_load @x : tensor<4xf32>
// CHECK-NEXT:      pop.remote_store %{{.*}}, @c[0] : tensor<4xf32>
// CHECK-NEXT:      pop.yield %[[A]], %[[B]]
// CHECK-NEXT:    } : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:    return %[[E]]#0, %[[E]]#1
func.func @example(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.remote_load @b[0] : tensor<4xf32>
  %1 = pop.host_load @x : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}MergeExchange{{.*}}transfers=3
  pop.remote_store %t, @c[0] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Two rows are swapped: what is stored is loaded before.
//
// CHECK-LABEL: func.func @swap(
// CHECK-NEXT:    %[[E:.+]]:2 = pop.remote_exchange {
// CHECK-COUNT-2:   pop.remote_load
// CHECK:         pop.remote_exchange {
// CHECK-NEXT:      pop.remote_store %[[E]]#1, @b[0]
// CHECK-NEXT:      pop.remote_store %[[E]]#0, @b[1]
// CHECK-NEXT:    }
func.func @swap() {
  %0 = pop.remote_load @b[0] : tensor<4xf32>
  %1 = pop.remote_load @b[1] : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}the transfer is not merged with the transfers before it: it uses the result of an earlier transfer
  pop.remote_store %1, @b[0] : tensor<4xf32>
  pop.remote_store %0, @b[1] : tensor<4xf32>
  return
}

// A store of a loaded value, after other loads.
//
// CHECK-LABEL: func.func @dependent(
// CHECK-NEXT:    %[[E:.+]]:2 = pop.remote_exchange {
// CHECK:         pop.remote_store %[[E]]#0, @c[0]
// CHECK-NOT:     pop.remote_exchange
func.func @dependent() -> tensor<4xf32> {
  %0 = pop.remote_load @b[0] : tensor<4xf32>
  %1 = pop.remote_load @b[1] : tensor<4xf32>
  pop.remote_store %0, @c[0] : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// A load and a store of one buffer need a landing pad each.
//
// CHECK-LABEL: func.func @landing_pads(
// CHECK-NEXT:    pop.remote_exchange {
// CHECK-NEXT:      pop.remote_load @b[0]
// CHECK-NEXT:      pop.remote_store %{{.*}}, @b[1]
func.func @landing_pads(%t: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.remote_load @b[0] : tensor<4xf32>
  pop.remote_store %t, @b[1] : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// The same row is loaded before it is stored.
//
// CHECK-LABEL: func.func @same_row(
// CHECK-NOT:     pop.remote_exchange
// CHECK:         return
func.func @same_row(%t: tensor<4xf32>, %row: tensor<i32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.remote_load @b[0] : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}it may use a row of a remote buffer that an earlier transfer uses, and one of these two transfers is a store
  pop.remote_store %t, @b[0] : tensor<4xf32>
  %1 = pop.remote_load @b[%row] : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Tensors of a stream come one after the other.
//
// CHECK-LABEL: func.func @one_stream(
// CHECK-NOT:     pop.remote_exchange
// CHECK:         return
func.func @one_stream() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.host_load @x : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}it is the next transfer of a stream that an earlier transfer uses
  %1 = pop.host_load @x : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// What makes refs, scalars and constants may be in between; compute may not.
//
// CHECK-LABEL: func.func @between(
// CHECK:         pop.constant
// CHECK-NEXT:    pop.alloc zero
// CHECK-NEXT:    pop.remote_exchange
// CHECK:         pop.exp
// CHECK-NEXT:    pop.remote_store
func.func @between(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.remote_load @b[0] : tensor<4xf32>
  %1 = pop.constant dense<1.0> : tensor<4xf32>
  %r = pop.alloc zero : !pop.ref<4xf32>
  pop.remote_store %1, @c[0] : tensor<4xf32>
  %2 = pop.exp %t : tensor<4xf32>
  pop.remote_store %2, @b[1] : tensor<4xf32>
  %3 = pop.read %r : !pop.ref<4xf32>
  return %0, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Exchanges grow; placements that are equal for all are those of the exchange.
//
// CHECK-LABEL: func.func @exchanges(
// CHECK-NEXT:    %[[E:.+]]:3 = pop.remote_exchange {
// CHECK-NEXT:      pop.host_load @x {pop.phase = 0 : i64, pop.vgraph = 0 : i64}
// CHECK-NEXT:      pop.remote_load @b[0] {pop.phase = 0 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:      pop.remote_load @b[1] {pop.phase = 0 : i64, pop.vgraph = 1 : i64}
// CHECK-NEXT:      pop.yield
// CHECK-NEXT:    } {pop.phase = 0 : i64}
// CHECK-NEXT:    return %[[E]]#0, %[[E]]#2, %[[E]]#1
func.func @exchanges() -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.host_load @x {pop.vgraph = 0 : i64, pop.phase = 0 : i64} : tensor<4xf32>
  %1:2 = pop.remote_exchange {
    %2 = pop.remote_load @b[0] : tensor<4xf32>
    %3 = pop.remote_load @b[1] {pop.vgraph = 1 : i64} : tensor<4xf32>
    pop.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  } {pop.vgraph = 1 : i64, pop.phase = 0 : i64} : tensor<4xf32>, tensor<4xf32>
  return %0, %1#1, %1#0 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Contexts and batch phases are kept apart.
//
// CHECK-LABEL: func.func @contexts(
// CHECK-NOT:     pop.remote_exchange
// CHECK:         return
func.func @contexts(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.remote_load @b[0] : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}its execution context differs
  %1 = pop.remote_load @b[1] {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}exactly one of this transfer and the transfer before it has a batch phase
  pop.remote_store %t, @c[0] {pop.batch_phase = 0 : i64, pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Transfers of different pipeline stages are not merged.
//
// CHECK-LABEL: func.func @stages(
// CHECK-NOT:     pop.remote_exchange
// CHECK:         return
func.func @stages() -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.remote_load @b[0] {pop.stage = 0 : i64} : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}its pipeline stage differs
  %1 = pop.remote_load @b[1] {pop.stage = 1 : i64} : tensor<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Loads of code are transfers, too.
//
// CHECK-LABEL: func.func @code(
// CHECK-NEXT:    pop.remote_exchange {
// CHECK-NEXT:      pop.remote_code_load @loaded to executable
// CHECK-NEXT:      pop.host_store
// CHECK-NEXT:    }
func.func private @loaded() attributes {no_inline} {
  return
}
func.func @code(%t: tensor<4xf32>) {
  pop.remote_code_load @loaded to executable
  pop.host_store %t, @y : tensor<4xf32>
  call @loaded() : () -> ()
  return
}

// An exchange of two tensors of one stream stays as it is.
//
// CHECK-LABEL: func.func @one_stream_in_an_exchange(
// CHECK-NEXT:    pop.host_store
// CHECK-NEXT:    pop.remote_exchange {
// CHECK-COUNT-2:   pop.host_load @x
// CHECK:         pop.remote_exchange {
// CHECK-NEXT:      pop.host_load @x
// CHECK-NEXT:      pop.remote_load @b[0]
func.func @one_stream_in_an_exchange(%t: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  pop.host_store %t, @y : tensor<4xf32>
  %0:2 = pop.remote_exchange {
    %1 = pop.host_load @x : tensor<4xf32>
    %2 = pop.host_load @x : tensor<4xf32>
    pop.yield %1, %2 : tensor<4xf32>, tensor<4xf32>
  } : tensor<4xf32>, tensor<4xf32>
  %3 = pop.host_load @x : tensor<4xf32>
  %4 = pop.remote_load @b[0] : tensor<4xf32>
  return %0#1, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
