// RUN: ipu-opt %s --split-input-file --pop-host-reduce | FileCheck %s

// The device loads the weight and stores its gradient. The host has the weight
// and the velocity, and the collective.
//
// CHECK-LABEL: module attributes {ipu.target
// CHECK-NEXT:    pop.stream @x host_to_device : tensor<4xf32>
// CHECK-NEXT:    pop.stream @Gradient___w device_to_host : tensor<4xf32>
// CHECK-NEXT:    pop.stream @w host_to_device broadcast : tensor<4xf32>
// CHECK-NEXT:    func.func @main() {
// CHECK-NEXT:      %[[W:.+]] = pop.host_load @w
// CHECK-NEXT:      %[[X:.+]] = pop.host_load @x
// CHECK-NEXT:      %[[G:.+]] = pop.mul %[[W]], %[[X]]
// CHECK-NEXT:      pop.host_store %[[G]], @Gradient___w
// CHECK-NEXT:      return
// CHECK-NEXT:    }
// CHECK-NEXT:    module @host_program {
// CHECK-NEXT:      pop.variable @w : tensor<4xf32> = dense<1.0
// CHECK-NEXT:      pop.variable @v : tensor<4xf32> = dense<0.0
// CHECK-NEXT:      pop.stream @Gradient___w host_to_device : tensor<4xf32>
// CHECK-NEXT:      func.func @main() {
// CHECK-NEXT:        %[[G:.+]] = pop.host_load @Gradient___w
// CHECK-NEXT:        %[[RW:.+]] = pop.get_variable @w
// CHECK-NEXT:        %[[RV:.+]] = pop.get_variable @v
// CHECK-NEXT:        %[[W:.+]] = pop.read %[[RW]]
// CHECK-NEXT:        %[[S:.+]] = pop.all_reduce mean %[[G]]
// CHECK-NEXT:        %[[V:.+]] = pop.read %[[RV]]
// CHECK-NEXT:        %[[NEXTW:.+]], %[[NEXTV:.+]] = pop.optimizer_step <sgd2, momentum = {{.*}}> %[[W]], %[[S]] state(%[[V]])
// CHECK-NEXT:        pop.copy_ %[[RW]], %[[NEXTW]]
// CHECK-NEXT:        pop.copy_ %[[RV]], %[[NEXTV]]
// CHECK-NEXT:        return
module attributes {ipu.target = #ipu.target<"c600", {replicas = 2 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @v : tensor<4xf32> = dense<0.0> : tensor<4xf32>
  pop.stream @x host_to_device : tensor<4xf32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    %rv = pop.get_variable @v : !pop.ref<4xf32>
    %x = pop.host_load @x : tensor<4xf32>
    %w = pop.read %rw : !pop.ref<4xf32>
    %g = pop.mul %w, %x : tensor<4xf32>
    %s = pop.all_reduce mean %g : tensor<4xf32>
    %v = pop.read %rv : !pop.ref<4xf32>
    %0, %1 = pop.optimizer_step <sgd2, momentum = 0.9> %w, %s state(%v) : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> (tensor<4xf32>, tensor<4xf32>)
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
    pop.copy_ %rv, %1 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// With one replica, the gradient is stored also without a collective. A rate
// that only the host needs is loaded by the host; a loss scale is loaded by
// both. The number of updates, on which the rate depends, moves to the host.
//
// CHECK-LABEL: module {
// CHECK-NOT:     @lr
// CHECK-NOT:     pop.variable
// CHECK:         pop.stream @scale host_to_device broadcast
// CHECK-NOT:     @lr
// CHECK-NOT:     pop.variable
// CHECK:         func.func @main() {
// CHECK:           %[[W:.+]] = pop.host_load @w {pop.vgraph = 1 : i64}
// CHECK:           %[[SCALE:.+]] = pop.host_load @scale
// CHECK:           %[[G:.+]] = pop.mul %[[W]], %[[SCALE]]
// CHECK-NEXT:      pop.host_store %[[G]], @Gradient___w {pop.vgraph = 1 : i64}
// CHECK-NEXT:      return
// CHECK:         module @host_program {
// CHECK-NOT:       pop.vgraph
// CHECK-DAG:       pop.variable @w
// CHECK-DAG:       pop.variable @Updates___
// CHECK-DAG:       pop.stream @scale host_to_device broadcast
// CHECK-DAG:       pop.stream @lr host_to_device broadcast
// CHECK:           func.func @main
// CHECK-DAG:         %[[G:.+]] = pop.host_load @Gradient___w
// CHECK-DAG:         %[[SCALE:.+]] = pop.host_load @scale
// CHECK-DAG:         %[[LR:.+]] = pop.host_load @lr
// CHECK-DAG:         %[[N:.+]] = pop.read %{{.+}} : !pop.ref<f32>
// CHECK:             %[[NEXT:.+]] = pop.add %[[N]]
// CHECK:             %[[RATE:.+]] = pop.mul %[[LR]], %[[N]]
// CHECK:             pop.optimizer_step <sgd0, {{.*}}> %{{.+}}, %[[G]] settings(%[[SCALE]], %[[RATE]])
// CHECK:             pop.copy_ %{{.+}}, %[[NEXT]]
module {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @Updates___ : tensor<f32> = dense<0.0> : tensor<f32>
  pop.stream @lr host_to_device broadcast : tensor<f32>
  pop.stream @scale host_to_device broadcast : tensor<f32>
  func.func @main() {
    %rw = pop.get_variable @w {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
    %rn = pop.get_variable @Updates___ : !pop.ref<f32>
    %lr = pop.host_load @lr : tensor<f32>
    %scale = pop.host_load @scale : tensor<f32>
    %w = pop.read %rw {pop.vgraph = 1 : i64} : !pop.ref<4xf32>
    %g = pop.mul %w, %scale {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    %n = pop.read %rn : !pop.ref<f32>
    %one = pop.constant dense<1.0> : tensor<f32>
    %next = pop.add %n, %one : tensor<f32>
    %rate = pop.mul %lr, %n : tensor<f32>
    %0 = pop.optimizer_step <sgd0, loss_scale = operand, lr = operand> %w, %g settings(%scale, %rate) {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>, tensor<f32>, tensor<f32>) -> tensor<4xf32>
    pop.copy_ %rn, %next : !pop.ref<f32>, tensor<f32>
    pop.copy_ %rw, %0 {pop.vgraph = 1 : i64} : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// The accumulator of the parts of a batch stays on the device, which stores the
// sum. The weight is loaded before the loop that reads it.
//
// CHECK-LABEL: module attributes {ipu.target
// CHECK:         pop.variable @Accum___w
// CHECK:         func.func @main() {
// CHECK-NEXT:      %[[W:.+]] = pop.host_load @w
// CHECK:           scf.for
// CHECK-NOT:         pop.read
// CHECK:             pop.mul %[[W]]
// CHECK:           %[[SUM:.+]] = pop.read
// CHECK:           pop.copy_
// CHECK:           pop.host_store %[[SUM]], @Gradient___w
// CHECK:         module @host_program {
// CHECK-NOT:       Accum___w
// CHECK:           %[[SUM:.+]] = pop.host_load @Gradient___w
// CHECK:           %[[S:.+]] = pop.all_reduce add %[[SUM]]
// CHECK:           pop.optimizer_step <sgd0{{.*}}> %{{.+}}, %[[S]]
module attributes {ipu.target = #ipu.target<"c600", {replicas = 2 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @Accum___w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {groups = #pop.replica_groups<stride = 1, size = 1>}
  pop.stream @x host_to_device : tensor<4xf32> {transfers = 3 : i64}
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    %ra = pop.get_variable @Accum___w : !pop.ref<4xf32>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      %x = pop.host_load @x : tensor<4xf32>
      %v = pop.read %rw : !pop.ref<4xf32>
      %g = pop.mul %v, %x : tensor<4xf32>
      pop.accumulate_ add %ra, %g : !pop.ref<4xf32>, tensor<4xf32>
    }
    %a = pop.read %ra : !pop.ref<4xf32>
    %zero = pop.constant dense<0.0> : tensor<4xf32>
    pop.copy_ %ra, %zero : !pop.ref<4xf32>, tensor<4xf32>
    %s = pop.all_reduce add %a : tensor<4xf32>
    %w = pop.read %rw : !pop.ref<4xf32>
    %0 = pop.optimizer_step <sgd0> %w, %s : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// Ops between a collective and an update move, such as those that clip
// gradients by a norm, or those of a merged update. The device keeps ops that
// it needs itself. Streams of other inputs may have several transfers.
//
// CHECK-LABEL: module attributes {ipu.target
// CHECK-SAME:      pop.host_transfers = 2
// CHECK-DAG:     pop.stream @Gradient___a device_to_host : tensor<6xf32> {transfers = 1 : i64}
// CHECK-DAG:     pop.stream @a host_to_device broadcast : tensor<4xf32> {transfers = 1 : i64}
// CHECK-DAG:     pop.stream @b host_to_device broadcast : tensor<2xf32> {transfers = 1 : i64}
// CHECK:         func.func @main() {
// CHECK:           %[[TWO:.+]] = pop.constant dense<2.0
// CHECK:           %[[GB:.+]] = pop.mul %{{.+}}, %[[TWO]]
// CHECK-NEXT:      %[[G:.+]] = pop.concat
// CHECK-NEXT:      pop.host_store %[[G]], @Gradient___a
// CHECK-NEXT:      return
// CHECK:         module @host_program
// CHECK:           %[[S:.+]] = pop.all_reduce add
// CHECK-NEXT:      pop.mul %[[S]], %[[S]]
// CHECK-NEXT:      %[[NORM:.+]] = pop.reduce sum
// CHECK-NEXT:      %[[SCALE:.+]] = pop.div %{{.+}}, %[[NORM]]
// CHECK-NEXT:      %[[CLIPPED:.+]] = pop.mul %[[S]], %[[SCALE]]
// CHECK:           %[[STEP:.+]] = pop.optimizer_step <sgd0{{.*}}> %{{.+}}, %[[CLIPPED]]
// CHECK-NEXT:      pop.slice %[[STEP]]
// CHECK:           pop.slice %[[STEP]]
module attributes {ipu.target = #ipu.target<"c600", {replicas = 2 : i64}>, pop.host_transfers = 2 : i64} {
  pop.variable @a : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @b : tensor<2xf32> = dense<1.0> : tensor<2xf32>
  pop.stream @x host_to_device : tensor<4xf32>
  func.func @main() {
    %ra = pop.get_variable @a : !pop.ref<4xf32>
    %rb = pop.get_variable @b : !pop.ref<2xf32>
    %x = pop.host_load @x : tensor<4xf32>
    %two = pop.constant dense<2.0> : tensor<f32>
    %a = pop.read %ra : !pop.ref<4xf32>
    %b = pop.read %rb : !pop.ref<2xf32>
    %ga = pop.mul %a, %x : tensor<4xf32>
    %gb = pop.mul %b, %two : (tensor<2xf32>, tensor<f32>) -> tensor<2xf32>
    %g = pop.concat %ga, %gb {axis = 0 : i64} : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
    %s = pop.all_reduce add %g : tensor<6xf32>
    %squares = pop.mul %s, %s : tensor<6xf32>
    %norm = pop.reduce sum %squares {axes = array<i64: 0>} : tensor<6xf32> -> tensor<f32>
    %scale = pop.div %two, %norm : tensor<f32>
    %clipped = pop.mul %s, %scale : (tensor<6xf32>, tensor<f32>) -> tensor<6xf32>
    %w = pop.concat %a, %b {axis = 0 : i64} : (tensor<4xf32>, tensor<2xf32>) -> tensor<6xf32>
    %0 = pop.optimizer_step <sgd0> %w, %clipped : (tensor<6xf32>, tensor<6xf32>) -> tensor<6xf32>
    %1 = pop.slice %0 {starts = array<i64: 0>, sizes = array<i64: 4>, steps = array<i64: 1>} : tensor<6xf32> -> tensor<4xf32>
    %2 = pop.slice %0 {starts = array<i64: 4>, sizes = array<i64: 2>, steps = array<i64: 1>} : tensor<6xf32> -> tensor<2xf32>
    pop.copy_ %ra, %1 : !pop.ref<4xf32>, tensor<4xf32>
    pop.copy_ %rb, %2 : !pop.ref<2xf32>, tensor<2xf32>
    return
  }
}

// -----

// The host advances its random bits as often as the device, and ops keep their
// numbers.
//
// CHECK-LABEL: module attributes {pop.stochastic_rounding
// CHECK:         module @host_program attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>}
// CHECK:           func.func @main
// CHECK:             pop.advance_draws by 3
// CHECK-NEXT:        pop.optimizer_step {{.*}} {pop.draw = #pop.draw<1>}
// CHECK-NEXT:        pop.copy_
// CHECK-NEXT:        pop.advance_draws{{$}}
// CHECK-NEXT:        return
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.variable @w : tensor<4xf16> = dense<1.0> : tensor<4xf16>
  pop.variable @a : tensor<4xf16> = dense<1.0> : tensor<4xf16>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf16>
    %ra = pop.get_variable @a : !pop.ref<4xf16>
    %w = pop.read %rw : !pop.ref<4xf16>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    scf.for %i = %c0 to %c3 step %c1 {
      pop.mul_ %ra, %w {pop.draw = #pop.draw<0>} : !pop.ref<4xf16>, tensor<4xf16>
      pop.advance_draws
    }
    %g = pop.read %ra : !pop.ref<4xf16>
    %0 = pop.optimizer_step <sgd0> %w, %g {pop.draw = #pop.draw<1>} : (tensor<4xf16>, tensor<4xf16>) -> tensor<4xf16>
    pop.copy_ %rw, %0 : !pop.ref<4xf16>, tensor<4xf16>
    pop.advance_draws
    return
  }
}

// -----

// The learning rate is the next value of a counter, which the host has.
//
// CHECK-LABEL: module attributes {ipu.target
// CHECK-NOT:     @n
// CHECK:         module @host_program
// CHECK:           pop.variable @n
// CHECK:           %[[N:.+]] = pop.add
// CHECK:           pop.copy_ %{{.*}}, %[[N]] : !pop.ref<f32>
// CHECK:           pop.optimizer_step {{.*}} settings(%[[N]])
module attributes {ipu.target = #ipu.target<"c600", {replicas = 2 : i64}>} {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @n : tensor<f32> = dense<0.0> : tensor<f32>
  pop.stream @x host_to_device : tensor<4xf32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    %rn = pop.get_variable @n : !pop.ref<f32>
    %x = pop.host_load @x : tensor<4xf32>
    %n = pop.read %rn : !pop.ref<f32>
    %c = pop.constant dense<0.1> : tensor<f32>
    %n1 = pop.add %n, %c : tensor<f32>
    pop.copy_ %rn, %n1 : !pop.ref<f32>, tensor<f32>
    %w = pop.read %rw : !pop.ref<4xf32>
    %g = pop.mul %w, %x : tensor<4xf32>
    %s = pop.all_reduce mean %g : tensor<4xf32>
    %0 = pop.optimizer_step <sgd0, lr = operand> %w, %s settings(%n1) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}

// -----

// The device reads the counter after its update, and so keeps it and stores the
// learning rate.
//
// CHECK-LABEL: module {
// CHECK:         pop.variable @n
// CHECK:         func.func @main
// CHECK:           %[[N:.+]] = pop.read
// CHECK:           pop.host_store %[[N]], @Gradient___w_
// CHECK:         module @host_program
// CHECK-NOT:       @n
module {
  pop.variable @w : tensor<4xf32> = dense<1.0> : tensor<4xf32>
  pop.variable @n : tensor<f32> = dense<0.5> : tensor<f32>
  pop.stream @x host_to_device : tensor<4xf32>
  pop.stream @y device_to_host : tensor<f32>
  func.func @main() {
    %rw = pop.get_variable @w : !pop.ref<4xf32>
    %rn = pop.get_variable @n : !pop.ref<f32>
    %x = pop.host_load @x : tensor<4xf32>
    %n = pop.read %rn : !pop.ref<f32>
    %c = pop.constant dense<0.1> : tensor<f32>
    %n1 = pop.add %n, %c : tensor<f32>
    pop.copy_ %rn, %n1 : !pop.ref<f32>, tensor<f32>
    %n2 = pop.read %rn : !pop.ref<f32>
    pop.host_store %n2, @y : tensor<f32>
    %w = pop.read %rw : !pop.ref<4xf32>
    %g = pop.mul %w, %x : tensor<4xf32>
    %0 = pop.optimizer_step <sgd0, lr = operand> %w, %g settings(%n) : (tensor<4xf32>, tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
    pop.copy_ %rw, %0 : !pop.ref<4xf32>, tensor<4xf32>
    return
  }
}
