//===- OutlineSearch.h - Sequences that become functions --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the repeated sequences of a text that become functions. A choice does
// not cross another choice. Sequences inside of the new functions, and
// sequences that contain calls of them, are found by another search in the
// transformed module.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_PLACEMENT_OUTLINE_OUTLINESEARCH_H
#define IPU_MLIR_LIB_PLACEMENT_OUTLINE_OUTLINESEARCH_H

#include "OutlineCosts.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

namespace mlir::ipu {

/// Equal sequences that become calls of one function.
struct OutlineGroup {
  SmallVector<pop::OpSequence> sequences;
  pop::SequenceInterface interface;
  /// The differences between the numbers of the draws of each sequence and
  /// those of the first one.
  SmallVector<int64_t> drawShifts;
  /// This flag is set if the sequences draw random bits.
  bool draws = false;
  /// The bytes of a tile that the calls save, and the cycles that each of them
  /// adds.
  int64_t savedBytes = 0, addedCycles = 0;
  /// The bytes of code and the cycles of one sequence.
  CodeCost cost;
};

/// The limits of a choice.
struct OutlineLimits {
  /// The least number of bytes that a function saves.
  int64_t threshold;
  /// The cycles that calls may add, in percent of the cycles of a sequence.
  int64_t maxSlowdown;
};

/// Returns groups whose sequences do not overlap, best groups first.
std::vector<OutlineGroup> chooseGroups(const OpText &text,
                                       const GraphEffects &effects,
                                       OutlineCosts &costs,
                                       const OutlineLimits &limits);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_PLACEMENT_OUTLINE_OUTLINESEARCH_H
