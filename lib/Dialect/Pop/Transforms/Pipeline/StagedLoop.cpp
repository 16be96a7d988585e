//===- StagedLoop.cpp - Loops with pipeline stages --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StagedLoop.h"

#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Dialect/Pop/Transforms/OutlineOps.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"
#include <functional>
#include <map>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

void mlir::pop::forEachOuterOperand(
    Operation *op, function_ref<void(Operation *user, Value)> visit) {
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    for (Value operand : nested->getOperands())
      if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
        visit(nested, operand);
  });
}

//===----------------------------------------------------------------------===//
// Stages of ops
//===----------------------------------------------------------------------===//

/// Visits executed ops. `seen` has the functions whose ops were visited.
static void visitUnseen(Operation *op, const FunctionCalls &calls,
                        llvm::DenseSet<Operation *> &seen,
                        function_ref<void(Operation *)> visit) {
  op->walk<WalkOrder::PreOrder>([&](Operation *nested) {
    visit(nested);
    auto call = dyn_cast<CallOpInterface>(nested);
    FunctionOpInterface callee = call ? calls.getCallee(call) : nullptr;
    if (callee && seen.insert(callee).second)
      visitUnseen(callee, calls, seen, visit);
  });
}

void mlir::pop::visitExecuted(Operation *op, const FunctionCalls &calls,
                              function_ref<void(Operation *)> visit) {
  llvm::DenseSet<Operation *> seen;
  visitUnseen(op, calls, seen, visit);
}

/// Returns the stages of the ops that an execution of `op` executes, except
/// copies between IPUs, with the first op of each. A stage that `op` states is
/// the only one.
static llvm::MapVector<int64_t, Operation *>
getStagesOf(Operation *op, const FunctionCalls &calls) {
  llvm::MapVector<int64_t, Operation *> found;
  if (std::optional<int64_t> own = getStage(op)) {
    found[*own] = op;
    return found;
  }
  if (op->getNumRegions() == 0 && !isa<CallOpInterface>(op))
    return found;
  visitExecuted(op, calls, [&](Operation *nested) {
    if (std::optional<int64_t> stage = getStage(nested))
      found.try_emplace(*stage, nested);
  });
  return found;
}

bool StagedLoop::hasStages(scf::ForOp loop, const FunctionCalls &calls) {
  std::optional<int64_t> first;
  for (Operation &op : *loop.getBody())
    for (auto [stage, owner] : getStagesOf(&op, calls))
      if (stage != first.value_or(stage))
        return true;
      else
        first = stage;
  return false;
}

/// Returns the stage of `op`, without copies: the one that it states, or the
/// one of all ops that it executes.
FailureOr<std::optional<int64_t>>
StagedLoop::findOwnStage(Operation *op) const {
  llvm::MapVector<int64_t, Operation *> found =
      getStagesOf(op, effects.getCalls());
  if (found.empty())
    return std::optional<int64_t>();
  if (found.size() == 1)
    return std::optional(found.front().first);
  InFlightDiagnostic error =
      op->emitOpError()
      << "executes ops of stages " << found.front().first << " and "
      << found.back().first
      << ", but a pipeline expects it to be in one stage; inline the function, "
         "unroll the loop, or move the ops to one stage";
  for (auto [stage, owner] : found)
    error.attachNote(owner->getLoc()) << "this op is in stage " << stage;
  return error;
}

/// Returns whether `op` is a copy that follows the stage that computes its
/// operand.
bool StagedLoop::isCopyAfterStage(Operation *op) const {
  return kind == StageKind::Pipeline && isa<IpuCopyOp>(op);
}

/// Returns whether any stage may execute `op` again: it has no effects except
/// reads of what no op of the loop writes.
bool StagedLoop::isFree(Operation *op) const {
  if (isa<IpuCopyOp>(op) || op->getNumRegions() > 0)
    return false;
  if (auto read = dyn_cast<ReadOp>(op))
    return loop.isDefinedOutsideOfLoop(read.getTarget()) &&
           !effects.mayWrite(loop, read.getTarget());
  return !getStage(op) && isMemoryEffectFree(op);
}

/// Returns whether an op outside of the loop computes `value`, which calls
/// cannot pass, and each stage can compute it again.
bool StagedLoop::isOuterScalar(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && loop.isDefinedOutsideOfLoop(value) && !isLeaf(op) &&
         !isa<RankedTensorType, RefType>(value.getType()) &&
         op->getNumRegions() == 0 && isMemoryEffectFree(op);
}

