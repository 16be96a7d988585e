// RUN: ipu-opt %s --pop-annotate-replica-equal=replicas=4 | FileCheck %s
// RUN: ipu-opt %s --pop-annotate-replica-equal=replicas=4 | ipu-opt --pop-annotate-replica-equal | FileCheck %s --check-prefix=TARGET

// The target has two replicas, which `replicas` overrides; annotations are made
// anew. What makes no tensors gets none of results, what gets none or ends a
// region none of operands; of a ref that is not read it says the handle.

// CHECK-LABEL: func.func @main(%{{.*}}: tensor<2xf32> {pop.replica_equal = #pop.replica_partition<all of 4>})
// CHECK: pop.get_variable @w {pop.replica_equal = [#pop.replica_partition<{0, 1}{2, 3}>]}
// CHECK: pop.host_load @x {pop.replica_equal = [#pop.replica_partition<none of 4>]}
// CHECK: pop.all_reduce add {{.*}}, pop.replica_equal = [#pop.replica_partition<{0, 1}{2, 3}>], pop.replica_equal_operands = [#pop.replica_partition<none of 4>]}
// CHECK: pop.add_ {{.*}} {pop.replica_equal_modified = [#pop.replica_partition<none of 4>], pop.replica_equal_operands = [#pop.replica_partition<{0, 1}{2, 3}>, #pop.replica_partition<none of 4>]}
// CHECK: pop.copy_ {{.*}} {pop.replica_equal_modified = [#pop.replica_partition<{0, 1}{2, 3}>], pop.replica_equal_operands = [#pop.replica_partition<all of 4>, #pop.replica_partition<{0, 1}{2, 3}>]}
// CHECK: arith.constant 0 : index
// CHECK: tensor.extract %{{.*}}[%{{.*}}] {pop.replica_equal_operands = [#pop.replica_partition<all of 4>, #pop.replica_partition<all of 4>]} : tensor<2xf32>
// CHECK: return{{$}}

// TARGET: pop.all_reduce add {{.*}}, pop.replica_equal = [#pop.replica_partition<all of 2>], pop.replica_equal_operands = [#pop.replica_partition<none of 2>]}
module attributes {ipu.target = #ipu.target<"gc200", {replicas = 2 : i64}>} {
  pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32> {sharding = #pop.replica_groups<stride = 1, size = 1>}
  pop.stream @x host_to_device : tensor<2xf32>
  func.func @main(%a: tensor<2xf32>) {
    %w = pop.get_variable @w : !pop.ref<2xf32>
    %x = pop.host_load @x : tensor<2xf32>
    %0 = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2xf32>
    pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
    pop.copy_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
    %c0 = arith.constant 0 : index
    %1 = tensor.extract %a[%c0] : tensor<2xf32>
    return
  }
}
