// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK: pop.variable @w : tensor<2xf32> = dense<1.000000e+00> : tensor<2xf32>{{$}}
pop.variable @w : tensor<2xf32> = dense<1.0> : tensor<2xf32>
// CHECK: pop.stream @x host_to_device : tensor<2xf32>{{$}}
pop.stream @x host_to_device : tensor<2xf32>

// CHECK: func.func private @step(
func.func private @step(%w: !pop.ref<2xf32>, %x: tensor<2xf32>) {
  // CHECK: pop.add_ %{{.*}}, %{{.*}} : !pop.ref<2xf32>, tensor<2xf32>{{$}}
  pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  return
}

// CHECK-LABEL: func.func @call(
func.func @call() -> tensor<2xf32> {
  // CHECK: pop.get_variable @w : !pop.ref<2xf32>{{$}}
  %w = pop.get_variable @w : !pop.ref<2xf32>
  // CHECK: pop.host_load @x : tensor<2xf32>{{$}}
  %x = pop.host_load @x : tensor<2xf32>
  // CHECK: call @step(%{{.*}}, %{{.*}}) : (!pop.ref<2xf32>, tensor<2xf32>) -> (){{$}}
  func.call @step(%w, %x) : (!pop.ref<2xf32>, tensor<2xf32>) -> ()
  // CHECK: pop.read %{{.*}} : !pop.ref<2xf32>{{$}}
  %y = pop.read %w : !pop.ref<2xf32>
  return %y : tensor<2xf32>
}

// CHECK-LABEL: func.func @loop(
func.func @loop(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // CHECK: pop.get_variable @w : !pop.ref<2xf32>{{$}}
  %w = pop.get_variable @w : !pop.ref<2xf32>
  // CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} {
  scf.for %i = %c0 to %n step %c1 {
    // CHECK: pop.host_load @x : tensor<2xf32>{{$}}
    %x = pop.host_load @x : tensor<2xf32>
    // CHECK: pop.from_scalar %{{.*}} : index to tensor<i32>{{$}}
    %t = pop.from_scalar %i : index to tensor<i32>
    // CHECK: func.call @step(%{{.*}}, %{{.*}}) : (!pop.ref<2xf32>, tensor<2xf32>) -> (){{$}}
    func.call @step(%w, %x) : (!pop.ref<2xf32>, tensor<2xf32>) -> ()
  }
  return
}

// CHECK-LABEL: func.func @branch(
func.func @branch(%p: tensor<i1>, %w: !pop.ref<2xf32>, %x: tensor<2xf32>) {
  // CHECK: tensor.extract %{{.*}}[] : tensor<i1>{{$}}
  %c = tensor.extract %p[] : tensor<i1>
  // CHECK: scf.if %{{.*}} {
  scf.if %c {
    // CHECK: pop.add_ %{{.*}}, %{{.*}} : !pop.ref<2xf32>, tensor<2xf32>{{$}}
    pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
  }
  return
}

// CHECK-LABEL: func.func @sequence(
func.func @sequence(%w: !pop.ref<2xf32>, %x: tensor<2xf32>) -> tensor<2xf32> {
  // CHECK: pop.in_sequence {
  %y = pop.in_sequence {
    // CHECK: pop.add_ %{{.*}}, %{{.*}} : !pop.ref<2xf32>, tensor<2xf32>{{$}}
    pop.add_ %w, %x : !pop.ref<2xf32>, tensor<2xf32>
    // CHECK: pop.read %{{.*}} : !pop.ref<2xf32>{{$}}
    %0 = pop.read %w : !pop.ref<2xf32>
    // CHECK: pop.yield %{{.*}} : tensor<2xf32>{{$}}
    pop.yield %0 : tensor<2xf32>
  } : tensor<2xf32>
  // CHECK: pop.in_sequence {
  pop.in_sequence {
    // CHECK: func.call @step(%{{.*}}, %{{.*}}) : (!pop.ref<2xf32>, tensor<2xf32>) -> (){{$}}
    func.call @step(%w, %y) : (!pop.ref<2xf32>, tensor<2xf32>) -> ()
    // CHECK: pop.zero_ %{{.*}} : !pop.ref<2xf32>{{$}}
    pop.zero_ %w : !pop.ref<2xf32>
  }
  return %y : tensor<2xf32>
}
