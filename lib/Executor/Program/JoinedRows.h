//===- JoinedRows.h - Joined vertices ---------------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A row of a group's table describes the regions of a vertex's operands.
// Joining replaces the rows of several vertices by one row whose regions
// contain theirs. This is possible if the codelet is one op over its buffers,
// because the bits of its results do not depend on how vertices divide a
// tensor. Joining is also possible if the codelet is a loop over ops that each
// process a whole dimension.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H

#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// Describes a dimension of a buffer: the indices, in a row, of the offset of
/// the buffer, of the size of the dimension, and of its stride. A step of one
/// along an axis changes the index in this dimension by `step`.
struct DimColumns {
  int64_t offset = 0, size = 0, stride = 0, step = 1;
  /// Whether the index in this dimension also depends on other loops, as in a
  /// convolution.
  bool isWindow = false;
};
/// The index, in a row, of the number of the vertex's first element. The
/// codelet uses only the number divided by `divisor`, without the remainder.
struct QuotientColumn {
  int64_t column = 0;
  uint32_t divisor = 1;
};
/// A dimension of the iteration space of a codelet, along which vertices may be
/// joined or split. `dims` contains, in the order of the arguments, the
/// dimension of each argument that the axis indexes. The axis indexes a
/// dimension of all outputs.
struct JoinAxis {
  /// The index, in a row, of the size of the axis.
  int64_t size = 0;
  SmallVector<DimColumns> dims;
  SmallVector<QuotientColumn> quotients;
  /// Whether regions that overlap may also be joined. This is possible if the
  /// codelet writes all elements of its outputs without reading memory.
  bool canOverlap = false;
};

/// Returns the axes of the vertices of a group, or an empty vector if the
/// codelet of the group cannot be joined.
std::vector<JoinAxis> findJoinAxes(const VertexGroup &group, CodeletOp codelet);

/// Writes the part of `row` for indices [begin, end) of the axis to `part`.
void cutRow(ArrayRef<int64_t> row, const JoinAxis &axis, int64_t begin,
            int64_t end, MutableArrayRef<int64_t> part);

/// Returns a table that is equivalent to the table of `group` but has joined
/// rows. If joining leaves fewer than `parts` rows, the rows are split as by
/// splitRows(). Returns std::nullopt if no rows can be joined.
std::optional<std::vector<int64_t>> joinRows(const VertexGroup &group,
                                             CodeletOp codelet, int64_t parts);

/// Splits each row of `table`, which describes vertices of `group`, into about
/// `parts` rows. A row is split along the axis for which each part reads and
/// writes the fewest elements, but not along the first `numWholeDims`
/// dimensions of the last argument.
std::vector<int64_t> splitRows(const VertexGroup &group, CodeletOp codelet,
                               ArrayRef<int64_t> table, int64_t parts,
                               unsigned numWholeDims);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_JOINEDROWS_H
