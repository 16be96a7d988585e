//===- StreamingMemory.h - Bytes of remote buffers --------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The memory outside of the tiles: its size, and the remote buffers in it. The
// IPUs of a replica share their streaming memory, and each replica has all
// buffers.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_ANALYSIS_STREAMINGMEMORY_STREAMINGMEMORY_H
#define IPU_MLIR_ANALYSIS_STREAMINGMEMORY_STREAMINGMEMORY_H

#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "mlir/IR/BuiltinOps.h"

namespace mlir::ipu {

/// The bytes of a remote buffer on one replica. These numbers and those of
/// StreamingMemory are at most `Count::kMax`.
struct StreamingBuffer {
  RemoteBufferOp op;
  int64_t rowBytes = 0;
  /// The bytes of all rows.
  int64_t bytes = 0;
};

/// The streaming memory of one replica.
struct StreamingMemory {
  /// The bytes that the IPUs of the replica have together.
  int64_t capacity = 0;
  /// The bytes of all buffers.
  int64_t bytes = 0;
  /// The buffers in the order of the program.
  SmallVector<StreamingBuffer> buffers;
};

StreamingMemory getStreamingMemory(ModuleOp module);

/// Succeeds if the buffers fit or if `allowOutOfMemory` is set. If they do not
/// fit, emits an error or, with `allowOutOfMemory`, a warning at the largest
/// buffer. If `howToAllow` is not empty, it becomes a note of the error.
LogicalResult checkStreamingMemory(ModuleOp module, bool allowOutOfMemory,
                                   StringRef howToAllow = "");

} // namespace mlir::ipu

#endif // IPU_MLIR_ANALYSIS_STREAMINGMEMORY_STREAMINGMEMORY_H
