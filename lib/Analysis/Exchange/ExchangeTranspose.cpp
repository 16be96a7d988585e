//===- ExchangeTranspose.cpp - Moves with a transposition -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// If source and target store different dimensions innermost, the runs of a move
// are short. A receiver can instead receive the elements in an order whose runs
// are those of the source, and then transpose blocks in its memory. PopLibs
// does this with a vertex that transposes ("regroup").
//
//===----------------------------------------------------------------------===//

#include "ExchangeDetail.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::exchange;

/// The greatest number of rows, and of columns, of a block. Blocks with fewer
/// than kLeastBlock rows or columns take longer than padded blocks.
static constexpr int64_t kMaxBlock = 16, kLeastBlock = 8;

/// Returns the largest divisor of `size` that is a multiple of `grain` and at
/// most kMaxBlock, or 0 if there is none.
static int64_t getBlockSize(int64_t size, int64_t grain) {
  for (int64_t block = kMaxBlock / grain * grain; block > 0; block -= grain)
    if (size % block == 0)
      return block;
  return 0;
}

/// Returns a number that divides the size of each region along `dim`.
static int64_t getRegionDivisor(TileMappingAttr mapping, int64_t dim) {
  int64_t size = mapping.getDomain()[dim];
  const TileMappingBlock &block = mapping.getBlocks()[dim];
  return block.isAll() ? size
                       : std::gcd(size, std::gcd(block.step, block.extent));
}

/// Returns the size of the largest region along `dim`.
static int64_t getRegionSize(TileMappingAttr mapping, int64_t dim) {
  const TileMappingBlock &block = mapping.getBlocks()[dim];
  return block.isAll() ? mapping.getDomain()[dim] : block.extent;
}

/// Finds the dimension of the target along which the source stores elements
/// contiguously, and the number of these elements.
static std::optional<std::pair<int64_t, int64_t>>
findContiguousDim(const ExchangeMove &move) {
  TileMappingSide from(move.fromMapping);
  const MoveLoop *contiguous = nullptr;
  SmallVector<MoveLoops, 1> parts = getMoveParts(move);
  int64_t most = 0;
  for (const MoveLoops &part : parts) {
    if (part.getNumElements() <= most)
      continue;
    most = part.getNumElements();
    const MoveLoop *it = llvm::find_if(part.loops, [&](const MoveLoop &loop) {
      return loop.from > 0 && from.getStorageStep(loop.from) == 1;
    });
    // The last loop is contiguous at the target, too.
    contiguous =
        it == part.loops.end() || it + 1 == part.loops.end() ? nullptr : it;
  }
  if (!contiguous)
    return std::nullopt;
  ArrayRef<int64_t> domain = move.toMapping.getDomain();
  for (auto [dim, stride] : llvm::enumerate(computeStrides(domain)))
    if (domain[dim] > 1 && stride == contiguous->to)
      return std::make_pair(static_cast<int64_t>(dim), contiguous->size);
  return std::nullopt;
}

namespace {
/// A move whose receivers transpose blocks. The rows of a block are innermost
/// at the target, and its columns are innermost at the source.
struct Transposition {
  TransposedBlocks blocks;
  /// The dimension of the target along which the columns are, and the size of
  /// the groups into which the columns are divided; 0 if they are not divided.
  int64_t dim = 0, group = 0;
};
} // namespace

