//===- ProgramControl.cpp - Reading of control flow and code --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramReader.h"
#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// No value of a variable of a body outlives it.
LogicalResult ProgramReader::readBody(Operation *op, Region &region,
                                      ProgramSequence &into) {
  if (region.empty())
    return success();
  unsigned firstVariable = program.variables.size();
  if (failed(readSequence(region.front(), into)))
    return failure();
  for (unsigned i = firstVariable; i < program.variables.size(); ++i)
    if (!program.variables[i].init && liveRangeEnds.try_emplace(i, op).second)
      into.nodes.emplace_back(LiveRangeEndNode{i});
  return success();
}

static LogicalResult readRepeat(RepeatOp op, ProgramReader &reader) {
  auto node = std::make_unique<RepeatNode>();
  node->op = op;
  node->count = op.getCount().value_or(0);
  if (Value times = op.getTimes()) {
    FailureOr<unsigned> variable = reader.getUsedVariable(op, times);
    if (failed(variable))
      return failure();
    node->countVariable = *variable;
  }
  if (failed(reader.readBody(op, op.getBody(), node->body)))
    return failure();
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  node->step = *step;
  reader.addNode(std::move(node));
  return success();
}

static LogicalResult readIf(IfOp op, ProgramReader &reader) {
  auto node = std::make_unique<IfNode>();
  node->op = op;
  FailureOr<unsigned> condition = reader.getUsedVariable(op, op.getCondition());
  if (failed(condition) ||
      failed(reader.readBody(op, op.getThenBody(), node->thenBody)) ||
      failed(reader.readBody(op, op.getElseBody(), node->elseBody)))
    return failure();
  node->condition = *condition;
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  node->step = *step;
  reader.addNode(std::move(node));
  return success();
}

static LogicalResult readWhile(WhileOp op, ProgramReader &reader) {
  auto node = std::make_unique<WhileNode>();
  node->op = op;
  FailureOr<unsigned> condition = reader.getUsedVariable(op, op.getCondition());
  if (failed(condition) ||
      failed(reader.readBody(op, op.getBefore(), node->before)) ||
      failed(reader.readBody(op, op.getBody(), node->body)))
    return failure();
  node->condition = *condition;
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  node->step = *step;
  reader.addNode(std::move(node));
  return success();
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

unsigned ProgramReader::getFunction(Operation *user, FlatSymbolRefAttr name) {
  auto op = lookup<func::FuncOp>(user, name);
  auto [it, isNew] = numberOfFunction.try_emplace(op, program.functions.size());
  if (isNew) {
    ProgramFunction function;
    function.op = op;
    function.name = name.getValue().str();
    program.functions.push_back(std::move(function));
  }
  return it->second;
}

LogicalResult ProgramReader::readFunction(CallOp op, unsigned number) {
  func::FuncOp function = program.functions[number].op;
  bool calls = function == program.function;
  for (CallOp call : callStack)
    calls |= getFunction(call, call.getCalleeAttr()) == number;
  if (calls) {
    InFlightDiagnostic diag = op.emitOpError();
    diag << "makes '" << program.functions[number].name << "' call itself";
    for (CallOp call : callStack)
      diag.attachNote(call.getLoc())
          << "'" << call.getCallee() << "' is called here";
    return diag;
  }
  if (!readFunctions.insert(number).second)
    return success();
  // The stack of the process has an end.
  constexpr size_t kMaxCallDepth = 1000;
  if (callStack.size() >= kMaxCallDepth)
    return op.emitOpError()
           << "is nested in more than " << kMaxCallDepth << " calls";
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expects a function of a program to have a "
                                "body of one block");
  callStack.push_back(op);
  llvm::scope_exit leave([&] { callStack.pop_back(); });
  // The list of functions may grow meanwhile.
  ProgramSequence body;
  if (failed(readBody(function, function.getBody(), body)))
    return failure();
  program.functions[number].body = std::move(body);
  return success();
}

FailureOr<unsigned> ProgramReader::readCallee(CallOp op) {
  unsigned function = getFunction(op, op.getCalleeAttr());
  if (failed(readFunction(op, function)))
    return failure();
  return function;
}

static LogicalResult readCall(CallOp op, ProgramReader &reader) {
  FailureOr<unsigned> function = reader.readCallee(op);
  if (failed(function))
    return failure();
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  reader.addNode(CallNode{*step, op, *function, /*isLastUse=*/false});
  return success();
}

