//===- Attention.h - Parts of ONNX attention --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries, keys and values of attention are [batch, heads, sequence, size].
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_FRONTEND_ONNX_ATTENTION_H
#define IPU_MLIR_LIB_FRONTEND_ONNX_ATTENTION_H

#include "Importer.h"

namespace mlir::ipu::onnx {

/// Splits the last dimension of `x`, [batch, sequence, heads * size].
Value splitHeads(Node &node, Value x, int64_t numHeads);

/// Converts [batch, heads, sequence, size] to [batch, sequence, heads * size].
Value joinHeads(Node &node, Value x);

/// Fails unless operand `input` has this shape.
void requireShape(Node &node, size_t input, ArrayRef<int64_t> shape);

/// Multiplies the rows of each head of queries by one matrix for each head of
/// keys, in elements of `type`. Several consecutive query heads share one key
/// head.
Value multiplyHeads(Node &node, Value rows, Value columns, Type type);

/// Limits scores by the attribute `softcap`.
Value capScores(Node &node, Value scores);

/// The cosines and sines of the angles of pairs, in shapes that broadcast to
/// half of the rotated elements.
struct Rotation {
  Value cos, sin;
};

/// Rotates each pair of elements in the last dimension of `x`, of rank 4. The
/// elements of a pair are neighbours or, without `isInterleaved`, in the same
/// place of both halves. Elements without an angle stay as they are.
Value rotateHeads(Node &node, Value x, const Rotation &rotation,
                  bool isInterleaved);

} // namespace mlir::ipu::onnx

#endif // IPU_MLIR_LIB_FRONTEND_ONNX_ATTENTION_H
