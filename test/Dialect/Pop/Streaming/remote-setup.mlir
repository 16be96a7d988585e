// RUN: ipu-opt %s --split-input-file --pop-remote-setup=variables=weights,optimizer,accumulators | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-remote-setup="variables=weights,optimizer,accumulators min-elements=5" 2>&1 | FileCheck %s --check-prefix=LARGE

// Variables of one class and type share a buffer, a load is next to its use, and a
// store follows the op that computes the tensor. Scalars stay on the chip.

// CHECK: pop.remote_buffer @remote_w : 2 x tensor<4xf32>
// CHECK: pop.variable @w : {{.*}} {buffer = @remote_w, row = 0 : i64}
// CHECK: pop.variable @v : {{.*}} {buffer = @remote_w, row = 1 : i64}
// CHECK: pop.remote_buffer @remote_Accl___w : 1 x tensor<4xf32>
// CHECK: pop.variable @Accl___w : {{.*}} {buffer = @remote_Accl___w, row = 0 : i64}
// CHECK: pop.variable @Step___w : tensor<f32> = dense<0.000000e+00> : tensor<f32>{{$}}
// CHECK-LABEL: func.func @main
// CHECK: %[[step:.*]] = pop.get_variable @Step___w
// CHECK: %[[x:.*]] = pop.host_load
// CHECK-NEXT: %[[w:.*]] = pop.remote_load @remote_w[0]
// CHECK-NEXT: %[[a:.*]] = pop.mul %[[x]], %[[w]]
// CHECK-NEXT: %[[v:.*]] = pop.remote_load @remote_w[1]
// CHECK-NEXT: %[[b:.*]] = pop.mul %[[a]], %[[v]]
// CHECK-NEXT: pop.host_store %[[b]]

// The update loads w again, because v was used in between. The new state is on the tiles.
// CHECK-NEXT: %[[m:.*]] = pop.remote_load @remote_Accl___w[0]
// CHECK-NEXT: %[[n:.*]] = pop.accumulate add %[[m]], %[[b]]
// CHECK-NEXT: pop.remote_store %[[n]], @remote_Accl___w[0]
// CHECK-NEXT: %[[w2:.*]] = pop.remote_load @remote_w[0]
// CHECK-NEXT: %[[new:.*]] = pop.sub %[[w2]], %[[n]]
// CHECK-NEXT: pop.remote_store %[[new]], @remote_w[0]
// CHECK-NEXT: pop.zero_ %[[step]]
// CHECK-NEXT: return

