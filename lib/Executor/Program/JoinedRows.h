//===- JoinedRows.h - Joined vertices ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a codelet is one op over its buffers, the vertices that divide a tensor
// may run as one over all of it, because bits do not depend on the partition.
// The same holds for a loop over ops that each process all of a dimension.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// Where a row has the size of a dimension, and the offset and the stride that
/// belong to it. The dimension moves by `step` with each position of the axis.
struct DimColumns {
  int64_t offset = 0, size = 0, stride = 0, step = 1;
  /// Whether something else moves it, too.
  bool isWindow = false;
};
/// A dimension of the iteration space of a codelet, in which vertices may be
/// joined or divided: the dimension of each argument that has it, in order of
/// arguments. All outputs have it.
struct JoinAxis {
  /// Where a row has its size.
  int64_t size = 0;
  SmallVector<DimColumns> dims;
  /// Whether regions that overlap may be joined, too, because all positions get
  /// values that do not depend on memory.
  bool canOverlap = false;
};

/// The axes of the vertices of a group; none if its codelet has no such form.
std::vector<JoinAxis> findJoinAxes(const VertexGroup &group, CodeletOp codelet);

/// Writes to `part` what `row` does at positions [begin, end) of the axis.
void cutRow(ArrayRef<int64_t> row, const JoinAxis &axis, int64_t begin,
            int64_t end, MutableArrayRef<int64_t> part);

/// A table as that of `group`, whose rows do what those do but may be fewer:
/// regions next to each other are joined, as far as there are `parts` of them.
/// Rows are split into parts along the axis that leaves each part the fewest
/// elements to read and write, but not along the first `numWholeDims`
/// dimensions of the last argument. None if no vertices can be joined.
std::optional<std::vector<int64_t>> joinRows(const VertexGroup &group,
                                             CodeletOp codelet, int64_t parts,
                                             unsigned numWholeDims = 0);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
