//===- TestTileSplits.cpp - Random splits of ops ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a decomposed pop function. Out: the same function with ops split by the
// splits that they offer: all by the named one, or each by a random one or
// none. Splits must not change bits.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Interfaces/TileInterfaces.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class TestTileSplits
    : public PassWrapper<TestTileSplits, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestTileSplits)
  TestTileSplits() = default;
  TestTileSplits(const TestTileSplits &other)
      : PassWrapper(other), state(other.state) {}

  StringRef getArgument() const final { return "test-tile-splits"; }
  StringRef getDescription() const final {
    return "Split ops into parts by TilePlanOpInterface";
  }
  void runOnOperation() override;

private:
  int64_t draw(int64_t bound);
  void split(TilePlanOpInterface op, const TileSplit &split, int64_t count);

  Option<std::string> name{*this, "name",
                           llvm::cl::desc("The split; empty for random ones")};
  Option<unsigned> parts{*this, "parts", llvm::cl::desc("How many parts"),
                         llvm::cl::init(2)};
  Option<unsigned> seed{*this, "seed", llvm::cl::desc("Draws other splits"),
                        llvm::cl::init(0)};
  uint64_t state = 0;
};
} // namespace

/// A number from 0 to bound - 1 (SplitMix64).
int64_t TestTileSplits::draw(int64_t bound) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(bound));
}

void TestTileSplits::split(TilePlanOpInterface op, const TileSplit &split,
                           int64_t count) {
  OpBuilder builder(op);
  op->replaceAllUsesWith(op.buildTileSplit(
      builder, split, std::min<int64_t>(count, split.maxParts)));
  op->erase();
}

void TestTileSplits::runOnOperation() {
  state = seed;
  SmallVector<TilePlanOpInterface> ops;
  getOperation()->walk([&](TilePlanOpInterface op) { ops.push_back(op); });
  for (TilePlanOpInterface op : ops) {
    SmallVector<TileSplit> splits = op.getTileSplits();
    if (name.empty()) {
      if (int64_t choice = draw(splits.size() + 1))
        split(op, splits[choice - 1], 2 + draw(6));
      continue;
    }
    const auto *it = llvm::find_if(
        splits, [&](const TileSplit &s) { return s.name == name; });
    if (it != splits.end())
      split(op, *it, parts);
  }
}

namespace mlir::ipu::test {
void registerTestTileSplits() { PassRegistration<TestTileSplits>(); }
} // namespace mlir::ipu::test
