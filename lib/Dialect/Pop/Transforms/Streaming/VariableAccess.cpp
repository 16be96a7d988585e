//===- VariableAccess.cpp - Selection and accesses of variables -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableAccess.h"

#include "../Graph/GraphTransforms.h"
#include "../NumberedOp.h"
#include "ipu-mlir/Dialect/Pop/IR/OptimizerStates.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

/// Returns the class of `variable`, according to the name that
/// `pop-add-optimizer` gives to states.
static VariableClass getVariableClass(VariableOp variable) {
  StringRef name = variable.getSymName();
  constexpr StringLiteral separator = "___";
  size_t end = name.find(separator);
  if (end == StringRef::npos)
    return VariableClass::Weights;
  StringRef state = name.take_front(end + separator.size());
  if (state == kAccumulatorState || state == kCounterState)
    return VariableClass::Accumulators;
  if (state.starts_with(kMomentStatePrefix) || state == kMasterState ||
      state == kStepState || state == kUpdatesState)
    return VariableClass::Optimizer;
  return VariableClass::Weights;
}

static std::optional<VariableClass> symbolizeVariableClass(StringRef text) {
  return llvm::StringSwitch<std::optional<VariableClass>>(text)
      .Case("weights", VariableClass::Weights)
      .Case("optimizer", VariableClass::Optimizer)
      .Case("accumulators", VariableClass::Accumulators)
      .Default(std::nullopt);
}

/// Returns the variables that the selectors of `query` select, without their
/// accesses.
static FailureOr<SmallVector<AccessedVariable>>
selectVariables(ModuleOp module, const VariableQuery &query) {
  SmallVector<AccessedVariable> variables;
  for (auto variable : module.getOps<VariableOp>()) {
    AccessedVariable &entry = variables.emplace_back();
    entry.op = variable;
    entry.kind = getVariableClass(variable);
  }
  llvm::SmallBitVector isSelected(variables.size());
  for (const std::string &selector : query.selectors) {
    if (std::optional<VariableClass> kind = symbolizeVariableClass(selector)) {
      for (auto [i, variable] : llvm::enumerate(variables))
        if (variable.kind == *kind)
          isSelected.set(i);
      continue;
    }
    llvm::Expected<llvm::GlobPattern> glob =
        llvm::GlobPattern::create(selector);
    if (!glob)
      return module.emitError()
             << "'" << query.pass
             << "' expects option 'variables' to have 'weights', 'optimizer', "
                "'accumulators' and names "
                "with wildcards, but '"
             << selector
             << "' has an error: " << llvm::toString(glob.takeError());
    bool matches = false;
    for (auto [i, variable] : llvm::enumerate(variables)) {
      if (!glob->match(variable.op.getSymName()))
        continue;
      variable.isNamed = matches = true;
      isSelected.set(i);
    }
    if (!matches)
      return module.emitError() << "'" << query.pass
                                << "' expects option 'variables' to select "
                                   "variables, but no variable "
                                   "has the name '"
                                << selector << "'";
  }
  SmallVector<AccessedVariable> selected;
  for (unsigned i : isSelected.set_bits())
    selected.push_back(variables[i]);
  return selected;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static VariableAccesses getAccesses(VariableOp variable,
                                    const SymbolUserMap &users) {
  VariableAccesses accesses;
  auto addOther = [&](Operation *op) {
    if (!accesses.other)
      accesses.other = op;
  };
  for (Operation *user : users.getUsers(variable)) {
    auto get = dyn_cast<GetVariableOp>(user);
    if (!get) {
      // A `#pop.graph_value` does not access the variable.
      if (!isa<FunctionOpInterface>(user))
        addOther(user);
      continue;
    }
    accesses.refs.push_back(get);
    // Uses are in reverse order.
    SmallVector<Operation *> ops(get->getUsers());
    for (Operation *op : llvm::reverse(ops)) {
      auto write = dyn_cast<InPlaceOpInterface>(op);
      if (auto read = dyn_cast<ReadOp>(op))
        accesses.reads.push_back(read);
      else if (write && write.getTarget() == get.getResult() &&
               llvm::count(op->getOperands(), get.getResult()) == 1)
        accesses.writes.push_back(write);
      else
        addOther(op);
    }
  }
  return accesses;
}

FailureOr<SmallVector<AccessedVariable>>
mlir::pop::findVariables(ModuleOp module, const VariableQuery &query) {
  if (query.minElements < 0)
    return module.emitError() << "'" << query.pass
                              << "' expects option 'min-elements' to be at "
                                 "least 0 but got "
                              << query.minElements;
  FailureOr<SmallVector<AccessedVariable>> selected =
      selectVariables(module, query);
  if (failed(selected))
    return failure();
  SymbolTableCollection symbols;
  SymbolUserMap users(symbols, module);
  SmallVector<AccessedVariable> result;
  for (AccessedVariable &variable : *selected) {
    VariableOp op = variable.op;
    if (!variable.isNamed &&
        op.getDeviceType().getNumElements() < query.minElements)
      continue;
    variable.accesses = getAccesses(op, users);
    std::string obstacle = query.getObstacle(variable);
    Operation *other = obstacle.empty() ? variable.accesses.other : nullptr;
    if (other)
      obstacle = "is accessed by '" + other->getName().getStringRef().str() +
                 "', and not only read and written as a whole";
    if (obstacle.empty()) {
      result.push_back(std::move(variable));
      continue;
    }
    if (!variable.isNamed) {
      remark::missed(op.getLoc(), getGraphRemark(query.transform))
          << ("variable '" + op.getSymName() + "' " + obstacle).str();
      continue;
    }
    InFlightDiagnostic error =
        op.emitOpError() << "'" << op.getSymName() << "' " << obstacle << "; '"
                         << query.pass << "' expects " << query.expected;
    if (other)
      error.attachNote(other->getLoc()) << "it is accessed here";
    return error;
  }
  if (result.empty())
    module.emitWarning() << "'" << query.pass
                         << "' changes no variable, because option "
                            "'variables' selects none of at least "
                         << query.minElements
                         << " elements that can be changed; expects "
                         << query.expected;
  return result;
}

void mlir::pop::separateUpdates(VariableAccesses &accesses) {
  for (InPlaceOpInterface &write : accesses.writes) {
    if (isa<CopyInPlaceOp>(write))
      continue;
    OpBuilder b(write);
    auto read = ReadOp::create(b, write.getLoc(), write.getTarget());
    Value value = write.buildValue(b, read);
    auto copy =
        CopyInPlaceOp::create(b, write.getLoc(), write.getTarget(), value);
    std::optional<NumberedOp> numbered = NumberedOp::get(write);
    for (Operation *op = read; op != write; op = op->getNextNode()) {
      inheritPlacement(write, op);
      if (numbered)
        numbered->addPart(op);
    }
    if (read->use_empty())
      read->erase();
    else
      accesses.reads.push_back(read);
    write->erase();
    write = cast<InPlaceOpInterface>(copy.getOperation());
  }
}
