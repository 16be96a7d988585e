// RUN: ipu-opt %s --pop-decompose | FileCheck %s

// CHECK-LABEL: func.func @binary
// CHECK-SAME: %[[R:.*]]: !pop.ref<2x3xf16>, %[[T:.*]]: tensor<3xf16>
// CHECK-NEXT: %[[X:.*]] = pop.read %[[R]] : !pop.ref<2x3xf16>
// CHECK-NEXT: %[[Y:.*]] = pop.add %[[X]], %[[T]] : (tensor<2x3xf16>, tensor<3xf16>) -> tensor<2x3xf16>
// CHECK-NEXT: pop.copy_ %[[R]], %[[Y]] : !pop.ref<2x3xf16>, tensor<2x3xf16>
// CHECK-NEXT: return
func.func @binary(%r: !pop.ref<2x3xf16>, %t: tensor<3xf16>) {
  pop.add_ %r, %t : !pop.ref<2x3xf16>, tensor<3xf16>
  return
}

// CHECK-LABEL: func.func @unary
// CHECK-NEXT: %[[X:.*]] = pop.read
// CHECK-NEXT: %[[Y:.*]] = pop.relu %[[X]] : tensor<2xi8>
// CHECK-NEXT: pop.copy_ %{{.*}}, %[[Y]]
// CHECK-NEXT: %[[Z:.*]] = pop.constant dense<0> : tensor<2xi8>
// CHECK-NEXT: pop.copy_ %{{.*}}, %[[Z]]
// CHECK-NEXT: return
func.func @unary(%r: !pop.ref<2xi8>) {
  pop.relu_ %r : !pop.ref<2xi8>
  pop.zero_ %r : !pop.ref<2xi8>
  return
}

// In regions, too.
// CHECK-LABEL: func.func @nested
// CHECK: scf.for
// CHECK-NEXT: pop.in_sequence {
// CHECK-NEXT: %[[X:.*]] = pop.read
// CHECK-NEXT: %[[Y:.*]] = pop.mul %[[X]]
// CHECK-NEXT: pop.copy_ %{{.*}}, %[[Y]]
// CHECK-NEXT: }
func.func @nested(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.for %i = %c0 to %n step %c1 {
    pop.in_sequence {
      pop.mul_ %r, %t : !pop.ref<2xf32>, tensor<2xf32>
    }
  }
  return
}

