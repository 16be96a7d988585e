//===- PartitionSearch.cpp - Plans of one op --------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Partition/PartitionSearch.h"

#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

#include <numeric>

using namespace mlir;
using namespace mlir::ipu;

int64_t mlir::ipu::getMemoryLimit(const TargetModel &target,
                                  const PlanOptions &options) {
  return (Count(target.tile_memory) * options.memoryPerMille).get() / 1000;
}

FailureOr<int64_t> mlir::ipu::getMemoryPerMille(double proportion,
                                                Location loc) {
  bool isProportion = proportion >= 0 && proportion <= 1;
  if (!isProportion)
    return emitError(loc) << "expects an available memory proportion from 0 to "
                             "1 but got "
                          << proportion;
  return static_cast<int64_t>(proportion * 1000 + 0.5);
}

std::optional<int64_t> mlir::ipu::getAvailableMemory(Operation *op) {
  auto share =
      op->getAttrOfType<FloatAttr>(IPUDialect::kAvailableMemoryAttrName);
  if (!share)
    return std::nullopt;
  FailureOr<int64_t> perMille =
      getMemoryPerMille(share.getValueAsDouble(), op->getLoc());
  return succeeded(perMille) ? std::optional(*perMille) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Rates
//===----------------------------------------------------------------------===//

namespace {
/// The operands and results of a vertex that runs `positions` of each loop.
struct PlanVertex {
  PlanVertex(const PartitionProblem &problem, ArrayRef<int64_t> positions) {
    size_t numInputs = problem.inputTypes.size();
    sizes.reserve(numInputs + problem.resultTypes.size());
    auto add = [&](ArrayRef<TileAccess> accesses, ArrayRef<Type> types) {
      for (auto [access, type] : llvm::zip_equal(accesses, types)) {
        sizes.push_back(getRegionSizes(access, positions));
        operands.push_back({sizes.back(), type});
      }
    };
    add(problem.form.inputs, problem.inputTypes);
    add(problem.form.results, problem.resultTypes);
    inputs = ArrayRef(operands).take_front(numInputs);
    results = ArrayRef(operands).drop_front(numInputs);
  }
  PlanVertex(const PlanVertex &) = delete;

  SmallVector<SmallVector<int64_t>, 4> sizes;
  SmallVector<VertexOperand, 4> operands;
  ArrayRef<VertexOperand> inputs, results;
};
} // namespace

static Count getBytes(const VertexOperand &operand) {
  Count bytes = getStoredBytes(operand.elementType);
  for (int64_t size : operand.sizes)
    bytes = bytes * size;
  return bytes;
}

/// Returns the size of the largest groups of a dimension that is split into
/// blocks of `block` elements, as TileMappingAttr::withFittedLayout()
/// determines it.
static int64_t getFittedGroup(int64_t group, int64_t size, int64_t block) {
  group = std::gcd(group, size);
  return block < size ? std::gcd(group, block) : group;
}

/// Returns the number of runs of elements of a region that are contiguous in a
/// buffer with the domain and the layout of `access`.
static Count getRuns(ArrayRef<int64_t> sizes, const TileAccess &access) {
  ArrayRef<int64_t> domain = access.domain;
  Count runs = 1;
  // `add` gets the sizes of the region and of the buffer along each dimension
  // of the storage, the innermost dimension first. Outer dimensions count from
  // the first dimension on in which the region is smaller than the buffer.
  bool isWhole = true;
  auto add = [&](int64_t size, int64_t all) {
    if (!isWhole)
      runs = runs * size;
    isWhole &= size == all;
  };
  if (!access.layout) {
    for (size_t dim = sizes.size(); dim-- > 0;)
      add(sizes[dim], domain[dim]);
    return runs;
  }
  for (AffineExpr result : llvm::reverse(access.layout.getResults())) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(result);
    unsigned dim =
        cast<AffineDimExpr>(binary ? binary.getLHS() : result).getPosition();
    int64_t group = 1;
    if (binary)
      group =
          getFittedGroup(cast<AffineConstantExpr>(binary.getRHS()).getValue(),
                         domain[dim], sizes[dim]);
    if (binary && binary.getKind() == AffineExprKind::Mod)
      add(group, group);
    else
      add(sizes[dim] / group, domain[dim] / group);
  }
  return runs;
}

