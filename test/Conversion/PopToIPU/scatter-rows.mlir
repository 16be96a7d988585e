// The number of an element has 32 bits. Where it says which row the element is in,
// vertices have some of the rows; where there are more elements, or more rows of
// none, they have all.
//
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-map-tensors,convert-pop-to-ipu)' | FileCheck %s

// CHECK-LABEL: func @main
// CHECK: ipu.codelet @scatter
// CHECK: ipu.element_number
func.func @main(%x: tensor<4294967295x1xi8> {pop.name = "x"}, %i: tensor<2xi32> {pop.name = "i"}, %u: tensor<2x1xi8> {pop.name = "u"}) -> (tensor<4294967295x1xi8> {pop.name = "y"}) {
  %0 = pop.scatter add %x, %i, %u : tensor<4294967295x1xi8>, tensor<2xi32>, tensor<2x1xi8>
  return %0 : tensor<4294967295x1xi8>
}

// -----

// CHECK-LABEL: func @main
// CHECK: ipu.codelet @scatter
// CHECK-NOT: ipu.element_number
func.func @main(%x: tensor<4294967296x1xi8> {pop.name = "x"}, %i: tensor<2xi32> {pop.name = "i"}, %u: tensor<2x1xi8> {pop.name = "u"}) -> (tensor<4294967296x1xi8> {pop.name = "y"}) {
  %0 = pop.scatter add %x, %i, %u : tensor<4294967296x1xi8>, tensor<2xi32>, tensor<2x1xi8>
  return %0 : tensor<4294967296x1xi8>
}

// -----

// CHECK-LABEL: func @main
// CHECK: ipu.codelet @scatter
// CHECK-NOT: ipu.element_number
func.func @main(%x: tensor<8589934592x0xi8> {pop.name = "x"}, %i: tensor<2xi32> {pop.name = "i"}, %u: tensor<2x0xi8> {pop.name = "u"}) -> (tensor<8589934592x0xi8> {pop.name = "y"}) {
  %0 = pop.scatter add %x, %i, %u : tensor<8589934592x0xi8>, tensor<2xi32>, tensor<2x0xi8>
  return %0 : tensor<8589934592x0xi8>
}
