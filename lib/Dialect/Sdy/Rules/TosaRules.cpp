//===- TosaRules.cpp - Rules of tosa ops ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules are those of StableHLO's ops. Ops on tensors that are quantised in
// blocks have no rule.
//
//===----------------------------------------------------------------------===//

#include "RulesDetail.h"
#include "ShapeRules.h"

#include "mlir/Dialect/Tosa/IR/TosaOps.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::FactorType;
using sharding::kNoDim;
using sharding::OpClass;
using sharding::Rule;

//===----------------------------------------------------------------------===//
// Shapes
//===----------------------------------------------------------------------===//

static std::optional<Rule> getRule(tosa::ReshapeOp op, bool) {
  return sdy::getReshapeRule(op);
}

static std::optional<Rule> getRule(tosa::TransposeOp op, bool) {
  return getTransposeRule(op, SmallVector<int64_t>(op.getPerms()));
}

static std::optional<Rule> getRule(tosa::ReverseOp op, bool) {
  auto axis = static_cast<int64_t>(op.getAxis());
  return getMixedRule(op, FactorType::Permutation,
                      [axis](int64_t dim) { return dim == axis; });
}

static std::optional<Rule> getRule(tosa::SliceOp op, bool conservative) {
  return getResizeRule(op, conservative);
}

static std::optional<Rule> getRule(tosa::PadOp op, bool conservative) {
  return getResizeRule(op, conservative);
}

static std::optional<Rule> getRule(tosa::ConcatOp op, bool conservative) {
  return getConcatRule(op, op.getAxis(), conservative,
                       [](Value value) -> Value {
                         auto slice = value.getDefiningOp<tosa::SliceOp>();
                         return slice ? slice.getInput1() : value;
                       });
}

/// output[n, w, c] = values[n, indices[n, w], c]
static std::optional<Rule> getRule(tosa::GatherOp op, bool) {
  ArrayRef<int64_t> values = getTensorShape(op.getValues());
  ArrayRef<int64_t> out = getTensorShape(op.getOutput());
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  builder.addFactor({1, kNoDim}, {kNoDim}, values[1],
                    values[1] == 1 ? FactorType::NeedReplication
                                   : FactorType::Reduction);
  builder.addFactor({2, kNoDim}, {2}, out[2]);
  builder.addFactor({0, 0}, {0}, out[0]);
  builder.addFactor({kNoDim, 1}, {1}, out[1]);
  return builder.build();
}

/// values_out is values_in but for
/// values_out[n, indices[n, w], c] = input[n, w, c]
static std::optional<Rule> getRule(tosa::ScatterOp op, bool) {
  ArrayRef<int64_t> values = getTensorShape(op.getValuesIn());
  ArrayRef<int64_t> input = getTensorShape(op.getInput());
  return makeRuleBuilder(op)
      .addFactor({1, kNoDim, kNoDim}, {1}, values[1])
      .addFactor({2, kNoDim, 2}, {2}, values[2])
      .addFactor({0, 0, 0}, {0}, values[0])
      .addFactor({kNoDim, 1, 1}, {kNoDim}, input[1],
                 FactorType::NeedReplication)
      .build();
}

/// A dimension of the result is copies, major, of one of the operand.
static std::optional<Rule> getRule(tosa::TileOp op, bool) {
  ArrayRef<int64_t> in = getTensorShape(op.getInput1());
  ArrayRef<int64_t> out = getTensorShape(op.getOutput());
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  for (auto [i, size] : llvm::enumerate(in)) {
    auto dim = static_cast<int64_t>(i);
    if (size == 0)
      return std::nullopt;
    if (out[dim] != size)
      builder.addFactor({kNoDim, kNoDim}, {dim}, out[dim] / size);
    if (out[dim] == size || size > 1)
      builder.addFactor({dim, kNoDim}, {dim}, size);
  }
  return builder.build();
}

