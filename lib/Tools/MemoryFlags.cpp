//===- MemoryFlags.cpp - Flags of memory transforms -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Tools/MemoryFlags.h"

#include "ipu-mlir/Dialect/Pop/Transforms/SerializeOptions.h"
#include "ipu-mlir/Tools/DeviceFlags.h"

using namespace mlir::ipu;
using namespace mlir::ipu::tools;

llvm::Error MemoryFlags::parse(MemoryTransforms &transforms) const {
  llvm::Error error = llvm::Error::success();
  transforms.outlines = outline;
  transforms.schedules = schedule;
  if (batchSerialize.getNumOccurrences() &&
      !take(parseNumber("--batch-serialize", batchSerialize, 1),
            transforms.batchParts, error))
    return error;
  if (serializeMatmuls.getNumOccurrences() &&
      !take(parseNumber("--serialize-matmuls", serializeMatmuls, 1,
                        pop::kMaxSerializeFactor),
            transforms.matmulParts, error))
    return error;
  return error;
}
