// A program has the same bits with and without pop-merge-loops: with rows that another
// loop reads, variables, and an op between loops.
//
// DEFINE: %{run} = ipu-run %s --input x=random:1
// DEFINE: %{lower} = func.func(pop-choose-accumulation),pop-to-ipu-pipeline
//
// RUN: rm -rf %t
// RUN: %{run} --output-dir %t/apart --save-weights %t/apart.npz --pass-pipeline '%{lower}'
// RUN: %{run} --output-dir %t/merged --save-weights %t/merged.npz --pass-pipeline 'pop-merge-loops,%{lower}' --remarks=pop-graph 2>&1 | FileCheck %s
// RUN: diff -r %t/apart %t/merged
// RUN: cmp %t/apart.npz %t/merged.npz

// CHECK-COUNT-2: Passed{{.*}}the loop is merged
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.variable @w : tensor<2xf32> = dense<0.5> : tensor<2xf32>
  func.func @main(%x: tensor<6x2xf32> {pop.name = "x"}) -> (tensor<6x2xf32> {pop.name = "y"}, tensor<6x2xf32> {pop.name = "z"}, tensor<2xf32> {pop.name = "s"}) {
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c3 = arith.constant 3 : index
    %two = pop.constant dense<2> : tensor<i32>
    %zeros = pop.constant dense<0.0> : tensor<6x2xf32>
    %zero = pop.constant dense<0.0> : tensor<2xf32>
    %w = pop.get_variable @w : !pop.ref<2xf32>
    %y = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zeros) -> (tensor<6x2xf32>) {
      %n = pop.from_scalar %i : index to tensor<i32>
      %m = pop.mul %n, %two : tensor<i32>
      %start = pop.reshape %m : tensor<i32> to tensor<1xi32>
      %row = pop.dynamic_slice %x[%start] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<6x2xf32>, tensor<1xi32> -> tensor<2x2xf32>
      %e = pop.exp %row : tensor<2x2xf32>
      %u = pop.dynamic_update %a, %e[%start] {axes = array<i64: 0>} : tensor<6x2xf32>, tensor<2x2xf32>, tensor<1xi32>
      scf.yield %u : tensor<6x2xf32>
    }
    %m = pop.reduce max %x {axes = array<i64: 0>} : tensor<6x2xf32> -> tensor<2xf32>
    %z = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zeros) -> (tensor<6x2xf32>) {
      %n = pop.from_scalar %i : index to tensor<i32>
      %k = pop.mul %n, %two : tensor<i32>
      %start = pop.reshape %k : tensor<i32> to tensor<1xi32>
      %row = pop.dynamic_slice %y[%start] {axes = array<i64: 0>, sizes = array<i64: 2>} : tensor<6x2xf32>, tensor<1xi32> -> tensor<2x2xf32>
      %d = pop.sub %row, %m : (tensor<2x2xf32>, tensor<2xf32>) -> tensor<2x2xf32>
      %u = pop.dynamic_update %a, %d[%start] {axes = array<i64: 0>} : tensor<6x2xf32>, tensor<2x2xf32>, tensor<1xi32>
      scf.yield %u : tensor<6x2xf32>
    }
    %s = scf.for %i = %c0 to %c3 step %c1 iter_args(%a = %zero) -> (tensor<2xf32>) {
      %v = pop.read %w : !pop.ref<2xf32>
      %b = pop.add %a, %v : tensor<2xf32>
      pop.mul_ %w, %b : !pop.ref<2xf32>, tensor<2xf32>
      scf.yield %b : tensor<2xf32>
    }
    return %y, %z, %s : tensor<6x2xf32>, tensor<6x2xf32>, tensor<2xf32>
  }
}
