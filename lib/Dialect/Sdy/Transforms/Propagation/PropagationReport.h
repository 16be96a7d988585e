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

/// Prints each visit during propagation and, if it changes something, the table
/// of factors before and after. At the end, prints the remaining conflicts,
/// with the axes that tensors require, the tensors that have these axes and the
/// reasons, and the bytes that would have to move; and the kinds of ops without
/// a rule. Or only prints conflicts, which then name the ops of the steps that
/// they mention.
class PropagationReport : public PropagationObserver {
public:
  PropagationReport(ModuleOp module, raw_ostream &os, bool conflictsOnly);

  void startIteration(int64_t userPriority, unsigned opPriority) override;
  void startVisit(Operation *op) override;
  void notifyStep(const PropagationStep &step) override;

  /// Must be called after the last iteration.
  void printSummary(PropagationDriver &driver);

private:
  /// The step in which a tensor got an axis.
  struct Gain {
    sharding::AxisRef axis;
    int64_t step;
    Operation *op;
    /// The name of the op in the report, since the op may be erased.
    std::string title;
  };

  static std::string getTitle(const PropagationStep &step);
  void printStep(const PropagationStep &step);
  void reportConflict(const PropagationStep &step,
                      const sharding::Conflict &conflict);
  /// Returns the reason why the tensor of `refusal` does not take the axis.
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
