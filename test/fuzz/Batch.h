//===- Batch.h - Compilation and execution of many functions ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_TEST_FUZZ_BATCH_H
#define IPU_MLIR_TEST_FUZZ_BATCH_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::fuse::fuzz {

/// A tensor of 32-bit elements.
struct Buffer {
  SmallVector<int64_t> shape;
  std::vector<uint32_t> elements;
};

/// Compiled functions.
class Batch {
public:
  /// Compiles all functions of a module: linalg on tensors, or loops on buffers
  /// of tensors. None if a pass or LLVM fails.
  static std::unique_ptr<Batch> compile(ModuleOp module);

  /// Calls a function. Memory that it allocates has undefined elements, all
  /// bytes `undefined`. An empty text, or what went wrong.
  std::string run(StringRef name, ArrayRef<Buffer> arguments,
                  ArrayRef<unsigned> resultRanks, char undefined,
                  std::vector<Buffer> &results) const;

private:
  std::unique_ptr<ExecutionEngine> engine;
};

} // namespace mlir::fuse::fuzz

#endif // IPU_MLIR_TEST_FUZZ_BATCH_H
