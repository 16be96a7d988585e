// Programs of the host that do not fit the program of the device.
//
// RUN: split-file %s %t
// RUN: not ipu-run %t/type.mlir --target tiles=4 2>&1 | FileCheck %s --check-prefix=TYPE
// TYPE: type.mlir:1:1: error: 'ipu.stream' op expects the variable of this name in the program of the host to have type 'tensor<4xf32>' but got 'tensor<2xf32>'
// RUN: not ipu-run %t/gradient.mlir --target tiles=4 2>&1 | FileCheck %s --check-prefix=GRADIENT
// GRADIENT: gradient.mlir:1:1: error: 'ipu.stream' op expects the input of this name in the program of the host to have type 'tensor<4xf32>' but got 'tensor<2xf32>'
// RUN: not ipu-run %t/entry.mlir --target tiles=4 2>&1 | FileCheck %s --check-prefix=ENTRY
// ENTRY: entry.mlir:7:1: error: {{.*}}main

//--- type.mlir
pop.stream @w host_to_device broadcast : tensor<4xf32>
pop.stream @y device_to_host : tensor<4xf32>
func.func @main() {
  %w = pop.host_load @w : tensor<4xf32>
  pop.host_store %w, @y : tensor<4xf32>
  return
}
module @host_program {
  pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
  func.func @main() {
    %r = pop.get_variable @w : !pop.ref<2xf32>
    pop.zero_ %r : !pop.ref<2xf32>
    return
  }
}

//--- gradient.mlir
pop.stream @g device_to_host : tensor<4xf32>
func.func @main() {
  %g = pop.constant dense<1.0> : tensor<4xf32>
  pop.host_store %g, @g : tensor<4xf32>
  return
}
module @host_program {
  pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
  pop.stream @g host_to_device : tensor<2xf32>
  func.func @main() {
    %g = pop.host_load @g : tensor<2xf32>
    %r = pop.get_variable @w : !pop.ref<2xf32>
    pop.copy_ %r, %g : !pop.ref<2xf32>, tensor<2xf32>
    return
  }
}

//--- entry.mlir
pop.stream @g device_to_host : tensor<4xf32>
func.func @main() {
  %g = pop.constant dense<1.0> : tensor<4xf32>
  pop.host_store %g, @g : tensor<4xf32>
  return
}
module @host_program {
}
