//===- PipelineContracts.h - Contracts of pipelines -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of contracts: of the text of a pipeline, by passes between the passes
// of a pipeline, and around each executed pass.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINECONTRACTS_H
#define IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINECONTRACTS_H

#include "ipu-mlir/Dialect/Pop/Transforms/Contracts.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"
#include <memory>
#include <string>

namespace mlir::pop {

//===----------------------------------------------------------------------===//
// Passes in a row
//===----------------------------------------------------------------------===//

/// A pass in the text of a pipeline.
struct PassUse {
  std::string pass;
  /// The text between the braces.
  std::string options;
};

/// Returns the passes in the text of a pipeline, including nested passes, in
/// order.
SmallVector<PassUse> parsePassUses(StringRef pipeline);

/// The joint contract of consecutive passes. Nothing is known about passes that
/// have declared no contract.
struct CombinedContract {
  ConditionSet assumes, guarantees, preserves;
};
CombinedContract combineContracts(ArrayRef<PassUse> passes);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Fails, with an error at `location`, if a pass of the pipeline assumes a
/// condition that an earlier pass does not preserve and that no pass in between
/// guarantees. A pass without a contract is assumed to preserve all conditions.
LogicalResult verifyPipelineContracts(const OpPassManager &manager,
                                      Location location);

/// Starts the error at an op that violates a condition before or after the
/// passes with the names `passes`. The error mentions no passes if `passes` is
/// empty.
InFlightDiagnostic emitConditionError(Operation *op, Condition condition,
                                      StringRef passes, bool isBefore);

/// Puts `pop-verify-contracts` around the passes of the manager from number
/// `first` on: before each pass for the conditions that it assumes; after each
/// pass for the conditions that it guarantees, and for the conditions that held
/// before it and that it preserves.
void addContractChecks(OpPassManager &manager, size_t first = 0);

/// Checks contracts around each pass on a module, and around all passes that
/// are nested in it together. An instrumentation cannot fail a pass. Therefore
/// an error makes the last pass of `addContractInstrumentation` fail.
class ContractInstrumentation : public PassInstrumentation {
public:
  ContractInstrumentation();
  ~ContractInstrumentation() override;

  /// Returns whether a contract was violated.
  bool isViolated() const;

  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override;
  void runAfterPassFailed(Pass *pass, Operation *op) override;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Adds the instrumentation and, after all passes, a pass that fails if a
/// contract was violated.
void addContractInstrumentation(PassManager &manager);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINECONTRACTS_H
