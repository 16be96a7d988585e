// RUN: ipu-opt %s --pop-print-replica-equal=replicas=2 -o /dev/null 2>&1 | FileCheck %s
// RUN: ipu-opt %s --pass-pipeline='builtin.module(pop-stochastic-rounding{replicas=2},pop-number-draws)' | FileCheck %s --check-prefix=ROUND
// RUN: ipu-opt %s --pop-stochastic-rounding=replicas=2 --pop-print-replica-equal=replicas=2 -o /dev/null 2>&1 | FileCheck %s

// Each result of a copy is as equal as its own operand, whatever the others are.

module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  pop.stream @same host_to_device broadcast : tensor<2xf16>
  pop.stream @other host_to_device : tensor<2xf16>
  // CHECK: 'pop.ipu_copy': all, none
  // CHECK: 'pop.ipu_copy': none, all
  // CHECK: 'pop.io_tile_copy': all
  // CHECK: 'pop.io_tile_copy': none
  // Nor does a copy draw bits, or become different by the seeds that replicas
  // round with: it rounds nothing.
  // ROUND-NOT: pop.draw
  // ROUND: pop.add {{.*}}pop.draw = #pop.draw<0>
  // ROUND-NOT: pop.draw
  func.func @main() {
    %a = pop.host_load @same : tensor<2xf16>
    %b = pop.host_load @other : tensor<2xf16>
    %a1, %b1 = pop.ipu_copy %a, %b from 0 to 1 : tensor<2xf16>, tensor<2xf16>
    %b0, %a0 = pop.ipu_copy %b1, %a1 from [1, 2] to 0 : tensor<2xf16>, tensor<2xf16>
    %c = pop.io_tile_copy %a0 to io : tensor<2xf16>
    %d = pop.io_tile_copy %b0 to io : tensor<2xf16>
    %e = pop.add %c, %c : tensor<2xf16>
    return
  }
}
