//===- PopInPlaceOps.cpp - Ops on refs --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::pop;

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/Pop/IR/PopInPlaceOps.cpp.inc"

void PopDialect::registerInPlaceOps() {
  addOperations<
#define GET_OP_LIST
#include "ipu-mlir/Dialect/Pop/IR/PopInPlaceOps.cpp.inc"
      >();
}

//===----------------------------------------------------------------------===//
// What ops share
//===----------------------------------------------------------------------===//

LogicalResult pop::detail::verifyBroadcast(Operation *op, Value value,
                                           RefType target) {
  ArrayRef<int64_t> from = cast<ShapedType>(value.getType()).getShape();
  ArrayRef<int64_t> to = target.getShape();
  // c2
  FailureOr<SmallVector<int64_t>> shape =
      broadcastShapes({std::nullopt, op->getName().getStringRef()}, from, to);
  if (failed(shape) || ArrayRef(*shape) != to)
    return op->emitOpError()
           << "expects `value` of a shape that broadcasts to [" << to
           << "] but got [" << from << "]";
  return success();
}

FailureOr<SmallVector<Value>>
pop::detail::decomposeInPlace(InPlaceOpInterface op, OpBuilder &b) {
  auto current = ReadOp::create(b, op.getLoc(), op.getTarget());
  Value value = op.buildValue(b, current);
  CopyInPlaceOp::create(b, op.getLoc(), op.getTarget(), value);
  if (current->use_empty())
    current->erase();
  return SmallVector<Value>();
}

Value ZeroInPlaceOp::buildValue(OpBuilder &builder, Value) {
  RefType type = getTarget().getType();
  return pop::detail::buildSplat(builder, getLoc(), type.getShape(),
                                 builder.getZeroAttr(type.getElementType()));
}

namespace {
/// Builds arithmetic in the type that elements of a ref are computed in.
struct Arithmetic {
  Arithmetic(OpBuilder &b, Location loc, RefType target)
      : b(b), loc(loc), elementType(target.getElementType()),
        computeType(cast<FloatType>(getComputeType(elementType))) {}

  Value widen(Value value) const {
    return pop::detail::buildCast(b, loc, value, computeType);
  }
  Value round(Value value) const {
    return pop::detail::buildCast(b, loc, value, elementType);
  }
  Value constant(const APFloat &value) const {
    return pop::detail::buildSplat(b, loc, {},
                                   FloatAttr::get(computeType, value));
  }
  Value one() const { return constant(convert(APFloat(1.0))); }

