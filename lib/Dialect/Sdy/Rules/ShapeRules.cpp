//===- ShapeRules.cpp - Rules that ops of several dialects have -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors and their types are those of the corresponding StableHLO op in
// Shardy's registry.
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "ipu-mlir/Sharding/ReshapeFactors.h"

using namespace mlir;
using namespace mlir::ipu;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::Rule;

/// The dimension of `operand` that broadcasts to dimension `dim` of `shape`, or
/// kNoDim if it is repeated there.
static int64_t getBroadcastDim(ArrayRef<int64_t> operand,
                               ArrayRef<int64_t> shape, int64_t dim) {
  int64_t from = dim + static_cast<int64_t>(operand.size()) -
                 static_cast<int64_t>(shape.size());
  return from >= 0 && operand[from] == shape[dim] ? from : kNoDim;
}

Rule sdy::getBroadcastRule(Operation *op) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> out = getTensorShape(op->getResult(0));
  for (auto [i, size] : llvm::enumerate(out)) {
    auto dim = static_cast<int64_t>(i);
    builder.addFactor(llvm::map_to_vector(op->getOperands(),
                                          [&](Value operand) {
                                            return getBroadcastDim(
                                                getTensorShape(operand), out,
                                                dim);
                                          }),
                      SmallVector<int64_t>(op->getNumResults(), dim), size);
  }
  return builder.build();
}

Rule sdy::getTransposeRule(Operation *op, ArrayRef<int64_t> permutation) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> out = getTensorShape(op->getResult(0));
  for (auto [dim, from] : llvm::enumerate(permutation))
    builder.addFactor({from}, {static_cast<int64_t>(dim)}, out[dim]);
  return builder.build();
}

std::optional<Rule> sdy::getReshapeRule(Operation *op) {
  std::optional<Rule> rule = sharding::getReshapeRule(
      getTensorShape(op->getOperand(0)), getTensorShape(op->getResult(0)));
  if (!rule)
    return std::nullopt;
  // Operands that give the shape.
  for (Value operand : op->getOperands().drop_front()) {
    sharding::TensorMapping &mapping = rule->operands.emplace_back();
    for (size_t dim = 0; dim < getTensorShape(operand).size(); ++dim) {
      mapping.push_back({static_cast<unsigned>(rule->factors.size())});
      rule->factors.emplace_back();
    }
  }
  return rule;
}

/// Whether all values are slices, or all are one value or slices of it.
static bool areSlices(ValueRange values, function_ref<Value(Value)> getSource) {
  auto isSlice = [&](Value value) { return getSource(value) != value; };
  return llvm::all_of(values, isSlice) ||
         llvm::all_of(values, [&](Value value) {
           return getSource(value) == getSource(values.front());
         });
}

Rule sdy::getConcatRule(Operation *op, int64_t axis, bool conservative,
                        function_ref<Value(Value)> getSource) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op->getResult(0)))) {
    auto dim = static_cast<int64_t>(i);
    if (dim != axis)
      builder.addFactor(dim, size);
    else if (!conservative)
      builder.addFactor(dim, size,
                        areSlices(op->getOperands(), getSource)
                            ? FactorType::Permutation
                            : FactorType::NeedReplication);
  }
  return builder.build();
}

Rule sdy::getMixedRule(Operation *op, FactorType special,
                       function_ref<bool(int64_t dim)> isSpecial,
                       bool blocked) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op->getOperand(0)))) {
    auto dim = static_cast<int64_t>(i);
    dims[0] = dim;
    if (isSpecial(dim))
      builder.addFactor(dims, {dim}, size, special, blocked);
    else
      builder.addFactor(dims, {dim}, size);
  }
  return builder.build();
}

Rule sdy::getResizeRule(Operation *op, bool conservative) {
  ArrayRef<int64_t> in = getTensorShape(op->getOperand(0));
  ArrayRef<int64_t> out = getTensorShape(op->getResult(0));
  return getMixedRule(
      op, FactorType::Permutation,
      [&](int64_t dim) { return in[dim] != out[dim]; }, conservative);
}

Rule sdy::getWindowRule(Operation *op, bool conservative,
                        function_ref<bool(int64_t dim)> isMoved) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op->getResult(0)))) {
    auto dim = static_cast<int64_t>(i);
    dims[0] = dim;
    bool moved = isMoved(dim);
    builder.addFactor(dims, {dim}, size,
                      moved ? FactorType::Permutation : FactorType::PassThrough,
                      conservative && moved);
  }
  return builder.build();
}

SmallVector<sdy::SpatialFactor, 2>
sdy::getSpatialFactors(int64_t in, int64_t kernel, int64_t out) {
  SmallVector<SpatialFactor, 2> factors;
  int64_t rest = in;
  auto add = [&](bool isWindows) {
    int64_t size = std::min(rest, isWindows ? out : kernel);
    if (size <= 1)
      return;
    rest /= size;
    factors.push_back({size, isWindows});
  };
  bool areWindowsFirst = out >= kernel;
  add(areWindowsFirst);
  add(!areWindowsFirst);
  return factors;
}

Rule sdy::getReduceRule(Operation *op, ArrayRef<int64_t> axes, bool keepsDims) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  int64_t next = 0;
  for (auto [i, size] : llvm::enumerate(getTensorShape(op->getOperand(0)))) {
    auto dim = static_cast<int64_t>(i);
    bool isReduced = llvm::is_contained(axes, dim);
    builder.addFactor({dim}, {isReduced ? kNoDim : next}, size,
                      isReduced ? FactorType::Reduction
                                : FactorType::PassThrough);
    next += !isReduced || keepsDims;
  }
  return builder.build();
}

Rule sdy::getMatmulRule(Operation *op, std::optional<unsigned> acc) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> lhs = getTensorShape(op->getOperand(0));
  ArrayRef<int64_t> rhs = getTensorShape(op->getOperand(1));
  ArrayRef<int64_t> out = getTensorShape(op->getResult(0));
  int64_t l = lhs.size() - 2, r = rhs.size() - 2, o = out.size() - 2;
  auto add = [&](int64_t lhsDim, int64_t rhsDim, int64_t outDim, int64_t size,
                 FactorType type = FactorType::PassThrough) {
    SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
    dims[0] = lhsDim;
    dims[1] = rhsDim;
    if (acc)
      dims[*acc] = outDim;
    builder.addFactor(dims, {outDim}, size, type);
  };
  ArrayRef<int64_t> batch = out.drop_back(2);
  for (int64_t dim = 0; dim < o; ++dim)
    add(getBroadcastDim(lhs.drop_back(2), batch, dim),
        getBroadcastDim(rhs.drop_back(2), batch, dim), dim, batch[dim]);
  add(l, kNoDim, o, lhs[l]);
  add(kNoDim, r + 1, o + 1, rhs[r + 1]);
  add(l + 1, r, kNoDim, rhs[r], FactorType::Reduction);
  return builder.build();
}
