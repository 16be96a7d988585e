//===- FusionBoundary.h - Tensors of a fusion as buffers --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The code before and after the loop nest.
//
// Input: the operands of a fusion.
// Output: buffers, scalars and sizes of the operands, buffers of the results,
// and the results.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H

#include "InputLayouts.h"
#include "NestContext.h"

namespace mlir::fuse {

class FusionBoundary {
public:
  /// Creates an emitter that emits all code at the insertion point of `b`.
  FusionBoundary(const FusionSchedule &fusion, const InputLayouts &layouts,
                 ImplicitLocOpBuilder &b);

  /// Emits the buffers of inputs, the computations of scalars, and the sizes.
  LogicalResult emitInputs();
  const IRMapping &getBuffers() const { return buffers; }
  const IRMapping &getScalars() const { return scalars; }
  /// Returns the values of the symbols of the schedule.
  ArrayRef<Value> getSymbols() const { return symbols; }

  /// Allocates buffers for the results of the fusion, and sets them in `states`
  /// as the buffers of their tensors.
  void emitOutputs(std::vector<TensorState> &states);
  /// Emits the results of the fusion after the nest, and returns them.
  SmallVector<Value> emitResults();

private:
  LogicalResult emitScalars();
  /// Emits a view of memory for `view` if possible. If this is not possible but
  /// getViewMap is not null, emits no code; the readers then apply this affine
  /// map to their indices. Otherwise, copies the source of `view`.
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
  /// Buffers of whole tensors that are only used in the nest.
  SmallVector<Value> temporaries;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_FUSIONBOUNDARY_H