llvm::DenseSet<Operation *> StagedLoop::findInvariantOps(bool usesIndex) const {
  llvm::DenseSet<Operation *> found;
  auto isInvariant = [&](Value value) {
    if (value == loop.getInductionVar())
      return usesIndex;
    Operation *op = value.getDefiningOp();
    return loop.isDefinedOutsideOfLoop(value) || (op && found.contains(op));
  };
  for (Operation &op : getBody().without_terminator())
    // Each iteration draws other random bits.
    if (isFree(&op) && !op.hasAttr(PopDialect::kDrawAttrName) &&
        llvm::all_of(op.getOperands(), isInvariant))
      found.insert(&op);
  return found;
}

/// Moves the ops that make the index a tensor to the body, out of nested
/// regions.
void StagedLoop::hoistIndices() {
  for (Operation *user : llvm::to_vector(loop.getInductionVar().getUsers()))
    if (isa<FromScalarOp>(user) && user->getBlock() != &getBody())
      user->moveBefore(getBody().findAncestorOpInBlock(*user));
}

/// Lets each copy between IPUs have one operand, because a copy belongs to the
/// stage of its operand. The device copies one tensor at a time in any case.
void StagedLoop::splitCopies() {
  for (auto copy : llvm::make_early_inc_range(getBody().getOps<IpuCopyOp>())) {
    if (copy->getNumOperands() == 1)
      continue;
    OpBuilder b(copy);
    for (auto [input, source, result] : llvm::zip_equal(
             copy.getInputs(), copy.getSources(), copy.getResults())) {
      auto single = IpuCopyOp::create(b, copy.getLoc(), input, source,
                                      copy.getDestination());
      single->setDiscardableAttrs(copy->getDiscardableAttrDictionary());
      result.replaceAllUsesWith(single.getResult(0));
    }
    copy.erase();
  }
}

/// Moves copies of values that are equal in all iterations before the loop. Ops
/// that compute these values are cloned before the loop.
void StagedLoop::hoistInvariantCopies() {
  llvm::DenseSet<Operation *> invariant = findInvariantOps(/*usesIndex=*/false);
  OpBuilder b(loop);
  IRMapping mapping;
  std::function<void(Value)> compute = [&](Value value) {
    if (loop.isDefinedOutsideOfLoop(value) || mapping.contains(value))
      return;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      compute(operand);
    b.clone(*op, mapping);
  };
  for (auto copy : llvm::make_early_inc_range(getBody().getOps<IpuCopyOp>())) {
    Value input = copy->getOperand(0);
    if (!loop.isDefinedOutsideOfLoop(input) &&
        !invariant.contains(input.getDefiningOp()))
      continue;
    compute(input);
    copy->moveBefore(loop);
    copy->setOperand(0, mapping.lookupOrDefault(input));
  }
}

/// Returns the stage that computes `value`. `visited` has the values whose
/// stage is being found.
std::optional<int64_t>
StagedLoop::findStage(Value value, llvm::DenseSet<Value> &visited) const {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar() ||
      !visited.insert(value).second)
    return std::nullopt;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return findStage(loop.getYieldedValues()[argument.getArgNumber() -
                                             loop.getNumInductionVars()],
                     visited);
  Operation *op = value.getDefiningOp();
  if (auto it = stageOf.find(op); it != stageOf.end())
    return it->second;
  // A copy, or an op that any stage may execute, is in the stage of its latest
  // operand.
  std::optional<int64_t> latest;
  forEachOuterOperand(op, [&](Operation *, Value operand) {
    latest = std::max(latest, findStage(operand, visited));
  });
  return latest;
}

LogicalResult StagedLoop::findStagesOfOps() {
  SmallVector<Operation *> copies;
  for (Operation &op : getBody().without_terminator()) {
    if (isa<AdvanceDrawsOp>(op) || isFree(&op))
      continue;
    if (isCopyAfterStage(&op)) {
      copies.push_back(&op);
      continue;
    }
    FailureOr<std::optional<int64_t>> stage = findOwnStage(&op);
    if (failed(stage))
      return failure();
    if (!*stage)
      return op.emitOpError()
             << "is in a loop over micro-batches and expects attribute '"
             << PopDialect::kStageAttrName
             << "', because it has effects; 'pop-infer-stages' states the "
                "stages of placed ops";
    stageOf[&op] = **stage;
  }
  for (Operation *copy : copies) {
    llvm::DenseSet<Value> visited;
    std::optional<int64_t> stage = findStage(copy->getOperand(0), visited);
    if (!stage)
      return copy->emitOpError()
             << "is in a loop over micro-batches, but its operand is computed "
                "in no stage; state the stage of the op that computes it";
    stageOf[copy] = *stage;
  }
  return success();
}

