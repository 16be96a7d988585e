// The parts of an optimizer step keep its number, so that a pass that decomposes
// steps changes no random bit of their rounding.
// RUN: rm -rf %t && mkdir %t

// DEFINE: %{optimizer} =
// DEFINE: %{passes} =
// DEFINE: %{run} = ipu-run %s --input x=random:1 --runs 2 --output-dir %t/out --save-weights %t/%{optimizer}%{passes}.npz --pass-pipeline \
// DEFINE:   'pop-graph-pipeline{train=main loss=z weights=w optimizer={#pop.optimizer<%{optimizer}, lr=0.01>} stochastic-rounding=counter accumulation-factor=2 mean=post},%{passes}pop-to-ipu-pipeline'

// REDEFINE: %{optimizer} = adam
// RUN: %{run}
// REDEFINE: %{passes} = pop-decompose-optimizers,
// RUN: %{run}
// RUN: cmp %t/adam.npz %t/adampop-decompose-optimizers,.npz
// REDEFINE: %{optimizer} = lamb
// RUN: %{run}
// REDEFINE: %{passes} =
// RUN: %{run}
// RUN: cmp %t/lamb.npz %t/lambpop-decompose-optimizers,.npz

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
pop.variable @w : tensor<8xf16> = dense<0.7> : tensor<8xf16>
func.func @main(%x: tensor<8xf16> {pop.name = "x"}) -> (tensor<f16> {pop.name = "z"}) {
  %r = pop.get_variable @w : !pop.ref<8xf16>
  %w = pop.read %r : !pop.ref<8xf16>
  %0 = pop.mul %x, %w : tensor<8xf16>
  %1 = pop.exp %0 : tensor<8xf16>
  %2 = pop.reduce sum %1 {axes = array<i64: 0>} : tensor<8xf16> -> tensor<f16>
  return %2 : tensor<f16>
}
}
