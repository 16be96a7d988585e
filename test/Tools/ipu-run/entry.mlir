// --entry names the function to run.

// RUN: ipu-run %s --entry twice --input x=ones | FileCheck %s --check-prefix=TWICE
// RUN: ipu-run %s --entry twice --input x=ones --engine interp --compare-engines | FileCheck %s --check-prefix=TWICE
// RUN: ipu-run %s --entry twice --emit ipu | ipu-run - --entry twice --input x=ones | FileCheck %s --check-prefix=TWICE
// TWICE: result0 : tensor<2xf32> = dense<[2.0, 2.0]>
// RUN: ipu-run %s --entry thrice --input x=ones | FileCheck %s --check-prefix=THRICE
// THRICE: result0 : tensor<2xf32> = dense<[3.0, 3.0]>
// RUN: ipu-run %s --entry twice --engine none --summary | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: time: {{.+}} on gc200

// A function that is not called is no part of the program, be it @main.

// RUN: cp %s %t.mlir
// RUN: echo 'func.func @main() { return }' >> %t.mlir
// RUN: ipu-run %t.mlir --entry thrice --input x=ones | FileCheck %s --check-prefix=THRICE
// RUN: ipu-run %t.mlir --entry thrice --emit ipu | FileCheck %s --check-prefix=PARTS
// PARTS-NOT: func.func {{.*}}@{{main|twice}}
// PARTS: func.func @thrice
// PARTS-NOT: func.func {{.*}}@{{main|twice}}
// RUN: ipu-run %t.mlir | count 0

// Without it, it is @main that is missing.

// RUN: sh %S/Inputs/status.sh 3 ipu-run %s 2>&1 | FileCheck %s --check-prefix=NONE -DNAME=main
// RUN: sh %S/Inputs/status.sh 3 ipu-run %s --entry once 2>&1 | FileCheck %s --check-prefix=NONE -DNAME=once
// RUN: sh %S/Inputs/status.sh 3 ipu-run %s --entry extern 2>&1 | FileCheck %s --check-prefix=NONE -DNAME=extern
// NONE: error: {{.*}}expects a func.func '[[NAME]]' with a body; the functions of the module are 'twice', 'thrice', 'double'
// NONE: ipu-run: error: '{{.*}}entry.mlir' has no function '[[NAME]]' that can run; --entry names the function to run
// RUN: sh %S/Inputs/status.sh 3 ipu-run %s --pass-pipeline 'cse' 2>&1 | FileCheck %s --check-prefix=PASSES
// PASSES: error: {{.*}}expects a func.func 'main' with a body; the functions of the module are 'twice', 'thrice', 'double'
// RUN: sh %S/Inputs/status.sh 2 ipu-run %s --entry= 2>&1 | FileCheck %s --check-prefix=EMPTY
// EMPTY: error: --entry expects NAME but got ''

// The passes say the same.

// RUN: not ipu-opt %s --pop-to-ipu-pipeline 2>&1 | FileCheck %s --check-prefix=PASSES
// RUN: not ipu-opt %s --ipu-execute 2>&1 | FileCheck %s --check-prefix=PASSES

func.func private @extern()

func.func @twice(%x: tensor<2xf32> {pop.name = "x"}) -> tensor<2xf32> {
  %0 = func.call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
  return %0 : tensor<2xf32>
}

func.func @thrice(%x: tensor<2xf32> {pop.name = "x"}) -> tensor<2xf32> {
  %0 = func.call @double(%x) : (tensor<2xf32>) -> tensor<2xf32>
  %1 = pop.add %0, %x : tensor<2xf32>
  return %1 : tensor<2xf32>
}

func.func @double(%x: tensor<2xf32>) -> tensor<2xf32> attributes {no_inline} {
  %0 = pop.add %x, %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
