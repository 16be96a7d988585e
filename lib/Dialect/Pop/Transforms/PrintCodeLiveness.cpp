//===- PrintCodeLiveness.cpp - Printing of code liveness --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of pop or ipu functions.
// Out: the same module.
//
// Prints, for each graph, the ranges of ops between which its code must be on
// the chip, and emits remarks where the code is on the chip unnecessarily.
//
//===----------------------------------------------------------------------===//

#include "CodeLoads.h"
#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PRINTCODELIVENESSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;

std::string pop::describeOp(Operation *op) {
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "'" << op->getName() << "'";
  auto call = dyn_cast<CallOpInterface>(op);
  if (auto callee = call ? dyn_cast<SymbolRefAttr>(call.getCallableForCallee())
                         : SymbolRefAttr())
    os << " " << callee;
  return text;
}

namespace {
/// Names ops by their number in their function.
class OpNames {
public:
  explicit OpNames(const CodeLiveness &liveness) {
    for (FunctionOpInterface function : liveness.getReachedFunctions()) {
      unsigned number = 0;
      function.getFunctionBody().walk<WalkOrder::PreOrder>(
          [&](Operation *op) { numbers[op] = number++; });
    }
  }

  std::string get(Operation *op) const {
    std::string name;
    llvm::raw_string_ostream os(name);
    os << "#" << numbers.lookup(op) << " " << pop::describeOp(op);
    return name;
  }

private:
  llvm::DenseMap<Operation *, unsigned> numbers;
};
} // namespace

static void printRange(CodeRange range, const OpNames &names, raw_ostream &os) {
  os << "  @" << range.function.getName();
  Region *region = range.block->getParent();
  Operation *parent = region->getParentOp();
  if (parent != range.function)
    os << ", " << names.get(parent) << " region " << region->getRegionNumber();
  if (!region->hasOneBlock())
    os << ", block "
       << std::distance(region->begin(), range.block->getIterator());
  os << ": " << (range.first ? names.get(range.first) : "start") << " to "
     << (range.last ? names.get(range.last) : "end") << "\n";
}

static void printRanges(const CodeLiveness &liveness, FunctionOpInterface graph,
                        const OpNames &names, raw_ostream &os) {
  os << (liveness.isResidentInImage(graph) ? "in the image" : "loaded") << "\n";
  for (const CodeRange &range : liveness.getRanges(graph))
    printRange(range, names, os);
}

static void print(const CodeLiveness &liveness, const FunctionCalls &calls,
                  const OpNames &names, raw_ostream &os) {
  for (FunctionOpInterface graph : calls.getFunctions()) {
    bool isAlwaysLive = liveness.isAlwaysLive(graph);
    if (isAlwaysLive &&
        (calls.getCallsOf(graph).empty() ||
         !llvm::is_contained(liveness.getReachedFunctions(), graph)))
      continue;
    os << "code of @" << graph.getName() << ": ";
    if (isAlwaysLive)
      os << "always live\n";
    else
      printRanges(liveness, graph, names, os);
  }
}

std::string pop::describeDeadLoad(const DeadCodeLoad &dead,
                                  CodeLocation memory) {
  FunctionOpInterface graph = dead.graph;
  return ("code load is dead: @" + graph.getName() + " is not " +
          (memory == CodeLocation::Executable ? "called" : "copied") +
          " before its code is loaded again")
      .str();
}

static void emitDeadLoads(const CodeLiveness &liveness, CodeLocation memory) {
  for (DeadCodeLoad dead : liveness.getDeadLoads())
    remark::analysis(
        dead.load->getLoc(),
        remark::RemarkOpts::name("DeadCodeLoad").category(pop::kCodeRemarks))
        << pop::describeDeadLoad(dead, memory);
}

static void emitKeptAlive(const CodeLiveness &liveness, const OpNames &names) {
  for (CodeKeptAlive kept : liveness.getKeptAlive()) {
    std::string path =
        kept.from ? names.get(kept.from) : "the start of the program";
    // Numbers are those of functions, which are named where they change.
    Operation *last = kept.from ? kept.from : kept.path.front();
    for (Operation *op : kept.path) {
      if (op == kept.from)
        continue;
      path += ", " + names.get(op);
      auto function = op->getParentOfType<FunctionOpInterface>();
      if (function != last->getParentOfType<FunctionOpInterface>())
        path += " in @" + function.getName().str();
      last = op;
    }
    remark::analysis(
        (kept.from ? kept.from : kept.path.back())->getLoc(),
        remark::RemarkOpts::name("CodeKeptAlive").category(pop::kCodeRemarks))
        << "code of @" + kept.graph.getName().str() +
               " is kept on the chip by a path without a load: " + path;
  }
}

namespace {
struct PrintCodeLivenessPass
    : pop::impl::PrintCodeLivenessPassBase<PrintCodeLivenessPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    FailureOr<CodeLiveness> liveness = CodeLiveness::create(getOperation());
    if (failed(liveness))
      return signalPassFailure();
    OpNames names(*liveness);
    print(*liveness, FunctionCalls(getOperation()), names, llvm::outs());
    emitDeadLoads(*liveness, CodeLocation::Executable);
    emitKeptAlive(*liveness, names);
    for (auto [memory, name] :
         {std::pair(CodeLocation::ComputeBuffer, "compute"),
          std::pair(CodeLocation::IOBuffer, "io")}) {
      FailureOr<CodeLiveness> inBuffer =
          CodeLiveness::create(getOperation(), /*entry=*/{}, memory);
      if (failed(inBuffer))
        return signalPassFailure();
      for (FunctionOpInterface graph : inBuffer->getLoadedGraphs()) {
        llvm::outs() << "code of @" << graph.getName() << " in " << name
                     << "_buffer: ";
        printRanges(*inBuffer, graph, names, llvm::outs());
      }
      emitDeadLoads(*inBuffer, memory);
    }
  }
};
} // namespace
