//===- Combiners.cpp - Combiners of shards' results -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Combiners.h"

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "mlir/Dialect/Linalg/IR/LinalgInterfaces.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::Combiner;
using sharding::OpClass;

std::optional<Combiner> sdy::getCombinerKind(Operation *op) {
  auto partial = dyn_cast_or_null<PartialValuesOpInterface>(op);
  return partial ? partial.getCombinerKind() : std::nullopt;
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
    kinds.push_back(isOfArguments ? getCombinerKind(op) : std::nullopt);
  }
  return kinds.empty() || !llvm::all_equal(kinds) ? std::nullopt
                                                  : kinds.front();
}

/// Whether all elements of the result are elements of operand 0.
static bool isElementMove(Operation *op) {
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  return rules && op->getNumOperands() > 0 &&
         (rules.getShardingClass() == OpClass::Broadcast ||
          rules.getShardingClass() == OpClass::PassThrough);
}

/// What the op gives its result all elements of, if there is one such tensor.
static Value getOnlySource(Operation *op) {
  if (isa<linalg::FillOpInterface>(op))
    return op->getOperand(0);
  if (isa_and_nonnull<SdyDialect>(op->getDialect()))
    return op->getNumOperands() == 1 && op->getNumRegions() == 0
               ? op->getOperand(0)
               : Value();
  return isElementMove(op) ? op->getOperand(0) : Value();
}

/// Returns whether the op is a constant of zeros. Constants of the sdy dialect
/// do not fold, so no pattern of constants matches it.
static bool isZeroConstant(Operation *op) {
  Attribute value;
  if (auto constant = dyn_cast<ConstantOp>(op))
    value = constant.getValue();
  return (value || matchPattern(op, m_Constant(&value))) &&
         (matchPattern(value, m_AnyZeroFloat()) ||
          matchPattern(value, m_Zero()));
}

bool sdy::isZero(Value value) {
  Operation *op = value.getDefiningOp();
  while (op && !isZeroConstant(op)) {
    value = getOnlySource(op);
    op = value ? value.getDefiningOp() : nullptr;
  }
  return op != nullptr;
}

SmallVector<unsigned> sdy::getNumbers(MutableOperandRange operands) {
  SmallVector<unsigned> numbers;
  for (OpOperand &operand : operands)
    numbers.push_back(operand.getOperandNumber());
  return numbers;
}

SmallVector<unsigned> sdy::getAddedOnce(Operation *op) {
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  // Those of maxima and minima may be counted more than once.
  if (!rules || rules.getCombiner() != Combiner::Sum)
    return {};
  SmallVector<unsigned> numbers = rules.getStartOperands();
  llvm::erase_if(numbers,
                 [&](unsigned i) { return isZero(op->getOperand(i)); });
  return numbers;
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

static Combiner getCombiner(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
    return Combiner::Sum;
  case ReductionKind::Max:
    return Combiner::Max;
  case ReductionKind::Min:
    return Combiner::Min;
  }
  llvm_unreachable("unknown reduction kind");
}

PartialValueFlow sdy::getPartialValueFlow(Operation *op, ReductionKind kind) {
  if (auto partial = dyn_cast<PartialValuesOpInterface>(op))
    return partial.getPartialValueFlow(getCombiner(kind));
  return isElementMove(op) ? PartialValueFlow::getTogether(1)
                           : PartialValueFlow();
}
