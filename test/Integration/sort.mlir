// Sorts, and extreme values with their indices. PyTorch and numpy computed the
// expected values.
//
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=jit})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{engine=interp})'
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{check})'
//
// Bitonic networks and reductions of blocks give the same. Most rows need
// padding.
// RUN: ipu-test-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(pop-decompose,test-tile-splits{name=blocks parts=2}),pop-to-ipu-pipeline,ipu-execute{engine=jit})'
// RUN: ipu-test-opt %s -o /dev/null --pass-pipeline='builtin.module(func.func(pop-decompose,test-tile-splits{name=blocks parts=4}),pop-to-ipu-pipeline,ipu-execute{engine=jit})'

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 8 : i64}>} {
  func.func @main() {
    %x = pop.constant dense<[3.0, 0x7FC00000, -0.0, 1.0, 0.0, 0xFF800000, 1.0, 0x7F800000, 0x7FC00000, -0.0]> : tensor<10xf32>
    %i = pop.constant dense<[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]> : tensor<10xi32>

    // Equal elements keep their order in both directions, and so do 0 and -0.
    %up:2 = pop.sort %x, %i by [ascending] {axis = 0 : i64} : (tensor<10xf32>, tensor<10xi32>) -> (tensor<10xf32>, tensor<10xi32>)
    pop.expect_eq %up#0, dense<[0xFF800000, -0.0, 0.0, -0.0, 1.0, 1.0, 3.0, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<10xf32>
    pop.expect_eq %up#1, dense<[5, 2, 4, 9, 3, 6, 0, 7, 1, 8]> : tensor<10xi32>
    %down:2 = pop.sort %x, %i by [descending] {axis = 0 : i64} : (tensor<10xf32>, tensor<10xi32>) -> (tensor<10xf32>, tensor<10xi32>)
    pop.expect_eq %down#0, dense<[0x7FC00000, 0x7FC00000, 0x7F800000, 3.0, 1.0, 1.0, -0.0, 0.0, -0.0, 0xFF800000]> : tensor<10xf32>
    pop.expect_eq %down#1, dense<[1, 8, 7, 0, 3, 6, 2, 4, 9, 5]> : tensor<10xi32>
    %alone = pop.sort %x by [descending] {axis = 0 : i64} : (tensor<10xf32>) -> tensor<10xf32>
    pop.expect_eq %alone, dense<[0x7FC00000, 0x7FC00000, 0x7F800000, 3.0, 1.0, 1.0, -0.0, 0.0, -0.0, 0xFF800000]> : tensor<10xf32>

    // In the total order, -0 is less than 0.
    %total:2 = pop.sort %x, %i by [total_ascending] {axis = 0 : i64} : (tensor<10xf32>, tensor<10xi32>) -> (tensor<10xf32>, tensor<10xi32>)
    pop.expect_eq %total#0, dense<[0xFF800000, -0.0, -0.0, 0.0, 1.0, 1.0, 3.0, 0x7F800000, 0x7FC00000, 0x7FC00000]> : tensor<10xf32>
    pop.expect_eq %total#1, dense<[5, 2, 9, 4, 3, 6, 0, 7, 1, 8]> : tensor<10xi32>
    %reverse:2 = pop.sort %x, %i by [total_descending] {axis = 0 : i64} : (tensor<10xf32>, tensor<10xi32>) -> (tensor<10xf32>, tensor<10xi32>)
    pop.expect_eq %reverse#1, dense<[1, 8, 7, 0, 3, 6, 4, 2, 9, 5]> : tensor<10xi32>

    // Two keys of rows, of which the second one is unsigned and descending.
    %a = pop.constant dense<[[1, 0, 1, -2, 0, 1], [5, 5, 5, 5, -5, 5]]> : tensor<2x6xi8>
    %b = pop.constant dense<[[7, 200, 9, 1, 3, 9], [1, 2, 1, 2, 1, 2]]> : tensor<2x6xui8>
    %rows:2 = pop.sort %a, %b by [ascending, descending] {axis = 1 : i64} : (tensor<2x6xi8>, tensor<2x6xui8>) -> (tensor<2x6xi8>, tensor<2x6xui8>)
    pop.expect_eq %rows#0, dense<[[-2, 0, 0, 1, 1, 1], [-5, 5, 5, 5, 5, 5]]> : tensor<2x6xi8>
    pop.expect_eq %rows#1, dense<[[1, 200, 3, 9, 9, 7], [1, 2, 2, 2, 1, 1]]> : tensor<2x6xui8>

    // Columns, and conditions.
    %columns = pop.sort %a by [descending] {axis = 0 : i64} : (tensor<2x6xi8>) -> tensor<2x6xi8>
    pop.expect_eq %columns, dense<[[5, 5, 5, 5, 0, 5], [1, 0, 1, -2, -5, 1]]> : tensor<2x6xi8>
    %c = pop.constant dense<[true, false, true, false, true]> : tensor<5xi1>
    %conditions = pop.sort %c by [ascending] {axis = 0 : i64} : (tensor<5xi1>) -> tensor<5xi1>
    pop.expect_eq %conditions, dense<[false, false, true, true, true]> : tensor<5xi1>

    // Extreme values. A NaN is the extreme in both directions.
    %y = pop.constant dense<[[1.0, 0x7FC00000, 0x7FC00000, 2.0], [3.0, 3.0, -1.0, 3.0], [-0.0, 0.0, -1.0, -2.0]]> : tensor<3x4xf32>
    %j = pop.constant dense<[[0, 1, 2, 3], [0, 1, 2, 3], [0, 1, 2, 3]]> : tensor<3x4xi32>
    %max:2 = pop.arg_reduce max %y, %j {axes = array<i64: 1>} : tensor<3x4xf32>, tensor<3x4xi32> -> tensor<3xf32>, tensor<3xi32>
    pop.expect_eq %max#0, dense<[0x7FC00000, 3.0, -0.0]> : tensor<3xf32>
    pop.expect_eq %max#1, dense<[1, 0, 0]> : tensor<3xi32>
    %min:2 = pop.arg_reduce min %y, %j {axes = array<i64: 1>, keep_dims} : tensor<3x4xf32>, tensor<3x4xi32> -> tensor<3x1xf32>, tensor<3x1xi32>
    pop.expect_eq %min#0, dense<[[0x7FC00000], [-1.0], [-2.0]]> : tensor<3x1xf32>
    pop.expect_eq %min#1, dense<[[1], [2], [3]]> : tensor<3x1xi32>
    %last:2 = pop.arg_reduce max %y, %j {axes = array<i64: 1>, highest_index} : tensor<3x4xf32>, tensor<3x4xi32> -> tensor<3xf32>, tensor<3xi32>
    pop.expect_eq %last#0, dense<[0x7FC00000, 3.0, 0.0]> : tensor<3xf32>
    pop.expect_eq %last#1, dense<[2, 3, 1]> : tensor<3xi32>
    // The indices along one axis, over both axes.
    %all:2 = pop.arg_reduce min %y, %j {axes = array<i64: 0, 1>} : tensor<3x4xf32>, tensor<3x4xi32> -> tensor<f32>, tensor<i32>
    pop.expect_eq %all#1, dense<1> : tensor<i32>
    return
  }
}
