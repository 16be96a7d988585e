//===- InitAll.h - Register everything --------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_INITALL_H
#define IPU_MLIR_INITALL_H

namespace mlir {
class DialectRegistry;
}

namespace mlir::ipu {
/// Registers the project's dialects.
void registerAllDialects(DialectRegistry &registry);
/// Registers the project's passes and pipelines.
void registerAllPasses();
} // namespace mlir::ipu

#endif // IPU_MLIR_INITALL_H
