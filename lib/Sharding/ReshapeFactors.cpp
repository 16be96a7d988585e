//===- ReshapeFactors.cpp - The rule of a reshape -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/ReshapeFactors.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace {
/// One side of a reshape: the current dimension and the factors made so far.
struct Side {
  Side(ArrayRef<int64_t> shape, TensorMapping &mapping)
      : shape(shape), mapping(mapping) {
    mapping.resize(shape.size());
  }

  bool isDone() const { return dim == shape.size(); }
  /// Returns the size of the part of the current dimension for which no factor
  /// was made.
  int64_t getNext() const { return dims / factors; }
  void enter() {
    if (dims == factors && !isDone())
      dims *= shape[dim];
  }
  void add(unsigned factor, int64_t size) {
    mapping[dim].push_back(factor);
    factors *= size;
    if (factors == dims)
      ++dim;
  }

  ArrayRef<int64_t> shape;
  TensorMapping &mapping;
  size_t dim = 0;
  /// The product of the dimensions up to the current one, and the product of
  /// the factors made.
  int64_t dims = 1;
  int64_t factors = 1;
};
} // namespace

/// Returns whether the number of elements is positive and fits 63 bits.
static bool isCountable(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  return llvm::all_of(shape, [&](int64_t dim) {
    return dim > 0 && !llvm::MulOverflow(size, dim, size);
  });
}

std::optional<Rule>
mlir::ipu::sharding::getReshapeRule(ArrayRef<int64_t> input,
                                    ArrayRef<int64_t> output) {
  if (!isCountable(input) || !isCountable(output))
    return std::nullopt;
  Rule rule;
  rule.operands.emplace_back();
  rule.results.emplace_back();
  Side in(input, rule.operands[0]), out(output, rule.results[0]);
  auto addFactor = [&](int64_t size, ArrayRef<Side *> sides) {
    unsigned factor = rule.factors.size();
    rule.factors.push_back(Factor{size});
    for (Side *side : sides)
      side->add(factor, size);
  };
  auto addUnit = [&](Side &side) {
    if (side.isDone() || side.dims != side.factors || side.shape[side.dim] != 1)
      return false;
    addFactor(1, {&side});
    return true;
  };
  // The factors of side `less` have a smaller product than the factors of side
  // `more`. If a private factor of `less` makes the products equal, adds this
  // factor.
  auto catchUp = [&](Side &less, Side &more, int64_t common) {
    int64_t next = less.getNext();
    int64_t gap =
        more.factors % less.factors == 0 ? more.factors / less.factors : 0;
    if (gap && next % gap == 0)
      addFactor(gap, {&less});
    else
      addFactor(next > common ? next / common : next, {&less});
  };
  while (!in.isDone() || !out.isDone()) {
    if (addUnit(in) || addUnit(out))
      continue;
    in.enter();
    out.enter();
    int64_t nextIn = in.getNext(), nextOut = out.getNext();
    int64_t common = std::gcd(nextIn, nextOut);
    if (in.isDone() || out.isDone()) {
      Side &side = in.isDone() ? out : in;
      addFactor(side.getNext(), {&side});
    } else if (in.factors == out.factors) {
      if (common > 1) {
        addFactor(common, {&in, &out});
      } else {
        addFactor(nextIn, {&in});
        addFactor(nextOut, {&out});
      }
    } else if (in.factors < out.factors) {
      catchUp(in, out, common);
    } else {
      catchUp(out, in, common);
    }
  }
  return rule;
}
