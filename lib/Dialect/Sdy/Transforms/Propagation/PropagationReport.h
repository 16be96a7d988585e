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

/// Prints, as it happens: each visit; of those that change something, the table
/// of factors before and after. Then what is left: conflicts, with who wanted
/// which axes, who has them and why, and how many bytes would have to move; and
/// the kinds of ops that have no rule. Or conflicts only, which then name the
/// ops of the steps that they mention.
class PropagationReport : public PropagationObserver {
public:
  PropagationReport(ModuleOp module, raw_ostream &os, bool conflictsOnly);

  void startIteration(int64_t userPriority, unsigned opPriority) override;
  void startVisit(Operation *op) override;
  void notifyStep(const PropagationStep &step) override;

  /// After the last iteration.
  void printSummary(PropagationDriver &driver);

private:
  /// When a tensor got an axis.
  struct Gain {
    sharding::AxisRef axis;
    int64_t step;
    Operation *op;
    /// What the report calls the op, which may die.
    std::string title;
  };

  static std::string getTitle(const PropagationStep &step);
  void printStep(const PropagationStep &step);
  void reportConflict(const PropagationStep &step,
                      const sharding::Conflict &conflict);
  /// Why the tensor of `refusal` does not take the axis.
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
