//===- TileMappingAttr.cpp - Tile mappings of tensors -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// IndexRegion and TileMappingBlock
//===----------------------------------------------------------------------===//

llvm::hash_code mlir::ipu::hash_value(const TileMappingBlock &block) {
  return llvm::hash_combine(block.axis, block.step, block.extent);
}

int64_t IndexRegion::getNumElements() const { return computeProduct(sizes); }

//===----------------------------------------------------------------------===//
// TileMappingAttr: queries
//===----------------------------------------------------------------------===//

int64_t TileMappingAttr::getNumIPUs() const {
  return computeProduct(getIpus());
}

int64_t TileMappingAttr::getGridTilesPerIPU() const {
  return computeProduct(getGrid()) / getNumIPUs();
}

int64_t TileMappingAttr::getNumTiles() const {
  return (getNumIPUs() - 1) * getIpuTiles() + getGridTilesPerIPU();
}

SmallVector<GridAxis> TileMappingAttr::getGridAxes() const {
  SmallVector<GridAxis> axes(getGrid().size());
  int64_t stride = 1, ipuStride = getIpuTiles();
  for (size_t axis = axes.size(); axis-- > 0;) {
    GridAxis &result = axes[axis];
    result.extent = getGrid()[axis];
    if (isNested()) {
      result.ipus = getIpus()[axis];
      result.extent /= result.ipus;
      result.ipuTiles = getIpuTiles();
      result.ipuStride = ipuStride;
      ipuStride *= result.ipus;
    }
    result.stride = stride;
    stride *= result.extent;
  }
  return axes;
}

int64_t TileMappingAttr::getNumElements() const {
  return computeProduct(getDomain());
}

IndexRegion TileMappingAttr::getTileRegion(int64_t index) const {
  IndexRegion region;
  if (!isInGrid(index)) {
    region.offsets.assign(getDomain().size(), 0);
    region.sizes.assign(getDomain().size(), 0);
    return region;
  }
  SmallVector<int64_t> coordinates(getGrid().size());
  int64_t ipu = isNested() ? index / getIpuTiles() : 0;
  int64_t tile = isNested() ? index % getIpuTiles() : index;
  for (int64_t axis = getGrid().size() - 1; axis >= 0; --axis) {
    int64_t ipus = isNested() ? getIpus()[axis] : 1;
    int64_t extent = getGrid()[axis] / ipus;
    coordinates[axis] = ipu % ipus * extent + tile % extent;
    ipu /= ipus;
    tile /= extent;
  }
  for (auto [size, block] : llvm::zip_equal(getDomain(), getBlocks())) {
    int64_t begin = block.isAll() ? 0 : coordinates[block.axis] * block.step;
    int64_t end = block.isAll() ? size : begin + block.extent;
    begin = std::min(begin, size);
    region.offsets.push_back(begin);
    region.sizes.push_back(std::min(end, size) - begin);
  }
  return region;
}

int64_t TileMappingAttr::getMaxElements() const {
  int64_t elements = 1;
  for (auto [size, block] : llvm::zip_equal(getDomain(), getBlocks()))
    elements *= block.isAll() ? size : std::min(size, block.extent);
  return elements;
}

/// Tiles along each axis whose blocks hold anything, or 1.
static int64_t getUsedParts(int64_t size, int64_t parts,
                            const TileMappingBlock &block) {
  return std::clamp<int64_t>(llvm::divideCeil(size, block.step), 1, parts);
}

bool TileMappingAttr::isDisjoint() const {
  if (getNumElements() == 0)
    return true;
  SmallVector<bool> named(getGrid().size(), false);
  for (auto [size, block] : llvm::zip_equal(getDomain(), getBlocks())) {
    if (block.isAll())
      continue;
    named[block.axis] = true;
    if (block.extent > block.step &&
        getUsedParts(size, getGrid()[block.axis], block) > 1)
      return false;
  }
  for (auto [extent, isNamed] : llvm::zip_equal(getGrid(), named))
    if (!isNamed && extent > 1)
      return false;
  return true;
}

