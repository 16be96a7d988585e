//===- StepCosts.h - Predicted costs of steps -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The cycles that ipu-estimate-cost will give to the steps of a mapped program.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLANNER_STEPCOSTS_H
#define IPU_MLIR_LIB_PLANNER_STEPCOSTS_H

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Planner/PartitionSearch.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu {

class StepCosts {
public:
  /// Moves of more than `maxPieces` cost what they could at most.
  StepCosts(const TargetModel &target, int64_t maxPieces)
      : target(target), maxPieces(maxPieces) {}

  /// A sync between steps, and the exchange after it that makes all `moves`, or
  /// two if these take less; 0 if there are no moves. Traffic is found once for
  /// equal moves.
  int64_t getExchange(ArrayRef<ExchangeMove> moves);

  /// Bytes of code of all exchanges that were asked for since the last call,
  /// each on the tile that has most of it.
  int64_t takeCodeBytes() { return std::exchange(codeBytes, 0); }

  /// A compute set that fills a tensor.
  int64_t getFill(TileMappingAttr mapping, Type elementType);

  /// A copy between the host and a tensor.
  int64_t getHostCopy(TileMappingAttr mapping, Type elementType);

  /// Calls `ask`, and again after the traffic that it asked for was found, on
  /// the threads of `context`; only then what it was told is right.
  void askTwice(MLIRContext *context, function_ref<void()> ask);

  /// Exchanges whose traffic was found by analysis.
  int64_t getNumAnalyses() const { return numAnalyses; }

private:
  /// Of an exchange without its sync; the code of the tile that has most. Of
  /// two exchanges together, with the sync between them.
  struct Estimate {
    int64_t cycles = 0, codeBytes = 0;
  };
  struct Traffic {
    std::shared_ptr<const ExchangeTraffic> traffic;
    Estimate estimate;
    /// Empty after they were analysed.
    SmallVector<ExchangeMove, 2> moves;
  };
  /// Of moves with several sources, whose traffic adds up.
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
  /// What is to be found, if it is not found at once.
  struct Postponed {
    std::vector<Traffic *> traffics;
    std::vector<Sum *> sums;
  };
  Postponed *postponed = nullptr;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_STEPCOSTS_H
