//===- InitAll.h - Registration of dialects and passes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Registers all dialects, passes and pipelines of the project, but not the
// dialects and passes of MLIR. Each function may be called repeatedly, because
// existing registrations do not change. For example, a plugin may call the
// functions in a tool that has already registered everything.
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
