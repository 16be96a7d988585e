//===- VerifyCodeLoads.cpp - Verification of code loads -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of pop or ipu functions. Out: the same module. Errors report
// copies from a memory to which no path has loaded the code; warnings report
// loads whose code is not used, and calls that do not use loaded code.
//
//===----------------------------------------------------------------------===//

#include "CodeLoads.h"
#include "ipu-mlir/Analysis/CodeLiveness/CodePresence.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_VERIFYCODELOADSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;

/// Ops that bring the code of `graph` to `memory`, in the order of the module.
static SmallVector<Operation *>
findMoves(ModuleOp module, FunctionOpInterface graph, CodeLocation memory) {
  SmallVector<Operation *> moves;
  module.walk([&](CodeLoadOpInterface move) {
    if (llvm::any_of(move.getWrittenGraphs(memory), [&](SymbolRefAttr name) {
          return name.getLeafReference() == graph.getName();
        }))
      moves.push_back(move);
  });
  return moves;
}

static void noteMoves(InFlightDiagnostic &diag, ModuleOp module,
                      FunctionOpInterface graph, CodeLocation memory) {
  constexpr size_t most = 3;
  SmallVector<Operation *> moves = findMoves(module, graph, memory);
  for (Operation *move : ArrayRef(moves).take_front(most))
    diag.attachNote(move->getLoc()) << "this op moves the code to '"
                                    << stringifyCodeLocation(memory) << "'";
  if (moves.size() > most)
    diag.attachNote(graph.getLoc())
        << moves.size() - most << " more ops move the code to '"
        << stringifyCodeLocation(memory) << "'";
}

static LogicalResult report(ModuleOp module, const UnloadedCodeCopy &copy) {
  InFlightDiagnostic diag =
      copy.isNever ? copy.copy->emitOpError() : copy.copy->emitWarning();
  FunctionOpInterface graph = copy.graph;
  diag << "copies the code of @" << graph.getName() << " from '"
       << stringifyCodeLocation(copy.source) << "', but "
       << (copy.isNever ? "no path to this op"
                        : "only some of the paths to this op")
       << (copy.isNever ? " moves" : " move") << " the code to that memory";
  noteMoves(diag, module, graph, copy.source);
  return failure(copy.isNever);
}

static void report(ModuleOp module, const DoubtfulCodeCall &doubtful) {
  FunctionOpInterface graph = doubtful.graph;
  InFlightDiagnostic diag = doubtful.call->emitWarning();
  if (doubtful.kind == DoubtfulCodeCall::LoadedToBuffer) {
    diag << "calls @" << graph.getName() << ", whose code is in '"
         << stringifyCodeLocation(doubtful.buffer)
         << "' but was not copied to 'executable': the code in the image is "
            "called, and takes memory up to this call";
    noteMoves(diag, module, graph, doubtful.buffer);
    return;
  }
  diag << "calls @" << graph.getName()
       << ", but only some of the paths to this call load its code: for the "
          "other paths, the code is in the image and takes memory up to this "
          "call";
  noteMoves(diag, module, graph, CodeLocation::Executable);
}

static LogicalResult warnOfDeadLoads(ModuleOp module, CodeLocation memory) {
  FailureOr<CodeLiveness> liveness =
      CodeLiveness::create(module, /*entry=*/{}, memory);
  if (failed(liveness))
    return failure();
  for (DeadCodeLoad dead : liveness->getDeadLoads())
    dead.load->emitWarning() << pop::describeDeadLoad(dead, memory)
                             << "; the load takes time and memory";
  return success();
}

namespace {
struct VerifyCodeLoadsPass
    : pop::impl::VerifyCodeLoadsPassBase<VerifyCodeLoadsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    for (CodeLocation memory :
         {CodeLocation::Executable, CodeLocation::ComputeBuffer,
          CodeLocation::IOBuffer})
      if (failed(warnOfDeadLoads(module, memory)))
        return signalPassFailure();
    CodePresence presence = CodePresence::get(module);
    for (const DoubtfulCodeCall &call : presence.doubtfulCalls)
      report(module, call);
    for (const UnloadedCodeCopy &copy : presence.unloadedCopies)
      if (failed(report(module, copy)))
        signalPassFailure();
  }
};
} // namespace
