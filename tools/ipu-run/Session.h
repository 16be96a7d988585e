//===- Session.h - Compiles and runs one model ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TOOLS_IPU_RUN_SESSION_H
#define IPU_MLIR_TOOLS_IPU_RUN_SESSION_H

#include "Files.h"
#include "Model.h"
#include "Options.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringMap.h"

namespace mlir::ipu::run {

/// One call of ipu-run, after its arguments have been parsed.
class Session {
public:
  Session(const Options &options, MLIRContext *context);

  /// Does everything but the flush of standard output.
  Status run();

private:
  /// Reads files and opens those to be written, so that what a user got wrong
  /// is told before a long compilation.
  Status prepare();
  Status compile();
  /// Checks names and types against the program, makes the inputs.
  Status bind();
  Status checkExpectedTypes();
  /// Runs the program on one engine.
  Status execute(EngineKind engine, ExecuteResult &result);
  /// Compares with the other engine's outputs.
  Status compareEngines(const ExecuteResult &result);
  Status writeResults(const ExecuteResult &result);
  Status compareExpected(const ExecuteResult &result);

  const Options &options;
  MLIRContext *context;
  std::shared_ptr<llvm::SourceMgr> sourceMgr;

  OwningOpRef<ModuleOp> module;
  Signature signature;
  /// Tensors by file, by input, and as options.expectations.
  llvm::StringMap<HostTensor> files;
  llvm::StringMap<HostTensor> inputs;
  std::vector<HostTensor> expected;
  std::unique_ptr<OutputFile> profileFile;
};

} // namespace mlir::ipu::run

#endif // IPU_MLIR_TOOLS_IPU_RUN_SESSION_H
