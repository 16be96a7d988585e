//===- BlockLoops.cpp - Loops over blocks of addends ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BlockLoops.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Transforms/RegionUtils.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Loops with larger blocks stay loops, so that offsets do not overflow.
static constexpr int64_t kMaxBlock = 1 << 20;

//===----------------------------------------------------------------------===//
// Matching
//===----------------------------------------------------------------------===//

namespace {
/// Reads the loop of a codelet into a BlockLoop.
class LoopMatcher {
public:
  explicit LoopMatcher(CodeletOp codelet) : codelet(codelet) {}

  bool match();
  BlockLoop result;

private:
  bool matchBody();
  bool matchView(memref::SubViewOp view);
  bool isInvariant(Value value);
  bool matchGeneric(linalg::GenericOp op);
  bool isStart(OpFoldResult offset);
  bool isRest(OpFoldResult size);

  CodeletOp codelet;
  scf::ForOp loop;
  /// The numbers of all addends that isRest() has seen.
  SmallVector<memref::DimOp> totals;
};
} // namespace

static scf::ForOp getLoop(CodeletOp codelet) {
  auto loops = codelet.getBody().front().getOps<scf::ForOp>();
  return llvm::hasSingleElement(loops) ? *loops.begin() : scf::ForOp();
}

/// Returns whether `size` is that of dimension `dim` of `buffer`.
static bool isSizeOf(OpFoldResult size, Value buffer, int64_t dim) {
  auto op = dyn_cast<Value>(size)
                ? cast<Value>(size).getDefiningOp<memref::DimOp>()
                : memref::DimOp();
  return op && op.getSource() == buffer && op.getConstantIndex() == dim;
}

bool LoopMatcher::match() {
  loop = getLoop(codelet);
  if (!loop || loop.getNumResults() > 0 ||
      !isConstantIntValue(loop.getLowerBound(), 0) ||
      !isConstantIntValue(loop.getStep(), 1))
    return false;
  for (Operation &op : codelet.getBody().front().without_terminator())
    if (!isa<arith::ConstantOp, memref::DimOp, scf::ForOp>(op))
      return false;
  for (Type type : codelet.getBody().getArgumentTypes())
    if (!isa<MemRefType>(type))
      return false;
  return matchBody();
}

bool LoopMatcher::matchBody() {
  unsigned numArguments = codelet.getBody().getNumArguments();
  result.dims.resize(numArguments);
  result.hasAddends.resize(numArguments);
  SmallVector<bool> isFound(numArguments, false);
  for (auto view : loop.getBody()->getOps<memref::SubViewOp>()) {
    auto argument = dyn_cast<BlockArgument>(view.getSource());
    if (!argument || isFound[argument.getArgNumber()] || !matchView(view))
      return false;
    isFound[argument.getArgNumber()] = true;
  }
  // The number of blocks is that of the last output.
  if (llvm::is_contained(isFound, false) || result.hasAddends.back() ||
      !isSizeOf(loop.getUpperBound(), codelet.getBody().getArguments().back(),
                result.dims.back()))
    return false;
  for (memref::DimOp total : totals) {
    unsigned argument = cast<BlockArgument>(total.getSource()).getArgNumber();
    if (!result.hasAddends[argument] ||
        total.getConstantIndex() != result.dims[argument])
      return false;
  }
  for (Operation &op : loop.getBody()->without_terminator()) {
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (generic ? !matchGeneric(generic)
                : !isa<arith::ArithDialect>(op.getDialect()) &&
                      !isa<memref::DimOp, memref::SubViewOp>(op))
      return false;
  }
  return true;
}

/// Returns whether `offset` is the first addend of the block.
bool LoopMatcher::isStart(OpFoldResult offset) {
  auto value = dyn_cast<Value>(offset);
  auto product = value ? value.getDefiningOp<arith::MulIOp>() : arith::MulIOp();
  if (!product || product.getLhs() != loop.getInductionVar())
    return false;
  std::optional<int64_t> block = getConstantIntValue(product.getRhs());
  if (!block || *block < 1 || *block > kMaxBlock ||
      (result.block != 0 && result.block != *block))
    return false;
  result.block = *block;
  return true;
}

/// Returns whether `size` is the number of addends of the block; the matcher
/// has seen its first addend.
bool LoopMatcher::isRest(OpFoldResult size) {
  auto value = dyn_cast<Value>(size);
  auto least = value ? value.getDefiningOp<arith::MinSIOp>() : arith::MinSIOp();
  if (!least || getConstantIntValue(least.getRhs()) != result.block)
    return false;
  auto rest = least.getLhs().getDefiningOp<arith::SubIOp>();
  auto all =
      rest ? rest.getLhs().getDefiningOp<memref::DimOp>() : memref::DimOp();
  totals.push_back(all);
  return all && isa<BlockArgument>(all.getSource()) && isStart(rest.getRhs());
}

