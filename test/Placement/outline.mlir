// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-choose-accumulation,pop-outline{max-slowdown=100000})' | FileCheck %s
//
// The code of a compute set is large, so that functions save memory. The limit of
// cycles is high.

// Equal layers become one function. Weights are arguments.
// CHECK-LABEL: func.func private @outlined
// CHECK-SAME: (%[[X:.*]]: tensor<64x64xf32>, %[[W:.*]]: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {no_inline}
// CHECK-NEXT: %[[P:.*]] = pop.matmul %[[X]], %[[W]]
// CHECK-NEXT: %[[R:.*]] = pop.relu %[[P]]
// CHECK-NEXT: return %[[R]]
// CHECK-LABEL: func.func @layers
// CHECK-SAME: (%[[X:.*]]: tensor<64x64xf32>, %[[U:.*]]: tensor<64x64xf32>, %[[V:.*]]: tensor<64x64xf32>)
// CHECK-NEXT: %[[A:.*]] = call @outlined(%[[X]], %[[U]])
// CHECK-NEXT: %[[B:.*]] = call @outlined(%[[A]], %[[V]])
// CHECK-NEXT: %[[C:.*]] = call @outlined(%[[B]], %[[U]])
// CHECK-NEXT: return %[[C]]
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @layers(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 : tensor<64x64xf32>
    %2 = pop.matmul %1, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = pop.relu %2 : tensor<64x64xf32>
    %4 = pop.matmul %3, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %5 = pop.relu %4 : tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }
}

// -----

