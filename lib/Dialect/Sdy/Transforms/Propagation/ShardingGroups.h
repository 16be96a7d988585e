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

/// Checks that all members of a group have the same shape. Fails at the first
/// op that has another shape.
LogicalResult verifyGroupShapes(ModuleOp module);

/// The members of all groups of `sdy.sharding_group` ops.
class ShardingGroups {
public:
  explicit ShardingGroups(ModuleOp module);

  /// If some members of a group have a sharding, and it is the same, gives it
  /// to all members. If there are several shardings, warns and inserts open
  /// constraints between the members and their users. The constraints are then
  /// the members.
  void sync();
  /// Returns all members of the group of `value`; empty if it is in no group.
  ArrayRef<Value> getMembers(Value value) const;
  void forget(Value value);

private:
  void wrap(int64_t id, ArrayRef<Value> members, Attribute meshOrRef);

  std::map<int64_t, SmallVector<Value>> groups;
  llvm::DenseMap<Value, int64_t> groupOfValue;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGGROUPS_H
