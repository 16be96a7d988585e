//===- ViewsTest.cpp - Elements of views ----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/Views.h"

#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {

/// The position in the memory of a tile of each element that the tile holds.
using TileElements = std::map<int64_t, int64_t>;

/// Returns the elements of the `index`th tile of `mapping`. The elements of the
/// domain of `mapping` are those of `view`.
TileElements getElements(TileMappingAttr mapping, int64_t index,
                         const StridedView &view) {
  TileElements elements;
  IndexRegion region = mapping.getTileRegion(index);
  SmallVector<StorageDim> storage = mapping.getStorageDims();
  SmallVector<int64_t> inDomain = computeStrides(mapping.getDomain()),
                       inView = computeStrides(view.sizes);
  for (int64_t i = 0, e = region.getNumElements(); i < e; ++i) {
    SmallVector<int64_t> at = delinearize(i, computeStrides(region.sizes));
    int64_t address = 0, number = 0, element = view.offset;
    for (const StorageDim &dim : storage)
      address = dim.isInGroup ? address * dim.group + at[dim.dim] % dim.group
                              : address * (region.sizes[dim.dim] / dim.group) +
                                    at[dim.dim] / dim.group;
    for (auto [position, offset, stride] :
         llvm::zip_equal(at, region.offsets, inDomain))
      number += (offset + position) * stride;
    for (auto [position, stride] :
         llvm::zip_equal(delinearize(number, inView), view.strides))
      element += position * stride;
    elements[element] = address;
  }
  return elements;
}

/// Computes the result of isHeldAs() from all elements of all tiles.
bool isHeldOnAllTiles(TileMappingAttr mapping, const StridedView &view,
                      TileMappingAttr access) {
  StridedView whole = StridedView::identity({mapping.getNumElements()});
  for (int64_t tile = 0; tile < mapping.getNumTiles(); ++tile)
    if (getElements(mapping, tile, whole) != getElements(access, tile, view))
      return false;
  return true;
}

class ViewsTest : public ::testing::Test {
protected:
  ViewsTest() { context.loadDialect<IPUDialect>(); }

  SmallVector<unsigned> getRandomOrder(unsigned size) {
    auto order = llvm::to_vector(llvm::seq(size));
    std::shuffle(order.begin(), order.end(), rng);
    return order;
  }

  /// Returns a layout of three dimensions in a random order. The dimension that
  /// is not split is perhaps divided into groups of 2.
  AffineMap getRandomLayout() {
    SmallVector<AffineExpr> results;
    bool hasGroups = rng() % 2;
    for (unsigned dim : getRandomOrder(3)) {
      AffineExpr expr = getAffineDimExpr(dim, &context);
      bool isDivided = hasGroups && dim == 1;
      results.push_back(isDivided ? expr.floorDiv(2) : expr);
    }
    if (hasGroups)
      results.push_back(getAffineDimExpr(1, &context) % 2);
    return AffineMap::get(3, 0, results, &context);
  }

  MLIRContext context;
  std::mt19937 rng{7};
};

TEST_F(ViewsTest, OrderOfStorageIsThatOfTheView) {
  unsigned numHeld = 0, numOther = 0;
  for (int trial = 0; trial < 2000; ++trial) {
    auto mapping = TileMappingAttr::get(&context, {4, 6, 5}, {2, 5},
                                        {{0, 2, 2}, {}, {1, 1, 1}});
    if (rng() % 4 != 0)
      mapping = mapping.withLayout(getRandomLayout());
    // The dimensions of the view are those of the variable in another order.
    SmallVector<unsigned> order = getRandomOrder(3);
    StridedView view{0, {}, {}};
    SmallVector<int64_t> strides = computeStrides(mapping.getDomain());
    for (unsigned dim : order) {
      view.sizes.push_back(mapping.getDomain()[dim]);
      view.strides.push_back(strides[dim]);
    }
    TileMappingAttr held = withExplicitLayout(mapping).permute(order);
    // Groups of a dimension that is split may not be legal.
    TileMappingAttr access = held.withLayout(
        rng() % 2 ? held.getLayout()
                  : (rng() % 2 ? getRandomLayout() : AffineMap()));
    if (!access)
      continue;
    bool isHeld = isHeldAs(mapping, view, access);
    // Layouts that differ may lead to the same order on each tile.
    EXPECT_TRUE(isHeld || access != held) << trial;
    EXPECT_TRUE(!isHeld || isHeldOnAllTiles(mapping, view, access)) << trial;
    ++(isHeld ? numHeld : numOther);
  }
  EXPECT_GT(numHeld, 800u);
  EXPECT_GT(numOther, 300u);
}

} // namespace
