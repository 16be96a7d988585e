//===- PropagatePass.h - Base of propagation passes -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATEPASS_H
#define IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATEPASS_H

#include "ipu-mlir/Dialect/Sdy/Transforms/Propagation.h"
#include "mlir/Pass/Pass.h"

namespace mlir::ipu::sdy {

/// The base class of propagation passes. It reads the options that all of these
/// passes have.
template <typename BaseT>
struct PropagatePass : BaseT {
  using BaseT::BaseT;

protected:
  PropagationOptions getOptions() {
    PropagationOptions options;
    options.opPriority = options.userPriority = false;
    options.conservative = this->conservative;
    options.keepShardingRules = this->keepShardingRules;
    bool isReported = this->report || this->reportConflicts;
    options.report = isReported ? &llvm::errs() : nullptr;
    options.reportConflictsOnly = !this->report;
    options.debugShardingOrigins = this->debugShardingOrigins;
    options.debugPropagationEdges = this->debugPropagationEdges;
    options.moduleDumpDirectory = this->moduleDumpDirectory;
    return options;
  }
};

} // namespace mlir::ipu::sdy

#endif // IPU_MLIR_LIB_DIALECT_SDY_TRANSFORMS_PROPAGATION_PROPAGATEPASS_H
