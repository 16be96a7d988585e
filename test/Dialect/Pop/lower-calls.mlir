// RUN: ipu-opt %s --split-input-file --pop-lower-calls | FileCheck %s

// The example of the pass's description.

// CHECK: pop.scratch @f.arg0 : tensor<2xf32>
// CHECK: pop.scratch @f.result0 : tensor<2xf32>
// CHECK-LABEL: func.func @f()
// CHECK: %[[ARG:.*]] = pop.get_variable @f.arg0 : !pop.ref<2xf32>
// CHECK: %[[X:.*]] = pop.read %[[ARG]]
// CHECK: %[[Y:.*]] = pop.relu %[[X]]
// CHECK: %[[RES:.*]] = pop.get_variable @f.result0
// CHECK: pop.copy_ %[[RES]], %[[Y]]
// CHECK: return
func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.relu %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[IN:.*]]: tensor<2xf32>) -> tensor<2xf32>
// CHECK: %[[ARG:.*]] = pop.get_variable @f.arg0
// CHECK: pop.copy_ %[[ARG]], %[[IN]]
// CHECK: call @f() : () -> ()
// CHECK: %[[RES:.*]] = pop.get_variable @f.result0
// CHECK: %[[OUT:.*]] = pop.read %[[RES]]
// CHECK: return %[[OUT]]
func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = call @f(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

// -----

// One variable at all calls, handed on as well: nothing is copied.

// CHECK-NOT: pop.scratch
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
// CHECK-LABEL: func.func @inner()
// CHECK: %[[W:.*]] = pop.get_variable @w
// CHECK: pop.exp_ %[[W]]
func.func @inner(%r: !pop.ref<2xf32>) {
  pop.exp_ %r : !pop.ref<2xf32>
  return
}
// CHECK-LABEL: func.func @outer()
// CHECK: call @inner() : () -> ()
func.func @outer(%r: !pop.ref<2xf32>) {
  call @inner(%r) : (!pop.ref<2xf32>) -> ()
  return
}
// CHECK-LABEL: func.func @main()
// CHECK-NOT: pop.copy_
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  call @outer(%w) : (!pop.ref<2xf32>) -> ()
  call @inner(%w) : (!pop.ref<2xf32>) -> ()
  return
}

// -----

// The same if a function is called by @main before what else calls it.

// CHECK-NOT: pop.scratch
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
// CHECK-LABEL: func.func @inner()
// CHECK: %[[W:.*]] = pop.get_variable @w
// CHECK: pop.exp_ %[[W]]
func.func @inner(%r: !pop.ref<2xf32>) {
  pop.exp_ %r : !pop.ref<2xf32>
  return
}
func.func @outer(%r: !pop.ref<2xf32>) {
  call @inner(%r) : (!pop.ref<2xf32>) -> ()
  return
}
// CHECK-LABEL: func.func @main()
// CHECK-NOT: pop.copy_
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  call @inner(%w) : (!pop.ref<2xf32>) -> ()
  call @outer(%w) : (!pop.ref<2xf32>) -> ()
  return
}

// -----

// Calls of other kinds pass nothing, and stay.

// CHECK-LABEL: func.func @f()
func.func @f() {
  return
}
// CHECK-LABEL: func.func @main()
// CHECK: ipu.call @f
func.func @main() {
  ipu.call @f
  return
}

// -----

// Different refs are copied in, and out if they are modified.

pop.variable @v : tensor<2xf32> = dense<0.0> : tensor<2xf32>
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
// CHECK: pop.scratch @update.arg0
// CHECK: pop.scratch @update.arg1
func.func @update(%r: !pop.ref<2xf32>, %by: !pop.ref<2xf32>) {
  %0 = pop.read %by : !pop.ref<2xf32>
  pop.add_ %r, %0 : !pop.ref<2xf32>, tensor<2xf32>
  return
}
// CHECK-LABEL: func.func @main()
// CHECK: %[[V:.*]] = pop.get_variable @v
// CHECK: %[[W:.*]] = pop.get_variable @w
// CHECK: %[[A:.*]] = pop.get_variable @update.arg0
// CHECK: %[[INV:.*]] = pop.read %[[V]]
// CHECK: pop.copy_ %[[A]], %[[INV]]
// CHECK: %[[B:.*]] = pop.get_variable @update.arg1
// CHECK: %[[INW:.*]] = pop.read %[[W]]
// CHECK: pop.copy_ %[[B]], %[[INW]]
// CHECK: call @update() : () -> ()
// CHECK-NEXT: %[[OUT:.*]] = pop.read %[[A]]
// CHECK-NEXT: pop.copy_ %[[V]], %[[OUT]]
// CHECK-NOT: pop.copy_ %[[W]]
// CHECK: pop.get_variable @update.arg0
func.func @main() {
  %v = pop.get_variable @v : !pop.ref<2xf32>
  %w = pop.get_variable @w : !pop.ref<2xf32>
  call @update(%v, %w) : (!pop.ref<2xf32>, !pop.ref<2xf32>) -> ()
  call @update(%w, %v) : (!pop.ref<2xf32>, !pop.ref<2xf32>) -> ()
  return
}

// -----

// What one op allocates for all calls becomes a variable.

// CHECK: pop.scratch @main.alloc : tensor<2xf32>
func.func @update(%r: !pop.ref<2xf32>) {
  pop.exp_ %r : !pop.ref<2xf32>
  return
}
// CHECK-LABEL: func.func @main()
// CHECK: %[[R:.*]] = pop.get_variable @main.alloc
// CHECK: pop.zero_ %[[R]]
// CHECK: call @update() : () -> ()
// CHECK: call @update() : () -> ()
func.func @main() {
  %r = pop.alloc zero : !pop.ref<2xf32>
  call @update(%r) : (!pop.ref<2xf32>) -> ()
  call @update(%r) : (!pop.ref<2xf32>) -> ()
  return
}

// -----

// What the call before passed is there already, unless another call is in
// between, which might pass something else.

// CHECK-LABEL: func.func @main
// CHECK-SAME: (%[[X:.*]]: tensor<2xf32>, %[[W:.*]]: tensor<2xf32>)
// CHECK: pop.copy_ %{{.*}}, %[[X]]
// CHECK: pop.copy_ %{{.*}}, %[[W]]
// CHECK: call @scale()
// CHECK: %[[Y:.*]] = pop.read
// CHECK-NEXT: pop.get_variable @scale.arg0
// CHECK-NEXT: pop.copy_ %{{.*}}, %[[Y]]
// CHECK-NEXT: call @scale()
// CHECK: call @other()
// CHECK: pop.copy_ %{{.*}}, %[[W]]
// CHECK-NEXT: call @scale()
// CHECK: scf.for
// CHECK: pop.copy_ %{{.*}}, %[[W]]
// CHECK-NEXT: func.call @scale()
func.func private @scale(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.mul %x, %w : tensor<2xf32>
  return %0 : tensor<2xf32>
}
func.func private @other() {
  %0 = pop.constant dense<1.0> : tensor<2xf32>
  %1 = call @scale(%0, %0) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  return
}
func.func @main(%x: tensor<2xf32>, %w: tensor<2xf32>) -> tensor<2xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %0 = call @scale(%x, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  %1 = call @scale(%0, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  call @other() : () -> ()
  %2 = call @scale(%1, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  scf.for %i = %c0 to %c2 step %c1 {
    %3 = func.call @scale(%2, %w) : (tensor<2xf32>, tensor<2xf32>) -> tensor<2xf32>
  }
  return %2 : tensor<2xf32>
}
