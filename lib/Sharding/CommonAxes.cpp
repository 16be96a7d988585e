//===- CommonAxes.cpp - Common axes of an op's tensors --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/CommonAxes.h"

#include "llvm/Support/MathExtras.h"

#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace sharding = mlir::ipu::sharding;

static bool hasFactor(const TensorMapping &mapping, unsigned factor) {
  return llvm::any_of(mapping, [&](const DimMapping &dim) {
    return llvm::is_contained(dim, factor);
  });
}

/// Returns whether all tensors of rank 1 or more have the factor.
static bool isBatching(unsigned factor, const Rule &rule) {
  for (unsigned i = 0; i < rule.getNumTensors(); ++i)
    if (!rule.getTensor(i).empty() && !hasFactor(rule.getTensor(i), factor))
      return false;
  return true;
}

static bool needsReplication(unsigned factor, const Rule &rule) {
  return rule.factors[factor].type == FactorType::NeedReplication;
}

//===----------------------------------------------------------------------===//
// Check for equal axes of all tensors
//===----------------------------------------------------------------------===//

bool sharding::isCompatible(const ShardingProjection &projection,
                            const Rule &rule) {
  static const FactorSharding kNone;
  SmallVector<const FactorSharding *> first(rule.factors.size(), nullptr);
  for (unsigned i = 0; i < projection.getNumTensors(); ++i)
    for (const DimMapping &dim : rule.getTensor(i))
      for (unsigned factor : dim) {
        // A factor after an overflowing factor may be absent.
        const FactorSharding *entry = projection.getTensor(i).find(factor);
        entry = entry ? entry : &kNone;
        if (!first[factor])
          first[factor] = entry;
        else if (first[factor]->axes != entry->axes ||
                 first[factor]->overflow != entry->overflow)
          return false;
      }
  AxisList used;
  for (auto [factor, entry] : llvm::enumerate(first)) {
    if (!entry)
      continue;
    AxisList axes(entry->axes);
    axes.append(entry->overflow);
    if (needsReplication(factor, rule) && !axes.empty())
      return false;
    for (const AxisRef &axis : axes)
      if (overlapsAny(axis, used))
        return false;
    used.append(axes);
  }
  return true;
}

