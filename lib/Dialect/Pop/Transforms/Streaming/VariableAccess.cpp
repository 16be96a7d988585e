//===- VariableAccess.cpp - Selection and accesses of variables -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "VariableAccess.h"

#include "../NumberedOp.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "llvm/ADT/SmallBitVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/GlobPattern.h"

using namespace mlir;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Selection
//===----------------------------------------------------------------------===//

VariableClass mlir::pop::getVariableClass(VariableOp variable) {
  StringRef name = variable.getSymName();
  size_t end = name.find("___");
  if (end == StringRef::npos)
    return VariableClass::Weights;
  return llvm::StringSwitch<VariableClass>(name.take_front(end))
      .Cases({"Accum", "Counter"}, VariableClass::Accumulators)
      .Cases({"Accl", "Accl1", "Accl2", "Accl3", "Master", "Step", "Updates"},
             VariableClass::Optimizer)
      .Default(VariableClass::Weights);
}

static std::optional<VariableClass> symbolizeVariableClass(StringRef text) {
  return llvm::StringSwitch<std::optional<VariableClass>>(text)
      .Case("weights", VariableClass::Weights)
      .Case("optimizer", VariableClass::Optimizer)
      .Case("accumulators", VariableClass::Accumulators)
      .Default(std::nullopt);
}

FailureOr<SmallVector<SelectedVariable>>
mlir::pop::selectVariables(ModuleOp module, ArrayRef<std::string> selectors,
                           StringRef pass, StringRef option) {
  SmallVector<SelectedVariable> variables;
  for (auto variable : module.getOps<VariableOp>())
    variables.push_back({variable, getVariableClass(variable)});
  llvm::SmallBitVector isSelected(variables.size());
  for (const std::string &selector : selectors) {
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
             << "'" << pass << "' expects option '" << option
             << "' to have 'weights', 'optimizer', 'accumulators' and names "
                "with wildcards, but '"
             << selector
             << "' has an error: " << llvm::toString(glob.takeError());
    bool matches = false;
    for (auto [i, variable] : llvm::enumerate(variables)) {
      if (!glob->match(variable.variable.getSymName()))
        continue;
      variable.isNamed = matches = true;
      isSelected.set(i);
    }
    if (!matches)
      return module.emitError() << "'" << pass << "' expects option '" << option
                                << "' to select variables, but no variable "
                                   "has the name '"
                                << selector << "'";
  }
  SmallVector<SelectedVariable> selected;
  for (unsigned i : isSelected.set_bits())
    selected.push_back(variables[i]);
  return selected;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

VariableAccesses mlir::pop::getAccesses(VariableOp variable,
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
