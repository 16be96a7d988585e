//===- ReplicaGroupsTest.cpp - Groups of replicas ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares groups with the description of `#pop.replica_groups`, replica by
// replica.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "gtest/gtest.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {

using Group = SmallVector<int64_t>;
using Pairs = SmallVector<std::pair<int64_t, int64_t>>;

constexpr int64_t kNumReplicas[] = {1, 2, 3, 4, 6, 8, 12, 16};

/// Returns the groups by definition: the least replica that is in no group
/// starts a new group. Returns no groups if a member is not a replica or is in
/// two groups.
SmallVector<Group> makeGroups(int64_t numReplicas, ArrayRef<int64_t> offsets) {
  SmallVector<Group> groups;
  SmallVector<bool> isTaken(numReplicas);
  for (int64_t least = 0; least < numReplicas; ++least) {
    if (isTaken[least])
      continue;
    Group &group = groups.emplace_back();
    for (int64_t offset : offsets) {
      if (least + offset >= numReplicas || isTaken[least + offset])
        return {};
      isTaken[least + offset] = true;
      group.push_back(least + offset);
    }
  }
  return groups;
}

Group getOffsets(ArrayRef<std::pair<int64_t, int64_t>> pairs) {
  Group offsets = {0};
  for (auto [stride, size] : pairs) {
    Group next;
    for (int64_t offset : offsets)
      for (int64_t i = 0; i < size; ++i)
        next.push_back(offset + i * stride);
    offsets = next;
  }
  return offsets;
}

void expectGroups(const ReplicaGroups &actual, ArrayRef<Group> expected) {
  ASSERT_EQ(actual.getNumGroups(), static_cast<int64_t>(expected.size()));
  ASSERT_EQ(actual.getGroupSize(),
            static_cast<int64_t>(expected.front().size()));
  EXPECT_EQ(actual.getNumReplicas(),
            actual.getNumGroups() * actual.getGroupSize());
  for (auto [g, group] : llvm::enumerate(expected)) {
    EXPECT_EQ(actual.members(g), ArrayRef<int64_t>(group));
    for (auto [i, replica] : llvm::enumerate(group)) {
      EXPECT_EQ(actual.groupOf(replica), static_cast<int64_t>(g));
      EXPECT_EQ(actual.indexIn(replica), static_cast<int64_t>(i));
    }
  }
}

/// Returns the groups of the replicas that have equal indices.
SmallVector<Group> transpose(ArrayRef<Group> groups) {
  SmallVector<Group> result;
  for (size_t i = 0; i < groups.front().size(); ++i) {
    Group &group = result.emplace_back();
    for (const Group &members : groups)
      group.push_back(members[i]);
  }
  return result;
}

TEST(ReplicaGroupsTest, AllReplicas) {
  for (int64_t numReplicas : kNumReplicas)
    expectGroups(ReplicaGroups::getAll(numReplicas),
                 makeGroups(numReplicas, getOffsets({{1, numReplicas}})));
}

TEST(ReplicaGroupsTest, Strided) {
  int64_t numLegal = 0;
  for (int64_t numReplicas : kNumReplicas)
    for (int64_t stride = 1; stride <= numReplicas + 1; ++stride)
      for (int64_t size = 1; size <= numReplicas + 1; ++size) {
        std::optional<ReplicaGroups> groups =
            ReplicaGroups::getStrided(numReplicas, stride, size);
        bool isLegal = size == 1 || numReplicas % (stride * size) == 0;
        ASSERT_EQ(groups.has_value(), isLegal)
            << numReplicas << ", " << stride << ", " << size;
        if (!isLegal)
          continue;
        ++numLegal;
        expectGroups(*groups,
                     makeGroups(numReplicas, getOffsets({{stride, size}})));
        // Check the formulas of the format. They require that the stride is the
        // stride of the groups, but groups of one member have no particular
        // stride.
        if (size == 1)
          continue;
        for (int64_t r = 0; r < numReplicas; ++r)
          EXPECT_EQ(groups->groupOf(r),
                    r % stride + stride * (r / (stride * size)));
        for (int64_t g = 0; g < groups->getNumGroups(); ++g)
          for (int64_t i = 0; i < size; ++i)
            EXPECT_EQ(groups->members(g)[i],
                      g / stride * stride * size + g % stride + i * stride);
      }
  EXPECT_GT(numLegal, 50);
}

