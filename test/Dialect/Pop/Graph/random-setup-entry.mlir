// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-random-setup{func=f})" | FileCheck %s
// RUN: not ipu-opt %s --pass-pipeline="builtin.module(pop-random-setup{func=h})" 2>&1 | FileCheck %s --check-prefix=NONE

// NONE: error: 'pop-random-setup' expects function 'h' with a body

// The program starts with the function that the option names.
//
// CHECK:       func.func private @g(%[[SEED:[a-z0-9]+]]: tensor<2xui32>) -> tensor<2xui32>
// CHECK:       pop.stream @random_seed host_to_device broadcast : tensor<2xui32> {seed}
// CHECK:       func.func private @f() -> tensor<2xui32>
// CHECK:         pop.host_load @random_seed
// CHECK:         call @g(%{{.+}}) : (tensor<2xui32>) -> tensor<2xui32>
func.func private @g() -> tensor<2xui32> {
  %0 = pop.next_seed
  return %0 : tensor<2xui32>
}
func.func private @f() -> tensor<2xui32> {
  %0 = call @g() : () -> tensor<2xui32>
  return %0 : tensor<2xui32>
}
func.func private @h()
