//===- PopInPlaceOps.cpp - Ops on refs --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopAccumulation.h"
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
  return PopBuilder(builder, getLoc())
      .zeros(getTarget().getType().getTensorType());
}

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
    return emitOpError() << "expects no `a` and `b` together with `scale_a` "
                            "and `scale_b` but got "
                         << getAAttr() << " and " << getBAttr();
  return success();
}

Value ScaledAddInPlaceOp::buildValue(OpBuilder &builder, Value current) {
  PopBuilder b(builder, getLoc());
  Type type = getTarget().getType().getElementType();
  Type wide = getComputeType(type);
  Value x =
      pop::detail::buildScaled(b, b.cast(current, wide), getScaleA(), getA());
  Value y = pop::detail::buildScaled(b, b.cast(getValue(), wide), getScaleB(),
                                     getB());
  return b.cast(b.add(x, y), type);
}

//===----------------------------------------------------------------------===//
// AccumulateInPlaceOp
//===----------------------------------------------------------------------===//

LogicalResult AccumulateInPlaceOp::verify() {
  RefType target = getTarget().getType();
  // c1, c2, c3
  return pop::detail::verifyAccumulation(*this, target.getTensorType());
}

Value AccumulateInPlaceOp::buildValue(OpBuilder &builder, Value current) {
  return AccumulateOp::create(builder, getLoc(), current.getType(),
                              getKindAttr(), current, getValue(),
                              getFactorTensor(), getStep(), getFactorAttr());
}
