//===- Kernel.h - Functions compiled for this machine -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_BENCHMARK_KERNEL_H
#define IPU_MLIR_BENCHMARK_KERNEL_H

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/MLIRContext.h"
#include <memory>
#include <string>
#include <vector>

namespace mlir::ipu::benchmark {

/// A linalg function `@main` on f32 tensors of static shapes, compiled to
/// machine code for this processor. The caller provides the memory of arguments
/// and results.
class Kernel {
public:
  /// `loops` is the text of the passes that lower the module to loops on
  /// buffers. The passes after them are the same for all kernels: polynomials
  /// for exp and similar functions, multiply-adds, LLVM at O3. Ends the process
  /// on an error.
  Kernel(const std::string &text, const std::string &loops);
  Kernel(Kernel &&) = default;
  ~Kernel();

  /// Calls it once; one pointer for each argument, then for each result.
  void run(llvm::ArrayRef<float *> buffers) const;
  /// Elements of each argument and result.
  llvm::ArrayRef<int64_t> getSizes() const { return sizes; }

private:
  std::unique_ptr<MLIRContext> context;
  std::unique_ptr<ExecutionEngine> engine;
  std::vector<llvm::SmallVector<int64_t>> shapes;
  std::vector<int64_t> sizes;
  void (*function)(void **) = nullptr;
};

} // namespace mlir::ipu::benchmark

#endif // IPU_MLIR_BENCHMARK_KERNEL_H
