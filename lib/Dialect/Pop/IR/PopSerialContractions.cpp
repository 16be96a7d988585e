//===- PopSerialContractions.cpp - Serial splits of contractions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Splits a matmul or convolution that does not fit tile memory into several ops
// that run one after the other, for pop-split-ops. The planner divides each op
// among tiles.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"
#include "ipu-mlir/Dialect/Pop/IR/Serialization.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::TileSplit;
using pop::detail::Chunk;

/// Addends and outputs are split at multiples of this: the machine's matrix
/// unit works on so many at a time.
static constexpr int64_t kUnitGrain = 16;

SmallVector<Chunk> pop::detail::getChunks(int64_t size, int64_t parts,
                                          int64_t grain) {
  int64_t grains = llvm::divideCeil(static_cast<uint64_t>(size), grain);
  SmallVector<Chunk> chunks;
  int64_t end = 0;
  for (int64_t i = 0; i < parts; ++i) {
    // The first ones are larger; no product that could overflow.
    int64_t count = grains / parts + (i < grains % parts);
    int64_t start = end;
    end = std::min(size, start + count * grain);
    chunks.push_back({start, end - start});
  }
  return chunks;
}

void pop::detail::addSplit(SmallVectorImpl<TileSplit> &splits, StringRef name,
                           int64_t size, int64_t grain, bool isSerial) {
  int64_t parts = llvm::divideCeil(static_cast<uint64_t>(size), grain);
  if (parts > 1)
    splits.push_back({name, parts, isSerial});
}

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// The outermost batch dimension of `shape` that can be split, or -1.
static int64_t findBatchDim(ArrayRef<int64_t> shape) {
  for (auto [i, size] : llvm::enumerate(shape.drop_back(2)))
    if (size > 1)
      return i;
  return -1;
}

SmallVector<TileSplit> MatmulOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (failed(getTileForm({})) || getType().getNumElements() == 0)
    return splits;
  ArrayRef<int64_t> shape = getType().getShape();
  pop::detail::addSplit(splits, "n", shape.back(), kUnitGrain);
  pop::detail::addSplit(splits, "k", getLhs().getType().getShape().back(),
                        kUnitGrain);
  if (int64_t dim = findBatchDim(shape); dim >= 0)
    pop::detail::addSplit(splits, "batch", shape[dim]);
  pop::detail::addSplit(splits, "m", shape[shape.size() - 2]);
  return splits;
}

/// Part of the result's dimension `dim`, of an operand whose dimensions
/// broadcast to the result's; the whole operand if it has 1 there or none.
static Value sliceBatch(PopBuilder &b, Value operand, int64_t resultRank,
                        int64_t dim, Chunk chunk) {
  auto type = cast<RankedTensorType>(operand.getType());
  dim -= resultRank - type.getRank();
  if (dim < 0 || type.getDimSize(dim) == 1)
    return operand;
  return b.slice(operand, dim, chunk.start, chunk.size);
}

/// Builds the split of the outermost batch dimension that can be split.
static Value buildBatchSplit(PopBuilder &b, MatmulOp op, int64_t parts) {
  RankedTensorType type = op.getType();
  int64_t rank = type.getRank(), dim = findBatchDim(type.getShape());
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(shape[dim], parts)) {
    // One op a statement: the order of arguments is the compiler's.
    Value lhs = sliceBatch(b, op.getLhs(), rank, dim, chunk);
    Value rhs = sliceBatch(b, op.getRhs(), rank, dim, chunk);
    Value acc = op.getAcc();
    if (acc)
      acc = b.slice(acc, dim, chunk.start, chunk.size);
    SmallVector<int64_t> partShape = shape;
    partShape[dim] = chunk.size;
    results.push_back(b.create<MatmulOp>(type.clone(partShape), lhs, rhs, acc,
                                         op.getAccumAttr()));
  }
  return b.create<ConcatOp>(results, dim);
}

