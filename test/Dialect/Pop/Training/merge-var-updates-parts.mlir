// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-merge-var-updates{mode=tight threshold=23})' | FileCheck %s --check-prefix=TIGHT
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-merge-var-updates{mode=tight threshold=1})' | FileCheck %s --check-prefix=ONE
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-merge-var-updates{mode=loose threshold=24})' | FileCheck %s --check-prefix=LOOSE
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-merge-var-updates{mode=loose threshold=23})' | FileCheck %s --check-prefix=SMALL
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-merge-var-updates{mode=loose threshold=9223372036854775807})' | FileCheck %s --check-prefix=WHOLE

// Five elements are 20 of the 23 bytes. Weights are cut, and put together again.
//
// TIGHT-LABEL: func.func @main(
// TIGHT-SAME:    %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<2x2xf32>, %[[C:[a-z0-9]+]]: tensor<7xf32>, %[[D:[a-z0-9]+]]: tensor<1xf32>)
// TIGHT-NEXT:    %[[FLAT:.+]] = pop.reshape %[[B]]
// TIGHT-NEXT:    %[[B0:.+]] = pop.slice %[[FLAT]] {sizes = array<i64: 3>, starts = array<i64: 0>
// TIGHT-NEXT:    %[[W0:.+]] = pop.concat %[[A]], %[[B0]]
// TIGHT:         %[[N0:.+]] = pop.optimizer_step <sgd0> %[[W0]], %{{.+}} : (tensor<5xf32>
// TIGHT-NEXT:    %[[NA:.+]] = pop.slice %[[N0]] {sizes = array<i64: 2>, starts = array<i64: 0>
// TIGHT-NEXT:    %[[NB0:.+]] = pop.slice %[[N0]] {sizes = array<i64: 3>, starts = array<i64: 2>
// TIGHT-NEXT:    %[[B1:.+]] = pop.slice %[[FLAT]] {sizes = array<i64: 1>, starts = array<i64: 3>
// TIGHT-NEXT:    %[[C0:.+]] = pop.slice %[[C]] {sizes = array<i64: 4>, starts = array<i64: 0>
// TIGHT-NEXT:    %[[W1:.+]] = pop.concat %[[B1]], %[[C0]]
// TIGHT:         %[[N1:.+]] = pop.optimizer_step <sgd0> %[[W1]], %{{.+}} : (tensor<5xf32>
// TIGHT-NEXT:    %[[NB1:.+]] = pop.slice %[[N1]] {sizes = array<i64: 1>, starts = array<i64: 0>
// TIGHT-NEXT:    %[[NC0:.+]] = pop.slice %[[N1]] {sizes = array<i64: 4>, starts = array<i64: 1>
// TIGHT:         %[[N2:.+]] = pop.optimizer_step <sgd0> %{{.+}}, %{{.+}} : (tensor<4xf32>
// TIGHT-NEXT:    %[[NC1:.+]] = pop.slice %[[N2]] {sizes = array<i64: 3>, starts = array<i64: 0>
// TIGHT-NEXT:    %[[ND:.+]] = pop.slice %[[N2]] {sizes = array<i64: 1>, starts = array<i64: 3>
// TIGHT-NEXT:    %[[NBFLAT:.+]] = pop.concat %[[NB0]], %[[NB1]]
// TIGHT-NEXT:    %[[NB:.+]] = pop.reshape %[[NBFLAT]] : tensor<4xf32> to tensor<2x2xf32>
// TIGHT-NEXT:    %[[NC:.+]] = pop.concat %[[NC0]], %[[NC1]]
// TIGHT-NEXT:    return %[[NA]], %[[NB]], %[[NC]], %[[ND]]

// An element is the least.
//
// ONE-COUNT-13: pop.optimizer_step <sgd0> %{{.+}} : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
// ONE-NOT:      tensor<0xf32>

// Whole weights, as long as they fit; one that is greater is alone.
//
// LOOSE-LABEL: func.func @main(
// LOOSE-SAME:    %[[A:[a-z0-9]+]]: tensor<2xf32>, %[[B:[a-z0-9]+]]: tensor<2x2xf32>, %[[C:[a-z0-9]+]]: tensor<7xf32>, %[[D:[a-z0-9]+]]: tensor<1xf32>)
// LOOSE:         pop.optimizer_step <sgd0> %{{.+}} : (tensor<6xf32>
// LOOSE-DAG:     pop.optimizer_step <sgd0> %[[C]], %[[C]]
// LOOSE-DAG:     pop.optimizer_step <sgd0> %[[D]], %[[D]]

// SMALL-NOT: pop.concat

// WHOLE: pop.optimizer_step <sgd0> %{{.+}} : (tensor<14xf32>
func.func @main(%a: tensor<2xf32>, %b: tensor<2x2xf32>, %c: tensor<7xf32>, %d: tensor<1xf32>)
    -> (tensor<2xf32>, tensor<2x2xf32>, tensor<7xf32>, tensor<1xf32>) {
  %0 = pop.optimizer_step <sgd0> %a, %a : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = pop.optimizer_step <sgd0> %b, %b : (tensor<2x2xf32>, tensor<2x2xf32>) -> tensor<2x2xf32>
  %2 = pop.optimizer_step <sgd0> %c, %c : (tensor<7xf32>, tensor<7xf32>) -> tensor<7xf32>
  %3 = pop.optimizer_step <sgd0> %d, %d : (tensor<1xf32>, tensor<1xf32>) -> tensor<1xf32>
  return %0, %1, %2, %3 : tensor<2xf32>, tensor<2x2xf32>, tensor<7xf32>, tensor<1xf32>
}
