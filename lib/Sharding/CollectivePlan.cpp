//===- CollectivePlan.cpp - Plans of reshards -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: the axes of each dimension before and after. Out: steps. Axes are split
// into parts of prime size ("digits"). The state of a plan is then the position
// of each digit, and the number of digits of each size in each dimension. The
// cost of a plan by fixed rules is an upper bound for the search for a cheaper
// plan.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/CollectivePlan.h"

#include "CollectiveDigits.h"
#include "CollectiveSearch.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ipu::sharding;
using Kind = CollectiveStep::Kind;

//===----------------------------------------------------------------------===//
// Planner
//===----------------------------------------------------------------------===//

namespace {
class Planner {
public:
  /// Each axis of `in` must be equal to an axis of `out`, or must not overlap
  /// any axis of `out`.
  Planner(DimAxes in, DimAxes out, ArrayRef<int64_t> shape, bool changesDevices)
      : current(std::move(in)), out(std::move(out)), shape(shape),
        changesDevices(changesDevices) {}

  /// Returns the steps to `out`. The first iteration only uses a permutation
  /// with `mayPermuteFirst`, or if the order of devices changes.
  SmallVector<CollectiveStep> run(bool mayPermuteFirst);
  /// Returns steps that gather all axes except the common prefixes of `in` and
  /// `out`, and then slice.
  SmallVector<CollectiveStep> runByGather();

private:
  unsigned getRank() const { return out.size(); }
  bool isUsed(const AxisRef &digit) const;
  /// Returns the dimension of `out` that has the digit, or std::nullopt if
  /// there is none.
  std::optional<unsigned> getHome(const AxisRef &digit) const;
  /// Returns how many more digits of a size the dimension has in `out` than
  /// now.
  int64_t getCapacity(unsigned dim, int64_t size) const {
    return countSize(out[dim], size) - countSize(current[dim], size);
  }
  /// Returns whether the dimension now has, compared with `out`, at least as
  /// many surplus digits of each size as `digits` has.
  bool areSurplus(unsigned dim, ArrayRef<AxisRef> digits) const {
    return llvm::all_of(digits, [&](const AxisRef &digit) {
      return countSize(digits, digit.size) <= -getCapacity(dim, digit.size);
    });
  }
  bool dividesEvenly(unsigned dim, ArrayRef<AxisRef> more) const;

  void slice();
  void sliceAfterMoves(DimAxes &added);
  /// Returns the number of digits at the end of `source` that are the next
  /// digits of `target` in `out`; 0 if there are none.
  size_t findExactMove(unsigned source, unsigned target) const;
  /// Returns the number of digits at the end of `source` that are in `target`
  /// in `out`, and for which `target` has room.
  size_t findAnyMove(unsigned source, unsigned target) const;
  bool move(bool exact);
  /// Returns whether moves and one gather result in `out`.
  bool isInOrder() const;
  void permute();
  /// Gathers all digits except the first `kept` digits of each dimension.
  /// Returns whether there are such digits.
  bool gather(ArrayRef<size_t> kept);
  bool finish();
  bool gatherUnneeded();

  void emit(CollectiveStep step) {
    step.result = merge(current);
    steps.push_back(std::move(step));
  }

  DimAxes current;
  DimAxes out;
  ArrayRef<int64_t> shape;
  bool changesDevices;
  SmallVector<CollectiveStep> steps;
};
} // namespace

bool Planner::isUsed(const AxisRef &digit) const {
  return llvm::any_of(current, [&](const AxisList &dim) {
    return llvm::is_contained(dim, digit);
  });
}

std::optional<unsigned> Planner::getHome(const AxisRef &digit) const {
  for (auto [dim, digits] : llvm::enumerate(out))
    if (llvm::is_contained(digits, digit))
      return dim;
  return std::nullopt;
}

