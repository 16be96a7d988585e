//===- TileClasses.cpp - Classes of tiles ---------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TileClasses.h"

using namespace mlir;
using namespace mlir::ipu;

/// Mixes all bits of `x` (the finaliser of splitmix64).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

namespace {
/// A sum of hashes of what tiles have; two tiles with the same sum have the
/// same, but for a chance of 2^-128, and the verifier does not rely on it.
struct Signature {
  uint64_t low = 0, high = 0;

  static Signature get(uint64_t number, int64_t value) {
    uint64_t key = mix(number) ^ static_cast<uint64_t>(value);
    return {mix(key), mix(key + 0x632be59bd9b4e019)};
  }
  Signature &operator+=(Signature other) {
    low += other.low;
    high += other.high;
    return *this;
  }
  Signature &operator-=(Signature other) {
    low -= other.low;
    high -= other.high;
    return *this;
  }
  std::pair<uint64_t, uint64_t> getKey() const { return {low, high}; }
};
} // namespace

std::vector<TileClass>
mlir::ipu::makeClasses(int64_t numTiles, ArrayRef<const TileCounts *> counts) {
  SmallVector<std::pair<int64_t, Signature>, 0> changes;
  for (auto [number, count] : llvm::enumerate(counts))
    for (const TileRun &run : count->getRuns()) {
      if (run.value == 0)
        continue;
      Signature signature = Signature::get(number, run.value), negative;
      negative -= signature;
      changes.emplace_back(run.begin, signature);
      changes.emplace_back(run.end, negative);
    }
  llvm::sort(changes, llvm::less_first());
  std::vector<TileClass> classes;
  llvm::DenseMap<std::pair<uint64_t, uint64_t>, unsigned> classOf;
  Signature signature;
  const auto *change = changes.begin();
  for (int64_t begin = 0; begin < numTiles;) {
    for (; change != changes.end() && change->first <= begin; ++change)
      signature += change->second;
    int64_t end = change != changes.end() ? change->first : numTiles;
    auto [it, isNew] = classOf.try_emplace(signature.getKey(), classes.size());
    if (isNew)
      classes.emplace_back();
    auto &tiles = classes[it->second].tiles;
    if (!tiles.empty() && tiles.back().second == begin)
      tiles.back().second = end;
    else
      tiles.emplace_back(begin, end);
    begin = end;
  }
  return classes;
}
