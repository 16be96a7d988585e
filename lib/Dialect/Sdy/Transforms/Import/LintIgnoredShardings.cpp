//===- LintIgnoredShardings.cpp - Lint of ignored shardings ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// XLA's former partitioner reads attributes `mhlo.sharding` and custom calls
// such as @Sharding. Frontends also write shardings of the sdy dialect as text
// in `mhlo.frontend_attributes`. Neither is imported. Attributes of the sdy
// dialect are ignored if their name is misspelled, or if the value that they
// are for has its sharding elsewhere.
//
//===----------------------------------------------------------------------===//

#include "LintIgnoredShardings.h"

#include "../Calls/CallUtils.h"
#include "../Calls/FuncAttrs.h"
#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// Ignored shardings of one kind.
struct Occurrences {
  /// What they are and why they are ignored.
  std::string text;
  /// The first value or op: "'func.func' op argument 0".
  std::string owner;
  Location loc;
  unsigned number = 1;
};

class Linter {
public:
  void visit(Operation *op);
  void emitWarnings();

private:
  void visit(DictionaryAttr attrs, const Twine &owner, Location loc);
  void visitFrontend(DictionaryAttr attrs, const Twine &owner, Location loc);
  /// `kind` says what is there, and `reason` why it is ignored.
  void add(const Twine &kind, const Twine &reason, const Twine &owner,
           Location loc);

  /// In program order. There are few kinds.
  SmallVector<Occurrences> found;
};
} // namespace

static constexpr StringLiteral kOtherNotation =
    "only shardings of the sdy dialect are read";

void Linter::add(const Twine &kind, const Twine &reason, const Twine &owner,
                 Location loc) {
  std::string text = (kind + ", which is ignored: " + reason).str();
  auto *same = llvm::find_if(
      found, [&](const Occurrences &other) { return other.text == text; });
  if (same == found.end())
    found.push_back({text, owner.str(), loc});
  else
    ++same->number;
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

static bool isForeignName(StringRef name) {
  return name == "mhlo.sharding" || name == "mhlo.spmd_parameters_shardings" ||
         name == "mhlo.spmd_output_sharding";
}

static bool isKnownName(StringRef name) {
  static constexpr StringLiteral kNames[] = {kShardingAttrName,
                                             kBlockArgShardingAttrName,
                                             kShardingRuleAttrName,
                                             kShardingOriginsAttrName,
                                             kBlockArgShardingOriginsAttrName,
                                             kResultShardingOriginsAttrName,
                                             kShardingOriginNameAttrName,
                                             kPropagationEdgesAttrName,
                                             kBlockArgPropagationEdgesAttrName,
                                             kResultPropagationEdgesAttrName,
                                             kOriginalFuncNameAttrName,
                                             kFuncManualAxesAttrName,
                                             kFuncAttrsAttrName};
  return llvm::is_contained(kNames, name);
}

void Linter::visitFrontend(DictionaryAttr attrs, const Twine &owner,
                           Location loc) {
  for (NamedAttribute attr : attrs) {
    StringRef name = attr.getName();
    if (name.consume_front("xla.sdy.") && name != "sharding_rule")
      add("a sharding as frontend attribute '" + attr.getName().getValue() +
              "'",
          kOtherNotation, owner, loc);
  }
}

void Linter::visit(DictionaryAttr attrs, const Twine &owner, Location loc) {
  if (!attrs)
    return;
  for (NamedAttribute attr : attrs) {
    StringRef name = attr.getName();
    if (isForeignName(name))
      add("a sharding as attribute '" + name + "'", kOtherNotation, owner, loc);
    else if (name.starts_with("sdy.") && !isKnownName(name))
      add("attribute '" + name + "'", "the sdy dialect has no such attribute",
          owner, loc);
    else if (!name.contains('.') &&
             isa<TensorShardingAttr, TensorShardingPerValueAttr,
                 OpShardingRuleAttr>(attr.getValue()))
      add("attribute '" + name + "'",
          "the names of attributes that are read begin with 'sdy.'", owner,
          loc);
    else if (auto frontend = dyn_cast<DictionaryAttr>(attr.getValue());
             frontend && name == "mhlo.frontend_attributes")
      visitFrontend(frontend, owner, loc);
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

static bool isShardingCall(StringRef target) {
  return target == "Sharding" || target == "SPMDFullToShardShape" ||
         target == "SPMDShardToFullShape" || target.starts_with("xla.sdy.");
}

/// Whether the op has the shardings of its results in its own syntax.
static bool hasOwnSharding(Operation *op) {
  return isCollective(op) ||
         isa<ShardingConstraintOp, ReshardOp, DataFlowEdgeOp,
             ManualComputationOp, NamedComputationOp>(op);
}

static bool saysNothing(TensorShardingAttr sharding) {
  return sharding == TensorShardingAttr::getFullyOpen(sharding.getContext(),
                                                      sharding.getRank(),
                                                      sharding.getMeshOrRef());
}

/// Whether a sharding of a block argument is for an edge that another value
/// owns, or for no edge.
static bool hasUnreadBlockArgSharding(Operation *op) {
  auto list =
      op->getAttrOfType<TensorShardingPerValueAttr>(kBlockArgShardingAttrName);
  if (!list)
    return false;
  auto dataFlow = dyn_cast<ShardableDataFlowOpInterface>(op);
  for (auto [argument, sharding] :
       llvm::zip(op->getRegion(0).getArguments(), list.getShardings()))
    if (isa<RankedTensorType>(argument.getType()) && !saysNothing(sharding) &&
        (!dataFlow || dataFlow.getEdgeOwner(argument) != argument))
      return true;
  return false;
}

void Linter::visit(Operation *op) {
  std::string name = ("'" + op->getName().getStringRef() + "' op").str();
  Location loc = op->getLoc();
  // Its attributes belong to what the call says.
  if (auto call = dyn_cast<stablehlo::CustomCallOp>(op);
      call && isShardingCall(call.getCallTargetName()))
    return add("a sharding as custom call '@" + call.getCallTargetName() + "'",
               kOtherNotation, name, loc);
  visit(op->getDiscardableAttrDictionary(), name, loc);
  if (hasOwnSharding(op) && op->hasAttr(kShardingAttrName))
    add("attribute '" + kShardingAttrName + "'",
        "ops such as '" + op->getName().getStringRef() +
            "' have their shardings in their own syntax",
        name, loc);
  if (hasUnreadBlockArgSharding(op))
    add("attribute '" + kBlockArgShardingAttrName + "'",
        "the sharding of a block argument is that of a result of '" +
            op->getName().getStringRef() + "', or none",
        name, loc);
  auto function = dyn_cast<FunctionOpInterface>(op);
  if (!function)
    return;
  for (unsigned i = 0, e = function.getNumArguments(); i < e; ++i)
    visit(function.getArgAttrDict(i), name + " argument " + Twine(i), loc);
  for (unsigned i = 0, e = function.getNumResults(); i < e; ++i)
    visit(function.getResultAttrDict(i), name + " result " + Twine(i), loc);
}

void Linter::emitWarnings() {
  for (const Occurrences &occurrences : found) {
    InFlightDiagnostic warning = emitWarning(occurrences.loc);
    warning << occurrences.owner << " has " << occurrences.text;
    if (occurrences.number > 1)
      warning << " (the first of " << occurrences.number << ")";
  }
}

void sdy::lintIgnoredShardings(ModuleOp module) {
  Linter linter;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) { linter.visit(op); });
  linter.emitWarnings();
}
