// RUN: ipu-opt %s --split-input-file --allow-unregistered-dialect --pop-print-replica-equal=replicas=2 -o /dev/null | FileCheck %s

// Ops of other dialects: results are equal where all inputs are, and so is what
// is computed in regions.

// CHECK-LABEL: @main(all, all)
// CHECK: 'pop.host_load': none
// CHECK: 'linalg.generic': none
// CHECK: 'linalg.generic': all
// CHECK-NEXT: 'arith.addf': all
// CHECK: 'math.exp': none
// CHECK: 'math.exp': all
// CHECK: 'tensor.generate': none
// CHECK: 'tensor.generate': all
pop.stream @x host_to_device : tensor<4xf32>
#id = affine_map<(d0) -> (d0)>
func.func @main(%a: tensor<4xf32>, %j: index) {
  %x = pop.host_load @x : tensor<4xf32>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%x : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %1 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]} ins(%a : tensor<4xf32>) outs(%a : tensor<4xf32>) {
  ^bb0(%u: f32, %v: f32):
    %s = arith.addf %u, %v : f32
    linalg.yield %s : f32
  } -> tensor<4xf32>
  %2 = math.exp %0 : tensor<4xf32>
  %3 = math.exp %1 : tensor<4xf32>
  %e = tensor.extract %x[%j] : tensor<4xf32>
  %4 = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %e : f32
  } : tensor<4xf32>
  %f = tensor.extract %a[%j] : tensor<4xf32>
  %5 = tensor.generate {
  ^bb0(%i: index):
    tensor.yield %f : f32
  } : tensor<4xf32>
  return
}

// -----

// Regions that make their results in ways of their own.

