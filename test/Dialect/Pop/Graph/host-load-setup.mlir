// RUN: ipu-opt %s --split-input-file --pop-host-load-setup --verify-diagnostics | FileCheck %s

// The example of the pass.
//
// CHECK:       pop.stream @x host_to_device broadcast : tensor<4xf32>
// CHECK-LABEL: func.func @main() -> tensor<4xf32> {
// CHECK-NEXT:    %[[X:.+]] = pop.host_load @x : tensor<4xf32>
// CHECK-NEXT:    %[[Y:.+]] = pop.relu %[[X]]
// CHECK-NEXT:    return %[[Y]]
func.func @main(%x: tensor<4xf32> {pop.name = "x"}) -> tensor<4xf32> {
  %0 = pop.relu %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

// A load is placed as the argument is, else beside the first op that uses it.
// Arguments without a name are called by their number.
//
// CHECK:       pop.stream @a host_to_device broadcast : tensor<4xf32>
// CHECK:       pop.stream @arg1 host_to_device broadcast : tensor<4xf32>
// CHECK:       pop.stream @unused host_to_device broadcast : tensor<i32>
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    %[[A:.+]] = pop.host_load @a {pop.tile_set = #pop<tile_set io>, pop.vgraph = 0 : i64} : tensor<4xf32>
// CHECK-NEXT:    %[[B:.+]] = pop.host_load @arg1 {pop.stage = 1 : i64, pop.vgraph = 1 : i64} : tensor<4xf32>
// CHECK-NEXT:    pop.host_load @unused {pop.vgraph = 2 : i64} : tensor<i32>
// CHECK:         pop.exp %[[B]]
func.func @main(%a: tensor<4xf32> {pop.name = "a", pop.vgraph = 0 : i64, pop.tile_set = #pop<tile_set io>}, %b: tensor<4xf32>, %c: tensor<i32> {pop.name = "unused"}) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.exp %a {pop.vgraph = 2 : i64} : tensor<4xf32>
  %1 = pop.exp %b {pop.vgraph = 1 : i64, pop.stage = 1 : i64, pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  %2 = pop.add %0, %b {pop.vgraph = 0 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %1, %2 : tensor<4xf32>, tensor<4xf32>
}

// -----

// What an argument is without the host, its stream is.
//
// CHECK:       pop.stream @w host_to_device broadcast : tensor<2xf32> {default_value = dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf32>}
// CHECK-LABEL: func.func @main()
func.func @main(%w: tensor<2xf32> {pop.default = dense<[1.0, 2.0]> : tensor<2xf32>, pop.name = "w"}) -> tensor<2xf32> {
  return %w : tensor<2xf32>
}

// -----

// Only the entry function changes.
//
// CHECK-LABEL: func.func private @f(%{{.*}}: tensor<4xf32>)
// CHECK-LABEL: func.func @main()
// CHECK:         call @f(%{{.*}})
func.func private @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = call @f(%x) : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

pop.variable @x : tensor<4xf32> = dense<0.0> : tensor<4xf32>
// expected-warning@+1 {{the name 'x' is already used; the host must use 'x_0' for arg0}}
func.func @main(%x: tensor<4xf32> {pop.name = "x"}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op has argument #1 of type '!pop.ref<4xf32>', but the host exchanges only pop tensors}}
func.func @main(%x: tensor<4xf32>, %r: !pop.ref<4xf32>) {
  return
}

// -----

// expected-error@+1 {{'func.func' op is the entry function and has callers, but 'pop-host-load-setup' expects none}}
func.func @main(%x: tensor<4xf32>) {
  return
}
func.func @other(%x: tensor<4xf32>) {
  // expected-note@+1 {{it is called here}}
  call @main(%x) : (tensor<4xf32>) -> ()
  return
}

// -----

// expected-error@below {{'pop-host-load-setup' expects a function 'main' with a body, or one function only}}
module {
  func.func @a(%x: tensor<4xf32>) {
    return
  }
  func.func @b(%x: tensor<4xf32>) {
    return
  }
}

// -----

// expected-error@+1 {{'func.func' op has 2 blocks but 'pop-host-load-setup' expects one}}
func.func @main(%x: tensor<4xf32>) {
  cf.br ^bb1
^bb1:
  return
}

// -----

// Each replica gets a tensor of its own.
//
// CHECK:       pop.stream @each_replica host_to_device : tensor<4xf32>
// CHECK-LABEL: func.func @each() -> tensor<4xf32> {
// CHECK-NEXT:    pop.host_load @each_replica
func.func @each(%x: tensor<4xf32> {pop.name = "each_replica", pop.groups = #pop.replica_groups<stride = 1, size = 1>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// expected-error@+1 {{'func.func' op has argument #0 with groups of 2 replicas; a stream has one tensor for all replicas or one for each replica}}
func.func @main(%x: tensor<4xf32> {pop.groups = #pop.replica_groups<stride = 1, size = 2>}) -> tensor<4xf32> {
  return %x : tensor<4xf32>
}

// -----

// An argument that is not used is where the first op is that is no constant:
// constants do not have all attributes.
//
// CHECK-LABEL: func.func @unused_argument() -> tensor<4xf32> {
// CHECK-NEXT:    pop.host_load @arg0 {pop.phase = 1 : i64, pop.vgraph = 0 : i64}
func.func @unused_argument(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.constant {pop.vgraph = 0 : i64} dense<1.0> : tensor<4xf32>
  %1 = pop.exp %0 {pop.vgraph = 0 : i64, pop.phase = 1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// The batch axis of an argument is that of its load. It is no placement.
//
// CHECK-LABEL: func.func @batch_axis() -> tensor<4xf32> {
// CHECK-NEXT:    pop.host_load @arg0 {pop.batch_axis = 0 : i64, pop.vgraph = 1 : i64}
func.func @batch_axis(%x: tensor<4xf32> {pop.batch_axis = 0 : i64}) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 1 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}
