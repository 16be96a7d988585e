//===- ScheduleTest.cpp - Tests of schedules and their transforms ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"
#include "ScheduleBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::fuse;

namespace {

std::string getExtents(const Schedule &schedule, TensorId tensor) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(schedule.getTensor(tensor).loop, os, [&](AxisId axis) {
    os << schedule.getAxis(axis).extent;
  });
  return text;
}

std::string getNames(const Schedule &schedule, ArrayRef<AxisId> axes) {
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(axes, os,
                        [&](AxisId axis) { os << schedule.formatAxis(axis); });
  return text;
}

/// T1 -> T2 = sum over b -> T3 = T2 broadcast along b -> T4 = T1 + T3.
struct NormalisationTest : testing::Test {
  void SetUp() override {
    t0 = b.input("T0", "ab");
    t1 = b.add("T1", "ab", {{"T0", "ab"}});
    t2 = b.add("T2", "a r:b", {{"T1", "ab"}});
    t3 = b.add("T3", "ab", {{"T2", "a"}});
    t4 = b.output("T4", "ab", {{"T1", "ab"}, {"T3", "ab"}});
    s = b.build();
  }
  ScheduleBuilder b;
  Schedule s{b.getContext()};
  TensorId t0, t1, t2, t3, t4;
};

TEST_F(NormalisationTest, PrintsAxesAndPositions) {
  EXPECT_EQ(s.format(t2), "T2[a, r:b]");
  EXPECT_EQ(s.format(t3), "T3[a, b:b]");
  EXPECT_EQ(s.formatWithPositions(t4), "T4 [a, b] @0/0");
  s.getTensor(t1).computeAt = 1;
  s.getTensor(t2).computeAt = 1;
  EXPECT_EQ(s.formatWithPositions(t2), "T2 [a, r:b] @1/1");
  ASSERT_FALSE(s.setLoopType(t4, -1, LoopType::Vectorize));
  EXPECT_EQ(s.formatWithPositions(t4), "T4 [a, b:vectorize] @0/1");
}

TEST_F(NormalisationTest, KnowsNeighboursAndOrder) {
  EXPECT_EQ(s.lookup("T3"), t3);
  EXPECT_EQ(s.lookup("T9"), std::nullopt);
  EXPECT_EQ(s.getConsumers(t1), (ArrayRef<TensorId>{t2, t4}));
  EXPECT_EQ(s.getProducers(t4), (SmallVector<TensorId>{t1, t3}));
  // An input that is added late still comes before all computed tensors.
  Tensor late;
  late.name = "T5";
  late.isInput = true;
  late.root = {s.addAxis("c", getAffineConstantExpr(4, b.getContext()))};
  TensorId t5 = s.addTensor(late);
  EXPECT_EQ(s.getProgramOrder(), (ArrayRef<TensorId>{t0, t5, t1, t2, t3, t4}));
  EXPECT_EQ(s.getOrdinal(t5), 1u);
  EXPECT_EQ(s.getOrdinal(t4), 5u);
  EXPECT_EQ(s.getTensor(t5).logical.front(), late.root);
}

TEST(ScheduleTest, InfersBroadcasts) {
  ScheduleBuilder b;
  b.size('o', 1);
  b.input("X", "ab");
  b.input("One", "o");
  TensorId twice = b.add("Twice", "cab", {{"X", "ab"}});
  TensorId next = b.add("Next", "cab", {{"Twice", "cab"}});
  TensorId resolved = b.add("Resolved", "ab", {{"Next", "cab"}});
  TensorId window = b.add("Window", "dc", {{"Next", "?ab"}});
  TensorId unit = b.add("Unit", "ob", {{"X", "ob"}, {"One", "o"}});
  TensorId out = b.output("Out", "cab", {{"Next", "cab"}});
  Schedule s = b.build();
  EXPECT_EQ(s.format(twice), "Twice[b:c, a, b]");
  EXPECT_EQ(s.format(next), "Next[b:c, a, b]");
  EXPECT_EQ(s.format(resolved), "Resolved[a, b]");
  // The axes that index the window are not known.
  EXPECT_EQ(s.format(window), "Window[d, c]");
  EXPECT_EQ(s.format(unit), "Unit[b:o, b]");
  // A stored tensor has elements along all axes.
  EXPECT_EQ(s.format(out), "Out[c, a, b]");
}