std::optional<int64_t> StagedLoop::lookupStage(Operation *op) const {
  auto it = stageOf.find(op);
  return it != stageOf.end() ? std::optional(it->second) : std::nullopt;
}

/// The virtual graphs of ops, in the order of the program.
using Vgraphs = llvm::SmallSetVector<int64_t, 2>;

/// Adds the virtual graphs of the ops that `op` executes. A virtual graph that
/// `op` states is the only one.
static void addVgraphs(Operation *op, const FunctionCalls &calls,
                       Vgraphs &vgraphs) {
  std::optional<int64_t> own = getVgraphOfResults(op);
  if (own)
    vgraphs.insert(*own);
  if (own || (op->getNumRegions() == 0 && !isa<CallOpInterface>(op)))
    return;
  visitExecuted(op, calls, [&](Operation *nested) {
    if (!isa<FunctionOpInterface>(nested))
      if (std::optional<int64_t> vgraph = getVgraphOfResults(nested))
        vgraphs.insert(*vgraph);
  });
}

static bool isBackward(Operation *op, const FunctionCalls &calls) {
  bool found = false;
  visitExecuted(op, calls, [&](Operation *nested) {
    std::optional<TrainingRole> role = getTrainingRole(nested);
    found |= role && *role != TrainingRole::Recomputed;
  });
  return found;
}

/// Makes the list of stages, in which consecutive stages of one IPU are one. A
/// stage stays apart if it reads what an earlier one sends to another IPU and
/// gets back.
void StagedLoop::mergeStages(bool mergesPasses) {
  std::map<int64_t, PipelineStage> ofNumber;
  // Only stages of transfers may have several virtual graphs.
  std::map<int64_t, Vgraphs> vgraphs;
  // By stage, the last stage whose copies it reads.
  std::map<int64_t, int64_t> lastCopied;
  for (Operation &op : getBody()) {
    std::optional<int64_t> number = lookupStage(&op);
    if (!number)
      continue;
    forEachOuterOperand(&op, [&](Operation *, Value operand) {
      Operation *copy = operand.getDefiningOp();
      if (!copy || !isCopyAfterStage(copy))
        return;
      if (std::optional<int64_t> from = lookupStage(copy);
          from && from != number) {
        auto [last, isNew] = lastCopied.try_emplace(*number, *from);
        last->second = std::max(last->second, *from);
      }
    });
    PipelineStage &stage = ofNumber[*number];
    stage.number = *number;
    if (isCopyAfterStage(&op))
      continue;
    addVgraphs(&op, effects.getCalls(), vgraphs[*number]);
    stage.isBackward |= ::isBackward(&op, effects.getCalls());
  }
  llvm::DenseMap<int64_t, int64_t> positions;
  for (auto &[number, stage] : ofNumber) {
    const Vgraphs &found = vgraphs[number];
    if (found.size() == 1 || (kind == StageKind::Pipeline && !found.empty()))
      stage.vgraph = found.front();
    bool merges =
        kind == StageKind::Pipeline && !stages.empty() && stage.vgraph &&
        stages.back().vgraph == stage.vgraph &&
        (mergesPasses || stages.back().isBackward == stage.isBackward);
    if (auto copied = lastCopied.find(number); copied != lastCopied.end())
      merges &= copied->second < stages.back().number;
    if (merges)
      stages.back().isBackward |= stage.isBackward;
    else
      stages.push_back(std::move(stage));
    positions[number] = static_cast<int64_t>(stages.size()) - 1;
  }
  for (auto &entry : stageOf)
    entry.second = positions.lookup(entry.second);
}

/// Returns the first stage on the IPU of `value`, which no stage computes. It
/// is the first stage if `value` is on no IPU.
int64_t StagedLoop::findStageOfVgraph(Value value) const {
  std::optional<int64_t> vgraph = getVgraph(value);
  const auto *stage = llvm::find_if(stages, [&](const PipelineStage &stage) {
    return vgraph && stage.vgraph == vgraph;
  });
  return stage == stages.end() ? 0 : stage - stages.begin();
}

