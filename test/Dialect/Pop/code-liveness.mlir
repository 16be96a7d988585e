// RUN: ipu-opt %s --split-input-file --pop-print-code-liveness -o /dev/null | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pop-print-code-liveness --remarks-filter=pop-code --remark-format=emitRemark -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK --implicit-check-not=remark:

// One load and several calls (PopXL user guide, code_loading.py): from the load
// to the last call.

// CHECK-LABEL: code of @g: loaded
// CHECK-NEXT:    @main: #2 'pop.remote_code_load' to #6 'func.call' @g
// CHECK-NEXT:    @g: start to end
func.func private @g(%x: !pop.ref<f32>) attributes {no_inline} {
  pop.exp_ %x : !pop.ref<f32>
  return
}
pop.variable @x : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main() {
  %x = pop.get_variable @x : !pop.ref<f32>
  pop.neg_ %x : !pop.ref<f32>
  pop.remote_code_load @g to executable
  call @g(%x) : (!pop.ref<f32>) -> ()
  pop.neg_ %x : !pop.ref<f32>
  call @g(%x) : (!pop.ref<f32>) -> ()
  call @g(%x) : (!pop.ref<f32>) -> ()
  pop.neg_ %x : !pop.ref<f32>
  return
}

// -----

// A load before each call (code_loading.py): dead from a call to the next load.

// CHECK-LABEL: code of @g: loaded
// CHECK-NEXT:    @main: #1 'pop.remote_code_load' to #2 'func.call' @g
// CHECK-NEXT:    @main: #4 'pop.remote_code_load' to #5 'func.call' @g
// CHECK-NEXT:    @main: #6 'pop.remote_code_load' to #7 'func.call' @g
// CHECK-NEXT:    @g: start to end
func.func private @g(%x: !pop.ref<f32>) attributes {no_inline} {
  pop.exp_ %x : !pop.ref<f32>
  return
}
pop.variable @x : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main() {
  %x = pop.get_variable @x : !pop.ref<f32>
  pop.remote_code_load @g to executable
  call @g(%x) : (!pop.ref<f32>) -> ()
  pop.neg_ %x : !pop.ref<f32>
  pop.remote_code_load @g to executable
  call @g(%x) : (!pop.ref<f32>) -> ()
  pop.remote_code_load @g to executable
  call @g(%x) : (!pop.ref<f32>) -> ()
  return
}

// -----

// A graph that loads another one (code_loading_nested.py): the load in @g2
// makes the one before it dead.

// CHECK-LABEL: code of @g1: loaded
// CHECK-NEXT:    @main: #2 'func.call' @g2 to #3 'func.call' @g1
// CHECK-NEXT:    @g1: start to end
// CHECK-NEXT:    @g2: #0 'pop.remote_code_load' to end
// CHECK-NEXT:  code of @g2: always live
// REMARK: remark: {{.*}}DeadCodeLoad{{.*}}code load is dead: @g1 is not called before its code is loaded again
func.func private @g1(%x: !pop.ref<f32>) attributes {no_inline} {
  pop.exp_ %x : !pop.ref<f32>
  return
}
func.func private @g2() {
  pop.remote_code_load @g1 to executable
  return
}
pop.variable @x : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main() {
  %x = pop.get_variable @x : !pop.ref<f32>
  pop.remote_code_load @g1 to executable
  call @g2() : () -> ()
  call @g1(%x) : (!pop.ref<f32>) -> ()
  return
}

// -----

// Graphs made to load a graph each (code_loading_nested.py, second half): @g4
// loads the code of @g2, which nobody calls then.

// CHECK-LABEL: code of @g1: loaded
// CHECK-NEXT:    @main: #3 'func.call' @g3 to #4 'func.call' @g1
// CHECK-NEXT:    @g1: start to end
// CHECK-NEXT:    @g3: #0 'pop.remote_code_load' to end
// CHECK-NEXT:  code of @g2: loaded
// CHECK-NEXT:  code of @g3: loaded
// CHECK-NEXT:    @main: #1 'pop.remote_code_load' to #3 'func.call' @g3
// CHECK-NEXT:    @g3: start to end
// CHECK-NEXT:  code of @g4: loaded
// CHECK-NEXT:    @main: #5 'pop.remote_code_load' to #6 'func.call' @g4
// CHECK-NEXT:    @g4: start to end
// REMARK: remark: {{.*}}code load is dead: @g2 is not called before its code is loaded again
func.func private @g1(%x: !pop.ref<f32>) attributes {no_inline} {
  pop.exp_ %x : !pop.ref<f32>
  return
}
func.func private @g2() attributes {no_inline} {
  pop.remote_code_load @g1 to executable
  return
}
func.func private @g3() attributes {no_inline} {
  pop.remote_code_load @g1 to executable
  return
}
func.func private @g4() attributes {no_inline} {
  pop.remote_code_load @g2 to executable
  return
}
pop.variable @x : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main() {
  %x = pop.get_variable @x : !pop.ref<f32>
  pop.remote_code_load @g3 to executable
  pop.neg_ %x : !pop.ref<f32>
  call @g3() : () -> ()
  call @g1(%x) : (!pop.ref<f32>) -> ()
  pop.remote_code_load @g4 to executable
  call @g4() : () -> ()
  return
}

