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

/// The greatest number of rows, and of columns, of a block.
static constexpr int64_t kMaxBlock = 16;

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

/// Sets the order of storage of the target of `move` to the order in which the
/// elements arrive. Returns the blocks that the receiver transposes, or
/// std::nullopt if source and target store the same dimension innermost, or if
/// groups of rows, or columns, are no whole 64-bit words.
static std::optional<TransposedBlocks> transpose(ExchangeMove &move) {
  // PopLibs transposes squares of 64 bits a row.
  int64_t grain = 8 / move.elementBytes;
  if (grain < 2)
    return std::nullopt;
  auto found = findContiguousDim(move);
  if (!found)
    return std::nullopt;
  int64_t dim = found->first, contiguous = found->second;
  MLIRContext *context = move.toMapping.getContext();
  SmallVector<StorageDim> storage = move.toMapping.getStorageDims();
  // Dimensions with a single element are not stored.
  llvm::erase_if(storage, [&](const StorageDim &stored) {
    return move.toMapping.getDomain()[stored.dim] == 1;
  });
  if (storage.empty() || storage.back().dim == dim)
    return std::nullopt;
  // The rows of a block are innermost at the target, its columns at the source.
  const StorageDim &last = storage.back();
  if (last.group > 1 && !last.isInGroup)
    return std::nullopt;
  TransposedBlocks blocks;
  blocks.elementBytes = move.elementBytes;
  blocks.rows = getBlockSize(
      last.isInGroup ? last.group : getRegionDivisor(move.toMapping, last.dim),
      grain);
  if (blocks.rows == 0 && !last.isInGroup) {
    // The last block of each region is padded.
    const TileMappingBlock &block = move.toMapping.getBlocks()[last.dim];
    blocks.rows = kMaxBlock;
    blocks.regionRows =
        block.isAll() ? move.toMapping.getDomain()[last.dim] : block.extent;
  }
  auto *own = llvm::find_if(storage, [&](const StorageDim &stored) {
    return stored.dim == dim && (stored.group == 1 || stored.isInGroup);
  });
  int64_t size =
      own->group > 1
          ? own->group
          : std::gcd(contiguous, getRegionDivisor(move.toMapping, dim));
  blocks.columns = getBlockSize(size, grain);
  if (blocks.rows == 0 || blocks.columns == 0)
    return std::nullopt;
  // The staged order is that of the target with the columns innermost.
  SmallVector<AffineExpr> results;
  for (int64_t one = 0, rank = move.toMapping.getDomain().size(); one < rank;
       ++one)
    if (move.toMapping.getDomain()[one] == 1)
      results.push_back(getAffineDimExpr(one, context));
  bool isWhole = own->group == 1 && size == move.toMapping.getDomain()[dim];
  AffineExpr inner = getAffineDimExpr(dim, context);
  for (const StorageDim &stored : storage) {
    AffineExpr expr = getAffineDimExpr(stored.dim, context);
    if (&stored == own) {
      if (own->group == 1 && !isWhole)
        results.push_back(expr.floorDiv(size));
      continue;
    }
    results.push_back(stored.group == 1  ? expr
                      : stored.isInGroup ? expr % stored.group
                                         : expr.floorDiv(stored.group));
  }
  results.push_back(isWhole ? inner : inner % size);
  TileMappingAttr staged = move.toMapping.withLayout(
      AffineMap::get(move.toMapping.getDomain().size(), 0, results, context));
  if (!staged)
    return std::nullopt;
  move.toMapping = staged;
  return blocks;
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
