// RUN: ipu-opt %s -pop-to-ipu-pipeline -verify-diagnostics -o /dev/null
// RUN: ipu-opt %s -pop-annotate-replica-equal=clone-callees -pop-to-ipu-pipeline -o /dev/null 2>&1 | FileCheck %s --allow-empty

// A function that rounds what is equal and what is not draws bits of its own on
// each replica for both, and a warning says so; clones have nothing to warn of.
// CHECK-NOT: warning:
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 2 : i64}>,
                   pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  // expected-warning @below {{'pop.variable' op "w" may become different on replicas 0 and 1, but the host reads the value of only one of these replicas}}
  pop.variable @w : tensor<5xf16> = dense<1.0> : tensor<5xf16>
  pop.variable @v : tensor<5xf16> = dense<1.0> : tensor<5xf16> {retrieval = #pop<retrieval all_replicas>}
  // expected-note @below {{'pop.stream' op makes replicas 0 and 1 differ}}
  pop.stream @x host_to_device : tensor<5xf16>
  // expected-warning @below {{argument #1 of @update has different replica partitions in different calls: the analysis assumes replica partition 'none'}}
  // expected-note @below {{'pop.read' op passes the difference on}}
  func.func private @update(%r: !pop.ref<5xf16>, %d: tensor<5xf16>) {
    // expected-note @below {{'pop.sub' op passes the difference on}}
    // expected-note @below {{'pop.copy_' op passes the difference on}}
    pop.sub_ %r, %d : !pop.ref<5xf16>, tensor<5xf16>
    return
  }
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<5xf16>
    %v = pop.get_variable @v : !pop.ref<5xf16>
    // expected-note @below {{'pop.host_load' op passes the difference on}}
    %x = pop.host_load @x : tensor<5xf16>
    %a = pop.all_reduce mean %x : tensor<5xf16>
    // expected-note @below {{replica partition in this call: 'none'}}
    // expected-note @below {{'pop.copy_' op passes the difference on}}
    func.call @update(%v, %x) : (!pop.ref<5xf16>, tensor<5xf16>) -> ()
    // expected-note @below {{replica partition in this call: 'all'}}
    // expected-note @below {{'pop.read' op passes the difference on}}
    // expected-note @below {{'pop.copy_' op passes the difference on}}
    func.call @update(%w, %a) : (!pop.ref<5xf16>, tensor<5xf16>) -> ()
    return
  }
}
