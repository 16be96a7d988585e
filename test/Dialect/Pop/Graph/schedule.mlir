// RUN: ipu-opt %s --pop-schedule | FileCheck %s
// RUN: ipu-opt %s --pop-schedule -o %t.mlir
// RUN: ipu-opt %t.mlir --pop-schedule | diff - %t.mlir
// RUN: ipu-opt %s -o /dev/null --pop-schedule --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 | FileCheck %s --check-prefix=REMARK

// The example of the pass. Both maxima would otherwise be computed while both
// matrices are live.
//
// REMARK: :[[#@LINE+7]]:{{.*}}Passed{{.*}}Schedule{{.*}}peak-after=17152, peak-before=33280, sum-after=68864, sum-before=100864
// CHECK-LABEL: func.func @main(
// CHECK-NEXT:    %[[A:.+]] = pop.matmul
// CHECK-NEXT:    %[[MAX:.+]] = pop.reduce max %[[A]]
// CHECK-NEXT:    %[[B:.+]] = pop.add
// CHECK-NEXT:    pop.reduce max %[[B]]
// CHECK-NEXT:    pop.sub
func.func @main(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64xf32> {
  %0 = pop.matmul %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %2 = pop.reduce max %0 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %3 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  %4 = pop.sub %2, %3 : tensor<64xf32>
  return %4 : tensor<64xf32>
}

// The order of the program is the best one.
//
// REMARK: :[[#@LINE+5]]:{{.*}}Missed{{.*}}Schedule{{.*}}peak-after=32, peak-before=32, sum-after=64, sum-before=64
// CHECK-LABEL: func.func @chain(
// CHECK-NEXT:    pop.exp
// CHECK-NEXT:    pop.abs
// CHECK-NEXT:    return
func.func @chain(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.exp %x : tensor<4xf32>
  %1 = pop.abs %0 : tensor<4xf32>
  return %1 : tensor<4xf32>
}

// Each gradient is only live until its update.
//
// CHECK-LABEL: func.func @updates(
// CHECK:         pop.matmul
// CHECK-NOT:     pop.matmul
// CHECK:         pop.sub_
// CHECK-NOT:     pop.sub_
// CHECK:         pop.matmul
// CHECK-NOT:     pop.matmul
// CHECK:         pop.sub_
func.func @updates(%x: tensor<64x1xf32>, %g: tensor<1x64xf32>) {
  %v = pop.get_variable @v : !pop.ref<64x64xf32>
  %w = pop.get_variable @w : !pop.ref<64x64xf32>
  %0 = pop.matmul %x, %g : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = pop.abs %x : tensor<64x1xf32>
  %2 = pop.matmul %1, %g : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  pop.sub_ %v, %0 : !pop.ref<64x64xf32>, tensor<64x64xf32>
  pop.sub_ %w, %2 : !pop.ref<64x64xf32>, tensor<64x64xf32>
  return
}
pop.variable @v : tensor<64x64xf32> = dense<0.0> : tensor<64x64xf32>
pop.variable @w : tensor<64x64xf32> = dense<0.0> : tensor<64x64xf32>

// The ops of a loop are reordered inside the loop. The peak of the loop counts
// while the loop is executed, so that the large tensor is computed afterwards.
//
// CHECK-LABEL: func.func @loop(
// CHECK:         scf.for
// CHECK-NEXT:      pop.add
// CHECK-NEXT:      pop.reduce
// CHECK-NEXT:      pop.mul
// CHECK-NEXT:      pop.reduce
// CHECK-NEXT:      pop.sub
// CHECK-NEXT:      scf.yield
// CHECK:         pop.matmul
// CHECK-NEXT:    return
func.func @loop(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> (tensor<64x64xf32>, tensor<64x1xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = pop.matmul %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = scf.for %i = %c0 to %c4 step %c1 iter_args(%x = %a) -> tensor<64x1xf32> {
    %2 = pop.add %x, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
    %3 = pop.mul %x, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
    %4 = pop.reduce max %2 {axes = array<i64: 1>, keep_dims} : tensor<64x64xf32> -> tensor<64x1xf32>
    %5 = pop.reduce max %3 {axes = array<i64: 1>, keep_dims} : tensor<64x64xf32> -> tensor<64x1xf32>
    %6 = pop.sub %4, %5 : tensor<64x1xf32>
    scf.yield %6 : tensor<64x1xf32>
  }
  return %0, %1 : tensor<64x64xf32>, tensor<64x1xf32>
}

// A sequence is one unit with a fixed order.
//
// CHECK-LABEL: func.func @sequence(
// CHECK-NEXT:    pop.in_sequence {
// CHECK-NEXT:      pop.add
// CHECK-NEXT:      pop.mul
// CHECK-NEXT:      pop.reduce
// CHECK-NEXT:      pop.reduce
// CHECK-NEXT:      pop.yield
// CHECK:         pop.matmul
// CHECK-NEXT:    return
func.func @sequence(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>) {
  %0 = pop.matmul %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1, %2 = pop.in_sequence {
    %3 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
    %4 = pop.mul %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
    %5 = pop.reduce max %3 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
    %6 = pop.reduce max %4 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
    pop.yield %5, %6 : tensor<64xf32>, tensor<64xf32>
  } : tensor<64xf32>, tensor<64xf32>
  return %0, %1, %2 : tensor<64x64xf32>, tensor<64xf32>, tensor<64xf32>
}

// The peak of a function counts while a call of it is executed.
//
// CHECK-LABEL: func.func @calls(
// CHECK-NEXT:    call @large
// CHECK-NEXT:    pop.matmul
// CHECK-NEXT:    return
func.func @calls(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> (tensor<64x64xf32>, tensor<64xf32>) {
  %0 = pop.matmul %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = call @large(%a, %b) : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64xf32>
  return %0, %1 : tensor<64x64xf32>, tensor<64xf32>
}
func.func private @large(%a: tensor<64x1xf32>, %b: tensor<1x64xf32>) -> tensor<64xf32> {
  %0 = pop.add %a, %b : (tensor<64x1xf32>, tensor<1x64xf32>) -> tensor<64x64xf32>
  %1 = pop.reduce max %0 {axes = array<i64: 1>} : tensor<64x64xf32> -> tensor<64xf32>
  return %1 : tensor<64xf32>
}

// A view keeps its operand live and takes no bytes: reading the view early does
// not free it.
//
// REMARK: :[[#@LINE+5]]:{{.*}}Missed{{.*}}Schedule{{.*}}peak-after=512, peak-before=512
// CHECK-LABEL: func.func @view(
// CHECK-NEXT:    pop.add
// CHECK-NEXT:    pop.reshape
// CHECK-NEXT:    pop.reduce
func.func @view(%a: tensor<64x1xf32>) -> tensor<1xf32> {
  %0 = pop.add %a, %a : tensor<64x1xf32>
  %1 = pop.reshape %0 : tensor<64x1xf32> to tensor<1x64xf32>
  %2 = pop.reduce max %1 {axes = array<i64: 1>} : tensor<1x64xf32> -> tensor<1xf32>
  return %2 : tensor<1xf32>
}
