//===- NestContext.h - State of loop emission -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fusion whose nest is emitted, the builders, and the current state of its
// tensors. The lowering has these parts, each of which may use the parts before
// it:
//
//   FusionBoundary      buffers of inputs and outputs, scalars, sizes
//   NestContext         statements and states of tensors
//   ValueForms          loops that become vectors, values that need memory
//   NestBounds          bounds of statements
//   VectorEmitter       loads, stores and bodies on vectors
//   StatementEmitter    loads, stores and bodies
//   TemporaryBuffers    memory of values that do not leave the nest
//   AccumulatorEmitter  initial values and results of reductions
//   NestEmitter         loops, conditions, and values that loops carry
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

/// A statement of a tensor: its computation (for a reduction, one update), or
/// its initialisation. The initialisation also stands for the store of the
/// reduction's result, which is in the same loops.
struct Statement {
  TensorId tensor = 0;
  std::unique_ptr<IndexSolver> solver;
  /// The bounds of the statement.
  SmallVector<IndexBound> bounds;
};

/// The state of one tensor.
struct TensorState {
  /// The form of the tensor's value for readers, and the form of its
  /// accumulator if it is a reduction.
  ValueForm form = ValueForm::Scalar;
  ValueForm accForm = ValueForm::Scalar;
  /// The indices of the tensor's loops that are the dimensions of its buffer.
  SmallVector<unsigned> privateLoops;
  /// For each result, its buffer: a temporary buffer or the buffer of an
  /// output. It is null if the result has no buffer.
  SmallVector<Value> buffers;
  /// Whether the buffers contain whole tensors and are indexed by logical axes.
  bool isWhole = false;
  Statement compute, init;
  /// For each result, its current SSA value, and the current SSA value of its
  /// accumulator. Empty if they are not known.
  SmallVector<Value> values;
  SmallVector<Value> accs;
};

struct NestContext {
  /// `buffers` contains the buffers of the inputs. `scalars` contains the
  /// values of other operands.
  NestContext(const FusionSchedule &fusion, const LoopClasses &classes,
              const LoopNest &nest, const IRMapping &buffers,
              const IRMapping &scalars, IndexBuilder &index);

  Value getScalar(Value value) const { return scalars.lookupOrDefault(value); }
  /// Returns the value that is read instead of `operand`. If `operand` is a
  /// view of an input, this is the nearest value that has a buffer and of which
  /// `operand` is a view. Otherwise, it is the computed tensor of which
  /// `operand` is a view.
  Value getReadBase(Value operand) const;
  /// Makes the values of the results of `tensor` available to the following
  /// statements.
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

  /// The states of the tensors, indexed by tensor.
  std::vector<TensorState> states;
  /// Indexed by class: whether the loop is not emitted because its statements
  /// are emitted on vectors.
  std::vector<bool> isVectorLoop;
  /// The tensors whose values are available, in the order in which the values
  /// were set.
  SmallVector<TensorId> known;

private:
  void addStatements();
  void addBounds(Statement &statement);
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_NESTCONTEXT_H
