//===- BuildIdentity.h - Identity of the compiler's build -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H

#include <string>

namespace mlir::ipu {

/// Returns a text that identifies the builds of the compiler's libraries. Two
/// builds that could compile a kernel to different code have different texts.
/// The text contains the identities that the linker gave to MLIR, to LLVM, and
/// to this library (or to the program that contains this library). The text is
/// empty if one of them has no identity.
std::string getBuildIdentity();

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_BUILDIDENTITY_H
