//===- TensorRules.cpp - Rules of tensor, arith, math, complex ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Slices and pads have the rules of the corresponding StableHLO ops. Dynamic
// slices and pads have the rules of StableHLO's dynamic slices.
//
//===----------------------------------------------------------------------===//

#include "PartialValueModels.h"
#include "RulesDetail.h"
#include "ShapeRules.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::OpClass;
using sharding::Rule;

//===----------------------------------------------------------------------===//
// Casts and reshapes
//===----------------------------------------------------------------------===//

static std::optional<Rule> getCastRule(Operation *op, bool) {
  if (getTensorShape(op->getOperand(0)) != getTensorShape(op->getResult(0)))
    return std::nullopt;
  return getPointwiseRule(op);
}

static std::optional<Rule> getShapeRule(Operation *op, bool) {
  return sdy::getReshapeRule(op);
}

//===----------------------------------------------------------------------===//
// Slices
//===----------------------------------------------------------------------===//

/// Whether slices are taken at places that are known.
static bool isStaticSlice(OffsetSizeAndStrideOpInterface op) {
  return !llvm::is_contained(op.getStaticOffsets(), ShapedType::kDynamic) &&
         !llvm::is_contained(op.getStaticStrides(), ShapedType::kDynamic);
}

/// Of each dimension of the large tensor that of the small one, or kNoDim if
/// the small one lacks it.
static SmallVector<int64_t> getSliceDims(const llvm::SmallBitVector &dropped) {
  SmallVector<int64_t> dims;
  int64_t next = 0;
  for (unsigned dim = 0; dim < dropped.size(); ++dim)
    dims.push_back(dropped.test(dim) ? kNoDim : next++);
  return dims;
}

/// Whether a slice has all elements of a dimension in their order.
static bool isWholeDim(OffsetSizeAndStrideOpInterface op, unsigned dim,
                       int64_t size) {
  return op.getStaticSizes()[dim] == size &&
         (size == 1 || op.getStaticStrides()[dim] == 1);
}

static std::optional<Rule> getExtractSliceRule(tensor::ExtractSliceOp op,
                                               bool conservative) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  bool isStatic = isStaticSlice(op);
  FactorType partType =
      isStatic ? FactorType::Permutation : FactorType::NeedReplication;
  SmallVector<int64_t> outDims = getSliceDims(op.getDroppedDims());
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  for (auto [dim, size] : llvm::enumerate(op.getSourceType().getShape())) {
    dims[0] = dim;
    if (isWholeDim(op, dim, size))
      builder.addFactor(dims, {outDims[dim]}, size);
    else
      builder.addFactor(dims, {outDims[dim]}, size, partType,
                        conservative || !isStatic);
  }
  return builder.build();
}

static std::optional<Rule> getInsertSliceRule(tensor::InsertSliceOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  FactorType partType =
      isStaticSlice(op) ? FactorType::PassThrough : FactorType::NeedReplication;
  SmallVector<int64_t> sourceDims = getSliceDims(op.getDroppedDims());
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  for (auto [i, size] : llvm::enumerate(op.getType().getShape())) {
    auto dim = static_cast<int64_t>(i);
    int64_t source = sourceDims[dim];
    bool isWhole = isWholeDim(op, dim, size);
    dims[0] = isWhole ? source : kNoDim;
    dims[1] = dim;
    builder.addFactor(dims, {dim}, size);
    if (isWhole || source == kNoDim)
      continue;
    dims[0] = source;
    dims[1] = kNoDim;
    builder.addFactor(dims, {kNoDim}, op.getSourceType().getDimSize(source),
                      partType);
  }
  return builder.build();
}

