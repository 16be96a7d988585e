//===- TrainingBlock.cpp - Training steps in blocks -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TrainingBlock.h"

#include "ScalarOperations.h"

#include "../DrawAdvances.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/TrainingRole.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "llvm/Support/CheckedArithmetic.h"
#include <map>
#include <tuple>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// Returns whether `op` belongs to the backward pass. Updates of weights do
/// not, because they may be in a block around the passes.
static bool isBackward(Operation *op) {
  std::optional<TrainingRole> role = getTrainingRole(op);
  return isa<LossScaleOp>(op) || role == TrainingRole::Backward ||
         role == TrainingRole::Recomputed;
}

Operation *mlir::pop::findBackwardPass(Block &block) {
  for (Operation &op : block)
    if (isBackward(&op))
      return &op;
  return nullptr;
}

bool mlir::pop::isFromOtherVgraph(OpOperand &operand) {
  std::optional<int64_t> from = getVgraph(operand.get());
  std::optional<int64_t> to = getVgraph(operand);
  return from && to && *from != *to;
}

Operation *mlir::pop::findPlacedOp(Operation *op) {
  auto getKey = [](Operation *placed) {
    return std::tuple(getVgraph(placed), getStage(placed), getPhase(placed));
  };
  Operation *first = nullptr;
  WalkResult result = op->walk<WalkOrder::PreOrder>([&](Operation *inner) {
    if (!hasSchedule(inner))
      return WalkResult::advance();
    if (first && getKey(first) != getKey(inner))
      return WalkResult::interrupt();
    if (!first)
      first = inner;
    return inner == op ? WalkResult::skip() : WalkResult::advance();
  });
  return result.wasInterrupted() ? nullptr : first;
}

/// Returns the virtual graph of an op, or that on which a copy reads.
static std::optional<int64_t> getDevice(Operation *placed) {
  if (isa<PlacementOpInterface>(placed) && placed->getNumOperands() > 0)
    return getVgraph(placed->getOpOperand(0));
  return getVgraph(placed);
}

//===----------------------------------------------------------------------===//
// Obstacles
//===----------------------------------------------------------------------===//

