// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="engine=jit" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="engine=interp" -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --canonicalize --pop-to-ipu-pipeline --ipu-execute="check" -o /dev/null | FileCheck %s

// Rows of refs, by one op: what is written to a row is in the whole, and in no other row;
// a function gets a row as its argument; rows of views, and one element, are rows as well.

// CHECK{LITERAL}: row : tensor<4xf32> = dense<[50.0, 60.0, 70.0, 80.0]>
// Column 1 of what is there at the end, doubled.
// CHECK{LITERAL}: column : tensor<3xf32> = dense<[4.0, 120.0, 34.0]>
// CHECK{LITERAL}: g.out : tensor<3x4xf32> = dense<[[1.0, 2.0, 3.0, 4.0], [50.0, 60.0, 70.0, 80.0], [9.0, 17.0, 11.0, 12.0]]>

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @g : tensor<3x4xf32> = dense<[[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0], [9.0, 10.0, 11.0, 12.0]]> : tensor<3x4xf32>
  pop.stream @g.out device_to_host : tensor<3x4xf32>
  pop.stream @row device_to_host : tensor<4xf32>
  pop.stream @column device_to_host : tensor<3xf32>
  func.func private @scale(%row: !pop.ref<4xf32>) attributes {no_inline} {
    %ten = pop.constant dense<10.0> : tensor<f32>
    pop.mul_ %row, %ten : !pop.ref<4xf32>, tensor<f32>
    return
  }
  func.func @main() {
    %g = pop.get_variable @g : !pop.ref<3x4xf32>
    %row = pop.ref_row %g[1] : !pop.ref<3x4xf32> -> !pop.ref<4xf32>
    func.call @scale(%row) : (!pop.ref<4xf32>) -> ()
    %last = pop.ref_row %g[2] : !pop.ref<3x4xf32> -> !pop.ref<4xf32>
    %x = pop.ref_row %last[1] : !pop.ref<4xf32> -> !pop.ref<f32>
    %seven = pop.constant dense<7.0> : tensor<f32>
    pop.add_ %x, %seven : !pop.ref<f32>, tensor<f32>
    %0 = pop.read %row : !pop.ref<4xf32>
    pop.host_store %0, @row : tensor<4xf32>
    %t = pop.ref_transpose %g {permutation = array<i64: 1, 0>} : !pop.ref<3x4xf32> -> !pop.ref<4x3xf32>
    %column = pop.ref_row %t[1] : !pop.ref<4x3xf32> -> !pop.ref<3xf32>
    %1 = pop.read %column : !pop.ref<3xf32>
    %2 = pop.add %1, %1 : tensor<3xf32>
    pop.host_store %2, @column : tensor<3xf32>
    %3 = pop.read %g : !pop.ref<3x4xf32>
    pop.host_store %3, @g.out : tensor<3x4xf32>
    return
  }
}
