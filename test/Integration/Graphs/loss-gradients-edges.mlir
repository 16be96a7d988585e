// Gradients where a derivative is 0 / 0, or no label counts, and second derivatives.
//
// RUN: split-file %s %t
// RUN: ipu-opt %t/edges.mlir --pass-pipeline='builtin.module(pop-autodiff{func=f caller=main})' -o %t/main.mlir
// RUN: ipu-run %t/main.mlir --input '*=ramp' | FileCheck %t/edges.mlir
// RUN: ipu-opt %t/certain.mlir --pass-pipeline='builtin.module(pop-autodiff{func=f caller=main})' -o %t/certain-main.mlir
// RUN: ipu-run %t/certain-main.mlir --input 'x=zeros' --input 'p=zeros' | FileCheck %t/certain.mlir
// RUN: ipu-opt %t/second.mlir --pass-pipeline='builtin.module(pop-autodiff{func=f},pop-autodiff{func=f_backward caller=main})' -o %t/twice.mlir
// RUN: ipu-run %t/twice.mlir --input '*=ones' | FileCheck %t/second.mlir

//--- edges.mlir
// A ramp of n elements is 0, 1 / n, 2 / n, ...
//
// CHECK: nll : tensor<f32> = dense<nan>
// CHECK-NEXT: cross_entropy : tensor<f32> = dense<nan>
// CHECK-NEXT: l1 : tensor<f32> = dense<5.5>
// CHECK-NEXT: binary : tensor<f32> = dense<-0.0>
// CHECK-NEXT: Gradient___a : tensor<2x2xf32> = dense<{{\[\[}}0.0, 0.0], [0.0, 0.0]]>
// CHECK-NEXT: Gradient___b : tensor<2x2xf32> = dense<{{\[\[}}0.0, -0.0], [0.0, -0.0]]>
// CHECK-NEXT: Gradient___c : tensor<2x2xf32> = dense<{{\[\[}}0.0, -1.0], [0.0, 1.0]]>
// CHECK-NEXT: Gradient___d : tensor<2xf32> = dense<[2.0, -2.0]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func private @f(%a: tensor<2x2xf32> {pop.name = "a"}, %b: tensor<2x2xf32> {pop.name = "b"}, %c: tensor<2x2xf32> {pop.name = "c"}, %d: tensor<2xf32> {pop.name = "d"})
      -> (tensor<f32> {pop.name = "nll"}, tensor<f32> {pop.name = "cross_entropy"}, tensor<f32> {pop.name = "l1"}, tensor<f32> {pop.name = "binary"}) {
    %labels = pop.constant dense<[7, -1]> : tensor<2xi32>
    %0 = pop.nll_loss mean %a, %labels : tensor<2x2xf32>, tensor<2xi32> -> tensor<f32>
    %ones = pop.constant dense<1> : tensor<2xi32>
    %1 = pop.cross_entropy_loss mean %b, %ones {ignore_index = 1 : i64} : tensor<2x2xf32>, tensor<2xi32> -> tensor<f32>
    %t = pop.constant dense<[[0.0, 5.0], [0.5, 0.0]]> : tensor<2x2xf32>
    %2 = pop.l1_loss sum %c, %t : tensor<2x2xf32> -> tensor<f32>
    %bits = pop.constant dense<[0.0, 1.0]> : tensor<2xf32>
    %p = pop.add %d, %d : tensor<2xf32>
    %3 = pop.binary_cross_entropy_loss sum %p, %bits : tensor<2xf32> -> tensor<f32>
    return %0, %1, %2, %3 : tensor<f32>, tensor<f32>, tensor<f32>, tensor<f32>
  }
}

//--- certain.mlir
// The logits 100 and -100 with label 1: the probability of the label is 0 in f32. The
// loss is that of the least normal number, 87.3, and the gradients of the logits are
// those of a cross entropy. Of a probability that is no result of a softmax or a
// sigmoid, the gradient is -1 / 2^-126.
//
// CHECK: softmax : tensor<f32> = dense<87.33655>
// CHECK-NEXT: sigmoid : tensor<f32> = dense<87.33655>
// CHECK-NEXT: probability : tensor<f32> = dense<87.33655>
// CHECK-NEXT: Gradient___x : tensor<1x2xf32> = dense<{{\[\[}}1.0, -2.0]]>
// CHECK-NEXT: Gradient___p : tensor<1x2xf32> = dense<{{\[\[}}0.0, -8.507059e+37]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func private @f(%x: tensor<1x2xf32> {pop.name = "x"}, %p: tensor<1x2xf32> {pop.name = "p"})
      -> (tensor<f32> {pop.name = "softmax"}, tensor<f32> {pop.name = "sigmoid"}, tensor<f32> {pop.name = "probability"}) {
    %certain = pop.constant dense<[[100.0, -100.0]]> : tensor<1x2xf32>
    %logits = pop.add %x, %certain : tensor<1x2xf32>
    %label = pop.constant dense<1> : tensor<1xi32>
    %0 = pop.softmax %logits {axis = 1 : i64} : tensor<1x2xf32>
    %1 = pop.nll_loss sum %0, %label {of_probabilities} : tensor<1x2xf32>, tensor<1xi32> -> tensor<f32>
    %2 = pop.sigmoid %logits : tensor<1x2xf32>
    %t = pop.constant dense<[[1.0, 1.0]]> : tensor<1x2xf32>
    %3 = pop.binary_cross_entropy_loss sum %2, %t : tensor<1x2xf32> -> tensor<f32>
    %4 = pop.nll_loss sum %p, %label {of_probabilities} : tensor<1x2xf32>, tensor<1xi32> -> tensor<f32>
    return %1, %3, %4 : tensor<f32>, tensor<f32>, tensor<f32>
  }
}

//--- second.mlir
// The gradient 2 * (x - t) * dy / 4, and the gradients of its sum in dy and in x.
//
// CHECK: result0 : tensor<2x2xf32> = dense<{{\[\[}}0.5, -2.0], [-0.5, -0.25]]>
// CHECK-NEXT: result1 : tensor<f32> = dense<-2.25>
// CHECK-NEXT: result2 : tensor<2x2xf32> = dense<{{\[\[}}0.5, 0.5], [0.5, 0.5]]>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  func.func private @f(%x: tensor<2x2xf32> {pop.name = "x"}) -> tensor<f32> {
    %t = pop.constant dense<[[0.0, 5.0], [2.0, 1.5]]> : tensor<2x2xf32>
    %0 = pop.l2_loss mean %x, %t : tensor<2x2xf32> -> tensor<f32>
    return %0 : tensor<f32>
  }
}
