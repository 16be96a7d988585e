//===- ReplicaClassesTest.cpp - Classes of replicas with equal bytes ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Memory/ReplicaClasses.h"

#include "gtest/gtest.h"
#include <random>

using namespace mlir;
using namespace mlir::ipu;

namespace {
constexpr int64_t kStart = 4;

/// Returns, for each replica, the first replica with equal bytes.
std::vector<int64_t> findFirst(ArrayRef<std::vector<char>> bytes) {
  std::vector<int64_t> keys;
  for (const std::vector<char> &own : bytes)
    keys.push_back(llvm::find(bytes, own) - bytes.begin());
  return keys;
}
} // namespace

TEST(ReplicaClassesTest, FindsWhatIsEqual) {
  std::mt19937 random(1);
  ThreadPool one(1), three(3);
  for (unsigned i = 0; i < 300; ++i) {
    int64_t replicas = 1 + random() % 12, size = random() % 9;
    ReplicaPartitions partitions(replicas);
    // There are few different values, so that some replicas are equal, and some
    // are equal only at the start.
    std::vector<std::vector<char>> bytes;
    std::vector<int64_t> keys;
    for (int64_t replica = 0; replica < replicas; ++replica) {
      keys.push_back(replica);
      if (replica > 0 && random() % 3 == 0) {
        keys.back() = keys[random() % replica];
        bytes.push_back(bytes[keys.back()]);
        continue;
      }
      bytes.emplace_back(size, 7);
      for (char &byte : bytes.back())
        if (random() % 6 == 0)
          byte = random() % 2;
    }
    ReplicaPartition known = partitions.get(keys);
    auto getBytes = [&](int64_t replica, bool isStart,
                        std::vector<char> &buffer) {
      buffer = bytes[replica];
      if (isStart)
        buffer.resize(std::min(size, kStart));
      return ArrayRef<char>(buffer);
    };
    ReplicaPartition expected = partitions.get(findFirst(bytes));
    for (ThreadPool *pool : {&one, &three})
      EXPECT_EQ(findEqualReplicas(partitions, known, getBytes, *pool),
                expected);
  }
}

TEST(ReplicaClassesTest, Members) {
  ReplicaPartitions partitions(5);
  ReplicaPartition partition = partitions.get({3, 1, 3, 0, 1});
  EXPECT_EQ(getLeastReplicas(partition), (std::vector<int64_t>{0, 1, 3}));
  auto members = getMembers(partition);
  ASSERT_EQ(members.size(), 3u);
  EXPECT_EQ(members[0], (SmallVector<int64_t, 4>{0, 2}));
  EXPECT_EQ(members[1], (SmallVector<int64_t, 4>{1, 4}));
  EXPECT_EQ(members[2], (SmallVector<int64_t, 4>{3}));
}
