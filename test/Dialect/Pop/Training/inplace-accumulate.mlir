// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-inplace-accumulate)' --verify-contracts | FileCheck %s
// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-inplace-accumulate)' --remarks-filter=pop-graph --remark-format=emitRemark 2>&1 -o /dev/null | FileCheck %s --check-prefix=REMARK

// The nine cases are those of PopART's tests of the transform.

// The example of the pass: additions are replaced. The accumulator is an argument
// and a result.
//
// REMARK: [Passed] InplaceAccumulate | Category:pop-graph | addends=2
// CHECK-LABEL: func.func @main(
// CHECK-SAME:    %[[R:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[A:.+]] = pop.tanh %[[X]]
// CHECK-NEXT:    %[[RA:.+]] = pop.accumulate add %[[R]], %[[A]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:    %[[B:.+]] = pop.exp %[[X]]
// CHECK-NEXT:    %[[RAB:.+]] = pop.accumulate add %[[RA]], %[[B]] : tensor<4xf32>, tensor<4xf32>
// CHECK-NEXT:    return %[[RAB]]
func.func @main(%a: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.tanh %x : tensor<4xf32>
  %1 = pop.exp %x : tensor<4xf32>
  %2 = pop.add %0, %1 : tensor<4xf32>
  %3 = pop.accumulate add %a, %2 : tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// An empty function.
//
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    return
func.func @main() {
  return
}

// -----

// The sum starts from zeros, which are left out.
//
// CHECK-LABEL: func.func @zeros(
// CHECK-SAME:    %[[R:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NOT:     pop.add
// CHECK:         %[[RX:.+]] = pop.accumulate add %[[R]], %[[X]] {factor = 5.000000e-01 : f64}
// CHECK:         %[[RXY:.+]] = pop.accumulate add %[[RX]], %[[Y]] {factor = 5.000000e-01 : f64}
// CHECK:         return %[[RXY]]
func.func @zeros(%a: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.constant dense<0.0> : tensor<4xf32>
  %1 = pop.add %0, %x : tensor<4xf32>
  %2 = pop.add %1, %y : tensor<4xf32>
  %3 = pop.accumulate add %a, %2 {factor = 0.5 : f64} : tensor<4xf32>, tensor<4xf32>
  return %3 : tensor<4xf32>
}

// -----

// Another constant is an addend as any other; PopART leaves such a sum.
//
// CHECK-LABEL: func.func @ones(
// CHECK-SAME:    %[[R:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<4xf32>)
// CHECK:         %[[RX:.+]] = pop.accumulate add %[[R]], %[[X]]
// CHECK:         %[[ONES:.+]] = pop.constant dense<1.0
// CHECK:         pop.accumulate add %[[RX]], %[[ONES]]
func.func @ones(%a: tensor<4xf32>, %x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = pop.constant dense<1.0> : tensor<4xf32>
  %1 = pop.add %0, %x : tensor<4xf32>
  %2 = pop.accumulate add %a, %1 : tensor<4xf32>, tensor<4xf32>
  return %2 : tensor<4xf32>
}

// -----

// Only additions are split: (a + b)^2 is not a^2 + b^2, and means and maxima are
// of the whole.
//
// CHECK-LABEL: func.func @kinds(
// CHECK:             pop.add
// CHECK-NEXT:        pop.accumulate square
// CHECK-NEXT:        pop.add
// CHECK-NEXT:        pop.accumulate mean
// CHECK-NEXT:        pop.add
// CHECK-NEXT:        pop.accumulate moving_average %
// CHECK-NEXT:        pop.add
// CHECK-NEXT:        pop.accumulate moving_average_square
// CHECK-NEXT:        pop.add
// CHECK-NEXT:        pop.accumulate infinity
// CHECK-NEXT:        return
func.func @kinds(%a: tensor<4xf32>, %x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.add %x, %x : tensor<4xf32>
  %1 = pop.accumulate square %a, %0 : tensor<4xf32>, tensor<4xf32>
  %2 = pop.add %x, %1 : tensor<4xf32>
  %3 = pop.accumulate mean %a, %2 step(%s : tensor<f32>) : tensor<4xf32>, tensor<4xf32>
  %4 = pop.add %x, %3 : tensor<4xf32>
  %5 = pop.accumulate moving_average %a, %4 {factor = 0.5 : f64} : tensor<4xf32>, tensor<4xf32>
  %6 = pop.add %x, %5 : tensor<4xf32>
  %7 = pop.accumulate moving_average_square %a, %6 {factor = 0.5 : f64} : tensor<4xf32>, tensor<4xf32>
  %8 = pop.add %x, %7 : tensor<4xf32>
  %9 = pop.accumulate infinity %a, %8 {factor = 0.5 : f64} : tensor<4xf32>, tensor<4xf32>
  return %1, %3, %5, %7, %9 : tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>, tensor<4xf32>
}

// -----

// A factor that is no constant: each accumulation comes after it.
//
// CHECK-LABEL: func.func @factor(
// CHECK-SAME:    %[[R:[a-z0-9]+]]: tensor<4xf32>, %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf16>, %[[S:[a-z0-9]+]]: tensor<f32>)
// CHECK-NEXT:    %[[A:.+]] = pop.tanh %[[Y]]
// CHECK-NEXT:    %[[F:.+]] = pop.sqrt %[[S]]
// CHECK-NEXT:    %[[RY:.+]] = pop.accumulate add %[[R]], %[[Y]] factor(%[[F]] : tensor<f32>) : tensor<4xf32>, tensor<4xf16>
// CHECK-NEXT:    pop.accumulate add %[[RY]], %[[A]] factor(%[[F]] : tensor<f32>)
func.func @factor(%a: tensor<4xf32>, %x: tensor<4xf32>, %y: tensor<4xf16>, %s: tensor<f32>) -> tensor<4xf32> {
  %0 = pop.tanh %y : tensor<4xf16>
  %1 = pop.add %0, %y : tensor<4xf16>
  %2 = pop.sqrt %s : tensor<f32>
  %3 = pop.accumulate add %a, %1 factor(%2 : tensor<f32>) : tensor<4xf32>, tensor<4xf16>
  return %3 : tensor<4xf32>
}

// -----

// No additions; additions with other consumers; additions that broadcast; on
// another virtual graph; in another fragment of the program.
//
// CHECK-LABEL:     func.func @others(
// CHECK:             pop.accumulate add %{{.+}}, %arg1
// CHECK:             %[[USED:.+]] = pop.add
// CHECK:             pop.accumulate add %{{.+}}, %[[USED]]
// CHECK:             %[[BROADCAST:.+]] = pop.add
// CHECK:             pop.accumulate add %{{.+}}, %[[BROADCAST]]
// CHECK:             %[[VGRAPH:.+]] = pop.add
// CHECK:             pop.accumulate add %{{.+}}, %[[VGRAPH]]
// CHECK:             %[[CONTEXT:.+]] = pop.add
// CHECK:             pop.accumulate add %{{.+}}, %[[CONTEXT]]
// CHECK:             return %{{.+}}, %[[USED]]
func.func @others(%a: tensor<4xf32>, %x: tensor<4xf32>, %s: tensor<f32>) -> (tensor<4xf32>, tensor<4xf32>) {
  %0 = pop.accumulate add %a, %x : tensor<4xf32>, tensor<4xf32>
  %1 = pop.add %x, %x : tensor<4xf32>
  %2 = pop.accumulate add %0, %1 : tensor<4xf32>, tensor<4xf32>
  %3 = pop.add %x, %s : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
  %4 = pop.accumulate add %2, %3 : tensor<4xf32>, tensor<4xf32>
  %5 = pop.add %x, %x {pop.vgraph = 1} : tensor<4xf32>
  %6 = pop.accumulate add %4, %5 {pop.vgraph = 0} : tensor<4xf32>, tensor<4xf32>
  %7 = pop.add %x, %x : tensor<4xf32>
  %8 = pop.accumulate add %6, %7 {pop.execution_context = #pop<execution_context accumulate_outer>} : tensor<4xf32>, tensor<4xf32>
  return %8, %1 : tensor<4xf32>, tensor<4xf32>
}

// -----

// A tree of sums and additions, of arguments and results, on a variable.
//
// CHECK-LABEL: func.func @in_place(
// CHECK-SAME:    %[[X:[a-z0-9]+]]: tensor<4xf32>, %[[Y:[a-z0-9]+]]: tensor<4xf32>)
// CHECK-NEXT:    %[[R:.+]] = pop.get_variable @r
// CHECK-NEXT:    pop.accumulate_ add %[[R]], %[[Y]] : !pop.ref<4xf32>, tensor<4xf32>
// CHECK-NEXT:    pop.accumulate_ add %[[R]], %[[X]] : !pop.ref<4xf32>, tensor<4xf32>
// CHECK-NEXT:    %[[A:.+]] = pop.tanh %[[X]]
// CHECK-NEXT:    pop.accumulate_ add %[[R]], %[[A]] : !pop.ref<4xf32>, tensor<4xf32>
// CHECK-NEXT:    %[[B:.+]] = pop.exp %[[X]]
// CHECK-NEXT:    pop.accumulate_ add %[[R]], %[[B]] : !pop.ref<4xf32>, tensor<4xf32>
// CHECK-NEXT:    return
pop.variable @r : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @in_place(%x: tensor<4xf32>, %y: tensor<4xf32>) {
  %r = pop.get_variable @r : !pop.ref<4xf32>
  %0 = pop.tanh %x : tensor<4xf32>
  %1 = pop.exp %x : tensor<4xf32>
  %2 = pop.sum %1, %y, %0 : (tensor<4xf32>, tensor<4xf32>, tensor<4xf32>) -> tensor<4xf32>
  %3 = pop.add %2, %x : tensor<4xf32>
  pop.accumulate_ add %r, %3 : !pop.ref<4xf32>, tensor<4xf32>
  return
}

// -----

// What reads or writes the variable keeps its place, and so does the accumulation.
//
// CHECK-LABEL: func.func @read(
// CHECK:         %[[SUM:.+]] = pop.add
// CHECK:         pop.read
// CHECK:         pop.accumulate_ add %{{.+}}, %[[SUM]]
pop.variable @r : tensor<4xf32> = dense<0.0> : tensor<4xf32>
func.func @read(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<4xf32> {
  %r = pop.get_variable @r : !pop.ref<4xf32>
  %0 = pop.add %x, %y : tensor<4xf32>
  %1 = pop.read %r : !pop.ref<4xf32>
  pop.accumulate_ add %r, %0 : !pop.ref<4xf32>, tensor<4xf32>
  return %1 : tensor<4xf32>
}
