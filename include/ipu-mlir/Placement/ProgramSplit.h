//===- ProgramSplit.h - Splits of programs over IPUs ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a program, as plain data, into consecutive parts for the IPUs of a
// replica. There are two ways: findBalancedSplit() minimises the cycles of the
// slowest IPU, and splitSegments() is the walk of PopART's AutoVirtualGraph
// over segments.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PLACEMENT_PROGRAMSPLIT_H
#define IPU_MLIR_PLACEMENT_PROGRAMSPLIT_H

#include "mlir/Support/LLVM.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

namespace mlir::ipu {

//===----------------------------------------------------------------------===//
// Balanced splits
//===----------------------------------------------------------------------===//

/// Ops that are on one IPU.
struct SplitUnit {
  /// The cycles of the ops in one run of the program.
  int64_t cycles = 0;
  /// The bytes that the IPU holds during the whole run: weights with their
  /// optimizer states, and code.
  int64_t residentBytes = 0;
  /// The bytes of other values that are live while the ops are executed.
  int64_t liveBytes = 0;
  /// The bytes that the IPU holds for each micro-batch that it has begun and
  /// not ended: the activations that are kept for a backward pass.
  int64_t savedBytes = 0;
};

/// A program that is to be split into consecutive parts. None of the numbers is
/// negative.
struct SplitProblem {
  /// The units, in the order of the program.
  SmallVector<SplitUnit, 0> units;
  /// Element i has the cycles of the copies of values if a part begins with
  /// unit i. This part and the part before it take these cycles. Element 0 is
  /// 0.
  SmallVector<int64_t, 0> copyCycles;
  /// The bytes of memory of an IPU.
  int64_t memory = INT64_MAX;
  /// Element i is the number of micro-batches for which a part holds saved
  /// bytes if i parts are after it. If there are no elements, it is 1 for each
  /// part. If there are any, there are as many as parts may be.
  SmallVector<int64_t> savedCounts;
};

/// The part of a program that one IPU has.
struct SplitPart {
  /// The units from `begin` to `end` (exclusive).
  unsigned begin, end;
  /// The cycles of the units and of the copies at both ends.
  int64_t cycles;
  /// The resident bytes of all units, their saved bytes for each micro-batch,
  /// and the most live bytes of a unit.
  int64_t bytes;
};

/// Returns the part from unit `begin` to `end` (exclusive) if `partsAfter`
/// parts are after it. There is at least one unit.
SplitPart getPart(const SplitProblem &problem, unsigned begin, unsigned end,
                  unsigned partsAfter = 0);

/// Splits the program into at most `maxParts` parts, such that the slowest part
/// takes the fewest cycles and each part fits in the memory. If there is no
/// such split, the fullest part has the fewest bytes; the slowest part has the
/// fewest cycles with which this is possible. Takes almost linear time. There
/// is at least one unit, and `maxParts` is at least 1.
SmallVector<SplitPart> findBalancedSplit(const SplitProblem &problem,
                                         int64_t maxParts);

//===----------------------------------------------------------------------===//
// Splits of segments
//===----------------------------------------------------------------------===//

/// An op of a program, as the walk over segments sees it.
struct SegmentOp {
  /// The bytes of the weights that the op reads and, in training, of its
  /// results.
  int64_t cost = 0;
  /// The numbers of the ops whose results the op reads, ascending and without
  /// duplicates. They are less than the number of the op.
  SmallVector<unsigned, 2> producers;
};

/// Splits a program into one part for each of `ratios`, which are the shares
/// of the total cost. Returns the number of the part of each op. Fails if there
/// are too few split points.
///
/// An op continues the segment of the ops whose results it reads. If these are
/// in several segments, or if there are none, the op begins a segment; a
/// segment of a single op without cost does not count if there are others. The
/// program has a split point after an op that is the only op of its segment
/// whose results later ops read. Each part ends at the split point that is
/// nearest to its share of the total cost, or at the later one of two equally
/// near split points. Segments without cost that follow a split point are
/// before it.
llvm::Expected<SmallVector<unsigned, 0>> splitSegments(ArrayRef<SegmentOp> ops,
                                                       ArrayRef<double> ratios);

} // namespace mlir::ipu

#endif // IPU_MLIR_PLACEMENT_PROGRAMSPLIT_H
