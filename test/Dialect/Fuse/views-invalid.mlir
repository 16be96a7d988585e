// RUN: ipu-opt %s --split-input-file --verify-diagnostics --fuse-to-loops

func.func @moving_view(%x: tensor<8xf32>, %i: index) -> tensor<4xf32> {
  %r = fuse.fusion ins(%x, %i : tensor<8xf32>, index) -> tensor<4xf32> {
  ^bb0(%a: tensor<8xf32>, %at: index):
    %e = tensor.empty() : tensor<8xf32>
    %f = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%a : tensor<8xf32>) outs(%e : tensor<8xf32>) -> tensor<8xf32>
    // expected-error@+1 {{cannot be scheduled: expects constant offsets, strides and inner sizes in a view of a tensor that the fusion computes}}
    %s = tensor.extract_slice %0[%at] [4] [1] : tensor<8xf32> to tensor<4xf32>
    %1 = linalg.negf ins(%s : tensor<4xf32>) outs(%f : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %1 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

// Where two places in memory meet there is no one layout.
func.func @two_memory_spaces(%c: i1) -> tensor<4xf32> {
  %x = bufferization.alloc_tensor() {memory_space = 1 : i64} : tensor<4xf32>
  %y = bufferization.alloc_tensor() {memory_space = 2 : i64} : tensor<4xf32>
  // expected-error@+1 {{inconsistent memory space}}
  %s = arith.select %c, %x, %y : tensor<4xf32>
  // expected-error@+1 {{expects input 0 to have a layout in memory}}
  %r = fuse.fusion ins(%s : tensor<4xf32>) -> tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    fuse.yield %0 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}

// -----

func.func @overlap(%x: tensor<4xf32>) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %w = tensor.empty() : tensor<8xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %1 = linalg.negf ins(%0 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %2 = tensor.insert_slice %0 into %w[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    // expected-error@+1 {{cannot be scheduled: expects the parts of result 0 to be disjoint}}
    %3 = tensor.insert_slice %1 into %2[3] [4] [1] : tensor<4xf32> into tensor<8xf32>
    fuse.yield %3 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @moving_part(%x: tensor<4xf32>, %i: index) -> tensor<8xf32> {
  %r = fuse.fusion ins(%x, %i : tensor<4xf32>, index) -> tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>, %at: index):
    %e = tensor.empty() : tensor<4xf32>
    %w = tensor.empty() : tensor<8xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    // expected-error@+1 {{cannot be scheduled: expects the parts of result 0 to have constant offsets and strides}}
    %1 = tensor.insert_slice %0 into %w[%at] [4] [1] : tensor<4xf32> into tensor<8xf32>
    fuse.yield %1 : tensor<8xf32>
  }
  return %r : tensor<8xf32>
}

// -----

func.func @part_of_two(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<8xf32>) {
  %r:2 = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<8xf32>, tensor<8xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %w = tensor.empty() : tensor<8xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %1 = tensor.insert_slice %0 into %w[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    // expected-error@+1 {{cannot be scheduled: expects each part of result 1 to be inserted only once, and into one result}}
    %2 = tensor.insert_slice %0 into %w[4] [4] [1] : tensor<4xf32> into tensor<8xf32>
    fuse.yield %1, %2 : tensor<8xf32>, tensor<8xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<8xf32>
}

// -----

func.func @part_and_result(%x: tensor<4xf32>) -> (tensor<8xf32>, tensor<4xf32>) {
  %r:2 = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<8xf32>, tensor<4xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %w = tensor.empty() : tensor<8xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %1 = tensor.insert_slice %0 into %w[0] [4] [1] : tensor<4xf32> into tensor<8xf32>
    // expected-error@+1 {{cannot be scheduled: result 1 is a part of another result}}
    fuse.yield %1, %0 : tensor<8xf32>, tensor<4xf32>
  }
  return %r#0, %r#1 : tensor<8xf32>, tensor<4xf32>
}

// -----

func.func @view_as_result(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %r = fuse.fusion ins(%x : tensor<4xf32>) -> tensor<2x2xf32> {
  ^bb0(%a: tensor<4xf32>):
    %e = tensor.empty() : tensor<4xf32>
    %0 = linalg.exp ins(%a : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %1 = tensor.expand_shape %0 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
    // expected-error@+1 {{cannot be scheduled: result 0 is not computed by a linalg op of the fusion}}
    fuse.yield %1 : tensor<2x2xf32>
  }
  return %r : tensor<2x2xf32>
}
