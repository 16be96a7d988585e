//===- SplitExactly.cpp - Shares that add up
//----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/SplitExactly.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace mlir;
using namespace mlir::ipu;

SmallVector<int64_t> mlir::ipu::splitExactly(int64_t total,
                                             ArrayRef<int64_t> weights) {
  assert(!weights.empty() && total >= 0 && "expects shares of a number");
  // Products of two of these numbers do not fit into 64 bits.
  __int128 sum = 0;
  for (int64_t weight : weights)
    sum += weight;
  SmallVector<int64_t> equal;
  if (sum == 0) {
    equal.assign(weights.size(), 1);
    weights = equal;
    sum = weights.size();
  }
  SmallVector<int64_t> shares;
  SmallVector<std::pair<__int128, size_t>> remainders;
  int64_t left = total;
  for (auto [index, weight] : llvm::enumerate(weights)) {
    __int128 product = static_cast<__int128>(total) * weight;
    shares.push_back(static_cast<int64_t>(product / sum));
    remainders.emplace_back(product % sum, index);
    left -= shares.back();
  }
  llvm::sort(remainders, [](const auto &a, const auto &b) {
    return a.first != b.first ? a.first > b.first : a.second < b.second;
  });
  for (auto [remainder, index] : ArrayRef(remainders).take_front(left))
    ++shares[index];
  return shares;
}