bool LoopMatcher::matchView(memref::SubViewOp view) {
  unsigned argument = cast<BlockArgument>(view.getSource()).getArgNumber();
  int64_t rank = view.getSourceType().getRank();
  if (view.getType().getRank() != rank)
    return false;
  int64_t numDivided = 0;
  for (int64_t dim = 0; dim < rank; ++dim) {
    OpFoldResult offset = view.getMixedOffsets()[dim];
    OpFoldResult size = view.getMixedSizes()[dim];
    if (!isConstantIntValue(view.getMixedStrides()[dim], 1))
      return false;
    if (isConstantIntValue(offset, 0) && isSizeOf(size, view.getSource(), dim))
      continue;
    result.dims[argument] = dim;
    result.hasAddends[argument] = isStart(offset) && isRest(size);
    bool isNumber = offset == OpFoldResult(loop.getInductionVar()) &&
                    isConstantIntValue(size, 1);
    if (!result.hasAddends[argument] && !isNumber)
      return false;
    ++numDivided;
  }
  return numDivided == 1;
}

/// Returns the argument of which an operand is a view.
static std::optional<unsigned> getViewed(Value operand) {
  auto view = operand.getDefiningOp<memref::SubViewOp>();
  if (!view)
    return std::nullopt;
  return cast<BlockArgument>(view.getSource()).getArgNumber();
}

/// Returns the loop of `op` over the one index that its views have in
/// dimensions of blocks.
static std::optional<unsigned> getBlockDim(linalg::GenericOp op,
                                           const BlockLoop &loop) {
  std::optional<unsigned> found;
  for (OpOperand &operand : op->getOpOperands()) {
    std::optional<unsigned> argument = getViewed(operand.get());
    if (!argument || loop.hasAddends[*argument])
      continue;
    AffineMap map = op.getMatchingIndexingMap(&operand);
    auto dim = dyn_cast<AffineDimExpr>(map.getResult(loop.dims[*argument]));
    if (!dim || (found && *found != dim.getPosition()))
      return std::nullopt;
    found = dim.getPosition();
  }
  return found;
}

/// Returns whether `value` is defined outside of the loop or is a constant.
bool LoopMatcher::isInvariant(Value value) {
  return loop.isDefinedOutsideOfLoop(value) ||
         value.getDefiningOp<arith::ConstantOp>();
}

bool LoopMatcher::matchGeneric(linalg::GenericOp op) {
  llvm::SetVector<Value> captured;
  getUsedValuesDefinedAbove(op.getRegion(), captured);
  if (!llvm::all_of(captured, [&](Value value) { return isInvariant(value); }))
    return false;
  std::optional<unsigned> blockDim = getBlockDim(op, result);
  if (!blockDim || op.hasIndexSemantics() ||
      op.getIteratorTypesArray()[*blockDim] != utils::IteratorType::parallel)
    return false;
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<MemRefType>(operand.get().getType())) {
      if (!isInvariant(operand.get()))
        return false;
      continue;
    }
    std::optional<unsigned> argument = getViewed(operand.get());
    if (!argument)
      return false;
    // Only dimensions of blocks have the loop.
    for (auto [dim, expr] :
         llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (expr.isFunctionOfDim(*blockDim) &&
          (result.hasAddends[*argument] || dim != result.dims[*argument]))
        return false;
  }
  return true;
}

std::optional<BlockLoop> mlir::ipu::matchBlockLoop(CodeletOp codelet) {
  LoopMatcher matcher(codelet);
  if (!matcher.match())
    return std::nullopt;
  return matcher.result;
}

//===----------------------------------------------------------------------===//
// Codelets
//===----------------------------------------------------------------------===//

/// Returns the type of a buffer with addends in blocks: a dimension of blocks
/// before dimension `dim`.
static MemRefType getTypeInBlocks(MemRefType type, unsigned dim) {
  SmallVector<int64_t> shape(type.getShape()), strides;
  int64_t offset;
  // The types of codelets' arguments were checked to have strides.
  (void)type.getStridesAndOffset(strides, offset);
  shape[dim] = ShapedType::kDynamic;
  shape.insert(shape.begin() + dim, ShapedType::kDynamic);
  strides.insert(strides.begin() + dim, ShapedType::kDynamic);
  return MemRefType::get(
      shape, type.getElementType(),
      StridedLayoutAttr::get(type.getContext(), offset, strides));
}

