//===- PopLossOps.cpp - pop losses ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopLosses.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::buildAboveZero;
using pop::detail::LabelBuilder;

using Replacement = FailureOr<SmallVector<Value>>;

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Infers the type of `losses`, of so many in the order `accum`.
static void inferReduced(LossReduction reduction, RankedTensorType losses,
                         Type elementType,
                         SmallVectorImpl<Type> &inferredTypes) {
  ArrayRef<int64_t> shape = losses.getShape();
  if (reduction != LossReduction::None)
    shape = {};
  inferredTypes.push_back(RankedTensorType::get(shape, elementType));
}

LogicalResult pop::detail::inferLoss(InferError emitError, Value input,
                                     LossReduction reduction, AccumAttr accum,
                                     SmallVectorImpl<Type> &inferredTypes) {
  auto type = cast<RankedTensorType>(input.getType());
  // c2, of the identity c1
  bool isReduced = reduction != LossReduction::None;
  if (failed(
          checkBlocks(emitError, accum, isReduced ? type.getNumElements() : 1)))
    return failure();
  // c3, of the identity c2
  inferReduced(reduction, type, type.getElementType(), inferredTypes);
  return success();
}

/// Checks that `labels` [N, d...] and `weights` [C] fit `input` [N, C, d...].
static LogicalResult checkLabels(InferError emitError, RankedTensorType input,
                                 RankedTensorType labels, Value weights) {
  // c1
  if (input.getRank() < 2)
    return emitError("expects `input` of rank 2 or more but got ", input);
  // c2
  if (labels.getElementType().isInteger(1))
    return emitError(
        "expects `labels` to have elements of more than one bit but got ",
        labels);
  SmallVector<int64_t> shape(input.getShape());
  shape.erase(shape.begin() + 1);
  if (labels.getShape() != ArrayRef(shape))
    return emitError("expects `labels` of shape [", ArrayRef(shape),
                     "] but got ", labels);
  // c3
  if (!weights)
    return success();
  auto weightsType = cast<RankedTensorType>(weights.getType());
  if (weightsType.getShape() != input.getShape().slice(1, 1))
    return emitError("expects `weights` of shape [", input.getDimSize(1),
                     "] but got ", weightsType);
  if (!isAccumulatorType(input.getElementType(), weightsType.getElementType()))
    return emitError("expects `weights` of element type ",
                     getComputeType(input.getElementType()), " but got ",
                     weightsType.getElementType());
  return success();
}

LogicalResult pop::detail::inferLoss(InferError emitError, Value input,
                                     Value labels, Value weights,
                                     LossReduction reduction, AccumAttr accum,
                                     SmallVectorImpl<Type> &inferredTypes) {
  auto type = cast<RankedTensorType>(input.getType());
  auto labelsType = cast<RankedTensorType>(labels.getType());
  // c1, c2, c3
  if (failed(checkLabels(emitError, type, labelsType, weights)))
    return failure();
  // c4
  int64_t count = std::max(type.getDimSize(1), labelsType.getNumElements());
  if (failed(checkBlocks(emitError, accum, count)))
    return failure();
  // c5
  inferReduced(reduction, labelsType, type.getElementType(), inferredTypes);
  return success();
}

//===----------------------------------------------------------------------===//
// Losses of elements
//===----------------------------------------------------------------------===//

/// Reduces losses and rounds them to the result of `op`.
template <typename OpT>
static Replacement buildReduced(PopBuilder &b, OpT op, Value losses) {
  auto type = cast<RankedTensorType>(losses.getType());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  if (op.getReduction() != LossReduction::None) {
    ReduceKind kind = op.getReduction() == LossReduction::Mean
                          ? ReduceKind::Mean
                          : ReduceKind::Sum;
    losses = b.create<ReduceOp>(kind, losses, axes, /*keep_dims=*/false,
                                op.getAccumAttr());
  }
  return SmallVector<Value>{b.cast(losses, op.getType().getElementType())};
}

