//===- CollectiveArrangement.cpp - Order of axes after a permutation ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CollectiveDigits.h"

#include "llvm/ADT/STLExtras.h"
#include <tuple>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sharding;

namespace {
class Arrangement {
public:
  Arrangement(ArrayRef<AxisList> current, ArrayRef<AxisList> out)
      : current(current), out(out), stays(out.size()), gathered(out.size()),
        moves(out.size()) {}

  DimAxes run();

private:
  unsigned getRank() const { return out.size(); }
  /// Returns how many more digits of a size can be placed in a dimension.
  int64_t getRoom(unsigned dim, int64_t size) const;
  void place(DimAxes &part, unsigned dim, const AxisRef &digit) {
    part[dim].push_back(digit);
    placed.push_back(digit);
  }
  void placeStaying();
  void placeMoving(unsigned target);
  /// Returns how many of the first `digits` fit in a dimension in addition to
  /// `others`.
  size_t countFitting(unsigned dim, ArrayRef<AxisRef> digits,
                      ArrayRef<AxisRef> others) const;
  void placeRest();

  ArrayRef<AxisList> current, out;
  DimAxes stays, gathered, moves;
  AxisList placed;
};
} // namespace

int64_t Arrangement::getRoom(unsigned dim, int64_t size) const {
  return countSize(current[dim], size) - countSize(stays[dim], size) -
         countSize(gathered[dim], size) - countSize(moves[dim], size);
}

/// Places in each dimension its first digits of the final sharding, up to the
/// first digit for which there is no room.
void Arrangement::placeStaying() {
  for (unsigned dim = 0; dim < getRank(); ++dim)
    for (const AxisRef &digit : out[dim]) {
      if (getRoom(dim, digit.size) == 0)
        break;
      place(stays, dim, digit);
    }
}

size_t Arrangement::countFitting(unsigned dim, ArrayRef<AxisRef> digits,
                                 ArrayRef<AxisRef> others) const {
  size_t count = 0;
  while (count < digits.size() &&
         getRoom(dim, digits[count].size) >
             countSize(digits.take_front(count), digits[count].size) +
                 countSize(others, digits[count].size))
    ++count;
  return count;
}

/// Places the missing digits of `target` in other dimensions, from which they
/// will move to `target`. Places them in few runs.
void Arrangement::placeMoving(unsigned target) {
  DimAxes leaving(getRank());
  ArrayRef<AxisRef> rest =
      ArrayRef<AxisRef>(out[target]).drop_front(stays[target].size());
  while (!rest.empty()) {
    // Choose the dimension with room for the longest run. Of equal dimensions,
    // choose a dimension that already has the first digit.
    unsigned best = 0;
    std::pair<size_t, bool> bestScore = {0, false};
    for (unsigned dim = 0; dim < getRank(); ++dim) {
      std::pair<size_t, bool> score = {
          countFitting(dim, rest, leaving[dim]),
          llvm::is_contained(current[dim], rest.front())};
      if (dim != target && score.first > 0 && score > bestScore)
        std::tie(best, bestScore) = std::make_pair(dim, score);
    }
    if (bestScore.first == 0) {
      // Only `target` may have room, but there the digit would be out of order.
      // It will be gathered.
      if (getRoom(target, rest.front().size) > 0)
        place(gathered, target, rest.front());
      rest = rest.drop_front();
      continue;
    }
    ArrayRef<AxisRef> run = rest.take_front(bestScore.first);
    leaving[best].append(run.begin(), run.end());
    placed.append(run.begin(), run.end());
    rest = rest.drop_front(run.size());
  }
  // The digits are in reverse order of their targets in all dimensions, so that
  // no move has to wait for another one.
  for (auto [all, more] : llvm::zip_equal(moves, leaving))
    all.insert(all.begin(), more.begin(), more.end());
}

/// Places each remaining digit in its current dimension or, if there is no
/// room, in a dimension with room.
void Arrangement::placeRest() {
  for (bool anywhere : {false, true})
    for (unsigned from = 0; from < getRank(); ++from)
      for (const AxisRef &digit : current[from])
        for (unsigned dim = 0; dim < getRank(); ++dim)
          if ((anywhere || dim == from) && getRoom(dim, digit.size) > 0 &&
              !llvm::is_contained(placed, digit))
            place(gathered, dim, digit);
}

DimAxes Arrangement::run() {
  placeStaying();
  for (unsigned target = 0; target < getRank(); ++target)
    placeMoving(target);
  placeRest();
  for (unsigned dim = 0; dim < getRank(); ++dim) {
    stays[dim].append(gathered[dim]);
    stays[dim].append(moves[dim]);
  }
  return stays;
}

DimAxes sharding::arrangeDigits(ArrayRef<AxisList> current,
                                ArrayRef<AxisList> out) {
  return Arrangement(current, out).run();
}
