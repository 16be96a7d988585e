//===- TileViewTest.cpp - Views and moves of pop ops ------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares `getTileView` and `getTileMoves` with the descriptions of the ops,
// element by element, on random shapes and views.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::pop;
using mlir::ipu::StridedView;

namespace {

using Index = SmallVector<int64_t>;

class TileViewTest : public testing::Test {
protected:
  TileViewTest() : builder(&context), loc(builder.getUnknownLoc()) {
    context.loadDialect<PopDialect>();
    builder.setInsertionPointToEnd(&block);
  }

  int64_t random(int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(generator);
  }

  Index randomShape(int64_t maxRank, int64_t minSize = 1) {
    Index shape(random(0, maxRank));
    for (int64_t &size : shape)
      size = random(minSize, 4);
    return shape;
  }

  /// Returns a random view of `shape` that earlier views could have created. It
  /// is often contiguous.
  StridedView randomView(ArrayRef<int64_t> shape) {
    StridedView view = StridedView::identity(shape);
    if (random(0, 2) == 0)
      return view;
    view.offset = random(0, 10);
    for (int64_t &stride : view.strides)
      if (random(0, 2) == 0)
        stride *= random(-2, 2);
    return view;
  }

  RankedTensorType getType(ArrayRef<int64_t> shape) {
    return RankedTensorType::get(shape, builder.getI32Type());
  }

  Value argument(ArrayRef<int64_t> shape) {
    return block.addArgument(getType(shape), loc);
  }

  MLIRContext context;
  Block block;
  OpBuilder builder;
  Location loc;
  std::mt19937 generator{1};
};

int64_t getPosition(const StridedView &view, ArrayRef<int64_t> index) {
  int64_t position = view.offset;
  for (auto [i, stride] : llvm::zip_equal(index, view.strides))
    position += i * stride;
  return position;
}

/// Calls `fn` with each index of `shape` in row-major order.
void forEachIndex(ArrayRef<int64_t> shape,
                  function_ref<void(ArrayRef<int64_t>)> fn) {
  SmallVector<int64_t> strides = computeStrides(shape);
  for (int64_t i = 0, e = computeProduct(shape); i < e; ++i)
    fn(delinearize(i, strides));
}

/// Expects that `view` selects the same element at each result index as `input`
/// selects at the operand index that `toOperand` returns for it.
void expectView(const StridedView &view, const StridedView &input,
                ArrayRef<int64_t> shape,
                function_ref<Index(ArrayRef<int64_t>)> toOperand) {
  ASSERT_EQ(ArrayRef(view.sizes), shape);
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    EXPECT_EQ(getPosition(view, index), getPosition(input, toOperand(index)));
  });
}

TEST_F(TileViewTest, TransposePermutesDimensions) {
  for (int trial = 0; trial < 200; ++trial) {
    Index shape = randomShape(4, /*minSize=*/0);
    Index permutation = llvm::to_vector(llvm::seq<int64_t>(0, shape.size()));
    std::shuffle(permutation.begin(), permutation.end(), generator);
    auto op = TransposeOp::create(builder, loc, argument(shape), permutation);
    StridedView input = randomView(shape);
    FailureOr<StridedView> view = op.getTileView(input);
    ASSERT_TRUE(succeeded(view));
    expectView(*view, input, op.getType().getShape(),
               [&](ArrayRef<int64_t> index) {
                 Index operand(index.size());
                 for (auto [i, dim] : llvm::enumerate(permutation))
                   operand[dim] = index[i];
                 return operand;
               });
  }
}

TEST_F(TileViewTest, SliceStepsThroughDimensions) {
  for (int trial = 0; trial < 200; ++trial) {
    Index shape = randomShape(3), starts, sizes, steps;
    for (int64_t size : shape) {
      int64_t first = random(0, size - 1), last = random(0, size - 1);
      int64_t distance = std::abs(last - first);
      int64_t step = random(1, 3);
      sizes.push_back(random(0, 4) ? distance / step + 1 : 0);
      starts.push_back(first);
      steps.push_back(last < first ? -step : step);
    }
    auto op =
        SliceOp::create(builder, loc, argument(shape), starts, sizes, steps);
    StridedView input = randomView(shape);
    FailureOr<StridedView> view = op.getTileView(input);
    ASSERT_TRUE(succeeded(view));
    expectView(*view, input, sizes, [&](ArrayRef<int64_t> index) {
      Index operand;
      for (auto [i, start, step] : llvm::zip_equal(index, starts, steps))
        operand.push_back(start + i * step);
      return operand;
    });
  }
}

TEST_F(TileViewTest, SliceIgnoresStepsThatAreNotTaken) {
  int64_t huge = std::numeric_limits<int64_t>::max();
  auto op = SliceOp::create(builder, loc, argument({4}), Index{3}, Index{1},
                            Index{huge});
  FailureOr<StridedView> view = op.getTileView(StridedView{0, {4}, {5}});
  ASSERT_TRUE(succeeded(view));
  EXPECT_EQ(view->offset, 15);
}

TEST_F(TileViewTest, ExpandRepeatsDimensions) {
  for (int trial = 0; trial < 200; ++trial) {
    Index result = randomShape(4, /*minSize=*/0);
    ArrayRef<int64_t> all(result);
    Index shape(all.drop_front(random(0, result.size())));
    for (int64_t &size : shape)
      if (random(0, 1))
        size = 1;
    auto op = ExpandOp::create(builder, loc, getType(result), argument(shape));
    StridedView input = randomView(shape);
    FailureOr<StridedView> view = op.getTileView(input);
    ASSERT_TRUE(succeeded(view));
    expectView(*view, input, result, [&](ArrayRef<int64_t> index) {
      Index operand(index.take_back(shape.size()));
      for (auto [i, size] : llvm::zip_equal(operand, shape))
        i = size == 1 ? 0 : i;
      return operand;
    });
  }
}

