// RUN: ipu-opt %s -split-input-file --fuse-form --transform-interpreter -verify-diagnostics

// A name that no tensor has.

// expected-note @below {{target op}}
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    // expected-error @below {{no tensor is named 'T7'; the tensors are 'T0', 'T1'}}
    %t1, %t7 = transform.fuse.tensors %m ["T1", "T7"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.yield
  }
}

// -----

// An input is a value: there are no loops to change.

// expected-note @below {{target op}}
module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    // expected-error @below {{tensor 'T0' is an input of the fusion and has neither an op nor loops; expects the result for this tensor to be a value handle}}
    %t0 = transform.fuse.tensors %m ["T0"] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// Nothing to schedule: the ops are in a module of their own.

// expected-note @below {{target op}}
module attributes {transform.with_named_sequence} {
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    // expected-error @below {{expects at least one 'fuse.fusion' but got none}}
    %t1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A consumer that does not consume.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{target op}}
    // expected-note @below {{'T2' is read by 'T4'}}
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t2, %t3 = transform.fuse.tensors %m ["T2", "T3"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{'T3' is not a consumer of 'T2', neither directly nor through other tensors}}
    transform.fuse.compute_at %t2, %t3, 1 : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// A position that there is not.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{position 3 of 'T2' is out of range: expected -3 to 2 for the loops T2[i0, r:i1]}}
    transform.fuse.compute_at %t1, %t2, 3 : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// The sum has to be complete before anything is divided by it.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{'T2' reads 'T1'}}
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    // expected-note @below {{'T4' reads 'T1' and comes after 'T2'}}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t4 = transform.fuse.tensors %m ["T1", "T4"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{'T1' cannot be computed at position 2, only at positions up to 1: axis 'i1' of 'T1' cannot share a loop with its consumers 'T2' and 'T4': 'T4' needs the result of 'T2', which reduces over this axis}}
    transform.fuse.compute_at %t1, %t4, -1 : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// Two handles that do not pair.

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
    %t1, %t2, %t3 = transform.fuse.tensors %m ["T1", "T2", "T3"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %both = transform.merge_handles %t1, %t2 : !transform.any_op
    // expected-error @below {{expects as many producers as consumers but got 2 and 1}}
    transform.fuse.compute_at %both, %t3, -1 : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// Tensors of two functions.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  func.func @g(%x: tensor<8x100xf32> {fuse.name = "S0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "S1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %s1 = transform.fuse.tensors %m ["T1", "S1"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    // expected-error @below {{tensors 'T1' and 'S1' are in different fusions}}
    transform.fuse.compute_at %t1, %s1, -1 : !transform.any_op, !transform.any_op
    transform.yield
  }
}

// -----

// A value that is not an input of a fusion.

module attributes {transform.with_named_sequence} {
  // expected-note @below {{target op}}
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    %f = transform.structured.match ops{["fuse.fusion"]} in %m : (!transform.any_op) -> !transform.any_op
    %v = transform.get_operand %f[0] : (!transform.any_op) -> !transform.any_value
    // expected-error @below {{expects a tensor that is an input of a 'fuse.fusion' but got a value of type 'tensor<8x100xf32>', defined by 'func.func'}}
    transform.fuse.compute_at %v, %t1, -1 : !transform.any_value, !transform.any_op
    transform.yield
  }
}

// -----

// Loops that a consumer shares stay as they are.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{tensor 'T1' is computed at position 2 of the loops of its consumer 'T2'}}
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    // expected-note @below {{tensor 'T1' is computed at position 2 of the loops of its consumer 'T3'}}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t2, -1 : !transform.any_op, !transform.any_op
    // expected-error @below {{cannot split loop 'i1' of tensor 'T1': the first 2 loops of T1[i0, i1] are frozen}}
    transform.fuse.split %t1[1] by 8 : !transform.any_op
    transform.yield
  }
}

// -----

// There is no such loop.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{tensor 'T1' has no loop 2: expected -2 to 1}}
    transform.fuse.split %t1[2] by 8 : !transform.any_op
    transform.yield
  }
}

// -----

// A loop of no iterations.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{cannot split loop 'i0' of tensor 'T1' by 0: expected a positive factor}}
    transform.fuse.split %t1[0] by 0 : !transform.any_op
    transform.yield
  }
}

// -----

// A number of a loop that is none.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    %p = transform.param.constant "x" -> !transform.any_param
    // expected-error @below {{expects a loop number but got "x"}}
    transform.fuse.split %t1[%p] by 8 : !transform.any_op
    transform.yield
  }
}

// -----

// More numbers than ops.

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
    // expected-note @below {{target op}}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2, %t3 = transform.fuse.tensors %m ["T1", "T2", "T3"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op, !transform.any_op)
    %both = transform.merge_handles %t1, %t2 : !transform.any_op
    %o, %i = transform.fuse.split %both[1] by 8 : !transform.any_op
    // expected-error @below {{expects one loop number, or as many loop numbers as ops (1), but got 2}}
    transform.fuse.unroll %t3[%i] : !transform.any_op
    transform.yield
  }
}

// -----

// A reduction does not merge with an iteration.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{target op}}
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t2 = transform.fuse.tensors %m ["T2"] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{cannot merge loops 'i0' and 'i1' of tensor 'T2': only 'i1' is a reduction: expected both or neither to be reductions}}
    transform.fuse.merge %t2[0, 1] : !transform.any_op
    transform.yield
  }
}

// -----

// Not a permutation of all loops.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    %e = tensor.empty() : tensor<8x100xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1 = transform.fuse.tensors %m ["T1"] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{the order of the loops of tensor 'T1' has loop 0 twice}}
    transform.fuse.reorder %t1[0, 0] : !transform.any_op
    transform.yield
  }
}

// -----

