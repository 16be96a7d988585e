//===- InitAll.h - Registration of dialects and passes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers all dialects, passes and pipelines of the project, without those of
// MLIR. Each function may be called repeatedly, also from a plugin in a tool
// that has already registered everything: existing registrations do not change.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INITALL_H
#define IPU_MLIR_INITALL_H

namespace mlir {
class DialectRegistry;
} // namespace mlir

namespace mlir::ipu {

/// Adds the project's dialects and their extensions to `registry`.
void registerAllDialects(DialectRegistry &registry);

/// Registers the project's passes.
void registerAllPasses();

/// Registers the project's pipelines.
void registerAllPipelines();

} // namespace mlir::ipu

#endif // IPU_MLIR_INITALL_H