bool TileMappingAttr::covers() const {
  if (getNumElements() == 0)
    return true;
  for (auto [size, block] : llvm::zip_equal(getDomain(), getBlocks())) {
    if (block.isAll())
      continue;
    // Blocks reach the end, and leave no gap before it.
    int64_t parts = getUsedParts(size, getGrid()[block.axis], block);
    if (block.extent < size - (parts - 1) * block.step ||
        (parts > 1 && block.extent < block.step))
      return false;
  }
  return true;
}

bool TileMappingAttr::coversOnce() const { return isDisjoint() && covers(); }

/// Whether dimension `dim` has one element, and every tile holds it.
static bool isUnit(TileMappingAttr mapping, size_t dim) {
  const TileMappingBlock &block = mapping.getBlocks()[dim];
  return mapping.getDomain()[dim] == 1 &&
         (block.isAll() || mapping.getGrid()[block.axis] == 1);
}

//===----------------------------------------------------------------------===//
// TileMappingAttr: layouts
//===----------------------------------------------------------------------===//

/// The dimensions that `layout` says; fails with what is wrong unless (C5) and
/// (C6) hold.
static FailureOr<SmallVector<StorageDim>>
getStorageDims(AffineMap layout, ArrayRef<int64_t> domain,
               ArrayRef<TileMappingBlock> blocks, std::string &error) {
  // c5
  if (layout.getNumDims() != domain.size() || layout.getNumSymbols() != 0) {
    error = "expects a layout with " + std::to_string(domain.size()) +
            " dimensions, as the domain has, and no symbols but got " +
            std::to_string(layout.getNumDims()) + " dimensions and " +
            std::to_string(layout.getNumSymbols()) + " symbols";
    return failure();
  }
  SmallVector<StorageDim> dims;
  SmallVector<int64_t> groups(domain.size(), 0);
  for (AffineExpr expr : layout.getResults()) {
    StorageDim storage;
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool isWhole = static_cast<bool>(dim);
    if (auto binary = dyn_cast<AffineBinaryOpExpr>(expr)) {
      auto group = dyn_cast<AffineConstantExpr>(binary.getRHS());
      if (group && (expr.getKind() == AffineExprKind::FloorDiv ||
                    expr.getKind() == AffineExprKind::Mod)) {
        dim = dyn_cast<AffineDimExpr>(binary.getLHS());
        storage.group = group.getValue();
        storage.isInGroup = expr.getKind() == AffineExprKind::Mod;
      }
    }
    if (!dim) {
      error = "expects each dimension of the layout to have the form 'd', 'd "
              "floordiv group' or 'd mod group'";
      return failure();
    }
    storage.dim = dim.getPosition();
    int64_t &seen = groups[storage.dim];
    if (storage.isInGroup ? seen != storage.group : seen != 0) {
      error = "expects dimension " + std::to_string(storage.dim) +
              " of the domain once in the layout, or once with 'floordiv' and "
              "then once with 'mod' by the same number";
      return failure();
    }
    // A dimension that is complete is not to be seen again.
    seen = isWhole || storage.isInGroup ? -1 : storage.group;
    dims.push_back(storage);
  }
  for (auto [dim, seen] : llvm::enumerate(groups))
    if (seen != -1) {
      error = "expects dimension " + std::to_string(dim) +
              " of the domain once in the layout, or once with 'floordiv' and "
              "then once with 'mod' by the same number";
      return failure();
    }
  // c6
  for (const StorageDim &storage : dims) {
    if (!storage.isInGroup)
      continue;
    const TileMappingBlock &block = blocks[storage.dim];
    if (storage.group < 2 || domain[storage.dim] % storage.group != 0 ||
        (!block.isAll() && (block.step % storage.group != 0 ||
                            block.extent % storage.group != 0))) {
      error = "expects groups of two or more elements that divide the size, "
              "step and extent of dimension " +
              std::to_string(storage.dim) + " but got groups of " +
              std::to_string(storage.group);
      return failure();
    }
  }
  return dims;
}

SmallVector<StorageDim> TileMappingAttr::getStorageDims() const {
  if (AffineMap layout = getLayout()) {
    std::string error;
    return *::getStorageDims(layout, getDomain(), getBlocks(), error);
  }
  SmallVector<StorageDim> dims(getDomain().size());
  for (auto [index, dim] : llvm::enumerate(dims))
    dim.dim = index;
  return dims;
}

