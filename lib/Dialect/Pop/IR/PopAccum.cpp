//===- PopAccum.cpp - Choice of orders of accumulation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order that an op gets which has none, by the rules of
// docs/dialects/pop.md.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "ipu-mlir/Support/SumBlocks.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;
using ipu::chooseNumProductBlocks;
using ipu::getBlockTerms;
using ipu::kBlockGrain;

#include "ipu-mlir/Dialect/Pop/IR/PopAccumInterface.cpp.inc"

/// Up to so many parts are added one after the other.
static constexpr int64_t kMaxUngrouped = 64;

/// Groups of parts, a power of two, about as many as there are in a group.
static int64_t chooseGroup(int64_t parts) {
  if (parts <= kMaxUngrouped)
    return 0;
  int64_t group = 1;
  while (group * group < parts)
    group *= 2;
  return group;
}

static AccumAttr getBlocked(MLIRContext *context, int64_t block, int64_t parts,
                            DenseI64ArrayAttr kernel = nullptr) {
  return AccumAttr::get(context, AccumOrder::Blocked, block, /*lanes=*/1,
                        chooseGroup(parts), kernel, /*partials=*/Type());
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

AccumAttr MatmulOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}

AccumAttr MatmulOp::chooseAccum() {
  int64_t terms = getLhs().getType().getShape().back();
  int64_t parts = chooseNumProductBlocks(getType().getNumElements(), terms);
  parts = std::min(parts, AccumAttr::kMaxParts);
  int64_t block = getBlockTerms(terms, parts);
  if (parts == 1 || block >= terms || block > AccumAttr::kMaxBlock)
    return getDefaultAccum();
  return getBlocked(getContext(), block, llvm::divideCeilSigned(terms, block));
}

AccumAttr ConvOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}

/// The least divisor of `size` that is from `count` to twice that; 1 if there
/// is none.
static int64_t findDivisor(int64_t size, int64_t count) {
  for (int64_t divisor = count; divisor <= 2 * count; ++divisor)
    if (size % divisor == 0)
      return divisor;
  return 1;
}

/// Cuts channels first. Kernel positions are cut where the kernel is larger
/// than the number of windows, as in gradients of weights: elsewhere a tile
/// would need most of the input for any part of them.
AccumAttr ConvOp::chooseAccum() {
  ArrayRef<int64_t> weights = getWeights().getType().getShape();
  int64_t channels = weights[1];
  int64_t parts = chooseNumProductBlocks(getType().getNumElements(),
                                         computeProduct(weights.drop_front()));
  if (parts == 1)
    return getDefaultAccum();
  int64_t channelParts =
      std::min(parts, std::max<int64_t>(channels / kBlockGrain, 1));
  int64_t block = channels;
  if (channelParts > 1)
    block = std::min({getBlockTerms(channels, channelParts), channels,
                      AccumAttr::kMaxBlock});
  int64_t rest =
      llvm::divideCeilSigned(parts, llvm::divideCeilSigned(channels, block));
  SmallVector<int64_t> kernel(weights.drop_front(2));
  int64_t kernelParts = 1;
  for (auto [box, window] :
       llvm::zip_equal(kernel, pop::detail::getWindows(*this))) {
    if (rest == 1 || window.kernel <= window.getNumWindows())
      continue;
    int64_t count = findDivisor(window.kernel, std::min(rest, window.kernel));
    kernelParts *= count;
    box /= count;
    rest = llvm::divideCeilSigned(rest, count);
  }
  parts = kernelParts * llvm::divideCeilSigned(channels, block);
  if (parts == 1 || parts > AccumAttr::kMaxParts)
    return getDefaultAccum();
  return getBlocked(
      getContext(), block, parts,
      kernelParts > 1 ? DenseI64ArrayAttr::get(getContext(), kernel) : nullptr);
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

AccumAttr ReduceOp::chooseAccum() {
  int64_t positions = 1;
  for (int64_t axis : getAxes())
    positions *= getInput().getType().getDimSize(axis);
  return pop::detail::chooseBlocks(getContext(), getType().getNumElements(),
                                   positions);
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
  int64_t channels = getScale().getType().getNumElements();
  if (channels == 0)
    return getDefaultAccum();
  return pop::detail::chooseBlocks(
      getContext(), channels, getInput().getType().getNumElements() / channels);
}

AccumAttr ReduceWindowOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}
AccumAttr ReduceWindowOp::chooseAccum() { return getDefaultAccum(); }

AccumAttr AvgPoolOp::getDefaultAccum() {
  return AccumAttr::get(getContext(), AccumOrder::Chain);
}
AccumAttr AvgPoolOp::chooseAccum() { return getDefaultAccum(); }
