//===- PopContractionDecompose.cpp - Decompositions of contractions -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/CheckedArithmetic.h"

using namespace mlir;
using namespace mlir::pop;

using Replacement = FailureOr<SmallVector<Value>>;

//===----------------------------------------------------------------------===//
// Sums of blocks
//===----------------------------------------------------------------------===//

static AccumAttr getChain(OpBuilder &b) {
  return AccumAttr::get(b.getContext(), AccumOrder::Chain);
}

/// Whether a blocked order is that of one chain: there are no addends, or one
/// block that is neither added to `acc` nor rounded.
static bool isChainOfOneBlock(AccumAttr order, Value acc, bool isOneBlock,
                              int64_t numTerms) {
  return numTerms == 0 || (isOneBlock && !acc && !order.getPartials());
}

/// Adds along dimension `axis`, in ascending order. A sum starts from -0, that
/// is, with the bits of what comes first.
static Value addAscending(PopBuilder &b, Value addends, int64_t axis,
                          Type elementType) {
  auto type = cast<RankedTensorType>(addends.getType());
  SmallVector<int64_t> shape(type.getShape());
  int64_t count = shape[axis];
  shape.erase(shape.begin() + axis);
  return b.create<ReduceOp>(RankedTensorType::get(shape, elementType),
                            ReduceKind::Sum, addends, ArrayRef<int64_t>(axis),
                            /*keep_dims=*/false,
                            AccumAttr::get(b.getContext(), count, /*lanes=*/1));
}

/// Adds each `group` consecutive ones of `addends` along dimension 0; the last
/// ones may be fewer.
static Value addGroups(PopBuilder &b, Value addends, int64_t group,
                       Type elementType) {
  ArrayRef<int64_t> all = cast<RankedTensorType>(addends.getType()).getShape();
  int64_t count = all.front(), numWhole = count / group;
  SmallVector<int64_t> shape = {numWhole, group};
  llvm::append_range(shape, all.drop_front());
  SmallVector<Value> sums;
  if (numWhole > 0) {
    Value whole = b.slice(addends, 0, 0, numWhole * group);
    whole = b.reshape(whole, shape);
    sums.push_back(addAscending(b, whole, 1, elementType));
  }
  if (numWhole * group < count) {
    Value rest =
        b.slice(addends, 0, numWhole * group, count - numWhole * group);
    rest = addAscending(b, rest, 0, elementType);
    SmallVector<int64_t> one(ArrayRef<int64_t>(shape).drop_front());
    one.front() = 1;
    sums.push_back(b.reshape(rest, one));
  }
  return sums.size() == 1 ? sums.front()
                          : Value(b.create<ConcatOp>(sums, /*axis=*/0));
}

