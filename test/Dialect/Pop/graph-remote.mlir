// RUN: ipu-opt %s | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --mlir-print-op-generic | ipu-opt | FileCheck %s
// RUN: ipu-opt %s --emit-bytecode | ipu-opt | FileCheck %s

// CHECK: pop.remote_buffer @b : 3 x tensor<2x2xf32>{{$}}
pop.remote_buffer @b : 3 x tensor<2x2xf32>
// CHECK: pop.remote_buffer @c : 1 x tensor<i8>{{$}}
pop.remote_buffer @c : 1 x tensor<i8>
// CHECK: pop.stream @x host_to_device : tensor<2x2xf32>{{$}}
pop.stream @x host_to_device : tensor<2x2xf32>
// CHECK: pop.stream @y device_to_host : tensor<2x2xf32>{{$}}
pop.stream @y device_to_host : tensor<2x2xf32>

// CHECK-LABEL: func.func @rows(
func.func @rows(%row: tensor<i32>) {
  // CHECK: pop.remote_load @b[2] : tensor<2x2xf32>{{$}}
  %s = pop.remote_load @b[2] : tensor<2x2xf32>
  // CHECK: pop.remote_load @b{{\[}}%{{.*}}] : tensor<2x2xf32>{{$}}
  %d = pop.remote_load @b[%row] : tensor<2x2xf32>
  // CHECK: pop.remote_store %{{.*}}, @b[0] : tensor<2x2xf32>{{$}}
  pop.remote_store %s, @b[0] : tensor<2x2xf32>
  // CHECK: pop.remote_store %{{.*}}, @b{{\[}}%{{.*}}] : tensor<2x2xf32>{{$}}
  pop.remote_store %s, @b[%row] : tensor<2x2xf32>
  return
}

// CHECK-LABEL: func.func @exchange(
func.func @exchange(%t: tensor<2x2xf32>, %row: tensor<i32>) -> tensor<2x2xf32> {
  // CHECK: pop.remote_exchange {
  %a, %b = pop.remote_exchange {
    // CHECK: pop.remote_load @b[0] : tensor<2x2xf32>{{$}}
    %0 = pop.remote_load @b[0] : tensor<2x2xf32>
    // CHECK: pop.host_load @x : tensor<2x2xf32>{{$}}
    %1 = pop.host_load @x : tensor<2x2xf32>
    // CHECK: pop.remote_load @b[0] : tensor<2x2xf32>{{$}}
    %2 = pop.remote_load @b[0] : tensor<2x2xf32>
    // CHECK: pop.remote_load @c{{\[}}%{{.*}}] : tensor<i8>{{$}}
    %3 = pop.remote_load @c[%row] : tensor<i8>
    // CHECK: pop.remote_load @c{{\[}}%{{.*}}] : tensor<i8>{{$}}
    %4 = pop.remote_load @c[%row] : tensor<i8>
    // CHECK: pop.remote_store %{{.*}}, @b[1] : tensor<2x2xf32>{{$}}
    pop.remote_store %t, @b[1] : tensor<2x2xf32>
    // CHECK: pop.remote_store %{{.*}}, @b[2] : tensor<2x2xf32>{{$}}
    pop.remote_store %t, @b[2] : tensor<2x2xf32>
    // CHECK: pop.host_store %{{.*}}, @y : tensor<2x2xf32>{{$}}
    pop.host_store %t, @y : tensor<2x2xf32>
    // CHECK: pop.remote_code_load @g to executable{{$}}
    pop.remote_code_load @g to executable
    // CHECK: pop.yield %{{.*}}, %{{.*}} : tensor<2x2xf32>, tensor<2x2xf32>{{$}}
    pop.yield %0, %1 : tensor<2x2xf32>, tensor<2x2xf32>
  } : tensor<2x2xf32>, tensor<2x2xf32>
  // CHECK: pop.remote_exchange {
  pop.remote_exchange {
    // CHECK: pop.remote_store %{{.*}}, @b{{\[}}%{{.*}}] : tensor<2x2xf32>{{$}}
    pop.remote_store %a, @b[%row] : tensor<2x2xf32>
  }
  return %b : tensor<2x2xf32>
}

// CHECK-LABEL: func.func @g(
func.func @g() attributes {no_inline} {
  return
}