void mlir::ipu::walkProgram(func::FuncOp entry,
                            function_ref<void(Operation *)> visit) {
  llvm::DenseSet<Operation *> seen;
  SymbolTableCollection symbols;
  struct Frame {
    SmallVector<Operation *> ops;
    size_t numDone = 0;
  };
  // Calls may nest deeper than the stack of the process allows.
  SmallVector<Frame, 0> stack;
  auto push = [&](func::FuncOp function) {
    if (!function || !seen.insert(function).second)
      return;
    Frame &frame = stack.emplace_back();
    function.walk<WalkOrder::PreOrder>(
        [&](Operation *op) { frame.ops.push_back(op); });
  };
  push(entry);
  while (!stack.empty()) {
    Frame &frame = stack.back();
    if (frame.numDone == frame.ops.size()) {
      stack.pop_back();
      continue;
    }
    Operation *op = frame.ops[frame.numDone++];
    visit(op);
    if (auto call = dyn_cast<CallOp>(op))
      push(symbols.lookupNearestSymbolFrom<func::FuncOp>(call,
                                                         call.getCalleeAttr()));
  }
}

ProgramSignature mlir::ipu::getProgramSignature(func::FuncOp entry) {
  ProgramSignature signature;
  SymbolTableCollection symbols;
  llvm::DenseSet<Operation *> seen;
  auto add = [&](Operation *op, FlatSymbolRefAttr name,
                 std::vector<ProgramInput> &list) {
    auto stream = symbols.lookupNearestSymbolFrom<StreamOp>(op, name);
    if (stream && seen.insert(stream).second)
      list.push_back(getProgramInput(stream));
  };
  walkProgram(entry, [&](Operation *op) {
    if (auto load = dyn_cast<HostLoadOp>(op))
      add(op, load.getStreamAttr(), signature.inputs);
    else if (auto store = dyn_cast<HostStoreOp>(op))
      add(op, store.getStreamAttr(), signature.outputs);
  });
  return signature;
}

//===----------------------------------------------------------------------===//
// Code
//===----------------------------------------------------------------------===//

static LogicalResult readCodeLoad(CodeLoadOp op, ProgramReader &reader) {
  CodeNode node;
  node.op = op;
  node.isLoad = true;
  node.destination = op.getDestination();
  for (auto function : op.getFunctions().getAsRange<FlatSymbolRefAttr>())
    node.functions.push_back(reader.getFunction(op, function));
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  node.step = *step;
  reader.addNode(std::move(node));
  return success();
}

static LogicalResult readCodeCopy(CodeCopyOp op, ProgramReader &reader) {
  CodeNode node;
  node.op = op;
  node.source = op.getSource();
  node.destination = op.getDestination();
  node.functions.push_back(reader.getFunction(op, op.getFunctionAttr()));
  FailureOr<unsigned> step = reader.addStep(op);
  if (failed(step))
    return failure();
  node.step = *step;
  reader.addNode(std::move(node));
  return success();
}

/// Calls `visit` for all calls below.
static void forEachCall(ProgramSequence &sequence,
                        function_ref<void(CallNode &)> visit) {
  for (ProgramNode &node : sequence.nodes) {
    if (auto *call = std::get_if<CallNode>(&node))
      visit(*call);
    else if (auto *repeat = std::get_if<std::unique_ptr<RepeatNode>>(&node))
      forEachCall((*repeat)->body, visit);
    else if (auto *branch = std::get_if<std::unique_ptr<IfNode>>(&node)) {
      forEachCall((*branch)->thenBody, visit);
      forEachCall((*branch)->elseBody, visit);
    } else if (auto *loop = std::get_if<std::unique_ptr<WhileNode>>(&node)) {
      forEachCall((*loop)->before, visit);
      forEachCall((*loop)->body, visit);
    }
  }
}

/// Says whose code is in the image, and after which calls it may go.
LogicalResult ProgramReader::readResidency() {
  bool hasLoads = llvm::any_of(program.steps, [](StepOpInterface step) {
    return step.getStepKind() == StepKind::Code;
  });
  if (!hasLoads)
    return success();
  FailureOr<CodeLiveness> liveness = CodeLiveness::create(
      program.module,
      cast<FunctionOpInterface>(program.function.getOperation()));
  if (failed(liveness))
    return failure();
  auto getInterface = [&](unsigned function) {
    return cast<FunctionOpInterface>(
        program.functions[function].op.getOperation());
  };
  for (unsigned i = 0; i < program.functions.size(); ++i) {
    program.functions[i].isLoaded = !liveness->isAlwaysLive(getInterface(i));
    program.functions[i].isInImage =
        liveness->isResidentInImage(getInterface(i));
  }
  auto visit = [&](CallNode &call) {
    call.isLastUse =
        program.functions[call.function].isLoaded &&
        !liveness->isLiveAfter(call.op, getInterface(call.function));
  };
  forEachCall(program.body, visit);
  for (ProgramFunction &function : program.functions)
    forEachCall(function.body, visit);
  return success();
}

void mlir::ipu::attachControlModels(MLIRContext &context) {
  attachExecutable<CallOp, readCall>(context);
  attachExecutable<CodeCopyOp, readCodeCopy>(context);
  attachExecutable<CodeLoadOp, readCodeLoad>(context);
  attachExecutable<IfOp, readIf>(context);
  attachExecutable<RepeatOp, readRepeat>(context);
  attachExecutable<WhileOp, readWhile>(context);
}
