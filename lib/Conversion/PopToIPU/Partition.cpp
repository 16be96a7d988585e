//===- Partition.cpp - Cutting a tile form into parts -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Partition.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;
using llvm::divideCeil;

/// Elements of dimension `dim` that the fullest vertex touches.
static int64_t getBlockSize(const TileAccess &access, unsigned dim,
                            const LoopBlocks &blocks) {
  const DimAccess &d = access.dims[dim];
  if (d.loop < 0)
    return access.domain[dim];
  return std::min(access.domain[dim], (blocks[d.loop] - 1) * d.step + d.extent);
}

static SmallVector<int64_t> getBlockSizes(const TileAccess &access,
                                          const LoopBlocks &blocks) {
  SmallVector<int64_t> sizes;
  for (unsigned dim = 0; dim < access.domain.size(); ++dim)
    sizes.push_back(std::max<int64_t>(getBlockSize(access, dim, blocks), 0));
  return sizes;
}

/// Estimated cycles of the fullest vertex and of receiving its inputs.
static int64_t getScore(const TargetModel &target,
                        const PartitionProblem &problem,
                        const LoopBlocks &blocks) {
  SmallVector<SmallVector<int64_t>> sizes;
  for (const TileAccess &access : problem.form.inputs)
    sizes.push_back(getBlockSizes(access, blocks));
  for (const TileAccess &access : problem.form.results)
    sizes.push_back(getBlockSizes(access, blocks));
  SmallVector<VertexOperand> inputs, results;
  int64_t bytes = 0;
  for (auto [index, type] : llvm::enumerate(problem.inputTypes)) {
    inputs.push_back({sizes[index], type});
    bytes += computeProduct(sizes[index]) * getStoredBytes(type);
  }
  for (auto [index, type] : llvm::enumerate(problem.resultTypes))
    results.push_back({sizes[inputs.size() + index], type});
  return getVertexCycles(target, problem.cost, inputs, results) +
         divideCeil(bytes, target.exchange_bytes_per_cycle);
}

namespace {
/// Depth-first search over the block sizes of each loop that make a difference.
class PartitionSearch {
public:
  PartitionSearch(const TargetModel &target, const PartitionProblem &problem)
      : target(target), problem(problem), loops(problem.form.loops),
        current(loops.size(), 1) {}

  LoopBlocks run() {
    visit(0, 1);
    return best;
  }

private:
  void visit(unsigned loop, int64_t parts) {
    if (loop == loops.size())
      return consider(parts);
    // The number of cuts is exponential in that of loops.
    if (++numVisited > kMaxVisited && !best.empty())
      return;
    // Most parts first: of equal scores the first one found is kept.
    int64_t size = std::max<int64_t>(loops[loop], 1);
    int64_t room = std::min(size, target.getTilesPerReplica() / parts);
    for (int64_t count = room; count >= 1;) {
      int64_t block = divideCeil(size, count);
      current[loop] = block;
      visit(loop + 1, parts * divideCeil(size, block));
      // The next smaller number of parts that has other blocks.
      count = static_cast<int64_t>(divideCeil(size, block)) - 1;
    }
  }

  void consider(int64_t parts) {
    if (parts == 1 && target.getTilesPerReplica() > 1 &&
        computeProduct(loops) > 1)
      return;
    int64_t score = getScore(target, problem, current);
    if (best.empty() || score < bestScore) {
      best = current;
      bestScore = score;
    }
  }

  const TargetModel &target;
  const PartitionProblem &problem;
  ArrayRef<int64_t> loops;
  LoopBlocks current, best;
  int64_t bestScore = INT64_MAX;
  /// Far more than there are for ten loops and the tiles of an IPU.
  static constexpr int64_t kMaxVisited = int64_t(1) << 21;
  int64_t numVisited = 0;
};
} // namespace

LoopBlocks mlir::ipu::choosePartition(const TargetModel &target,
                                      const PartitionProblem &problem) {
  ArrayRef<int64_t> loops = problem.form.loops;
  if (computeProduct(loops) > 0)
    return PartitionSearch(target, problem).run();
  // Nothing to compute: nothing is cut.
  LoopBlocks blocks;
  for (int64_t size : loops)
    blocks.push_back(std::max<int64_t>(size, 1));
  return blocks;
}

/// Grid axis of each loop, -1 for those that are not cut, and the grid.
static SmallVector<int64_t> getLoopAxes(const TileForm &form,
                                        const LoopBlocks &blocks,
                                        SmallVector<int64_t> &grid) {
  SmallVector<int64_t> axes;
  for (auto [size, block] : llvm::zip_equal(form.loops, blocks)) {
    int64_t parts = divideCeil(std::max<int64_t>(size, 1), block);
    axes.push_back(parts > 1 ? grid.size() : -1);
    if (parts > 1)
      grid.push_back(parts);
  }
  return axes;
}

MapAttr mlir::ipu::getAccessMap(MLIRContext *context, const TileForm &form,
                                const LoopBlocks &blocks,
                                const TileAccess &access, int64_t first) {
  SmallVector<int64_t> grid;
  SmallVector<int64_t> axes = getLoopAxes(form, blocks, grid);
  SmallVector<MapBlock> mapBlocks;
  for (const DimAccess &dim : access.dims) {
    if (dim.loop < 0 || axes[dim.loop] < 0) {
      mapBlocks.emplace_back();
      continue;
    }
    int64_t block = blocks[dim.loop];
    mapBlocks.push_back({axes[dim.loop], block * dim.step,
                         (block - 1) * dim.step + dim.extent});
  }
  return MapAttr::get(context, access.domain, grid, mapBlocks, first);
}

std::optional<LoopBlocks> mlir::ipu::getPartition(const TileForm &form,
                                                  const TileAccess &access,
                                                  MapAttr map) {
  LoopBlocks blocks;
  for (int64_t size : form.loops)
    blocks.push_back(std::max<int64_t>(size, 1));
  if (access.domain.size() != map.getDomain().size())
    return std::nullopt;
  for (auto [dim, block] : llvm::zip_equal(access.dims, map.getBlocks()))
    if (!block.isAll() && dim.loop >= 0 && block.step % dim.step == 0)
      blocks[dim.loop] = block.step / dim.step;
  if (getAccessMap(map.getContext(), form, blocks, access, map.getFirst()) !=
      map)
    return std::nullopt;
  return blocks;
}

MapAttr mlir::ipu::getLinearMap(MLIRContext *context, const TargetModel &target,
                                int64_t numElements, Type elementType) {
  if (numElements <= 1)
    return MapAttr::get(context, {numElements}, /*grid=*/{}, {MapBlock()},
                        /*first=*/0);
  int64_t block = divideCeil(numElements, target.getTilesPerReplica());
  int64_t word = std::max<int64_t>(4 / getStoredBytes(elementType), 1);
  if (numElements > word)
    block = llvm::alignTo(block, word);
  int64_t tiles = divideCeil(numElements, block);
  if (tiles == 1)
    return MapAttr::get(context, {numElements}, /*grid=*/{}, {MapBlock()},
                        /*first=*/0);
  return MapAttr::get(context, {numElements}, {tiles}, {{0, block, block}},
                      /*first=*/0);
}
