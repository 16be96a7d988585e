//===- PopRandomOps.cpp - Random tensors ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include <cmath>

using namespace mlir;
using namespace mlir::pop;

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopRandomOps.cpp.inc"

void PopDialect::registerRandomOps() {
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopRandomOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// Draws of stochastic rounding
//===----------------------------------------------------------------------===//

LogicalResult DrawAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                               int64_t number, int64_t part, int64_t offset) {
  // c1
  if (number < 0 || number > kMaxNumber)
    return emitError() << "expects the number of a draw to be from 0 to "
                       << kMaxNumber << " but got " << number;
  // c2
  if (part < 0 || part >= kMaxParts)
    return emitError() << "expects the part of a draw to be from 0 to "
                       << kMaxParts - 1 << " but got " << part;
  // c3
  if (!llvm::isInt<32>(offset))
    return emitError() << "expects the offset of a draw to be from "
                       << llvm::minIntN(32) << " to " << llvm::maxIntN(32)
                       << " but got " << offset;
  return success();
}

//===----------------------------------------------------------------------===//
// Uniform
//===----------------------------------------------------------------------===//

/// Whether rounding to `type` leaves a finite number.
static bool isFiniteIn(Type type, APFloat value) {
  bool losesInfo;
  value.convert(cast<FloatType>(type).getFloatSemantics(),
                APFloat::rmNearestTiesToEven, &losesInfo);
  return value.isFinite();
}

// c2
static LogicalResult verifyFloats(RandomUniformOp op, FloatType element) {
  Type compute = getComputeType(element);
  for (const auto &[name, value] :
       {std::pair("low", op.getLow()), std::pair("high", op.getHigh())})
    if (!isFiniteIn(compute, value) || !isFiniteIn(element, value))
      return op.emitOpError()
             << "expects `" << name << "` to be finite in " << element
             << " but got " << value.convertToDouble();
  APFloat range = op.getHigh();
  range.subtract(op.getLow(), APFloat::rmNearestTiesToEven);
  if (!isFiniteIn(compute, range))
    return op.emitOpError()
           << "expects `high` - `low` to be finite in " << compute
           << " but got " << op.getHigh().convertToDouble() << " - "
           << op.getLow().convertToDouble();
  return success();
}

/// Whether `value` is an integer of the pop type `type`.
static bool isValueOf(IntegerType type, double value) {
  double end = std::ldexp(1.0, type.getWidth() - !type.isUnsigned());
  return value == std::floor(value) && value < end &&
         value >= (type.isUnsigned() ? 0.0 : -end);
}

// c3
static LogicalResult verifyIntegers(RandomUniformOp op, IntegerType element) {
  double low = op.getLow().convertToDouble();
  double high = op.getHigh().convertToDouble();
  for (const auto &[name, value] :
       {std::pair("low", low), std::pair("high", high)})
    if (!isValueOf(element, value))
      return op.emitOpError() << "expects `" << name << "` to be a value of "
                              << element << " but got " << value;
  if (high - low >= std::ldexp(1.0, 32))
    return op.emitOpError()
           << "expects at most 2^32 values from `low` to `high` but got " << low
           << " and " << high;
  return success();
}

LogicalResult RandomUniformOp::verify() {
  double low = getLow().convertToDouble(), high = getHigh().convertToDouble();
  // c1
  if (!std::isfinite(low) || !std::isfinite(high))
    return emitOpError() << "expects `low` and `high` to be finite but got "
                         << low << " and " << high;
  if (low > high)
    return emitOpError() << "expects `low` to be at most `high` but got " << low
                         << " and " << high;
  Type element = getType().getElementType();
  if (auto integer = dyn_cast<IntegerType>(element))
    return verifyIntegers(*this, integer);
  return verifyFloats(*this, cast<FloatType>(element));
}

//===----------------------------------------------------------------------===//
// Normal and bernoulli
//===----------------------------------------------------------------------===//

LogicalResult RandomNormalOp::verify() {
  double mean = getMean().convertToDouble();
  double deviation = getStdDev().convertToDouble();
  // c1
  if (!std::isfinite(mean) || !std::isfinite(deviation))
    return emitOpError() << "expects `mean` and `std_dev` to be finite but got "
                         << mean << " and " << deviation;
  if (deviation < 0)
    return emitOpError() << "expects `std_dev` of at least 0 but got "
                         << deviation;
  return success();
}

LogicalResult RandomBernoulliOp::verify() {
  double p = getP().convertToDouble();
  // c1; false for NaN
  if (p >= 0 && p <= 1)
    return success();
  return emitOpError() << "expects `p` from 0 to 1 but got " << p;
}

/// A constant if all elements are 0 or all are 1.
OpFoldResult RandomBernoulliOp::fold(FoldAdaptor) {
  double p = getP().convertToDouble();
  RankedTensorType type = getType();
  if ((p != 0 && p != 1) || type.getNumElements() == 0)
    return {};
  Type element = type.getElementType();
  if (isa<FloatType>(element))
    return DenseElementsAttr::get(type, FloatAttr::get(element, p));
  APInt value(element.getIntOrFloatBitWidth(), p == 1);
  return DenseElementsAttr::get(type, IntegerAttr::get(element, value));
}

//===----------------------------------------------------------------------===//
// Dropout and seeds
//===----------------------------------------------------------------------===//

LogicalResult DropoutOp::verify() {
  double ratio = getRatio().convertToDouble();
  // c1; false for NaN
  if (ratio >= 0 && ratio < 1)
    return success();
  return emitOpError() << "expects `ratio` of at least 0 and below 1 but got "
                       << ratio;
}

/// Nothing is dropped, and x * 1 is x.
OpFoldResult DropoutOp::fold(FoldAdaptor) {
  return getRatio().isZero() ? getInput() : OpFoldResult();
}

// c1
LogicalResult AdvanceDrawsOp::verify() {
  int64_t maxCount = std::numeric_limits<int32_t>::max(), count = getCount();
  if (count < -maxCount || count > maxCount)
    return emitOpError() << "expects a count from " << -maxCount << " to "
                         << maxCount << " but got " << count;
  int64_t limit = DrawAttr::kMaxNumber, shift = getShift();
  if (shift < -limit || shift > limit)
    return emitOpError() << "expects a shift from " << -limit << " to " << limit
                         << " but got " << shift;
  return success();
}

LogicalResult SplitSeedOp::verify() {
  RankedTensorType type = getType();
  // c1
  if (type.getRank() == 2 && type.getDimSize(1) == 2 &&
      type.getElementType().isUnsignedInteger(32))
    return success();
  return emitOpError() << "expects a result of type tensor<nx2xui32> but got "
                       << type;
}
