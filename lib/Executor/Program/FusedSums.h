//===- FusedSums.h - Contractions that add partial sums ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a compute set of contractions that write partial sums, and a later
// compute set that adds them.
// Out: codelets that do both, so that partial sums are not stored in memory. A
// partial sum is added to the sum of the earlier ones, so no bit changes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H

#include "FusedSets.h"

namespace mlir::ipu {

class GroupMerger;

/// The fused sets that the first of `nodes` begins: a set of contractions and a
/// set that adds up all of their outputs. Only copies of other variables may be
/// in between. None if there are no such sets.
std::optional<FusedSets> findFusedSums(const Program &program,
                                       ArrayRef<ProgramNode> nodes,
                                       const FusedSetsOptions &options,
                                       GroupMerger &merger);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H
