//===- ReplicaEqualPrinter.cpp - Printer of equal replicas ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"

using namespace mlir;
using namespace mlir::ipu;

static void printOp(Operation *op, const ReplicaEqual &analysis,
                    raw_ostream &os) {
  auto modified = analysis.getModified(op);
  os << "'" << op->getName() << "':";
  if (op->getNumResults() > 0)
    os << " ";
  llvm::interleaveComma(op->getResults(), os,
                        [&](Value value) { os << analysis.get(value); });
  for (auto [i, ref] : llvm::enumerate(modified))
    os << (i == 0 ? " modifies " : ", ") << "operand "
       << ref.first->getOperandNumber() << " " << ref.second;
  if (op->getNumOperands() > 0)
    os << " from ";
  llvm::interleaveComma(op->getOpOperands(), os, [&](OpOperand &operand) {
    os << analysis.getInput(operand);
  });
  os << "\n";
}

static void print(FunctionOpInterface function, const ReplicaEqual &analysis,
                  raw_ostream &os) {
  os << "@" << function.getName();
  if (function.isExternal()) {
    os << ": no body\n";
    return;
  }
  os << "(";
  llvm::interleaveComma(function.getArguments(), os,
                        [&](Value value) { os << analysis.get(value); });
  os << ")\n";
  unsigned number = 0;
  function.getFunctionBody().walk<WalkOrder::PreOrder>([&](Operation *op) {
    unsigned own = number++;
    bool isTerminator = op->hasTrait<OpTrait::IsTerminator>();
    if (op->getNumResults() == 0 && (op->getNumOperands() == 0 || isTerminator))
      return;
    os << "  #" << own << " ";
    printOp(op, analysis, os);
  });
}

void mlir::ipu::printReplicaEqual(ModuleOp module, const ReplicaEqual &analysis,
                                  raw_ostream &os) {
  for (auto function : module.getOps<FunctionOpInterface>())
    print(function, analysis, os);
}

static void explain(Operation *op, const ReplicaEqual &analysis) {
  auto remark = [&](const Twine &what, ReplicaPartition partition,
                    ArrayRef<ReplicaDifference> path) {
    InFlightDiagnostic diag = emitRemark(op->getLoc())
                              << "'" << op->getName() << "' op " << what
                              << " has replica partition '"
                              << toString(partition) << "'";
    noteReplicaDifference(diag, path);
  };
  for (OpResult result : op->getResults())
    if (ReplicaPartition partition = analysis.get(result); !partition.isAll())
      remark("result #" + Twine(result.getResultNumber()), partition,
             analysis.explain(result));
  for (auto [operand, partition] : analysis.getModified(op))
    if (!partition.isAll())
      remark("modified operand #" + Twine(operand->getOperandNumber()),
             partition, analysis.explainModified(*operand));
}

void mlir::ipu::explainReplicaEqual(ModuleOp module,
                                    const ReplicaEqual &analysis) {
  for (auto function : module.getOps<FunctionOpInterface>())
    function.getFunctionBody().walk<WalkOrder::PreOrder>(
        [&](Operation *op) { explain(op, analysis); });
}
