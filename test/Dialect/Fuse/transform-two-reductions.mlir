// RUN: ipu-opt %s --fuse-form --transform-interpreter --fuse-print-schedule -o /dev/null | FileCheck %s --check-prefix=SCHEDULE
// RUN: sed 's#^ *// LOWER: ##' %s > %t.mlir
// RUN: ipu-opt %t.mlir --fuse-form --transform-interpreter | FileCheck %s

// Two reductions of one producer: what they read is a value in the one loop
// that they share.

// SCHEDULE: T1 [i0, i1] @2/0
// SCHEDULE-NEXT: T2 [i0, r:i1] @1/2
// SCHEDULE-NEXT: T3 [i0, r:i1] @1/2
// SCHEDULE-NEXT: T4 [i0] @0/1

// CHECK-LABEL: func.func @f(
// CHECK: %[[X:.*]] = bufferization.to_buffer
// CHECK: affine.for %[[I:.*]] = 0 to 8 {
// CHECK-NEXT: %[[R:.*]]:2 = affine.for %[[J:.*]] = 0 to 100 iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}) -> (f32, f32) {
// CHECK-NEXT: %[[V:.*]] = affine.load %[[X]][%[[I]], %[[J]]]
// CHECK-NEXT: %[[E:.*]] = math.exp %[[V]]
// CHECK-DAG: arith.maximumf
// CHECK-DAG: arith.minimumf
// CHECK: affine.yield
// CHECK: %[[S:.*]] = arith.addf %[[R]]#0, %[[R]]#1
// CHECK-NEXT: affine.store %[[S]], %{{.*}}[%[[I]]]
// CHECK-NOT: fuse.fusion

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
    %t1, %t2 = transform.fuse.tensors %m ["T1", "T2"]
      : (!transform.any_op) -> (!transform.any_op, !transform.any_op)
    transform.fuse.compute_at %t1, %t2, -1 : !transform.any_op, !transform.any_op
    // LOWER: %f = transform.structured.match ops{["func.func"]} in %m : (!transform.any_op) -> !transform.any_op
    // LOWER: %loops = transform.fuse.lower %f : (!transform.any_op) -> !transform.any_op
    transform.yield
  }
}
