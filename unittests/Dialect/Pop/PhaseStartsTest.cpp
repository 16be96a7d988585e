//===- PhaseStartsTest.cpp - Tests of the division into phases
//--------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/PhaseStarts.h"

#include "gtest/gtest.h"
#include <numeric>
#include <random>

using namespace mlir::pop;

namespace {

/// A division, its heaviest phase and its cost.
struct Division {
  llvm::SmallVector<int64_t> starts;
  int64_t heaviest = 0, cost = 0;
};

/// Calls `visit` with all divisions of the ops from `first` on.
template <typename Visit>
void enumerate(llvm::ArrayRef<int64_t> weights, llvm::ArrayRef<int64_t> bytes,
               int64_t first, int64_t phases, Division division, Visit visit) {
  int64_t n = weights.size();
  auto add = [&](int64_t end) {
    Division next = division;
    next.heaviest = std::max(
        next.heaviest, std::accumulate(weights.begin() + first,
                                       weights.begin() + end, int64_t(0)));
    return next;
  };
  if (phases == 1)
    return visit(add(n));
  for (int64_t start = first + 1; start <= n - phases + 1; ++start) {
    Division next = add(start);
    next.starts.push_back(start);
    next.cost += bytes[start];
    enumerate(weights, bytes, start, phases - 1, next, visit);
  }
}

TEST(PhaseStartsTest, EqualsEnumeration) {
  std::mt19937 random(1);
  auto draw = [&](int64_t least, int64_t most) {
    return std::uniform_int_distribution<int64_t>(least, most)(random);
  };
  for (int i = 0; i < 1000; ++i) {
    int64_t n = draw(1, 9), phases = draw(1, n);
    llvm::SmallVector<int64_t> weights, bytes;
    for (int64_t op = 0; op < n; ++op) {
      weights.push_back(draw(0, 3) == 0 ? 0 : draw(0, 40));
      bytes.push_back(draw(0, 20));
    }
    int64_t lightest = std::numeric_limits<int64_t>::max();
    enumerate(weights, bytes, 0, phases, {}, [&](const Division &division) {
      lightest = std::min(lightest, division.heaviest);
    });
    int64_t cost = std::numeric_limits<int64_t>::max(), found = -1;
    llvm::SmallVector<int64_t> starts = findPhaseStarts(weights, bytes, phases);
    enumerate(weights, bytes, 0, phases, {}, [&](const Division &division) {
      if (division.heaviest > lightest + lightest / 4)
        return;
      cost = std::min(cost, division.cost);
      if (division.starts == starts)
        found = division.cost;
    });
    EXPECT_EQ(found, cost) << "program " << i;
  }
}

} // namespace
