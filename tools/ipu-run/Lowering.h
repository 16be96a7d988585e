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

/// Whether `module` is lowered already: it has ops of the ipu dialect.
bool isLowered(ModuleOp module);

/// Says, after a diagnostic that lists functions, how to choose one.
Status reportNoProgram(const Options &options);

/// Runs the pipeline that `options` ask for, or the default one unless `module`
/// is lowered already.
Status lowerModel(const Options &options, ModuleOp module);

/// What a lowered program reads from the host and writes to it, in order of
/// first use, with the types of the host's tensors.
struct Signature {
  std::vector<ProgramInput> inputs;
  std::vector<ProgramInput> outputs;
};

/// Fails with a diagnostic if there is no such function, lowered.
FailureOr<Signature> getSignature(ModuleOp module, StringRef entry);

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_LOWERING_H
