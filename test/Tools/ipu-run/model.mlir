// A pop program from its text to its outputs.

// RUN: ipu-run %s --input a=ramp --input arg1=ones | FileCheck %s --check-prefix=OUT
// RUN: ipu-run %s --input a=ramp --input arg1=ones --engine interp | FileCheck %s --check-prefix=OUT
// RUN: ipu-run %s --input a=ramp --input arg1=ones --check --threads 2 --target gc2,tiles=2 | FileCheck %s --check-prefix=OUT
// RUN: ipu-run %s --input a=ramp --input arg1=ones --pass-pipeline pop-to-ipu-pipeline | FileCheck %s --check-prefix=OUT
// RUN: ipu-run %s --input a=ramp --input arg1=ones --pass-pipeline 'builtin.module(pop-to-ipu-pipeline)' | FileCheck %s --check-prefix=OUT
// RUN: ipu-run %s --emit ipu | ipu-run - --input a=ramp --input arg1=ones | FileCheck %s --check-prefix=OUT
// RUN: ipu-run %s --emit pop | ipu-run - --input a=ramp --input arg1=ones | FileCheck %s --check-prefix=OUT

// OUT-NOT: {{.}}
// OUT: c : tensor<2x2xf32> = dense<{{\[\[}}0.5, 0.5], [2.0, 2.0]]>
// OUT-NEXT: result1 : tensor<2x3xf32> = dense<{{\[\[}}0.0, 0.16666667, 0.33333334], [0.5, 0.6666667, 0.8333333]]>
// OUT-NOT: {{.}}

// RUN: ipu-run %s --emit pop --target bow,tiles=16 | FileCheck %s --check-prefix=POP
// POP: module attributes {ipu.target = #ipu.target<"bow", {tiles = 16 : i64}>}
// POP: pop.matmul
// RUN: ipu-run %s --emit ipu | FileCheck %s --check-prefix=IPU
// IPU: ipu.stream @a
// IPU: ipu.compute_set
// IPU-NOT: pop.matmul %

// Inputs that have no name are named by their place.

// RUN: sh %S/Inputs/status.sh 2 ipu-run %s 2>&1 | FileCheck %s --check-prefix=INPUTS
// INPUTS: error: no value for inputs 'a' : tensor<2x3xf32>, 'arg1' : tensor<3x2xf32>

// Costs, for people and for programs.

// RUN: ipu-run %s --input '*=ones' --summary --profile %t.json | FileCheck %s --check-prefix=SUMMARY
// SUMMARY: result1 : tensor<2x3xf32>
// SUMMARY: time: {{.+}} on gc200
// RUN: FileCheck %s --check-prefix=PROFILE --input-file %t.json
// PROFILE: "version"

// An expectation of the program that does not hold.

// RUN: sh %S/Inputs/status.sh 1 ipu-run %s --input a=zeros --input arg1=ones 2>&1 | FileCheck %s --check-prefix=EXPECT
// EXPECT: model.mlir:[[#]]:3: error:
// EXPECT-SAME: 4 of 4 elements differ, first at [0, 0]: got 0.0
// EXPECT-NOT: see current operation
// EXPECT: ipu-run: error: an expectation of the program does not hold

// A pipeline that leaves work to do.

// RUN: sh %S/Inputs/status.sh 3 ipu-run %s --input '*=ones' --pass-pipeline 'func.func(pop-decompose)' 2>&1 | FileCheck %s --check-prefix=PARTLY
// PARTLY: model.mlir:[[#]]:1: error: expects a program that is lowered to ipu and has no arguments or results but got

func.func @main(%a: tensor<2x3xf32> {pop.name = "a"}, %b: tensor<3x2xf32>)
    -> (tensor<2x2xf32> {pop.name = "c"}, tensor<2x3xf32>) {
  %0 = pop.matmul %a, %b : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  %1 = pop.relu %a : tensor<2x3xf32>
  pop.expect_close %0, dense<2.0> : tensor<2x2xf32> {atol = 1.5 : f64}
  return %0, %1 : tensor<2x2xf32>, tensor<2x3xf32>
}
