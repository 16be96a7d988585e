//===- FusionBoundary.h - Tensors of a fusion as buffers --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code before and after the nest. In: the operands of a fusion. Out: their
// buffers, scalars and sizes, buffers of the results, and the results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H

#include "InputLayouts.h"
#include "NestContext.h"

namespace mlir::fuse {

class FusionBoundary {
public:
  /// All is written at the insertion point of `b`.
  FusionBoundary(const FusionSchedule &fusion, const InputLayouts &layouts,
                 ImplicitLocOpBuilder &b);

  /// Buffers of inputs, what is computed of scalars, and sizes.
  LogicalResult emitInputs();
  const IRMapping &getBuffers() const { return buffers; }
  const IRMapping &getScalars() const { return scalars; }
  /// Values of the schedule's symbols.
  ArrayRef<Value> getSymbols() const { return symbols; }

  /// Allocates what the fusion yields and makes it the buffers of the tensors
  /// concerned.
  void emitOutputs(std::vector<TensorState> &states);
  /// What the fusion yields, after the nest.
  SmallVector<Value> emitResults();

private:
  LogicalResult emitScalars();
  /// A view of memory where that is possible. Otherwise the indices of readers
  /// are mapped or, if that takes numbers that are not constants, the source of
  /// the view is copied.
  void emitView(Operation *view);
  Value copy(Value source);
  Value getDim(Value tensor, unsigned dim);
  Value getViewDim(Operation *view, unsigned dim);
  Value allocate(Value tensor);

  FusionOp op;
  const FusionSchedule &fusion;
  const InputLayouts &layouts;
  ImplicitLocOpBuilder &b;
  IRMapping buffers, scalars;
  SmallVector<Value> symbols;
  SmallVector<Value> outputs;
  /// Whole buffers that are not read outside of the nest.
  SmallVector<Value> temporaries;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H
