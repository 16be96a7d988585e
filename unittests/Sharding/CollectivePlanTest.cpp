//===- CollectivePlanTest.cpp - Steps between shardings -------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes plans on a model of devices and their blocks. A step may only use
// the blocks that the devices of a group hold together.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Sharding/CollectivePlan.h"

#include "RandomShardings.h"
#include "ShardingTestUtils.h"
#include <gtest/gtest.h>
#include <map>
#include <numeric>
#include <set>

using namespace mlir;
using namespace mlir::ipu::sharding;
using Kind = CollectiveStep::Kind;
using DimAxes = SmallVector<AxisList>;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static DimAxes parseDims(StringRef text, MeshSizes mesh) {
  DimAxes dims;
  for (const DimSharding &dim : parseTensor(text, mesh).dims)
    dims.push_back(dim.axes);
  return dims;
}

static std::string format(ArrayRef<AxisList> dims, MeshSizes mesh) {
  std::string text;
  for (const AxisList &dim : dims)
    text += "{" + mlir::ipu::sharding::format(dim, mesh) + "}";
  return text;
}

static std::string format(const CollectiveStep &step, MeshSizes mesh) {
  std::string text;
  switch (step.kind) {
  case Kind::AllSlice:
    text = "slice " + format(step.axes, mesh);
    break;
  case Kind::CollectivePermute:
    text = "permute";
    break;
  case Kind::AllToAll:
    text = "move";
    for (const CollectiveStep::Move &move : step.moves)
      text += " {" + mlir::ipu::sharding::format(move.axes, mesh) + "}" +
              std::to_string(move.source) + ">" + std::to_string(move.target);
    break;
  case Kind::AllGather:
    text = "gather " + format(step.axes, mesh);
    break;
  }
  return text + " to " + format(step.result, mesh);
}

static std::string format(ArrayRef<CollectiveStep> steps, MeshSizes mesh) {
  std::string text;
  for (const CollectiveStep &step : steps)
    text += (text.empty() ? "" : "; ") + format(step, mesh);
  return text;
}

//===----------------------------------------------------------------------===//
// Blocks of devices
//===----------------------------------------------------------------------===//

namespace {
/// A block of a tensor whose sizes all numbers of shards divide: an interval of
/// each dimension.
using Shard = std::vector<std::pair<int64_t, int64_t>>;
} // namespace

static int64_t getNumDevices(MeshSizes mesh) {
  int64_t product = 1;
  for (int64_t size : mesh)
    product *= size;
  return product;
}

static int64_t getDigit(int64_t device, const AxisRef &ref, MeshSizes mesh) {
  for (unsigned axis = mesh.size() - 1; axis > ref.axis; --axis)
    device /= mesh[axis];
  device %= mesh[ref.axis];
  // The quotient is rounded down if the parts do not divide each other.
  return device / (mesh[ref.axis] / ref.getNextPreSize()) % ref.size;
}

static Shard getBlock(int64_t device, ArrayRef<AxisList> dims, MeshSizes mesh) {
  Shard block;
  for (const AxisList &dim : dims) {
    int64_t index = 0;
    for (const AxisRef &ref : dim)
      index = index * ref.size + getDigit(device, ref, mesh);
    int64_t size = getNumDevices(mesh) / getProduct(dim);
    block.emplace_back(index * size, (index + 1) * size);
  }
  return block;
}

static int64_t getOverlap(const Shard &a, const Shard &b) {
  int64_t volume = 1;
  for (auto [x, y] : llvm::zip_equal(a, b))
    volume *= std::max<int64_t>(0, std::min(x.second, y.second) -
                                       std::max(x.first, y.first));
  return volume;
}

