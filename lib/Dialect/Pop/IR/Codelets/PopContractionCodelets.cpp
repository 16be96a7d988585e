//===- PopContractionCodelets.cpp - Codelets of contractions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../PopDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::TileAccess;
using mlir::ipu::TileForm;
using pop::detail::getBatch;

/// Builds `output = acc`, or 0 without that buffer, then `output += lhs * rhs`
/// over the loops of the indexing maps, by fused multiply-adds. Loops with an
/// expression in the last indexing map are parallel. Loops run in the order of
/// their numbers, hence each output adds its products in row-major order of the
/// others.
static void buildContraction(OpBuilder &builder, Location loc,
                             ValueRange buffers, ArrayRef<AffineMap> maps) {
  Value output = buffers.back();
  Type type = cast<MemRefType>(output.getType()).getElementType();
  if (buffers.size() == 4) {
    linalg::CopyOp::create(builder, loc, buffers[2], output);
  } else {
    Value zero =
        arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
    linalg::FillOp::create(builder, loc, zero, output);
  }

  SmallVector<utils::IteratorType> iterators;
  for (unsigned i = 0, e = maps.back().getNumDims(); i < e; ++i)
    iterators.push_back(maps.back().isFunctionOfDim(i)
                            ? utils::IteratorType::parallel
                            : utils::IteratorType::reduction);
  linalg::GenericOp::create(
      builder, loc, buffers.take_front(2), output, maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange args) {
        Value lhs = pop::detail::buildExtend(b, loc, args[0]);
        Value rhs = pop::detail::buildExtend(b, loc, args[1]);
        Value sum;
        if (isa<FloatType>(type)) {
          sum = math::FmaOp::create(b, loc, lhs, rhs, args[2]);
        } else {
          Value product = arith::MulIOp::create(b, loc, lhs, rhs);
          sum = arith::AddIOp::create(b, loc, args[2], product);
        }
        linalg::YieldOp::create(b, loc, sum);
      });
}

/// The addends of partial sums: `count` of them in blocks of `block`. Domains
/// have the dimensions [blocks, block] if all blocks have the same number of
/// addends, and otherwise one dimension of all addends, of which the regions of
/// consecutive blocks are consecutive.
namespace {
struct AddendBlocks {
  int64_t count, block;

  bool areEqual() const { return count % block == 0; }
  /// Appends the dimensions to the domain of an access.
  void addDims(TileAccess &access, int64_t loop) const {
    if (areEqual()) {
      access.domain.append({count / block, block});
      access.dims.append({{loop}, {}});
    } else {
      access.domain.push_back(count);
      access.dims.push_back({loop, block, block});
    }
  }
};
} // namespace

