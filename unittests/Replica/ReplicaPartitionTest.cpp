//===- ReplicaPartitionTest.cpp - Partitions of replicas ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compares partitions after a collective with collectives of values. An
// equality must hold for all values that are equal as the input states. For
// values without other relations, no further equality may hold.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Replica/ReplicaPartition.h"
#include "ipu-mlir/Replica/ReplicaReductions.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"
#include "gtest/gtest.h"
#include <map>
#include <numeric>
#include <random>

using namespace mlir::ipu;

namespace {

std::string print(ReplicaPartition partition) {
  std::string text;
  llvm::raw_string_ostream(text) << partition;
  return text;
}

/// The elements of one replica.
using Tensor = std::vector<int64_t>;
using Tensors = std::vector<Tensor>;
using Pairs = std::vector<std::pair<int64_t, int64_t>>;

ReplicaPartition findEqual(ReplicaPartitions &partitions,
                           const Tensors &tensors) {
  std::map<Tensor, int64_t> known;
  std::vector<int64_t> keys;
  for (const Tensor &tensor : tensors)
    keys.push_back(known.try_emplace(tensor, known.size()).first->second);
  return partitions.get(keys);
}

ReplicaPartition makePartition(ReplicaPartitions &partitions,
                               std::mt19937 &random) {
  int64_t numReplicas = partitions.getNumReplicas();
  std::uniform_int_distribution<int64_t> numClasses(1, numReplicas);
  std::uniform_int_distribution<int64_t> any(0, numClasses(random) - 1);
  std::vector<int64_t> keys(numReplicas);
  for (int64_t &key : keys)
    key = any(random);
  return partitions.get(keys);
}

ReplicaGroups makeGroups(int64_t numReplicas, std::mt19937 &random) {
  std::vector<int64_t> sizes;
  for (int64_t size = 1; size <= numReplicas; ++size)
    if (numReplicas % size == 0)
      sizes.push_back(size);
  int64_t size = sizes[random() % sizes.size()];
  std::vector<int64_t> members(numReplicas);
  std::iota(members.begin(), members.end(), 0);
  if (random() % 3 != 0)
    std::shuffle(members.begin(), members.end(), random);
  return *ReplicaGroups::getExplicit(members, size);
}

/// Creates a tensor for each replica, with one element for each replica of a
/// group. If `isGeneric` is set, all elements differ between the classes of
/// `input`. Otherwise there are few values, so that some classes have equal
/// values.
Tensors makeTensors(ReplicaPartition input, int64_t size, bool isGeneric,
                    std::mt19937 &random) {
  std::vector<Tensor> ofClass(input.getNumClasses());
  int64_t next = 0;
  for (Tensor &tensor : ofClass)
    for (int64_t i = 0; i < size; ++i)
      tensor.push_back(isGeneric ? next++ : static_cast<int64_t>(random() % 2));
  Tensors tensors;
  for (int64_t of : input.getClasses())
    tensors.push_back(ofClass[of]);
  return tensors;
}

/// Computes the result of each replica by the description of the op. `combine`
/// computes an element from the elements of a group.
struct Collectives {
  const ReplicaGroups &groups;
  const Tensors &inputs;
  bool isGeneric;
  bool anyOrder = false;

