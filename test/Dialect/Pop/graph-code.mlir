// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK-LABEL: func.func @g(
func.func @g() attributes {no_inline} {
  return
}
// CHECK-LABEL: func.func @h(
func.func @h() attributes {no_inline} {
  return
}

// CHECK-LABEL: func.func @main(
func.func @main() {
  // CHECK: pop.remote_code_load @g to executable{{$}}
  pop.remote_code_load @g to executable
  // CHECK: pop.remote_code_load [@g, @h] to io_buffer{{$}}
  pop.remote_code_load [@g, @h] to io_buffer
  // CHECK: pop.remote_code_load @h to compute_buffer{{$}}
  pop.remote_code_load @h to compute_buffer
  // CHECK: pop.code_copy @g from io_buffer to executable{{$}}
  pop.code_copy @g from io_buffer to executable
  // CHECK: pop.code_copy [@g, @h] from executable to compute_buffer{{$}}
  pop.code_copy [@g, @h] from executable to compute_buffer
  return
}
