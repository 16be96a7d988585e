//===- MainLoops.cpp - Loops over batches and their parts -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module whose entry function processes one part of a batch and does one
// update. Out: the same module, where loops in the entry function do several
// updates, each after several parts of a batch.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/CheckedArithmetic.h"

namespace mlir::pop {
#define GEN_PASS_DEF_MAINLOOPSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
/// When an op is executed in a run.
enum class Level {
  /// Before the loops: handles, constants, and weights from the host.
  First,
  /// For each update, before the parts of the batch.
  Settings,
  /// For each part of a batch.
  Part,
  /// For each update, after the parts of the batch.
  Update,
  /// After the loops: weights to the host.
  Last,
};

/// A result of the entry function that is computed in a loop.
struct Anchor {
  unsigned result;
  Level level;
  AnchorKind kind;
  /// One of so many values is stored.
  int64_t interval;
};

class LoopBuilder {
public:
  LoopBuilder(FunctionOpInterface entry, int64_t numUpdates, int64_t numParts,
              SymbolTable &symbols)
      : entry(entry), numUpdates(numUpdates), numParts(numParts),
        symbols(symbols), block(entry.getFunctionBody().front()),
        terminator(block.getTerminator()), b(terminator) {}

  LogicalResult run();

private:
  //===--------------------------------------------------------------------===//
  // Levels
  //===--------------------------------------------------------------------===//

  Level computeLevel(Operation *op) const;
  /// The level at which `value` is computed.
  Level getLevel(Value value) const;
  int64_t getCount(Level level) const;
  LogicalResult verifyUses() const;
  LogicalResult verifyAccumulations() const;
  SmallVector<Operation *> getOps(Level level) const;

  //===--------------------------------------------------------------------===//
  // Streams
  //===--------------------------------------------------------------------===//

  LogicalResult countTransfers();
  void collectStreams(Operation *op, llvm::SetVector<Operation *> &streams,
                      llvm::DenseSet<Operation *> &seen);

  //===--------------------------------------------------------------------===//
  // Loops
  //===--------------------------------------------------------------------===//

  LogicalResult findAnchors();
  scf::ForOp buildLoop(int64_t count, ValueRange inits);
  void moveOps(Level level);
  void buildStores(Level level);
  Value buildIteration(Level level);
  /// What is carried on: `value`, or the sum of it and `sum`.
  Value buildNext(const Anchor &anchor, Value sum, Value value);
  void buildLoops();

  FunctionOpInterface entry;
  int64_t numUpdates, numParts;
  SymbolTable &symbols;
  Block &block;
  Operation *terminator;
  OpBuilder b;
  llvm::DenseMap<Operation *, Level> levels;
  /// Those whose values the loops carry, and those that are stored in them.
  SmallVector<Anchor> carried, stored;
  scf::ForOp updateLoop, partLoop;
};
} // namespace

//===----------------------------------------------------------------------===//
// Levels
//===----------------------------------------------------------------------===//

Level LoopBuilder::getLevel(Value value) const {
  Operation *op = value.getDefiningOp();
  auto level = op ? levels.find(op) : levels.end();
  return level == levels.end() ? Level::First : level->second;
}

Level LoopBuilder::computeLevel(Operation *op) const {
  bool isFree = op->hasTrait<OpTrait::ConstantLike>() || isHandle(op);
  if (isFree && llvm::all_of(op->getOperands(), [&](Value operand) {
        return getLevel(operand) == Level::First;
      }))
    return Level::First;
  switch (getExecutionContext(op).value_or(ExecutionContext::Normal)) {
  case ExecutionContext::WeightsFromHost:
    return Level::First;
  case ExecutionContext::WeightsToHost:
    return Level::Last;
  case ExecutionContext::OptimizerFromHost:
    return numParts > 1 ? Level::Settings : Level::Update;
  case ExecutionContext::AccumulateOuter:
    return Level::Update;
  case ExecutionContext::Normal:
  case ExecutionContext::Subgraph:
    return numParts > 1 ? Level::Part : Level::Update;
  }
  llvm_unreachable("unknown execution context");
}

int64_t LoopBuilder::getCount(Level level) const {
  switch (level) {
  case Level::First:
  case Level::Last:
    return 1;
  case Level::Settings:
  case Level::Update:
    return numUpdates;
  case Level::Part:
    return numUpdates * numParts;
  }
  llvm_unreachable("unknown level");
}

static StringRef describe(Level level) {
  switch (level) {
  case Level::First:
    return "before all batches";
  case Level::Settings:
    return "before the parts of each batch";
  case Level::Part:
    return "for each part of a batch";
  case Level::Update:
    return "after the parts of each batch";
  case Level::Last:
    return "after all batches";
  }
  llvm_unreachable("unknown level");
}

