// Weights that parts, rows of a loop or loops make equal stay so, with
// stochastic rounding: nothing warns, and nothing differs after some runs.
// RUN: ipu-run %s --target tiles=4 --replicas 4 --input '*=random:1' --stochastic-rounding counter --runs 5 --check-replica-equal 2>&1 | FileCheck %s --implicit-check-not=warning --implicit-check-not=error
// RUN: ipu-run %s --target tiles=4 --replicas 4 --input '*=random:1' --stochastic-rounding stream --runs 5 --check-replica-equal --check 2>&1 | FileCheck %s --implicit-check-not=warning --implicit-check-not=error
// RUN: ipu-opt %s --pop-print-replica-equal=replicas=4 -o /dev/null | FileCheck %s --check-prefix=ANNOTATED

// CHECK: seen : tensor<4x4xf16>

// Each part of the bucket is updated by the part that was reduced; the whole
// decays at once.
// ANNOTATED-LABEL: @arms(all)
// ANNOTATED: 'pop.mul_': modifies operand 0 all
// ANNOTATED-LABEL: @bucket(all, none)
// ANNOTATED: 'pop.mul_': modifies operand 0 all
// ANNOTATED-LABEL: @rows(none)
// ANNOTATED-LABEL: @backward(none)
// ANNOTATED: 'pop.remote_load': all
// ANNOTATED: 'pop.remote_load': all
// ANNOTATED: 'pop.remote_load': all
// ANNOTATED-NEXT: 'pop.add': all
// ANNOTATED-LABEL: @loop(all, none)
// ANNOTATED: 'pop.add_': modifies operand 0 all
pop.variable @w : tensor<8xf16> = dense<1.0> : tensor<8xf16>
pop.variable @v : tensor<4xf16> = dense<1.0> : tensor<4xf16>
pop.remote_buffer @g : 3 x tensor<4xf16>
pop.variable @g0 : tensor<4xf16> = dense<1.0> : tensor<4xf16> {buffer = @g, row = 0 : i64}
pop.variable @g1 : tensor<4xf16> = dense<1.0> : tensor<4xf16> {buffer = @g, row = 1 : i64}
pop.variable @g2 : tensor<4xf16> = dense<1.0> : tensor<4xf16> {buffer = @g, row = 2 : i64}
pop.remote_buffer @h : 4 x tensor<4xf16>
pop.variable @h0 : tensor<4xf16> = dense<1.0> : tensor<4xf16> {buffer = @h, row = 0 : i64}
pop.variable @h1 : tensor<4xf16> = dense<1.0> : tensor<4xf16> {buffer = @h, row = 1 : i64}
pop.variable @h2 : tensor<4xf16> = dense<1.0> : tensor<4xf16> {buffer = @h, row = 2 : i64}
pop.variable @h3 : tensor<4xf16> = dense<1.0> : tensor<4xf16> {buffer = @h, row = 3 : i64}
pop.stream @x host_to_device : tensor<8xf16>
pop.stream @y host_to_device : tensor<4xf16>
pop.variable @u : tensor<4xf16> = dense<1.0> : tensor<4xf16>
pop.stream @p host_to_device : tensor<i1>
pop.stream @seen device_to_host : tensor<4xf16>

// Replicas decide differently, but both arms give one value.
func.func private @arms(%u: !pop.ref<4xf16>) {
  %p = pop.host_load @p : tensor<i1>
  %q = tensor.extract %p[] : tensor<i1>
  %c = pop.constant dense<0.3> : tensor<4xf16>
  %0 = scf.if %q -> tensor<4xf16> {
    %1 = scf.if %q -> tensor<4xf16> {
      scf.yield %c : tensor<4xf16>
    } else {
      scf.yield %c : tensor<4xf16>
    }
    scf.yield %1 : tensor<4xf16>
  } else {
    scf.yield %c : tensor<4xf16>
  }
  pop.mul_ %u, %0 : !pop.ref<4xf16>, tensor<4xf16>
  return
}

func.func private @bucket(%w: !pop.ref<8xf16>, %x: tensor<8xf16>) {
  %low = pop.ref_slice %w {starts = array<i64: 0>, sizes = array<i64: 4>, steps = array<i64: 1>} : !pop.ref<8xf16> -> !pop.ref<4xf16>
  %high = pop.ref_slice %w {starts = array<i64: 4>, sizes = array<i64: 4>, steps = array<i64: 1>} : !pop.ref<8xf16> -> !pop.ref<4xf16>
  pop.mul_ %w, %x : !pop.ref<8xf16>, tensor<8xf16>
  %0 = pop.read %low : !pop.ref<4xf16>
  %1 = pop.all_reduce mean %0 : tensor<4xf16>
  pop.copy_ %low, %1 : !pop.ref<4xf16>, tensor<4xf16>
  %2 = pop.read %high : !pop.ref<4xf16>
  %3 = pop.all_reduce mean %2 : tensor<4xf16>
  pop.copy_ %high, %3 : !pop.ref<4xf16>, tensor<4xf16>
  %c = pop.constant dense<0.3> : tensor<8xf16>
  pop.mul_ %w, %c : !pop.ref<8xf16>, tensor<8xf16>
  return
}

