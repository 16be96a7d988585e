//===- StepCosts.h - Costs of steps before they exist -----------*- C++ -*-===//
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

#include "ipu-mlir/Analysis/Exchange.h"
#include "ipu-mlir/Planner/PlanCache.h"

namespace mlir::ipu {

class StepCosts {
public:
  explicit StepCosts(const TargetModel &target) : target(target) {}

  /// A sync between steps, and the exchange after it that makes all `moves` at
  /// once; 0 if there are none. Traffic is found once for equal moves.
  int64_t getExchange(ArrayRef<ExchangeMove> moves);

  /// A compute set that fills a tensor.
  int64_t getFill(MapAttr map, Type elementType);

  /// A copy between the host and a tensor.
  int64_t getHostCopy(MapAttr map, Type elementType);

  /// Exchanges whose traffic was found by analysis.
  int64_t getNumAnalyses() const { return numAnalyses; }

private:
  struct Traffic {
    ExchangeTraffic traffic;
    int64_t cycles = 0;
  };
  const Traffic &getTraffic(ArrayRef<ExchangeMove> moves);

  const TargetModel &target;
  llvm::StringMap<std::unique_ptr<Traffic>> traffics;
  llvm::StringMap<int64_t> sums;
  int64_t numAnalyses = 0;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLANNER_STEPCOSTS_H
