//===- CollectiveGradients.cpp - Gradients across replicas ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The function to differentiate is the sum of the losses of all replicas, and
// the operand of each replica is a separate variable of this function.
// Therefore the gradients of collectives are collectives.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::pop;
using ipu::CollectiveOperator;
using pop::detail::getTypeOf;

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

static Value buildAllReduce(GradientBuilder &b, CollectiveOperator kind,
                            Value x, ReplicaGroupsAttr groups) {
  return b.create<AllReduceOp>(kind, x, groups);
}

/// Adds the gradient of a maximum or minimum `y` of the values `x` of a group
/// to that of `operand`; `sum` is the sum of the gradients of `y`. Equal values
/// share it equally.
static void addOfExtremum(GradientBuilder &b, Value operand, Value y, Value sum,
                          ReplicaGroupsAttr groups) {
  Value isEqual = b.equal(b.getForward(operand), y);
  Value wide = b.widen(sum);
  Value count =
      buildAllReduce(b, CollectiveOperator::Add,
                     b.cast(isEqual, getTypeOf(wide).getElementType()), groups);
  b.addGradient(operand, b.mask(isEqual, b.div(wide, count)));
}

/// 2 * x * sum
static void addOfSquares(GradientBuilder &b, Value operand, Value sum) {
  Value wide = b.widen(sum), x = b.widen(b.getForward(operand));
  Value twice = b.mul(x, b.splatLike(2.0, x));
  b.addGradient(operand, b.mul(twice, wide));
}

/// An error of `op`, which has no gradient with its `kind`.
template <typename OpT>
static LogicalResult emitNoGradient(OpT op) {
  return op.emitOpError() << "has no gradient for kind `"
                          << ipu::stringifyCollectiveOperator(op.getKind())
                          << "`";
}

LogicalResult AllReduceOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  auto build = [&](CollectiveOperator kind) {
    return buildAllReduce(b, kind, dy, getGroupsAttr());
  };
  switch (getKind()) {
  case CollectiveOperator::Add:
  case CollectiveOperator::Mean:
    b.addGradient(getInput(), build(getKind()));
    return success();
  case CollectiveOperator::Local:
    b.addGradient(getInput(), dy);
    return success();
  case CollectiveOperator::SquareAdd:
    addOfSquares(b, getInput(), build(CollectiveOperator::Add));
    return success();
  case CollectiveOperator::Max:
  case CollectiveOperator::Min: {
    Value y = b.getForward(getResult());
    addOfExtremum(b, getInput(), y, build(CollectiveOperator::Add),
                  getGroupsAttr());
    return success();
  }
  default:
    return emitNoGradient(*this);
  }
}

//===----------------------------------------------------------------------===//
// Parts
//===----------------------------------------------------------------------===//

/// The one of `numbers` whose position is the index of the replica in its
/// group, as a tensor of one element; 0 if there are fewer numbers than
/// replicas.
static Value buildOfReplica(GradientBuilder &b, ArrayRef<int64_t> numbers,
                            ReplicaGroupsAttr groups) {
  unsigned width = llvm::all_of(numbers, llvm::isInt<32>) ? 32 : 64;
  auto type = RankedTensorType::get(static_cast<int64_t>(numbers.size()),
                                    b.getIntegerType(width));
  SmallVector<APInt> values;
  for (int64_t number : numbers)
    values.emplace_back(width, number);
  Value all = b.constant(DenseElementsAttr::get(type, values));
  return b.create<ReplicaSliceOp>(type.clone({1}), all,
                                  /*axis=*/0, groups);
}

/// `x` on replicas whose flag is 1, else 0; the flag of replicas that have none
/// is 0.
static Value buildOnReplicas(GradientBuilder &b, Value x,
                             ArrayRef<int64_t> flags,
                             ReplicaGroupsAttr groups) {
  Value flag = buildOfReplica(b, flags, groups);
  Value isSet = b.create<CastOp>(getTypeOf(flag).clone(b.getI1Type()), flag);
  return b.mask(b.reshape(isSet, {}), x);
}

