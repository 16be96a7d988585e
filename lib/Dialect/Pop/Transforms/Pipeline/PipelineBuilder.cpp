//===- PipelineBuilder.cpp - Loops of pipelines -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PipelineBuilder.h"

#include "../Graph/BlockGraph.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::pop;

PipelineBuilder::PipelineBuilder(const StagedLoop &loop,
                                 const PipelineSchedule &schedule)
    : loop(loop), schedule(schedule), b(loop.getLoop()) {}

//===----------------------------------------------------------------------===//
// Placement
//===----------------------------------------------------------------------===//

namespace {
/// Gives the new pop ops of a builder a placement while it exists.
class PlacedOps : public OpBuilder::Listener {
public:
  PlacedOps(OpBuilder &b, DictionaryAttr placement)
      : b(b), placement(placement) {
    b.setListener(this);
  }
  ~PlacedOps() override { b.setListener(nullptr); }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa_and_nonnull<PopDialect>(op->getDialect()))
      op->setDiscardableAttrs(placement);
  }

private:
  OpBuilder &b;
  DictionaryAttr placement;
};
} // namespace

Block::BlockArgListType PipelineBuilder::getArguments() const {
  return loop.getLoop().getRegionIterArgs();
}

std::optional<int64_t> PipelineBuilder::findVgraph(Value value) const {
  if (isa<OpResult>(value))
    return getVgraph(value);
  return loop.getStages()[*loop.getStageOf(value)].vgraph;
}

/// Returns the placement of ops on `vgraph`, which is negative if they have
/// none.
static NamedAttrList getPlacement(MLIRContext *context, int64_t vgraph) {
  NamedAttrList placement;
  if (vgraph >= 0)
    placement.append(PopDialect::kVgraphAttrName,
                     Builder(context).getI64IntegerAttr(vgraph));
  return placement;
}

/// Returns the placement of ops that move `value`: they are on its tiles.
DictionaryAttr PipelineBuilder::getPlacementOf(Value value) const {
  NamedAttrList placement =
      ::getPlacement(value.getContext(), findVgraph(value).value_or(-1));
  if (isa<OpResult>(value) && getTileSet(value) == TileSet::IO)
    placement.append(PopDialect::kTileSetAttrName,
                     TileSetAttr::get(value.getContext(), TileSet::IO));
  return placement.getDictionary(value.getContext());
}

//===----------------------------------------------------------------------===//
// Values between stages
//===----------------------------------------------------------------------===//

static bool isCopy(Value value) {
  return value.getDefiningOp<IpuCopyOp>() != nullptr;
}

/// Calls `visit` for each op of `stage`, in their order.
static void forEachOp(const PipelineStage &stage,
                      function_ref<void(Operation *)> visit) {
  auto visitAll = [&](const auto &ops) {
    for (Operation *op : ops)
      visit(op);
  };
  visitAll(stage.indices);
  visitAll(stage.loads);
  visitAll(stage.body);
  visitAll(stage.stores);
  visitAll(stage.copies);
}

void PipelineBuilder::findTransports() {
  for (unsigned reader = 0; reader < loop.getStages().size(); ++reader)
    forEachOp(loop.getStages()[reader], [&](Operation *op) {
      forEachOuterOperand(op, [&](Operation *, Value value) {
        std::optional<unsigned> writer = loop.getStageOf(value);
        if (writer && *writer != reader &&
            !schedule.readsSameIteration(*writer, reader))
          transports[value].readers.insert(reader);
      });
    });
  for (auto &[value, transport] : transports) {
    unsigned writer = *loop.getStageOf(value);
    const auto &from = schedule.getPosition(writer);
    bool isCarried = true;
    int64_t numRows = 1;
    for (unsigned reader : transport.readers) {
      const auto &to = schedule.getPosition(reader);
      isCarried &= to.loop == from.loop && to.delay == from.delay + 1;
      numRows =
          std::max(numRows, schedule.getNumSlots(writer, isCopy(value), reader,
                                                 loop.getNumMicroBatches()));
    }
    if (!isCarried)
      buildStash(value, transport, numRows);
  }
}

void PipelineBuilder::buildStash(Value value, Transport &transport,
                                 int64_t numRows) {
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> shape{numRows};
  llvm::append_range(shape, type.getShape());
  RefType refType = RefType::get(type.clone(shape));
  OpBuilder::InsertionGuard guard(b);
  auto function = loop.getLoop()->getParentOfType<FunctionOpInterface>();
  b.setInsertionPointToStart(&function.getFunctionBody().front());
  PlacedOps placed(b, getPlacementOf(value));
  // The update of a row in the loop may read all rows, of which the iterations
  // before the loop have written some.
  const auto &writer = schedule.getPosition(*loop.getStageOf(value));
  int64_t numWritten = schedule.getLoops()[writer.loop].maxDelay - writer.delay;
  transport.stash = AllocOp::create(b, value.getLoc(), refType,
                                    numWritten < numRows ? AllocInit::Zero
                                                         : AllocInit::Undef);
  stashBytes += getTensorBytes(refType);
}

