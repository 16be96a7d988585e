//===- SegmentSplit.cpp - Splits of segments --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Placement/ProgramSplit.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <vector>

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct Segment {
  SmallVector<unsigned> ops;
  int64_t cost = 0;
  /// The number of ops whose results ops after the current one read.
  unsigned numPending = 0;
  /// The split points: positions of ops in the segment, and the cost of the ops
  /// up to them.
  SmallVector<std::pair<unsigned, int64_t>> points;
};

/// The segments of a program, in the order in which they begin.
class Segments {
public:
  explicit Segments(ArrayRef<SegmentOp> ops) : ops(ops), segmentOf(ops.size()) {
    SmallVector<SmallVector<unsigned>, 0> lastReads = getLastReads();
    for (unsigned op = 0; op < ops.size(); ++op) {
      for (unsigned producer : lastReads[op])
        --segments[segmentOf[producer]].numPending;
      add(op);
    }
  }

  ArrayRef<Segment> get() const { return segments; }

private:
  /// Returns, for each op, the producers whose results no later op reads.
  /// Determines which results are read.
  SmallVector<SmallVector<unsigned>, 0> getLastReads() {
    SmallVector<unsigned, 0> last(ops.size(), 0);
    for (auto [number, op] : llvm::enumerate(ops))
      for (unsigned producer : op.producers)
        last[producer] = number;
    SmallVector<SmallVector<unsigned>, 0> lastReads(ops.size());
    isRead.assign(ops.size(), false);
    for (auto [producer, reader] : llvm::enumerate(last)) {
      if (reader == 0)
        continue;
      lastReads[reader].push_back(producer);
      isRead[producer] = true;
    }
    return lastReads;
  }

  /// Returns the segment that `op` continues, or std::nullopt if it begins one.
  std::optional<unsigned> findSegment(unsigned op) const {
    SmallVector<unsigned> found;
    for (unsigned producer : ops[op].producers)
      if (!llvm::is_contained(found, segmentOf[producer]))
        found.push_back(segmentOf[producer]);
    auto isLoneFree = [&](unsigned number) {
      return segments[number].ops.size() == 1 && segments[number].cost == 0;
    };
    if (found.size() > 1 && !llvm::all_of(found, isLoneFree))
      llvm::erase_if(found, isLoneFree);
    return found.size() == 1 ? std::optional(found.front()) : std::nullopt;
  }

  void add(unsigned op) {
    std::optional<unsigned> found = findSegment(op);
    segmentOf[op] = found ? *found : segments.size();
    if (!found)
      segments.emplace_back();
    Segment &segment = segments[segmentOf[op]];
    segment.ops.push_back(op);
    segment.cost += ops[op].cost;
    segment.numPending += isRead[op];
    if (segment.numPending == static_cast<unsigned>(isRead[op]))
      segment.points.emplace_back(segment.ops.size() - 1, segment.cost);
  }

  ArrayRef<SegmentOp> ops;
  SmallVector<unsigned, 0> segmentOf;
  std::vector<bool> isRead;
  SmallVector<Segment, 0> segments;
};

/// A split point, and the cost of the ops before it.
struct SplitPoint {
  /// The number of the last op before it, in the order of the segments.
  unsigned position;
  int64_t cost;
};
} // namespace

/// Chooses a split point for each of `ratios` but the last one.
static SmallVector<SplitPoint> choosePoints(ArrayRef<SplitPoint> points,
                                            int64_t total,
                                            ArrayRef<double> ratios) {
  SmallVector<SplitPoint> chosen;
  const SplitPoint *first = points.begin();
  double share = 0;
  for (auto [index, ratio] : llvm::enumerate(ratios.drop_back())) {
    share += ratio * static_cast<double>(total);
    // The other chosen points come after this one.
    const SplitPoint *end = points.end() - (ratios.size() - 2 - index);
    auto getDistance = [&](const SplitPoint &point) {
      return std::abs(static_cast<double>(point.cost) - share);
    };
    const SplitPoint *best = first;
    for (const SplitPoint *point = first; point != end; ++point)
      if (getDistance(*point) <= getDistance(*best))
        best = point;
    chosen.push_back(*best);
    first = best + 1;
  }
  return chosen;
}

llvm::Expected<SmallVector<unsigned, 0>>
mlir::ipu::splitSegments(ArrayRef<SegmentOp> ops, ArrayRef<double> ratios) {
  Segments segments(ops);
  SmallVector<unsigned, 0> order;
  SmallVector<SplitPoint> points;
  int64_t total = 0;
  for (const Segment &segment : segments.get()) {
    // A segment without cost stays on the current IPU.
    if (segment.cost == 0 && !points.empty() &&
        points.back().position + 1 == order.size())
      points.back().position += segment.ops.size();
    else
      for (auto [position, cost] : segment.points)
        points.push_back(
            {static_cast<unsigned>(order.size()) + position, total + cost});
    llvm::append_range(order, segment.ops);
    total += segment.cost;
  }
  // No part is empty.
  if (!points.empty() && points.back().position + 1 == ops.size())
    points.pop_back();
  if (points.size() + 1 < ratios.size())
    return llvm::createStringError(
        "has " + Twine(points.size()) + " split points, but " +
        Twine(ratios.size()) + " IPUs need " + Twine(ratios.size() - 1));
  SmallVector<unsigned, 0> parts(ops.size());
  SmallVector<SplitPoint> chosen = choosePoints(points, total, ratios);
  unsigned part = 0;
  for (auto [position, op] : llvm::enumerate(order)) {
    parts[op] = part;
    if (part < chosen.size() && chosen[part].position == position)
      ++part;
  }
  return parts;
}
