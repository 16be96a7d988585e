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
  /// buffers. All kernels use the same passes after them: they replace exp and
  /// similar functions by polynomials, combine multiplications and additions,
  /// and compile with LLVM at O3. Ends the process on an error.
  Kernel(const std::string &text, const std::string &loops);
  Kernel(Kernel &&) = default;
  ~Kernel();

  /// Calls the function once. `buffers` has a pointer for each argument,
  /// followed by a pointer for each result.
  void run(llvm::ArrayRef<float *> buffers) const;
  /// Returns the number of elements of each argument and result.
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