bool Planner::dividesEvenly(unsigned dim, ArrayRef<AxisRef> more) const {
  int64_t size = shape[dim];
  if (size < 0)
    return false;
  for (ArrayRef<AxisRef> list : {ArrayRef<AxisRef>(current[dim]), more})
    for (const AxisRef &digit : list) {
      if (size % digit.size != 0)
        return false;
      size /= digit.size;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Slices unused axes that follow, in `out`, axes that have yet to move. The
/// unused axes are sliced directly after these axes, and move with them.
void Planner::sliceAfterMoves(DimAxes &added) {
  for (unsigned target = 0; target < getRank(); ++target)
    for (unsigned source = 0; source < getRank(); ++source) {
      size_t moved = findExactMove(source, target);
      if (moved == 0 ||
          !areSurplus(source,
                      ArrayRef<AxisRef>(current[source]).take_back(moved)))
        continue;
      ArrayRef<AxisRef> more =
          ArrayRef<AxisRef>(out[target])
              .drop_front(current[target].size() + moved)
              .take_while([&](const AxisRef &digit) { return !isUsed(digit); });
      if (!dividesEvenly(source, more))
        continue;
      current[source].append(more.begin(), more.end());
      added[source].append(more.begin(), more.end());
    }
}

/// Slices axes while dimensions have room: first the axes that move later, then
/// axes in their dimensions of `out`, then axes in any dimension. A permutation
/// corrects the position of the last ones.
void Planner::slice() {
  DimAxes added(getRank());
  auto add = [&](unsigned dim, const AxisRef &digit) {
    if (isUsed(digit) || getCapacity(dim, digit.size) <= 0)
      return;
    current[dim].push_back(digit);
    added[dim].push_back(digit);
  };
  sliceAfterMoves(added);
  for (unsigned dim = 0; dim < getRank(); ++dim)
    for (const AxisRef &digit : out[dim])
      add(dim, digit);
  for (const AxisList &digits : out)
    for (const AxisRef &digit : digits)
      for (unsigned dim = 0; dim < getRank(); ++dim)
        add(dim, digit);
  if (llvm::all_of(added, [](const AxisList &dim) { return dim.empty(); }))
    return;
  CollectiveStep step{Kind::AllSlice};
  step.axes = merge(added);
  emit(std::move(step));
}

//===----------------------------------------------------------------------===//
// Moves
//===----------------------------------------------------------------------===//

size_t Planner::findExactMove(unsigned source, unsigned target) const {
  ArrayRef<AxisRef> digits = current[source], wanted = out[target];
  if (source == target || !startsWith(wanted, current[target]))
    return 0;
  wanted = wanted.drop_front(current[target].size());
  if (wanted.empty())
    return 0;
  size_t i = llvm::find(digits, wanted.front()) - digits.begin();
  ArrayRef<AxisRef> moved = digits.drop_front(i);
  return startsWith(wanted, moved) ? moved.size() : 0;
}

size_t Planner::findAnyMove(unsigned source, unsigned target) const {
  if (source == target)
    return 0;
  ArrayRef<AxisRef> digits = current[source];
  size_t count = 0;
  while (count < digits.size()) {
    const AxisRef &digit = digits[digits.size() - count - 1];
    if (getHome(digit) != target ||
        countSize(digits.take_back(count), digit.size) >=
            getCapacity(target, digit.size))
      break;
    ++count;
  }
  return count;
}

/// Moves the ends of dimensions to their dimensions in `out`. With `exact`,
/// moves only digits to their exact positions. Returns whether there was a
/// move.
bool Planner::move(bool exact) {
  bool hasMoved = false;
  while (true) {
    CollectiveStep step{Kind::AllToAll};
    llvm::BitVector isBusy(getRank());
    for (unsigned source = 0; source < getRank(); ++source)
      for (unsigned target = 0; target < getRank(); ++target) {
        if (isBusy[source] || isBusy[target])
          continue;
        size_t count =
            exact ? findExactMove(source, target) : findAnyMove(source, target);
        if (count == 0)
          continue;
        isBusy.set(source);
        isBusy.set(target);
        ArrayRef<AxisRef> moved =
            ArrayRef<AxisRef>(current[source]).take_back(count);
        step.moves.push_back({AxisList(moved), source, target});
      }
    if (step.moves.empty())
      return hasMoved;
    for (CollectiveStep::Move &move : step.moves) {
      current[move.source].pop_back_n(move.axes.size());
      current[move.target].append(move.axes);
      move.axes = merge(ArrayRef<AxisRef>(move.axes));
    }
    emit(std::move(step));
    hasMoved = true;
  }
}

//===----------------------------------------------------------------------===//
// Permutation
//===----------------------------------------------------------------------===//

bool Planner::isInOrder() const {
  Planner planner(current, out, shape, /*changesDevices=*/false);
  planner.move(/*exact=*/true);
  return planner.finish();
}

void Planner::permute() {
  DimAxes wanted = isInOrder() ? current : arrangeDigits(current, out);
  if (wanted == current && !changesDevices)
    return;
  current = wanted;
  changesDevices = false;
  emit({Kind::CollectivePermute});
}

//===----------------------------------------------------------------------===//
// Gathers
//===----------------------------------------------------------------------===//

bool Planner::gather(ArrayRef<size_t> kept) {
  CollectiveStep step{Kind::AllGather};
  bool isNeeded = false;
  for (auto [digits, count] : llvm::zip_equal(current, kept)) {
    step.axes.push_back(merge(ArrayRef<AxisRef>(digits).drop_front(count)));
    isNeeded |= count != digits.size();
    digits.truncate(count);
  }
  if (isNeeded)
    emit(std::move(step));
  return isNeeded;
}

/// If each dimension begins with its axes of `out`, gathers all further axes
/// and returns true.
bool Planner::finish() {
  SmallVector<size_t> kept;
  for (auto [digits, wanted] : llvm::zip_equal(current, out)) {
    if (!startsWith(digits, wanted))
      return false;
    kept.push_back(wanted.size());
  }
  gather(kept);
  return true;
}

/// Gathers the digits at the ends of dimensions that are not in `out` and that
/// prevent other digits from taking their positions. Returns whether there are
/// such digits.
bool Planner::gatherUnneeded() {
  SmallVector<size_t> kept;
  for (auto [digits, wanted] : llvm::zip_equal(current, out)) {
    size_t count = digits.size();
    if (!startsWith(digits, wanted))
      while (count > 0 && !getHome(digits[count - 1]))
        --count;
    kept.push_back(count);
  }
  return gather(kept);
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

SmallVector<CollectiveStep> Planner::run(bool mayPermuteFirst) {
  // If all sizes are powers of one prime, the first iteration is sufficient.
  constexpr unsigned maxIterations = 4;
  for (unsigned iteration = 0; iteration < maxIterations; ++iteration) {
    slice();
    if (iteration > 0 || mayPermuteFirst || changesDevices)
      permute();
    move(/*exact=*/true);
    if (finish())
      return steps;
    if (!gatherUnneeded() && !move(/*exact=*/false))
      break;
  }
  return runByGather();
}

SmallVector<CollectiveStep> Planner::runByGather() {
  if (changesDevices)
    emit({Kind::CollectivePermute});
  SmallVector<size_t> kept;
  for (auto [digits, wanted] : llvm::zip_equal(current, out)) {
    size_t count = 0;
    while (count < digits.size() && count < wanted.size() &&
           digits[count] == wanted[count])
      ++count;
    kept.push_back(count);
  }
  gather(kept);
  CollectiveStep step{Kind::AllSlice};
  for (auto [digits, wanted] : llvm::zip_equal(current, out))
    step.axes.push_back(
        merge(ArrayRef<AxisRef>(wanted).drop_front(digits.size())));
  if (current != out) {
    current = out;
    emit(std::move(step));
  }
  return steps;
}

/// Returns whether the steps are, in this order, at most one slice, at most one
/// permutation, any number of moves, and at most one gather.
static bool isInBestOrder(ArrayRef<CollectiveStep> steps) {
  auto isBefore = [](const CollectiveStep &a, const CollectiveStep &b) {
    return a.kind < b.kind || (a.kind == b.kind && a.kind == Kind::AllToAll);
  };
  for (size_t i = 1; i < steps.size(); ++i)
    if (!isBefore(steps[i - 1], steps[i]))
      return false;
  return true;
}

SmallVector<CollectiveStep> mlir::ipu::sharding::planCollectives(
    ArrayRef<AxisList> in, ArrayRef<AxisList> out, ArrayRef<int64_t> shape,
    bool changesDevices, ArrayRef<AxisRef> free) {
  SmallVector<CollectiveStep> steps =
      planCollectivesByRules(in, out, shape, changesDevices);
  if (steps.empty() || !areCompatible(in, out))
    return steps;
  AxisList others;
  for (const AxisRef &axis : free)
    if (axis.size > 1)
      others.push_back(axis);
  std::optional<SmallVector<CollectiveStep>> cheaper = searchCollectives(
      splitAxes(in, out), splitAxes(out, in), splitAxes(others, {}).front(),
      shape, changesDevices, getCollectiveCost(in, steps));
  return cheaper ? *cheaper : steps;
}

SmallVector<CollectiveStep> mlir::ipu::sharding::planCollectivesByRules(
    ArrayRef<AxisList> in, ArrayRef<AxisList> out, ArrayRef<int64_t> shape,
    bool changesDevices) {
  auto isEmpty = [](const AxisList &dim) { return dim.empty(); };
  if ((in == out && !changesDevices) ||
      (llvm::all_of(in, isEmpty) && llvm::all_of(out, isEmpty)))
    return {};
  if (areCompatible(in, out)) {
    Planner planner(splitAxes(in, out), splitAxes(out, in), shape,
                    changesDevices);
    SmallVector<CollectiveStep> steps =
        Planner(planner).run(/*mayPermuteFirst=*/true);
    if (isInBestOrder(steps))
      return steps;
    SmallVector<CollectiveStep> others = planner.run(/*mayPermuteFirst=*/false);
    return others.size() < steps.size() ? others : steps;
  }
  auto isOfSameSize = [](auto pair) {
    auto [a, b] = pair;
    return getProduct(a) == getProduct(b);
  };
  if (areCompatible(in, in) && areCompatible(out, out) &&
      llvm::all_of(llvm::zip_equal(in, out), isOfSameSize))
    return {{Kind::CollectivePermute, {}, {}, DimAxes(out)}};
  return Planner(DimAxes(in), DimAxes(out), shape, changesDevices)
      .runByGather();
}
