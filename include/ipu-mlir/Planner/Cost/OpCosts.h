//===- OpCosts.h - Costs of single ops --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_COST_OPCOSTS_H
#define IPU_MLIR_PLANNER_COST_OPCOSTS_H

#include "ipu-mlir/Planner/Partition/PartitionCache.h"

namespace mlir::ipu {

/// The cost of ops that are executed one after the other with their best plans.
struct OpCost {
  /// The greatest number of bytes by which an op exceeds its share of memory.
  int64_t excess = 0;
  int64_t cycles = 0;

  bool operator<(const OpCost &other) const {
    return std::tie(excess, cycles) < std::tie(other.excess, other.cycles);
  }
};

/// The costs of single ops for a share of memory. The ops are decomposed.
class OpCosts {
public:
  OpCosts(const TargetModel &target, PartitionCache &cache,
          const PlanOptions &options)
      : target(target), cache(cache), options(options) {}

  /// Returns the cost of `op`. Views and constants have no cost. A move costs
  /// as much as an exchange of an even share of its result.
  OpCost getCost(Operation *op);
  OpCost getCost(ArrayRef<Operation *> ops);

  /// Returns the best plan of `op`, or std::nullopt if tiles cannot compute the
  /// op in its present form.
  std::optional<TilePlan> getPlan(CodeletOpInterface op);

  /// Returns the bytes on a tile of an even share of a tensor of `type` on the
  /// tiles of `space`.
  int64_t getShareBytes(ShapedType type, const TileSpace &space = {}) const;
  /// Returns the cycles of an exchange in which a tile receives `bytes`.
  int64_t getMoveCycles(int64_t bytes) const;
  /// Returns the cycles of a copy of `bytes` from one IPU to another, spread
  /// evenly over the tiles of both: getExchangeCycles() with one partner,
  /// without the headers of packets.
  int64_t getIpuCopyCycles(int64_t bytes) const;

  /// Returns the additional cycles if calls replace the serial parts among
  /// `ops`. Each call passes its result and the operands of the part that the
  /// previous part does not read.
  int64_t getCallCycles(ArrayRef<Operation *> ops) const;

  /// Returns the bytes of a tile that `op` may use.
  int64_t getShare(Operation *op) const;

  /// Returns whether one of `operands` or `result` is larger than the memory of
  /// all tiles. A program that stores these tensors does not fit.
  bool usesHugeTensor(ValueRange operands, Value result) const;

private:
  PlanOptions getOptions(Operation *op) const;
  TileSpace getSpace(Value value) const;

  const TargetModel &target;
  PartitionCache &cache;
  PlanOptions options;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_COST_OPCOSTS_H
