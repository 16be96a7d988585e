// RUN: ipu-opt %s --pass-pipeline='builtin.module(func.func(ipu-estimate-cost))' | FileCheck %s

#first = #ipu.map<[10001], grid = [], blocks = [all]>
#second = #ipu.map<[10001], grid = [], blocks = [all], first = 1>

// 20002 bytes are 5001 words. No element changes its position in a word.
// CHECK-LABEL: func.func @odd
// CHECK: ipu.exchange "odd"
// CHECK: cost <cycles = [5103]
func.func @odd() {
  %a = ipu.var "a" : memref<10001xf16, #first>
  %b = ipu.var "b" : memref<10001xf16, #second>
  ipu.exchange "odd" {
    ipu.move %a to %b : memref<10001xf16, #first> to memref<10001xf16, #second>
  }
  return
}

// The elements from 1 to 10000 begin in the middle of a word and end in the
// middle of another word, at both tiles: 5001 words.
// CHECK-LABEL: func.func @inside
// CHECK: ipu.exchange "inside"
// CHECK: cost <cycles = [5103]
func.func @inside() {
  %a = ipu.var "a" : memref<10001xf16, #first>
  %b = ipu.var "b" : memref<10001xf16, #second>
  %from = memref.reinterpret_cast %a to offset: [1], sizes: [10000], strides: [1]
    : memref<10001xf16, #first> to memref<10000xf16, strided<[1], offset: 1>, #first>
  %to = memref.reinterpret_cast %b to offset: [1], sizes: [10000], strides: [1]
    : memref<10001xf16, #second> to memref<10000xf16, strided<[1], offset: 1>, #second>
  ipu.exchange "inside" {
    ipu.move %from to %to : memref<10000xf16, strided<[1], offset: 1>, #first> to memref<10000xf16, strided<[1], offset: 1>, #second>
  }
  return
}

// Each element changes its position in a word, so the receiver packs 20000
// bytes, which takes 103000 cycles.
// CHECK-LABEL: func.func @shifted
// CHECK: ipu.exchange "shifted"
// CHECK: cost <cycles = [108103]
func.func @shifted() {
  %a = ipu.var "a" : memref<10001xf16, #first>
  %b = ipu.var "b" : memref<10001xf16, #second>
  %from = memref.reinterpret_cast %a to offset: [1], sizes: [10000], strides: [1]
    : memref<10001xf16, #first> to memref<10000xf16, strided<[1], offset: 1>, #first>
  %to = memref.reinterpret_cast %b to offset: [0], sizes: [10000], strides: [1]
    : memref<10001xf16, #second> to memref<10000xf16, strided<[1]>, #second>
  ipu.exchange "shifted" {
    ipu.move %from to %to : memref<10000xf16, strided<[1], offset: 1>, #first> to memref<10000xf16, strided<[1]>, #second>
  }
  return
}

#bytes = #ipu.map<[12], grid = [], blocks = [all]>
#others = #ipu.map<[12], grid = [], blocks = [all], first = 1>

// The bytes 3 and 7 are in two words. Each is a run and takes 1 + 2 cycles.
// CHECK-LABEL: func.func @strided
// CHECK: ipu.exchange "strided"
// CHECK: cost <cycles = [106]
func.func @strided() {
  %a = ipu.var "a" : memref<12xi8, #bytes>
  %b = ipu.var "b" : memref<12xi8, #others>
  %from = memref.reinterpret_cast %a to offset: [3], sizes: [2], strides: [4]
    : memref<12xi8, #bytes> to memref<2xi8, strided<[4], offset: 3>, #bytes>
  %to = memref.reinterpret_cast %b to offset: [3], sizes: [2], strides: [4]
    : memref<12xi8, #others> to memref<2xi8, strided<[4], offset: 3>, #others>
  ipu.exchange "strided" {
    ipu.move %from to %to : memref<2xi8, strided<[4], offset: 3>, #bytes> to memref<2xi8, strided<[4], offset: 3>, #others>
  }
  return
}
