//===- PopRules.cpp - Rules of pop ops ------------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of the corresponding StableHLO ops, so that a program has
// the same shardings in both dialects.
//
//===----------------------------------------------------------------------===//

#include "PartialValueModels.h"
#include "RulesDetail.h"
#include "ShapeRules.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/PopUtils.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::OpClass;
using sharding::Rule;

//===----------------------------------------------------------------------===//
// Views and moves
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(pop::ReshapeOp op, bool) {
  return sdy::getReshapeRule(op);
}

static std::optional<Rule> getRule(pop::TransposeOp op, bool) {
  return getTransposeRule(op, op.getPermutation());
}

static std::optional<Rule> getRule(pop::ExpandOp op, bool) {
  return getBroadcastRule(op);
}

static std::optional<Rule> getRule(pop::SliceOp op, bool conservative) {
  ArrayRef<int64_t> in = getTensorShape(op.getInput());
  auto isSliced = [&](int64_t dim) { return op.getSizes()[dim] != in[dim]; };
  // A dimension that is whole but has a negative step is reversed; halos do not
  // suffice for that in any mode.
  auto isSpecial = [&](int64_t dim) {
    return isSliced(dim) || (in[dim] > 1 && op.getSteps()[dim] != 1);
  };
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [dim, size] : llvm::enumerate(in))
    builder.addFactor(dim, size,
                      isSpecial(dim) ? FactorType::Permutation
                                     : FactorType::PassThrough,
                      conservative && isSliced(dim));
  return builder.build();
}

static std::optional<Rule> getRule(pop::PadOp op, bool conservative) {
  return getResizeRule(op, conservative);
}

static std::optional<Rule> getRule(pop::ConcatOp op, bool conservative) {
  return getConcatRule(op, static_cast<int64_t>(op.getAxis()), conservative,
                       [](Value value) -> Value {
                         auto slice = value.getDefiningOp<pop::SliceOp>();
                         return slice ? slice.getInput() : value;
                       });
}

/// result[b..., i..., e...] = table[b..., indices[b..., i...], e...]
static std::optional<Rule> getRule(pop::GatherOp op, bool) {
  ArrayRef<int64_t> table = getTensorShape(op.getTable());
  ArrayRef<int64_t> indices = getTensorShape(op.getIndices());
  auto batchDims = static_cast<int64_t>(op.getBatchDims());
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  int64_t rows = table[batchDims];
  builder.addFactor({batchDims, kNoDim}, {kNoDim}, rows,
                    rows == 1 ? FactorType::NeedReplication
                              : FactorType::Reduction);
  int64_t offset = static_cast<int64_t>(indices.size()) - batchDims - 1;
  for (int64_t dim = batchDims + 1, e = table.size(); dim < e; ++dim)
    builder.addFactor({dim, kNoDim}, {dim + offset}, table[dim]);
  for (int64_t dim = 0, e = indices.size(); dim < e; ++dim)
    builder.addFactor({dim < batchDims ? dim : kNoDim, dim}, {dim},
                      indices[dim]);
  return builder.build();
}

static std::optional<Rule> getRule(pop::DynamicSliceOp op, bool) {
  ArrayRef<int64_t> out = op.getType().getShape();
  ArrayRef<int64_t> in = getTensorShape(op.getInput());
  return getMixedRule(
      op, FactorType::NeedReplication,
      [&](int64_t dim) { return in[dim] != out[dim]; }, /*blocked=*/true);
}

static std::optional<Rule> getRule(pop::DynamicUpdateOp op, bool) {
  bool isConstant = matchPattern(op.getStart(), m_Constant());
  ArrayRef<int64_t> update = getTensorShape(op.getUpdate());
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(op.getType().getShape())) {
    auto dim = static_cast<int64_t>(i);
    if (size == update[dim]) {
      builder.addFactor({dim, dim, kNoDim}, {dim}, size);
      continue;
    }
    builder.addFactor({dim, kNoDim, kNoDim}, {dim}, size);
    builder.addFactor({kNoDim, dim, kNoDim}, {kNoDim}, update[dim],
                      isConstant ? FactorType::PassThrough
                                 : FactorType::NeedReplication);
  }
  return builder.build();
}

