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

/// The traffic of an exchange, grouped by the variables (the sources) that its
/// moves read. A move is a copy of elements in an exchange. A source is in
/// pairs if, for each variable to which its moves write, tiles 2i and 2i + 1
/// store the same elements of this variable. The two tiles can then receive
/// elements at twice the width.
class ExchangeSources {
public:
  ExchangeSources(const TargetModel &target, ExchangeOp exchange);

  /// Adds the moves of the exchange of `other`.
  void add(const TargetModel &target, const ExchangeSources &other);
  /// Returns the number of cycles of the exchange. If splitExchangeInPairs
  /// would split it, returns the sum of the cycles of the two exchanges.
  int64_t getCycles(const TargetModel &target) const;
  /// Returns the number of cycles, as computed by getCycles, of an exchange
  /// with the moves of this exchange and of `other`.
  int64_t getMergedCycles(const TargetModel &target,
                          const ExchangeSources &other) const;
  /// Returns whether elements move from one IPU to another IPU.
  bool usesLinks() const;
  SmallVector<const ExchangeTraffic *> getTraffics() const;
  /// Returns whether the source `variable` is in pairs.
  bool isInPairs(VarOp variable) const {
    return sources.find(variable)->second.traffic->inPairs;
  }

private:
  struct Source {
    SmallVector<ExchangeMove, 1> moves;
    std::shared_ptr<const ExchangeTraffic> traffic;
  };

  llvm::MapVector<Operation *, Source> sources;
};

/// Splits `exchange` if this reduces the number of cycles: transfers the moves
/// of sources that are not in pairs to a new exchange. The new exchange is
/// after `exchange`, with a sync between them.
void splitExchangeInPairs(const TargetModel &target, ExchangeOp exchange,
                          const ExchangeSources &sources);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_SPLITEXCHANGE_H
