//===- ShapeGradients.cpp - Gradients of data movement ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Views of refs have the same gradients as views of tensors.
//
//===----------------------------------------------------------------------===//

#include "GradientUtils.h"

#include "../PopDetail.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Reshapes and transposes
//===----------------------------------------------------------------------===//

template <typename OpT>
static LogicalResult addReshaped(OpT op, GradientBuilder &b) {
  b.addGradient(op.getInput(), b.reshape(b.getGradient(op.getResult()),
                                         op.getInput().getType().getShape()));
  return success();
}

LogicalResult ReshapeOp::buildGradients(GradientBuilder &b) {
  return addReshaped(*this, b);
}

LogicalResult RefReshapeOp::buildGradients(GradientBuilder &b) {
  return addReshaped(*this, b);
}

template <typename OpT>
static LogicalResult addTransposed(OpT op, GradientBuilder &b) {
  b.addGradient(op.getInput(),
                b.transpose(b.getGradient(op.getResult()),
                            invertPermutationVector(op.getPermutation())));
  return success();
}

LogicalResult TransposeOp::buildGradients(GradientBuilder &b) {
  return addTransposed(*this, b);
}

LogicalResult RefTransposeOp::buildGradients(GradientBuilder &b) {
  return addTransposed(*this, b);
}

LogicalResult ExpandOp::buildGradients(GradientBuilder &b) {
  b.addGradient(getInput(), b.getGradient(getResult()));
  return success();
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Twice the shape, along dimensions with steps, is what zeros between elements
/// take at most.
static LogicalResult checkSpread(Operation *op, ArrayRef<int64_t> sizes,
                                 ArrayRef<int64_t> steps,
                                 ArrayRef<int64_t> shape) {
  SmallVector<int64_t> spread(shape);
  for (auto [size, step, extent] : llvm::zip_equal(sizes, steps, spread))
    if (size > 1 && std::abs(step) > 1)
      extent *= 2;
  return pop::detail::checkGradientShape(op, spread);
}

template <typename OpT>
static LogicalResult addPlaced(OpT op, GradientBuilder &b) {
  ArrayRef<int64_t> shape = op.getInput().getType().getShape();
  if (failed(checkSpread(op, op.getSizes(), op.getSteps(), shape)))
    return failure();
  b.addGradient(op.getInput(),
                pop::detail::buildPlaced(b, b.getGradient(op.getResult()),
                                         shape, op.getStarts(), op.getSteps()));
  return success();
}

LogicalResult SliceOp::buildGradients(GradientBuilder &b) {
  return addPlaced(*this, b);
}

LogicalResult RefSliceOp::buildGradients(GradientBuilder &b) {
  return addPlaced(*this, b);
}

LogicalResult RefRowOp::buildGradients(GradientBuilder &b) {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  SmallVector<int64_t> starts(getIndices()), sizes(getIndices().size(), 1);
  starts.resize(shape.size(), 0);
  llvm::append_range(sizes, shape.drop_front(sizes.size()));
  Value dy = b.reshape(b.getGradient(getResult()), sizes);
  b.addGradient(getInput(), pop::detail::buildPlaced(
                                b, dy, shape, starts,
                                SmallVector<int64_t>(shape.size(), 1)));
  return success();
}

//===----------------------------------------------------------------------===//
// Concatenations and pads
//===----------------------------------------------------------------------===//

LogicalResult ConcatOp::buildGradients(GradientBuilder &b) {
  Value dy = b.getGradient(getResult());
  SmallVector<int64_t> starts(getType().getRank(), 0);
  SmallVector<int64_t> steps(starts.size(), 1);
  for (Value input : getInputs()) {
    ArrayRef<int64_t> sizes = pop::detail::getTypeOf(input).getShape();
    if (b.isNeeded(input))
      b.addGradient(input, b.slice(dy, starts, sizes, steps));
    starts[getAxis()] += sizes[getAxis()];
  }
  return success();
}

LogicalResult PadOp::buildGradients(GradientBuilder &b) {
  SmallVector<int64_t> steps(getType().getRank(), 1);
  b.addGradient(getInput(), b.slice(b.getGradient(getResult()), getLow(),
                                    getInput().getType().getShape(), steps));
  return success();
}
