//===- ReplicaEqualWarnings.cpp - Warnings of replicas that differ --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

#include <set>

using namespace mlir;
using namespace mlir::ipu;

std::string mlir::ipu::toString(ReplicaPartition partition) {
  std::string text;
  llvm::raw_string_ostream(text) << partition;
  return text;
}

int64_t mlir::ipu::getNumReplicas(ModuleOp module, int64_t asked) {
  if (asked != 0)
    return asked;
  if (!module->hasAttr(IPUDialect::kTargetAttrName))
    emitWarning(module.getLoc())
        << "the module has no target, and no number of replicas is given: the "
           "analysis assumes one replica, on which all values are equal";
  return getTargetModel(module).replicas;
}

/// Says on what calls disagree.
static InFlightDiagnostic warnOf(const ReplicaDisagreement &found) {
  FunctionOpInterface callee = found.callee;
  switch (found.kind) {
  case ReplicaDisagreement::Kind::Argument:
    return emitWarning(callee.getArgument(found.argument).getLoc())
           << "argument #" << found.argument << " of @" << callee.getName()
           << " has different replica partitions in different calls";
  case ReplicaDisagreement::Kind::State:
    return emitWarning(callee.getLoc())
           << found.state
           << " has different replica partitions in different calls of @"
           << callee.getName();
  case ReplicaDisagreement::Kind::Control:
    return emitWarning(callee.getLoc())
           << "@" << callee.getName()
           << " is executed under conditions with different replica partitions "
              "in different calls";
  }
  llvm_unreachable("no such kind");
}

/// Whether calls disagree on what an argument became, of which they were said
/// to do so when it was one.
static bool isOnScratch(const ReplicaDisagreement &found) {
  if (found.kind != ReplicaDisagreement::Kind::State)
    return false;
  auto scratch = dyn_cast_or_null<pop::ScratchOp>(
      SymbolTable::lookupNearestSymbolFrom(found.callee, found.state));
  return scratch && !scratch.getValue();
}

/// Returns whether the calls disagree on a state that the function writes. The
/// calls then update the state one after the other, like iterations of a loop.
static bool isUpdated(const ReplicaDisagreement &found,
                      std::optional<GraphEffects> &effects) {
  if (found.kind != ReplicaDisagreement::Kind::State)
    return false;
  if (!effects)
    effects.emplace(found.callee->getParentOfType<ModuleOp>());
  return effects->getEffects(found.callee)
      .mayWrite(MemoryLocation::getVariable(found.state));
}

void mlir::ipu::warnOfReplicaDisagreements(const ReplicaEqual &analysis) {
  std::optional<GraphEffects> effects;
  std::set<std::tuple<Operation *, ReplicaDisagreement::Kind, unsigned,
                      const void *>>
      known;
  for (const ReplicaDisagreement &found : analysis.getDisagreements()) {
    if (isOnScratch(found) || isUpdated(found, effects))
      continue;
    FunctionOpInterface callee = found.callee;
    // Not of what only passes arguments on, for which the arguments stand.
    if (found.kind == ReplicaDisagreement::Kind::State &&
        !isa_and_present<ReplicaStateOpInterface>(
            SymbolTable::lookupNearestSymbolFrom(callee, found.state)))
      continue;
    if (!known
             .insert({callee, found.kind, found.argument,
                      found.state.getAsOpaquePointer()})
             .second)
      continue;
    InFlightDiagnostic warning = warnOf(found);
    warning << ": the analysis assumes replica partition '"
            << toString(found.partition) << "'";
    for (auto [call, partition] : found.calls)
      warning.attachNote(call->getLoc())
          << "replica partition in this call: '" << toString(partition) << "'";
  }
}

/// Most notes on the way of a difference; half of them for each end.
static constexpr size_t kMaxNotes = 10;

/// Why an op makes two replicas differ, if what it gets does not say it.
static StringRef getReason(const ReplicaDifference &step) {
  auto method = step.op->getAttrOfType<pop::StochasticRoundingMethodAttr>(
      pop::PopDialect::kStochasticRoundingMethodAttrName);
  if (!method)
    return "";
  ArrayRef<int64_t> classes = method.getPartition().getClasses();
  size_t last = std::max(step.first, step.second);
  return last < classes.size() && classes[step.first] != classes[step.second]
             ? ", because its rounding method gives these replicas different "
               "seeds"
             : "";
}

void mlir::ipu::noteReplicaDifference(InFlightDiagnostic &diag,
                                      ArrayRef<ReplicaDifference> path) {
  auto noteStep = [&](const ReplicaDifference &step) -> Diagnostic & {
    return diag.attachNote(step.op->getLoc()) << "'" << step.op->getName();
  };
  size_t hidden = path.size() > kMaxNotes ? path.size() - kMaxNotes : 0;
  for (auto [i, step] : llvm::enumerate(path)) {
    if (i == 0) {
      noteStep(step) << "' op makes replicas " << step.first << " and "
                     << step.second << " differ" << getReason(step);
      continue;
    }
    if (hidden > 0 && i == kMaxNotes / 2)
      diag.attachNote(step.op->getLoc())
          << hidden
          << " more ops pass the difference on; this op is the first of them";
    if (i >= kMaxNotes / 2 && i < kMaxNotes / 2 + hidden)
      continue;
    Diagnostic &note = noteStep(step) << "' op passes the difference on";
    const ReplicaDifference &last = path[i - 1];
    if (step.first != last.first || step.second != last.second)
      note << ", to replicas " << step.first << " and " << step.second;
  }
}

void mlir::ipu::warnOfReplicaDrifts(const ReplicaEqual &analysis) {
  for (const ReplicaDrift &drift : analysis.getDrifts()) {
    InFlightDiagnostic warning = emitWarning(drift.op->getLoc());
    warning << "'" << drift.op->getName() << "' op ";
    if (drift.result)
      warning << "result #" << *drift.result << " may differ";
    else
      warning << "\"" << SymbolTable::getSymbolName(drift.op).getValue()
              << "\" may become different";
    warning << " on replicas " << drift.first << " and " << drift.second
            << ", but the host reads the value of only one of these replicas";
    noteReplicaDifference(warning, drift.path);
  }
}
