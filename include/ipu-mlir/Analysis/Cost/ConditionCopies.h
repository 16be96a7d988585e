//===- ConditionCopies.h - Copies of conditions on IPUs ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_CONDITIONCOPIES_H
#define IPU_MLIR_ANALYSIS_COST_CONDITIONCOPIES_H

#include "ipu-mlir/Analysis/Exchange/Exchange.h"

namespace mlir::ipu {

/// Returns the moves of the exchange that precedes the choice of an `ipu.if` or
/// `ipu.while`: they copy the condition to the first tile of each of `ipus`,
/// the IPUs of a replica that execute the op, except for IPUs that already have
/// it. Returns no moves if `step` is another op.
SmallVector<ExchangeMove, 0> getConditionMoves(const TargetModel &target,
                                               Operation *step,
                                               ArrayRef<int64_t> ipus);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_CONDITIONCOPIES_H
