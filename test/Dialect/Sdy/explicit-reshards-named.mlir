// RUN: ipu-opt %s --sdy-insert-explicit-reshards=enable-full-version | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: ipu-opt %s --sdy-insert-explicit-reshards="enable-full-version avoid-reshards-on-named-computations" | FileCheck %s --check-prefixes=CHECK,AVOID
// RUN: ipu-opt %s --sdy-insert-explicit-reshards | FileCheck %s --check-prefixes=CHECK,ALL
// RUN: ipu-opt %s --sdy-insert-explicit-reshards=avoid-reshards-on-named-computations | FileCheck %s --check-prefixes=CHECK,AVOID

sdy.mesh @mesh = <["x"=2, "y"=2]>

// What a named computation takes stays as it is if asked for, what it returns is
// resharded in any case.
// CHECK-LABEL: func.func @main(
// ALL-NEXT: %[[A:.*]] = sdy.reshard %arg0 <@mesh, [{"y"}]>
// ALL-NEXT: sdy.named_computation<"f">(%[[A]])
// AVOID-NEXT: sdy.named_computation<"f">(%arg0)
// CHECK-NEXT: %[[B:.*]] = stablehlo.abs
// CHECK-NEXT: %[[C:.*]] = sdy.reshard %[[B]] <@mesh, [{"x"}]>
// CHECK-NEXT: sdy.return %[[C]]
func.func @main(%a: tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) -> (tensor<8xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}]>}) {
  %0 = sdy.named_computation<"f">(%a) in_shardings=[<@mesh, [{"y"}]>] out_shardings=[<@mesh, [{"x"}]>] (%p: tensor<8xf32>) {
    %1 = stablehlo.abs %p {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"y"}]>]>} : tensor<8xf32>
    sdy.return %1 : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  return %0 : tensor<8xf32>
}
