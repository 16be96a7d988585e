//===- LoopPartition.cpp - Partitions of tile forms -------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/LoopPartition.h"

#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/ViewLikeInterface.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

/// Returns the quotient, rounded up, as a signed number.
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

/// Returns whether each vertex reads the whole tensor, and the tensor has more
/// than one element. An example is a seed.
static bool isShared(const TileAccess &access) {
  return !access.dims.empty() &&
         llvm::all_of(access.dims,
                      [](const DimAccess &dim) { return dim.loop < 0; });
}

/// Returns the type that determines the cost of the op's arithmetic: the type
/// of the first operand that is neither a condition nor shared or, if there is
/// none, the type of the result.
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
    return op->emitOpError("has a form that tiles cannot compute; run "
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
  if (problem.form.updatedInput)
    setInPlace(problem, updatesInPlace(op, problem.form));
  return problem;
}

bool mlir::ipu::isRoundingOfSums(Operation *op) {
  auto cast = dyn_cast<pop::CastOp>(op);
  if (!cast)
    return false;
  auto from = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getInput()));
  auto to = dyn_cast<FloatType>(getElementTypeOrSelf(cast.getType()));
  if (!from || !to || to.getWidth() >= from.getWidth())
    return false;
  Value value = cast.getInput();
  while (auto view = value.getDefiningOp<TileViewOpInterface>()) {
    if (!value.hasOneUse())
      return false;
    value = view->getOperand(0);
  }
  auto sums = value.getDefiningOp<CodeletOpInterface>();
  return sums && value.hasOneUse() && sums->getBlock() == op->getBlock() &&
         llvm::is_contained({CodeletCostKind::Matmul, CodeletCostKind::Conv,
                             CodeletCostKind::ReduceColumns},
                            sums.getCodeletCost().kind);
}

CodeletCostAttr mlir::ipu::getCostOfRounding(MLIRContext *context) {
  CodeletCost cost;
  return CodeletCostAttr::get(context, CostKind::Vector, /*supervisor=*/0,
                              /*worker=*/0, /*cycles=*/0, /*per=*/1,
                              cost.combined, cost.stride);
}

bool mlir::ipu::movesRegion(const PartitionProblem &problem) {
  return problem.cost.getKind() == CostKind::DynamicSlice ||
         problem.cost.getKind() == CostKind::DynamicUpdate;
}

bool mlir::ipu::updatesInPlace(CodeletOpInterface op, const TileForm &form) {
  if (!form.updatedInput || op->getNumResults() != 1 ||
      !op->getResult(0).hasOneUse())
    return false;
  auto read = op->getOperand(*form.updatedInput).getDefiningOp<pop::ReadOp>();
  auto copy = dyn_cast<pop::CopyInPlaceOp>(*op->user_begin());
  return read && copy && copy->getBlock() == op->getBlock() &&
         read.getTarget() == copy.getTarget() &&
         !read.getTarget().getDefiningOp<ViewLikeOpInterface>();
}

void mlir::ipu::setInPlace(PartitionProblem &problem, bool isInPlace) {
  problem.form.isInPlace = isInPlace;
  CodeletCostAttr cost = problem.cost;
  problem.cost = CodeletCostAttr::get(
      cost.getContext(), cost.getKind(), cost.getSupervisor(), cost.getWorker(),
      cost.getCycles(), cost.getPer(), /*combined=*/isInPlace ? 0 : 1,
      cost.getStride());
}

//===----------------------------------------------------------------------===//
// Partitions and their tile mappings
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

int64_t mlir::ipu::getPartsPerIPU(const TileForm &form,
                                  const LoopBlocks &blocks, unsigned loop) {
  return divideCeil(getNumParts(form.loops[loop], blocks[loop]),
                    blocks.isNested() ? blocks.ipus[loop] : 1);
}

/// Returns the grid axis of each loop, or -1 for a loop that is not split. Sets
/// `grid` and, for a nested partition, the number of IPUs along each axis.
static SmallVector<int64_t> getLoopAxes(const TileForm &form,
                                        const LoopBlocks &blocks,
                                        SmallVector<int64_t> &grid,
                                        SmallVector<int64_t> &ipus) {
  SmallVector<int64_t> axes(form.loops.size(), -1);
  for (size_t i = 0; i < form.loops.size(); ++i) {
    size_t loop = blocks.order.empty() ? i : blocks.order[i];
    int64_t onIPUs = blocks.isNested() ? blocks.ipus[loop] : 1;
    int64_t parts = getPartsPerIPU(form, blocks, loop) * onIPUs;
    if (parts == 1)
      continue;
    axes[loop] = grid.size();
    grid.push_back(parts);
    if (blocks.isNested())
      ipus.push_back(onIPUs);
  }
  return axes;
}

