//===- MemoryTransforms.cpp - Transforms that save tile memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/MemoryTransforms.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::ipu;

/// The fewest elements of a tensor that is in streaming memory because of its
/// class. A smaller tensor takes less memory than the code of its transfers.
static constexpr int64_t kMinRemoteElements = 1024;

std::string MemoryTransforms::getVariablePasses() const {
  llvm::SmallVector<std::string> passes;
  // The ops of decomposed updates are divided one by one. No sum changes its
  // order, so that results do not depend on the division.
  if (!shardedVariables.empty())
    passes.append({"pop-decompose-optimizers",
                   "pop-shard-variables{variables=" +
                       llvm::join(shardedVariables, ",") + " exact}"});
  if (!remoteVariables.empty())
    passes.push_back(
        "pop-remote-setup{variables=" + llvm::join(remoteVariables, ",") +
        " min-elements=" + std::to_string(kMinRemoteElements) + "}");
  return llvm::join(passes, ",");
}

std::string MemoryTransforms::getPasses() const {
  llvm::SmallVector<std::string> passes;
  if (batchParts != 1)
    passes.push_back("pop-batch-serialize{factor=" +
                     std::to_string(batchParts) + " method=loop}");
  if (matmulParts > 0)
    passes.push_back(
        "pop-serialize-matmuls{factor=" + std::to_string(matmulParts) + "}");
  if (phases > 0)
    passes.push_back("pop-streaming-memory{phases=" + std::to_string(phases) +
                     (remoteTensors ? " activations min-elements=" +
                                          std::to_string(kMinRemoteElements)
                                    : "") +
                     "}");
  // Sequences whose results are equal on different replicas do not share a
  // function.
  if (outlines)
    passes.append(
        {"pop-annotate-replica-equal{only-replicated}", "pop-outline"});
  if (schedules)
    passes.push_back("pop-schedule");
  // Functions that are called with different rows have single transfers.
  if (phases > 0 || !remoteVariables.empty())
    passes.push_back("pop-merge-exchange");
  return llvm::join(passes, ",");
}