TEST(ScheduleTest, IndicesMakeAllAxesVary) {
  ScheduleBuilder b;
  b.input("X", "a");
  TensorId t = b.add("T", "ab", {{"X", "a"}});
  Schedule s = b.build();
  EXPECT_EQ(s.format(t), "T[a, b:b]");
  s.getTensor(t).usesIndices = true;
  s.inferBroadcasts();
  EXPECT_EQ(s.format(t), "T[a, b]");
}

TEST(ScheduleTest, InferringBroadcastsReachesProducts) {
  ScheduleBuilder b;
  b.input("X", "a");
  TensorId t = b.add("T", "abc", {{"X", "a"}});
  Schedule s = b.build();
  ASSERT_FALSE(s.split(t, 1, 4));
  ASSERT_FALSE(s.merge(t, 0, 3));
  EXPECT_EQ(s.format(t), "T[(a*c), b:bo, b:bi]");
  s.getTensor(t).isOutput = true;
  s.inferBroadcasts();
  EXPECT_EQ(s.format(t), "T[(a*c), bo, bi]");
}

TEST(ScheduleTest, Splits) {
  ScheduleBuilder b;
  b.size('a', 100).size('s', 0);
  b.input("X", "as");
  TensorId t = b.output("T", "as", {{"X", "as"}});
  Schedule s = b.build();
  ASSERT_FALSE(s.split(t, 0, 32));
  EXPECT_EQ(s.format(t), "T[ao, ai, s]");
  EXPECT_EQ(getExtents(s, t), "4, 32, s0");
  ASSERT_FALSE(s.split(t, -1, 3, /*inner=*/false));
  EXPECT_EQ(s.format(t), "T[ao, ai, so, si]");
  EXPECT_EQ(getExtents(s, t), "4, 32, 3, s0 ceildiv 3");
  // A factor may exceed the extent.
  ASSERT_FALSE(s.split(t, 1, kMaxSplitFactor));
  EXPECT_EQ(getExtents(s, t), "4, 1, 4294967296, 3, s0 ceildiv 3");
  ASSERT_FALSE(s.split(t, 0, kMaxSplitFactor));
  EXPECT_EQ(describe(s.merge(t, 1, 3)),
            "cannot merge loops 'aoi' and 'aii' of tensor 'T': the extent "
            "4294967296 * 4294967296 does not fit into 64 bits");
}

TEST(ScheduleTest, MergesAndReorders) {
  ScheduleBuilder b;
  b.size('a', 3).size('b', 5).size('s', 0).size('t', 0);
  b.input("X", "abst");
  TensorId t = b.output("T", "abst", {{"X", "abst"}});
  Schedule s = b.build();
  ASSERT_FALSE(s.merge(t, 2, 0));
  EXPECT_EQ(s.format(t), "T[b, (s*a), t]");
  EXPECT_EQ(getExtents(s, t), "5, s0 * 3, s1");
  ASSERT_FALSE(s.merge(t, -2, -1));
  EXPECT_EQ(getExtents(s, t), "5, (s0 * s1) * 3");
  ASSERT_FALSE(s.reorder(t, {1, 0}));
  EXPECT_EQ(s.format(t), "T[((s*a)*t), b]");
  EXPECT_EQ(getNames(s, s.getRoots(s.getTensor(t).loop)), "s, a, t, b");
  EXPECT_EQ(s.getHistory(s.getTensor(t).loop).size(), 2u);
  AxisId inner = s.getExpr(0).outputs[0];
  EXPECT_EQ(s.getHistory(s.getTensor(t).loop, {inner}).size(), 1u);
}