// -----

// Branches: with a load in one of them the code has to be there before, here
// from the start of the program, and because a run follows another one also at
// its end. With a load in both it need not.

// CHECK-LABEL: code of @both: loaded
// CHECK-NEXT:    @main: #4 'scf.if' to #9 'func.call' @both
// CHECK-NEXT:    @main, #4 'scf.if' region 0: #5 'pop.remote_code_load' to end
// CHECK-NEXT:    @main, #4 'scf.if' region 1: #7 'pop.remote_code_load' to end
// CHECK-NEXT:    @both: start to end
// CHECK-NEXT:  code of @one: in the image
// CHECK-NEXT:    @main: start to end
// CHECK-NEXT:    @main, #0 'scf.if' region 0: #1 'pop.remote_code_load' to end
// CHECK-NEXT:    @both: start to end
// CHECK-NEXT:    @one: start to end
// REMARK: remark: {{.*}}code of @one is kept on the chip by a path without a load: #0 'scf.if', #3 'func.call' @one
func.func private @both() attributes {no_inline} {
  return
}
func.func private @one() attributes {no_inline} {
  return
}
func.func @main(%p: i1) {
  scf.if %p {
    pop.remote_code_load @one to executable
  }
  call @one() : () -> ()
  scf.if %p {
    pop.remote_code_load @both to executable
  } else {
    pop.remote_code_load @both to executable
  }
  call @both() : () -> ()
  return
}

// -----

// `load; call; if {load}; call`: the path past the branch keeps the code on the
// chip, back to the first load and no further.

// CHECK-LABEL: code of @g: loaded
// CHECK-NEXT:    @main: #1 'pop.remote_code_load' to #6 'func.call' @g
// CHECK-NEXT:    @main, #3 'scf.if' region 0: #4 'pop.remote_code_load' to end
// CHECK-NEXT:    @g: start to end
// REMARK: remark: {{.*}}code of @g is kept on the chip by a path without a load: #3 'scf.if', #6 'func.call' @g
func.func private @g(%x: !pop.ref<f32>) attributes {no_inline} {
  pop.exp_ %x : !pop.ref<f32>
  return
}
pop.variable @x : tensor<f32> = dense<1.0> : tensor<f32>
func.func @main(%p: i1) {
  %x = pop.get_variable @x : !pop.ref<f32>
  pop.remote_code_load @g to executable
  call @g(%x) : (!pop.ref<f32>) -> ()
  scf.if %p {
    pop.remote_code_load @g to executable
  }
  call @g(%x) : (!pop.ref<f32>) -> ()
  return
}

// -----

// A load behind the call: the code that the next run calls is in the image, and
// nothing keeps it from there to the end.

// CHECK-LABEL: code of @g: in the image
// CHECK-NEXT:    @main: start to #0 'func.call' @g
// CHECK-NEXT:    @main: #1 'pop.remote_code_load' to end
// REMARK: remark: {{.*}}code of @g is kept on the chip by a path without a load: the start of the program, #0 'func.call' @g
func.func private @g() attributes {no_inline} {
  return
}
func.func @main() {
  call @g() : () -> ()
  pop.remote_code_load @g to executable
  return
}

// -----

// Loops. One of four rounds runs its body, one of %n rounds may not: the code is
// needed before it. What is called in one round and loaded for the next one is
// live around the loop's end.

// CHECK-LABEL: code of @maybe: in the image
// CHECK-NEXT:    @main: start to end
// CHECK-NEXT:    @main, #5 'scf.for' region 0: #6 'pop.remote_code_load' to end
// CHECK:       code of @next: loaded
// CHECK-NEXT:    @main: #9 'pop.remote_code_load' to #10 'scf.for'
// CHECK-NEXT:    @main, #10 'scf.for' region 0: start to #11 'func.call' @next
// CHECK-NEXT:    @main, #10 'scf.for' region 0: #12 'pop.remote_code_load' to end
// CHECK-NEXT:    @next: start to end
// CHECK-NEXT:  code of @surely: loaded
// CHECK-NEXT:    @main: #2 'scf.for' to #8 'func.call' @surely
// CHECK-NEXT:    @main, #2 'scf.for' region 0: #3 'pop.remote_code_load' to end
// REMARK: remark: {{.*}}code of @maybe is kept on the chip by a path without a load: #5 'scf.for', #14 'func.call' @maybe
func.func private @maybe() attributes {no_inline} {
  return
}
func.func private @next() attributes {no_inline} {
  return
}
func.func private @surely() attributes {no_inline} {
  return
}
func.func @main(%n: index, %c0: index) {
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  scf.for %i = %c1 to %c4 step %c1 {
    pop.remote_code_load @surely to executable
  }
  scf.for %i = %c0 to %n step %c1 {
    pop.remote_code_load @maybe to executable
  }
  call @surely() : () -> ()
  pop.remote_code_load @next to executable
  scf.for %i = %c0 to %n step %c1 {
    func.call @next() : () -> ()
    pop.remote_code_load @next to executable
  }
  call @maybe() : () -> ()
  return
}