/// Builds the contraction of each block of `block` addends, the last of which
/// may have fewer. Blocks are numbered by dimension `blockDim` of the output,
/// of which the contraction sees one position.
static void buildContractionOfBlocks(OpBuilder &builder, Location loc,
                                     ValueRange buffers,
                                     ArrayRef<AffineMap> maps, int64_t block,
                                     ArrayRef<unsigned> addendDims,
                                     unsigned blockDim) {
  auto getIndex = [&](OpBuilder &b, int64_t value) -> Value {
    return arith::ConstantIndexOp::create(b, loc, value);
  };
  Value numAddends =
      memref::DimOp::create(builder, loc, buffers.front(), addendDims.front());
  Value numBlocks =
      memref::DimOp::create(builder, loc, buffers.back(), blockDim);
  Value blockSize = getIndex(builder, block);
  scf::ForOp::create(
      builder, loc, getIndex(builder, 0), numBlocks, getIndex(builder, 1),
      ValueRange(), [&](OpBuilder &b, Location loc, Value number, ValueRange) {
        Value start = arith::MulIOp::create(b, loc, number, blockSize);
        Value rest = arith::SubIOp::create(b, loc, numAddends, start);
        Value size = arith::MinSIOp::create(b, loc, rest, blockSize);
        auto getPart = [&](Value buffer, unsigned dim, OpFoldResult offset,
                           OpFoldResult count) -> Value {
          int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
          SmallVector<OpFoldResult> offsets(rank, b.getIndexAttr(0)),
              sizes = memref::getMixedSizes(b, loc, buffer),
              strides(rank, b.getIndexAttr(1));
          offsets[dim] = offset;
          sizes[dim] = count;
          return memref::SubViewOp::create(b, loc, buffer, offsets, sizes,
                                           strides);
        };
        buildContraction(
            b, loc,
            {getPart(buffers[0], addendDims[0], start, size),
             getPart(buffers[1], addendDims[1], start, size),
             getPart(buffers[2], blockDim, number, b.getIndexAttr(1))},
            maps);
        scf::YieldOp::create(b, loc);
      });
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

namespace {
/// The orders in which the matrix unit reads operands and writes results of
/// `type`, as PopLibs stores them: the dimensions that it combines and those of
/// its outputs in groups of its block, innermost. Integers have no matrix unit:
/// all orders are null.
class UnitLayouts {
public:
  UnitLayouts(Type type)
      : isFloat(isa<FloatType>(type)),
        // A block of inputs has 32 bytes: 16 elements of f16, 8 of f32.
        depth(isFloat ? 256 / type.getIntOrFloatBitWidth() : 1),
        isHalf(type.isF16()) {}

  /// A dimension and the size of its groups. If there is no size, the dimension
  /// is not divided into groups, and its elements are innermost.
  struct Grouped {
    AffineExpr dim;
    std::optional<int64_t> group;
  };
  Grouped input(AffineExpr dim) const { return {dim, depth}; }
  /// A dimension of which vertices read blocks of `block` elements.
  Grouped blockedInput(AffineExpr dim, int64_t block) const {
    return {dim, std::gcd(block, depth)};
  }
  /// A dimension of `size` elements, which each vertex reads or writes whole.
  /// If groups would have less than `least` elements, there are no groups.
  /// Groups of one element would make another dimension the innermost one.
  /// Results of the same type are inputs of the next op.
  Grouped whole(AffineExpr dim, int64_t size, int64_t least = 2) const {
    if (size > depth && std::gcd(size, depth) < least)
      return {dim, std::nullopt};
    return {dim, depth};
  }
  /// The same for rows and columns of matrices: smaller groups than 8 bytes, a
  /// quarter of a block, make runs of the exchange short.
  Grouped wholeVector(AffineExpr dim, int64_t size) const {
    return whole(dim, size, depth / 4);
  }
  /// Output channels of weights: those of one block.
  static Grouped column(AffineExpr dim) { return {dim, 16}; }

  /// Whether depthwise convolutions have a vertex of their own, PopLibs'
  /// `VMAC`.
  bool hasDepthwiseVertex() const { return isHalf; }
  /// Channels of such a convolution: those of one vector.
  static Grouped channel(AffineExpr dim) { return {dim, 4}; }

  /// `outer` dimensions, the numbers of groups, `inner` dimensions, and the
  /// positions in groups, of a domain of `rank`.
  AffineMap get(unsigned rank, ArrayRef<AffineExpr> outer,
                ArrayRef<Grouped> groups, ArrayRef<AffineExpr> inner) const {
    if (!isFloat)
      return {};
    SmallVector<AffineExpr> results = llvm::to_vector(outer);
    for (const Grouped &grouped : groups)
      if (grouped.group)
        results.push_back(grouped.dim.floorDiv(*grouped.group));
    llvm::append_range(results, inner);
    for (const Grouped &grouped : groups)
      if (!grouped.group)
        results.push_back(grouped.dim);
      else if (*grouped.group > 1)
        results.push_back(grouped.dim % *grouped.group);
    return AffineMap::get(rank, 0, results, groups.front().dim.getContext());
  }

private:
  bool isFloat;
  int64_t depth;
  bool isHalf;
};
} // namespace

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

int64_t pop::detail::getBatch(RankedTensorType type) {
  return computeProduct(type.getShape().drop_back(2));
}

/// The access of a matmul's operand: a batch of matrices whose dimensions
/// follow the given loops.
static TileAccess getMatrixAccess(RankedTensorType type, int64_t batch,
                                  int64_t rowLoop, int64_t columnLoop) {
  ArrayRef<int64_t> shape = type.getShape();
  TileAccess access;
  access.domain = {getBatch(type), shape[shape.size() - 2], shape.back()};
  access.dims = {{getBatch(type) == batch ? 0 : -1}, {rowLoop}, {columnLoop}};
  return access;
}

FailureOr<TileForm> MatmulOp::getTileForm(ArrayRef<int64_t>) {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  RankedTensorType result = getType();
  int64_t batch = getBatch(result);
  auto isWhole = [&](RankedTensorType type) {
    return getBatch(type) == batch || getBatch(type) == 1;
  };
  if (!pop::detail::isSimpleChain(lhs, result, getAccumAttr()) ||
      !isWhole(lhs) || !isWhole(rhs))
    return failure();
  TileForm form;
  form.results = {getMatrixAccess(result, batch, 1, 2)};
  form.inputs = {getMatrixAccess(lhs, batch, 1, -1),
                 getMatrixAccess(rhs, batch, -1, 2)};
  UnitLayouts layouts(lhs.getElementType());
  AffineExpr b, m, n;
  bindDims(getContext(), b, m, n);
  int64_t depth = lhs.getShape().back();
  form.inputs[0].layout =
      layouts.get(3, {b}, {layouts.wholeVector(n, depth)}, {m});
  form.inputs[1].layout = layouts.get(
      3, {b}, {layouts.column(n), layouts.wholeVector(m, depth)}, {});
  form.results[0].layout = layouts.get(
      3, {b}, {layouts.wholeVector(n, result.getShape().back())}, {m});
  if (getAcc())
    form.inputs.push_back(form.results.front());
  form.loops = form.results.front().domain;
  return form;
}

void MatmulOp::buildCodelet(OpBuilder &builder, Location loc,
                            ValueRange buffers, const TileForm &) {
  AffineExpr b, m, k, n;
  MLIRContext *context = builder.getContext();
  bindDims(context, b, m, k, n);
  int64_t batch = getBatch(getType());
  AffineExpr zero = getAffineConstantExpr(0, context);
  AffineExpr lhsBatch = getBatch(getLhs().getType()) == batch ? b : zero;
  AffineExpr rhsBatch = getBatch(getRhs().getType()) == batch ? b : zero;
  buildContraction(builder, loc, buffers,
                   {AffineMap::get(4, 0, {lhsBatch, m, k}, context),
                    AffineMap::get(4, 0, {rhsBatch, k, n}, context),
                    AffineMap::get(4, 0, {b, m, n}, context)});
}

CodeletCost MatmulOp::getCodeletCost() {
  return pop::detail::getCost(*this, CodeletCostKind::Matmul);
}

//===----------------------------------------------------------------------===//
// MatmulPartialsOp
//===----------------------------------------------------------------------===//

static AddendBlocks getAddendBlocks(MatmulPartialsOp op) {
  int64_t block = op.getBlock();
  return {op.getLhs().getType().getShape().back(), block};
}

/// Loops: block of addends, batch, row, column. A vertex reads its blocks of
/// addends where they are.
FailureOr<TileForm> MatmulPartialsOp::getTileForm(ArrayRef<int64_t>) {
  RankedTensorType lhs = getLhs().getType(), rhs = getRhs().getType();
  ArrayRef<int64_t> result = getType().getShape();
  int64_t batch = computeProduct(result.drop_front().drop_back(2));
  auto isWhole = [&](RankedTensorType type) {
    return getBatch(type) == batch || getBatch(type) == 1;
  };
  if (!isWhole(lhs) || !isWhole(rhs))
    return failure();
  int64_t rows = result[result.size() - 2], columns = result.back();
  auto batchLoop = [&](RankedTensorType type) {
    return getBatch(type) == batch ? 1 : -1;
  };
  AddendBlocks blocks = getAddendBlocks(*this);
  TileForm form;
  form.loops = {result.front(), batch, rows, columns};
  TileAccess left{{getBatch(lhs), rows}, {{batchLoop(lhs)}, {2}}};
  blocks.addDims(left, 0);
  TileAccess right{{getBatch(rhs)}, {{batchLoop(rhs)}}};
  blocks.addDims(right, 0);
  right.domain.push_back(columns);
  right.dims.push_back({3});
  form.results = {pop::detail::getWholeAccess(form.loops)};
  UnitLayouts layouts(lhs.getElementType());
  AffineExpr d0, d1, d2, d3;
  bindDims(getContext(), d0, d1, d2, d3);
  if (blocks.areEqual()) {
    left.layout =
        layouts.get(4, {d0, d2}, {layouts.wholeVector(d3, blocks.block)}, {d1});
    right.layout = layouts.get(
        4, {d0, d1},
        {layouts.column(d3), layouts.wholeVector(d2, blocks.block)}, {});
  } else {
    left.layout =
        layouts.get(3, {d0}, {layouts.blockedInput(d2, blocks.block)}, {d1});
    right.layout = layouts.get(
        3, {d0}, {layouts.column(d2), layouts.blockedInput(d1, blocks.block)},
        {});
  }
  form.results[0].layout =
      layouts.get(4, {d0, d1}, {layouts.wholeVector(d3, columns)}, {d2});
  form.inputs = {left, right};
  return form;
}

void MatmulPartialsOp::buildCodelet(OpBuilder &builder, Location loc,
                                    ValueRange buffers, const TileForm &) {
  AffineExpr p, b, m, k, n;
  MLIRContext *context = builder.getContext();
  bindDims(context, p, b, m, k, n);
  ArrayRef<int64_t> result = getType().getShape();
  int64_t batch = computeProduct(result.drop_front().drop_back(2));
  AffineExpr zero = getAffineConstantExpr(0, context);
  AffineExpr lhsBatch = getBatch(getLhs().getType()) == batch ? b : zero;
  AffineExpr rhsBatch = getBatch(getRhs().getType()) == batch ? b : zero;
  if (!getAddendBlocks(*this).areEqual())
    return buildContractionOfBlocks(
        builder, loc, buffers,
        {AffineMap::get(5, 0, {lhsBatch, m, k}, context),
         AffineMap::get(5, 0, {rhsBatch, k, n}, context),
         AffineMap::get(5, 0, {p, b, m, n}, context)},
        getBlock(), /*addendDims=*/{2, 1}, /*blockDim=*/0);
  buildContraction(builder, loc, buffers,
                   {AffineMap::get(5, 0, {lhsBatch, m, p, k}, context),
                    AffineMap::get(5, 0, {rhsBatch, p, k, n}, context),
                    AffineMap::get(5, 0, {p, b, m, n}, context)});
}

CodeletCost MatmulPartialsOp::getCodeletCost() {
  return {CodeletCostKind::Matmul, MatmulOp::getOperationName().substr(4),
          /*combined=*/1};
}

//===----------------------------------------------------------------------===//
// ConvOp
//===----------------------------------------------------------------------===//

SmallVector<WindowDim> pop::detail::getWindows(ConvOp op) {
  return getWindowDims(op.getInput().getType().getShape().drop_front(2),
                       {op.getWeights().getType().getShape().drop_front(2),
                        op.getStrides(), op.getDilations(), op.getPads(),
                        /*ceilMode=*/false, op.getInputDilations()});
}

/// `stride` of CodeletCost.
static int64_t getCostStride(ArrayRef<WindowDim> windows) {
  bool isDilated = llvm::any_of(windows, [](const WindowDim &window) {
    return window.kernel > 1 && window.dilation != 1;
  });
  if (isDilated)
    return 0;
  return windows.empty() ? 1 : windows.back().stride;
}

FailureOr<TileForm> ConvOp::getTileForm(ArrayRef<int64_t>) {
  RankedTensorType input = getInput().getType();
  RankedTensorType weights = getWeights().getType(), result = getType();
  if (!pop::detail::isSimpleChain(input, result, getAccumAttr()) ||
      llvm::any_of(getPads(), [](int64_t pad) { return pad != 0; }) ||
      llvm::any_of(getInputDilations(), [](int64_t d) { return d != 1; }))
    return failure();
  int64_t groups = getGroups();
  int64_t outputs = weights.getDimSize(0) / groups;
  int64_t channels = weights.getDimSize(1);
  TileForm form;
  // Loops: n, group, output channel of the group, spatial...
  form.loops = {input.getDimSize(0), groups, outputs};
  TileAccess inputAccess, weightsAccess, resultAccess;
  inputAccess.domain = {input.getDimSize(0), groups, weights.getDimSize(1)};
  inputAccess.dims = {{0}, {1}, {}};
  weightsAccess.domain = {groups, outputs, weights.getDimSize(1)};
  weightsAccess.dims = {{1}, {2}, {}};
  for (auto [i, window] : llvm::enumerate(pop::detail::getWindows(*this))) {
    int64_t loop = 3 + i;
    form.loops.push_back(result.getDimSize(2 + i));
    inputAccess.domain.push_back(window.input);
    inputAccess.dims.push_back({loop, window.stride, window.getExtent()});
    weightsAccess.domain.push_back(window.kernel);
    weightsAccess.dims.push_back({});
  }
  resultAccess.domain = form.loops;
  for (size_t i = 0; i < form.loops.size(); ++i)
    resultAccess.dims.push_back({static_cast<int64_t>(i)});
  UnitLayouts layouts(input.getElementType());
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, getContext()); };
  SmallVector<AffineExpr> positions = {dim(0)}, kernel;
  for (unsigned i = 3; i < form.loops.size(); ++i) {
    positions.push_back(dim(i));
    kernel.push_back(dim(i));
  }
  unsigned rank = form.loops.size();
  if (outputs == 1 && channels == 1 && layouts.hasDepthwiseVertex()) {
    inputAccess.layout =
        layouts.get(rank, {dim(2)}, {layouts.channel(dim(1))}, positions);
    weightsAccess.layout =
        layouts.get(rank, {dim(1), dim(2)}, {layouts.channel(dim(0))}, kernel);
    resultAccess.layout = inputAccess.layout;
  } else {
    inputAccess.layout = layouts.get(
        rank, {dim(1)}, {layouts.whole(dim(2), channels)}, positions);
    weightsAccess.layout = layouts.get(
        rank, {dim(0)},
        {layouts.column(dim(1)), layouts.whole(dim(2), channels)}, kernel);
    resultAccess.layout = layouts.get(
        rank, {dim(1)}, {layouts.whole(dim(2), outputs)}, positions);
  }
  form.inputs = {inputAccess, weightsAccess};
  if (getAcc())
    form.inputs.push_back(resultAccess);
  form.results = {resultAccess};
  return form;
}

