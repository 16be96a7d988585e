//===- ProductBlocks.cpp - Blocks of sums of products -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each block size, tiles share blocks, groups, columns and rows in the way
// that takes the fewest cycles by the formulas of docs/device-model.md. The
// formulas are evaluated for a fixed nominal machine, so the target never
// affects the bits of results.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Support/ProductBlocks.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>
#include <map>
#include <utility>

using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// The nominal machine
//===----------------------------------------------------------------------===//

static constexpr int64_t kTiles = 1472, kWorkers = 6;
/// What operands and partial sums of a tile may take: 0.6 of 624 KiB.
static constexpr int64_t kTileBytes = 383385;
static constexpr int64_t kSyncCycles = 90 + 100, kRunCycles = 2;
static constexpr int64_t kComputeSetCycles = 30, kBytesPerCycle = 4;
static constexpr int64_t kUnitColumns = 16, kUnitBytes = 32;
/// Blocks of more addends than this are whole steps of the matrix unit.
static constexpr int64_t kGrain = 16;
/// The part of their cost that is added to unequal blocks: their numbers have
/// few factors, so tiles share sums less evenly than the formulas assume.
static constexpr int64_t kUnequalShare = 16;
/// The part of their cost that is added to groups of blocks: each stage of
/// additions has other parts, so the tiles of the first stage rarely have what
/// they add in the second.
static constexpr int64_t kGroupShare = 32;
/// Neighbouring columns that a worker adds at once in a vertex of all rows.
static constexpr int64_t kSumColumns = 4;
/// Up to so many partial sums are added in one stage.
static constexpr int64_t kMaxStage = 64;
static constexpr int64_t kMax = int64_t(1) << 53;

static int64_t divideCeil(int64_t a, int64_t b) {
  return llvm::divideCeilSigned(a, b);
}

/// A product that stays at kMax where it would be more.
static int64_t multiply(int64_t a, int64_t b) {
  int64_t product;
  return llvm::MulOverflow(a, b, product) ? kMax : std::min(product, kMax);
}
template <typename... Rest>
static int64_t multiply(int64_t a, int64_t b, Rest... rest) {
  return multiply(multiply(a, b), rest...);
}

