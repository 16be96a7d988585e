//===- StepCostInterface.h - Cost of steps ----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_COST_STEPCOSTINTERFACE_H
#define IPU_MLIR_ANALYSIS_COST_STEPCOSTINTERFACE_H

#include "ipu-mlir/Analysis/Cost/ContractionMethod.h"
#include "ipu-mlir/Analysis/Cost/CostLevel.h"
#include "ipu-mlir/Analysis/Cost/FlopUnit.h"
#include "ipu-mlir/Analysis/Cost/StepPart.h"
#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "mlir/IR/DialectRegistry.h"
#include "llvm/ADT/SmallBitVector.h"
#include <optional>

namespace mlir::ipu {

/// The information from which the cost of a step is estimated, in addition to
/// the step itself.
struct StepCostContext {
  /// Returns the number of bytes that the code of `functions` takes on each
  /// tile in `memory`. Emits an error at `step` and fails if this number cannot
  /// be determined.
  using CodeBytes = function_ref<FailureOr<TileCounts>(
      Operation *step, ArrayRef<Attribute> functions, CodeLocation memory)>;
  /// Returns, as bits, the IPUs of a replica that execute `control`, a call,
  /// loop or branch: those of its operands, and of the steps that it executes.
  /// Emits an error at `control` and fails if they cannot be determined.
  using ControlIPUs =
      function_ref<FailureOr<llvm::SmallBitVector>(Operation *control)>;

  const TargetModel &target;
  CostLevel level;
  CodeBytes getCodeBytes;
  ControlIPUs getControlIPUs;
};

/// Attaches StepCostOpInterface to the steps of the ipu dialect.
void registerStepCostModels(DialectRegistry &registry);

} // namespace mlir::ipu

#include "ipu-mlir/Analysis/Cost/StepCostInterface.h.inc"

namespace mlir::ipu {

/// If `step` comes from several ops of the source, returns `cost` with the
/// share of each of these ops. The shares are proportional to what the parts of
/// the step would cost alone.
StepCostAttr addCostShares(StepOpInterface step, StepCostAttr cost,
                           const StepCostContext &context);

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_COST_STEPCOSTINTERFACE_H
