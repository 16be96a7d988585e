//===- BuildIdentity.h - Identity of the compiler's build -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H

#include <string>

namespace mlir::ipu {

/// A text that differs between builds that could compile a kernel to different
/// code: the identities that the linker gave to this library (or to the program
/// that contains it), to MLIR and to LLVM. Empty if one of them has no
/// identity.
std::string getBuildIdentity();

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H