SmallVector<Value> MatmulOp::buildTileSplit(OpBuilder &builder,
                                            const TileSplit &split,
                                            int64_t parts) {
  PopBuilder b(builder, getLoc());
  if (split.name == "batch")
    return {buildBatchSplit(b, *this, parts)};
  if (split.name == "k") {
    Value acc = getAcc();
    for (Chunk chunk : pop::detail::getChunks(
             getLhs().getType().getShape().back(), parts, kUnitGrain))
      acc = buildMatmulPart(b, *this, SerializeMode::ReducingDim, chunk.start,
                            chunk.size, acc);
    return {acc};
  }
  bool isColumns = split.name == "n";
  auto mode =
      isColumns ? SerializeMode::OutputChannels : SerializeMode::InputChannels;
  int64_t dim = getType().getRank() - getResultDimFromEnd(mode);
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(getType().getDimSize(dim), parts,
                                            isColumns ? kUnitGrain : 1))
    results.push_back(
        buildMatmulPart(b, *this, mode, chunk.start, chunk.size, getAcc()));
  return {b.create<ConcatOp>(results, dim)};
}

//===----------------------------------------------------------------------===//
// MatmulPartialsOp
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> MatmulPartialsOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (failed(getTileForm({})) || getType().getNumElements() == 0)
    return splits;
  ArrayRef<int64_t> shape = getType().getShape();
  pop::detail::addSplit(splits, "n", shape.back(), kUnitGrain);
  pop::detail::addSplit(splits, "k", shape.front());
  pop::detail::addSplit(splits, "m", shape[shape.size() - 2]);
  return splits;
}

/// The addends, of `count`, of a chunk of blocks of `block` addends.
static Chunk getAddends(Chunk blocks, int64_t block, int64_t count) {
  int64_t start = blocks.start * block;
  return {start, std::min(blocks.size * block, count - start)};
}

/// Parts of k are whole blocks.
SmallVector<Value> MatmulPartialsOp::buildTileSplit(OpBuilder &builder,
                                                    const TileSplit &split,
                                                    int64_t parts) {
  PopBuilder b(builder, getLoc());
  int64_t rank = getType().getRank();
  int64_t lhsRank = getLhs().getType().getRank();
  int64_t rhsRank = getRhs().getType().getRank();
  int64_t axis = split.name == "k"   ? 0
                 : split.name == "n" ? rank - 1
                                     : rank - 2;
  SmallVector<Value> results;
  for (Chunk chunk :
       pop::detail::getChunks(getType().getDimSize(axis), parts,
                              split.name == "n" ? kUnitGrain : 1)) {
    Value lhs = getLhs(), rhs = getRhs();
    int64_t block = getBlock();
    if (split.name == "k") {
      Chunk terms =
          getAddends(chunk, block, getLhs().getType().getShape().back());
      lhs = b.slice(lhs, lhsRank - 1, terms.start, terms.size);
      rhs = b.slice(rhs, rhsRank - 2, terms.start, terms.size);
    } else if (split.name == "n") {
      rhs = b.slice(rhs, rhsRank - 1, chunk.start, chunk.size);
    } else {
      lhs = b.slice(lhs, lhsRank - 2, chunk.start, chunk.size);
    }
    results.push_back(b.create<MatmulPartialsOp>(lhs, rhs, block));
  }
  return {b.create<ConcatOp>(results, axis)};
}

//===----------------------------------------------------------------------===//
// ConvSplitter
//===----------------------------------------------------------------------===//

/// The outermost spatial dimension of more than one kernel position (with
/// `ofKernel`) or of more than one window, or -1.
static int64_t findSpatialDim(ArrayRef<WindowDim> windows, bool ofKernel) {
  for (auto [i, window] : llvm::enumerate(windows))
    if ((ofKernel ? window.kernel : window.getNumWindows()) > 1)
      return i;
  return -1;
}

/// Builds the slice of `value` with the positions `chunk` of each group, where
/// dimension `axis` consists of `groups` groups of equal size.
static Value sliceOfGroups(PopBuilder &b, Value value, int64_t axis,
                           int64_t groups, Chunk chunk) {
  SmallVector<int64_t> shape(
      cast<RankedTensorType>(value.getType()).getShape());
  if (shape[axis] == groups * chunk.size)
    return value;
  if (groups == 1)
    return b.slice(value, axis, chunk.start, chunk.size);
  SmallVector<int64_t> grouped = shape;
  grouped[axis] /= groups;
  grouped.insert(grouped.begin() + axis, groups);
  value = b.reshape(value, grouped);
  value = b.slice(value, axis + 1, chunk.start, chunk.size);
  shape[axis] = groups * chunk.size;
  return b.reshape(value, shape);
}

