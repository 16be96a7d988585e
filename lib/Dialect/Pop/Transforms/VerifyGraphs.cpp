//===- VerifyGraphs.cpp - Verification of calls -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, or errors at graphs that call themselves,
// at loads of code that is running, at calls whose callee modifies a tensor
// that it can access in two ways, and at variables that share a row of a remote
// buffer.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/CodeLiveness/CodeLiveness.h"
#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_VERIFYGRAPHSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;

static LogicalResult verifyAliases(CallOpInterface call,
                                   const GraphEffects &effects) {
  std::optional<AliasConflict> conflict = effects.findAliasConflict(call);
  if (!conflict)
    return success();
  FunctionOpInterface callee = effects.getCalls().getCallee(call);
  InFlightDiagnostic diagnostic = call->emitOpError();
  if (conflict->otherOperand)
    diagnostic << "passes the same elements as operands " << conflict->operand
               << " and " << *conflict->otherOperand << " of @"
               << callee.getName()
               << ", which modifies the elements; the callee may read one of "
                  "the operands only before it modifies the other";
  else
    diagnostic << "passes elements of variable " << conflict->variable
               << " as operand " << conflict->operand << " of @"
               << callee.getName()
               << ", which also accesses the variable by name and modifies the "
                  "elements";
  diagnostic.attachNote(callee.getLoc())
      << "@" << callee.getName() << " is defined here";
  return diagnostic;
}

/// Two variables in one row of a remote buffer would be one.
static LogicalResult verifyRows(ModuleOp module) {
  llvm::DenseMap<std::pair<Attribute, Attribute>, pop::VariableOp> inRow;
  for (auto variable : module.getOps<pop::VariableOp>()) {
    if (!variable.getBuffer() || !variable.getRow())
      continue;
    auto [other, isNew] = inRow.try_emplace(
        {variable.getBufferAttr(), variable.getRowAttr()}, variable);
    if (isNew)
      continue;
    InFlightDiagnostic diagnostic =
        variable.emitOpError()
        << "@" << variable.getSymName() << " is in row " << *variable.getRow()
        << " of " << variable.getBufferAttr() << ", like @"
        << other->second.getSymName()
        << ": expects a separate row for each variable";
    diagnostic.attachNote(other->second.getLoc())
        << "@" << other->second.getSymName() << " is defined here";
    return diagnostic;
  }
  return success();
}

namespace {
struct VerifyGraphsPass : pop::impl::VerifyGraphsPassBase<VerifyGraphsPass> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(verifyRows(getOperation())) ||
        failed(CodeLiveness::create(getOperation())))
      return signalPassFailure();
    const auto &effects = getAnalysis<GraphEffects>();
    bool isValid = true;
    for (FunctionOpInterface function : effects.getCalls().getFunctions())
      for (CallOpInterface call : effects.getCalls().getCallsIn(function))
        isValid &= succeeded(verifyAliases(call, effects));
    if (!isValid)
      signalPassFailure();
  }
};
} // namespace