TileMappingAttr TileMappingAttr::withLayout(AffineMap layout) const {
  if (layout && layout.isIdentity())
    layout = {};
  if (layout == getLayout())
    return *this;
  std::string error;
  if (layout &&
      failed(::getStorageDims(layout, getDomain(), getBlocks(), error)))
    return nullptr;
  return withBlocks(getDomain(), getBlocks(), layout);
}

TileMappingAttr TileMappingAttr::withFittedLayout(AffineMap layout) const {
  if (!layout)
    return withoutLayout();
  SmallVector<AffineExpr> results;
  for (AffineExpr result : layout.getResults()) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(result);
    if (!binary) {
      results.push_back(result);
      continue;
    }
    AffineExpr dim = binary.getLHS();
    unsigned index = cast<AffineDimExpr>(dim).getPosition();
    int64_t group =
        std::gcd(cast<AffineConstantExpr>(binary.getRHS()).getValue(),
                 getDomain()[index]);
    if (const TileMappingBlock &block = getBlocks()[index]; !block.isAll())
      group = std::gcd(group, std::gcd(block.step, block.extent));
    bool isInGroup = binary.getKind() == AffineExprKind::Mod;
    if (group > 1)
      results.push_back(isInGroup ? dim % group : dim.floorDiv(group));
    else if (!isInGroup)
      results.push_back(dim);
  }
  AffineMap fitted =
      AffineMap::get(layout.getNumDims(), 0, results, getContext());
  return withLayout(fitted);
}

TileMappingAttr TileMappingAttr::withoutLayout() const {
  return withLayout(AffineMap());
}

/// The layout of a domain whose dimensions are other ones: `newDims` has the
/// new number of each, or -1 for one that is dropped. New dimensions that none
/// becomes are outermost.
static AffineMap replaceDims(AffineMap layout, ArrayRef<int64_t> newDims,
                             int64_t numDims) {
  if (!layout)
    return {};
  MLIRContext *context = layout.getContext();
  SmallVector<bool> isOld(numDims, false);
  SmallVector<AffineExpr> replacements;
  for (int64_t dim : newDims) {
    replacements.push_back(
        getAffineDimExpr(std::max<int64_t>(dim, 0), context));
    if (dim >= 0)
      isOld[dim] = true;
  }
  SmallVector<AffineExpr> results;
  for (int64_t dim = 0; dim < numDims; ++dim)
    if (!isOld[dim])
      results.push_back(getAffineDimExpr(dim, context));
  for (AffineExpr result : layout.getResults()) {
    bool isDropped = false;
    result.walk([&](AffineExpr expr) {
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        isDropped |= newDims[dim.getPosition()] < 0;
    });
    if (!isDropped)
      results.push_back(result.replaceDims(replacements));
  }
  AffineMap map = AffineMap::get(numDims, 0, results, context);
  return map.isIdentity() ? AffineMap() : map;
}

TileMappingAttr TileMappingAttr::permute(ArrayRef<unsigned> order) const {
  SmallVector<int64_t> domain, newDims(getDomain().size(), -1);
  SmallVector<TileMappingBlock> blocks;
  for (unsigned dim : order) {
    newDims[dim] = domain.size();
    domain.push_back(getDomain()[dim]);
    blocks.push_back(getBlocks()[dim]);
  }
  if (isNested() && domain.empty())
    return withBlocks({1}, {TileMappingBlock()});
  return withBlocks(domain, blocks,
                    replaceDims(getLayout(), newDims, domain.size()));
}

TileMappingAttr TileMappingAttr::refactor(ArrayRef<int64_t> domain) const {
  SmallVector<TileMappingBlock> blocks;
  SmallVector<int64_t> newDims(getDomain().size(), -1);
  size_t from = 0;
  auto skipUnits = [&] {
    while (from < getDomain().size() && isUnit(*this, from))
      ++from;
  };
  for (int64_t size : domain) {
    if (size == 1) {
      blocks.emplace_back();
      continue;
    }
    skipUnits();
    if (from == getDomain().size() || getDomain()[from] != size)
      return nullptr;
    newDims[from] = blocks.size();
    blocks.push_back(getBlocks()[from++]);
  }
  skipUnits();
  if (from != getDomain().size())
    return nullptr;
  return withBlocks(domain, blocks,
                    replaceDims(getLayout(), newDims, domain.size()));
}

