//===- PopAccum.cpp - Choice of orders of accumulation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses an order of accumulation for an op without such an order, by the
// rules of docs/dialects/pop.md.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "ipu-mlir/Support/ProductBlocks.h"
#include "ipu-mlir/Support/SumBlocks.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

#include "ipu-mlir/Dialect/Pop/IR/PopAccumInterface.cpp.inc"

/// Bytes of an element of a matmul or convolution as the specification counts
/// them: wide types have no matrix unit and are taken to have that of f32.
static int64_t getUnitBytes(Type element) {
  return std::clamp<int64_t>(element.getIntOrFloatBitWidth() / 8, 1, 4);
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

AccumAttr MatmulOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}

/// The order of `op`, whose sums of products are `sums`, by blocks of addends
/// and of a kernel; the default one where one chain for each output is best.
static AccumAttr chooseBlocked(AccumOpInterface op,
                               const ipu::SumsOfProducts &sums) {
  auto isEmpty = [](int64_t size) { return size < 1; };
  if (llvm::any_of(
          ArrayRef<int64_t>{sums.groups, sums.rows, sums.columns, sums.terms},
          isEmpty) ||
      llvm::any_of(sums.windows, [](const ipu::SumsOfProducts::Window &window) {
        return window.count < 1 || window.kernel < 1;
      }))
    return op.getDefaultAccum();
  ipu::ProductBlock block = chooseProductBlock(sums, AccumAttr::kMaxParts);
  if (block.count == 1 || block.terms > AccumAttr::kMaxBlock)
    return op.getDefaultAccum();
  MLIRContext *context = op->getContext();
  bool cutsKernel = llvm::any_of(
      llvm::zip_equal(sums.windows, block.kernel), [](const auto &dim) {
        return std::get<0>(dim).kernel != std::get<1>(dim);
      });
  return AccumAttr::get(
      context, AccumOrder::Blocked, block.terms, /*lanes=*/1, block.group,
      cutsKernel ? DenseI64ArrayAttr::get(context, block.kernel) : nullptr,
      /*partials=*/Type(), /*box=*/nullptr);
}

AccumAttr MatmulOp::chooseAccum() {
  ArrayRef<int64_t> lhs = getLhs().getType().getShape();
  ArrayRef<int64_t> result = getType().getShape();
  ipu::SumsOfProducts sums;
  sums.groups = computeProduct(result.drop_back(2));
  sums.rows = result[result.size() - 2];
  sums.columns = result.back();
  sums.terms = lhs.back();
  sums.elementBytes = getUnitBytes(getLhs().getType().getElementType());
  return chooseBlocked(*this, sums);
}

AccumAttr ConvOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}

AccumAttr ConvOp::chooseAccum() {
  ArrayRef<int64_t> weights = getWeights().getType().getShape();
  ipu::SumsOfProducts sums;
  sums.groups = getGroups();
  sums.rows = getInput().getType().getDimSize(0);
  sums.columns = weights[0] / sums.groups;
  sums.terms = weights[1];
  sums.elementBytes = getUnitBytes(getInput().getType().getElementType());
  for (const WindowDim &window : pop::detail::getWindows(*this))
    sums.windows.push_back({window.input, window.kernel, window.stride,
                            window.dilation, window.getNumWindows()});
  return chooseBlocked(*this, sums);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

AccumAttr pop::detail::chooseBlocks(MLIRContext *context, int64_t outputs,
                                    int64_t positions) {
  return AccumAttr::get(context, ipu::chooseReductionBlock(outputs, positions),
                        AccumAttr::kAccumLanes);
}

AccumAttr ReduceOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Blocked);
}

/// The least and the greatest number of positions of a block of the innermost
/// dimension of a tree, unless the dimension is smaller. With fewer positions,
/// the sums of blocks would have many bytes; tiles and workers could not share
/// larger blocks evenly.
static constexpr int64_t kMinTreeBlock = 24, kMaxTreeBlock = 64;
/// The number of positions of a block if no such number divides the dimension.
static constexpr int64_t kUnevenTreeBlock = 32;
/// The number of results of blocks that one chain of a tree combines, and the
/// greatest number if there are more results.
static constexpr int64_t kTreeChain = 16, kMaxTreeChain = 128;

/// Returns the size of the blocks of the innermost dimension of a tree. The
/// dimension has `size` positions. Even blocks consist of whole words of f16.
static int64_t chooseTreeBlock(int64_t size) {
  if (size <= kMaxTreeBlock)
    return std::max<int64_t>(size, 1);
  for (int64_t step : {2, 1})
    for (int64_t block = kMinTreeBlock; block <= kMaxTreeBlock; block += step)
      if (size % block == 0)
        return block;
  return kUnevenTreeBlock;
}

/// Returns the number of results that each chain of a tree combines, if the
/// innermost dimension has `blocks` blocks. Two levels of chains have about the
/// same length, and the first ones are even if possible.
static int64_t chooseTreeChain(int64_t blocks) {
  if (blocks <= kTreeChain)
    return kTreeChain;
  int64_t least = kTreeChain / 2;
  while (least * least < blocks && least < kMaxTreeChain)
    ++least;
  for (int64_t chain = least; chain <= kMaxTreeChain; ++chain)
    if (blocks % chain == 0)
      return chain;
  return least;
}

/// Returns the order of a reduction of a tensor of `shape` over `axes`: a tree
/// if the positions are in several dimensions, and otherwise blocks.
static AccumAttr chooseTree(MLIRContext *context, ArrayRef<int64_t> shape,
                            ArrayRef<int64_t> axes) {
  SmallVector<int64_t> dims;
  for (ArrayRef<int64_t> group : pop::detail::getAdjacentAxes(shape, axes)) {
    dims.push_back(1);
    for (int64_t axis : group)
      dims.back() *= shape[axis];
  }
  int64_t positions = computeProduct(dims);
  if (positions == 0 ||
      llvm::count_if(dims, [](int64_t size) { return size > 1; }) < 2)
    return pop::detail::chooseBlocks(
        context,
        computeProduct(pop::detail::getReducedShape(shape, axes,
                                                    /*keepDims=*/false)),
        positions);
  SmallVector<int64_t> box = llvm::map_to_vector(
      dims, [](int64_t size) { return std::min(size, kMaxTreeChain); });
  box.back() = chooseTreeBlock(dims.back());
  int64_t blocks = llvm::divideCeilSigned(dims.back(), box.back());
  return AccumAttr::get(context, chooseTreeChain(blocks), box);
}

AccumAttr ReduceOp::chooseAccum() {
  return chooseTree(getContext(), getInput().getType().getShape(), getAxes());
}

AccumAttr SoftmaxOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Blocked);
}

AccumAttr SoftmaxOp::chooseAccum() {
  int64_t positions = getType().getDimSize(getAxis());
  if (positions == 0)
    return getDefaultAccum();
  return pop::detail::chooseBlocks(
      getContext(), getType().getNumElements() / positions, positions);
}

AccumAttr BatchNormTrainingOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Blocked);
}

AccumAttr BatchNormTrainingOp::chooseAccum() {
  ArrayRef<int64_t> shape = getInput().getType().getShape();
  return chooseTree(getContext(), shape, pop::detail::getStatisticAxes(shape));
}

AccumAttr ReduceWindowOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}
AccumAttr ReduceWindowOp::chooseAccum() { return getDefaultAccum(); }

AccumAttr AvgPoolOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}
AccumAttr AvgPoolOp::chooseAccum() { return getDefaultAccum(); }
