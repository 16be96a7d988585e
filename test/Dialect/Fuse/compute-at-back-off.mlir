// RUN: ipu-opt %s --split-input-file --fuse-form --transform-interpreter --fuse-print-schedule | FileCheck %s

// Each axis merged with a broadcast.

// CHECK: T1 {{.*}} @3/0
// CHECK-NEXT: T2 {{.*}} @3/3
// CHECK-NEXT: T3 {{.*}} @3/3
// CHECK-NEXT: T4 {{.*}} @0/3
module attributes {transform.with_named_sequence} {
  func.func @f(%T0: tensor<4x5x6xf32> {fuse.name = "T0"}) -> tensor<4x2x5x3x6x8xf32> {
    %eT1 = tensor.empty() : tensor<4x5x6xf32>
    %T1 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%T0 : tensor<4x5x6xf32>) outs(%eT1 : tensor<4x5x6xf32>) attrs = {fuse.name = "T1"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6xf32>
    %eT2 = tensor.empty() : tensor<4x2x5x3x6x8xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a, x, b, y, c, z) -> (a, b, c)>, affine_map<(a, x, b, y, c, z) -> (a, x, b, y, c, z)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
        ins(%T1 : tensor<4x5x6xf32>) outs(%eT2 : tensor<4x2x5x3x6x8xf32>) attrs = {fuse.name = "T2"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x2x5x3x6x8xf32>
    %eT3 = tensor.empty() : tensor<4x2x5x3x6x8xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a, x, b, y, c, z) -> (a, x, b, y, c, z)>, affine_map<(a, x, b, y, c, z) -> (a, x, b, y, c, z)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
        ins(%T2 : tensor<4x2x5x3x6x8xf32>) outs(%eT3 : tensor<4x2x5x3x6x8xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x2x5x3x6x8xf32>
    %eT4 = tensor.empty() : tensor<4x2x5x3x6x8xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a, x, b, y, c, z) -> (a, x, b, y, c, z)>, affine_map<(a, x, b, y, c, z) -> (a, x, b, y, c, z)>], iterator_types = ["parallel", "parallel", "parallel", "parallel", "parallel", "parallel"]}
        ins(%T3 : tensor<4x2x5x3x6x8xf32>) outs(%eT4 : tensor<4x2x5x3x6x8xf32>) attrs = {fuse.name = "T4"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x2x5x3x6x8xf32>
    return %T4 : tensor<4x2x5x3x6x8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t2 = transform.fuse.tensors %m ["T2"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.merge %t2[0, 1] : !transform.any_op
    transform.fuse.merge %t2[1, 2] : !transform.any_op
    transform.fuse.merge %t2[2, 3] : !transform.any_op
    %t3 = transform.fuse.tensors %m ["T3"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.merge %t3[0, 1] : !transform.any_op
    transform.fuse.merge %t3[1, 2] : !transform.any_op
    transform.fuse.merge %t3[2, 3] : !transform.any_op
    %t4 = transform.fuse.tensors %m ["T4"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.merge %t4[0, 1] : !transform.any_op
    transform.fuse.merge %t4[1, 2] : !transform.any_op
    transform.fuse.merge %t4[2, 3] : !transform.any_op
    transform.fuse.inline_most %m : !transform.any_op
    transform.yield
  }
}

// -----

// Back from broadcasts to the loops that their operands have.

// CHECK: T3 {{.*}} @1/
// CHECK-NEXT: T4 {{.*}} @2/
// CHECK-NEXT: T5 {{.*}} @3/
// CHECK-NEXT: T6 {{.*}}/3
// CHECK-NEXT: T7 {{.*}}/3
// CHECK-NEXT: T8 {{.*}}/2
module attributes {transform.with_named_sequence} {
  func.func @f(%T0: tensor<4xf32> {fuse.name = "T0"}, %T1: tensor<4x5xf32> {fuse.name = "T1"}, %T2: tensor<4x5x6x7xf32> {fuse.name = "T2"}) -> tensor<4x5x6x7xf32> {
    %eT3 = tensor.empty() : tensor<4x5x6x7xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T0 : tensor<4xf32>) outs(%eT3 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    %eT4 = tensor.empty() : tensor<4x5x6x7xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T1 : tensor<4x5xf32>) outs(%eT4 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T4"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    %eT5 = tensor.empty() : tensor<4x5x6x7xf32>
    %T5 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T2 : tensor<4x5x6x7xf32>) outs(%eT5 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T5"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    %eT6 = tensor.empty() : tensor<4x5x6x7xf32>
    %T6 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T3, %T5 : tensor<4x5x6x7xf32>, tensor<4x5x6x7xf32>) outs(%eT6 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T6"} {
    ^bb0(%i0: f32, %i1: f32, %o: f32):
      %r = arith.addf %i0, %i1 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    %eT7 = tensor.empty() : tensor<4x5x6x7xf32>
    %T7 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T4, %T5 : tensor<4x5x6x7xf32>, tensor<4x5x6x7xf32>) outs(%eT7 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T7"} {
    ^bb0(%i0: f32, %i1: f32, %o: f32):
      %r = arith.addf %i0, %i1 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    %eT8 = tensor.empty() : tensor<4x5x6x7xf32>
    %T8 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T3, %T4 : tensor<4x5x6x7xf32>, tensor<4x5x6x7xf32>) outs(%eT8 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T8"} {
    ^bb0(%i0: f32, %i1: f32, %o: f32):
      %r = arith.addf %i0, %i1 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    %eT9 = tensor.empty() : tensor<4x5x6x7xf32>
    %T9 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T6, %T7 : tensor<4x5x6x7xf32>, tensor<4x5x6x7xf32>) outs(%eT9 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T9"} {
    ^bb0(%i0: f32, %i1: f32, %o: f32):
      %r = arith.addf %i0, %i1 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    %eT10 = tensor.empty() : tensor<4x5x6x7xf32>
    %T10 = linalg.generic {indexing_maps = [affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>, affine_map<(a, b, c, d) -> (a, b, c, d)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T9, %T8 : tensor<4x5x6x7xf32>, tensor<4x5x6x7xf32>) outs(%eT10 : tensor<4x5x6x7xf32>) attrs = {fuse.name = "T10"} {
    ^bb0(%i0: f32, %i1: f32, %o: f32):
      %r = arith.addf %i0, %i1 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6x7xf32>
    return %T10 : tensor<4x5x6x7xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %p0 = transform.fuse.tensors %m ["T0"] : (!transform.any_op) -> !transform.any_value
    %c0 = transform.fuse.tensors %m ["T10"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.compute_at %p0, %c0, -2 {mode = standard, hoist = true} : !transform.any_value, !transform.any_op
    %p1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_value
    %c1 = transform.fuse.tensors %m ["T10"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.compute_at %p1, %c1, -2 {mode = standard, hoist = true} : !transform.any_value, !transform.any_op
    %p2 = transform.fuse.tensors %m ["T2"] : (!transform.any_op) -> !transform.any_value
    %c2 = transform.fuse.tensors %m ["T10"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.compute_at %p2, %c2, -2 {mode = standard, hoist = true} : !transform.any_value, !transform.any_op
    transform.yield
  }
}

// -----

// The same where the broadcast is not innermost.

// CHECK: T2 {{.*}} @2/0
// CHECK-NEXT: T3 {{.*}} @0/2
module attributes {transform.with_named_sequence} {
  func.func @f(%T0: tensor<4x5xf32> {fuse.name = "T0"}, %T1: tensor<4x5x6xf32> {fuse.name = "T1"}) -> tensor<4x5x6xf32> {
    %eT2 = tensor.empty() : tensor<4x5x6xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%T0 : tensor<4x5xf32>) outs(%eT2 : tensor<4x5x6xf32>) attrs = {fuse.name = "T2"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6xf32>
    %eT3 = tensor.empty() : tensor<4x5x6xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%T2, %T1 : tensor<4x5x6xf32>, tensor<4x5x6xf32>) outs(%eT3 : tensor<4x5x6xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%i0: f32, %i1: f32, %o: f32):
      %r = arith.addf %i0, %i1 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6xf32>
    return %T3 : tensor<4x5x6xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t3 = transform.fuse.tensors %m ["T3"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.split %t3[1] by 4 : !transform.any_op
    transform.fuse.reorder %t3[0, 1, 3, 2] : !transform.any_op
    %p0 = transform.fuse.tensors %m ["T0"] : (!transform.any_op) -> !transform.any_value
    %c0 = transform.fuse.tensors %m ["T3"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.compute_at %p0, %c0, -2 {mode = standard, hoist = true} : !transform.any_value, !transform.any_op
    transform.yield
  }
}

// -----

// Broadcasts of broadcasts.

// CHECK: T2 {{.*}} @2/
// CHECK-NEXT: T3 {{.*}}/3
module attributes {transform.with_named_sequence} {
  func.func @f(%T0: tensor<4x5xf32> {fuse.name = "T0"}, %T1: tensor<4x7x5x6xf32> {fuse.name = "T1"}) -> tensor<4x7x5x6xf32> {
    %eT2 = tensor.empty() : tensor<4x5x6xf32>
    %T2 = linalg.generic {indexing_maps = [affine_map<(a, b, c) -> (a, b)>, affine_map<(a, b, c) -> (a, b, c)>], iterator_types = ["parallel", "parallel", "parallel"]}
        ins(%T0 : tensor<4x5xf32>) outs(%eT2 : tensor<4x5x6xf32>) attrs = {fuse.name = "T2"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x5x6xf32>
    %eT3 = tensor.empty() : tensor<4x7x5x6xf32>
    %T3 = linalg.generic {indexing_maps = [affine_map<(a, d, b, c) -> (a, b, c)>, affine_map<(a, d, b, c) -> (a, d, b, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T2 : tensor<4x5x6xf32>) outs(%eT3 : tensor<4x7x5x6xf32>) attrs = {fuse.name = "T3"} {
    ^bb0(%i0: f32, %o: f32):
      %r = math.exp %i0 : f32
      linalg.yield %r : f32
    } -> tensor<4x7x5x6xf32>
    %eT4 = tensor.empty() : tensor<4x7x5x6xf32>
    %T4 = linalg.generic {indexing_maps = [affine_map<(a, d, b, c) -> (a, d, b, c)>, affine_map<(a, d, b, c) -> (a, d, b, c)>, affine_map<(a, d, b, c) -> (a, d, b, c)>], iterator_types = ["parallel", "parallel", "parallel", "parallel"]}
        ins(%T3, %T1 : tensor<4x7x5x6xf32>, tensor<4x7x5x6xf32>) outs(%eT4 : tensor<4x7x5x6xf32>) attrs = {fuse.name = "T4"} {
    ^bb0(%i0: f32, %i1: f32, %o: f32):
      %r = arith.addf %i0, %i1 : f32
      linalg.yield %r : f32
    } -> tensor<4x7x5x6xf32>
    return %T4 : tensor<4x7x5x6xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %p0 = transform.fuse.tensors %m ["T0"] : (!transform.any_op) -> !transform.any_value
    %c0 = transform.fuse.tensors %m ["T4"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.compute_at %p0, %c0, -1 {mode = standard, hoist = true} : !transform.any_value, !transform.any_op
    transform.yield
  }
}
