//===- Compile.h - Compilation of models ------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_COMPILE_H
#define IPU_MLIR_TOOLS_COMPILE_H

#include "ipu-mlir/Compiler/Compiler.h"
#include "ipu-mlir/Tools/Model.h"

namespace mlir::ipu::tools {

/// Compiles `module`, which was loaded from the model of `model`, and shows the
/// steps on a terminal. If the program does not fit, the advice considers other
/// sizes of the dimensions in `model`. Reports an error and fails if the module
/// cannot be compiled. `layers` are the options if `model` says that each IPU
/// has layers of the model; by default, these are `options` with
/// `placesLayers`. If both ways are tried, a remark states the cycles of both.
FailureOr<CompiledProgram>
compileModel(const ModelOptions &model, OwningOpRef<ModuleOp> module,
             const CompileOptions &options,
             std::optional<CompileOptions> layers = std::nullopt);

/// Reports that the model cannot be compiled, and returns Status::BadModel.
/// `reason` is the rest of the message.
Status reportNotCompiled(const ModelOptions &model, const Twine &reason = "");
/// Reports that the model cannot be run, and returns Status::BadModel. `where`
/// is the rest of the message.
Status reportNotRun(const ModelOptions &model, const Twine &where = "");

} // namespace mlir::ipu::tools

#endif // IPU_MLIR_TOOLS_COMPILE_H
