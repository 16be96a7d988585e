//===- SwitchRngStates.cpp - Switches between RNG states --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module whose steps draw random bits from several states. Out: the same
// module with steps that draw from one storage, the workers' generators. At
// each change of the state, copies save the current state and load the next
// one.
//
// The workers' state is known statically at each point of the program. A loop
// starts each iteration with the first state from which it draws, and so does a
// function. If branches end with different states, copies make them equal.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Effects/FunctionCalls.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_SWITCHRNGSTATESPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// The storage of a state; null where what the workers have does not matter.
using State = FlatSymbolRefAttr;

class Switcher {
public:
  Switcher(ModuleOp module, SymbolTable &symbols)
      : symbols(symbols), calls(module), module(module) {}

  /// Does nothing to a module with less than two states.
  LogicalResult run();

private:
  /// What a function has to start with, and what it ends with.
  struct Summary {
    State first, last;
    /// Whether it advances states without drawing from any.
    bool onlyAdvances = false;
  };

  void addHandle(func::FuncOp function, Value rng);
  LogicalResult collect(func::FuncOp function);
  void createRegisters(Location loc);
  void run(func::FuncOp function);
  State findFirst(Operation *op);
  State findFirst(Region &region);
  State process(Region &region, State active);
  State process(Operation *op, State active);
  State processIf(IfOp op, State active);
  State processWhile(WhileOp op, State active);
  State processRepeat(RepeatOp op, State active);
  State processCall(CallOp op, State active);
  State processStep(Operation *op, State active);
  bool advances(Operation *op);
  void change(OpBuilder &b, Operation *op, State from, State to);
  void changeBefore(Operation *op, State from, State to) {
    OpBuilder b(op);
    change(b, op, from, to);
  }
  void changeAtEnd(Operation *op, Region &body, State from, State to);
  void copy(OpBuilder &b, Location loc, StringRef name, Value from, Value to);
  Value getHandle(Operation *user, State storage);

  SymbolTable &symbols;
  FunctionCalls calls;
  ModuleOp module;
  llvm::SetVector<Attribute> states;
  llvm::DenseMap<Operation *, Summary> summaries;
  llvm::DenseMap<std::pair<Operation *, Attribute>, Value> handles;
  StorageOp registers;
  CodeletOp codelet;
};
} // namespace

/// The RNG states that `step` draws from, none if it is no step.
static SmallVector<OpOperand *> getRngOperands(Operation *step) {
  auto interface = dyn_cast<StepOpInterface>(step);
  return interface ? interface.getRngOperands() : SmallVector<OpOperand *>();
}