// CHECK-LABEL: @main(all)
// CHECK: 'scf.forall': none
// CHECK: 'scf.forall': all
pop.stream @x host_to_device : tensor<4xf32>
func.func @main(%a: tensor<4xf32>) {
  %x = pop.host_load @x : tensor<4xf32>
  %0 = scf.forall (%i) in (4) shared_outs(%o = %a) -> tensor<4xf32> {
    %1 = tensor.extract_slice %x[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %1 into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  %2 = scf.forall (%i) in (4) shared_outs(%o = %a) -> tensor<4xf32> {
    %3 = tensor.extract_slice %a[%i] [1] [1] : tensor<4xf32> to tensor<1xf32>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %3 into %o[%i] [1] [1] : tensor<1xf32> into tensor<4xf32>
    }
  }
  return
}

// -----

// Ops of unknown effects may put what they get into any ref.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.host_load': none
// CHECK-NEXT: 'pop.alloc': none
// CHECK: 'pop.read': none
pop.stream @x host_to_device : tensor<2xf32>
func.func @main(%a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.alloc zero : !pop.ref<2xf32>
  "some.op"(%x) : (tensor<2xf32>) -> ()
  %0 = pop.read %r : !pop.ref<2xf32>
  return
}

// -----

// The same with equal inputs.

// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'pop.alloc': all
// CHECK-NEXT: 'some.op': all
// CHECK-NEXT: 'pop.read': all
func.func @main(%a: tensor<2xf32>) {
  %r = pop.alloc zero : !pop.ref<2xf32>
  %0 = "some.op"(%a) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = pop.read %r : !pop.ref<2xf32>
  return
}

// -----

// Memory that is behind no ref, in whatever way it is reached.

// CHECK-LABEL: @main(all)
// CHECK: 'memref.load': none
func.func @main(%a: i32) {
  %c0 = arith.constant 0 : index
  %i = pop.replica_index : tensor<i32>
  %v = tensor.extract %i[] : tensor<i32>
  %m = memref.alloc() : memref<4xi32>
  memref.store %v, %m[%c0] : memref<4xi32>
  %0 = memref.load %m[%c0] : memref<4xi32>
  return
}

// -----

// Refs that are chosen at run time.

// CHECK-LABEL: @main(all)
// CHECK: 'pop.read': none
// CHECK-NEXT: 'pop.read': none
pop.stream @x host_to_device : tensor<2xf32>
func.func @main(%same: i1) {
  %x = pop.host_load @x : tensor<2xf32>
  %r = pop.alloc zero : !pop.ref<2xf32>
  %s = pop.alloc zero : !pop.ref<2xf32>
  %t = arith.select %same, %r, %s : !pop.ref<2xf32>
  pop.copy_ %t, %x : !pop.ref<2xf32>, tensor<2xf32>
  %0 = pop.read %r : !pop.ref<2xf32>
  %1 = pop.read %t : !pop.ref<2xf32>
  return
}

// -----

// Recursion, declarations and indirect calls.

// CHECK-LABEL: @f(none)
// CHECK: 'func.call': none
// CHECK-LABEL: @external: no body
// CHECK-LABEL: @main(all)
// CHECK: 'func.call': none
// CHECK-NEXT: 'func.call': none
func.func private @f(%a: tensor<i32>) -> tensor<i32> {
  %0 = func.call @f(%a) : (tensor<i32>) -> tensor<i32>
  return %a : tensor<i32>
}
func.func private @external(%a: tensor<i32>) -> tensor<i32>
func.func @main(%a: tensor<i32>) {
  %i = pop.replica_index : tensor<i32>
  %0 = func.call @external(%i) : (tensor<i32>) -> tensor<i32>
  %1 = func.call @f(%i) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// CHECK-LABEL: @g(none)
// CHECK-NEXT: 'pop.neg': none
// CHECK-LABEL: @main(all)
// CHECK: 'func.call_indirect': none
func.func private @g(%a: tensor<i32>) -> tensor<i32> {
  %0 = pop.neg %a : tensor<i32>
  return %0 : tensor<i32>
}
func.func @main(%a: tensor<i32>) {
  %i = pop.replica_index : tensor<i32>
  %g = func.constant @g : (tensor<i32>) -> tensor<i32>
  %0 = func.call_indirect %g(%i) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// A function that has two names for what it modifies, and only shows it by one of
// them: refs of that name see all that is written by the other one.

// CHECK-LABEL: @f(all, all)
// CHECK: 'pop.get_variable': none
// CHECK-LABEL: @main(all)
pop.stream @x host_to_device : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
func.func private @f(%r: !pop.ref<2xf32>, %a: tensor<2xf32>) {
  %x = pop.host_load @x : tensor<2xf32>
  pop.copy_ %r, %x : !pop.ref<2xf32>, tensor<2xf32>
  %w = pop.get_variable @w : !pop.ref<2xf32>
  pop.copy_ %r, %a : !pop.ref<2xf32>, tensor<2xf32>
  return
}
func.func @main(%a: tensor<2xf32>) {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  call @f(%w, %a) : (!pop.ref<2xf32>, tensor<2xf32>) -> ()
  return
}

// -----

// Code that is not known may ask for the index of the replica, and leave it in
// memory.

// CHECK-LABEL: @main(all)
// CHECK: 'func.call_indirect': none
// CHECK-NEXT: 'pop.read': none
pop.variable @w : tensor<i32> = dense<1> : tensor<i32>
func.func private @g(%a: tensor<i32>) -> tensor<i32> {
  %i = pop.replica_index : tensor<i32>
  return %i : tensor<i32>
}
func.func @main(%a: tensor<i32>) {
  %w = pop.get_variable @w : !pop.ref<i32>
  %g = func.constant @g : (tensor<i32>) -> tensor<i32>
  %0 = func.call_indirect %g(%a) : (tensor<i32>) -> tensor<i32>
  %1 = pop.read %w : !pop.ref<i32>
  return
}

// -----

// CHECK-LABEL: @external: no body
// CHECK-LABEL: @main(all)
// CHECK-NEXT: 'func.call': none
func.func private @external(%a: tensor<i32>) -> tensor<i32>
func.func @main(%a: tensor<i32>) {
  %0 = func.call @external(%a) : (tensor<i32>) -> tensor<i32>
  return
}

// -----

// Refs that are chosen while the program runs.

// CHECK-LABEL: @main(all, all)
// CHECK: 'pop.from_tensor': all
// CHECK-NEXT: 'pop.from_tensor': all
// CHECK-NEXT: 'arith.select': none
func.func @main(%a: tensor<i32>, %b: tensor<i32>) {
  %i = pop.replica_index : tensor<i32>
  %0 = tensor.extract %i[] : tensor<i32>
  %1 = arith.trunci %0 : i32 to i1
  %r = pop.from_tensor %a : tensor<i32>
  %s = pop.from_tensor %b : tensor<i32>
  %2 = arith.select %1, %r, %s : !pop.ref<i32>
  return
}

// -----

// CHECK-LABEL: @main(all)
// CHECK: 'scf.if': none
// CHECK: 'pop.copy_': modifies operand 0 none
pop.variable @w : tensor<i32> = dense<1> : tensor<i32>
pop.variable @v : tensor<i32> = dense<1> : tensor<i32>
func.func @main(%c: i1) {
  %w = pop.get_variable @w : !pop.ref<i32>
  %v = pop.get_variable @v : !pop.ref<i32>
  %i = pop.replica_index : tensor<i32>
  %0 = scf.if %c -> !pop.ref<i32> {
    scf.yield %w : !pop.ref<i32>
  } else {
    scf.yield %v : !pop.ref<i32>
  }
  pop.copy_ %0, %i : !pop.ref<i32>, tensor<i32>
  return
}
