//===- TestShuffleMaps.cpp - Random tile mappings ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a decomposed pop function. Out: the same function with a random
// `ipu.map`, legal for its op, on most arguments and ops, some with a random
// layout. Tile mappings and layouts must not change the results of a
// program.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Planner/Partition/LoopPartition.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
class TestShuffleMaps
    : public PassWrapper<TestShuffleMaps, OperationPass<func::FuncOp>> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(TestShuffleMaps)
  TestShuffleMaps() = default;
  TestShuffleMaps(const TestShuffleMaps &other)
      : PassWrapper(other), state(other.state) {}

  StringRef getArgument() const final { return "test-shuffle-maps"; }
  StringRef getDescription() const final {
    return "Put tensors on random tiles";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<IPUDialect>();
  }
  void runOnOperation() override;

private:
  int64_t draw(int64_t bound);
  LoopBlocks drawBlocks(ArrayRef<int64_t> loops, int64_t maxParts,
                        int64_t &parts);
  int64_t nest(const TileForm &form, LoopBlocks &blocks);
  AffineMap drawLayout(unsigned numDims);
  TileMappingAttr drawTileMapping(const TileForm &form);
  TileMappingAttr drawTileMapping(RankedTensorType type);
  TileMappingAttr drawTileMapping(CodeletOpInterface op);

  Option<unsigned> seed{*this, "seed", llvm::cl::desc("Draws other maps"),
                        llvm::cl::init(0)};
  uint64_t state = 0;
  int64_t tiles = 1, ipus = 1;
};
} // namespace

/// A number from 0 to bound - 1 (SplitMix64).
int64_t TestShuffleMaps::draw(int64_t bound) {
  state += 0x9E3779B97F4A7C15;
  uint64_t z = state;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
  return static_cast<int64_t>((z ^ (z >> 31)) % static_cast<uint64_t>(bound));
}

/// Blocks of each loop, in random order of the loops; `parts` is how many they
/// are.
LoopBlocks TestShuffleMaps::drawBlocks(ArrayRef<int64_t> loops,
                                       int64_t maxParts, int64_t &parts) {
  LoopBlocks blocks;
  for (int64_t size : loops)
    blocks.push_back(std::max<int64_t>(size, 1));
  parts = 1;
  int64_t start = loops.empty() ? 0 : draw(loops.size());
  for (size_t i = 0; i < loops.size(); ++i) {
    size_t loop = (start + i) % loops.size();
    int64_t size = blocks[loop];
    int64_t most = std::min(size, maxParts / parts);
    if (draw(4) == 0)
      continue;
    blocks[loop] = llvm::divideCeil(size, 1 + draw(most));
    parts *= llvm::divideCeil(size, blocks[loop]);
  }
  return blocks;
}

/// Dimensions in random order, one of them in groups, which are innermost.
AffineMap TestShuffleMaps::drawLayout(unsigned numDims) {
  SmallVector<AffineExpr> results;
  for (unsigned dim = 0; dim < numDims; ++dim)
    results.insert(results.begin() + draw(dim + 1),
                   getAffineDimExpr(dim, &getContext()));
  AffineExpr &grouped = results[draw(numDims)];
  int64_t group = int64_t(2) << draw(4);
  AffineExpr inGroup = grouped % group;
  grouped = grouped.floorDiv(group);
  results.push_back(inGroup);
  return AffineMap::get(numDims, 0, results, &getContext());
}

/// Nests the parts over a few IPUs, with some tiles between these, if there are
/// enough tiles; returns how many the parts are on then, else 0.
int64_t TestShuffleMaps::nest(const TileForm &form, LoopBlocks &blocks) {
  if (form.loops.empty())
    return 0;
  LoopBlocks nested = blocks;
  int64_t numIPUs = 1, ofIPU = 1;
  for (unsigned loop = 0; loop < form.loops.size(); ++loop) {
    nested.ipus.push_back(1 + draw(2));
    numIPUs *= nested.ipus.back();
  }
  for (unsigned loop = 0; loop < form.loops.size(); ++loop)
    ofIPU *= getPartsPerIPU(form, nested, loop);
  nested.ipuTiles = ofIPU + draw(3);
  int64_t all = (numIPUs - 1) * nested.ipuTiles + ofIPU;
  if (numIPUs == 1 || all > tiles ||
      !getPartition(form, form.results.front(),
                    getAccessTileMapping(&getContext(), form, nested,
                                         form.results.front())))
    return 0;
  blocks = nested;
  return all;
}

TileMappingAttr TestShuffleMaps::drawTileMapping(const TileForm &form) {
  int64_t parts;
  // Nested parts are on more tiles than there are parts.
  bool isNested = ipus > 1 && draw(2);
  LoopBlocks blocks =
      drawBlocks(form.loops, isNested ? tiles / 4 + 1 : tiles, parts);
  if (isNested)
    if (int64_t all = nest(form, blocks))
      parts = all;
  const TileAccess &result = form.results.front();
  TileMappingAttr mapping = getAccessTileMapping(
      &getContext(), form, blocks, result, draw(tiles - parts + 1));
  // Ops that care have a layout of their own.
  if (!mapping || result.layout || result.dims.empty() || draw(2))
    return mapping;
  return mapping.withFittedLayout(drawLayout(result.dims.size()));
}

TileMappingAttr TestShuffleMaps::drawTileMapping(RankedTensorType type) {
  TileForm form;
  form.loops = llvm::to_vector(type.getShape());
  TileAccess access;
  access.domain = form.loops;
  for (int64_t i = 0; i < type.getRank(); ++i)
    access.dims.push_back({i});
  form.results = {access};
  return drawTileMapping(form);
}

TileMappingAttr TestShuffleMaps::drawTileMapping(CodeletOpInterface op) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  FailureOr<TileForm> form = op.getTileForm(
      draw(2) ? type.getShape() : ArrayRef<int64_t>(type.getNumElements()));
  return failed(form) ? nullptr : drawTileMapping(*form);
}

void TestShuffleMaps::runOnOperation() {
  func::FuncOp function = getOperation();
  state = seed;
  TargetModel target = getTargetModel(function);
  tiles = target.getTilesPerReplica();
  ipus = target.ipus;
  for (BlockArgument argument : function.getArguments())
    if (auto type = dyn_cast<RankedTensorType>(argument.getType());
        type && draw(4) != 0)
      function.setArgAttr(argument.getArgNumber(),
                          IPUDialect::kTileMappingAttrName,
                          drawTileMapping(type));
  for (Operation &op : function.getOps()) {
    if (op.getNumResults() != 1 || isa<TileViewOpInterface>(op) || draw(4) == 0)
      continue;
    auto codelet = dyn_cast<CodeletOpInterface>(op);
    auto type = dyn_cast<RankedTensorType>(op.getResult(0).getType());
    if (!type || op.getNumRegions() > 0 || isa<CallOpInterface>(op))
      continue;
    if (TileMappingAttr mapping =
            codelet ? drawTileMapping(codelet) : drawTileMapping(type))
      op.setAttr(IPUDialect::kTileMappingAttrName, mapping);
  }
}

namespace mlir::ipu::test {
void registerTestShuffleMaps() { PassRegistration<TestShuffleMaps>(); }
} // namespace mlir::ipu::test