TensorSharding sharding::makeSharding(ArrayRef<AxisList> axes,
                                      const TensorMapping &mapping,
                                      const Rule &rule) {
  TensorFactorShardings projection;
  for (const DimMapping &dim : mapping)
    for (unsigned factor : dim)
      projection.factors.push_back({factor, axes[factor], /*isClosed=*/true,
                                    factor == dim.back(), /*overflow=*/{}});
  return makeTensorSharding(projection, mapping, rule);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

namespace {
class Chooser {
public:
  Chooser(const ShardingProjection &projection, const Rule &rule,
          ArrayRef<int64_t> sizes);

  SmallVector<AxisList> choose();

private:
  /// Axes that a factor could have in all tensors.
  struct Candidate {
    unsigned factor;
    AxisList axes;
  };

  std::optional<AxisRef> getFitting(unsigned factor, ArrayRef<AxisRef> before,
                                    const AxisRef &axis) const;
  AxisList getFitting(unsigned factor, ArrayRef<AxisRef> axes) const;
  void takeBetterTensor();
  void distributeBetterTensor();
  SmallVector<Candidate> getCandidates() const;
  uint64_t getElementsWith(const Candidate &candidate) const;
  void takeByElements();
  void clear(ArrayRef<unsigned> factors);
  std::optional<AxisRef> giveTo(unsigned other, const AxisRef &axis,
                                bool whole);
  void distributeReplicated(AxisList axes);
  int64_t getNumDevices(unsigned tensor) const;

  const ShardingProjection &projection;
  const Rule &rule;
  ArrayRef<int64_t> sizes;
  /// The tensors of rank 1 or more.
  SmallVector<unsigned> tensors;
  bool hasCompound = false;
  bool hasOverflow = false;

  struct FactorInfo {
    /// The factors that directly precede this factor in some dimension.
    SmallVector<unsigned, 2> predecessors;
    /// Whether another factor follows in some dimension. If so, this factor can
    /// only have axes that divide it.
    bool isLimited = false;
    /// The unreduced axes of the tensors that have this factor.
    AxisList unreduced;
  };
  SmallVector<FactorInfo> infos;
  SmallVector<AxisList> common;
};
} // namespace

Chooser::Chooser(const ShardingProjection &projection, const Rule &rule,
                 ArrayRef<int64_t> sizes)
    : projection(projection), rule(rule), sizes(sizes),
      infos(rule.factors.size()), common(rule.factors.size()) {
  for (unsigned i = 0; i < projection.getNumTensors(); ++i) {
    if (!rule.getTensor(i).empty())
      tensors.push_back(i);
    for (const DimMapping &dim : rule.getTensor(i)) {
      hasCompound |= dim.size() > 1;
      for (auto [position, factor] : llvm::enumerate(dim)) {
        FactorInfo &info = infos[factor];
        info.unreduced.append(projection.getTensor(i).unreduced);
        info.isLimited |= position + 1 < dim.size();
        if (position > 0 &&
            !llvm::is_contained(info.predecessors, dim[position - 1]))
          info.predecessors.push_back(dim[position - 1]);
      }
    }
    for (const FactorSharding &entry : projection.getTensor(i).factors)
      hasOverflow |= !entry.overflow.empty();
  }
}

/// Returns the largest part of `axis` that the factor can have after the axes
/// `before`, without a strided view in any tensor and without axes of other
/// factors.
std::optional<AxisRef> Chooser::getFitting(unsigned factor,
                                           ArrayRef<AxisRef> before,
                                           const AxisRef &axis) const {
  const FactorInfo &info = infos[factor];
  for (unsigned predecessor : info.predecessors)
    if (getProduct(common[predecessor]) != rule.factors[predecessor].size ||
        // An axis of one device would become part of the previous factor.
        (before.empty() && axis.size == 1))
      return std::nullopt;
  std::optional<AxisRef> part = getPrefixWithoutOverlap(axis, info.unreduced);
  for (auto [other, axes] : llvm::enumerate(common))
    if (other != factor && part)
      part = getPrefixWithoutOverlap(*part, axes);
  if (!part || !info.isLimited || part->size == 1)
    return part;
  part->size =
      std::gcd(rule.factors[factor].size / getProduct(before), part->size);
  return part->size == 1 ? std::nullopt : part;
}

/// Returns the axes of `axes`, major to minor, that the factor can have, up to
/// and including the part of the first axis that does not fit completely.
AxisList Chooser::getFitting(unsigned factor, ArrayRef<AxisRef> axes) const {
  AxisList fitting;
  for (const AxisRef &axis : axes) {
    std::optional<AxisRef> part = getFitting(factor, fitting, axis);
    if (part)
      fitting.push_back(*part);
    if (part != axis)
      break;
  }
  return fitting;
}

int64_t Chooser::getNumDevices(unsigned tensor) const {
  int64_t devices = 1;
  for (const FactorSharding &entry : projection.getTensor(tensor).factors)
    devices *= getProduct(entry.axes) * getProduct(entry.overflow);
  return devices;
}

/// Takes all axes of the better one of two tensors, and then the remaining axes
/// of the other tensor.
void Chooser::takeBetterTensor() {
  auto getScore = [&](unsigned tensor) {
    bool isPermuted = llvm::any_of(
        projection.getTensor(tensor).factors, [&](const FactorSharding &entry) {
          return rule.factors[entry.factor].type == FactorType::Permutation &&
                 !entry.axes.empty();
        });
    return std::make_tuple(!isPermuted, sizes[tensor], getNumDevices(tensor));
  };
  unsigned better = tensors[0], other = tensors[1];
  if (getScore(better) < getScore(other))
    std::swap(better, other);
  for (unsigned tensor : {better, other})
    for (const FactorSharding &entry : projection.getTensor(tensor).factors)
      if (tensor == better || !hasFactor(rule.getTensor(better), entry.factor))
        common[entry.factor] = getFitting(entry.factor, entry.axes);
}

/// Takes the axes of the tensor on more devices, of two tensors. Each axis goes
/// to the first factor of its dimension that can have a part of it, and the
/// rest of the axis goes to the next factors.
void Chooser::distributeBetterTensor() {
  unsigned better = tensors[0];
  if (getNumDevices(better) < getNumDevices(tensors[1]))
    better = tensors[1];
  const TensorMapping &mapping = rule.getTensor(better);
  TensorSharding given =
      makeTensorSharding(projection.getTensor(better), mapping, rule);
  for (auto [dim, factors] : llvm::zip_equal(given.dims, mapping))
    for (std::optional<AxisRef> rest : dim.axes)
      for (unsigned factor : factors) {
        std::optional<AxisRef> part =
            rest ? getFitting(factor, common[factor], *rest) : std::nullopt;
        if (!part)
          continue;
        appendMerged(common[factor], *part);
        rest = getSuffixWithoutOverlap(*rest, *part);
      }
}

/// Returns all prefixes of the axes of factors in the tensors, without
/// duplicates.
SmallVector<Chooser::Candidate> Chooser::getCandidates() const {
  SmallVector<Candidate> candidates;
  for (unsigned tensor : tensors)
    for (const FactorSharding &entry : projection.getTensor(tensor).factors)
      for (size_t size = 1; size <= entry.axes.size(); ++size) {
        ArrayRef<AxisRef> axes = ArrayRef(entry.axes).take_front(size);
        if (llvm::none_of(candidates, [&](const Candidate &other) {
              return other.factor == entry.factor &&
                     ArrayRef<AxisRef>(other.axes) == axes;
            }))
          candidates.push_back({entry.factor, AxisList(axes)});
      }
  return candidates;
}

/// Returns the number of elements of the tensors whose axes for the factor
/// begin with the candidate's axes.
uint64_t Chooser::getElementsWith(const Candidate &candidate) const {
  uint64_t elements = 0;
  for (unsigned tensor : tensors)
    if (const FactorSharding *entry =
            projection.getTensor(tensor).find(candidate.factor);
        entry &&
        getPrefixStatus(candidate.axes, entry->axes) != PrefixStatus::NotPrefix)
      elements = llvm::SaturatingAdd<uint64_t>(elements, sizes[tensor]);
  return elements;
}

static unsigned getPrecedence(FactorType type) {
  switch (type) {
  case FactorType::PassThrough:
    return 3;
  case FactorType::Reduction:
    return 2;
  case FactorType::Permutation:
    return 1;
  case FactorType::NeedReplication:
    return 0;
  }
  llvm_unreachable("unknown type of factor");
}

static bool isBefore(ArrayRef<AxisRef> a, ArrayRef<AxisRef> b) {
  return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                      [](const AxisRef &x, const AxisRef &y) {
                                        return sharding::isBefore(x, y);
                                      });
}

