// UNSUPPORTED: asan
// RUN: %python %S/Inputs/documented-pipelines.py %src_root/docs/getting-started.md %s %S/Inputs/linalg.mlir %mlir_opt %load_plugin | FileCheck %s

// The pipelines run as the page spells them, and there is one for each.

// CHECK: run: --pass-pipeline=builtin.module(pop-to-ipu-pipeline{
// CHECK: run: --pass-pipeline=builtin.module(pop-to-ipu-pipeline,ipu-execute{
// CHECK: result0 : tensor<2xf32>
// CHECK: run: --pass-pipeline=builtin.module(sdy-propagation-pipeline{
// CHECK: run: --pass-pipeline=builtin.module(sdy-import-pipeline{
// CHECK: run: --pass-pipeline=builtin.module(sdy-export-pipeline{
// CHECK: run: --pass-pipeline=builtin.module(fuse-pipeline{
// CHECK: run: --fuse-pipeline=

// What the page says of flags: mlir-opt lists pipelines, but does not take them.

// RUN: not %mlir_opt %load_plugin --fuse-pipeline %s 2>&1 | FileCheck %s --check-prefix=FLAG
// FLAG: Unknown command line argument '--fuse-pipeline'

func.func @main(%x: tensor<2xf32>) -> tensor<2xf32> {
  %0 = pop.relu %x : tensor<2xf32>
  return %0 : tensor<2xf32>
}
