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

/// The user priorities of the dimensions of a module. At first, only dimensions
/// of priority 0 are active. All other dimensions become closed and empty, and
/// their axes become replicated, until `activateNext` restores them. Before
/// that, propagation can neither add axes to these dimensions nor use their
/// axes in other dimensions of the tensor.
class UserPriorities {
public:
  UserPriorities(ModuleOp module, ShardingState &state);

  /// Restores the dimensions of the next priority, and returns this priority,
  /// or std::nullopt if there are no more priorities.
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
