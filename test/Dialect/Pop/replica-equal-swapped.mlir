// RUN: ipu-opt %s --pop-print-replica-equal=replicas=6 -o /dev/null | FileCheck %s

// Two groups that have the same values in another order: to reductions of two
// members that does not matter, of more it does to sums of floats.

// CHECK-LABEL: @main()
// CHECK: 'pop.all_reduce': {0,1}{2,3}{4,5}
// CHECK: 'pop.all_reduce': {0,2,4}{1,3,5}
// CHECK-NEXT: 'pop.all_reduce': all
// CHECK-NEXT: 'pop.all_gather': {0,2,4}{1,3,5}
// CHECK-NEXT: 'pop.reduce_scatter': {0,3}{1,2}{4,5}
// CHECK: 'pop.all_reduce': all
// CHECK: 'pop.collective_permute': {0,3}{1,2}{4,5}
// CHECK-NEXT: 'pop.all_reduce': {0,1,2,3}{4,5}
#pairs = #pop.replica_groups<stride = 1, size = 2>
#swapped = #pop.replica_groups<[[0, 2, 4], [3, 1, 5]]>
pop.stream @x host_to_device : tensor<3xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<3xf32>
  %0 = pop.all_reduce add %x {groups = #pairs} : tensor<3xf32>
  %1 = pop.all_reduce add %0 {groups = #swapped} : tensor<3xf32>
  %2 = pop.all_reduce max %0 {groups = #swapped} : tensor<3xf32>
  %3 = pop.all_gather %0 {axis = 0 : i64, groups = #swapped} : tensor<3xf32> to tensor<9xf32>
  %4 = pop.reduce_scatter max %0 {axis = 0 : i64, groups = #swapped} : tensor<3xf32> to tensor<1xf32>
  %5 = pop.cast %0 : tensor<3xf32> to tensor<3xi32>
  %6 = pop.all_reduce add %5 {groups = #swapped} : tensor<3xi32>
  %7 = pop.collective_permute %0 {pairs = [[0, 0], [2, 1], [3, 2], [1, 3], [4, 4], [5, 5]]} : tensor<3xf32>
  %8 = pop.all_reduce mean %7 {groups = #pairs} : tensor<3xf32>
  return
}