// -----

// A while loop: its first region runs once more than the second one. The code is
// live in what is called before @g.

// CHECK-LABEL: code of @g: loaded
// CHECK-NEXT:    @main: #0 'pop.remote_code_load' to #1 'scf.while'
// CHECK-NEXT:    @main, #1 'scf.while' region 0: start to #2 'func.call' @h
// CHECK-NEXT:    @main, #1 'scf.while' region 1: #4 'pop.remote_code_load' to end
// CHECK-NEXT:    @h: start to #1 'func.call' @g
// CHECK-NEXT:    @g: start to end
// CHECK-NEXT:    @i: start to end
// CHECK-NEXT:  code of @h: always live
// CHECK-NEXT:  code of @i: always live
func.func private @g() attributes {no_inline} {
  return
}
func.func private @h() {
  call @i() : () -> ()
  call @g() : () -> ()
  return
}
func.func private @i() {
  return
}
func.func @main(%p: i1) {
  pop.remote_code_load @g to executable
  scf.while : () -> () {
    func.call @h() : () -> ()
    scf.condition(%p)
  } do {
    pop.remote_code_load @g to executable
    scf.yield
  }
  return
}

// -----

// No context: @h is called where @g is needed afterwards and where it is not.

// CHECK-LABEL: code of @g: loaded
// CHECK-NEXT:    @main: #0 'pop.remote_code_load' to #2 'func.call' @g
// CHECK-NEXT:    @g: start to end
// CHECK-NEXT:    @h: start to end
func.func private @g() attributes {no_inline} {
  return
}
func.func private @h() {
  return
}
func.func @main() {
  pop.remote_code_load @g to executable
  call @h() : () -> ()
  call @g() : () -> ()
  call @h() : () -> ()
  return
}

// -----

// Blocks that branch to each other.

// CHECK-LABEL: code of @f: loaded
// CHECK-NEXT:    @main, block 0: #0 'pop.remote_code_load' to end
// CHECK-NEXT:    @main, block 1: start to #2 'func.call' @f
// CHECK-NEXT:    @main, block 2: #4 'pop.remote_code_load' to end
func.func private @f() attributes {no_inline} {
  return
}
func.func @main(%p: i1) {
  pop.remote_code_load @f to executable
  cf.br ^call
^call:
  call @f() : () -> ()
  cf.cond_br %p, ^load, ^done
^load:
  pop.remote_code_load @f to executable
  cf.br ^call
^done:
  return
}

// -----

// Loads of several graphs at once, in regions that run once, and to buffers,
// from where a copy makes them callable; a copy to a buffer needs the code as a
// call does.
// REMARK: remark: {{.*}}code load is dead: @g is not copied before its code is loaded again

// CHECK-LABEL: code of @g: loaded
// CHECK-NEXT:    @main: #0 'pop.remote_exchange' to #5 'pop.code_copy'
// CHECK-NEXT:    @main, #0 'pop.remote_exchange' region 0: #1 'pop.remote_code_load' to end
// CHECK:       code of @h: loaded
// CHECK-NEXT:    @main, #6 'pop.in_sequence' region 0: #7 'pop.code_copy' to #8 'func.call' @h
// CHECK:       code of @g in compute_buffer: loaded
// CHECK-NEXT:  code of @h in io_buffer: loaded
// CHECK-NEXT:    @main: #0 'pop.remote_exchange' to #6 'pop.in_sequence'
// CHECK-NEXT:    @main, #0 'pop.remote_exchange' region 0: #2 'pop.remote_code_load' to end
// CHECK-NEXT:    @main, #6 'pop.in_sequence' region 0: start to #7 'pop.code_copy'
func.func private @g() attributes {no_inline} {
  return
}
func.func private @h() attributes {no_inline} {
  return
}
func.func @main() {
  pop.remote_exchange {
    pop.remote_code_load @g to executable
    pop.remote_code_load @h to io_buffer
  }
  call @g() : () -> ()
  pop.code_copy @g from executable to compute_buffer
  pop.in_sequence {
    pop.code_copy @h from io_buffer to executable
    func.call @h() : () -> ()
  }
  return
}

// -----

// A path into another function names it.

// REMARK: remark: {{.*}}code of @g is kept on the chip by a path without a load: #0 'scf.if', #3 'func.call' @f, #1 'func.call' @g in @f
// CHECK-LABEL: code of @f: always live
// CHECK-NEXT:  code of @g: in the image
func.func private @f() {
  %0 = pop.constant dense<1.0> : tensor<f32>
  call @g() : () -> ()
  return
}
func.func private @g() attributes {no_inline} {
  return
}
func.func @main(%p: i1) {
  scf.if %p {
    pop.remote_code_load @g to executable
  }
  call @f() : () -> ()
  return
}
