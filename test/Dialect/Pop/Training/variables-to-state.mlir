// RUN: ipu-opt %s --pop-variables-to-state --remark-format=emitRemark --remarks-filter=pop-graph 2>%t | FileCheck %s
// RUN: FileCheck %s --check-prefix=REMARK --input-file=%t

// Variables stay that are elsewhere, differ, or are used otherwise.

pop.remote_buffer @rows : 1 x tensor<2xf32>
// REMARK: remark: {{.+}}'remote' stays a variable: it is in streaming memory or distributed over replicas
pop.variable @remote : tensor<2xf32> = dense<0.0> : tensor<2xf32> {buffer = @rows, row = 0 : i64}
// REMARK: remark: {{.+}}'groups' stays a variable: groups of replicas start from different values
pop.variable @groups : tensor<2xf32> = dense<0.0> : tensor<2x2xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
// REMARK: remark: {{.+}}'called' stays a variable: it is used outside of the body of the entry function
pop.variable @called : tensor<2xf32> = dense<0.0> : tensor<2xf32>
// REMARK: remark: {{.+}}'viewed' stays a variable: 'pop.ref_slice' does not read or write the whole variable in the body of the entry function
pop.variable @viewed : tensor<2xf32> = dense<0.0> : tensor<2xf32>
// REMARK: remark: {{.+}}'retrieved' stays a variable: the host reads its values from all replicas
pop.variable @retrieved : tensor<2xf32> = dense<0.0> : tensor<2xf32> {retrieval = #pop<retrieval all_replicas>}
// REMARK: remark: {{.+}}'named' stays a variable: an argument has the same name
pop.variable @named : tensor<2xf32> = dense<0.0> : tensor<2xf32>
pop.variable @counter : tensor<i32> = dense<3> : tensor<i32> {pop.optimizer = #pop.optimizer<adam>}
func.func private @f() -> tensor<2xf32> {
  %0 = pop.get_variable @called : !pop.ref<2xf32>
  %1 = pop.read %0 : !pop.ref<2xf32>
  return %1 : tensor<2xf32>
}

// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %{{.+}}: tensor<2xf32> {pop.name = "named"}, %[[N:.+]]: tensor<i32> {pop.default = dense<3> : tensor<i32>, pop.name = "counter", pop.optimizer = #pop.optimizer<adam>})
// CHECK-SAME:    -> (tensor<2xf32>, tensor<i32> {pop.name = "Updated___counter", pop.updates = #pop.graph_value<argument 1>})
// CHECK:         %[[NEXT:.+]] = pop.add %[[N]], %{{.+}} {pop.vgraph = 0 : i64}
// CHECK:         return %{{.+}}, %[[NEXT]]
func.func @main(%named: tensor<2xf32> {pop.name = "named"}) -> tensor<2xf32> {
  %0 = pop.get_variable @viewed : !pop.ref<2xf32>
  %1 = pop.ref_slice %0 {sizes = array<i64: 2>, starts = array<i64: 0>, steps = array<i64: 1>} : !pop.ref<2xf32> -> !pop.ref<2xf32>
  %2 = pop.read %1 : !pop.ref<2xf32>
  %n = pop.get_variable @counter : !pop.ref<i32>
  %one = pop.constant dense<1> : tensor<i32>
  pop.add_ %n, %one {pop.vgraph = 0 : i64} : !pop.ref<i32>, tensor<i32>
  %3 = call @f() : () -> tensor<2xf32>
  %4 = pop.add %2, %3 : tensor<2xf32>
  return %4 : tensor<2xf32>
}