bool PipelineBuilder::isCarried(Value value, const Transport &transport) const {
  return !transport.stash &&
         schedule.getPosition(*loop.getStageOf(value)).loop == current.loop;
}

//===----------------------------------------------------------------------===//
// Iterations
//===----------------------------------------------------------------------===//

int64_t PipelineBuilder::getMicroBatch(unsigned stage) const {
  return current.number - schedule.getPosition(stage).delay;
}

bool PipelineBuilder::isActive(unsigned stage) const {
  int64_t microBatch = getMicroBatch(stage);
  return microBatch >= 0 && microBatch < loop.getNumMicroBatches();
}

PipelineBuilder::Inputs PipelineBuilder::buildIteration(const Inputs &inputs) {
  now.clear();
  reads.clear();
  Inputs outputs{/*carried=*/{}, inputs.states};
  for (ArrayRef<unsigned> turn : schedule.getLoops()[current.loop].turns) {
    SmallVector<unsigned> active;
    llvm::copy_if(turn, std::back_inserter(active),
                  [&](unsigned stage) { return isActive(stage); });
    buildTurn(active, inputs, outputs);
  }
  for (const auto &[value, transport] : transports)
    if (isCarried(value, transport))
      if (Value computed = now.lookup(value))
        outputs.carried[value] = computed;
  advanceDraws(loop.getNumAdvances());
  return outputs;
}

void PipelineBuilder::buildTurn(ArrayRef<unsigned> active, const Inputs &inputs,
                                Inputs &outputs) {
  ArrayRef<PipelineStage> stages = loop.getStages();
  for (unsigned stage : active) {
    for (FromScalarOp index : stages[stage].indices)
      buildIndex(index, stage);
    for (Operation *load : stages[stage].loads)
      buildOp(load, stage, inputs);
  }
  for (unsigned stage : active) {
    for (BlockArgument argument : getArguments())
      if (loop.getStageOf(argument) == stage)
        now[argument] = inputs.states.lookup(argument);
    for (Operation *call : stages[stage].body)
      buildOp(call, stage, inputs);
    // A stage reads its rows before an earlier stage overwrites them.
    for (Operation *op : stages[stage].stores)
      forEachOuterOperand(op, [&](Operation *, Value value) {
        (void)lookup(value, stage, inputs);
      });
    for (const auto &[value, transport] : transports)
      if (loop.getStageOf(value) == stage && !isCopy(value))
        save(value);
  }
  for (unsigned stage : active)
    for (Operation *op : stages[stage].stores)
      buildOp(op, stage, inputs);
  for (unsigned stage : llvm::reverse(active))
    for (IpuCopyOp copy : stages[stage].copies) {
      buildOp(copy, stage, inputs);
      save(copy.getResult(0));
    }
  scf::ForOp staged = loop.getLoop();
  for (auto [argument, yielded] :
       llvm::zip_equal(getArguments(), staged.getYieldedValues()))
    if (llvm::is_contained(active, *loop.getStageOf(argument)))
      outputs.states[argument] = now.lookup(yielded);
}

void PipelineBuilder::buildOp(Operation *op, unsigned stage,
                              const Inputs &inputs) {
  IRMapping mapping;
  forEachOuterOperand(op, [&](Operation *, Value value) {
    mapping.map(value, lookup(value, stage, inputs));
  });
  Operation *clone = b.clone(*op, mapping);
  for (auto [result, computed] :
       llvm::zip_equal(op->getResults(), clone->getResults()))
    now[result] = computed;
}

/// Returns what `stage` reads as `value`.
Value PipelineBuilder::lookup(Value value, unsigned stage,
                              const Inputs &inputs) {
  std::optional<unsigned> writer = loop.getStageOf(value);
  if (!writer)
    return value;
  if (*writer == stage || schedule.readsSameIteration(*writer, stage))
    return now.lookup(value);
  const Transport &transport = transports.find(value)->second;
  return transport.stash ? buildRead(value, transport, stage)
                         : inputs.carried.lookup(value);
}

