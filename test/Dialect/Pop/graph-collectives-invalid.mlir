// RUN: ipu-opt %s --split-input-file --verify-diagnostics

// from_scalar: c1.
func.func @f(%i: i32) {
  // expected-error @below {{'pop.from_scalar' op expects `result` to have elements as wide as 'i32' but got 'i64'}}
  %0 = pop.from_scalar %i : i32 to tensor<i64>
  return
}

// -----

// from_scalar: c1.
func.func @f(%i: index) {
  // expected-error @below {{'pop.from_scalar' op expects `result` to have elements of more than one bit but got 'i1'}}
  %0 = pop.from_scalar %i : index to tensor<i1>
  return
}

// -----

func.func @f(%i: index) {
  // expected-error @below {{'pop.from_scalar' op result #0 must be 0-d statically shaped tensor, without encoding and with at most 2^56 elements, of integer or i1 values, but got 'tensor<1xi32>'}}
  %0 = pop.from_scalar %i : index to tensor<1xi32>
  return
}

// -----

// all_reduce: c1.
func.func @f(%x: tensor<4xi1>) {
  // expected-error @below {{'pop.all_reduce' op expects floats or integers of more than one bit for `add` but got 'i1'}}
  %0 = pop.all_reduce add %x : tensor<4xi1>
  return
}

// -----

// all_reduce: c1.
func.func @f(%x: tensor<4xi32>) {
  // expected-error @below {{'pop.all_reduce' op expects floats for `mean` but got 'i32'}}
  %0 = pop.all_reduce mean %x : tensor<4xi32>
  return
}

// -----

// all_reduce: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.all_reduce' op expects integers or i1 for `logical_and` but got 'f32'}}
  %0 = pop.all_reduce logical_and %x : tensor<4xf32>
  return
}

// -----

// all_gather: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.all_gather' op expects `axis` to be at least 0 and less than the rank of 'tensor<8xf32>' but got 1}}
  %0 = pop.all_gather %x {axis = 1 : i64} : tensor<4xf32> to tensor<8xf32>
  return
}

// -----

// all_gather: c1.
func.func @f(%x: tensor<f32>) {
  // expected-error @below {{'pop.all_gather' op expects `axis` to be at least 0 and less than the rank of 'tensor<f32>' but got 0}}
  %0 = pop.all_gather %x : tensor<f32> to tensor<f32>
  return
}

// -----

// all_gather: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.all_gather' op expects 'tensor<6xf32>' to be divided into parts of type 'tensor<3xf32>' in groups of 2 but got 'tensor<4xf32>'}}
  %0 = pop.all_gather %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32> to tensor<6xf32>
  return
}

// -----

// all_gather: c2, without a size of groups.
func.func @f(%x: tensor<7xf32>) {
  // expected-error @below {{'pop.all_gather' op expects equal parts of 'tensor<10xf32>' along dimension 0 but got 'tensor<7xf32>'}}
  %0 = pop.all_gather %x : tensor<7xf32> to tensor<10xf32>
  return
}

// -----

// all_gather: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.all_gather' op expects equal parts of 'tensor<4x1xf32>' along dimension 0 but got 'tensor<4xf32>'}}
  %0 = pop.all_gather %x : tensor<4xf32> to tensor<4x1xf32>
  return
}

// -----

// all_gather: c2.
func.func @f(%x: tensor<0xf32>) {
  // expected-error @below {{'pop.all_gather' op expects equal parts of 'tensor<4xf32>' along dimension 0 but got 'tensor<0xf32>'}}
  %0 = pop.all_gather %x : tensor<0xf32> to tensor<4xf32>
  return
}

// -----

// reduce_scatter: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.reduce_scatter' op expects `axis` to be at least 0 and less than the rank of 'tensor<4xf32>' but got -1}}
  %0 = pop.reduce_scatter add %x {axis = -1 : i64} : tensor<4xf32> to tensor<2xf32>
  return
}

// -----

// reduce_scatter: c2.
func.func @f(%x: tensor<3x4xf32>) {
  // expected-error @below {{'pop.reduce_scatter' op expects 'tensor<3x4xf32>' to be divided into parts of type 'tensor<2x4xf32>' in groups of 2 but got 'tensor<1x4xf32>'}}
  %0 = pop.reduce_scatter add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<3x4xf32> to tensor<1x4xf32>
  return
}

// -----