/// Makes `block` count elements of `size` times as many; false if that does not
/// fit.
static bool scaleBlock(TileMappingBlock &block, int64_t size,
                       ArrayRef<int64_t> grid) {
  if (block.isAll())
    return true;
  TileMappingBlock scaled = block;
  int64_t end;
  if (llvm::MulOverflow(block.step, size, scaled.step) ||
      llvm::MulOverflow(block.extent, size, scaled.extent) ||
      llvm::MulOverflow(grid[block.axis], scaled.step, end) ||
      llvm::AddOverflow(end, scaled.extent, end))
    return false;
  block = scaled;
  return true;
}

/// `mapping` with two dimensions for each that is in groups, the layout being a
/// permutation.
static TileMappingAttr splitGroups(TileMappingAttr mapping) {
  if (!mapping.getLayout())
    return mapping;
  MLIRContext *context = mapping.getContext();
  SmallVector<StorageDim> storage = mapping.getStorageDims();
  SmallVector<int64_t> groups(mapping.getDomain().size(), 1);
  for (const StorageDim &dim : storage)
    groups[dim.dim] = dim.group;
  SmallVector<int64_t> domain, firstOf;
  SmallVector<TileMappingBlock> blocks;
  for (auto [size, block, group] :
       llvm::zip_equal(mapping.getDomain(), mapping.getBlocks(), groups)) {
    firstOf.push_back(domain.size());
    domain.push_back(size / group);
    blocks.push_back(block);
    if (group == 1)
      continue;
    blocks.back().step /= group;
    blocks.back().extent /= group;
    domain.push_back(group);
    blocks.emplace_back();
  }
  SmallVector<AffineExpr> results;
  for (const StorageDim &dim : storage)
    results.push_back(
        getAffineDimExpr(firstOf[dim.dim] + (dim.isInGroup ? 1 : 0), context));
  return mapping.withBlocks(domain, blocks,
                            AffineMap::get(domain.size(), 0, results, context));
}

/// Whether the tiles of a nested grid have the numbers that they would have if
/// it were not nested.
static bool isFlat(TileMappingAttr mapping) {
  auto flat = TileMappingAttr::get(mapping.getContext(), mapping.getDomain(),
                                   mapping.getGrid(), mapping.getBlocks());
  return llvm::all_of(
      llvm::zip_equal(mapping.getGridAxes(), flat.getGridAxes()),
      [](const auto &axes) {
        const auto &[nested, other] = axes;
        return (nested.extent == 1 || nested.stride == other.stride) &&
               (nested.ipus == 1 ||
                nested.ipuStride == nested.extent * other.stride);
      });
}

TileMappingAttr TileMappingAttr::getCanonical() const {
  TileMappingAttr mapping = splitGroups(*this);
  // Where each dimension is in the storage, units left out.
  SmallVector<int64_t> position(mapping.getDomain().size(), -1);
  int64_t numPositions = 0;
  for (const StorageDim &dim : mapping.getStorageDims())
    if (!isUnit(mapping, dim.dim))
      position[dim.dim] = numPositions++;
  SmallVector<int64_t> domain, newDims(mapping.getDomain().size(), -1);
  SmallVector<TileMappingBlock> blocks;
  int64_t last = -1;
  for (size_t dim = 0; dim < mapping.getDomain().size(); ++dim) {
    if (isUnit(mapping, dim))
      continue;
    int64_t size = mapping.getDomain()[dim];
    TileMappingBlock block = mapping.getBlocks()[dim];
    bool follows = position[dim] == last + 1;
    last = position[dim];
    // No step reaches over a dimension without elements.
    if (domain.empty() || !follows || !block.isAll() || size == 0 ||
        !scaleBlock(blocks.back(), size, getGrid())) {
      newDims[dim] = domain.size();
      domain.push_back(size);
      blocks.push_back(block);
      continue;
    }
    domain.back() *= size;
  }
  AffineMap layout = replaceDims(mapping.getLayout(), newDims, domain.size());
  if (isNested() && isFlat(*this))
    return get(getContext(), domain, getGrid(), blocks, getFirst(), layout);
  // A region without dimensions is never empty, but a tile between the parts of
  // two IPUs holds nothing.
  if (isNested() && domain.empty()) {
    domain.push_back(1);
    blocks.emplace_back();
  }
  return withBlocks(domain, blocks, layout);
}