/// Adds partial sums [blocks..., `type`'s shape] in ascending order, to `acc`
/// if there is one.
static Value addBlocks(PopBuilder &b, Value partials, Value acc,
                       RankedTensorType type, AccumAttr order) {
  auto partialsType = cast<RankedTensorType>(partials.getType());
  Type elementType = partialsType.getElementType();
  SmallVector<int64_t> shape = {
      computeProduct(partialsType.getShape().drop_back(type.getRank()))};
  llvm::append_range(shape, type.getShape());
  partials = b.reshape(partials, shape);
  if (order.getPartials())
    partials = b.cast(partials, order.getPartials());
  if (order.getGroup() > 0)
    partials = addGroups(b, partials, order.getGroup(), elementType);
  if (acc) {
    partials = b.cast(partials, elementType);
    shape.front() = 1;
    acc = b.reshape(acc, shape);
    partials = b.create<ConcatOp>(ValueRange{acc, partials}, /*axis=*/0);
  }
  return addAscending(b, partials, 0, elementType);
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

/// Gives both operands of a product whole batches; fails if they have them.
template <typename OpTy>
static LogicalResult expandBatch(PopBuilder &b, OpTy op,
                                 RankedTensorType result, Value &lhs,
                                 Value &rhs) {
  lhs = op.getLhs(), rhs = op.getRhs();
  RankedTensorType left = getBatchedType(op.getLhs().getType(), result);
  RankedTensorType right = getBatchedType(op.getRhs().getType(), result);
  if ((left == lhs.getType() && right == rhs.getType()) ||
      !isPopShape(left.getShape()) || !isPopShape(right.getShape()))
    return failure();
  lhs = b.expand(lhs, left.getShape());
  rhs = b.expand(rhs, right.getShape());
  return success();
}

/// Writes a matmul of several blocks as the sums of the blocks and the sum of
/// all.
static Replacement decomposeBlocks(PopBuilder &b, MatmulOp op) {
  AccumAttr order = op.getAccumAttr();
  RankedTensorType type = op.getType();
  int64_t depth = op.getLhs().getType().getShape().back();
  int64_t block = std::min(order.getBlock(), depth);
  SmallVector<int64_t> shape = {llvm::divideCeilSigned(depth, block)};
  llvm::append_range(shape, type.getShape());
  if (!isPopShape(shape))
    return failure();
  Value partials = b.create<MatmulPartialsOp>(op.getLhs(), op.getRhs(), block);
  return SmallVector<Value>{addBlocks(b, partials, op.getAcc(), type, order)};
}

Replacement MatmulOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  Type computeType = getComputeType(getLhs().getType().getElementType());
  if (getType().getElementType() != computeType) {
    Value wide = b.create<MatmulOp>(getType().clone(computeType), getLhs(),
                                    getRhs(), getAcc(), getAccumAttr());
    return SmallVector<Value>{b.cast(wide, getType().getElementType())};
  }
  Value lhs, rhs;
  if (succeeded(expandBatch(b, *this, getType(), lhs, rhs)))
    return SmallVector<Value>{
        b.create<MatmulOp>(getType(), lhs, rhs, getAcc(), getAccumAttr())};
  AccumAttr order = getAccumAttr();
  if (!order || order.isChain())
    return failure();
  int64_t depth = getLhs().getType().getShape().back();
  if (!isChainOfOneBlock(order, getAcc(),
                         /*isOneBlock=*/depth <= order.getBlock(), depth))
    return decomposeBlocks(b, *this);
  return SmallVector<Value>{
      b.create<MatmulOp>(getType(), getLhs(), getRhs(), getAcc(), getChain(b))};
}

Replacement MatmulPartialsOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  ArrayRef<int64_t> shape = getType().getShape();
  Value lhs, rhs;
  if (failed(
          expandBatch(b, *this, getType().clone(shape.drop_front()), lhs, rhs)))
    return failure();
  return SmallVector<Value>{b.create<MatmulPartialsOp>(lhs, rhs, getBlock())};
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

/// Writes a convolution of several blocks without pads as the sums of the
/// blocks and the sum of all.
static Replacement decomposeBlocks(PopBuilder &b, ConvOp op,
                                   const pop::detail::ConvBlocks &blocks) {
  RankedTensorType type = op.getType();
  SmallVector<int64_t> shape = blocks.getNumKernelBlocks();
  shape.push_back(blocks.getNumChannelBlocks());
  llvm::append_range(shape, type.getShape());
  if (!isPopShape(shape))
    return failure();
  Value partials = b.create<ConvPartialsOp>(
      op.getInput(), op.getWeights(), blocks.block, blocks.region,
      op.getStrides(), op.getDilations(), op.getGroups());
  return SmallVector<Value>{
      addBlocks(b, partials, op.getAcc(), type, op.getAccumAttr())};
}

