//===- PopContractionCodelets.cpp - Codelets of contractions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Dialect/Utils/StructuredOpsUtils.h"

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::CodeletCost;
using mlir::ipu::CodeletCostKind;
using mlir::ipu::TileAccess;
using mlir::ipu::TileForm;

/// Builds `output = acc`, or 0 without that buffer, then `output += lhs * rhs`
/// over the loops of the maps, by fused multiply-adds. Loops with an expression
/// in the last map are parallel. Loops run in the order of their numbers, hence
/// each output adds its products in row-major order of the others.
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

//===----------------------------------------------------------------------===//
// MatmulOp
//===----------------------------------------------------------------------===//

/// How many matrices a tensor of rank 2 or more is a batch of.
static int64_t getBatch(RankedTensorType type) {
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
  if (!pop::detail::isSimpleChain(lhs, result, getAccum()) || !isWhole(lhs) ||
      !isWhole(rhs))
    return failure();
  TileForm form;
  form.results = {getMatrixAccess(result, batch, 1, 2)};
  form.inputs = {getMatrixAccess(lhs, batch, 1, -1),
                 getMatrixAccess(rhs, batch, -1, 2)};
  if (getAcc())
    form.inputs.push_back(form.results.front());
  form.loops = form.results.front().domain;
  return form;
}

void MatmulOp::buildCodelet(OpBuilder &builder, Location loc,
                            ValueRange buffers) {
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
// ConvOp
//===----------------------------------------------------------------------===//

SmallVector<WindowDim> pop::detail::getWindows(ConvOp op) {
  return getWindowDims(op.getInput().getType().getShape().drop_front(2),
                       {op.getWeights().getType().getShape().drop_front(2),
                        op.getStrides(), op.getDilations(), op.getPads()});
}

FailureOr<TileForm> ConvOp::getTileForm(ArrayRef<int64_t>) {
  RankedTensorType input = getInput().getType();
  RankedTensorType weights = getWeights().getType(), result = getType();
  if (!pop::detail::isSimpleChain(input, result, getAccum()) ||
      llvm::any_of(getPads(), [](int64_t pad) { return pad != 0; }))
    return failure();
  int64_t groups = getGroups();
  int64_t outputs = weights.getDimSize(0) / groups;
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
  form.inputs = {inputAccess, weightsAccess};
  if (getAcc())
    form.inputs.push_back(resultAccess);
  form.results = {resultAccess};
  return form;
}

void ConvOp::buildCodelet(OpBuilder &builder, Location loc,
                          ValueRange buffers) {
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
  return pop::detail::getCost(*this, CodeletCostKind::Conv);
}
