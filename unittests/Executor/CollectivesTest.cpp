//===- CollectivesTest.cpp - Collectives against their definitions --------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares all kinds and operators of collectives with code that follows their
// definitions, element by element with APFloat and APInt.
//
//===----------------------------------------------------------------------===//

#include "CollectivesReference.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;

namespace {
/// For each replica, the members of its group in their order.
using Division = std::vector<std::vector<int64_t>>;

Division getStrided(int64_t replicas, int64_t stride, int64_t size) {
  Division groups;
  std::vector<bool> seen(replicas);
  for (int64_t first = 0; first < replicas; ++first) {
    if (seen[first])
      continue;
    groups.emplace_back();
    for (int64_t i = 0; i < size; ++i) {
      groups.back().push_back(first + i * stride);
      seen[first + i * stride] = true;
    }
  }
  return groups;
}

class CollectivesTest : public ::testing::Test {
protected:
  /// Returns random elements: integers of all bits, floats near 1, and some
  /// special floats.
  Bytes getRandom(const ElementKind &type, int64_t size, uint64_t seed) {
    Bytes data(size * type.bytes());
    for (int64_t i = 0; i < size; ++i) {
      uint64_t bits = draw(seed), kind = draw(seed) % 24;
      if (type.semantics && kind != 0)
        bits = encodeScalar(type.elements.kind,
                            kind == 1   ? -0.0
                            : kind == 2 ? 0.0
                                        : int64_t(bits % 4001 - 2000) / 512.0);
      store(type, maskTo(bits, type.width()), data, i);
    }
    return data;
  }

  static uint64_t draw(uint64_t &state) {
    uint64_t z = (state += 0x9E3779B97F4A7C15u);
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
    return z ^ (z >> 31);
  }

  std::vector<Bytes> run(const Collective &collective, ArrayRef<Bytes> sources,
                         const ElementKind &type) {
    int64_t size = 1;
    for (int64_t dim : collective.targetShape)
      size *= dim;
    SmallVector<const char *> buffers;
    for (const Bytes &source : sources)
      buffers.push_back(source.data());
    std::vector<Bytes> results;
    for (size_t replica = 0; replica < sources.size(); ++replica) {
      results.emplace_back(size * type.bytes(), char(0x5a));
      computeCollective(collective, buffers, replica, results.back().data());
    }
    return results;
  }

  /// Checks all kinds of collectives on [2, n, 3] and axis 1, with one division
  /// of the replicas into groups.
  void checkAll(const ReplicaGroups &groups, const Division &division,
                const ElementKind &type, uint64_t seed);

  Collective make(CollectiveKind kind, const ReplicaGroups &groups,
                  const ElementKind &type) {
    Collective collective;
    collective.kind = kind;
    collective.groups = groups;
    collective.elements = type.elements;
    collective.axis = 1;
    return collective;
  }
};
} // namespace

/// Returns element [i, j, k] of a tensor [2, n, 3], or zero beyond the end.
static uint64_t at(const ElementKind &type, const Bytes &data, int64_t n,
                   int64_t i, int64_t j, int64_t k) {
  return j < n ? load(type, data, (i * n + j) * 3 + k) : 0;
}

