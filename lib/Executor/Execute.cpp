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
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallSet.h"
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
  LogicalResult run(ModuleOp module);
  FailureOr<std::vector<InputSpec>> parseSpecs(ModuleOp module);
  LogicalResult writeResults(ModuleOp module, const ExecuteResult &result);
  LogicalResult writeFile(ModuleOp module, StringRef path,
                          function_ref<void(raw_ostream &)> write);
};
} // namespace

/// Input streams that the program `entry` loads, in order of first use.
static std::vector<ProgramInput> getInputs(ModuleOp module, StringRef entry) {
  std::vector<ProgramInput> result;
  auto function = dyn_cast_or_null<func::FuncOp>(
      SymbolTable::lookupSymbolIn(module, entry));
  if (!function)
    return result;
  llvm::SmallSet<StringRef, 16> seen;
  SymbolTableCollection symbols;
  walkProgram(function, [&](Operation *op) {
    auto load = dyn_cast<HostLoadOp>(op);
    if (!load || !seen.insert(load.getStream()).second)
      return;
    auto stream =
        symbols.lookupNearestSymbolFrom<StreamOp>(load, load.getStreamAttr());
    result.push_back(getProgramInput(stream));
  });
  return result;
}

/// Returns the names of the streams that the program `entry` may store.
static SmallVector<StringRef> getOutputNames(ModuleOp module, StringRef entry) {
  llvm::SetVector<StringRef> names;
  walkProgram(module.lookupSymbol<func::FuncOp>(entry), [&](Operation *op) {
    if (auto store = dyn_cast<HostStoreOp>(op))
      names.insert(store.getStream());
  });
  return names.takeVector();
}

FailureOr<std::vector<InputSpec>> ExecutePass::parseSpecs(ModuleOp module) {
  std::vector<InputSpec> specs;
  for (const std::string &text : inputs) {
    llvm::Expected<InputSpec> spec = parseInputSpec(text);
    if (!spec)
      return module.emitError(llvm::toString(spec.takeError()));
    specs.push_back(std::move(*spec));
  }
  if (llvm::Error error = checkInputSpecs(specs, getInputs(module, entry)))
    return module.emitError(llvm::toString(std::move(error)));
  return specs;
}

/// The spec of an input, or null if its default value stands; checkInputSpecs()
/// saw that there is one of these.
static const InputSpec *findSpec(ArrayRef<InputSpec> specs, StringRef name,
                                 bool hasDefault) {
  const InputSpec *all = nullptr;
  for (const InputSpec &spec : specs) {
    if (spec.name == name)
      return &spec;
    if (spec.name == "*" && !hasDefault)
      all = &spec;
  }
  return all;
}

LogicalResult ExecutePass::run(ModuleOp module) {
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
  ReplicaEqualReport report;
  if (!replicaEqualReport.empty())
    options.replicaEqualReport = &report;
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
  if (options.engine == EngineKind::None &&
      (!inputs.empty() || check || checkReplicaEqual))
    return module.emitError(
        "engine 'none' computes no values: expects no option 'inputs', 'check' "
        "or 'check-replica-equal'; to compute values, choose engine 'jit' or "
        "'interp'");
  if (options.engine == EngineKind::None && results != "-")
    return module.emitError("engine 'none' has no results to write to '")
           << results << "'";
  if (options.engine == EngineKind::None && !replicaEqualReport.empty())
    return module.emitError("engine 'none' has nothing to report to '")
           << replicaEqualReport << "'";
  FailureOr<std::vector<InputSpec>> specs = std::vector<InputSpec>();
  if (options.engine != EngineKind::None)
    specs = parseSpecs(module);
  if (failed(specs))
    return failure();
  options.input = [&](StringRef name,
                      RankedTensorType type) -> FailureOr<HostTensor> {
    auto stream = cast<StreamOp>(SymbolTable::lookupSymbolIn(module, name));
    bool hasDefault = hasDefaultInput(stream);
    const InputSpec *spec = findSpec(*specs, name, hasDefault);
    if (!spec && hasDefault)
      return getDefaultInput(stream, {options.seed, /*run=*/0});
    if (!spec)
      return module.emitError() << "expects a value of input '" << name << "'";
    llvm::Expected<HostTensor> tensor =
        spec->file.empty() ? generateInput(*spec, name, type)
                           : readNpy(spec->file, module.getContext());
    if (!tensor) {
      InFlightDiagnostic diag = module.emitError();
      diag << "input '" << name << "'";
      if (!spec->file.empty())
        diag << " in '" << spec->file << "'";
      diag << ": " << llvm::toString(tensor.takeError());
      return diag;
    }
    viewAs(type.getElementType(), *tensor);
    return std::move(*tensor);
  };
  FailureOr<ExecuteResult> result = execute(module, options);
  // Also of a run that failed.
  if (options.replicaEqualReport &&
      failed(writeFile(module, replicaEqualReport, [&](raw_ostream &os) {
        writeReplicaEqualReport(report, os);
      })))
    return failure();
  if (failed(result) || failed(writeResults(module, *result)))
    return failure();
  if (profile.empty())
    return success();
  return writeFile(module, profile,
                   [&](raw_ostream &os) { writeProfile(result->profile, os); });
}

LogicalResult ExecutePass::writeResults(ModuleOp module,
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
  if (llvm::Error error = ipu::writeResults(
          results, result.outputs, getOutputNames(module, entry), nameFile))
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
