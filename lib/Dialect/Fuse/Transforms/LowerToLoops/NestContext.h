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

/// How a value is kept between the statement that makes it and its readers.
enum class ValueForm { Scalar, Vector, Memory };

/// The update of a tensor, or its init: which also stands for the store of what
/// was reduced, since it is in the same loops.
struct Statement {
  TensorId tensor = 0;
  std::unique_ptr<IndexSolver> solver;
  /// Where it must not run outside of.
  SmallVector<IndexBound> bounds;
};

/// What is known of one tensor.
struct TensorState {
  /// Of its value for readers, and of a reduction's accumulator.
  ValueForm form = ValueForm::Scalar;
  ValueForm accForm = ValueForm::Scalar;
  /// Indices of the loops that are the dimensions of its own buffer.
  SmallVector<unsigned> privateLoops;
  /// Per result: its own buffer or an output's; null if it has none.
  SmallVector<Value> buffers;
  /// The buffers are whole tensors, indexed by logical axes.
  bool isWhole = false;
  Statement compute, init;
  /// What it is now, if that is known as SSA values, per result.
  SmallVector<Value> values;
  SmallVector<Value> accs;
};

struct NestContext {
  /// `buffers`: of the inputs; `scalars`: values of what is no tensor.
  NestContext(const FusionSchedule &fusion, const LoopClasses &classes,
              const LoopNest &nest, const IRMapping &buffers,
              const IRMapping &scalars, IndexBuilder &index);

  Value getScalar(Value value) const { return scalars.lookupOrDefault(value); }
  /// What is read in place of an operand: the nearest of what it is a view of
  /// that has a buffer, for an input; what the fusion computes otherwise.
  Value getReadBase(Value operand) const;
  /// Makes the values of a tensor known to statements that follow.
  void setValues(TensorId tensor, ArrayRef<Value> values);
  /// Forgets those of all but the first `numKnown` tensors of `known`.
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

  /// By tensor.
  std::vector<TensorState> states;
  /// By class: whether the loop is not written since statements are on vectors.
  std::vector<bool> isVectorLoop;
  /// Tensors whose values are set, in the order they were.
  SmallVector<TensorId> known;

private:
  void addStatements();
  void addBounds(Statement &statement);
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTCONTEXT_H
