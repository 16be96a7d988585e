//===- ReplicaEqualSources.h - Values that are forwarded unchanged --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds values that always equal an existing value or a constant, for any
// control flow: values forwarded on all paths through branches and loops,
// selections between equal values, arguments that a function returns, and
// results of folding.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSOURCES_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSOURCES_H

#include "ReplicaEqualFlow.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ipu::replica_equal {

/// A value has a source if it equals the source wherever the value is
/// available. The source is defined in the same block or further outside.
/// Therefore it does not change while the value is available, and sources may
/// be followed from op to op.
class ValueSources {
public:
  /// The source of `value`, or `value` itself if no source is known. Refs have
  /// no source.
  Value getSource(Value value);

  /// Whether `value` has a source.
  bool hasSource(Value value) const { return sources.contains(value); }

  /// The common source of both sides of a selection; null if the sides may
  /// differ.
  Value getOnlyChoice(SelectLikeOpInterface select);

  /// Records that `value` always equals `other`, which is defined in the same
  /// block or further outside.
  void addCopy(Value value, Value other);
  /// The constant that each element of `value` always equals; null if it is not
  /// known. Only for integers, because results of ops on integers are never
  /// rounded.
  Attribute getConstant(Value value);

  /// Determines whether `op` folds to a constant or to another value. Must be
  /// called after the ops that define the operands of `op` were added.
  void addFold(Operation *op);
  /// Determines the source of a selection. Must be called after the ops that
  /// define the operands of `op` were added.
  void addSelect(SelectLikeOpInterface op);
  /// Determines sources of the values that `op` passes on. Must be called after
  /// the ops in its regions, and the ops that define its operands, were added.
  void addBranches(RegionBranchOpInterface op, const RegionFlow &flow);

private:
  bool addInput(RegionBranchOpInterface op, Value input,
                ArrayRef<Value> operands);

  llvm::DenseMap<Value, Value> sources;
  llvm::DenseMap<Value, Attribute> constants;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSOURCES_H
