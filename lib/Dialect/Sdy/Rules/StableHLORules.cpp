//===- StableHLORules.cpp - Rules of stablehlo ops ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Factors and their types are those of Shardy's registry of rules. The rules of
// gather, scatter and convolution are in StableHLOIndexingRules.cpp.
//
//===----------------------------------------------------------------------===//

#include "PartialValueModels.h"
#include "RulesDetail.h"
#include "ShapeRules.h"

#include "ipu-mlir/Dialect/Sdy/Rules/CustomCallRules.h"
#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::stablehlo;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::OpClass;
using sharding::Rule;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(ReshapeOp op, bool) {
  return sdy::getReshapeRule(op);
}

static std::optional<Rule> getRule(TransposeOp op, bool) {
  return sdy::getTransposeRule(op, op.getPermutation());
}

static std::optional<Rule> getRule(BroadcastInDimOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> in = op.getOperand().getType().getShape();
  for (auto [dim, size] : llvm::enumerate(op.getType().getShape())) {
    const auto *it = llvm::find(op.getBroadcastDimensions(), dim);
    int64_t from = it - op.getBroadcastDimensions().begin();
    bool isNew = it == op.getBroadcastDimensions().end() || in[from] != size;
    builder.addFactor({isNew ? kNoDim : from}, {static_cast<int64_t>(dim)},
                      size);
  }
  return builder.build();
}

static std::optional<Rule> getRule(BitcastConvertOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> in = op.getOperand().getType().getShape();
  ArrayRef<int64_t> out = op.getType().getShape();
  builder.addPointwise(in.size() < out.size() ? in : out);
  for (int64_t dim = out.size(), e = in.size(); dim < e; ++dim)
    builder.addFactor({dim}, {kNoDim}, in[dim], FactorType::NeedReplication);
  for (int64_t dim = in.size(), e = out.size(); dim < e; ++dim)
    builder.addFactor({kNoDim}, {dim}, out[dim], FactorType::NeedReplication);
  return builder.build();
}

static std::optional<Rule> getRule(ReverseOp op, bool) {
  return sdy::getMixedRule(op, FactorType::Permutation, [&](int64_t dim) {
    return llvm::is_contained(op.getDimensions(), dim);
  });
}

static std::optional<Rule> getRule(ConcatenateOp op, bool conservative) {
  return sdy::getConcatRule(op, static_cast<int64_t>(op.getDimension()),
                            conservative, [](Value value) -> Value {
                              auto slice = value.getDefiningOp<SliceOp>();
                              return slice ? slice.getOperand() : value;
                            });
}

static std::optional<Rule> getRule(SliceOp op, bool conservative) {
  return sdy::getResizeRule(op, conservative);
}

static std::optional<Rule> getRule(PadOp op, bool conservative) {
  return sdy::getResizeRule(op, conservative);
}

static std::optional<Rule> getRule(DynamicSliceOp op, bool) {
  ArrayRef<int64_t> in = op.getOperand().getType().getShape();
  return sdy::getMixedRule(
      op, FactorType::NeedReplication,
      [&](int64_t dim) { return in[dim] != op.getSliceSizes()[dim]; },
      /*blocked=*/true);
}

