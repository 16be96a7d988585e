// Slices, reshapes and reverses are views: none is copied, and none ends a fusion.

// RUN: ipu-opt %s --split-input-file --mlir-print-local-scope --pass-pipeline='builtin.module(func.func(fuse-form),func.func(fuse-inline-most))' | FileCheck %s --check-prefix=FORM
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-print-schedule))' -o /dev/null | FileCheck %s --check-prefix=SCHEDULE
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(func.func(fuse-form,fuse-inline-most,fuse-to-loops{layout=identity}))' | FileCheck %s --check-prefix=LOOPS
// RUN: ipu-opt %s --split-input-file --fuse-pipeline | FileCheck %s --check-prefix=PIPELINE

// A slice of an input is a view of its memory, at whatever offset.
// FORM-LABEL: func.func @slice_of_input(
// FORM: fuse.fusion ins(%arg0, %arg1 : tensor<8x16xf32>, index)
// FORM:   tensor.extract_slice
// SCHEDULE: v0 [i0, i1] @2/0
// SCHEDULE-NEXT: v1 [i0, i1] @0/2
// LOOPS-LABEL: func.func @slice_of_input(
// LOOPS: %[[V:.*]] = memref.subview %{{.*}}[0, %arg1] [8, 4] [1, 1]
// LOOPS: affine.load %[[V]][%{{.*}}, %{{.*}}] : memref<8x4xf32, strided<[16, 1], offset: ?>>
// PIPELINE-LABEL: func.func @slice_of_input(
// PIPELINE-NOT: memref.copy
// PIPELINE: return
func.func @slice_of_input(%x: tensor<8x16xf32>, %at: index) -> tensor<8x4xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %s = tensor.extract_slice %x[0, %at] [8, 4] [1, 1] : tensor<8x16xf32> to tensor<8x4xf32>
  %0 = linalg.exp ins(%s : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.negf ins(%0 : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  return %1 : tensor<8x4xf32>
}

// -----

// A slice of what the fusion computes is a map of indices: rows are shared, the
// sliced dimension is not, even where the slice begins at 0. A slice with one
// index dropped, and one with steps.
// FORM-LABEL: func.func @slice_inside(
// FORM-COUNT-1: fuse.fusion
// FORM: fuse.yield
// FORM-NOT: fuse.fusion
// FORM: func.func
// SCHEDULE: E [i0, i1] @1/0
// SCHEDULE-NEXT: low [i0, i1] @0/1
// SCHEDULE-NEXT: odd [i0, i1] @0/1
// SCHEDULE-NEXT: one [i0] @0/1
// LOOPS-LABEL: func.func @slice_inside(
// LOOPS: affine.for %[[I:.*]] = 0 to 8 {
// LOOPS:   affine.for %{{.*}} = 0 to 16 {
// LOOPS:     affine.store %{{.*}}, %[[E:.*]][%{{.*}}] : memref<16xf32>
// LOOPS:   affine.for %[[J:.*]] = 0 to 8 {
// LOOPS:     affine.load %[[E]][%[[J]]]
// LOOPS:   affine.for %[[K:.*]] = 0 to 8 {
// LOOPS:     affine.load %[[E]][%[[K]] * 2 + 1]
// LOOPS:   affine.load %[[E]][5]
func.func @slice_inside(%x: tensor<8x16xf32>) -> (tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %h = tensor.empty() : tensor<8x8xf32>
  %v = tensor.empty() : tensor<8xf32>
  %0 = linalg.exp {fuse.name = "E"} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %a = tensor.extract_slice %0[0, 0] [8, 8] [1, 1] : tensor<8x16xf32> to tensor<8x8xf32>
  %b = tensor.extract_slice %0[0, 1] [8, 8] [1, 2] : tensor<8x16xf32> to tensor<8x8xf32>
  %c = tensor.extract_slice %0[0, 5] [8, 1] [1, 1] : tensor<8x16xf32> to tensor<8xf32>
  %1 = linalg.negf {fuse.name = "low"} ins(%a : tensor<8x8xf32>) outs(%h : tensor<8x8xf32>) -> tensor<8x8xf32>
  %2 = linalg.negf {fuse.name = "odd"} ins(%b : tensor<8x8xf32>) outs(%h : tensor<8x8xf32>) -> tensor<8x8xf32>
  %3 = linalg.negf {fuse.name = "one"} ins(%c : tensor<8xf32>) outs(%v : tensor<8xf32>) -> tensor<8xf32>
  return %1, %2, %3 : tensor<8x8xf32>, tensor<8x8xf32>, tensor<8xf32>
}

// -----

// Reshapes inside; one that adds a dimension of extent 1 hides nothing.
// SCHEDULE: E [i0, i1] @1/0
// SCHEDULE-NEXT: heads [i0, i1, i2] @0/1
// SCHEDULE-NEXT: unit [i0, b:i1, i2] @0/1
// SCHEDULE-NEXT: flat [i0] @0/0
// LOOPS-LABEL: func.func @reshapes_inside(
// LOOPS: affine.load %[[E:.*]][%{{.*}} * 4 + %{{.*}}] : memref<16xf32>
func.func @reshapes_inside(%x: tensor<8x16xf32>) -> (tensor<8x4x4xf32>, tensor<8x1x16xf32>, tensor<128xf32>) {
  %e = tensor.empty() : tensor<8x16xf32>
  %h = tensor.empty() : tensor<8x4x4xf32>
  %u = tensor.empty() : tensor<8x1x16xf32>
  %f = tensor.empty() : tensor<128xf32>
  %0 = linalg.exp {fuse.name = "E"} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  %a = tensor.expand_shape %0 [[0], [1, 2]] output_shape [8, 4, 4] : tensor<8x16xf32> into tensor<8x4x4xf32>
  %b = tensor.expand_shape %0 [[0], [1, 2]] output_shape [8, 1, 16] : tensor<8x16xf32> into tensor<8x1x16xf32>
  %c = tensor.collapse_shape %x [[0, 1]] : tensor<8x16xf32> into tensor<128xf32>
  %1 = linalg.negf {fuse.name = "heads"} ins(%a : tensor<8x4x4xf32>) outs(%h : tensor<8x4x4xf32>) -> tensor<8x4x4xf32>
  %2 = linalg.negf {fuse.name = "unit"} ins(%b : tensor<8x1x16xf32>) outs(%u : tensor<8x1x16xf32>) -> tensor<8x1x16xf32>
  %3 = linalg.negf {fuse.name = "flat"} ins(%c : tensor<128xf32>) outs(%f : tensor<128xf32>) -> tensor<128xf32>
  return %1, %2, %3 : tensor<8x4x4xf32>, tensor<8x1x16xf32>, tensor<128xf32>
}

// -----

// Results that only meet in a fresh tensor are computed there.
// FORM-LABEL: func.func @join(
// FORM: %[[R:.*]] = fuse.fusion ins(%arg0 : tensor<8x4xf32>) -> tensor<8x8xf32>
// FORM: return %[[R]]
// LOOPS-LABEL: func.func @join(
// LOOPS: %[[R:.*]] = memref.alloc() {{.*}} : memref<8x8xf32>
// LOOPS: %[[A:.*]] = memref.subview %[[R]][0, 0] [8, 4] [1, 2]
// LOOPS: %[[B:.*]] = memref.subview %[[R]][0, 1] [8, 4] [1, 2]
// LOOPS: affine.store %{{.*}}, %[[A]]
// LOOPS: affine.store %{{.*}}, %[[B]]
// LOOPS: bufferization.to_tensor %[[R]]
func.func @join(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.exp ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.negf ins(%0 : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = tensor.insert_slice %0 into %r[0, 0] [8, 4] [1, 2] : tensor<8x4xf32> into tensor<8x8xf32>
  %b = tensor.insert_slice %1 into %a[0, 1] [8, 4] [1, 2] : tensor<8x4xf32> into tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}

// -----

// The same of a concatenation.
// FORM-LABEL: func.func @concat(
// FORM: fuse.fusion ins(%arg0 : tensor<8x4xf32>) -> tensor<8x8xf32>
// FORM:   %[[A:.*]] = tensor.insert_slice %{{.*}} into %{{.*}}[0, 0] [8, 4] [1, 1]
// FORM:   %[[B:.*]] = tensor.insert_slice %{{.*}} into %[[A]][0, 4] [8, 4] [1, 1]
// FORM:   fuse.yield %[[B]]
func.func @concat(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %0 = linalg.exp ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.negf ins(%0 : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %b = tensor.concat dim(1) %0, %1 : (tensor<8x4xf32>, tensor<8x4xf32>) -> tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}

// -----

// A part that overlaps another one is written after it.
// FORM-LABEL: func.func @overlap(
// FORM: %[[F:.*]]:2 = fuse.fusion
// FORM: %[[R:.*]] = tensor.insert_slice %[[F]]#0 into %[[F]]#1[0, 2] [8, 4] [1, 1]
// FORM: return %[[R]]
func.func @overlap(%x: tensor<8x4xf32>) -> tensor<8x8xf32> {
  %e = tensor.empty() : tensor<8x4xf32>
  %r = tensor.empty() : tensor<8x8xf32>
  %0 = linalg.exp ins(%x : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %1 = linalg.negf ins(%0 : tensor<8x4xf32>) outs(%e : tensor<8x4xf32>) -> tensor<8x4xf32>
  %a = tensor.insert_slice %0 into %r[0, 0] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  %b = tensor.insert_slice %1 into %a[0, 2] [8, 4] [1, 1] : tensor<8x4xf32> into tensor<8x8xf32>
  return %b : tensor<8x8xf32>
}

// -----

// A reverse is an indexing map of its reader; vectors are loaded and turned.
// FORM-LABEL: func.func @reverse(
// FORM: linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, -d1 + 15)>, affine_map<(d0, d1) -> (d0, d1)>]
// FORM-NOT: linalg.generic
// PIPELINE-LABEL: func.func @reverse(
// PIPELINE: %[[V:.*]] = affine.vector_load %arg0[%{{.*}}, 0] : memref<8x16xf32>, vector<16xf32>
// PIPELINE: vector.shuffle %[[V]], %[[V]] [15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0]
func.func @reverse(%x: tensor<8x16xf32>) -> tensor<8x16xf32> {
  %e = tensor.empty() : tensor<8x16xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i, j) -> (i, 15 - j)>, affine_map<(i, j) -> (i, j)>],
    iterator_types = ["parallel", "parallel"]} ins(%x : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<8x16xf32>
  %1 = linalg.exp ins(%0 : tensor<8x16xf32>) outs(%e : tensor<8x16xf32>) -> tensor<8x16xf32>
  return %1 : tensor<8x16xf32>
}

// -----

// A named op that reads a reverse twice reads what is reversed twice.
// FORM-LABEL: func.func @reverse_twice(
// FORM: linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 15)>, affine_map<(d0) -> (-d0 + 15)>, affine_map<(d0) -> (d0)>]
// FORM-SAME: ins(%[[X:.*]], %[[X]] : tensor<16xf32>, tensor<16xf32>)
// FORM: linalg.generic {indexing_maps = [affine_map<(d0) -> (-d0 + 15)>, affine_map<(d0) -> (d0)>, affine_map<(d0) -> (d0)>]
// FORM-NOT: linalg.generic
func.func @reverse_twice(%x: tensor<16xf32>) -> (tensor<16xf32>, tensor<16xf32>) {
  %e = tensor.empty() : tensor<16xf32>
  %0 = linalg.generic {
    indexing_maps = [affine_map<(i) -> (15 - i)>, affine_map<(i) -> (i)>],
    iterator_types = ["parallel"]} ins(%x : tensor<16xf32>) outs(%e : tensor<16xf32>) {
  ^bb0(%a: f32, %o: f32):
    linalg.yield %a : f32
  } -> tensor<16xf32>
  %1 = linalg.mul ins(%0, %0 : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  %2 = linalg.add ins(%0, %x : tensor<16xf32>, tensor<16xf32>) outs(%e : tensor<16xf32>) -> tensor<16xf32>
  return %1, %2 : tensor<16xf32>, tensor<16xf32>
}

// -----

// A path through a view to an op that is in no fusion ends the group, too.
// FORM-LABEL: func.func @path_through_view(
// FORM: fuse.fusion
// FORM: tensor.cast
// FORM: fuse.fusion
func.func @path_through_view(%x: tensor<4xf32>) -> tensor<2x2xf32> {
  %e = tensor.empty() : tensor<4xf32>
  %f = tensor.empty() : tensor<2x2xf32>
  %1 = linalg.exp ins(%x : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %2 = linalg.abs ins(%1 : tensor<4xf32>) outs(%e : tensor<4xf32>) -> tensor<4xf32>
  %u = tensor.expand_shape %2 [[0, 1]] output_shape [2, 2] : tensor<4xf32> into tensor<2x2xf32>
  %c = tensor.cast %u : tensor<2x2xf32> to tensor<?x2xf32>
  %d = tensor.cast %c : tensor<?x2xf32> to tensor<2x2xf32>
  %3 = linalg.add ins(%u, %d : tensor<2x2xf32>, tensor<2x2xf32>) outs(%f : tensor<2x2xf32>) -> tensor<2x2xf32>
  return %3 : tensor<2x2xf32>
}
