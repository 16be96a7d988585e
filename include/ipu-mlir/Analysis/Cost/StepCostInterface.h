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

  const TargetModel &target;
  CostLevel level;
  CodeBytes getCodeBytes;
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
