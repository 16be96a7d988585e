//===- FusedSums.h - Contractions that add partial sums ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a compute set of contractions that write partial sums, and a later one
// that adds these. Out: codelets that do both, so that partial sums are not
// stored in memory.
//
// A partial sum is added to the sum of the earlier ones: no bit changes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H

#include "FusedSets.h"

namespace mlir::ipu {

class GroupMerger;

/// Finds what the first of `nodes` begins: a set of contractions, what each of
/// them writes being added up by the next set, and nothing between them but
/// copies of other variables. None if there is no such thing.
std::optional<FusedSets> findFusedSums(const Program &program,
                                       ArrayRef<ProgramNode> nodes,
                                       const FusedSetsOptions &options,
                                       GroupMerger &merger);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDSUMS_H
