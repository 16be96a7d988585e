//===- UserPriorities.h - Priorities of dimensions --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_USERPRIORITIES_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_USERPRIORITIES_H

#include "ShardingState.h"
#include <map>

namespace mlir::ipu::sdy {

/// Dimensions of priority 0 stay as they are; all others become closed and
/// empty, and their axes replicated, until `activateNext` has come to their
/// priority. So nothing else can shard them, nor use their axes, before.
class UserPriorities {
public:
  UserPriorities(ModuleOp module, ShardingState &state);

  /// Restores the dimensions of the next priority, and returns it; none if
  /// there are no more.
  std::optional<int64_t> activateNext();

private:
  struct Waiting {
    ShardingState::Tensor *tensor;
    unsigned dim;
    sharding::DimSharding given;
  };
  void add(ShardingState::Tensor *tensor);

  ShardingState &state;

  std::map<int64_t, SmallVector<Waiting>> waiting;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_USERPRIORITIES_H
