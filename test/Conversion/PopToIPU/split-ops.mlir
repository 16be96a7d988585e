// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-split-ops{serial-parts=ops},canonicalize,cse)' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-split-ops{serial-parts=ops})' --remark-format=emitRemark --remarks-filter=ipu-split 2>&1 | FileCheck %s --check-prefix=REMARK

// REMARK: [Passed] pop-split-ops | Category:ipu-split | code-excess=0, cycles={{[0-9]+}}, form=ops, memory-excess={{[0-9]+}}, other-code-excess=0, other-cycles={{[0-9]+}}, other-form=ops, other-memory-excess={{[0-9]+}}, other-share={{[0-9]+}}, share=250
// REMARK: [Passed] k | Category:ipu-split | parts=8
#small = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 114688 : i64}>

// Serial parts whose operands fit: the rows of four outputs of the
// left operand and the columns of four of the right one do not.

module attributes {ipu.target = #small} {
  // CHECK-LABEL: func.func @matmul
  // CHECK: %[[A:.*]] = pop.slice %arg0 {{.*}} -> tensor<64x[[K:[0-9]+]]xf32>
  // CHECK: %[[B:.*]] = pop.slice %arg1 {{.*}} -> tensor<[[K]]x16xf32>
  // CHECK: %[[ACC:.*]] = pop.matmul %[[A]], %[[B]] {accum = #pop.accum<chain>} :
  // CHECK: pop.matmul %{{.*}}, %{{.*}}, %[[ACC]] {accum = #pop.accum<chain>} :
  // CHECK: return
  func.func @matmul(%a: tensor<64x3072xf32>, %b: tensor<3072x16xf32>) -> tensor<64x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<64x3072xf32>, tensor<3072x16xf32>) -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>
  }
}

// -----

// Six parts fit, but 200 groups of 16 terms are no six equal parts. Eight are.

// REMARK: [Passed] k | Category:ipu-split | parts=8
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 131072 : i64}>} {
  // CHECK-LABEL: func.func @equal
  // CHECK-COUNT-8: pop.matmul {{.*}} : (tensor<64x400xf32>, tensor<400x16xf32>
  // CHECK-NOT: pop.matmul
  // CHECK: return
  func.func @equal(%a: tensor<64x3200xf32>, %b: tensor<3200x16xf32>) -> tensor<64x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>, ipu.available_memory_proportion = 0.3 : f64} : (tensor<64x3200xf32>, tensor<3200x16xf32>) -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>
  }
}

// -----

// Its own share of memory counts: a third of the tile is enough for this one, a
// tenth is not.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 131072 : i64}>} {
  // CHECK-LABEL: func.func @share
  // CHECK-COUNT-1: pop.matmul
  // CHECK-NOT: pop.matmul
  // CHECK: return
  func.func @share(%a: tensor<16x1024xf32>, %b: tensor<1024x16xf32>) -> tensor<16x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<16x1024xf32>, tensor<1024x16xf32>) -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
  // CHECK-LABEL: func.func @less
  // CHECK: %[[ACC:.*]] = pop.matmul {{.*}}ipu.available_memory_proportion = 1.000000e-01
  // CHECK: pop.matmul %{{.*}}, %{{.*}}, %[[ACC]] {accum = #pop.accum<chain>, ipu.available_memory_proportion = 1.000000e-01
  func.func @less(%a: tensor<16x1024xf32>, %b: tensor<1024x16xf32>) -> tensor<16x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>, ipu.available_memory_proportion = 0.1 : f64} : (tensor<16x1024xf32>, tensor<1024x16xf32>) -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}

// -----

// A map that is there stays, and so does its op.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 65536 : i64}>} {
  // CHECK-LABEL: func.func @mapped
  // CHECK-COUNT-1: pop.matmul
  // CHECK-NOT: pop.matmul
  // CHECK: return
  func.func @mapped(%a: tensor<64x9216xf32>, %b: tensor<9216x16xf32>) -> tensor<64x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>, ipu.map = #ipu.map<[1, 64, 16], grid = [], blocks = [all, all, all]>} : (tensor<64x9216xf32>, tensor<9216x16xf32>) -> tensor<64x16xf32>
    return %0 : tensor<64x16xf32>
  }
}

// -----

// Tiles look up indices in their part of the table, and then pick the one
// candidate that is right: every tile would need the whole table otherwise.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>} {
  // CHECK-LABEL: func.func @gather
  // CHECK: pop.gather_partials
  // CHECK: pop.gather {{.*}} {batch_dims = 2 : i64}
  func.func @gather(%t: tensor<4096x8xf32>, %i: tensor<32xi32>) -> tensor<32x8xf32> {
    %0 = pop.gather %t, %i : (tensor<4096x8xf32>, tensor<32xi32>) -> tensor<32x8xf32>
    return %0 : tensor<32x8xf32>
  }
}

