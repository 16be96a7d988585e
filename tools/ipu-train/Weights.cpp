//===- Weights.cpp - The weights of models --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Weights.h"

#include "Influences.h"
#include "Selection.h"
#include "ipu-mlir/Host/HostElements.h"
#include "mlir/IR/DialectResourceBlobManager.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::train;

std::string train::getName(Attribute attribute, StringRef fallback,
                           unsigned index) {
  auto name = dyn_cast_or_null<StringAttr>(attribute);
  return name ? name.str() : (fallback + Twine(index)).str();
}

//===----------------------------------------------------------------------===//
// Ops of a model
//===----------------------------------------------------------------------===//

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

/// The same for all reads of a variable.
static bool isStatistic(const Variable &variable) {
  bool hasReads = false;
  for (pop::GetVariableOp ref : variable.refs)
    for (Operation *user : ref->getUsers()) {
      auto read = dyn_cast<pop::ReadOp>(user);
      if (!read || !isStatistic(read.getResult()))
        return false;
      hasReads = true;
    }
  return hasReads;
}

int64_t train::countReplicaGroups(pop::VariableOp variable) {
  FailureOr<ReplicaGroups> groups = resolveReplicaGroups(
      variable.getGroupsAttr(), getTargetModel(variable).replicas,
      [&] { return variable.emitOpError(); });
  return succeeded(groups) ? groups->getNumGroups() : 1;
}

//===----------------------------------------------------------------------===//
// What is not trained
//===----------------------------------------------------------------------===//

/// Returns whether all values are 0 or at most -1e4, and not all are 0. Such
/// values are added to logits, so that a softmax ignores some of them.
static bool isMask(ElementsAttr initial) {
  constexpr double kMost = -1e4;
  bool hasNegative = false;
  auto isOfMask = [&](double value) {
    hasNegative |= value <= kMost;
    return value == 0 || value <= kMost;
  };
  if (auto dense = dyn_cast_or_null<DenseElementsAttr>(initial)) {
    auto type = cast<FloatType>(dense.getElementType());
    int64_t count = dense.isSplat() ? 1 : dense.getNumElements();
    auto values = dense.getValues<APFloat>().begin();
    for (int64_t i = 0; i < count; ++i, ++values) {
      uint64_t bits = (*values).bitcastToAPInt().getZExtValue();
      if (!isOfMask(decodeFloat(type, bits)))
        return false;
    }
    return hasNegative;
  }
  auto resource = dyn_cast_or_null<DenseResourceElementsAttr>(initial);
  AsmResourceBlob *blob =
      resource ? resource.getRawHandle().getBlob() : nullptr;
  if (!blob)
    return false;
  auto type = cast<FloatType>(resource.getElementType());
  size_t size = getElementBytes(type);
  for (ArrayRef<char> data = blob->getData(); data.size() >= size;
       data = data.drop_front(size))
    if (!isOfMask(decodeFloat(type, loadBits(type, data.data()))))
      return false;
  return hasNegative;
}

/// Returns whether `tensors` affect results only by comparisons and by other
/// ops whose results are not floats.
static bool decidesConditions(SmallVector<Value> tensors) {
  llvm::SmallPtrSet<Operation *, 16> visited;
  bool hasConditions = false;
  while (!tensors.empty())
    for (Operation *user : tensors.pop_back_val().getUsers()) {
      if (!visited.insert(user).second)
        continue;
      if (user->getNumResults() == 0 || user->getNumRegions() > 0 ||
          isa<CallOpInterface>(user))
        return false;
      for (Value result : user->getResults()) {
        bool isFloat = isa<FloatType>(getElementTypeOrSelf(result));
        hasConditions |= !isFloat;
        if (isFloat)
          tensors.push_back(result);
      }
    }
  return hasConditions;
}

//===----------------------------------------------------------------------===//
// Weights
//===----------------------------------------------------------------------===//

namespace {
/// A float variable, or a float argument with a default value.
struct Candidate {
  StringRef kind;
  std::string name;
  RankedTensorType type;
  /// The initial value; may be null.
  ElementsAttr initial;
  /// The op that diagnostics refer to.
  Operation *at;
  SmallVector<Value> reads;
  bool isWritten = false, isStatistic = false, hasGradient = false;
};

/// Decides which candidates are trained.
class WeightFinder {
public:
  WeightFinder(Selection &selection, TrainedModel &model)
      : selection(selection), model(model) {}

