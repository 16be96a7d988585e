// A target with other speeds than its preset keeps the plan of the preset unless another
// plan takes a hundredth fewer cycles. If runs of exchanges are cheaper, another plan takes
// slightly fewer cycles here, and is not used.

// DEFINE: %{map} = ipu-opt --pass-pipeline='builtin.module(pop-choose-accumulation,func.func(pop-decompose),pop-map-tensors)'
// RUN: %{map} %s | grep -v ipu.target > %t.preset
// RUN: sed 's/tiles = 16 : i64/tiles = 16 : i64, exchange_run_cycles = 1 : i64/' %s | %{map} | grep -v ipu.target > %t.runs
// RUN: diff %t.preset %t.runs

// With exchanges that are so much slower, another plan is better.
// RUN: sed 's/tiles = 16 : i64/tiles = 16 : i64, exchange_bytes_per_cycle = 1 : i64, exchange_setup_cycles = 5000 : i64/' %s | %{map} | grep -v ipu.target > %t.slow
// RUN: not diff %t.preset %t.slow

module attributes {ipu.target = #ipu.target<"c600", {tiles = 16 : i64}>} {
  func.func @main(%x: tensor<24x96xf16>, %w: tensor<96x48xf16>, %v: tensor<48x64xf16>) -> tensor<24x64xf16> {
    %0 = pop.matmul %x, %w : (tensor<24x96xf16>, tensor<96x48xf16>) -> tensor<24x48xf16>
    %1 = pop.relu %0 : tensor<24x48xf16>
    %2 = pop.matmul %1, %v : (tensor<24x48xf16>, tensor<48x64xf16>) -> tensor<24x64xf16>
    return %2 : tensor<24x64xf16>
  }
}
