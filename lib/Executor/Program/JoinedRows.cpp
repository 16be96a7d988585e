//===- JoinedRows.cpp - Joined vertices -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "JoinedRows.h"

#include "EngineCodelets.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Axes
//===----------------------------------------------------------------------===//

namespace {
/// Finds the axes of a codelet.
class AxisFinder {
public:
  explicit AxisFinder(CodeletOp codelet);

  /// False if the codelet's vertices can never be joined.
  bool run(unsigned numInputs);
  std::vector<JoinAxis> getAxes();

private:
  bool readGeneric(linalg::GenericOp op);
  bool readLoops();
  bool readNumber(BlockArgument argument);
  void readUse(BlockArgument argument, OpOperand &use);
  unsigned getDim(Value buffer, unsigned dim) const {
    return firstDims[cast<BlockArgument>(getSource(buffer)).getArgNumber()] +
           dim;
  }
  /// What a view is of.
  static Value getSource(Value buffer) {
    auto view = buffer.getDefiningOp<memref::SubViewOp>();
    return view ? view.getSource() : buffer;
  }

  CodeletOp codelet;
  unsigned numInputs = 0, numBuffers = 0;
  SmallVector<QuotientColumn> quotients;
  /// The dimensions of all arguments are numbered in a row.
  SmallVector<unsigned> firstDims, arguments;
  llvm::EquivalenceClasses<unsigned> classes;
  SmallVector<bool> isFixed;
  /// Whether all ops are fills that do not read what they replace.
  bool areFills = true;
  /// Windows: `dim` moves by `step` with `axis`, and with something else.
  struct Window {
    unsigned axis = 0, dim = 0;
    int64_t step = 0;
  };
  SmallVector<Window> windows;
};
} // namespace

AxisFinder::AxisFinder(CodeletOp codelet) : codelet(codelet) {}

/// Whether `op` only gives its output values that are not in memory.
static bool isFill(linalg::GenericOp op) {
  return op.getNumReductionLoops() == 0 &&
         llvm::none_of(op.getDpsInputs(), [](Value input) {
           return isa<MemRefType>(input.getType());
         });
}

/// Whether `op` multiplies an index by a constant of zero.
static bool isProductWithZero(Operation *op) {
  auto product = dyn_cast_or_null<arith::MulIOp>(op);
  return product && (isConstantIntValue(product.getLhs(), 0) ||
                     isConstantIntValue(product.getRhs(), 0));
}

/// What `number` is divided by if nothing else is done with it. Zeros, which an
/// index of zero and a stride make, may be added before.
static std::optional<uint32_t> getDivisor(Value number) {
  while (number.hasOneUse()) {
    Operation *user = *number.user_begin();
    if (auto quotient = dyn_cast<arith::DivUIOp>(user)) {
      std::optional<int64_t> divisor = getConstantIntValue(quotient.getRhs());
      if (quotient.getLhs() != number || !divisor ||
          !number.getType().isInteger(32) ||
          static_cast<uint32_t>(*divisor) == 0)
        return std::nullopt;
      return static_cast<uint32_t>(*divisor);
    }
    if (auto sum = dyn_cast<arith::AddIOp>(user)) {
      Value other = sum.getLhs() == number ? sum.getRhs() : sum.getLhs();
      if (!isProductWithZero(other.getDefiningOp()))
        return std::nullopt;
    } else if (!isa<arith::IndexCastOp>(user)) {
      return std::nullopt;
    }
    number = user->getResult(0);
  }
  return std::nullopt;
}

/// False if vertices have different numbers that they use in an unknown way.
/// The strides of numbers are the same for all vertices of a group.
bool AxisFinder::readNumber(BlockArgument argument) {
  if (!argument.getType().isIndex())
    return false;
  if (llvm::all_of(argument.getUsers(), isProductWithZero))
    return true;
  std::optional<uint32_t> divisor = getDivisor(argument);
  if (!divisor)
    return false;
  int64_t column = 0;
  for (Type type :
       codelet.getArgumentTypes().take_front(argument.getArgNumber()))
    column += getNumColumns(type);
  quotients.push_back({column, *divisor});
  return true;
}

