//===- PopContractionDecompose.cpp - Contractions decomposed ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

using pop::detail::buildCast;
using pop::detail::buildPadAfter;
using pop::detail::buildReshape;
using pop::detail::buildTranspose;
using Replacement = FailureOr<SmallVector<Value>>;

//===----------------------------------------------------------------------===//
// Blocks of terms
//===----------------------------------------------------------------------===//

namespace {
/// The blocks that the terms of a contraction's outputs are summed in.
struct AddendBlocks {
  int64_t depth, block, count, padded;

  AddendBlocks(int64_t depth, AccumAttr accum)
      : depth(depth), block(accum.getBlock()),
        count(llvm::divideCeil(static_cast<uint64_t>(depth), block)),
        padded(count * block) {}

  int64_t getNumAdded() const { return padded - depth; }
};
} // namespace

/// The orders below need no blocks.
static bool isOneChain(AccumAttr accum, int64_t depth) {
  return accum.getOrder() == AccumOrder::Chain || depth <= accum.getBlock();
}

static AccumAttr getChain(OpBuilder &b) {
  return AccumAttr::get(b.getContext(), AccumOrder::Chain);
}

/// What is multiplied to fill the last block: -0 and +0, whose product leaves
/// every accumulator as it is, also -0. Types without -0 have no products that
/// underflow, so that a chain from +0 never is -0.
static TypedAttr getLeftFill(Type elementType) {
  return getReduceIdentity(ReduceKind::Sum, elementType);
}
static TypedAttr getRightFill(OpBuilder &b, Type elementType) {
  return cast<TypedAttr>(b.getZeroAttr(elementType));
}