namespace {
/// Computes the cycles and bytes of partitions of one problem.
class PlanRater {
public:
  PlanRater(const TargetModel &target, const PartitionProblem &problem);

  TilePlan getPlan(ArrayRef<int64_t> blocks) const;

  /// Returns a plan whose cycles and bytes are lower bounds for all partitions
  /// whose blocks are at least as large as `blocks`, and that have the same
  /// numbers of parts of the first `numChosen` loops. A larger region never
  /// means less work for a vertex, but it may have fewer runs of elements.
  /// Therefore the bound counts no runs.
  TilePlan getBound(ArrayRef<int64_t> blocks, size_t numChosen) const;

private:
  /// The cycles for moving the inputs to their tiles, without runs. `innermost`
  /// is the loop that must change from a tile to the other tile of its pair, if
  /// the cycles depend on this.
  struct Receive {
    Count cycles;
    std::optional<size_t> innermost = std::nullopt;
  };
  Receive getReceive(ArrayRef<Count> inputBytes,
                     function_ref<bool(size_t)> isEven) const;
  TilePlan rate(ArrayRef<int64_t> blocks, bool countRuns,
                function_ref<bool(size_t)> isEven) const;
  bool hasEvenParts(ArrayRef<int64_t> blocks, size_t loop) const {
    return getNumParts(problem.form.loops[loop], blocks[loop]) % 2 == 0;
  }
  /// Returns whether `loop` is split, and no loop after it is split.
  bool isInnermost(ArrayRef<int64_t> blocks, size_t loop) const {
    return llvm::all_of(llvm::seq(loop, blocks.size()), [&](size_t other) {
      int64_t parts = getNumParts(problem.form.loops[other], blocks[other]);
      return (parts > 1) == (other == loop);
    });
  }

  const TargetModel &target;
  const PartitionProblem &problem;
  /// For each loop, the inputs that are the same for all of its iterations.
  SmallVector<SmallVector<unsigned, 2>> sharedInputs;
};
} // namespace

PlanRater::PlanRater(const TargetModel &target, const PartitionProblem &problem)
    : target(target), problem(problem) {
  for (size_t loop = 0; loop < problem.form.loops.size(); ++loop) {
    auto &shared = sharedInputs.emplace_back();
    for (auto [index, access] : llvm::enumerate(problem.form.inputs))
      if (llvm::none_of(access.dims, [&](const DimAccess &dim) {
            return dim.loop == static_cast<int64_t>(loop);
          }))
        shared.push_back(index);
  }
}

/// Returns the cheapest way to receive the operands. Either all operands move
/// in one exchange, or the operands that are the same on both tiles of each
/// pair move in an exchange at twice the rate. In the second case, the other
/// operands, if there are any, move in a second exchange.
PlanRater::Receive
PlanRater::getReceive(ArrayRef<Count> inputBytes,
                      function_ref<bool(size_t)> isEven) const {
  int64_t rate = target.exchange_bytes_per_cycle;
  Count all;
  for (Count bytes : inputBytes)
    all += bytes;
  if (all.get() == 0)
    return {0};
  Count start =
      Count(getExchangeSyncCycles(target)) + target.exchange_setup_cycles;
  Receive best{start + all.divideCeil(rate)};
  for (size_t loop = sharedInputs.size(); loop-- > 0;) {
    Count shared;
    for (unsigned input : sharedInputs[loop])
      shared += inputBytes[input];
    if (shared.get() == 0 || !isEven(loop))
      continue;
    Count others = all.get() - shared.get();
    Count cycles = start + shared.divideCeil(Count(rate) * 2);
    if (others.get() > 0)
      cycles += start + others.divideCeil(rate);
    if (cycles < best.cycles)
      best = {cycles, loop};
  }
  return best;
}

