// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline="merge-steps=false" | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline="merge-steps=true" | FileCheck %s --check-prefix=MERGED

// The annotation of each op has the partition that the analysis finds.
// CHECK-LABEL: func.func @main
// CHECK: ipu.host_load @x to {{.*}} {ipu.replica_equal = #pop.replica_partition<none of 4>}
// CHECK: ipu.host_load @b to {{.*}} {ipu.replica_equal = #pop.replica_partition<all of 4>}
// CHECK: ipu.replica_index to {{.*}} {ipu.replica_equal = #pop.replica_partition<none of 4>}
// CHECK: ipu.collective all_reduce add {{.*}} {groups = #pop.replica_groups<stride = 1, size = 2>, ipu.replica_equal = #pop.replica_partition<{0, 1}{2, 3}>}
// CHECK: ipu.remote_load @r[0] to {{.*}} {ipu.replica_equal = #pop.replica_partition<all of 4>}
// The value goes to the variable at once.
// CHECK: ipu.vertices @add_f32 {{.*}} outs(%[[W:.*]] : {{.*}} {ipu.replica_equal = #pop.replica_partition<{0, 1}{2, 3}>}
// A part of a variable: the copy of what is there, what is added to it, and the way back.
// CHECK: ipu.vertices @mul_f32 {{.*}} {ipu.replica_equal = #pop.replica_partition<none of 4>}
// CHECK: ipu.move {{.*}} {ipu.replica_equal = #pop.replica_partition<none of 4>}
// A fill and what is moved over it.
// CHECK: ipu.vertices @fill_f32 {{.*}} {ipu.replica_equal = #pop.replica_partition<all of 4>}
// CHECK: ipu.move {{.*}} {ipu.replica_equal = #pop.replica_partition<all of 4>}

// MERGED: ipu.vertices @add_f32 {{.*}}ipu.replica_equal = #pop.replica_partition<{0, 1}{2, 3}>}
// MERGED: ipu.move {{.*}}ipu.replica_equal = #pop.replica_partition<all of 4>}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, replicas = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<4xf32>
  pop.stream @b host_to_device broadcast : tensor<4xf32>
  pop.stream @y device_to_host : tensor<6xf32>
  pop.stream @n device_to_host : tensor<i32>
  pop.remote_buffer @r : 1 x tensor<4xf32>
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @v : tensor<8xf32> = dense<1.0> : tensor<8xf32>
  pop.variable @row : tensor<4xf32> = dense<1.0> : tensor<4xf32> {buffer = @r, row = 0 : i64}
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<4xf32>
    %v = pop.get_variable @v : !pop.ref<8xf32>
    %x = pop.host_load @x : tensor<4xf32>
    %b = pop.host_load @b : tensor<4xf32>
    %n = pop.replica_index : tensor<i32>
    pop.host_store %n, @n : tensor<i32>
    %g = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
    %r = pop.remote_load @r[0] : tensor<4xf32>
    %0 = pop.add %g, %r : tensor<4xf32>
    pop.copy_ %w, %0 : !pop.ref<4xf32>, tensor<4xf32>
    %part = pop.ref_slice %v {sizes = array<i64: 4>, starts = array<i64: 2>, steps = array<i64: 1>} : !pop.ref<8xf32> -> !pop.ref<4xf32>
    pop.mul_ %part, %x : !pop.ref<4xf32>, tensor<4xf32>
    %1 = pop.pad %b {low = array<i64: 1>, high = array<i64: 1>, value = 0.0 : f32} : tensor<4xf32> -> tensor<6xf32>
    pop.host_store %1, @y : tensor<6xf32>
    return
  }
}

// -----

// With one replica there is nothing to say.
// CHECK-LABEL: func.func @main
// CHECK-NOT: replica_equal
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    %0 = pop.add %x, %x : tensor<4xf32>
    return %0 : tensor<4xf32>
  }
}

// -----

// Arguments of the entry.
// CHECK-LABEL: func.func @main
// CHECK: ipu.host_load @arg0 to {{.*}} {ipu.replica_equal = #pop.replica_partition<all of 2>}
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64, replicas = 2 : i64}>} {
  func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
    return %x : tensor<4xf32>
  }
}
