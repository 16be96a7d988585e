//===- HostReduce.cpp - Updates of weights on the host ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module whose entry function updates variables with optimizers. Out: the
// same module, where the entry function loads the weights from the host and
// stores gradients to the host, and a nested module, the program of the host,
// which combines the gradients of all replicas and updates the weights.
//
//===----------------------------------------------------------------------===//

#include "../DrawAdvances.h"
#include "../Graph/GraphTransforms.h"
#include "OptimizerSteps.h"
#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/HostStreams.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::pop {
#define GEN_PASS_DEF_HOSTREDUCEPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// The name of the function of the program of the host.
static constexpr StringLiteral kHostEntryName = "main";

//===----------------------------------------------------------------------===//
// The ops that move
//===----------------------------------------------------------------------===//

namespace {
/// Finds the ops of the entry function's body that the host executes, the
/// variables that they update, and the values that they need from the device.
class HostUpdates {
public:
  HostUpdates(FunctionOpInterface entry, SymbolTable &symbols)
      : entry(entry), body(&entry.getFunctionBody().front()), symbols(symbols),
        module(cast<ModuleOp>(symbols.getOp())),
        replicas(ipu::getTargetModel(module).replicas) {}

  LogicalResult find(ArrayRef<OptimizerStepOp> steps);
  /// Checks that the device can do without the variables, and that the random
  /// bits of the ops that move do not depend on the device.
  LogicalResult verify();

  bool moves(Operation *op) const { return moved.contains(op); }
  bool movesVariable(Operation *op) const { return variables.contains(op); }
  ArrayRef<Operation *> getVariables() const { return variables.getArrayRef(); }
  /// Returns the values that the device stores, each with the weight that
  /// needs it.
  const llvm::MapVector<Value, std::string> &getStored() const {
    return stored;
  }

private:
  LogicalResult addStep(OptimizerStepOp step);
  /// Adds all ops that use results of `op`, which moves.
  LogicalResult addUsers(Operation *op, OptimizerStepOp step,
                         const std::string &weight);
  /// Makes sure that the host has operand `value` of `op`, which moves.
  LogicalResult addOperand(Operation *op, Value value,
                           const std::string &weight);
  VariableOp getVariable(Value ref) const;
  bool canCompute(Value value);
  /// Returns whether the host can have `variable`, and moves its only update if
  /// the host can compute it.
  bool canHold(VariableOp variable);
  /// Returns the only op that writes `variable`, if it is in the body and
  /// writes the whole variable, and if all other ops of the entry function only
  /// read the variable before. Returns null otherwise.
  CopyInPlaceOp getOnlyWrite(VariableOp variable) const;
  LogicalResult verifyUser(VariableOp variable, Operation *user);
  LogicalResult verifyDraws();

  FunctionOpInterface entry;
  Block *body;
  SymbolTable &symbols;
  ModuleOp module;
  int64_t replicas;
  /// The ops that move, with the names of their weights. Streams of values that
  /// the ops need get these names.
  llvm::MapVector<Operation *, std::string> moved;
  llvm::SetVector<Operation *> variables;
  llvm::MapVector<Value, std::string> stored;
  /// The results of canCompute().
  llvm::DenseMap<Value, bool> computable;
};
} // namespace

VariableOp HostUpdates::getVariable(Value ref) const {
  auto get = ref.getDefiningOp<GetVariableOp>();
  return get ? symbols.lookup<VariableOp>(get.getVariable()) : VariableOp();
}

/// Returns the ops that name `variable`.
static SmallVector<Operation *> getUsers(VariableOp variable, ModuleOp module) {
  SmallVector<Operation *> users;
  if (auto uses = SymbolTable::getSymbolUses(variable, module))
    for (SymbolTable::SymbolUse use : *uses)
      users.push_back(use.getUser());
  return users;
}

