// RUN: ipu-opt %s --verify-contracts --pass-pipeline="builtin.module(pop-add-loss{func=classes loss=cross_entropy output=y target=labels own-batches})" | FileCheck %s --check-prefix=CLASSES
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=values loss=l2 only-loss})" | FileCheck %s --check-prefix=VALUES
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=values loss=binary_cross_entropy_of_logits each-loss})" | FileCheck %s --check-prefix=EACH
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=classes loss=nll_of_probabilities output=y each-loss})" | FileCheck %s --check-prefix=NLL
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=values loss=identity only-loss})" | FileCheck %s --check-prefix=IDENTITY

// The loss comes first, then the output; the other result goes. What has a default
// value is no part of the batch. The loss of an f16 is f32, where the output is.
//
// CLASSES-LABEL: func.func private @classes(
// CLASSES-SAME:    %[[X:.+]]: tensor<8x4x5xf16> {pop.groups = #pop.replica_groups<stride = 1, size = 1>, pop.name = "x"},
// CLASSES-SAME:    %{{.+}}: tensor<5xf16> {pop.default = dense<1.000000e+00> : tensor<5xf16>, pop.name = "w"},
// CLASSES-SAME:    %[[LABELS:.+]]: tensor<8x5xi32> {pop.groups = #pop.replica_groups<stride = 1, size = 1>, pop.name = "labels"})
// CLASSES-SAME:    -> (tensor<f32> {pop.anchor = #pop.anchor<all>, pop.name = "loss"},
// CLASSES-SAME:        tensor<8x4x5xf16> {pop.anchor = #pop.anchor<all>, pop.name = "y"})
// CLASSES:         %[[Y:.+]] = pop.mul
// CLASSES:         %[[LOSS:.+]] = pop.cross_entropy_loss mean %[[Y]], %[[LABELS]] {pop.vgraph = 1 : i64} : tensor<8x4x5xf16>, tensor<8x5xi32> -> tensor<f32>
// CLASSES-NEXT:    return %[[LOSS]], %[[Y]] : tensor<f32>, tensor<8x4x5xf16>

// NLL-LABEL: func.func private @classes(
// NLL:         pop.nll_loss none %{{.+}}, %{{.+}} {of_probabilities, {{.*}}} : tensor<8x4x5xf16>, tensor<8x5xi32> -> tensor<8x5xf32>
func.func private @classes(%x: tensor<8x4x5xf16> {pop.name = "x"},
                           %w: tensor<5xf16> {pop.name = "w", pop.default = dense<1.0> : tensor<5xf16>})
    -> (tensor<8x4x5xf16> {pop.name = "z"}, tensor<8x4x5xf16> {pop.name = "y"}) {
  %0 = pop.tanh %x {pop.vgraph = 0 : i64} : tensor<8x4x5xf16>
  %1 = pop.mul %0, %w {pop.vgraph = 1 : i64} : (tensor<8x4x5xf16>, tensor<5xf16>) -> tensor<8x4x5xf16>
  return %0, %1 : tensor<8x4x5xf16>, tensor<8x4x5xf16>
}

// VALUES-LABEL: func.func private @values(
// VALUES-SAME:    %{{.+}}: tensor<8x4xf32> {pop.name = "x"}, %[[T:.+]]: tensor<8x4xf32> {pop.name = "target"})
// VALUES-SAME:    -> (tensor<f32> {pop.anchor = #pop.anchor<all>, pop.name = "loss"})
// VALUES:         %[[Y:.+]] = pop.tanh
// VALUES-NEXT:    %[[LOSS:.+]] = pop.l2_loss mean %[[Y]], %[[T]] : tensor<8x4xf32> -> tensor<f32>
// VALUES-NEXT:    return %[[LOSS]]

// EACH-LABEL: func.func private @values(
// EACH:         %[[Y:.+]] = pop.tanh
// EACH-NEXT:    %[[LOSS:.+]] = pop.binary_cross_entropy_loss none %[[Y]], %{{.+}} {of_logits} : tensor<8x4xf32> -> tensor<8x4xf32>
// EACH-NEXT:    return %[[LOSS]], %[[Y]]

// IDENTITY-LABEL: func.func private @values(
// IDENTITY-SAME:    %{{.+}}: tensor<8x4xf32> {pop.name = "x"})
// IDENTITY:         %[[Y:.+]] = pop.tanh
// IDENTITY-NEXT:    %[[LOSS:.+]] = pop.identity_loss mean %[[Y]] : tensor<8x4xf32> -> tensor<f32>
// IDENTITY-NEXT:    return %[[LOSS]]
func.func private @values(%x: tensor<8x4xf32> {pop.name = "x"}) -> tensor<8x4xf32> {
  %0 = pop.tanh %x : tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