void CollectivesTest::checkAll(const ReplicaGroups &groups,
                               const Division &division,
                               const ElementKind &type, uint64_t seed) {
  int64_t replicas = groups.getNumReplicas();
  int64_t g = groups.getGroupSize();
  // n is 2 g, 2 g + 1, and g - 1 or at least 1.
  for (int64_t n : {2 * g, 2 * g + 1, std::max<int64_t>(g - 1, 1)}) {
    int64_t part = (n + g - 1) / g;
    std::vector<Bytes> whole, parts;
    for (int64_t r = 0; r < replicas; ++r) {
      whole.push_back(getRandom(type, 2 * n * 3, seed + r));
      parts.push_back(getRandom(type, 2 * part * 3, seed + 100 + r));
    }
    Collective gather = make(CollectiveKind::AllGather, groups, type);
    gather.sourceShape = {2, part, 3};
    gather.targetShape = {2, n, 3};
    std::vector<Bytes> gathered = run(gather, parts, type);
    Collective broadcast = make(CollectiveKind::Broadcast, groups, type);
    broadcast.sourceShape = broadcast.targetShape = {2, n, 3};
    broadcast.root = g - 1;
    std::vector<Bytes> sent = run(broadcast, whole, type);
    for (const std::vector<int64_t> &members : division)
      for (int64_t r : members) {
        ASSERT_EQ(sent[r], whole[members.back()]);
        for (int64_t i = 0; i < 2; ++i)
          for (int64_t j = 0; j < n; ++j)
            for (int64_t k = 0; k < 3; ++k)
              ASSERT_EQ(
                  at(type, gathered[r], n, i, j, k),
                  at(type, parts[members[j / part]], part, i, j % part, k));
      }
    for (CollectiveOperator op : kOperators) {
      bool isLogical = op == CollectiveOperator::LogicalAnd ||
                       op == CollectiveOperator::LogicalOr;
      if (isLogical && type.semantics)
        continue;
      Collective all = make(CollectiveKind::AllReduce, groups, type);
      all.operation = op;
      all.sourceShape = all.targetShape = {2, n, 3};
      Collective scatter = all;
      scatter.kind = CollectiveKind::ReduceScatter;
      scatter.targetShape = {2, part, 3};
      std::vector<Bytes> reduced = run(all, whole, type);
      std::vector<Bytes> scattered = run(scatter, whole, type);
      for (const std::vector<int64_t> &members : division)
        for (size_t index = 0; index < members.size(); ++index) {
          int64_t r = members[index];
          for (int64_t i = 0; i < 2; ++i)
            for (int64_t j = 0; j < part * g; ++j)
              for (int64_t k = 0; k < 3; ++k) {
                SmallVector<uint64_t> values;
                for (int64_t member : members)
                  values.push_back(at(type, whole[member], n, i, j, k));
                uint64_t expected = op == CollectiveOperator::Local
                                        ? values[index]
                                        : reduce(type, op, values);
                if (j < n) {
                  ASSERT_EQ(at(type, reduced[r], n, i, j, k), expected)
                      << type.name << " " << int(op) << " " << r;
                }
                if (j / part == int64_t(index)) {
                  ASSERT_EQ(at(type, scattered[r], part, i, j % part, k),
                            expected)
                      << type.name << " " << int(op) << " " << r;
                }
              }
        }
    }
  }
}

TEST_F(CollectivesTest, StridedGroups) {
  unsigned count = 0;
  for (int64_t replicas : {2, 3, 4, 6, 8, 12})
    for (int64_t size = 1; size <= replicas; ++size)
      for (int64_t stride = 1; stride * size <= replicas; ++stride) {
        if (replicas % (stride * size) != 0 || (size == 1 && stride != 1))
          continue;
        std::optional<ReplicaGroups> groups =
            ReplicaGroups::getStrided(replicas, stride, size);
        ASSERT_TRUE(groups);
        // Testing each type with each division would take too long.
        for (const ElementKind &type :
             {kTypes[0], kTypes[1 + count % (std::size(kTypes) - 1)]})
          checkAll(*groups, getStrided(replicas, stride, size), type, count);
        ++count;
      }
  EXPECT_GT(count, 30u);
}

TEST_F(CollectivesTest, EveryType) {
  std::optional<ReplicaGroups> groups = ReplicaGroups::getStrided(6, 2, 3);
  ASSERT_TRUE(groups);
  for (const ElementKind &type : kTypes)
    checkAll(*groups, getStrided(6, 2, 3), type, 7);
}

TEST_F(CollectivesTest, NestedGroups) {
  struct Case {
    int64_t replicas;
    std::vector<std::pair<int64_t, int64_t>> pairs;
    Division division;
  };
  Case cases[] = {
      // The index of the first pair changes most slowly.
      {8, {{1, 2}, {4, 2}}, {{0, 4, 1, 5}, {2, 6, 3, 7}}},
      {8, {{4, 2}, {1, 2}}, {{0, 1, 4, 5}, {2, 3, 6, 7}}},
      {12, {{2, 3}}, {{0, 2, 4}, {1, 3, 5}, {6, 8, 10}, {7, 9, 11}}},
      {12, {{6, 2}, {1, 3}}, {{0, 1, 2, 6, 7, 8}, {3, 4, 5, 9, 10, 11}}},
  };
  for (const Case &each : cases) {
    std::optional<ReplicaGroups> groups =
        ReplicaGroups::getNested(each.replicas, each.pairs);
    ASSERT_TRUE(groups);
    checkAll(*groups, each.division, kTypes[0], 3);
    checkAll(*groups, each.division, kTypes[1], 4);
  }
}

