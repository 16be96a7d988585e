//===- NestContext.h - State of loop emission -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion whose nest is emitted, the builders, and the current state of its
// tensors. The parts of the lowering, each based on those before it:
//
//   FusionBoundary      buffers of inputs and outputs, scalars, sizes
//   NestContext         this: statements and states of tensors
//   ValueForms          which loops are vectors, which values need memory
//   NestBounds          where statements must not run
//   VectorEmitter       loads, stores and bodies on vectors
//   StatementEmitter    loads, stores and bodies
//   TemporaryBuffers    memory of values that do not leave the nest
//   AccumulatorEmitter  what reductions start from and end with
//   NestEmitter         loops, conditions, and what goes through them
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTCONTEXT_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTCONTEXT_H

#include "IndexBuilder.h"
#include "IndexRanges.h"
#include "VectorLanes.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionSchedule.h"
#include "mlir/IR/IRMapping.h"

namespace mlir::fuse {

/// The form in which a value is kept between the statement that computes it and
/// its readers.
enum class ValueForm { Scalar, Vector, Memory };

/// The update of a tensor, or its init. The init also stands for the store of
/// the reduction's result, which is in the same loops.
struct Statement {
  TensorId tensor = 0;
  std::unique_ptr<IndexSolver> solver;
  /// The bounds of the statement.
  SmallVector<IndexBound> bounds;
};

/// The state of one tensor.
struct TensorState {
  /// The form of its value for readers, and of a reduction's accumulator.
  ValueForm form = ValueForm::Scalar;
  ValueForm accForm = ValueForm::Scalar;
  /// Indices of the loops that are the dimensions of its own buffer.
  SmallVector<unsigned> privateLoops;
  /// For each result: its own buffer or the buffer of an output; null if it has
  /// none.
  SmallVector<Value> buffers;
  /// Whether the buffers are whole tensors, indexed by logical axes.
  bool isWhole = false;
  Statement compute, init;
  /// For each result, its present value, if it is known as SSA values.
  SmallVector<Value> values;
  SmallVector<Value> accs;
};

struct NestContext {
  /// `buffers` are those of the inputs; `scalars` are the values of other
  /// operands.
  NestContext(const FusionSchedule &fusion, const LoopClasses &classes,
              const LoopNest &nest, const IRMapping &buffers,
              const IRMapping &scalars, IndexBuilder &index);

  Value getScalar(Value value) const { return scalars.lookupOrDefault(value); }
  /// Returns the value that is read instead of an operand. For an input: the
  /// nearest value with a buffer of which the operand is a view. Otherwise: the
  /// tensor that the fusion computes.
  Value getReadBase(Value operand) const;
  /// Makes the values of a tensor available to the following statements.
  void setValues(TensorId tensor, ArrayRef<Value> values);
  /// Removes the values of all tensors of `known` except the first `numKnown`.
  void forgetValues(size_t numKnown);

  const FusionSchedule &fusion;
  const Schedule &schedule;
  const LoopClasses &classes;
  const LoopNest &nest;
  const IRMapping &buffers, &scalars;

  IndexBuilder &index;
  ImplicitLocOpBuilder &b;
  IndexRanges ranges;
  VectorLanes lanes;

  /// Indexed by tensor.
  std::vector<TensorState> states;
  /// Indexed by class: whether the loop is not emitted, because its statements
  /// are on vectors.
  std::vector<bool> isVectorLoop;
  /// Tensors whose values are available, in the order in which they were set.
  SmallVector<TensorId> known;

private:
  void addStatements();
  void addBounds(Statement &statement);
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTCONTEXT_H
