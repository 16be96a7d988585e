//===- ReductionOrder.h - Dependence on the order of members ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INTERFACES_REDUCTIONORDER_H
#define IPU_MLIR_INTERFACES_REDUCTIONORDER_H

#include "ipu-mlir/Interfaces/DeviceEnums.h"
#include <cstdint>

namespace mlir::ipu {

/// Returns whether a reduction of the values of `numMembers` replicas has the
/// same bits for all orders of the values. Sums and products of more than two
/// floats depend on the order, because intermediate results are rounded. Always
/// returns false for `Local`.
bool ignoresMemberOrder(CollectiveOperator operation, bool isFloat,
                        int64_t numMembers);

} // namespace mlir::ipu

#endif // IPU_MLIR_INTERFACES_REDUCTIONORDER_H
