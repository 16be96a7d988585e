//===- ExchangeCosts.h - Predicted costs of steps ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles that ipu-estimate-cost will compute for the steps of a mapped
// program.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLANNER_COST_EXCHANGECOSTS_H
#define IPU_MLIR_PLANNER_COST_EXCHANGECOSTS_H

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Planner/Partition/PartitionSearch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu {

class ExchangeCosts {
public:
  /// The cost of a move of more than `maxPieces` pieces is an upper bound.
  ExchangeCosts(const TargetModel &target, int64_t maxPieces)
      : target(target), maxPieces(maxPieces) {}

  /// Returns the cost of a sync between steps and of the following exchange of
  /// all `moves`, or of two exchanges if they take fewer cycles. Returns 0
  /// without moves. If the exchange can be merged into an earlier exchange
  /// (`joinsEarlier`), the sync and the setup cost nothing. The traffic of
  /// equal moves is computed once.
  int64_t getExchange(ArrayRef<ExchangeMove> moves, bool joinsEarlier);

  /// Returns the bytes of code of all exchanges that were queried since the
  /// last call. Each exchange counts with its largest code on a tile.
  int64_t takeCodeBytes() { return std::exchange(codeBytes, 0); }

  /// Returns the cost of a compute set that fills a tensor.
  int64_t getFill(TileMappingAttr mapping, Type elementType);

  /// Returns the cost of a copy between the host and a tensor.
  int64_t getHostCopy(TileMappingAttr mapping, Type elementType);

  /// Calls `ask`, which queries costs, twice. After the first call, the traffic
  /// of the queried exchanges is computed on the threads of `context`. Only the
  /// results in the second call are correct.
  void askTwice(MLIRContext *context, function_ref<void()> ask);

  /// Returns the number of exchanges whose traffic was analysed.
  int64_t getNumAnalyses() const { return numAnalyses; }

private:
  /// The cost of an exchange with its sync, or of two exchanges together, the
  /// part of this cost that is for one sync and one setup, and the size of the
  /// largest code on a tile.
  struct Estimate {
    int64_t cycles = 0, startCycles = 0, codeBytes = 0;
  };
  struct Traffic {
    std::shared_ptr<const ExchangeTraffic> traffic;
    Estimate estimate;
    /// The moves to analyse; empty after the analysis.
    SmallVector<ExchangeMove, 2> moves;
  };
  /// The estimate for moves with several sources, whose traffic is added.
  struct Sum {
    Estimate estimate;
    SmallVector<const Traffic *> parts;
  };
  void analyze(Traffic &traffic) const;
  void addUp(Sum &sum) const;
  const Traffic &getTraffic(ArrayRef<ExchangeMove> moves);
  Estimate getEstimate(const ExchangeTraffic &traffic) const;
  Estimate getEstimate(ArrayRef<ExchangeMove> moves);

  const TargetModel &target;
  int64_t maxPieces;
  int64_t codeBytes = 0;
  llvm::StringMap<std::unique_ptr<Traffic>> traffics;
  llvm::StringMap<Sum> sums;
  int64_t numAnalyses = 0;
  /// The postponed analyses.
  struct Postponed {
    std::vector<Traffic *> traffics;
    std::vector<Sum *> sums;
  };
  Postponed *postponed = nullptr;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_PLANNER_COST_EXCHANGECOSTS_H
