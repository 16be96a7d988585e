// RUN: ipu-opt %s --split-input-file --pass-pipeline='builtin.module(pop-choose-accumulation,pop-number-draws,pop-outline{max-slowdown=100000},pop-number-draws)' | FileCheck %s

// Each call draws the bits of its sequence. The second run of pop-number-draws
// adds no advance to the function.
// CHECK-LABEL: func.func private @outlined
// CHECK: pop.matmul {{.*}}pop.draw = #pop.draw<0>
// CHECK: pop.tanh {{.*}}pop.draw = #pop.draw<1>
// CHECK-NEXT: pop.advance_draws by 0
// CHECK-NEXT: return
// CHECK-LABEL: func.func @shift
// CHECK-NEXT: %[[A:.*]] = call @outlined
// CHECK-NEXT: pop.advance_draws by 0 shift 2
// CHECK-NEXT: %[[B:.*]] = call @outlined(%[[A]]
// CHECK-NEXT: pop.advance_draws by 0 shift -2
// CHECK-NEXT: pop.advance_draws by 0 shift 4
// CHECK-NEXT: %[[C:.*]] = call @outlined(%[[B]]
// CHECK-NEXT: pop.advance_draws by 0 shift -4
// CHECK-NEXT: pop.advance_draws{{$}}
// CHECK-NEXT: return %[[C]]
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @shift(%x: tensor<64x64xf16>, %u: tensor<64x64xf16>, %v: tensor<64x64xf16>) -> tensor<64x64xf16> {
    %0 = pop.matmul %x, %u : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %1 = pop.tanh %0 : tensor<64x64xf16>
    %2 = pop.matmul %1, %v : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %3 = pop.tanh %2 : tensor<64x64xf16>
    %4 = pop.matmul %3, %v : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %5 = pop.tanh %4 : tensor<64x64xf16>
    return %5 : tensor<64x64xf16>
  }
}

// -----

// The differences between the numbers are not the same for both ops, which become
// two functions.
// CHECK-LABEL: func.func @differences
// CHECK: call @[[F:.*]](%arg0, %arg1)
// CHECK-NEXT: call @[[G:.*]](%0)
// CHECK-NEXT: pop.advance_draws by 0 shift 2
// CHECK-NEXT: call @[[F]](%1, %arg1)
// CHECK-NEXT: pop.advance_draws by 0 shift -2
// CHECK-NEXT: pop.advance_draws by 0 shift 4
// CHECK-NEXT: call @[[G]](%2)
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func @differences(%x: tensor<64x64xf16>, %u: tensor<64x64xf16>) -> tensor<64x64xf16> {
    %0 = pop.matmul %x, %u {pop.draw = #pop.draw<7>} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %1 = pop.tanh %0 {pop.draw = #pop.draw<8>} : tensor<64x64xf16>
    %2 = pop.matmul %1, %u {pop.draw = #pop.draw<9>} : (tensor<64x64xf16>, tensor<64x64xf16>) -> tensor<64x64xf16>
    %3 = pop.tanh %2 {pop.draw = #pop.draw<12>} : tensor<64x64xf16>
    return %3 : tensor<64x64xf16>
  }
}

// -----

// New draws get numbers that no call has.
// CHECK-LABEL: func.func @later
// CHECK: pop.exp {{.*}}pop.draw = #pop.draw<13>
module attributes {ipu.target = #ipu.target<"gc200", {compute_set_code_bytes = 100000 : i64}>, pop.stochastic_rounding = #pop.stochastic_rounding<counter>} {
  func.func private @f(%x: tensor<4xf16>) -> tensor<4xf16> {
    %0 = pop.tanh %x {pop.draw = #pop.draw<2>} : tensor<4xf16>
    pop.advance_draws by 0
    return %0 : tensor<4xf16>
  }
  func.func @later(%x: tensor<4xf16>) -> tensor<4xf16> {
    pop.advance_draws by 0 shift 10
    %0 = call @f(%x) : (tensor<4xf16>) -> tensor<4xf16>
    pop.advance_draws by 0 shift -10
    pop.advance_draws by 0 shift 4
    %2 = call @f(%0) : (tensor<4xf16>) -> tensor<4xf16>
    pop.advance_draws by 0 shift -4
    %1 = pop.exp %2 : tensor<4xf16>
    return %1 : tensor<4xf16>
  }
}
