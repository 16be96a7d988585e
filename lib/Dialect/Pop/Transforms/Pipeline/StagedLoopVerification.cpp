//===- StagedLoopVerification.cpp - Verification of staged loops *- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifies that the stages of a loop can process different micro-batches at the
// same time.
//
//===----------------------------------------------------------------------===//

#include "StagedLoop.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/OutlineOps.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

//===----------------------------------------------------------------------===//
// Form
//===----------------------------------------------------------------------===//

LogicalResult StagedLoop::findBounds() {
  std::optional<int64_t> from = getConstantIntValue(loop.getLowerBound());
  std::optional<int64_t> by = getConstantIntValue(loop.getStep());
  std::optional<APInt> trips = loop.getStaticTripCount();
  if (!from || !by || !trips || !trips->isSignedIntN(32))
    return loop.emitOpError()
           << "has ops of several pipeline stages, but its number of "
              "iterations, which is the number of micro-batches, is not a "
              "constant of 32 bits";
  lower = *from;
  step = *by;
  count = trips->getSExtValue();
  bool isUsed = !loop.getInductionVar().use_empty();
  APInt last(128, static_cast<uint64_t>(lower), /*isSigned=*/true);
  last += APInt(128, static_cast<uint64_t>(step), /*isSigned=*/true) *
          (count > 0 ? count - 1 : 0);
  if (isUsed && (!llvm::isInt<32>(lower) || !last.isSignedIntN(32)))
    return loop.emitOpError("expects iteration indices that fit 32 bits, "
                            "because the body uses them");
  for (Operation *user : loop.getInductionVar().getUsers())
    if (!isa<FromScalarOp>(user) || user->getBlock() != &getBody())
      return user->emitOpError()
             << "uses the index of a loop over micro-batches; a pipeline "
                "expects only 'pop.from_scalar' ops in the body of the loop to "
                "use it";
  return success();
}

/// A stage becomes a function, to which calls pass tensors and refs.
LogicalResult StagedLoop::verifyOuterUse(Operation *user, Value value) const {
  Operation *op = value.getDefiningOp();
  bool isMadeTensor = isa<FromScalarOp>(user) && user->getBlock() == &getBody();
  if (isa<RankedTensorType, RefType>(value.getType()) || isMadeTensor ||
      value == loop.getInductionVar() || (op && isLeaf(op)))
    return success();
  InFlightDiagnostic error =
      user->emitOpError()
      << "uses a value of type " << value.getType()
      << " from outside of a loop over micro-batches; a pipeline expects "
         "constants, tensors, refs, and operands of a 'pop.from_scalar' in the "
         "body of the loop";
  error.attachNote(value.getLoc()) << "the value is defined here";
  return error;
}

/// Verifies what does not depend on the stages.
LogicalResult StagedLoop::verifyForm() const {
  for (BlockArgument argument : loop.getRegionIterArgs())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        !type || !isReferable(type))
      return loop.emitOpError()
             << "is a loop over micro-batches and carries a value of type "
             << argument.getType()
             << "; a pipeline can carry only tensors of pop";
  Operation *seed = nullptr;
  visitExecuted(loop, effects.getCalls(), [&](Operation *op) {
    if (!seed && isa<NextSeedOp>(op))
      seed = op;
  });
  if (!seed)
    return success();
  return seed->emitOpError(
      "has no seed yet, and seeds depend on the order of the program, which a "
      "pipeline changes; run 'pop-random-setup' before");
}

LogicalResult StagedLoop::verifyUse(Operation *user, Value value,
                                    int64_t stage) const {
  llvm::DenseSet<Value> visited;
  std::optional<int64_t> from = findStage(value, visited);
  if (!from)
    return loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar()
               ? verifyOuterUse(user, value)
               : success();
  Operation *op = value.getDefiningOp();
  if (*from == stage && op && isCopyAfterStage(op) && !isCopyAfterStage(user)) {
    InFlightDiagnostic error =
        user->emitOpError()
        << "is in stage " << stages[stage].number
        << ", but uses a copy of a value that the stage computes; copies "
           "follow the stage that computes their operands, so move the op to a "
           "later stage";
    error.attachNote(op->getLoc()) << "the value is copied here";
    return error;
  }
  if (*from == stage)
    return success();
  int64_t number = stages[stage].number, fromNumber = stages[*from].number;
  auto argument = dyn_cast<BlockArgument>(value);
  if (*from > stage) {
    InFlightDiagnostic error = user->emitOpError();
    error << "is in stage " << number << ", but uses a value ";
    if (argument)
      error << "that stage " << fromNumber
            << " computes for the previous micro-batch";
    else
      error << "of the later stage " << fromNumber;
    error << "; move it to stage " << fromNumber << " or a later one";
    error.attachNote(argument ? loop.getLoc() : value.getLoc())
        << (argument ? "this loop carries the value"
                     : "the value is computed here");
    return error;
  }
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (type && isReferable(type)) {
    if (argument || getTileSet(value) != TileSet::IO)
      return success();
    InFlightDiagnostic error = user->emitOpError();
    error << "is in stage " << number << ", but uses a value of stage "
          << fromNumber << " on I/O tiles; copy it to compute tiles in stage "
          << fromNumber << " ('pop.io_tile_copy')";
    error.attachNote(value.getLoc()) << "the value is defined here";
    return error;
  }
  InFlightDiagnostic error = user->emitOpError()
                             << "is in stage " << number
                             << ", but uses a value of type " << value.getType()
                             << " of stage " << fromNumber
                             << "; a pipeline can pass only tensors of pop to "
                                "another stage";
  error.attachNote(value.getLoc()) << "the value is defined here";
  return error;
}