// reduce_scatter: c3.
func.func @f(%x: tensor<4xi1>) {
  // expected-error @below {{'pop.reduce_scatter' op expects floats or integers of more than one bit for `max` but got 'i1'}}
  %0 = pop.reduce_scatter max %x : tensor<4xi1> to tensor<2xi1>
  return
}

// -----

// replica_slice: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.replica_slice' op expects 'tensor<4xf32>' to be divided into parts of type 'tensor<2xf32>' in groups of 2 but got 'tensor<2xf16>'}}
  %0 = pop.replica_slice %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32> to tensor<2xf16>
  return
}

// -----

// all_to_all: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.all_to_all' op expects `split_axis` to be at least 0 and less than the rank of 'tensor<4xf32>' but got 1}}
  %0 = pop.all_to_all %x {split_axis = 1 : i64} : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

// all_to_all: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.all_to_all' op expects `concat_axis` to be at least 0 and less than the rank of 'tensor<4xf32>' but got -1}}
  %0 = pop.all_to_all %x {concat_axis = -1 : i64} : tensor<4xf32> to tensor<4xf32>
  return
}

// -----

// all_to_all: c2.
func.func @f(%x: tensor<4x3xf32>) {
  // expected-error @below {{'pop.all_to_all' op expects groups of 3 to divide dimension 0 of 'tensor<4x3xf32>' without remainder}}
  %0 = pop.all_to_all %x {concat_axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 3>} : tensor<4x3xf32> to tensor<2x9xf32>
  return
}

// -----

// all_to_all: c2.
func.func @f(%x: tensor<4x3xf32>) {
  // expected-error @below {{'pop.all_to_all' op expects `result` of type 'tensor<2x6xf32>' for groups of 2 but got 'tensor<2x3xf32>'}}
  %0 = pop.all_to_all %x {concat_axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4x3xf32> to tensor<2x3xf32>
  return
}

// -----

// all_to_all: c2, without a size of groups.
func.func @f(%x: tensor<4x3xf32>) {
  // expected-error @below {{'pop.all_to_all' op expects `result` of type 'tensor<2x6xf32>' for groups of 2 but got 'tensor<2x9xf32>'}}
  %0 = pop.all_to_all %x {concat_axis = 1 : i64} : tensor<4x3xf32> to tensor<2x9xf32>
  return
}

// -----

// all_to_all: c2, more than there can be.
func.func @f(%x: tensor<0x72057594037927936xf32>) {
  // expected-error @below {{'pop.all_to_all' op expects fewer than 2^63 elements in dimension 1 of `result` but got 72057594037927936 from each of 1048576 replicas}}
  %0 = pop.all_to_all %x {concat_axis = 1 : i64, groups = #pop.replica_groups<stride = 1, size = 1048576>} : tensor<0x72057594037927936xf32> to tensor<0x1xf32>
  return
}

// -----

// broadcast: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.broadcast' op expects `root` not to be negative but got -1}}
  %0 = pop.broadcast %x {root = -1 : i64} : tensor<4xf32>
  return
}

// -----

// broadcast: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.broadcast' op expects `root` less than 2, the size of groups, but got 2}}
  %0 = pop.broadcast %x {groups = #pop.replica_groups<stride = 4, size = 2>, root = 2 : i64} : tensor<4xf32>
  return
}

// -----

// collective_permute: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.collective_permute' op expects each replica to be a source at most once but got 0 twice}}
  %0 = pop.collective_permute %x {pairs = [[0, 1], [0, 2]]} : tensor<4xf32>
  return
}

// -----

// collective_permute: c1.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.collective_permute' op expects each replica to be a target at most once but got 1 twice}}
  %0 = pop.collective_permute %x {pairs = [[0, 1], [2, 1]]} : tensor<4xf32>
  return
}

// -----

// collective_permute: c2.
func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{'pop.collective_permute' op expects replicas from 0 to 1048575 in `pairs` but got -1}}
  %0 = pop.collective_permute %x {pairs = [[0, -1]]} : tensor<4xf32>
  return
}

// -----

func.func @f(%x: tensor<4xf32>) {
  // expected-error @below {{custom op 'pop.collective_permute' 'pop.collective_permute' op attribute 'pairs' failed to satisfy constraint: array of pairs of integers}}
  %0 = pop.collective_permute %x {pairs = [[0, 1, 2]]} : tensor<4xf32>
  return
}