TEST(ScheduleTest, RefusesBadRequests) {
  ScheduleBuilder b;
  b.input("X", "ab");
  TensorId t = b.add("T", "a r:b", {{"X", "ab"}});
  TensorId z = b.output("Z", "", {{"T", "?"}});
  Schedule s = b.build();
  EXPECT_EQ(describe(s.split(t, 2, 4)),
            "tensor 'T' has no loop 2: expected -2 to 1");
  EXPECT_EQ(describe(s.split(t, INT64_MIN, 4)),
            "tensor 'T' has no loop -9223372036854775808: expected -2 to 1");
  EXPECT_EQ(describe(s.split(z, 0, 4)),
            "tensor 'Z' has no loop 0: it has no loops");
  EXPECT_EQ(describe(s.split(t, 0, 0)),
            "cannot split loop 'a' of tensor 'T' by 0: expected a positive "
            "factor");
  EXPECT_EQ(describe(s.merge(t, 0, 1)),
            "cannot merge loops 'a' and 'b' of tensor 'T': only 'b' is a "
            "reduction: expected both or neither to be reductions");
  EXPECT_EQ(describe(s.merge(t, 0, 0)),
            "cannot merge loops 'a' and 'a' of tensor 'T': expected two "
            "different loops");
  EXPECT_EQ(describe(s.merge(t, 0, 7)),
            "tensor 'T' has no loop 7: expected -2 to 1");
  EXPECT_EQ(describe(s.reorder(t, {0, -2})),
            "the order of the loops of tensor 'T' has loop 0 twice");
  EXPECT_EQ(describe(s.reorder(t, {1})),
            "the order of the loops of tensor 'T' has 1 loops: expected all 2");
  EXPECT_EQ(describe(s.reorder(t, {0, 2})),
            "tensor 'T' has no loop 2: expected -2 to 1");
  ASSERT_FALSE(s.setLoopType(t, 0, LoopType::Parallel));
  EXPECT_EQ(describe(s.split(t, 0, 4)),
            "cannot split loop 'a' of tensor 'T': expected type serial but got "
            "parallel");
  EXPECT_EQ(describe(s.setLoopType(t, 5, LoopType::Unroll)),
            "tensor 'T' has no loop 5: expected -2 to 1");
  EXPECT_EQ(s.format(t), "T[a:parallel, r:b]");
}

TEST_F(NormalisationTest, NormalizesPositions) {
  EXPECT_EQ(s.normalizePosition(t1, -1), 2u);
  EXPECT_EQ(s.normalizePosition(t1, -3), 0u);
  EXPECT_EQ(s.normalizePosition(t1, -4), std::nullopt);
  EXPECT_EQ(s.normalizePosition(t1, 2), 2u);
  EXPECT_EQ(s.normalizePosition(t1, 3), std::nullopt);
  EXPECT_EQ(s.normalizePosition(t1, INT64_MIN), std::nullopt);
  EXPECT_EQ(s.normalizeAxis(t1, -2), 0u);
  EXPECT_EQ(s.normalizeAxis(t1, 2), std::nullopt);
}

TEST_F(NormalisationTest, SharedLoopsAreFrozen) {
  s.getTensor(t1).computeAt = 1;
  EXPECT_EQ(s.getNumFrozenLoops(t1), 1u);
  EXPECT_EQ(s.getNumFrozenLoops(t2), 1u);
  EXPECT_EQ(s.getNumFrozenLoops(t3), 0u);
  EXPECT_EQ(describe(s.split(t2, 0, 4)),
            "cannot split loop 'a' of tensor 'T2': the first loop of T2[a, "
            "r:b] is frozen; "
            "tensor 'T1' is computed at position 1 of the loops of its "
            "consumer 'T2'");
  EXPECT_EQ(describe(s.split(t1, 0, 4)),
            "cannot split loop 'a' of tensor 'T1': the first loop of T1[a, "
            "b] is frozen; "
            "tensor 'T1' is computed at position 1 of the loops of its "
            "consumer 'T2'; "
            "tensor 'T1' is computed at position 1 of the loops of its "
            "consumer 'T4'");
  EXPECT_EQ(describe(s.merge(t4, 1, 0)),
            "cannot merge loop 'a' of tensor 'T4': the first loop of T4[a, "
            "b] is frozen; "
            "tensor 'T1' is computed at position 1 of the loops of its "
            "consumer 'T4'");
  EXPECT_TRUE(s.reorder(t4, {1, 0}));
  EXPECT_TRUE(s.setLoopType(t4, 0, LoopType::Vectorize));
  EXPECT_FALSE(s.setLoopType(t4, 0, LoopType::Parallel));
  // Loops after the position may be changed.
  EXPECT_FALSE(s.split(t2, 1, 4));
  EXPECT_FALSE(s.reorder(t2, {0, 2, 1}));
  EXPECT_EQ(s.format(t2), "T2[a, r:bi, r:bo]");
}

TEST_F(NormalisationTest, ComputeWithFreezesToo) {
  s.getTensor(t1).computeWith = 2;
  EXPECT_EQ(s.getMaxProducer(t2), 0u);
  EXPECT_EQ(s.getNumFrozenLoops(t2), 2u);
  EXPECT_EQ(s.getNumFrozenLoops(t1), 2u);
}

