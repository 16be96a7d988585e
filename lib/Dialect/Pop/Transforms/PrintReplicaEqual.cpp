//===- PrintReplicaEqual.cpp - Print what replicas share ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of functions, on any dialects.
// Out: the same; prints on which replicas each value and each modified ref is
// equal.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_PRINTREPLICAEQUALPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;

static void printValues(ValueRange values, const ReplicaEqual &analysis,
                        raw_ostream &os) {
  llvm::interleaveComma(values, os,
                        [&](Value value) { os << analysis.get(value); });
}

static void print(FunctionOpInterface function, const ReplicaEqual &analysis,
                  raw_ostream &os) {
  os << "@" << function.getName();
  if (function.isExternal()) {
    os << ": no body\n";
    return;
  }
  os << "(";
  printValues(function.getArguments(), analysis, os);
  os << ")\n";
  unsigned number = 0;
  function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    unsigned own = number++;
    auto modified = analysis.getModified(op);
    if (op->getNumResults() == 0 && modified.empty())
      return;
    os << "  #" << own << " '" << op->getName() << "':";
    if (op->getNumResults() > 0)
      os << " ";
    printValues(op->getResults(), analysis, os);
    for (auto [i, ref] : llvm::enumerate(modified))
      os << (i == 0 ? " modifies " : ", ") << "operand "
         << ref.first->getOperandNumber() << " " << ref.second;
    os << "\n";
  });
}

namespace {
struct PrintReplicaEqualPass
    : pop::impl::PrintReplicaEqualPassBase<PrintReplicaEqualPass> {
  using PrintReplicaEqualPassBase::PrintReplicaEqualPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    FailureOr<ReplicaEqual> analysis = ReplicaEqual::create(
        module, replicas != 0 ? replicas : getTargetModel(module).replicas);
    if (failed(analysis))
      return signalPassFailure();
    for (auto function : module.getOps<FunctionOpInterface>())
      print(function, *analysis, llvm::outs());
    warnOfReplicaDisagreements(*analysis);
  }
};
} // namespace
