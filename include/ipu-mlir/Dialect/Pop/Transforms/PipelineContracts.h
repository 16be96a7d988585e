//===- PipelineContracts.h - Contracts of pipelines -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contracts of the passes in a pipeline can be checked in three ways: from
// the text of the pipeline, by passes that are inserted between the pipeline's
// passes, and by an instrumentation around each executed pass.
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
// Consecutive passes
//===----------------------------------------------------------------------===//

/// A pass in the text of a pipeline.
struct PassUse {
  std::string pass;
  /// The text between the braces after the name of the pass.
  std::string options;
};

/// Returns the passes in the text `pipeline`, including nested passes, in the
/// order of their execution.
SmallVector<PassUse> parsePassUses(StringRef pipeline);

/// Returns the argument of `pass`. If `pass` runs nested passes, returns their
/// arguments, separated by commas.
std::string getPassNames(Pass &pass);

/// The contract that consecutive passes have together. `assumes` contains
/// conditions that must hold before the first pass. After a pass without a
/// contract, no condition is known to hold, because such a pass may establish
/// or violate any condition. Therefore the assumptions of later passes are not
/// added to `assumes`.
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

/// Starts an error at `op`, which violates `condition` before or after the
/// passes with the names `passes`. If `passes` is empty, the error mentions no
/// passes.
InFlightDiagnostic emitConditionError(Operation *op, Condition condition,
                                      StringRef passes, bool isBefore);

/// Adds `pop-verify-contracts` before and after each pass of `manager` whose
/// index is at least `first`. The check before a pass verifies the conditions
/// that the pass assumes. The check after a pass verifies the conditions that
/// the pass guarantees. It also verifies the conditions that were verified
/// before the pass and that the pass preserves.
void addContractChecks(OpPassManager &manager, size_t first = 0);

/// An instrumentation that checks the contract of each pass on a module. If a
/// pass runs nested passes, the instrumentation checks the combined contract of
/// the nested passes. An instrumentation cannot make a pass fail. Therefore
/// `addContractInstrumentation` adds a pass at the end of the pipeline, and
/// this pass fails after a violation.
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

/// Adds the instrumentation to `manager`. Also adds, after the present passes,
/// a pass that fails if a contract was violated.
void addContractInstrumentation(PassManager &manager);

} // namespace mlir::pop

#endif // IPU_MLIR_DIALECT_POP_TRANSFORMS_PIPELINECONTRACTS_H
