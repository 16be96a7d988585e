//===- StreamingMemory.cpp - Execution in phases ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module whose entry function has many ops, and maybe variables in
// streaming memory. Out: the same module, where these ops have execution
// phases, and where tensors that are used only in later phases than the next
// one are in streaming memory in between. Transfers are at the positions that a
// schedule defines.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "RowTransfers.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/OutlineOps.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PhaseStarts.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include <map>

namespace mlir::pop {
#define GEN_PASS_DEF_STREAMINGMEMORYPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Returns the bytes of a tensor on the device, or 0 for any other type. They
/// are at most `Count::kMax`, so that sums do not overflow.
static int64_t getBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isReferable(type))
    return 0;
  return (ipu::Count(tensor.getNumElements()) *
          int64_t(llvm::divideCeil(tensor.getElementTypeBitWidth(), 8)))
      .get();
}

/// Returns whether `op` only names elements of its operand in another order or
/// shape, so that its result takes no memory.
static bool isView(Operation *op) { return isa<ReshapeOp, TransposeOp>(op); }

//===----------------------------------------------------------------------===//
// Phases
//===----------------------------------------------------------------------===//

/// Returns the block with most ops among the body of `function` and the bodies
/// of its loops.
static Block *findLargestBlock(FunctionOpInterface function) {
  Block *largest = &function.getFunctionBody().front();
  function.walk([&](LoopLikeOpInterface loop) {
    for (Region *region : loop.getLoopRegions())
      for (Block &block : *region)
        if (block.getOperations().size() > largest->getOperations().size())
          largest = &block;
  });
  return largest;
}

namespace {
/// The ops of a block that need phases, and what they use.
class PhasedBlock {
public:
  explicit PhasedBlock(Block *block) : block(block) {
    for (Operation &op : block->without_terminator())
      if (!isLeaf(&op))
        ops.push_back(&op);
  }

  int64_t getNumOps() const { return ops.size(); }
  /// Divides the ops into phases and sets their attributes.
  void assign(int64_t phases);

  /// Returns the phase of an op of the block.
  int64_t get(Operation *op) const { return phaseOf.lookup(op); }
  /// Adds `op`, which is new, to a phase.
  void add(Operation *op, int64_t phase) {
    phaseOf[op] = phase;
    if (isPlaceable(op))
      op->setAttr(
          PopDialect::kPhaseAttrName,
          IntegerAttr::get(IntegerType::get(op->getContext(), 64), phase));
  }
  ArrayRef<Operation *> getOps() const { return ops; }
  Block *getBlock() const { return block; }
  /// Returns the op of the block that has `use`, or contains it.
  Operation *getUser(OpOperand &use) const {
    return block->findAncestorOpInBlock(*use.getOwner());
  }
  /// Returns the first op of the block that has, or contains, one of `uses`.
  Operation *getFirstUser(ArrayRef<OpOperand *> uses) const {
    Operation *first = getUser(*uses.front());
    for (OpOperand *use : uses)
      if (Operation *user = getUser(*use); user->isBeforeInBlock(first))
        first = user;
    return first;
  }

private:
  Block *block;
  SmallVector<Operation *> ops;
  llvm::DenseMap<Operation *, int64_t> phaseOf;
};
} // namespace

void PhasedBlock::assign(int64_t phases) {
  llvm::DenseMap<Operation *, int64_t> position;
  for (auto [i, op] : llvm::enumerate(ops))
    position[op] = i;
  // A tensor is live from the op that computes it to its last use.
  SmallVector<int64_t> weights(ops.size()), changes(ops.size() + 1);
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (isView(op))
      continue;
    for (Value result : op->getResults()) {
      int64_t bytes = getBytes(result.getType()), last = i;
      weights[i] += bytes;
      for (OpOperand &use : result.getUses())
        if (auto it = position.find(getUser(use)); it != position.end())
          last = std::max(last, it->second);
      changes[i + 1] += bytes;
      changes[last + 1] -= bytes;
    }
  }
  SmallVector<int64_t> liveBytes(ops.size());
  int64_t live = 0;
  for (size_t i = 0; i < ops.size(); ++i)
    liveBytes[i] = live += changes[i];
  SmallVector<int64_t> starts = findPhaseStarts(weights, liveBytes, phases);
  int64_t phase = 0;
  for (auto [i, op] : llvm::enumerate(ops)) {
    if (phase < int64_t(starts.size()) && int64_t(i) == starts[phase])
      ++phase;
    add(op, phase);
  }
}

//===----------------------------------------------------------------------===//
// Tensors
//===----------------------------------------------------------------------===//

namespace {
/// Stores tensors in streaming memory while no phase uses them.
class TensorSpiller {
public:
  TensorSpiller(PhasedBlock &phases, SymbolTable &symbols, int64_t minElements)
      : phases(phases), symbols(symbols), minElements(minElements) {}