void ConvOp::buildCodelet(OpBuilder &builder, Location loc, ValueRange buffers,
                          const TileForm &) {
  MLIRContext *context = builder.getContext();
  SmallVector<WindowDim> windows = pop::detail::getWindows(*this);
  unsigned numSpatial = windows.size();
  unsigned numLoops = 4 + 2 * numSpatial;
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, context); };
  // Loops: n, g, o, kernel..., i, spatial...
  AffineExpr channel = dim(3 + numSpatial);
  SmallVector<AffineExpr> input = {dim(0), dim(1), channel};
  SmallVector<AffineExpr> weights = {dim(1), dim(2), channel};
  SmallVector<AffineExpr> result = {dim(0), dim(1), dim(2)};
  for (auto [i, window] : llvm::enumerate(windows)) {
    AffineExpr kernel = dim(3 + i), position = dim(4 + numSpatial + i);
    input.push_back(position * window.stride + kernel * window.dilation);
    weights.push_back(kernel);
    result.push_back(position);
  }
  buildContraction(builder, loc, buffers,
                   {AffineMap::get(numLoops, 0, input, context),
                    AffineMap::get(numLoops, 0, weights, context),
                    AffineMap::get(numLoops, 0, result, context)});
}

CodeletCost ConvOp::getCodeletCost() {
  CodeletCost cost = pop::detail::getCost(*this, CodeletCostKind::Conv);
  cost.stride = getCostStride(pop::detail::getWindows(*this));
  return cost;
}

