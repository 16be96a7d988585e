// RUN: ipu-opt %s --split-input-file --pop-streaming-memory="phases=4 activations" | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-streaming-memory="phases=4 activations early" | FileCheck %s --check-prefix=EARLY
// RUN: ipu-opt %s --split-input-file --pop-streaming-memory="phases=4 activations schedule=batch" | FileCheck %s --check-prefix=BATCH
// RUN: ipu-opt %s --split-input-file --pop-streaming-memory="phases=4 activations schedule=batch-clustered-io" | FileCheck %s --check-prefix=CLUSTER
// RUN: ipu-opt %s --split-input-file --pop-streaming-memory=phases=4 | FileCheck %s --check-prefix=STAY

// Four phases of two ops each. %a is needed in the phases 0, 1 and 3, so that it is in
// streaming memory in phase 2. Its transpose is executed in the phase that needs it.

// CHECK: pop.remote_buffer @remote_tensors : 1 x tensor<4x4xf32>
// CHECK-LABEL: func.func @chain
// CHECK-NEXT: %[[x:.*]] = pop.host_load @x {pop.phase = 0 : i64}
// CHECK-NEXT: %[[a:.*]] = pop.exp %[[x]] {pop.phase = 0 : i64}
// CHECK-NEXT: pop.remote_store %[[a]], @remote_tensors[0] {pop.phase = 0 : i64}
// CHECK-NEXT: %[[b:.*]] = pop.sin %[[a]] {pop.phase = 1 : i64}
// CHECK-NEXT: %[[c:.*]] = pop.cos %[[b]] {pop.phase = 1 : i64}
// CHECK-NEXT: %[[d:.*]] = pop.exp %[[c]] {pop.phase = 2 : i64}
// CHECK-NEXT: %[[e:.*]] = pop.sin %[[d]] {pop.phase = 2 : i64}
// CHECK-NEXT: %[[load:.*]] = pop.remote_load @remote_tensors[0] {pop.phase = 3 : i64}
// CHECK-NEXT: %[[t:.*]] = pop.transpose %[[load]] {{.*}}pop.phase = 3 : i64
// CHECK-NEXT: %[[f:.*]] = pop.mul %[[e]], %[[t]] {pop.phase = 3 : i64}
// CHECK-NEXT: %[[g:.*]] = pop.exp %[[f]] {pop.phase = 3 : i64}
// CHECK-NEXT: pop.host_store %[[g]], @y {pop.phase = 3 : i64}

// One phase early, before all other ops of phase 2.
// EARLY-LABEL: func.func @chain
// EARLY: pop.cos
// EARLY-NEXT: pop.remote_load
// EARLY-NEXT: pop.exp

// BATCH-LABEL: func.func @chain
// BATCH: pop.exp
// BATCH-NEXT: pop.remote_store
// BATCH: pop.sin %{{.*}} {pop.phase = 2 : i64}
// BATCH-NEXT: pop.remote_load

// STAY-NOT: remote_store
// STAY: pop.phase = 3
module {
  pop.stream @x host_to_device : tensor<4x4xf32>
  pop.stream @y device_to_host : tensor<4x4xf32>
  func.func @chain() {
    %x = pop.host_load @x : tensor<4x4xf32>
    %a = pop.exp %x : tensor<4x4xf32>
    %b = pop.sin %a : tensor<4x4xf32>
    %c = pop.cos %b : tensor<4x4xf32>
    %d = pop.exp %c : tensor<4x4xf32>
    %e = pop.sin %d : tensor<4x4xf32>
    %t = pop.transpose %a {permutation = array<i64: 1, 0>} : tensor<4x4xf32> -> tensor<4x4xf32>
    %f = pop.mul %e, %t : tensor<4x4xf32>
    %g = pop.exp %f : tensor<4x4xf32>
    pop.host_store %g, @y : tensor<4x4xf32>
    return
  }
}

// -----

// The body of the loop has most ops. Transfers of variables move to the positions of
// the schedule, but not past other accesses of their rows. A load of the next phase and
// a store of this one are neighbours in clusters.

// BATCH-LABEL: func.func @rows
// BATCH: scf.for
// BATCH-NEXT: pop.remote_load @w[0] {pop.phase = 0 : i64}
// BATCH-NEXT: pop.exp
// BATCH-NEXT: pop.sin
// BATCH-NEXT: pop.cos
// BATCH-NEXT: pop.remote_store %{{.*}}, @w[0] {pop.phase = 1 : i64}
// BATCH-NEXT: pop.remote_load @w[1] {pop.phase = 2 : i64}
// BATCH-NEXT: pop.mul
// BATCH-NEXT: pop.remote_load @w[0] {pop.phase = 3 : i64}
// CLUSTER-LABEL: func.func @rows
// CLUSTER: scf.for
// CLUSTER: pop.cos
// CLUSTER-NEXT: pop.remote_load @w[1] {pop.phase = 2 : i64}
// CLUSTER-NEXT: pop.remote_store %{{.*}}, @w[0] {pop.phase = 1 : i64}
// CLUSTER-NEXT: pop.mul
module {
  pop.remote_buffer @w : 2 x tensor<4xf32>
  pop.stream @y device_to_host : tensor<4xf32>
  func.func @rows() {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %w = pop.remote_load @w[0] : tensor<4xf32>
      %a = pop.exp %w : tensor<4xf32>
      pop.remote_store %a, @w[0] : tensor<4xf32>
      %b = pop.sin %a : tensor<4xf32>
      %c = pop.cos %b : tensor<4xf32>
      %v = pop.remote_load @w[1] : tensor<4xf32>
      %d = pop.mul %c, %v : tensor<4xf32>
      %u = pop.remote_load @w[0] : tensor<4xf32>
      %e = pop.mul %d, %u : tensor<4xf32>
      pop.host_store %e, @y : tensor<4xf32>
    }
    return
  }
}
