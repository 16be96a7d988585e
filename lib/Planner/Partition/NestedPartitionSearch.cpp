//===- NestedPartitionSearch.cpp - Plans of one op over several IPUs *- C++
//-*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A nested plan first splits the loops over IPUs, and then the part of each IPU
// over its tiles. The parts of the IPUs are chosen only by the bytes on links
// and by the number of IPUs with which an IPU exchanges data. Therefore the set
// of plans does not depend on the speed of links.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/PartitionSearch.h"

#include "ipu-mlir/Analysis/TileCounts/Count.h"

#include <tuple>

using namespace mlir;
using namespace mlir::ipu;

/// Returns the number of bytes that an IPU reads beyond an even share of each
/// operand, if it runs `positions` of each loop.
static int64_t getLinkBytes(const TargetModel &target,
                            const PartitionProblem &problem,
                            ArrayRef<int64_t> positions) {
  Count bytes;
  for (auto [access, type] :
       llvm::zip_equal(problem.form.inputs, problem.inputTypes)) {
    Count elements = 1, all = 1;
    for (auto [size, read] :
         llvm::zip_equal(access.domain, getRegionSizes(access, positions))) {
      elements = elements * read;
      all = all * size;
    }
    int64_t share = all.get() / target.ipus;
    bytes += Count(std::max<int64_t>(elements.get() - share, 0)) *
             getStoredBytes(type);
  }
  return bytes.get();
}

/// Returns the number of other IPUs from which an IPU reads if each loop is
/// split over `ipus` IPUs: all IPUs along a loop on which some operand does not
/// depend, and the two neighbours along a loop whose windows overlap.
static int64_t getNumPartners(const TileForm &form, ArrayRef<int64_t> ipus) {
  int64_t partners = 1;
  for (auto [loop, count] : llvm::enumerate(ipus)) {
    int64_t along = 1;
    for (const TileAccess &access : form.inputs) {
      const auto *dim = llvm::find_if(
          access.dims,
          [number = static_cast<int64_t>(loop)](const DimAccess &dim) {
            return dim.loop == number;
          });
      if (dim == access.dims.end())
        along = count;
      else if (dim->extent > dim->step)
        along = std::max(along, std::min<int64_t>(count, 3));
    }
    partners *= along;
  }
  return partners - 1;
}

namespace {
/// The number of IPUs along each loop, the number of positions of each loop
/// that one IPU runs, the bytes on the links of an IPU, and the number of its
/// partners.
struct IPUGrid {
  SmallVector<int64_t> ipus, positions;
  int64_t linkBytes = 0, partners = 0;

  // Of equal grids, the grid that splits inner loops comes first.
  bool hasFewerBytes(const IPUGrid &other) const {
    return std::tie(linkBytes, partners, ipus) <
           std::tie(other.linkBytes, other.partners, other.ipus);
  }
  bool hasFewerPartners(const IPUGrid &other) const {
    return std::tie(partners, linkBytes, ipus) <
           std::tie(other.partners, other.linkBytes, other.ipus);
  }
};
} // namespace

/// Adds to `grids` all ways to split the loops from `loop` on over `rest` IPUs.
/// An IPU has at most an eighth more positions of a loop than an even share.
static void addGrids(const TargetModel &target, const PartitionProblem &problem,
                     const PlanOptions &options, unsigned loop, int64_t rest,
                     SmallVector<int64_t> &ipus,
                     SmallVectorImpl<IPUGrid> &grids) {
  const TileForm &form = problem.form;
  if (loop == form.loops.size()) {
    if (rest > 1)
      return;
    // The positions of each loop that one IPU runs.
    SmallVector<int64_t> positions = llvm::map_to_vector(
        llvm::zip_equal(form.loops, ipus), [](const auto &entry) {
          auto [size, count] = entry;
          return static_cast<int64_t>(llvm::divideCeil(size, count));
        });
    int64_t bytes = getLinkBytes(target, problem, positions);
    grids.push_back(
        {ipus, std::move(positions), bytes, getNumPartners(form, ipus)});
    return;
  }
  for (int64_t count = 1; count <= rest; ++count) {
    if (count > 1 && !options.maySplit(loop))
      break;
    int64_t size = form.loops[loop];
    int64_t most = size / count + (size % count != 0);
    if (rest % count != 0 || most * count > size + size / 8)
      continue;
    ipus[loop] = count;
    addGrids(target, problem, options, loop + 1, rest / count, ipus, grids);
  }
  ipus[loop] = 1;
}

SmallVector<TilePlan>
mlir::ipu::enumerateNestedPlans(const TargetModel &target,
                                const PartitionProblem &problem,
                                const PlanOptions &options) {
  const TileForm &form = problem.form;
  // For more IPUs, there are too many ways to split ten loops.
  constexpr int64_t kMaxIPUs = 256;
  if (target.ipus == 1 || target.ipus > kMaxIPUs ||
      target.io_tiles >= target.tiles || llvm::is_contained(form.loops, 0))
    return {};
  SmallVector<IPUGrid> grids;
  SmallVector<int64_t> ipus(form.loops.size(), 1);
  addGrids(target, problem, options, 0, target.ipus, ipus, grids);
  TargetModel oneIPU = target;
  oneIPU.ipus = 1;
  PlanOptions one = options;
  one.maxPlans = 1;
  SmallVector<TilePlan> plans;
  // Alternate between the grid with the fewest bytes and the grid with the
  // fewest partners.
  for (bool byBytes = true; !grids.empty() && plans.size() < options.maxPlans;
       byBytes = !byBytes) {
    auto *best =
        llvm::min_element(grids, [&](const IPUGrid &a, const IPUGrid &b) {
          return byBytes ? a.hasFewerBytes(b) : a.hasFewerPartners(b);
        });
    IPUGrid grid = std::move(*best);
    grids.erase(best);
    PartitionProblem ofIPU = problem;
    ofIPU.form.loops = grid.positions;
    LoopBlocks blocks = enumeratePlans(oneIPU, ofIPU, one).front().blocks;
    blocks.ipus.assign(grid.ipus.begin(), grid.ipus.end());
    blocks.ipuTiles = target.tiles;
    TilePlan plan = getTilePlan(target, problem, blocks);
    plan.blocks = std::move(blocks);
    if (plan.bytes <= getMemoryLimit(target, options))
      plans.push_back(std::move(plan));
  }
  return plans;
}