LogicalResult StagedLoop::verifyFlow() const {
  for (Operation &op : getBody().without_terminator()) {
    std::optional<int64_t> stage = lookupStage(&op);
    if (!stage)
      continue;
    LogicalResult result = success();
    forEachOuterOperand(&op, [&](Operation *user, Value operand) {
      if (succeeded(result))
        result = verifyUse(user, operand, *stage);
    });
    if (failed(result))
      return failure();
  }
  for (Value value : loop.getYieldedValues())
    if (loop.isDefinedOutsideOfLoop(value))
      return loop.emitOpError()
             << "is a loop over micro-batches and carries a value from outside "
                "of the loop to its next iteration; a pipeline expects a value "
                "that the loop computes";
  return success();
}

/// Adds the effects of `op` to `summary`, without those on random bits, which
/// do not depend on the order of stages.
static void addEffects(const EffectSummary &effects, EffectSummary &summary) {
  if (effects.isUnknown())
    summary.addUnknown();
  for (const auto &[location, accesses] : effects.getMemoryLocations())
    if (location.getResource() != RngResource::get())
      summary.add(location, accesses);
}

/// Reports ops of stages `first` and `second` whose effects conflict.
LogicalResult StagedLoop::reportInterference(int64_t first,
                                             int64_t second) const {
  auto getOps = [&](int64_t stage) {
    SmallVector<Operation *> ops;
    for (Operation &op : getBody())
      if (lookupStage(&op) == stage && !isCopyAfterStage(&op) &&
          !freeClones.contains(&op))
        ops.push_back(&op);
    return ops;
  };
  int64_t number = stages[first].number;
  for (Operation *op : getOps(second)) {
    EffectSummary own;
    addEffects(effects.getEffects(op), own);
    for (Operation *other : getOps(first)) {
      EffectSummary others;
      addEffects(effects.getEffects(other), others);
      if (!own.conflictsWith(others))
        continue;
      InFlightDiagnostic error =
          op->emitOpError()
          << "of stage " << stages[second].number << " and '"
          << other->getName() << "' of stage " << number
          << " access the same memory, and one of them writes it; in a "
             "pipeline, stage "
          << number
          << " processes other micro-batches in between; move them to one "
             "stage, or accumulate updates and apply them after the loop";
      error.attachNote(other->getLoc()) << "the other op is here";
      return error;
    }
  }
  llvm_unreachable("stages conflict only if two of their ops do");
}

LogicalResult StagedLoop::verifyEffects() const {
  SmallVector<EffectSummary> ofStage(stages.size());
  for (Operation &op : getBody()) {
    std::optional<int64_t> stage = lookupStage(&op);
    // Some copies, and the ops that any stage can execute, are newer than the
    // analysis. They write nothing, and read what no op of the loop writes.
    if (!stage || isCopyAfterStage(&op) || freeClones.contains(&op))
      continue;
    const EffectSummary &own = effects.getEffects(&op);
    if (own.isUnknown())
      return op.emitOpError()
             << "has unknown effects, so a pipeline cannot execute it before "
                "the ops of other micro-batches";
    addEffects(own, ofStage[*stage]);
  }
  // The least distance of stages whose ops change their order.
  size_t distance = kind == StageKind::Pipeline ? 1 : 2;
  for (size_t second = distance; second < stages.size(); ++second)
    for (size_t first = 0; first + distance <= second; ++first)
      if (ofStage[second].conflictsWith(ofStage[first]))
        return reportInterference(first, second);
  return success();
}
