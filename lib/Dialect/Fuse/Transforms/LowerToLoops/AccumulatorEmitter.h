//===- AccumulatorEmitter.h - Accumulators of reductions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Initialises accumulators before reductions, and stores them after the
// reductions if required. During a reduction, an accumulator is an SSA value
// that loops carry, or is in memory.
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

  /// Emits the code of `node`, whose kind is Init.
  LogicalResult emitInit(const LoopNode &node);
  /// Stores the result of the reduction of `tensor`, which is complete, or
  /// makes it available as an SSA value.
  LogicalResult finish(TensorId tensor);

  /// Returns the tensors in `tensors` whose accumulators are currently SSA
  /// values.
  SmallVector<TensorId> getCarried(ArrayRef<TensorId> tensors) const;
  SmallVector<Value> getValues(ArrayRef<TensorId> tensors) const;
  void setValues(ArrayRef<TensorId> tensors, ValueRange values);

private:
  LogicalResult emitInitValues(TensorId tensor);
  LogicalResult emitInitLoops(TensorId tensor, ArrayRef<unsigned> axes);
  /// Emits code that computes the initial values of `tensor` if the bounds of
  /// its initialisation hold, and zeros otherwise.
  FailureOr<SmallVector<Value>> getGuardedInitialValues(TensorId tensor);
  /// Emits code that stores the values of `getValues` if the bounds of the
  /// initialisation of `tensor` hold.
  void storeGuarded(TensorId tensor,
                    function_ref<SmallVector<Value>()> getValues);

  NestContext &context;
  const NestBounds &bounds;
  StatementEmitter &statements;
  VectorEmitter &vectors;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_ACCUMULATOREMITTER_H
