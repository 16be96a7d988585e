//===- CodeLivenessSolver.cpp - Backward problem of live code -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeLivenessSolver.h"

#include "ipu-mlir/Interfaces/CodeInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

//===----------------------------------------------------------------------===//
// Where the program starts, and which graphs it loads
//===----------------------------------------------------------------------===//

CodeLivenessSolver::CodeLivenessSolver(ModuleOp module,
                                       FunctionOpInterface entry,
                                       CodeLocation memory)
    : calls(module), memory(memory) {
  entries =
      entry ? SmallVector<FunctionOpInterface>{entry} : getCodeEntries(calls);
  SymbolTable symbols(module);
  llvm::SmallPtrSet<Operation *, 8> isMoved;
  SmallVector<CodeLoadOpInterface> moves;
  auto lookup = [&](SymbolRefAttr symbol) {
    return symbols.lookup<FunctionOpInterface>(symbol.getLeafReference());
  };
  auto collect = [&](CodeLoadOpInterface move) {
    moves.push_back(move);
    for (SymbolRefAttr symbol : move.getWrittenGraphs(memory))
      isMoved.insert(lookup(symbol));
    // What is only copied from executable memory is there all the time.
    if (!isExecutable())
      for (SymbolRefAttr symbol : move.getReadGraphs(memory))
        isMoved.insert(lookup(symbol));
  };
  for (FunctionOpInterface function : calls.getFunctions())
    function->walk(collect);
  for (FunctionOpInterface function : calls.getFunctions()) {
    if (!isMoved.contains(function))
      continue;
    numbers[function] = graphs.size();
    graphs.push_back(function);
  }
  auto addNumbers = [&](ArrayRef<SymbolRefAttr> symbols,
                        SmallVectorImpl<unsigned> &list) {
    for (SymbolRefAttr symbol : symbols)
      if (std::optional<unsigned> number = getNumber(lookup(symbol)))
        list.push_back(*number);
  };
  for (CodeLoadOpInterface move : moves) {
    SmallVector<unsigned, 1> written, taken;
    addNumbers(move.getWrittenGraphs(memory), written);
    addNumbers(move.getReadGraphs(memory), taken);
    if (!written.empty())
      loaded[move] = std::move(written);
    if (!taken.empty())
      read[move] = std::move(taken);
  }
}

std::optional<unsigned>
CodeLivenessSolver::getNumber(FunctionOpInterface graph) const {
  auto it = numbers.find(graph);
  return it == numbers.end() ? std::nullopt
                             : std::optional<unsigned>(it->second);
}

ArrayRef<unsigned> CodeLivenessSolver::getRead(Operation *op) const {
  auto it = read.find(op);
  return it == read.end() ? ArrayRef<unsigned>() : it->second;
}

ArrayRef<unsigned> CodeLivenessSolver::getLoaded(Operation *op) const {
  auto it = loaded.find(op);
  return it == loaded.end() ? ArrayRef<unsigned>() : it->second;
}

//===----------------------------------------------------------------------===//
// The problem
//===----------------------------------------------------------------------===//

std::optional<CodeTransfer>
CodeLivenessSolver::getOwnEffect(Operation *op) const {
  std::optional<unsigned> called;
  if (auto call = dyn_cast<CallOpInterface>(op); call && isExecutable())
    if (FunctionOpInterface callee = calls.getCallee(call))
      called = getNumber(callee);
  if (!called && getLoaded(op).empty() && getRead(op).empty())
    return std::nullopt;
  CodeTransfer transfer = CodeTransfer::identity(graphs.size());
  for (unsigned graph : getLoaded(op))
    transfer.passes.reset(graph);
  for (unsigned graph : getRead(op))
    transfer.adds.set(graph);
  if (called)
    transfer.adds.set(*called);
  return transfer;
}

