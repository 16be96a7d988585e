//===- BuildIdentity.h - Identity of the compiler's build -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H

#include <string>

namespace mlir::ipu {

/// A text that no two builds share that could compile a kernel to different
/// code: the identities that the linker gave to this library (or the program
/// that it is part of), to MLIR and to LLVM. Empty if one has none.
std::string getBuildIdentity();

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H