LogicalResult LoopBuilder::verifyUses() const {
  for (Operation &op : block.without_terminator()) {
    Level level = levels.find(&op)->second;
    WalkResult result = op.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands()) {
        Operation *source = operand.getDefiningOp();
        Level from = getLevel(operand);
        if (!source || source->getBlock() != &block || from == level ||
            from == Level::First ||
            (from == Level::Settings && level != Level::Last))
          continue;
        InFlightDiagnostic diag = nested->emitOpError()
                                  << "is executed " << describe(level)
                                  << " but uses a value that is computed "
                                  << describe(from)
                                  << "; expects a variable for this value";
        diag.attachNote(source->getLoc())
            << "'" << source->getName() << "' computes it";
        return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

LogicalResult LoopBuilder::verifyAccumulations() const {
  WalkResult result = entry->walk([&](OptimizerStepOp step) {
    int64_t parts = step.getAccumulations();
    if (parts == 1 || parts == numParts)
      return WalkResult::advance();
    step.emitOpError() << "expects `accumulations` to be 1 or the value of "
                          "option 'accumulation-factor', "
                       << numParts << ", but got " << parts;
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

SmallVector<Operation *> LoopBuilder::getOps(Level level) const {
  SmallVector<Operation *> ops;
  for (Operation &op : block.without_terminator())
    if (auto it = levels.find(&op); it != levels.end() && it->second == level)
      ops.push_back(&op);
  return ops;
}

//===----------------------------------------------------------------------===//
// Streams
//===----------------------------------------------------------------------===//

void LoopBuilder::collectStreams(Operation *op,
                                 llvm::SetVector<Operation *> &streams,
                                 llvm::DenseSet<Operation *> &seen) {
  op->walk([&](Operation *nested) {
    // What an attribute of a function names, such as the setting of an
    // optimizer, is not moved by it.
    if (isa<FunctionOpInterface>(nested))
      return;
    nested->getAttrDictionary().walk([&](FlatSymbolRefAttr symbol) {
      Operation *target = symbols.lookup(symbol.getAttr());
      if (isa_and_nonnull<StreamOp>(target))
        streams.insert(target);
      else if (isa_and_nonnull<CallOpInterface>(nested) && target &&
               isa<FunctionOpInterface>(target) && seen.insert(target).second)
        collectStreams(target, streams, seen);
    });
  });
}

/// A stream moves as many tensors more as its transfers are executed more
/// often.
LogicalResult LoopBuilder::countTransfers() {
  llvm::MapVector<Operation *, Level> levelOf;
  for (Level level : {Level::First, Level::Settings, Level::Part, Level::Update,
                      Level::Last}) {
    llvm::SetVector<Operation *> streams;
    llvm::DenseSet<Operation *> seen;
    for (Operation *op : getOps(level))
      collectStreams(op, streams, seen);
    for (Operation *stream : streams) {
      auto [it, isNew] = levelOf.insert({stream, level});
      if (!isNew)
        return stream->emitOpError()
               << "'" << cast<StreamOp>(stream).getSymName()
               << "' moves tensors " << describe(it->second) << " and "
               << describe(level) << "; expects two streams";
    }
  }
  for (auto [op, level] : levelOf) {
    auto stream = cast<StreamOp>(op);
    std::optional<int64_t> transfers =
        llvm::checkedMul(getHostTransfers(stream), getCount(level));
    if (!transfers)
      return stream.emitOpError()
             << "'" << stream.getSymName() << "' moves "
             << getHostTransfers(stream) << " tensors " << describe(level)
             << ", " << getCount(level)
             << " times in a run; expects fewer than 2^63 tensors in a run";
    if (getCount(level) > 1)
      stream.setTransfers(*transfers);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Anchors
//===----------------------------------------------------------------------===//

LogicalResult LoopBuilder::findAnchors() {
  for (unsigned i = 0; i < entry.getNumResults(); ++i) {
    Value value = terminator->getOperand(i);
    Level level = getLevel(value);
    auto attribute =
        entry.getResultAttrOfType<AnchorAttr>(i, PopDialect::kAnchorAttrName);
    AnchorKind kind = attribute ? attribute.getKind() : AnchorKind::Final;
    // What is computed before the loops has a value in each iteration.
    if (level == Level::First && kind != AnchorKind::Final)
      level = numParts > 1 ? Level::Part : Level::Update;
    int64_t count = getCount(level);
    int64_t interval =
        kind == AnchorKind::EveryN ? attribute.getInterval() : int64_t(1);
    if (interval > count)
      return entry.emitOpError()
             << "expects the anchor of result #" << i
             << " to have an interval of at most " << count
             << ", the number of values of the result, but got " << interval;
    if (count == 1)
      continue;
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type)
      return entry.emitOpError()
             << "expects result #" << i << ", which is computed "
             << describe(level) << ", to be a tensor but got "
             << value.getType();
    if (kind == AnchorKind::Sum && type.getElementType().isInteger(1))
      return entry.emitOpError() << "returns the sum of values of type " << type
                                 << " as result #" << i << "; expects numbers";
    bool isStored = kind == AnchorKind::All || kind == AnchorKind::EveryN;
    (isStored ? stored : carried).push_back({i, level, kind, interval});
  }
  return success();
}

/// The number of the iteration of all that are at `level`: 0-d, of i32.
Value LoopBuilder::buildIteration(Level level) {
  Location loc = entry.getLoc();
  auto type = RankedTensorType::get({}, b.getI32Type());
  PopBuilder inner(b, loc);
  Value number;
  if (updateLoop)
    number = inner.create<FromScalarOp>(type, updateLoop.getInductionVar());
  if (level != Level::Part)
    return number;
  Value part = inner.create<FromScalarOp>(type, partLoop.getInductionVar());
  if (!number)
    return part;
  Value size = inner.splat(b.getI32IntegerAttr(numParts));
  return inner.add(inner.mul(number, size), part);
}

namespace {
/// Gives new ops the schedule of a value.
struct SchedulePlacer : OpBuilder::Listener {
  explicit SchedulePlacer(Value value) : value(value) {}
  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa_and_nonnull<PopDialect>(op->getDialect()))
      inheritSchedule(value, op);
  }

  Value value;
};
} // namespace

/// Stores what the host gets of each iteration, at the end of one.
void LoopBuilder::buildStores(Level level) {
  for (const Anchor &anchor : stored) {
    if (anchor.level != level)
      continue;
    Value value = terminator->getOperand(anchor.result);
    Location loc = value.getLoc();
    StreamOp stream = createHostStream(
        entry, symbols, loc,
        entry.getResultAttr(anchor.result, PopDialect::kNameAttrName),
        "result" + Twine(anchor.result), ipu::StreamDirection::DeviceToHost,
        /*isBroadcast=*/false, cast<RankedTensorType>(value.getType()));
    int64_t interval = anchor.interval;
    stream.setTransfers(getCount(level) / interval);
    OpBuilder::InsertionGuard guard(b);
    SchedulePlacer placer(value);
    b.setListener(&placer);
    if (interval > 1) {
      Value number = buildIteration(level);
      PopBuilder inner(b, loc);
      Value rest = inner.create<RemOp>(
          number, inner.splat(b.getI32IntegerAttr(interval)));
      Value isLast =
          inner.equal(rest, inner.splat(b.getI32IntegerAttr(interval - 1)));
      Value condition = tensor::ExtractOp::create(b, loc, isLast, ValueRange());
      auto branch = scf::IfOp::create(b, loc, condition);
      b.setInsertionPointToStart(&branch.getThenRegion().front());
    }
    HostStoreOp::create(b, loc, value, stream.getSymName());
    b.setListener(nullptr);
  }
}

Value LoopBuilder::buildNext(const Anchor &anchor, Value sum, Value value) {
  if (anchor.kind != AnchorKind::Sum)
    return value;
  auto add = AddOp::create(b, value.getLoc(), sum, value);
  inheritSchedule(value, add);
  return add;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

scf::ForOp LoopBuilder::buildLoop(int64_t count, ValueRange inits) {
  Location loc = entry.getLoc();
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value upper = arith::ConstantIndexOp::create(b, loc, count);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  auto loop = scf::ForOp::create(b, loc, zero, upper, one, inits);
  // With no values to carry there is a terminator already.
  if (inits.empty())
    loop.getBody()->getTerminator()->erase();
  b.setInsertionPointToEnd(loop.getBody());
  return loop;
}

/// The loops determine when `op` is executed, unless it is executed when
/// weights are loaded.
static void removeContexts(Operation *op) {
  op->walk([](Operation *nested) {
    if (getExecutionContext(nested) != ExecutionContext::WeightsFromHost)
      nested->removeAttr(PopDialect::kExecutionContextAttrName);
  });
}

/// Moves the ops of `level` to where the builder is.
void LoopBuilder::moveOps(Level level) {
  for (Operation *op : getOps(level)) {
    op->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
    removeContexts(op);
  }
}

void LoopBuilder::buildLoops() {
  Location loc = entry.getLoc();
  // What is carried before each update, and after it.
  SmallVector<Value> sums, next;
  for (const Anchor &anchor : carried) {
    auto type =
        cast<RankedTensorType>(terminator->getOperand(anchor.result).getType());
    Attribute zero = b.getZeroAttr(type.getElementType());
    sums.push_back(
        ConstantOp::create(b, loc, DenseElementsAttr::get(type, zero)));
  }
  if (numUpdates > 1) {
    updateLoop = buildLoop(numUpdates, sums);
    sums.assign(updateLoop.getRegionIterArgs().begin(),
                updateLoop.getRegionIterArgs().end());
  }
  next = sums;
  if (numParts > 1) {
    moveOps(Level::Settings);
    buildStores(Level::Settings);
    SmallVector<unsigned> ofParts;
    SmallVector<Value> inits;
    for (auto [i, anchor] : llvm::enumerate(carried))
      if (anchor.level == Level::Part) {
        ofParts.push_back(i);
        inits.push_back(sums[i]);
      }
    partLoop = buildLoop(numParts, inits);
    moveOps(Level::Part);
    buildStores(Level::Part);
    SmallVector<Value> yielded;
    for (auto [i, sum] : llvm::zip_equal(ofParts, partLoop.getRegionIterArgs()))
      yielded.push_back(buildNext(carried[i], sum,
                                  terminator->getOperand(carried[i].result)));
    scf::YieldOp::create(b, loc, yielded);
    b.setInsertionPointAfter(partLoop);
    for (auto [i, result] : llvm::zip_equal(ofParts, partLoop.getResults()))
      next[i] = result;
  }
  moveOps(Level::Update);
  buildStores(Level::Update);
  for (auto [i, anchor] : llvm::enumerate(carried))
    if (anchor.level != Level::Part)
      next[i] =
          buildNext(anchor, sums[i], terminator->getOperand(anchor.result));
  if (updateLoop) {
    scf::YieldOp::create(b, loc, next);
    next.assign(updateLoop.getResults().begin(), updateLoop.getResults().end());
  }
  for (auto [anchor, value] : llvm::zip_equal(carried, next))
    terminator->setOperand(anchor.result, value);
}

LogicalResult LoopBuilder::run() {
  for (Operation &op : block.without_terminator())
    levels[&op] = computeLevel(&op);
  if (failed(verifyUses()) || failed(verifyAccumulations()) ||
      failed(findAnchors()) || failed(countTransfers()))
    return failure();
  // Ops of the first level stay where they are: the others leave the block.
  for (Operation *op : getOps(Level::First))
    removeContexts(op);
  buildLoops();
  b.setInsertionPoint(terminator);
  moveOps(Level::Last);
  BitVector erased(entry.getNumResults());
  for (const Anchor &anchor : stored)
    erased.set(anchor.result);
  terminator->eraseOperands(erased);
  (void)entry.eraseResults(erased);
  for (unsigned i = 0; i < entry.getNumResults(); ++i)
    entry.removeResultAttr(
        i, StringAttr::get(b.getContext(), PopDialect::kAnchorAttrName));
  return success();
}

//===----------------------------------------------------------------------===//
// Pass
//===----------------------------------------------------------------------===//

namespace {
struct MainLoopsPass : pop::impl::MainLoopsPassBase<MainLoopsPass> {
  using MainLoopsPassBase::MainLoopsPassBase;

  void runOnOperation() override {
    if (failed(verifyOption("batches-per-step", batchesPerStep)) ||
        failed(verifyOption("accumulation-factor", accumulationFactor)) ||
        failed(verifyNumber()))
      return signalPassFailure();
    FailureOr<FunctionOpInterface> entry =
        getEntryForHostIO(getOperation(), getArgument());
    if (failed(entry))
      return signalPassFailure();
    if (entry->getNumArguments() > 0) {
      entry->emitOpError() << "has arguments; '" << getArgument()
                           << "' expects streams and variables instead";
      return signalPassFailure();
    }
    SymbolTable symbols(getOperation());
    if (failed(LoopBuilder(*entry, batchesPerStep, accumulationFactor, symbols)
                   .run()))
      signalPassFailure();
  }

private:
  LogicalResult verifyOption(StringRef name, int64_t value) {
    if (value >= 1)
      return success();
    return getOperation().emitError()
           << "'" << getArgument() << "' expects option '" << name
           << "' to be at least 1 but got " << value;
  }

  /// Iterations are counted in i32.
  LogicalResult verifyNumber() {
    std::optional<int64_t> number =
        llvm::checkedMul<int64_t>(batchesPerStep, accumulationFactor);
    if (number && *number <= std::numeric_limits<int32_t>::max())
      return success();
    return getOperation().emitError()
           << "'" << getArgument()
           << "' expects at most 2147483647 parts of batches but got "
              "options 'batches-per-step' = "
           << batchesPerStep.getValue()
           << " and 'accumulation-factor' = " << accumulationFactor.getValue();
  }
};
} // namespace
