//===- TemporaryBuffers.h - Memory of values in a nest ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates the memory of tensors that one statement writes and other
// statements read. Small buffers are on the stack and are allocated once for
// all iterations. Other buffers are on the heap.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_TEMPORARYBUFFERS_H
#define IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_TEMPORARYBUFFERS_H

#include "NestContext.h"

namespace mlir::fuse {

class TemporaryBuffers {
public:
  explicit TemporaryBuffers(NestContext &context)
      : context(context), b(context.b) {}

  /// Sets the buffers of the tensor of `node`, an Alloc node, if the tensor is
  /// in memory. Appends the buffers on the heap to `heap`. The caller must emit
  /// the code that frees these.
  LogicalResult allocate(const LoopNode &node, bool isInParallelLoop,
                         SmallVectorImpl<Value> &heap);

private:
  /// Returns the number of bytes of a buffer, or std::nullopt if it is not
  /// constant. Fails, with a diagnostic, if the size exceeds the address space.
  FailureOr<std::optional<int64_t>> getBytes(TensorId tensor, MemRefType type);
  /// Returns the buffer on the stack that stores `result`. Allocates it if
  /// necessary.
  Value getStackBuffer(Value result, MemRefType type, int64_t bytes);
  /// Returns the number of bytes of all buffers on the stack of the function,
  /// including buffers of other fusions.
  int64_t &getStackBytes();

  NestContext &context;
  ImplicitLocOpBuilder &b;
  /// The result of getStackBytes, or std::nullopt before it is computed.
  std::optional<int64_t> stackBytes;
  /// Maps each result to the buffer on the stack that stores it.
  llvm::DenseMap<Value, Value> stackBuffers;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_TEMPORARYBUFFERS_H