TEST(ScheduleTest, ComparesPrefixes) {
  ScheduleBuilder b;
  b.input("X", "ab");
  TensorId t = b.output("T", "ab", {{"X", "ab"}});
  Schedule s = b.build();
  ASSERT_FALSE(s.split(t, 0, 4));
  ASSERT_FALSE(s.merge(t, 1, 2));
  SmallVector<AxisId> old = s.getTensor(t).loop;
  SmallVector<AxisId> root = s.getTensor(t).root;
  auto make = [&](int64_t factor, bool inner) -> SmallVector<AxisId> {
    auto [outer, in] = s.makeSplit(root[0], factor, inner);
    return {outer, s.makeMerge(in, root[1])};
  };
  EXPECT_TRUE(s.isSamePrefix(old, make(4, true), 2));
  EXPECT_FALSE(s.isSamePrefix(old, make(2, true), 1));
  EXPECT_FALSE(s.isSamePrefix(old, make(4, false), 1));
  SmallVector<AxisId> other = make(4, true);
  std::swap(other[0], other[1]);
  EXPECT_FALSE(s.isSamePrefix(old, other, 1));
  EXPECT_TRUE(s.isSamePrefix(old, other, 0));
  EXPECT_FALSE(s.isSamePrefix(old, other, 3));
}

//===----------------------------------------------------------------------===//
// Rfactor
//===----------------------------------------------------------------------===//

TEST(RFactorTest, SumOfPartialSums) {
  ScheduleBuilder b;
  b.size('b', 100);
  TensorId x = b.input("X", "ab");
  TensorId t = b.add("T", "a r:b", {{"X", "ab"}});
  TensorId out = b.output("Out", "a", {{"T", "a"}});
  Schedule s = b.build();
  ASSERT_FALSE(s.split(t, 1, 32));
  TensorId partial;
  ASSERT_FALSE(s.rfactor(t, {1}, partial));
  EXPECT_EQ(s.format(partial), "T_rf[a, r:bo, bi]");
  EXPECT_EQ(s.format(t), "T[a, r:bi]");
  EXPECT_EQ(getExtents(s, t), "8, 32");
  const Tensor &first = s.getTensor(partial);
  EXPECT_EQ(getNames(s, first.root), "a, r:b");
  EXPECT_EQ(getNames(s, first.logical[0]), "a, bi");
  EXPECT_EQ(getNames(s, s.getLogicalWithReductions(partial)), "a, r:bo, bi");
  EXPECT_EQ(first.frozen.size(), 1u);
  EXPECT_EQ(getNames(s, s.getTensor(t).root), "a, r:bi");
  EXPECT_EQ(getNames(s, s.getTensor(t).logical[0]), "a");
  // Check the graph and its order.
  EXPECT_EQ(s.lookup("T_rf"), partial);
  EXPECT_EQ(s.getProgramOrder(), (ArrayRef<TensorId>{x, partial, t, out}));
  EXPECT_EQ(s.getConsumers(x), ArrayRef<TensorId>{partial});
  EXPECT_EQ(s.getConsumers(partial), ArrayRef<TensorId>{t});
  EXPECT_EQ(s.getProducers(t), SmallVector<TensorId>{partial});
  EXPECT_EQ(s.getConsumers(t), ArrayRef<TensorId>{out});
}

TEST(RFactorTest, KeepsTheRestOfTheSchedule) {
  ScheduleBuilder b;
  b.input("X", "abc");
  TensorId t = b.output("T", "r:b a r:c", {{"X", "abc"}});
  Schedule s = b.build();
  // [bo, bi, ao, ai, c] -> [ao, bo, ai, (bi*c)]
  ASSERT_FALSE(s.split(t, 0, 4));
  ASSERT_FALSE(s.split(t, 2, 2));
  ASSERT_FALSE(s.merge(t, 1, 4));
  ASSERT_FALSE(s.reorder(t, {2, 0, 3, 1}));
  ASSERT_EQ(s.format(t), "T[ao, r:bo, ai, r:(bi*c)]");
  Schedule other = s;

  TensorId partial;
  ASSERT_FALSE(s.rfactor(t, {1}, partial));
  EXPECT_EQ(s.format(partial), "T_rf[ao, r:bo, ai, (bi*c)]");
  EXPECT_EQ(getNames(s, s.getTensor(partial).logical[0]), "a, bi, c");
  EXPECT_EQ(getNames(s, s.getTensor(t).root), "r:bi, a, r:c");
  EXPECT_EQ(s.format(t), "T[ao, ai, r:(bi*c)]");

  ASSERT_FALSE(other.rfactor(t, {3}, partial));
  EXPECT_EQ(other.format(partial), "T_rf[ao, bo, ai, r:(bi*c)]");
  EXPECT_EQ(getNames(other, other.getTensor(partial).logical[0]), "a, bo");
  EXPECT_EQ(getNames(other, other.getLogicalWithReductions(partial)),
            "bo, r:(bi*c), a");
  EXPECT_EQ(other.getTensor(partial).frozen.size(), 2u);
  EXPECT_EQ(other.format(t), "T[ao, r:bo, ai]");
}

