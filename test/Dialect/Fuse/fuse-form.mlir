// RUN: ipu-opt %s --fuse-form --split-input-file | FileCheck %s
// RUN: ipu-opt %s --fuse-form=mode=all --split-input-file | FileCheck %s

// Two reductions of one producer are one group; sizes, initial values and
// constants sink in.
// CHECK-LABEL: func @two_reductions_of_one_producer
// CHECK-SAME: (%[[X:.*]]: tensor<?x?xf32> {fuse.name = "T0"})
func.func @two_reductions_of_one_producer(%x: tensor<?x?xf32> {fuse.name = "T0"}) -> tensor<?xf32> {
  // CHECK-NEXT: %[[R:.*]] = fuse.fusion ins(%[[X]] : tensor<?x?xf32>) -> tensor<?xf32> {
  // CHECK-NEXT: ^bb0(%[[A:.*]]: tensor<?x?xf32>):
  // CHECK: tensor.dim %[[A]]
  // CHECK: linalg.fill
  // CHECK: %[[T1:.*]] = linalg.exp {fuse.name = "T1"} ins(%[[A]] :
  // CHECK: %[[T2:.*]] = linalg.reduce { arith.maximumf } ins(%[[T1]] : {{.*}} {fuse.name = "T2"}
  // CHECK: %[[T3:.*]] = linalg.reduce { arith.minimumf } ins(%[[T1]] : {{.*}} {fuse.name = "T3"}
  // CHECK: %[[T4:.*]] = linalg.add {fuse.name = "T4"} ins(%[[T2]], %[[T3]] :
  // CHECK-NEXT: fuse.yield %[[T4]] : tensor<?xf32>
  // CHECK: return %[[R]]
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %low = arith.constant 0xFF800000 : f32
  %high = arith.constant 0x7F800000 : f32
  %a = tensor.dim %x, %c0 : tensor<?x?xf32>
  %b = tensor.dim %x, %c1 : tensor<?x?xf32>
  %e = tensor.empty(%a, %b) : tensor<?x?xf32>
  %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<?x?xf32>) outs(%e : tensor<?x?xf32>) -> tensor<?x?xf32>
  // The size of a result is that of its initial tensor.
  %a1 = tensor.dim %1, %c0 : tensor<?x?xf32>
  %e1 = tensor.empty(%a1) : tensor<?xf32>
  %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<?x?xf32>) outs(%f : tensor<?xf32>) dimensions = [1] {fuse.name = "T2"}
  %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<?x?xf32>) outs(%g : tensor<?xf32>) dimensions = [1] {fuse.name = "T3"}
  %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<?xf32>, tensor<?xf32>) outs(%e1 : tensor<?xf32>) -> tensor<?xf32>
  return %4 : tensor<?xf32>
}

// -----

// A softmax is what it is made of.
// CHECK-LABEL: func @softmax_is_decomposed
func.func @softmax_is_decomposed(%x: tensor<4x8xf32>) -> tensor<4x8xf32> {
  // CHECK: fuse.fusion
  // CHECK: linalg.generic {{.*}} attrs = {fuse.name = "S.0"}
  // CHECK: linalg.generic {{.*}} attrs = {fuse.name = "S.1"}
  // CHECK: linalg.generic {{.*}} attrs = {fuse.name = "S.2"}
  // CHECK: linalg.generic {{.*}} attrs = {fuse.name = "S.3"}
  // CHECK-NOT: linalg.softmax
  // CHECK: fuse.yield
  %e = tensor.empty() : tensor<4x8xf32>
  %1 = linalg.softmax {fuse.name = "S"} dimension(1) ins(%x : tensor<4x8xf32>) outs(%e : tensor<4x8xf32>) -> tensor<4x8xf32>
  return %1 : tensor<4x8xf32>
}

// -----

// A sum over one element is not a reduction.
// CHECK: affine_map<(d0) -> (d0, 0)>
// CHECK-LABEL: func @unit_reduction
func.func @unit_reduction(%x: tensor<4x1xf32>) -> tensor<4xf32> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel"]} {{.*}} attrs = {fuse.name = "T1"} {
  %e = tensor.empty() : tensor<4xf32>
  %zero = arith.constant 0.0 : f32
  %f = linalg.fill ins(%zero : f32) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<4x1xf32>) outs(%f : tensor<4xf32>) dimensions = [1] {fuse.name = "T1"}
  return %1 : tensor<4xf32>
}

