//===- StatementEmitter.h - Emission of statements --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads a statement's operands, clones the op's body on them and stores the
// results as values, in memory, or both.
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

  /// Emits the update of a tensor, or of its accumulators if they are values.
  void emitCompute(TensorId tensor);
  /// Returns the initial values of a reduction, for each result.
  SmallVector<Value> getInitialValues(TensorId tensor);
  /// Stores the results that have a buffer.
  void store(const Statement &statement, ArrayRef<Value> values);
  Value createZero(Type type);

private:
  Value readOperand(const Statement &statement, OpOperand &operand);
  Value createLoad(const Statement &statement, Value memref,
                   ArrayRef<AffineExpr> indices);
  /// Maps the block arguments of the op to their values in this statement.
  void mapArguments(TensorId tensor, IRMapping &mapping);
  /// Clones the op's body without its terminator.
  void cloneBody(TensorId tensor, IRMapping &mapping,
                 const llvm::SmallPtrSetImpl<Operation *> &except);
  SmallVector<Value> emitBody(TensorId tensor, IRMapping &mapping);
  /// The same for a reduction over lanes.
  SmallVector<Value> emitLaneReduction(TensorId tensor, IRMapping &mapping);
  void updateAccumulators(TensorId tensor, ArrayRef<Value> results);

  NestContext &context;
  ImplicitLocOpBuilder &b;
  VectorEmitter &vectors;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_STATEMENTEMITTER_H