TEST(ReplicaGroupsTest, Nested) {
  int64_t numLegal = 0;
  for (int64_t numReplicas : kNumReplicas)
    for (int64_t s = 1; s <= numReplicas; ++s)
      for (int64_t g = 2; g <= numReplicas; ++g)
        for (int64_t t = 1; t <= numReplicas; ++t)
          for (int64_t h = 2; h <= numReplicas; ++h) {
            Pairs pairs = {{s, g}, {t, h}};
            std::optional<ReplicaGroups> groups =
                ReplicaGroups::getNested(numReplicas, pairs);
            bool isLegal = s <= t
                               ? t % (s * g) == 0 && numReplicas % (t * h) == 0
                               : s % (t * h) == 0 && numReplicas % (s * g) == 0;
            ASSERT_EQ(groups.has_value(), isLegal);
            if (!isLegal)
              continue;
            ++numLegal;
            expectGroups(*groups, makeGroups(numReplicas, getOffsets(pairs)));
          }
  EXPECT_GT(numLegal, 10);
  // Three pairs that are not sorted by stride. The index of the first pair
  // changes most slowly.
  std::optional<ReplicaGroups> groups =
      ReplicaGroups::getNested(16, {{2, 2}, {8, 2}, {1, 2}});
  ASSERT_TRUE(groups);
  EXPECT_EQ(groups->members(0), ArrayRef<int64_t>({0, 1, 8, 9, 2, 3, 10, 11}));
  EXPECT_EQ(groups->members(1),
            ArrayRef<int64_t>({4, 5, 12, 13, 6, 7, 14, 15}));
}

TEST(ReplicaGroupsTest, Explicit) {
  // Groups are numbered by their least replica, which may be any member.
  std::optional<ReplicaGroups> groups =
      ReplicaGroups::getExplicit({5, 1, 2, 0, 4, 3}, 2);
  ASSERT_TRUE(groups);
  expectGroups(*groups, SmallVector<Group>{{2, 0}, {5, 1}, {4, 3}});
  EXPECT_FALSE(ReplicaGroups::getExplicit({0, 1, 2}, 2));
  EXPECT_FALSE(ReplicaGroups::getExplicit({0, 1, 1, 2}, 2));
  EXPECT_FALSE(ReplicaGroups::getExplicit({0, 2}, 1));
  EXPECT_FALSE(ReplicaGroups::getExplicit({0, -1}, 1));
  EXPECT_FALSE(ReplicaGroups::getExplicit({0, 1}, 0));
  EXPECT_FALSE(ReplicaGroups::getExplicit({}, 1));
}

TEST(ReplicaGroupsTest, Transpose) {
  for (int64_t numReplicas : kNumReplicas)
    for (int64_t stride = 1; stride <= numReplicas; ++stride)
      for (int64_t size = 1; size <= numReplicas; ++size) {
        std::optional<ReplicaGroups> groups =
            ReplicaGroups::getStrided(numReplicas, stride, size);
        if (!groups)
          continue;
        std::optional<ReplicaGroups> actual = groups->getTranspose();
        bool exists = size == 1 || stride == 1 || stride * size == numReplicas;
        ASSERT_EQ(actual.has_value(), exists)
            << numReplicas << ", " << stride << ", " << size;
        if (exists)
          expectGroups(
              *actual,
              transpose(makeGroups(numReplicas, getOffsets({{stride, size}}))));
      }
  // The same groups in explicit form, and groups without a stride.
  EXPECT_TRUE(ReplicaGroups::getExplicit({0, 1, 2, 3}, 2)->getTranspose());
  EXPECT_FALSE(ReplicaGroups::getExplicit({1, 0, 2, 3}, 2)->getTranspose());
  EXPECT_FALSE(ReplicaGroups::getExplicit({0, 3, 1, 2}, 2)->getTranspose());
}