TilePlan PlanRater::rate(ArrayRef<int64_t> blocks, bool countRuns,
                         function_ref<bool(size_t)> isEven) const {
  PlanVertex vertex(problem, blocks);
  SmallVector<Count, 4> inputBytes;
  Count bytes, runs;
  for (auto [index, operand] : llvm::enumerate(vertex.inputs)) {
    const TileAccess &access = problem.form.inputs[index];
    // An input that is updated in place is the result.
    bool isResult =
        problem.form.isInPlace && problem.form.updatedInput == index;
    inputBytes.push_back(isResult ? Count() : getBytes(operand));
    bytes += inputBytes.back().divideCeil(8) * 8;
    if (countRuns && inputBytes.back().get() > 0)
      runs += getRuns(operand.sizes, access);
  }
  for (const VertexOperand &operand : vertex.results)
    bytes += getBytes(operand).divideCeil(8) * 8;
  Receive receive = getReceive(inputBytes, isEven);
  Count cycles =
      Count(target.compute_set_cycles) +
      getVertexCycles(target, problem.cost, vertex.inputs, vertex.results) +
      receive.cycles + Count(target.exchange_run_cycles) * runs;
  TilePlan plan{LoopBlocks(blocks), cycles.get(), bytes.get()};
  if (!countRuns || !receive.innermost ||
      isInnermost(blocks, *receive.innermost))
    return plan;
  for (size_t loop = 0; loop < blocks.size(); ++loop)
    if (loop != *receive.innermost)
      plan.blocks.order.push_back(loop);
  plan.blocks.order.push_back(*receive.innermost);
  return plan;
}

TilePlan PlanRater::getPlan(ArrayRef<int64_t> blocks) const {
  // With several IPUs, the order of the loops must not change, because another
  // order would separate tiles of one IPU that share data.
  return rate(blocks, /*countRuns=*/true, [&](size_t loop) {
    return hasEvenParts(blocks, loop) &&
           (target.ipus == 1 || isInnermost(blocks, loop));
  });
}

TilePlan PlanRater::getBound(ArrayRef<int64_t> blocks, size_t numChosen) const {
  return rate(blocks, /*countRuns=*/false, [&](size_t loop) {
    return loop >= numChosen || hasEvenParts(blocks, loop);
  });
}

TilePlan mlir::ipu::getTilePlan(const TargetModel &target,
                                const PartitionProblem &problem,
                                ArrayRef<int64_t> blocks) {
  return PlanRater(target, problem).getPlan(blocks);
}

//===----------------------------------------------------------------------===//
// Search
//===----------------------------------------------------------------------===//

namespace {
/// A branch-and-bound search over the block sizes of each loop that result in
/// different partitions.
class PlanSearch {
public:
  /// Creates a search. With `fewestBytes`, it minimises bytes first and then
  /// cycles, without a limit of the memory. With `wholeGroups`, groups of
  /// layouts are not split.
  PlanSearch(const TargetModel &target, const PartitionProblem &problem,
             const PlanOptions &options, bool wholeGroups, bool fewestBytes)
      : target(target), problem(problem), rater(target, problem),
        options(options), fewestBytes(fewestBytes), loops(problem.form.loops),
        limit(fewestBytes ? Count::kMax : getMemoryLimit(target, options)) {
    for (int64_t loop : loops)
      sizes.push_back(std::max<int64_t>(loop, 1));
    current = sizes;
    grains.assign(loops.size(), 1);
    if (wholeGroups)
      findGrains();
    for (size_t loop = 0; loop < loops.size(); ++loop)
      if (options.maySplit(loop))
        numPositions = (Count(numPositions) *
                        llvm::divideCeilSigned(sizes[loop], grains[loop]))
                           .get();
    // If a loop is empty, there is no computation, and no loop is split.
    if (llvm::is_contained(loops, 0))
      numPositions = 1;
  }

  SmallVector<TilePlan> run() {
    if (llvm::is_contained(loops, 0))
      consider(1);
    else
      visit(0, target.getComputeTilesPerReplica(), 1);
    return std::move(best);
  }

private:
  /// Sets `grains` such that groups of a layout that divide their dimension are
  /// not split, because the elements of a group are read together, and such
  /// that regions consist of whole words of the exchange, if possible.
  void findGrains() {
    auto add = [&](const TileAccess &access, int64_t bytes) {
      if (!access.layout) {
        for (size_t dim = access.dims.size(); dim-- > 0;)
          addGrain(access, dim, /*group=*/1, bytes);
        return;
      }
      for (AffineExpr result : llvm::reverse(access.layout.getResults())) {
        auto binary = dyn_cast<AffineBinaryOpExpr>(result);
        unsigned dim = cast<AffineDimExpr>(binary ? binary.getLHS() : result)
                           .getPosition();
        int64_t group =
            binary ? cast<AffineConstantExpr>(binary.getRHS()).getValue() : 1;
        bool isWhole = access.domain[dim] % group == 0;
        bool isInGroup = binary && binary.getKind() == AffineExprKind::Mod;
        if (isInGroup && isWhole)
          bytes *= group;
        else if (isInGroup != isWhole)
          addGrain(access, dim, isWhole ? group : 1, bytes);
      }
    };
    int64_t narrowest = std::numeric_limits<int64_t>::max();
    for (auto [access, type] :
         llvm::zip_equal(problem.form.inputs, problem.inputTypes)) {
      add(access, getStoredBytes(type));
      narrowest = std::min(narrowest, getStoredBytes(type));
    }
    // Sums of f32 can be rounded to the type of the operands where they are.
    for (auto [access, type] :
         llvm::zip_equal(problem.form.results, problem.resultTypes))
      add(access, std::min(narrowest, getStoredBytes(type)));
    addReadGrain();
  }

