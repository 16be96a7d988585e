//===- SplitExchange.h - Two exchanges instead of one -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_SPLITEXCHANGE_H
#define IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_SPLITEXCHANGE_H

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

namespace mlir::ipu {

/// Takes moves of sources that are not in pairs out of `exchange`, into one of
/// their own after it and a sync, if both take fewer cycles then.
void splitExchangeInPairs(const TargetModel &target, ExchangeOp exchange);

/// Cycles of `exchanges` as one, or as the two that this would be split into.
int64_t getMergedCycles(const TargetModel &target,
                        ArrayRef<ExchangeOp> exchanges);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_DIALECT_IPU_TRANSFORMS_SPLITEXCHANGE_H
