//===- OutlineCosts.h - Costs of sequences of ops ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLACEMENT_OUTLINE_OUTLINECOSTS_H
#define IPU_MLIR_LIB_PLACEMENT_OUTLINE_OUTLINECOSTS_H

#include "OpText.h"
#include "ipu-mlir/Dialect/Pop/Transforms/OutlineOps.h"
#include "ipu-mlir/Planner/Cost/OpCosts.h"

#include "llvm/ADT/BitVector.h"

namespace mlir::ipu {

/// The estimated code of ops on a tile, in bytes, and the cycles of one
/// execution. The idle cycles are those of an average tile: other ops may use
/// the tile in these cycles, if they do not depend on the op.
struct CodeCost {
  /// The most cycles that are counted. Nested long loops take more.
  static constexpr int64_t kMaxCycles = int64_t(1) << 53;

  int64_t bytes = 0, cycles = 0, idleCycles = 0;

  CodeCost &operator+=(const CodeCost &other) {
    bytes += other.bytes;
    cycles = std::min(cycles + other.cycles, kMaxCycles);
    idleCycles = std::min(idleCycles + other.idleCycles, kMaxCycles);
    return *this;
  }
};

/// Returns the number of iterations of `op` if it is a loop for which this
/// number is known, and otherwise 1. The number is limited to 1 to 2^31 - 1.
int64_t getTripCount(Operation *op);

/// Estimates the code and the cycles of ops before they are decomposed. The
/// estimates of equal ops are computed once.
///
/// Each compute set has control code. Each op that reads elements of other
/// tiles, and each move, has one exchange. A tile gets its part of an operand
/// in about sqrt(T) runs, where T is the number of tiles, because parts along
/// two dimensions are blocks of about sqrt(T) x sqrt(T) tiles.
class OutlineCosts {
public:
  OutlineCosts(const TargetModel &target, PartitionCache &cache)
      : target(target), ops(target, cache, PlanOptions()) {}

  /// Returns the cost of each op of `text`; boundaries cost nothing.
  std::vector<CodeCost> getCosts(const OpText &text);

  /// Returns the code and the cycles that one call adds if it passes the values
  /// of `interface`. The callee modifies the tensors of the operands that are
  /// set in `modified`.
  CodeCost getCallCost(const pop::SequenceInterface &interface,
                       const llvm::BitVector &modified) const;

  /// Returns the bytes on a tile of the variables through which calls pass the
  /// values of `interface`.
  int64_t getPassedBytes(const pop::SequenceInterface &interface) const;
  /// Returns the bytes on a tile of a variable of `type`, or 0 if it is not the
  /// type of a variable.
  int64_t getPassedBytes(Type type) const;

private:
  CodeCost getCost(Operation *op);
  CodeCost getBodyCost(Operation *op);
  CodeCost getSimpleCost(Operation *op);
  int64_t getExchangeBytes() const;

  const TargetModel &target;
  OpCosts ops;
  /// The costs of the functions that calls name.
  llvm::DenseMap<Operation *, CodeCost> functions;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLACEMENT_OUTLINE_OUTLINECOSTS_H
