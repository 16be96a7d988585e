//===- FusedRows.h - Rows of vertices in memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a group of vertices. Its table has a row for each vertex, which describes
// the regions of the vertex's operands.
// Out: the elements that each row accesses; the axis along which a row may be
// split; and, if each output is divided into a given number of equal parts,
// called positions, the positions to which each row writes.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H

#include "JoinedRows.h"
#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// The rows of a group, and the elements of variables that they access. The
/// rows may be joined or split; JoinedRows.h describes this.
class GroupRows {
public:
  /// Elements [begin, end) of a variable, which contain all elements that a row
  /// accesses.
  struct Reach {
    int64_t begin = 0, end = 0;
  };

  /// Reads the rows of `group`. Returns false if the group cannot be executed
  /// in parts.
  bool read(const Program &program, const VertexGroup &group);

  const VertexGroup &getGroup() const { return *group; }
  int64_t getNumRows() const { return table.size() / group->rowSize; }
  ArrayRef<int64_t> getRow(int64_t row) const {
    return ArrayRef(table).slice(row * group->rowSize, group->rowSize);
  }
  bool isJoined() const { return joined; }
  /// Returns the index, in a row, of the offset of an operand.
  int64_t getColumn(unsigned operand) const { return columns[operand]; }
  Reach getReach(int64_t row, unsigned operand) const;
  /// Returns the axis along which a row may be split, or null if there is none.
  const JoinAxis *getAxis(int64_t row) const {
    return axisOfRow[row] < 0 ? nullptr : &axes[axisOfRow[row]];
  }
  /// Returns the distance, in elements of the operand's variable, between
  /// consecutive indices along the axis of the row. Returns 0 if the operand
  /// does not have the axis.
  int64_t getStep(int64_t row, unsigned operand) const;
  /// Returns whether the elements of each index along the axis end before the
  /// elements of the next index begin.
  bool isOuter(int64_t row, unsigned operand) const {
    Reach reach = getReach(row, operand);
    int64_t last =
        (getRow(row)[getAxis(row)->size] - 1) * getStep(row, operand);
    return reach.end - reach.begin - last <= getStep(row, operand);
  }

private:
  int findAxis(int64_t row);

  const VertexGroup *group = nullptr;
  std::vector<int64_t> table;
  bool joined = false;
  SmallVector<int64_t> columns, ranks;
  std::vector<JoinAxis> axes;
  std::vector<int> axisOfRow;
};

/// Positions [begin, end) to which one or more rows write. A block may end
/// after every `step` positions of the segment.
struct RowSegment {
  int64_t begin = 0, end = 0, step = 0;
};

/// The positions of the rows of a group. Variables are divided into a given
/// number of positions of equal size.
struct RowPlacement {
  /// For each operand, whether a row that writes to a range of positions of the
  /// outputs only accesses the same range of positions of the operand.
  SmallVector<bool> moves;
  /// The segments of positions in ascending order. There may be gaps between
  /// segments.
  std::vector<RowSegment> segments;

  /// Returns the first position from `position` on at which a block may end.
  int64_t getNextCut(int64_t position) const;
};

/// Returns the placement of `rows` for `positions` positions. Returns
/// std::nullopt if the elements of an output cannot be divided into so many
/// positions.
std::optional<RowPlacement> placeRows(const Program &program,
                                      const GroupRows &rows, int64_t positions);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H
