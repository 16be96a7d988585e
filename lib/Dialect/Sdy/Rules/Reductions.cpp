//===- Reductions.cpp - How parts become the whole ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::Combiner;
using sharding::OpClass;

std::optional<Combiner> sdy::matchCombiner(Operation *combiner) {
  if (!combiner || getElementTypeOrSelf(combiner->getResult(0)).isInteger(1))
    return std::nullopt;
  if (isa<stablehlo::AddOp, arith::AddFOp, arith::AddIOp, complex::AddOp>(
          combiner))
    return Combiner::Sum;
  if (isa<stablehlo::MaxOp, arith::MaximumFOp, arith::MaxNumFOp,
          arith::MaxSIOp>(combiner))
    return Combiner::Max;
  if (isa<stablehlo::MinOp, arith::MinimumFOp, arith::MinNumFOp,
          arith::MinSIOp>(combiner))
    return Combiner::Min;
  return std::nullopt;
}

std::optional<Combiner> sdy::getCombinerOf(Block &combiner) {
  SmallVector<std::optional<Combiner>> kinds;
  OperandRange values = combiner.getTerminator()->getOperands();
  if (combiner.getNumArguments() != 2 * values.size())
    return std::nullopt;
  for (auto [i, value] : llvm::enumerate(values)) {
    Operation *op = value.getDefiningOp();
    Value old = combiner.getArgument(i);
    Value element = combiner.getArgument(values.size() + i);
    bool isOfArguments = op && op->getNumOperands() == 2 &&
                         llvm::is_contained(op->getOperands(), old) &&
                         llvm::is_contained(op->getOperands(), element);
    kinds.push_back(isOfArguments ? matchCombiner(op) : std::nullopt);
  }
  return kinds.empty() || !llvm::all_equal(kinds) ? std::nullopt
                                                  : kinds.front();
}

/// What the op gives its result all elements of, if there is one such tensor.
static Value getOnlySource(Operation *op) {
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return fill.getInputs().front();
  if (isa<SdyDialect>(op->getDialect()))
    return op->getNumOperands() == 1 && op->getNumRegions() == 0
               ? op->getOperand(0)
               : Value();
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  bool isMove = rules && op->getNumOperands() > 0 &&
                (rules.getShardingClass() == OpClass::Broadcast ||
                 rules.getShardingClass() == OpClass::PassThrough);
  return isMove ? op->getOperand(0) : Value();
}

static bool isZero(Value value) {
  while (value && !matchPattern(value, m_AnyZeroFloat()) &&
         !matchPattern(value, m_Zero())) {
    Operation *op = value.getDefiningOp();
    value = op ? getOnlySource(op) : Value();
  }
  return value != nullptr;
}

std::optional<Combiner> sdy::getCombinerFrom(ValueRange starts,
                                             std::optional<Combiner> combiner) {
  // Those of maxima and minima may be counted more than once.
  if (combiner == Combiner::Sum && !llvm::all_of(starts, isZero))
    return std::nullopt;
  return combiner;
}

static ReductionKind getKind(Combiner combiner) {
  switch (combiner) {
  case Combiner::Sum:
    return ReductionKind::Sum;
  case Combiner::Max:
    return ReductionKind::Max;
  case Combiner::Min:
    return ReductionKind::Min;
  }
  llvm_unreachable("unknown combiner");
}

std::optional<ReductionKind> sdy::getReductionKind(Operation *op) {
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  std::optional<Combiner> combiner =
      rules ? rules.getCombiner() : Combiner::Sum;
  return combiner ? std::optional(getKind(*combiner)) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Parts of operands
//===----------------------------------------------------------------------===//

static PartsFlow makeFlow(unsigned begin, unsigned end, bool together) {
  PartsFlow flow;
  llvm::append_range(flow.operands, llvm::seq(begin, end));
  flow.together = together;
  return flow;
}

static bool isFloatConversion(Operation *op) {
  return isa<stablehlo::ConvertOp>(op) &&
         isa<FloatType>(getElementTypeOrSelf(op->getOperand(0))) &&
         isa<FloatType>(getElementTypeOrSelf(op->getResult(0)));
}

/// Whether the elements of the result are some of operand 0.
static bool movesElements(Operation *op) {
  if (isa<stablehlo::SliceOp, stablehlo::ReverseOp, stablehlo::DynamicSliceOp,
          stablehlo::GatherOp, PropagationBarrierOp>(op))
    return true;
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  return rules && op->getNumOperands() > 0 &&
         (rules.getShardingClass() == OpClass::PassThrough ||
          rules.getShardingClass() == OpClass::Broadcast);
}

PartsFlow sdy::getPartsFlow(Operation *op, ReductionKind kind) {
  unsigned count = op->getNumOperands();
  if (movesElements(op) || isFloatConversion(op))
    return makeFlow(0, 1, /*together=*/true);
  if (isa<stablehlo::ConcatenateOp>(op))
    return makeFlow(0, count, /*together=*/true);
  if (isa<stablehlo::DynamicUpdateSliceOp>(op))
    return makeFlow(0, 2, /*together=*/true);
  if (isa<stablehlo::ReduceOp>(op) && getReductionKind(op) == kind)
    return makeFlow(0, count / 2, /*together=*/true);
  std::optional<Combiner> own =
      op->getNumResults() == 1 ? matchCombiner(op) : std::nullopt;
  if (own && getKind(*own) == kind)
    return makeFlow(0, count, /*together=*/true);
  if (kind != ReductionKind::Sum)
    return {};
  if (isa<stablehlo::SubtractOp, stablehlo::NegOp, arith::SubFOp, arith::SubIOp,
          arith::NegFOp, complex::SubOp, complex::NegOp>(op))
    return makeFlow(0, count, /*together=*/true);
  if (isa<stablehlo::MulOp, stablehlo::DotGeneralOp, stablehlo::ConvolutionOp,
          arith::MulFOp, arith::MulIOp, complex::MulOp>(op))
    return makeFlow(0, count, /*together=*/false);
  return {};
}
