//===- Passes.td - Passes on the pop dialect ----------------*- tablegen -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

def DecomposePass : Pass<"pop-decompose"> {
  let summary = "Write ops as simpler ops that tiles can compute";
  let description = [{
    Replaces every op of `DecomposableOpInterface` by what it decomposes to,
    until none can be decomposed. Pools, softmax and batch normalisation become
    reductions and elementwise ops; convolutions lose their pads; reductions get
    one axis, the last, of at most one block; what accumulates floats narrower
    than f32 does so in f32 and is rounded by a `pop.cast`. Bits do not change:
    the decomposition is the definition of the order of accumulation.

    An op too large to decompose stays; the lowering to tiles reports it.

    Before:
    ```mlir
    func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %y = pop.softmax %x {axis = 1 : i64} : tensor<2x3xf32>
      return %y : tensor<2x3xf32>
    }
    ```
    After:
    ```mlir
    func.func @softmax(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
      %0 = pop.reduce max %x {axes = array<i64: 1>, keep_dims} : tensor<2x3xf32> -> tensor<2x1xf32>
      %1 = pop.sub %x, %0 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      %2 = pop.exp %1 : tensor<2x3xf32>
      %3 = pop.reduce sum %2 {axes = array<i64: 1>, keep_dims} : tensor<2x3xf32> -> tensor<2x1xf32>
      %4 = pop.div %2, %3 : (tensor<2x3xf32>, tensor<2x1xf32>) -> tensor<2x3xf32>
      return %4 : tensor<2x3xf32>
    }
    ```
  }];
}

def AllowSplitKPass : Pass<"pop-allow-split-k"> {
  let summary = "Let blocks of the terms of long sums be computed apart";
  let description = [{
    Gives matmuls and convolutions of floats with `min-k` terms or more for each
    output the order `#pop.accum<blocked, lanes = 1>`, with about `parts` blocks
    of a multiple of 16 terms. Tiles can then share the work of one output.

    This is the one pass that changes bits: the results are those of the new
    order. Ops that have another order or an `acc` stay as they are, and so do
    convolutions of more kernel positions than the order allows.

    Before:
    ```mlir
    func.func @f(%a: tensor<4x1024xf32>, %b: tensor<1024x8xf32>) -> tensor<4x8xf32> {
      %y = pop.matmul %a, %b : (tensor<4x1024xf32>, tensor<1024x8xf32>) -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
    After:
    ```mlir
    func.func @f(%a: tensor<4x1024xf32>, %b: tensor<1024x8xf32>) -> tensor<4x8xf32> {
      %y = pop.matmul %a, %b {accum = #pop.accum<blocked, block = 256, lanes = 1>} : (tensor<4x1024xf32>, tensor<1024x8xf32>) -> tensor<4x8xf32>
      return %y : tensor<4x8xf32>
    }
    ```
  }];
  let options = [
    Option<"parts", "parts", "int64_t", /*default=*/"4",
           "How many blocks to aim at, at least 2">,
    Option<"minK", "min-k", "int64_t", /*default=*/"512",
           "The least number of terms to cut">,
  ];
}

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PASSES