/// Operand i goes with result i.
static std::optional<Rule> getRule(pop::IpuCopyOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  for (auto [i, input] : llvm::enumerate(op.getInputs())) {
    for (auto [dim, size] : llvm::enumerate(getTensorShape(input))) {
      dims[i] = static_cast<int64_t>(dim);
      builder.addFactor(dims, dims, size);
    }
    dims[i] = kNoDim;
  }
  return builder.build();
}

static std::optional<Rule> getRule(pop::IoTileCopyOp op, bool) {
  return getBroadcastRule(op);
}

static std::optional<Rule> getRule(pop::StopGradientOp op, bool) {
  return getBroadcastRule(op);
}

/// input[b..., r, e...], indices[b..., i...], updates[b..., i..., e...]. Shards
/// of the updates can be applied apart, but for `replace`, where the last one
/// counts.
static std::optional<Rule> getRule(pop::ScatterOp op, bool) {
  ArrayRef<int64_t> in = getTensorShape(op.getInput());
  ArrayRef<int64_t> indices = getTensorShape(op.getIndices());
  auto batchDims = static_cast<int64_t>(op.getBatchDims());
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  builder.addFactor({batchDims, kNoDim, kNoDim}, {batchDims}, in[batchDims]);
  int64_t offset = static_cast<int64_t>(indices.size()) - batchDims - 1;
  for (int64_t dim = batchDims + 1, e = in.size(); dim < e; ++dim)
    builder.addFactor({dim, kNoDim, dim + offset}, {dim}, in[dim]);
  FactorType updateType = op.getKind() == pop::ScatterKind::Replace
                              ? FactorType::NeedReplication
                              : FactorType::Reduction;
  for (int64_t dim = 0, e = indices.size(); dim < e; ++dim)
    if (dim < batchDims)
      builder.addFactor({dim, dim, dim}, {dim}, indices[dim]);
    else
      builder.addFactor({kNoDim, dim, dim}, {kNoDim}, indices[dim], updateType);
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Contractions, reductions, windows
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(pop::MatmulOp op, bool) {
  return getMatmulRule(op,
                       op.getAcc() ? std::optional<unsigned>(2) : std::nullopt);
}

/// input [N, G*I, spatial...], weights [G*O, I, kernel...]. As in StableHLO,
/// zeros between elements of the input change nothing.
static std::optional<Rule> getRule(pop::ConvOp op, bool conservative) {
  ArrayRef<int64_t> in = getTensorShape(op.getInput());
  ArrayRef<int64_t> weights = getTensorShape(op.getWeights());
  ArrayRef<int64_t> out = getTensorShape(op.getResult());
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  auto add = [&](int64_t input, int64_t weight, int64_t result, int64_t size,
                 FactorType type = FactorType::PassThrough) {
    SmallVector<int64_t> dims = {input, weight};
    if (op.getAcc())
      dims.push_back(result);
    builder.addFactor(dims, {result}, size, type);
  };

  add(0, kNoDim, 0, out[0]);
  for (int64_t dim = 2, e = in.size(); dim < e && !conservative; ++dim)
    for (SpatialFactor factor :
         getSpatialFactors(in[dim], weights[dim], out[dim]))
      add(dim, factor.isWindows ? kNoDim : dim, factor.isWindows ? dim : kNoDim,
          factor.size, factor.getType());

  auto groups = static_cast<int64_t>(op.getGroups());
  if (groups > 1)
    add(1, 0, 1, groups);
  add(1, 1, kNoDim, weights[1], FactorType::Reduction);
  if (weights[0] / groups > 1)
    add(kNoDim, 0, 1, weights[0] / groups);
  return builder.build();
}

static std::optional<Rule> getRule(pop::ReduceOp op, bool) {
  return getReduceRule(op, op.getAxes(), op.getKeepDims());
}

/// Pairs along the axes are compared, so that no tile has a part of an axis.
static std::optional<Rule> getRule(pop::ArgReduceOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  int64_t resultDim = 0;
  for (auto [i, size] : llvm::enumerate(getTensorShape(op.getValues()))) {
    auto dim = static_cast<int64_t>(i);
    bool isReduced = llvm::is_contained(op.getAxes(), dim);
    int64_t kept = isReduced && !op.getKeepDims() ? kNoDim : resultDim++;
    if (isReduced)
      builder.addFactor({dim, dim}, {kNoDim, kNoDim}, size,
                        FactorType::NeedReplication);
    else
      builder.addFactor({dim, dim}, {kept, kept}, size);
  }
  return builder.build();
}

static std::optional<Rule> getRule(pop::SortOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(op.getInputType(0).getShape())) {
    auto dim = static_cast<int64_t>(i);
    bool isSorted = dim == static_cast<int64_t>(op.getAxis());
    builder.addFactor(dim, size,
                      isSorted ? FactorType::NeedReplication
                               : FactorType::PassThrough,
                      /*blocked=*/isSorted);
  }
  return builder.build();
}