// Annotations are a part of the key: the third layer has other ones.
// CHECK-LABEL: func.func @annotations
// CHECK: call @outlined
// CHECK-NEXT: call @outlined
// CHECK-NEXT: pop.matmul
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @annotations(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %u {pop.replica_equal = [#pop.replica_partition<all of 2>]} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 : tensor<64x64xf32>
    %2 = pop.matmul %1, %v {pop.replica_equal = [#pop.replica_partition<all of 2>]} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = pop.relu %2 : tensor<64x64xf32>
    %4 = pop.matmul %3, %u {pop.replica_equal = [#pop.replica_partition<none of 2>]} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %5 = pop.relu %4 : tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }
}

// -----

// All results that some sequence exports are results of the function, and both
// layers use a value of the first one differently than the third.
// CHECK-LABEL: func.func private @outlined
// CHECK-SAME: -> (tensor<64x64xf32>, tensor<64x64xf32>)
// CHECK-LABEL: func.func @results
// CHECK: %[[A:.*]]:2 = call @outlined
// CHECK-NEXT: %[[B:.*]]:2 = call @outlined(%[[A]]#1
// CHECK-NEXT: %[[C:.*]] = pop.add %[[A]]#0, %[[B]]#1
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @results(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 : tensor<64x64xf32>
    %2 = pop.matmul %1, %v : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = pop.relu %2 : tensor<64x64xf32>
    %4 = pop.add %0, %3 : tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }
}

// -----

// Equal tokens with other uses of values are other sequences.
// CHECK-LABEL: func.func @uses
// CHECK-NOT: call
// CHECK: return
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @uses(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = pop.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.add %0, %x : tensor<64x64xf32>
    %2 = pop.exp %1 : tensor<64x64xf32>
    %3 = pop.matmul %2, %y : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = pop.tanh %3 : tensor<64x64xf32>
    return %2, %4 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}

// -----

// The function has a copy of a constant that both layers use, and the handle
// of a variable that both use. Different variables are refs.
// CHECK: pop.variable @w
// CHECK-LABEL: func.func private @outlined
// CHECK-SAME: (%{{.*}}: !pop.ref<64x64xf32>, %{{.*}}: tensor<64x64xf32>) -> tensor<64x64xf32>
// CHECK-DAG: pop.constant dense<2.000000e+00>
// CHECK-DAG: pop.get_variable @shared
// CHECK-LABEL: func.func @leaves
// CHECK: %[[U:.*]] = pop.get_variable @u
// CHECK: call @outlined(%[[U]], %{{.*}})
// CHECK: %[[W:.*]] = pop.get_variable @w
// CHECK: call @outlined(%[[W]], %{{.*}})
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  pop.variable @u : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
  pop.variable @w : tensor<64x64xf32> = dense<0.25> : tensor<64x64xf32>
  pop.variable @shared : tensor<64x64xf32> = dense<0.125> : tensor<64x64xf32>
  func.func @leaves(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c = pop.constant dense<2.0> : tensor<64x64xf32>
    %ur = pop.get_variable @u : !pop.ref<64x64xf32>
    %s0 = pop.get_variable @shared : !pop.ref<64x64xf32>
    %u = pop.read %ur : !pop.ref<64x64xf32>
    %s = pop.read %s0 : !pop.ref<64x64xf32>
    %0 = pop.matmul %x, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.mul %0, %c : tensor<64x64xf32>
    %2 = pop.add %1, %s : tensor<64x64xf32>
    %wr = pop.get_variable @w : !pop.ref<64x64xf32>
    %s1 = pop.get_variable @shared : !pop.ref<64x64xf32>
    %w = pop.read %wr : !pop.ref<64x64xf32>
    %t = pop.read %s1 : !pop.ref<64x64xf32>
    %3 = pop.matmul %2, %w : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %d = pop.constant dense<2.0> : tensor<64x64xf32>
    %4 = pop.mul %3, %d : tensor<64x64xf32>
    %5 = pop.add %4, %t : tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }
}

// -----

// A call must not pass a tensor that its callee modifies under another name, so
// that only one op at a time is in the function.
// CHECK-LABEL: func.func private @outlined
// CHECK-NEXT: pop.mul_
// CHECK-NEXT: return
// CHECK-LABEL: func.func @aliases
// CHECK: pop.add_
// CHECK-NEXT: call @outlined
// CHECK-NEXT: pop.add_
// CHECK-NEXT: call @outlined
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  pop.variable @u : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
  pop.variable @w : tensor<64x64xf32> = dense<0.25> : tensor<64x64xf32>
  func.func @aliases(%x: tensor<64x64xf32>) {
    %u = pop.get_variable @u : !pop.ref<64x64xf32>
    %ut = pop.ref_transpose %u {permutation = array<i64: 1, 0>} : !pop.ref<64x64xf32> -> !pop.ref<64x64xf32>
    %w = pop.get_variable @w : !pop.ref<64x64xf32>
    %wt = pop.ref_transpose %w {permutation = array<i64: 1, 0>} : !pop.ref<64x64xf32> -> !pop.ref<64x64xf32>
    pop.add_ %u, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    pop.mul_ %ut, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    pop.add_ %w, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    pop.mul_ %wt, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    return
  }
}

// -----

// Calls have the stages, and the ops of the function have none. A sequence does
// not contain ops of two stages.
// CHECK-LABEL: func.func private @outlined
// CHECK-NOT: pop.stage
// CHECK: pop.matmul {{.*}}, pop.vgraph = 0 : i64}
// CHECK-NOT: pop.stage
// CHECK-LABEL: func.func @stages
// CHECK: call @outlined({{.*}}) {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK: call @outlined({{.*}}) {pop.stage = 1 : i64, pop.vgraph = 0 : i64}
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @stages(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>, %v: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %u {pop.stage = 0, pop.vgraph = 0} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 {pop.stage = 0, pop.vgraph = 0} : tensor<64x64xf32>
    %2 = pop.matmul %1, %v {pop.stage = 1, pop.vgraph = 0} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = pop.relu %2 {pop.stage = 1, pop.vgraph = 0} : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }
}

// -----

// Ops of different IPUs do not share code.
// CHECK-LABEL: func.func @ipus
// CHECK-NOT: call
// CHECK: return
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @ipus(%x: tensor<64x64xf32>, %y: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = pop.matmul %x, %x {pop.vgraph = 0} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 {pop.vgraph = 0} : tensor<64x64xf32>
    %2 = pop.matmul %y, %y {pop.vgraph = 1} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = pop.relu %2 {pop.vgraph = 1} : tensor<64x64xf32>
    return %1, %3 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}

// -----

// Sequences of a loop body and of the function around it share a function. The
// loop is no part of a sequence, because its body changes.
// CHECK-LABEL: func.func @loop
// CHECK: scf.for
// CHECK: call @outlined
// CHECK: scf.yield
// CHECK: call @outlined
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @loop(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<64x64xf32> {
      %1 = pop.matmul %y, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      %2 = pop.relu %1 : tensor<64x64xf32>
      scf.yield %2 : tensor<64x64xf32>
    }
    %3 = pop.matmul %0, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %4 = pop.relu %3 : tensor<64x64xf32>
    return %4 : tensor<64x64xf32>
  }
}

// -----

// Whole loops are ops of sequences. They use values from outside.
// CHECK-LABEL: func.func private @outlined
// CHECK: scf.for
// CHECK: pop.exp
// CHECK-LABEL: func.func @loops
// CHECK: %[[A:.*]] = call @outlined(%{{.*}}, %[[U:.*]])
// CHECK-NEXT: %[[B:.*]] = call @outlined(%[[A]], %[[U]])
// CHECK-NEXT: return %[[B]]
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @loops(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %x) -> tensor<64x64xf32> {
      %1 = pop.matmul %y, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %1 : tensor<64x64xf32>
    }
    %2 = pop.exp %0 : tensor<64x64xf32>
    %3 = scf.for %i = %c0 to %c3 step %c1 iter_args(%y = %2) -> tensor<64x64xf32> {
      %4 = pop.matmul %y, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
      scf.yield %4 : tensor<64x64xf32>
    }
    %5 = pop.exp %3 : tensor<64x64xf32>
    return %5 : tensor<64x64xf32>
  }
}

