//===- ScheduleViolations.h - Messages of refusals --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_SCHEDULEVIOLATIONS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_SCHEDULEVIOLATIONS_H

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"

namespace mlir::fuse {

inline std::string quote(StringRef name) { return "'" + name.str() + "'"; }

/// Creates the violation which states that loop `axis` of `tensor` does not
/// exist.
Violation getNoSuchLoop(const Schedule &schedule, TensorId tensor,
                        int64_t axis);

/// Creates the violation which states `what` (for example "cannot split loop
/// 'i'") and, as the reason, that the first loops of `tensor` are shared.
Violation getFrozen(const Schedule &schedule, TensorId tensor, StringRef what);

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_SCHEDULE_SCHEDULEVIOLATIONS_H
