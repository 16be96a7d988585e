// RUN: ipu-opt %s -split-input-file --fuse-form --transform-interpreter --fuse-print-schedule | FileCheck %s

// Both reductions run in the loop in which what they read is computed.

// CHECK: T1 [i0, i1] @2/0
// CHECK-NEXT: T2 [i0, r:i1] @1/2
// CHECK-NEXT: T3 [i0, r:i1] @1/2
// CHECK-NEXT: T4 [i0] @0/1
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t2, -1 : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// From an input of the fusion, which is a value: all that it leads to.

// CHECK: T1 [i0, i1] @1/0
// CHECK-NEXT: T2 [i0, r:i1] @1/1
// CHECK-NEXT: T3 [i0, r:i1] @1/1
// CHECK-NEXT: T4 [i0] @0/1
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t0, %t4 = transform.fuse.tensors %m ["T0", "T4"] : (!transform.any_op) -> (!transform.any_value, !transform.any_op)
    transform.fuse.compute_at %t0, %t4, 1 : !transform.any_value, !transform.any_op
    transform.yield
  }
}

// -----

// What is refused in the standard mode is clipped: the sum has to be complete.

// CHECK: T1 [i0, i1] @1/0
// CHECK-NEXT: T2 [i0, r:i1] @1/1
// CHECK-NEXT: T3 [i0, b:i1] @2/1
// CHECK-NEXT: T4 [i0, i1] @0/2
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t4 = transform.fuse.tensors %m ["T1", "T4"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t4, -1 {mode = best_effort} : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// The same whatever the position; the loop over a broadcast is left.

// CHECK: T1 [i0, i1] @1/0
// CHECK-NEXT: T2 [i0, r:i1] @1/1
// CHECK-NEXT: T3 [i0, b:i1] @1/1
// CHECK-NEXT: T4 [i0, i1] @0/1
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t4 = transform.fuse.tensors %m ["T1", "T4"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t4, 0 {mode = most_inlined} : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// The mode and whether broadcasts are left are two things.

// CHECK: T1 [i0, i1] @1/0
// CHECK-NEXT: T2 [i0, r:i1] @1/1
// CHECK-NEXT: T3 [i0, b:i1] @2/1
// CHECK-NEXT: T4 [i0, i1] @0/2
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t4 = transform.fuse.tensors %m ["T1", "T4"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t4, 0 {mode = most_inlined, hoist = false} : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// A clone for the sum; the handle is to the op that was there.

// CHECK: T1 [i0, i1:unroll] @0/0
// CHECK-NEXT: T1.clone [i0, i1] @2/0
// CHECK-NEXT: T2 [i0, r:i1] @0/2
// CHECK-NEXT: T3 [i0, b:i1] @0/0
// CHECK-NEXT: T4 [i0, i1] @0/0
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t2, -1 {recompute} : !transform.any_op, !transform.any_op
    transform.fuse.unroll %t1[1] : !transform.any_op
    transform.yield
  }
}

// -----

// One tensor, loops as they are; 1 from the end is all of them.

// CHECK: T1 [i0, i1] @2/0
// CHECK-NEXT: T2 [i0, r:i1] @1/2
// CHECK-NEXT: T3 [i0, r:i1] @0/2
// CHECK-NEXT: T4 [i0] @0/1
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.inline_at %t1 at -1 : !transform.any_op
    transform.fuse.inline_at %t2 at 1 : !transform.any_op
    transform.yield
  }
}

// -----

// All tensors of all fusions of the module.

// CHECK: T1 [i0, i1] @2/0
// CHECK-NEXT: T2 [i0, r:i1] @1/2
// CHECK-NEXT: T3 [i0, r:i1] @1/2
// CHECK-NEXT: T4 [i0] @0/1
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.fuse.inline_most %m : !transform.any_op
    transform.yield
  }
}

// -----

// Only those asked for, and all at once.

// CHECK: T1 [i0, i1] @0/0
// CHECK-NEXT: T2 [i0, r:i1] @1/0
// CHECK-NEXT: T3 [i0, r:i1] @1/0
// CHECK-NEXT: T4 [i0] @0/1
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t2, %t3 = transform.fuse.tensors %m ["T2", "T3"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    %both = transform.merge_handles %t2, %t3 : !transform.any_op
    transform.fuse.inline_most %both : !transform.any_op
    transform.yield
  }
}

// -----

// A loop over a broadcast that is not left.

// CHECK: T2 [i0, r:i1] @1/1
// CHECK-NEXT: T3 [i0, b:i1] @2/1
// CHECK-NEXT: T4 [i0, i1] @0/2
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.fuse.inline_most %m {hoist = false} : !transform.any_op
    transform.yield
  }
}

// -----

// Computed in the loop of the sum, stored for the rows that follow.

// CHECK: T1 [i0, i1] @1/0
// CHECK-NEXT: T2 [i0, r:i1] @1/1
// CHECK: fuse.schedule = #fuse.schedule<[i0, i1], ca = 1, with = 2>
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    transform.fuse.inline_most %m : !transform.any_op
    %t1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.compute_with %t1 at -1 : !transform.any_op
    transform.yield
  }
}
