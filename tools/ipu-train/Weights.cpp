//===- Weights.cpp - The weights of models --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

std::string train::getName(Attribute attribute, StringRef fallback,
                           unsigned index) {
  auto name = dyn_cast_or_null<StringAttr>(attribute);
  return name ? name.str() : (fallback + Twine(index)).str();
}

//===----------------------------------------------------------------------===//
// Functions and variables
//===----------------------------------------------------------------------===//

using Functions = llvm::SetVector<Operation *>;

/// Adds `function` and the functions that it calls.
static void collectFunctions(Operation *function,
                             SymbolTableCollection &symbols,
                             Functions &functions) {
  if (!functions.insert(function))
    return;
  function->walk([&](CallOpInterface call) {
    if (Operation *callee = call.resolveCallableInTable(&symbols))
      collectFunctions(callee, symbols, functions);
  });
}

bool train::hasBatchStatistics(func::FuncOp main) {
  SymbolTableCollection symbols;
  Functions functions;
  collectFunctions(main, symbols, functions);
  return llvm::any_of(functions, [](Operation *function) {
    return function
        ->walk([](pop::BatchNormTrainingOp) { return WalkResult::interrupt(); })
        .wasInterrupted();
  });
}

std::optional<int64_t> train::findRows(BlockArgument argument) {
  std::optional<int64_t> rows;
  for (Operation *user : argument.getUsers()) {
    // The importer makes negative indices positive.
    auto select = dyn_cast<pop::SelectOp>(user);
    if (!select || select.getOnFalse() != argument)
      continue;
    for (Operation *next : select->getUsers())
      if (auto gather = dyn_cast<pop::GatherOp>(next)) {
        int64_t size =
            gather.getTable().getType().getDimSize(gather.getBatchDims());
        rows = std::min(rows.value_or(size), size);
      }
  }
  return rows;
}

/// Whether a tensor is only the mean or the variance of normalizations.
static bool isStatistic(Value tensor) {
  return !tensor.use_empty() &&
         llvm::all_of(tensor.getUses(), [&](OpOperand &use) {
           if (auto cast = dyn_cast<pop::CastOp>(use.getOwner()))
             return isStatistic(cast.getResult());
           auto norm = dyn_cast<pop::BatchNormOp>(use.getOwner());
           return norm && tensor != norm.getInput() &&
                  tensor != norm.getScale() && tensor != norm.getBias();
         });
}

namespace {
/// The refs of a variable.
struct Variable {
  SmallVector<pop::GetVariableOp> refs;
  bool isWritten = false;

  bool isStatistic() const {
    bool hasReads = false;
    for (pop::GetVariableOp ref : refs)
      for (Operation *user : ref->getUsers()) {
        auto read = dyn_cast<pop::ReadOp>(user);
        if (!read || !::isStatistic(read.getResult()))
          return false;
        hasReads = true;
      }
    return hasReads;
  }
};
} // namespace

using Variables = llvm::MapVector<StringAttr, Variable>;

/// The variables of floats.
static Variables findVariables(const Functions &functions,
                               const GraphEffects &effects) {
  Variables variables;
  for (Operation *function : functions)
    function->walk([&](pop::GetVariableOp get) {
      if (!isa<FloatType>(get.getType().getElementType()))
        return;
      Variable &variable = variables[get.getVariableAttr().getAttr()];
      variable.refs.push_back(get);
      for (Operation *user : get->getUsers())
        variable.isWritten |= isa<CallOpInterface>(user)
                                  ? effects.mayWrite(user, get.getResult())
                                  : !isa<pop::ReadOp>(user);
    });
  return variables;
}

//===----------------------------------------------------------------------===//
// Gradients
//===----------------------------------------------------------------------===//

namespace {
/// What influences a result through floats and ops with gradients. An op with
/// regions, or a call, is influenced by all that is in it.
class Influences {
public:
  /// Of result `index` of `main`.
  Influences(func::FuncOp main, unsigned index, const Variables &variables,
             SymbolTableCollection &symbols)
      : variables(variables), symbols(symbols) {
    main.walk([&](func::ReturnOp op) { addValue(op.getOperand(index)); });
    while (!worklist.empty())
      visit(worklist.pop_back_val());
  }

  bool contains(Value value) const { return values.contains(value); }
  bool contains(const Variable &variable) const {
    return llvm::any_of(variable.refs, [&](pop::GetVariableOp ref) {
      return visited.contains(ref);
    });
  }

private:
  void addOp(Operation *op) {
    if (op && !op->hasTrait<pop::ZeroGradient>() && visited.insert(op).second)
      worklist.push_back(op);
  }

