//===- PropagationReport.h - Report of propagation --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONREPORT_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONREPORT_H

#include "FactorTable.h"
#include "PropagationDriver.h"
#include "ipu-mlir/Sharding/ShardingConflicts.h"
#include "mlir/IR/AsmState.h"

namespace mlir::ipu::sdy {

/// Prints each visit during propagation. For a visit that changes shardings,
/// also prints the table of factors before and after the visit. At the end,
/// prints the remaining conflicts and the kinds of ops without a rule. For a
/// conflict, prints the axes that tensors require, the tensors that have these
/// axes, the reasons, and the number of bytes that would have to be moved. With
/// `conflictsOnly`, prints only conflicts; where the text of a conflict refers
/// to a step by its number, it then also names the op of the step.
class PropagationReport : public PropagationObserver {
public:
  PropagationReport(ModuleOp module, raw_ostream &os, bool conflictsOnly);

  void startIteration(int64_t userPriority, unsigned opPriority) override;
  void startVisit(Operation *op) override;
  void notifyStep(const PropagationStep &step) override;

  /// Prints the end of the report. Must be called after the last iteration.
  void printSummary(PropagationDriver &driver);

private:
  /// An axis that a tensor got during propagation, and the step in which it got
  /// the axis.
  struct Gain {
    sharding::AxisRef axis;
    int64_t step;
    Operation *op;
    /// The name of the op in the report. It is stored because the op may be
    /// erased.
    std::string title;
  };

  static std::string getTitle(const PropagationStep &step);
  void printStep(const PropagationStep &step);
  void reportConflict(const PropagationStep &step,
                      const sharding::Conflict &conflict);
  /// Returns the reason why the axis of the conflict was not added to the
  /// tensor of `refusal`.
  std::string getReason(const PropagationStep &step,
                        const sharding::Conflict &conflict,
                        const sharding::Refusal &refusal,
                        ArrayRef<std::string> tensorNames);
  void reportOpsWithoutRule(PropagationDriver &driver);

  ModuleOp module;
  raw_ostream &os;
  bool conflictsOnly;
  AsmState names;
  int64_t numVisits = 0;
  int64_t numSteps = 0;
  int64_t numConflicts = 0;
  llvm::DenseMap<const ShardingState::Tensor *, SmallVector<Gain, 2>> gains;
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATIONREPORT_H
