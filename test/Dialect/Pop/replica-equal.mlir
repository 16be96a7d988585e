// RUN: ipu-opt %s --split-input-file --pop-print-replica-equal=replicas=4 -o /dev/null | FileCheck %s

// A stream that gives all replicas the same.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.get_variable': all
// CHECK-NEXT: 'pop.host_load': all
// CHECK-NEXT: 'pop.accumulate_': modifies operand 0 all
// CHECK-NEXT: 'pop.constant': all
// CHECK-NEXT: 'pop.read': all
// CHECK-NEXT: 'pop.add': all
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
pop.stream @x host_to_device broadcast : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  pop.accumulate_ add %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  %c = pop.constant dense<5.0> : tensor<2xf32>
  %w2 = pop.read %w : !pop.ref<2xf32>
  %y = pop.add %w2, %c : tensor<2xf32>
  pop.host_store %y, @y : tensor<2xf32>
  return
}

// -----

// One that does not: the variable is different when the next run starts.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.get_variable': none
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.accumulate_': modifies operand 0 none
// CHECK-NEXT: 'pop.constant': all
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.add': none
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
pop.stream @y device_to_host : tensor<2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  pop.accumulate_ add %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  %c = pop.constant dense<5.0> : tensor<2xf32>
  %w2 = pop.read %w : !pop.ref<2xf32>
  %y = pop.add %w2, %c : tensor<2xf32>
  pop.host_store %y, @y : tensor<2xf32>
  return
}

// -----

// A variable that is different during a run and equal at its end.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.get_variable': all
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.add_': modifies operand 0 none
// CHECK-NEXT: 'pop.read': none
// CHECK-NEXT: 'pop.all_reduce': all
// CHECK-NEXT: 'pop.copy_': modifies operand 0 all
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.read %w : !pop.ref<2xf32>
  %1 = pop.all_reduce mean %0 : tensor<2xf32>
  pop.copy_ %w, %1 : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// -----

// Variables of groups, and parts of one that is sharded.