// A reduction is split in two by what it reduces first.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{target op}}
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t2 = transform.fuse.tensors %m ["T2"] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{cannot rfactor tensor 'T2': expected at least one reduction loop of T2[i0, r:i1] to remain}}
    %p = transform.fuse.rfactor %t2[1] : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}

// -----

// A loop that is shared is not vectorized.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{tensor 'T1' is computed at position 2 of the loops of its consumer 'T2'}}
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    // expected-note @below {{tensor 'T1' is computed at position 2 of the loops of its consumer 'T3'}}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t2, -1 : !transform.any_op, !transform.any_op
    // expected-error @below {{cannot vectorize loop 'i1' of tensor 'T1': the first 2 loops of T1[i0, i1] are frozen}}
    transform.fuse.vectorize %t1[1] : !transform.any_op
    transform.yield
  }
}

// -----

// A position that is not legal with the loops as they are.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> (tensor<8x100xf32>, tensor<8xf32>) {
    %zero = arith.constant 0.0 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%zero : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{target op}}
    %2 = linalg.reduce { arith.addf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.broadcast ins(%2 : tensor<8xf32>) outs(%e : tensor<8x100xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.div {fuse.name = "T4"} ins(%1, %3 : tensor<8x100xf32>, tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %4, %2 : tensor<8x100xf32>, tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t2 = transform.fuse.tensors %m ["T2"] : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{'T2' cannot be computed at position 2, only at positions up to 1: loop 'r:i1' of 'T2' is a reduction, whose result is complete only after the loop}}
    transform.fuse.inline_at %t2 at 2 : !transform.any_op
    transform.yield
  }
}

// -----

// Computed further out than stored.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    // expected-note @below {{target op}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t2, -1 : !transform.any_op, !transform.any_op
    // expected-error @below {{'T1' is stored at position 2 and cannot be computed outside of that position, at position 1}}
    transform.fuse.compute_with %t1 at 1 : !transform.any_op
    transform.yield
  }
}

// -----

// A shared loop would have to change.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    // expected-note @below {{tensor 'T1' is computed at position 2 of the loops of its consumer 'T2'}}
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    // expected-note @below {{target op}}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t1, %t4 = transform.fuse.tensors %m ["T1", "T4"] : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.inline_at %t1 at 2 : !transform.any_op
    transform.fuse.split %t4[0] by 4 : !transform.any_op
    // expected-error @below {{the loops T2[i0, r:i1] would have to become T2[i0o, i0i, r:i1], but the first 2 loops are frozen}}
    transform.fuse.propagate %t4 at -1 : !transform.any_op
    transform.yield
  }
}

// -----

// Not a linalg op.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    // expected-note @below {{target op}}
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %empty = transform.structured.match ops{["tensor.empty"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a linalg op on tensors, other than 'linalg.fill', but got 'tensor.empty'}}
    transform.fuse.split %empty[0] by 8 : !transform.any_op
    transform.yield
  }
}

// -----

// Not a linalg op on tensors.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: memref<8xf32>) {
    // expected-note @below {{target op}}
    linalg.exp ins(%x : memref<8xf32>) outs(%x : memref<8xf32>)
    return
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %op = transform.structured.match ops{["linalg.exp"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects a linalg op on tensors but got 'linalg.exp' on 'memref<8xf32>', 'memref<8xf32>'}}
    transform.fuse.split %op[0] by 8 : !transform.any_op
    transform.yield
  }
}

// -----

// Neither a tensor nor what has one in it.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8x100xf32> {
    // expected-note @below {{target op}}
    %e = tensor.empty() : tensor<8x100xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    return %1 : tensor<8x100xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %empty = transform.structured.match ops{["tensor.empty"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{expects linalg ops in a 'fuse.fusion', or an op that contains a 'fuse.fusion', but got 'tensor.empty'}}
    transform.fuse.inline_most %empty : !transform.any_op
    transform.yield
  }
}

// -----

// A schedule that cannot be lowered: the sum crosses the parallel loop.

module attributes {transform.with_named_sequence} {
  func.func @f(%x: tensor<8x100xf32> {fuse.name = "T0"}) -> tensor<8xf32> {
    %low = arith.constant 0xFF800000 : f32
    %high = arith.constant 0x7F800000 : f32
    %e = tensor.empty() : tensor<8x100xf32>
    %e1 = tensor.empty() : tensor<8xf32>
    %f = linalg.fill ins(%low : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %g = linalg.fill ins(%high : f32) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    %1 = linalg.exp {fuse.name = "T1"} ins(%x : tensor<8x100xf32>) outs(%e : tensor<8x100xf32>) -> tensor<8x100xf32>
    // expected-note @below {{op is here}}
    %2 = linalg.reduce { arith.maximumf } ins(%1 : tensor<8x100xf32>) outs(%f : tensor<8xf32>) dimensions = [1] {fuse.name = "T2"}
    %3 = linalg.reduce { arith.minimumf } ins(%1 : tensor<8x100xf32>) outs(%g : tensor<8xf32>) dimensions = [1] {fuse.name = "T3"}
    %4 = linalg.add {fuse.name = "T4"} ins(%2, %3 : tensor<8xf32>, tensor<8xf32>) outs(%e1 : tensor<8xf32>) -> tensor<8xf32>
    return %4 : tensor<8xf32>
  }
  transform.named_sequence @__transform_main(%m: !transform.any_op {transform.readonly}) {
    %t2 = transform.fuse.tensors %m ["T2"] : (!transform.any_op) -> !transform.any_op
    transform.fuse.parallelize %t2[1] : !transform.any_op
    %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    // expected-error @below {{tensor 'T2' in the parallel loop 'i1' reduces over this loop; expects a loop over an axis of the result}}
    %l = transform.fuse.lower %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