/// Returns whether the devices that differ from a device only along `axes`
/// together hold its block, for each device.
static bool canExchange(ArrayRef<AxisList> before, ArrayRef<AxisList> after,
                        ArrayRef<AxisRef> axes, MeshSizes mesh) {
  AxisList all;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    all.push_back(getFullAxis(axis, mesh));
  AxisList others = getDifference(all, axes);
  // Remove parts that cannot coexist with other parts of their axis.
  llvm::erase_if(others, [&](const AxisRef &other) {
    return llvm::any_of(
        axes, [&](const AxisRef &ref) { return overlaps(ref, other); });
  });
  std::map<std::vector<int64_t>, std::set<Shard>> groups;
  auto getGroup = [&](int64_t device) -> std::set<Shard> & {
    std::vector<int64_t> digits;
    for (const AxisRef &ref : others)
      digits.push_back(getDigit(device, ref, mesh));
    return groups[digits];
  };
  int64_t numDevices = getNumDevices(mesh);
  for (int64_t device = 0; device < numDevices; ++device)
    getGroup(device).insert(getBlock(device, before, mesh));
  for (int64_t device = 0; device < numDevices; ++device) {
    Shard block = getBlock(device, after, mesh);
    int64_t found = 0;
    for (const Shard &other : getGroup(device))
      found += getOverlap(block, other);
    if (found != getOverlap(block, block))
      return false;
  }
  return true;
}

