//===- PhaseStarts.cpp - Division of a sequence into phases
//-----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/PhaseStarts.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <vector>

using namespace mlir::pop;

/// Returns whether phases of at most `limit` are enough. `sums[i]` is the
/// weight of the ops before op i.
static bool isEnough(const std::vector<int64_t> &sums, int64_t phases,
                     int64_t limit) {
  int64_t used = 1, start = 0;
  for (int64_t i = 1; i < int64_t(sums.size()); ++i) {
    if (sums[i] - sums[i - 1] > limit)
      return false;
    if (sums[i] - sums[start] > limit) {
      ++used;
      start = i - 1;
    }
  }
  return used <= phases;
}

llvm::SmallVector<int64_t>
mlir::pop::findPhaseStarts(llvm::ArrayRef<int64_t> weights,
                           llvm::ArrayRef<int64_t> liveBytes, int64_t phases) {
  int64_t n = weights.size();
  assert(phases >= 1 && phases <= n && liveBytes.size() == weights.size());
  std::vector<int64_t> sums(n + 1);
  for (int64_t i = 0; i < n; ++i)
    sums[i + 1] = sums[i] + weights[i];
  // The least weight of the heaviest phase, by bisection.
  int64_t low = -1, high = sums[n];
  while (high - low > 1) {
    int64_t middle = low + (high - low) / 2;
    (isEnough(sums, phases, middle) ? high : low) = middle;
  }
  int64_t limit = high + high / 4;

  constexpr int64_t kNone = std::numeric_limits<int64_t>::max();
  // costs[p][i] is the lowest cost of a division of the ops before op i into
  // p + 1 phases, and starts[p][i] is the first op of the last of them.
  std::vector<std::vector<int64_t>> costs(phases,
                                          std::vector<int64_t>(n + 1, kNone));
  std::vector<std::vector<int64_t>> starts(phases, std::vector<int64_t>(n + 1));
  for (int64_t i = 1; i <= n; ++i)
    if (sums[i] <= limit)
      costs[0][i] = 0;
  for (int64_t p = 1; p < phases; ++p)
    for (int64_t i = p + 1; i <= n; ++i)
      for (int64_t start = i - 1; start >= p && sums[i] - sums[start] <= limit;
           --start) {
        if (costs[p - 1][start] == kNone)
          continue;
        int64_t cost = costs[p - 1][start] + liveBytes[start];
        if (cost <= costs[p][i]) {
          costs[p][i] = cost;
          starts[p][i] = start;
        }
      }
  llvm::SmallVector<int64_t> result(phases - 1);
  int64_t end = n;
  for (int64_t p = phases - 1; p > 0; --p)
    end = result[p - 1] = starts[p][end];
  return result;
}