/// The least number of which a product of `factors` is at least `number`.
static int64_t getRoot(int64_t number, size_t factors) {
  int64_t low = 1, high = std::max<int64_t>(number, 1);
  while (low < high) {
    int64_t middle = low + (high - low) / 2, power = 1;
    for (size_t i = 0; i < factors; ++i)
      power = multiply(power, middle);
    if (power < number)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// Cycles of a vertex on the matrix unit, which takes one, two or four of
/// `kernelRows` rows of the kernel at once. `kernel` is the number of kernel
/// positions in a row, of all rows that are not taken at once.
static int64_t getUnitCycles(int64_t groups, int64_t terms, int64_t columns,
                             int64_t kernelRows, int64_t kernel, int64_t rows,
                             int64_t elementBytes) {
  int64_t ofWorker = divideCeil(rows, kWorkers), worker;
  if (elementBytes <= 2)
    worker =
        ofWorker == 1 ? 31 : std::max<int64_t>(40, 37 + 4 * (ofWorker - 3));
  else
    worker = std::max<int64_t>(47, 46 + 8 * (ofWorker - 3));
  int64_t best = kMax;
  for (auto [height, more] :
       {std::pair<int64_t, int64_t>(1, 0), {2, 31}, {4, 45}}) {
    if (height > 1 && kernelRows == 1)
      break;
    int64_t load = kUnitColumns * kUnitBytes / 8 + more;
    int64_t steps = multiply(multiply(divideCeil(kernelRows, height), kernel),
                             6 + load + kWorkers * worker);
    int64_t outputs = multiply(divideCeil(columns, kUnitColumns), 19 + steps);
    int64_t depth =
        divideCeil(multiply(terms, elementBytes), kUnitBytes / height);
    best = std::min(best,
                    50 + multiply(groups, 12 + multiply(depth, 15 + outputs)));
  }
  return best;
}

/// Cycles of receiving both operands: in one exchange, or what is the same on
/// both tiles of a pair in an exchange of its own at twice the rate.
static int64_t getReceiveCycles(int64_t inputBytes, int64_t weightBytes,
                                bool sharesInput, bool sharesWeights) {
  auto get = [](int64_t bytes, int64_t rate) {
    return kSyncCycles + divideCeil(bytes, rate * kBytesPerCycle);
  };
  int64_t best = get(inputBytes + weightBytes, 1);
  if (sharesInput)
    best = std::min(best, get(inputBytes, 2) + get(weightBytes, 1));
  if (sharesWeights)
    best = std::min(best, get(inputBytes, 1) + get(weightBytes, 2));
  return best;
}

/// Cycles of a compute set in which each tile adds `count` rows of `own`
/// elements: of a vertex with a pointer to each row, or of elementwise
/// additions of two rows in compute sets of their own.
static int64_t getAddCycles(int64_t own, int64_t count) {
  int64_t ofWorker = divideCeil(own, kWorkers), adds = count - 1;
  int64_t vertex =
      32 + multiply(divideCeil(ofWorker, kSumColumns), 3 * count + 7);
  int64_t sets =
      29 * adds +
      divideCeil(11 * adds + kComputeSetCycles * (adds - 1), kWorkers) +
      multiply(3 * adds, divideCeil(ofWorker, 2));
  return kComputeSetCycles + kWorkers * std::min(vertex, sets);
}

/// Cycles of adding `count` partial sums of `elements` elements that as many
/// tiles share, each `group` of them first unless `group` is 0.
static int64_t getSumCycles(int64_t elements, int64_t count, int64_t group) {
  if (count <= 1)
    return 0;
  if (group > 0)
    return getSumCycles(elements, group, /*group=*/0) +
           getSumCycles(divideCeil(elements, group), divideCeil(count, group),
                        /*group=*/0);
  int64_t own = divideCeil(elements, count * kUnitColumns) * kUnitColumns;
  return kSyncCycles +
         divideCeil(multiply(own, 4 * (count - 1)), kBytesPerCycle) +
         kRunCycles * (count - 1) + getAddCycles(own, count);
}

/// Returns the number of consecutive blocks that are added first, or 0 if all
/// blocks are added in one stage. `counts` are the numbers of blocks along each
/// dimension. A group has all blocks of the inner dimensions if possible, so
/// that the tiles which have them can share its sums. Otherwise the size of a
/// group is a power of two.
static int64_t chooseGroup(llvm::ArrayRef<int64_t> counts) {
  int64_t count = 1;
  for (int64_t size : counts)
    count *= size;
  if (count <= kMaxStage)
    return 0;
  int64_t best = 0, longest = kMaxStage + 1, group = 1;
  for (int64_t size : llvm::reverse(counts)) {
    group *= size;
    int64_t stage = std::max(group, count / group);
    if (stage < longest) {
      best = group;
      longest = stage;
    }
  }
  if (best > 0)
    return best;
  for (best = 1; best * best < count;)
    best *= 2;
  return best;
}

//===----------------------------------------------------------------------===//
// The search
//===----------------------------------------------------------------------===//

namespace {
class BlockSearch {
public:
  BlockSearch(const SumsOfProducts &sums, int64_t maxCount)
      : sums(sums), maxCount(std::min(maxCount, kTiles)) {
    block.terms = sums.terms;
    for (const SumsOfProducts::Window &window : sums.windows)
      block.kernel.push_back(window.kernel);
  }

  ProductBlock run() {
    visitTerms();
    // Of equal costs, that of the fewest blocks comes first.
    return llvm::min_element(candidates,
                             [](const auto &a, const auto &b) {
                               return a.second.first < b.second.first;
                             })
        ->second.second;
  }

private:
  /// A cost, the bytes that lack first.
  using Cost = std::pair<int64_t, int64_t>;

  /// Blocks of all addends, of equal shares of them and, where there are none
  /// such, of whole steps. Equal shares must be whole words of an exchange,
  /// because tiles would have to pack the elements of the others.
  void visitTerms() {
    visitKernel(0, 1);
    int64_t size = sums.terms;
    for (int64_t parts = 2; parts <= std::min(size / kGrain, maxCount);
         ++parts) {
      // The fewest parts of each size.
      int64_t terms = divideCeil(size, parts);
      if (terms > kGrain)
        terms = llvm::alignTo(terms, kGrain);
      if (size % parts == 0 &&
          size / parts * sums.elementBytes % kBytesPerCycle == 0)
        terms = size / parts;
      int64_t count = divideCeil(size, terms);
      if (count != parts)
        continue;
      block.terms = terms;
      visitKernel(0, count);
    }
  }

  /// Splits dimensions of the kernel that are larger than the number of
  /// windows, as those of gradients of weights: elsewhere a tile would need
  /// most of the input for any part of them.
  void visitKernel(unsigned dim, int64_t count) {
    if (dim == sums.windows.size()) {
      block.count = count;
      llvm::SmallVector<int64_t> counts;
      for (auto [window, size] : llvm::zip_equal(sums.windows, block.kernel))
        counts.push_back(window.kernel / size);
      counts.push_back(divideCeil(sums.terms, block.terms));
      block.group = chooseGroup(counts);
      return consider();
    }
    int64_t size = sums.windows[dim].kernel;
    bool isLarge = size > sums.windows[dim].count;
    int64_t most = isLarge ? std::min(size, maxCount / count) : 1;
    for (int64_t parts = 1; parts <= most; ++parts) {
      if (size % parts != 0)
        continue;
      block.kernel[dim] = size / parts;
      visitKernel(dim + 1, parts * count);
    }
    block.kernel[dim] = size;
  }

  /// Finds the cost of `block`.
  void consider() {
    int64_t tiles = kTiles / block.count;
    int64_t columnBlocks = divideCeil(sums.columns, kUnitColumns);
    for (int64_t parts = 1; parts <= std::min(columnBlocks, tiles); ++parts) {
      int64_t columns = divideCeil(columnBlocks, parts);
      if (divideCeil(columnBlocks, columns) != parts)
        continue;
      Cost cost = getCost(tiles / parts, parts,
                          std::min(columns * kUnitColumns, sums.columns));
      auto [it, isNew] = candidates.try_emplace(block.count, cost, block);
      if (!isNew && cost < it->second.first)
        it->second = {cost, block};
    }
  }

  /// Each tile has one block and `columns` columns, one of `columnParts` parts;
  /// `tiles` share groups and rows.
  Cost getCost(int64_t tiles, int64_t columnParts, int64_t columns) const {
    int64_t groupParts = std::min(sums.groups, tiles);
    int64_t groups = divideCeil(sums.groups, groupParts);
    int64_t kernel = 1, positions = 1, whole = 1;
    size_t numWindows = sums.windows.size();
    int64_t kernelRows = numWindows > 1 ? block.kernel[numWindows - 2] : 1;
    for (auto [window, size] : llvm::zip_equal(sums.windows, block.kernel)) {
      kernel = multiply(kernel, size);
      // A tile has all windows of a dimension that is split.
      if (size < window.kernel)
        whole = multiply(whole, window.count);
      else
        positions = multiply(positions, window.count);
    }
    int64_t allRows = multiply(sums.rows, positions);
    int64_t rows = divideCeil(allRows, std::min(tiles / groupParts, allRows));
    int64_t images = divideCeil(rows, positions);
    int64_t inputBytes =
        multiply(groups, images, getRegion(std::min(rows, positions)),
                 block.terms, sums.elementBytes);
    int64_t weightBytes = multiply(multiply(groups, columns), block.terms,
                                   kernel, sums.elementBytes);
    int64_t outputs = multiply(groups, columns, multiply(rows, whole));
    bool isShared = block.count > 1;
    int64_t bytes = inputBytes + weightBytes +
                    multiply(outputs, isShared ? 4 : sums.elementBytes);
    int64_t vertex = getUnitCycles(groups, block.terms, columns, kernelRows,
                                   kernel / kernelRows, multiply(rows, whole),
                                   sums.elementBytes);
    int64_t rowParts = divideCeil(allRows, rows);
    int64_t cycles = getReceiveCycles(inputBytes, weightBytes,
                                      columnParts % 2 == 0, rowParts % 2 == 0) +
                     kComputeSetCycles + vertex;
    cycles += getSumCycles(outputs, block.count, block.group);
    if (sums.terms % block.terms != 0)
      cycles += cycles / kUnequalShare;
    if (block.group > 0)
      cycles += cycles / kGroupShare;
    return {std::max<int64_t>(bytes - kTileBytes, 0), cycles};
  }

  /// Elements of one channel of the input that `positions` windows of an image
  /// read. Windows of one position do not overlap; others form a square.
  int64_t getRegion(int64_t positions) const {
    if (llvm::all_of(sums.windows, [](const SumsOfProducts::Window &window) {
          return window.kernel == 1;
        }))
      return positions;
    int64_t region = 1;
    for (size_t dim = sums.windows.size(); dim-- > 0;) {
      const SumsOfProducts::Window &window = sums.windows[dim];
      int64_t size = block.kernel[dim], count = window.count;
      if (size == window.kernel) {
        count = std::min(window.count, getRoot(positions, dim + 1));
        positions = divideCeil(positions, count);
      }
      // Where windows do not overlap, only what they read is moved.
      int64_t read = window.kernel == 1
                         ? count
                         : multiply(count - 1, window.stride) +
                               multiply(size - 1, window.dilation) + 1;
      region = multiply(region, std::min(read, window.input));
    }
    return region;
  }

  const SumsOfProducts &sums;
  int64_t maxCount;
  ProductBlock block;
  /// The best block of each count.
  std::map<int64_t, std::pair<Cost, ProductBlock>> candidates;
};
} // namespace

ProductBlock mlir::ipu::chooseProductBlock(const SumsOfProducts &sums,
                                           int64_t maxCount) {
  return BlockSearch(sums, maxCount).run();
}
