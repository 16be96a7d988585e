// A program may begin with an op of another dialect than pop, as ipu-opt reads
// it.

// RUN: ipu-run %s --input n=ones --input x=ramp | FileCheck %s --check-prefix=ONE
// ONE: y : tensor<2xf32> = dense<[0.0, 1.0]>
// RUN: ipu-run %s --input n=zeros --input x=ramp | FileCheck %s --check-prefix=ZERO
// ZERO: y : tensor<2xf32> = dense<[0.0, 0.5]>

// Dialects that nothing can run are told as ipu-opt tells them.

// RUN: echo 'func.func @main() { %%0 = ub.poison : tensor<2xf32>  return }' > %t.mlir
// RUN: ipu-run %t.mlir --emit pop | FileCheck %s --check-prefix=POISON
// POISON: ub.poison

func.func @main(%n: tensor<i1> {pop.name = "n"},
                %x: tensor<2xf32> {pop.name = "x"})
    -> (tensor<2xf32> {pop.name = "y"}) {
  %c = tensor.extract %n[] : tensor<i1>
  %0 = scf.if %c -> tensor<2xf32> {
    %1 = pop.add %x, %x : tensor<2xf32>
    scf.yield %1 : tensor<2xf32>
  } else {
    scf.yield %x : tensor<2xf32>
  }
  return %0 : tensor<2xf32>
}
