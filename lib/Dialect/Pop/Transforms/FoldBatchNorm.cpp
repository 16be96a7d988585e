//===- FoldBatchNorm.cpp - Batch normalizations in convolutions -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: pop.batch_norm of a pop.conv, or of the sum of a pop.conv and a bias,
// with constant statistics and weights. Out: a pop.conv with other weights, and
// the sum of it and another bias.
//
//===----------------------------------------------------------------------===//

#include "ConstantFloats.h"

#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"
#include <cmath>

namespace mlir::pop {
#define GEN_PASS_DEF_FOLDBATCHNORMPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

using Floats = std::optional<std::vector<double>>;

/// Returns the elements of `value` if it is a constant.
static Floats getConstantFloats(Value value) {
  ElementsAttr elements;
  return matchPattern(value, m_Constant(&elements)) ? getFloats(elements)
                                                    : std::nullopt;
}

/// Returns one float for each of `channels` channels of `y` if `value`, which
/// is added to `y`, is such a constant.
static Floats getBias(Value value, RankedTensorType y, int64_t channels) {
  auto type = cast<RankedTensorType>(value.getType());
  int64_t channelDim = type.getRank() - (y.getRank() - 1);
  for (auto [i, size] : llvm::enumerate(type.getShape()))
    if (size != 1 && static_cast<int64_t>(i) != channelDim)
      return std::nullopt;
  Floats bias = getConstantFloats(value);
  if (bias && bias->size() == 1)
    bias->resize(channels, bias->front());
  return bias;
}

namespace {
/// The operand of a normalization: a convolution, and a bias for each channel.
struct BiasedConv {
  ConvOp conv;
  std::vector<double> bias;
};
} // namespace

/// Returns the convolution that computes `value`, or null. Nothing else may use
/// it.
static ConvOp getConv(Value value) {
  auto conv = value.getDefiningOp<ConvOp>();
  return conv && conv->hasOneUse() && !conv.getAcc() ? conv : ConvOp();
}

static std::optional<BiasedConv> getBiasedConv(Value value, int64_t channels) {
  if (ConvOp conv = getConv(value))
    return BiasedConv{conv, std::vector<double>(channels)};
  auto add = value.getDefiningOp<AddOp>();
  if (!add || !add->hasOneUse())
    return std::nullopt;
  for (auto [operand, other] : {std::pair(add.getLhs(), add.getRhs()),
                                std::pair(add.getRhs(), add.getLhs())}) {
    ConvOp conv = getConv(operand);
    if (!conv || conv.getType() != add.getType())
      continue;
    if (Floats bias = getBias(other, conv.getType(), channels))
      return BiasedConv{conv, std::move(*bias)};
  }
  return std::nullopt;
}

namespace {
struct FoldPattern : OpRewritePattern<BatchNormOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(BatchNormOp norm,
                                PatternRewriter &rewriter) const override {
    int64_t channels = norm.getScale().getType().getDimSize(0);
    std::optional<BiasedConv> operand =
        getBiasedConv(norm.getInput(), channels);
    if (!operand || norm.getCompute())
      return rewriter.notifyMatchFailure(
          norm, "expects a convolution that nothing else uses");
    Floats scale = getConstantFloats(norm.getScale());
    Floats bias = getConstantFloats(norm.getBias());
    Floats mean = getConstantFloats(norm.getMean());
    Floats variance = getConstantFloats(norm.getVariance());
    Floats weights = getConstantFloats(operand->conv.getWeights());
    if (!scale || !bias || !mean || !variance || !weights)
      return rewriter.notifyMatchFailure(norm, "expects constants");

    size_t perChannel = channels ? weights->size() / channels : 0;
    double epsilon = norm.getEpsilon().convertToFloat();
    for (int64_t c = 0; c < channels; ++c) {
      double factor = (*scale)[c] / std::sqrt((*variance)[c] + epsilon);
      (*bias)[c] += (operand->bias[c] - (*mean)[c]) * factor;
      for (size_t i = c * perChannel; i < (c + 1) * perChannel; ++i)
        (*weights)[i] *= factor;
    }
    replace(norm, operand->conv, *weights, *bias, rewriter);
    return success();
  }

private:
  static void replace(BatchNormOp norm, ConvOp conv, ArrayRef<double> weights,
                      ArrayRef<double> bias, PatternRewriter &rewriter) {
    RankedTensorType type = conv.getType();
    SmallVector<int64_t> shape(type.getRank() - 1, 1);
    shape.front() = static_cast<int64_t>(bias.size());
    rewriter.setInsertionPoint(conv);
    Value newWeights =
        PopBuilder(rewriter, conv)
            .constant(makeFloats(conv.getWeights().getType(), weights));
    rewriter.modifyOpInPlace(
        conv, [&] { conv.getWeightsMutable().assign(newWeights); });
    rewriter.setInsertionPoint(norm);
    PopBuilder b(rewriter, norm);
    Value added = b.constant(makeFloats(type.clone(shape), bias));
    rewriter.replaceOp(norm, b.add(conv, added));
  }
};

struct FoldBatchNorm : pop::impl::FoldBatchNormPassBase<FoldBatchNorm> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<FoldPattern>(&getContext());
    // Only unused ops are erased.
    GreedyRewriteConfig config;
    config.enableFolding(false).enableConstantCSE(false);
    config.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
    if (failed(
            applyPatternsGreedily(getOperation(), std::move(patterns), config)))
      signalPassFailure();
  }
};
} // namespace
