//===- StableHLOIndexingRules.cpp - Gather, scatter, convolution ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors and their types are those of Shardy's registry of rules.
//
//===----------------------------------------------------------------------===//

#include "PartialValueModels.h"
#include "RulesDetail.h"
#include "ShapeRules.h"

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::stablehlo;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::Rule;

//===----------------------------------------------------------------------===//
// Gather and scatter
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(GatherOp op, bool) {
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  ArrayRef<int64_t> in = getTensorShape(op.getOperand());
  ArrayRef<int64_t> indices = getTensorShape(op.getStartIndices());
  ArrayRef<int64_t> out = getTensorShape(op->getResult(0));
  ArrayRef<int64_t> sizes = op.getSliceSizes();
  sharding::RuleBuilder builder = makeRuleBuilder(op);

  size_t nextOffset = 0;
  for (auto [i, size] : llvm::enumerate(in)) {
    auto dim = static_cast<int64_t>(i);
    if (llvm::is_contained(numbers.getOperandBatchingDims(), dim))
      continue;
    if (llvm::is_contained(numbers.getCollapsedSliceDims(), dim)) {
      builder.addFactor({dim, kNoDim}, {kNoDim}, size,
                        size == 1 ? FactorType::NeedReplication
                                  : FactorType::Reduction);
      continue;
    }
    int64_t offset = numbers.getOffsetDims()[nextOffset++];
    if (sizes[dim] == size) {
      builder.addFactor({dim, kNoDim}, {offset}, size);
    } else if (sizes[dim] == 1) {
      builder.addFactor({dim, kNoDim}, {kNoDim}, size, FactorType::Reduction);
      builder.addFactor({kNoDim, kNoDim}, {offset}, out[offset],
                        FactorType::NeedReplication);
    } else {
      builder.addFactor({dim, kNoDim}, {offset}, size,
                        FactorType::NeedReplication, /*blocked=*/true);
    }
  }

  int64_t nextIndex = 0;
  for (auto [i, size] : llvm::enumerate(out)) {
    auto dim = static_cast<int64_t>(i);
    if (llvm::is_contained(numbers.getOffsetDims(), dim))
      continue;
    if (nextIndex == numbers.getIndexVectorDim())
      ++nextIndex;
    const auto *it =
        llvm::find(numbers.getStartIndicesBatchingDims(), nextIndex);
    int64_t from =
        it == numbers.getStartIndicesBatchingDims().end()
            ? kNoDim
            : numbers.getOperandBatchingDims()
                  [it - numbers.getStartIndicesBatchingDims().begin()];
    builder.addFactor({from, nextIndex++}, {dim}, size);
  }
  int64_t vector = numbers.getIndexVectorDim();
  if (vector < static_cast<int64_t>(indices.size()))
    builder.addFactor({kNoDim, vector}, {kNoDim}, indices[vector],
                      FactorType::NeedReplication);
  return builder.build();
}

/// Whether shards of the updates can be applied apart and then be combined: the
/// update computation is a sum, product, maximum or minimum of what is there
/// and what comes.
static bool isCombinable(ScatterOp op) {
  Block &body = op.getUpdateComputation().front();
  unsigned count = op.getInputs().size();
  for (auto [i, value] : llvm::enumerate(body.getTerminator()->getOperands())) {
    Operation *combiner = value.getDefiningOp();
    if (!combiner)
      return false;
    bool isBool = getElementTypeOrSelf(value.getType()).isInteger(1);
    if (!isa<AddOp, MulOp, MaxOp, MinOp>(combiner) &&
        !(isBool && isa<AndOp, OrOp>(combiner)))
      return false;
    Value old = body.getArgument(i), update = body.getArgument(count + i);
    ValueRange operands = combiner->getOperands();
    if (!(operands[0] == old && operands[1] == update) &&
        !(operands[0] == update && operands[1] == old))
      return false;
  }
  return true;
}