/// Returns whether each block is on as many devices as before.
static bool canPermute(ArrayRef<AxisList> before, ArrayRef<AxisList> after,
                       MeshSizes mesh) {
  std::multiset<Shard> a, b;
  for (int64_t device = 0; device < getNumDevices(mesh); ++device) {
    a.insert(getBlock(device, before, mesh));
    b.insert(getBlock(device, after, mesh));
  }
  return a == b;
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Removes `suffix` from the end of `list`, digit by digit. Returns false if
/// `list` does not end with it.
static bool removeSuffix(AxisList &list, ArrayRef<AxisRef> suffix) {
  for (const AxisRef &ref : llvm::reverse(suffix)) {
    if (list.empty() || list.back().axis != ref.axis ||
        list.back().getNextPreSize() != ref.getNextPreSize() ||
        list.back().preSize > ref.preSize)
      return false;
    list.back().size = ref.preSize / list.back().preSize;
    if (list.back().size == 1)
      list.pop_back();
  }
  return true;
}

static void append(AxisList &list, ArrayRef<AxisRef> axes) {
  for (const AxisRef &ref : axes)
    appendMerged(list, ref);
}

/// Returns whether the step only does changes of its kind, and has the stated
/// result.
static bool isLegal(ArrayRef<AxisList> before, const CollectiveStep &step,
                    MeshSizes mesh) {
  DimAxes dims(before);
  AxisList exchanged;
  switch (step.kind) {
  case Kind::AllSlice:
    for (auto [dim, axes] : llvm::zip_equal(dims, step.axes))
      append(dim, axes);
    break;
  case Kind::CollectivePermute:
    for (auto [a, b] : llvm::zip_equal(before, step.result))
      if (getProduct(a) != getProduct(b))
        return false;
    return canPermute(before, step.result, mesh);
  case Kind::AllToAll: {
    std::set<unsigned> seen;
    if (step.moves.empty())
      return false;
    for (const CollectiveStep::Move &move : step.moves) {
      if (!seen.insert(move.source).second ||
          !seen.insert(move.target).second || move.axes.empty() ||
          !removeSuffix(dims[move.source], move.axes))
        return false;
      append(dims[move.target], move.axes);
      exchanged.append(move.axes);
    }
    if (!llvm::is_sorted(step.moves,
                         [](auto &a, auto &b) { return a.source < b.source; }))
      return false;
    break;
  }
  case Kind::AllGather:
    for (auto [dim, axes] : llvm::zip_equal(dims, step.axes)) {
      if (!removeSuffix(dim, axes))
        return false;
      exchanged.append(axes);
    }
    break;
  }
  return dims == step.result &&
         canExchange(before, step.result, exchanged, mesh);
}

/// Returns whether the steps are, in this order, at most one slice, at most one
/// permutation, any number of moves, and at most one gather.
static bool isInBestOrder(ArrayRef<CollectiveStep> steps) {
  int last = -1;
  for (const CollectiveStep &step : steps) {
    int kind = static_cast<int>(step.kind);
    if (kind < last || (kind == last && step.kind != Kind::AllToAll))
      return false;
    last = kind;
  }
  return true;
}

/// Returns the axes that neither sharding has.
static AxisList getFree(ArrayRef<AxisList> in, ArrayRef<AxisList> out,
                        MeshSizes mesh) {
  AxisList all, used;
  for (unsigned axis = 0; axis < mesh.size(); ++axis)
    all.push_back(getFullAxis(axis, mesh));
  for (ArrayRef<AxisList> dims : {in, out})
    for (const AxisList &dim : dims)
      used.append(dim);
  return getDifference(all, used);
}

/// Checks that the plan is the plan by rules, or costs less.
static void checkCost(ArrayRef<AxisList> in, ArrayRef<AxisList> out,
                      ArrayRef<int64_t> shape, bool changesDevices,
                      ArrayRef<CollectiveStep> steps, MeshSizes mesh) {
  SmallVector<CollectiveStep> byRules =
      planCollectivesByRules(in, out, shape, changesDevices);
  EXPECT_LE(getCollectiveCost(in, steps), getCollectiveCost(in, byRules))
      << format(byRules, mesh);
  bool isByRules =
      getCollectiveCost(in, steps) > getCollectiveCost(in, byRules) - 1e-9;
  if (isByRules && llvm::all_of(mesh, [](int64_t size) {
        return llvm::isPowerOf2_64(size);
      })) {
    EXPECT_TRUE(isInBestOrder(steps));
  }
}

static void checkPlan(ArrayRef<AxisList> in, ArrayRef<AxisList> out,
                      ArrayRef<int64_t> shape, bool changesDevices,
                      MeshSizes mesh) {
  SmallVector<CollectiveStep> steps =
      planCollectives(in, out, shape, changesDevices, getFree(in, out, mesh));
  SCOPED_TRACE(format(in, mesh) + " to " + format(out, mesh) + ": " +
               format(steps, mesh));
  DimAxes dims(in);
  unsigned numPermutations = 0;
  for (const CollectiveStep &step : steps) {
    ASSERT_TRUE(isLegal(dims, step, mesh)) << format(step, mesh);
    dims = step.result;
    numPermutations += step.kind == Kind::CollectivePermute;
    for (unsigned i = 0; i < dims.size(); ++i) {
      int64_t size = getProduct(dims[i]);
      EXPECT_TRUE(std::lcm(getProduct(in[i]), getProduct(out[i])) % size == 0 ||
                  (shape[i] >= 0 && shape[i] % size == 0));
    }
  }
  ASSERT_EQ(dims, DimAxes(out));
  auto isEmpty = [](const AxisList &dim) { return dim.empty(); };
  if (changesDevices &&
      !(llvm::all_of(in, isEmpty) && llvm::all_of(out, isEmpty))) {
    EXPECT_GE(numPermutations, 1u);
  }
  checkCost(in, out, shape, changesDevices, steps, mesh);
}

//===----------------------------------------------------------------------===//
// Tests
//===----------------------------------------------------------------------===//

namespace {
class CollectivePlanTest : public testing::Test {
protected:
  std::string plan(StringRef in, StringRef out, ArrayRef<int64_t> shape = {},
                   bool changesDevices = false) {
    DimAxes dims = parseDims(in, mesh);
    SmallVector<int64_t> sizes(shape.empty()
                                   ? SmallVector<int64_t>(dims.size(), 64)
                                   : SmallVector<int64_t>(shape));
    DimAxes wanted = parseDims(out, mesh);
    checkPlan(dims, wanted, sizes, changesDevices, mesh);
    return format(planCollectives(dims, wanted, sizes, changesDevices,
                                  getFree(dims, wanted, mesh)),
                  mesh);
  }
  SmallVector<int64_t> mesh = {2, 2, 4, 3};
};
} // namespace

TEST_F(CollectivePlanTest, OneStep) {
  EXPECT_EQ(plan("{a} {b}", "{a} {b}"), "");
  EXPECT_EQ(plan("{} {}", "{a} {c:(1)2}"), "slice {a}{c:(1)2} to {a}{c:(1)2}");
  EXPECT_EQ(plan("{a c} {b}", "{a c:(1)2} {}"),
            "gather {c:(2)2}{b} to {a c:(1)2}{}");
  EXPECT_EQ(plan("{a b} {}", "{a} {b}"), "move {b}0>1 to {a}{b}");
  EXPECT_EQ(plan("{a} {b}", "{b} {a}"), "permute to {b}{a}");
  EXPECT_EQ(plan("{c:(1)2} {}", "{c:(2)2} {}"), "permute to {c:(2)2}{}");
  EXPECT_EQ(plan("{a} {}", "{b} {}"), "permute to {b}{}");
  EXPECT_EQ(plan("{a} {b} {} {}", "{} {} {b} {a}"),
            "move {a}0>3 {b}1>2 to {}{}{b}{a}");
}

TEST_F(CollectivePlanTest, SeveralSteps) {
  // Smaller shards are moved.
  EXPECT_EQ(plan("{a} {}", "{} {b a}"),
            "slice {}{b} to {a}{b}; move {a}0>1 to {}{b a}");
  EXPECT_EQ(plan("{a} {}", "{} {a b}"),
            "slice {b}{} to {a b}{}; move {a b}0>1 to {}{a b}");
  // The plan differs because the dimension cannot be sharded further.
  EXPECT_EQ(plan("{a} {}", "{} {a b}", {2, 4}),
            "move {a}0>1 to {}{a}; slice {}{b} to {}{a b}");
  EXPECT_EQ(plan("{a c} {}", "{} {a}"),
            "move {a c}0>1 to {}{a c}; gather {}{c} to {}{a}");
  EXPECT_EQ(plan("{a c} {}", "{} {a}", {64, 2}),
            "slice {}{b} to {a c}{b}; permute to {c b}{a}; "
            "gather {c b}{} to {}{a}");
  EXPECT_EQ(plan("{c} {}", "{a} {}"),
            "permute to {a c:(1)2}{}; gather {c:(1)2}{} to {a}{}");
  EXPECT_EQ(plan("{a} {}", "{b} {a}"),
            "slice {}{b} to {a}{b}; permute to {b}{a}");
  EXPECT_EQ(plan("{a b c} {} {}", "{a} {c} {b}"),
            "move {c}0>1 to {a b}{c}{}; move {b}0>2 to {a}{c}{b}");
  // An axis at the position of an arriving axis has to be removed first.
  EXPECT_EQ(plan("{a} {d}", "{d} {}"),
            "gather {a}{} to {}{d}; move {d}1>0 to {d}{}");
  mesh = {6, 4};
  EXPECT_EQ(plan("{a} {b}", "{} {a}"),
            "move {a:(2)3}0>1 to {a:(1)2}{b a:(2)3}; permute to "
            "{b:(1)2}{a b:(2)2}; gather {b:(1)2}{b:(2)2} to {}{a}");
}

TEST_F(CollectivePlanTest, OtherDeviceOrder) {
  EXPECT_EQ(plan("{a} {}", "{a} {}", {}, true), "permute to {a}{}");
  EXPECT_EQ(plan("{} {}", "{} {}", {}, true), "");
  EXPECT_EQ(plan("{} {}", "{a} {}", {}, true),
            "slice {a}{} to {a}{}; permute to {a}{}");
  EXPECT_EQ(plan("{a b} {}", "{b} {}", {}, true),
            "permute to {b a}{}; gather {a}{} to {b}{}");
}

TEST_F(CollectivePlanTest, AxesOfOneDevice) {
  mesh = {1, 2, 1};
  EXPECT_EQ(plan("{a b} {}", "{b} {}"),
            "permute to {b a}{}; gather {a}{} to {b}{}");
  EXPECT_EQ(plan("{a} {}", "{} {a}"), "move {a}0>1 to {}{a}");
  EXPECT_EQ(plan("{a} {}", "{c} {}"), "permute to {c}{}");
}

TEST_F(CollectivePlanTest, PartsOfNoCommonFactorisation) {
  mesh = {6, 12};
  EXPECT_EQ(plan("{a:(1)2} {}", "{a:(3)2} {}"), "permute to {a:(3)2}{}");
  EXPECT_EQ(plan("{b a:(1)2} {}", "{b a:(1)3} {}"),
            "gather {a:(1)2}{} to {b}{}; slice {a:(1)3}{} to {b a:(1)3}{}");
  // Two digits that together do not distinguish all devices.
  EXPECT_EQ(plan("{a:(1)2} {a:(3)2}", "{a:(3)2} {a:(1)2}"),
            "gather {a:(1)2}{a:(3)2} to {}{}; slice {a:(3)2}{a:(1)2} to "
            "{a:(3)2}{a:(1)2}");
}

TEST_F(CollectivePlanTest, HugeAxes) {
  mesh = {int64_t(1) << 31, 2147483647};
  DimAxes in = parseDims("{a} {b}", mesh), out = parseDims("{b} {a}", mesh);
  SmallVector<int64_t> shape = {4, -1};
  EXPECT_FALSE(planCollectives(in, out, shape).empty());
}

static DimAxes makeDims(Random &random, size_t rank, MeshSizes mesh) {
  DimAxes dims(rank);
  std::vector<AxisRef> parts = makeParts(random, mesh, 65);
  random.shuffle(parts);
  for (const AxisRef &part : parts)
    appendMerged(dims[random.below(rank)], part);
  return dims;
}

TEST_F(CollectivePlanTest, EveryPlanArrives) {
  for (uint64_t seed = 0; seed < 6000; ++seed) {
    Random random(seed);
    SmallVector<int64_t> mesh;
    if (seed % 3) {
      for (int64_t left = random.within(1, 4); left > 0; --left)
        mesh.push_back(random.pick<int64_t>({2, 2, 4, 8}));
    } else {
      mesh = makeMesh(random);
    }
    if (getNumDevices(mesh) > 64)
      continue;
    size_t rank = random.within(1, 4);
    DimAxes in = makeDims(random, rank, mesh);
    DimAxes out = makeDims(random, rank, mesh);
    SmallVector<int64_t> shape(rank);
    for (int64_t &size : shape)
      size = random.chance(10)
                 ? -1
                 : random.pick<int64_t>({1, 2, 4, 7, 12, 16, 64, 0});
    checkPlan(in, out, shape, random.chance(20), mesh);
    if (HasFatalFailure())
      FAIL() << "seed " << seed;
  }
}

TEST_F(CollectivePlanTest, ChangesOfMeshes) {
  auto change = [&](StringRef dim, MeshSizes from, MeshSizes to) {
    DimAxes dims = parseDims(dim, from);
    std::optional<AxisList> axes = changeMesh(dims.front(), from, to);
    // Check that each device has the same block.
    for (int64_t device = 0; axes && device < getNumDevices(from); ++device)
      EXPECT_EQ(getBlock(device, dims, from), getBlock(device, {*axes}, to));
    return axes ? mlir::ipu::sharding::format(*axes, to) : "none";
  };
  SmallVector<int64_t> wide = {2, 4}, high = {4, 2}, odd = {2, 3},
                       turned = {3, 2};
  EXPECT_EQ(change("{a b}", wide, high), "a b");
  EXPECT_EQ(change("{b a}", wide, high), "a:(2)2 b a:(1)2");
  EXPECT_EQ(change("{a}", wide, high), "a:(1)2");
  EXPECT_EQ(change("{b:(2)2}", wide, high), "b");
  EXPECT_EQ(change("{a}", odd, turned), "none");
  EXPECT_EQ(change("{a b}", odd, turned), "none");
  EXPECT_EQ(change("{}", odd, turned), "");
}

//===----------------------------------------------------------------------===//
// Costs
//===----------------------------------------------------------------------===//

TEST_F(CollectivePlanTest, CheaperThanByRules) {
  auto getCost = [&](StringRef in, StringRef out, bool byRules) {
    DimAxes a = parseDims(in, mesh), b = parseDims(out, mesh);
    SmallVector<int64_t> shape(a.size(), 64);
    return getCollectiveCost(
        a, byRules ? planCollectivesByRules(a, b, shape)
                   : planCollectives(a, b, shape, false, getFree(a, b, mesh)));
  };
  mesh = {2, 2, 2, 2};
  // The plan slices several dimensions, one of which is the source of a move.
  EXPECT_EQ(plan("{} {d c}", "{b d c a} {}"),
            "slice {b}{a} to {b}{d c a}; move {d c a}1>0 to {b d c a}{}");
  EXPECT_EQ(getCost("{} {d c}", "{b d c a} {}", true), 0.4375);
  EXPECT_EQ(getCost("{} {d c}", "{b d c a} {}", false), 0.21875);
  // Two moves in place of a permutation and a move.
  mesh = {2, 2};
  EXPECT_EQ(plan("{a b} {}", "{b} {a}"),
            "move {a b}0>1 to {}{a b}; move {b}1>0 to {b}{a}");
  EXPECT_EQ(getCost("{a b} {}", "{b} {a}", true), 1.5);
  EXPECT_EQ(getCost("{a b} {}", "{b} {a}", false), 1.25);
  mesh = {2, 2, 2, 2};
  // The axis that is gathered moves along, so that it is last.
  EXPECT_EQ(plan("{a b} {}", "{} {c a}"),
            "slice {}{c} to {a b}{c}; move {a b}0>1 to {}{c a b}; "
            "gather {}{b} to {}{c a}");
  EXPECT_EQ(getCost("{a b} {}", "{} {c a}", true), 1.25);
  EXPECT_EQ(getCost("{a b} {}", "{} {c a}", false), 0.875);
  // Axes that neither sharding has keep the intermediate shards small.
  EXPECT_EQ(plan("{b a} {}", "{a} {d b}"),
            "slice {}{d c} to {b a}{d c}; permute to {a c}{d b}; "
            "gather {c}{} to {a}{d b}");
  EXPECT_EQ(getCost("{b a} {}", "{a} {d b}", true), 0.75);
  EXPECT_EQ(getCost("{b a} {}", "{a} {d b}", false), 0.5);
  EXPECT_EQ(getCost("{d a} {} {b}", "{} {d} {a}", true), 2.5);
  EXPECT_EQ(getCost("{d a} {} {b}", "{} {d} {a}", false), 2.0);
  EXPECT_EQ(getCost("{d} {a c}", "{c a d} {}", true), 1.75);
  EXPECT_EQ(getCost("{d} {a c}", "{c a d} {}", false), 1.25);
}

/// Appends all ways to assign some of the axes to dimensions.
static void collectLayouts(DimAxes &dims, ArrayRef<AxisRef> axes,
                           SmallVectorImpl<DimAxes> &layouts) {
  layouts.push_back(dims);
  for (const AxisRef &axis : axes) {
    AxisList rest;
    for (const AxisRef &other : axes)
      if (other != axis)
        rest.push_back(other);
    for (unsigned dim = 0; dim < dims.size(); ++dim) {
      dims[dim].push_back(axis);
      collectLayouts(dims, rest, layouts);
      dims[dim].pop_back();
    }
  }
}

/// Returns the cost of one step from one layout to another, in units of the
/// whole tensor. Returns std::nullopt if no kind of step does it.
static std::optional<double>
getStepCost(ArrayRef<AxisList> from, ArrayRef<AxisList> to, MeshSizes mesh) {
  auto getVolume = [](ArrayRef<AxisList> dims) {
    double volume = 1;
    for (const AxisList &dim : dims)
      volume /= static_cast<double>(getProduct(dim));
    return volume;
  };
  // The axes at the end of each dimension that only one layout has.
  AxisList joining, leaving;
  SmallVector<AxisList> ends;
  for (auto [a, b] : llvm::zip_equal(from, to)) {
    size_t common = 0;
    while (common < std::min(a.size(), b.size()) && a[common] == b[common])
      ++common;
    ArrayRef<AxisRef> more = ArrayRef<AxisRef>(b).drop_front(common);
    ArrayRef<AxisRef> less = ArrayRef<AxisRef>(a).drop_front(common);
    joining.append(more.begin(), more.end());
    leaving.append(less.begin(), less.end());
    ends.emplace_back(more);
    ends.emplace_back(less);
  }
  std::optional<double> best;
  auto consider = [&](double cost) {
    best = best ? std::min(*best, cost) : cost;
  };
  if (leaving.empty())
    consider(0);
  if (joining.empty())
    consider(getVolume(to) - getVolume(from));
  bool isPermutation = llvm::all_of(llvm::zip_equal(from, to), [](auto dims) {
    return getProduct(std::get<0>(dims)) == getProduct(std::get<1>(dims));
  });
  if (isPermutation && canPermute(from, to, mesh))
    consider(getVolume(to));
  // The axes that a dimension gains must be axes that another dimension loses.
  bool isMove = true;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].empty())
      continue;
    isMove &= ends[i ^ 1].empty();
    size_t partners = 0;
    for (size_t j = 0; j < ends.size(); ++j)
      partners += (i + j) % 2 == 1 && ends[i] == ends[j];
    isMove &= partners == 1;
  }
  if (isMove && canExchange(from, to, joining, mesh))
    consider(getVolume(to) *
             (1 - 1 / static_cast<double>(getProduct(joining))));
  return best;
}

