//===- TemporaryBuffers.h - Memory of values in the nest --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Allocates the memory of tensors between statements: small buffers on the
// stack, once for all iterations, others on the heap.
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

  /// Sets the buffers of the tensor of an Alloc node, if the tensor is in
  /// memory. Buffers on the heap are appended to `heap`, and the caller frees
  /// them.
  LogicalResult allocate(const LoopNode &node, bool isInParallelLoop,
                         SmallVectorImpl<Value> &heap);

private:
  /// Returns the size of a buffer, or std::nullopt if it is not constant.
  /// Fails, with a diagnostic, if the size exceeds the address space.
  FailureOr<std::optional<int64_t>> getBytes(TensorId tensor, MemRefType type);
  /// Returns the buffer on the stack that holds `result`.
  Value getStackBuffer(Value result, MemRefType type, int64_t bytes);
  /// Returns the bytes on the stack of the function, including buffers of other
  /// fusions.
  int64_t &getStackBytes();

  NestContext &context;
  ImplicitLocOpBuilder &b;
  /// None if it is not known yet.
  std::optional<int64_t> stackBytes;
  /// Indexed by the result in the buffer.
  llvm::DenseMap<Value, Value> stackBuffers;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_LIB_DIALECT_FUSE_TRANSFORMS_LOWERTOLOOPS_TEMPORARYBUFFERS_H
