//===- SharedSums.cpp - Tiles that share sums -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/SharedSums.h"

#include "ipu-mlir/Planner/Partition/DerivedTileMappings.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

PartialValues mlir::ipu::getPartialValues(const PartitionProblem &problem,
                                          unsigned operand) {
  PartialValues values;
  if (problem.cost.getKind() != CostKind::ReduceColumns)
    return values;
  const TileAccess &access = problem.form.inputs[operand];
  for (auto [size, dim] : llvm::zip_equal(access.domain, access.dims)) {
    if (dim.loop < 0)
      values = {size, 1};
    else
      values.numInner *= size;
  }
  return values;
}

TileMappingAttr mlir::ipu::getSharedTileMapping(TileMappingAttr mapping,
                                                PartialValues values) {
  unsigned outer = mapping.getDomain().size();
  auto takeDims = [&](int64_t size) {
    int64_t elements = 1;
    while (outer > 0 && elements < size)
      elements *= mapping.getDomain()[--outer];
    return elements == size;
  };
  if (values.numCombined < 2 || !takeDims(values.numInner))
    return nullptr;
  unsigned inner = outer;
  if (!takeDims(values.numCombined))
    return nullptr;
  SmallVector<unsigned> dims = llvm::to_vector(llvm::seq(0u, outer));
  llvm::append_range(dims,
                     llvm::seq<unsigned>(inner, mapping.getDomain().size()));
  return getSpreadTileMapping(mapping.permute(dims));
}

std::optional<LoopBlocks>
mlir::ipu::getSharedPartition(MLIRContext *context, const TileForm &form,
                              const LoopBlocks &blocks, PartialValues values) {
  if (blocks.isNested())
    return std::nullopt;
  const TileAccess &result = form.results.front();
  auto getFullest = [&](const LoopBlocks &candidate) {
    TileMappingAttr shared = getSharedTileMapping(
        getAccessTileMapping(context, form, candidate, result), values);
    return shared ? shared.getMaxElements() : INT64_MAX;
  };
  // Blocks of a loop whose dimension has groups must have whole groups.
  SmallVector<int64_t> groups(form.loops.size(), 1);
  for (const StorageDim &dim :
       getAccessTileMapping(context, form, blocks, result).getStorageDims())
    if (int64_t loop = result.dims[dim.dim].loop; loop >= 0)
      groups[loop] = dim.group;
  // The loop that numbers the partial values.
  int64_t partial = -1, elements = 1;
  SmallVector<unsigned> loops;
  for (auto [size, dim] :
       llvm::reverse(llvm::zip_equal(result.domain, result.dims))) {
    bool isInner = elements < values.numInner;
    bool isCombined =
        !isInner && elements < values.numInner * values.numCombined;
    elements *= size;
    if (dim.loop < 0 || getNumParts(form.loops[dim.loop], blocks[dim.loop]) < 2)
      continue;
    if (isInner)
      loops.push_back(dim.loop);
    else if (isCombined && std::exchange(partial, dim.loop) >= 0)
      return std::nullopt;
  }
  if (partial < 0)
    return std::nullopt;
  int64_t tiles = getNumParts(form.loops[partial], blocks[partial]);
  int64_t fullest = getFullest(blocks);
  std::optional<LoopBlocks> best;
  for (unsigned loop : loops) {
    LoopBlocks larger = blocks;
    larger.order.clear();
    // Tiles that share parts of this loop have consecutive numbers.
    for (unsigned other = 0; other < blocks.size(); ++other) {
      unsigned next = blocks.order.empty() ? other : blocks.order[other];
      if (next != partial)
        larger.order.push_back(next);
      if (next == loop)
        larger.order.push_back(partial);
    }
    for (int64_t factor = 2; factor <= tiles; ++factor) {
      larger[loop] = llvm::alignTo(blocks[loop], factor);
      if (larger[loop] % groups[loop] != 0 || tiles % factor != 0 ||
          larger[loop] - blocks[loop] > blocks[loop] / 8)
        continue;
      int64_t candidate = getFullest(larger);
      if (candidate >= fullest / 8 * 7)
        continue;
      best = larger;
      fullest = candidate;
    }
  }
  return best;
}
