// RUN: ipu-opt %s --pop-contiguate-collectives | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-contiguate-collectives{max-bytes=32})' | FileCheck %s --check-prefix=BOUND
// RUN: ipu-opt %s -o /dev/null --pop-contiguate-collectives --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// The example of the pass.
//
// CHECK-LABEL: func.func @example(
// CHECK-SAME:    %[[G:.+]]: tensor<4xf32>, %[[H:.+]]: tensor<2x3xf32>, %[[W:.+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[A:.+]] = pop.all_reduce add %[[G]] : tensor<4xf32>
// CHECK-NEXT:    %[[B:.+]] = pop.all_reduce add %[[H]] : tensor<2x3xf32>
// CHECK-NEXT:    %[[C:.+]] = pop.sub %[[W]], %[[A]] : tensor<4xf32>
// CHECK-NEXT:    return %[[C]], %[[B]]
//
// Both operands have 40 bytes, more than 32.
//
// BOUND-LABEL: func.func @example(
// BOUND:         pop.all_reduce
// BOUND-NEXT:    pop.sub
// BOUND-NEXT:    pop.all_reduce
//
// At the subtraction, the results of both collectives and of itself are live.
//
// REMARK: :[[#@LINE+1]]:{{.*}}ContiguateCollectives{{.*}}peak-after=56, peak-before=40,
func.func @example(%g: tensor<4xf32>, %h: tensor<2x3xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<2x3xf32>) {
  %0 = pop.all_reduce add %g : tensor<4xf32>
  %1 = pop.sub %w, %0 : tensor<4xf32>
  %2 = pop.all_reduce add %h : tensor<2x3xf32>
  return %1, %2 : tensor<4xf32>, tensor<2x3xf32>
}

