// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline --ipu-execute -o /dev/null
// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline="planner=generic merge-steps" --ipu-execute="check=true" -o /dev/null
// RUN: ipu-opt %s --split-input-file --pop-to-ipu-pipeline --ipu-execute="engine=interp" -o /dev/null

// Ops in place through views that show the whole tensor, in its order or in
// another one.

// Two views that cancel out: element by element, on the storage itself.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 1 : i64}>} {
  pop.variable @v : tensor<1x4xi32> = dense<[[8, -4, -2, -2]]> : tensor<1x4xi32>
  func.func @main() {
    %r = pop.get_variable @v : !pop.ref<1x4xi32>
    %a = pop.ref_transpose %r {permutation = array<i64: 1, 0>} : !pop.ref<1x4xi32> -> !pop.ref<4x1xi32>
    %b = pop.ref_reshape %a : !pop.ref<4x1xi32> to !pop.ref<1x4xi32>
    %t = pop.constant dense<[[1, 2, -3, 4]]> : tensor<1x4xi32>
    pop.max_ %b, %t : !pop.ref<1x4xi32>, tensor<1x4xi32>
    %0 = pop.read %r : !pop.ref<1x4xi32>
    pop.expect_eq %0, dense<[[8, 2, -2, 4]]> : tensor<1x4xi32>
    return
  }
}

// -----

// In reverse order, and from rows to columns, on several tiles.
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @v : tensor<2x3xi32> = dense<[[1, 2, 3], [4, 5, 6]]> : tensor<2x3xi32>
  func.func @main() {
    %r = pop.get_variable @v : !pop.ref<2x3xi32>
    %a = pop.ref_slice %r {starts = array<i64: 1, 2>, sizes = array<i64: 2, 3>, steps = array<i64: -1, -1>} : !pop.ref<2x3xi32> -> !pop.ref<2x3xi32>
    %t = pop.constant dense<[[10, 20, 30], [40, 50, 60]]> : tensor<2x3xi32>
    pop.add_ %a, %t : !pop.ref<2x3xi32>, tensor<2x3xi32>
    %0 = pop.read %r : !pop.ref<2x3xi32>
    pop.expect_eq %0, dense<[[61, 52, 43], [34, 25, 16]]> : tensor<2x3xi32>
    // What it is updated by was read from it in another order.
    pop.sub_ %a, %0 : !pop.ref<2x3xi32>, tensor<2x3xi32>
    %1 = pop.read %r : !pop.ref<2x3xi32>
    pop.expect_eq %1, dense<[[45, 27, 9], [-9, -27, -45]]> : tensor<2x3xi32>
    %b = pop.ref_transpose %r {permutation = array<i64: 1, 0>} : !pop.ref<2x3xi32> -> !pop.ref<3x2xi32>
    %u = pop.constant dense<[[0, 0], [0, 0], [0, 100]]> : tensor<3x2xi32>
    pop.max_ %b, %u : !pop.ref<3x2xi32>, tensor<3x2xi32>
    %2 = pop.read %r : !pop.ref<2x3xi32>
    pop.expect_eq %2, dense<[[45, 27, 9], [0, 0, 100]]> : tensor<2x3xi32>
    return
  }
}
