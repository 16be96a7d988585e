// RUN: not ipu-opt %s --fuse-cache-read=tensor=T1 2>&1 | FileCheck %s --check-prefix=COMPUTED
// RUN: not ipu-opt %s --fuse-cache-read=tensor=Y 2>&1 | FileCheck %s --check-prefix=UNREAD
// RUN: not ipu-opt %s --fuse-cache-read 2>&1 | FileCheck %s --check-prefix=UNNAMED

// COMPUTED: error: cannot cache reads of tensor 'T1': expects an input of the fusion but an op of the fusion computes it
// UNREAD: error: cannot cache reads of tensor 'Y': no tensor reads it
// UNNAMED: error: 'fuse-cache-read' expects a value of option 'tensor' but got none
func.func @f(%x: tensor<64xf32> {fuse.name = "X"}, %y: tensor<64xf32> {fuse.name = "Y"}) -> tensor<64xf32> {
  %r = fuse.fusion ins(%x, %y : tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32> {
  ^bb0(%in: tensor<64xf32>, %other: tensor<64xf32>):
    %e = tensor.empty() : tensor<64xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%in : tensor<64xf32>) outs(%e : tensor<64xf32>) -> tensor<64xf32>
    fuse.yield %1 : tensor<64xf32>
  }
  return %r : tensor<64xf32>
}