TEST(RFactorTest, InitialValuesGoToTheFinalTensor) {
  ScheduleBuilder b;
  TensorId x = b.input("X", "ab");
  TensorId start = b.input("Start", "a");
  TensorId t = b.output("T", "a r:b", {{"X", "ab"}, {"Start", "a"}});
  Schedule s = b.build();
  s.getTensor(t).operands[1].isInit = true;
  ASSERT_FALSE(s.split(t, 1, 4));
  TensorId partial;
  ASSERT_FALSE(s.rfactor(t, {2}, partial));
  EXPECT_EQ(s.getProducers(partial), SmallVector<TensorId>{x});
  EXPECT_EQ(s.getProducers(t), (SmallVector<TensorId>{partial, start}));
  EXPECT_EQ(s.getConsumers(start), ArrayRef<TensorId>{t});
  EXPECT_EQ(s.format(t), "T[a, r:bo]");
  // The reads name axes of the new iteration space.
  for (const Operand &operand : s.getTensor(t).operands)
    for (std::optional<AxisId> axis : operand.axes)
      EXPECT_TRUE(llvm::is_contained(s.getTensor(t).root, *axis));
}

TEST(RFactorTest, Twice) {
  ScheduleBuilder b;
  b.input("X", "abc");
  TensorId t = b.output("T", "a r:b r:c", {{"X", "abc"}});
  Schedule s = b.build();
  TensorId first, second;
  ASSERT_FALSE(s.split(t, 1, 4));
  ASSERT_FALSE(s.rfactor(t, {1, 2}, first));
  EXPECT_EQ(s.format(first), "T_rf[a, r:bo, r:bi, c]");
  ASSERT_FALSE(s.rfactor(first, {1}, second));
  EXPECT_EQ(s.format(second), "T_rf_rf[a, r:bo, bi, c]");
  EXPECT_EQ(getNames(s, s.getTensor(second).logical[0]), "a, c, bi");
  EXPECT_EQ(s.format(first), "T_rf[a, r:bi, c]");
  EXPECT_EQ(s.format(t), "T[a, r:c]");
}

TEST(RFactorTest, RefusesBadRequests) {
  ScheduleBuilder b;
  b.input("X", "ab");
  TensorId p = b.add("P", "ab", {{"X", "ab"}});
  TensorId t = b.output("T", "a r:b", {{"P", "ab"}});
  Schedule s = b.build();
  TensorId partial;
  EXPECT_EQ(describe(s.rfactor(p, {1}, partial)),
            "cannot rfactor tensor 'P': it has no reduction");
  EXPECT_EQ(describe(s.rfactor(t, {1}, partial)),
            "cannot rfactor tensor 'T': expected at least one reduction "
            "loop of T[a, r:b] to remain");
  EXPECT_EQ(describe(s.rfactor(t, {0}, partial)),
            "cannot rfactor tensor 'T': loop 'a' is not a reduction");
  EXPECT_EQ(describe(s.rfactor(t, {}, partial)),
            "cannot rfactor tensor 'T': expected at least one reduction loop");
  EXPECT_EQ(describe(s.rfactor(t, {4}, partial)),
            "tensor 'T' has no loop 4: expected -2 to 1");
  ASSERT_FALSE(s.split(t, 1, 4));
  EXPECT_EQ(describe(s.rfactor(t, {1, -2}, partial)),
            "cannot rfactor tensor 'T': loop 'bo' is given twice");
  s.getTensor(p).computeAt = 1;
  EXPECT_EQ(describe(s.rfactor(t, {1}, partial)),
            "cannot rfactor a reduction of tensor 'T': the first loop of "
            "T[a, r:bo, r:bi] is frozen; "
            "tensor 'P' is computed at position 1 of the loops of its "
            "consumer 'T'");
  EXPECT_EQ(s.getNumTensors(), 3u);
}

} // namespace
