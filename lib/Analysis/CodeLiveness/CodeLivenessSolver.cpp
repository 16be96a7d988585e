//===- CodeLivenessSolver.cpp - Equations of code liveness ----------------===//
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

SmallVector<FunctionOpInterface>
mlir::ipu::detail::getCodeEntries(const FunctionCalls &calls) {
  SmallVector<FunctionOpInterface> entries, uncalled;
  for (FunctionOpInterface function : calls.getFunctions()) {
    if (function.isExternal())
      continue;
    if (function.getName() == "main")
      return {function};
    if (!calls.getCallsOf(function).empty())
      continue;
    uncalled.push_back(function);
    if (function.isPublic())
      entries.push_back(function);
  }
  return entries.empty() ? uncalled : entries;
}

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
// Callees first: what each op does
//===----------------------------------------------------------------------===//

CodeTransfer CodeLivenessSolver::summarizeRegionOp(Operation &op) {
  SmallVector<CodeTransfer> pieces;
  bool hasEvents = false;
  for (Region &region : op.getRegions()) {
    pieces.push_back(summarizeRegion(region));
    hasEvents |= llvm::any_of(
        region, [&](Block &block) { return !getEvents(&block).empty(); });
  }
  if (!hasEvents)
    return identity();
  SmallVector<CodeTransfer> ways =
      CodePieces(&op).joinWays(pieces, CodePieces::Direction::Backwards);
  for (Region &region : op.getRegions())
    afterRegion[&region] = std::move(ways[region.getRegionNumber()]);
  return std::move(ways.back());
}

void CodeLivenessSolver::summarizeOp(Operation &op) {
  CodeTransfer transfer = identity();
  bool isEvent = loaded.contains(&op) || read.contains(&op);
  for (unsigned graph : getLoaded(&op))
    transfer.passes.reset(graph);
  for (unsigned graph : getRead(&op))
    transfer.uses.set(graph);
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (FunctionOpInterface callee = calls.getCallee(call)) {
      isEvent = true;
      if (const CodeTransfer *inside = getTransfer(callee))
        transfer = transfer.then(*inside);
      std::optional<unsigned> number = getNumber(callee);
      if (number && isExecutable())
        transfer.uses.set(*number);
    }
  if (op.getNumRegions() > 0 && !isa<FunctionOpInterface>(op))
    transfer = transfer.then(summarizeRegionOp(op));
  isEvent |= op.getNumRegions() > 0 && afterRegion.contains(&op.getRegion(0));
  if (!isEvent)
    return;
  events[op.getBlock()].push_back(&op);
  ofOp[&op] = std::move(transfer);
}

CodeTransfer CodeLivenessSolver::summarizeBlock(Block &block) {
  for (Operation &op : block)
    summarizeOp(op);
  CodeTransfer transfer = identity();
  for (Operation *op : llvm::reverse(getEvents(&block)))
    transfer = ofOp[op].then(transfer);
  return transfer;
}

CodeTransfer CodeLivenessSolver::summarizeRegion(Region &region) {
  if (region.empty())
    return identity();
  if (region.hasOneBlock())
    return summarizeBlock(region.front());
  SmallVector<CodeTransfer> pieces;
  for (Block &block : region)
    pieces.push_back(summarizeBlock(block));
  SmallVector<CodeTransfer> ways =
      CodePieces(region).joinWays(pieces, CodePieces::Direction::Backwards);
  for (auto [block, way] : llvm::zip(region, ways))
    afterBlock[&block] = way;
  return std::move(ways.back());
}

//===----------------------------------------------------------------------===//
// Callers first: what is live where
//===----------------------------------------------------------------------===//