/// Returns a random shape with as many elements as `shape`.
Index regroup(ArrayRef<int64_t> shape, std::mt19937 &generator) {
  Index factors;
  for (int64_t size : shape) {
    if (size == 4)
      factors.append({2, 2});
    else
      factors.push_back(size);
  }
  if (generator() % 2)
    std::shuffle(factors.begin(), factors.end(), generator);
  Index result;
  for (int64_t factor : factors) {
    if (!result.empty() && generator() % 2)
      result.back() *= factor;
    else
      result.push_back(factor);
    if (generator() % 4 == 0)
      result.push_back(1);
  }
  return result;
}

/// Returns whether strides exist that select the elements of `input` in
/// row-major order in `shape`. The strides follow from one step in each
/// dimension.
bool hasStrides(const StridedView &input, ArrayRef<int64_t> shape) {
  SmallVector<int64_t> positions;
  forEachIndex(input.sizes, [&](ArrayRef<int64_t> index) {
    positions.push_back(getPosition(input, index));
  });
  SmallVector<int64_t> steps = computeStrides(shape);
  StridedView view = {positions.front(), Index(shape), Index()};
  for (auto [size, step] : llvm::zip_equal(shape, steps))
    view.strides.push_back(size > 1 ? positions[step] - positions[0] : 0);
  bool matches = true;
  int64_t i = 0;
  forEachIndex(shape, [&](ArrayRef<int64_t> index) {
    matches &= getPosition(view, index) == positions[i++];
  });
  return matches;
}

TEST_F(TileViewTest, ReshapeKeepsRowMajorOrderWhereStridesCan) {
  int numViews = 0, numCopies = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    Index shape = randomShape(4);
    Index result = regroup(shape, generator);
    auto op = ReshapeOp::create(builder, loc, getType(result), argument(shape));
    StridedView input = randomView(shape);
    FailureOr<StridedView> view = op.getTileView(input);
    ASSERT_EQ(succeeded(view), hasStrides(input, result));
    if (failed(view)) {
      EXPECT_FALSE(input.isContiguous());
      ++numCopies;
      continue;
    }
    ++numViews;
    SmallVector<int64_t> steps = computeStrides(result);
    SmallVector<int64_t> inputSteps = computeStrides(shape);
    expectView(*view, input, result, [&](ArrayRef<int64_t> index) {
      return delinearize(linearize(index, steps), inputSteps);
    });
  }
  // Both outcomes occurred.
  EXPECT_GT(numViews, 100);
  EXPECT_GT(numCopies, 100);
}

TEST_F(TileViewTest, ReshapeOfNoElements) {
  auto op = ReshapeOp::create(builder, loc, getType({3, 0}), argument({0, 2}));
  FailureOr<StridedView> view = op.getTileView(StridedView{7, {0, 2}, {3, 5}});
  ASSERT_TRUE(succeeded(view));
  EXPECT_EQ(view->sizes, (Index{3, 0}));
}

/// Returns the number of moves that fill each element of the result.
SmallVector<int> countFills(ipu::TileMoveOpInterface op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  SmallVector<int> fills(type.getNumElements(), 0);
  SmallVector<int64_t> strides = computeStrides(type.getShape());
  for (const ipu::TileMove &move : op.getTileMoves()) {
    auto operand =
        cast<RankedTensorType>(op->getOperand(move.operand).getType());
    forEachIndex(operand.getShape(), [&](ArrayRef<int64_t> index) {
      int64_t position = 0;
      for (auto [i, offset, stride] :
           llvm::zip_equal(index, move.offsets, strides))
        position += (i + offset) * stride;
      ++fills[position];
    });
  }
  return fills;
}

TEST_F(TileViewTest, ConcatFillsItsResultOnce) {
  for (int trial = 0; trial < 100; ++trial) {
    Index shape = randomShape(3);
    shape.push_back(random(0, 3));
    int64_t axis = random(0, shape.size() - 1);
    SmallVector<Value> operands;
    for (int i = 0, e = random(1, 4); i < e; ++i) {
      shape[axis] = random(0, 3);
      operands.push_back(argument(shape));
    }
    auto op = ConcatOp::create(builder, loc, operands, axis);
    EXPECT_TRUE(llvm::all_of(countFills(op), [](int n) { return n == 1; }));
    EXPECT_FALSE(op.getTileFill());
  }
}

TEST_F(TileViewTest, PadFillsTheInnerRegion) {
  for (int trial = 0; trial < 100; ++trial) {
    Index shape = randomShape(3, /*minSize=*/0), low, high;
    for (size_t i = 0; i < shape.size(); ++i) {
      low.push_back(random(0, 2));
      high.push_back(random(0, 2));
    }
    TypedAttr value = builder.getI32IntegerAttr(3);
    auto op = PadOp::create(builder, loc, argument(shape), low, high, value);
    SmallVector<int> fills = countFills(op);
    size_t i = 0;
    forEachIndex(op.getType().getShape(), [&](ArrayRef<int64_t> index) {
      bool isInside = true;
      for (auto [position, before, size] : llvm::zip_equal(index, low, shape))
        isInside &= position >= before && position < before + size;
      EXPECT_EQ(fills[i++], isInside ? 1 : 0);
    });
    EXPECT_TRUE(op.getTileFill() == value ||
                llvm::all_of(fills, [](int n) { return n == 1; }));
  }
}

} // namespace
