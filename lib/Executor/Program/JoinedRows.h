//===- JoinedRows.h - Vertices that run as one ------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Where a codelet is one op over its buffers, the vertices that divide a tensor
// may run as one over all of it: bits do not depend on the partition.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// A table as that of `group`, whose rows do what those do but may be fewer:
/// boxes next to each other are joined, as far as there are `parts` of them.
/// None if no vertices can be joined.
std::optional<std::vector<int64_t>> joinRows(const VertexGroup &group,
                                             CodeletOp codelet, int64_t parts);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
