//===- ExplicitGatherScatterBatching.cpp - Batching dimensions ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// In: gathers and scatters whose indices have a part that counts along one of
// their dimensions. Out: the same ops without that part; the dimension along
// which the part counts, and the dimension that the part indexes, are batching
// dimensions.
//
//===----------------------------------------------------------------------===//

#include "CountedDims.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "llvm/ADT/SmallBitVector.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_EXPLICITGATHERSCATTERBATCHINGPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::stablehlo;

namespace {
/// What gather and scatter have in common: slices of a tensor of `shape`, of
/// which index vectors say the position.
struct IndexedDims {
  ArrayRef<int64_t> shape;
  Value indices;
  int64_t vectorDim;
  SmallVector<int64_t> collapsed, batching, indicesBatching, indexMap;

  /// Makes batching dimensions of all parts of the index vectors that count,
  /// which are left out of `indices` then. False if there are none.
  bool addBatching(OpBuilder &builder, Location loc);

private:
  /// The dimension of the indices along which a value counts that is a part of
  /// them for `dim`; none if that cannot become a batching dimension.
  std::optional<int64_t> getBatchingDim(Value part, int64_t dim) const;
};
} // namespace

/// The values that `value` concatenates along `dim`, without empty ones.
static SmallVector<Value> getConcatenated(Value value, int64_t dim) {
  SmallVector<Value> leaves, stack = {value};
  while (!stack.empty()) {
    Value next = stack.pop_back_val();
    if (getTensorShape(next)[dim] == 0)
      continue;
    auto concat = next.getDefiningOp<ConcatenateOp>();
    if (concat && static_cast<int64_t>(concat.getDimension()) == dim)
      llvm::append_range(stack, llvm::reverse(concat.getInputs()));
    else
      leaves.push_back(next);
  }
  return leaves;
}

/// What is at the positions from `begin` to `end`.
static Value slice(OpBuilder &builder, Location loc, Value value, int64_t dim,
                   int64_t begin, int64_t end) {
  auto type = cast<RankedTensorType>(value.getType());
  if (end - begin == type.getDimSize(dim))
    return value;
  SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape()),
      strides(type.getRank(), 1), sizes(type.getShape());
  starts[dim] = begin;
  limits[dim] = end;
  sizes[dim] = end - begin;
  return SliceOp::create(builder, loc, type.clone(sizes), value, starts, limits,
                         strides);
}

/// The leaves, one after the other, without the positions that are `removed`.
static Value concatenate(OpBuilder &builder, Location loc,
                         ArrayRef<Value> leaves, int64_t dim,
                         const llvm::SmallBitVector &removed) {
  SmallVector<Value> parts;
  int64_t offset = 0, total = 0;
  for (Value leaf : leaves) {
    int64_t size = getTensorShape(leaf)[dim];
    for (int64_t begin = 0; begin < size;) {
      int64_t end = begin;
      while (end < size && !removed.test(offset + end))
        ++end;
      if (end > begin)
        parts.push_back(slice(builder, loc, leaf, dim, begin, end));
      total += end - begin;
      begin = end + 1;
    }
    offset += size;
  }
  if (parts.size() == 1)
    return parts.front();
  auto type = cast<RankedTensorType>(parts.front().getType());
  SmallVector<int64_t> shape(type.getShape());
  shape[dim] = total;
  return ConcatenateOp::create(builder, loc, type.clone(shape), parts, dim);
}

std::optional<int64_t> IndexedDims::getBatchingDim(Value part,
                                                   int64_t dim) const {
  if (!llvm::is_contained(collapsed, dim))
    return std::nullopt;
  std::optional<int64_t> counted = sdy::getCountedDim(part);
  if (!counted || *counted == vectorDim ||
      getTensorShape(indices)[*counted] != shape[dim] ||
      llvm::is_contained(indicesBatching, *counted))
    return std::nullopt;
  return counted;
}