// LARGE: warning: 'pop-remote-setup' changes no variable, because option 'variables' selects none of at least 5 elements that can be changed; expects variables on the chip whose accesses read or write the whole tensor
module {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @v : tensor<4xf32> = dense<2.0> : tensor<4xf32>
  pop.variable @Accl___w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  pop.variable @Step___w : tensor<f32> = dense<0.0> : tensor<f32>
  pop.stream @x host_to_device : tensor<4xf32>
  pop.stream @y device_to_host : tensor<4xf32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    %rv = pop.get_variable @v : !pop.ref<4xf32>
    %rm = pop.get_variable @Accl___w : !pop.ref<4xf32>
    %step = pop.get_variable @Step___w : !pop.ref<f32>
    %w = pop.read %rw : !pop.ref<4xf32>
    %v = pop.read %rv : !pop.ref<4xf32>
    %x = pop.host_load @x : tensor<4xf32>
    %a = pop.mul %x, %w : tensor<4xf32>
    %b = pop.mul %a, %v : tensor<4xf32>
    pop.host_store %b, @y : tensor<4xf32>
    pop.accumulate_ add %rm, %b : !pop.ref<4xf32>, tensor<4xf32>
    %m = pop.read %rm : !pop.ref<4xf32>
    %new = pop.sub %w, %m : tensor<4xf32>
    pop.zero_ %step : !pop.ref<f32>
    pop.copy_ %rw, %new : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// The states of a weight are loaded together, and stored together.

// CHECK-LABEL: func.func @states
// CHECK-NEXT: %[[x:.*]] = pop.host_load
// CHECK-NEXT: %[[m:.*]] = pop.remote_load @remote_Accl1___w[0]
// CHECK-NEXT: %[[v:.*]] = pop.remote_load @remote_Accl1___w[1]
// CHECK-NEXT: %[[n:.*]] = pop.accumulate moving_average %[[m]]
// CHECK-NEXT: %[[u:.*]] = pop.accumulate moving_average_square %[[v]]
// CHECK-NEXT: pop.remote_store %[[n]], @remote_Accl1___w[0]
// CHECK-NEXT: pop.remote_store %[[u]], @remote_Accl1___w[1]
module {
  pop.variable @Accl1___w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  pop.variable @Accl2___w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  pop.stream @x host_to_device : tensor<4xf32>
  func.func @states() {
    %rm = pop.get_variable @Accl1___w : !pop.ref<4xf32>
    %rv = pop.get_variable @Accl2___w : !pop.ref<4xf32>
    %x = pop.host_load @x : tensor<4xf32>
    pop.accumulate_ moving_average %rm, %x {factor = 0.9 : f64} : !pop.ref<4xf32>, tensor<4xf32>
    pop.accumulate_ moving_average_square %rv, %x {factor = 0.99 : f64} : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// Loads do not pass a write: %old is the tensor before it. Buffers are on one IPU.

// CHECK: pop.remote_buffer @remote_a : 1 x
// CHECK: pop.remote_buffer @remote_b : 1 x
// CHECK-LABEL: func.func @main
// CHECK-NEXT: %[[old:.*]] = pop.remote_load @remote_a[0] {pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[x:.*]] = pop.constant
// CHECK-NEXT: pop.remote_store %[[x]], @remote_a[0] {pop.vgraph = 0 : i64}
// CHECK-NEXT: pop.host_store %[[old]], @y
// CHECK-NEXT: %[[b:.*]] = pop.remote_load @remote_b[0] {pop.vgraph = 1 : i64}
// CHECK-NEXT: pop.host_store %[[b]], @y
module {
  pop.variable @a : tensor<8xf32> = dense<1.0> : tensor<8xf32>
  pop.variable @b : tensor<8xf32> = dense<1.0> : tensor<8xf32>
  pop.stream @y device_to_host : tensor<8xf32>
  func.func @main() {
    %ra = pop.get_variable @a {pop.vgraph = 0 : i64} : !pop.ref<8xf32>
    %rb = pop.get_variable @b {pop.vgraph = 1 : i64} : !pop.ref<8xf32>
    %old = pop.read %ra {pop.vgraph = 0 : i64} : !pop.ref<8xf32>
    %b = pop.read %rb {pop.vgraph = 1 : i64} : !pop.ref<8xf32>
    %x = pop.constant dense<3.0> : tensor<8xf32>
    pop.copy_ %ra, %x {pop.vgraph = 0 : i64} : !pop.ref<8xf32>, tensor<8xf32>
    pop.host_store %old, @y {pop.vgraph = 0 : i64} : tensor<8xf32>
    pop.host_store %b, @y {pop.vgraph = 1 : i64} : tensor<8xf32>
    return
  }
}

// -----

// Roles of training, stages and phases load for themselves. A variable that is
// accessed by a view stays on the chip if only its class selects it.

// CHECK: pop.remote_buffer @remote_w : 1 x
// CHECK: pop.variable @u : tensor<8xf32> = dense<1.000000e+00> : tensor<8xf32>{{$}}
// CHECK-LABEL: func.func @main
// CHECK: %[[w:.*]] = pop.remote_load @remote_w[0] {pop.stage = 0 : i64, pop.vgraph = 0 : i64}
// CHECK-NEXT: %[[a:.*]] = pop.exp %[[w]]
// CHECK-NEXT: %[[v:.*]] = pop.remote_load @remote_w[0] {pop.stage = 1 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64}
// CHECK-NEXT: pop.mul %[[a]], %[[v]]
module {
  pop.variable @w : tensor<8xf32> = dense<1.0> : tensor<8xf32>
  pop.variable @u : tensor<8xf32> = dense<1.0> : tensor<8xf32>
  pop.stream @y device_to_host : tensor<8xf32>
  func.func @main() {
    %ru = pop.get_variable @u : !pop.ref<8xf32>
    %view = pop.ref_reshape %ru : !pop.ref<8xf32> to !pop.ref<2x4xf32>
    pop.zero_ %view : !pop.ref<2x4xf32>
    %rw = pop.get_variable @w : !pop.ref<8xf32>
    %w = pop.read %rw {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : !pop.ref<8xf32>
    %a = pop.exp %w {pop.stage = 0 : i64, pop.vgraph = 0 : i64} : tensor<8xf32>
    %b = pop.mul %a, %w {pop.stage = 1 : i64, pop.training_role = "backward", pop.vgraph = 0 : i64} : tensor<8xf32>
    pop.host_store %b, @y {pop.stage = 1 : i64, pop.vgraph = 0 : i64} : tensor<8xf32>
    return
  }
}
