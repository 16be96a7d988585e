//===- Execute.cpp - Pass that executes a program -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Executor/Check/ReplicaEqualReport.h"
#include "ipu-mlir/Executor/Passes.h"
#include "ipu-mlir/Executor/Program/Program.h"
#include "ipu-mlir/Executor/Run/Executor.h"
#include "ipu-mlir/Host/InputSpec.h"
#include "ipu-mlir/Host/Npy.h"
#include "ipu-mlir/Host/OutputFiles.h"
#include "ipu-mlir/Host/PrintTensor.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/ToolOutputFile.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_IPUEXECUTEPASS
#include "ipu-mlir/Executor/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct ExecutePass : public mlir::ipu::impl::IPUExecutePassBase<ExecutePass> {
  using IPUExecutePassBase::IPUExecutePassBase;

  void getDependentDialects(DialectRegistry &registry) const override {
    registerExecutorDialects(registry);
  }
  void runOnOperation() override {
    markAllAnalysesPreserved();
    if (failed(run(getOperation())))
      signalPassFailure();
  }

private:
  FailureOr<ExecuteOptions> parseOptions(ModuleOp module);
  LogicalResult checkNoEngine(ModuleOp module);
  FailureOr<TensorMap> readInputs(ModuleOp module,
                                  ArrayRef<ProgramInput> expected);
  LogicalResult run(ModuleOp module);
  LogicalResult writeResults(ModuleOp module, const ProgramSignature &signature,
                             const ExecuteResult &result);
  LogicalResult writeFile(ModuleOp module, StringRef path,
                          function_ref<void(raw_ostream &)> write);
};
} // namespace

/// Returns the tensor in `file`. Errors name the file.
static llvm::Expected<HostTensor> readFile(StringRef file,
                                           MLIRContext *context) {
  llvm::Expected<HostTensor> tensor = readNpy(file, context);
  if (tensor)
    return tensor;
  return llvm::createStringError(
      llvm::inconvertibleErrorCode(),
      "cannot read '" + file + "': " + llvm::toString(tensor.takeError()));
}

FailureOr<TensorMap> ExecutePass::readInputs(ModuleOp module,
                                             ArrayRef<ProgramInput> expected) {
  std::vector<InputSpec> specs;
  for (const std::string &text : inputs) {
    llvm::Expected<InputSpec> spec = parseInputSpec(text);
    if (!spec)
      return module.emitError(llvm::toString(spec.takeError()));
    specs.push_back(std::move(*spec));
  }
  auto values = resolveInputs(specs, expected, [&](StringRef file) {
    return readFile(file, module.getContext());
  });
  if (!values)
    return module.emitError(llvm::toString(values.takeError()));
  TensorMap result;
  for (auto [input, value] : llvm::zip_equal(expected, *values))
    if (value)
      result[input.name] = std::move(*value);
  return result;
}

/// Reads all options of the pass but the inputs.
FailureOr<ExecuteOptions> ExecutePass::parseOptions(ModuleOp module) {
  ExecuteOptions options;
  options.entry = entry;
  if (threads == 0 || threads > kMaxThreads)
    return module.emitError() << "expects 1 to " << kMaxThreads
                              << " threads but got " << threads.getValue();
  options.threads = threads;
  options.seed = seed;
  options.allowOutOfMemory = allowOOM;
  options.detailsProfile = !profile.empty();
  options.check = check;
  options.checkReplicaEqual = checkReplicaEqual;
  StringRef name = engine;
  if (name.empty())
    name = check ? "interp" : "jit";
  if (name != "jit" && name != "interp" && name != "none")
    return module.emitError()
           << "expects engine 'jit', 'interp' or 'none' but got '" << engine
           << "'";
  options.engine = name == "jit"      ? EngineKind::Jit
                   : name == "interp" ? EngineKind::Interp
                                      : EngineKind::None;
  return options;
}

/// Fails if the pass is to write or check values that it does not compute.
LogicalResult ExecutePass::checkNoEngine(ModuleOp module) {
  if (!inputs.empty() || check || checkReplicaEqual)
    return module.emitError(
        "engine 'none' computes no values: expects no option 'inputs', 'check' "
        "or 'check-replica-equal'; to compute values, choose engine 'jit' or "
        "'interp'");
  if (results != "-")
    return module.emitError("engine 'none' has no results to write to '")
           << results << "'";
  if (!replicaEqualReport.empty())
    return module.emitError("engine 'none' has nothing to report to '")
           << replicaEqualReport << "'";
  return success();
}

LogicalResult ExecutePass::run(ModuleOp module) {
  FailureOr<ExecuteOptions> options = parseOptions(module);
  if (failed(options))
    return failure();
  bool computes = options->engine != EngineKind::None;
  if (!computes && failed(checkNoEngine(module)))
    return failure();
  ProgramSignature signature;
  if (auto function = dyn_cast_or_null<func::FuncOp>(
          SymbolTable::lookupSymbolIn(module, entry)))
    signature = getProgramSignature(function);
  FailureOr<TensorMap> values = TensorMap();
  if (computes)
    values = readInputs(module, signature.inputs);
  if (failed(values))
    return failure();
  options->input = [&](StringRef name, RankedTensorType) {
    return getInput(module, *values, name, {options->seed, /*run=*/0});
  };
  ReplicaEqualReport report;
  if (!replicaEqualReport.empty())
    options->replicaEqualReport = &report;
  FailureOr<ExecuteResult> result = execute(module, *options);
  // Also of a run that failed.
  if (options->replicaEqualReport &&
      failed(writeFile(module, replicaEqualReport, [&](raw_ostream &os) {
        writeReplicaEqualReport(report, os);
      })))
    return failure();
  if (failed(result) || failed(writeResults(module, signature, *result)))
    return failure();
  if (profile.empty())
    return success();
  return writeFile(module, profile,
                   [&](raw_ostream &os) { writeProfile(result->profile, os); });
}

LogicalResult ExecutePass::writeResults(ModuleOp module,
                                        const ProgramSignature &signature,
                                        const ExecuteResult &result) {
  if (results == "-") {
    for (const NamedTensor &output : result.outputs)
      printTensor(llvm::outs(), output.name, output.tensor);
    llvm::outs().flush();
    return success();
  }
  if (std::error_code error = llvm::sys::fs::create_directories(results))
    return module.emitError() << "cannot create directory '" << results
                              << "': " << error.message();
  auto nameFile = [&](StringRef name, StringRef path) {
    module.emitRemark() << "output '" << name << "' is in '" << path << "'";
  };
  SmallVector<StringRef> names;
  for (const ProgramInput &output : signature.outputs)
    names.push_back(output.name);
  if (llvm::Error error =
          ipu::writeResults(results, result.outputs, names, nameFile))
    return module.emitError()
           << "cannot write " << llvm::toString(std::move(error));
  return success();
}

LogicalResult ExecutePass::writeFile(ModuleOp module, StringRef path,
                                     function_ref<void(raw_ostream &)> write) {
  std::error_code error;
  llvm::ToolOutputFile file(path, error, llvm::sys::fs::OF_Text);
  if (!error) {
    write(file.os());
    file.os().flush();
    error = file.os().error();
    file.os().clear_error();
  }
  if (error)
    return module.emitError()
           << "cannot write '" << path << "': " << error.message();
  file.keep();
  return success();
}
