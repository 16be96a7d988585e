//===- SplitExchange.h - Splitting of exchanges -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_SPLITEXCHANGE_H
#define IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_SPLITEXCHANGE_H

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "llvm/ADT/MapVector.h"

namespace mlir::ipu {

/// The traffic of the moves of an exchange, by the variables that they read.
class ExchangeSources {
public:
  ExchangeSources(const TargetModel &target, ExchangeOp exchange);

  /// Adds the moves of another exchange.
  void add(const TargetModel &target, const ExchangeSources &other);
  /// Cycles of the exchange, or of the two exchanges into which it would be
  /// split.
  int64_t getCycles(const TargetModel &target) const;
  /// The same for this exchange and `other` merged.
  int64_t getMergedCycles(const TargetModel &target,
                          const ExchangeSources &other) const;
  bool isSplit(const TargetModel &target) const;
  /// Returns whether the moves of `variable` are in pairs of tiles.
  bool isInPairs(VarOp variable) const {
    return sources.find(variable)->second.traffic->inPairs;
  }

private:
  struct Source {
    SmallVector<ExchangeMove, 1> moves;
    std::shared_ptr<const ExchangeTraffic> traffic;
  };

  SmallVector<const ExchangeTraffic *> getTraffics() const;

  llvm::MapVector<Operation *, Source> sources;
};

/// Moves the moves of sources that are not in pairs out of `exchange`, into a
/// separate exchange after it and a sync, if both together then take fewer
/// cycles.
void splitExchangeInPairs(const TargetModel &target, ExchangeOp exchange,
                          const ExchangeSources &sources);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_SPLITEXCHANGE_H
