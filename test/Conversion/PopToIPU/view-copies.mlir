// RUN: ipu-opt %s --mlir-print-local-scope --pop-map-tensors | FileCheck %s --check-prefix=PLAN
// RUN: ipu-opt %s --mlir-print-local-scope --pop-to-ipu-pipeline | FileCheck %s
// RUN: ipu-opt %s --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp check" -o /dev/null > %t.given
// RUN: sed 's/ipu.map = #given/ipu.available_memory_proportion = 0.6 : f64/' %s > %t.mlir
// RUN: ipu-opt %t.mlir --pop-to-ipu-pipeline --ipu-execute="inputs=*=ramp" -o /dev/null | cmp - %t.given

// A view that no strides can say shows a copy. The planner chooses the map that the
// reader of the copy wants; a map that is given stays. Views that need no copy have
// none. Maps change no values.

#given = #ipu.map<[32, 64], grid = [8], blocks = [all, p0 * 8 : 8], layout = affine_map<(i, j) -> (j, i)>>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
  // PLAN-LABEL: func.func @main
  // PLAN: pop.reshape %{{.*}} : tensor<64x32xf32> to tensor<2x32x32xf32>
  // PLAN: pop.transpose %{{[0-9]+}} {permutation = array<i64: 1, 0, 2>} : tensor<2x32x32xf32>
  // PLAN: pop.reshape %{{.*}} {ipu.map = #ipu.map<{{.*}}, layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 8, d1, d2 mod 8)>>} : tensor<32x2x32xf32> to tensor<32x64xf32>
  // PLAN: pop.reshape %{{.*}} {ipu.map = #ipu.map<[32, 64], grid = [8], blocks = [all, p0 * 8 : 8], layout = affine_map<(d0, d1) -> (d1, d0)>>}
  // CHECK: ipu.var "pop.reshape" : memref<32x2x32xf32, #ipu.map<{{.*}}, layout = affine_map<(d0, d1, d2) -> (d0, d2 floordiv 8, d1, d2 mod 8)>>>
  // CHECK: ipu.var "pop.reshape" : memref<32x2x32xf32, #ipu.map<[32, 64], grid = [8], blocks = [all, p0 * 8 : 8], layout = affine_map<(d0, d1) -> (d1, d0)>>>
  func.func @main(%x: tensor<64x32xf32> {pop.name = "x"}, %w: tensor<64x32xf32> {pop.name = "w"})
      -> (tensor<32x32xf32> {pop.name = "y"}, tensor<32x64xf32> {pop.name = "z"}) {
    %0 = pop.reshape %x : tensor<64x32xf32> to tensor<2x32x32xf32>
    %1 = pop.transpose %0 {permutation = array<i64: 1, 0, 2>} : tensor<2x32x32xf32> -> tensor<32x2x32xf32>
    %2 = pop.reshape %1 : tensor<32x2x32xf32> to tensor<32x64xf32>
    %y = pop.matmul %2, %w {accum = #pop.accum<chain>} : (tensor<32x64xf32>, tensor<64x32xf32>) -> tensor<32x32xf32>
    %3 = pop.reshape %1 {ipu.map = #given} : tensor<32x2x32xf32> to tensor<32x64xf32>
    %z = pop.neg %3 : tensor<32x64xf32>
    return %y, %z : tensor<32x32xf32>, tensor<32x64xf32>
  }
}