namespace {
struct ExtractSliceModel
    : ShardingRuleOpInterface::ExternalModel<ExtractSliceModel,
                                             tensor::ExtractSliceOp> {
  std::optional<Rule> getShardingRule(Operation *op, bool conservative) const {
    return getExtractSliceRule(cast<tensor::ExtractSliceOp>(op), conservative);
  }
  OpClass getShardingClass(Operation *op) const {
    return isStaticSlice(cast<tensor::ExtractSliceOp>(op)) ? OpClass::Other
                                                           : OpClass::Slice;
  }
  bool preservesConstants(Operation *op) const {
    return isStaticSlice(cast<tensor::ExtractSliceOp>(op));
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Pads, joins, elements
//===----------------------------------------------------------------------===//

static std::optional<Rule> getPadRule(tensor::PadOp op, bool conservative) {
  return getResizeRule(op, conservative);
}

static std::optional<Rule> getTensorConcatRule(tensor::ConcatOp op,
                                               bool conservative) {
  return getConcatRule(op, static_cast<int64_t>(op.getDim()), conservative,
                       [](Value value) -> Value {
                         auto slice =
                             value.getDefiningOp<tensor::ExtractSliceOp>();
                         return slice ? slice.getSource() : value;
                       });
}

static std::optional<Rule> getInsertRule(tensor::InsertOp op, bool) {
  return getPointwiseRule(op);
}

/// Whole dimensions pass; of a dimension that is indexed, one element is taken.
static std::optional<Rule> getGatherRule(tensor::GatherOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> in = getTensorShape(op.getSource());
  ArrayRef<int64_t> indices = getTensorShape(op.getIndices());
  ArrayRef<int64_t> out = getTensorShape(op.getResult());
  int64_t batch = indices.size() - 1;
  bool keepsDims = out.size() == batch + in.size();
  int64_t next = batch;
  for (auto [i, size] : llvm::enumerate(in)) {
    auto dim = static_cast<int64_t>(i);
    bool isIndexed = llvm::is_contained(op.getGatherDims(), dim);
    if (!isIndexed)
      builder.addFactor({dim, kNoDim}, {next}, size);
    else
      builder.addFactor({dim, kNoDim}, {kNoDim}, size,
                        size == 1 ? FactorType::NeedReplication
                                  : FactorType::Reduction);
    next += !isIndexed || keepsDims;
  }
  for (int64_t dim = 0; dim < batch; ++dim)
    builder.addFactor({kNoDim, dim}, {dim}, indices[dim]);
  builder.addFactor({kNoDim, batch}, {kNoDim}, indices[batch],
                    FactorType::NeedReplication);
  return builder.build();
}

/// The other way round: of a dimension that is indexed, single elements are
/// replaced.
static std::optional<Rule> getScatterRule(tensor::ScatterOp op, bool) {
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  ArrayRef<int64_t> source = getTensorShape(op.getSource());
  ArrayRef<int64_t> out = getTensorShape(op.getResult());
  ArrayRef<int64_t> indices = getTensorShape(op.getIndices());
  int64_t batch = indices.size() - 1;
  bool keepsDims = source.size() == batch + out.size();
  int64_t next = batch;
  for (auto [i, size] : llvm::enumerate(out)) {
    auto dim = static_cast<int64_t>(i);
    bool isIndexed = llvm::is_contained(op.getScatterDims(), dim);
    builder.addFactor({isIndexed ? kNoDim : next, dim, kNoDim}, {dim}, size);
    next += !isIndexed || keepsDims;
  }
  for (int64_t dim = 0; dim < batch; ++dim)
    builder.addFactor({dim, kNoDim, dim}, {kNoDim}, indices[dim],
                      FactorType::NeedReplication);
  builder.addFactor({kNoDim, kNoDim, batch}, {kNoDim}, indices[batch],
                    FactorType::NeedReplication);
  return builder.build();
}

static std::optional<Rule> getSplatRule(tensor::SplatOp op, bool) {
  return getPointwiseRule(op);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

static void attachElementwise(Dialect *dialect) {
  attachToOps<ElementwiseModel>(dialect, [](RegisteredOperationName name) {
    return name.hasTrait<OpTrait::Elementwise>();
  });
}

/// Of scalars too: they are what regions combine elements by. Unsigned maxima
/// of signless integers are none that a collective could be told to compute.
static void attachArithPartialValues(MLIRContext *context) {
  using sharding::Combiner;
  using namespace arith;
  attachPartialValues<CombinerModel<Combiner::Sum>, AddFOp, AddIOp>(context);
  attachPartialValues<CombinerModel<Combiner::Max>, MaximumFOp, MaxNumFOp,
                      MaxSIOp>(context);
  attachPartialValues<CombinerModel<Combiner::Min>, MinimumFOp, MinNumFOp,
                      MinSIOp>(context);
  attachPartialValues<LinearModel</*together=*/true>, SubFOp, SubIOp, NegFOp>(
      context);
  attachPartialValues<LinearModel</*together=*/false>, MulFOp, MulIOp>(context);
  attachPartialValues<DivisionModel, DivFOp>(context);
  attachPartialValues<SelectModel, SelectOp>(context);
  attachPartialValues<ConversionModel, ExtFOp, TruncFOp>(context);
}

static void attachComplexPartialValues(MLIRContext *context) {
  using namespace complex;
  attachPartialValues<CombinerModel<sharding::Combiner::Sum>, AddOp>(context);
  attachPartialValues<LinearModel</*together=*/true>, SubOp, NegOp>(context);
  attachPartialValues<LinearModel</*together=*/false>, MulOp>(context);
  attachPartialValues<DivisionModel, DivOp>(context);
}

void sdy::registerTensorRules(DialectRegistry &registry) {
  using namespace tensor;
  registry.addExtension(
      +[](MLIRContext *context, arith::ArithDialect *dialect) {
        attachElementwise(dialect);
        attachArithPartialValues(context);
      });
  registry.addExtension(+[](MLIRContext *context, complex::ComplexDialect *) {
    attachComplexPartialValues(context);
  });
  registry.addExtension(+[](MLIRContext *, math::MathDialect *dialect) {
    attachElementwise(dialect);
  });
  registry.addExtension(+[](MLIRContext *context, TensorDialect *) {
    attachRule<BitcastOp, getCastRule, OpClass::Elementwise>(context);
    attachRule<CastOp, getCastRule, OpClass::Elementwise>(context);
    attachRule<CollapseShapeOp, getShapeRule, OpClass::PassThrough,
               OfConstants::IsConstant>(context);
    attachRule<ConcatOp, getTensorConcatRule>(context);
    attachRule<ExpandShapeOp, getShapeRule, OpClass::PassThrough,
               OfConstants::IsConstant>(context);
    ExtractSliceOp::attachInterface<ExtractSliceModel>(*context);
    attachRule<GatherOp, getGatherRule>(context);
    attachRule<InsertOp, getInsertRule, OpClass::Slice>(context);
    attachRule<InsertSliceOp, getInsertSliceRule, OpClass::Slice>(context);
    attachRule<PadOp, getPadRule>(context);
    attachRule<ReshapeOp, getShapeRule, OpClass::PassThrough,
               OfConstants::IsConstant>(context);
    attachRule<ScatterOp, getScatterRule>(context);
    attachRule<SplatOp, getSplatRule, OpClass::Broadcast>(context);
  });
}
