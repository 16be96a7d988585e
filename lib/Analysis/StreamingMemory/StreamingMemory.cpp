//===- StreamingMemory.cpp - Bytes of remote buffers ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/StreamingMemory/StreamingMemory.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Analysis/TileCounts/TileCounts.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::ipu;

StreamingMemory mlir::ipu::getStreamingMemory(ModuleOp module) {
  StreamingMemory memory;
  TargetModel target = getTargetModel(module);
  memory.capacity = (Count(target.ipus) * target.streaming_memory).get();
  Count sum;
  for (auto op : module.getOps<RemoteBufferOp>()) {
    auto type = cast<RankedTensorType>(op.getType());
    StreamingBuffer buffer;
    buffer.op = op;
    Count rowBytes =
        Count(type.getNumElements()) * getStoredBytes(type.getElementType());
    buffer.rowBytes = rowBytes.get();
    buffer.bytes = (rowBytes * op.getRows()).get();
    sum += buffer.bytes;
    memory.buffers.push_back(buffer);
  }
  memory.bytes = sum.get();
  return memory;
}

LogicalResult mlir::ipu::checkStreamingMemory(ModuleOp module,
                                              bool allowOutOfMemory,
                                              StringRef howToAllow) {
  StreamingMemory memory = getStreamingMemory(module);
  if (memory.bytes <= memory.capacity)
    return success();
  // The error names the first of several largest buffers.
  StreamingBuffer largest = *llvm::max_element(
      memory.buffers, [](const StreamingBuffer &a, const StreamingBuffer &b) {
        return a.bytes < b.bytes;
      });
  int64_t ipus = getTargetModel(module).ipus;
  InFlightDiagnostic diag =
      allowOutOfMemory ? largest.op.emitWarning() : largest.op.emitError();
  diag << "remote buffers do not fit: they need " << memory.bytes
       << " bytes on each replica, " << memory.bytes - memory.capacity
       << " more than the " << memory.capacity
       << " bytes of streaming memory of "
       << (ipus == 1 ? "its IPU" : "its IPUs") << "; '"
       << largest.op.getSymName() << "' is the largest buffer, with "
       << largest.bytes << " bytes in " << largest.op.getRows()
       << (largest.op.getRows() == 1 ? " row" : " rows");
  if (!allowOutOfMemory && !howToAllow.empty())
    diag.attachNote(module.getLoc()) << howToAllow;
  return success(allowOutOfMemory);
}
