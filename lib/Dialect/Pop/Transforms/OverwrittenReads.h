//===- OverwrittenReads.h - Reads of refs that are overwritten --*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_OVERWRITTENREADS_H
#define IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_OVERWRITTENREADS_H

#include "ipu-mlir/Analysis/Effects/GraphEffects.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::pop {

/// Returns the reads whose ref may change before the last use of the tensor
/// that was read, in the order of the program. This tensor needs storage of its
/// own. All other tensors that are read can share the storage of the ref.
SmallVector<ReadOp> findOverwrittenReads(ModuleOp module,
                                         const ipu::GraphEffects &effects);

} // namespace mlir::pop

#endif // IPU_MLIR_LIB_DIALECT_POP_TRANSFORMS_OVERWRITTENREADS_H