// -----

// Of a dropped loop the index is 0; those behind it move up.
// CHECK-LABEL: func @unit_reduction_with_indices
func.func @unit_reduction_with_indices(%x: tensor<1x4x8xf32>) -> tensor<4xindex> {
  // CHECK: linalg.generic {{.*}} iterator_types = ["parallel", "reduction"]}
  // CHECK: %[[ZERO:.*]] = arith.constant 0 : index
  // CHECK: %[[J:.*]] = linalg.index 1 : index
  // CHECK: arith.addi %[[ZERO]], %[[J]]
  %e = tensor.empty() : tensor<4xindex>
  %1 = linalg.generic {
    indexing_maps = [affine_map<(u, a, b) -> (u, a, b)>, affine_map<(u, a, b) -> (a)>],
    iterator_types = ["reduction", "parallel", "reduction"]}
    ins(%x : tensor<1x4x8xf32>) outs(%e : tensor<4xindex>) {
  ^bb0(%in: f32, %out: index):
    %i = linalg.index 0 : index
    %j = linalg.index 2 : index
    %k = arith.addi %i, %j : index
    linalg.yield %k : index
  } -> tensor<4xindex>
  return %1 : tensor<4xindex>
}

// -----

// What is not connected is apart; what is used outside is a result.
// CHECK-LABEL: func @two_groups_and_uses_outside
func.func @two_groups_and_uses_outside(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  // CHECK: %[[G:.*]] = fuse.fusion ins(%{{.*}} : tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: linalg.log
  // CHECK: %[[F:.*]]:2 = fuse.fusion ins(%{{.*}} : tensor<4xf32>) -> tensor<4xf32>, tensor<4xf32> {
  // CHECK: %[[T1:.*]] = linalg.exp
  // CHECK: %[[T3:.*]] = linalg.abs ins(%[[T1]]
  // CHECK: fuse.yield %[[T1]], %[[T3]]
  // CHECK: return %[[F]]#0, %[[G]], %[[F]]#1
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.log ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.abs ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A path that leaves a group does not come back to it: T3 reads T1 both inside
// and through casts.
// CHECK-LABEL: func @path_through_another_op
func.func @path_through_another_op(%x: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: %[[F:.*]]:2 = fuse.fusion
  // CHECK: linalg.exp
  // CHECK: linalg.abs
  // CHECK: fuse.yield
  // CHECK: %[[U:.*]] = tensor.cast %[[F]]#0
  // CHECK: %[[V:.*]] = tensor.cast %[[U]]
  // CHECK: fuse.fusion ins(%[[F]]#1, %[[V]] :
  // CHECK: linalg.add
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %u = tensor.cast %1 : tensor<4xf32> to tensor<?xf32>
  %v = tensor.cast %u : tensor<?xf32> to tensor<4xf32>
  %2 = linalg.abs ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %3 = linalg.add ins(%2, %v : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// An op that only the group after the casts reads joins that group, and what
// is between moves.
// CHECK-LABEL: func @lone_op_joins_its_reader
func.func @lone_op_joins_its_reader(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  // CHECK: fuse.fusion
  // CHECK: linalg.exp
  // CHECK: tensor.cast
  // CHECK: fuse.fusion
  // CHECK: linalg.log
  // CHECK: linalg.add
  // CHECK-NOT: fuse.fusion
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.log ins(%y : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %u = tensor.cast %2 : tensor<4xf32> to tensor<?xf32>
  %v = tensor.cast %u : tensor<?xf32> to tensor<4xf32>
  %3 = linalg.add ins(%1, %v : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// T2 is behind the load, which is behind the call that needs T1: ops with side
// effects keep their order, so T1 and T2 are apart.
func.func private @effect(tensor<4xf32>)
// CHECK-LABEL: func @side_effects_keep_their_order
func.func @side_effects_keep_their_order(%x: tensor<4xf32>, %m: memref<f32>) -> tensor<4xf32> {
  // CHECK: %[[F:.*]] = fuse.fusion
  // CHECK: linalg.exp
  // CHECK: call @effect(%[[F]])
  // CHECK: %[[S:.*]] = memref.load
  // CHECK: fuse.fusion ins(%[[F]], %[[S]] :
  // CHECK: linalg.generic
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  func.call @effect(%1) : (tensor<4xf32>) -> ()
  %s = memref.load %m[] : memref<f32>
  %2 = linalg.generic {
    indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> ()>, affine_map<(a) -> (a)>],
    iterator_types = ["parallel"]} ins(%1, %s : tensor<4xf32>, f32) outs(%e : tensor<4xf32>) {
  ^bb0(%in: f32, %scale: f32, %out: f32):
    %p = arith.mulf %in, %scale : f32
    linalg.yield %p : f32
  } -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// The users of a group that stood before its last op come behind it.
// CHECK-LABEL: func @users_move_behind
func.func @users_move_behind(%x: tensor<4xf32>) -> (tensor<2x2xf32>, tensor<4xf32>) {
  // CHECK: %[[F:.*]]:2 = fuse.fusion
  // CHECK: }
  // CHECK: %[[U:.*]] = tensor.expand_shape %[[F]]#0
  // CHECK: return %[[U]], %[[F]]#1
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %u = tensor.expand_shape %1 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %2 = linalg.abs ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  return %u, %2 : tensor<2x2xf32>, tensor<4xf32>
}

// -----

// A fill of a result of the group is sunk behind it.
// CHECK-LABEL: func @fill_of_a_result
func.func @fill_of_a_result(%x: tensor<4x8xf32>) -> tensor<4xf32> {
  // CHECK-COUNT-1: fuse.fusion
  // CHECK: %[[T1:.*]] = linalg.reduce
  // CHECK: %[[F:.*]] = linalg.fill ins(%{{.*}}) outs(%[[T1]] :
  // CHECK: linalg.reduce {{.*}} outs(%[[F]] :
  // CHECK-NOT: fuse.fusion
  %zero = arith.constant 0.0 : f32
  %e = tensor.empty() : tensor<4xf32>
  %1 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%e : tensor<4xf32>) dimensions = [1]
  %f = linalg.fill ins(%zero : f32) outs(%1 : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.reduce { arith.addf } ins(%x : tensor<4x8xf32>) outs(%f : tensor<4xf32>) dimensions = [1]
  return %2 : tensor<4xf32>
}

// -----

// Ops that no schedule can have stay where they are: a diagonal result, a
// tensor read in a region, memrefs.
// CHECK-LABEL: func @ops_that_stay_outside
func.func @ops_that_stay_outside(%x: tensor<4xf32>, %m: memref<4xf32>) -> (tensor<4x1xf32>, tensor<4xf32>) {
  // CHECK-NOT: fuse.fusion
  // CHECK: return
  %e = tensor.empty() : tensor<4x1xf32>
  %e1 = tensor.empty() : tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>, affine_map<(a) -> (a, 0)>], iterator_types = ["parallel"]}
    ins(%x : tensor<4xf32>) outs(%e : tensor<4x1xf32>) {
  ^bb0(%in: f32, %out: f32):
    linalg.yield %in : f32
  } -> tensor<4x1xf32>
  %2 = linalg.generic {indexing_maps = [affine_map<(a) -> (a)>], iterator_types = ["parallel"]} outs(%e1 : tensor<4xf32>) {
  ^bb0(%out: f32):
    %i = linalg.index 0 : index
    %v = tensor.extract %x[%i] : tensor<4xf32>
    linalg.yield %v : f32
  } -> tensor<4xf32>
  linalg.exp ins(%m : memref<4xf32>) outs(%m : memref<4xf32>)
  return %1, %2 : tensor<4x1xf32>, tensor<4xf32>
}

// -----

// Blocks of regions have groups of their own; what a region reads is an input.
// CHECK-LABEL: func @groups_in_a_loop
func.func @groups_in_a_loop(%x: tensor<4xf32>, %n: index) -> tensor<4xf32> {
  // CHECK: scf.for
  // CHECK: fuse.fusion ins(%{{.*}}, %{{.*}} : tensor<4xf32>, tensor<4xf32>)
  // CHECK: linalg.exp
  // CHECK: linalg.add
  // CHECK: scf.yield
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf32>
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%t = %x) -> tensor<4xf32> {
    %1 = linalg.exp ins(%t : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    %2 = linalg.add ins(%1, %x : tensor<4xf32>, tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return %r : tensor<4xf32>
}
