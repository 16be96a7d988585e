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

/// What a kernel is compiled from: all that its code depends on, but for the
/// host and this build of the compiler.
struct KernelSource {
  /// The codelet in generic form, without a name.
  StringRef codelet;
  /// As of VertexGroup.
  SmallVector<unsigned> alias;
};

/// Compiles kernels for the host, each by itself in contexts of its own: its
/// code is the same whatever is compiled before it or at the same time.
class KernelCompiler {
public:
  static llvm::Expected<KernelCompiler> create();

  /// A hash, in letters and digits, of all that the code of a kernel depends
  /// on. Empty if this build of the compiler has no identity: then the code is
  /// of no use to other processes.
  std::string getKey(const KernelSource &kernel) const;

  /// A context for compile(), which one thread at a time may use.
  static std::unique_ptr<MLIRContext> createContext();

  /// Object code that defines `symbol`, a JitFunction. May be called from
  /// several threads at once.
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
  /// What the host and this build add to keys.
  std::string platform;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCOMPILER_H
