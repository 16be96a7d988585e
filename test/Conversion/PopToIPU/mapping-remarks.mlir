// RUN: ipu-opt %s --pop-map-tensors --remark-format=emitRemark --remarks-filter=ipu-mapping -o /dev/null 2>&1 | FileCheck %s
// RUN: ipu-opt %s --pop-map-tensors=planner=generic --remark-format=emitRemark --remarks-filter=ipu-mapping -o /dev/null 2>&1 | FileCheck %s --check-prefix=GENERIC

// Each tensor has a remark with the source of its tile mapping. The best
// alternative has its cycles and bytes.

// GENERIC-COUNT-4: remark: [Analysis] generic | Category:ipu-mapping | bytes={{[0-9]+}}, first-step
// GENERIC-NOT: alternative

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 12 : i64}>} {
  // CHECK: :[[@LINE+1]]:19: remark: [Analysis] reader | Category:ipu-mapping | alternative=reader, alternative-bytes=192, alternative-cycles={{[0-9]+}}, alternative-mapping="#ipu.map<[1, 16, 24], grid = [8]{{.*}}", bytes=128, first-step=0, last-step=1, last-tiles=false, mapping="#ipu.map<[1, 16, 24], grid = [4, 3]
  func.func @main(%x: tensor<16x24xf32>) -> tensor<16x24xf32> {
    // CHECK: :[[@LINE+1]]:10: remark: [Analysis] copies | Category:ipu-mapping | {{.*}}bytes=768, first-step=0, last-step=3
    %w = pop.constant dense<0.5> : tensor<24x24xf32>
    // CHECK: :[[@LINE+1]]:10: remark: [Analysis] best | Category:ipu-mapping | alternative=partition
    %0 = pop.matmul %x, %w {accum = #pop.accum<chain>} : (tensor<16x24xf32>, tensor<24x24xf32>) -> tensor<16x24xf32>
    // CHECK: :[[@LINE+1]]:10: remark: [Analysis] operand | Category:ipu-mapping | alternative=generic
    %y = pop.relu %0 : tensor<16x24xf32>
    return %y : tensor<16x24xf32>
  }
}
