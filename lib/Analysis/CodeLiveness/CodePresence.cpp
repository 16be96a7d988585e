//===- CodePresence.cpp - Code that loads have brought to the tiles -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CodeLiveness/CodePresence.h"

#include "CodeLivenessSolver.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

namespace {
/// What may be so of the code of a graph, for each memory.
enum Fact {
  /// On some path it was brought there; on some path it was not.
  Brought,
  Missing,
  /// It was brought there, and not used from there.
  Unused,
};
constexpr unsigned kMemories = getMaxEnumValForCodeLocation() + 1;
constexpr unsigned kFacts = 3;

/// The equations of CodeLiveness, forwards: after a piece of program a fact
/// holds if `uses` has it, or if it holds before and `passes` has it.
class PresenceSolver {
public:
  PresenceSolver(ModuleOp module, FunctionOpInterface entry);
  CodePresence solve();

private:
  unsigned getBit(Fact fact, CodeLocation memory, unsigned graph) const {
    return (fact * kMemories + static_cast<unsigned>(memory)) * graphs.size() +
           graph;
  }
  unsigned getSize() const { return kFacts * kMemories * graphs.size(); }
  CodeTransfer identity() const { return CodeTransfer::identity(getSize()); }
  /// `first` and then `second`.
  static CodeTransfer join(const CodeTransfer &first,
                           const CodeTransfer &second) {
    return second.then(first);
  }
  void forEachGraph(ArrayRef<SymbolRefAttr> names,
                    function_ref<void(unsigned)> visit) const;

  // Callees first: what each op and function does.
  CodeTransfer summarizeMove(CodeLoadOpInterface move) const;
  void summarizeOp(Operation &op);
  CodeTransfer summarizeRegionOp(Operation &op);
  CodeTransfer summarizeBlock(Block &block);
  CodeTransfer summarizeRegion(Region &region);
  // Callers first: what holds where.
  void propagateRegion(Region &region, const llvm::BitVector &atEntry);
  void checkMove(CodeLoadOpInterface move, const llvm::BitVector &state);
  void checkCall(CallOpInterface call, FunctionOpInterface callee,
                 const llvm::BitVector &state);

  FunctionCalls calls;
  SymbolTable symbols;
  SmallVector<FunctionOpInterface> entries, graphs;
  llvm::DenseMap<Operation *, unsigned> numbers;
  llvm::DenseMap<Block *, SmallVector<Operation *>> events;
  llvm::DenseMap<Operation *, CodeTransfer> ofOp, ofFunction;
  /// From before an op to the start of a region of it, and from the start of a
  /// region, of several blocks, to that of a block.
  llvm::DenseMap<Region *, CodeTransfer> beforeRegion;
  llvm::DenseMap<Block *, CodeTransfer> beforeBlock;
  llvm::DenseMap<Operation *, llvm::BitVector> beforeFunction;
  CodePresence result;
};
} // namespace

PresenceSolver::PresenceSolver(ModuleOp module, FunctionOpInterface entry)
    : calls(module), symbols(module) {
  entries =
      entry ? SmallVector<FunctionOpInterface>{entry} : getCodeEntries(calls);
  llvm::SmallPtrSet<Operation *, 8> isMoved;
  auto collect = [&](CodeLoadOpInterface move) {
    for (unsigned memory = 0; memory < kMemories; ++memory) {
      auto location = static_cast<CodeLocation>(memory);
      for (SymbolRefAttr name : move.getWrittenGraphs(location))
        isMoved.insert(symbols.lookup(name.getLeafReference()));
      for (SymbolRefAttr name : move.getReadGraphs(location))
        isMoved.insert(symbols.lookup(name.getLeafReference()));
    }
  };
  for (FunctionOpInterface function : calls.getFunctions())
    function->walk(collect);
  for (FunctionOpInterface function : calls.getFunctions())
    if (isMoved.contains(function)) {
      numbers[function] = graphs.size();
      graphs.push_back(function);
    }
}

