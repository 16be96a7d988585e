// RUN: ipu-opt %s --pop-merge-duplicate-ops | FileCheck %s
// RUN: ipu-opt %s -o /dev/null --pop-merge-duplicate-ops --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

func.func private @pure(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @reads(%r: !pop.ref<4xf32>) -> tensor<4xf32> {
  %0 = pop.read %r : !pop.ref<4xf32>
  return %0 : tensor<4xf32>
}
func.func private @writes(%r: !pop.ref<4xf32>) -> tensor<4xf32> {
  pop.exp_ %r : !pop.ref<4xf32>
  %0 = pop.read %r : !pop.ref<4xf32>
  return %0 : tensor<4xf32>
}

// The example of the pass.
//
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[A:.+]] = pop.relu
// CHECK-NEXT:    %[[B:.+]] = call @pure(%[[A]])
// CHECK-NEXT:    %[[C:.+]] = pop.add %[[B]], %[[B]]
// CHECK-NEXT:    return %[[C]]
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.relu %x : tensor<4xf32>
  // REMARK: :[[#@LINE+1]]:{{.*}}MergeDuplicateOps{{.*}}the op computes the same values as an earlier op
  %1 = pop.relu %x : tensor<4xf32>
  %2 = call @pure(%0) : (tensor<4xf32>) -> tensor<4xf32>
  %3 = call @pure(%1) : (tensor<4xf32>) -> tensor<4xf32>
  %4 = pop.add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %4 : tensor<4xf32>
}

