//===- Partition.cpp - Cutting a tile form into parts -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// A quotient, rounded up, as the signed number that it is.
static int64_t divideCeil(int64_t a, int64_t b) {
  return llvm::divideCeil(a, b);
}

//===----------------------------------------------------------------------===//
// Problems
//===----------------------------------------------------------------------===//

static SmallVector<Type> getElementTypes(TypeRange types) {
  return llvm::map_to_vector(
      types, [](Type type) { return getElementTypeOrSelf(type); });
}

/// Whether every vertex has all elements of a tensor of more than one: a seed.
static bool isShared(const TileAccess &access) {
  return !access.dims.empty() &&
         llvm::all_of(access.dims,
                      [](const DimAccess &dim) { return dim.loop < 0; });
}

/// The type whose arithmetic the op's cost is that of: its first operand's that
/// is neither a condition nor shared, else its result's.
static Type getCostType(const PartitionProblem &problem) {
  for (auto [type, access] :
       llvm::zip_equal(problem.inputTypes, problem.form.inputs))
    if (!type.isInteger(1) && !isShared(access))
      return type;
  return problem.resultTypes.front();
}

FailureOr<PartitionProblem>
mlir::ipu::getPartitionProblem(CodeletOpInterface op,
                               ArrayRef<int64_t> domain) {
  FailureOr<TileForm> form = op.getTileForm(domain);
  if (failed(form))
    return op->emitOpError(
        "is not in a form that tiles compute; run pop-decompose");
  PartitionProblem problem;
  problem.form = *form;
  problem.inputTypes = getElementTypes(op->getOperandTypes());
  problem.resultTypes = getElementTypes(op->getResultTypes());
  bool scalarOperand = false;
  if (!problem.form.results.empty() &&
      ShapedType::getNumElements(problem.form.results.front().domain) > 1)
    scalarOperand = llvm::any_of(problem.form.inputs, [](const TileAccess &a) {
      return ShapedType::getNumElements(a.domain) == 1;
    });
  problem.cost =
      getCodeletCost(op.getCodeletCost(), getCostType(problem), scalarOperand);
  if (!problem.cost)
    return op->emitOpError()
           << "has no row '" << op.getCodeletCost().name
           << "' in the cost table for " << getCostType(problem);
  return problem;
}

//===----------------------------------------------------------------------===//
// Partitions and their maps
//===----------------------------------------------------------------------===//

int64_t mlir::ipu::getNumParts(int64_t loop, int64_t block) {
  return divideCeil(std::max<int64_t>(loop, 1), block);
}

int64_t mlir::ipu::getNumParts(const TileForm &form, ArrayRef<int64_t> blocks) {
  int64_t parts = 1;
  for (auto [size, block] : llvm::zip_equal(form.loops, blocks))
    parts *= getNumParts(size, block);
  return parts;
}

SmallVector<int64_t> mlir::ipu::getBoxSizes(const TileAccess &access,
                                            ArrayRef<int64_t> positions) {
  SmallVector<int64_t> sizes;
  for (auto [size, dim] : llvm::zip_equal(access.domain, access.dims)) {
    int64_t box = size;
    if (dim.loop >= 0)
      box = std::min(size, (positions[dim.loop] - 1) * dim.step + dim.extent);
    sizes.push_back(std::max<int64_t>(box, 0));
  }
  return sizes;
}

/// Grid axis of each loop, -1 for those that are not cut, and the grid.
static SmallVector<int64_t> getLoopAxes(const TileForm &form,
                                        ArrayRef<int64_t> blocks,
                                        SmallVector<int64_t> &grid) {
  SmallVector<int64_t> axes;
  for (auto [size, block] : llvm::zip_equal(form.loops, blocks)) {
    int64_t parts = getNumParts(size, block);
    axes.push_back(parts > 1 ? grid.size() : -1);
    if (parts > 1)
      grid.push_back(parts);
  }
  return axes;
}

