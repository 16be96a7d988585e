// Updates of weights with the same groups and placement use one number of updates, so that each power of a beta is computed once.
// Each weight keeps its own state.
//
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<adam>}})' | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<adam>}},pop-decompose-optimizers,func.func(pop-canonicalize,pop-cse))' | FileCheck %s --check-prefix=ONCE
// Merging finds that their numbers are equal.
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-add-optimizer{optimizer={#pop.optimizer<adam>}},pop-merge-var-updates)' | FileCheck %s --check-prefix=MERGED

// CHECK-LABEL: func.func @main(
// CHECK:         %[[GET_U:.+]] = pop.get_variable @Step___u
// CHECK-NEXT:    %[[COUNT:.+]] = pop.read %[[GET_U]]
// CHECK:         pop.optimizer_step <adam> {{.+}} state(%{{.+}}, %{{.+}}, %[[COUNT]])
// CHECK:         %[[GET_V:.+]] = pop.get_variable @Step___v
// CHECK-NOT:     pop.read %[[GET_V]]
// CHECK:         %{{.+}}, %[[V:.+]]:3 = pop.optimizer_step <adam, beta1 = 8.000000e-01> {{.+}} state(%{{.+}}, %{{.+}}, %[[COUNT]])
// CHECK:         pop.copy_ %[[GET_V]], %[[V]]#2
// CHECK:         %[[GET_W:.+]] = pop.get_variable @Step___w
// CHECK-NEXT:    %[[OTHER:.+]] = pop.read %[[GET_W]]
// CHECK:         pop.optimizer_step <adam> {{.+}} state(%{{.+}}, %{{.+}}, %[[OTHER]])
// CHECK:         pop.optimizer_step <adam> {{.+}} state(%{{.+}}, %{{.+}}, %[[COUNT]])

// The betas 0.9, 0.999 and 0.8, and, in groups of two replicas, 0.9 and 0.999 once more.
// ONCE-COUNT-5:  pop.pow
// ONCE-NOT:      pop.pow

// MERGED-COUNT-3: pop.optimizer_step
// MERGED-NOT:     pop.optimizer_step
pop.variable @u : tensor<4xf32> = dense<1.0> : tensor<4xf32>
pop.variable @v : tensor<4xf32> = dense<1.0> : tensor<4xf32> {pop.optimizer = #pop.optimizer<adam, beta1 = 0.8>}
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 2>}
pop.variable @x : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @main(%g: tensor<4xf32>, %h: tensor<4xf32>)
    -> (tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @u>},
        tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @v>},
        tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @w>},
        tensor<4xf32> {pop.gradient_of = #pop.graph_value<variable @x>}) {
  return %g, %g, %g, %h : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}