TEST(ReplicaGroupsTest, Contains) {
  ReplicaGroups all = ReplicaGroups::getAll(8);
  ReplicaGroups pairs = *ReplicaGroups::getStrided(8, 1, 2);
  ReplicaGroups fours = *ReplicaGroups::getStrided(8, 1, 4);
  ReplicaGroups strided = *ReplicaGroups::getStrided(8, 4, 2);
  EXPECT_TRUE(all.contains(strided));
  EXPECT_TRUE(fours.contains(pairs));
  EXPECT_FALSE(pairs.contains(fours));
  EXPECT_FALSE(fours.contains(strided));
  EXPECT_TRUE(pairs.contains(pairs));
  EXPECT_FALSE(all.contains(ReplicaGroups::getAll(4)));
}

//===----------------------------------------------------------------------===//
// The attribute
//===----------------------------------------------------------------------===//

class ResolveTest : public testing::Test {
protected:
  ResolveTest() { context.loadDialect<PopDialect>(); }

  /// Returns the groups, or std::nullopt with an error.
  std::optional<ReplicaGroups> resolve(ReplicaGroupsAttr attr,
                                       int64_t numReplicas) {
    error.clear();
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      error += diagnostic.str();
      return success();
    });
    FailureOr<ReplicaGroups> groups =
        resolveReplicaGroups(attr, numReplicas, [&] {
          return emitError(UnknownLoc::get(&context));
        });
    if (failed(groups))
      return std::nullopt;
    return *groups;
  }

  MLIRContext context;
  std::string error;
};

TEST_F(ResolveTest, Forms) {
  EXPECT_EQ(resolve({}, 6), ReplicaGroups::getAll(6));
  EXPECT_EQ(resolve(ReplicaGroupsAttr::getStrided(&context, 2, 3), 6),
            ReplicaGroups::getStrided(6, 2, 3));
  EXPECT_EQ(resolve(ReplicaGroupsAttr::getStrided(&context, 5, 1), 6),
            ReplicaGroups::getStrided(6, 1, 1));
  EXPECT_EQ(
      resolve(ReplicaGroupsAttr::getNested(&context, {{1, 2}, {4, 2}}), 8),
      ReplicaGroups::getNested(8, {{1, 2}, {4, 2}}));
  EXPECT_EQ(
      resolve(ReplicaGroupsAttr::getExplicit(&context, {{2, 1}, {0, 3}}), 4),
      ReplicaGroups::getExplicit({0, 3, 2, 1}, 2));
}

TEST_F(ResolveTest, EqualGroupsAreOneAttribute) {
  EXPECT_EQ(ReplicaGroupsAttr::getNested(&context, {{4, 2}, {7, 1}}),
            ReplicaGroupsAttr::getStrided(&context, 4, 2));
  EXPECT_EQ(ReplicaGroupsAttr::getStrided(&context, 4, 1),
            ReplicaGroupsAttr::getStrided(&context, 1, 1));
  EXPECT_EQ(ReplicaGroupsAttr::getExplicit(&context, {{2, 1}, {0, 3}}),
            ReplicaGroupsAttr::getExplicit(&context, {{0, 3}, {2, 1}}));
  EXPECT_EQ(
      ReplicaGroupsAttr::getNested(&context, {{1, 2}, {4, 3}}).getGroupSize(),
      6);
  EXPECT_EQ(
      ReplicaGroupsAttr::getExplicit(&context, {{2, 1}, {0, 3}}).getGroupSize(),
      2);
}

TEST_F(ResolveTest, Errors) {
  EXPECT_FALSE(resolve(ReplicaGroupsAttr::getStrided(&context, 2, 2), 6));
  EXPECT_EQ(
      error,
      "expects groups whose stride times size divides 6 replicas "
      "but got #pop.replica_groups<stride = 2, size = 2>, with the product 4");
  EXPECT_FALSE(
      resolve(ReplicaGroupsAttr::getNested(&context, {{4, 2}, {1, 2}}), 4));
  EXPECT_EQ(
      error,
      "expects groups whose stride times size divides 4 replicas "
      "but got #pop.replica_groups<[(4, 2), (1, 2)]>, with the product 8");
  EXPECT_FALSE(
      resolve(ReplicaGroupsAttr::getExplicit(&context, {{0, 1}, {2, 3}}), 8));
  EXPECT_EQ(error, "expects groups with 8 replicas in all but got "
                   "#pop.replica_groups<[[0, 1], [2, 3]]> with 4");
  EXPECT_FALSE(resolve({}, 0));
  EXPECT_EQ(error, "expects between 1 and 1048576 replicas but got 0");
}

} // namespace