  /// Sets the grains of the loops over the innermost dimensions of the first
  /// result such that the blocks of its readers are not split.
  void addReadGrain() {
    int64_t rest = options.readGrain;
    const TileAccess &result = problem.form.results.front();
    for (size_t dim = result.dims.size(); dim-- > 0 && rest > 1;) {
      int64_t size = result.domain[dim], grain = std::gcd(size, rest);
      if (grain < size && grain < rest)
        return;
      rest /= grain;
      if (int64_t loop = result.dims[dim].loop; loop >= 0)
        grains[loop] = std::lcm(grains[loop], grain);
    }
  }

  /// Sets the grain of the loop over dimension `dim` of `access`, whose
  /// elements are read in groups of `group`. `bytes` are the bytes that a
  /// region stores inside of a group, including the group, and grow by the
  /// dimension.
  void addGrain(const TileAccess &access, unsigned dim, int64_t group,
                int64_t &bytes) {
    // A short loop is rather split into as many parts as possible.
    constexpr int64_t kMinGrains = 8;
    const DimAccess &own = access.dims[dim];
    if (own.loop >= 0 && own.step == 1 && own.extent == 1) {
      int64_t words = getWordGrain(bytes);
      if (loops[own.loop] / group >= kMinGrains * words)
        group *= words;
      grains[own.loop] = std::lcm(grains[own.loop], group);
    }
    bytes *= getWordGrain(bytes) == 1 ? 1 : access.domain[dim] / group;
  }

  using Key = std::pair<int64_t, int64_t>;
  Key getKey(const TilePlan &plan) const {
    return fewestBytes ? Key{plan.bytes, plan.cycles} : Key{plan.cycles, 0};
  }

  /// Chooses the blocks of `loop` and of the loops after it, with at most
  /// `room` parts of all these loops together.
  void visit(unsigned loop, int64_t room, int64_t parts) {
    if (loop == loops.size())
      return consider(parts);
    if (++numVisited > kMaxVisited && !best.empty())
      return;
    if (isHopeless(loop, room))
      return;
    // The greatest number of parts comes first, because the search keeps the
    // first of equal plans.
    int64_t size = sizes[loop];
    for (int64_t count = options.maySplit(loop) ? std::min(size, room) : 1;
         count >= 1;) {
      int64_t block = std::min<int64_t>(
          llvm::alignTo(llvm::divideCeil(size, count), grains[loop]), size);
      if (problem.evenLoop == loop)
        while (size % block != 0)
          block = std::min(block + grains[loop], size);
      count = llvm::divideCeil(size, block);
      current[loop] = block;
      visit(loop + 1, room / count, parts * count);
      // Continue with the next smaller number of parts that results in other
      // blocks.
      --count;
    }
    current[loop] = size;
  }

  /// Returns whether no blocks of the loops from `loop` on can result in one of
  /// the best plans.
  bool isHopeless(unsigned loop, int64_t room) {
    SmallVector<int64_t> smallest = current;
    for (unsigned inner = loop; inner < loops.size(); ++inner)
      smallest[inner] = options.maySplit(inner)
                            ? llvm::divideCeil(sizes[inner], room)
                            : sizes[inner];
    TilePlan bound = rater.getBound(smallest, loop);
    return bound.bytes > limit ||
           (isFull() && !(getKey(bound) < getKey(best.back())));
  }

  bool isFull() const { return best.size() >= options.maxPlans; }