static std::optional<Rule> getRule(ScatterOp op, bool) {
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  unsigned count = op.getInputs().size();
  ArrayRef<int64_t> in = getTensorShape(op.getInputs().front());
  ArrayRef<int64_t> indices = getTensorShape(op.getScatterIndices());
  ArrayRef<int64_t> updates = getTensorShape(op.getUpdates().front());
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  auto add = [&](int64_t input, int64_t index, int64_t update, int64_t size,
                 FactorType type = FactorType::PassThrough) {
    SmallVector<int64_t> operandDims(count, input);
    operandDims.push_back(index);
    operandDims.append(count, update);
    builder.addFactor(operandDims, SmallVector<int64_t>(count, input), size,
                      type);
  };

  FactorType batchType =
      isCombinable(op) ? FactorType::Reduction : FactorType::NeedReplication;
  size_t nextWindow = 0;
  for (auto [i, size] : llvm::enumerate(in)) {
    auto dim = static_cast<int64_t>(i);
    if (llvm::is_contained(numbers.getInputBatchingDims(), dim))
      continue;
    if (llvm::is_contained(numbers.getInsertedWindowDims(), dim)) {
      add(dim, kNoDim, kNoDim, size);
      continue;
    }
    int64_t window = numbers.getUpdateWindowDims()[nextWindow++];
    if (updates[window] == size) {
      add(dim, kNoDim, window, size);
    } else {
      add(dim, kNoDim, kNoDim, size, FactorType::NeedReplication);
      add(kNoDim, kNoDim, window, updates[window], FactorType::NeedReplication);
    }
  }

  int64_t nextIndex = 0;
  for (auto [i, size] : llvm::enumerate(updates)) {
    auto dim = static_cast<int64_t>(i);
    if (llvm::is_contained(numbers.getUpdateWindowDims(), dim))
      continue;
    if (nextIndex == numbers.getIndexVectorDim())
      ++nextIndex;
    const auto *it =
        llvm::find(numbers.getScatterIndicesBatchingDims(), nextIndex);
    if (it == numbers.getScatterIndicesBatchingDims().end())
      add(kNoDim, nextIndex, dim, size, batchType);
    else
      add(numbers.getInputBatchingDims()
              [it - numbers.getScatterIndicesBatchingDims().begin()],
          nextIndex, dim, size);
    ++nextIndex;
  }
  int64_t vector = numbers.getIndexVectorDim();
  if (vector < static_cast<int64_t>(indices.size()))
    add(kNoDim, vector, kNoDim, indices[vector], FactorType::NeedReplication);
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Convolution
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(ConvolutionOp op, bool conservative) {
  ConvDimensionNumbersAttr dims = op.getDimensionNumbers();
  ArrayRef<int64_t> lhs = getTensorShape(op.getLhs());
  ArrayRef<int64_t> rhs = getTensorShape(op.getRhs());
  ArrayRef<int64_t> out = getTensorShape(op.getResult());
  auto batchGroups = static_cast<int64_t>(op.getBatchGroupCount());
  auto featureGroups = static_cast<int64_t>(op.getFeatureGroupCount());
  int64_t kernelOut = dims.getKernelOutputFeatureDimension();
  int64_t outFeature = dims.getOutputFeatureDimension();
  sharding::RuleBuilder builder = makeRuleBuilder(op);

  if (batchGroups > 1)
    builder.addFactor({dims.getInputBatchDimension(), kernelOut}, {outFeature},
                      batchGroups);
  builder.addFactor({dims.getInputBatchDimension(), kNoDim},
                    {dims.getOutputBatchDimension()},
                    out[dims.getOutputBatchDimension()]);

  if (!conservative)
    for (auto [in, kernel, result] :
         llvm::zip_equal(dims.getInputSpatialDimensions(),
                         dims.getKernelSpatialDimensions(),
                         dims.getOutputSpatialDimensions()))
      for (sdy::SpatialFactor factor :
           sdy::getSpatialFactors(lhs[in], rhs[kernel], out[result]))
        builder.addFactor({in, factor.isWindows ? kNoDim : kernel},
                          {factor.isWindows ? result : kNoDim}, factor.size,
                          factor.getType());

  if (featureGroups > 1)
    builder.addFactor({dims.getInputFeatureDimension(), kernelOut},
                      {outFeature}, featureGroups);
  int64_t kernelIn = dims.getKernelInputFeatureDimension();
  builder.addFactor({dims.getInputFeatureDimension(), kernelIn}, {kNoDim},
                    rhs[kernelIn], FactorType::Reduction);
  int64_t features = rhs[kernelOut] / (batchGroups * featureGroups);
  if (features > 1)
    builder.addFactor({kNoDim, kernelOut}, {outFeature}, features);
  return builder.build();
}

template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(ScatterOp op) {
  return getCombinerOf(op.getUpdateComputation().front());
}
template <>
SmallVector<unsigned> sdy::getStartsOf(ScatterOp op) {
  return getNumbers(op.getInputsMutable());
}

template <typename... OpTs>
static void attach(MLIRContext *context) {
  (sdy::attachRule<OpTs, static_cast<std::optional<Rule> (*)(OpTs, bool)>(
                             getRule)>(context),
   ...);
}

void sdy::registerStableHLOIndexingRules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, StableHLODialect *dialect) {
    if (!isOwn(dialect))
      return;
    attach<ConvolutionOp, GatherOp, ScatterOp>(context);
    attachPartialValues<LinearModel</*together=*/false>, ConvolutionOp>(
        context);
    attachPartialValues<ElementMoveModel<1>, GatherOp>(context);
  });
}