static Value getAcc(ConvOp op) { return op.getAcc(); }
static Value getAcc(ConvPartialsOp) { return {}; }

/// Builds a part of `op` with a result of `shape`.
static Value buildPart(PopBuilder &b, ConvOp op, ArrayRef<int64_t> shape,
                       Value input, Value weights, Value acc, int64_t groups) {
  return b.create<ConvOp>(op.getType().clone(shape), input, weights, acc,
                          op.getStrides(), op.getDilations(),
                          op.getInputDilations(), op.getPads(), groups,
                          op.getAccumAttr());
}
static Value buildPart(PopBuilder &b, ConvPartialsOp op, ArrayRef<int64_t>,
                       Value input, Value weights, Value, int64_t groups) {
  return b.create<ConvPartialsOp>(input, weights, op.getChannels(),
                                  op.getKernel(), op.getStrides(),
                                  op.getDilations(), groups);
}

namespace {
/// Builds the parts of a convolution without pads, or of its partial sums.
template <typename OpTy>
struct ConvSplitter {
  PopBuilder &b;
  OpTy op;
  int64_t groups = op.getGroups();
  SmallVector<WindowDim> windows = pop::detail::getWindows(op);
  SmallVector<int64_t> resultShape{op.getType().getShape()};
  /// The result has so many dimensions of blocks before those of a convolution.
  int64_t numBlockDims =
      op.getType().getRank() - op.getInput().getType().getRank();

  Value build(ArrayRef<int64_t> shape, Value input, Value weights, Value acc,
              int64_t numGroups) {
    return buildPart(b, op, shape, input, weights, acc, numGroups);
  }

  Value slice(Value value, int64_t axis, Chunk chunk) {
    if (!value)
      return value;
    return b.slice(value, axis, chunk.start, chunk.size);
  }

  /// Part of each group of dimension `axis`.
  Value sliceGroups(Value value, int64_t axis, Chunk chunk) {
    if (!value)
      return value;
    return sliceOfGroups(b, value, axis, groups, chunk);
  }

  /// The input's elements under kernel positions `kernel` and windows `result`
  /// of spatial dimension `dim`.
  Value sliceWindows(int64_t dim, Chunk kernel, Chunk result) {
    const WindowDim &window = windows[dim];
    Chunk chunk = {kernel.start * window.dilation +
                       result.start * window.stride,
                   (kernel.size - 1) * window.dilation +
                       (result.size - 1) * window.stride + 1};
    return slice(op.getInput(), 2 + dim, chunk);
  }

  Value buildOutputs(int64_t parts);
  Value buildGroups(int64_t parts);
  Value buildBatch(int64_t parts);
  Value buildWindows(int64_t parts);

  /// Builds the split of what is not summed that has this name.
  Value build(StringRef name, int64_t parts) {
    if (name == "n")
      return buildOutputs(parts);
    if (name == "groups")
      return buildGroups(parts);
    if (name == "batch")
      return buildBatch(parts);
    return buildWindows(parts);
  }
};
} // namespace

template <typename OpTy>
Value ConvSplitter<OpTy>::buildOutputs(int64_t parts) {
  SmallVector<int64_t> shape = resultShape;
  int64_t axis = numBlockDims + 1, outputs = shape[axis] / groups;
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(outputs, parts, kUnitGrain)) {
    shape[axis] = groups * chunk.size;
    Value weights = sliceGroups(op.getWeights(), 0, chunk);
    Value acc = sliceGroups(getAcc(op), axis, chunk);
    Value part = build(shape, op.getInput(), weights, acc, groups);
    SmallVector<int64_t> grouped = shape;
    grouped[axis] = chunk.size;
    grouped.insert(grouped.begin() + axis, groups);
    results.push_back(groups == 1 ? part : b.reshape(part, grouped));
  }
  Value all = b.create<ConcatOp>(results, groups == 1 ? axis : axis + 1);
  return b.reshape(all, resultShape);
}