template <typename OpT>
static Value buildDifference(PopBuilder &b, OpT op) {
  Value x = b.widen(op.getInput());
  return b.sub(x, b.widen(op.getTarget()));
}

Replacement L1LossOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  Value difference = buildDifference(b, *this);
  return buildReduced(b, *this, b.abs(difference));
}

Replacement L2LossOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  Value difference = buildDifference(b, *this);
  return buildReduced(b, *this, b.mul(difference, difference));
}

Replacement IdentityLossOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  return buildReduced(b, *this, b.widen(getInput()));
}

/// factor * ln(probability), and 0 where the factor is 0.
static Value buildWeightedLog(PopBuilder &b, Value factor, Value probability) {
  Value zero = b.splatLike(0.0, factor);
  Value logarithm = b.log(buildAboveZero(b, probability));
  Value product = b.mul(factor, logarithm);
  Value isZero = b.equal(factor, zero);
  return b.select(isZero, zero, product);
}

Replacement BinaryCrossEntropyLossOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  Value x = b.widen(getInput()), t = b.widen(getTarget());
  if (getOfLogits()) {
    Value zero = b.splatLike(0.0, x);
    Value positive = b.max(x, zero);
    Value linear = b.sub(positive, b.mul(x, t));
    Value power = b.exp(b.neg(b.abs(x)));
    return buildReduced(b, *this, b.add(linear, b.create<Log1pOp>(power)));
  }
  Value one = b.splatLike(1.0, x);
  Value ofOne = buildWeightedLog(b, t, x);
  Value rest = b.sub(one, t);
  Value ofZero = buildWeightedLog(b, rest, b.sub(one, x));
  Value sum = b.add(ofOne, ofZero);
  return buildReduced(b, *this, b.neg(sum));
}

//===----------------------------------------------------------------------===//
// Losses of labels
//===----------------------------------------------------------------------===//

/// Weighs and reduces the losses of positions that all count one, in the order
/// `accum`.
template <typename OpT>
static Replacement buildLabelLoss(PopBuilder &b, OpT op,
                                  LabelBuilder &positions, Value losses,
                                  AccumAttr accum) {
  Value counts = positions.buildCounts();
  Value weights;
  bool isMean = op.getReduction() == LossReduction::Mean;
  if (op.getWeights() || isMean)
    weights = positions.buildWeights(op.getWeights(), counts);
  if (op.getWeights())
    losses = b.mul(losses, weights);
  losses = b.mask(counts, losses);
  if (op.getReduction() != LossReduction::None)
    losses = b.sumOfAll(losses, accum);
  if (isMean)
    losses = b.div(losses, b.sumOfAll(weights, accum));
  return SmallVector<Value>{b.cast(losses, op.getType().getElementType())};
}

Replacement NllLossOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  LabelBuilder positions(b, *this, getLabels());
  Value logarithms = positions.buildPicked(getInput());
  if (getOfProbabilities())
    logarithms = b.log(buildAboveZero(b, logarithms));
  return buildLabelLoss(b, *this, positions, b.neg(logarithms), getAccumAttr());
}

/// Only the logarithms at the labels are computed. The sums have one order of
/// accumulation; of their own extents, they would be given different ones.
Replacement CrossEntropyLossOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  AccumAttr accum = getAccumAttr() ? getAccumAttr() : chooseAccum();
  LabelBuilder positions(b, *this, getLabels());
  Value x = b.widen(getInput());
  auto reduce = [&](ReduceKind kind, Value value) -> Value {
    return b.create<ReduceOp>(kind, value, ArrayRef<int64_t>(1),
                              /*keep_dims=*/false, accum);
  };
  Value greatest = reduce(ReduceKind::Max, x);
  Value power = b.exp(b.sub(x, positions.buildForClasses(greatest)));
  Value sum = reduce(ReduceKind::Sum, power);
  Value shifted = b.sub(positions.buildPicked(getInput()), greatest);
  Value losses = b.sub(b.log(sum), shifted);
  return buildLabelLoss(b, *this, positions, losses, accum);
}
