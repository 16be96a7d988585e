//===- ConvertControlFlow.cpp - Loops, branches, calls ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace mlir::ipu;

LogicalResult FunctionConverter::convertBody(Block &from, Region &into) {
  OpBuilder::InsertionGuard guard(builder);
  builder.createBlock(&into);
  for (Operation &op : from)
    if (failed(convertOp(&op)))
      return failure();
  return success();
}

/// Returns the variable whose single element is the value `scalar`.
FailureOr<Value> FunctionConverter::getScalarVariable(Operation *user,
                                                      Value scalar) {
  if (Value tensor = pop::getTensorOfScalar(scalar))
    return getWhole(tensor, getStepName(user), user->getLoc());
  APInt value;
  if (!matchPattern(scalar, m_ConstantInt(&value)))
    return user->emitOpError("depends on a scalar that is neither a constant "
                             "nor an element of a 0-d tensor; run "
                             "pop-lower-control-flow");
  Type type = scalar.getType().isInteger(1) ? builder.getI1Type()
                                            : cast<Type>(builder.getI32Type());
  auto tensor = RankedTensorType::get({}, type);
  auto constant = DenseElementsAttr::get(
      tensor, builder.getIntegerAttr(type, value.getSExtValue()));
  return createInitialised(user->getLoc(), getStepName(user), tensor,
                           getDefaultTileMapping(target, {}, tensor), constant)
      .getResult();
}

LogicalResult FunctionConverter::convertFor(scf::ForOp op) {
  if (op.getNumResults() > 0 || !op.getInductionVar().use_empty() ||
      !matchPattern(op.getLowerBound(), m_Zero()) ||
      !matchPattern(op.getStep(), m_One()))
    return op.emitOpError("expects a loop with lower bound 0, step 1, an "
                          "unused induction variable and no iteration "
                          "arguments; run pop-lower-control-flow");
  APInt count;
  IntegerAttr constant;
  Value variable;
  if (matchPattern(op.getUpperBound(), m_ConstantInt(&count))) {
    constant =
        builder.getI64IntegerAttr(std::max<int64_t>(count.getSExtValue(), 0));
  } else {
    FailureOr<Value> found = getScalarVariable(op, op.getUpperBound());
    if (failed(found))
      return failure();
    variable = *found;
  }
  auto repeat = RepeatOp::create(builder, op.getLoc(), constant, variable,
                                 StepCostAttr());
  return convertBody(*op.getBody(), repeat.getBody());
}

LogicalResult FunctionConverter::convertWhile(scf::WhileOp op) {
  Block &before = op.getBefore().front();
  if (op.getNumResults() > 0 || op.getNumOperands() > 0)
    return op.emitOpError("expects a loop without iteration arguments; run "
                          "pop-lower-control-flow");
  // All iterations read the condition from one variable, which is outside of
  // the loop.
  auto i1 = RankedTensorType::get({}, builder.getI1Type());
  VarOp condition = createVariable(op.getLoc(), getStepName(op), i1,
                                   getDefaultTileMapping(target, {}, i1));
  auto loop = WhileOp::create(builder, op.getLoc(), condition.getResult(),
                              StepCostAttr());
  if (failed(convertBody(before, loop.getBefore())))
    return failure();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(&loop.getBefore().front());
  FailureOr<Value> found =
      getScalarVariable(op, op.getConditionOp().getCondition());
  if (failed(found))
    return failure();
  auto defined = found->getDefiningOp<VarOp>();
  if (!loop->isAncestor(defined)) {
    loop.getConditionMutable().assign(*found);
    condition.erase();
  } else {
    createCopy(op.getLoc(), getStepName(op), TensorStorage::own(*found, {}),
               condition.getResult(), /*annotation=*/{});
  }
  return convertBody(op.getAfter().front(), loop.getBody());
}

/// Returns, in order, the predicates whose conjunction is `condition`.
static SmallVector<Value> getConjuncts(Value condition) {
  SmallVector<Value> stack{condition}, conjuncts;
  llvm::DenseSet<Value> seen;
  while (!stack.empty()) {
    Value value = stack.pop_back_val();
    if (!seen.insert(value).second)
      continue;
    if (auto both = value.getDefiningOp<arith::AndIOp>())
      stack.append({both.getRhs(), both.getLhs()});
    else
      conjuncts.push_back(value);
  }
  return conjuncts;
}

LogicalResult FunctionConverter::convertIf(scf::IfOp op) {
  if (op.getNumResults() > 0)
    return op.emitOpError("expects a branch without results; run "
                          "pop-lower-control-flow");
  // Canonicalisation merges nested branches. The conversion nests them again:
  // one branch for each predicate.
  OpBuilder::InsertionGuard guard(builder);
  SmallVector<Value> conjuncts{op.getCondition()};
  if (op.getElseRegion().empty())
    conjuncts = getConjuncts(op.getCondition());
  for (Value outer : ArrayRef(conjuncts).drop_back()) {
    FailureOr<Value> condition = getScalarVariable(op, outer);
    if (failed(condition))
      return failure();
    auto branch =
        IfOp::create(builder, op.getLoc(), *condition, StepCostAttr());
    builder.createBlock(&branch.getThenBody());
  }
  FailureOr<Value> condition = getScalarVariable(op, conjuncts.back());
  if (failed(condition))
    return failure();
  auto branch = IfOp::create(builder, op.getLoc(), *condition, StepCostAttr());
  if (failed(convertBody(op.getThenRegion().front(), branch.getThenBody())))
    return failure();
  if (op.getElseRegion().empty())
    return success();
  return convertBody(op.getElseRegion().front(), branch.getElseBody());
}

LogicalResult FunctionConverter::convertCall(func::CallOp op) {
  if (op.getNumOperands() > 0 || op.getNumResults() > 0)
    return op.emitOpError("expects a call without operands and results; run "
                          "pop-lower-calls");
  CallOp::create(builder, op.getLoc(), op.getCallee(), StepCostAttr());
  return success();
}

/// Converts the ops of a sequence in their order.
LogicalResult FunctionConverter::convertInSequence(pop::InSequenceOp op) {
  for (Operation &inner : op.getBody().front())
    if (failed(convertOp(&inner)))
      return failure();
  Operation *yield = op.getBody().front().getTerminator();
  for (auto [result, value] :
       llvm::zip_equal(op.getResults(), yield->getOperands()))
    storage[result] = TensorStorage(storage.at(value));
  return success();
}