MapAttr mlir::ipu::getAccessMap(MLIRContext *context, const TileForm &form,
                                ArrayRef<int64_t> blocks,
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
  int64_t block = divideCeil(numElements, target.getComputeTilesPerReplica());
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

MapAttr mlir::ipu::getIOMap(MLIRContext *context, const TargetModel &target,
                            int64_t numElements, Type elementType) {
  TargetModel io = target;
  io.ipus = 1;
  io.tiles = target.io_tiles;
  io.io_tiles = 0;
  MapAttr map = getLinearMap(context, io, numElements, elementType);
  return MapAttr::get(context, map.getDomain(), map.getGrid(), map.getBlocks(),
                      target.getComputeTilesPerReplica());
}

LoopBlocks mlir::ipu::getFirstPartition(const TargetModel &target,
                                        const TileForm &form) {
  LoopBlocks blocks;
  int64_t room = target.getComputeTilesPerReplica();
  for (int64_t loop : form.loops) {
    int64_t size = std::max<int64_t>(loop, 1);
    blocks.push_back(divideCeil(size, std::min(size, room)));
    room /= getNumParts(size, blocks.back());
  }
  return blocks;
}

//===----------------------------------------------------------------------===//
// Maps of operands
//===----------------------------------------------------------------------===//

/// Gives `parts` tiles equal blocks of `size` elements, at least `step` long.
static MapBlock getEvenBlock(int64_t axis, int64_t size, int64_t parts,
                             int64_t step = 1) {
  int64_t block = std::max(divideCeil(size, parts), step);
  return {axis, block, block};
}

MapAttr mlir::ipu::getSpreadMap(MapAttr access) {
  ArrayRef<int64_t> domain = access.getDomain();
  SmallVector<MapBlock> blocks = llvm::to_vector(access.getBlocks());
  SmallVector<bool> named(access.getGrid().size(), false);
  for (auto [size, block] : llvm::zip_equal(domain, blocks)) {
    if (block.isAll())
      continue;
    named[block.axis] = true;
    int64_t parts = access.getGrid()[block.axis];
    block = getEvenBlock(block.axis, size, parts, block.step);
  }
  // The outermost dimension that has a part for each copy makes the longest
  // runs; else the one with most.
  for (auto [axis, copies] : llvm::enumerate(access.getGrid())) {
    if (named[axis] || copies == 1)
      continue;
    int64_t best = -1;
    for (auto [dim, size] : llvm::enumerate(domain)) {
      if (!blocks[dim].isAll() || size < 2)
        continue;
      if (best < 0 || (domain[best] < copies && size > domain[best]))
        best = dim;
    }
    if (best < 0)
      return nullptr;
    blocks[best] = getEvenBlock(axis, domain[best], copies);
  }
  auto map = MapAttr::get(access.getContext(), domain, access.getGrid(), blocks,
                          access.getFirst());
  return map.coversOnce() ? map : nullptr;
}

MapAttr mlir::ipu::getRescaledMap(MapAttr map, ArrayRef<int64_t> domain) {
  if (map.getDomain().size() != domain.size())
    return nullptr;
  SmallVector<MapBlock> blocks = llvm::to_vector(map.getBlocks());
  for (auto [block, size] : llvm::zip_equal(blocks, domain))
    if (!block.isAll())
      block = getEvenBlock(block.axis, size, map.getGrid()[block.axis]);
  auto rescaled = MapAttr::get(map.getContext(), domain, map.getGrid(), blocks,
                               map.getFirst());
  return rescaled.coversOnce() ? rescaled : nullptr;
}

MapAttr mlir::ipu::getMapOfBuffer(MapAttr map, const StridedView &view,
                                  int64_t numElements) {
  if (view.getNumElements() != numElements || numElements == 0 ||
      view.offset != 0)
    return nullptr;
  if (view.isContiguous())
    return map;
  // Dimensions of the buffer are those of the view by falling stride.
  SmallVector<unsigned> order;
  for (unsigned dim = 0; dim < view.sizes.size(); ++dim)
    if (view.sizes[dim] > 1)
      order.push_back(dim);
  llvm::sort(order, [&](unsigned a, unsigned b) {
    return std::make_pair(-view.strides[a], a) <
           std::make_pair(-view.strides[b], b);
  });
  int64_t stride = numElements;
  for (unsigned dim : order) {
    stride /= view.sizes[dim];
    if (view.strides[dim] != stride)
      return nullptr;
  }
  MapAttr own = map.refactor(view.sizes);
  if (!own)
    return nullptr;
  SmallVector<int64_t> domain;
  SmallVector<MapBlock> blocks;
  for (unsigned dim : order) {
    domain.push_back(view.sizes[dim]);
    blocks.push_back(own.getBlocks()[dim]);
  }
  return MapAttr::get(map.getContext(), domain, map.getGrid(), blocks,
                      map.getFirst());
}