bool IndexedDims::addBatching(OpBuilder &builder, Location loc) {
  auto type = cast<RankedTensorType>(indices.getType());
  if (!type.hasStaticShape() || vectorDim >= type.getRank())
    return false;
  SmallVector<Value> leaves = getConcatenated(indices, vectorDim);
  SmallVector<Value> leafOf;
  for (Value leaf : leaves)
    leafOf.append(getTensorShape(leaf)[vectorDim], leaf);

  llvm::SmallBitVector removed(indexMap.size());
  for (auto [i, dim] : llvm::enumerate(indexMap)) {
    // There have to be indices left.
    if (removed.count() + 1 == removed.size())
      break;
    std::optional<int64_t> counted = getBatchingDim(leafOf[i], dim);
    if (!counted)
      continue;
    auto *at = llvm::upper_bound(batching, dim);
    indicesBatching.insert(indicesBatching.begin() + (at - batching.begin()),
                           *counted);
    batching.insert(at, dim);
    llvm::erase(collapsed, dim);
    removed.set(i);
  }
  if (removed.none())
    return false;
  indices = concatenate(builder, loc, leaves, vectorDim, removed);
  SmallVector<int64_t> all(std::move(indexMap));
  indexMap.clear();
  for (auto [i, dim] : llvm::enumerate(all))
    if (!removed.test(i))
      indexMap.push_back(dim);
  return true;
}

static bool rewrite(GatherOp op) {
  GatherDimensionNumbersAttr numbers = op.getDimensionNumbers();
  // Of an empty slice nothing is taken wherever it is.
  if (llvm::is_contained(op.getSliceSizes(), 0))
    return false;
  IndexedDims dims{getTensorShape(op.getOperand()),
                   op.getStartIndices(),
                   numbers.getIndexVectorDim(),
                   SmallVector<int64_t>(numbers.getCollapsedSliceDims()),
                   SmallVector<int64_t>(numbers.getOperandBatchingDims()),
                   SmallVector<int64_t>(numbers.getStartIndicesBatchingDims()),
                   SmallVector<int64_t>(numbers.getStartIndexMap())};
  OpBuilder builder(op);
  if (!dims.addBatching(builder, op.getLoc()))
    return false;
  op.getStartIndicesMutable().assign(dims.indices);
  op.setDimensionNumbersAttr(GatherDimensionNumbersAttr::get(
      op.getContext(), numbers.getOffsetDims(), dims.collapsed, dims.batching,
      dims.indicesBatching, dims.indexMap, dims.vectorDim));
  return true;
}

static bool rewrite(ScatterOp op) {
  ScatterDimensionNumbersAttr numbers = op.getScatterDimensionNumbers();
  IndexedDims dims{
      getTensorShape(op.getInputs().front()),
      op.getScatterIndices(),
      numbers.getIndexVectorDim(),
      SmallVector<int64_t>(numbers.getInsertedWindowDims()),
      SmallVector<int64_t>(numbers.getInputBatchingDims()),
      SmallVector<int64_t>(numbers.getScatterIndicesBatchingDims()),
      SmallVector<int64_t>(numbers.getScatterDimsToOperandDims())};
  OpBuilder builder(op);
  if (!dims.addBatching(builder, op.getLoc()))
    return false;
  op.getScatterIndicesMutable().assign(dims.indices);
  op.setScatterDimensionNumbersAttr(ScatterDimensionNumbersAttr::get(
      op.getContext(), numbers.getUpdateWindowDims(), dims.collapsed,
      dims.batching, dims.indicesBatching, dims.indexMap, dims.vectorDim));
  return true;
}

namespace {
struct ExplicitGatherScatterBatchingPass
    : sdy::impl::ExplicitGatherScatterBatchingPassBase<
          ExplicitGatherScatterBatchingPass> {
  using ExplicitGatherScatterBatchingPassBase::
      ExplicitGatherScatterBatchingPassBase;
  void runOnOperation() override {
    bool hasChanged = false;
    getOperation().walk([&](Operation *op) {
      if (auto gather = dyn_cast<GatherOp>(op))
        hasChanged |= rewrite(gather);
      else if (auto scatter = dyn_cast<ScatterOp>(op))
        hasChanged |= rewrite(scatter);
    });
    if (!hasChanged)
      markAllAnalysesPreserved();
  }
};
} // namespace