void mlir::ipu::unrollBlockLoop(CodeletOp codelet, const BlockLoop &loop) {
  scf::ForOp forOp = getLoop(codelet);
  Block &body = codelet.getBody().front();
  for (Operation &op : llvm::make_early_inc_range(*forOp.getBody())) {
    if (isa<arith::ConstantOp>(op))
      op.moveBefore(forOp);
    auto generic = dyn_cast<linalg::GenericOp>(op);
    if (!generic)
      continue;
    AffineExpr block =
        getAffineDimExpr(*getBlockDim(generic, loop), codelet.getContext());
    SmallVector<AffineMap> maps = generic.getIndexingMapsArray();
    for (auto [operand, map] : llvm::zip_equal(op.getOpOperands(), maps)) {
      std::optional<unsigned> argument = getViewed(operand.get());
      if (!argument)
        continue;
      operand.set(body.getArgument(*argument));
      if (loop.hasAddends[*argument])
        map = map.insertResult(block, loop.dims[*argument]);
    }
    generic.setIndexingMapsAttr(
        Builder(codelet.getContext()).getAffineMapArrayAttr(maps));
    op.moveBefore(forOp);
  }
  forOp.erase();
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
    if (isOpTriviallyDead(&op))
      op.erase();
  for (BlockArgument argument : body.getArguments())
    if (unsigned number = argument.getArgNumber(); loop.hasAddends[number])
      argument.setType(getTypeInBlocks(cast<MemRefType>(argument.getType()),
                                       loop.dims[number]));
  codelet.setFunctionType(
      FunctionType::get(codelet.getContext(), body.getArgumentTypes(), {}));
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

std::shared_ptr<VertexGroup> mlir::ipu::splitBlocks(const VertexGroup &group,
                                                    const BlockLoop &loop,
                                                    ArrayRef<unsigned> ranks,
                                                    unsigned codelet,
                                                    bool definesAll) {
  auto result = std::make_shared<VertexGroup>(group);
  result->codelet = codelet;
  result->definesAll = definesAll;
  result->table.clear();
  result->tiles.clear();
  result->rowSize = 0;
  int64_t rowSize = 0;
  for (auto [rank, hasAddends] : llvm::zip_equal(ranks, loop.hasAddends)) {
    rowSize += 1 + 2 * rank;
    result->rowSize += 1 + 2 * (rank + hasAddends);
  }
  // An output has another form than an input in the same buffer.
  bool isInPlace = llvm::any_of(llvm::enumerate(group.alias), [](auto it) {
    return it.value() != it.index();
  });
  if (isInPlace || group.rowSize != rowSize)
    return nullptr;

  /// Appends the row of `number` blocks of `block` addends, after `skipped`
  /// blocks.
  auto addRow = [&](const int64_t *row, int64_t skipped, int64_t number,
                    int64_t block) {
    for (auto [rank, dim, hasAddends] :
         llvm::zip_equal(ranks, loop.dims, loop.hasAddends)) {
      SmallVector<int64_t> sizes(row + 1, row + 1 + rank);
      SmallVector<int64_t> strides(row + 1 + rank, row + 1 + 2 * rank);
      int64_t step = strides[dim] * (hasAddends ? loop.block : 1);
      sizes[dim] = number;
      if (hasAddends) {
        sizes.insert(sizes.begin() + dim + 1, block);
        strides.insert(strides.begin() + dim, step);
      }
      result->table.push_back(row[0] + skipped * step);
      llvm::append_range(result->table, sizes);
      llvm::append_range(result->table, strides);
      row += 1 + 2 * rank;
    }
  };
  auto addBlocks = [&](int64_t number, bool areWhole) {
    const int64_t *row = group.getRow(number), *next = row;
    std::optional<int64_t> addends, blocks;
    for (auto [rank, dim, hasAddends] :
         llvm::zip_equal(ranks, loop.dims, loop.hasAddends)) {
      std::optional<int64_t> &known = hasAddends ? addends : blocks;
      int64_t size = next[1 + dim];
      if (known.value_or(size) != size)
        return false;
      known = size;
      next += 1 + 2 * rank;
    }
    if (!addends || *blocks != llvm::divideCeilSigned(*addends, loop.block))
      return false;
    int64_t whole = *addends / loop.block, rest = *addends % loop.block;
    if (areWhole ? whole > 0 : rest > 0) {
      addRow(row, areWhole ? 0 : whole, areWhole ? whole : 1,
             areWhole ? loop.block : rest);
      result->tiles.push_back(group.tiles[number]);
    }
    return true;
  };
  // Only rows that follow each other can be joined.
  for (bool areWhole : {true, false})
    for (int64_t number = 0; number < group.getNumRows(); ++number)
      if (!addBlocks(number, areWhole))
        return nullptr;
  return result;
}