  void run();
  int64_t getNumSpilled() const { return numSpilled; }
  int64_t getNumBytes() const { return numBytes; }

private:
  /// The rows of a buffer whose tensors have one type and one IPU.
  struct Buffer {
    /// The last phase in which each row is in use.
    SmallVector<int64_t> lastPhases;
    std::string name;
  };
  using Key = std::pair<Type, int64_t>;

  /// Executes views again in each phase that uses them.
  void cloneViews();
  void spill(Value value);

  PhasedBlock &phases;
  SymbolTable &symbols;
  int64_t minElements;
  llvm::MapVector<Key, Buffer> buffers;
  int64_t numSpilled = 0, numBytes = 0;
};
} // namespace

void TensorSpiller::cloneViews() {
  Block *block = phases.getBlock();
  // A view is visited before the op that computes its operand, so that chains
  // are cloned.
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*block))) {
    if (!isView(&op))
      continue;
    llvm::MapVector<int64_t, SmallVector<OpOperand *>> uses;
    for (OpOperand &use : op.getUses())
      if (Operation *user = phases.getUser(use);
          !user->hasTrait<OpTrait::IsTerminator>())
        uses[phases.get(user)].push_back(&use);
    for (auto &[phase, operands] : uses) {
      if (phase == phases.get(&op))
        continue;
      OpBuilder b(phases.getFirstUser(operands));
      Operation *clone = b.clone(op);
      phases.add(clone, phase);
      for (OpOperand *operand : operands)
        operand->set(clone->getResult(0));
    }
    if (op.use_empty())
      op.erase();
  }
}

void TensorSpiller::spill(Value value) {
  Operation *source = value.getDefiningOp();
  auto type = cast<RankedTensorType>(value.getType());
  // The uses of each phase, in ascending order.
  std::map<int64_t, SmallVector<OpOperand *>> uses;
  for (OpOperand &use : value.getUses()) {
    Operation *user = phases.getUser(use);
    // The block returns the tensor, or a pipeline passes it on.
    if (user->hasTrait<OpTrait::IsTerminator>() ||
        getStage(user) != getStage(source))
      return;
    uses[phases.get(user)].push_back(&use);
  }
  int64_t current = phases.get(source);
  SmallVector<int64_t> loads;
  for (auto &[phase, operands] : uses) {
    if (phase - current > 1)
      loads.push_back(phase);
    current = phase;
  }
  if (loads.empty())
    return;
  Key key(type, getVgraph(value).value_or(-1));
  Buffer &buffer = buffers[key];
  if (buffer.name.empty()) {
    OpBuilder b(source->getContext());
    auto op = RemoteBufferOp::create(b, source->getLoc(), "remote_tensors",
                                     /*rows=*/1, type);
    buffer.name =
        symbols
            .insert(op, Block::iterator(
                            source->getParentOfType<FunctionOpInterface>()))
            .str();
  }
  // Another tensor has the row only in earlier phases.
  int64_t begin = phases.get(source), end = loads.back();
  auto *free = llvm::find_if(buffer.lastPhases,
                             [&](int64_t last) { return last < begin; });
  int64_t row = free - buffer.lastPhases.begin();
  if (free == buffer.lastPhases.end())
    buffer.lastPhases.push_back(end);
  else
    *free = end;
  ++numSpilled;
  numBytes += getBytes(type);

  OpBuilder b(source->getContext());
  b.setInsertionPointAfter(source);
  auto store = RemoteStoreOp::create(b, value.getLoc(), value, buffer.name,
                                     /*row=*/Value(), b.getI64IntegerAttr(row));
  inheritSchedule(source, store);
  phases.add(store, begin);
  current = begin;
  Value held = value;
  for (auto &[phase, operands] : uses) {
    if (phase - current > 1) {
      Operation *firstUser = phases.getFirstUser(operands);
      b.setInsertionPoint(firstUser);
      auto load =
          RemoteLoadOp::create(b, value.getLoc(), type, buffer.name,
                               /*row=*/Value(), b.getI64IntegerAttr(row));
      if (std::optional<int64_t> vgraph = getVgraph(value))
        load->setAttr(PopDialect::kVgraphAttrName,
                      b.getI64IntegerAttr(*vgraph));
      inheritSchedule(firstUser, load);
      phases.add(load, phase);
      held = load;
    }
    current = phase;
    if (held != value)
      for (OpOperand *operand : operands)
        operand->set(held);
  }
}

void TensorSpiller::run() {
  cloneViews();
  auto module = cast<ModuleOp>(symbols.getOp());
  bool isPlaced = findFirstVgraph(module).has_value();
  SmallVector<Value> values;
  for (Operation &op : phases.getBlock()->without_terminator()) {
    // A variable in streaming memory is loaded again where it is needed. In a
    // placed program, ops with regions have no IPU that could store results.
    if (isLeaf(&op) || isView(&op) || isa<RemoteLoadOp, ReadOp>(op) ||
        (isPlaced && !getVgraph(&op)))
      continue;
    for (Value result : op.getResults())
      if (getBytes(result.getType()) > 0 &&
          cast<RankedTensorType>(result.getType()).getNumElements() >=
              minElements)
        values.push_back(result);
  }
  for (Value value : values)
    spill(value);
  for (auto &[key, buffer] : buffers)
    symbols.lookup<RemoteBufferOp>(buffer.name)
        .setRows(buffer.lastPhases.size());
}

