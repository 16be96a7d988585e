// A function that decays weights, which stay equal, and momenta, which do not:
// with one clone for each the weights stay equal; without, the compiler says
// that they may not.
// RUN: ipu-opt %s --pass-pipeline="builtin.module(pop-annotate-replica-equal{clone-callees},pop-to-ipu-pipeline,ipu-execute{inputs=*=random:1 check-replica-equal replica-equal-report=-})" -o /dev/null 2>&1 | FileCheck %s --implicit-check-not=warning
// RUN: ipu-opt %s --pop-to-ipu-pipeline -o /dev/null 2>&1 | FileCheck %s --check-prefix=SHARED

// CHECK: "variable": "w",
// CHECK: "annotated": "all",
// CHECK-NEXT: "observed": "all"

// SHARED: warning: argument #0 of @decay has different replica partitions in different calls: the analysis assumes replica partition 'none'
// SHARED: warning: 'pop.variable' op "w" may become different
module attributes {pop.stochastic_rounding = #pop.stochastic_rounding<counter>,
    ipu.target = #ipu.target<"gc200", {tiles = 4 : i64, replicas = 4 : i64}>} {
  pop.variable @w : tensor<4xf16> = dense<1.0> : tensor<4xf16>
  pop.variable @m : tensor<4xf16> = dense<1.0> : tensor<4xf16> {retrieval = #pop<retrieval all_replicas>}
  pop.stream @x host_to_device : tensor<4xf16>
  pop.stream @seen device_to_host : tensor<4xf16>
  func.func private @decay(%r: !pop.ref<4xf16>) {
    %c = pop.constant dense<0.3> : tensor<4xf16>
    pop.mul_ %r, %c : !pop.ref<4xf16>, tensor<4xf16>
    return
  }
  func.func @main() {
    %w = pop.get_variable @w : !pop.ref<4xf16>
    %m = pop.get_variable @m : !pop.ref<4xf16>
    call @decay(%w) : (!pop.ref<4xf16>) -> ()
    call @decay(%m) : (!pop.ref<4xf16>) -> ()
    %x = pop.host_load @x : tensor<4xf16>
    pop.add_ %m, %x : !pop.ref<4xf16>, tensor<4xf16>
    %0 = pop.read %w : !pop.ref<4xf16>
    pop.host_store %0, @seen : tensor<4xf16>
    return
  }
}
