//===- VerifyContracts.cpp - Verification of conditions -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, or an error for each condition that does
// not hold, at the first op that violates the condition.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/PipelineContracts.h"

namespace mlir::pop {
#define GEN_PASS_DEF_VERIFYCONTRACTSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

static FailureOr<ConditionSet> parseConditions(ArrayRef<std::string> names,
                                               Location location) {
  ConditionSet conditions;
  for (StringRef name : names) {
    std::optional<Condition> condition = symbolizeCondition(name);
    if (condition) {
      conditions.insert(*condition);
      continue;
    }
    InFlightDiagnostic error = emitError(location);
    error << "'pop-verify-contracts' expects a condition but got '" << name
          << "'; the conditions are ";
    llvm::interleaveComma(getAllConditions(), error, [&](Condition known) {
      error << stringifyCondition(known);
    });
    return error;
  }
  return conditions;
}

namespace {
struct VerifyContractsPass
    : pop::impl::VerifyContractsPassBase<VerifyContractsPass> {
  using VerifyContractsPassBase::VerifyContractsPassBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    FailureOr<ConditionSet> checked =
        parseConditions(conditions, module.getLoc());
    if (failed(checked))
      return signalPassFailure();
    bool isBefore = !before.empty();
    StringRef passes = isBefore ? before : after;
    for (Condition condition : checked->getConditions())
      if (failed(checkCondition(module, condition, [&](Operation *op) {
            return emitConditionError(op, condition, passes, isBefore);
          })))
        signalPassFailure();
  }
};
} // namespace
