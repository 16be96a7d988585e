// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func.func @replicas(
func.func @replicas(%i: index, %p: i1, %n: i8) {
  // CHECK: pop.replica_index : tensor<i32>{{$}}
  %0 = pop.replica_index : tensor<i32>
  // CHECK: pop.from_scalar %{{.*}} : index to tensor<i32>{{$}}
  %1 = pop.from_scalar %i : index to tensor<i32>
  // CHECK: pop.from_scalar %{{.*}} : index to tensor<ui8>{{$}}
  %2 = pop.from_scalar %i : index to tensor<ui8>
  // CHECK: pop.from_scalar %{{.*}} : i1 to tensor<i1>{{$}}
  %3 = pop.from_scalar %p : i1 to tensor<i1>
  // CHECK: pop.from_scalar %{{.*}} : i8 to tensor<ui8>{{$}}
  %4 = pop.from_scalar %n : i8 to tensor<ui8>
  return
}

// CHECK-LABEL: func.func @all_reduce(
func.func @all_reduce(%x: tensor<4xf32>, %n: tensor<4xi32>, %b: tensor<4xi1>) {
  // CHECK: pop.all_reduce add %{{.*}} : tensor<4xf32>{{$}}
  %0 = pop.all_reduce add %x : tensor<4xf32>
  // CHECK: pop.all_reduce mean %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>{{$}}
  %1 = pop.all_reduce mean %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
  // CHECK: pop.all_reduce mul %{{.*}} {groups = #pop.replica_groups<[(1, 2), (4, 2)]>} : tensor<4xi32>{{$}}
  %2 = pop.all_reduce mul %n {groups = #pop.replica_groups<[(1, 2), (4, 2)]>} : tensor<4xi32>
  // CHECK: pop.all_reduce min %{{.*}} {groups = #pop.replica_groups<{{\[\[}}0, 3], [1, 2]]>} : tensor<4xi32>{{$}}
  %3 = pop.all_reduce min %n {groups = #pop.replica_groups<[[0, 3], [1, 2]]>} : tensor<4xi32>
  // CHECK: pop.all_reduce max %{{.*}} : tensor<4xf32>{{$}}
  %4 = pop.all_reduce max %x : tensor<4xf32>
  // CHECK: pop.all_reduce logical_and %{{.*}} : tensor<4xi1>{{$}}
  %5 = pop.all_reduce logical_and %b : tensor<4xi1>
  // CHECK: pop.all_reduce logical_or %{{.*}} : tensor<4xi32>{{$}}
  %6 = pop.all_reduce logical_or %n : tensor<4xi32>
  // CHECK: pop.all_reduce square_add %{{.*}} : tensor<4xf32>{{$}}
  %7 = pop.all_reduce square_add %x : tensor<4xf32>
  // CHECK: pop.all_reduce local %{{.*}} : tensor<4xi1>{{$}}
  %8 = pop.all_reduce local %b : tensor<4xi1>
  return
}

// CHECK-LABEL: func.func @parts(
func.func @parts(%x: tensor<3x4xf32>, %p: tensor<2x4xf32>, %e: tensor<0xf32>) {
  // CHECK: pop.all_gather %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2x4xf32> to tensor<3x4xf32>{{$}}
  %0 = pop.all_gather %p {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<2x4xf32> to tensor<3x4xf32>
  // CHECK: pop.all_gather %{{.*}} {axis = 1 : i64} : tensor<2x4xf32> to tensor<2x8xf32>{{$}}
  %1 = pop.all_gather %p {axis = 1 : i64} : tensor<2x4xf32> to tensor<2x8xf32>
  // CHECK: pop.reduce_scatter add %{{.*}} {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<3x4xf32> to tensor<2x4xf32>{{$}}
  %2 = pop.reduce_scatter add %x {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<3x4xf32> to tensor<2x4xf32>
  // CHECK: pop.reduce_scatter local %{{.*}} {axis = 1 : i64} : tensor<3x4xf32> to tensor<3x2xf32>{{$}}
  %3 = pop.reduce_scatter local %x {axis = 1 : i64} : tensor<3x4xf32> to tensor<3x2xf32>
  // CHECK: pop.replica_slice %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 8>} : tensor<3x4xf32> to tensor<1x4xf32>{{$}}
  %4 = pop.replica_slice %x {groups = #pop.replica_groups<stride = 1, size = 8>} : tensor<3x4xf32> to tensor<1x4xf32>
  // CHECK: pop.replica_slice %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 8>} : tensor<0xf32> to tensor<0xf32>{{$}}
  %5 = pop.replica_slice %e {groups = #pop.replica_groups<stride = 1, size = 8>} : tensor<0xf32> to tensor<0xf32>
  // CHECK: pop.replica_slice %{{.*}} : tensor<0xf32> to tensor<0xf32>{{$}}
  %6 = pop.replica_slice %e : tensor<0xf32> to tensor<0xf32>
  return
}

// CHECK-LABEL: func.func @others(
func.func @others(%x: tensor<4x3xf32>) {
  // CHECK: pop.all_to_all %{{.*}} {concat_axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4x3xf32> to tensor<2x6xf32>{{$}}
  %0 = pop.all_to_all %x {concat_axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4x3xf32> to tensor<2x6xf32>
  // CHECK: pop.all_to_all %{{.*}} {concat_axis = 1 : i64} : tensor<4x3xf32> to tensor<1x12xf32>{{$}}
  %1 = pop.all_to_all %x {concat_axis = 1 : i64} : tensor<4x3xf32> to tensor<1x12xf32>
  // CHECK: pop.all_to_all %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 4>} : tensor<4x3xf32> to tensor<4x3xf32>{{$}}
  %2 = pop.all_to_all %x {groups = #pop.replica_groups<stride = 1, size = 4>} : tensor<4x3xf32> to tensor<4x3xf32>
  // CHECK: pop.all_to_all %{{.*}} {concat_axis = 1 : i64, split_axis = 1 : i64} : tensor<4x3xf32> to tensor<4x3xf32>{{$}}
  %3 = pop.all_to_all %x {concat_axis = 1 : i64, split_axis = 1 : i64} : tensor<4x3xf32> to tensor<4x3xf32>
  // CHECK: pop.broadcast %{{.*}} : tensor<4x3xf32>{{$}}
  %4 = pop.broadcast %x : tensor<4x3xf32>
  // CHECK: pop.broadcast %{{.*}} {groups = #pop.replica_groups<stride = 1, size = 2>, root = 1 : i64} : tensor<4x3xf32>{{$}}
  %5 = pop.broadcast %x {groups = #pop.replica_groups<stride = 1, size = 2>, root = 1 : i64} : tensor<4x3xf32>
  // CHECK: pop.collective_permute %{{.*}} {pairs = {{\[\[}}0, 1], [1, 0]]} : tensor<4x3xf32>{{$}}
  %6 = pop.collective_permute %x {pairs = [[0, 1], [1, 0]]} : tensor<4x3xf32>
  // CHECK: pop.collective_permute %{{.*}} {pairs = []} : tensor<4x3xf32>{{$}}
  %7 = pop.collective_permute %x {pairs = []} : tensor<4x3xf32>
  return
}
