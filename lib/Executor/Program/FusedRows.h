//===- FusedRows.h - Rows of vertices in memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a group of vertices.
// Out: the elements that each row accesses, the axis along which a row may be
// split, and the positions of the row in the outputs, for a given number of
// equal parts.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H

#include "JoinedRows.h"
#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// The rows of a group, and the elements of the group's variables that they
/// access.
class GroupRows {
public:
  /// Elements [begin, end) of a variable.
  struct Reach {
    int64_t begin = 0, end = 0;
  };

  /// Returns false if the group cannot run in parts.
  bool read(const Program &program, const VertexGroup &group);

  const VertexGroup &getGroup() const { return *group; }
  int64_t getNumRows() const { return table.size() / group->rowSize; }
  ArrayRef<int64_t> getRow(int64_t row) const {
    return ArrayRef(table).slice(row * group->rowSize, group->rowSize);
  }
  bool isJoined() const { return joined; }
  /// The position of the offset of an operand in a row.
  int64_t getColumn(unsigned operand) const { return columns[operand]; }
  Reach getReach(int64_t row, unsigned operand) const;
  /// The axis along which a row may be split, or null.
  const JoinAxis *getAxis(int64_t row) const {
    return axisOfRow[row] < 0 ? nullptr : &axes[axisOfRow[row]];
  }
  /// The number of elements by which each position of the axis moves an
  /// operand; 0 if it does not move.
  int64_t getStep(int64_t row, unsigned operand) const;
  /// Whether the elements of each position of the axis end before those of the
  /// next position begin.
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

/// Positions [begin, end) that some rows need together. They can be split after
/// each `step`.
struct RowSegment {
  int64_t begin = 0, end = 0, step = 0;
};

/// The positions of the rows of a group, for a number of positions.
struct RowPlacement {
  /// For each operand, whether it moves with positions.
  SmallVector<bool> moves;
  /// In order, possibly with gaps.
  std::vector<RowSegment> segments;

  /// The first position from `position` on at which rows may be split.
  int64_t getNextCut(int64_t position) const;
};

/// None if outputs do not move with positions.
std::optional<RowPlacement> placeRows(const Program &program,
                                      const GroupRows &rows, int64_t positions);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H
