//===- CountedDims.cpp - Dimensions of counted values -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CountedDims.h"

#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/APSInt.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::stablehlo;

namespace {
class Counter {
public:
  std::optional<int64_t> getDim(Value value);

private:
  std::optional<int64_t> getDim(ReshapeOp op);
  std::optional<int64_t> getDim(BroadcastInDimOp op);
  std::optional<int64_t> getDim(SliceOp op);
  std::optional<int64_t> getDim(ClampOp op);
  std::optional<int64_t> getDim(SelectOp op);

  /// Ops that may still be looked at: selects have two ways to go.
  unsigned budget = 64;
};
} // namespace

/// The number that all elements of a constant integer tensor are.
static std::optional<APSInt> getSplat(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<BroadcastInDimOp, ReshapeOp>(op))
      break;
    value = op->getOperand(0);
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<IntegerType>(type.getElementType()))
    return std::nullopt;
  Attribute attr;
  if (auto constant = value.getDefiningOp<sdy::ConstantOp>())
    attr = constant.getValue();
  else
    matchPattern(value, m_Constant(&attr));
  auto elements = dyn_cast_or_null<DenseElementsAttr>(attr);
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return APSInt(elements.getSplatValue<APInt>(),
                type.getElementType().isUnsignedInteger());
}

/// Whether the coordinates 0, ..., size - 1 are numbers of the element type.
static bool canCount(Type type, int64_t size) {
  auto element = dyn_cast<IntegerType>(cast<ShapedType>(type).getElementType());
  if (!element)
    return false;
  unsigned bits = element.getWidth() - (element.isUnsigned() ? 0 : 1);
  return bits >= 63 || size <= (int64_t(1) << bits);
}

std::optional<int64_t> Counter::getDim(ReshapeOp op) {
  std::optional<int64_t> from = getDim(op.getOperand());
  if (!from)
    return std::nullopt;
  ArrayRef<int64_t> in = getTensorShape(op.getOperand());
  ArrayRef<int64_t> out = op.getType().getShape();
  int64_t before = 1, product = 1;
  for (int64_t size : in.take_front(*from))
    before *= size;
  for (auto [dim, size] : llvm::enumerate(out)) {
    if (product == before && size == in[*from])
      return dim;
    product *= size;
  }
  return std::nullopt;
}

std::optional<int64_t> Counter::getDim(BroadcastInDimOp op) {
  // The dimension has more than one element, so it is not repeated.
  std::optional<int64_t> from = getDim(op.getOperand());
  return from ? std::optional<int64_t>(op.getBroadcastDimensions()[*from])
              : std::nullopt;
}

std::optional<int64_t> Counter::getDim(SliceOp op) {
  std::optional<int64_t> dim = getDim(op.getOperand());
  return dim && op.getStartIndices()[*dim] == 0 && op.getStrides()[*dim] == 1
             ? dim
             : std::nullopt;
}

std::optional<int64_t> Counter::getDim(ClampOp op) {
  std::optional<int64_t> dim = getDim(op.getOperand());
  std::optional<APSInt> min = getSplat(op.getMin()),
                        max = getSplat(op.getMax());
  if (!dim || !min || !max)
    return std::nullopt;
  int64_t last = op.getType().getDimSize(*dim) - 1;
  bool isUnchanged = APSInt::compareValues(*min, APSInt::get(0)) <= 0 &&
                     APSInt::compareValues(*max, APSInt::get(last)) >= 0;
  return isUnchanged ? dim : std::nullopt;
}

std::optional<int64_t> Counter::getDim(SelectOp op) {
  // As where negative indices count from the end.
  auto compare = op.getPred().getDefiningOp<CompareOp>();
  if (!compare || !getDim(compare.getLhs()))
    return std::nullopt;
  std::optional<APSInt> bound = getSplat(compare.getRhs());
  if (!bound || !bound->isZero())
    return std::nullopt;
  switch (compare.getComparisonDirection()) {
  case ComparisonDirection::LT:
    return getDim(op.getOnFalse());
  case ComparisonDirection::GE:
    return getDim(op.getOnTrue());
  default:
    return std::nullopt;
  }
}

std::optional<int64_t> Counter::getDim(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  Operation *op = value.getDefiningOp();
  if (!op || !type || !type.hasStaticShape() || budget == 0)
    return std::nullopt;
  --budget;
  auto dim =
      llvm::TypeSwitch<Operation *, std::optional<int64_t>>(op)
          .Case([&](IotaOp iota) {
            return static_cast<int64_t>(iota.getIotaDimension());
          })
          .Case<ReshapeOp, BroadcastInDimOp, SliceOp, ClampOp, SelectOp>(
              [&](auto op) { return getDim(op); })
          .Case([&](ConvertOp convert) { return getDim(convert.getOperand()); })
          .Case([&](TransposeOp transpose) {
            std::optional<int64_t> from = getDim(transpose.getOperand());
            return from ? std::optional<int64_t>(
                              llvm::find(transpose.getPermutation(), *from) -
                              transpose.getPermutation().begin())
                        : std::nullopt;
          })
          .Default([](Operation *) { return std::nullopt; });
  if (!dim || type.getDimSize(*dim) <= 1 ||
      !canCount(type, type.getDimSize(*dim)))
    return std::nullopt;
  return dim;
}

std::optional<int64_t> sdy::getCountedDim(Value value) {
  return Counter().getDim(value);
}
