//===- CodeLiveness.cpp - Code liveness analysis ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"

#include "CodeLivenessSolver.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

CodeLiveness::CodeLiveness(std::unique_ptr<CodeLivenessSolver> solver)
    : solver(std::move(solver)) {}
CodeLiveness::CodeLiveness(CodeLiveness &&) = default;
CodeLiveness::~CodeLiveness() = default;

FailureOr<CodeLiveness> CodeLiveness::create(ModuleOp module,
                                             FunctionOpInterface entry,
                                             CodeLocation memory) {
  auto solver = std::make_unique<CodeLivenessSolver>(module, entry, memory);
  if (failed(solver->solve()))
    return failure();
  return CodeLiveness(std::move(solver));
}

ArrayRef<FunctionOpInterface> CodeLiveness::getLoadedGraphs() const {
  return solver->getGraphs();
}

ArrayRef<FunctionOpInterface> CodeLiveness::getReachedFunctions() const {
  return solver->getReached();
}

bool CodeLiveness::isAlwaysLive(FunctionOpInterface graph) const {
  return solver->isExecutable() && !solver->getNumber(graph);
}

bool CodeLiveness::isResidentInImage(FunctionOpInterface graph) const {
  std::optional<unsigned> number = solver->getNumber(graph);
  return number ? solver->isLiveAtStart(*number) : solver->isExecutable();
}

bool CodeLiveness::isLiveBefore(Operation *op,
                                FunctionOpInterface graph) const {
  std::optional<unsigned> number = solver->getNumber(graph);
  return number ? solver->isLiveBefore(op, *number) : solver->isExecutable();
}

bool CodeLiveness::isLiveAfter(Operation *op, FunctionOpInterface graph) const {
  std::optional<unsigned> number = solver->getNumber(graph);
  return number ? solver->isLiveAfter(op, *number) : solver->isExecutable();
}

bool CodeLiveness::isResidentDuring(Operation *op,
                                    FunctionOpInterface graph) const {
  std::optional<unsigned> number = solver->getNumber(graph);
  if (!number)
    return solver->isExecutable();
  return solver->isLiveBefore(op, *number) ||
         solver->isLiveAfter(op, *number) ||
         llvm::is_contained(solver->getLoaded(op), *number);
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

namespace {
class RangeCollector {
public:
  RangeCollector(const CodeLivenessSolver &solver, unsigned graph,
                 SmallVectorImpl<CodeRange> &ranges)
      : solver(solver), graph(graph), ranges(ranges) {}

  /// The ranges of `block` and of the regions in it. `isAround`: live before
  /// and after what holds the block.
  void collect(Block &block, FunctionOpInterface function, bool isAround) {
    SmallVector<CodeRange> own;
    bool isLive = solver.isLiveAtBegin(&block, graph);
    bool isWhole = isLive;
    if (isLive)
      own.push_back({function, &block});
    for (Operation *event : solver.getEvents(&block)) {
      bool wasLive = isLive;
      isLive = solver.isLiveAfter(event, graph);
      isWhole &= isLive;
      bool isLoad = llvm::is_contained(solver.getLoaded(event), graph);
      if (wasLive && (!isLive || isLoad))
        own.back().last = event;
      if (isLive && (!wasLive || isLoad))
        own.push_back({function, &block, event});
    }
    if (!isWhole || !isAround)
      ranges.append(own);
    for (Operation *event : solver.getEvents(&block))
      for (Region &region : event->getRegions())
        for (Block &inner : region)
          collect(inner, function,
                  solver.isLiveBefore(event, graph) &&
                      solver.isLiveAfter(event, graph));
  }

private:
  const CodeLivenessSolver &solver;
  unsigned graph;
  SmallVectorImpl<CodeRange> &ranges;
};
} // namespace

SmallVector<CodeRange>
CodeLiveness::getRanges(FunctionOpInterface graph) const {
  SmallVector<CodeRange> ranges;
  std::optional<unsigned> number = solver->getNumber(graph);
  for (FunctionOpInterface function : solver->getReached())
    for (Block &block : function.getFunctionBody()) {
      if (number)
        RangeCollector(*solver, *number, ranges)
            .collect(block, function, /*isAround=*/false);
      else if (solver->isExecutable())
        ranges.push_back({function, &block});
    }
  return ranges;
}

//===----------------------------------------------------------------------===//
// Dead loads
//===----------------------------------------------------------------------===//

SmallVector<DeadCodeLoad> CodeLiveness::getDeadLoads() const {
  SmallVector<DeadCodeLoad> dead;
  for (FunctionOpInterface function : solver->getReached())
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      for (unsigned graph : solver->getLoaded(op))
        if (!solver->isLiveAfter(op, graph))
          dead.push_back({op, solver->getGraphs()[graph]});
    });
  return dead;
}