  /// Sets `isTrained`. Fails if an option asks for what is not possible.
  llvm::Error add(const Candidate &candidate, bool &isTrained);
  Status finish(func::FuncOp main) const;

private:
  /// Returns the reason for which a candidate is not trained, or an empty
  /// string.
  std::string findReason(const Candidate &candidate);

  Selection &selection;
  TrainedModel &model;
  bool hasWeights = false, hasExclusions = false;
};
} // namespace

std::string WeightFinder::findReason(const Candidate &candidate) {
  std::string exclusion = selection.findExclusion(candidate.name);
  hasExclusions |= !exclusion.empty();
  if (!exclusion.empty())
    return exclusion;
  auto what = (candidate.kind + " '" + candidate.name + "'").str();
  bool isNamed = selection.isNamed(candidate.name);
  if (!isNamed && isMask(candidate.initial)) {
    candidate.at->emitRemark()
        << what
        << " is not trained, because its values are all 0 or at most -1e4, as "
           "in a mask; --train '"
        << candidate.name << "' trains it";
    return "its values are all 0 or at most -1e4, as in a mask";
  }
  if (candidate.hasGradient)
    return "";
  if (!isNamed && decidesConditions(candidate.reads)) {
    candidate.at->emitRemark()
        << what << " is not trained, because it only decides conditions";
    return "it only decides conditions";
  }
  candidate.at->emitWarning()
      << "the loss has no gradient for " << what << ", which is not trained";
  return "the loss has no gradient for it";
}

llvm::Error WeightFinder::add(const Candidate &candidate, bool &isTrained) {
  selection.addVariable(candidate.name);
  isTrained = false;
  if (candidate.isWritten || candidate.isStatistic) {
    StringRef reason =
        candidate.isWritten ? "the model writes it" : "it is a statistic";
    if (selection.isNamed(candidate.name))
      return makeError("--train and --trainable expect weights but got '" +
                       candidate.name + "', which is not trained, because " +
                       reason);
    model.untrained.push_back({candidate.name, candidate.type, reason.str()});
    return llvm::Error::success();
  }
  hasWeights = true;
  std::string reason = findReason(candidate);
  if (!reason.empty()) {
    model.untrained.push_back({candidate.name, candidate.type, reason});
    return llvm::Error::success();
  }
  auto group = selection.findGroup(candidate.name);
  if (!group)
    return group.takeError();
  model.weights.push_back({candidate.name, candidate.type, *group});
  isTrained = true;
  return llvm::Error::success();
}

Status WeightFinder::finish(func::FuncOp main) const {
  if (llvm::Error error = selection.checkUses())
    return report(Status::BadUsage, std::move(error));
  if (!model.weights.empty())
    return Status::Success;
  if (hasExclusions)
    return report(Status::BadUsage,
                  "--train, --trainable and --freeze leave no weight for which "
                  "output '" +
                      model.output + "' has a gradient");
  if (hasWeights)
    main.emitError() << "expects weights for which output '" << model.output
                     << "' has a gradient but has none";
  else
    main.emitError()
        << "expects weights to train (float variables that the function "
           "reads, or float arguments with a 'pop.default') but has none";
  return Status::BadModel;
}

/// Returns the candidates among the arguments of `main`.
static SmallVector<Candidate> collectArguments(func::FuncOp main,
                                               const Influences &influences) {
  SmallVector<Candidate> candidates;
  for (BlockArgument argument : main.getArguments()) {
    unsigned index = argument.getArgNumber();
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !isa<FloatType>(type.getElementType()) ||
        !main.getArgAttr(index, pop::PopDialect::kDefaultAttrName))
      continue;
    Candidate candidate;
    candidate.kind = "argument";
    candidate.name = getName(
        main.getArgAttr(index, pop::PopDialect::kNameAttrName), "arg", index);
    candidate.type = type;
    candidate.initial = main.getArgAttrOfType<ElementsAttr>(
        index, pop::PopDialect::kDefaultAttrName);
    candidate.at = main;
    candidate.reads = {argument};
    candidate.isStatistic = isStatistic(argument);
    candidate.hasGradient = influences.contains(argument);
    candidates.push_back(candidate);
  }
  return candidates;
}

static Candidate makeCandidate(StringAttr name, const Variable &variable,
                               pop::VariableOp declared, func::FuncOp main,
                               const Influences &influences) {
  pop::GetVariableOp first = variable.refs.front();
  pop::RefType ref = first.getType();
  Candidate candidate;
  candidate.kind = "variable";
  candidate.name = name.str();
  candidate.type =
      declared ? declared.getTensorType()
               : RankedTensorType::get(ref.getShape(), ref.getElementType());
  candidate.initial = declared ? declared.getValue() : ElementsAttr();
  candidate.at = declared ? declared.getOperation() : main.getOperation();
  for (pop::GetVariableOp get : variable.refs)
    candidate.reads.push_back(get.getResult());
  candidate.isWritten = variable.isWritten;
  candidate.isStatistic = isStatistic(variable);
  candidate.hasGradient = influences.contains(variable);
  return candidate;
}

