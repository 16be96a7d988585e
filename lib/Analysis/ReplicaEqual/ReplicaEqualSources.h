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

/// A value has a source if it is that one wherever it is available. The source
/// is defined at the same place or further outside, so it is one value while
/// the value is: sources may be followed from op to op.
class ValueSources {
public:
  /// What `value` always is; itself if nothing else is known. Refs have none.
  Value getSource(Value value);

  /// Whether `value` is always another one.
  bool hasSource(Value value) const { return sources.contains(value); }

  /// What both sides of a choice always are; null if they may differ.
  Value getOnlyChoice(SelectLikeOpInterface select);

  /// Says that `value` is always `other`, which it gets from further outside or
  /// from the same place.
  void addCopy(Value value, Value other);
  /// What each element of `value` always is; null if that is not known. Of
  /// integers only: what is computed of them is never rounded.
  Attribute getConstant(Value value);

  /// Finds out whether `op`, as it folds, is a constant or another value. It is
  /// added after the ops whose results it gets.
  void addFold(Operation *op);
  /// Finds the source of what `op` selects. It is added after the ops whose
  /// results it gets.
  void addSelect(SelectLikeOpInterface op);
  /// Finds sources of what `op` passes on. It is added after the ops in its
  /// regions and those whose results it gets.
  void addBranches(RegionBranchOpInterface op, const RegionFlow &flow);

private:
  bool addInput(RegionBranchOpInterface op, Value input,
                ArrayRef<Value> operands);

  llvm::DenseMap<Value, Value> sources;
  llvm::DenseMap<Value, Attribute> constants;
};

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALSOURCES_H