// Gradients of layers in streaming memory: what differs is stored to each row,
// then all rows are reduced.
func.func private @rows(%y: tensor<4xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    %0 = pop.remote_load @g[%row] : tensor<4xf16>
    %1 = pop.add %0, %y : tensor<4xf16>
    pop.remote_store %1, @g[%row] : tensor<4xf16>
  }
  scf.for %i = %c0 to %c3 step %c1 {
    %row = pop.from_scalar %i : index to tensor<i32>
    %0 = pop.remote_load @g[%row] : tensor<4xf16>
    %1 = pop.all_reduce mean %0 : tensor<4xf16>
    pop.remote_store %1, @g[%row] : tensor<4xf16>
  }
  return
}

// The same from the last layer to the first, three times: reduced by a
// difference, by a counter that counts down, and by two loops.
func.func private @backward(%y: tensor<4xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c4 = arith.constant 4 : index
  %one = pop.constant dense<1> : tensor<i32>
  %two = pop.constant dense<2> : tensor<i32>
  %three = pop.constant dense<3> : tensor<i32>
  scf.for %i = %c0 to %c4 step %c1 {
    %n = pop.from_scalar %i : index to tensor<i32>
    %row = pop.sub %three, %n : tensor<i32>
    %0 = pop.remote_load @h[%row] : tensor<4xf16>
    %1 = pop.mul %0, %y : tensor<4xf16>
    pop.remote_store %1, @h[%row] : tensor<4xf16>
  }
  scf.for %i = %c0 to %c4 step %c1 {
    %n = pop.from_scalar %i : index to tensor<i32>
    %row = pop.sub %three, %n : tensor<i32>
    %0 = pop.remote_load @h[%row] : tensor<4xf16>
    %1 = pop.all_reduce mean %0 : tensor<4xf16>
    pop.remote_store %1, @h[%row] : tensor<4xf16>
  }
  %2 = pop.remote_load @h[0] : tensor<4xf16>
  scf.for %i = %c0 to %c4 step %c1 {
    %n = pop.from_scalar %i : index to tensor<i32>
    %row = pop.sub %three, %n : tensor<i32>
    %0 = pop.remote_load @h[%row] : tensor<4xf16>
    %1 = pop.mul %0, %y : tensor<4xf16>
    pop.remote_store %1, @h[%row] : tensor<4xf16>
  }
  scf.for %i = %c0 to %c4 step %c1 iter_args(%row = %three) -> tensor<i32> {
    %0 = pop.remote_load @h[%row] : tensor<4xf16>
    %1 = pop.all_reduce mean %0 : tensor<4xf16>
    pop.remote_store %1, @h[%row] : tensor<4xf16>
    %next = pop.sub %row, %one : tensor<i32>
    scf.yield %next : tensor<i32>
  }
  %3 = pop.remote_load @h[0] : tensor<4xf16>
  scf.for %i = %c0 to %c4 step %c1 {
    %n = pop.from_scalar %i : index to tensor<i32>
    %row = pop.sub %three, %n : tensor<i32>
    %0 = pop.remote_load @h[%row] : tensor<4xf16>
    %1 = pop.mul %0, %y : tensor<4xf16>
    pop.remote_store %1, @h[%row] : tensor<4xf16>
  }
  scf.for %i = %c0 to %c2 step %c1 {
    %m = pop.from_scalar %i : index to tensor<i32>
    %high = pop.mul %m, %two : tensor<i32>
    scf.for %j = %c0 to %c2 step %c1 {
      %n = pop.from_scalar %j : index to tensor<i32>
      %sum = pop.add %high, %n : tensor<i32>
      %row = pop.sub %three, %sum : tensor<i32>
      %0 = pop.remote_load @h[%row] : tensor<4xf16>
      %1 = pop.all_reduce mean %0 : tensor<4xf16>
      pop.remote_store %1, @h[%row] : tensor<4xf16>
    }
  }
  %4 = pop.remote_load @h[0] : tensor<4xf16>
  %5 = pop.add %2, %3 : tensor<4xf16>
  %6 = pop.add %5, %4 : tensor<4xf16>
  pop.remote_store %6, @h[0] : tensor<4xf16>
  return
}

// A loop of three iterations, each of which makes what it carries equal.
func.func private @loop(%v: !pop.ref<4xf16>, %y: tensor<4xf16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %0 = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %y) -> tensor<4xf16> {
    %1 = pop.mul %a, %y : tensor<4xf16>
    %2 = pop.all_reduce mean %1 : tensor<4xf16>
    scf.yield %2 : tensor<4xf16>
  }
  pop.add_ %v, %0 : !pop.ref<4xf16>, tensor<4xf16>
  return
}

func.func @main() {
  %w = pop.get_variable @w : !pop.ref<8xf16>
  %v = pop.get_variable @v : !pop.ref<4xf16>
  %x = pop.host_load @x : tensor<8xf16>
  %y = pop.host_load @y : tensor<4xf16>
  call @bucket(%w, %x) : (!pop.ref<8xf16>, tensor<8xf16>) -> ()
  call @rows(%y) : (tensor<4xf16>) -> ()
  call @backward(%y) : (tensor<4xf16>) -> ()
  %u = pop.get_variable @u : !pop.ref<4xf16>
  call @arms(%u) : (!pop.ref<4xf16>) -> ()
  call @loop(%v, %y) : (!pop.ref<4xf16>, tensor<4xf16>) -> ()
  %0 = pop.read %v : !pop.ref<4xf16>
  pop.host_store %0, @seen : tensor<4xf16>
  return
}
