// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-main-loops{batches-per-step=2 accumulation-factor=3})" --verify-contracts | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-main-loops{batches-per-step=4})" | FileCheck %s --check-prefix=BATCHES
// RUN: ipu-opt %s --split-input-file --pass-pipeline="builtin.module(pop-main-loops{accumulation-factor=4})" | FileCheck %s --check-prefix=PARTS

// The context of an op says where it goes. Streams move a tensor for each
// iteration. Handles and constants stay before the loops, without a context.
//
// CHECK:       pop.stream @x host_to_device : tensor<4xf32> {transfers = 6 : i64}
// CHECK:       pop.stream @lr host_to_device broadcast : tensor<f32> {transfers = 2 : i64}
// CHECK-LABEL: func.func @main() -> tensor<f32> {
// CHECK:         %[[A:.+]] = pop.get_variable @a
// CHECK:         %[[W:.+]] = pop.get_variable @w : !pop.ref<4xf32>
// CHECK:         %[[ZERO:.+]] = pop.constant dense<0.000000e+00> : tensor<f32>
// CHECK:         %[[LOOP:.+]] = scf.for %{{.+}} = %c0{{.*}} to %c2{{.*}} step %c1{{.*}} iter_args(%[[S:.+]] = %[[ZERO]]) -> (tensor<f32>) {
// CHECK-NEXT:      %[[LR:.+]] = pop.host_load @lr : tensor<f32>
// CHECK:           %[[INNER:.+]] = scf.for %{{.+}} = %{{.+}} to %c3{{.*}} step %{{.+}} iter_args(%[[T:.+]] = %[[S]]) -> (tensor<f32>) {
// CHECK-NEXT:        %[[X:.+]] = pop.host_load @x
// CHECK-NEXT:        %[[LOSS:.+]] = pop.reduce sum %[[X]]
// CHECK-NEXT:        pop.add_ %[[A]], %[[X]]
// CHECK-NEXT:        %[[NEXT:.+]] = pop.add %[[T]], %[[LOSS]]
// CHECK-NEXT:        scf.yield %[[NEXT]]
// CHECK-NEXT:      }
// CHECK-NEXT:      %[[R:.+]] = pop.read %[[A]]
// CHECK-NEXT:      %[[STEP:.+]] = pop.mul %[[R]], %[[LR]]
// CHECK-NEXT:      pop.sub_ %[[W]], %[[STEP]]
// CHECK-NEXT:      scf.yield %[[INNER]]
// CHECK-NEXT:    }
// CHECK-NEXT:    return %[[LOOP]]

// Without parts there is one loop, in the order of the program.
//
// BATCHES:       pop.stream @x host_to_device : tensor<4xf32> {transfers = 4 : i64}
// BATCHES:       pop.stream @lr host_to_device broadcast : tensor<f32> {transfers = 4 : i64}
// BATCHES-LABEL: func.func @main() -> tensor<f32> {
// BATCHES:         scf.for %{{.+}} = %{{.+}} to %c4
// BATCHES-NOT:     scf.for
// BATCHES:           pop.host_load @x
// BATCHES-NEXT:      pop.reduce sum
// BATCHES-NEXT:      pop.add_
// BATCHES-NEXT:      pop.host_load @lr
// BATCHES-NEXT:      pop.read
// BATCHES-NEXT:      pop.mul
// BATCHES-NEXT:      pop.sub_
// BATCHES-NEXT:      pop.add
// BATCHES-NEXT:      scf.yield