/// Adds `dy`, the gradient of the replica's own part of `input` along `axis`,
/// to that of `input`.
template <typename OpT>
static LogicalResult addOwnPart(OpT op, GradientBuilder &b) {
  Value dy = b.getGradient(op.getResult());
  SmallVector<int64_t> shape(op.getInput().getType().getShape());
  int64_t axis = op.getAxis(), size = shape[axis];
  int64_t part = op.getType().getDimSize(axis);
  if (op.getType().getNumElements() == 0)
    return success();
  int64_t numParts = llvm::divideCeilSigned(size, part);
  shape[axis] = numParts * part;
  if (failed(pop::detail::checkGradientShape(op, shape)))
    return failure();
  if (numParts > ipu::ReplicaGroups::kMaxReplicas)
    return op.emitOpError()
           << "expects at most " << ipu::ReplicaGroups::kMaxReplicas
           << " parts for its gradient but got " << numParts;
  ReplicaGroupsAttr groups = op.getGroupsAttr();
  SmallVector<int64_t> starts;
  for (int64_t i = 0; i < numParts; ++i)
    starts.push_back(i * part);
  Value start = buildOfReplica(b, starts, groups);
  // Replicas after the last part have zeros that are no part of the operand.
  if (!groups || groups.getGroupSize() != numParts)
    dy = buildOnReplicas(b, dy, SmallVector<int64_t>(numParts, 1), groups);
  if (shape[axis] == size) {
    pop::detail::addRegionGradient(b, op.getInput(), dy, start, {axis}, {part});
    return success();
  }
  Value zeros = b.zeros(op.getInput().getType().clone(shape));
  Value placed = b.create<DynamicUpdateOp>(zeros, dy, start, axis);
  b.addGradient(op.getInput(),
                b.slice(placed, SmallVector<int64_t>(shape.size(), 0),
                        op.getInput().getType().getShape(),
                        SmallVector<int64_t>(shape.size(), 1)));
  return success();
}

LogicalResult ReplicaSliceOp::buildGradients(GradientBuilder &b) {
  return addOwnPart(*this, b);
}

LogicalResult AllGatherOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(),
                b.create<ReduceScatterOp>(
                    getInput().getType(), CollectiveOperator::Add,
                    b.getGradient(getResult()), getAxis(), getGroupsAttr()));
  return success();
}

/// The parts `part` of a group, joined to what `op` reduces.
static Value buildJoined(GradientBuilder &b, ReduceScatterOp op, Value part) {
  return b.create<AllGatherOp>(op.getInput().getType(), part, op.getAxis(),
                               op.getGroupsAttr());
}

LogicalResult ReduceScatterOp::buildGradients(GradientBuilder &b) {
  if (getKind() == CollectiveOperator::Local)
    return addOwnPart(*this, b);
  if (getKind() == CollectiveOperator::Mul)
    return emitNoGradient(*this);
  Value dy = buildJoined(b, *this, b.getGradient(getResult()));
  switch (getKind()) {
  case CollectiveOperator::Add:
    b.addGradient(getInput(), dy);
    return success();
  case CollectiveOperator::Mean: {
    // The size of the groups may be known on the device alone.
    Value wide = b.widen(dy);
    Value size = buildAllReduce(b, CollectiveOperator::Add,
                                b.splatLike(1.0, wide), getGroupsAttr());
    b.addGradient(getInput(), b.div(wide, size));
    return success();
  }
  case CollectiveOperator::SquareAdd:
    addOfSquares(b, getInput(), dy);
    return success();
  case CollectiveOperator::Max:
  case CollectiveOperator::Min:
    addOfExtremum(b, getInput(),
                  buildJoined(b, *this, b.getForward(getResult())), dy,
                  getGroupsAttr());
    return success();
  default:
    return emitNoGradient(*this);
  }
}

//===----------------------------------------------------------------------===//
// Exchanges
//===----------------------------------------------------------------------===//

LogicalResult AllToAllOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(), b.create<AllToAllOp>(getInput().getType(),
                                                 b.getGradient(getResult()),
                                                 /*split_axis=*/getConcatAxis(),
                                                 /*concat_axis=*/getSplitAxis(),
                                                 getGroupsAttr()));
  return success();
}

LogicalResult BroadcastOp::buildGradients(GradientBuilder &b) {
  if (getRoot() >= uint64_t(ipu::ReplicaGroups::kMaxReplicas))
    return emitOpError() << "expects `root` less than "
                         << ipu::ReplicaGroups::kMaxReplicas
                         << " for its gradient but got " << getRoot();
  Value sum = buildAllReduce(b, CollectiveOperator::Add,
                             b.getGradient(getResult()), getGroupsAttr());
  SmallVector<int64_t> isRoot(getRoot() + 1, 0);
  isRoot.back() = 1;
  b.addGradient(getInput(), buildOnReplicas(b, sum, isRoot, getGroupsAttr()));
  return success();
}

LogicalResult CollectivePermuteOp::buildGradients(GradientBuilder &b) {
  SmallVector<Attribute> reversed;
  for (auto pair : getPairs().getAsRange<ArrayAttr>())
    reversed.push_back(b.getArrayAttr({pair[1], pair[0]}));
  b.addGradient(getInput(),
                b.create<CollectivePermuteOp>(b.getGradient(getResult()),
                                              b.getArrayAttr(reversed)));
  return success();
}
