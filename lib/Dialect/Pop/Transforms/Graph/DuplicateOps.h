//===- DuplicateOps.h - Duplicate ops ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_DUPLICATEOPS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_DUPLICATEOPS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"

namespace mlir::pop {

/// Erases each op of `region` that computes the same results as an earlier op
/// of the region, and replaces its uses, as `pop-merge-duplicate-ops` does.
void mergeDuplicateOps(Region &region, const ipu::GraphEffects &effects);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_GRAPH_DUPLICATEOPS_H