// -----

// Tiles list the updates of each block of rows first: each vertex would visit
// all indices otherwise. Serial parts that fit are computed in stages, too.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>} {
  // CHECK-LABEL: func.func @scatter
  // CHECK: pop.bucket_indices
  // CHECK: pop.scatter_buckets add
  // CHECK-NOT: pop.bucket_indices
  // CHECK: return
  func.func @scatter(%x: tensor<4096x8xf32>, %i: tensor<8192xi32>, %u: tensor<8192x8xf32>) -> tensor<4096x8xf32> {
    %0 = pop.scatter add %x, %i, %u : tensor<4096x8xf32>, tensor<8192xi32>, tensor<8192x8xf32>
    return %0 : tensor<4096x8xf32>
  }
  // CHECK-LABEL: func.func @serial_scatter
  // CHECK-COUNT-2: pop.scatter_buckets add
  // CHECK-NOT: pop.scatter add
  // CHECK: return
  func.func @serial_scatter(%x: tensor<4096x8xf32>, %i: tensor<131072xi32>, %u: tensor<131072x8xf32>) -> tensor<4096x8xf32> {
    %0 = pop.scatter add %x, %i, %u : tensor<4096x8xf32>, tensor<131072xi32>, tensor<131072x8xf32>
    return %0 : tensor<4096x8xf32>
  }
}

// -----

// Nothing to compute is not cut.

// CHECK-LABEL: func.func @empty
// CHECK: pop.matmul
// CHECK-NOT: pop.matmul
func.func @empty(%a: tensor<0x33xf32>, %b: tensor<33x9xf32>) -> tensor<0x9xf32> {
  %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<0x33xf32>, tensor<33x9xf32>) -> tensor<0x9xf32>
  return %0 : tensor<0x9xf32>
}

// -----

// A long row is sorted by a network of many more blocks than serial parts may
// be. Its stages sort pairs. Many rows are distributed over tiles instead.

// REMARK: [Passed] blocks | Category:ipu-split | parts={{[0-9][0-9][0-9]+}}
module attributes {ipu.target = #ipu.target<"gc200">} {
  // CHECK-LABEL: func.func @long_row
  // CHECK: pop.pad
  // CHECK: pop.sort {{.*}} by [ascending, ascending] {axis = 2 : i64, indexed} : (tensor<1x{{[0-9]+}}x{{[0-9]+}}x1xf32>, tensor<1x{{[0-9]+}}x{{[0-9]+}}x1xi32>)
  // CHECK: pop.sort {{.*}} by [ascending, ascending] {axis = 2 : i64, indexed} : (tensor<1x{{[0-9]+}}x2x{{[0-9]+}}x1xf32>, tensor<1x{{[0-9]+}}x2x{{[0-9]+}}x1xi32>)
  // CHECK: return
  func.func @long_row(%x: tensor<100001xf32>, %i: tensor<100001xi32>) -> (tensor<100001xf32>, tensor<100001xi32>) {
    %0:2 = pop.sort %x, %i by [ascending, ascending] {axis = 0 : i64, indexed} : (tensor<100001xf32>, tensor<100001xi32>) -> (tensor<100001xf32>, tensor<100001xi32>)
    return %0#0, %0#1 : tensor<100001xf32>, tensor<100001xi32>
  }
  // CHECK-LABEL: func.func @many_rows
  // CHECK-COUNT-1: pop.sort
  // CHECK-NOT: pop.sort
  // CHECK: return
  func.func @many_rows(%x: tensor<20000x8xi32>) -> tensor<20000x8xi32> {
    %0 = pop.sort %x by [ascending] {axis = 1 : i64} : (tensor<20000x8xi32>) -> tensor<20000x8xi32>
    return %0 : tensor<20000x8xi32>
  }
  // CHECK-LABEL: func.func @extreme
  // CHECK: pop.arg_reduce max {{.*}} {axes = array<i64: 2>} : tensor<1x{{[0-9]+}}x{{[0-9]+}}x1xf32>
  // CHECK: pop.arg_reduce max {{.*}} {axes = array<i64: 1>} : tensor<1x{{[0-9]+}}x1xf32>
  func.func @extreme(%x: tensor<100000xf32>, %i: tensor<100000xi32>) -> (tensor<f32>, tensor<i32>) {
    %0:2 = pop.arg_reduce max %x, %i {axes = array<i64: 0>} : tensor<100000xf32>, tensor<100000xi32> -> tensor<f32>, tensor<i32>
    return %0#0, %0#1 : tensor<f32>, tensor<i32>
  }
}
