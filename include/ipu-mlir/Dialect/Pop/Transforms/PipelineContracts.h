//===- PipelineContracts.h - Contracts of pipelines -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks of contracts: of the text of a pipeline, by passes between those of a
// pipeline, and around each executed pass.
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

/// A pass as the text of a pipeline has it.
struct PassUse {
  std::string pass;
  /// What is between the braces.
  std::string options;
};

/// The passes of the text of a pipeline, nested ones as well, in order.
SmallVector<PassUse> parsePassUses(StringRef pipeline);

/// What passes in a row do together. Of passes that declared nothing nothing is
/// known.
struct CombinedContract {
  ConditionSet assumes, guarantees, preserves;
};
CombinedContract combineContracts(ArrayRef<PassUse> passes);

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Fails, with an error at `location`, if a pass of the pipeline assumes a
/// condition which a pass before it does not preserve and none in between
/// guarantees. Passes without a contract are taken to preserve everything.
LogicalResult verifyPipelineContracts(const OpPassManager &manager,
                                      Location location);

/// Starts the error at an op that violates a condition before or after passes
/// whose names are `passes`; nothing of them if that is empty.
InFlightDiagnostic emitConditionError(Operation *op, Condition condition,
                                      StringRef passes, bool isBefore);

/// Puts `pop-verify-contracts` around the passes of the manager from number
/// `first` on: before them for what they assume; after them for what they
/// guarantee, and for what is known to have held and they preserve.
void addContractChecks(OpPassManager &manager, size_t first = 0);

/// Checks contracts around each pass on a module, and around passes nested in
/// it together. An instrumentation cannot fail a pass: an error makes
/// `addContractInstrumentation`'s last pass fail.
class ContractInstrumentation : public PassInstrumentation {
public:
  ContractInstrumentation();
  ~ContractInstrumentation() override;

  /// Whether a contract was violated.
  bool isViolated() const;

  void runBeforePass(Pass *pass, Operation *op) override;
  void runAfterPass(Pass *pass, Operation *op) override;
  void runAfterPassFailed(Pass *pass, Operation *op) override;

private:
  struct State;
  std::unique_ptr<State> state;
};

/// Adds the instrumentation, and after all passes one that fails if a contract
/// was violated.
void addContractInstrumentation(PassManager &manager);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINECONTRACTS_H