/// Returns whether one of the ops in the regions of `op` fulfils `predicate`,
/// or `op` itself.
static bool contains(Operation *op, function_ref<bool(Operation *)> predicate) {
  return op
      ->walk([&](Operation *inner) {
        return predicate(inner) ? WalkResult::interrupt()
                                : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns whether copies of `op` would not save bytes: its results are handles
/// of tensors, or tensors that share the storage of refs.
static bool isHandle(Operation *op) {
  return isa<ReadOp>(op) || op->hasTrait<OpTrait::ConstantLike>() ||
         llvm::any_of(op->getResultTypes(), llvm::IsaPred<RefType>);
}

void TrainingBlock::countAdvances() {
  AdvanceCounts counts;
  int64_t sum = 0;
  for (auto [number, op] : llvm::enumerate(getOps())) {
    advances.push_back(sum);
    std::optional<int64_t> count = counts.get(op);
    sum += count.value_or(0);
    if (!count)
      lastUnknownAdvance = number;
  }
  advances.push_back(sum);
}

/// Returns whether an op after op `number` may write what this op reads.
bool TrainingBlock::readsWhatIsWritten(unsigned number) const {
  if (unknownWriteEnd > number + 1)
    return true;
  return llvm::any_of(
      module.effects.getEffects(getOps()[number]).getMemoryLocations(),
      [&](const auto &entry) {
        const MemoryLocation &location = entry.first;
        unsigned end = writeEnds.lookup(location);
        if (location.getResource())
          end = std::max(end, writeEnds.lookup(MemoryLocation::getResource(
                                  location.getResource())));
        return end > number + 1;
      });
}

StringRef TrainingBlock::findObstacle(unsigned number) const {
  Operation *op = getOps()[number];
  if (isa<PlacementOpInterface>(op))
    return "copies between IPUs or tile sets";
  if (isa<ReplicatedOpInterface>(op))
    return "communicates with other replicas";
  if (!isMemoryEffectFree(op)) {
    const EffectSummary &effects = module.effects.getEffects(op);
    if (effects.isUnknown() ||
        llvm::any_of(effects.getMemoryLocations(), [](const auto &entry) {
          return !entry.second.writes.isEmpty();
        }))
      return "has effects that must not be repeated";
    if (readsWhatIsWritten(number))
      return "reads what a later op may write";
  }
  if (op->getNumResults() == 0)
    return "has no results";
  if (contains(op, isBackward))
    return "contains a backward pass";
  if (!findPlacedOp(op) && contains(op, hasSchedule))
    return "has ops on different virtual graphs, or in different stages or "
           "phases";
  if (!module.rounding || !contains(op, mayRoundStochastically))
    return "";
  if (module.rounding.getGenerator() == RngGenerator::Stream)
    return "draws random bits of the generator 'stream'";
  if (lastUnknownAdvance > number)
    return "draws random bits after which the number of advances is not a "
           "constant";
  return "";
}

void TrainingBlock::findObstacles() {
  for (auto [number, op] : llvm::enumerate(getOps())) {
    const EffectSummary &effects = module.effects.getEffects(op);
    if (effects.isUnknown())
      unknownWriteEnd = number + 1;
    for (const auto &[location, what] : effects.getMemoryLocations())
      if (!what.writes.isEmpty())
        writeEnds[location] = number + 1;
  }
  for (unsigned number = 0; number < graph.numForward; ++number)
    obstacles.push_back(isHandle(getOps()[number]) ? "" : findObstacle(number));
}

/// Emits an error at `op`, whose mark contradicts the program.
static InFlightDiagnostic emitMarkError(Operation *op) {
  return op->emitOpError() << "has attribute '"
                           << PopDialect::kRecomputeAttrName << "' with value '"
                           << stringifyRecomputeKind(*getRecompute(op)) << "' ";
}

LogicalResult TrainingBlock::verifyMarks() const {
  for (unsigned number = 0; number < graph.numForward; ++number) {
    Operation *op = getOps()[number];
    StringRef obstacle = obstacles[number];
    std::optional<RecomputeKind> mark = getRecompute(op);
    if (mark == RecomputeKind::Recomputed)
      return emitMarkError(op) << "but is in the forward pass; expects "
                                  "'recompute' or 'checkpoint'";
    if (mark == RecomputeKind::Recompute && !obstacle.empty())
      return emitMarkError(op) << "but " << obstacle
                               << "; expects 'checkpoint', which keeps its "
                                  "results, or no mark";
    // Blocks with passes of their own are looked at by themselves.
    if (contains(op, isBackward))
      continue;
    WalkResult result = op->walk([&](Operation *inner) {
      if (inner == op || getRecompute(inner) != RecomputeKind::Recompute)
        return WalkResult::advance();
      InFlightDiagnostic error = emitMarkError(inner);
      error
          << "but is in a region, which is recomputed as a whole; expects the "
             "mark at '"
          << op->getName() << "'";
      error.attachNote(op->getLoc()) << "the op with the region is here";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// The graph
//===----------------------------------------------------------------------===//

TrainingBlock::TrainingBlock(Block &block, Operation *backward,
                             const ScheduledModule &module)
    : block(block), module(module),
      blockGraph(
          block, module,
          /*ownsArguments=*/isa<FunctionOpInterface>(block.getParentOp()),
          [](Operation *) { return 0; }) {
  graph.numForward = llvm::find(getOps(), backward) - getOps().begin();
  countAdvances();
  findObstacles();
  addNodes();
}

unsigned TrainingBlock::getNumber(Value value) {
  auto [it, isNew] = numbers.try_emplace(value, values.size());
  if (isNew) {
    // Ops define their results before they are used.
    assert(isa<BlockArgument>(value) && "not defined");
    graph.addValue(blockGraph.getStoredBytes(value));
    values.push_back(value);
  }
  return it->second;
}

/// An op without results, such as a store, computes no gradient. It reads the
/// values of the forward pass, wherever it is.
void TrainingBlock::addOperands(TrainingNode &node, Operation *op) {
  llvm::SetVector<unsigned> operands, kept;
  bool isStore = op->getNumResults() == 0;
  op->walk([&](Operation *inner) {
    for (OpOperand &operand : inner->getOpOperands())
      if (isTracked(operand.get()))
        (isStore || isFromOtherVgraph(operand) ? kept : operands)
            .insert(getNumber(operand.get()));
  });
  node.operands.assign(operands.begin(), operands.end());
  node.keptOperands.assign(kept.begin(), kept.end());
}

void TrainingBlock::addResults(unsigned number) {
  for (Value result : getOps()[number]->getResults()) {
    // A view is one of the operand with the same storage.
    Value storage = blockGraph.getStorage(result);
    std::optional<unsigned> viewOf;
    if (storage != result)
      for (Value operand : getOps()[number]->getOperands())
        if (isTracked(operand) && blockGraph.getStorage(operand) == storage)
          viewOf = getNumber(operand);
    int64_t bytes = storage == result ? blockGraph.getStoredBytes(result) : 0;
    numbers[result] = graph.addValue(bytes, number, viewOf);
    values.push_back(result);
  }
}

void TrainingBlock::addNodes() {
  using Context = std::tuple<std::optional<int64_t>, std::optional<int64_t>,
                             std::optional<int64_t>>;
  std::map<Context, unsigned> contexts;
  for (auto [number, op] : llvm::enumerate(getOps())) {
    TrainingNode node;
    addOperands(node, op);
    Operation *placed = findPlacedOp(op);
    if (placed)
      node.device = getDevice(placed);
    if (number < graph.numForward) {
      std::optional<RecomputeKind> mark = getRecompute(op);
      node.isRepeatable = !isHandle(op) && obstacles[number].empty() &&
                          mark != RecomputeKind::Checkpoint;
      node.isForced = node.isRepeatable && mark == RecomputeKind::Recompute;
      node.operations = countOperations(op);
    } else if (placed) {
      // Copies are in the stage and the phase of the ops that use them. Ops
      // that are nowhere have context 0.
      unsigned next = contexts.size() + 1;
      Context context(node.device, getStage(placed), getPhase(placed));
      node.context = contexts.try_emplace(context, next).first->second;
    }
    graph.addNode(std::move(node));
    addResults(number);
  }
  for (Value operand : block.getTerminator()->getOperands())
    if (isTracked(operand))
      graph.values[graph.getStorage(getNumber(operand))].isReturned = true;
}