/// Returns why the values of `variable` may differ between replicas, or why it
/// is not on the chip. Returns an empty text if neither is the case.
static StringRef getFault(VariableOp variable) {
  if (variable.getBuffer())
    return "is in streaming memory";
  if (variable.getSharding())
    return "is distributed over replicas";
  if (variable.getGroupsAttr())
    return "has groups of replicas";
  if (variable.getRetrieval() != ipu::Retrieval::OnePerGroup)
    return "is read by the host from all replicas";
  return "";
}

static bool isPureOp(Operation *op) {
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

LogicalResult HostUpdates::addStep(OptimizerStepOp step) {
  if (step->getBlock() != body) {
    InFlightDiagnostic error =
        step.emitOpError()
        << "is not in the body of the entry function; "
           "'pop-host-reduce' expects one update in each run";
    error.attachNote(step->getParentOp()->getLoc()) << "it is in this op";
    return error;
  }
  if (getExecutionContext(step) == ExecutionContext::AccumulateOuter)
    return step.emitOpError()
           << "has the execution context 'accumulate_outer'; "
              "'pop-host-reduce' expects 'pop-main-loops' to have made the "
              "loop over the parts of a batch";
  SmallVector<UpdatedWeight> weights = getUpdatedWeights(step, symbols);
  return addUsers(step, step, weights.empty() ? "" : weights.front().name);
}

LogicalResult HostUpdates::addUsers(Operation *op, OptimizerStepOp step,
                                    const std::string &weight) {
  moved.insert({op, weight});
  for (OpOperand &use : op->getUses()) {
    Operation *user = use.getOwner();
    if (moves(user))
      continue;
    auto copy = dyn_cast<CopyInPlaceOp>(user);
    VariableOp variable = copy && copy->getBlock() == body
                              ? getVariable(copy.getTarget())
                              : VariableOp();
    if (variable) {
      variables.insert(variable);
      moved.insert({copy, weight});
      continue;
    }
    if (user->getBlock() == body && isPureOp(user)) {
      if (failed(addUsers(user, step, weight)))
        return failure();
      continue;
    }
    InFlightDiagnostic error =
        step.emitOpError()
        << "has a result that the device needs in the same run; "
           "'pop-host-reduce' expects that results of updates only become "
           "the values of whole variables, at the end of the run";
    error.attachNote(user->getLoc()) << "it is used here";
    return error;
  }
  return success();
}

CopyInPlaceOp HostUpdates::getOnlyWrite(VariableOp variable) const {
  CopyInPlaceOp write;
  SmallVector<Operation *> reads;
  for (Operation *get : getUsers(variable, module)) {
    if (!isa<GetVariableOp>(get) ||
        get->getParentOfType<FunctionOpInterface>() != entry)
      return nullptr;
    for (Operation *user : get->getUsers()) {
      if (isa<ReadOp>(user)) {
        reads.push_back(body->findAncestorOpInBlock(*user));
        continue;
      }
      auto copy = dyn_cast<CopyInPlaceOp>(user);
      if (write || !copy || copy->getBlock() != body)
        return nullptr;
      write = copy;
    }
  }
  bool isReadAfter = llvm::any_of(reads, [&](Operation *read) {
    return write && write->isBeforeInBlock(read);
  });
  return isReadAfter ? CopyInPlaceOp() : write;
}

bool HostUpdates::canHold(VariableOp variable) {
  if (variables.contains(variable))
    return true;
  CopyInPlaceOp write = getOnlyWrite(variable);
  if (!write || !getFault(variable).empty())
    return false;
  // The value that is written may depend on the variable, as for a number of
  // updates. If it cannot be computed, variables that were added because of
  // this one are not moved, either.
  size_t numVariables = variables.size(), numMoved = moved.size();
  variables.insert(variable);
  if (canCompute(write.getValue())) {
    moved.insert({write, variable.getSymName().str()});
    return true;
  }
  while (variables.size() > numVariables)
    variables.pop_back();
  while (moved.size() > numMoved)
    moved.pop_back();
  computable.clear();
  return false;
}

bool HostUpdates::canCompute(Value value) {
  Operation *op = value.getDefiningOp();
  if (!op || op->getBlock() != body)
    return false;
  if (moves(op))
    return true;
  if (auto read = dyn_cast<ReadOp>(op)) {
    VariableOp variable = getVariable(read.getTarget());
    return variable && canHold(variable);
  }
  if (auto load = dyn_cast<HostLoadOp>(op))
    return load.getType().getNumElements() == 1;
  if (isa<AllReduceOp>(op))
    return true;
  if (!isPureOp(op))
    return false;
  if (auto it = computable.find(value); it != computable.end())
    return it->second;
  bool result = llvm::all_of(
      op->getOperands(), [&](Value operand) { return canCompute(operand); });
  return computable[value] = result;
}

/// Returns whether `value`, which the host can compute, is a constant or
/// depends on a collective.
static bool isCombined(Value value) {
  if (matchPattern(value, m_Constant()))
    return true;
  llvm::SetVector<Value> values;
  values.insert(value);
  for (size_t i = 0; i < values.size(); ++i) {
    Operation *op = values[i].getDefiningOp();
    if (isa<AllReduceOp>(op))
      return true;
    if (isPureOp(op))
      values.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

LogicalResult HostUpdates::addOperand(Operation *op, Value value,
                                      const std::string &weight) {
  Operation *source = value.getDefiningOp();
  if (source && moves(source))
    return success();
  // The device computes gradients, also those that depend on weights alone.
  auto step = dyn_cast<OptimizerStepOp>(op);
  bool isGradient =
      isa<AllReduceOp>(op) || (step && step.getGradient() == value);
  bool isRef = isa<RefType>(value.getType());
  if (isRef || (canCompute(value) && (!isGradient || isCombined(value)))) {
    moved.insert({source, weight});
    return success();
  }
  if (replicas > 1 && !isa<AllReduceOp>(op)) {
    InFlightDiagnostic error =
        op->emitOpError()
        << "needs a value that may differ between replicas; "
           "'pop-host-reduce' expects a 'pop.all_reduce' of the gradient of '"
        << weight << "' in the body of the entry function";
    error.attachNote(value.getLoc()) << "the device computes the value here";
    return error;
  }
  stored.insert({value, weight});
  return success();
}

LogicalResult HostUpdates::find(ArrayRef<OptimizerStepOp> steps) {
  for (OptimizerStepOp step : steps)
    if (failed(addStep(step)))
      return failure();
  for (Operation *variable : variables)
    if (StringRef fault = getFault(cast<VariableOp>(variable)); !fault.empty())
      return variable->emitOpError()
             << fault
             << "; 'pop-host-reduce' expects updated variables to be equal on "
                "all replicas";
  // Operands may add ops.
  for (size_t i = 0; i < moved.size(); ++i) {
    auto [op, weight] = *(moved.begin() + i);
    for (Value operand : op->getOperands())
      if (failed(addOperand(op, operand, weight)))
        return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult HostUpdates::verifyUser(VariableOp variable, Operation *user) {
  auto fails = [&](const Twine &message) -> LogicalResult {
    InFlightDiagnostic error =
        variable.emitOpError()
        << "is updated by an optimizer, but " << message
        << "; 'pop-host-reduce' expects only reads of the whole variable, "
           "before its update, in the entry function";
    error.attachNote(user->getLoc()) << "it is used here";
    return error;
  };
  if (user->getParentOfType<FunctionOpInterface>() != entry)
    return fails("another function uses it");
  if (!isa<GetVariableOp>(user))
    return fails("'" + user->getName().getStringRef() + "' uses it");
  for (Operation *access : user->getUsers()) {
    if (isa<CopyInPlaceOp>(access) && moves(access))
      continue;
    user = access;
    if (!isa<ReadOp>(access))
      return fails("'" + access->getName().getStringRef() + "' uses it");
    Operation *reader = body->findAncestorOpInBlock(*access);
    for (Operation *other : access->getOperand(0).getUsers())
      if (moves(other) && isa<CopyInPlaceOp>(other) &&
          other->isBeforeInBlock(reader))
        return fails("it is read after the update");
  }
  return success();
}

LogicalResult HostUpdates::verifyDraws() {
  auto rounding = module->getAttrOfType<StochasticRoundingAttr>(
      PopDialect::kStochasticRoundingAttrName);
  if (!rounding)
    return success();
  for (auto &[op, weight] : moved) {
    if (!ipu::mayRoundStochastically(op))
      continue;
    if (rounding.getGenerator() != ipu::RngGenerator::Counter)
      return op->emitOpError()
             << "rounds with the generator '"
             << ipu::stringifyRngGenerator(rounding.getGenerator())
             << "', whose bits depend on the tiles; 'pop-host-reduce' expects "
                "the generator 'counter'";
    if (!op->hasAttr(PopDialect::kDrawAttrName))
      return op->emitOpError()
             << "has no attribute '" << PopDialect::kDrawAttrName
             << "'; 'pop-host-reduce' expects 'pop-number-draws' to have run";
  }
  return success();
}

LogicalResult HostUpdates::verify() {
  SmallVector<Operation *> named = llvm::to_vector(variables);
  for (auto &[op, weight] : moved)
    if (auto load = dyn_cast<HostLoadOp>(op))
      named.push_back(symbols.lookup(load.getStream()));
  for (Operation *op : named)
    if (SymbolTable::getSymbolName(op) == kHostEntryName)
      return op->emitOpError()
             << "has the name of the function of the program of the host; "
                "'pop-host-reduce' expects another name";
  for (Operation *variable : variables)
    for (Operation *user : getUsers(cast<VariableOp>(variable), module))
      if (failed(verifyUser(cast<VariableOp>(variable), user)))
        return failure();
  if (failed(verifyDraws()))
    return failure();
  if (replicas == 1)
    return success();
  FailureOr<ipu::ReplicaEqual> analysis = ipu::ReplicaEqual::create(
      module, replicas, ipu::StochasticRoundingSemantics());
  if (failed(analysis))
    return failure();
  for (Operation *variable : variables)
    if (analysis->mayDrift(cast<ipu::ReplicaStateOpInterface>(variable)))
      return variable->emitOpError()
             << "may become different on replicas; 'pop-host-reduce' expects "
                "updated variables to be equal on all replicas";
  return success();
}

//===----------------------------------------------------------------------===//
// The two programs
//===----------------------------------------------------------------------===//

namespace {
/// Builds the program of the host, and removes from the device what moves.
class HostProgramBuilder {
public:
  HostProgramBuilder(FunctionOpInterface entry, SymbolTable &symbols,
                     const HostUpdates &updates)
      : entry(entry), body(&entry.getFunctionBody().front()), symbols(symbols),
        module(cast<ModuleOp>(symbols.getOp())), updates(updates) {
    // The number of transfers of the module is that of its other streams.
    if (module->hasAttr(PopDialect::kHostTransfersAttrName))
      transfers = OpBuilder(module).getI64IntegerAttr(1);
  }

  LogicalResult build();

private:
  StreamOp createStream(SymbolTable &table, Block::iterator position,
                        Location loc, StringRef name,
                        ipu::StreamDirection direction, bool isBroadcast,
                        RankedTensorType type);
  /// Clones `op`, which moves, without its placement: the host is one machine.
  void moveOp(Operation *op, OpBuilder &b);
  /// Copies ops to the host. The host advances its random bits as the device
  /// does.
  LogicalResult moveOps(OpBuilder &b);
  void storeValues(SymbolTable &hostSymbols, func::FuncOp main, OpBuilder &b);
  void eraseMoved();
  void loadVariable(VariableOp variable);
  void eraseDead();

  FunctionOpInterface entry;
  Block *body;
  SymbolTable &symbols;
  ModuleOp module;
  const HostUpdates &updates;
  ModuleOp host;
  IRMapping mapping;
  IntegerAttr transfers;
};
} // namespace

StreamOp HostProgramBuilder::createStream(
    SymbolTable &table, Block::iterator position, Location loc, StringRef name,
    ipu::StreamDirection direction, bool isBroadcast, RankedTensorType type) {
  OpBuilder b(module.getContext());
  auto stream = StreamOp::create(b, loc, name, direction, isBroadcast, type,
                                 /*depth=*/1, /*default_value=*/{}, transfers);
  table.insert(stream, position);
  return stream;
}

static void erasePlacement(Operation *op) {
  for (NamedAttribute attribute : getPlacement(op))
    op->removeAttr(attribute.getName());
}

void HostProgramBuilder::moveOp(Operation *op, OpBuilder &b) {
  if (auto load = dyn_cast<HostLoadOp>(op))
    if (!host.lookupSymbol(load.getStreamAttr())) {
      OpBuilder streams(host.getBody(), host.getBody()->begin());
      streams.clone(*symbols.lookup(load.getStream()));
    }
  erasePlacement(b.clone(*op, mapping));
}

LogicalResult HostProgramBuilder::moveOps(OpBuilder &b) {
  bool draws = usesDrawNumbers(module);
  AdvanceCounts advances;
  int64_t pending = 0;
  auto advance = [&] {
    if (pending > 0)
      AdvanceDrawsOp::create(b, entry.getLoc(), pending, /*shift=*/0);
    pending = 0;
  };
  for (Operation &op : body->without_terminator()) {
    if (updates.moves(&op)) {
      advance();
      moveOp(&op, b);
      continue;
    }
    std::optional<int64_t> count = draws ? advances.get(&op) : 0;
    if (!count)
      return op.emitOpError()
             << "advances the random bits an unknown number of times; "
                "'pop-host-reduce' expects this number to be constant";
    pending += *count;
  }
  advance();
  return success();
}

/// Stores are at the end, so that they can be merged.
void HostProgramBuilder::storeValues(SymbolTable &hostSymbols,
                                     func::FuncOp main, OpBuilder &b) {
  OpBuilder device(body->getTerminator());
  for (const auto &[value, weight] : updates.getStored()) {
    auto type = cast<RankedTensorType>(value.getType());
    StreamOp stream =
        createStream(symbols, Block::iterator(entry), value.getLoc(),
                     "Gradient___" + weight, ipu::StreamDirection::DeviceToHost,
                     /*isBroadcast=*/false, type);
    auto store =
        HostStoreOp::create(device, value.getLoc(), value, stream.getSymName());
    inheritSchedule(value, store);
    createStream(hostSymbols, Block::iterator(main), value.getLoc(),
                 stream.getSymName(), ipu::StreamDirection::HostToDevice,
                 /*isBroadcast=*/false, type);
    auto load =
        HostLoadOp::create(b, value.getLoc(), type, stream.getSymName());
    mapping.map(value, load.getResult());
  }
}

/// Erases what moves, except ops that the device needs, too.
void HostProgramBuilder::eraseMoved() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body))) {
    if (!updates.moves(&op) || !op.use_empty())
      continue;
    auto load = dyn_cast<HostLoadOp>(op);
    StreamOp stream =
        load ? symbols.lookup<StreamOp>(load.getStream()) : StreamOp();
    op.erase();
    if (stream && SymbolTable::symbolKnownUseEmpty(stream, module))
      symbols.erase(stream);
  }
}

/// Loads the variable, which is erased, from a stream of the same name, if the
/// device reads it.
void HostProgramBuilder::loadVariable(VariableOp variable) {
  SmallVector<Operation *> gets = getUsers(variable, module);
  SmallVector<ReadOp> reads;
  for (Operation *get : gets)
    for (Operation *user : get->getUsers())
      reads.push_back(cast<ReadOp>(user));
  std::string name = variable.getSymName().str();
  Location loc = variable.getLoc();
  RankedTensorType type = variable.getTensorType();
  symbols.erase(variable);
  if (!reads.empty()) {
    StreamOp stream = createStream(symbols, Block::iterator(entry), loc, name,
                                   ipu::StreamDirection::HostToDevice,
                                   /*isBroadcast=*/true, type);
    auto b = OpBuilder::atBlockBegin(body);
    auto load = HostLoadOp::create(b, loc, type, stream.getSymName());
    inheritSchedule(Value(reads.front()), load);
    for (ReadOp read : reads) {
      read.replaceAllUsesWith(load.getResult());
      read.erase();
    }
  }
  for (Operation *get : gets)
    get->erase();
}

/// Erases ops that only ops that moved used.
void HostProgramBuilder::eraseDead() {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(*body)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

LogicalResult HostProgramBuilder::build() {
  // A body from which all draws move must still advance as often as before.
  if (usesDrawNumbers(module))
    addAdvances(entry);
  OpBuilder b(module.getContext());
  host = ModuleOp::create(b, entry.getLoc(), kHostProgramName);
  for (NamedAttribute attribute : module->getDiscardableAttrs())
    if (attribute.getName() != ipu::IPUDialect::kTargetAttrName)
      host->setAttr(attribute.getName(), attribute.getValue());
  b.setInsertionPointToStart(host.getBody());
  for (auto variable : module.getOps<VariableOp>())
    if (updates.movesVariable(variable))
      erasePlacement(b.clone(*variable));
  auto main = func::FuncOp::create(b, entry.getLoc(), kHostEntryName,
                                   b.getFunctionType({}, {}));
  b.setInsertionPointToStart(main.addEntryBlock());
  SymbolTable hostSymbols(host);
  storeValues(hostSymbols, main, b);
  if (failed(moveOps(b))) {
    host->destroy();
    return failure();
  }
  func::ReturnOp::create(b, entry.getLoc());
  eraseMoved();
  for (Operation *variable : updates.getVariables())
    loadVariable(cast<VariableOp>(variable));
  eraseDead();
  symbols.insert(host);
  return success();
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

namespace {
struct HostReducePass : pop::impl::HostReducePassBase<HostReducePass> {
  void runOnOperation() override {
    if (failed(run()))
      signalPassFailure();
  }

private:
  LogicalResult run();
};
} // namespace

LogicalResult HostReducePass::run() {
  ModuleOp module = getOperation();
  FailureOr<FunctionOpInterface> entry =
      getEntryForHostIO(module, getArgument());
  if (failed(entry))
    return failure();
  SymbolTable symbols(module);
  if (Operation *other = symbols.lookup(kHostProgramName))
    return other->emitError()
           << "'" << getArgument() << "' expects no symbol '"
           << kHostProgramName << "', the name of the program of the host";
  SmallVector<OptimizerStepOp> steps = getOptimizerSteps(module);
  if (steps.empty())
    return entry->emitOpError()
           << "updates no weights; '" << getArgument()
           << "' expects a 'pop.optimizer_step', which 'pop-add-optimizer' "
              "creates";
  HostUpdates updates(*entry, symbols);
  if (failed(updates.find(steps)) || failed(updates.verify()))
    return failure();
  HostProgramBuilder builder(*entry, symbols, updates);
  if (failed(builder.build()))
    return failure();
  remark::passed(entry->getLoc(), getGraphRemark("HostReduce"))
      << remark::metric("updates", int64_t(steps.size()))
      << remark::metric("variables", int64_t(updates.getVariables().size()))
      << remark::metric("gradients", int64_t(updates.getStored().size()));
  return success();
}