/// Returns the costs between all pairs of layouts, by shortest paths.
static std::vector<std::vector<double>> getLeastCosts(ArrayRef<DimAxes> layouts,
                                                      ArrayRef<int64_t> shape,
                                                      MeshSizes mesh) {
  constexpr double kNone = 1e9;
  size_t count = layouts.size();
  std::vector<std::vector<double>> costs(count,
                                         std::vector<double>(count, kNone));
  auto isEven = [&](ArrayRef<AxisList> dims) {
    return llvm::all_of(llvm::zip_equal(dims, shape), [](auto dim) {
      return std::get<1>(dim) % getProduct(std::get<0>(dim)) == 0;
    });
  };
  for (size_t i = 0; i < count; ++i)
    for (size_t j = 0; j < count; ++j)
      if (isEven(layouts[i]) && isEven(layouts[j]))
        costs[i][j] = getStepCost(layouts[i], layouts[j], mesh).value_or(kNone);
  for (size_t k = 0; k < count; ++k)
    for (size_t i = 0; i < count; ++i)
      for (size_t j = 0; j < count; ++j)
        costs[i][j] = std::min(costs[i][j], costs[i][k] + costs[k][j]);
  return costs;
}

/// Compares the costs of plans between shardings along axes of the mesh with
/// the least costs. Tests one of `stride` pairs of shardings.
static void checkLeastCosts(MeshSizes mesh, ArrayRef<int64_t> shape,
                            size_t stride = 1) {
  DimAxes none(shape.size());
  SmallVector<DimAxes> layouts;
  collectLayouts(none, getFree(none, none, mesh), layouts);
  llvm::sort(layouts, [&](const DimAxes &a, const DimAxes &b) {
    return format(a, mesh) < format(b, mesh);
  });
  layouts.erase(llvm::unique(layouts), layouts.end());
  std::vector<std::vector<double>> costs = getLeastCosts(layouts, shape, mesh);
  for (size_t pair = 0; pair < layouts.size() * layouts.size();
       pair += stride) {
    size_t i = pair / layouts.size(), j = pair % layouts.size();
    if (costs[i][j] > 1e8)
      continue;
    SmallVector<CollectiveStep> steps =
        planCollectives(layouts[i], layouts[j], shape, false,
                        getFree(layouts[i], layouts[j], mesh));
    double start = costs[i][j];
    for (const AxisList &dim : layouts[i])
      start *= static_cast<double>(getProduct(dim));
    ASSERT_NEAR(getCollectiveCost(layouts[i], steps), start, 1e-6)
        << format(layouts[i], mesh) << " to " << format(layouts[j], mesh)
        << ": " << format(steps, mesh);
  }
}

TEST_F(CollectivePlanTest, NoPlanMovesLess) {
  checkLeastCosts({2, 2, 2}, {8, 8});
  checkLeastCosts({2, 2, 2}, {2, 4});
  checkLeastCosts({2, 2, 2}, {4, 2, 2});
  checkLeastCosts({2, 3}, {6, 6});
  checkLeastCosts({3, 3, 2}, {18, 3});
  checkLeastCosts({2, 2, 2, 2}, {16});
  checkLeastCosts({2, 2, 2, 2}, {16, 16}, /*stride=*/23);
  checkLeastCosts({2, 2, 3}, {12, 12});
}
