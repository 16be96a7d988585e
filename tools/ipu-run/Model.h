//===- Model.h - From a file to a program -----------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_MODEL_H
#define IPU_MLIR_TOOLS_IPU_RUN_MODEL_H

#include "Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace mlir::ipu::run {

/// Registers the dialects that models and programs are made of.
void registerDialects(DialectRegistry &registry);

/// Whether a model is read as ONNX, by the name of its file.
bool isONNXFile(StringRef path);

/// Reads the file of `options.model` into `module` and sets the target. An MLIR
/// file's text stays in `sourceMgr`, for diagnostics.
Status loadModel(const Options &options, MLIRContext *context,
                 const std::shared_ptr<llvm::SourceMgr> &sourceMgr,
                 OwningOpRef<ModuleOp> &module);

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

#endif // IPU_MLIR_TOOLS_IPU_RUN_MODEL_H
