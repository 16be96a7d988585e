//===- PopLosses.h - Parts of losses ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Parts of the decompositions and gradients of losses.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPLOSSES_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPLOSSES_H

#include "PopDetail.h"

namespace mlir::pop::detail {

/// Returns the sum of all elements, 0-d.
Value buildSumOfAll(OpBuilder &b, Location loc, Value input, AccumAttr accum);

/// `value`, 0-d, in the element type of `like`.
Value buildScalarLike(OpBuilder &b, Location loc, Value like, double value);

/// Builds the parts of a loss that depend on the labels [N, d...] of an input
/// [N, C, d...]. Floats have the type in which the loss is computed.
class LabelBuilder {
public:
  template <typename OpT>
  LabelBuilder(OpBuilder &b, OpT op, Value labels)
      : b(b), loc(op.getLoc()), inputType(op.getInput().getType()),
        labels(cast<TypedValue<RankedTensorType>>(labels)),
        ignoreIndex(op.getIgnoreIndex()) {}

  /// Returns the positions that count, [N, d...].
  Value buildCounts();
  /// Returns the element of `input` at the label of each position, [N, d...]; 0
  /// if the label is not a class.
  Value buildPicked(Value input);
  /// Returns the weight of each position, [N, d...]; 0 if the position does not
  /// count. All classes have the weight 1 if `weights` is null.
  Value buildWeights(Value weights, Value counts);
  /// For each class, whether it is the label of the position, [N, C, d...].
  Value buildOneHot();
  /// `value` [N, d...] as [N, 1, d...], which broadcasts to the input.
  Value buildForClasses(Value value);
  /// `input` in the type that losses are computed in.
  Value buildWide(Value input);
  /// `value` where `counts` holds, otherwise 0.
  Value buildMasked(Value counts, Value value);

private:
  int64_t getNumClasses() { return inputType.getDimSize(1); }
  Value buildInteger(IntegerType type, int64_t value);

  OpBuilder &b;
  Location loc;
  RankedTensorType inputType;
  TypedValue<RankedTensorType> labels;
  std::optional<uint64_t> ignoreIndex;
};

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPLOSSES_H
