//===- PopAccum.cpp - Choice of orders of accumulation ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The order that an op gets which has none. The constants belong to the
// specification: they decide the bits of results.
//
//===----------------------------------------------------------------------===//

#include "PopDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::pop;

#include "ipu-mlir/Dialect/Pop/IR/PopAccumInterface.cpp.inc"

/// Sums are cut into about as many parts as make this many with all outputs:
/// some hundred for each tile of the largest machine.
static constexpr int64_t kTargetParts = int64_t(1) << 20;
/// A part has at least so many terms,
static constexpr int64_t kMinTerms = 64;
/// and whole steps of the machine's matrix unit.
static constexpr int64_t kGrain = 16;

/// How many parts the sums of `terms` terms should have, one for each output.
static int64_t chooseNumParts(int64_t outputs, int64_t terms) {
  if (outputs < 1)
    return 1;
  int64_t most = std::max<int64_t>(terms / kMinTerms, 1);
  return std::clamp<int64_t>(llvm::divideCeilSigned(kTargetParts, outputs), 1,
                             most);
}

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

static int64_t getBlock(int64_t terms, int64_t parts) {
  return llvm::alignTo(llvm::divideCeilSigned(terms, parts), kGrain);
}

static AccumAttr getDefault(MLIRContext *context, AccumOrder order) {
  return AccumAttr::get(context, order);
}

//===----------------------------------------------------------------------===//
// Sums of products
//===----------------------------------------------------------------------===//

AccumAttr MatmulOp::getDefaultAccum() {
  return getDefault(getContext(), AccumOrder::Chain);
}

AccumAttr MatmulOp::chooseAccum() {
  int64_t terms = getLhs().getType().getShape().back();
  int64_t parts = chooseNumParts(getType().getNumElements(), terms);
  int64_t block = std::min(getBlock(terms, parts), AccumAttr::kMaxBlock);
  if (parts == 1 || block >= terms)
    return getDefaultAccum();
  return getBlocked(getContext(), block, llvm::divideCeilSigned(terms, block));
}

AccumAttr ConvOp::getDefaultAccum() {
  return getDefault(getContext(), AccumOrder::Chain);
}

/// The smallest divisor of `size` that is at least `count`.
static int64_t findDivisor(int64_t size, int64_t count) {
  while (size % count != 0)
    ++count;
  return count;
}

/// Cuts channels first. Kernel positions are cut where the kernel is larger
/// than the number of windows, as in gradients of weights: elsewhere a tile
/// would need most of the input for any part of them.
AccumAttr ConvOp::chooseAccum() {
  ArrayRef<int64_t> weights = getWeights().getType().getShape();
  int64_t channels = weights[1];
  int64_t parts = chooseNumParts(getType().getNumElements(),
                                 computeProduct(weights.drop_front()));
  if (parts == 1)
    return getDefaultAccum();
  int64_t channelParts =
      std::min(parts, std::max<int64_t>(channels / kGrain, 1));
  int64_t block = channels;
  if (channelParts > 1)
    block = std::min(
        {getBlock(channels, channelParts), channels, AccumAttr::kMaxBlock});
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

/// One block where outputs are many: lanes as wide as the machine's vectors,
/// and blocks no longer than the default ones.
static AccumAttr chooseBlocks(MLIRContext *context, int64_t outputs,
                              int64_t positions) {
  int64_t parts = chooseNumParts(outputs, positions);
  int64_t block = std::min(getBlock(positions, parts), AccumAttr::kAccumBlock);
  if (parts == 1 || block >= positions)
    return getDefault(context, AccumOrder::Blocked);
  return AccumAttr::get(context, block, AccumAttr::kAccumLanes);
}

AccumAttr ReduceOp::getDefaultAccum() {
  return getDefault(getContext(), AccumOrder::Blocked);
}

AccumAttr ReduceOp::chooseAccum() {
  int64_t positions = 1;
  for (int64_t axis : getAxes())
    positions *= getInput().getType().getDimSize(axis);
  return chooseBlocks(getContext(), getType().getNumElements(), positions);
}

AccumAttr SoftmaxOp::getDefaultAccum() {
  return getDefault(getContext(), AccumOrder::Blocked);
}

AccumAttr SoftmaxOp::chooseAccum() {
  int64_t positions = getType().getDimSize(getAxis());
  if (positions == 0)
    return getDefaultAccum();
  return chooseBlocks(getContext(), getType().getNumElements() / positions,
                      positions);
}

AccumAttr ReduceWindowOp::getDefaultAccum() {
  return getDefault(getContext(), AccumOrder::Chain);
}
AccumAttr ReduceWindowOp::chooseAccum() { return getDefaultAccum(); }

AccumAttr AvgPoolOp::getDefaultAccum() {
  return getDefault(getContext(), AccumOrder::Chain);
}
AccumAttr AvgPoolOp::chooseAccum() { return getDefaultAccum(); }
