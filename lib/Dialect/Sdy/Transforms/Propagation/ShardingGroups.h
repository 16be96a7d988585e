//===- ShardingGroups.h - Groups of equally sharded values ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGGROUPS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGGROUPS_H

#include "ShardingState.h"
#include <map>

namespace mlir::ipu::sdy {

/// Checks that all members of each group have the same shape. Fails, with an
/// error at the first op whose tensor has another shape.
LogicalResult verifyGroupShapes(ModuleOp module);

/// The members of all groups of `sdy.sharding_group` ops.
class ShardingGroups {
public:
  explicit ShardingGroups(ModuleOp module);

  /// Gives all members of a group the sharding that some of its members have,
  /// if these shardings are equal. If they differ, emits a warning and inserts
  /// open constraints between the members and their users. The results of the
  /// constraints then replace the members in the group.
  void sync();
  /// Returns all members of the group of `value`, or an empty list if `value`
  /// is in no group.
  ArrayRef<Value> getMembers(Value value) const;
  void forget(Value value);

private:
  void wrap(int64_t id, ArrayRef<Value> members, Attribute meshOrRef);

  std::map<int64_t, SmallVector<Value>> groups;
  llvm::DenseMap<Value, int64_t> groupOfValue;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGGROUPS_H