/// Finds the blocks that the receivers of `move` transpose. `storage` are the
/// dimensions of the target. Returns std::nullopt if source and target store
/// the same dimension innermost, or if groups of rows, or of columns, are no
/// whole 64-bit words.
static std::optional<Transposition>
findTransposition(const ExchangeMove &move, ArrayRef<StorageDim> storage) {
  // PopLibs transposes squares of 64 bits a row.
  int64_t grain = 8 / move.elementBytes;
  if (grain < 2)
    return std::nullopt;
  auto found = findContiguousDim(move);
  if (!found)
    return std::nullopt;
  int64_t dim = found->first, contiguous = found->second;
  if (storage.empty() || storage.back().dim == dim)
    return std::nullopt;
  const StorageDim &last = storage.back();
  if (last.group > 1 && !last.isInGroup)
    return std::nullopt;
  TileMappingAttr mapping = move.toMapping;
  Transposition result;
  result.dim = dim;
  TransposedBlocks &blocks = result.blocks;
  blocks.elementBytes = move.elementBytes;
  blocks.rows = getBlockSize(
      last.isInGroup ? last.group : getRegionDivisor(mapping, last.dim), grain);
  // Without groups, the last block of each region can be padded.
  if (blocks.rows < kLeastBlock && !last.isInGroup) {
    blocks.rows = kMaxBlock;
    blocks.regionRows = getRegionSize(mapping, last.dim);
  }
  int64_t group =
      llvm::find_if(storage, [&](const StorageDim &stored) {
        return stored.dim == dim && (stored.group == 1 || stored.isInGroup);
      })->group;
  int64_t size =
      group > 1 ? group : std::gcd(contiguous, getRegionDivisor(mapping, dim));
  blocks.columns = getBlockSize(size, grain);
  if (blocks.columns < kLeastBlock && group == 1) {
    blocks.columns = kMaxBlock;
    blocks.regionColumns = getRegionSize(mapping, dim);
  } else if (group > 1 || size < mapping.getDomain()[dim]) {
    result.group = size;
  }
  if (blocks.rows == 0 || blocks.columns == 0)
    return std::nullopt;
  return result;
}

/// Sets the order of storage of the target of `move` to the order in which the
/// elements arrive. Returns the blocks that the receiver transposes, or
/// std::nullopt if there are no such blocks.
static std::optional<TransposedBlocks> transpose(ExchangeMove &move) {
  MLIRContext *context = move.toMapping.getContext();
  ArrayRef<int64_t> domain = move.toMapping.getDomain();
  SmallVector<StorageDim> storage = move.toMapping.getStorageDims();
  // Dimensions with a single element are not stored.
  llvm::erase_if(storage, [&](const StorageDim &stored) {
    return domain[stored.dim] == 1;
  });
  std::optional<Transposition> transposition = findTransposition(move, storage);
  if (!transposition)
    return std::nullopt;
  // The staged order is that of the target with the columns innermost.
  SmallVector<AffineExpr> results;
  for (auto [dim, size] : llvm::enumerate(domain))
    if (size == 1)
      results.push_back(getAffineDimExpr(dim, context));
  int64_t group = transposition->group;
  for (const StorageDim &stored : storage) {
    AffineExpr expr = getAffineDimExpr(stored.dim, context);
    bool isColumns = stored.dim == transposition->dim;
    // The columns of a group follow all other dimensions.
    if (isColumns && (stored.group == 1 || stored.isInGroup)) {
      if (stored.group == 1 && group > 0)
        results.push_back(expr.floorDiv(group));
      continue;
    }
    results.push_back(stored.group == 1  ? expr
                      : stored.isInGroup ? expr % stored.group
                                         : expr.floorDiv(stored.group));
  }
  AffineExpr columns = getAffineDimExpr(transposition->dim, context);
  results.push_back(group > 0 ? columns % group : columns);
  TileMappingAttr staged = move.toMapping.withLayout(
      AffineMap::get(domain.size(), 0, results, context));
  if (!staged)
    return std::nullopt;
  move.toMapping = staged;
  return transposition->blocks;
}

std::optional<TransposedMoves>
mlir::ipu::transposeAtReceivers(ArrayRef<ExchangeMove> moves) {
  TransposedMoves result;
  for (ExchangeMove move : moves) {
    // What is transposed is copied.
    move.rowsInPlace = 0;
    std::optional<TransposedBlocks> blocks = transpose(move);
    if (!blocks)
      return std::nullopt;
    if (result.moves.empty())
      result.blocks = *blocks;
    if (*blocks != result.blocks)
      return std::nullopt;
    result.moves.push_back(std::move(move));
  }
  if (result.moves.empty())
    return std::nullopt;
  return result;
}