/// Builds the tensor of the staged loop's index for the micro-batch of `stage`.
void PipelineBuilder::buildIndex(FromScalarOp index, unsigned stage) {
  NamedAttrList placement(index->getDiscardableAttrDictionary());
  placement.erase(PopDialect::kStageAttrName);
  PlacedOps placed(b, placement.getDictionary(b.getContext()));
  auto type = cast<RankedTensorType>(index.getType());
  Location loc = index.getLoc();
  auto buildConstant = [&](int64_t value) {
    return ConstantOp::create(
        b, loc,
        DenseElementsAttr::get(type,
                               b.getIntegerAttr(type.getElementType(), value)));
  };
  if (!current.built) {
    now[index] = buildConstant(loop.getIndex(getMicroBatch(stage)));
    return;
  }
  Value tensor =
      FromScalarOp::create(b, loc, type, current.built.getInductionVar());
  int64_t delay = schedule.getPosition(stage).delay * loop.getStep();
  if (delay != 0)
    tensor = SubOp::create(b, loc, type, tensor, buildConstant(delay));
  now[index] = tensor;
}

//===----------------------------------------------------------------------===//
// Stashes
//===----------------------------------------------------------------------===//

static int64_t getNumRows(Value stash) {
  return cast<RefType>(stash.getType()).getTensorType().getDimSize(0);
}

int64_t PipelineBuilder::getRow(unsigned stage,
                                const Transport &transport) const {
  return getMicroBatch(stage) % getNumRows(transport.stash);
}

PipelineBuilder::Counter PipelineBuilder::getCounter(Value value,
                                                     const Transport &transport,
                                                     unsigned stage) const {
  return {findVgraph(value).value_or(-1), getNumRows(transport.stash),
          getRow(stage, transport)};
}

/// Returns a ref to row `row` of `stash`, which is a `type`.
static Value buildRow(OpBuilder &b, Location loc, Value stash,
                      RankedTensorType type, int64_t row) {
  return RefRowOp::create(b, loc, RefType::get(type), stash,
                          ArrayRef<int64_t>{row});
}

Value PipelineBuilder::buildRead(Value value, const Transport &transport,
                                 unsigned stage) {
  Value &read = reads[{value.getAsOpaquePointer(), stage}];
  if (read)
    return read;
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = value.getLoc();
  PlacedOps placed(b, getPlacementOf(value));
  if (!current.built || getNumRows(transport.stash) == 1) {
    Value row =
        buildRow(b, loc, transport.stash, type, getRow(stage, transport));
    return read = ReadOp::create(b, loc, type, row);
  }
  Value counter = counters.at(getCounter(value, transport, stage));
  Value rows = ReadOp::create(
      b, loc, cast<RefType>(transport.stash.getType()).getTensorType(),
      transport.stash);
  Value row = DynamicSliceOp::create(
      b, loc, rows, counter, ArrayRef<int64_t>{0}, ArrayRef<int64_t>{1});
  return read = ReshapeOp::create(b, loc, type, row);
}

/// Saves `value` for later stages, if these need several micro-batches.
void PipelineBuilder::save(Value value) {
  auto *it = transports.find(value);
  if (it == transports.end() || !it->second.stash)
    return;
  const Transport &transport = it->second;
  auto type = cast<RankedTensorType>(value.getType());
  Location loc = value.getLoc();
  unsigned stage = *loop.getStageOf(value);
  PlacedOps placed(b, getPlacementOf(value));
  if (!current.built || getNumRows(transport.stash) == 1) {
    Value row =
        buildRow(b, loc, transport.stash, type, getRow(stage, transport));
    CopyInPlaceOp::create(b, loc, row, now.lookup(value));
    return;
  }
  SmallVector<int64_t> shape{1};
  llvm::append_range(shape, type.getShape());
  Value row = ReshapeOp::create(b, loc, type.clone(shape), now.lookup(value));
  DynamicUpdateInPlaceOp::create(
      b, loc, transport.stash, row,
      counters.at(getCounter(value, transport, stage)), ArrayRef<int64_t>{0});
}

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

static Value buildNumber(OpBuilder &b, Location loc, int64_t number) {
  return ConstantOp::create(
      b, loc,
      DenseElementsAttr::get(RankedTensorType::get({1}, b.getI32Type()),
                             b.getI32IntegerAttr(number)));
}

/// Builds the first values of the counters that the iterations of the current
/// loop need.
void PipelineBuilder::buildCounters() {
  counters.clear();
  for (const auto &[value, transport] : transports) {
    if (!transport.stash || getNumRows(transport.stash) == 1)
      continue;
    SmallVector<unsigned> users(transport.readers.getArrayRef());
    users.push_back(*loop.getStageOf(value));
    for (unsigned stage : users)
      if (schedule.getPosition(stage).loop == current.loop)
        counters[getCounter(value, transport, stage)] = {};
  }
  for (auto &[counter, value] : counters) {
    MLIRContext *context = b.getContext();
    PlacedOps placed(
        b, ::getPlacement(context, counter.vgraph).getDictionary(context));
    value = buildNumber(b, loop.getLoop().getLoc(), counter.first);
  }
}