//===----------------------------------------------------------------------===//
// ConvPartialsOp
//===----------------------------------------------------------------------===//

SmallVector<WindowDim> pop::detail::getWindows(ConvPartialsOp op) {
  return getWindowDims(op.getInput().getType().getShape().drop_front(2),
                       {op.getWeights().getType().getShape().drop_front(2),
                        op.getStrides(),
                        op.getDilations(),
                        {}});
}

static AddendBlocks getAddendBlocks(ConvPartialsOp op) {
  int64_t block = op.getChannels();
  return {op.getWeights().getType().getDimSize(1), block};
}

/// Loops: block of kernel positions along each spatial dimension, block of
/// channels, n, group, output channel of the group, spatial... A window of a
/// block starts where its number and that of the block say. A vertex reads one
/// interval, and so a dimension whose kernel is in blocks has no loop of
/// windows.
FailureOr<TileForm> ConvPartialsOp::getTileForm(ArrayRef<int64_t>) {
  RankedTensorType input = getInput().getType();
  ArrayRef<int64_t> weights = getWeights().getType().getShape();
  SmallVector<WindowDim> windows = pop::detail::getWindows(*this);
  int64_t numSpatial = windows.size();
  ArrayRef<int64_t> blocks = getType().getShape().take_front(numSpatial + 1);
  AddendBlocks channels = getAddendBlocks(*this);
  int64_t groups = getGroups(), outputs = weights[0] / groups;
  TileForm form;
  llvm::append_range(form.loops, blocks);
  int64_t n = form.loops.size();
  form.loops.append({input.getDimSize(0), groups, outputs});
  TileAccess inputAccess, weightsAccess;
  TileAccess resultAccess = pop::detail::getWholeAccess(form.loops);
  inputAccess.domain = {input.getDimSize(0), groups};
  inputAccess.dims = {{n}, {n + 1}};
  channels.addDims(inputAccess, numSpatial);
  weightsAccess.domain = {groups, outputs};
  weightsAccess.dims = {{n + 1}, {n + 2}};
  channels.addDims(weightsAccess, numSpatial);
  unsigned numOuter = inputAccess.domain.size();
  for (auto [i, window] : llvm::enumerate(windows)) {
    int64_t dim = i, region = getKernel()[i];
    int64_t regionExtent = window.dilation * (region - 1) + 1;
    inputAccess.domain.push_back(window.input);
    weightsAccess.domain.append({blocks[i], region});
    weightsAccess.dims.append({{dim}, {}});
    resultAccess.domain.push_back(window.getNumWindows());
    if (blocks[i] > 1) {
      inputAccess.dims.push_back(
          {dim, region * window.dilation,
           (window.getNumWindows() - 1) * window.stride + regionExtent});
      resultAccess.dims.push_back({});
      continue;
    }
    int64_t loop = form.loops.size();
    form.loops.push_back(window.getNumWindows());
    inputAccess.dims.push_back({loop, window.stride, regionExtent});
    resultAccess.dims.push_back({loop});
  }
  UnitLayouts layouts(input.getElementType());
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, getContext()); };
  auto getDims = [&](unsigned begin, size_t end) {
    SmallVector<AffineExpr> dims;
    for (unsigned i = begin; i < end; ++i)
      dims.push_back(dim(i));
    return dims;
  };
  // Input: n, group, [block,] channel, spatial...
  SmallVector<AffineExpr> positions =
      getDims(numOuter, inputAccess.domain.size());
  positions.insert(positions.begin(), dim(0));
  SmallVector<AffineExpr> inputOuter = {dim(1)}, weightsOuter = {dim(0)};
  auto channel = layouts.blockedInput(dim(2), channels.block);
  if (channels.areEqual()) {
    inputOuter.push_back(dim(2));
    weightsOuter.push_back(dim(2));
    channel = layouts.input(dim(3));
  }
  inputAccess.layout =
      layouts.get(inputAccess.domain.size(), inputOuter, {channel}, positions);
  // Weights: group, output, [block,] channel, kernel...
  weightsAccess.layout =
      layouts.get(weightsAccess.domain.size(), weightsOuter,
                  {layouts.column(dim(1)), channel},
                  getDims(numOuter, weightsAccess.domain.size()));
  // Result: blocks..., n, group, output, spatial...
  SmallVector<AffineExpr> outer = getDims(0, n);
  outer.push_back(dim(n + 1));
  positions = getDims(n + 3, resultAccess.domain.size());
  positions.insert(positions.begin(), dim(n));
  resultAccess.layout = layouts.get(
      resultAccess.domain.size(), outer,
      {layouts.whole(dim(n + 2), resultAccess.domain[n + 2])}, positions);
  form.inputs = {inputAccess, weightsAccess};
  form.results = {resultAccess};
  return form;
}