static State getStorage(Value rng) {
  VarOp variable = getVariable(rng);
  return variable ? variable.getStorageAttr() : State();
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

/// Puts a handle on a state where all of the function sees it.
void Switcher::addHandle(func::FuncOp function, Value rng) {
  Block &entry = function.getBody().front();
  VarOp variable = getVariable(rng);
  State storage = getStorage(rng);
  if (storage && handles.try_emplace({function, storage}, variable).second)
    variable->moveBefore(&entry, entry.begin());
}

/// Finds the states that are drawn from, and their handles.
LogicalResult Switcher::collect(func::FuncOp function) {
  WalkResult result = function.walk([&](Operation *step) {
    State drawn;
    for (OpOperand *operand : getRngOperands(step)) {
      State storage = getStorage(operand->get());
      if (!storage) {
        step->emitOpError("expects its RNG state to be in an 'ipu.storage'");
        return WalkResult::interrupt();
      }
      if (drawn && drawn != storage) {
        step->emitOpError("expects to draw from one RNG state; run "
                          "ipu-switch-rng-states before ipu-merge-steps");
        return WalkResult::interrupt();
      }
      drawn = storage;
      states.insert(storage);
      addHandle(function, operand->get());
    }
    // A state that is only advanced is in no worker, but has a handle.
    if (auto advance = dyn_cast<AdvanceRngOp>(step))
      addHandle(function, advance.getRng());
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

void Switcher::createRegisters(Location loc) {
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  auto first =
      symbols.lookup<StorageOp>(cast<State>(states.front()).getValue());
  registers = StorageOp::create(b, loc, "rng.workers",
                                cast<MemRefType>(first.getType()));
  symbols.insert(registers);

  // poprand's setSeed, as PopLibs estimates it; reading is not slower.
  auto cost = CodeletCostAttr::get(b.getContext(), CostKind::Vector,
                                   /*supervisor=*/14, /*worker=*/27,
                                   /*cycles=*/0, /*per=*/1, /*combined=*/0,
                                   /*stride=*/1);
  MemRefType buffer = getCodeletBufferType(/*rank=*/3, b.getI32Type());
  b.setInsertionPointToEnd(module.getBody());
  codelet = CodeletOp::create(
      b, loc, "copy_rng", b.getFunctionType({buffer, buffer}, {}),
      /*num_inputs=*/1, cost, /*emulated=*/false, ArrayAttr(), ArrayAttr());
  Block &block = codelet.getBody().emplaceBlock();
  block.addArguments({buffer, buffer}, {loc, loc});
  b.setInsertionPointToStart(&block);
  linalg::CopyOp::create(b, loc, block.getArgument(0), block.getArgument(1));
  EndOp::create(b, loc);
  symbols.insert(codelet);
}

/// The variable on `storage` of the function that holds `user`.
Value Switcher::getHandle(Operation *user, State storage) {
  auto function = user->getParentOfType<func::FuncOp>();
  Value &handle = handles[{function, storage}];
  if (handle)
    return handle;
  OpBuilder b = OpBuilder::atBlockBegin(&function.getBody().front());
  auto variable = VarOp::create(
      b, function.getLoc(), cast<MemRefType>(registers.getType()),
      storage.getValue(), /*copies=*/false, ElementsAttr(), storage);
  return handle = variable.getResult();
}

//===----------------------------------------------------------------------===//
// Changes of state
//===----------------------------------------------------------------------===//

void Switcher::copy(OpBuilder &b, Location loc, StringRef name, Value from,
                    Value to) {
  TileMappingAttr mapping =
      getTileMapping(cast<MemRefType>(registers.getType()));
  auto computeSet = ComputeSetOp::create(b, loc, name, StepCostAttr());
  OpBuilder inner =
      OpBuilder::atBlockBegin(&computeSet.getBody().emplaceBlock());
  VerticesOp::create(inner, loc, codelet.getSymName(), from, to,
                     b.getArrayAttr({mapping, mapping}));
}

/// Steps for `op`, which the workers have to have another state for.
void Switcher::change(OpBuilder &b, Operation *op, State from, State to) {
  if (from == to)
    return;
  Value workers = getHandle(op, State::get(registers.getSymNameAttr()));
  if (from)
    copy(b, op->getLoc(), "rng.get", workers, getHandle(op, from));
  if (to)
    copy(b, op->getLoc(), "rng.set", getHandle(op, to), workers);
}

void Switcher::changeAtEnd(Operation *op, Region &body, State from, State to) {
  if (from == to)
    return;
  if (body.empty())
    body.emplaceBlock();
  OpBuilder b = OpBuilder::atBlockEnd(&body.front());
  change(b, op, from, to);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

State Switcher::findFirst(Region &region) {
  if (!region.empty())
    for (Operation &op : region.front())
      if (State first = findFirst(&op))
        return first;
  return {};
}

/// What `op` draws from first, if it is executed as far as it can be.
State Switcher::findFirst(Operation *op) {
  SmallVector<OpOperand *> operands = getRngOperands(op);
  if (!operands.empty())
    return getStorage(operands.front()->get());
  if (auto call = dyn_cast<CallOpInterface>(op))
    return summaries.lookup(calls.getCallee(call)).first;
  for (Region &region : op->getRegions())
    if (State first = findFirst(region))
      return first;
  return {};
}

State Switcher::processIf(IfOp op, State active) {
  State next;
  for (Operation *after = op->getNextNode(); after && !next;
       after = after->getNextNode())
    next = findFirst(after);
  State thenLast = process(op.getThenBody(), active);
  State elseLast = process(op.getElseBody(), active);
  State last = !thenLast || (next && next == elseLast) ? elseLast : thenLast;
  changeAtEnd(op, op.getThenBody(), thenLast, last);
  changeAtEnd(op, op.getElseBody(), elseLast, last);
  return last;
}

/// A loop that draws from none keeps the state that is there.
State Switcher::processRepeat(RepeatOp op, State active) {
  State first = findFirst(op);
  if (!first)
    first = active;
  changeBefore(op, active, first);
  changeAtEnd(op, op.getBody(), process(op.getBody(), first), first);
  return first;
}

State Switcher::processWhile(WhileOp op, State active) {
  State first = findFirst(op);
  if (!first)
    first = active;
  changeBefore(op, active, first);
  State last = process(op.getBefore(), first);
  changeAtEnd(op, op.getBody(), process(op.getBody(), last), first);
  return last;
}

/// A function that only advances states finds all of them in storage.
State Switcher::processCall(CallOp op, State active) {
  Summary callee = summaries.lookup(calls.getCallee(op));
  if (!callee.first && !callee.onlyAdvances)
    return active;
  changeBefore(op, active, callee.first);
  return callee.last;
}

State Switcher::processStep(Operation *op, State active) {
  State drawn = findFirst(op);
  if (!drawn)
    return active;
  changeBefore(op, active, drawn);
  Value workers = getHandle(op, State::get(registers.getSymNameAttr()));
  for (OpOperand *operand : getRngOperands(op))
    operand->set(workers);
  return drawn;
}

/// Whether `op` advances a state.
bool Switcher::advances(Operation *op) {
  return op
      ->walk([&](Operation *inner) {
        auto call = dyn_cast<CallOpInterface>(inner);
        bool isFound =
            isa<AdvanceRngOp>(inner) ||
            (call && summaries.lookup(calls.getCallee(call)).onlyAdvances);
        return isFound ? WalkResult::interrupt() : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Returns the state that the workers have after `op`, given the one before. A
/// state is advanced where it is.
State Switcher::process(Operation *op, State active) {
  if (!findFirst(op) && !advances(op))
    return active;
  return llvm::TypeSwitch<Operation *, State>(op)
      .Case([&](IfOp op) { return processIf(op, active); })
      .Case([&](WhileOp op) { return processWhile(op, active); })
      .Case([&](RepeatOp op) { return processRepeat(op, active); })
      .Case([&](CallOp op) { return processCall(op, active); })
      .Case([&](AdvanceRngOp op) {
        if (active && getStorage(op.getRng()) == active)
          op.getRngMutable().assign(
              getHandle(op, State::get(registers.getSymNameAttr())));
        return active;
      })
      .Default([&](Operation *op) { return processStep(op, active); });
}

State Switcher::process(Region &region, State active) {
  if (!region.empty())
    for (Operation &op : llvm::make_early_inc_range(region.front()))
      active = process(&op, active);
  return active;
}

/// A function without callers starts and ends with nothing in the workers.
void Switcher::run(func::FuncOp function) {
  Region &body = function.getBody();
  bool isEntry = calls.getCallsOf(function).empty();
  State first = isEntry ? State() : findFirst(body);
  // Handles of its own go to the front while it is walked.
  State last = process(body, first);
  if (isEntry && last)
    changeBefore(body.front().getTerminator(), last, State());
  summaries[function] = {first, last, !findFirst(body) && advances(function)};
}

LogicalResult Switcher::run() {
  SmallVector<func::FuncOp> functions;
  for (FunctionOpInterface function : calls.getPostOrder())
    if (auto program = dyn_cast<func::FuncOp>(function.getOperation());
        program && program.getBody().hasOneBlock())
      functions.push_back(program);
  for (func::FuncOp function : functions)
    if (failed(collect(function)))
      return failure();
  if (states.size() < 2)
    return success();
  createRegisters(module.getLoc());
  for (func::FuncOp function : functions)
    run(function);
  return success();
}

namespace {
struct SwitchRngStatesPass
    : ipu::impl::SwitchRngStatesPassBase<SwitchRngStatesPass> {
  using SwitchRngStatesPassBase::SwitchRngStatesPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    if (failed(Switcher(getOperation(), symbols).run()))
      signalPassFailure();
  }
};
} // namespace
