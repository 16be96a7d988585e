//===- StatementEmitter.h - Emission of statements --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits a statement: reads its operands, clones the body of the op with these
// operands, and keeps the results as SSA values, in memory, or both.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTEMITTER_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTEMITTER_H

#include "VectorEmitter.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace mlir::fuse {

class StatementEmitter {
public:
  StatementEmitter(NestContext &context, VectorEmitter &vectors)
      : context(context), b(context.b), vectors(vectors) {}

  /// Emits the computation of `tensor`. If the tensor is a reduction, this is
  /// the update of its accumulators.
  void emitCompute(TensorId tensor);
  /// Returns the initial value of each result of `tensor`, which is a
  /// reduction.
  SmallVector<Value> getInitialValues(TensorId tensor);
  /// Stores `values`, the results of the statement, in the buffers of the
  /// results. A result without a buffer is not stored.
  void store(const Statement &statement, ArrayRef<Value> values);
  Value createZero(Type type);

private:
  Value readOperand(const Statement &statement, OpOperand &operand);
  Value createLoad(const Statement &statement, Value memref,
                   ArrayRef<AffineExpr> indices);
  /// Maps the block arguments of the op of `tensor` to their values in its
  /// statement.
  void mapArguments(TensorId tensor, IRMapping &mapping);
  /// Clones the body of the op of `tensor`, except its terminator and the ops
  /// in `except`.
  void cloneBody(TensorId tensor, IRMapping &mapping,
                 const llvm::SmallPtrSetImpl<Operation *> &except);
  SmallVector<Value> emitBody(TensorId tensor, IRMapping &mapping);
  /// Emits the body of a reduction over the lanes of a vector, and returns the
  /// results.
  SmallVector<Value> emitLaneReduction(TensorId tensor, IRMapping &mapping);
  void updateAccumulators(TensorId tensor, ArrayRef<Value> results);

  NestContext &context;
  ImplicitLocOpBuilder &b;
  VectorEmitter &vectors;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTEMITTER_H
