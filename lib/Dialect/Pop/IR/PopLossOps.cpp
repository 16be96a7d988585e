//===- PopLossOps.cpp - pop losses ------------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopLosses.h"

using namespace mlir;
using namespace mlir::pop;
using pop::detail::buildAboveZero;
using pop::detail::buildCast;
using pop::detail::buildScalarLike;
using pop::detail::buildSumOfAll;
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
static Replacement buildReduced(OpBuilder &b, OpT op, Value losses) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(losses.getType());
  auto axes = llvm::to_vector(llvm::seq<int64_t>(type.getRank()));
  if (op.getReduction() != LossReduction::None) {
    ReduceKind kind = op.getReduction() == LossReduction::Mean
                          ? ReduceKind::Mean
                          : ReduceKind::Sum;
    losses = ReduceOp::create(b, loc, kind, losses, axes, /*keep_dims=*/false,
                              op.getAccumAttr());
  }
  return SmallVector<Value>{
      buildCast(b, loc, losses, op.getType().getElementType())};
}

/// `value` in the type that losses of elements like those of it are computed
/// in.
static Value buildWide(OpBuilder &b, Location loc, Value value) {
  Type type = cast<RankedTensorType>(value.getType()).getElementType();
  return buildCast(b, loc, value, getComputeType(type));
}

template <typename OpT>
static Value buildDifference(OpBuilder &b, OpT op) {
  Location loc = op.getLoc();
  Value x = buildWide(b, loc, op.getInput());
  return SubOp::create(b, loc, x, buildWide(b, loc, op.getTarget()));
}

Replacement L1LossOp::decompose(OpBuilder &b) {
  Value difference = buildDifference(b, *this);
  return buildReduced(b, *this, AbsOp::create(b, getLoc(), difference));
}

Replacement L2LossOp::decompose(OpBuilder &b) {
  Value difference = buildDifference(b, *this);
  return buildReduced(b, *this,
                      MulOp::create(b, getLoc(), difference, difference));
}

Replacement IdentityLossOp::decompose(OpBuilder &b) {
  return buildReduced(b, *this, buildWide(b, getLoc(), getInput()));
}

/// factor * ln(probability), and 0 where the factor is 0.
static Value buildWeightedLog(OpBuilder &b, Location loc, Value factor,
                              Value probability) {
  Value zero = buildScalarLike(b, loc, factor, 0.0);
  Value logarithm = LogOp::create(b, loc, buildAboveZero(b, loc, probability));
  Value product = MulOp::create(b, loc, factor, logarithm);
  Value isZero = EqualOp::create(b, loc, factor, zero);
  return SelectOp::create(b, loc, isZero, zero, product);
}

Replacement BinaryCrossEntropyLossOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Value x = buildWide(b, loc, getInput()), t = buildWide(b, loc, getTarget());
  if (getOfLogits()) {
    Value zero = buildScalarLike(b, loc, x, 0.0);
    Value positive = MaxOp::create(b, loc, x, zero);
    Value linear = SubOp::create(b, loc, positive, MulOp::create(b, loc, x, t));
    Value power =
        ExpOp::create(b, loc, NegOp::create(b, loc, AbsOp::create(b, loc, x)));
    return buildReduced(
        b, *this,
        AddOp::create(b, loc, linear, Log1pOp::create(b, loc, power)));
  }
  Value one = buildScalarLike(b, loc, x, 1.0);
  Value ofOne = buildWeightedLog(b, loc, t, x);
  Value rest = SubOp::create(b, loc, one, t);
  Value ofZero = buildWeightedLog(b, loc, rest, SubOp::create(b, loc, one, x));
  Value sum = AddOp::create(b, loc, ofOne, ofZero);
  return buildReduced(b, *this, NegOp::create(b, loc, sum));
}

//===----------------------------------------------------------------------===//
// Losses of labels
//===----------------------------------------------------------------------===//

/// Weighs and reduces the losses of positions that all count one, in the order
/// `accum`.
template <typename OpT>
static Replacement buildLabelLoss(OpBuilder &b, OpT op, LabelBuilder &positions,
                                  Value losses, AccumAttr accum) {
  Location loc = op.getLoc();
  Value counts = positions.buildCounts();
  Value weights;
  bool isMean = op.getReduction() == LossReduction::Mean;
  if (op.getWeights() || isMean)
    weights = positions.buildWeights(op.getWeights(), counts);
  if (op.getWeights())
    losses = MulOp::create(b, loc, losses, weights);
  losses = positions.buildMasked(counts, losses);
  if (op.getReduction() != LossReduction::None)
    losses = buildSumOfAll(b, loc, losses, accum);
  if (isMean)
    losses =
        DivOp::create(b, loc, losses, buildSumOfAll(b, loc, weights, accum));
  return SmallVector<Value>{
      buildCast(b, loc, losses, op.getType().getElementType())};
}

Replacement NllLossOp::decompose(OpBuilder &b) {
  LabelBuilder positions(b, *this, getLabels());
  Value logarithms = positions.buildPicked(getInput());
  if (getOfProbabilities())
    logarithms =
        LogOp::create(b, getLoc(), buildAboveZero(b, getLoc(), logarithms));
  return buildLabelLoss(b, *this, positions,
                        NegOp::create(b, getLoc(), logarithms), getAccumAttr());
}

/// Only the logarithms at the labels are computed. The sums have one order of
/// accumulation; of their own extents, they would be given different ones.
Replacement CrossEntropyLossOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  AccumAttr accum = getAccumAttr() ? getAccumAttr() : chooseAccum();
  LabelBuilder positions(b, *this, getLabels());
  Value x = positions.buildWide(getInput());
  auto reduce = [&](ReduceKind kind, Value value) -> Value {
    return ReduceOp::create(b, loc, kind, value, ArrayRef<int64_t>(1),
                            /*keep_dims=*/false, accum);
  };
  Value greatest = reduce(ReduceKind::Max, x);
  Value power = ExpOp::create(
      b, loc, SubOp::create(b, loc, x, positions.buildForClasses(greatest)));
  Value sum = reduce(ReduceKind::Sum, power);
  Value shifted =
      SubOp::create(b, loc, positions.buildPicked(getInput()), greatest);
  Value losses = SubOp::create(b, loc, LogOp::create(b, loc, sum), shifted);
  return buildLabelLoss(b, *this, positions, losses, accum);
}
