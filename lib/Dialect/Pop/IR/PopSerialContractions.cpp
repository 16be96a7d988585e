//===- PopSerialContractions.cpp - Serial splits of contractions ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A matmul or convolution that does not fit tile memory becomes several ops
// that run one after the other, for pop-split-ops. How one op is divided among
// tiles is the planner's.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::TileSplit;
using pop::detail::buildReshape;
using pop::detail::buildSlice;
using pop::detail::Chunk;

/// Terms and outputs are cut at multiples of this: the machine's matrix unit
/// works on so many at a time.
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

/// The outermost batch dimension of `shape` that can be cut, or -1.
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
static Value sliceBatch(OpBuilder &b, Location loc, Value operand,
                        int64_t resultRank, int64_t dim, Chunk chunk) {
  auto type = cast<RankedTensorType>(operand.getType());
  dim -= resultRank - type.getRank();
  if (dim < 0 || type.getDimSize(dim) == 1)
    return operand;
  return buildSlice(b, loc, operand, dim, chunk.start, chunk.size);
}

SmallVector<Value>
MatmulOp::buildTileSplit(OpBuilder &b, const TileSplit &split, int64_t parts) {
  Location loc = getLoc();
  Value lhs = getLhs(), rhs = getRhs(), acc = getAcc();
  int64_t rank = getType().getRank();
  if (split.name == "k") {
    int64_t lhsDim = getLhs().getType().getRank() - 1;
    int64_t rhsDim = getRhs().getType().getRank() - 2;
    for (Chunk chunk : pop::detail::getChunks(
             getLhs().getType().getShape().back(), parts, kUnitGrain)) {
      // One op a statement: the order of arguments is the compiler's.
      Value left = buildSlice(b, loc, lhs, lhsDim, chunk.start, chunk.size);
      Value right = buildSlice(b, loc, rhs, rhsDim, chunk.start, chunk.size);
      acc =
          MatmulOp::create(b, loc, getType(), left, right, acc, getAccumAttr());
    }
    return {acc};
  }
  int64_t dim = split.name == "n"   ? rank - 1
                : split.name == "m" ? rank - 2
                                    : findBatchDim(getType().getShape());
  SmallVector<Value> results;
  for (Chunk chunk :
       pop::detail::getChunks(getType().getDimSize(dim), parts,
                              split.name == "n" ? kUnitGrain : 1)) {
    auto slice = [&](Value operand, int64_t operandDim) {
      return buildSlice(b, loc, operand, operandDim, chunk.start, chunk.size);
    };
    Value left = lhs, right = rhs;
    if (split.name == "n") {
      right = slice(rhs, getRhs().getType().getRank() - 1);
    } else if (split.name == "m") {
      left = slice(lhs, getLhs().getType().getRank() - 2);
    } else {
      left = sliceBatch(b, loc, lhs, rank, dim, chunk);
      right = sliceBatch(b, loc, rhs, rank, dim, chunk);
    }
    SmallVector<int64_t> shape(getType().getShape());
    shape[dim] = chunk.size;
    results.push_back(MatmulOp::create(b, loc, getType().clone(shape), left,
                                       right, acc ? slice(acc, dim) : acc,
                                       getAccumAttr()));
  }
  return {ConcatOp::create(b, loc, results, dim)};
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

/// Parts of k are whole blocks.
SmallVector<Value> MatmulPartialsOp::buildTileSplit(OpBuilder &b,
                                                    const TileSplit &split,
                                                    int64_t parts) {
  Location loc = getLoc();
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
      Chunk terms = {chunk.start * block, chunk.size * block};
      lhs = buildSlice(b, loc, lhs, lhsRank - 1, terms.start, terms.size);
      rhs = buildSlice(b, loc, rhs, rhsRank - 2, terms.start, terms.size);
    } else if (split.name == "n") {
      rhs = buildSlice(b, loc, rhs, rhsRank - 1, chunk.start, chunk.size);
    } else {
      lhs = buildSlice(b, loc, lhs, lhsRank - 2, chunk.start, chunk.size);
    }
    results.push_back(MatmulPartialsOp::create(b, loc, lhs, rhs, block));
  }
  return {ConcatOp::create(b, loc, results, axis)};
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

/// The outermost spatial dimension of more than one kernel position (with
/// `ofKernel`) or of more than one window, or -1.
static int64_t findSpatialDim(ArrayRef<WindowDim> windows, bool ofKernel) {
  for (auto [i, window] : llvm::enumerate(windows))
    if ((ofKernel ? window.kernel : window.getNumWindows()) > 1)
      return i;
  return -1;
}

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