/// Copies ops that any stage may execute into each stage that uses them, before
/// their first use.
void StagedLoop::cloneFreeOps() {
  std::map<std::pair<Operation *, int64_t>, Operation *> clones;
  std::function<Value(Value, int64_t, Operation *)> getClone =
      [&](Value value, int64_t stage, Operation *before) -> Value {
    Operation *op = value.getDefiningOp();
    bool isOfLoop = op && op->getBlock() == &getBody() && !stageOf.contains(op);
    if (!isOfLoop && !isOuterScalar(value))
      return value;
    Operation *&clone = clones[{op, stage}];
    if (!clone) {
      IRMapping mapping;
      for (Value operand : op->getOperands())
        mapping.map(operand, getClone(operand, stage, before));
      clone = OpBuilder(before).clone(*op, mapping);
      stageOf[clone] = stage;
      freeClones.insert(clone);
      advances[clone] = advances.lookup(op);
    }
    return clone->getResult(cast<OpResult>(value).getResultNumber());
  };
  SmallVector<Operation *> ops, free;
  for (Operation &op : getBody().without_terminator()) {
    if (stageOf.contains(&op))
      ops.push_back(&op);
    else if (!isa<AdvanceDrawsOp>(op))
      free.push_back(&op);
  }
  for (Operation *op : ops)
    op->walk([&](Operation *nested) {
      for (OpOperand &operand : nested->getOpOperands())
        operand.set(getClone(operand.get(), stageOf.lookup(op), op));
    });
  Operation *yield = getBody().getTerminator();
  for (OpOperand &operand : yield->getOpOperands()) {
    llvm::DenseSet<Value> visited;
    int64_t stage = findStage(operand.get(), visited)
                        .value_or(findStageOfVgraph(operand.get()));
    operand.set(getClone(operand.get(), stage, yield));
  }
  for (Operation *op : llvm::reverse(free))
    if (op->use_empty())
      op->erase();
}

//===----------------------------------------------------------------------===//
// Random bits
//===----------------------------------------------------------------------===//

LogicalResult StagedLoop::countAdvances() {
  draws = containsDraw(loop) || findNumberedDraw(loop);
  if (!draws)
    return success();
  AdvanceCounts counts;
  for (Operation &op : getBody().without_terminator()) {
    std::optional<int64_t> own = counts.get(&op);
    if (!own)
      return op.emitOpError()
             << "advances random bits by a number that is not a constant, so "
                "the bits of the stages of a pipeline are not known; expects a "
                "constant number of iterations";
    advances[&op] = {numAdvances, *own};
    numAdvances += *own;
  }
  if (llvm::isInt<32>(numAdvances))
    return success();
  return loop.emitOpError() << "advances random bits " << numAdvances
                            << " times in an iteration; a pipeline expects a "
                               "number of 32 bits";
}

