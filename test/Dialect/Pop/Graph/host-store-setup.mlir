// RUN: ipu-opt %s --split-input-file --pop-host-store-setup --verify-diagnostics | FileCheck %s

// The example of the pass.
//
// CHECK:       pop.stream @y device_to_host : tensor<4xf32>
// CHECK-LABEL: func.func @main() {
// CHECK-NEXT:    %[[Y:.+]] = pop.constant
// CHECK-NEXT:    pop.host_store %[[Y]], @y : tensor<4xf32>
// CHECK-NEXT:    return
func.func @main() -> (tensor<4xf32> {pop.name = "y"}) {
  %0 = pop.constant dense<1.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A value that is returned twice is stored twice; a store is placed where the
// value is made, but is not a part of what makes it.
//
// CHECK-DAG:   pop.stream @result0 device_to_host : tensor<4xf32>
// CHECK-DAG:   pop.stream @result1 device_to_host : tensor<4xf32>
// CHECK-DAG:   pop.stream @x device_to_host : tensor<4xf32>
// CHECK-LABEL: func.func @main(%{{.*}}: tensor<4xf32>) {
// CHECK:         pop.host_store %[[Y:.+]], @result0 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:    pop.host_store %[[Y]], @result1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:    pop.host_store %{{.*}}, @x {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:    return
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32> {pop.name = "x"}) {
  %0 = pop.exp %x {pop.vgraph = 1 : i64, pop.stage = 1 : i64, pop.recompute = #pop<recompute checkpoint>} : tensor<4xf32>
  return %0, %0, %x : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op has result #0 of type 'index', but the host exchanges only pop tensors}}
func.func @main(%i: index) -> index {
  return %i : index
}

// -----

// expected-error@+1 {{'func.func' op is the entry function and has callers, but 'pop-host-store-setup' expects none}}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @other(%x: tensor<4xf32>) {
  // expected-note@+1 {{it is called here}}
  %0 = call @main(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return
}

// -----

// A store is where its value is: where a copy copies to, where an argument is.
//
// CHECK-LABEL: func.func @main(
// CHECK:         %[[C:.+]] = pop.ipu_copy
// CHECK:         pop.host_store %[[C]], @result0 {pop.vgraph = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:    pop.host_store %{{.*}}, @result1 {pop.stage = 3 : i64, pop.vgraph = 2 : i64} : tensor<4xf32>
func.func @main(%x: tensor<4xf32> {pop.vgraph = 2 : i64}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.ipu_copy %0 from 0 to 1 : tensor<4xf32>
  %2 = pop.exp %x {pop.vgraph = 2 : i64, pop.stage = 3 : i64} : tensor<4xf32>
  return %1, %x : tensor<4xf32>, tensor<4xf32>
}

// -----

// What a constant does not say of its store is as for an op of the same stage, or
// of the last one.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.host_store %{{.*}}, @result0 {pop.phase = 4 : i64, pop.stage = 2 : i64, pop.vgraph = 0 : i64}
// CHECK-NEXT:    pop.host_store %{{.*}}, @result1 {pop.phase = 5 : i64, pop.stage = 3 : i64, pop.vgraph = 1 : i64}
func.func @main(%x: tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %x {pop.vgraph = 0 : i64, pop.stage = 2 : i64, pop.phase = 4 : i64} : tensor<4xf32>
  %1 = pop.constant {pop.vgraph = 0 : i64, pop.stage = 2 : i64} dense<1.0> : tensor<4xf32>
  %2 = pop.exp %x {pop.vgraph = 1 : i64, pop.stage = 3 : i64, pop.phase = 5 : i64} : tensor<4xf32>
  %3 = pop.constant dense<2.0> : tensor<4xf32>
  return %1, %3 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A value that a loop or a branch passes on is where the op that computes it is.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.host_store %{{.*}}#0, @result0 {pop.vgraph = 1 : i64}
// CHECK-NEXT:    pop.host_store %{{.*}}#1, @result1 {pop.stage = 2 : i64, pop.vgraph = 0 : i64}
func.func @main(%x: tensor<4xf32> {pop.vgraph = 0 : i64}, %p: i1) -> (tensor<4xf32>, tensor<4xf32>) {
  %y = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0:2 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y, %b = %x) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = scf.if %p -> tensor<4xf32> {
      %2 = pop.exp %a {pop.vgraph = 1 : i64} : tensor<4xf32>
      scf.yield %2 : tensor<4xf32>
    } else {
      scf.yield %a : tensor<4xf32>
    }
    %3 = pop.exp %b {pop.stage = 2 : i64, pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %1, %3 : tensor<4xf32>, tensor<4xf32>
  }
  return %0#0, %0#1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// The first value of a loop may be a constant, which is nowhere: the store is
// where the op in the loop is, and not where the last op of the program is.
//
// CHECK-LABEL: func.func @main(
// CHECK:         pop.host_store %{{.*}}, @result0 {pop.vgraph = 0 : i64}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %zero = pop.constant dense<0.0> : tensor<4xf32>
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero) -> tensor<4xf32> {
    %1 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    %2 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
