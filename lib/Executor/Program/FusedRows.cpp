//===- FusedRows.cpp - Rows of vertices in memory ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FusedRows.h"

#include "EngineCodelets.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// Whether the codelet reads operands again and again: such kernels have
/// blocks of their own.
static bool isContraction(CodeletOp codelet) {
  auto found = codelet.walk([](linalg::GenericOp op) {
    auto isBuffer = [](Value input) {
      return isa<MemRefType>(input.getType());
    };
    return op.getNumReductionLoops() > 0 &&
                   llvm::count_if(op.getDpsInputs(), isBuffer) > 1
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return found.wasInterrupted();
}

bool GroupRows::read(const Program &program, const VertexGroup &newGroup) {
  group = &newGroup;
  CodeletOp codelet = program.codelets[group->codelet];
  if (group->rng || group->tiles.empty() || group->inBlocks ||
      isContraction(codelet))
    return false;
  int64_t column = 0;
  for (Type type : codelet.getBody().getArgumentTypes()) {
    auto buffer = dyn_cast<MemRefType>(type);
    if (!buffer)
      return false;
    columns.push_back(column);
    ranks.push_back(buffer.getRank());
    column += getNumColumns(type);
  }
  if (columns.size() != group->variables.size() || column != group->rowSize)
    return false;
  axes = findJoinAxes(*group, codelet);
  // What fails for the values of elements is known for vertices as they are
  // only; what is chosen by them is seldom in a block.
  bool hasLoops = !codelet.getBody().front().getOps<scf::ForOp>().empty();
  if (hasLoops && !axes.empty())
    return false;
  llvm::erase_if(axes, [](const JoinAxis &axis) {
    return llvm::any_of(axis.dims, [](const DimColumns &dim) {
      return dim.step != 1 || dim.isWindow;
    });
  });
  std::optional<std::vector<int64_t>> all =
      joinRows(*group, codelet, /*parts=*/1);
  joined = all.has_value();
  if (joined)
    table = std::move(*all);
  else
    table = group->table;
  for (int64_t row = 0; row < getNumRows(); ++row) {
    for (unsigned operand = 0; operand < columns.size(); ++operand)
      if (llvm::is_contained(
              getRow(row).slice(columns[operand] + 1, ranks[operand]), 0))
        return false;
    axisOfRow.push_back(-1);
    axisOfRow.back() = findAxis(row);
  }
  return true;
}

/// Regions have no negative strides.
GroupRows::Reach GroupRows::getReach(int64_t row, unsigned operand) const {
  const int64_t *region = getRow(row).data() + columns[operand];
  int64_t rank = ranks[operand];
  Reach reach{region[0], region[0] + 1};
  for (int64_t dim = 0; dim < rank; ++dim)
    reach.end += (region[1 + dim] - 1) * region[1 + rank + dim];
  return reach;
}

int64_t GroupRows::getStep(int64_t row, unsigned operand) const {
  for (const DimColumns &dim : getAxis(row)->dims)
    if (dim.offset == columns[operand])
      return getRow(row)[dim.stride];
  return 0;
}

/// The first axis in which all outputs move on.
int GroupRows::findAxis(int64_t row) {
  for (auto [number, axis] : llvm::enumerate(axes)) {
    // Parts that are split must differ in size as the whole does: not at all.
    int64_t size = getRow(row)[axis.size];
    if (size < 2 || llvm::any_of(
                        axis.dims,
                        [&](const DimColumns &dim) {
                          return getRow(row)[dim.size] != size;
                        }))
      continue;
    axisOfRow[row] = number;
    bool isFirst = true;
    for (unsigned operand = group->numInputs; operand < columns.size();
         ++operand)
      isFirst &= isOuter(row, operand);
    if (isFirst)
      return number;
  }
  return -1;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

int64_t RowPlacement::getNextCut(int64_t position) const {
  auto next = llvm::upper_bound(
      segments, position,
      [](int64_t at, const RowSegment &segment) { return at < segment.end; });
  if (next == segments.end() || position <= next->begin)
    return position;
  return std::min<int64_t>(
      next->end,
      next->begin + llvm::alignTo(position - next->begin, next->step));
}

namespace {
/// Puts the rows of a group to positions.
class Placer {
public:
  Placer(const Program &program, const GroupRows &rows, int64_t positions)
      : rows(rows), positions(positions) {
    for (unsigned variable : rows.getGroup().variables)
      elements.push_back(program.variables[variable].type.getNumElements());
  }

  /// None if outputs do not move with positions.
  std::optional<RowPlacement> run();

private:
  bool isDivided(unsigned operand) const {
    return elements[operand] % positions == 0;
  }
  int64_t getSize(unsigned operand) const {
    return elements[operand] / positions;
  }
  RowSegment getWhole(int64_t row) const;
  std::optional<RowSegment> getParts(int64_t row) const;
  bool movesTogether(int64_t row, unsigned operand, unsigned first) const;
  void add(int64_t row);

  const GroupRows &rows;
  int64_t positions;
  SmallVector<int64_t> elements;
  RowPlacement placement;
};
} // namespace

/// The positions that the row has of outputs.
RowSegment Placer::getWhole(int64_t row) const {
  const VertexGroup &group = rows.getGroup();
  RowSegment segment{positions, 0, 0};
  for (unsigned operand = group.numInputs; operand < elements.size();
       ++operand) {
    GroupRows::Reach reach = rows.getReach(row, operand);
    segment.begin = std::min(segment.begin, reach.begin / getSize(operand));
    segment.end = std::max(segment.end, static_cast<int64_t>(llvm::divideCeil(
                                            reach.end, getSize(operand))));
  }
  segment.step = segment.end - segment.begin;
  return segment;
}

/// Whether a split between positions splits the axis for both operands at one
/// position.
bool Placer::movesTogether(int64_t row, unsigned operand,
                           unsigned first) const {
  int64_t step = rows.getStep(row, operand), other = rows.getStep(row, first);
  return step > 0 && isDivided(operand) && rows.isOuter(row, operand) &&
         rows.getReach(row, operand).begin * other ==
             rows.getReach(row, first).begin * step &&
         getSize(operand) * other == getSize(first) * step;
}

/// Splits along the row's axis, if there are any.
std::optional<RowSegment> Placer::getParts(int64_t row) const {
  if (!rows.getAxis(row))
    return std::nullopt;
  const VertexGroup &group = rows.getGroup();
  unsigned first = group.numInputs;
  int64_t size = getSize(first), step = rows.getStep(row, first);
  int64_t begin = rows.getReach(row, first).begin;
  for (unsigned operand = first; operand < elements.size(); ++operand)
    if (!movesTogether(row, operand, first))
      return std::nullopt;
  RowSegment segment = getWhole(row);
  if (step % size == 0 && begin % size == 0)
    segment.step = step / size;
  else if (size % step == 0 && begin % step == 0)
    segment.step = 1;
  else
    return std::nullopt;
  return segment;
}

void Placer::add(int64_t row) {
  const VertexGroup &group = rows.getGroup();
  std::optional<RowSegment> parts = getParts(row);
  RowSegment segment = parts ? *parts : getWhole(row);
  for (unsigned operand = 0; operand < group.numInputs; ++operand) {
    bool moves = isDivided(operand);
    if (moves && parts) {
      moves = movesTogether(row, operand, group.numInputs);
    } else if (moves) {
      GroupRows::Reach reach = rows.getReach(row, operand);
      moves = segment.begin * getSize(operand) <= reach.begin &&
              reach.end <= segment.end * getSize(operand);
    }
    placement.moves[operand] &= moves;
  }
  if (!parts)
    segment.step = segment.end - segment.begin;
  placement.segments.push_back(segment);
}

std::optional<RowPlacement> Placer::run() {
  const VertexGroup &group = rows.getGroup();
  placement.moves.assign(elements.size(), true);
  for (unsigned operand = group.numInputs; operand < elements.size(); ++operand)
    if (!isDivided(operand))
      return std::nullopt;
  for (int64_t row = 0; row < rows.getNumRows(); ++row)
    add(row);
  // Segments that overlap are one, which is split only where all of it are.
  llvm::sort(placement.segments,
             [](const RowSegment &lhs, const RowSegment &rhs) {
               return std::tie(lhs.begin, lhs.end, lhs.step) <
                      std::tie(rhs.begin, rhs.end, rhs.step);
             });
  std::vector<RowSegment> merged;
  for (const RowSegment &segment : placement.segments) {
    if (merged.empty() || segment.begin >= merged.back().end) {
      merged.push_back(segment);
      continue;
    }
    RowSegment &last = merged.back();
    bool isEqual = last.begin == segment.begin && last.end == segment.end &&
                   last.step == segment.step;
    last.end = std::max(last.end, segment.end);
    if (!isEqual)
      last.step = last.end - last.begin;
  }
  placement.segments = std::move(merged);
  return std::move(placement);
}

std::optional<RowPlacement> mlir::ipu::placeRows(const Program &program,
                                                 const GroupRows &rows,
                                                 int64_t positions) {
  return Placer(program, rows, positions).run();
}
