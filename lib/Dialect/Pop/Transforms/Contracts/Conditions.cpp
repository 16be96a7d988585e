//===- Conditions.cpp - Checks of conditions --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"
#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "llvm/ADT/SetVector.h"
#include <functional>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// Fails at the first op of the module's functions, in the order of the
/// program, at which `check` does.
static LogicalResult checkOps(ModuleOp module,
                              function_ref<LogicalResult(Operation *)> check) {
  for (auto function : module.getOps<FunctionOpInterface>()) {
    WalkResult result =
        function->walk<WalkOrder::PreOrder>([&](Operation *op) -> WalkResult {
          return op == function ? success() : check(op);
        });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

/// Fails at the first of those ops for which `isViolating` is true.
static LogicalResult checkNone(ModuleOp module, EmitViolation emitError,
                               StringRef message,
                               function_ref<bool(Operation *)> isViolating) {
  return checkOps(module, [&](Operation *op) -> LogicalResult {
    if (!isViolating(op))
      return success();
    return emitError(op) << message;
  });
}

//===----------------------------------------------------------------------===//
// Ops that are not to be there
//===----------------------------------------------------------------------===//

static LogicalResult checkNoIpuCopy(ModuleOp module, EmitViolation emitError) {
  return checkNone(module, emitError, "copies between IPUs",
                   llvm::IsaPred<IpuCopyOp>);
}

static LogicalResult checkRandomSeeded(ModuleOp module,
                                       EmitViolation emitError) {
  return checkNone(module, emitError, "requests a seed; run pop-random-setup",
                   llvm::IsaPred<NextSeedOp>);
}

static LogicalResult checkLoopsExplicit(ModuleOp module,
                                        EmitViolation emitError) {
  return checkNone(
      module, emitError, "has the execution context 'accumulate_outer'",
      [](Operation *op) {
        return getExecutionContext(op) == ExecutionContext::AccumulateOuter;
      });
}

static LogicalResult checkRecomputeResolved(ModuleOp module,
                                            EmitViolation emitError) {
  return checkNone(module, emitError,
                   "has attribute 'pop.recompute' with value 'recompute'",
                   [](Operation *op) {
                     return getRecompute(op) == RecomputeKind::Recompute;
                   });
}

//===----------------------------------------------------------------------===//
// Refs
//===----------------------------------------------------------------------===//

/// An argument of a function is what calls pass, and is looked at there. What
/// the entry gets is the host's.
static bool isVariableOrArgument(const ipu::RefOrigin &origin) {
  return origin.variable || isa_and_nonnull<BlockArgument>(origin.root);
}

static LogicalResult checkNoInplace(ModuleOp module, EmitViolation emitError) {
  GraphEffects effects(module);
  return checkOps(module, [&](Operation *op) -> LogicalResult {
    // What regions do is looked at inside of them.
    if (op->getNumRegions() > 0)
      return success();
    for (OpOperand &operand : op->getOpOperands()) {
      if (!isa<RefType>(operand.get().getType()) ||
          !effects.mayWrite(op, operand.get()))
        continue;
      const ipu::RefOrigin &origin = effects.getOrigin(operand.get());
      if (isVariableOrArgument(origin))
        continue;
      InFlightDiagnostic error = emitError(op);
      error << "writes through operand #" << operand.getOperandNumber()
            << ", which does not refer to a variable";
      if (origin.isKnown())
        error.attachNote(origin.root.getLoc())
            << "the ref refers to this tensor";
      return error;
    }
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

using GetNumber = std::optional<int64_t> (*)(Operation *);

static LogicalResult checkPlaced(ModuleOp module, EmitViolation emitError,
                                 StringRef attribute, GetNumber getNumber) {
  return checkOps(module, [&](Operation *op) -> LogicalResult {
    if (!needsPlacement(op) || getNumber(op))
      return success();
    return emitError(op) << "expects attribute '" << attribute << "'";
  });
}

/// Reports an op that reads a result of a later stage or phase.
static LogicalResult reportLater(InFlightDiagnostic error, StringRef what,
                                 int64_t from, int64_t to, Location loc) {
  error << "reads a result of " << what << " " << from << " but is in " << what
        << " " << to;
  error.attachNote(loc) << "the result is defined here";
  return error;
}

/// Fails if a loop or branch passes values of several virtual graphs on as one
/// value, which is on one of them.
static LogicalResult checkPassedValues(Operation *op, ValueSources &sources,
                                       EmitViolation emitError) {
  SmallVector<Value> values(op->getResults());
  for (Region &region : op->getRegions())
    llvm::append_range(values, region.getArguments());
  for (Value value : values) {
    std::optional<int64_t> first;
    for (const ValueSources::Source &source :
         sources.find(value, /*ofEarlierIterations=*/true)) {
      if (!source.vgraph || source.vgraph == first)
        continue;
      if (!std::exchange(first, source.vgraph))
        continue;
      InFlightDiagnostic error = emitError(op);
      error << "passes values of several virtual graphs on as one value";
      error.attachNote(source.loc)
          << "this one is on virtual graph " << *source.vgraph;
      return error;
    }
  }
  return success();
}

static LogicalResult checkNoImplicitCopy(ModuleOp module,
                                         EmitViolation emitError) {
  ValueSources sources(module);
  return checkOps(module, [&](Operation *op) -> LogicalResult {
    if (isa<RegionBranchOpInterface>(op) &&
        failed(checkPassedValues(op, sources, emitError)))
      return failure();
    for (OpOperand &operand : op->getOpOperands()) {
      std::optional<int64_t> to = getVgraph(operand);
      if (!to)
        continue;
      for (const ValueSources::Source &source :
           sources.find(operand.get(), /*ofEarlierIterations=*/true)) {
        if (!source.vgraph || *source.vgraph == *to)
          continue;
        InFlightDiagnostic error = emitError(op);
        error << "reads operand #" << operand.getOperandNumber()
              << " on virtual graph " << *to
              << ", but the operand is on virtual graph " << *source.vgraph;
        error.attachNote(source.loc) << "the value is defined here";
        return error;
      }
    }
    return success();
  });
}

static LogicalResult checkVgraph(ModuleOp module, EmitViolation emitError) {
  return checkPlaced(module, emitError, PopDialect::kVgraphAttrName,
                     getVgraphOfResults);
}

static LogicalResult checkPstage(ModuleOp module, EmitViolation emitError) {
  if (failed(
          checkPlaced(module, emitError, PopDialect::kStageAttrName, getStage)))
    return failure();
  // A value that an earlier iteration of a loop passes on may be of any stage.
  ValueSources sources(module);
  return checkOps(module, [&](Operation *op) -> LogicalResult {
    std::optional<int64_t> to = getStage(op);
    for (Value operand : op->getOperands()) {
      if (!to)
        break;
      for (const ValueSources::Source &source :
           sources.find(operand, /*ofEarlierIterations=*/false)) {
        if (!source.stage || *source.stage <= *to)
          continue;
        return reportLater(emitError(op), "stage", *source.stage, *to,
                           source.loc);
      }
    }
    return success();
  });
}

static LogicalResult checkEphase(ModuleOp module, EmitViolation emitError) {
  return checkPlaced(module, emitError, PopDialect::kPhaseAttrName, getPhase);
}

static LogicalResult checkBphase(ModuleOp module, EmitViolation emitError) {
  return checkOps(module, [&](Operation *op) -> LogicalResult {
    std::optional<int64_t> to = getBatchPhase(op);
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      std::optional<int64_t> from =
          producer && to ? getBatchPhase(producer) : std::nullopt;
      if (!from || *from <= *to)
        continue;
      return reportLater(emitError(op), "batch phase", *from, *to,
                         producer->getLoc());
    }
    return success();
  });
}

//===----------------------------------------------------------------------===//
// Graphs
//===----------------------------------------------------------------------===//

/// What the host calls: the entry function; all public functions if none is the
/// entry.
static SmallVector<FunctionOpInterface> getEntries(ModuleOp module) {
  if (FunctionOpInterface entry = getMainFunction(module))
    return {entry};
  return llvm::filter_to_vector(
      module.getOps<FunctionOpInterface>(),
      [](FunctionOpInterface function) { return function.isPublic(); });
}

static LogicalResult checkHostIoExplicit(ModuleOp module,
                                         EmitViolation emitError) {
  for (FunctionOpInterface entry : getEntries(module))
    if (entry.getNumArguments() > 0 || entry.getNumResults() > 0)
      return emitError(entry)
             << "expects the entry function to have type '() -> ()' but got "
             << entry.getFunctionType();
  return success();
}

static LogicalResult checkNoDeadGraphs(ModuleOp module,
                                       EmitViolation emitError) {
  llvm::SetVector<Operation *> reached =
      getReachedFunctions(module, getEntries(module));
  for (auto function : module.getOps<FunctionOpInterface>())
    if (!function.isExternal() && !reached.contains(function))
      return emitError(function) << "@" << function.getName()
                                 << " is not reachable from the entry function";
  return success();
}

//===----------------------------------------------------------------------===//
// Rounding
//===----------------------------------------------------------------------===//

static LogicalResult checkSrComplete(ModuleOp module, EmitViolation emitError) {
  if (Operation *op = findOpWithoutRoundingMethod(module))
    return emitError(op) << "expects attribute '"
                         << PopDialect::kStochasticRoundingMethodAttrName
                         << "'";
  return success();
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

LogicalResult mlir::pop::checkCondition(ModuleOp module, Condition condition,
                                        EmitViolation emitError) {
  switch (condition) {
#define GEN_CONDITIONS
#define POP_CONDITION(enumerator, name, summary)                               \
  case Condition::enumerator:                                                  \
    return check##enumerator(module, emitError);
#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.inc"
#undef POP_CONDITION
  }
  llvm_unreachable("not a condition");
}

/// Returns whether `condition` says how ops are placed, but no op is. Ops that
/// a pass adds to such a program are not placed either.
static bool isVacuous(ModuleOp module, Condition condition) {
  if (condition != Condition::Vgraph && condition != Condition::Pstage &&
      condition != Condition::Ephase)
    return false;
  return succeeded(checkOps(
      module, [](Operation *op) { return success(!needsPlacement(op)); }));
}

ConditionSet mlir::pop::getHolding(ModuleOp module, ConditionSet conditions) {
  ConditionSet holding;
  for (Condition condition : conditions.getConditions())
    if (!isVacuous(module, condition) &&
        succeeded(checkCondition(module, condition, [](Operation *op) {
          InFlightDiagnostic error = emitError(op->getLoc());
          error.abandon();
          return error;
        })))
      holding.insert(condition);
  return holding;
}
