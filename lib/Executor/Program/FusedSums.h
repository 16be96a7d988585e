//===- FusedSums.h - Contractions that add partial sums ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a compute set of contractions that write partial sums, and a later
// compute set that adds the partial sums.
// Out: codelets that do the work of both compute sets without storing partial
// sums in memory. The codelet adds each partial sum to the sum of the earlier
// ones, in the same order as before, so no bit changes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H

#include "FusedSets.h"

namespace mlir::ipu {

class GroupMerger;

/// Returns the fused sets that begin at the first of `nodes`: a compute set of
/// contractions, and a compute set that adds all of their outputs. Only copies
/// of other variables may be between the two sets. Returns std::nullopt if
/// there are no such sets.
std::optional<FusedSets> findFusedSums(const Program &program,
                                       ArrayRef<ProgramNode> nodes,
                                       const FusedSetsOptions &options,
                                       GroupMerger &merger);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H
