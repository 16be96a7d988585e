//===- AccumulatorEmitter.h - Accumulators of reductions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Initialises accumulators before reductions and stores them after these if
// required. In between they are values that loops carry, or memory.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_ACCUMULATOREMITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_ACCUMULATOREMITTER_H

#include "StatementEmitter.h"

namespace mlir::fuse {

class AccumulatorEmitter {
public:
  AccumulatorEmitter(NestContext &context, const NestBounds &bounds,
                     StatementEmitter &statements, VectorEmitter &vectors)
      : context(context), bounds(bounds), statements(statements),
        vectors(vectors) {}

  /// Emits an Init node.
  LogicalResult emitInit(const LoopNode &node);
  /// Stores the result of a complete reduction, or makes it available as a
  /// value.
  LogicalResult finish(TensorId tensor);

  /// Returns the tensors in `tensors` whose accumulators are values at present.
  SmallVector<TensorId> getCarried(ArrayRef<TensorId> tensors) const;
  SmallVector<Value> getValues(ArrayRef<TensorId> tensors) const;
  void setValues(ArrayRef<TensorId> tensors, ValueRange values);

private:
  LogicalResult emitInitValues(TensorId tensor);
  LogicalResult emitInitLoops(TensorId tensor, ArrayRef<unsigned> axes);
  /// Returns the initial values of the tensor where its init may run, otherwise
  /// zeros.
  FailureOr<SmallVector<Value>> getGuardedInitialValues(TensorId tensor);
  /// Stores values where the bounds of the tensor's init hold.
  void storeGuarded(TensorId tensor,
                    function_ref<SmallVector<Value>()> getValues);

  NestContext &context;
  const NestBounds &bounds;
  StatementEmitter &statements;
  VectorEmitter &vectors;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_ACCUMULATOREMITTER_H
