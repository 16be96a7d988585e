// RUN: ipu-opt %s --pop-print-replica-equal -o /dev/null 2>&1 | FileCheck %s
// RUN: ipu-opt %s --pop-annotate-replica-equal -o /dev/null 2>&1 | FileCheck %s --check-prefix=ANNOTATE
// RUN: ipu-opt %s --pop-print-replica-equal=replicas=2 -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWO --implicit-check-not=warning
// RUN: not ipu-opt %s --pop-print-replica-equal=replicas=-3 -o /dev/null 2>&1 | FileCheck %s --check-prefix=BAD --implicit-check-not=host_load

// Without a target and a number there is one replica, which is said.

// CHECK: replica-equal-replicas.mlir:0:0: warning: the module has no target, and no number of replicas is given: the analysis assumes one replica, on which all values are equal
// CHECK: 'pop.host_load': all
// ANNOTATE: replica-equal-replicas.mlir:0:0: warning: the module has no target
// TWO: 'pop.host_load': none

// A number that cannot be is an error at the module, which is not shown.

// BAD: replica-equal-replicas.mlir:0:0: error: expects between 1 and {{[0-9]+}} replicas but got -3
pop.stream @x host_to_device : tensor<2xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<2xf32>
  return
}
