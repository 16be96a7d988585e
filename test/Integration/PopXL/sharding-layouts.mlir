// 25 ways to group eight replicas and to distribute the variable of each group over
// replicas of it: consecutive, strided, nested and listed. What is gathered is what
// a variable of the same groups that is not distributed holds.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 8 : i64}>} {
  pop.variable @w0 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<stride = 1, size = 8>}
  pop.variable @v0 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w1 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @v1 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w2 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<stride = 1, size = 4>}
  pop.variable @v2 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w3 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<stride = 2, size = 2>}
  pop.variable @v3 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w4 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<stride = 4, size = 2>}
  pop.variable @v4 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w5 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<stride = 2, size = 4>}
  pop.variable @v5 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w6 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 1, size = 2>, sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @v6 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @w7 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 1, size = 4>, sharding = #pop.replica_groups<stride = 1, size = 4>}
  pop.variable @v7 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 1, size = 4>}
  pop.variable @w8 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 1, size = 4>, sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @v8 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 1, size = 4>}
  pop.variable @w9 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 1, size = 4>, sharding = #pop.replica_groups<stride = 2, size = 2>}
  pop.variable @v9 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 1, size = 4>}
  pop.variable @w10 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 2, size = 4>, sharding = #pop.replica_groups<stride = 2, size = 4>}
  pop.variable @v10 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 2, size = 4>}
  pop.variable @w11 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 2, size = 4>, sharding = #pop.replica_groups<stride = 2, size = 2>}
  pop.variable @v11 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 2, size = 4>}
  pop.variable @w12 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 2, size = 4>, sharding = #pop.replica_groups<stride = 4, size = 2>}
  pop.variable @v12 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<stride = 2, size = 4>}
  pop.variable @w13 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 4, size = 2>, sharding = #pop.replica_groups<stride = 4, size = 2>}
  pop.variable @v13 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 4, size = 2>}
  pop.variable @w14 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 2, size = 2>, sharding = #pop.replica_groups<stride = 2, size = 2>}
  pop.variable @v14 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 2, size = 2>}
  pop.variable @w15 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[(1, 2), (4, 2)]>, sharding = #pop.replica_groups<[(1, 2), (4, 2)]>}
  pop.variable @v15 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[(1, 2), (4, 2)]>}
  pop.variable @w16 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[(1, 2), (4, 2)]>, sharding = #pop.replica_groups<stride = 4, size = 2>}
  pop.variable @v16 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[(1, 2), (4, 2)]>}
  pop.variable @w17 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[(1, 2), (4, 2)]>, sharding = #pop.replica_groups<stride = 1, size = 2>}
  pop.variable @v17 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[(1, 2), (4, 2)]>}
  pop.variable @w18 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<[[0, 3], [1, 2], [4, 7], [5, 6]]>}
  pop.variable @v18 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w19 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>, sharding = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>}
  pop.variable @v19 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>}
  pop.variable @w20 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>, sharding = #pop.replica_groups<[[6, 0], [5, 3], [7, 4], [2, 1]]>}
  pop.variable @v20 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>}
  pop.variable @w21 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>, sharding = #pop.replica_groups<[[0, 5], [3, 6], [4, 1], [7, 2]]>}
  pop.variable @v21 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12]]> : tensor<2x5xi32> {groups = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>}
  pop.variable @w22 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26], [29, 30, 31, 32, 33], [36, 37, 38, 39, 40], [43, 44, 45, 46, 47], [50, 51, 52, 53, 54]]> : tensor<8x5xi32> {groups = #pop.replica_groups<stride = 1, size = 1>, sharding = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @v22 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26], [29, 30, 31, 32, 33], [36, 37, 38, 39, 40], [43, 44, 45, 46, 47], [50, 51, 52, 53, 54]]> : tensor<8x5xi32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @w23 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32> {sharding = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @v23 : tensor<5xi32> = dense<[1, 2, 3, 4, 5]> : tensor<5xi32>
  pop.variable @w24 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 1, size = 2>, sharding = #pop.replica_groups<stride = 1, size = 1>}
  pop.variable @v24 : tensor<5xi32> = dense<[[1, 2, 3, 4, 5], [8, 9, 10, 11, 12], [15, 16, 17, 18, 19], [22, 23, 24, 25, 26]]> : tensor<4x5xi32> {groups = #pop.replica_groups<stride = 1, size = 2>}
  func.func @main() {
    %w0 = pop.get_variable @w0 : !pop.ref<1xi32>
    %v0 = pop.get_variable @v0 : !pop.ref<5xi32>
    %s0 = pop.read %w0 : !pop.ref<1xi32>
    %a0 = pop.all_gather %s0 {groups = #pop.replica_groups<stride = 1, size = 8>} : tensor<1xi32> to tensor<5xi32>
    %b0 = pop.read %v0 : !pop.ref<5xi32>
    %d0 = pop.sub %a0, %b0 : tensor<5xi32>
    pop.expect_eq %d0, dense<0> : tensor<5xi32>
    %w1 = pop.get_variable @w1 : !pop.ref<3xi32>
    %v1 = pop.get_variable @v1 : !pop.ref<5xi32>
    %s1 = pop.read %w1 : !pop.ref<3xi32>
    %a1 = pop.all_gather %s1 {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b1 = pop.read %v1 : !pop.ref<5xi32>
    %d1 = pop.sub %a1, %b1 : tensor<5xi32>
    pop.expect_eq %d1, dense<0> : tensor<5xi32>
    %w2 = pop.get_variable @w2 : !pop.ref<2xi32>
    %v2 = pop.get_variable @v2 : !pop.ref<5xi32>
    %s2 = pop.read %w2 : !pop.ref<2xi32>
    %a2 = pop.all_gather %s2 {groups = #pop.replica_groups<stride = 1, size = 4>} : tensor<2xi32> to tensor<5xi32>
    %b2 = pop.read %v2 : !pop.ref<5xi32>
    %d2 = pop.sub %a2, %b2 : tensor<5xi32>
    pop.expect_eq %d2, dense<0> : tensor<5xi32>
    %w3 = pop.get_variable @w3 : !pop.ref<3xi32>
    %v3 = pop.get_variable @v3 : !pop.ref<5xi32>
    %s3 = pop.read %w3 : !pop.ref<3xi32>
    %a3 = pop.all_gather %s3 {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b3 = pop.read %v3 : !pop.ref<5xi32>
    %d3 = pop.sub %a3, %b3 : tensor<5xi32>
    pop.expect_eq %d3, dense<0> : tensor<5xi32>
    %w4 = pop.get_variable @w4 : !pop.ref<3xi32>
    %v4 = pop.get_variable @v4 : !pop.ref<5xi32>
    %s4 = pop.read %w4 : !pop.ref<3xi32>
    %a4 = pop.all_gather %s4 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b4 = pop.read %v4 : !pop.ref<5xi32>
    %d4 = pop.sub %a4, %b4 : tensor<5xi32>
    pop.expect_eq %d4, dense<0> : tensor<5xi32>
    %w5 = pop.get_variable @w5 : !pop.ref<2xi32>
    %v5 = pop.get_variable @v5 : !pop.ref<5xi32>
    %s5 = pop.read %w5 : !pop.ref<2xi32>
    %a5 = pop.all_gather %s5 {groups = #pop.replica_groups<stride = 2, size = 4>} : tensor<2xi32> to tensor<5xi32>
    %b5 = pop.read %v5 : !pop.ref<5xi32>
    %d5 = pop.sub %a5, %b5 : tensor<5xi32>
    pop.expect_eq %d5, dense<0> : tensor<5xi32>
    %w6 = pop.get_variable @w6 : !pop.ref<3xi32>
    %v6 = pop.get_variable @v6 : !pop.ref<5xi32>
    %s6 = pop.read %w6 : !pop.ref<3xi32>
    %a6 = pop.all_gather %s6 {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b6 = pop.read %v6 : !pop.ref<5xi32>
    %d6 = pop.sub %a6, %b6 : tensor<5xi32>
    pop.expect_eq %d6, dense<0> : tensor<5xi32>
    %w7 = pop.get_variable @w7 : !pop.ref<2xi32>
    %v7 = pop.get_variable @v7 : !pop.ref<5xi32>
    %s7 = pop.read %w7 : !pop.ref<2xi32>
    %a7 = pop.all_gather %s7 {groups = #pop.replica_groups<stride = 1, size = 4>} : tensor<2xi32> to tensor<5xi32>
    %b7 = pop.read %v7 : !pop.ref<5xi32>
    %d7 = pop.sub %a7, %b7 : tensor<5xi32>
    pop.expect_eq %d7, dense<0> : tensor<5xi32>
    %w8 = pop.get_variable @w8 : !pop.ref<3xi32>
    %v8 = pop.get_variable @v8 : !pop.ref<5xi32>
    %s8 = pop.read %w8 : !pop.ref<3xi32>
    %a8 = pop.all_gather %s8 {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b8 = pop.read %v8 : !pop.ref<5xi32>
    %d8 = pop.sub %a8, %b8 : tensor<5xi32>
    pop.expect_eq %d8, dense<0> : tensor<5xi32>
    %w9 = pop.get_variable @w9 : !pop.ref<3xi32>
    %v9 = pop.get_variable @v9 : !pop.ref<5xi32>
    %s9 = pop.read %w9 : !pop.ref<3xi32>
    %a9 = pop.all_gather %s9 {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b9 = pop.read %v9 : !pop.ref<5xi32>
    %d9 = pop.sub %a9, %b9 : tensor<5xi32>
    pop.expect_eq %d9, dense<0> : tensor<5xi32>
    %w10 = pop.get_variable @w10 : !pop.ref<2xi32>
    %v10 = pop.get_variable @v10 : !pop.ref<5xi32>
    %s10 = pop.read %w10 : !pop.ref<2xi32>
    %a10 = pop.all_gather %s10 {groups = #pop.replica_groups<stride = 2, size = 4>} : tensor<2xi32> to tensor<5xi32>
    %b10 = pop.read %v10 : !pop.ref<5xi32>
    %d10 = pop.sub %a10, %b10 : tensor<5xi32>
    pop.expect_eq %d10, dense<0> : tensor<5xi32>
    %w11 = pop.get_variable @w11 : !pop.ref<3xi32>
    %v11 = pop.get_variable @v11 : !pop.ref<5xi32>
    %s11 = pop.read %w11 : !pop.ref<3xi32>
    %a11 = pop.all_gather %s11 {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b11 = pop.read %v11 : !pop.ref<5xi32>
    %d11 = pop.sub %a11, %b11 : tensor<5xi32>
    pop.expect_eq %d11, dense<0> : tensor<5xi32>
    %w12 = pop.get_variable @w12 : !pop.ref<3xi32>
    %v12 = pop.get_variable @v12 : !pop.ref<5xi32>
    %s12 = pop.read %w12 : !pop.ref<3xi32>
    %a12 = pop.all_gather %s12 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b12 = pop.read %v12 : !pop.ref<5xi32>
    %d12 = pop.sub %a12, %b12 : tensor<5xi32>
    pop.expect_eq %d12, dense<0> : tensor<5xi32>
    %w13 = pop.get_variable @w13 : !pop.ref<3xi32>
    %v13 = pop.get_variable @v13 : !pop.ref<5xi32>
    %s13 = pop.read %w13 : !pop.ref<3xi32>
    %a13 = pop.all_gather %s13 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b13 = pop.read %v13 : !pop.ref<5xi32>
    %d13 = pop.sub %a13, %b13 : tensor<5xi32>
    pop.expect_eq %d13, dense<0> : tensor<5xi32>
    %w14 = pop.get_variable @w14 : !pop.ref<3xi32>
    %v14 = pop.get_variable @v14 : !pop.ref<5xi32>
    %s14 = pop.read %w14 : !pop.ref<3xi32>
    %a14 = pop.all_gather %s14 {groups = #pop.replica_groups<stride = 2, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b14 = pop.read %v14 : !pop.ref<5xi32>
    %d14 = pop.sub %a14, %b14 : tensor<5xi32>
    pop.expect_eq %d14, dense<0> : tensor<5xi32>
    %w15 = pop.get_variable @w15 : !pop.ref<2xi32>
    %v15 = pop.get_variable @v15 : !pop.ref<5xi32>
    %s15 = pop.read %w15 : !pop.ref<2xi32>
    %a15 = pop.all_gather %s15 {groups = #pop.replica_groups<[(1, 2), (4, 2)]>} : tensor<2xi32> to tensor<5xi32>
    %b15 = pop.read %v15 : !pop.ref<5xi32>
    %d15 = pop.sub %a15, %b15 : tensor<5xi32>
    pop.expect_eq %d15, dense<0> : tensor<5xi32>
    %w16 = pop.get_variable @w16 : !pop.ref<3xi32>
    %v16 = pop.get_variable @v16 : !pop.ref<5xi32>
    %s16 = pop.read %w16 : !pop.ref<3xi32>
    %a16 = pop.all_gather %s16 {groups = #pop.replica_groups<stride = 4, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b16 = pop.read %v16 : !pop.ref<5xi32>
    %d16 = pop.sub %a16, %b16 : tensor<5xi32>
    pop.expect_eq %d16, dense<0> : tensor<5xi32>
    %w17 = pop.get_variable @w17 : !pop.ref<3xi32>
    %v17 = pop.get_variable @v17 : !pop.ref<5xi32>
    %s17 = pop.read %w17 : !pop.ref<3xi32>
    %a17 = pop.all_gather %s17 {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<3xi32> to tensor<5xi32>
    %b17 = pop.read %v17 : !pop.ref<5xi32>
    %d17 = pop.sub %a17, %b17 : tensor<5xi32>
    pop.expect_eq %d17, dense<0> : tensor<5xi32>
    %w18 = pop.get_variable @w18 : !pop.ref<3xi32>
    %v18 = pop.get_variable @v18 : !pop.ref<5xi32>
    %s18 = pop.read %w18 : !pop.ref<3xi32>
    %a18 = pop.all_gather %s18 {groups = #pop.replica_groups<[[0, 3], [1, 2], [4, 7], [5, 6]]>} : tensor<3xi32> to tensor<5xi32>
    %b18 = pop.read %v18 : !pop.ref<5xi32>
    %d18 = pop.sub %a18, %b18 : tensor<5xi32>
    pop.expect_eq %d18, dense<0> : tensor<5xi32>
    %w19 = pop.get_variable @w19 : !pop.ref<2xi32>
    %v19 = pop.get_variable @v19 : !pop.ref<5xi32>
    %s19 = pop.read %w19 : !pop.ref<2xi32>
    %a19 = pop.all_gather %s19 {groups = #pop.replica_groups<[[0, 3, 5, 6], [1, 2, 4, 7]]>} : tensor<2xi32> to tensor<5xi32>
    %b19 = pop.read %v19 : !pop.ref<5xi32>
    %d19 = pop.sub %a19, %b19 : tensor<5xi32>
    pop.expect_eq %d19, dense<0> : tensor<5xi32>
    %w20 = pop.get_variable @w20 : !pop.ref<3xi32>
    %v20 = pop.get_variable @v20 : !pop.ref<5xi32>
    %s20 = pop.read %w20 : !pop.ref<3xi32>
    %a20 = pop.all_gather %s20 {groups = #pop.replica_groups<[[6, 0], [5, 3], [7, 4], [2, 1]]>} : tensor<3xi32> to tensor<5xi32>
    %b20 = pop.read %v20 : !pop.ref<5xi32>
    %d20 = pop.sub %a20, %b20 : tensor<5xi32>
    pop.expect_eq %d20, dense<0> : tensor<5xi32>
    %w21 = pop.get_variable @w21 : !pop.ref<3xi32>
    %v21 = pop.get_variable @v21 : !pop.ref<5xi32>
    %s21 = pop.read %w21 : !pop.ref<3xi32>
    %a21 = pop.all_gather %s21 {groups = #pop.replica_groups<[[0, 5], [3, 6], [4, 1], [7, 2]]>} : tensor<3xi32> to tensor<5xi32>
    %b21 = pop.read %v21 : !pop.ref<5xi32>
    %d21 = pop.sub %a21, %b21 : tensor<5xi32>
    pop.expect_eq %d21, dense<0> : tensor<5xi32>
    %w22 = pop.get_variable @w22 : !pop.ref<5xi32>
    %v22 = pop.get_variable @v22 : !pop.ref<5xi32>
    %s22 = pop.read %w22 : !pop.ref<5xi32>
    %a22 = pop.all_gather %s22 {groups = #pop.replica_groups<stride = 1, size = 1>} : tensor<5xi32> to tensor<5xi32>
    %b22 = pop.read %v22 : !pop.ref<5xi32>
    %d22 = pop.sub %a22, %b22 : tensor<5xi32>
    pop.expect_eq %d22, dense<0> : tensor<5xi32>
    %w23 = pop.get_variable @w23 : !pop.ref<5xi32>
    %v23 = pop.get_variable @v23 : !pop.ref<5xi32>
    %s23 = pop.read %w23 : !pop.ref<5xi32>
    %a23 = pop.all_gather %s23 {groups = #pop.replica_groups<stride = 1, size = 1>} : tensor<5xi32> to tensor<5xi32>
    %b23 = pop.read %v23 : !pop.ref<5xi32>
    %d23 = pop.sub %a23, %b23 : tensor<5xi32>
    pop.expect_eq %d23, dense<0> : tensor<5xi32>
    %w24 = pop.get_variable @w24 : !pop.ref<5xi32>
    %v24 = pop.get_variable @v24 : !pop.ref<5xi32>
    %s24 = pop.read %w24 : !pop.ref<5xi32>
    %a24 = pop.all_gather %s24 {groups = #pop.replica_groups<stride = 1, size = 1>} : tensor<5xi32> to tensor<5xi32>
    %b24 = pop.read %v24 : !pop.ref<5xi32>
    %d24 = pop.sub %a24, %b24 : tensor<5xi32>
    pop.expect_eq %d24, dense<0> : tensor<5xi32>
    return
  }
}