namespace {
/// Builds the parts of a convolution without pads.
struct ConvSplitter {
  OpBuilder &b;
  ConvOp op;
  Location loc = op.getLoc();
  int64_t groups = op.getGroups();
  SmallVector<WindowDim> windows = pop::detail::getWindows(op);

  Value build(ArrayRef<int64_t> shape, Value input, Value weights, Value acc,
              int64_t numGroups) {
    return ConvOp::create(b, loc, op.getType().clone(shape), input, weights,
                          acc, op.getStrides(), op.getDilations(), op.getPads(),
                          numGroups, op.getAccumAttr());
  }

  Value slice(Value value, int64_t axis, Chunk chunk) {
    if (!value)
      return value;
    return buildSlice(b, loc, value, axis, chunk.start, chunk.size);
  }

  /// Part of each group of dimension `axis`.
  Value sliceGroups(Value value, int64_t axis, Chunk chunk) {
    if (!value || groups == 1)
      return slice(value, axis, chunk);
    SmallVector<int64_t> shape(
        cast<RankedTensorType>(value.getType()).getShape());
    SmallVector<int64_t> grouped = shape;
    grouped[axis] /= groups;
    grouped.insert(grouped.begin() + axis, groups);
    value = slice(buildReshape(b, loc, value, grouped), axis + 1, chunk);
    shape[axis] = groups * chunk.size;
    return buildReshape(b, loc, value, shape);
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

  Value buildKernel(int64_t parts);
  Value buildInputChannels(int64_t parts);
  Value buildOutputs(int64_t parts);
  Value buildGroups(int64_t parts);
  Value buildBatch(int64_t parts);
  Value buildWindows(int64_t parts);
};
} // namespace

/// Each part goes on where the one before has got to.
Value ConvSplitter::buildKernel(int64_t parts) {
  Value acc = op.getAcc();
  int64_t dim = findSpatialDim(windows, /*ofKernel=*/true);
  Chunk all = {0, windows[dim].getNumWindows()};
  for (Chunk chunk : pop::detail::getChunks(windows[dim].kernel, parts)) {
    Value input = sliceWindows(dim, chunk, all);
    Value weights = slice(op.getWeights(), 2 + dim, chunk);
    acc = build(op.getType().getShape(), input, weights, acc, groups);
  }
  return acc;
}

Value ConvSplitter::buildInputChannels(int64_t parts) {
  Value acc = op.getAcc();
  int64_t channels = op.getWeights().getType().getDimSize(1);
  for (Chunk chunk : pop::detail::getChunks(channels, parts, kUnitGrain)) {
    Value input = sliceGroups(op.getInput(), 1, chunk);
    Value weights = slice(op.getWeights(), 1, chunk);
    acc = build(op.getType().getShape(), input, weights, acc, groups);
  }
  return acc;
}

Value ConvSplitter::buildOutputs(int64_t parts) {
  SmallVector<int64_t> shape(op.getType().getShape());
  int64_t outputs = shape[1] / groups;
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(outputs, parts, kUnitGrain)) {
    shape[1] = groups * chunk.size;
    Value weights = sliceGroups(op.getWeights(), 0, chunk);
    Value acc = sliceGroups(op.getAcc(), 1, chunk);
    Value part = build(shape, op.getInput(), weights, acc, groups);
    SmallVector<int64_t> grouped = shape;
    grouped[1] = chunk.size;
    grouped.insert(grouped.begin() + 1, groups);
    results.push_back(groups == 1 ? part : buildReshape(b, loc, part, grouped));
  }
  Value all = ConcatOp::create(b, loc, results, groups == 1 ? 1 : 2);
  return buildReshape(b, loc, all, op.getType().getShape());
}

Value ConvSplitter::buildGroups(int64_t parts) {
  SmallVector<int64_t> shape(op.getType().getShape());
  int64_t outputs = shape[1] / groups;
  int64_t channels = op.getWeights().getType().getDimSize(1);
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(groups, parts)) {
    auto times = [&](int64_t factor) {
      return Chunk{chunk.start * factor, chunk.size * factor};
    };
    shape[1] = chunk.size * outputs;
    Value input = slice(op.getInput(), 1, times(channels));
    Value weights = slice(op.getWeights(), 0, times(outputs));
    Value acc = slice(op.getAcc(), 1, times(outputs));
    results.push_back(build(shape, input, weights, acc, chunk.size));
  }
  return ConcatOp::create(b, loc, results, 1);
}

Value ConvSplitter::buildBatch(int64_t parts) {
  SmallVector<int64_t> shape(op.getType().getShape());
  SmallVector<Value> results;
  for (Chunk chunk :
       pop::detail::getChunks(op.getType().getDimSize(0), parts)) {
    shape[0] = chunk.size;
    Value input = slice(op.getInput(), 0, chunk);
    Value acc = slice(op.getAcc(), 0, chunk);
    results.push_back(build(shape, input, op.getWeights(), acc, groups));
  }
  return ConcatOp::create(b, loc, results, 0);
}

