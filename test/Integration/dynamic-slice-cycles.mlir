// A slice costs what it takes: of 64 times as many rows, one row takes less than
// four times as many cycles, most of which are those of finding it.
//
// RUN: sed 's/ROWS/256/g' %s > %t.few.mlir
// RUN: ipu-opt %t.few.mlir -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit results=%t profile=%t.few.json})'
// RUN: sed 's/ROWS/16384/g' %s > %t.many.mlir
// RUN: ipu-opt %t.many.mlir -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs="*=ramp" engine=jit results=%t profile=%t.many.json})'
// RUN: %python %S/Inputs/slice-cycles.py %t.few.json %t.many.json 4
// RUN: not %python %S/Inputs/slice-cycles.py %t.few.json %t.many.json 1

module attributes {ipu.target = #ipu.target<"gc200", {tiles = 64 : i64}>} {
  func.func @main(%x: tensor<ROWSx64xf32> {pop.name = "x"}, %s: tensor<1xi32> {pop.name = "s"}) -> tensor<1x64xf32> {
    %y = pop.dynamic_slice %x[%s] {axes = array<i64: 0>, sizes = array<i64: 1>} : tensor<ROWSx64xf32>, tensor<1xi32> -> tensor<1x64xf32>
    return %y : tensor<1x64xf32>
  }
}
