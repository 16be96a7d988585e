// RUN: split-file %s %t
// RUN: ipu-opt %t/no-inplace.mlir --pop-verify-contracts=conditions=NO_INPLACE --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/no-implicit-copy.mlir --pop-verify-contracts=conditions=NO_IMPLICIT_COPY --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/no-ipu-copy.mlir --pop-verify-contracts=conditions=NO_IPU_COPY --verify-diagnostics
// RUN: ipu-opt %t/random-seeded.mlir --pop-verify-contracts=conditions=RANDOM_SEEDED --verify-diagnostics
// RUN: ipu-opt %t/vgraph.mlir --pop-verify-contracts=conditions=VGRAPH --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/pstage.mlir --pop-verify-contracts=conditions=PSTAGE --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/ephase.mlir --pop-verify-contracts=conditions=EPHASE --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/bphase.mlir --pop-verify-contracts=conditions=BPHASE --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/host-io-explicit.mlir --pop-verify-contracts=conditions=HOST_IO_EXPLICIT --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/loops-explicit.mlir --pop-verify-contracts=conditions=LOOPS_EXPLICIT --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/recompute-resolved.mlir --pop-verify-contracts=conditions=RECOMPUTE_RESOLVED --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/no-dead-graphs.mlir --pop-verify-contracts=conditions=NO_DEAD_GRAPHS --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/sr-complete.mlir --pop-verify-contracts=conditions=SR_COMPLETE --split-input-file --verify-diagnostics
// RUN: ipu-opt %t/two.mlir --pop-verify-contracts=conditions=VGRAPH,PSTAGE --verify-diagnostics
// RUN: ipu-opt %t/names.mlir --pop-verify-contracts=conditions=VGRAPH,VGRAF --verify-diagnostics
// RUN: ipu-opt %t/after.mlir --pop-verify-contracts='conditions=VGRAPH after=pop-choose-accumulation' --verify-diagnostics

// The error of each condition is at the first op that violates it.

//--- no-inplace.mlir

func.func @main(%x: tensor<4xf32>) {
  // expected-note @below {{the ref refers to this tensor}}
  %0 = pop.alloc zero : !pop.ref<4xf32>
  // expected-error @below {{'pop.copy_' op violates NO_INPLACE: writes through operand #0, which does not refer to a variable}}
  pop.copy_ %0, %x : !pop.ref<4xf32>, tensor<4xf32>
  pop.add_ %0, %x : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

// A loop or a view between the tensor and what writes it does not matter.

func.func @main(%x: tensor<4xf32>, %y: tensor<2x2xf32>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{the ref refers to this tensor}}
  %0 = pop.from_tensor %x : tensor<4xf32>
  scf.for %i = %c0 to %n step %c1 {
    %1 = pop.ref_reshape %0 : !pop.ref<4xf32> to !pop.ref<2x2xf32>
    // expected-error @below {{'pop.add_' op violates NO_INPLACE: writes through operand #0, which does not refer to a variable}}
    pop.add_ %1, %y : !pop.ref<2x2xf32>, tensor<2x2xf32>
  }
  return
}

// -----

// What a function writes is what its calls pass.

pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @f(%r: !pop.ref<4xf32>, %x: tensor<4xf32>) {
  pop.add_ %r, %x : !pop.ref<4xf32>, tensor<4xf32>
  return
}
func.func @main(%x: tensor<4xf32>) {
  %w = pop.get_variable @w : !pop.ref<4xf32>
  call @f(%w, %x) : (!pop.ref<4xf32>, tensor<4xf32>) -> ()
  // expected-note @below {{the ref refers to this tensor}}
  %0 = pop.from_tensor %x : tensor<4xf32>
  // expected-error @below {{'func.call' op violates NO_INPLACE: writes through operand #0, which does not refer to a variable}}
  call @f(%0, %x) : (!pop.ref<4xf32>, tensor<4xf32>) -> ()
  return
}

