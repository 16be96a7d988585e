//===- CostDetail.h - Utilities of cost formulas ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_COST_COSTDETAIL_H
#define IPU_MLIR_LIB_ANALYSIS_COST_COSTDETAIL_H

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"

namespace mlir::ipu {

/// Returns the cost of an exchange with `moves`.
StepCostAttr getExchangeCost(MLIRContext *context, const TargetModel &target,
                             ArrayRef<ExchangeMove> moves);

/// Returns, for each IPU of a replica, the sum of `counts` over the tiles of
/// the IPU.
SmallVector<Count> getCountsOfIPUs(const TargetModel &target,
                                   const TileCounts &counts);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_ANALYSIS_COST_COSTDETAIL_H