/// Calls that lead from one function to another.
static SmallVector<CallOpInterface> findPath(const FunctionCalls &calls,
                                             FunctionOpInterface from,
                                             FunctionOpInterface to) {
  llvm::DenseMap<Operation *, CallOpInterface> reachedBy;
  SmallVector<FunctionOpInterface> queue{from};
  for (unsigned i = 0; i < queue.size() && !reachedBy.contains(to); ++i)
    for (CallOpInterface call : calls.getCallsIn(queue[i]))
      if (reachedBy.try_emplace(calls.getCallee(call), call).second)
        queue.push_back(calls.getCallee(call));
  SmallVector<CallOpInterface> path;
  for (FunctionOpInterface at = to; at != from;) {
    path.push_back(reachedBy.lookup(at));
    at = path.back()->getParentOfType<FunctionOpInterface>();
  }
  std::reverse(path.begin(), path.end());
  return path;
}

LogicalResult CodeLivenessSolver::verifyLoad(Operation *load,
                                             FunctionOpInterface function) {
  for (unsigned number : loaded.lookup(load)) {
    if (!flow->holdsWithin(function, number))
      continue;
    FunctionOpInterface graph = graphs[number];
    InFlightDiagnostic diagnostic = load->emitOpError()
                                    << "loads the code of @" << graph.getName()
                                    << ", which is running here";
    diagnostic.attachNote(graph.getLoc())
        << "@" << graph.getName() << " is defined here";
    for (CallOpInterface call : findPath(calls, graph, function))
      diagnostic.attachNote(call.getLoc())
          << "@" << calls.getCallee(call).getName() << " is called here";
    return diagnostic;
  }
  return success();
}

LogicalResult CodeLivenessSolver::solve() {
  if (failed(calls.verifyNoRecursion()))
    return failure();
  flow.emplace(calls, FlowDirection::Backward, graphs.size());
  flow->summarize([&](Operation *op) { return getOwnEffect(op); });
  if (isExecutable())
    for (auto [number, graph] : llvm::enumerate(graphs))
      flow->holdWithin(graph, number);
  atStart = llvm::BitVector(graphs.size());
  for (FunctionOpInterface entry : entries)
    if (const CodeTransfer *transfer = flow->getTransfer(entry))
      atStart |= transfer->adds;
  // Another run may follow, so the same code is live at the end.
  flow->propagate(entries, atStart);
  for (FunctionOpInterface function : getReached()) {
    WalkResult result = function.walk([&](Operation *op) {
      return loaded.contains(op) && failed(verifyLoad(op, function))
                 ? WalkResult::interrupt()
                 : WalkResult::advance();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

bool CodeLivenessSolver::isLiveAfter(Operation *op, unsigned graph) const {
  // Up to where there is an event next to an op around this one.
  for (; op && op->getBlock(); op = op->getParentOp()) {
    if (const llvm::BitVector *after = flow->getNear(op))
      return after->test(graph);
    const llvm::BitVector *end = flow->getNear(op->getBlock());
    if (!end)
      continue;
    ArrayRef<Operation *> around = getEvents(op->getBlock());
    Operation *const *next = llvm::partition_point(
        around, [&](Operation *event) { return event->isBeforeInBlock(op); });
    return next == around.end() ? end->test(graph) : isLiveBefore(*next, graph);
  }
  return false;
}

bool CodeLivenessSolver::isLiveBefore(Operation *op, unsigned graph) const {
  return flow->getNear(op) ? flow->holdsFar(op, graph) : isLiveAfter(op, graph);
}

bool CodeLivenessSolver::isLiveAtBegin(Block *block, unsigned graph) const {
  if (!getEvents(block).empty())
    return isLiveBefore(getEvents(block).front(), graph);
  if (const llvm::BitVector *end = flow->getNear(block))
    return end->test(graph);
  Operation *parent = block->getParentOp();
  return parent && !isa<FunctionOpInterface>(parent) &&
         isLiveAfter(parent, graph);
}
