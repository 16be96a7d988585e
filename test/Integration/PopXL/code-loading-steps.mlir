// A program without and with a code load: equal results, and exactly one more
// step, the load.
//
// RUN: sed "/pop.remote_code_load/d" %s > %t.without.mlir
// RUN: ipu-opt %t.without.mlir -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp profile=%t.without.json})' > %t.without
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp profile=%t.with.json})' > %t.with
// RUN: ipu-opt %s -o /dev/null --pass-pipeline='builtin.module(pop-to-ipu-pipeline,ipu-execute{inputs=x=ramp check})' > %t.checked
// RUN: cmp %t.without %t.with
// RUN: cmp %t.with %t.checked
// RUN: FileCheck %s < %t.with
// RUN: %python -c "import json, sys; without, steps = [[(s['kind'], s['name']) for s in json.load(open(f))['steps']] for f in sys.argv[1:]]; [steps.remove(s) for s in without]; print(steps)" %t.without.json %t.with.json | FileCheck %s --check-prefix=STEPS

// CHECK: y : tensor<8xf32> = dense<[0.0, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75]>
// STEPS: [('code', 'double')]
module attributes {ipu.target = #ipu.target<"gc200", {tiles = 4 : i64}>} {
  pop.stream @x host_to_device : tensor<8xf32>
  pop.stream @y device_to_host : tensor<8xf32>
  func.func private @double(%x: tensor<8xf32>) -> tensor<8xf32> attributes {no_inline} {
    %0 = pop.add %x, %x : tensor<8xf32>
    return %0 : tensor<8xf32>
  }
  func.func @main() {
    %x = pop.host_load @x : tensor<8xf32>
    pop.remote_code_load @double to executable
    %y = func.call @double(%x) : (tensor<8xf32>) -> tensor<8xf32>
    pop.host_store %y, @y : tensor<8xf32>
    return
  }
}