// CHECK-LABEL: @main()
// CHECK-NEXT: 'pop.get_variable': {0,1}{2,3}
// CHECK-NEXT: 'pop.get_variable': {0,2}{1,3}
// CHECK-NEXT: 'pop.get_variable': none
#pairs = #pop.replica_groups<stride = 1, size = 2>
pop.variable @grouped : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {groups = #pairs}
pop.variable @sharded : tensor<2xf32> = dense<1.0> : tensor<2xf32> {sharding = #pairs}
pop.variable @both : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {groups = #pairs, sharding = #pairs}
func.func @main() {
  %0 = pop.get_variable @grouped : !pop.ref<2xf32>
  %1 = pop.get_variable @sharded : !pop.ref<1xf32>
  %2 = pop.get_variable @both : !pop.ref<1xf32>
  return
}

// -----

// Collectives over all, and over half of the replicas.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.replica_index': none
// CHECK-NEXT: #2 'pop.all_reduce': all
// CHECK-NEXT: #3 'pop.all_reduce': none
// CHECK-NEXT: #4 'pop.all_reduce': {0,1}{2,3}
// CHECK-NEXT: #5 'pop.all_reduce': all
// CHECK-NEXT: #6 'pop.all_reduce': all
// CHECK-NEXT: #7 'pop.all_gather': {0,1}{2,3}
// CHECK-NEXT: #8 'pop.all_gather': all
// CHECK-NEXT: #9 'pop.reduce_scatter': none
// CHECK-NEXT: #10 'pop.reduce_scatter': {0,2}{1,3}
// CHECK-NEXT: #11 'pop.reduce_scatter': all
// CHECK-NEXT: #12 'pop.reduce_scatter': {0,2}{1,3}
// CHECK-NEXT: #13 'pop.replica_slice': none
// CHECK-NEXT: #14 'pop.replica_slice': {0,2}{1,3}
// CHECK-NEXT: #15 'pop.all_to_all': {0,2}{1,3}
// CHECK-NEXT: #16 'pop.broadcast': {0,1}{2,3}
// CHECK-NEXT: #17 'pop.collective_permute': {0,1}{2,3}
// CHECK-NEXT: #18 'pop.collective_permute': {0,2,3}{1}
#pairs = #pop.replica_groups<stride = 1, size = 2>
#strided = #pop.replica_groups<stride = 2, size = 2>
#single = #pop.replica_groups<stride = 1, size = 1>
pop.stream @x host_to_device : tensor<4xf32>
func.func @main(%a: tensor<4xf32>) {
  %x = pop.host_load @x : tensor<4xf32>
  %i = pop.replica_index : tensor<i32>
  %0 = pop.all_reduce add %x : tensor<4xf32>
  %1 = pop.all_reduce local %x : tensor<4xf32>
  %2 = pop.all_reduce add %x {groups = #pairs} : tensor<4xf32>
  %3 = pop.all_reduce add %2 {groups = #strided} : tensor<4xf32>
  %4 = pop.all_reduce add %a {groups = #pairs} : tensor<4xf32>
  %5 = pop.all_gather %x {groups = #pairs} : tensor<4xf32> to tensor<8xf32>
  %6 = pop.all_gather %a {groups = #pairs} : tensor<4xf32> to tensor<8xf32>
  %7 = pop.reduce_scatter add %a : tensor<4xf32> to tensor<1xf32>
  %8 = pop.reduce_scatter add %a {groups = #pairs} : tensor<4xf32> to tensor<2xf32>
  %9 = pop.reduce_scatter add %a {groups = #single} : tensor<4xf32> to tensor<4xf32>
  %10 = pop.reduce_scatter local %a {groups = #pairs} : tensor<4xf32> to tensor<2xf32>
  %11 = pop.replica_slice %a : tensor<4xf32> to tensor<1xf32>
  %12 = pop.replica_slice %a {groups = #pairs} : tensor<4xf32> to tensor<2xf32>
  %13 = pop.all_to_all %a {groups = #pairs} : tensor<4xf32> to tensor<4xf32>
  %14 = pop.broadcast %x {groups = #pairs} : tensor<4xf32>
  %15 = pop.collective_permute %2 {pairs = [[0, 1], [1, 0], [2, 3], [3, 2]]} : tensor<4xf32>
  %16 = pop.collective_permute %x {pairs = [[0, 1]]} : tensor<4xf32>
  return
}

// -----

// Scattered parts of equal values differ, also of several ops; each part of one
// that is all-gathered again is equal.

// CHECK-LABEL: @main(all, all)
// CHECK-NEXT: 'pop.reduce_scatter': none
// CHECK-NEXT: 'pop.reduce_scatter': none
// CHECK-NEXT: 'pop.all_gather': all
func.func @main(%a: tensor<4xf32>, %b: tensor<4xf32>) {
  %0 = pop.reduce_scatter add %a : tensor<4xf32> to tensor<1xf32>
  %1 = pop.reduce_scatter mean %b : tensor<4xf32> to tensor<1xf32>
  %2 = pop.all_gather %0 : tensor<1xf32> to tensor<4xf32>
  return
}

// -----

// Transfers of several kinds at once: each result is equal where its own source
// is.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.remote_exchange': all, none, {0,1}{2,3}
// CHECK-NEXT: 'pop.host_load': all
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.remote_load': {0,1}{2,3}
// CHECK: 'pop.remote_load': all
#pairs = #pop.replica_groups<stride = 1, size = 2>
pop.stream @x host_to_device broadcast : tensor<2xf32>
pop.stream @y host_to_device : tensor<2xf32>
pop.remote_buffer @b : 2 x tensor<2xf32>
pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {buffer = @b, row = 0 : i64, groups = #pairs}
func.func @main(%a: tensor<2xf32>) {
  %0:3 = pop.remote_exchange {
    %1 = pop.host_load @x : tensor<2xf32>
    %2 = pop.host_load @y : tensor<2xf32>
    %3 = pop.remote_load @b[0] : tensor<2xf32>
    pop.remote_store %a, @b[1] : tensor<2xf32>
    pop.yield %1, %2, %3 : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  } : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>
  %4 = pop.remote_load @b[1] : tensor<2xf32>
  return
}

// -----

// Remote buffers: rows that variables of groups start, that are stored to, whose
// number is not static, or differs.

// CHECK-LABEL: @main(all, all)
// CHECK-NEXT: 'pop.remote_load': {0,1}{2,3}
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.replica_index': none
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': all
#pairs = #pop.replica_groups<stride = 1, size = 2>
pop.remote_buffer @b : 3 x tensor<2xf32>
pop.remote_buffer @zeros : 3 x tensor<2xf32>
pop.variable @v : tensor<2xf32> = dense<1.0> : tensor<2x2xf32> {buffer = @b, row = 0 : i64, groups = #pairs}
pop.variable @u : tensor<4xf32> = dense<1.0> : tensor<2x4xf32> {buffer = @b, row = 1 : i64, groups = #pairs, sharding = #pairs}
func.func @main(%row: tensor<i32>, %a: tensor<2xf32>) {
  %0 = pop.remote_load @b[0] : tensor<2xf32>
  %1 = pop.remote_load @b[1] : tensor<2xf32>
  %2 = pop.remote_load @b[2] : tensor<2xf32>
  %3 = pop.remote_load @b[%row] : tensor<2xf32>
  %i = pop.replica_index : tensor<i32>
  %4 = pop.remote_load @zeros[%i] : tensor<2xf32>
  %5 = pop.remote_load @zeros[%row] : tensor<2xf32>
  return
}

// -----

// What is stored in one run is loaded in the next one.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': all
// CHECK-NEXT: 'pop.host_load': none
// CHECK: 'pop.remote_load': all
// CHECK-NEXT: 'pop.remote_load': none
pop.stream @x host_to_device : tensor<2xf32>
pop.remote_buffer @b : 2 x tensor<2xf32>
pop.remote_buffer @c : 2 x tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  %0 = pop.remote_load @b[0] : tensor<2xf32>
  %1 = pop.remote_load @b[1] : tensor<2xf32>
  %2 = pop.remote_load @c[0] : tensor<2xf32>
  %x = pop.host_load @x : tensor<2xf32>
  pop.remote_store %x, @b[0] : tensor<2xf32>
  pop.remote_store %x, @c[0] : tensor<2xf32>
  pop.remote_store %a, @c[0] : tensor<2xf32>
  %3 = pop.remote_load @c[0] : tensor<2xf32>
  %4 = pop.remote_load @b[0] : tensor<2xf32>
  return
}

// -----

// A store of equal values to a row that differs makes all rows differ.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.remote_load': none
// CHECK-NEXT: 'pop.replica_index': none
pop.remote_buffer @b : 4 x tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  %0 = pop.remote_load @b[0] : tensor<2xf32>
  %i = pop.replica_index : tensor<i32>
  pop.remote_store %a, @b[%i] : tensor<2xf32>
  return
}
