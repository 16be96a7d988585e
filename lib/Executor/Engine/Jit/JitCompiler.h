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

/// The source of a kernel. The code of the kernel depends only on the source,
/// the host and this build of the compiler.
struct KernelSource {
  /// The codelet in generic form, without a name.
  StringRef codelet;
  /// For each operand, the number of an operand in the same buffer, as in
  /// VertexGroup.
  SmallVector<unsigned> alias;
};

/// Compiles kernels for the host. Each kernel is compiled separately, in
/// contexts of its own. Therefore its code does not depend on other kernels
/// that are compiled before it or at the same time.
class KernelCompiler {
public:
  static llvm::Expected<KernelCompiler> create();

  /// Returns a hash, in letters and digits, of all data on which the code of a
  /// kernel depends. Returns an empty text if this build of the compiler has no
  /// identity; other processes must then not use the code.
  std::string getKey(const KernelSource &kernel) const;

  /// Creates a context for compile(). Only one thread may use a context at a
  /// time.
  static std::unique_ptr<MLIRContext> createContext();

  /// Compiles `kernel` to object code that defines a JitFunction with the name
  /// `symbol`. Several threads may call this function at the same time.
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
  /// The part of each key that identifies the host and this build.
  std::string platform;
};

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_ENGINE_JIT_JITCOMPILER_H
