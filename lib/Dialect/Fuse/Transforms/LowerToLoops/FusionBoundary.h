//===- FusionBoundary.h - Tensors of a fusion as buffers --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code before and after the nest.
// In: the operands of a fusion.
// Out: their buffers, scalars and sizes, buffers of the results, and the
// results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H

#include "InputLayouts.h"
#include "NestContext.h"

namespace mlir::fuse {

class FusionBoundary {
public:
  /// Emits all code at the insertion point of `b`.
  FusionBoundary(const FusionSchedule &fusion, const InputLayouts &layouts,
                 ImplicitLocOpBuilder &b);

  /// Emits buffers of inputs, computations with scalars, and sizes.
  LogicalResult emitInputs();
  const IRMapping &getBuffers() const { return buffers; }
  const IRMapping &getScalars() const { return scalars; }
  /// Values of the schedule's symbols.
  ArrayRef<Value> getSymbols() const { return symbols; }

  /// Allocates the results of the fusion, and uses them as the buffers of their
  /// tensors.
  void emitOutputs(std::vector<TensorState> &states);
  /// Returns the results of the fusion, after the nest.
  SmallVector<Value> emitResults();

private:
  LogicalResult emitScalars();
  /// Emits a view of memory, if possible. Otherwise, the indices of readers are
  /// mapped; if this requires numbers that are not constants, the source of the
  /// view is copied.
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
  /// Buffers of whole tensors that are not read outside of the nest.
  SmallVector<Value> temporaries;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H