/// Takes the candidate whose tensors have the most elements, until no candidate
/// extends the axes of its factor.
void Chooser::takeByElements() {
  SmallVector<Candidate> candidates = getCandidates();
  auto getScore = [&](const Candidate &candidate) {
    return std::make_tuple(getElementsWith(candidate),
                           getPrecedence(rule.factors[candidate.factor].type),
                           getProduct(candidate.axes) /
                               getProduct(common[candidate.factor]),
                           candidate.factor);
  };
  while (true) {
    Candidate best;
    decltype(getScore(best)) bestScore;
    for (const Candidate &candidate : candidates) {
      Candidate fitting{candidate.factor,
                        getFitting(candidate.factor, candidate.axes)};
      if (getPrefixStatus(common[fitting.factor], fitting.axes) !=
          PrefixStatus::StrictPrefix)
        continue;
      auto score = getScore(fitting);
      bool isBetter =
          best.axes.empty() || bestScore < score ||
          (bestScore == score && ::isBefore(best.axes, fitting.axes));
      if (!isBetter)
        continue;
      best = fitting;
      bestScore = score;
    }
    if (best.axes.empty())
      return;
    common[best.factor] = best.axes;
  }
}

/// Removes the axes of `factors`, and the axes of other factors that require
/// axes of a preceding factor.
void Chooser::clear(ArrayRef<unsigned> factors) {
  for (unsigned factor : factors)
    common[factor].clear();
  bool hasChanged = !factors.empty();
  while (hasChanged) {
    hasChanged = false;
    for (unsigned factor = 0; factor < common.size(); ++factor) {
      AxisList fitting = getFitting(factor, common[factor]);
      hasChanged |= fitting != common[factor];
      common[factor] = fitting;
    }
  }
}

/// Gives factor `other` the largest part, from the major end of `axis`, that it
/// can have in addition to its axes. Returns the rest. With `whole`, gives the
/// whole axis or nothing.
std::optional<AxisRef> Chooser::giveTo(unsigned other, const AxisRef &axis,
                                       bool whole) {
  int64_t used = getProduct(common[other]);
  if (rule.factors[other].type != FactorType::PassThrough ||
      !isBatching(other, rule) || rule.factors[other].size % used != 0)
    return axis;
  AxisRef part = axis;
  part.size = std::gcd(rule.factors[other].size / used, part.size);
  if (part.size == 1 || (whole && part != axis))
    return axis;
  std::optional<AxisRef> fitting = getFitting(other, common[other], part);
  if (!fitting || (whole && *fitting != axis))
    return axis;
  appendMerged(common[other], *fitting);
  return getSuffixWithoutOverlap(axis, *fitting);
}

/// Gives `axes`, which were chosen for a factor that needs replication, to the
/// factors that all tensors have: first whole axes, then parts of the remaining
/// axes.
void Chooser::distributeReplicated(AxisList axes) {
  for (bool whole : {true, false}) {
    AxisList left;
    for (const AxisRef &axis : axes) {
      std::optional<AxisRef> rest = axis;
      for (unsigned other = 0; other < common.size() && rest; ++other)
        rest = giveTo(other, *rest, whole);
      if (rest)
        left.push_back(*rest);
    }
    axes = left;
  }
}

SmallVector<AxisList> Chooser::choose() {
  SmallVector<unsigned> replicated;
  for (unsigned factor = 0; factor < common.size(); ++factor)
    if (needsReplication(factor, rule))
      replicated.push_back(factor);

  if (tensors.size() == 2 && replicated.empty() && !hasCompound) {
    takeBetterTensor();
    return std::move(common);
  }
  if (tensors.size() == 2 && hasOverflow)
    distributeBetterTensor();
  takeByElements();
  SmallVector<AxisList> moved;
  for (unsigned factor : replicated)
    if (isBatching(factor, rule))
      moved.push_back(common[factor]);
  clear(replicated);
  for (const AxisList &axes : moved)
    distributeReplicated(axes);
  return std::move(common);
}

SmallVector<AxisList>
sharding::getCommonAxes(const ShardingProjection &projection, const Rule &rule,
                        ArrayRef<int64_t> sizes) {
  return Chooser(projection, rule, sizes).choose();
}