/// Builds the values of the counters in the next iteration, in their order.
SmallVector<Value> PipelineBuilder::buildNextCounters() {
  SmallVector<Value> next;
  for (auto [counter, value] : counters) {
    MLIRContext *context = b.getContext();
    PlacedOps placed(
        b, ::getPlacement(context, counter.vgraph).getDictionary(context));
    Location loc = loop.getLoop().getLoc();
    PopBuilder inner(b, loc);
    Value sum = inner.add(value, buildNumber(inner, loc, 1));
    Value isRow = inner.less(sum, buildNumber(inner, loc, counter.numRows));
    next.push_back(inner.mask(isRow, sum));
  }
  return next;
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

void PipelineBuilder::advanceDraws(int64_t count) {
  if (count != 0)
    AdvanceDrawsOp::create(b, loop.getLoop().getLoc(), count, /*shift=*/0);
}

/// Builds the loop of the iterations that execute all stages.
PipelineBuilder::Inputs PipelineBuilder::buildSteadyIterations(Inputs inputs) {
  scf::ForOp staged = loop.getLoop();
  Location loc = staged.getLoc();
  buildCounters();
  // The entries of `inputs` that the built loop carries.
  SmallVector<Value> carried, states, inits;
  for (const auto &[value, init] : inputs.carried) {
    carried.push_back(value);
    inits.push_back(init);
  }
  for (BlockArgument argument : getArguments())
    if (schedule.getPosition(*loop.getStageOf(argument)).loop == current.loop) {
      states.push_back(argument);
      inits.push_back(inputs.states.lookup(argument));
    }
  llvm::append_range(inits, llvm::make_second_range(counters));
  Type indexType = staged.getInductionVar().getType();
  Value from = arith::ConstantOp::create(
      b, loc, b.getIntegerAttr(indexType, loop.getIndex(current.number)));
  auto built = scf::ForOp::create(b, loc, from, staged.getUpperBound(),
                                  staged.getStep(), inits);
  built.setUnsignedCmp(staged.getUnsignedCmp());
  built->setDiscardableAttrs(staged->getDiscardableAttrDictionary());
  // A loop that carries no values has a terminator already.
  if (inits.empty())
    built.getBody()->getTerminator()->erase();

  auto setInputs = [&](ValueRange values) {
    for (Value key : carried) {
      inputs.carried[key] = values.front();
      values = values.drop_front();
    }
    for (Value key : states) {
      inputs.states[key] = values.front();
      values = values.drop_front();
    }
    return values;
  };
  b.setInsertionPointToEnd(built.getBody());
  ValueRange rest = setInputs(built.getRegionIterArgs());
  for (auto [entry, argument] : llvm::zip_equal(counters, rest))
    entry.second = argument;
  current.built = built;
  Inputs outputs = buildIteration(inputs);
  current.built = nullptr;
  SmallVector<Value> yielded;
  for (Value key : carried)
    yielded.push_back(outputs.carried.lookup(key));
  for (Value key : states)
    yielded.push_back(outputs.states.lookup(key));
  llvm::append_range(yielded, buildNextCounters());
  scf::YieldOp::create(b, loc, yielded);
  b.setInsertionPointAfter(built);
  setInputs(built.getResults());
  return inputs;
}

PipelineBuilder::Inputs PipelineBuilder::buildLoop(unsigned number,
                                                   Inputs inputs) {
  int64_t fill = schedule.getLoops()[number].maxDelay;
  int64_t count = loop.getNumMicroBatches();
  current = {number, 0, nullptr};
  for (; current.number < fill; ++current.number)
    inputs = buildIteration(inputs);
  if (count - fill > 1) {
    inputs = buildSteadyIterations(std::move(inputs));
    current.number = count;
  }
  for (; current.number < count + fill; ++current.number)
    inputs = buildIteration(inputs);
  inputs.carried.clear();
  return inputs;
}

void PipelineBuilder::build() {
  scf::ForOp staged = loop.getLoop();
  findTransports();
  Inputs inputs;
  for (auto [argument, init] :
       llvm::zip_equal(getArguments(), staged.getInitArgs()))
    inputs.states[argument] = init;
  size_t numLoops = schedule.getLoops().size();
  int64_t count = loop.getNumMicroBatches();
  for (size_t i = 0; i < numLoops; ++i) {
    inputs = buildLoop(i, std::move(inputs));
    // The loops together advance random bits as often as the staged loop.
    int64_t extra = schedule.getLoops()[i].maxDelay;
    if (i + 1 < numLoops)
      extra += count;
    advanceDraws(-extra * loop.getNumAdvances());
  }
  for (auto [argument, result] :
       llvm::zip_equal(getArguments(), staged.getResults()))
    result.replaceAllUsesWith(inputs.states.lookup(argument));
  staged.erase();
}
