//===- PopLosses.h - Parts of losses ----------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Functions that the decompositions and the gradients of losses share.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_IR_POPLOSSES_H
#define IPU_MLIR_LIB_DIALECT_POP_IR_POPLOSSES_H

#include "PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

namespace mlir::pop::detail {

/// Builds `probability` with the smallest normal number of its type in place of
/// smaller ones, so that the logarithm and the reciprocal are finite.
Value buildAboveZero(PopBuilder &b, Value probability);

/// Builds the parts of a loss that depend on labels. The shape of the labels is
/// [N, d...], and the shape of the input is [N, C, d...], where C is the number
/// of classes. A position is an index into [N, d...]. Floats have the type in
/// which the loss is computed.
class LabelBuilder {
public:
  template <typename OpT>
  LabelBuilder(PopBuilder &b, OpT op, Value labels)
      : b(b), inputType(op.getInput().getType()),
        labels(cast<TypedValue<RankedTensorType>>(labels)),
        ignoreIndex(op.getIgnoreIndex()) {}

  /// Builds the mask [N, d...] of the positions that contribute to the loss:
  /// their label is a class, and it is not the ignored index.
  Value buildCounts();
  /// Builds the tensor [N, d...] of the elements of `input` at the label of
  /// each position. An element is 0 if the label is not a class.
  Value buildPicked(Value input);
  /// Builds the tensor [N, d...] of the weights of the positions. The weight is
  /// 0 where `counts`, the result of buildCounts, is false. If `weights` is
  /// null, all classes have the weight 1.
  Value buildWeights(Value weights, Value counts);
  /// Builds the mask [N, C, d...] that states for each position and class
  /// whether the class is the label of the position.
  Value buildOneHot();
  /// Reshapes `value` from [N, d...] to [N, 1, d...], which broadcasts to the
  /// input.
  Value buildForClasses(Value value);

private:
  int64_t getNumClasses() { return inputType.getDimSize(1); }
  Value buildInteger(IntegerType type, int64_t value);

  PopBuilder &b;
  RankedTensorType inputType;
  TypedValue<RankedTensorType> labels;
  std::optional<uint64_t> ignoreIndex;
};

} // namespace mlir::pop::detail

#endif // IPU_MLIR_LIB_DIALECT_POP_IR_POPLOSSES_H