// With one batch there is only the loop over its parts.
//
// PARTS:       pop.stream @x host_to_device : tensor<4xf32> {transfers = 4 : i64}
// PARTS:       pop.stream @lr host_to_device broadcast : tensor<f32>{{$}}
// PARTS-LABEL: func.func @main() -> tensor<f32> {
// PARTS:         pop.host_load @lr
// PARTS:         scf.for %{{.+}} = %{{.+}} to %c4
// PARTS-NEXT:      pop.host_load @x
// PARTS:           scf.yield
// PARTS:         pop.sub_
// PARTS-NEXT:    return
pop.stream @x host_to_device : tensor<4xf32>
pop.stream @lr host_to_device broadcast : tensor<f32>
pop.variable @a : tensor<4xf32> = dense<0.0> : tensor<4xf32>
pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
func.func @main() -> (tensor<f32> {pop.anchor = #pop.anchor<sum>}) {
  %x = pop.host_load @x : tensor<4xf32>
  %loss = pop.reduce sum %x {axes = array<i64: 0>} : tensor<4xf32> -> tensor<f32>
  %a = pop.get_variable @a : !pop.ref<4xf32>
  pop.add_ %a, %x : !pop.ref<4xf32>, tensor<4xf32>
  %lr = pop.host_load @lr {pop.execution_context = #pop<execution_context optimizer_from_host>} : tensor<f32>
  %w = pop.get_variable @w {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<4xf32>
  %r = pop.read %a {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<4xf32>
  %s = pop.mul %r, %lr {pop.execution_context = #pop<execution_context accumulate_outer>} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  pop.sub_ %w, %s {pop.execution_context = #pop<execution_context accumulate_outer>} : !pop.ref<4xf32>, tensor<4xf32>
  return %loss : tensor<f32>
}

// -----

// Anchors. All values and every second one are stored where they are computed;
// the final one is carried, also through the loop in which it is not computed.
//
// CHECK:       pop.stream @y host_to_device : tensor<2xf32> {transfers = 6 : i64}
// CHECK:       pop.stream @all device_to_host : tensor<2xf32> {transfers = 6 : i64}
// CHECK:       pop.stream @some device_to_host : tensor<2xf32> {transfers = 3 : i64}
// CHECK-LABEL: func.func @main() -> (tensor<2xf32> {pop.name = "last"}, tensor<2xi32>, tensor<2xf32>) {
// CHECK:         %[[K:.+]] = pop.constant dense<7.0
// CHECK:         %[[LOOP:.+]]:2 = scf.for %[[I:.+]] = {{.+}} iter_args(%[[F:.+]] = %{{.+}}, %[[S:.+]] = %{{.+}}) -> (tensor<2xf32>, tensor<2xi32>) {
// CHECK:           %[[INNER:.+]]:2 = scf.for %[[J:.+]] = {{.+}} iter_args(%{{.+}} = %[[F]], %[[T:.+]] = %[[S]])
// CHECK:             %[[X:.+]] = pop.host_load @y
// CHECK:             %[[V:.+]] = pop.cast %[[X]]
// CHECK:             pop.host_store %[[X]], @all
// CHECK:             %[[ITERATION:.+]] = pop.from_scalar %[[I]]
// CHECK:             %[[PART:.+]] = pop.from_scalar %[[J]]
// CHECK:             %[[FIRST:.+]] = pop.mul %[[ITERATION]], %{{.+}}
// CHECK:             %[[NUMBER:.+]] = pop.add %[[FIRST]], %[[PART]]
// CHECK:             %[[REST:.+]] = pop.rem %[[NUMBER]]
// CHECK:             %[[IS:.+]] = pop.equal %[[REST]]
// CHECK:             %[[CONDITION:.+]] = tensor.extract %[[IS]][]
// CHECK:             scf.if %[[CONDITION]] {
// CHECK-NEXT:          pop.host_store %[[X]], @some
// CHECK-NEXT:        }
// CHECK:             %[[SUM:.+]] = pop.add %[[T]], %[[V]]
// CHECK:             scf.yield %[[X]], %[[SUM]]
// CHECK:           scf.yield %[[INNER]]#0, %[[INNER]]#1
// CHECK:         return %[[LOOP]]#0, %[[LOOP]]#1, %[[K]]
pop.stream @y host_to_device : tensor<2xf32>
func.func @main() -> (
    tensor<2xf32> {pop.anchor = #pop.anchor<all>, pop.name = "all"},
    tensor<2xf32> {pop.anchor = #pop.anchor<every, 2>, pop.name = "some"},
    tensor<2xf32> {pop.anchor = #pop.anchor<final>, pop.name = "last"},
    tensor<2xi32> {pop.anchor = #pop.anchor<sum>},
    tensor<2xf32>) {
  %x = pop.host_load @y : tensor<2xf32>
  %v = pop.cast %x : tensor<2xf32> to tensor<2xi32>
  %k = pop.constant dense<7.0> : tensor<2xf32>
  return %x, %x, %x, %v, %k : tensor<2xf32>, tensor<2xf32>, tensor<2xf32>, tensor<2xi32>, tensor<2xf32>
}

// -----

// Weights come and go outside of the loops. A function is called in one.
//
// CHECK:       pop.stream @in host_to_device : tensor<2xf32>{{$}}
// CHECK:       pop.stream @out device_to_host : tensor<2xf32>{{$}}
// CHECK:       pop.stream @called host_to_device : tensor<2xf32> {transfers = 12 : i64}
// CHECK-LABEL: func.func @main() {
// CHECK:         pop.host_load @in
// CHECK:         pop.copy_
// CHECK:         scf.for
// CHECK:           scf.for
// CHECK:             func.call @f
// CHECK:         pop.read
// CHECK:         pop.host_store %{{.+}}, @out
// CHECK-NEXT:    return
pop.stream @in host_to_device : tensor<2xf32>
pop.stream @out device_to_host : tensor<2xf32>
pop.stream @called host_to_device : tensor<2xf32> {transfers = 2 : i64}
pop.variable @w : tensor<2xf32> = dense<0.0> : tensor<2xf32>
func.func private @f(%w: !pop.ref<2xf32>) {
  %0 = pop.host_load @called : tensor<2xf32>
  pop.add_ %w, %0 : !pop.ref<2xf32>, tensor<2xf32>
  %1 = pop.host_load @called : tensor<2xf32>
  pop.add_ %w, %1 : !pop.ref<2xf32>, tensor<2xf32>
  return
}
func.func @main() {
  %w = pop.get_variable @w : !pop.ref<2xf32>
  %0 = pop.host_load @in {pop.execution_context = #pop<execution_context weights_from_host>} : tensor<2xf32>
  pop.copy_ %w, %0 {pop.execution_context = #pop<execution_context weights_from_host>} : !pop.ref<2xf32>, tensor<2xf32>
  call @f(%w) : (!pop.ref<2xf32>) -> ()
  %1 = pop.read %w {pop.execution_context = #pop<execution_context weights_to_host>} : !pop.ref<2xf32>
  pop.host_store %1, @out {pop.execution_context = #pop<execution_context weights_to_host>} : tensor<2xf32>
  return
}