void PresenceSolver::forEachGraph(ArrayRef<SymbolRefAttr> names,
                                  function_ref<void(unsigned)> visit) const {
  for (SymbolRefAttr name : names)
    if (auto it = numbers.find(symbols.lookup(name.getLeafReference()));
        it != numbers.end())
      visit(it->second);
}

//===----------------------------------------------------------------------===//
// Callees first: what each op does
//===----------------------------------------------------------------------===//

CodeTransfer PresenceSolver::summarizeMove(CodeLoadOpInterface move) const {
  CodeTransfer transfer = identity();
  for (unsigned memory = 0; memory < kMemories; ++memory) {
    auto location = static_cast<CodeLocation>(memory);
    forEachGraph(move.getReadGraphs(location), [&](unsigned graph) {
      transfer.passes.reset(getBit(Unused, location, graph));
    });
  }
  for (unsigned memory = 0; memory < kMemories; ++memory) {
    auto location = static_cast<CodeLocation>(memory);
    forEachGraph(move.getWrittenGraphs(location), [&](unsigned graph) {
      transfer.uses.set(getBit(Brought, location, graph));
      transfer.passes.reset(getBit(Missing, location, graph));
      if (location != CodeLocation::Executable) {
        transfer.uses.set(getBit(Unused, location, graph));
        return;
      }
      for (unsigned other = 0; other < kMemories; ++other)
        transfer.passes.reset(
            getBit(Unused, static_cast<CodeLocation>(other), graph));
    });
  }
  return transfer;
}

void PresenceSolver::summarizeOp(Operation &op) {
  CodeTransfer transfer = identity();
  bool isEvent = false;
  if (auto move = dyn_cast<CodeLoadOpInterface>(op)) {
    transfer = summarizeMove(move);
    isEvent = true;
  }
  if (auto call = dyn_cast<CallOpInterface>(op))
    if (FunctionOpInterface callee = calls.getCallee(call)) {
      isEvent = true;
      if (auto it = ofFunction.find(callee); it != ofFunction.end())
        transfer = join(transfer, it->second);
    }
  if (op.getNumRegions() > 0 && !isa<FunctionOpInterface>(op)) {
    transfer = join(transfer, summarizeRegionOp(op));
    isEvent |= beforeRegion.contains(&op.getRegion(0));
  }
  if (!isEvent)
    return;
  events[op.getBlock()].push_back(&op);
  ofOp[&op] = std::move(transfer);
}

CodeTransfer PresenceSolver::summarizeRegionOp(Operation &op) {
  SmallVector<CodeTransfer> pieces;
  bool hasEvents = false;
  for (Region &region : op.getRegions()) {
    pieces.push_back(summarizeRegion(region));
    hasEvents |= llvm::any_of(
        region, [&](Block &block) { return events.contains(&block); });
  }
  if (!hasEvents)
    return identity();
  SmallVector<CodeTransfer> ways =
      CodePieces(&op).joinWays(pieces, CodePieces::Direction::Forwards);
  for (Region &region : op.getRegions())
    beforeRegion[&region] = std::move(ways[region.getRegionNumber()]);
  return std::move(ways.back());
}

CodeTransfer PresenceSolver::summarizeBlock(Block &block) {
  CodeTransfer transfer = identity();
  for (Operation &op : block) {
    summarizeOp(op);
    if (auto it = ofOp.find(&op); it != ofOp.end())
      transfer = join(transfer, it->second);
  }
  return transfer;
}

CodeTransfer PresenceSolver::summarizeRegion(Region &region) {
  if (region.empty())
    return identity();
  if (region.hasOneBlock())
    return summarizeBlock(region.front());
  SmallVector<CodeTransfer> pieces;
  for (Block &block : region)
    pieces.push_back(summarizeBlock(block));
  SmallVector<CodeTransfer> ways =
      CodePieces(region).joinWays(pieces, CodePieces::Direction::Forwards);
  for (auto [block, way] : llvm::zip(region, ways))
    beforeBlock[&block] = way;
  return std::move(ways.back());
}

