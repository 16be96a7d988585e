//===- PopIntegerRange.cpp - Ranges of integers -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopIntegerRange.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APSInt.h"

using namespace mlir;
using namespace mlir::pop;

namespace {
/// Numbers from `least` to `most`.
struct IntegerRange {
  llvm::APSInt least, most;
};
} // namespace

/// Limits are looked for through so many ops: folds have to be cheap.
static constexpr unsigned kMaxDepth = 4;

static bool isUnsigned(IntegerType type) {
  return type.isUnsigned() || type.getWidth() == 1;
}

static IntegerRange getRange(Value value, IntegerType type, unsigned depth);

/// The limits of a conjunction: its bits are some of those of each operand that
/// is not negative.
static IntegerRange getAndRange(const IntegerRange &a, const IntegerRange &b,
                                IntegerRange range) {
  for (const IntegerRange *operand : {&a, &b}) {
    if (operand->least.isNegative())
      continue;
    range.least =
        llvm::APSInt(range.least.getBitWidth(), range.least.isUnsigned());
    range.most = std::min(range.most, operand->most);
  }
  return range;
}

/// The limits of the result of an op, of which there are those of its type.
static IntegerRange getRange(Operation *op, IntegerType type,
                             IntegerRange range, unsigned depth) {
  auto of = [&](unsigned operand) {
    return getRange(op->getOperand(operand), type, depth - 1);
  };
  if (isa<MaxOp>(op)) {
    IntegerRange a = of(0), b = of(1);
    return {std::max(a.least, b.least), std::max(a.most, b.most)};
  }
  if (isa<MinOp>(op)) {
    IntegerRange a = of(0), b = of(1);
    return {std::min(a.least, b.least), std::min(a.most, b.most)};
  }
  if (isa<AndOp>(op))
    return getAndRange(of(0), of(1), range);
  if (isa<ipu::TileViewOpInterface>(op) && op->getNumOperands() == 1 &&
      getElementTypeOrSelf(op->getOperand(0).getType()) == type)
    return of(0);
  return range;
}

static IntegerRange getRange(Value value, IntegerType type, unsigned depth) {
  bool ofUnsigned = isUnsigned(type);
  DenseIntElementsAttr constant;
  if (matchPattern(value, m_Constant(&constant)) && constant.isSplat()) {
    llvm::APSInt number(constant.getSplatValue<APInt>(), ofUnsigned);
    return {number, number};
  }
  IntegerRange range{llvm::APSInt::getMinValue(type.getWidth(), ofUnsigned),
                     llvm::APSInt::getMaxValue(type.getWidth(), ofUnsigned)};
  Operation *op = value.getDefiningOp();
  return op && depth > 0 ? getRange(op, type, range, depth) : range;
}

/// The limits of both, if they are integers.
static std::optional<std::pair<IntegerRange, IntegerRange>> getRanges(Value a,
                                                                      Value b) {
  auto type = dyn_cast<IntegerType>(getElementTypeOrSelf(a.getType()));
  if (!type || type != getElementTypeOrSelf(b.getType()))
    return std::nullopt;
  return std::pair(getRange(a, type, kMaxDepth), getRange(b, type, kMaxDepth));
}

std::optional<bool> pop::detail::isLess(Value a, Value b) {
  // Of NaNs, too.
  if (a == b)
    return false;
  auto ranges = getRanges(a, b);
  if (!ranges)
    return std::nullopt;
  if (ranges->first.most < ranges->second.least)
    return true;
  if (ranges->first.least >= ranges->second.most)
    return false;
  return std::nullopt;
}

std::optional<bool> pop::detail::isAtMost(Value a, Value b) {
  if (!isa<IntegerType>(getElementTypeOrSelf(a.getType())))
    return std::nullopt;
  std::optional<bool> isMore = isLess(b, a);
  return isMore ? std::optional(!*isMore) : std::nullopt;
}

std::optional<bool> pop::detail::isEqual(Value a, Value b) {
  auto ranges = getRanges(a, b);
  if (!ranges)
    return std::nullopt;
  const auto &[first, second] = *ranges;
  if (a == b || (first.least == first.most && second.least == second.most &&
                 first.least == second.least))
    return true;
  if (first.most < second.least || second.most < first.least)
    return false;
  return std::nullopt;
}

bool pop::detail::areComplements(Value a, Value b) {
  auto isOf = [](Value complement, Value value) {
    auto op = complement.getDefiningOp<NotOp>();
    return op && op.getInput() == value;
  };
  return isOf(a, b) || isOf(b, a);
}
