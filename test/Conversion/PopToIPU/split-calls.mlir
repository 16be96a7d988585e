// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-split-ops{serial-parts=calls available-memory-proportion=0.1},canonicalize,cse)' | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-split-ops)' --remark-format=emitRemark --remarks-filter=ipu-split 2>&1 -o /dev/null | FileCheck %s --check-prefix=REMARK

// A remark compares the alternatives of each program with serial parts.
// REMARK: [Passed] pop-split-ops | {{.*}} form=ops, {{.*}} other-form=ops,
// REMARK: [Passed] k | Category:ipu-split | parts=4
// REMARK: [Passed] pop-split-ops | {{.*}} form=ops, {{.*}} other-form=ops,
// REMARK: [Passed] m | Category:ipu-split | parts=4
// REMARK-NOT: remark

// Serial parts that are equal but for what they read are calls of one function.
// Each result is written where it goes before the next call.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 65536 : i64}>} {
  // CHECK-LABEL: func.func private @rows.matmul
  // CHECK-SAME: (%[[A:.*]]: tensor<[[$M:[0-9]+]]x64xf32>, %[[B:.*]]: tensor<64x16xf32>) -> tensor<[[$M]]x16xf32> attributes {no_inline} {
  // CHECK-NEXT: %[[Y:.*]] = pop.matmul %[[A]], %[[B]] {accum = #pop.accum<chain>}
  // CHECK-NEXT: return %[[Y]]
  // CHECK-LABEL: func.func @rows
  // CHECK-SAME: (%[[A:.*]]: tensor<1024x64xf32>, %[[B:.*]]: tensor<64x16xf32>)
  // CHECK: %[[A0:.*]] = pop.slice %[[A]] {sizes = array<i64: [[$M]], 64>, starts = array<i64: 0, 0>
  // CHECK-NEXT: %[[ALL:.*]] = pop.alloc undef : !pop.ref<1024x16xf32>
  // CHECK-NEXT: %[[Y0:.*]] = call @rows.matmul(%[[A0]], %[[B]])
  // CHECK-NEXT: %[[TO:.*]] = pop.ref_slice %[[ALL]] {sizes = array<i64: [[$M]], 16>, starts = array<i64: 0, 0>
  // CHECK-NEXT: pop.copy_ %[[TO]], %[[Y0]]
  // CHECK-NEXT: %[[A1:.*]] = pop.slice %[[A]] {sizes = array<i64: [[$M]], 64>, starts = array<i64: [[$M]], 0>
  // CHECK: %[[Y1:.*]] = call @rows.matmul(%[[A1]], %[[B]])
  // CHECK-NOT: pop.matmul
  // CHECK-NOT: pop.concat
  // CHECK: %[[R:.*]] = pop.read %[[ALL]]
  // CHECK-NEXT: return %[[R]]
  func.func @rows(%a: tensor<1024x64xf32>, %b: tensor<64x16xf32>) -> tensor<1024x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<1024x64xf32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    return %0 : tensor<1024x16xf32>
  }
}

// -----

// A part goes on where the one before has got to; the first has nothing to go
// on from, and is no call.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 65536 : i64}>} {
  // CHECK-LABEL: func.func private @chain.matmul
  // CHECK-SAME: (%{{.*}}: tensor<16x[[$K:[0-9]+]]xf32>, %{{.*}}: tensor<[[$K]]x16xf32>, %{{.*}}: tensor<16x16xf32>)
  // CHECK-LABEL: func.func @chain
  // CHECK: %[[ACC:.*]] = pop.matmul {{.*}} : (tensor<16x[[$K]]xf32>, tensor<[[$K]]x16xf32>) -> tensor<16x16xf32>
  // CHECK-NOT: pop.matmul
  // CHECK: %[[ACC1:.*]] = call @chain.matmul(%{{.*}}, %{{.*}}, %[[ACC]])
  // CHECK: call @chain.matmul(%{{.*}}, %{{.*}}, %[[ACC1]])
  // CHECK-NOT: pop.alloc
  // CHECK-COUNT-4: call @chain.matmul_0
  // CHECK-NEXT: return
  func.func @chain(%a: tensor<16x2048xf32>, %b: tensor<2048x16xf32>) -> tensor<16x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<16x2048xf32>, tensor<2048x16xf32>) -> tensor<16x16xf32>
    return %0 : tensor<16x16xf32>
  }
}

// -----

// What is done with each element of the result is done in the part: sums of
// other dimensions, and roundings to nearest.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 65536 : i64}>} {
  // CHECK-LABEL: func.func private @sums.matmul_partials
  // CHECK: %[[P:.*]] = pop.matmul_partials {{.*}} -> tensor<4x[[$M:[0-9]+]]x16xf32>
  // CHECK-NEXT: %[[S:.*]] = pop.reduce sum %[[P]] {{.*}} : tensor<4x[[$M]]x16xf32> -> tensor<[[$M]]x16xf32>
  // CHECK-NEXT: %[[H:.*]] = pop.cast %[[S]] : tensor<[[$M]]x16xf32> to tensor<[[$M]]x16xf16>
  // CHECK-NEXT: return %[[H]]
  // CHECK-LABEL: func.func @sums
  // CHECK-NOT: pop.reduce
  // CHECK-NOT: pop.cast
  // CHECK: return
  func.func @sums(%a: tensor<1024x64xf32>, %b: tensor<64x16xf32>) -> tensor<1024x16xf16> {
    %0 = pop.matmul_partials %a, %b {block = 16 : i64} : (tensor<1024x64xf32>, tensor<64x16xf32>) -> tensor<4x1024x16xf32>
    %1 = pop.reduce sum %0 {accum = #pop.accum<blocked, block = 4, lanes = 1>, axes = array<i64: 0>} : tensor<4x1024x16xf32> -> tensor<1024x16xf32>
    %2 = pop.cast %1 : tensor<1024x16xf32> to tensor<1024x16xf16>
    return %2 : tensor<1024x16xf16>
  }
}