bool TileMappingAttr::isEquivalentTo(TileMappingAttr other) const {
  if (*this == other)
    return true;
  // Canonical forms keep these, and they take longer to build.
  return getGrid() == other.getGrid() && getFirst() == other.getFirst() &&
         getNumElements() == other.getNumElements() &&
         getCanonical() == other.getCanonical();
}

TileMappingAttr TileMappingAttr::getSingle(MLIRContext *context,
                                           ArrayRef<int64_t> domain,
                                           int64_t first) {
  return get(context, domain, /*grid=*/{1},
             SmallVector<TileMappingBlock>(domain.size()), first);
}

//===----------------------------------------------------------------------===//
// TileMappingAttr: verification and syntax
//===----------------------------------------------------------------------===//

LogicalResult TileMappingAttr::verify(
    function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> domain,
    ArrayRef<int64_t> grid, ArrayRef<TileMappingBlock> blocks, int64_t first,
    AffineMap layout, ArrayRef<int64_t> ipus, int64_t ipuTiles) {
  // c1
  if (domain.size() != blocks.size())
    return emitError() << "expects as many blocks as the domain has dimensions "
                          "("
                       << domain.size() << ") but got " << blocks.size();
  int64_t elements = 1;
  for (int64_t size : domain) {
    if (size < 0)
      return emitError() << "expects the sizes of the domain to be at least 0 "
                            "but got "
                         << size;
    if (llvm::MulOverflow(elements, size, elements))
      return emitError() << "expects a domain of at most 2^63 - 1 elements but "
                            "got ["
                         << domain << "]";
  }
  // c2
  int64_t tiles = 1;
  for (int64_t extent : grid)
    if (extent <= 0 || llvm::MulOverflow(tiles, extent, tiles) ||
        tiles > kMaxTiles)
      return emitError() << "expects a grid of positive extents and at most "
                         << kMaxTiles << " tiles but got extent " << extent;
  // c7
  if (!ipus.empty()) {
    if (ipus.size() != grid.size())
      return emitError() << "expects a number of IPUs for each of the "
                         << grid.size() << " axes of the grid but got "
                         << ipus.size();
    int64_t numIPUs = 1;
    for (auto [count, extent] : llvm::zip_equal(ipus, grid)) {
      if (count <= 0 || extent % count != 0)
        return emitError() << "expects a positive number of IPUs that divides "
                              "the extent "
                           << extent << " of their axis but got " << count;
      numIPUs *= count;
    }
    if (numIPUs == 1)
      return emitError()
             << "expects a nested grid on two or more IPUs but got 1";
    if (ipuTiles < tiles / numIPUs || ipuTiles > kMaxTiles)
      return emitError() << "expects each IPU to have " << tiles / numIPUs
                         << " to " << kMaxTiles
                         << " tiles for its part of the grid but got "
                         << ipuTiles;
    tiles = (numIPUs - 1) * ipuTiles + tiles / numIPUs;
  }
  if (first < 0 || first > kMaxTiles - tiles)
    return emitError() << "expects tile numbers from 0 to " << kMaxTiles - 1
                       << " but got " << tiles << " tiles from tile " << first;
  SmallVector<bool> named(grid.size(), false);
  for (const TileMappingBlock &block : blocks) {
    if (block.isAll())
      continue;
    // c3
    if (block.axis >= static_cast<int64_t>(grid.size()))
      return emitError() << "block names axis p" << block.axis
                         << " but the grid has rank " << grid.size();
    int64_t last;
    if (block.step <= 0 || block.extent <= 0 ||
        llvm::MulOverflow(grid[block.axis], block.step, last) ||
        llvm::AddOverflow(last, block.extent, last))
      return emitError() << "expects a positive step and extent that do not "
                            "overflow but got step "
                         << block.step << ", extent " << block.extent;
    // c4
    if (named[block.axis])
      return emitError()
             << "expects each axis in at most one block but got axis p"
             << block.axis << " in two blocks";
    named[block.axis] = true;
  }
  // c5, c6
  std::string error;
  if (layout && failed(::getStorageDims(layout, domain, blocks, error)))
    return emitError() << error;
  return success();
}