/// Rows and columns are sampled at other positions.
static std::optional<Rule> getRule(tosa::ResizeOp op, bool conservative) {
  return getMixedRule(
      op, FactorType::Permutation,
      [](int64_t dim) { return dim == 1 || dim == 2; }, conservative);
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

/// input [n, spatial..., i], bias [o] or [1], zero points, output
/// [n, spatial..., o]; of the weights, getWeightDim tells the dimension of a
/// spatial one.
static sharding::RuleBuilder
getConvBuilder(Operation *op, bool conservative,
               function_ref<int64_t(int64_t dim)> getWeightDim) {
  ArrayRef<int64_t> in = getTensorShape(op->getOperand(0));
  ArrayRef<int64_t> weights = getTensorShape(op->getOperand(1));
  ArrayRef<int64_t> out = getTensorShape(op->getResult(0));
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  dims[0] = 0;
  builder.addFactor(dims, {0}, out[0]);
  for (int64_t dim = 1, e = in.size() - 1; dim < e && !conservative; ++dim) {
    dims[0] = dim;
    for (SpatialFactor factor :
         getSpatialFactors(in[dim], weights[getWeightDim(dim)], out[dim])) {
      dims[1] = factor.isWindows ? kNoDim : getWeightDim(dim);
      builder.addFactor(dims, {factor.isWindows ? dim : kNoDim}, factor.size,
                        factor.getType());
    }
  }
  return builder;
}

/// Adds the factor of features.
static void addFeatures(sharding::RuleBuilder &builder, Operation *op,
                        int64_t in, int64_t weight, bool isOut, int64_t size,
                        FactorType type = FactorType::PassThrough) {
  int64_t last = getTensorShape(op->getResult(0)).size() - 1;
  SmallVector<int64_t> dims(op->getNumOperands(), kNoDim);
  dims[0] = in;
  dims[1] = weight;
  bool isRepeated = getTensorShape(op->getOperand(2)).front() == 1;
  dims[2] = isOut && !isRepeated ? 0 : kNoDim;
  builder.addFactor(dims, {isOut ? last : kNoDim}, size, type);
}

/// weights [o, spatial..., i]
static std::optional<Rule> getConvRule(Operation *op, bool conservative) {
  ArrayRef<int64_t> weights = getTensorShape(op->getOperand(1));
  sharding::RuleBuilder builder =
      getConvBuilder(op, conservative, [](int64_t dim) { return dim; });
  int64_t last = weights.size() - 1;
  addFeatures(builder, op, last, last, /*isOut=*/false, weights[last],
              FactorType::Reduction);
  if (weights[0] > 1)
    addFeatures(builder, op, kNoDim, 0, /*isOut=*/true, weights[0]);
  return builder.build();
}

/// weights [height, width, i, m], where output i * m + j is made of input i
static std::optional<Rule> getRule(tosa::DepthwiseConv2DOp op,
                                   bool conservative) {
  ArrayRef<int64_t> weights = getTensorShape(op.getWeight());
  sharding::RuleBuilder builder =
      getConvBuilder(op, conservative, [](int64_t dim) { return dim - 1; });
  if (weights[2] > 1)
    addFeatures(builder, op, 3, 2, /*isOut=*/true, weights[2]);
  if (weights[3] > 1)
    addFeatures(builder, op, kNoDim, 3, /*isOut=*/true, weights[3]);
  return builder.build();
}

template <typename PoolOp>
static std::optional<Rule> getPoolRule(PoolOp op, bool conservative) {
  return getWindowRule(op, conservative, [&](int64_t dim) {
    if (dim != 1 && dim != 2)
      return false;
    int64_t i = dim - 1;
    return op.getKernel()[i] != 1 || op.getStride()[i] != 1 ||
           op.getPad()[2 * i] != 0 || op.getPad()[2 * i + 1] != 0;
  });
}

static std::optional<Rule> getRule(tosa::AvgPool2dOp op, bool conservative) {
  return getPoolRule(op, conservative);
}

static std::optional<Rule> getRule(tosa::MaxPool2dOp op, bool conservative) {
  return getPoolRule(op, conservative);
}

/// Of rows and columns every result has all.
static std::optional<Rule> getFourierRule(Operation *op, bool) {
  ArrayRef<int64_t> in = getTensorShape(op->getOperand(0));
  ArrayRef<int64_t> out = getTensorShape(op->getResult(0));
  sharding::RuleBuilder builder = makeRuleBuilder(op);
  builder.addFactor(0, in[0]);
  for (int64_t dim : {1, 2})
    builder.addFactor(dim, in[dim], FactorType::NeedReplication,
                      /*blocked=*/in[dim] != out[dim]);
  return builder.build();
}

//===----------------------------------------------------------------------===//
// Elementwise ops without the trait, contractions, reductions
//===----------------------------------------------------------------------===//

/// Shifts, zero points and scales have one element, or one for each channel,
/// that is, for each element of the last dimension.
static std::optional<Rule> getScaledRule(Operation *op, bool) {
  return getBroadcastRule(op);
}

/// All elements look up the one table.
static std::optional<Rule> getRule(tosa::TableOp op, bool) {
  return getMixedRule(op, FactorType::PassThrough,
                      [](int64_t) { return false; });
}

static std::optional<Rule> getRule(tosa::MatMulOp op, bool) {
  return getMatmulRule(op);
}

static std::optional<Rule> getRule(tosa::ArgMaxOp op, bool) {
  return getReduceRule(op, {static_cast<int64_t>(op.getAxis())},
                       /*keepsDims=*/false);
}

static std::optional<Rule> getAxisReduceRule(Operation *op, bool) {
  auto axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  return getReduceRule(op, {axis}, /*keepsDims=*/true);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(tosa::ArgMaxOp) {
  return std::nullopt;
}
template <>
SmallVector<unsigned> sdy::getStartsOf(tosa::Conv2DOp op) {
  return getNumbers(op.getBiasMutable());
}
template <>
SmallVector<unsigned> sdy::getStartsOf(tosa::Conv3DOp op) {
  return getNumbers(op.getBiasMutable());
}
template <>
SmallVector<unsigned> sdy::getStartsOf(tosa::DepthwiseConv2DOp op) {
  return getNumbers(op.getBiasMutable());
}
template <>
SmallVector<unsigned> sdy::getStartsOf(tosa::TransposeConv2DOp op) {
  return getNumbers(op.getBiasMutable());
}
template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(tosa::ReduceMaxOp) {
  return sharding::Combiner::Max;
}
template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(tosa::ReduceMinOp) {
  return sharding::Combiner::Min;
}
template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(tosa::ReduceAllOp) {
  return std::nullopt;
}
template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(tosa::ReduceAnyOp) {
  return std::nullopt;
}
template <>
std::optional<sharding::Combiner> sdy::getCombinerOf(tosa::ReduceProductOp) {
  return std::nullopt;
}

template <OpClass opClass, OfConstants ofConstants, typename... OpTs>
static void attach(MLIRContext *context) {
  (attachRule<OpTs, static_cast<std::optional<Rule> (*)(OpTs, bool)>(getRule),
              opClass, ofConstants>(context),
   ...);
}

void sdy::registerTosaRules(DialectRegistry &registry) {
  using namespace tosa;
  registry.addExtension(+[](MLIRContext *context, TosaDialect *dialect) {
    attachToOps<ElementwiseModel>(dialect, [](RegisteredOperationName name) {
      return name.hasTrait<OpTrait::tosa::TosaElementwiseOperator>();
    });
    attachRule<CastOp, getScaledRule, OpClass::Elementwise>(context);
    attachRule<IdentityOp, getScaledRule, OpClass::Elementwise>(context);
    attachRule<MulOp, getScaledRule, OpClass::Elementwise>(context);
    attachRule<RescaleOp, getScaledRule, OpClass::Elementwise>(context);
    attach<OpClass::Elementwise, OfConstants::IsConstant, TableOp>(context);
    attach<OpClass::PassThrough, OfConstants::IsConstant, ReshapeOp>(context);
    attach<OpClass::PassThrough, OfConstants::IsValue, TransposeOp>(context);
    attach<OpClass::Other, OfConstants::IsConstant, SliceOp, TileOp>(context);
    attach<OpClass::Other, OfConstants::IsValue, ArgMaxOp, AvgPool2dOp,
           ConcatOp, DepthwiseConv2DOp, GatherOp, MatMulOp, MaxPool2dOp, PadOp,
           ResizeOp, ReverseOp, ScatterOp>(context);
    attachRule<Conv2DOp, getConvRule>(context);
    attachRule<Conv3DOp, getConvRule>(context);
    attachRule<TransposeConv2DOp, getConvRule>(context);
    attachRule<FFT2dOp, getFourierRule>(context);
    attachRule<RFFT2dOp, getFourierRule>(context);
    attachRule<ReduceAllOp, getAxisReduceRule>(context);
    attachRule<ReduceAnyOp, getAxisReduceRule>(context);
    attachRule<ReduceMaxOp, getAxisReduceRule>(context);
    attachRule<ReduceMinOp, getAxisReduceRule>(context);
    attachRule<ReduceProductOp, getAxisReduceRule>(context);
    attachRule<ReduceSumOp, getAxisReduceRule>(context);
  });
}
