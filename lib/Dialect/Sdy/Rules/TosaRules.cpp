//===- TosaRules.cpp - Rules of tosa ops ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Elementwise ops, contractions, reductions and moves. Convolutions, pools,
// Fourier transforms and what is quantised in blocks have no rule.
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

static std::optional<Rule> getAxisReduceRule(Operation *op, bool) {
  auto axis = op->getAttrOfType<IntegerAttr>("axis").getInt();
  return getReduceRule(op, {axis}, /*keepsDims=*/true);
}

//===----------------------------------------------------------------------===//
// Registration
//===----------------------------------------------------------------------===//

template <OpClass opClass, typename... OpTs>
static void attach(MLIRContext *context) {
  (attachRule<OpTs, static_cast<std::optional<Rule> (*)(OpTs, bool)>(getRule),
              opClass>(context),
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
    attach<OpClass::Elementwise, TableOp>(context);
    attach<OpClass::PassThrough, ReshapeOp, TransposeOp>(context);
    attach<OpClass::Other, ConcatOp, GatherOp, MatMulOp, PadOp, ReverseOp,
           SliceOp>(context);
    attachRule<ReduceAllOp, getAxisReduceRule>(context);
    attachRule<ReduceAnyOp, getAxisReduceRule>(context);
    attachRule<ReduceMaxOp, getAxisReduceRule>(context);
    attachRule<ReduceMinOp, getAxisReduceRule>(context);
    attachRule<ReduceProductOp, getAxisReduceRule>(context);
    attachRule<ReduceSumOp, getAxisReduceRule>(context);
  });
}