// Collectives move down to the last one, over ops that do not need them. With
// the bound, the first two and the last two collectives are adjacent.
//
// CHECK-LABEL: func.func @gradients(
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.neg
// CHECK-COUNT-4: pop.all_reduce
// CHECK-COUNT-4: pop.sub
// CHECK-NEXT:    return
//
// BOUND-LABEL: func.func @gradients(
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce
// BOUND-NEXT:    pop.all_reduce
// BOUND-NEXT:    pop.sub
// BOUND-NEXT:    pop.sub
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce
// BOUND-NEXT:    pop.all_reduce
// BOUND-NEXT:    pop.sub
// BOUND-NEXT:    pop.sub
// BOUND-NEXT:    return
func.func @gradients(%g0: tensor<4xf32>, %w: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %r0 = pop.all_reduce mean %g0 : tensor<4xf32>
  %0 = pop.sub %w, %r0 : tensor<4xf32>
  %g1 = pop.neg %g0 : tensor<4xf32>
  %r1 = pop.all_reduce mean %g1 : tensor<4xf32>
  %1 = pop.sub %w, %r1 : tensor<4xf32>
  %g2 = pop.neg %g1 : tensor<4xf32>
  %r2 = pop.all_reduce mean %g2 : tensor<4xf32>
  %2 = pop.sub %w, %r2 : tensor<4xf32>
  %g3 = pop.neg %g2 : tensor<4xf32>
  %r3 = pop.all_reduce mean %g3 : tensor<4xf32>
  %3 = pop.sub %w, %r3 : tensor<4xf32>
  return %0, %1, %2, %3 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// A collective that depends on another one belongs to the next collectives.
//
// CHECK-LABEL: func.func @dependent(
// CHECK-SAME:    %[[X:.+]]: tensor<4xf32>, %[[Y:.+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[A:.+]] = pop.all_reduce add %[[X]]
// CHECK-NEXT:    pop.all_reduce add %[[Y]]
// CHECK-NEXT:    %[[N:.+]] = pop.neg %[[A]]
// CHECK-NEXT:    pop.all_reduce add %[[N]]
// CHECK-NEXT:    pop.all_reduce add %[[A]]
// CHECK-NEXT:    return
func.func @dependent(%x: tensor<4xf32>, %y: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.all_reduce add %x : tensor<4xf32>
  %1 = pop.neg %0 : tensor<4xf32>
  %2 = pop.all_reduce add %1 : tensor<4xf32>
  %3 = pop.all_reduce add %y : tensor<4xf32>
  %4 = pop.all_reduce add %0 : tensor<4xf32>
  return %2, %3, %4 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Either both sums or both maxima can be adjacent, because the second maximum
// needs the first sum, and the second sum needs the first maximum.
//
// CHECK-LABEL: func.func @exclusive(
// CHECK:         pop.all_reduce max %{{.*}} : tensor<3xf32>
// CHECK-NEXT:    pop.all_reduce add %{{.*}} : tensor<4xf32>
// CHECK-NEXT:    pop.all_reduce add %{{.*}} : tensor<3xf32>
// CHECK-NEXT:    pop.all_reduce max %{{.*}} : tensor<4xf32>
// CHECK-NEXT:    return
func.func @exclusive(%x: tensor<4xf32>, %y: tensor<3xf32>) -> (tensor<4xf32>, tensor<3xf32>) {
  %0 = pop.all_reduce add %x : tensor<4xf32>
  %1 = pop.all_reduce max %0 : tensor<4xf32>
  %2 = pop.all_reduce max %y : tensor<3xf32>
  %3 = pop.all_reduce add %2 : tensor<3xf32>
  return %1, %3 : tensor<4xf32>, tensor<3xf32>
}

// Collectives that cannot be merged stay where they are: their operators,
// element types, groups, virtual graphs, or numbers of parts differ, or there is
// nothing to exchange.
//
// CHECK-LABEL: func.func @different(
// CHECK-COUNT-9: pop.neg
// BOUND-LABEL: func.func @different(
// BOUND:         pop.all_reduce add
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce max
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce add %{{.*}} : tensor<4xf16>
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce add %{{.*}} {groups
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce add %{{.*}} {pop.vgraph
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.reduce_scatter add %{{.*}} tensor<4xf32> to tensor<2xf32>
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.reduce_scatter add %{{.*}} tensor<4xf32> to tensor<1xf32>
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce local
// BOUND-NEXT:    pop.neg
// BOUND-NEXT:    pop.all_reduce local
func.func @different(%x: tensor<4xf32>, %y: tensor<4xf16>) {
  %0 = pop.all_reduce add %x : tensor<4xf32>
  %1 = pop.neg %0 : tensor<4xf32>
  %2 = pop.all_reduce max %x : tensor<4xf32>
  %3 = pop.neg %2 : tensor<4xf32>
  %4 = pop.all_reduce add %y : tensor<4xf16>
  %5 = pop.neg %4 : tensor<4xf16>
  %6 = pop.all_reduce add %x {groups = #pop.replica_groups<stride = 1, size = 2>} : tensor<4xf32>
  %7 = pop.neg %6 : tensor<4xf32>
  %8 = pop.all_reduce add %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  %9 = pop.neg %8 : tensor<4xf32>
  %10 = pop.reduce_scatter add %x : tensor<4xf32> to tensor<2xf32>
  %11 = pop.neg %10 : tensor<2xf32>
  %12 = pop.reduce_scatter add %x : tensor<4xf32> to tensor<1xf32>
  %13 = pop.neg %12 : tensor<1xf32>
  %14 = pop.all_reduce local %x : tensor<4xf32>
  %15 = pop.neg %14 : tensor<4xf32>
  %16 = pop.all_reduce local %15 : tensor<4xf32>
  %17 = pop.neg %16 : tensor<4xf32>
  return
}

// A collective reads a variable before the variable is written, so the write
// moves with it.
//
// CHECK-LABEL: func.func @effects(
// CHECK:         %[[R:.+]] = pop.read
// CHECK-NEXT:    pop.neg
// CHECK-NEXT:    pop.all_reduce add %[[R]]
// CHECK-NEXT:    pop.all_reduce add
// CHECK-NEXT:    pop.copy_
// CHECK-NEXT:    pop.read
// CHECK-NEXT:    pop.all_reduce add
// CHECK-NEXT:    return
pop.variable @v : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @effects(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %v = pop.get_variable @v : !pop.ref<4xf32>
  %0 = pop.read %v : !pop.ref<4xf32>
  %1 = pop.all_reduce add %0 : tensor<4xf32>
  pop.copy_ %v, %1 : !pop.ref<4xf32>, tensor<4xf32>
  %2 = pop.read %v : !pop.ref<4xf32>
  %3 = pop.all_reduce add %2 : tensor<4xf32>
  %4 = pop.neg %x : tensor<4xf32>
  %5 = pop.all_reduce add %4 : tensor<4xf32>
  return %1, %3, %5 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// Collectives do not leave loops, and a sequence keeps its order.
//
// CHECK-LABEL: func.func @regions(
// CHECK:         pop.all_reduce
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      pop.all_reduce
// CHECK-NEXT:      pop.all_reduce
// CHECK-NEXT:      pop.neg
// CHECK:         pop.in_sequence
// CHECK-NEXT:      pop.all_reduce
// CHECK-NEXT:      pop.neg
// CHECK-NEXT:      pop.all_reduce
func.func @regions(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = pop.all_reduce add %x : tensor<4xf32>
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%y = %0) -> (tensor<4xf32>) {
    %2 = pop.all_reduce add %y : tensor<4xf32>
    %3 = pop.neg %2 : tensor<4xf32>
    %4 = pop.all_reduce add %x : tensor<4xf32>
    %5 = pop.add %3, %4 : tensor<4xf32>
    scf.yield %5 : tensor<4xf32>
  }
  %6 = pop.in_sequence {
    %7 = pop.all_reduce add %x : tensor<4xf32>
    %8 = pop.neg %7 : tensor<4xf32>
    %9 = pop.all_reduce add %1 : tensor<4xf32>
    pop.yield %9 : tensor<4xf32>
  } : tensor<4xf32>
  return %1, %6 : tensor<4xf32>, tensor<4xf32>
}