  APFloat convert(APFloat value) const {
    bool losesInfo;
    value.convert(computeType.getFloatSemantics(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return value;
  }

  Value add(Value x, Value y) const { return AddOp::create(b, loc, x, y); }
  Value sub(Value x, Value y) const { return SubOp::create(b, loc, x, y); }
  Value mul(Value x, Value y) const { return MulOp::create(b, loc, x, y); }
  Value div(Value x, Value y) const { return DivOp::create(b, loc, x, y); }
  /// `x * factor`, which for 1 is `x` itself, to the bit.
  Value scale(Value x, Value tensor, const APFloat &factor) const {
    if (tensor)
      return mul(x, widen(tensor));
    return factor.isExactlyValue(1.0) ? x : mul(x, constant(convert(factor)));
  }

  OpBuilder &b;
  Location loc;
  Type elementType;
  FloatType computeType;
};
} // namespace

//===----------------------------------------------------------------------===//
// DynamicUpdateInPlaceOp
//===----------------------------------------------------------------------===//

LogicalResult DynamicUpdateInPlaceOp::verify() {
  return pop::detail::checkUpdate({getLoc(), getOperationName()},
                                  getTarget().getType(), getUpdate().getType(),
                                  getStart().getType(), getAxes());
}

Value DynamicUpdateInPlaceOp::buildValue(OpBuilder &builder, Value current) {
  return DynamicUpdateOp::create(builder, getLoc(), current.getType(), current,
                                 getUpdate(), getStart(), getAxes());
}

//===----------------------------------------------------------------------===//
// ScaledAddInPlaceOp
//===----------------------------------------------------------------------===//

LogicalResult ScaledAddInPlaceOp::verify() {
  if (failed(pop::detail::verifyBroadcast(*this, getValue(),
                                          getTarget().getType())))
    return failure();
  // c3
  if ((getScaleA() != nullptr) != (getScaleB() != nullptr))
    return emitOpError()
           << "expects `scale_a` and `scale_b` together but got only `"
           << (getScaleA() ? "scale_a" : "scale_b") << "`";
  if (getScaleA() &&
      (!getA().isExactlyValue(1.0) || !getB().isExactlyValue(1.0)))
    return emitOpError()
           << "expects no `a` and `b` beside `scale_a` and `scale_b` but got "
           << getAAttr() << " and " << getBAttr();
  return success();
}

Value ScaledAddInPlaceOp::buildValue(OpBuilder &builder, Value current) {
  Arithmetic on(builder, getLoc(), getTarget().getType());
  Value x = on.scale(on.widen(current), getScaleA(), getA());
  Value y = on.scale(on.widen(getValue()), getScaleB(), getB());
  return on.round(on.add(x, y));
}

//===----------------------------------------------------------------------===//
// AccumulateInPlaceOp
//===----------------------------------------------------------------------===//

LogicalResult AccumulateInPlaceOp::verify() {
  RefType target = getTarget().getType();
  RankedTensorType value = getValue().getType();
  // c1
  if (value.getShape() != target.getShape())
    return emitOpError() << "expects `value` of shape [" << target.getShape()
                         << "] but got [" << value.getShape() << "]";
  if (!isAccumulatorType(value.getElementType(), target.getElementType()))
    return emitOpError()
           << "expects `value` of elements that are accumulated in "
           << target.getElementType() << " but got " << value.getElementType();
  // c2
  bool isMean = getKind() == AccumulateKind::Mean;
  if (isMean != (getStep() != nullptr))
    return emitOpError() << "expects " << (isMean ? "a" : "no")
                         << " `step` for `"
                         << stringifyAccumulateKind(getKind()) << "`";
  bool hasFactor = !getFactor().isExactlyValue(1.0);
  if (isMean && (getFactorTensor() || hasFactor))
    return emitOpError() << "expects no `factor` for `mean`";
  // c3
  if (getFactorTensor() && hasFactor)
    return emitOpError()
           << "expects one `factor` but got a tensor and the attribute "
           << getFactorAttr();
  return success();
}

/// `f * r + (1 - f) * x`.
static Value buildMovingAverage(AccumulateInPlaceOp op, const Arithmetic &on,
                                Value r, Value x) {
  Value factor, rest;
  if (Value tensor = op.getFactorTensor()) {
    factor = on.widen(tensor);
    rest = on.sub(on.one(), factor);
  } else {
    APFloat value = on.convert(op.getFactor());
    factor = on.constant(value);
    rest = on.constant(on.convert(APFloat(1.0)) - value);
  }
  Value old = on.mul(r, factor);
  return on.add(old, on.mul(x, rest));
}

Value AccumulateInPlaceOp::buildValue(OpBuilder &builder, Value current) {
  Arithmetic on(builder, getLoc(), getTarget().getType());
  Value r = on.widen(current), x = on.widen(getValue());
  auto scale = [&](Value value) {
    return on.scale(value, getFactorTensor(), getFactor());
  };
  switch (getKind()) {
  case AccumulateKind::Add:
    r = on.add(r, scale(x));
    break;
  case AccumulateKind::Square:
    r = on.add(r, scale(on.mul(x, x)));
    break;
  case AccumulateKind::Mean: {
    Value step = on.widen(getStep()), one = on.one();
    Value next = on.add(step, one);
    Value old = on.mul(r, on.div(step, next));
    r = on.add(old, on.mul(x, on.div(one, next)));
    break;
  }
  case AccumulateKind::MovingAverage:
    r = buildMovingAverage(*this, on, r, x);
    break;
  case AccumulateKind::MovingAverageSquare:
    r = buildMovingAverage(*this, on, r, on.mul(x, x));
    break;
  case AccumulateKind::Infinity: {
    Value old = scale(r);
    r = MaxOp::create(builder, getLoc(), old,
                      AbsOp::create(builder, getLoc(), x));
    break;
  }
  }
  return on.round(r);
}
