//===- CanonicalizeReshards.cpp - Simplification of reshards --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: reshards. Out: the last reshard of each chain, and the first of several
// reshards of one tensor to the same sharding.
//
// Two values are the same tensor if both are derived from one value by reshapes
// and transposes that lead to the same dimensions with the same strides.
// Strides are computed for a row-major layout of that value.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/Hashing.h"
#include "llvm/Support/MathExtras.h"
#include <unordered_map>

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_CANONICALIZERESHARDSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// Part of a dimension: so many elements, so far from each other.
struct Segment {
  int64_t size;
  int64_t stride;
  bool operator==(const Segment &other) const {
    return size == other.size && stride == other.stride;
  }
};
/// Major to minor.
using Segments = SmallVector<Segment, 2>;

struct View {
  Value root;
  SmallVector<Segments, 4> dims;

  size_t getHash() const {
    llvm::hash_code hash = hash_value(root);
    for (const Segments &dim : dims)
      for (const Segment &segment : dim)
        hash = llvm::hash_combine(hash, segment.size, segment.stride);
    return hash;
  }
};
} // namespace

/// Appends a segment, as part of the last one if it continues that.
static void append(Segments &segments, Segment segment) {
  if (segment.size == 1)
    return;
  if (!segments.empty() &&
      segments.back().stride == segment.size * segment.stride)
    segments.back() = {segments.back().size * segment.size, segment.stride};
  else
    segments.push_back(segment);
}

static View getRoot(Value value) {
  View view = {value, {}};
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !type.hasStaticShape())
    return view;
  SmallVector<Segments, 4> dims(type.getRank());
  int64_t stride = 1;
  for (int64_t dim = type.getRank() - 1; dim >= 0; --dim) {
    append(dims[dim], {type.getDimSize(dim), stride});
    // Of nothing, or of too much to count, there are no views.
    if (type.getDimSize(dim) == 0 ||
        llvm::MulOverflow(stride, type.getDimSize(dim), stride))
      return view;
  }
  view.dims = dims;
  return view;
}

/// Takes `size` elements from the minor end of a dimension; none if they are no
/// whole number of segments or part of one.
static std::optional<Segments> takeMinor(Segments &dim, int64_t size) {
  Segments taken;
  while (size > 1) {
    if (dim.empty())
      return std::nullopt;
    Segment &last = dim.back();
    int64_t part = std::min(size, last.size);
    if (size % part != 0 || last.size % part != 0)
      return std::nullopt;
    taken.insert(taken.begin(), {part, last.stride});
    size /= part;
    last = {last.size / part, last.stride * part};
    if (last.size == 1)
      dim.pop_back();
  }
  return taken;
}

/// The dimensions of the result of an op that moves no element to another
/// position of its factors; none if it does something else.
static std::optional<SmallVector<Segments, 4>>
getResultDims(ArrayRef<Segments> operand, const sharding::Rule &rule) {
  SmallVector<Segments, 4> factors(rule.factors.size());
  SmallVector<bool> isKnown(rule.factors.size(), false);
  for (auto [segments, dim] : llvm::zip_equal(operand, rule.operands.front())) {
    Segments rest = segments;
    for (unsigned factor : llvm::reverse(dim)) {
      std::optional<Segments> taken =
          takeMinor(rest, rule.factors[factor].size);
      if (!taken)
        return std::nullopt;
      factors[factor] = *taken;
      isKnown[factor] = true;
    }
    if (!rest.empty())
      return std::nullopt;
  }
  SmallVector<Segments, 4> result;
  for (const sharding::DimMapping &dim : rule.results.front()) {
    Segments &segments = result.emplace_back();
    for (unsigned factor : dim) {
      if (!isKnown[factor] && rule.factors[factor].size != 1)
        return std::nullopt;
      for (const Segment &segment : factors[factor])
        append(segments, segment);
    }
  }
  return result;
}

/// An op that only arranges elements: of the class of reshapes and transposes.
static bool isArrangement(Operation *op) {
  auto interface = dyn_cast_or_null<ShardingRuleOpInterface>(op);
  return interface && op->getNumOperands() == 1 && op->getNumResults() == 1 &&
         !op->hasAttr(kShardingRuleAttrName) && isPure(op) &&
         getElementTypeOrSelf(op->getOperand(0)) ==
             getElementTypeOrSelf(op->getResult(0)) &&
         interface.getShardingClass() == sharding::OpClass::PassThrough;
}

static View getView(Value value) {
  SmallVector<Operation *> ops;
  while (isArrangement(value.getDefiningOp())) {
    ops.push_back(value.getDefiningOp());
    value = ops.back()->getOperand(0);
  }
  View view = getRoot(value);
  for (Operation *op : llvm::reverse(ops)) {
    std::optional<sharding::Rule> rule =
        getShardingRule(op, /*conservative=*/false);
    std::optional<SmallVector<Segments, 4>> dims;
    if (rule && rule->operands.front().size() == view.dims.size())
      dims = getResultDims(view.dims, *rule);
    if (dims)
      view.dims = *dims;
    else
      view = getRoot(op->getResult(0));
  }
  return view;
}

/// Of equal reshards in one block leaves the first. Returns whether there were
/// any.
static bool mergeEqualReshards(Block &block) {
  struct Known {
    View view;
    ReshardOp op;
  };
  std::unordered_multimap<size_t, Known> known;
  bool hasChanged = false;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    for (Region &region : op.getRegions())
      for (Block &inner : region)
        hasChanged |= mergeEqualReshards(inner);
    auto reshard = dyn_cast<ReshardOp>(op);
    if (!reshard)
      continue;
    View view = getView(reshard.getInput());
    size_t hash = view.getHash();
    auto [begin, end] = known.equal_range(hash);
    auto it = std::find_if(begin, end, [&](auto &entry) {
      Known &other = entry.second;
      return other.view.root == view.root && other.view.dims == view.dims &&
             other.op.getType() == reshard.getType() &&
             other.op.getSharding() == reshard.getSharding();
    });
    if (it == end) {
      known.emplace(hash, Known{view, reshard});
      continue;
    }
    reshard.getResult().replaceAllUsesWith(it->second.op.getResult());
    reshard.erase();
    hasChanged = true;
  }
  return hasChanged;
}

namespace {
struct CanonicalizeReshardsPass
    : sdy::impl::CanonicalizeReshardsPassBase<CanonicalizeReshardsPass> {
  using CanonicalizeReshardsPassBase::CanonicalizeReshardsPassBase;
  /// Returns whether there were any.
  bool foldChains() {
    // Not by the rewrite driver: unused reshards stay.
    SmallVector<ReshardOp> reshards;
    getOperation().walk([&](ReshardOp op) { reshards.push_back(op); });
    PatternRewriter rewriter(&getContext());
    bool hasChanged = false;
    for (ReshardOp op : reshards) {
      rewriter.setInsertionPoint(op);
      hasChanged |= succeeded(ReshardOp::canonicalize(op, rewriter));
    }
    return hasChanged;
  }
  void runOnOperation() override {
    bool hasChanged = foldChains();
    // Of two equal ones that are merged the one before may be left with one
    // use, and what is folded then may be equal to others.
    while (mergeEqualReshards(*getOperation().getBody())) {
      hasChanged = true;
      if (!foldChains())
        break;
    }
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