/// Adds the results of `count` blocks along `axis`, in ascending order. A sum
/// starts from -0, and so with the first block's bits.
static Value addBlocks(OpBuilder &b, Location loc, Value blocks, int64_t axis,
                       int64_t count) {
  auto order = AccumAttr::get(b.getContext(), AccumOrder::Blocked, count,
                              /*lanes=*/1);
  return ReduceOp::create(b, loc, ReduceKind::Sum, blocks, axis,
                          /*keep_dims=*/false, order);
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// The type of a matmul's operand whose batch dimensions are those of `result`,
/// or its own if it is one matrix or such a batch already.
static RankedTensorType getBatchedType(RankedTensorType operand,
                                       RankedTensorType result) {
  ArrayRef<int64_t> batch = result.getShape().drop_back(2);
  SmallVector<int64_t> shape(batch);
  llvm::append_range(shape, operand.getShape().take_back(2));
  ArrayRef<int64_t> own = operand.getShape().drop_back(2);
  bool isOne = llvm::all_of(own, [](int64_t size) { return size == 1; });
  bool isWhole = ArrayRef(padShape(own, batch.size())) == batch;
  return isOne || isWhole ? operand : operand.clone(shape);
}

static bool isSupported(ArrayRef<int64_t> shape, const AddendBlocks &blocks) {
  SmallVector<int64_t> padded(shape);
  padded.push_back(blocks.padded);
  return isPopShape(padded);
}

/// Writes a blocked matmul as a batch of products, one for each block, and the
/// sum of their results. Cutting the batch over tiles lets them share outputs.
static Replacement decomposeBlocks(OpBuilder &b, MatmulOp op) {
  Location loc = op.getLoc();
  RankedTensorType lhsType = op.getLhs().getType();
  RankedTensorType rhsType = op.getRhs().getType(), type = op.getType();
  Type elementType = lhsType.getElementType();
  AddendBlocks blocks(lhsType.getShape().back(), op.getAccum());
  size_t numBatch = type.getRank() - 2;
  SmallVector<int64_t> lhs =
      padShape(lhsType.getShape().drop_back(), numBatch + 1);
  SmallVector<int64_t> rhs =
      padShape(rhsType.getShape().drop_back(2), numBatch);
  int64_t columns = rhsType.getShape().back();
  // Rows of all matrices meet the one matrix at the right.
  if (computeProduct(rhs) == 1) {
    lhs = {computeProduct(lhs)};
    rhs.clear();
    numBatch = 0;
  }
  SmallVector<int64_t> partial = {blocks.count};
  llvm::append_range(partial, type.getShape());
  SmallVector<int64_t> rhsShape(rhs);
  rhsShape.push_back(columns);
  if (!isSupported(lhs, blocks) || !isSupported(rhsShape, blocks) ||
      !isPopShape(partial))
    return failure();

  // [batch..., m, k] becomes [blocks, batch..., m, block].
  lhs.push_back(blocks.depth);
  Value left = buildReshape(b, loc, op.getLhs(), lhs);
  left = buildPadAfter(b, loc, left, lhs.size() - 1, blocks.getNumAdded(),
                       getLeftFill(elementType));
  lhs.back() = blocks.count;
  lhs.push_back(blocks.block);
  left = buildReshape(b, loc, left, lhs);
  SmallVector<int64_t> order = {static_cast<int64_t>(numBatch) + 1};
  for (size_t i = 0; i <= numBatch; ++i)
    order.push_back(i);
  order.push_back(numBatch + 2);
  left = buildTranspose(b, loc, left, order);

  // [batch..., k, n] becomes [blocks, batch..., block, n].
  rhs.append({blocks.depth, columns});
  Value right = buildReshape(b, loc, op.getRhs(), rhs);
  right = buildPadAfter(b, loc, right, numBatch, blocks.getNumAdded(),
                        getRightFill(b, elementType));
  rhs[numBatch] = blocks.count;
  rhs.insert(rhs.end() - 1, blocks.block);
  right = buildReshape(b, loc, right, rhs);
  order = {static_cast<int64_t>(numBatch)};
  for (size_t i = 0; i < numBatch; ++i)
    order.push_back(i);
  order.append(
      {static_cast<int64_t>(numBatch) + 1, static_cast<int64_t>(numBatch) + 2});
  right = buildTranspose(b, loc, right, order);

  SmallVector<int64_t> shape = {blocks.count};
  shape.append(type.getShape().begin(), type.getShape().end() - 2);
  if (numBatch == 0)
    shape = {blocks.count};
  shape.append({cast<RankedTensorType>(left.getType()).getShape()[numBatch + 1],
                columns});
  Value products = MatmulOp::create(b, loc, type.clone(shape), left, right,
                                    /*acc=*/Value(), getChain(b));
  Value sum = addBlocks(b, loc, products, 0, blocks.count);
  return SmallVector<Value>{buildReshape(b, loc, sum, type.getShape())};
}

Replacement MatmulOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  Type computeType = getComputeType(getLhs().getType().getElementType());
  if (getType().getElementType() != computeType) {
    Value wide = MatmulOp::create(b, loc, getType().clone(computeType),
                                  getLhs(), getRhs(), getAcc(), getAccumAttr());
    return SmallVector<Value>{
        buildCast(b, loc, wide, getType().getElementType())};
  }
  if (getAccum().getOrder() == AccumOrder::Blocked) {
    if (!isOneChain(getAccum(), getLhs().getType().getShape().back()))
      return decomposeBlocks(b, *this);
    return SmallVector<Value>{MatmulOp::create(
        b, loc, getType(), getLhs(), getRhs(), getAcc(), getChain(b))};
  }
  RankedTensorType lhs = getBatchedType(getLhs().getType(), getType());
  RankedTensorType rhs = getBatchedType(getRhs().getType(), getType());
  if ((lhs == getLhs().getType() && rhs == getRhs().getType()) ||
      !isPopShape(lhs.getShape()) || !isPopShape(rhs.getShape()))
    return failure();
  auto expand = [&](Value operand, RankedTensorType type) -> Value {
    if (operand.getType() == type)
      return operand;
    return ExpandOp::create(b, loc, type, operand);
  };
  Value newLhs = expand(getLhs(), lhs), newRhs = expand(getRhs(), rhs);
  return SmallVector<Value>{MatmulOp::create(b, loc, getType(), newLhs, newRhs,
                                             getAcc(), getAccumAttr())};
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

/// The elements of `input` that all windows see at one kernel position.
static Value buildWindowElements(OpBuilder &b, Location loc, Value input,
                                 ArrayRef<WindowDim> windows,
                                 ArrayRef<int64_t> position) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> starts(2, 0), sizes(type.getShape().take_front(2)),
      steps(2, 1);
  for (auto [window, q] : llvm::zip_equal(windows, position)) {
    starts.push_back(q * window.dilation);
    sizes.push_back(window.getNumWindows());
    steps.push_back(window.stride);
  }
  if (ArrayRef(sizes) == type.getShape())
    return input;
  return SliceOp::create(b, loc, input, starts, sizes, steps);
}

