//===- ContractInstrumentation.cpp - Contracts of running passes ----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conditions are about modules. Passes on functions run on several functions at
// a time, so the module can only be checked before the first and after the last
// of the passes that run nested in it.
//
//===----------------------------------------------------------------------===//

#include "ContractsDetail.h"

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"
#include <mutex>

using namespace mlir;
using namespace mlir::pop;

InFlightDiagnostic mlir::pop::emitConditionError(Operation *op,
                                                 Condition condition,
                                                 StringRef passes,
                                                 bool isBefore) {
  InFlightDiagnostic error = op->emitOpError()
                             << "violates " << stringifyCondition(condition);
  if (!passes.empty()) {
    error << (isBefore ? " before " : " after ")
          << (passes.contains(',') ? "passes '" : "pass '") << passes << "'";
    const PassContract *contract = lookupPassContract(passes);
    if (contract && isBefore && contract->assumes.contains(condition))
      error << ", whose contract assumes it";
    else if (contract && !isBefore && contract->guarantees.contains(condition))
      error << ", whose contract guarantees it";
    else if (contract && !isBefore && contract->preserves.contains(condition))
      error << ", whose contract preserves it";
  }
  error << ": ";
  return error;
}

struct ContractInstrumentation::State {
  /// Checks conditions unless a contract has been violated: all else may follow
  /// from that.
  void check(ModuleOp module, ConditionSet conditions, StringRef passes,
             bool isBefore);
  bool isViolated() {
    std::lock_guard<std::mutex> lock(mutex);
    return violated;
  }

  std::mutex mutex;
  bool violated = false;
  /// What held before passes that are running and has to hold after them.
  llvm::DenseMap<std::pair<Pass *, Operation *>, ConditionSet> running;
};

void ContractInstrumentation::State::check(ModuleOp module,
                                           ConditionSet conditions,
                                           StringRef passes, bool isBefore) {
  for (Condition condition : conditions.getConditions()) {
    if (isViolated())
      return;
    if (succeeded(checkCondition(module, condition, [&](Operation *op) {
          return emitConditionError(op, condition, passes, isBefore);
        })))
      continue;
    std::lock_guard<std::mutex> lock(mutex);
    violated = true;
  }
}

ContractInstrumentation::ContractInstrumentation()
    : state(std::make_unique<State>()) {}
ContractInstrumentation::~ContractInstrumentation() = default;

bool ContractInstrumentation::isViolated() const { return state->isViolated(); }

void ContractInstrumentation::runBeforePass(Pass *pass, Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return;
  SmallVector<PassUse> uses = pop::detail::getPassUses(*pass);
  CombinedContract contract = combineContracts(uses);
  state->check(module, contract.assumes, pop::detail::joinNames(uses),
               /*isBefore=*/true);
  ConditionSet after =
      contract.guarantees | getHolding(module, contract.preserves);
  std::lock_guard<std::mutex> lock(state->mutex);
  state->running[{pass, op}] = after;
}

void ContractInstrumentation::runAfterPass(Pass *pass, Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  if (!module)
    return;
  ConditionSet after;
  {
    std::lock_guard<std::mutex> lock(state->mutex);
    auto it = state->running.find({pass, op});
    after = it->second;
    state->running.erase(it);
  }
  state->check(module, after, getPassNames(*pass), /*isBefore=*/false);
}

void ContractInstrumentation::runAfterPassFailed(Pass *pass, Operation *op) {
  std::lock_guard<std::mutex> lock(state->mutex);
  state->running.erase({pass, op});
}

namespace {
/// Fails where the instrumentation could not.
class ReportViolation : public PassWrapper<ReportViolation, OperationPass<>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ReportViolation)
  explicit ReportViolation(const ContractInstrumentation &instrumentation)
      : instrumentation(&instrumentation) {}

  void runOnOperation() override {
    if (instrumentation->isViolated())
      return signalPassFailure();
    markAllAnalysesPreserved();
  }

private:
  /// The pass manager owns it, too.
  const ContractInstrumentation *instrumentation;
};
} // namespace

void mlir::pop::addContractInstrumentation(PassManager &manager) {
  auto instrumentation = std::make_unique<ContractInstrumentation>();
  manager.addPass(std::make_unique<ReportViolation>(*instrumentation));
  manager.addInstrumentation(std::move(instrumentation));
}