//===----------------------------------------------------------------------===//
// Positions of transfers
//===----------------------------------------------------------------------===//

namespace {
/// Moves the transfers of static rows to the positions of a schedule.
class TransferScheduler {
public:
  TransferScheduler(const PhasedBlock &phases, StreamingSchedule schedule,
                    bool early)
      : phases(phases), schedule(schedule), early(early) {}

  void run();

private:
  /// Moves `load` to the beginning of `phase`, or as near as stores allow.
  void moveUp(RemoteLoadOp load, int64_t phase);
  /// Moves `store` to the end of its phase, or as near as loads allow.
  void moveDown(RemoteStoreOp store);

  const PhasedBlock &phases;
  StreamingSchedule schedule;
  bool early;
};
} // namespace

void TransferScheduler::moveUp(RemoteLoadOp load, int64_t phase) {
  Operation *at = load;
  while (Operation *previous = at->getPrevNode()) {
    if (!isLeaf(previous) &&
        (phases.get(previous) < phase || mayConflict(previous, load)))
      break;
    at = previous;
  }
  if (at != load)
    load->moveBefore(at);
}

void TransferScheduler::moveDown(RemoteStoreOp store) {
  int64_t phase = phases.get(store);
  Operation *at = store->getNextNode();
  while (!at->hasTrait<OpTrait::IsTerminator>() &&
         (isLeaf(at) || (phases.get(at) <= phase && !mayConflict(at, store))))
    at = at->getNextNode();
  store->moveBefore(at);
}

void TransferScheduler::run() {
  SmallVector<RemoteLoadOp> loads;
  SmallVector<RemoteStoreOp> stores;
  for (Operation &op : *phases.getBlock()) {
    if (auto load = dyn_cast<RemoteLoadOp>(op); load && load.getStaticRow())
      loads.push_back(load);
    if (auto store = dyn_cast<RemoteStoreOp>(op); store && store.getStaticRow())
      stores.push_back(store);
  }
  bool isGrouped = schedule != StreamingSchedule::Interleaving;
  if (isGrouped)
    for (RemoteStoreOp store : stores)
      moveDown(store);
  // In this order, loads that move to one position keep their order.
  for (RemoteLoadOp load : llvm::reverse(loads)) {
    int64_t phase = phases.get(load);
    if (early)
      moveUp(load, std::max<int64_t>(phase - 1, 0));
    else if (isGrouped)
      moveUp(load, phase);
  }
  if (early || schedule != StreamingSchedule::BatchClusteredIO)
    return;
  // Loads are directly after the stores of the phase before, and become
  // neighbours of the ops before these stores, so that one exchange can do
  // both.
  for (RemoteLoadOp load : loads)
    while (auto store = dyn_cast_or_null<RemoteStoreOp>(load->getPrevNode())) {
      if (mayConflict(store, load))
        break;
      load->moveBefore(store);
    }
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct StreamingMemoryPass
    : pop::impl::StreamingMemoryPassBase<StreamingMemoryPass> {
  using StreamingMemoryPassBase::StreamingMemoryPassBase;

  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run();
};
} // namespace

LogicalResult StreamingMemoryPass::run() {
  ModuleOp module = getOperation();
  FailureOr<FunctionOpInterface> entry =
      getEntryForHostIO(module, getArgument());
  if (failed(entry))
    return failure();
  if (numPhases < 1)
    return module.emitError() << "'" << getArgument()
                              << "' expects option 'phases' to be at least 1 "
                                 "but got "
                              << numPhases.getValue();
  if (minElements < 0)
    return module.emitError() << "'" << getArgument()
                              << "' expects option 'min-elements' to be at "
                                 "least 0 but got "
                              << minElements.getValue();
  PhasedBlock phases(findLargestBlock(*entry));
  if (phases.getNumOps() < numPhases)
    return entry->emitOpError()
           << "has " << phases.getNumOps() << " ops in its largest block; '"
           << getArgument() << "' expects at least as many ops as phases, "
           << numPhases.getValue();
  for (Operation *op : phases.getOps())
    if (std::optional<int64_t> phase = getPhase(op))
      return op->emitOpError()
             << "is in execution phase " << *phase << "; '" << getArgument()
             << "' expects ops without phases";
  phases.assign(numPhases);
  SymbolTable symbols(module);
  TensorSpiller spiller(phases, symbols, minElements);
  if (activations)
    spiller.run();
  TransferScheduler(phases, schedule, early).run();
  remark::passed(entry->getLoc(), getGraphRemark("StreamingMemory"))
      << remark::metric("phases", numPhases.getValue())
      << remark::metric("tensors", spiller.getNumSpilled())
      << remark::metric("bytes", spiller.getNumBytes());
  return success();
}