/// `input` with zeros between the elements of its spatial dimensions, or null
/// if that is too large.
static Value spreadInput(PopBuilder &b, Value input,
                         ArrayRef<int64_t> dilations) {
  auto type = cast<RankedTensorType>(input.getType());
  SmallVector<int64_t> split(type.getShape().take_front(2)), joined(split),
      sizes(split), low(2, 0), high(2, 0), starts(type.getRank(), 0),
      steps(type.getRank(), 1);
  for (auto [size, given] :
       llvm::zip_equal(type.getShape().drop_front(2), dilations)) {
    // There is nothing between the elements of one.
    int64_t dilation = size > 1 ? given : 1;
    split.append({size, 1});
    low.append({0, 0});
    high.append({0, dilation - 1});
    std::optional<int64_t> spread = llvm::checkedMul(size, dilation);
    if (!spread)
      return {};
    joined.push_back(*spread);
    sizes.push_back(size > 0 ? *spread - dilation + 1 : 0);
  }
  if (!isPopShape(joined))
    return {};
  Value zeros =
      b.create<PadOp>(b.reshape(input, split), low, high,
                      cast<TypedAttr>(b.getZeroAttr(type.getElementType())));
  return b.create<SliceOp>(b.reshape(zeros, joined), starts, sizes, steps);
}

/// Returns the input of `op` with its pads, but without the positions at the
/// end of the pads that no window reads. Returns null if this is too large.
static Value padInput(PopBuilder &b, ConvOp op) {
  RankedTensorType type = op.getInput().getType();
  SmallVector<int64_t> low = {0, 0}, high = {0, 0}, padded(type.getShape());
  for (const WindowDim &window : pop::detail::getWindows(op)) {
    low.push_back(window.padLow);
    high.push_back(window.getReadPadHigh());
  }
  for (auto [size, before, after] : llvm::zip_equal(padded, low, high))
    size += before + after;
  if (!isPopShape(padded))
    return {};
  return b.pad(op.getInput(), low, high);
}

/// Writes a convolution whose kernel has one position along a dimension, of
/// which windows skip some, as one of the positions that windows read; null if
/// there is no such dimension.
static Value skipPositions(PopBuilder &b, ConvOp op) {
  RankedTensorType input = op.getInput().getType();
  SmallVector<int64_t> starts(input.getRank(), 0), sizes(input.getShape()),
      steps(input.getRank(), 1), strides;
  for (auto [i, window] : llvm::enumerate(pop::detail::getWindows(op))) {
    bool skips =
        window.kernel == 1 && window.stride > 1 && window.getNumWindows() > 0;
    strides.push_back(skips ? 1 : window.stride);
    if (!skips)
      continue;
    sizes[2 + i] = window.getNumWindows();
    steps[2 + i] = window.stride;
  }
  if (ArrayRef(sizes) == input.getShape())
    return {};
  Value read = b.create<SliceOp>(op.getInput(), starts, sizes, steps);
  return b.create<ConvOp>(op.getType(), read, op.getWeights(), op.getAcc(),
                          strides, op.getDilations(),
                          /*input_dilations=*/ArrayRef<int64_t>(),
                          /*pads=*/ArrayRef<int64_t>(), op.getGroups(),
                          op.getAccumAttr());
}

