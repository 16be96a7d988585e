//===- ReplicaEqualSources.h - Values that are forwarded unchanged --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// This analysis finds values that always equal another value or a constant,
// whatever path the program takes. Such a value may be forwarded on all paths
// through branches and loops, it may be a selection between equal values, it
// may be the result of a call whose callee returns an argument, or it may be
// the result of an op that folds.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSOURCES_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSOURCES_H

#include "ReplicaEqualFlow.h"
#include "llvm/ADT/DenseMap.h"

namespace mlir::ipu::replica_equal {

/// The source of a value is another value that equals it at each point where
/// the value is available. The source is defined in the same block as the value
/// or in an enclosing block. Therefore the source does not change while the
/// value is available, and the source of a source is also a source of the
/// value.
class ValueSources {
public:
  /// Returns the source of `value`, or `value` itself if no source is known.
  /// Refs have no source.
  Value getSource(Value value);

  /// Returns whether a source of `value` is known.
  bool hasSource(Value value) const { return sources.contains(value); }

  /// Returns the common source of both operands between which `select` selects,
  /// or null if the operands may differ.
  Value getOnlyChoice(SelectLikeOpInterface select);

  /// Records that `value` always equals `other`. `other` must be defined in the
  /// same block or in an enclosing block.
  void addCopy(Value value, Value other);
  /// Returns the constant that each element of `value` always equals, or null
  /// if no such constant is known. Only integers have known constants, because
  /// results of ops on integers are never rounded.
  Attribute getConstant(Value value);

  /// If `op` folds to a constant or to another value, records this. Must be
  /// called after this class has processed the ops that define the operands of
  /// `op`.
  void addFold(Operation *op);
  /// Records the source of the result of a selection, if it has one. Must be
  /// called after this class has processed the ops that define the operands of
  /// `op`.
  void addSelect(SelectLikeOpInterface op);
  /// Records the sources of the values that `op` forwards to its regions and
  /// results. Must be called after this class has processed the ops in the
  /// regions of `op` and the ops that define its operands.
  void addBranches(RegionBranchOpInterface op, const RegionFlow &flow);

private:
  bool addInput(RegionBranchOpInterface op, Value input,
                ArrayRef<Value> operands);

  llvm::DenseMap<Value, Value> sources;
  llvm::DenseMap<Value, Attribute> constants;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSOURCES_H
