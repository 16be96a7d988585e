//===- JitCompiler.h - Compilation of kernels to object code ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCOMPILER_H
#define IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCOMPILER_H

#include "Jit.h"

#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/Support/MemoryBuffer.h"

namespace mlir::ipu {

/// The inputs of the compilation of a kernel: everything on which its code
/// depends, except the host and this build of the compiler.
struct KernelSource {
  /// The codelet in generic form, without a name.
  StringRef codelet;
  /// As in VertexGroup.
  SmallVector<unsigned> alias;
};

/// Compiles kernels for the host, each separately in contexts of its own. The
/// code of a kernel does not depend on kernels that are compiled before or at
/// the same time.
class KernelCompiler {
public:
  static llvm::Expected<KernelCompiler> create();

  /// A hash, in letters and digits, of everything on which the code of a kernel
  /// depends. Empty if this build of the compiler has no identity; the code is
  /// then of no use to other processes.
  std::string getKey(const KernelSource &kernel) const;

  /// A context for compile(). Only one thread may use it at a time.
  static std::unique_ptr<MLIRContext> createContext();

  /// Object code that defines `symbol`, a JitFunction. Several threads may call
  /// this at the same time.
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
  compile(const KernelSource &kernel, StringRef symbol,
          MLIRContext &context) const;

  const llvm::orc::JITTargetMachineBuilder &getMachineBuilder() const {
    return builder;
  }

private:
  explicit KernelCompiler(llvm::orc::JITTargetMachineBuilder builder);

  llvm::orc::JITTargetMachineBuilder builder;
  JitTarget target;
  /// The part of keys that identifies the host and this build.
  std::string platform;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCOMPILER_H
