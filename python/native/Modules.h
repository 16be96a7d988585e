//===- Modules.h - Texts of modules, and passes -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_PYTHON_NATIVE_MODULES_H
#define IPU_MLIR_PYTHON_NATIVE_MODULES_H

#include "Options.h"
#include "mlir/IR/MLIRContext.h"

namespace mlir::ipu::python {

/// Returns a context with all dialects and without threads.
std::unique_ptr<MLIRContext> createContext();

/// Registers the passes of MLIR, which takes time, and all pipelines.
void registerPasses();

std::string printType(Type type);

/// Parses and verifies `text`. `resources` are the values of `dense_resource`
/// attributes. Emits errors and returns null if the text is not valid.
OwningOpRef<ModuleOp> parseModule(const std::string &text,
                                  const std::string &fileName,
                                  const ArrayMap &resources,
                                  MLIRContext *context);

/// Adds `run_passes`, `autodiff` and `read_functions` to `module`.
void bindModules(pybind11::module_ &module);

} // namespace mlir::ipu::python

#endif // IPU_MLIR_PYTHON_NATIVE_MODULES_H