//===----------------------------------------------------------------------===//
// Callers first: what holds where
//===----------------------------------------------------------------------===//

void PresenceSolver::propagateRegion(Region &region,
                                     const llvm::BitVector &atEntry) {
  for (Block &block : region) {
    auto ofBlock = events.find(&block);
    if (ofBlock == events.end())
      continue;
    llvm::BitVector state =
        region.hasOneBlock() ? atEntry : beforeBlock[&block].before(atEntry);
    for (Operation *op : ofBlock->second) {
      for (Region &inner : op->getRegions())
        if (auto it = beforeRegion.find(&inner); it != beforeRegion.end())
          propagateRegion(inner, it->second.before(state));
      if (auto move = dyn_cast<CodeLoadOpInterface>(op))
        checkMove(move, state);
      if (auto call = dyn_cast<CallOpInterface>(op))
        if (FunctionOpInterface callee = calls.getCallee(call)) {
          checkCall(call, callee, state);
          beforeFunction[callee] |= state;
        }
      state = ofOp[op].before(state);
    }
  }
}

void PresenceSolver::checkMove(CodeLoadOpInterface move,
                               const llvm::BitVector &state) {
  // All code is in executable memory unless loads say otherwise.
  for (CodeLocation source :
       {CodeLocation::ComputeBuffer, CodeLocation::IOBuffer})
    forEachGraph(move.getReadGraphs(source), [&](unsigned graph) {
      if (state.test(getBit(Missing, source, graph)))
        result.unloadedCopies.push_back(
            {move, graphs[graph], source,
             !state.test(getBit(Brought, source, graph))});
    });
}

void PresenceSolver::checkCall(CallOpInterface call, FunctionOpInterface callee,
                               const llvm::BitVector &state) {
  auto it = numbers.find(callee);
  if (it == numbers.end())
    return;
  unsigned graph = it->second;
  if (!state.test(getBit(Missing, CodeLocation::Executable, graph)))
    return;
  for (CodeLocation buffer :
       {CodeLocation::ComputeBuffer, CodeLocation::IOBuffer})
    if (state.test(getBit(Unused, buffer, graph))) {
      result.doubtfulCalls.push_back(
          {DoubtfulCodeCall::LoadedToBuffer, call, callee, buffer});
      return;
    }
  if (state.test(getBit(Brought, CodeLocation::Executable, graph)))
    result.doubtfulCalls.push_back(
        {DoubtfulCodeCall::LoadedOnSomePaths, call, callee});
}

CodePresence PresenceSolver::solve() {
  SmallVector<FunctionOpInterface> postOrder = calls.getPostOrder();
  for (FunctionOpInterface function : postOrder) {
    ofFunction[function] = summarizeRegion(function.getFunctionBody());
    beforeFunction[function] = llvm::BitVector(getSize());
  }
  llvm::SmallPtrSet<Operation *, 8> isReached;
  for (FunctionOpInterface entry : entries) {
    isReached.insert(entry);
    for (unsigned memory = 0; memory < kMemories; ++memory)
      for (unsigned graph = 0; graph < graphs.size(); ++graph)
        beforeFunction[entry].set(
            getBit(Missing, static_cast<CodeLocation>(memory), graph));
  }
  for (FunctionOpInterface function : llvm::reverse(postOrder)) {
    if (!isReached.contains(function))
      continue;
    for (CallOpInterface call : calls.getCallsIn(function))
      isReached.insert(calls.getCallee(call));
    propagateRegion(function.getFunctionBody(), beforeFunction[function]);
  }
  return std::move(result);
}

CodePresence CodePresence::get(ModuleOp module, FunctionOpInterface entry) {
  return PresenceSolver(module, entry).solve();
}