  llvm::ArrayRef<int64_t> members(int64_t replica) const {
    return groups.members(groups.groupOf(replica));
  }
  /// Combines the elements of a group. For generic values, the result is a
  /// number that differs for all other values in this order or, for any order,
  /// for all other sets of values.
  int64_t combine(int64_t replica, int64_t element) const {
    static std::map<Tensor, int64_t> numbers;
    Tensor terms;
    for (int64_t member : members(replica))
      terms.push_back(inputs[member][element]);
    if (anyOrder)
      llvm::sort(terms);
    if (isGeneric)
      return numbers.try_emplace(terms, numbers.size()).first->second;
    return std::accumulate(terms.begin(), terms.end(), int64_t(0));
  }
  Tensor allReduce(int64_t replica) const {
    Tensor result;
    for (size_t i = 0; i < inputs[replica].size(); ++i)
      result.push_back(combine(replica, i));
    return result;
  }
  Tensor allGather(int64_t replica) const {
    Tensor result;
    for (int64_t member : members(replica))
      llvm::append_range(result, inputs[member]);
    return result;
  }
  Tensor reduceScatter(int64_t replica) const {
    return {combine(replica, groups.indexIn(replica))};
  }
  Tensor slice(int64_t replica) const {
    return {inputs[replica][groups.indexIn(replica)]};
  }
  Tensor allToAll(int64_t replica) const {
    Tensor result;
    for (int64_t member : members(replica))
      result.push_back(inputs[member][groups.indexIn(replica)]);
    return result;
  }
};

constexpr int64_t kNumReplicas[] = {1, 2, 3, 4, 6, 8};

/// Checks `rule` against `compute` for random partitions and groups.
template <typename RuleT, typename ComputeT>
void check(RuleT rule, ComputeT compute) {
  std::mt19937 random(7);
  for (int64_t numReplicas : kNumReplicas)
    for (int trial = 0; trial < 200; ++trial) {
      ReplicaPartitions partitions(numReplicas);
      ReplicaPartition input = makePartition(partitions, random);
      ReplicaGroups groups = makeGroups(numReplicas, random);
      ReplicaPartition annotated = rule(partitions, input, groups);
      for (bool isGeneric : {true, false}) {
        Tensors tensors =
            makeTensors(input, groups.getGroupSize(), isGeneric, random);
        Collectives collectives{groups, tensors, isGeneric};
        Tensors results;
        for (int64_t replica = 0; replica < numReplicas; ++replica)
          results.push_back(compute(collectives, replica));
        ReplicaPartition found = findEqual(partitions, results);
        if (isGeneric) {
          EXPECT_EQ(print(annotated), print(found)) << "of " << print(input);
        }
        EXPECT_TRUE(partitions.isFiner(annotated, found))
            << print(annotated) << " of " << print(input) << " but "
            << print(found);
      }
    }
}

TEST(ReplicaPartitionTest, isCanonicalAndUnique) {
  ReplicaPartitions partitions(4);
  EXPECT_EQ(partitions.get({7, 7, -3, 7}), partitions.get({1, 1, 0, 1}));
  EXPECT_EQ(print(partitions.get({7, 7, -3, 7})), "{0,1,3}{2}");
  EXPECT_EQ(partitions.get({5, 5, 5, 5}), partitions.getAll());
  EXPECT_EQ(partitions.get({4, 3, 2, 1}), partitions.getNone());
  EXPECT_EQ(print(partitions.getAll()), "all");
  EXPECT_EQ(print(partitions.getNone()), "none");
  EXPECT_TRUE(partitions.get({0, 1, 0, 1}).areEqual(1, 3));
  EXPECT_FALSE(partitions.get({0, 1, 0, 1}).areEqual(0, 1));
  ReplicaPartitions one(1);
  EXPECT_EQ(one.getAll(), one.getNone());
  EXPECT_EQ(print(one.getNone()), "all");
}

TEST(ReplicaPartitionTest, ofGroups) {
  ReplicaPartitions partitions(6);
  ReplicaGroups groups = *ReplicaGroups::getStrided(6, 1, 3);
  EXPECT_EQ(print(partitions.getGroups(groups)), "{0,1,2}{3,4,5}");
  EXPECT_EQ(print(partitions.getIndices(groups)), "{0,3}{1,4}{2,5}");
}

TEST(ReplicaPartitionTest, meetIsEqualInBoth) {
  std::mt19937 random(3);
  for (int64_t numReplicas : kNumReplicas)
    for (int trial = 0; trial < 200; ++trial) {
      ReplicaPartitions partitions(numReplicas);
      ReplicaPartition a = makePartition(partitions, random),
                       b = makePartition(partitions, random);
      ReplicaPartition meet = partitions.meet(a, b);
      EXPECT_EQ(meet, partitions.meet(b, a));
      for (int64_t r = 0; r < numReplicas; ++r)
        for (int64_t s = 0; s < numReplicas; ++s)
          EXPECT_EQ(meet.areEqual(r, s), a.areEqual(r, s) && b.areEqual(r, s));
      EXPECT_EQ(partitions.isFiner(a, b), meet == a);
    }
}

TEST(ReplicaPartitionTest, combine) {
  check(combineInGroups, [](const Collectives &collectives, int64_t replica) {
    return collectives.allReduce(replica);
  });
  check(combineInGroups, [](const Collectives &collectives, int64_t replica) {
    return collectives.allGather(replica);
  });
}

TEST(ReplicaPartitionTest, scatter) {
  check(scatterInGroups, [](const Collectives &collectives, int64_t replica) {
    return collectives.reduceScatter(replica);
  });
  check(scatterInGroups, [](const Collectives &collectives, int64_t replica) {
    return collectives.allToAll(replica);
  });
}

TEST(ReplicaPartitionTest, reduceInAnyOrder) {
  check(reduceInGroups, [](Collectives collectives, int64_t replica) {
    collectives.anyOrder = true;
    return collectives.allReduce(replica);
  });
  check(reduceScatterInGroups, [](Collectives collectives, int64_t replica) {
    collectives.anyOrder = true;
    return collectives.reduceScatter(replica);
  });
}

TEST(ReplicaPartitionTest, slice) {
  check(sliceInGroups, [](const Collectives &collectives, int64_t replica) {
    return collectives.slice(replica);
  });
}

TEST(ReplicaPartitionTest, broadcast) {
  for (int64_t seed = 0; seed < 3; ++seed)
    check(
        [&](ReplicaPartitions &partitions, ReplicaPartition input,
            const ReplicaGroups &groups) {
          return broadcastInGroups(partitions, input, groups,
                                   seed % groups.getGroupSize());
        },
        [&](const Collectives &collectives, int64_t replica) {
          int64_t root = seed % collectives.groups.getGroupSize();
          return collectives.inputs[collectives.members(replica)[root]];
        });
}

TEST(ReplicaPartitionTest, permute) {
  std::mt19937 random(5);
  for (int64_t numReplicas : kNumReplicas)
    for (int trial = 0; trial < 200; ++trial) {
      ReplicaPartitions partitions(numReplicas);
      ReplicaPartition input = makePartition(partitions, random);
      std::vector<int64_t> targets(numReplicas);
      std::iota(targets.begin(), targets.end(), 0);
      std::shuffle(targets.begin(), targets.end(), random);
      Pairs pairs;
      for (int64_t source = 0; source < numReplicas; ++source)
        if (random() % 3 != 0)
          pairs.emplace_back(source, targets[source]);
      for (bool isGeneric : {true, false}) {
        Tensors tensors = makeTensors(input, 2, isGeneric, random);
        // No replica has the value that represents zeros.
        Tensors results(numReplicas, isGeneric ? Tensor{-1, -1} : Tensor{0, 0});
        for (auto [source, target] : pairs)
          results[target] = tensors[source];
        ReplicaPartition annotated = permuteReplicas(partitions, input, pairs),
                         found = findEqual(partitions, results);
        if (isGeneric) {
          EXPECT_EQ(print(annotated), print(found));
        }
        EXPECT_TRUE(partitions.isFiner(annotated, found));
      }
    }
}

// The examples in the documentation of the rules.
TEST(ReplicaPartitionTest, examples) {
  ReplicaPartitions partitions(4);
  ReplicaGroups pairs = *ReplicaGroups::getStrided(4, 1, 2),
                strided = *ReplicaGroups::getStrided(4, 2, 2),
                whole = ReplicaGroups::getAll(4);
  ReplicaPartition inPairs =
      combineInGroups(partitions, partitions.getNone(), pairs);
  EXPECT_EQ(print(inPairs), "{0,1}{2,3}");
  EXPECT_EQ(print(combineInGroups(partitions, inPairs, strided)), "all");
  EXPECT_EQ(print(scatterInGroups(partitions, partitions.getAll(), whole)),
            "none");
  EXPECT_EQ(print(scatterInGroups(partitions, partitions.getAll(), pairs)),
            "{0,2}{1,3}");
}

} // namespace