//--- no-implicit-copy.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the value is defined here}}
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  %1 = pop.relu %0 {pop.vgraph = 0 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.add' op violates NO_IMPLICIT_COPY: reads operand #1 on virtual graph 1, but the operand is on virtual graph 0}}
  %2 = pop.add %x, %0 {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// What a copy reads is where it copies from, and what it gives where it copies
// to.

// expected-note @below {{the value is defined here}}
func.func @copies(%x: tensor<4xf32> {pop.vgraph = 0 : i64}) -> tensor<4xf32> {
  %0 = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  %1 = pop.relu %0 {pop.vgraph = 1 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.add' op violates NO_IMPLICIT_COPY: reads operand #1 on virtual graph 1, but the operand is on virtual graph 0}}
  %2 = pop.add %1, %x {pop.vgraph = 1 : i64} : (tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

func.func @copied(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the value is defined here}}
  %0 = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  // expected-error @below {{'pop.relu' op violates NO_IMPLICIT_COPY: reads operand #0 on virtual graph 0, but the operand is on virtual graph 1}}
  %1 = pop.relu %0 {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// Loops, branches and calls pass a value on, and refs refer to a variable.

// expected-note @below {{the value is defined here}}
func.func @loop(%x: tensor<4xf32> {pop.vgraph = 0 : i64}, %n: index) -> tensor<4xf32> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %0 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x) -> (tensor<4xf32>) {
    %1 = pop.exp %a {pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  }
  return %0 : tensor<4xf32>
}
func.func @main(%x: tensor<4xf32> {pop.vgraph = 0 : i64}, %n: index) {
  %0 = func.call @loop(%x, %n) : (tensor<4xf32>, index) -> tensor<4xf32>
  // expected-error @below {{'pop.sin' op violates NO_IMPLICIT_COPY: reads operand #0 on virtual graph 2, but the operand is on virtual graph 0}}
  %1 = pop.sin %0 {pop.vgraph = 2 : i64} : tensor<4xf32>
  return
}

// -----

func.func @main(%c: i1, %x: tensor<4xf32> {pop.vgraph = 0 : i64}) {
  // expected-error @below {{'scf.if' op violates NO_IMPLICIT_COPY: passes values of several virtual graphs on as one value}}
  %0 = scf.if %c -> tensor<4xf32> {
    %1 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
    scf.yield %1 : tensor<4xf32>
  } else {
    // expected-note @below {{this one is on virtual graph 1}}
    %2 = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
    scf.yield %2 : tensor<4xf32>
  }
  return
}

// -----

// expected-note @below {{the value is defined here}}
pop.variable @w : tensor<4xf32> = dense<0.0> : tensor<4xf32> {pop.vgraph = 1 : i64}
func.func private @f(%r: !pop.ref<4xf32>) {
  // expected-error @below {{'pop.read' op violates NO_IMPLICIT_COPY: reads operand #0 on virtual graph 0, but the operand is on virtual graph 1}}
  %0 = pop.read %r {pop.vgraph = 0 : i64} : !pop.ref<4xf32>
  return
}
func.func @main() {
  %r = pop.get_variable @w : !pop.ref<4xf32>
  call @f(%r) : (!pop.ref<4xf32>) -> ()
  return
}

//--- no-ipu-copy.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.ipu_copy' op violates NO_IPU_COPY: copies between IPUs}}
  %0 = pop.ipu_copy %x from 0 to 1 : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- random-seeded.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.next_seed' op violates RANDOM_SEEDED: requests a seed; run pop-random-setup}}
  %seed = pop.next_seed
  %0 = pop.dropout %x, %seed, 0.5 : tensor<4xf32>, tensor<2xui32>
  return %0 : tensor<4xf32>
}

//--- vgraph.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.relu' op violates VGRAPH: expects attribute 'pop.vgraph'}}
  %1 = pop.relu %0 : tensor<4xf32>
  %2 = pop.relu %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// An op without operands is somewhere, too, and what moves something.

pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  // expected-error @below {{'pop.host_load' op violates VGRAPH: expects attribute 'pop.vgraph'}}
  %x = pop.host_load @x : tensor<4xf32>
  return
}

//--- pstage.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op violates PSTAGE: expects attribute 'pop.stage'}}
  %0 = pop.exp %x {pop.vgraph = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

// -----

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the result is defined here}}
  %0 = pop.exp %x {pop.stage = 1 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.relu' op violates PSTAGE: reads a result of stage 1 but is in stage 0}}
  %1 = pop.relu %0 {pop.stage = 0 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// -----

// A loop passes its start value on. What an iteration passes to the next one may
// be of a later stage.

func.func @main(%n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  // expected-note @below {{the result is defined here}}
  %x = pop.host_load @x {pop.stage = 1 : i64} : tensor<4xf32>
  %y = pop.host_load @x {pop.stage = 0 : i64} : tensor<4xf32>
  %0:2 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %x, %b = %y) -> (tensor<4xf32>, tensor<4xf32>) {
    %1 = pop.exp %b {pop.stage = 0 : i64} : tensor<4xf32>
    // expected-error @below {{'pop.exp' op violates PSTAGE: reads a result of stage 1 but is in stage 0}}
    %2 = pop.exp %a {pop.stage = 0 : i64} : tensor<4xf32>
    %3 = pop.exp %1 {pop.stage = 2 : i64} : tensor<4xf32>
    scf.yield %2, %3 : tensor<4xf32>, tensor<4xf32>
  }
  return
}
pop.stream @x host_to_device : tensor<4xf32>

//--- ephase.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op violates EPHASE: expects attribute 'pop.phase'}}
  %0 = pop.exp %x {pop.batch_phase = 0 : i64} : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- bphase.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-note @below {{the result is defined here}}
  %0 = pop.exp %x {pop.batch_phase = 1 : i64} : tensor<4xf32>
  // expected-error @below {{'pop.relu' op violates BPHASE: reads a result of batch phase 1 but is in batch phase -1}}
  %1 = pop.relu %0 {pop.batch_phase = -1 : i64} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- host-io-explicit.mlir

// expected-error @below {{'func.func' op violates HOST_IO_EXPLICIT: expects the entry function to have type '() -> ()' but got '() -> tensor<4xf32>'}}
func.func @main() -> tensor<4xf32> {
  %0 = pop.constant dense<0.0> : tensor<4xf32>
  return %0 : tensor<4xf32>
}
func.func @f(%x: tensor<4xf32>) {
  return
}

// -----

// Where no function is the entry, the host may call all that are public.

func.func private @h(%x: tensor<4xf32>) {
  return
}
func.func @f() {
  return
}
// expected-error @below {{'func.func' op violates HOST_IO_EXPLICIT: expects the entry function to have type '() -> ()' but got '(tensor<4xf32>) -> ()'}}
func.func @g(%x: tensor<4xf32>) {
  return
}

//--- loops-explicit.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.execution_context = #pop<execution_context normal>} : tensor<4xf32>
  // expected-error @below {{'pop.relu' op violates LOOPS_EXPLICIT: has the execution context 'accumulate_outer'}}
  %1 = pop.relu %0 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- recompute-resolved.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x {pop.recompute = #pop<recompute checkpoint>} : tensor<4xf32>
  // expected-error @below {{'pop.relu' op violates RECOMPUTE_RESOLVED: has attribute 'pop.recompute' with value 'recompute'}}
  %1 = pop.relu %0 {pop.recompute = #pop<recompute recompute>} : tensor<4xf32>
  return %1 : tensor<4xf32>
}

//--- no-dead-graphs.mlir

func.func private @f() {
  return
}
func.func @main() {
  call @f() : () -> ()
  return
}
// A call of itself does not count.
// expected-error @below {{'func.func' op violates NO_DEAD_GRAPHS: @g is not reachable from the entry function}}
func.func @g() {
  call @g() : () -> ()
  return
}

//--- sr-complete.mlir

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @main(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0 = pop.exp %x {pop.stochastic_rounding_method = #pop.stochastic_rounding_method<identical_seeds of 1>} : tensor<4xf16>
    // expected-error @below {{'pop.relu' op violates SR_COMPLETE: expects attribute 'pop.stochastic_rounding_method'}}
    %1 = pop.relu %0 : tensor<4xf16>
    return %1 : tensor<4xf16>
  }
}

//--- two.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op violates PSTAGE: expects attribute 'pop.stage'}}
  // expected-error @below {{'pop.exp' op violates VGRAPH: expects attribute 'pop.vgraph'}}
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}

//--- names.mlir

// expected-error @below {{'pop-verify-contracts' expects a condition but got 'VGRAF'; the conditions are NO_INPLACE, NO_IPU_COPY, NO_IMPLICIT_COPY, VGRAPH, PSTAGE, EPHASE, BPHASE, RANDOM_SEEDED, HOST_IO_EXPLICIT, LOOPS_EXPLICIT, RECOMPUTE_RESOLVED, NO_DEAD_GRAPHS, SR_COMPLETE}}
module {
}

//--- after.mlir

func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  // expected-error @below {{'pop.exp' op violates VGRAPH after pass 'pop-choose-accumulation', whose contract preserves it: expects attribute 'pop.vgraph'}}
  %0 = pop.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