// -----

// Random bits are those of an element's number in the whole: a rounding that
// draws some stays there.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 65536 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  // CHECK-LABEL: func.func private @draws.matmul
  // CHECK-NOT: pop.cast
  // CHECK-LABEL: func.func @draws
  // CHECK: call @draws.matmul
  // CHECK: pop.cast {{.*}} {pop.draw = #pop.draw<3>} : tensor<1024x16xf32> to tensor<1024x16xf16>
  func.func @draws(%a: tensor<1024x64xf32>, %b: tensor<64x16xf32>) -> tensor<1024x16xf16> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<1024x64xf32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    %1 = pop.cast %0 {pop.draw = #pop.draw<3>} : tensor<1024x16xf32> to tensor<1024x16xf16>
    return %1 : tensor<1024x16xf16>
  }
}

// -----

// 209 rows are no equal parts: the last one, which there is once, stays an op.
// What else is concatenated with the result stays where it is.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64, tile_memory = 65536 : i64}>} {
  // CHECK-LABEL: func.func @rest
  // CHECK: %[[ALL:.*]] = pop.alloc undef : !pop.ref<209x16xf32>
  // CHECK: call @rest.matmul({{.*}}) : (tensor<42x16xf32>
  // CHECK: %[[LAST:.*]] = pop.matmul {{.*}} : (tensor<41x16xf32>
  // CHECK-NEXT: %[[TO:.*]] = pop.ref_slice %[[ALL]] {sizes = array<i64: 41, 16>, starts = array<i64: 168, 0>
  // CHECK-NEXT: pop.copy_ %[[TO]], %[[LAST]]
  // CHECK-NEXT: %[[R:.*]] = pop.read %[[ALL]]
  // CHECK-NEXT: pop.concat %[[R]], %{{.*}}
  func.func @rest(%a: tensor<209x16xf32>, %b: tensor<16x16xf32>, %c: tensor<1x16xf32>) -> tensor<210x16xf32> {
    %0 = pop.matmul %a, %b {accum = #pop.accum<chain>} : (tensor<209x16xf32>, tensor<16x16xf32>) -> tensor<209x16xf32>
    %1 = pop.concat %0, %c {axis = 0 : i64} : (tensor<209x16xf32>, tensor<1x16xf32>) -> tensor<210x16xf32>
    return %1 : tensor<210x16xf32>
  }
}

// -----

// In a loop, in a function, with a placement. Code that is loaded has no parts
// that are always on the tiles.

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64, tile_memory = 65536 : i64, ipus = 2 : i64}>} {
  // CHECK-LABEL: func.func private @looped.matmul
  // CHECK: pop.matmul {{.*}}pop.vgraph = 1 : i64
  // CHECK-LABEL: func.func private @looped
  // CHECK: scf.for
  // CHECK: pop.alloc
  // CHECK: func.call @looped.matmul({{.*}}) {pop.vgraph = 1 : i64}
  // CHECK: pop.read
  // CHECK: }
  func.func private @looped(%a: tensor<1024x64xf32>, %b: tensor<64x64xf32>, %r: !pop.ref<1024x64xf32>) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    scf.for %i = %c0 to %c4 step %c1 {
      %0 = pop.matmul %a, %b {accum = #pop.accum<chain>, pop.vgraph = 1 : i64} : (tensor<1024x64xf32>, tensor<64x64xf32>) -> tensor<1024x64xf32>
      pop.copy_ %r, %0 : !pop.ref<1024x64xf32>, tensor<1024x64xf32>
    }
    return
  }
  // CHECK-NOT: @loaded.matmul
  // CHECK-LABEL: func.func private @loaded
  // CHECK-COUNT-2: pop.matmul
  func.func private @loaded(%a: !pop.ref<1024x64xf32>, %b: !pop.ref<64x16xf32>, %r: !pop.ref<1024x16xf32>) attributes {no_inline} {
    %0 = pop.read %a : !pop.ref<1024x64xf32>
    %1 = pop.read %b : !pop.ref<64x16xf32>
    %2 = pop.matmul %0, %1 {accum = #pop.accum<chain>} : (tensor<1024x64xf32>, tensor<64x16xf32>) -> tensor<1024x16xf32>
    pop.copy_ %r, %2 : !pop.ref<1024x16xf32>, tensor<1024x16xf32>
    return
  }
  func.func @loads() {
    pop.remote_code_load @loaded to executable
    return
  }
}
