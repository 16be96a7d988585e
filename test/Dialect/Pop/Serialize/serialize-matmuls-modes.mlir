// The nine cases of the modes and the phases of training. The program has one
// matrix product, of which the gradients of both operands are needed. m is 8, k
// is 16, and n is 32.
//
// DEFINE: %{mode} = input_channels
// DEFINE: %{divide} = sed s/MODE/%{mode}/ %s | ipu-opt - --pop-graph-pipeline='train=main loss=loss weights=s,w optimizer=#pop.optimizer<sgd1,lr=0.1,momentum=0.9> accumulation=chain' --pop-serialize-matmuls
//
// RUN: %{divide} | FileCheck %s --check-prefix=INPUT
// REDEFINE: %{mode} = reducing_dim
// RUN: %{divide} | FileCheck %s --check-prefix=REDUCING
// REDEFINE: %{mode} = output_channels
// RUN: %{divide} | FileCheck %s --check-prefix=OUTPUT

// Slices of x, y is concatenated. Slices of dy, dx is concatenated. Slices of
// both, dw is summed.
//
// INPUT-COUNT-4: pop.matmul {{.*}} : (tensor<2x16xf32>, tensor<16x32xf32>) -> tensor<2x32xf32>
// INPUT-NEXT:    pop.concat {{.*}} {axis = 0 : i64} {{.*}} -> tensor<8x32xf32>
// INPUT-COUNT-4: pop.matmul {{.*}} : (tensor<2x32xf32>, tensor<32x16xf32>) -> tensor<2x16xf32>
// INPUT-NEXT:    pop.concat {{.*}} {axis = 0 : i64} {{.*}} -> tensor<8x16xf32>
// INPUT:         pop.matmul {{.*}} : (tensor<16x2xf32>, tensor<2x32xf32>) -> tensor<16x32xf32>
// INPUT-COUNT-3: pop.matmul {{.*}} : (tensor<16x2xf32>, tensor<2x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
// INPUT-NOT:     pop.matmul
// INPUT:         pop.optimizer_step {{.*}} : (tensor<16x32xf32>,
// INPUT-NOT:     {{pop.serialize|pop.matmul}}

// Slices of x and w, y is summed. Slices of w, dx is concatenated. Slices of x,
// each part of dw updates a slice of w.
//
// REDUCING:         pop.matmul {{.*}} : (tensor<8x4xf32>, tensor<4x32xf32>) -> tensor<8x32xf32>
// REDUCING-COUNT-3: pop.matmul {{.*}} : (tensor<8x4xf32>, tensor<4x32xf32>, tensor<8x32xf32>) -> tensor<8x32xf32>
// REDUCING-COUNT-4: pop.matmul {{.*}} : (tensor<8x32xf32>, tensor<32x4xf32>) -> tensor<8x4xf32>
// REDUCING-NEXT:    pop.concat {{.*}} {axis = 1 : i64} {{.*}} -> tensor<8x16xf32>
// REDUCING-NOT:     pop.concat
// REDUCING:         pop.matmul {{.*}} : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
// REDUCING:         pop.optimizer_step {{.*}} : (tensor<4x32xf32>,
// REDUCING-NEXT:    pop.copy_ {{.*}} : !pop.ref<4x32xf32>
// REDUCING-NEXT:    pop.copy_ {{.*}} : !pop.ref<4x32xf32>
// REDUCING:         pop.matmul {{.*}} : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
// REDUCING:         pop.copy_ {{.*}} : !pop.ref<4x32xf32>
// REDUCING:         pop.matmul {{.*}} : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
// REDUCING:         pop.copy_ {{.*}} : !pop.ref<4x32xf32>
// REDUCING:         pop.matmul {{.*}} : (tensor<4x8xf32>, tensor<8x32xf32>) -> tensor<4x32xf32>
// REDUCING:         pop.copy_ {{.*}} : !pop.ref<4x32xf32>
// REDUCING-NOT:     {{pop.serialize|pop.matmul}}

// Slices of w, y is concatenated. Slices of dy and w, dx is summed. Slices of
// dy, each part of dw updates a slice of w.
//
// OUTPUT-COUNT-4: pop.matmul {{.*}} : (tensor<8x16xf32>, tensor<16x8xf32>) -> tensor<8x8xf32>
// OUTPUT-NEXT:    pop.concat {{.*}} {axis = 1 : i64} {{.*}} -> tensor<8x32xf32>
// OUTPUT-NOT:     pop.concat
// OUTPUT:         pop.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
// OUTPUT-COUNT-3: pop.matmul {{.*}} : (tensor<8x8xf32>, tensor<8x16xf32>, tensor<8x16xf32>) -> tensor<8x16xf32>
// OUTPUT:         pop.matmul {{.*}} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// OUTPUT:         pop.copy_ {{.*}} : !pop.ref<16x8xf32>
// OUTPUT:         pop.matmul {{.*}} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// OUTPUT:         pop.copy_ {{.*}} : !pop.ref<16x8xf32>
// OUTPUT:         pop.matmul {{.*}} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// OUTPUT:         pop.copy_ {{.*}} : !pop.ref<16x8xf32>
// OUTPUT:         pop.matmul {{.*}} : (tensor<16x8xf32>, tensor<8x8xf32>) -> tensor<16x8xf32>
// OUTPUT:         pop.copy_ {{.*}} : !pop.ref<16x8xf32>
// OUTPUT-NOT:     {{pop.serialize|pop.matmul}}

func.func @main(%x: tensor<8x16xf32> {pop.name = "x"}, %s: tensor<16xf32> {pop.name = "s", pop.default = dense<0.5> : tensor<16xf32>},
                %w: tensor<16x32xf32> {pop.name = "w", pop.default = dense<0.5> : tensor<16x32xf32>}) -> (tensor<f32> {pop.name = "loss"}) {
  %0 = pop.add %x, %s : (tensor<8x16xf32>, tensor<16xf32>) -> tensor<8x16xf32>
  %1 = pop.matmul %0, %w {pop.serialize = {factor = 4 : i64, mode = "MODE"}} : (tensor<8x16xf32>, tensor<16x32xf32>) -> tensor<8x32xf32>
  %2 = pop.reduce sum %1 {axes = array<i64: 0, 1>} : tensor<8x32xf32> -> tensor<f32>
  return %2 : tensor<f32>
}
