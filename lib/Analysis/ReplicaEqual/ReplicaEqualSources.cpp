//===- ReplicaEqualSources.cpp - Values that are forwarded unchanged ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualSources.h"

#include "ReplicaEqualBuilder.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"
#include <utility>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

Value ValueSources::getSource(Value value) {
  auto first = sources.find(value);
  if (first == sources.end())
    return value;
  Value source = first->second;
  auto next = sources.find(source);
  if (next == sources.end())
    return source;
  for (; next != sources.end(); next = sources.find(source))
    source = next->second;
  // Later requests need not go the same way.
  while (value != source)
    value = std::exchange(sources[value], source);
  return source;
}

Value ValueSources::getOnlyChoice(SelectLikeOpInterface select) {
  Value source = getSource(select.getTrueValue());
  return source == getSource(select.getFalseValue()) ? source : Value();
}

/// Finds the source of a result or an argument of `op`, to which its branches
/// pass `operands`. If all but itself are one value from outside of `op`, no
/// way gives another one.
bool ValueSources::addInput(RegionBranchOpInterface op, Value input,
                            ArrayRef<Value> operands) {
  Value single;
  for (Value operand : operands) {
    Value source = getSource(operand);
    if (source == input || source == single)
      continue;
    if (single)
      return false;
    single = source;
  }
  if (!single || single.getType() != input.getType() || isHandle(input) ||
      op->isAncestor(single.getParentBlock()->getParentOp()) ||
      single.getDefiningOp() == op)
    return false;
  sources[input] = single;
  return true;
}

void ValueSources::addBranches(RegionBranchOpInterface op,
                               const RegionFlow &flow) {
  llvm::SmallMapVector<Value, SmallVector<Value, 2>, 4> passed;
  for (const RegionFlow::Edge &edge : flow.edges) {
    ValueRange inputs = edge.to.getSuccessorInputs();
    OperandRange operands = op.getSuccessorOperands(edge.from, edge.to);
    // It is not known which of them get what else.
    if (inputs.size() != operands.size())
      return;
    for (auto [input, operand] : llvm::zip_equal(inputs, operands))
      passed[input].push_back(operand);
  }
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (auto &[input, operands] : passed)
      if (!sources.contains(input))
        isChanged |= addInput(op, input, operands);
  }
}

void ValueSources::addCopy(Value value, Value other) {
  if (value.getType() == other.getType() && !isHandle(value))
    sources[value] = getSource(other);
}

Attribute ValueSources::getConstant(Value value) {
  return constants.lookup(getSource(value));
}

/// Folds `op` as it would be with other operands, some of them constants, and
/// leaves it as it is. Nothing if that gives no constant and no other value.
static OpFoldResult fold(Operation *op, ArrayRef<Value> operands,
                         ArrayRef<Attribute> constants) {
  SmallVector<Value> own(op->getOperands());
  bool isChanged = operands != ArrayRef(own);
  DictionaryAttr attrs = op->getAttrDictionary();
  if (isChanged)
    op->setOperands(operands);
  SmallVector<OpFoldResult> results;
  // Without results it made itself simpler.
  if (succeeded(op->fold(constants, results)) && results.empty()) {
    op->setAttrs(attrs);
    isChanged = true;
  }
  if (isChanged)
    op->setOperands(own);
  return results.size() == 1 ? results.front() : OpFoldResult();
}

void ValueSources::addFold(Operation *op) {
  if (op->getNumResults() != 1 ||
      !getElementTypeOrSelf(op->getResult(0).getType()).isIntOrIndex())
    return;
  SmallVector<Value> operands;
  SmallVector<Attribute> known;
  for (Value operand : op->getOperands()) {
    operands.push_back(getSource(operand));
    known.push_back(constants.lookup(operands.back()));
    // Floats too, as they are.
    if (!known.back())
      matchPattern(operands.back(), m_Constant(&known.back()));
  }
  OpFoldResult result = fold(op, operands, known);
  if (auto constant = dyn_cast_if_present<Attribute>(result))
    constants[op->getResult(0)] = constant;
  else if (auto value = dyn_cast_if_present<Value>(result))
    if (value != op->getResult(0))
      addCopy(op->getResult(0), value);
}

void ValueSources::addSelect(SelectLikeOpInterface op) {
  if (op->getNumResults() != 1)
    return;
  // A choice that also repeats elements is of another type, and no longer that
  // value.
  if (Value only = getOnlyChoice(op))
    addCopy(op->getResult(0), only);
}