// -----

// The code of @loaded is not always on the tiles, so it stays together.
// CHECK-LABEL: func.func private @loaded
// CHECK-COUNT-2: pop.matmul
// CHECK-LABEL: func.func @loads
// CHECK-NOT: call @outlined
// CHECK: return
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func private @loaded(%x: tensor<64x64xf32>) -> tensor<64x64xf32> attributes {no_inline} {
    %0 = pop.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 : tensor<64x64xf32>
    %2 = pop.matmul %1, %1 : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = pop.relu %2 : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }
  func.func @loads(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    pop.remote_code_load @loaded to executable
    %0 = call @loaded(%x) : (tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0 : tensor<64x64xf32>
  }
}

// -----

// The first op uses one value twice, and the second op uses two values.
// CHECK-LABEL: func.func @captured
// CHECK: pop.matmul
// CHECK: pop.matmul
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @captured(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>) -> (tensor<64x64xf32>, tensor<64x64xf32>) {
    %0 = pop.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.matmul %x, %u : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %0, %1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
}

// -----

// Both sequences use %x, but only the second one uses it instead of a result.
// CHECK-LABEL: func.func @same
// CHECK: %[[A:.*]] = pop.matmul %[[X:.*]], %[[X]]
// CHECK: pop.matmul %[[A]], %[[X]]
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @same(%x: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.matmul %0, %x : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    return %1 : tensor<64x64xf32>
  }
}

// -----

// A function that a sequence calls writes @r by its name, so @r is no argument of
// the sequence.
// CHECK-LABEL: func.func @named
// CHECK: pop.add_
// CHECK-NEXT: call @f
// CHECK: pop.add_
// CHECK-NEXT: call @f
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  pop.variable @r : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
  pop.variable @s : tensor<64x64xf32> = dense<0.5> : tensor<64x64xf32>
  func.func private @f(%x: tensor<64x64xf32>) attributes {no_inline} {
    %r = pop.get_variable @r : !pop.ref<64x64xf32>
    pop.mul_ %r, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    return
  }
  func.func @named(%x: tensor<64x64xf32>) {
    %r = pop.get_variable @r : !pop.ref<64x64xf32>
    %s = pop.get_variable @s : !pop.ref<64x64xf32>
    pop.add_ %s, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    func.call @f(%x) : (tensor<64x64xf32>) -> ()
    pop.add_ %r, %x : !pop.ref<64x64xf32>, tensor<64x64xf32>
    func.call @f(%x) : (tensor<64x64xf32>) -> ()
    return
  }
}

// -----

// Functions have no execution contexts, but their calls do.
// CHECK-LABEL: func.func private @outlined
// CHECK-NOT: pop.execution_context
// CHECK-LABEL: func.func @main
// CHECK: call @outlined({{.*}}) {pop.execution_context = #pop<execution_context normal>}
// CHECK: call @outlined({{.*}}) {pop.execution_context = #pop<execution_context accumulate_outer>}
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>} {
  func.func @main(%x: tensor<64x64xf32>, %u: tensor<64x64xf32>) -> tensor<64x64xf32> {
    %0 = pop.matmul %x, %u {pop.execution_context = #pop<execution_context normal>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %1 = pop.relu %0 {pop.execution_context = #pop<execution_context normal>} : tensor<64x64xf32>
    %2 = pop.matmul %1, %x {pop.execution_context = #pop<execution_context accumulate_outer>} : (tensor<64x64xf32>, tensor<64x64xf32>) -> tensor<64x64xf32>
    %3 = pop.relu %2 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<64x64xf32>
    return %3 : tensor<64x64xf32>
  }
}