bool AxisFinder::run(unsigned inputs) {
  numInputs = inputs;
  for (BlockArgument argument : codelet.getBody().getArguments()) {
    firstDims.push_back(arguments.size());
    auto type = dyn_cast<MemRefType>(argument.getType());
    if (!type && !readNumber(argument))
      return false;
    if (!type)
      continue;
    ++numBuffers;
    arguments.append(type.getRank(), argument.getArgNumber());
  }
  isFixed.assign(arguments.size(), false);
  for (unsigned dim = 0; dim < arguments.size(); ++dim)
    classes.insert(dim);
  if (!codelet.getBody().front().getOps<scf::ForOp>().empty())
    return readLoops();
  linalg::GenericOp last;
  for (Operation &op : codelet.getBody().front().without_terminator()) {
    if (isa<arith::ConstantOp>(op))
      continue;
    // Ops that go over all of a tensor one after the other would find nothing
    // of it in a cache.
    if (last && !isFill(last))
      return false;
    last = dyn_cast<linalg::GenericOp>(op);
    if (!last || !readGeneric(last))
      return false;
  }
  return last != nullptr;
}

/// Loops whose ops each work on all of some dimension, or on none of it, as
/// those of a gather do: what is chosen are whole rows.
bool AxisFinder::readLoops() {
  for (BlockArgument argument : codelet.getBody().getArguments())
    if (isa<MemRefType>(argument.getType()))
      for (OpOperand &use : argument.getUses())
        readUse(argument, use);
  bool isKnown = true;
  codelet.walk([&](linalg::GenericOp op) { isKnown &= readGeneric(op); });
  return isKnown;
}

/// Dimensions that a use looks into are fixed.
void AxisFinder::readUse(BlockArgument argument, OpOperand &use) {
  int64_t rank = cast<MemRefType>(argument.getType()).getRank();
  Operation *user = use.getOwner();
  auto view = dyn_cast<memref::SubViewOp>(user);
  auto isAll = [&](int64_t dim) {
    auto size = dyn_cast<Value>(view.getMixedSizes()[dim]);
    auto end = size ? size.getDefiningOp<memref::DimOp>() : memref::DimOp();
    return isConstantIntValue(view.getMixedOffsets()[dim], 0) &&
           isConstantIntValue(view.getMixedStrides()[dim], 1) && end &&
           end.getSource() == argument && end.getConstantIndex() == dim;
  };
  auto isOfView = [&](Operation *op) {
    auto view = dyn_cast<memref::SubViewOp>(op);
    return view && view.getSource() == argument;
  };
  for (int64_t dim = 0; dim < rank; ++dim) {
    bool isFree = isa<linalg::GenericOp>(user);
    if (view)
      isFree = view.getType().getRank() == rank && isAll(dim) &&
               llvm::all_of(view->getUsers(), [](Operation *op) {
                 return isa<linalg::GenericOp>(op);
               });
    else if (auto size = dyn_cast<memref::DimOp>(user))
      isFree = (size.getConstantIndex() && *size.getConstantIndex() != dim) ||
               llvm::all_of(size->getUsers(), isOfView);
    if (!isFree)
      isFixed[getDim(argument, dim)] = true;
  }
}

bool AxisFinder::readGeneric(linalg::GenericOp op) {
  // Positions are those of the vertex.
  if (op.hasIndexSemantics())
    return false;
  areFills &= isFill(op) &&
              llvm::none_of(op.getDpsInitsMutable(), [&](OpOperand &init) {
                return op.payloadUsesValueFromOperand(&init);
              });
  SmallVector<int64_t> dimOfLoop(op.getNumLoops(), -1);
  SmallVector<bool> isBound(op.getNumLoops(), false);
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    isBound[loop] = type != utils::IteratorType::parallel;
  // With loops as axes; their dimensions are known after all operands.
  SmallVector<Window> found;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType()))
      continue;
    if (!isa<BlockArgument>(getSource(operand.get())))
      return false;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    for (auto [number, expr] : llvm::enumerate(map.getResults())) {
      unsigned dim = getDim(operand.get(), number);
      auto loop = dyn_cast<AffineDimExpr>(expr);
      if (!loop) {
        isFixed[dim] = true;
        LinearExpr linear = *getLinearExpr(expr, op.getNumLoops());
        for (auto [other, step] : llvm::enumerate(linear.coefficients)) {
          isBound[other] |= step < 0;
          if (step > 0)
            found.push_back({static_cast<unsigned>(other), dim, step});
        }
        continue;
      }
      int64_t &known = dimOfLoop[loop.getPosition()];
      if (known < 0)
        known = dim;
      else
        classes.unionSets(known, dim);
    }
  }
  for (auto [dim, bound] : llvm::zip_equal(dimOfLoop, isBound))
    if (bound && dim >= 0)
      isFixed[dim] = true;
  for (Window window : found)
    if (int64_t dim = dimOfLoop[window.axis]; dim >= 0)
      windows.push_back({static_cast<unsigned>(dim), window.dim, window.step});
  return true;
}

