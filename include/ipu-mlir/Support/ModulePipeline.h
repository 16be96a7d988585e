//===- ModulePipeline.h - Registration of pipelines on modules --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_SUPPORT_MODULEPIPELINE_H
#define IPU_MLIR_SUPPORT_MODULEPIPELINE_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include <functional>
#include <string>

namespace mlir::ipu {

/// Fails, with an error, if `option` of `pipeline` is given without the option
/// `needed`, without which it does nothing.
template <typename OptionT, typename NeededT>
LogicalResult
verifyNeededOption(function_ref<LogicalResult(const Twine &)> emitError,
                   StringRef pipeline, const OptionT &option,
                   const NeededT &needed) {
  if (!option.hasValue() || needed.hasValue())
    return success();
  return emitError("option '" + option.ArgStr + "' of '" + pipeline +
                   "' expects option '" + needed.ArgStr + "' but got none");
}

/// Registers a pipeline with passes on modules. If such a pipeline is nested
/// under another op, as in `func.func(<pipeline>)`, the parser of pipelines
/// reports an error. With PassPipelineRegistration, the process would end
/// instead. If `verify` is set, it checks the options of a pipeline and reports
/// errors through its first argument.
template <typename OptionsT>
void registerModulePipeline(
    StringRef name, StringRef description,
    const std::function<void(OpPassManager &, const OptionsT &)> &build,
    const std::function<LogicalResult(
        function_ref<LogicalResult(const Twine &)>, const OptionsT &)> &verify =
        {}) {
  registerPassPipeline(
      name, description,
      [build, verify, name = name.str()](
          OpPassManager &manager, StringRef text,
          function_ref<LogicalResult(const Twine &)> emitError) {
        StringRef anchor = manager.getOpAnchorName();
        if (anchor != OpPassManager::getAnyOpAnchorName() &&
            anchor != ModuleOp::getOperationName())
          return emitError("'" + name + "' expects to run on '" +
                           ModuleOp::getOperationName() + "' but got '" +
                           anchor + "'");
        OptionsT options;
        if (failed(options.parseFromString(text)) ||
            (verify && failed(verify(emitError, options))))
          return failure();
        build(manager, options);
        return success();
      },
      [](function_ref<void(const mlir::detail::PassOptions &)> handle) {
        handle(OptionsT());
      });
}

} // namespace mlir::ipu

#endif // IPU_MLIR_SUPPORT_MODULEPIPELINE_H