// Random ops of equal seeds draw equal bits.
//
// CHECK-LABEL: func.func @seeds(
// CHECK-COUNT-2: pop.dropout
// CHECK-NOT:     pop.dropout
func.func @seeds(%x: tensor<4xf32>, %s: tensor<2xui32>, %t: tensor<2xui32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.dropout %x, %s, 0.5 : tensor<4xf32>, tensor<2xui32>
  %1 = pop.dropout %x, %t, 0.5 : tensor<4xf32>, tensor<2xui32>
  %2 = pop.dropout %x, %s, 0.5 : tensor<4xf32>, tensor<2xui32>
  return %0, %1, %2 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// CHECK-LABEL: func.func @next_seeds(
// CHECK-COUNT-2: pop.next_seed
func.func @next_seeds() -> (tensor<2xui32>, tensor<2xui32>) {
  %0 = pop.next_seed
  %1 = pop.next_seed
  return %0, %1 : tensor<2xui32>, tensor<2xui32>
}

// Placements, annotations and attributes are a part of what has to be equal.
//
// CHECK-LABEL: func.func @attributes(
// CHECK-COUNT-5: pop.relu
// CHECK-NOT:     pop.relu
func.func @attributes(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.relu %x : tensor<4xf32>
  %1 = pop.relu %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %2 = pop.relu %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  %3 = pop.relu %x {pop.recompute = #pop<recompute recomputed>} : tensor<4xf32>
  %4 = pop.relu %x {pop.replica_equal = [#pop.replica_partition<all of 2>]} : tensor<4xf32>
  return %0, %1, %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Side effects are done as often as before.
//
// CHECK-LABEL: func.func @effects(
// CHECK-COUNT-2: pop.host_load
// CHECK-COUNT-2: pop.host_store
// CHECK-COUNT-2: pop.remote_load
// CHECK-COUNT-2: pop.remote_store
// CHECK-COUNT-2: call @writes
// CHECK:         return
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
pop.remote_buffer @b : 1 x tensor<4xf32>
func.func @effects(%r: !pop.ref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.host_load @x : tensor<4xf32>
  %1 = pop.host_load @x : tensor<4xf32>
  pop.host_store %0, @y : tensor<4xf32>
  pop.host_store %0, @y : tensor<4xf32>
  %2 = pop.remote_load @b[0] : tensor<4xf32>
  %3 = pop.remote_load @b[0] : tensor<4xf32>
  pop.remote_store %0, @b[0] : tensor<4xf32>
  pop.remote_store %0, @b[0] : tensor<4xf32>
  %4 = call @writes(%r) : (!pop.ref<4xf32>) -> tensor<4xf32>
  %5 = call @writes(%r) : (!pop.ref<4xf32>) -> tensor<4xf32>
  return %4, %5 : tensor<4xf32>, tensor<4xf32>
}

// Reads are equal if nothing writes in between, here or in a loop.
//
// CHECK-LABEL: func.func @reads_and_writes(
// CHECK-NEXT:    %[[A:.+]] = pop.read %{{.*}}
// CHECK-NEXT:    %[[B:.+]] = call @reads
// CHECK-NEXT:    pop.exp_
// CHECK-NEXT:    %[[C:.+]] = pop.read
// CHECK-NEXT:    %[[D:.+]] = call @reads
// CHECK-NEXT:    return %[[A]], %[[A]], %[[B]], %[[B]], %[[C]], %[[D]]
func.func @reads_and_writes(%r: !pop.ref<4xf32>, %s: !pop.ref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.read %r : !pop.ref<4xf32>
  %1 = pop.read %r : !pop.ref<4xf32>
  %2 = call @reads(%r) : (!pop.ref<4xf32>) -> tensor<4xf32>
  %3 = call @reads(%r) : (!pop.ref<4xf32>) -> tensor<4xf32>
  pop.exp_ %r : !pop.ref<4xf32>
  %4 = pop.read %r : !pop.ref<4xf32>
  %5 = call @reads(%r) : (!pop.ref<4xf32>) -> tensor<4xf32>
  return %0, %1, %2, %3, %4, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A write of another tensor does not matter.
//
// CHECK-LABEL: func.func @other_tensor(
// CHECK-COUNT-1: pop.read
// CHECK-NOT:     pop.read
func.func @other_tensor(%r: !pop.ref<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %s = pop.alloc zero : !pop.ref<4xf32>
  %0 = pop.read %r : !pop.ref<4xf32>
  pop.exp_ %s : !pop.ref<4xf32>
  %1 = pop.read %r : !pop.ref<4xf32>
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// A loop may have written before its first op.
//
// CHECK-LABEL: func.func @loop(
// CHECK:         pop.read
// CHECK:         scf.for
// CHECK:           pop.read
// CHECK-NEXT:      pop.copy_
// CHECK:         pop.read
func.func @loop(%r: !pop.ref<4xf32>, %n: index, %x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = pop.read %r : !pop.ref<4xf32>
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> tensor<4xf32> {
    %2 = pop.read %r : !pop.ref<4xf32>
    pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  %3 = pop.read %r : !pop.ref<4xf32>
  return %0, %3 : tensor<4xf32>, tensor<4xf32>
}

// Ops of regions use those around them, but not those of another region.
//
// CHECK-LABEL: func.func @regions(
// CHECK-NEXT:    %[[A:.+]] = pop.exp
// CHECK-NEXT:    scf.if
// CHECK-NEXT:      %[[B:.+]] = pop.log
// CHECK-NEXT:      pop.add %[[A]], %[[B]]
// CHECK:         else
// CHECK-NEXT:      %[[C:.+]] = pop.log
func.func @regions(%x: tensor<4xf32>, %c: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x : tensor<4xf32>
  %1 = scf.if %c -> tensor<4xf32> {
    %2 = pop.exp %x : tensor<4xf32>
    %3 = pop.log %x : tensor<4xf32>
    %4 = pop.add %2, %3 : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    scf.yield %4 : tensor<4xf32>
  } else {
    %5 = pop.log %x : tensor<4xf32>
    scf.yield %5 : tensor<4xf32>
  }
  return %0, %1 : tensor<4xf32>, tensor<4xf32>
}

// Each alloc is another tensor.
//
// CHECK-LABEL: func.func @allocs(
// CHECK-COUNT-2: pop.alloc
func.func @allocs(%x: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.alloc zero : !pop.ref<4xf32>
  %s = pop.alloc zero : !pop.ref<4xf32>
  pop.copy_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
  %0 = pop.read %s : !pop.ref<4xf32>
  return %0 : tensor<4xf32>
}

// Copies of a draw, as inlining makes them, draw different bits if there is an
// advance between them.
//
// CHECK-LABEL: func.func @draws
// CHECK:         %[[A:.+]] = pop.exp %{{.*}} {pop.draw = #pop.draw<3>} : tensor<4xf16>
// CHECK-NEXT:    pop.advance_draws
// CHECK-NEXT:    %[[B:.+]] = pop.exp %{{.*}} {pop.draw = #pop.draw<3>} : tensor<4xf16>
// CHECK-NEXT:    return %[[A]], %[[A]], %[[B]]
func.func @draws(%x: tensor<4xf16>) -> (tensor<4xf16>, tensor<4xf16>, tensor<4xf16>) {
  %0 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
  %1 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
  pop.advance_draws
  %2 = pop.exp %x {pop.draw = #pop.draw<3>} : tensor<4xf16>
  return %0, %1, %2 : tensor<4xf16>, tensor<4xf16>, tensor<4xf16>
}
