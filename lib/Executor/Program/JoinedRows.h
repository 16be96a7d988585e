//===- JoinedRows.h - Joined vertices ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If a codelet is one op over its buffers, the vertices that divide a tensor
// may run as one vertex over all of it, because bits do not depend on the
// partition. The same holds for a loop over ops that each process all of a
// dimension.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// The positions in a row of the size of a dimension, and of its offset and
/// stride. Each position of the axis moves the dimension by `step`.
struct DimColumns {
  int64_t offset = 0, size = 0, stride = 0, step = 1;
  /// Whether other loops also move it.
  bool isWindow = false;
};
/// A dimension of the iteration space of a codelet, along which vertices may be
/// joined or divided: for each argument that has it, in order, its dimension.
/// All outputs have it.
struct JoinAxis {
  /// The position of its size in a row.
  int64_t size = 0;
  SmallVector<DimColumns> dims;
  /// Whether regions that overlap may be joined, too, because all positions get
  /// values that do not depend on memory.
  bool canOverlap = false;
};

/// The axes of the vertices of a group; empty if its codelet does not have this
/// form.
std::vector<JoinAxis> findJoinAxes(const VertexGroup &group, CodeletOp codelet);

/// Writes to `part` the part of `row` for positions [begin, end) of the axis.
void cutRow(ArrayRef<int64_t> row, const JoinAxis &axis, int64_t begin,
            int64_t end, MutableArrayRef<int64_t> part);

/// A table that is equivalent to the table of `group` but may have fewer rows:
/// adjacent regions are joined, as long as there are `parts` rows. Rows are
/// split into parts along the axis for which each part reads and writes the
/// fewest elements, but not along the first `numWholeDims` dimensions of the
/// last argument. None if no vertices can be joined.
std::optional<std::vector<int64_t>> joinRows(const VertexGroup &group,
                                             CodeletOp codelet, int64_t parts,
                                             unsigned numWholeDims = 0);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