TEST_F(CollectivesTest, ExplicitGroups) {
  struct Case {
    std::vector<int64_t> members;
    int64_t size;
    Division division;
  };
  Case cases[] = {
      {{0, 3, 2, 1}, 2, {{0, 3}, {2, 1}}},
      {{5, 0, 1, 4, 3, 2}, 3, {{5, 0, 1}, {4, 3, 2}}},
      {{7, 6, 5, 4, 3, 2, 1, 0}, 8, {{7, 6, 5, 4, 3, 2, 1, 0}}},
  };
  for (const Case &each : cases) {
    std::optional<ReplicaGroups> groups =
        ReplicaGroups::getExplicit(each.members, each.size);
    ASSERT_TRUE(groups);
    checkAll(*groups, each.division, kTypes[0], 5);
    checkAll(*groups, each.division, kTypes[1], 6);
  }
}

/// The order of addends determines the bits of a sum.
TEST_F(CollectivesTest, MembersInOrderOfIndex) {
  ElementKind f32 = kTypes[0], f16 = kTypes[1];
  auto sum = [&](const ElementKind &type, ArrayRef<double> values) {
    std::vector<Bytes> data;
    SmallVector<const char *> buffers;
    for (double value : values) {
      data.emplace_back(type.bytes());
      store(type, encodeScalar(type.elements.kind, value), data.back(), 0);
    }
    for (const Bytes &bytes : data)
      buffers.push_back(bytes.data());
    Bytes result(type.bytes());
    reduceElements(CollectiveOperator::Add, type.elements, buffers, 1,
                   result.data());
    return decodeScalar(type.elements.kind, load(type, result, 0));
  };
  EXPECT_EQ(sum(f32, {1e8, 1, -1e8}), 0);
  EXPECT_EQ(sum(f32, {1e8, -1e8, 1}), 1);
  // The sum is computed in f32 and rounded once. In f16, each step would round
  // to 2048.
  EXPECT_EQ(sum(f16, {2048, 1, 1, 1}), 2052);
  EXPECT_EQ(sum(f16, {65504, 65504, -65504}), 65504);
}

TEST_F(CollectivesTest, AllToAll) {
  for (int64_t replicas : {2, 3, 4, 6}) {
    ElementKind type = kTypes[9];
    ReplicaGroups groups = ReplicaGroups::getAll(replicas);
    std::vector<Bytes> sources;
    sources.reserve(replicas);
    for (int64_t r = 0; r < replicas; ++r)
      sources.push_back(getRandom(type, 2 * replicas * 3, r));
    // A tensor [2, R, 3] is split along dimension 1, and its parts are
    // concatenated along dimension 2 or 1.
    Collective collective = make(CollectiveKind::AllToAll, groups, type);
    collective.sourceShape = {2, replicas, 3};
    collective.targetShape = {2, 1, 3 * replicas};
    collective.concatAxis = 2;
    std::vector<Bytes> results = run(collective, sources, type);
    for (int64_t r = 0; r < replicas; ++r)
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t from = 0; from < replicas; ++from)
          for (int64_t k = 0; k < 3; ++k)
            ASSERT_EQ(load(type, results[r], (i * replicas + from) * 3 + k),
                      load(type, sources[from], (i * replicas + r) * 3 + k));
    collective.targetShape = {2, replicas, 3};
    collective.concatAxis = 1;
    results = run(collective, sources, type);
    for (int64_t r = 0; r < replicas; ++r)
      for (int64_t i = 0; i < 2; ++i)
        for (int64_t from = 0; from < replicas; ++from)
          for (int64_t k = 0; k < 3; ++k)
            ASSERT_EQ(load(type, results[r], (i * replicas + from) * 3 + k),
                      load(type, sources[from], (i * replicas + r) * 3 + k));
  }
}

TEST_F(CollectivesTest, Permute) {
  ElementKind type = kTypes[0];
  std::vector<Bytes> sources;
  sources.reserve(4);
  for (int64_t r = 0; r < 4; ++r)
    sources.push_back(getRandom(type, 5, r));
  Collective collective =
      make(CollectiveKind::Permute, ReplicaGroups::getAll(4), type);
  collective.sourceShape = collective.targetShape = {5};
  collective.sources = {3, -1, 2, 0};
  std::vector<Bytes> results = run(collective, sources, type);
  EXPECT_EQ(results[0], sources[3]);
  EXPECT_EQ(results[1], Bytes(20));
  EXPECT_EQ(results[2], sources[2]);
  EXPECT_EQ(results[3], sources[0]);
}