  void addValue(Value value) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if ((tensor && !isa<FloatType>(tensor.getElementType())) ||
        !values.insert(value).second)
      return;
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      Operation *parent = argument.getOwner()->getParentOp();
      if (!isa<FunctionOpInterface>(parent))
        addOp(parent);
      else if (!argument.getOwner()->isEntryBlock())
        addAll(parent);
      // Calls have added the operands of the function.
      return;
    }
    addOp(value.getDefiningOp());
  }

  void addAll(Operation *parent) {
    parent->walk([&](Operation *op) {
      if (op != parent)
        addOp(op);
    });
  }

  /// Adds the ops that write what a ref refers to.
  void addWrites(Value ref) {
    for (Operation *user : ref.getUsers()) {
      if (isa<pop::ReadOp>(user))
        continue;
      addOp(user);
      for (Value result : user->getResults())
        if (isa<pop::RefType>(result.getType()))
          addWrites(result);
    }
  }

  void visit(Operation *op) {
    for (Value operand : op->getOperands())
      addValue(operand);
    addAll(op);
    if (auto get = dyn_cast<pop::GetVariableOp>(op)) {
      const auto *it = variables.find(get.getVariableAttr().getAttr());
      if (it != variables.end())
        for (pop::GetVariableOp ref : it->second.refs)
          addWrites(ref.getResult());
    }
    if (auto call = dyn_cast<CallOpInterface>(op))
      if (Operation *callee = call.resolveCallableInTable(&symbols))
        addAll(callee);
  }

  const Variables &variables;
  SymbolTableCollection &symbols;
  llvm::DenseSet<Value> values;
  llvm::DenseSet<Operation *> visited;
  SmallVector<Operation *> worklist;
};
} // namespace

static bool hasSeveralGroups(pop::VariableOp variable) {
  FailureOr<ReplicaGroups> groups = resolveReplicaGroups(
      variable.getGroupsAttr(), getTargetModel(variable).replicas,
      [&] { return variable.emitOpError(); });
  return succeeded(groups) && groups->getNumGroups() > 1;
}

LogicalResult train::findWeights(func::FuncOp main, TrainedModel &model) {
  SymbolTableCollection symbols;
  Functions functions;
  collectFunctions(main, symbols, functions);
  GraphEffects effects(main->getParentOfType<ModuleOp>());
  Variables variables = findVariables(functions, effects);
  Influences influences(main, model.outputIndex, variables, symbols);
  bool hasCandidates = false;
  auto add = [&](StringRef kind, StringRef name, Operation *at,
                 bool hasInfluence) {
    hasCandidates = true;
    if (hasInfluence)
      model.weights.push_back(name.str());
    else
      at->emitWarning() << "the loss has no gradient for " << kind << " '"
                        << name << "', which is not trained";
    return hasInfluence;
  };
  for (BlockArgument argument : main.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        !main.getArgAttr(index, pop::PopDialect::kDefaultAttrName))
      continue;
    std::string name = getName(
        main.getArgAttr(index, pop::PopDialect::kNameAttrName), "arg", index);
    bool isTrained = !isStatistic(argument) &&
                     add("argument", name, main, influences.contains(argument));
    model.saved.push_back(
        {name, type,
         main.getArgAttr(index, pop::PopDialect::kGroupsAttrName) != nullptr,
         isTrained ? ElementsAttr()
                   : main.getArgAttrOfType<ElementsAttr>(
                         index, pop::PopDialect::kDefaultAttrName)});
  }
  for (const auto &[name, variable] : variables) {
    Operation *definition = symbols.lookupNearestSymbolFrom(main, name);
    bool isTrained = !variable.isWritten && !variable.isStatistic() &&
                     add("variable", name, definition ? definition : main,
                         influences.contains(variable));
    if (auto declared = dyn_cast_or_null<pop::VariableOp>(definition))
      model.saved.push_back(
          {name.str(), declared.getTensorType(), hasSeveralGroups(declared),
           isTrained || variable.isWritten ? ElementsAttr()
                                           : declared.getValue()});
  }
  if (!model.weights.empty())
    return success();
  if (hasCandidates)
    return main.emitError() << "expects weights for which output '"
                            << model.output << "' has a gradient but has none";
  return main.emitError()
         << "expects weights to train (float variables that the function "
            "reads, or float arguments with a 'pop.default') but has none";
}