/// Whether windows over a dimension are more than its elements.
static bool isMoved(const pop::WindowDim &window) {
  return window.kernel != 1 || window.stride != 1 || window.padLow != 0 ||
         window.padHigh != 0;
}

static std::optional<Rule>
getPoolRule(Operation *op, const pop::WindowAttrs &attrs, bool conservative) {
  SmallVector<pop::WindowDim> windows = pop::getWindowDims(
      getTensorShape(op->getOperand(0)).drop_front(2), attrs);
  return getWindowRule(op, conservative, [&](int64_t dim) {
    return dim >= 2 && isMoved(windows[dim - 2]);
  });
}

/// The source has the windows of a pool, the result what the pool reads.
static std::optional<Rule> getRule(pop::SelectAndScatterOp op,
                                   bool conservative) {
  SmallVector<pop::WindowDim> windows =
      pop::getWindowDims(getTensorShape(op.getOperand()).drop_front(2),
                         {op.getKernel(), op.getStrides(), op.getDilations(),
                          op.getPads(), op.getCeilMode()});
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op.getSource()))) {
    auto dim = static_cast<int64_t>(i);
    bool moved = dim >= 2 && isMoved(windows[dim - 2]);
    builder.addFactor({dim, dim}, {dim}, size,
                      moved ? FactorType::Permutation : FactorType::PassThrough,
                      conservative && moved);
  }
  return builder.build();
}

static std::optional<Rule> getRule(pop::ReduceWindowOp op, bool conservative) {
  return getPoolRule(op,
                     {op.getKernel(), op.getStrides(), op.getDilations(),
                      /*pads=*/{}, /*ceilMode=*/false},
                     conservative);
}

template <typename PoolOp>
static std::optional<Rule> getRule(PoolOp op, bool conservative) {
  return getPoolRule(op,
                     {op.getKernel(), op.getStrides(), op.getDilations(),
                      op.getPads(), op.getCeilMode()},
                     conservative);
}

//===----------------------------------------------------------------------===//
// Normalisations
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(pop::SoftmaxOp op, bool) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return getMixedRule(op, FactorType::NeedReplication,
                      [axis](int64_t dim) { return dim == axis; });
}

static std::optional<Rule> getRule(pop::BatchNormOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op.getInput()))) {
    auto dim = static_cast<int64_t>(i);
    // The channel is the one dimension of scale, bias, mean and variance.
    SmallVector<int64_t> dims(op->getNumOperands(), dim == 1 ? 0 : kNoDim);
    dims[0] = dim;
    builder.addFactor(dims, {dim}, size);
  }
  return builder.build();
}

