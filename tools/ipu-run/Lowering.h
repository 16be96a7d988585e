//===- Lowering.h - Lowering of models --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_LOWERING_H
#define IPU_MLIR_TOOLS_IPU_RUN_LOWERING_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu::run {

/// Returns whether `module` is already lowered, that is, whether it has ops of
/// the ipu dialect.
bool isLowered(ModuleOp module);

/// Reports that --entry chooses the function. Call this after a diagnostic that
/// lists the functions.
Status reportNoProgram(const Options &options);

/// Runs the requested pipeline or, unless `module` is already lowered, the
/// default pipeline.
Status lowerModel(const Options &options, ModuleOp module);

/// The inputs and outputs of a lowered program, in the order of first use, with
/// the types of the host's tensors.
struct Signature {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramInput> outputs;
};

/// Returns the signature of the lowered program `entry`. Emits an error and
/// fails if there is no such program.
FailureOr<Signature> getSignature(ModuleOp module, StringRef entry);

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_LOWERING_H