// A copy is what is left.
// CHECK-LABEL: func.func @copy
// CHECK-NEXT: pop.copy_
// CHECK-NEXT: return
func.func @copy(%r: !pop.ref<2xf32>, %t: tensor<2xf32>) {
  pop.copy_ %r, %t : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// Narrow floats are rounded once.
// CHECK-LABEL: func.func @scaled_add
// CHECK-SAME: %[[R:.*]]: !pop.ref<2xf16>, %[[T:.*]]: tensor<2xf16>
// CHECK-NEXT: %[[X:.*]] = pop.read %[[R]]
// CHECK-NEXT: %[[X32:.*]] = pop.cast %[[X]] : tensor<2xf16> to tensor<2xf32>
// CHECK-NEXT: %[[A:.*]] = pop.constant dense<5.000000e-01> : tensor<f32>
// CHECK-NEXT: %[[AX:.*]] = pop.mul %[[X32]], %[[A]]
// CHECK-NEXT: %[[T32:.*]] = pop.cast %[[T]] : tensor<2xf16> to tensor<2xf32>
// CHECK-NEXT: %[[SUM:.*]] = pop.add %[[AX]], %[[T32]] : tensor<2xf32>
// CHECK-NEXT: %[[Y:.*]] = pop.cast %[[SUM]] : tensor<2xf32> to tensor<2xf16>
// CHECK-NEXT: pop.copy_ %[[R]], %[[Y]]
func.func @scaled_add(%r: !pop.ref<2xf16>, %t: tensor<2xf16>) {
  pop.scaled_add_ %r, %t {a = 0.5 : f64} : !pop.ref<2xf16>, tensor<2xf16>
  return
}

// CHECK-LABEL: func.func @scaled_add_tensors
// CHECK-SAME: tensor<2xf32>, %[[A:.*]]: tensor<f32>, %[[B:.*]]: tensor<f16>
// CHECK: %[[AX:.*]] = pop.mul %{{.*}}, %[[A]]
// CHECK-NEXT: %[[B32:.*]] = pop.cast %[[B]] : tensor<f16> to tensor<f32>
// CHECK-NEXT: %[[BT:.*]] = pop.mul %{{.*}}, %[[B32]]
// CHECK-NEXT: pop.add %[[AX]], %[[BT]]
func.func @scaled_add_tensors(%r: !pop.ref<2xf32>, %t: tensor<2xf32>, %a: tensor<f32>, %b: tensor<f16>) {
  pop.scaled_add_ %r, %t scale(%a, %b : tensor<f32>, tensor<f16>) : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @add
// CHECK-NEXT: %[[R:.*]] = pop.read
// CHECK-NEXT: %[[X:.*]] = pop.cast %{{.*}} : tensor<2xf16> to tensor<2xf32>
// CHECK-NEXT: %[[F:.*]] = pop.constant dense<2.500000e-01> : tensor<f32>
// CHECK-NEXT: %[[FX:.*]] = pop.mul %[[X]], %[[F]]
// CHECK-NEXT: %[[Y:.*]] = pop.add %[[R]], %[[FX]]
// CHECK-NEXT: pop.copy_ %{{.*}}, %[[Y]]
func.func @add(%r: !pop.ref<2xf32>, %x: tensor<2xf16>) {
  pop.accumulate_ add %r, %x {factor = 0.25 : f64} : !pop.ref<2xf32>, tensor<2xf16>
  return
}

// CHECK-LABEL: func.func @square
// CHECK: %[[R:.*]] = pop.read
// CHECK-NEXT: %[[X2:.*]] = pop.mul %[[X:.*]], %[[X]]
// CHECK-NEXT: %[[FX:.*]] = pop.mul %[[X2]], %{{.*}} : (tensor<2xf32>, tensor<f32>)
// CHECK-NEXT: pop.add %[[R]], %[[FX]]
func.func @square(%r: !pop.ref<2xf32>, %x: tensor<2xf32>, %f: tensor<f32>) {
  pop.accumulate_ square %r, %x factor(%f : tensor<f32>) : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @mean
// CHECK: %[[R:.*]] = pop.read
// CHECK-NEXT: %[[S:.*]] = pop.cast %{{.*}} : tensor<i32> to tensor<f32>
// CHECK-NEXT: %[[ONE:.*]] = pop.constant dense<1.0{{.*}}> : tensor<f32>
// CHECK-NEXT: %[[NEXT:.*]] = pop.add %[[S]], %[[ONE]]
// CHECK-NEXT: %[[OLD:.*]] = pop.div %[[S]], %[[NEXT]]
// CHECK-NEXT: %[[A:.*]] = pop.mul %[[R]], %[[OLD]]
// CHECK-NEXT: %[[NEW:.*]] = pop.div %[[ONE]], %[[NEXT]]
// CHECK-NEXT: %[[B:.*]] = pop.mul %{{.*}}, %[[NEW]]
// CHECK-NEXT: pop.add %[[A]], %[[B]]
func.func @mean(%r: !pop.ref<2xf32>, %x: tensor<2xf32>, %s: tensor<i32>) {
  pop.accumulate_ mean %r, %x step(%s : tensor<i32>) : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// The rest to 1 has the same bits whether the factor is known or not.
// CHECK-LABEL: func.func @moving_average
// CHECK: %[[R:.*]] = pop.read
// CHECK-NEXT: %[[F:.*]] = pop.constant dense<0.899999976> : tensor<f32>
// CHECK-NEXT: %[[G:.*]] = pop.constant dense<0.100000024> : tensor<f32>
// CHECK-NEXT: %[[A:.*]] = pop.mul %[[R]], %[[F]]
// CHECK-NEXT: %[[B:.*]] = pop.mul %{{.*}}, %[[G]]
// CHECK-NEXT: pop.add %[[A]], %[[B]]
func.func @moving_average(%r: !pop.ref<2xf32>, %x: tensor<2xf32>) {
  pop.accumulate_ moving_average %r, %x {factor = 0.9 : f64} : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @moving_average_square
// CHECK-SAME: tensor<2xf32>, %[[F:.*]]: tensor<f32>
// CHECK: %[[R:.*]] = pop.read
// CHECK: %[[X2:.*]] = pop.mul %[[X:.*]], %[[X]]
// CHECK: %[[G:.*]] = pop.sub %{{.*}}, %[[F]]
// CHECK-NEXT: %[[A:.*]] = pop.mul %[[R]], %[[F]]
// CHECK-NEXT: %[[B:.*]] = pop.mul %[[X2]], %[[G]]
// CHECK-NEXT: pop.add %[[A]], %[[B]]
func.func @moving_average_square(%r: !pop.ref<2xf32>, %x: tensor<2xf32>, %f: tensor<f32>) {
  pop.accumulate_ moving_average_square %r, %x factor(%f : tensor<f32>) : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @infinity
// CHECK: %[[R:.*]] = pop.read
// CHECK-NEXT: %[[X:.*]] = pop.abs
// CHECK-NEXT: %[[Y:.*]] = pop.max %[[R]], %[[X]]
// CHECK-NEXT: pop.copy_ %{{.*}}, %[[Y]]
func.func @infinity(%r: !pop.ref<2xf32>, %x: tensor<2xf32>) {
  pop.accumulate_ infinity %r, %x : !pop.ref<2xf32>, tensor<2xf32>
  return
}