void CodeLivenessSolver::propagateRegion(Region &region,
                                         const llvm::BitVector &atExit,
                                         FunctionOpInterface function) {
  for (Block &block : region) {
    llvm::BitVector live =
        region.hasOneBlock() ? atExit : afterBlock[&block].before(atExit);
    live |= running[function];
    atEnd[&block] = live;
    for (Operation *op : llvm::reverse(getEvents(&block))) {
      afterOp[op] = live;
      for (Region &inner : op->getRegions())
        if (auto it = afterRegion.find(&inner); it != afterRegion.end())
          propagateRegion(inner, it->second.before(live), function);
      if (auto call = dyn_cast<CallOpInterface>(op))
        if (FunctionOpInterface callee = calls.getCallee(call)) {
          afterFunction[callee] |= live;
          running[callee] |= running[function];
        }
      live = ofOp[op].before(live);
      live |= running[function];
    }
  }
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
    if (!running[function].test(number))
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
  SmallVector<FunctionOpInterface> postOrder = calls.getPostOrder();
  for (FunctionOpInterface function : postOrder) {
    ofFunction[function] = summarizeRegion(function.getFunctionBody());
    afterFunction[function] = llvm::BitVector(graphs.size());
    running[function] = llvm::BitVector(graphs.size());
    std::optional<unsigned> number = getNumber(function);
    if (number && isExecutable())
      running[function].set(*number);
  }
  atStart = llvm::BitVector(graphs.size());
  llvm::SmallPtrSet<Operation *, 8> isReached;
  for (FunctionOpInterface entry : entries) {
    atStart |= ofFunction[entry].uses;
    isReached.insert(entry);
  }
  // A run follows another one.
  for (FunctionOpInterface entry : entries)
    afterFunction[entry] |= atStart;
  for (FunctionOpInterface function : llvm::reverse(postOrder)) {
    if (!isReached.contains(function))
      continue;
    reached.push_back(function);
    for (CallOpInterface call : calls.getCallsIn(function))
      isReached.insert(calls.getCallee(call));
    propagateRegion(function.getFunctionBody(), afterFunction[function],
                    function);
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

ArrayRef<Operation *> CodeLivenessSolver::getEvents(Block *block) const {
  auto it = events.find(block);
  return it == events.end() ? ArrayRef<Operation *>() : it->second;
}

const CodeTransfer *CodeLivenessSolver::getTransfer(Operation *op) const {
  auto it = ofOp.find(op);
  return it == ofOp.end() ? nullptr : &it->second;
}

const CodeTransfer *
CodeLivenessSolver::getTransfer(FunctionOpInterface function) const {
  auto it = ofFunction.find(function);
  return it == ofFunction.end() ? nullptr : &it->second;
}

bool CodeLivenessSolver::isLiveAfter(Operation *op, unsigned graph) const {
  // Up to where there is an event next to an op around this one.
  for (; op && op->getBlock(); op = op->getParentOp()) {
    if (auto it = afterOp.find(op); it != afterOp.end())
      return it->second.test(graph);
    auto end = atEnd.find(op->getBlock());
    if (end == atEnd.end())
      continue;
    ArrayRef<Operation *> around = getEvents(op->getBlock());
    Operation *const *next = llvm::partition_point(
        around, [&](Operation *event) { return event->isBeforeInBlock(op); });
    return next == around.end() ? end->second.test(graph)
                                : isLiveBefore(*next, graph);
  }
  return false;
}

bool CodeLivenessSolver::isLiveBefore(Operation *op, unsigned graph) const {
  auto it = afterOp.find(op);
  if (it == afterOp.end())
    return isLiveAfter(op, graph);
  const CodeTransfer &transfer = ofOp.find(op)->second;
  if (transfer.uses.test(graph) ||
      (transfer.passes.test(graph) && it->second.test(graph)))
    return true;
  auto function = op->getParentOfType<FunctionOpInterface>();
  auto runs = running.find(function);
  return runs != running.end() && runs->second.test(graph);
}

bool CodeLivenessSolver::isLiveAtBegin(Block *block, unsigned graph) const {
  if (!getEvents(block).empty())
    return isLiveBefore(getEvents(block).front(), graph);
  if (auto it = atEnd.find(block); it != atEnd.end())
    return it->second.test(graph);
  Operation *parent = block->getParentOp();
  return parent && !isa<FunctionOpInterface>(parent) &&
         isLiveAfter(parent, graph);
}
