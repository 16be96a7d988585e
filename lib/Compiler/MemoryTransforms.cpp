//===- MemoryTransforms.cpp - Transforms that save tile memory ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Compiler/MemoryTransforms.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir::ipu;

std::string MemoryTransforms::getPasses() const {
  llvm::SmallVector<std::string> passes;
  if (batchParts != 1)
    passes.push_back("pop-batch-serialize{factor=" +
                     std::to_string(batchParts) + " method=loop}");
  if (matmulParts > 0)
    passes.push_back(
        "pop-serialize-matmuls{factor=" + std::to_string(matmulParts) + "}");
  // Sequences whose results are equal on different replicas do not share a
  // function.
  if (outlines)
    passes.append(
        {"pop-annotate-replica-equal{only-replicated}", "pop-outline"});
  if (schedules)
    passes.push_back("pop-schedule");
  return llvm::join(passes, ",");
}
