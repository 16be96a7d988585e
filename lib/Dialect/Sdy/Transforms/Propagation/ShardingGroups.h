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

/// Members of a group are of one shape; fails at the first op that is not.
LogicalResult verifyGroupShapes(ModuleOp module);

/// The members of all `sdy.sharding_group`s.
class ShardingGroups {
public:
  explicit ShardingGroups(ModuleOp module);

  /// Gives the members of each group the one sharding that some of them have.
  /// If they have several, warns and puts open constraints between the members
  /// and their users instead; these are the members then.
  void sync();
  /// All members of the group of `value`; empty if it is in none.
  ArrayRef<Value> getMembers(Value value) const;
  void forget(Value value);

private:
  void wrap(int64_t id, ArrayRef<Value> members, Attribute meshOrRef);

  std::map<int64_t, SmallVector<Value>> groups;
  llvm::DenseMap<Value, int64_t> groupOfValue;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_SHARDINGGROUPS_H
