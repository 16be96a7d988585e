// RUN: ipu-opt %s --verify-contracts --pass-pipeline="builtin.module(pop-narrow-floats)" | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-narrow-floats{weights})" | FileCheck %s --check-prefix=WEIGHTS
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-narrow-floats{func=copied})" | FileCheck %s --check-prefix=COPIED
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-narrow-floats{func=placed})" | FileCheck %s --check-prefix=PLACED
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-narrow-floats{func=none})" 2>&1 | FileCheck %s --check-prefix=FUNCTION

// FUNCTION: error: 'pop-narrow-floats' expects function 'none' with a body of one block

// Without `weights` the program keeps its variables. With it those that are only
// read are rounded.
//
// CHECK: pop.variable @w : tensor<4x4xf32> = dense<1.100000e+00>
// CHECK: pop.variable @b : tensor<4xf32>
// CHECK: pop.variable @mean : tensor<4xf32>
// WEIGHTS: pop.variable @w : tensor<4x4xf16> = dense<1.099610e+00>
// WEIGHTS: pop.variable @b : tensor<4xf16>
// WEIGHTS: pop.variable @mean : tensor<4xf32>
pop.variable @w : tensor<4x4xf32> = dense<1.1> : tensor<4x4xf32>
pop.variable @b : tensor<4xf32> = dense<0.0> : tensor<4xf32>
pop.variable @mean : tensor<4xf32> = dense<0.0> : tensor<4xf32>

// The product is narrow, and so is all that follows it until the softmax; its gradient
// is another's task. What is computed from an input alone is not, nor is a sum of both.
//
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[X:.+]]: tensor<2x4xf32>
// CHECK:         %[[W:.+]] = pop.read %{{.+}} : !pop.ref<4x4xf32>
// CHECK-NEXT:    %[[NW:.+]] = pop.cast %[[W]] : tensor<4x4xf32> to tensor<4x4xf16>
// CHECK:         %[[B:.+]] = pop.read %{{.+}} : !pop.ref<4xf32>
// CHECK-NEXT:    %[[NB:.+]] = pop.cast %[[B]] : tensor<4xf32> to tensor<4xf16>
// CHECK-NEXT:    %[[S:.+]] = pop.mul %[[X]], %[[X]] : tensor<2x4xf32>
// CHECK-NEXT:    %[[NS:.+]] = pop.cast %[[S]] : tensor<2x4xf32> to tensor<2x4xf16>
// CHECK-NEXT:    %[[M:.+]] = pop.matmul %[[NS]], %[[NW]] {pop.vgraph = 1 : i64} : (tensor<2x4xf16>, tensor<4x4xf16>) -> tensor<2x4xf16>
// CHECK-NEXT:    %[[A:.+]] = pop.add %[[M]], %[[NB]] : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
// CHECK-NEXT:    %[[R:.+]] = pop.relu %[[A]] : tensor<2x4xf16>
// CHECK-NEXT:    %[[WR:.+]] = pop.cast %[[R]] : tensor<2x4xf16> to tensor<2x4xf32>
// CHECK-NEXT:    %[[T:.+]] = pop.transpose %[[R]] {permutation = array<i64: 1, 0>} : tensor<2x4xf16> -> tensor<4x2xf16>
// CHECK-NEXT:    %[[WT:.+]] = pop.cast %[[T]] : tensor<4x2xf16> to tensor<4x2xf32>
// CHECK-NEXT:    %[[Y:.+]] = pop.softmax %[[WR]] {axis = 1 : i64} : tensor<2x4xf32>
// CHECK-NEXT:    %[[Z:.+]] = pop.add %[[WR]], %[[S]] : tensor<2x4xf32>
// CHECK:         return %[[Y]], %[[Z]], %[[WT]]