template <typename OpTy>
Value ConvSplitter<OpTy>::buildGroups(int64_t parts) {
  SmallVector<int64_t> shape = resultShape;
  int64_t axis = numBlockDims + 1, outputs = shape[axis] / groups;
  int64_t channels = op.getWeights().getType().getDimSize(1);
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(groups, parts)) {
    auto times = [&](int64_t factor) {
      return Chunk{chunk.start * factor, chunk.size * factor};
    };
    shape[axis] = chunk.size * outputs;
    Value input = slice(op.getInput(), 1, times(channels));
    Value weights = slice(op.getWeights(), 0, times(outputs));
    Value acc = slice(getAcc(op), axis, times(outputs));
    results.push_back(build(shape, input, weights, acc, chunk.size));
  }
  return b.create<ConcatOp>(results, axis);
}

template <typename OpTy>
Value ConvSplitter<OpTy>::buildBatch(int64_t parts) {
  SmallVector<int64_t> shape = resultShape;
  int64_t axis = numBlockDims;
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(resultShape[axis], parts)) {
    shape[axis] = chunk.size;
    Value input = slice(op.getInput(), 0, chunk);
    Value acc = slice(getAcc(op), axis, chunk);
    results.push_back(build(shape, input, op.getWeights(), acc, groups));
  }
  return b.create<ConcatOp>(results, axis);
}

template <typename OpTy>
Value ConvSplitter<OpTy>::buildWindows(int64_t parts) {
  SmallVector<int64_t> shape = resultShape;
  int64_t dim = findSpatialDim(windows, /*ofKernel=*/false);
  int64_t axis = numBlockDims + 2 + dim;
  Chunk all = {0, windows[dim].kernel};
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(resultShape[axis], parts)) {
    shape[axis] = chunk.size;
    Value input = sliceWindows(dim, all, chunk);
    Value acc = slice(getAcc(op), axis, chunk);
    results.push_back(build(shape, input, op.getWeights(), acc, groups));
  }
  return b.create<ConcatOp>(results, axis);
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> ConvOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (failed(getTileForm({})) || getType().getNumElements() == 0)
    return splits;
  RankedTensorType weights = getWeights().getType();
  SmallVector<WindowDim> windows = pop::detail::getWindows(*this);
  pop::detail::addSplit(splits, "groups", getGroups());
  pop::detail::addSplit(splits, "n", weights.getDimSize(0) / getGroups(),
                        kUnitGrain);
  if (int64_t dim = findSpatialDim(windows, /*ofKernel=*/true); dim >= 0)
    pop::detail::addSplit(splits, "kernel", windows[dim].kernel);
  else
    pop::detail::addSplit(splits, "k", weights.getDimSize(1), kUnitGrain);
  pop::detail::addSplit(splits, "batch", getType().getDimSize(0));
  if (int64_t dim = findSpatialDim(windows, /*ofKernel=*/false); dim >= 0)
    pop::detail::addSplit(splits, "m", windows[dim].getNumWindows());
  return splits;
}

/// Each part goes on where the one before has got to.
static Value buildKernel(ConvSplitter<ConvOp> &splitter, int64_t parts) {
  ConvOp op = splitter.op;
  Value acc = op.getAcc();
  int64_t dim = findSpatialDim(splitter.windows, /*ofKernel=*/true);
  Chunk all = {0, splitter.windows[dim].getNumWindows()};
  for (Chunk chunk :
       pop::detail::getChunks(splitter.windows[dim].kernel, parts)) {
    Value input = splitter.sliceWindows(dim, chunk, all);
    Value weights = splitter.slice(op.getWeights(), 2 + dim, chunk);
    acc = splitter.build(splitter.resultShape, input, weights, acc,
                         splitter.groups);
  }
  return acc;
}

static Value buildInputChannels(ConvSplitter<ConvOp> &splitter, int64_t parts) {
  ConvOp op = splitter.op;
  Value acc = op.getAcc();
  int64_t channels = op.getWeights().getType().getDimSize(1);
  for (Chunk chunk : pop::detail::getChunks(channels, parts, kUnitGrain)) {
    Value input = splitter.sliceGroups(op.getInput(), 1, chunk);
    Value weights = splitter.slice(op.getWeights(), 1, chunk);
    acc = splitter.build(splitter.resultShape, input, weights, acc,
                         splitter.groups);
  }
  return acc;
}

