//===- Compile.cpp - Compilation of models --------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/Compile.h"

#include "ipu-mlir/Support/Entry.h"
#include "ipu-mlir/Tools/Progress.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::tools;

Status tools::reportNotCompiled(const ModelOptions &model,
                                const Twine &reason) {
  return report(Status::BadModel,
                "could not compile model '" + model.model + "'" + reason);
}

Status tools::reportNotRun(const ModelOptions &model, const Twine &where) {
  return report(Status::BadModel,
                "could not run model '" + model.model + "'" + where);
}

/// Returns the types of the arguments of the function `entry`, or no types if
/// there is no such function.
static ArrayRef<Type> getArgumentTypes(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<func::FuncOp>(entry);
  return function ? function.getArgumentTypes() : ArrayRef<Type>();
}

/// Returns whether the first dimension of an argument, and nothing else,
/// differs between `types` and `others`.
static bool isLeadingDim(ArrayRef<Type> types, ArrayRef<Type> others) {
  bool isChanged = false;
  for (auto [type, other] : llvm::zip_equal(types, others)) {
    if (type == other)
      continue;
    isChanged = true;
    if (cast<ShapedType>(type).getShape().drop_front() !=
        cast<ShapedType>(other).getShape().drop_front())
      return false;
  }
  return isChanged;
}

/// Returns the first dimension of `model` that can be made smaller and that is
/// only the first dimension of inputs, such as a batch.
static std::optional<ModelDimension>
findLeadingDim(const ModelOptions &model, StringRef entry, ModuleOp module) {
  MLIRContext *context = module.getContext();
  ScopedDiagnosticHandler drop(context, [](Diagnostic &) { return success(); });
  for (const auto &[name, size] : model.dims) {
    if (size < 2)
      continue;
    auto resize = [&model, name = name, context](int64_t size) {
      return importResized(model, name, size, context);
    };
    OwningOpRef<ModuleOp> other = resize(size - 1);
    if (other && isLeadingDim(getArgumentTypes(module, entry),
                              getArgumentTypes(*other, entry)))
      return ModelDimension{name, size, resize};
  }
  return std::nullopt;
}

FailureOr<CompiledProgram> tools::compileModel(const ModelOptions &model,
                                               OwningOpRef<ModuleOp> module,
                                               CompileOptions options) {
  Progress::get().show("compiling " + model.model);
  options.onStep = [&](StringRef step) {
    Progress::get().show(step == kMemoryAdviceStep
                             ? "trying other ways to compile " + model.model
                             : "compiling " + model.model + ": " + step.str());
    return true;
  };
  options.insertsIpuCopies = !model.placements.empty();
  options.findDimension = [&](ModuleOp original) {
    return findLeadingDim(model, options.entry, original);
  };
  FailureOr<CompiledProgram> program = compile(std::move(module), options);
  Progress::get().clear();
  if (failed(program))
    reportNotCompiled(model);
  return program;
}
