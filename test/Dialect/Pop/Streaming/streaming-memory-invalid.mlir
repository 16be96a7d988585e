// RUN: ipu-opt %s --split-input-file --verify-diagnostics --pop-streaming-memory=phases=4
// RUN: not ipu-opt %s --split-input-file --pop-streaming-memory=phases=0 2>&1 | FileCheck %s --check-prefix=PHASES

// PHASES: error: 'pop-streaming-memory' expects option 'phases' to be at least 1 but got 0
// RUN: not ipu-opt %s --split-input-file --pop-streaming-memory=min-elements=-1 2>&1 | FileCheck %s --check-prefix=LEAST
// LEAST: error: 'pop-streaming-memory' expects option 'min-elements' to be at least 0 but got -1

pop.stream @x host_to_device : tensor<4xf32>
// expected-error @below {{'func.func' op has 2 ops in its largest block; 'pop-streaming-memory' expects at least as many ops as phases, 4}}
func.func @main() {
  %x = pop.host_load @x : tensor<4xf32>
  %y = pop.exp %x : tensor<4xf32>
  return
}

// -----

pop.stream @x host_to_device : tensor<4xf32>
func.func @main() {
  %x = pop.host_load @x : tensor<4xf32>
  // expected-error @below {{'pop.exp' op is in execution phase 1; 'pop-streaming-memory' expects ops without phases}}
  %a = pop.exp %x {pop.phase = 1 : i64} : tensor<4xf32>
  %b = pop.exp %a : tensor<4xf32>
  %c = pop.exp %b : tensor<4xf32>
  return
}