/// Writes a convolution with windows of one position along neighbouring
/// dimensions as one with a dimension instead of these, which tiles can share
/// evenly (PopLibs' `flattenDims`); null if there are none.
static Value flattenPositions(PopBuilder &b, ConvOp op) {
  // A slice of positions is not contiguous: as one dimension it needs a copy.
  auto slice = op.getInput().getDefiningOp<SliceOp>();
  if (slice && slice.getInput().getType().getShape().drop_front(2) !=
                   slice.getType().getShape().drop_front(2))
    return {};
  SmallVector<SmallVector<int64_t>> groups;
  SmallVector<int64_t> strides, dilations;
  bool wasPoint = false;
  SmallVector<WindowDim> windows = pop::detail::getWindows(op);
  for (auto [i, window] : llvm::enumerate(windows)) {
    bool isPoint = window.kernel == 1 && window.stride == 1;
    if (wasPoint && isPoint) {
      groups.back().push_back(i);
      continue;
    }
    groups.push_back({static_cast<int64_t>(i)});
    strides.push_back(window.stride);
    dilations.push_back(window.dilation);
    wasPoint = isPoint;
  }
  if (groups.size() == windows.size())
    return {};
  auto flatten = [&](Value value) -> Value {
    ArrayRef<int64_t> shape =
        cast<RankedTensorType>(value.getType()).getShape();
    SmallVector<int64_t> flat(shape.take_front(2));
    for (ArrayRef<int64_t> group : groups)
      flat.push_back(
          computeProduct(shape.slice(2 + group.front(), group.size())));
    return b.reshape(value, flat);
  };
  AccumAttr order = op.getAccumAttr();
  if (order && order.getKernel()) {
    ArrayRef<int64_t> region = order.getKernel();
    SmallVector<int64_t> kernel = llvm::map_to_vector(
        groups, [&](ArrayRef<int64_t> group) { return region[group.front()]; });
    order = AccumAttr::get(op.getContext(), order.getOrder(), order.getBlock(),
                           order.getLanes(), order.getGroup(),
                           b.getDenseI64ArrayAttr(kernel), order.getPartials(),
                           /*box=*/nullptr);
  }
  Value input = flatten(op.getInput());
  Value weights = flatten(op.getWeights());
  Value acc = op.getAcc() ? flatten(op.getAcc()) : Value();
  SmallVector<int64_t> shape(op.getType().getShape().take_front(2));
  for (ArrayRef<int64_t> group : groups)
    shape.push_back(computeProduct(
        op.getType().getShape().slice(2 + group.front(), group.size())));
  Value flat = b.create<ConvOp>(
      op.getType().clone(shape), input, weights, acc, strides, dilations,
      /*input_dilations=*/ArrayRef<int64_t>(),
      /*pads=*/ArrayRef<int64_t>(), op.getGroups(), order);
  return b.reshape(flat, op.getType().getShape());
}

Replacement ConvOp::decompose(OpBuilder &builder) {
  PopBuilder b(builder, getLoc());
  RankedTensorType input = getInput().getType();
  Type elementType = input.getElementType();
  Type computeType = getComputeType(elementType);
  auto rebuild = [&](Type resultElement, Value newInput,
                     ArrayRef<int64_t> newDilations, ArrayRef<int64_t> newPads,
                     AccumAttr order) -> Value {
    return b.create<ConvOp>(getType().clone(resultElement), newInput,
                            getWeights(), getAcc(), getStrides(),
                            getDilations(), newDilations, newPads, getGroups(),
                            order);
  };
  if (getType().getElementType() != computeType) {
    Value wide = rebuild(computeType, getInput(), getInputDilations(),
                         getPads(), getAccumAttr());
    return SmallVector<Value>{b.cast(wide, getType().getElementType())};
  }
  auto isOne = [](int64_t dilation) { return dilation == 1; };
  if (!llvm::all_of(getInputDilations(), isOne)) {
    Value spread = spreadInput(b, getInput(), getInputDilations());
    if (!spread)
      return failure();
    return SmallVector<Value>{rebuild(computeType, spread,
                                      /*newDilations=*/{}, getPads(),
                                      getAccumAttr())};
  }
  if (llvm::any_of(getPads(), [](int64_t pad) { return pad != 0; })) {
    Value padded = padInput(b, *this);
    if (!padded)
      return failure();
    return SmallVector<Value>{rebuild(computeType, padded, /*newDilations=*/{},
                                      /*newPads=*/{}, getAccumAttr())};
  }
  if (Value result = skipPositions(b, *this))
    return SmallVector<Value>{result};
  if (Value result = flattenPositions(b, *this))
    return SmallVector<Value>{result};
  if (!getAccumAttr() || getAccumAttr().isChain())
    return failure();
  pop::detail::ConvBlocks blocks(getWeights().getType().getShape(),
                                 getAccumAttr());
  int64_t numBlocks = blocks.getNumBlocks();
  if (!isChainOfOneBlock(getAccumAttr(), getAcc(), numBlocks <= 1, numBlocks))
    return decomposeBlocks(b, *this, blocks);
  return SmallVector<Value>{rebuild(
      computeType, getInput(), /*newDilations=*/{}, getPads(), getChain(b))};
}