SmallVector<Value> ConvOp::buildTileSplit(OpBuilder &builder,
                                          const TileSplit &split,
                                          int64_t parts) {
  PopBuilder b(builder, getLoc());
  ConvSplitter<ConvOp> splitter{b, *this};
  if (split.name == "kernel")
    return {buildKernel(splitter, parts)};
  if (split.name == "k")
    return {buildInputChannels(splitter, parts)};
  return {splitter.build(split.name, parts)};
}

//===----------------------------------------------------------------------===//
// ConvPartialsOp
//===----------------------------------------------------------------------===//

/// The first dimension of the kernel that is in blocks, or -1.
static int64_t findBlockedDim(ConvPartialsOp op) {
  ArrayRef<int64_t> blocks =
      op.getType().getShape().take_front(op.getKernel().size());
  for (auto [i, size] : llvm::enumerate(blocks))
    if (size > 1)
      return i;
  return -1;
}

SmallVector<TileSplit> ConvPartialsOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (failed(getTileForm({})) || getType().getNumElements() == 0)
    return splits;
  ArrayRef<int64_t> shape = getType().getShape();
  int64_t numSpatial = getKernel().size();
  SmallVector<WindowDim> windows = pop::detail::getWindows(*this);
  pop::detail::addSplit(splits, "groups", getGroups());
  pop::detail::addSplit(splits, "n", shape[numSpatial + 2] / getGroups(),
                        kUnitGrain);
  pop::detail::addSplit(splits, "k", shape[numSpatial]);
  pop::detail::addSplit(splits, "batch", shape[numSpatial + 1]);
  if (int64_t dim = findBlockedDim(*this); dim >= 0)
    pop::detail::addSplit(splits, "kernel", shape[dim]);
  if (int64_t dim = findSpatialDim(windows, /*ofKernel=*/false); dim >= 0)
    pop::detail::addSplit(splits, "m", windows[dim].getNumWindows());
  return splits;
}

/// Parts are whole blocks.
static Value buildKernel(ConvSplitter<ConvPartialsOp> &splitter,
                         int64_t parts) {
  ConvPartialsOp op = splitter.op;
  int64_t dim = findBlockedDim(op), region = op.getKernel()[dim];
  Chunk all = {0, splitter.windows[dim].getNumWindows()};
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(splitter.resultShape[dim], parts)) {
    Chunk positions = {chunk.start * region, chunk.size * region};
    Value input = splitter.sliceWindows(dim, positions, all);
    Value weights = splitter.slice(op.getWeights(), 2 + dim, positions);
    results.push_back(splitter.build({}, input, weights, {}, splitter.groups));
  }
  return splitter.b.create<ConcatOp>(results, dim);
}

/// Parts are whole blocks.
static Value buildInputChannels(ConvSplitter<ConvPartialsOp> &splitter,
                                int64_t parts) {
  ConvPartialsOp op = splitter.op;
  int64_t axis = op.getKernel().size(), block = op.getChannels();
  SmallVector<Value> results;
  for (Chunk chunk :
       pop::detail::getChunks(splitter.resultShape[axis], parts)) {
    Chunk channels =
        getAddends(chunk, block, op.getWeights().getType().getDimSize(1));
    Value input = splitter.sliceGroups(op.getInput(), 1, channels);
    Value weights = splitter.slice(op.getWeights(), 1, channels);
    results.push_back(splitter.build({}, input, weights, {}, splitter.groups));
  }
  return splitter.b.create<ConcatOp>(results, axis);
}

SmallVector<Value> ConvPartialsOp::buildTileSplit(OpBuilder &builder,
                                                  const TileSplit &split,
                                                  int64_t parts) {
  PopBuilder b(builder, getLoc());
  ConvSplitter<ConvPartialsOp> splitter{b, *this};
  if (split.name == "kernel")
    return {buildKernel(splitter, parts)};
  if (split.name == "k")
    return {buildInputChannels(splitter, parts)};
  return {splitter.build(split.name, parts)};
}