void ConvPartialsOp::buildCodelet(OpBuilder &builder, Location loc,
                                  ValueRange buffers, const TileForm &) {
  MLIRContext *context = builder.getContext();
  SmallVector<WindowDim> windows = pop::detail::getWindows(*this);
  unsigned numSpatial = windows.size();
  unsigned numLoops = 5 + 3 * numSpatial;
  auto dim = [&](unsigned i) { return getAffineDimExpr(i, context); };
  // Loops: kernel blocks..., channel block, n, g, o, kernel..., i, spatial...
  unsigned n = numSpatial + 1, kernelLoop = n + 3;
  AddendBlocks channels = getAddendBlocks(*this);
  SmallVector<AffineExpr> input = {dim(n), dim(n + 1)};
  SmallVector<AffineExpr> weights = {dim(n + 1), dim(n + 2)};
  for (SmallVector<AffineExpr> *map : {&input, &weights}) {
    if (channels.areEqual())
      map->push_back(dim(numSpatial));
    map->push_back(dim(kernelLoop + numSpatial));
  }
  SmallVector<AffineExpr> result;
  for (unsigned i = 0; i < kernelLoop; ++i)
    result.push_back(dim(i));
  for (auto [i, window] : llvm::enumerate(windows)) {
    AffineExpr kernel = dim(kernelLoop + i);
    AffineExpr position = dim(kernelLoop + numSpatial + 1 + i);
    input.push_back(position * window.stride + kernel * window.dilation +
                    dim(i) * (getKernel()[i] * window.dilation));
    weights.append({dim(i), kernel});
    result.push_back(position);
  }
  SmallVector<AffineMap> maps = {AffineMap::get(numLoops, 0, input, context),
                                 AffineMap::get(numLoops, 0, weights, context),
                                 AffineMap::get(numLoops, 0, result, context)};
  if (channels.areEqual())
    buildContraction(builder, loc, buffers, maps);
  else
    buildContractionOfBlocks(builder, loc, buffers, maps, channels.block,
                             /*addendDims=*/{2, 2}, /*blockDim=*/numSpatial);
}

CodeletCost ConvPartialsOp::getCodeletCost() {
  return {CodeletCostKind::Conv, ConvOp::getOperationName().substr(4),
          static_cast<int64_t>(getKernel().size()) + 1,
          getCostStride(pop::detail::getWindows(*this))};
}
