// Orders of sums and numbers of draws are there before any pass that copies, calls
// or splits ops, and again for ops that differentiation and optimizers create.

// RUN: ipu-run %s --emit pop --entry main --stochastic-rounding counter | FileCheck %s --check-prefix=POP
// POP-LABEL: func.func @main
// POP: pop.matmul {{.*}}accum = #pop.accum<{{.*}}pop.draw = #pop.draw<0>
// POP: pop.reduce sum {{.*}}accum = #pop.accum<{{.*}}pop.draw = #pop.draw<1>
// POP: pop.advance_draws

// Without stochastic rounding, there are no draws. A pipeline of the user's own
// starts from the model as it is.
// RUN: ipu-run %s --emit pop | FileCheck %s --check-prefix=NEAREST
// NEAREST: pop.matmul {{.*}}accum = #pop.accum<
// NEAREST-NOT: pop.draw
// NEAREST-NOT: pop.advance_draws
// RUN: ipu-run %s --emit pop --pass-pipeline pop-to-ipu-pipeline | FileCheck %s --check-prefix=PLAIN
// PLAIN-NOT: #pop.accum
// RUN: ipu-run %s --emit pop --accumulation chain | FileCheck %s --check-prefix=CHAIN
// CHAIN: pop.matmul {{.*}}accum = #pop.accum<chain>

// The graph pipeline chooses for the forward graph first, and then for gradients.
// The numbers of the forward graph are those of the import.
// RUN: ipu-opt %s --pop-graph-pipeline="train=main weights=w optimizer={#pop.optimizer<sgd0, lr = 0.5>} stochastic-rounding=counter host-io=false" | FileCheck %s --check-prefix=GRAPH
// GRAPH-LABEL: func.func @main
// GRAPH: pop.matmul {{.*}}accum = #pop.accum<{{.*}}pop.draw = #pop.draw<0>
// GRAPH: pop.matmul {{.*}}accum = #pop.accum<{{.*}} -> tensor<2048x4xf32>
// GRAPH: pop.optimizer_step {{.*}}pop.draw = #pop.draw<
// RUN: ipu-opt %s --pop-graph-pipeline="accumulation=chain" | FileCheck %s --check-prefix=CHAIN

// A pipeline that does not choose the orders warns if it should have chosen others.
// RUN: ipu-opt %s --pop-graph-pipeline --pop-to-ipu-pipeline="accumulation=chain" -o /dev/null 2>&1 | FileCheck %s --check-prefix=KEPT
// KEPT: warning: 'accumulation=chain' has no effect on 1 sums, for which an earlier pass chose the orders of 'blocked'; expects the option on the pass or pipeline that chooses first
// RUN: ipu-opt %s --pop-graph-pipeline="accumulation=chain" --pop-to-ipu-pipeline="accumulation=chain" -o /dev/null 2>&1 | count 0
// RUN: ipu-opt %s --pop-graph-pipeline="accumulation=chain" --pop-to-ipu-pipeline -o /dev/null 2>&1 | count 0

// --emit pop prints the program that runs, with its numbers.
// RUN: ipu-run %s --emit pop --entry other --stochastic-rounding counter | FileCheck %s --check-prefix=ENTRY
// ENTRY-NOT: @main
// ENTRY: func.func @other
// ENTRY-NEXT: pop.exp %{{.*}} {pop.draw = #pop.draw<0>}
// ENTRY-NOT: @main
// RUN: not ipu-run %s --emit pop --entry missing 2>&1 | FileCheck %s --check-prefix=MISSING
// MISSING: error: 'builtin.module' op expects a func.func 'missing' with a body; the functions of the module are 'main', 'other'

// RUN: ipu-run %s --emit ipu | not ipu-run - --pass-pipeline pop-to-ipu-pipeline 2>&1 | FileCheck %s --check-prefix=LOWERED
// LOWERED: error: expects no passes that lower the module, because the module is lowered already

func.func @main(%x: tensor<4x2048xf16>, %w: tensor<2048x4xf16> {pop.name = "w", pop.default = dense<0.5> : tensor<2048x4xf16>}) -> tensor<f16> {
  %0 = pop.matmul %x, %w : (tensor<4x2048xf16>, tensor<2048x4xf16>) -> tensor<4x4xf16>
  %1 = pop.reduce sum %0 {axes = array<i64: 0, 1>} : tensor<4x4xf16> -> tensor<f16>
  return %1 : tensor<f16>
}
func.func @other(%x: tensor<4xf16>) -> tensor<4xf16> {
  %0 = pop.exp %x : tensor<4xf16>
  return %0 : tensor<4xf16>
}