static Status findWeights(Selection &selection, func::FuncOp main,
                          TrainedModel &model) {
  SymbolTableCollection symbols;
  Functions functions;
  collectFunctions(main, symbols, functions);
  Variables variables =
      findVariables(functions, main->getParentOfType<ModuleOp>());
  Influences influences(main, model.outputIndex, variables, symbols);
  WeightFinder finder(selection, model);
  // A null value says that the training changes it.
  auto addSaved = [&](const Candidate &candidate, bool hasSeveralValues,
                      bool isConstant) {
    model.saved.push_back({candidate.name, candidate.type, hasSeveralValues,
                           isConstant ? candidate.initial : ElementsAttr()});
  };
  bool isTrained = false;
  for (const Candidate &candidate : collectArguments(main, influences)) {
    if (llvm::Error error = finder.add(candidate, isTrained))
      return report(Status::BadUsage, std::move(error));
    unsigned index =
        cast<BlockArgument>(candidate.reads.front()).getArgNumber();
    addSaved(candidate,
             main.getArgAttr(index, pop::PopDialect::kGroupsAttrName) !=
                 nullptr,
             !isTrained);
  }
  for (const auto &[name, variable] : variables) {
    auto declared = dyn_cast_or_null<pop::VariableOp>(
        symbols.lookupNearestSymbolFrom(main, name));
    Candidate candidate =
        makeCandidate(name, variable, declared, main, influences);
    if (llvm::Error error = finder.add(candidate, isTrained))
      return report(Status::BadUsage, std::move(error));
    if (declared)
      addSaved(candidate, countReplicaGroups(declared) > 1,
               !isTrained && !candidate.isWritten);
  }
  return finder.finish(main);
}

Status train::findWeights(const SelectionOptions &options, func::FuncOp main,
                          TrainedModel &model) {
  llvm::Expected<Selection> selection = Selection::create(options);
  if (!selection)
    return report(Status::BadUsage, selection.takeError());
  return ::findWeights(*selection, main, model);
}

//===----------------------------------------------------------------------===//
// Groups
//===----------------------------------------------------------------------===//

void train::setOptimizers(ModuleOp module, const TrainedModel &model,
                          ArrayRef<pop::OptimizerAttr> ofGroups) {
  SymbolTable symbols(module);
  auto main = symbols.lookup<func::FuncOp>(kMain);
  for (const Weight &weight : model.weights) {
    if (!weight.group)
      continue;
    StringRef key = pop::PopDialect::kOptimizerAttrName;
    pop::OptimizerAttr optimizer = ofGroups[*weight.group];
    for (unsigned i = 0; i < main.getNumArguments(); ++i)
      if (getName(main.getArgAttr(i, pop::PopDialect::kNameAttrName), "arg",
                  i) == weight.name)
        main.setArgAttr(i, key, optimizer);
    if (auto variable = symbols.lookup<pop::VariableOp>(weight.name))
      variable->setAttr(key, optimizer);
  }
}

/// Prints a name, in which a terminal must not find commands, and a type.
static void printTensor(llvm::raw_ostream &os, StringRef name,
                        RankedTensorType type) {
  os << "  ";
  llvm::printEscapedString(name, os);
  os << ": ";
  for (int64_t size : type.getShape())
    os << size << 'x';
  os << type.getElementType();
}

void train::printWeights(llvm::raw_ostream &os, const TrainedModel &model,
                         ArrayRef<GroupOption> groups) {
  int64_t elements = 0;
  for (const Weight &weight : model.weights)
    elements += weight.type.getNumElements();
  os << "trained (" << model.weights.size() << " weights, " << elements
     << " elements):\n";
  for (const Weight &weight : model.weights) {
    printTensor(os, weight.name, weight.type);
    if (weight.group) {
      os << ", group '";
      llvm::printEscapedString(groups[*weight.group].pattern, os);
      os << "' with " << groups[*weight.group].settings;
    }
    os << '\n';
  }
  if (model.untrained.empty())
    return;
  os << "not trained:\n";
  for (const Untrained &other : model.untrained) {
    printTensor(os, other.name, other.type);
    os << ": " << other.reason << '\n';
  }
}