// WEIGHTS-LABEL: func.func @main(
// WEIGHTS:         %[[W:.+]] = pop.read %{{.+}} : !pop.ref<4x4xf16>
// WEIGHTS:         %[[B:.+]] = pop.read %{{.+}} : !pop.ref<4xf16>
// WEIGHTS:         %[[M:.+]] = pop.matmul %{{.+}}, %[[W]] {{.*}} -> tensor<2x4xf16>
// WEIGHTS:         pop.add %[[M]], %[[B]] : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
// WEIGHTS:         pop.copy_ %{{.+}}, %{{.+}} : !pop.ref<4xf32>, tensor<4xf32>
func.func @main(%x: tensor<2x4xf32>) -> (tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x2xf32>) {
  %rw = pop.get_variable @w : !pop.ref<4x4xf32>
  %w = pop.read %rw : !pop.ref<4x4xf32>
  %rb = pop.get_variable @b : !pop.ref<4xf32>
  %b = pop.read %rb : !pop.ref<4xf32>
  %s = pop.mul %x, %x : tensor<2x4xf32>
  %0 = pop.matmul %s, %w {pop.vgraph = 1 : i64} : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = pop.add %0, %b : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  %2 = pop.relu %1 : tensor<2x4xf32>
  %t = pop.transpose %2 {permutation = array<i64: 1, 0>} : tensor<2x4xf32> -> tensor<4x2xf32>
  %y = pop.softmax %2 {axis = 1 : i64} : tensor<2x4xf32>
  %z = pop.add %2, %s : tensor<2x4xf32>
  %m = pop.reduce mean %z {axes = array<i64: 0>} : tensor<2x4xf32> -> tensor<4xf32>
  %rm = pop.get_variable @mean : !pop.ref<4xf32>
  pop.copy_ %rm, %m : !pop.ref<4xf32>, tensor<4xf32>
  return %y, %z, %t : tensor<2x4xf32>, tensor<2x4xf32>, tensor<4x2xf32>
}

// A copy of a weight on another IPU is as narrow as the weight, and moves values
// in f16.
//
// COPIED-LABEL: func.func @copied(
// COPIED:         %[[NB:.+]] = pop.cast %{{.+}} {pop.vgraph = 1 : i64} : tensor<4xf32> to tensor<4xf16>
// COPIED-NEXT:    %[[NC:.+]] = pop.ipu_copy %[[NB]] from 1 to 0 : tensor<4xf16>
// COPIED-NOT:     pop.ipu_copy
// COPIED:         pop.add %{{.+}}, %[[NC]] : (tensor<2x4xf16>, tensor<4xf16>) -> tensor<2x4xf16>
pop.variable @k : tensor<4x4xf32> = dense<1.1> : tensor<4x4xf32>
pop.variable @c : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @copied(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %r = pop.get_variable @k : !pop.ref<4x4xf32>
  %w = pop.read %r : !pop.ref<4x4xf32>
  %s = pop.get_variable @c : !pop.ref<4xf32>
  %b = pop.read %s {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
  %c = pop.ipu_copy %b from 1 to 0 : tensor<4xf32>
  %0 = pop.matmul %x, %w : (tensor<2x4xf32>, tensor<4x4xf32>) -> tensor<2x4xf32>
  %1 = pop.add %0, %c : (tensor<2x4xf32>, tensor<4xf32>) -> tensor<2x4xf32>
  return %1 : tensor<2x4xf32>
}

// A constant without a virtual graph has a cast on each IPU that uses it. Each
// operand of a copy is cast by itself, and casts of values on I/O tiles are there.
//
// PLACED-LABEL: func.func @placed(
// PLACED:         %[[K:.+]] = pop.constant
// PLACED-DAG:     %[[K0:.+]] = pop.cast %[[K]] {pop.vgraph = 0 : i64}
// PLACED-DAG:     %[[K1:.+]] = pop.cast %[[K]] {pop.vgraph = 1 : i64}
// PLACED:         %[[NX:.+]] = pop.ipu_copy %{{.+}} from 0 to 1 : tensor<4x4xf16>
// PLACED:         pop.matmul %[[NX]], %[[K1]] {pop.vgraph = 1 : i64} : (tensor<4x4xf16>, tensor<4x4xf16>)
// PLACED:         %[[IO:.+]] = pop.io_tile_copy %{{.+}} to io {pop.vgraph = 1 : i64} : tensor<4x4xf16>
// PLACED:         %[[WIDE:.+]] = pop.cast %[[IO]] {pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64}
// PLACED:         pop.reduce sum %[[WIDE]]
func.func @placed(%x: tensor<4x4xf32> {pop.vgraph = 0 : i64}) -> (tensor<4x4xf32>, tensor<4xf32>) {
  %k = pop.constant dense<0.3> : tensor<4x4xf32>
  %0 = pop.matmul %x, %k {pop.vgraph = 0 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %1:2 = pop.ipu_copy %x, %x from 0 to 1 : tensor<4x4xf32>, tensor<4x4xf32>
  %2 = pop.matmul %1#0, %k {pop.vgraph = 1 : i64} : (tensor<4x4xf32>, tensor<4x4xf32>) -> tensor<4x4xf32>
  %3 = pop.io_tile_copy %2 to io {pop.vgraph = 1 : i64} : tensor<4x4xf32>
  %4 = pop.reduce sum %3 {axes = array<i64: 0>, pop.tile_set = #pop<tile_set io>, pop.vgraph = 1 : i64} : tensor<4x4xf32> -> tensor<4xf32>
  return %0, %4 : tensor<4x4xf32>, tensor<4xf32>
}