  void consider(int64_t parts) {
    // All other even blocks may have more parts than there are tiles.
    if (parts == 1 && target.getComputeTilesPerReplica() > 1 &&
        numPositions > 1 && !problem.evenLoop)
      return;
    TilePlan plan = rater.getPlan(current);
    if (plan.bytes > limit ||
        (isFull() && !(getKey(plan) < getKey(best.back()))))
      return;
    if (isFull())
      best.pop_back();
    auto *it = llvm::upper_bound(best, plan,
                                 [&](const TilePlan &a, const TilePlan &b) {
                                   return getKey(a) < getKey(b);
                                 });
    best.insert(it, std::move(plan));
  }

  const TargetModel &target;
  const PartitionProblem &problem;
  PlanRater rater;
  const PlanOptions &options;
  bool fewestBytes;
  ArrayRef<int64_t> loops;
  int64_t limit;
  LoopBlocks sizes, current;
  /// For each loop, the number of which its blocks are multiples.
  SmallVector<int64_t> grains;
  int64_t numPositions = 1;
  SmallVector<TilePlan> best;
  /// The greatest number of calls of visit() before the search ends. Ten loops
  /// on the tiles of one IPU need far fewer calls.
  static constexpr int64_t kMaxVisited = int64_t(1) << 21;
  int64_t numVisited = 0;
};
} // namespace

SmallVector<TilePlan> mlir::ipu::enumeratePlans(const TargetModel &target,
                                                const PartitionProblem &problem,
                                                const PlanOptions &options) {
  // Groups are split only if no partition with whole groups fits in memory.
  for (bool wholeGroups : {true, false}) {
    SmallVector<TilePlan> plans =
        PlanSearch(target, problem, options, wholeGroups, /*fewestBytes=*/false)
            .run();
    if (!plans.empty())
      return plans;
  }
  PlanOptions one = options;
  one.maxPlans = 1;
  return PlanSearch(target, problem, one, /*wholeGroups=*/false,
                    /*fewestBytes=*/true)
      .run();
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

LogicalResult
mlir::ipu::verifyTilePlan(const TargetModel &target,
                          const PartitionProblem &problem,
                          const PlanOptions &options, const TilePlan &plan,
                          function_ref<InFlightDiagnostic()> emitError) {
  const TileForm &form = problem.form;
  if (plan.blocks.size() != form.loops.size())
    return emitError() << "expects a block for each of the "
                       << form.loops.size() << " loops but got "
                       << plan.blocks.size();
  Count parts = 1, ofIPU = 1;
  for (auto [index, loop] : llvm::enumerate(form.loops)) {
    int64_t block = plan.blocks[index];
    if (block < 1 || block > std::max<int64_t>(loop, 1))
      return emitError() << "expects a block of 1 to "
                         << std::max<int64_t>(loop, 1) << " for loop " << index
                         << " but got " << block;
    parts = parts * getNumParts(loop, block);
    ofIPU = ofIPU * getPartsPerIPU(form, plan.blocks, index);
  }
  if (parts.get() > target.getComputeTilesPerReplica())
    return emitError() << "expects at most "
                       << target.getComputeTilesPerReplica()
                       << " parts but got " << parts.get();
  if (plan.blocks.isNested() && ofIPU.get() > target.tiles)
    return emitError() << "expects at most " << target.tiles
                       << " parts on an IPU but got " << ofIPU.get();
  for (auto [index, access] : llvm::enumerate(form.results))
    if (!getAccessTileMapping(problem.cost.getContext(), form, plan.blocks,
                              access)
             .coversOnce())
      return emitError() << "expects each element of result " << index
                         << " on one tile";
  TilePlan expected = getTilePlan(target, problem, plan.blocks);
  if (!(plan == expected))
    return emitError() << "expects " << expected.cycles << " cycles and "
                       << expected.bytes << " bytes but got " << plan.cycles
                       << " and " << plan.bytes;
  if (int64_t limit = getMemoryLimit(target, options); plan.bytes > limit)
    return emitError() << "takes " << plan.bytes << " bytes of a tile, but "
                       << limit << " are available";
  return success();
}

int64_t mlir::ipu::getComputeSetCycles(const TargetModel &target,
                                       const PartitionProblem &problem,
                                       ArrayRef<int64_t> blocks) {
  // The vertex of the first tile has the largest region and therefore takes the
  // most cycles.
  if (llvm::is_contained(problem.form.loops, 0))
    return 0;
  PlanVertex vertex(problem, blocks);
  return (Count(target.compute_set_cycles) +
          getVertexCycles(target, problem.cost, vertex.inputs, vertex.results))
      .get();
}
