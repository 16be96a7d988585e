//===- FusedRows.h - Rows of vertices in memory -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a group of vertices. Out: the elements that each row accesses, the axis
// along which a row may be split, and the positions of the row in the outputs,
// for a given number of equal parts.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H
#define IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H

#include "JoinedRows.h"
#include "ipu-mlir/Executor/Program/Program.h"

namespace mlir::ipu {

/// The rows of a group and what they touch of the group's variables.
class GroupRows {
public:
  /// Elements [begin, end) of a variable.
  struct Reach {
    int64_t begin = 0, end = 0;
  };

  /// False if the group cannot run in parts.
  bool read(const Program &program, const VertexGroup &group);

  const VertexGroup &getGroup() const { return *group; }
  int64_t getNumRows() const { return table.size() / group->rowSize; }
  ArrayRef<int64_t> getRow(int64_t row) const {
    return ArrayRef(table).slice(row * group->rowSize, group->rowSize);
  }
  bool isJoined() const { return joined; }
  /// Where a row has the offset of an operand.
  int64_t getColumn(unsigned operand) const { return columns[operand]; }
  Reach getReach(int64_t row, unsigned operand) const;
  /// The axis that a row may be split along, or null.
  const JoinAxis *getAxis(int64_t row) const {
    return axisOfRow[row] < 0 ? nullptr : &axes[axisOfRow[row]];
  }
  /// By how many elements an operand moves with each position of the axis; 0 if
  /// it does not.
  int64_t getStep(int64_t row, unsigned operand) const;
  /// Whether what each position of the axis has ends before the next begins.
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

/// Positions [begin, end) that some rows need together. Splits are possible
/// after each `step`.
struct RowSegment {
  int64_t begin = 0, end = 0, step = 0;
};

/// Where the rows of a group are, for a number of positions.
struct RowPlacement {
  /// Whether each operand moves with positions.
  SmallVector<bool> moves;
  /// In order, with gaps perhaps.
  std::vector<RowSegment> segments;

  /// The first position from `position` on where rows may be split.
  int64_t getNextCut(int64_t position) const;
};

/// None if outputs do not move with positions.
std::optional<RowPlacement> placeRows(const Program &program,
                                      const GroupRows &rows, int64_t positions);

} // namespace mlir::ipu

#endif // IPU_MLIR_LIB_EXECUTOR_PROGRAM_FUSEDROWS_H
