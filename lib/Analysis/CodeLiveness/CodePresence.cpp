//===- CodePresence.cpp - Code that loads have brought to the tiles -------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CodeLiveness/CodePresence.h"

#include "CodeFlow.h"

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

/// States and solves the forward problem of CodeFlow whose facts are those of
/// each graph in each memory.
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
  void forEachGraph(ArrayRef<SymbolRefAttr> names,
                    function_ref<void(unsigned)> visit) const;

  std::optional<CodeTransfer> getOwnEffect(Operation *op) const;
  void checkRegion(const CodeFlow &flow, Region &region);
  void checkMove(CodeLoadOpInterface move, const llvm::BitVector &state);
  void checkCall(CallOpInterface call, FunctionOpInterface callee,
                 const llvm::BitVector &state);

  FunctionCalls calls;
  SymbolTable symbols;
  SmallVector<FunctionOpInterface> entries, graphs;
  llvm::DenseMap<Operation *, unsigned> numbers;
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

std::optional<CodeTransfer> PresenceSolver::getOwnEffect(Operation *op) const {
  auto move = dyn_cast<CodeLoadOpInterface>(op);
  if (!move)
    return std::nullopt;
  CodeTransfer transfer = CodeTransfer::identity(getSize());
  for (unsigned memory = 0; memory < kMemories; ++memory) {
    auto location = static_cast<CodeLocation>(memory);
    forEachGraph(move.getReadGraphs(location), [&](unsigned graph) {
      transfer.passes.reset(getBit(Unused, location, graph));
    });
  }
  for (unsigned memory = 0; memory < kMemories; ++memory) {
    auto location = static_cast<CodeLocation>(memory);
    forEachGraph(move.getWrittenGraphs(location), [&](unsigned graph) {
      transfer.adds.set(getBit(Brought, location, graph));
      transfer.passes.reset(getBit(Missing, location, graph));
      if (location != CodeLocation::Executable) {
        transfer.adds.set(getBit(Unused, location, graph));
        return;
      }
      for (unsigned other = 0; other < kMemories; ++other)
        transfer.passes.reset(
            getBit(Unused, static_cast<CodeLocation>(other), graph));
    });
  }
  return transfer;
}

void PresenceSolver::checkRegion(const CodeFlow &flow, Region &region) {
  for (Block &block : region)
    for (Operation *op : flow.getEvents(&block)) {
      for (Region &inner : op->getRegions())
        checkRegion(flow, inner);
      const llvm::BitVector &before = *flow.getNear(op);
      if (auto move = dyn_cast<CodeLoadOpInterface>(op))
        checkMove(move, before);
      if (auto call = dyn_cast<CallOpInterface>(op))
        if (FunctionOpInterface callee = calls.getCallee(call))
          checkCall(call, callee, before);
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
  CodeFlow flow(calls, FlowDirection::Forward, getSize());
  flow.summarize([&](Operation *op) { return getOwnEffect(op); });
  llvm::BitVector atStart(getSize());
  for (unsigned memory = 0; memory < kMemories; ++memory)
    for (unsigned graph = 0; graph < graphs.size(); ++graph)
      atStart.set(getBit(Missing, static_cast<CodeLocation>(memory), graph));
  flow.propagate(entries, atStart);
  for (FunctionOpInterface function : flow.getReached())
    checkRegion(flow, function.getFunctionBody());
  return std::move(result);
}

CodePresence CodePresence::get(ModuleOp module, FunctionOpInterface entry) {
  return PresenceSolver(module, entry).solve();
}