LogicalResult StagedLoop::shiftDraws(const PipelineSchedule &schedule,
                                     DrawShifter &shifter) {
  if (!draws)
    return success();
  for (auto [position, stage] : llvm::enumerate(stages)) {
    int64_t delay = schedule.getPosition(position).delay;
    int64_t local = 0;
    bool stageDraws = false;
    for (Operation *op : stage.body) {
      auto [before, own] = advances.lookup(op);
      stageDraws |= findNumberedDraw(op) != nullptr;
      if (failed(shifter.shift(op, before - local - delay * numAdvances)))
        return failure();
      local += own;
    }
    if (!stageDraws)
      continue;
    OpBuilder b(loop.getContext());
    b.setInsertionPointAfter(stage.body.back());
    stage.body.push_back(
        AdvanceDrawsOp::create(b, loop.getLoc(), -local, /*shift=*/0));
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Sorting
//===----------------------------------------------------------------------===//

/// Returns whether `op` may move past all of `ops`, for example because they
/// use other streams. Copies of free ops have no effects on what others write.
bool StagedLoop::canMovePast(Operation *op, ArrayRef<Operation *> ops) const {
  return llvm::none_of(ops, [&](Operation *other) {
    return !freeClones.contains(other) &&
           effects.getEffects(op).conflictsWith(effects.getEffects(other));
  });
}

/// Returns whether `op` is a transfer of kind `OpT`, or an exchange of such
/// transfers.
template <typename OpT>
static bool transfersAll(Operation *op) {
  auto exchange = dyn_cast<RemoteExchangeOp>(op);
  if (!exchange)
    return isa<OpT>(op);
  return llvm::all_of(exchange.getBody().front().without_terminator(),
                      [](Operation &transfer) { return isa<OpT>(transfer); });
}

void StagedLoop::addToStage(PipelineStage &stage, Operation *op) const {
  auto index = dyn_cast<FromScalarOp>(op);
  if (isCopyAfterStage(op))
    stage.copies.push_back(cast<IpuCopyOp>(op));
  else if (index && index->getOperand(0) == loop.getInductionVar())
    stage.indices.push_back(index);
  else if (index && loop.isDefinedOutsideOfLoop(index.getOperand()))
    stage.loads.push_back(op);
  else if (transfersAll<HostLoadOp>(op) && !isOnIOTiles(op) &&
           canMovePast(op, stage.body))
    stage.loads.push_back(op);
  else if (transfersAll<HostStoreOp>(op) && !isOnIOTiles(op) &&
           canMovePast(op, stage.body))
    stage.stores.push_back(op);
  else {
    // An op with regions may store to a stream after an earlier store.
    if (!freeClones.contains(op) && !canMovePast(op, stage.stores)) {
      llvm::append_range(stage.body, stage.stores);
      stage.stores.clear();
    }
    stage.body.push_back(op);
  }
}

void StagedLoop::sortBody() {
  for (Operation &op : getBody())
    if (std::optional<int64_t> stage = lookupStage(&op))
      addToStage(stages[*stage], &op);
  Operation *yield = getBody().getTerminator();
  auto moveAll = [&](const auto &ops) {
    for (Operation *op : ops)
      op->moveBefore(yield);
  };
  for (const PipelineStage &stage : stages) {
    moveAll(stage.indices);
    moveAll(stage.loads);
    moveAll(stage.body);
    moveAll(stage.stores);
    moveAll(stage.copies);
  }
  for (auto advance :
       llvm::make_early_inc_range(getBody().getOps<AdvanceDrawsOp>()))
    advance.erase();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void StagedLoop::outlineStage(unsigned position, StringRef name,
                              SymbolTable &symbols) {
  PipelineStage &stage = stages[position];
  if (stage.body.empty())
    return;
  auto parent = loop->getParentOfType<FunctionOpInterface>();
  OpSequence sequence(stage.body);
  SequenceInterface interface = getSequenceInterface({sequence});
  if (llvm::any_of(interface.operands, [](ArrayRef<Value> values) {
        return getTileSet(values.front()) == TileSet::IO;
      }))
    return;
  func::FuncOp function =
      createSequenceFunction(name, parent, sequence, interface, symbols);
  for (Operation *op : sequence)
    stageOf.erase(op);
  func::CallOp call =
      replaceSequencesByCalls({sequence}, interface, function).front();
  call->setDiscardableAttrs(
      DictionaryAttr::get(loop.getContext(), ArrayRef<NamedAttribute>()));
  if (stage.vgraph)
    call->setAttr(PopDialect::kVgraphAttrName,
                  OpBuilder(call).getI64IntegerAttr(*stage.vgraph));
  stageOf[call] = position;
  stage.body = {call};
}

void mlir::pop::eraseUnusedFunctions(ModuleOp module,
                                     const FunctionCalls &before) {
  llvm::DenseSet<Operation *> unused;
  for (FunctionOpInterface function : before.getFunctions())
    if (before.getCallsOf(function).empty())
      unused.insert(function);
  for (FunctionOpInterface function : FunctionCalls(module).getPreOrder())
    if (function.isPrivate() && !unused.contains(function) &&
        SymbolTable::symbolKnownUseEmpty(function, module))
      function.erase();
}

//===----------------------------------------------------------------------===//
// Interface
//===----------------------------------------------------------------------===//

LogicalResult StagedLoop::find(bool mergesPasses) {
  hoistIndices();
  if (failed(findBounds()) || failed(verifyForm()))
    return failure();
  if (kind == StageKind::Pipeline) {
    splitCopies();
    hoistInvariantCopies();
  }
  if (failed(findStagesOfOps()))
    return failure();
  mergeStages(mergesPasses);
  if (failed(countAdvances()))
    return failure();
  cloneFreeOps();
  if (failed(verifyFlow()) || failed(verifyEffects()))
    return failure();
  sortBody();
  return success();
}

unsigned StagedLoop::getNumForward() const {
  const auto *first = llvm::find_if(
      stages, [](const PipelineStage &stage) { return stage.isBackward; });
  return first - stages.begin();
}

std::optional<unsigned> StagedLoop::getStageOf(Value value) const {
  if (loop.isDefinedOutsideOfLoop(value) || value == loop.getInductionVar())
    return std::nullopt;
  llvm::DenseSet<Value> visited;
  return findStage(value, visited).value_or(0);
}
