// RUN: ipu-opt %s --verify-contracts --pass-pipeline="builtin.module(pop-add-loss{func=classes loss=cross_entropy output=y target=labels own-batches})" | FileCheck %s --check-prefix=CLASSES
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=values loss=l2 only-loss})" | FileCheck %s --check-prefix=VALUES
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=values loss=binary_cross_entropy_of_logits each-loss})" | FileCheck %s --check-prefix=EACH
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=classes loss=nll_of_probabilities output=y each-loss})" | FileCheck %s --check-prefix=NLL
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=values loss=identity only-loss})" | FileCheck %s --check-prefix=IDENTITY
// RUN: ipu-opt %s --verify-contracts --pass-pipeline="builtin.module(pop-add-loss{func=classes loss=cross_entropy output=y factor=f ignore-index=2 class-weights=0.5,1,2,0 own-batches})" | FileCheck %s --check-prefix=FACTOR
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=classes loss=nll output=y each-loss ignore-index=-100 class-weights=1,1,2,1})" | FileCheck %s --check-prefix=WEIGHTS
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=wide factor=f class-weights=0.1,1,1,1})" | FileCheck %s --check-prefix=WIDE
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-add-loss{func=values loss=l1 factor=f})" | FileCheck %s --check-prefix=SUM

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

// The factor of the sum is the same on all replicas.
//
// FACTOR-LABEL: func.func private @classes(
// FACTOR-SAME:    %[[LABELS:[^ ]+]]: tensor<8x5xi32> {pop.groups = #pop.replica_groups<stride = 1, size = 1>, pop.name = "target"},
// FACTOR-SAME:    %[[F:[^ ]+]]: tensor<f32> {pop.name = "f"})
// FACTOR:         %[[W:.+]] = pop.constant dense<[5.000000e-01, 1.000000e+00, 2.000000e+00, 0.000000e+00]> : tensor<4xf32>
// FACTOR:         %[[TOTAL:.+]] = pop.cross_entropy_loss sum %{{.+}}, %[[LABELS]], %[[W]] {ignore_index = 2 : i64, pop.vgraph = 1 : i64} : tensor<8x4x5xf16>, tensor<8x5xi32>, tensor<4xf32> -> tensor<f32>
// FACTOR-NEXT:    %[[LOSS:.+]] = pop.mul %[[TOTAL]], %[[F]] {pop.vgraph = 1 : i64}
// FACTOR-NEXT:    return %[[LOSS]], %{{.+}}

// WEIGHTS-LABEL: func.func private @classes(
// WEIGHTS:         pop.nll_loss none %{{.+}}, %{{.+}}, %{{.+}} {ignore_index = -100 : i64, {{.*}}} : tensor<8x4x5xf16>, tensor<8x5xi32>, tensor<4xf32> -> tensor<8x5xf32>

// NLL-LABEL: func.func private @classes(
// NLL:         pop.nll_loss none %{{.+}}, %{{.+}} {of_probabilities, {{.*}}} : tensor<8x4x5xf16>, tensor<8x5xi32> -> tensor<8x5xf32>
func.func private @classes(%x: tensor<8x4x5xf16> {pop.name = "x"},
                           %w: tensor<5xf16> {pop.name = "w", pop.default = dense<1.0> : tensor<5xf16>})
    -> (tensor<8x4x5xf16> {pop.name = "z"}, tensor<8x4x5xf16> {pop.name = "y"}) {
  %0 = pop.tanh %x {pop.vgraph = 0 : i64} : tensor<8x4x5xf16>
  %1 = pop.mul %0, %w {pop.vgraph = 1 : i64} : (tensor<8x4x5xf16>, tensor<5xf16>) -> tensor<8x4x5xf16>
  return %0, %1 : tensor<8x4x5xf16>, tensor<8x4x5xf16>
}

// WIDE-LABEL: func.func private @wide(
// WIDE-SAME:    tensor<f64> {pop.name = "f"})
// WIDE:         %[[W:.+]] = pop.constant dense<[1.000000e-01, 1.000000e+00, 1.000000e+00, 1.000000e+00]> : tensor<4xf64>
func.func private @wide(%x: tensor<8x4xf64>) -> tensor<8x4xf64> {
  return %x : tensor<8x4xf64>
}

// SUM-LABEL: func.func private @values(
// SUM-SAME:    %[[F:[^ ]+]]: tensor<f32> {pop.name = "f"})
// SUM:         %[[TOTAL:.+]] = pop.l1_loss sum
// SUM-NEXT:    %[[LOSS:.+]] = pop.mul %[[TOTAL]], %[[F]]
// SUM-NEXT:    return %[[LOSS]]

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
