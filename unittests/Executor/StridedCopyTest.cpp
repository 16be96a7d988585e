//===- StridedCopyTest.cpp - Copies between strided views -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Support/StridedCopy.h"
#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// Returns a view of a whole buffer with permuted dimensions.
StridedView permute(ArrayRef<int64_t> shape, ArrayRef<unsigned> order) {
  StridedView view;
  SmallVector<int64_t> strides = StridedView::identity(shape).strides;
  for (unsigned dim : order) {
    view.sizes.push_back(shape[dim]);
    view.strides.push_back(strides[dim]);
  }
  return view;
}

/// Calls `visit` with the offsets of each element in both views.
void forEach(const StridedView &from, const StridedView &to,
             function_ref<void(int64_t, int64_t)> visit) {
  std::vector<int64_t> at(to.sizes.size());
  for (int64_t i = 0, e = to.getNumElements(); i < e; ++i) {
    int64_t source = from.offset, target = to.offset;
    for (size_t dim = 0; dim < at.size(); ++dim) {
      source += at[dim] * from.strides[dim];
      target += at[dim] * to.strides[dim];
    }
    visit(source, target);
    for (size_t dim = at.size(); dim-- > 0;) {
      if (++at[dim] < to.sizes[dim])
        break;
      at[dim] = 0;
    }
  }
}

/// Expects that copies in two parts of random size have the same result as
/// copies of single elements.
void expectCopy(const StridedView &from, const StridedView &to,
                int64_t sourceSize, std::mt19937 &random) {
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  int64_t bytes = int64_t(1) << pick(0, 3);
  std::vector<char> source(sourceSize * bytes);
  std::vector<char> target(to.getNumElements() * bytes), expected(target);
  for (char &value : source)
    value = pick(-128, 127);
  forEach(from, to, [&](int64_t i, int64_t j) {
    std::copy_n(&source[i * bytes], bytes, &expected[j * bytes]);
  });
  CopyLoops loops = getCopyLoops(from, to);
  int64_t outer = loops.sizes.empty() ? 1 : loops.sizes.front();
  int64_t middle = pick(0, outer);
  for (auto [begin, end] : {std::pair(int64_t(0), middle), {middle, outer}})
    if (begin < end)
      copyElements(loops, bytes, source.data(), target.data(), begin, end);
  ASSERT_EQ(target, expected);
}
} // namespace

TEST(StridedCopyTest, CopiesTransposedViews) {
  std::mt19937 random(1);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int64_t run = 0; run < 400; ++run) {
    // Sizes near the sizes of the copied blocks.
    SmallVector<int64_t> shape;
    for (int64_t dim = 0, rank = pick(1, 4); dim < rank; ++dim)
      shape.push_back(dim < 2 ? pick(1, 140) : pick(1, 5));
    std::shuffle(shape.begin(), shape.end(), random);
    SmallVector<unsigned> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    StridedView from = permute(shape, order);
    StridedView to = StridedView::identity(from.sizes);
    if (pick(0, 1))
      std::swap(from, to);
    expectCopy(from, to, /*sourceSize=*/to.getNumElements(), random);
  }
}

TEST(StridedCopyTest, CopiesViewsWithSteps) {
  std::mt19937 random(2);
  auto pick = [&](int64_t low, int64_t high) {
    return std::uniform_int_distribution<int64_t>(low, high)(random);
  };
  for (int64_t run = 0; run < 400; ++run) {
    // Views like those of gradients of convolutions, which read positions of
    // kernels: strided elements, forwards or backwards, of permuted dimensions.
    SmallVector<int64_t> shape, steps;
    for (int64_t dim = 0, rank = pick(2, 4); dim < rank; ++dim) {
      steps.push_back(pick(1, 3));
      shape.push_back(steps.back() * (dim < 2 ? pick(1, 80) : pick(1, 4)));
    }
    std::shuffle(shape.begin(), shape.end(), random);
    SmallVector<unsigned> order(shape.size());
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random);
    StridedView from = permute(shape, order);
    int64_t sourceSize = from.getNumElements();
    for (auto [size, stride, step] :
         llvm::zip_equal(from.sizes, from.strides, steps)) {
      size = llvm::divideCeil(size, step);
      if (pick(0, 1)) {
        from.offset += stride * step * (size - 1);
        step = -step;
      }
      stride *= step;
    }
    expectCopy(from, StridedView::identity(from.sizes), sourceSize, random);
  }
}