/// Writes a blocked convolution without pads as one of single positions: the
/// terms of each output become channels, in their order, and each block of
/// channels a group of its own, whose results are added.
static Replacement decomposeBlocks(OpBuilder &b, ConvOp op) {
  Location loc = op.getLoc();
  RankedTensorType input = op.getInput().getType();
  RankedTensorType weights = op.getWeights().getType(), type = op.getType();
  SmallVector<WindowDim> windows = pop::detail::getWindows(op);
  SmallVector<int64_t> kernel(weights.getShape().drop_front(2));
  int64_t numPositions = computeProduct(kernel);
  int64_t batch = input.getDimSize(0), groups = op.getGroups();
  int64_t channels = weights.getDimSize(1);
  int64_t outputs = weights.getDimSize(0) / groups;
  AddendBlocks blocks(numPositions * channels, op.getAccum());
  SmallVector<int64_t> spatial(type.getShape().drop_front(2));
  auto withSpatial = [&](ArrayRef<int64_t> front) {
    SmallVector<int64_t> shape(front);
    llvm::append_range(shape, spatial);
    return shape;
  };
  SmallVector<int64_t> partial =
      withSpatial({batch, groups, blocks.count, outputs});
  if (!isSupported(withSpatial({batch, groups}), blocks) ||
      !isSupported({groups, outputs}, blocks) || !isPopShape(partial))
    return failure();

  SmallVector<Value> parts;
  SmallVector<int64_t> strides = computeStrides(kernel);
  for (int64_t i = 0; i < numPositions; ++i) {
    Value part = buildWindowElements(b, loc, op.getInput(), windows,
                                     delinearize(i, strides));
    parts.push_back(
        buildReshape(b, loc, part, withSpatial({batch, groups, channels})));
  }
  Value left = parts.size() == 1
                   ? parts.front()
                   : Value(ConcatOp::create(b, loc, parts, /*axis=*/2));
  left = buildPadAfter(b, loc, left, 2, blocks.getNumAdded(),
                       getLeftFill(input.getElementType()));
  left =
      buildReshape(b, loc, left, withSpatial({batch, groups * blocks.padded}));

  // [g, o, i, positions] becomes [g, blocks, o, block].
  Value right = buildReshape(b, loc, op.getWeights(),
                             {groups, outputs, channels, numPositions});
  if (channels > 1 && numPositions > 1)
    right = buildTranspose(b, loc, right, {0, 1, 3, 2});
  right = buildReshape(b, loc, right, {groups, outputs, blocks.depth});
  right = buildPadAfter(b, loc, right, 2, blocks.getNumAdded(),
                        getRightFill(b, input.getElementType()));
  right = buildReshape(b, loc, right,
                       {groups, outputs, blocks.count, blocks.block});
  right = buildTranspose(b, loc, right, {0, 2, 1, 3});
  SmallVector<int64_t> shape = {groups * blocks.count * outputs, blocks.block};
  shape.append(spatial.size(), 1);
  right = buildReshape(b, loc, right, shape);

  Value products = ConvOp::create(
      b, loc, type.clone(withSpatial({batch, groups * blocks.count * outputs})),
      left, right, /*acc=*/Value(), /*strides=*/ArrayRef<int64_t>(),
      /*dilations=*/ArrayRef<int64_t>(), /*pads=*/ArrayRef<int64_t>(),
      groups * blocks.count, getChain(b));
  products = buildReshape(b, loc, products, partial);
  Value sum = addBlocks(b, loc, products, 2, blocks.count);
  return SmallVector<Value>{buildReshape(b, loc, sum, type.getShape())};
}

Replacement ConvOp::decompose(OpBuilder &b) {
  Location loc = getLoc();
  RankedTensorType input = getInput().getType();
  Type elementType = input.getElementType();
  Type computeType = getComputeType(elementType);
  auto rebuild = [&](Type resultElement, Value newInput,
                     ArrayRef<int64_t> newPads, AccumAttr order) -> Value {
    return ConvOp::create(b, loc, getType().clone(resultElement), newInput,
                          getWeights(), getAcc(), getStrides(), getDilations(),
                          newPads, getGroups(), order);
  };
  if (getType().getElementType() != computeType) {
    Value wide = rebuild(computeType, getInput(), getPads(), getAccum());
    return SmallVector<Value>{
        buildCast(b, loc, wide, getType().getElementType())};
  }
  ArrayRef<int64_t> pads = getPads();
  if (llvm::any_of(pads, [](int64_t pad) { return pad != 0; })) {
    size_t numSpatial = pads.size() / 2;
    SmallVector<int64_t> low = {0, 0}, high = {0, 0};
    llvm::append_range(low, pads.take_front(numSpatial));
    llvm::append_range(high, pads.take_back(numSpatial));
    SmallVector<int64_t> padded(input.getShape());
    for (auto [size, before, after] : llvm::zip_equal(padded, low, high))
      size += before + after;
    if (!isPopShape(padded))
      return failure();
    Value whole = PadOp::create(b, loc, getInput(), low, high,
                                cast<TypedAttr>(b.getZeroAttr(elementType)));
    return SmallVector<Value>{
        rebuild(computeType, whole, /*newPads=*/{}, getAccum())};
  }
  if (getAccum().getOrder() == AccumOrder::Chain)
    return failure();
  int64_t depth =
      computeProduct(getWeights().getType().getShape().drop_front());
  if (!isOneChain(getAccum(), depth))
    return decomposeBlocks(b, *this);
  return SmallVector<Value>{
      rebuild(computeType, getInput(), getPads(), getChain(b))};
}
