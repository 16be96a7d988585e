//===- CodeLivenessPaths.cpp - Paths that keep code alive -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CodeLivenessSolver.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

namespace {
/// Follows live code forward to a call. Where code is live, some path leads to
/// one; each block is entered once, so that loops are left.
class PathFinder {
public:
  PathFinder(const CodeLivenessSolver &solver, unsigned graph)
      : solver(solver), graph(graph) {}

  SmallVector<Operation *> fromStart() {
    for (FunctionOpInterface entry : solver.getReached()) {
      if (!solver.isEntry(entry) || !enter(entry.getFunctionBody()))
        continue;
      run();
      break;
    }
    return std::move(path);
  }

  SmallVector<Operation *> fromBefore(Operation *op) {
    block = op->getBlock();
    next = llvm::find(solver.getEvents(block), op) -
           solver.getEvents(block).begin();
    run();
    return std::move(path);
  }

private:
  void run() {
    while (block) {
      ArrayRef<Operation *> events = solver.getEvents(block);
      if (next == events.size())
        leaveBlock();
      else if (step(events[next]))
        return;
    }
    path.clear();
  }

  /// Past `op` or into it; whether it is the call.
  bool step(Operation *op) {
    const CodeTransfer *transfer = solver.getTransfer(op);
    if (!transfer || !transfer->adds.test(graph)) {
      ++next;
      return false;
    }
    path.push_back(op);
    if (llvm::is_contained(solver.getRead(op), graph))
      return true;
    if (auto call = dyn_cast<CallOpInterface>(op)) {
      FunctionOpInterface callee = solver.getCalls().getCallee(call);
      if (solver.isExecutable() && callee == solver.getGraphs()[graph])
        return true;
      if (!enter(callee.getFunctionBody()))
        ++next;
      return false;
    }
    if (!enterAnyOf(op, getEnteredRegions(op)))
      ++next;
    return false;
  }

  bool enter(Block &to) {
    if (!solver.isLiveAtBegin(&to, graph) || !entered.insert(&to).second)
      return false;
    block = &to;
    next = 0;
    return true;
  }
  bool enter(Region &region) {
    return !region.empty() && enter(region.front());
  }
  /// Null stands for what is after `op`.
  bool enterAnyOf(Operation *op, ArrayRef<Region *> regions) {
    if (llvm::any_of(regions, [&](Region *to) { return to && enter(*to); }))
      return true;
    goAfter(op);
    return true;
  }

  void goAfter(Operation *op) {
    block = op->getBlock();
    ArrayRef<Operation *> events = solver.getEvents(block);
    next = llvm::find(events, op) - events.begin() + 1;
  }

  void leaveBlock() {
    Block *from = block;
    if (llvm::any_of(from->getSuccessors(),
                     [&](Block *to) { return enter(*to); }))
      return;
    Operation *parent = from->getParentOp();
    if (auto function = dyn_cast<FunctionOpInterface>(parent))
      return leaveFunction(function);
    SmallVector<Region *> following =
        getFollowingRegions(parent, *from->getParent());
    if (llvm::is_contained(following, nullptr) &&
        solver.isLiveAfter(parent, graph))
      return goAfter(parent);
    enterAnyOf(parent, following);
  }

  void leaveFunction(FunctionOpInterface function) {
    block = nullptr;
    for (CallOpInterface call : solver.getCalls().getCallsOf(function))
      if (solver.isLiveAfter(call, graph) && left.insert(call).second)
        return goAfter(call);
    // The next run.
    if (solver.isEntry(function))
      enter(function.getFunctionBody());
  }

  const CodeLivenessSolver &solver;
  unsigned graph;
  Block *block = nullptr;
  size_t next = 0;
  llvm::SmallPtrSet<Block *, 8> entered;
  llvm::SmallPtrSet<Operation *, 8> left;
  SmallVector<Operation *> path;
};

/// Goes back from a load, where the code is dead, to where it is live.
class OriginFinder {
public:
  OriginFinder(const CodeLivenessSolver &solver, unsigned graph)
      : solver(solver), graph(graph) {}

  /// Adds the ops in front of which the code is live for a path that misses
  /// `load`.
  void find(Operation *load, SetVector<Operation *> &origins) {
    SmallVector<Operation *> worklist{load};
    while (!worklist.empty()) {
      Operation *op = worklist.pop_back_val();
      if (solver.isLiveBefore(op, graph) || isNeededAbove(op))
        continue;
      Operation *parent = op->getBlock()->getParentOp();
      auto function = dyn_cast<FunctionOpInterface>(parent);
      if (!function) {
        if (!isReachedDead(parent, op->getBlock()->getParent()))
          continue;
        if (solver.isLiveBefore(parent, graph))
          origins.insert(parent);
        else
          worklist.push_back(parent);
        continue;
      }
      for (CallOpInterface call : solver.getCalls().getCallsOf(function))
        if (seen.insert(call).second)
          worklist.push_back(call);
    }
  }

private:
  /// Whether an event above `op` in its block ends or starts a live range, or
  /// the block can be entered live.
  bool isNeededAbove(Operation *op) {
    for (Operation *event : solver.getEvents(op->getBlock())) {
      if (event == op)
        break;
      if (solver.isLiveBefore(event, graph))
        return true;
    }
    return solver.isLiveAtBegin(op->getBlock(), graph);
  }

  /// Whether paths through `region` meet no call and need not meet a load.
  bool isFree(Region &region) {
    return llvm::all_of(region, [&](Block &block) {
      return llvm::all_of(solver.getEvents(&block), [&](Operation *op) {
        const CodeTransfer *transfer = solver.getTransfer(op);
        return transfer->passes.test(graph) && !transfer->adds.test(graph);
      });
    });
  }

  /// Whether `op` may come to `region` of it before it calls the graph.
  bool isReachedDead(Operation *op, Region *region) {
    SmallVector<Region *> worklist = getEnteredRegions(op);
    llvm::SmallPtrSet<Region *, 4> visited;
    while (!worklist.empty()) {
      Region *next = worklist.pop_back_val();
      if (next == region)
        return true;
      if (next && isFree(*next) && visited.insert(next).second)
        llvm::append_range(worklist, getFollowingRegions(op, *next));
    }
    return false;
  }

  const CodeLivenessSolver &solver;
  unsigned graph;
  llvm::SmallPtrSet<Operation *, 8> seen;
};
} // namespace

SmallVector<CodeKeptAlive> CodeLiveness::getKeptAlive() const {
  SmallVector<CodeKeptAlive> kept;
  SmallVector<SetVector<Operation *>> origins(solver->getGraphs().size());
  for (FunctionOpInterface function : solver->getReached())
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (unsigned graph : solver->getLoaded(op))
        if (solver->isLiveAfter(op, graph))
          OriginFinder(*solver, graph).find(op, origins[graph]);
    });
  for (auto [number, graph] : llvm::enumerate(solver->getGraphs())) {
    llvm::SmallPtrSet<Operation *, 4> calls;
    for (Operation *from : origins[number]) {
      SmallVector<Operation *> path =
          PathFinder(*solver, number).fromBefore(from);
      if (path.empty())
        continue;
      calls.insert(path.back());
      kept.push_back({graph, from, std::move(path)});
    }
    if (!solver->isLiveAtStart(number))
      continue;
    SmallVector<Operation *> path = PathFinder(*solver, number).fromStart();
    if (!path.empty() && !calls.contains(path.back()))
      kept.push_back({graph, nullptr, std::move(path)});
  }
  return kept;
}