Value ConvSplitter::buildWindows(int64_t parts) {
  SmallVector<int64_t> shape(op.getType().getShape());
  int64_t dim = findSpatialDim(windows, /*ofKernel=*/false);
  Chunk all = {0, windows[dim].kernel};
  SmallVector<Value> results;
  for (Chunk chunk :
       pop::detail::getChunks(windows[dim].getNumWindows(), parts)) {
    shape[2 + dim] = chunk.size;
    Value input = sliceWindows(dim, all, chunk);
    Value acc = slice(op.getAcc(), 2 + dim, chunk);
    results.push_back(build(shape, input, op.getWeights(), acc, groups));
  }
  return ConcatOp::create(b, loc, results, 2 + dim);
}

SmallVector<Value> ConvOp::buildTileSplit(OpBuilder &b, const TileSplit &split,
                                          int64_t parts) {
  ConvSplitter splitter{b, *this};
  if (split.name == "kernel")
    return {splitter.buildKernel(parts)};
  if (split.name == "k")
    return {splitter.buildInputChannels(parts)};
  if (split.name == "n")
    return {splitter.buildOutputs(parts)};
  if (split.name == "groups")
    return {splitter.buildGroups(parts)};
  if (split.name == "batch")
    return {splitter.buildBatch(parts)};
  return {splitter.buildWindows(parts)};
}

//===----------------------------------------------------------------------===//
// ConvPartialsOp
//===----------------------------------------------------------------------===//

SmallVector<TileSplit> ConvPartialsOp::getTileSplits() {
  SmallVector<TileSplit> splits;
  if (failed(getTileForm({})) || getType().getNumElements() == 0)
    return splits;
  ArrayRef<int64_t> shape = getType().getShape();
  size_t numSpatial = getKernel().size();
  if (getGroups() == 1)
    pop::detail::addSplit(splits, "n", shape[numSpatial + 2], kUnitGrain);
  if (getGroups() == 1)
    pop::detail::addSplit(splits, "k", shape[numSpatial]);
  pop::detail::addSplit(splits, "batch", shape[numSpatial + 1]);
  if (const auto *dim = llvm::find_if(shape.take_front(numSpatial),
                                      [](int64_t size) { return size > 1; });
      dim != shape.begin() + numSpatial)
    pop::detail::addSplit(splits, "kernel", *dim);
  return splits;
}

/// Parts of the kernel and of the channels are whole blocks.
SmallVector<Value> ConvPartialsOp::buildTileSplit(OpBuilder &b,
                                                  const TileSplit &split,
                                                  int64_t parts) {
  Location loc = getLoc();
  SmallVector<int64_t> shape(getType().getShape());
  int64_t numSpatial = getKernel().size(), axis = 0;
  if (split.name == "n")
    axis = numSpatial + 2;
  else if (split.name == "k")
    axis = numSpatial;
  else if (split.name == "batch")
    axis = numSpatial + 1;
  else
    while (shape[axis] == 1)
      ++axis;
  SmallVector<Value> results;
  for (Chunk chunk : pop::detail::getChunks(
           shape[axis], parts, split.name == "n" ? kUnitGrain : 1)) {
    Value input = getInput(), weights = getWeights();
    if (split.name == "n") {
      weights = buildSlice(b, loc, weights, 0, chunk.start, chunk.size);
    } else if (split.name == "batch") {
      input = buildSlice(b, loc, input, 0, chunk.start, chunk.size);
    } else if (split.name == "k") {
      Chunk terms = {chunk.start * static_cast<int64_t>(getChannels()),
                     chunk.size * static_cast<int64_t>(getChannels())};
      input = buildSlice(b, loc, input, 1, terms.start, terms.size);
      weights = buildSlice(b, loc, weights, 1, terms.start, terms.size);
    } else {
      WindowDim window = pop::detail::getWindows(*this)[axis];
      int64_t box = getKernel()[axis];
      int64_t first = chunk.start * box, size = chunk.size * box;
      weights = buildSlice(b, loc, weights, 2 + axis, first, size);
      input = buildSlice(b, loc, input, 2 + axis, first * window.dilation,
                         (size - 1) * window.dilation +
                             (window.getNumWindows() - 1) * window.stride + 1);
    }
    results.push_back(ConvPartialsOp::create(
        b, loc, input, weights, getChannels(), getKernel(), getStrides(),
        getDilations(), getGroups()));
  }
  return {ConcatOp::create(b, loc, results, axis)};
}
