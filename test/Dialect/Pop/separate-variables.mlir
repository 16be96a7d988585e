// RUN: ipu-opt %s --pop-separate-variables=replicas=4 | FileCheck %s
// RUN: ipu-opt %s --pop-separate-variables=replicas=4 --pop-annotate-replica-equal=replicas=4 -o /dev/null 2>&1 | FileCheck %s --check-prefix=WARN

// The remaining warning is that of a variable with given groups.
//
// WARN-NOT: warning
// WARN:     warning: 'pop.variable' op "pairs" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas
// WARN-NOT: warning

// The mean is that of the samples of each replica, so the host must have each value.
// The count is equal on all replicas. Given groups stay, and so does a distributed
// variable, of which each replica has another part.
//
// CHECK: pop.variable @mean : tensor<4xf32> = dense<[1.{{.*}}]> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
// CHECK: pop.variable @all : tensor<4xf32> = {{.*}} {groups = #pop.replica_groups<stride = 1, size = 1>, retrieval = #pop<retrieval all_replicas>}
// CHECK: pop.variable @read : tensor<4xf32> = {{.*}} {groups = #pop.replica_groups<stride = 1, size = 1>, retrieval = #pop<retrieval all_replicas>}
// CHECK: pop.variable @set : tensor<4xf32> = {{.*}} {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}
// CHECK: pop.variable @one : tensor<4xf32> = {{.*}} {groups = #pop.replica_groups<stride = 1, size = 1>}
// CHECK: pop.variable @pairs : tensor<4xf32> = dense<0.000000e+00> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
// CHECK: pop.variable @parts : tensor<4xf32> = dense<0.000000e+00> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 4>}
// CHECK: pop.variable @count : tensor<f32> = dense<0.000000e+00> : tensor<f32>{{$}}
// CHECK: pop.variable @weight : tensor<4xf32> = dense<2.000000e+00> : tensor<4xf32>{{$}}
pop.variable @mean : tensor<4xf32> = dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
pop.variable @all : tensor<4xf32> = dense<0.0> : tensor<4xf32> {retrieval = #pop<retrieval all_replicas>}
pop.variable @read : tensor<4xf32> = dense<0.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}
pop.variable @set : tensor<4xf32> = dense<0.0> : tensor<2x4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>, retrieval = #pop<retrieval all_replicas>}
pop.variable @one : tensor<4xf32> = dense<0.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 4>}
pop.variable @pairs : tensor<4xf32> = dense<0.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
pop.variable @parts : tensor<4xf32> = dense<0.0> : tensor<4xf32> {sharding = #pop.replica_groups<stride = 1, size = 4>}
pop.variable @count : tensor<f32> = dense<0.0> : tensor<f32>
pop.variable @weight : tensor<4xf32> = dense<2.0> : tensor<4xf32>
pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<4xf32>
  %one = pop.constant dense<1.0> : tensor<f32>
  %part = pop.constant dense<1.0> : tensor<1xf32>
  %w = pop.get_variable @weight : !pop.ref<4xf32>
  %m = pop.get_variable @mean : !pop.ref<4xf32>
  %a = pop.get_variable @all : !pop.ref<4xf32>
  %rd = pop.get_variable @read : !pop.ref<4xf32>
  %st = pop.get_variable @set : !pop.ref<4xf32>
  %o = pop.get_variable @one : !pop.ref<4xf32>
  %p = pop.get_variable @pairs : !pop.ref<4xf32>
  %s = pop.get_variable @parts : !pop.ref<1xf32>
  %c = pop.get_variable @count : !pop.ref<f32>
  %0 = pop.read %w : !pop.ref<4xf32>
  %1 = pop.mul %x, %0 : tensor<4xf32>
  pop.add_ %a, %1 : !pop.ref<4xf32>, tensor<4xf32>
  pop.add_ %rd, %1 : !pop.ref<4xf32>, tensor<4xf32>
  pop.add_ %st, %1 : !pop.ref<4xf32>, tensor<4xf32>
  pop.add_ %o, %1 : !pop.ref<4xf32>, tensor<4xf32>
  pop.add_ %m, %1 : !pop.ref<4xf32>, tensor<4xf32>
  pop.add_ %p, %1 : !pop.ref<4xf32>, tensor<4xf32>
  pop.add_ %s, %part : !pop.ref<1xf32>, tensor<1xf32>
  pop.add_ %c, %one : !pop.ref<f32>, tensor<f32>
  return
}