std::vector<JoinAxis> AxisFinder::getAxes() {
  SmallVector<int64_t> columns;
  int64_t column = 0;
  for (Type type : codelet.getBody().getArgumentTypes()) {
    columns.push_back(column);
    column += getNumColumns(type);
  }
  std::vector<JoinAxis> axes;
  for (unsigned leader = 0; leader < arguments.size(); ++leader) {
    if (classes.getLeaderValue(leader) != leader)
      continue;
    JoinAxis axis;
    struct Member {
      unsigned dim;
      int64_t step;
      bool isWindow;
    };
    std::vector<Member> members;
    unsigned numOutputs = 0;
    bool isFree = true;
    for (unsigned dim = 0; dim < arguments.size(); ++dim)
      if (classes.isEquivalent(dim, leader)) {
        members.push_back({dim, 1, false});
        isFree &= !isFixed[dim];
        numOutputs += arguments[dim] >= numInputs;
      }
    for (const Window &window : windows)
      if (classes.isEquivalent(window.axis, leader))
        members.push_back({window.dim, window.step, true});
    llvm::sort(members, [](const Member &lhs, const Member &rhs) {
      return lhs.dim < rhs.dim;
    });
    for (auto [index, member] : llvm::enumerate(members)) {
      unsigned dim = member.dim;
      unsigned argument = arguments[dim];
      // A buffer that moves in two dimensions has no regions to join.
      isFree &= index == 0 || arguments[members[index - 1].dim] != argument;
      int64_t rank =
          cast<MemRefType>(codelet.getBody().getArgument(argument).getType())
              .getRank();
      int64_t offset = columns[argument];
      int64_t size = offset + 1 + (dim - firstDims[argument]);
      axis.dims.push_back(
          {offset, size, size + rank, member.step, member.isWindow});
      if (dim == leader)
        axis.size = size;
    }
    // Vertices that are joined must not write the same elements.
    if (!isFree || numOutputs != numBuffers - numInputs)
      continue;
    axis.canOverlap = areFills && members.size() == 1;
    axis.quotients = quotients;
    axes.push_back(std::move(axis));
  }
  return axes;
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

/// What the codelet uses of the value in a column.
static int64_t getKey(ArrayRef<int64_t> row, int64_t column,
                      const JoinAxis &axis) {
  for (const QuotientColumn &quotient : axis.quotients)
    if (quotient.column == column)
      return static_cast<uint32_t>(row[column]) / quotient.divisor;
  return row[column];
}

/// The number of positions of the axis from the first one of `row` to the first
/// one of `next`, if the rows differ in nothing else and can be joined.
static std::optional<int64_t> getDistance(ArrayRef<int64_t> row,
                                          ArrayRef<int64_t> next,
                                          const JoinAxis &axis) {
  size_t at = 0;
  auto isEqualTo = [&](size_t end) {
    for (; at < end; ++at)
      if (getKey(row, at, axis) != getKey(next, at, axis))
        return false;
    return true;
  };
  int64_t size = row[axis.size], more = next[axis.size], distance = size;
  if (axis.canOverlap) {
    const DimColumns &dim = axis.dims.front();
    int64_t shift = next[dim.offset] - row[dim.offset];
    int64_t stride = std::max<int64_t>(row[dim.stride], 1);
    if (shift >= 0 && shift % stride == 0)
      distance = std::min(shift / stride, size);
  }
  for (const DimColumns &dim : axis.dims) {
    if (!isEqualTo(dim.offset) ||
        next[dim.offset] !=
            row[dim.offset] + dim.step * distance * row[dim.stride])
      return std::nullopt;
    ++at;
    // A window may have more than it needs, at the border of a tensor.
    if (!isEqualTo(dim.size) ||
        (!dim.isWindow && row[dim.size] - size != next[dim.size] - more))
      return std::nullopt;
    ++at;
  }
  if (!isEqualTo(row.size()))
    return std::nullopt;
  return distance;
}

/// Joins rows that follow each other in the table; false if there are none.
static bool joinAlong(const JoinAxis &axis, int64_t rowSize,
                      std::vector<int64_t> &table) {
  size_t end = rowSize;
  for (size_t at = rowSize; at < table.size(); at += rowSize) {
    MutableArrayRef<int64_t> last(table.data() + end - rowSize, rowSize);
    ArrayRef<int64_t> next(table.data() + at, rowSize);
    if (std::optional<int64_t> distance = getDistance(last, next, axis)) {
      for (const DimColumns &dim : axis.dims) {
        int64_t end = dim.step * *distance + next[dim.size];
        last[dim.size] = axis.canOverlap ? std::max(last[dim.size], end) : end;
      }
      continue;
    }
    llvm::copy(next, table.begin() + end);
    end += rowSize;
  }
  bool isShorter = end < table.size();
  table.resize(end);
  return isShorter;
}

/// Brings rows next to each other that differ only in their part of the axis.
static void sortAlong(const JoinAxis &axis, int64_t rowSize,
                      std::vector<int64_t> &table) {
  auto isOfAxis = [&](int64_t column) {
    return llvm::any_of(axis.dims, [&](const DimColumns &dim) {
      return dim.offset == column || dim.size == column;
    });
  };
  std::vector<std::pair<std::vector<int64_t>, ArrayRef<int64_t>>> rows;
  for (size_t at = 0; at < table.size(); at += rowSize) {
    ArrayRef<int64_t> row(table.data() + at, rowSize);
    std::vector<int64_t> key;
    for (int64_t column = 0; column < rowSize; ++column)
      if (!isOfAxis(column))
        key.push_back(getKey(row, column, axis));
    // Equal rows stay in order.
    key.push_back(row[axis.dims.front().offset]);
    key.push_back(at);
    rows.emplace_back(std::move(key), row);
  }
  llvm::sort(rows, llvm::less_first());
  std::vector<int64_t> sorted;
  for (const auto &[key, row] : rows)
    llvm::append_range(sorted, row);
  table = std::move(sorted);
}

void mlir::ipu::cutRow(ArrayRef<int64_t> row, const JoinAxis &axis,
                       int64_t begin, int64_t end,
                       MutableArrayRef<int64_t> part) {
  llvm::copy(row, part.begin());
  for (const DimColumns &dim : axis.dims) {
    part[dim.offset] += dim.step * begin * part[dim.stride];
    part[dim.size] -= dim.step * (row[axis.size] - (end - begin));
  }
}

namespace {
/// Splits rows of a table into parts for threads.
class RowSplitter {
public:
  RowSplitter(ArrayRef<JoinAxis> allAxes, CodeletOp codelet, int64_t parts,
              unsigned numWholeDims);
  std::vector<int64_t> run(ArrayRef<int64_t> table);

private:
  int64_t getStep(ArrayRef<int64_t> row, const JoinAxis &axis) const;
  double countElements(ArrayRef<int64_t> row, const JoinAxis &axis) const;

  SmallVector<const JoinAxis *> axes;
  int64_t parts, rowSize = 0;
  /// Where sizes of each operand are in a row: begin, end.
  SmallVector<std::pair<int64_t, int64_t>> sizes;
};
} // namespace

RowSplitter::RowSplitter(ArrayRef<JoinAxis> allAxes, CodeletOp codelet,
                         int64_t parts, unsigned numWholeDims)
    : parts(parts) {
  for (Type type : codelet.getBody().getArgumentTypes()) {
    if (auto buffer = dyn_cast<MemRefType>(type))
      sizes.push_back({rowSize + 1, rowSize + 1 + buffer.getRank()});
    rowSize += getNumColumns(type);
  }
  int64_t firstWhole = sizes.back().first;
  for (const JoinAxis &axis : allAxes)
    if (llvm::none_of(axis.dims, [&](const DimColumns &dim) {
          return dim.size >= firstWhole && dim.size < firstWhole + numWholeDims;
        }))
      axes.push_back(&axis);
}

/// How much of the axis a part has, the last one perhaps less.
int64_t RowSplitter::getStep(ArrayRef<int64_t> row,
                             const JoinAxis &axis) const {
  int64_t size = row[axis.size], step = llvm::divideCeil(size, parts);
  // Of whole vectors, where elements follow each other along the axis.
  constexpr int64_t kVector = 16;
  if (llvm::any_of(axis.dims,
                   [&](const DimColumns &dim) { return row[dim.stride] == 1; }))
    return llvm::alignTo(step, kVector);
  // Else of whole tiles of rows, if parts are nearly equal then.
  for (int64_t multiple = kVector; multiple > 1; multiple /= 2)
    if (int64_t aligned = llvm::alignTo(step, multiple);
        aligned - step <= step / 16)
      return aligned;
  return step;
}

/// Elements that the largest part along the axis reads and writes: what all
/// parts read is packed by all threads.
double RowSplitter::countElements(ArrayRef<int64_t> row,
                                  const JoinAxis &axis) const {
  double sum = 0, share = 1;
  if (int64_t size = row[axis.size])
    share = double(std::min(getStep(row, axis), size)) / size;
  for (const std::pair<int64_t, int64_t> &columns : sizes) {
    double elements = 1;
    for (int64_t column = columns.first; column < columns.second; ++column)
      elements *= row[column];
    bool isSplit = llvm::any_of(axis.dims, [&](const DimColumns &dim) {
      return dim.size >= columns.first && dim.size < columns.second;
    });
    sum += isSplit ? elements * share : elements;
  }
  return sum;
}

/// Splits each row along the axis whose parts have the fewest elements.
std::vector<int64_t> RowSplitter::run(ArrayRef<int64_t> table) {
  std::vector<int64_t> result;
  for (size_t at = 0; at < table.size(); at += rowSize) {
    ArrayRef<int64_t> row = table.slice(at, rowSize);
    // Of equal ones the longest.
    const JoinAxis *best = nullptr;
    std::pair<double, int64_t> least;
    for (const JoinAxis *axis : axes) {
      std::pair<double, int64_t> cost = {countElements(row, *axis),
                                         -row[axis->size]};
      if (best && cost >= least)
        continue;
      best = axis;
      least = cost;
    }
    int64_t size = best ? row[best->size] : 0;
    if (size == 0) {
      llvm::append_range(result, row);
      continue;
    }
    int64_t step = getStep(row, *best);
    for (int64_t begin = 0; begin < size; begin += step) {
      std::vector<int64_t> part(rowSize);
      cutRow(row, *best, begin, std::min(begin + step, size), part);
      llvm::append_range(result, part);
    }
  }
  return result;
}

std::vector<JoinAxis> mlir::ipu::findJoinAxes(const VertexGroup &group,
                                              CodeletOp codelet) {
  AxisFinder finder(codelet);
  if (!finder.run(group.numInputs))
    return {};
  return finder.getAxes();
}

std::vector<int64_t> mlir::ipu::splitRows(const VertexGroup &group,
                                          CodeletOp codelet,
                                          ArrayRef<int64_t> table,
                                          int64_t parts,
                                          unsigned numWholeDims) {
  std::vector<JoinAxis> axes = findJoinAxes(group, codelet);
  return RowSplitter(axes, codelet, parts, numWholeDims).run(table);
}

std::optional<std::vector<int64_t>>
mlir::ipu::joinRows(const VertexGroup &group, CodeletOp codelet,
                    int64_t parts) {
  if (group.getNumRows() < 2)
    return std::nullopt;
  std::vector<JoinAxis> axes = findJoinAxes(group, codelet);
  std::vector<int64_t> table = group.table;
  // Tiles are numbered along one axis after the other.
  bool isChanged = true;
  while (isChanged) {
    isChanged = false;
    for (const JoinAxis &axis : axes) {
      // Vertices that use their numbers may be joined along few axes, so the
      // others are in between.
      if (!axis.quotients.empty())
        sortAlong(axis, group.rowSize, table);
      isChanged |= joinAlong(axis, group.rowSize, table);
    }
  }
  if (table.size() == group.table.size())
    return std::nullopt;
  int64_t rows = table.size() / group.rowSize;
  if (rows < parts)
    table = RowSplitter(axes, codelet, llvm::divideCeil(parts, rows),
                        /*numWholeDims=*/0)
                .run(table);
  return table;
}