static ParseResult parseSizes(AsmParser &parser, SmallVector<int64_t> &sizes) {
  return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
    return parser.parseInteger(sizes.emplace_back());
  });
}

/// `all` or `pA * step : extent`.
static ParseResult parseBlock(AsmParser &parser, TileMappingBlock &block) {
  StringRef word;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseKeyword(&word))
    return failure();
  if (word == "all")
    return success();
  if (!word.consume_front("p") || word.getAsInteger(10, block.axis) ||
      block.axis < 0)
    return parser.emitError(loc, "expected 'all' or 'p' and the number of a "
                                 "grid axis");
  return failure(parser.parseStar() || parser.parseInteger(block.step) ||
                 parser.parseColon() || parser.parseInteger(block.extent));
}

/// Whether `layout` is the order of a domain of `numDims` dimensions itself.
static bool isOrderOf(AffineMap layout, unsigned numDims) {
  return layout ==
         AffineMap::getMultiDimIdentityMap(numDims, layout.getContext());
}

Attribute TileMappingAttr::parse(AsmParser &parser, Type) {
  SmallVector<int64_t> domain, grid;
  SmallVector<TileMappingBlock> blocks;
  int64_t first = 0;
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess() || parseSizes(parser, domain) || parser.parseComma() ||
      parser.parseKeyword("grid") || parser.parseEqual() ||
      parseSizes(parser, grid) || parser.parseComma() ||
      parser.parseKeyword("blocks") || parser.parseEqual() ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
        return parseBlock(parser, blocks.emplace_back());
      }))
    return {};
  AffineMapAttr layout;
  SmallVector<int64_t> ipus;
  int64_t ipuTiles = 0;
  while (succeeded(parser.parseOptionalComma())) {
    StringRef word;
    SMLoc wordLoc = parser.getCurrentLocation();
    if (parser.parseKeyword(&word) || parser.parseEqual())
      return {};
    if (word == "first" && first == 0 && ipus.empty() && !layout) {
      if (parser.parseInteger(first))
        return {};
    } else if (word == "ipus" && ipus.empty() && !layout) {
      if (parseSizes(parser, ipus) || parser.parseStar() ||
          parser.parseInteger(ipuTiles))
        return {};
    } else if (word == "layout" && !layout) {
      if (parser.parseAttribute(layout))
        return {};
    } else {
      parser.emitError(wordLoc, "expected 'first', 'ipus' or 'layout'");
      return {};
    }
  }
  if (parser.parseGreater())
    return {};
  return TileMappingAttr::getChecked(
      [&] { return parser.emitError(loc); }, parser.getContext(),
      ArrayRef(domain), ArrayRef(grid), ArrayRef(blocks), first,
      layout && !isOrderOf(layout.getValue(), domain.size()) ? layout.getValue()
                                                             : AffineMap(),
      ArrayRef(ipus), ipuTiles);
}

void TileMappingAttr::print(AsmPrinter &printer) const {
  printer << "<[" << getDomain() << "], grid = [" << getGrid()
          << "], blocks = [";
  llvm::interleaveComma(getBlocks(), printer,
                        [&](const TileMappingBlock &block) {
                          if (block.isAll())
                            printer << "all";
                          else
                            printer << "p" << block.axis << " * " << block.step
                                    << " : " << block.extent;
                        });
  printer << "]";
  if (getFirst() != 0)
    printer << ", first = " << getFirst();
  if (isNested())
    printer << ", ipus = [" << getIpus() << "] * " << getIpuTiles();
  if (getLayout())
    printer << ", layout = " << AffineMapAttr::get(getLayout());
  printer << ">";
}