TileMappingAttr mlir::ipu::getAccessTileMapping(MLIRContext *context,
                                                const TileForm &form,
                                                const LoopBlocks &blocks,
                                                const TileAccess &access,
                                                int64_t first) {
  SmallVector<int64_t> grid, ipus;
  SmallVector<int64_t> axes = getLoopAxes(form, blocks, grid, ipus);
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
  return TileMappingAttr::get(context, access.domain, grid, mapBlocks, first,
                              AffineMap(), ipus, blocks.ipuTiles)
      .withFittedLayout(access.layout);
}

bool mlir::ipu::followsOperand(const TileForm &form, unsigned index) {
  const TileAccess &access = form.inputs[index];
  return !access.layout && access.domain != form.results.front().domain;
}

/// Returns the layout of an input that stores the dimensions of the result in
/// the order of `layout`, a layout of the result. Dimensions that only the
/// input has are outermost. Returns null if the input does not have all
/// dimensions of the result.
static AffineMap getLayoutOfInput(const TileAccess &input,
                                  const TileAccess &result, AffineMap layout) {
  MLIRContext *context = layout.getContext();
  SmallVector<AffineExpr> dims, results;
  SmallVector<bool> isOfResult(input.dims.size(), false);
  for (auto [size, dim] : llvm::zip_equal(result.domain, result.dims)) {
    size_t at = 0;
    while (at < input.dims.size() &&
           (isOfResult[at] || input.dims[at].loop != dim.loop ||
            input.domain[at] != size))
      ++at;
    if (at == input.dims.size())
      return {};
    isOfResult[at] = true;
    dims.push_back(getAffineDimExpr(at, context));
  }
  for (size_t dim = 0; dim < input.dims.size(); ++dim)
    if (!isOfResult[dim])
      results.push_back(getAffineDimExpr(dim, context));
  for (AffineExpr expr : layout.getResults())
    results.push_back(expr.replaceDims(dims));
  return AffineMap::get(input.dims.size(), 0, results, context);
}

TileMappingAttr mlir::ipu::getInputTileMapping(const TileForm &form,
                                               const LoopBlocks &blocks,
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
  if (own)
    return mapping.withFittedLayout(own.getLayout());
  if (AffineMap layout = result.getLayout())
    return mapping.withFittedLayout(
        getLayoutOfInput(access, form.results.front(), layout));
  return mapping;
}

std::optional<LoopBlocks> mlir::ipu::getPartition(const TileForm &form,
                                                  const TileAccess &access,
                                                  TileMappingAttr mapping) {
  LoopBlocks blocks;
  for (int64_t size : form.loops)
    blocks.push_back(std::max<int64_t>(size, 1));
  if (access.domain.size() != mapping.getDomain().size())
    return std::nullopt;
  if (mapping.isNested()) {
    blocks.ipus.assign(form.loops.size(), 1);
    blocks.ipuTiles = mapping.getIpuTiles();
  }
  // Loops that are not split come last.
  SmallVector<std::pair<int64_t, unsigned>> axes;
  for (unsigned loop = 0; loop < form.loops.size(); ++loop)
    axes.push_back({mapping.getGrid().size(), loop});
  for (auto [dim, block] : llvm::zip_equal(access.dims, mapping.getBlocks()))
    if (!block.isAll() && dim.loop >= 0 && block.step % dim.step == 0) {
      blocks[dim.loop] = block.step / dim.step;
      axes[dim.loop].first = block.axis;
      if (mapping.isNested())
        blocks.ipus[dim.loop] = mapping.getIpus()[block.axis];
    }
  llvm::sort(axes);
  for (auto [axis, loop] : axes)
    blocks.order.push_back(loop);
  SmallVector<int64_t> grid, ipus;
  getLoopAxes(form, blocks, grid, ipus);
  if (mapping.getGrid() != ArrayRef(grid) ||
      mapping.getIpus() != ArrayRef(ipus) ||
      getAccessTileMapping(mapping.getContext(), form, blocks, access,
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

void mlir::ipu::makeEven(const PartitionProblem &problem, LoopBlocks &blocks) {
  while (!problem.isEven(blocks))
    ++blocks[*problem.evenLoop];
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