/// The statistics are those of all elements of a channel.
static std::optional<Rule> getRule(pop::BatchNormTrainingOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op.getInput()))) {
    auto dim = static_cast<int64_t>(i);
    int64_t channel = dim == 1 ? 0 : kNoDim;
    builder.addFactor({dim, channel, channel}, {dim, channel, channel}, size,
                      dim == 1 ? FactorType::PassThrough
                               : FactorType::NeedReplication);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Losses
//===----------------------------------------------------------------------===//

/// Sums of shards are summed; a mean is divided by what all shards count.
static FactorType getLossFactor(pop::LossReduction reduction) {
  switch (reduction) {
  case pop::LossReduction::None:
    return FactorType::PassThrough;
  case pop::LossReduction::Sum:
    return FactorType::Reduction;
  case pop::LossReduction::Mean:
    return FactorType::NeedReplication;
  }
  llvm_unreachable("unknown reduction of losses");
}

/// All operands have the shape of the losses.
static Rule getElementLossRule(Operation *op, pop::LossReduction reduction) {
  bool isReduced = reduction != pop::LossReduction::None;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op->getOperand(0)))) {
    auto dim = static_cast<int64_t>(i);
    SmallVector<int64_t> dims(op->getNumOperands(), dim);
    builder.addFactor(dims, {isReduced ? kNoDim : dim}, size,
                      getLossFactor(reduction));
  }
  return builder.build();
}

static std::optional<Rule> getRule(pop::L1LossOp op, bool) {
  return getElementLossRule(op, op.getReduction());
}
static std::optional<Rule> getRule(pop::L2LossOp op, bool) {
  return getElementLossRule(op, op.getReduction());
}
static std::optional<Rule> getRule(pop::BinaryCrossEntropyLossOp op, bool) {
  return getElementLossRule(op, op.getReduction());
}
static std::optional<Rule> getRule(pop::IdentityLossOp op, bool) {
  return getElementLossRule(op, op.getReduction());
}

/// input [N, C, d...], labels [N, d...], weights [C], losses [N, d...]
static Rule getLabelLossRule(Operation *op, pop::LossReduction reduction) {
  bool isReduced = reduction != pop::LossReduction::None;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  for (auto [i, size] : llvm::enumerate(getTensorShape(op->getOperand(0)))) {
    auto dim = static_cast<int64_t>(i);
    dims[0] = dim;
    if (dim == 1) {
      // Labels count classes from the first one of all.
      SmallVector<int64_t> classes(op->getNumOperands(), 0);
      classes[0] = dim;
      classes[1] = kNoDim;
      builder.addFactor(classes, {kNoDim}, size, FactorType::NeedReplication);
      continue;
    }
    dims[1] = dim == 0 ? 0 : dim - 1;
    builder.addFactor(dims, {isReduced ? kNoDim : dims[1]}, size,
                      getLossFactor(reduction));
  }
  return builder.build();
}

static std::optional<Rule> getRule(pop::NllLossOp op, bool) {
  return getLabelLossRule(op, op.getReduction());
}
static std::optional<Rule> getRule(pop::CrossEntropyLossOp op, bool) {
  return getLabelLossRule(op, op.getReduction());
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

template <>
SmallVector<unsigned> sdy::getStartsOf(pop::MatmulOp op) {
  return getNumbers(op.getAccMutable());
}
template <>
SmallVector<unsigned> sdy::getStartsOf(pop::ConvOp op) {
  return getNumbers(op.getAccMutable());
}
template <>
SmallVector<unsigned> sdy::getStartsOf(pop::ScatterOp op) {
  return getNumbers(op.getInputMutable());
}
template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(pop::ScatterOp op) {
  switch (op.getKind()) {
  case pop::ScatterKind::Add:
    return sharding::Combiner::Sum;
  case pop::ScatterKind::Max:
    return sharding::Combiner::Max;
  case pop::ScatterKind::Min:
    return sharding::Combiner::Min;
  default:
    return std::nullopt;
  }
}
template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(pop::ReduceOp op) {
  switch (op.getKind()) {
  case pop::ReduceKind::Sum:
    return sharding::Combiner::Sum;
  case pop::ReduceKind::Max:
    return sharding::Combiner::Max;
  case pop::ReduceKind::Min:
    return sharding::Combiner::Min;
  default:
    return std::nullopt;
  }
}

template <OpClass opClass, OfConstants ofConstants, typename... OpTs>
static void attach(MLIRContext *context) {
  (attachRule<OpTs, static_cast<std::optional<Rule> (*)(OpTs, bool)>(getRule),
              opClass, ofConstants>(context),
   ...);
}

namespace {
/// Products are linear in each factor, unless they are added to `acc`.
template <typename OpT>
struct ProductModel
    : PartialValuesOpInterface::ExternalModel<ProductModel<OpT>, OpT> {
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    return kind == sharding::Combiner::Sum && !cast<OpT>(op).getAcc()
               ? PartialValueFlow::getOneByOne(2)
               : PartialValueFlow();
  }
};

/// A sum of paddings that are 0 is 0.
struct PopPadModel
    : PartialValuesOpInterface::ExternalModel<PopPadModel, pop::PadOp> {
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    Attribute value = cast<pop::PadOp>(op).getValue();
    bool isZero =
        matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero());
    return kind == sharding::Combiner::Sum && isZero
               ? PartialValueFlow::getTogether(1)
               : PartialValueFlow();
  }
};