static std::optional<Rule> getRule(DynamicUpdateSliceOp op, bool) {
  bool isConstant = llvm::all_of(op.getStartIndices(), [](Value start) {
    return matchPattern(start, m_Constant());
  });
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  ArrayRef<int64_t> update = op.getUpdate().getType().getShape();
  for (auto [i, size] : llvm::enumerate(op.getType().getShape())) {
    auto dim = static_cast<int64_t>(i);
    if (size == update[dim]) {
      builder.addFactor(dim, size);
      continue;
    }
    dims[0] = dim;
    builder.addFactor(dims, {dim}, size);
    dims[0] = kNoDim;
    dims[1] = dim;
    builder.addFactor(dims, {kNoDim}, update[dim],
                      isConstant ? FactorType::PassThrough
                                 : FactorType::NeedReplication);
    dims[1] = kNoDim;
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Contractions and reductions
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(DotGeneralOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  DotDimensionNumbersAttr dims = op.getDotDimensionNumbers();
  ArrayRef<int64_t> lhs = op.getLhs().getType().getShape();
  ArrayRef<int64_t> rhs = op.getRhs().getType().getShape();
  int64_t out = 0;
  for (auto [l, r] : llvm::zip_equal(dims.getLhsBatchingDimensions(),
                                     dims.getRhsBatchingDimensions()))
    builder.addFactor({l, r}, {out++}, lhs[l]);
  for (int64_t l = 0, e = lhs.size(); l < e; ++l)
    if (!llvm::is_contained(dims.getLhsBatchingDimensions(), l) &&
        !llvm::is_contained(dims.getLhsContractingDimensions(), l))
      builder.addFactor({l, kNoDim}, {out++}, lhs[l]);
  for (int64_t r = 0, e = rhs.size(); r < e; ++r)
    if (!llvm::is_contained(dims.getRhsBatchingDimensions(), r) &&
        !llvm::is_contained(dims.getRhsContractingDimensions(), r))
      builder.addFactor({kNoDim, r}, {out++}, rhs[r]);
  for (auto [l, r] : llvm::zip_equal(dims.getLhsContractingDimensions(),
                                     dims.getRhsContractingDimensions()))
    builder.addFactor({l, r}, {kNoDim}, lhs[l], FactorType::Reduction);
  return builder.build();
}

static std::optional<Rule> getRule(ReduceOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  int64_t out = 0;
  for (auto [dim, size] :
       llvm::enumerate(getTensorShape(op.getInputs().front()))) {
    bool isReduced = llvm::is_contained(op.getDimensions(), dim);
    builder.addFactor(
        SmallVector<int64_t>(op->getNumOperands(), dim),
        SmallVector<int64_t>(op->getNumResults(), isReduced ? kNoDim : out),
        size, isReduced ? FactorType::Reduction : FactorType::PassThrough);
    out += isReduced ? 0 : 1;
  }
  return builder.build();
}

static std::optional<Rule> getRule(SortOp op, bool) {
  ArrayRef<int64_t> shape = getTensorShape(op.getInputs().front());
  auto rank = static_cast<int64_t>(shape.size());
  auto dimension = static_cast<int64_t>(op.getDimension());
  if (dimension < 0)
    dimension += rank;
  // Nothing else could be sharded: better not along the sorted dimension.
  bool isBlocked = true;
  for (auto [dim, size] : llvm::enumerate(shape))
    isBlocked &= static_cast<int64_t>(dim) == dimension || size == 1;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(shape)) {
    auto dim = static_cast<int64_t>(i);
    if (dim == dimension)
      builder.addFactor(dim, size, FactorType::NeedReplication, isBlocked);
    else
      builder.addFactor(dim, size);
  }
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Factors of matrices
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(CholeskyOp op, bool) {
  ArrayRef<int64_t> shape = op.getA().getType().getShape();
  auto numBatch = static_cast<int64_t>(shape.size()) - 2;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(shape)) {
    auto dim = static_cast<int64_t>(i);
    builder.addFactor(dim, size,
                      dim < numBatch ? FactorType::PassThrough
                                     : FactorType::NeedReplication);
  }
  return builder.build();
}

static std::optional<Rule> getRule(TriangularSolveOp op, bool) {
  ArrayRef<int64_t> shape = op.getB().getType().getShape();
  int64_t row = static_cast<int64_t>(shape.size()) - 2, column = row + 1;
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (int64_t dim = 0; dim < row; ++dim)
    builder.addFactor(dim, shape[dim]);
  // As in a product of `a` and the result that gives b.
  int64_t inner = op.getLeftSide() ? row : column;
  bool isTransposed = op.getTransposeA() == Transpose::TRANSPOSE ||
                      op.getTransposeA() == Transpose::ADJOINT;
  int64_t ofB = isTransposed ? row + column - inner : inner;
  auto replicate = [&](ArrayRef<int64_t> operands, int64_t result,
                       int64_t dim) {
    builder.addFactor(operands, {result}, shape[dim],
                      FactorType::NeedReplication);
  };
  for (int64_t dim : {row, column})
    if (dim == inner)
      replicate({ofB, dim}, kNoDim, dim);
    else
      replicate({kNoDim, dim}, dim, dim);
  replicate({row + column - ofB, kNoDim}, inner, inner);
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Models
//===----------------------------------------------------------------------===//

/// Null if nothing is known of the target.
static const sdy::CustomCallRule *lookupRule(Operation *op) {
  return sdy::CustomCallRules::get(*op->getDialect())
      .lookup(cast<CustomCallOp>(op).getCallTargetName());
}

namespace {
struct CustomCallModel
    : ShardingRuleOpInterface::ExternalModel<CustomCallModel, CustomCallOp> {
  std::optional<Rule> getShardingRule(Operation *op, bool conservative) const {
    const sdy::CustomCallRule *rule = lookupRule(op);
    return rule ? rule->getRule(op, conservative) : std::nullopt;
  }
  OpClass getShardingClass(Operation *op) const {
    const sdy::CustomCallRule *rule = lookupRule(op);
    return rule ? rule->opClass : OpClass::Other;
  }
};

struct BitcastConvertModel
    : ShardingRuleOpInterface::ExternalModel<BitcastConvertModel,
                                             BitcastConvertOp> {
  std::optional<Rule> getShardingRule(Operation *op, bool conservative) const {
    return getRule(cast<BitcastConvertOp>(op), conservative);
  }
  OpClass getShardingClass(Operation *op) const {
    return getTensorShape(op->getOperand(0)) == getTensorShape(op->getResult(0))
               ? OpClass::Elementwise
               : OpClass::Other;
  }
};

/// A sum of paddings that are 0 is 0.
struct PadModel : PartialValuesOpInterface::ExternalModel<PadModel, PadOp> {
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    return kind == sharding::Combiner::Sum && sdy::isZero(op->getOperand(1))
               ? PartialValueFlow::getTogether(1)
               : PartialValueFlow();
  }
};

/// Inputs, but not initial values, if that is how they are reduced: each part
/// starts from these.
struct ReduceModel
    : PartialValuesOpInterface::ExternalModel<ReduceModel, ReduceOp> {
  PartialValueFlow getPartialValueFlow(Operation *op,
                                       sharding::Combiner kind) const {
    return cast<ShardingRuleOpInterface>(op).getCombiner() == kind &&
                   sdy::getAddedOnce(op).empty()
               ? PartialValueFlow::getTogether(op->getNumOperands() / 2)
               : PartialValueFlow();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(ReduceOp op) {
  return getCombinerOf(op.getBody().front());
}
template <>
SmallVector<unsigned> sdy::getStartsOf(ReduceOp op) {
  return getNumbers(op.getInitValuesMutable());
}

template <OpClass opClass, sdy::OfConstants ofConstants, typename... OpTs>
static void attach(MLIRContext *context) {
  (sdy::attachRule<OpTs,
                   static_cast<std::optional<Rule> (*)(OpTs, bool)>(getRule),
                   opClass, ofConstants>(context),
   ...);
}

static void attachPartialValueModels(MLIRContext *context) {
  using sharding::Combiner;
  using namespace sdy;
  attachPartialValues<CombinerModel<Combiner::Sum>, AddOp>(context);
  attachPartialValues<CombinerModel<Combiner::Max>, MaxOp>(context);
  attachPartialValues<CombinerModel<Combiner::Min>, MinOp>(context);
  attachPartialValues<LinearModel</*together=*/true>, SubtractOp, NegOp>(
      context);
  attachPartialValues<LinearModel</*together=*/false>, MulOp, DotGeneralOp>(
      context);
  attachPartialValues<ElementMoveModel<1>, SliceOp, ReverseOp, DynamicSliceOp>(
      context);
  attachPartialValues<ElementMoveModel<2>, DynamicUpdateSliceOp>(context);
  attachPartialValues<ElementMoveModel<kAllOperands>, ConcatenateOp>(context);
  attachPartialValues<DivisionModel, DivOp>(context);
  attachPartialValues<SelectModel, SelectOp>(context);
  attachPartialValues<ConversionModel, ConvertOp>(context);
  PadOp::attachInterface<PadModel>(*context);
  ReduceOp::attachInterface<ReduceModel>(*context);
}

void sdy::registerStableHLORules(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, StableHLODialect *dialect) {
    if (!isOwn(dialect))
      return;
    attachToOps<ElementwiseModel>(dialect, [](RegisteredOperationName name) {
      return name.hasTrait<OpTrait::Elementwise>();
    });
    // Elementwise too, but for operands that may be scalars.
    ClampOp::attachInterface<ElementwiseModel>(*context);
    SelectOp::attachInterface<ElementwiseModel>(*context);
    BitcastConvertOp::attachInterface<BitcastConvertModel>(*context);
    CustomCallRules::get(*dialect); // Before threads ask for it.
    CustomCallOp::attachInterface<CustomCallModel>(*context);
    attach<OpClass::Broadcast, OfConstants::IsConstant, BroadcastInDimOp>(
        context);
    attach<OpClass::PassThrough, OfConstants::IsConstant, ReshapeOp>(context);
    attach<OpClass::PassThrough, OfConstants::IsValue, TransposeOp>(context);
    attach<OpClass::Slice, OfConstants::IsValue, DynamicSliceOp,
           DynamicUpdateSliceOp>(context);
    attach<OpClass::Other, OfConstants::IsConstant, SliceOp>(context);
    attach<OpClass::Other, OfConstants::IsValue, CholeskyOp, ConcatenateOp,
           DotGeneralOp, PadOp, ReduceOp, ReverseOp, SortOp, TriangularSolveOp>(
        context);
    attachPartialValueModels(context);
  });
}
