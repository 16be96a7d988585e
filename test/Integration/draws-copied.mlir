// Inlining of functions and merging of equal ops change no bit of stochastic
// rounding, because ops have numbers before, and each copy advances.

// DEFINE: %{run} = pop-to-ipu-pipeline,ipu-execute{inputs="*=random:3"}
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-number-draws{generator=counter},%{run})' > %t.called
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-number-draws{generator=counter},inline,%{run})' | diff %t.called -
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-number-draws{generator=counter},inline,pop-merge-duplicate-ops,%{run})' | diff %t.called -

// Numbers that are given after inlining are others.
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(inline,pop-number-draws{generator=counter},%{run})' | not diff %t.called - > %t.diff

// The two calls draw different bits for equal operands.
// RUN: FileCheck %s < %t.called
// CHECK: differ : tensor<i32> = dense<1>
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 16 : i64}>} {
func.func private @f(%x: tensor<512xf16>) -> tensor<512xf16> {
  %0 = pop.exp %x : tensor<512xf16>
  %1 = pop.mul %0, %x : tensor<512xf16>
  return %1 : tensor<512xf16>
}
pop.stream @x host_to_device : tensor<512xf16>
pop.stream @y device_to_host : tensor<512xf16>
pop.stream @differ device_to_host : tensor<i32>
func.func @main() {
  %x = pop.host_load @x : tensor<512xf16>
  %0 = call @f(%x) : (tensor<512xf16>) -> tensor<512xf16>
  %1 = call @f(%x) : (tensor<512xf16>) -> tensor<512xf16>
  %2 = pop.sub %0, %1 : tensor<512xf16>
  %3 = pop.cast %2 : tensor<512xf16> to tensor<512xi1>
  %4 = pop.cast %3 : tensor<512xi1> to tensor<512xi32>
  %5 = pop.reduce max %4 {axes = array<i64: 0>} : tensor<512xi32> -> tensor<i32>
  %6 = pop.mul %0, %1 : tensor<512xf16>
  pop.host_store %6, @y : tensor<512xf16>
  pop.host_store %5, @differ : tensor<i32>
  return
}
}