struct PopReduceModel
    : PartialValuesOpInterface::ExternalModel<PopReduceModel, pop::ReduceOp> {
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    return getCombinerOf(cast<pop::ReduceOp>(op)) == kind
               ? PartialValueFlow::getTogether(1)
               : PartialValueFlow();
  }
};
} // namespace

/// As of the corresponding StableHLO ops.
static void attachPartialValueModels(MLIRContext *context) {
  using sharding::Combiner;
  using namespace pop;
  attachPartialValues<CombinerModel<Combiner::Sum>, AddOp, SumOp>(context);
  attachPartialValues<CombinerModel<Combiner::Max>, MaxOp>(context);
  attachPartialValues<CombinerModel<Combiner::Min>, MinOp>(context);
  attachPartialValues<LinearModel</*together=*/true>, SubOp, NegOp>(context);
  attachPartialValues<LinearModel</*together=*/false>, MulOp>(context);
  attachPartialValues<DivisionModel, DivOp>(context);
  attachPartialValues<SelectModel, SelectOp>(context);
  attachPartialValues<ConversionModel, CastOp>(context);
  attachPartialValues<ElementMoveModel<1>, DynamicSliceOp, GatherOp, SliceOp>(
      context);
  attachPartialValues<ElementMoveModel<2>, DynamicUpdateOp>(context);
  attachPartialValues<ElementMoveModel<kAllOperands>, ConcatOp>(context);
  ConvOp::attachInterface<ProductModel<ConvOp>>(*context);
  MatmulOp::attachInterface<ProductModel<MatmulOp>>(*context);
  PadOp::attachInterface<PopPadModel>(*context);
  ReduceOp::attachInterface<PopReduceModel>(*context);
}

void sdy::registerPopRules(DialectRegistry &registry) {
  using namespace pop;
  registry.addExtension(+[](MLIRContext *context, PopDialect *dialect) {
    if (!isOwn(dialect))
      return;
    attachToOps<ElementwiseModel>(dialect, [](RegisteredOperationName name) {
      return name.hasTrait<OpTrait::Elementwise>() ||
             name.hasTrait<pop::Broadcasting>();
    });
    attach<OpClass::PassThrough, OfConstants::IsConstant, ReshapeOp>(context);
    attach<OpClass::PassThrough, OfConstants::IsValue, IoTileCopyOp, IpuCopyOp,
           StopGradientOp, TransposeOp>(context);
    attach<OpClass::Slice, OfConstants::IsValue, DynamicSliceOp,
           DynamicUpdateOp>(context);
    attach<OpClass::Broadcast, OfConstants::IsConstant, ExpandOp>(context);
    attach<OpClass::Other, OfConstants::IsConstant, SliceOp>(context);
    attach<OpClass::Other, OfConstants::IsValue, ArgReduceOp, AvgPoolOp,
           BatchNormOp, BatchNormTrainingOp, BinaryCrossEntropyLossOp, ConcatOp,
           ConvOp, CrossEntropyLossOp, GatherOp, IdentityLossOp, L1LossOp,
           L2LossOp, MatmulOp, MaxPoolOp, NllLossOp, PadOp, ReduceOp,
           ReduceWindowOp, ScatterOp, SelectAndScatterOp, SoftmaxOp, SortOp>(
        context);
    attachPartialValueModels(context);
  });
}
