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

llvm::Expected<std::vector<std::string>> tools::parseVariables(StringRef flag,
                                                               StringRef text) {
  std::vector<std::string> variables;
  for (StringRef name : llvm::split(text, ',')) {
    // The names become part of a pipeline.
    if (name.empty() || name.find_first_of(" \t\n{}()'\"") != StringRef::npos)
      return makeError(flag +
                       " expects weights, optimizer, accumulators, "
                       "activations, or names without spaces, quotes and "
                       "brackets, separated by "
                       "commas, but got '" +
                       text + "'");
    variables.push_back(name.str());
  }
  return variables;
}

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
  if (offChip.getNumOccurrences() &&
      !take(parseVariables("--off-chip", offChip), transforms.remoteVariables,
            error))
    return error;
  if (phases.getNumOccurrences() &&
      !take(parseNumber("--phases", phases, 2), transforms.phases, error))
    return error;
  auto activations = llvm::find(transforms.remoteVariables, "activations");
  if (activations == transforms.remoteVariables.end())
    return error;
  transforms.remoteVariables.erase(activations);
  transforms.remoteTensors = true;
  if (transforms.phases == 0)
    return makeError("--off-chip activations needs --phases: a tensor is in "
                     "streaming memory while no phase needs it");
  return error;
}
