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
    return op->emitOpError("is not in a form that tiles compute; run "
                           "pop-choose-accumulation and pop-decompose");
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

SmallVector<int64_t> mlir::ipu::getRegionSizes(const TileAccess &access,
                                               ArrayRef<int64_t> positions) {
  SmallVector<int64_t> sizes;
  for (auto [size, dim] : llvm::zip_equal(access.domain, access.dims)) {
    int64_t region = size;
    if (dim.loop >= 0)
      region =
          std::min(size, (positions[dim.loop] - 1) * dim.step + dim.extent);
    sizes.push_back(std::max<int64_t>(region, 0));
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

TileMappingAttr mlir::ipu::getAccessTileMapping(MLIRContext *context,
                                                const TileForm &form,
                                                ArrayRef<int64_t> blocks,
                                                const TileAccess &access,
                                                int64_t first) {
  SmallVector<int64_t> grid;
  SmallVector<int64_t> axes = getLoopAxes(form, blocks, grid);
  SmallVector<TileMappingBlock> mapBlocks;
  for (const DimAccess &dim : access.dims) {
    if (dim.loop < 0 || axes[dim.loop] < 0) {
      mapBlocks.emplace_back();
      continue;
    }
    int64_t block = blocks[dim.loop];
    mapBlocks.push_back({axes[dim.loop], block * dim.step,
                         (block - 1) * dim.step + dim.extent});
  }
  return TileMappingAttr::get(context, access.domain, grid, mapBlocks, first)
      .withFittedLayout(access.layout);
}

bool mlir::ipu::followsOperand(const TileForm &form, unsigned index) {
  const TileAccess &access = form.inputs[index];
  return !access.layout && access.domain != form.results.front().domain;
}

TileMappingAttr mlir::ipu::getInputTileMapping(const TileForm &form,
                                               ArrayRef<int64_t> blocks,
                                               unsigned index,
                                               TileMappingAttr result,
                                               TileMappingAttr operand) {
  const TileAccess &access = form.inputs[index];
  TileMappingAttr mapping = getAccessTileMapping(
      result.getContext(), form, blocks, access, result.getFirst());
  if (access.layout)
    return mapping;
  if (!followsOperand(form, index))
    return mapping.withFittedLayout(result.getLayout());
  TileMappingAttr own = operand ? operand.refactor(access.domain) : nullptr;
  return own ? mapping.withFittedLayout(own.getLayout()) : mapping;
}

std::optional<LoopBlocks> mlir::ipu::getPartition(const TileForm &form,
                                                  const TileAccess &access,
                                                  TileMappingAttr mapping) {
  LoopBlocks blocks;
  for (int64_t size : form.loops)
    blocks.push_back(std::max<int64_t>(size, 1));
  if (access.domain.size() != mapping.getDomain().size())
    return std::nullopt;
  for (auto [dim, block] : llvm::zip_equal(access.dims, mapping.getBlocks()))
    if (!block.isAll() && dim.loop >= 0 && block.step % dim.step == 0)
      blocks[dim.loop] = block.step / dim.step;
  if (getAccessTileMapping(mapping.getContext(), form, blocks, access,
                           mapping.getFirst())
          .withoutLayout() != mapping.withoutLayout())
    return std::nullopt;
  return blocks;
}

TileMappingAttr mlir::ipu::getLinearTileMapping(MLIRContext *context,
                                                const TargetModel &target,
                                                int64_t numElements,
                                                Type elementType) {
  if (numElements <= 1)
    return TileMappingAttr::get(context, {numElements}, /*grid=*/{},
                                {TileMappingBlock()},
                                /*first=*/0);
  int64_t block = divideCeil(numElements, target.getComputeTilesPerReplica());
  int64_t word = std::max<int64_t>(4 / getStoredBytes(elementType), 1);
  if (numElements > word)
    block = llvm::alignTo(block, word);
  int64_t tiles = divideCeil(numElements, block);
  if (tiles == 1)
    return TileMappingAttr::get(context, {numElements}, /*grid=*/{},
                                {TileMappingBlock()},
                                /*first=*/0);
  return TileMappingAttr::get(context, {numElements}, {tiles},
                              {{0, block, block}},
                              /*first=*/0);
}

TileMappingAttr mlir::ipu::getIOTileMapping(MLIRContext *context,
                                            const TargetModel &target,
                                            int64_t numElements,
                                            Type elementType) {
  TargetModel io = target;
  io.ipus = 1;
  io.tiles = target.io_tiles;
  io.io_tiles = 0;
  TileMappingAttr mapping =
      getLinearTileMapping(context, io, numElements, elementType);
  return TileMappingAttr::get(context, mapping.getDomain(), mapping.getGrid(),
                              mapping.getBlocks(),
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

/// Gives `parts` tiles equal blocks of `size` elements, at least `step` long,
/// in whole groups.
static TileMappingBlock getEvenBlock(int64_t axis, int64_t size, int64_t parts,
                                     int64_t step = 1, int64_t group = 1) {
  int64_t block = std::max(divideCeil(size, parts), step);
  block = divideCeil(block, group) * group;
  return {axis, block, block};
}

TileMappingAttr mlir::ipu::getSpreadTileMapping(TileMappingAttr access) {
  ArrayRef<int64_t> domain = access.getDomain();
  SmallVector<TileMappingBlock> blocks = llvm::to_vector(access.getBlocks());
  SmallVector<bool> named(access.getGrid().size(), false);
  // Groups stay whole.
  SmallVector<StorageDim> storage = access.getStorageDims();
  SmallVector<int64_t> groups(domain.size(), 1);
  for (const StorageDim &dim : storage)
    groups[dim.dim] = dim.group;
  for (auto [size, block, group] : llvm::zip_equal(domain, blocks, groups)) {
    if (block.isAll())
      continue;
    named[block.axis] = true;
    int64_t parts = access.getGrid()[block.axis];
    block = getEvenBlock(block.axis, size, parts, block.step, group);
  }
  // The outermost dimension of the storage that has a part for each copy makes
  // the longest runs; else the one with most.
  for (auto [axis, copies] : llvm::enumerate(access.getGrid())) {
    if (named[axis] || copies == 1)
      continue;
    int64_t best = -1, bestParts = 1;
    for (const StorageDim &dim : storage) {
      int64_t parts = domain[dim.dim] / dim.group;
      if (dim.isInGroup || !blocks[dim.dim].isAll() || parts < 2)
        continue;
      if (best < 0 || (bestParts < copies && parts > bestParts)) {
        best = dim.dim;
        bestParts = parts;
      }
    }
    if (best < 0)
      return nullptr;
    blocks[best] =
        getEvenBlock(axis, domain[best], copies, /*step=*/1, groups[best]);
  }
  auto mapping =
      TileMappingAttr::get(access.getContext(), domain, access.getGrid(),
                           blocks, access.getFirst(), access.getLayout());
  return mapping.coversOnce() ? mapping : nullptr;
}

TileMappingAttr mlir::ipu::getRescaledTileMapping(TileMappingAttr mapping,
                                                  ArrayRef<int64_t> domain) {
  if (mapping.getDomain().size() != domain.size())
    return nullptr;
  SmallVector<TileMappingBlock> blocks = llvm::to_vector(mapping.getBlocks());
  SmallVector<int64_t> groups(domain.size(), 1);
  for (const StorageDim &dim : mapping.getStorageDims())
    if (domain[dim.dim] % dim.group == 0)
      groups[dim.dim] = dim.group;
  for (auto [block, size, group] : llvm::zip_equal(blocks, domain, groups))
    if (!block.isAll())
      block = getEvenBlock(block.axis, size, mapping.getGrid()[block.axis],
                           /*step=*/1, group);
  auto rescaled =
      TileMappingAttr::get(mapping.getContext(), domain, mapping.getGrid(),
                           blocks, mapping.getFirst())
          .withFittedLayout(mapping.getLayout());
  return rescaled.coversOnce() ? rescaled : nullptr;
}

/// `mapping`, over a factorisation of `sizes`, for a buffer that has `shape`
/// instead, dimension by dimension. Null if one that is larger is factorised.
static TileMappingAttr getEnlarged(TileMappingAttr mapping,
                                   ArrayRef<int64_t> sizes,
                                   ArrayRef<int64_t> shape) {
  SmallVector<int64_t> domain = llvm::to_vector(mapping.getDomain());
  size_t at = 0;
  for (auto [size, all] : llvm::zip_equal(sizes, shape)) {
    // The dimensions of the domain that are this one.
    size_t first = at;
    int64_t product = 1;
    while (at < domain.size() && (product < size || domain[at] == 1))
      product *= domain[at++];
    if (product != size)
      return nullptr;
    if (size == all)
      continue;
    int64_t whole = -1;
    for (size_t dim = first; dim < at; ++dim)
      if (domain[dim] == size)
        whole = dim;
    if (whole < 0)
      return nullptr;
    domain[whole] = all;
  }
  return at == domain.size() ? getRescaledTileMapping(mapping, domain)
                             : nullptr;
}

TileMappingAttr mlir::ipu::getTileMappingOfBuffer(TileMappingAttr mapping,
                                                  const StridedView &view,
                                                  int64_t numElements) {
  if (numElements == 0 || view.getNumElements() == 0)
    return nullptr;
  if (view.isContiguous() && view.getNumElements() == numElements)
    return mapping;
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
  SmallVector<int64_t> sizes, shape;
  for (auto [at, dim] : llvm::enumerate(order)) {
    if (view.strides[dim] <= 0 || stride % view.strides[dim] != 0)
      return nullptr;
    sizes.push_back(view.sizes[dim]);
    shape.push_back(stride / view.strides[dim]);
    if (shape.back() < sizes.back())
      return nullptr;
    stride = view.strides[dim];
  }
  if (stride != 1)
    return nullptr;
  bool isInOrder = llvm::is_sorted(order);
  if (!isInOrder) {
    mapping = mapping.refactor(view.sizes);
    if (mapping)
      mapping = mapping.permute(order);
  }
  if (!mapping)
    return nullptr;
  return sizes == shape ? mapping : getEnlarged(mapping, sizes, shape);
}
