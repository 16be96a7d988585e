//===- ComputeAtTest.cpp - Positions of known cases -----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tensors that a computeAt affects, and its effects on reductions,
// broadcasts and further consumers. Unless a comment says otherwise, the values
// are those of nvFuser's tests with the given names.
//
//===----------------------------------------------------------------------===//

#include "ComputeAtFixture.h"

using namespace mlir;
using namespace mlir::fuse;

TEST_F(ComputeAtTest, ChainAtEachPosition) {
  addChain("ab", 3);
  start();
  split("T3", 0, 4);
  const Schedule original = *s;
  for (int64_t p : {1, 2, 3, -1, -2}) {
    *s = original;
    computeAt("T1", "T3", p);
    std::string n = std::to_string(p < 0 ? p + 4 : p);
    EXPECT_EQ(positions(), "T1 " + n + "/0, T2 " + n + "/" + n + ", T3 0/" + n);
    EXPECT_EQ(loops("T1"), "T1[ao, ai, b]");
    EXPECT_EQ(loops("T2"), "T2[ao, ai, b]");
  }
  for (int64_t p : {0, -4}) {
    *s = original;
    computeAt("T1", "T3", p);
    EXPECT_EQ(positions(), "T1 0/0, T2 0/0, T3 0/0");
    EXPECT_EQ(loops("T1"), "T1[a, b]");
  }
  for (int64_t p : {4, -5})
    EXPECT_EQ(refuse("T1", "T3", p),
              "position " + std::to_string(p) +
                  " of 'T3' is out of range: expected -4 to 3 for the loops "
                  "T3[ao, ai, b]");
}

// FusionComputeAtMultiConsumers
TEST_F(ComputeAtTest, UnrelatedConsumers) {
  b.size('a', 512);
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.output("T2", "a", {{"T1", "a"}});
  b.output("T3", "a", {{"T1", "a"}});
  start();
  split("T3", 0, 128);
  computeAt("T1", "T3", 1);
  EXPECT_EQ(positions(), "T1 1/0, T2 0/1, T3 0/1");
  for (const char *name : {"T1", "T2", "T3"})
    EXPECT_EQ(loops(name), std::string(name) + "[ao, ai]");
}

// FusionComputeAtCommonConsumer1
TEST_F(ComputeAtTest, DiamondEndsAtTheCommonConsumer) {
  b.size('a', 512);
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "a", {{"T1", "a"}});
  b.add("T3", "a", {{"T1", "a"}});
  b.add("T4", "a", {{"T2", "a"}, {"T3", "a"}});
  b.output("T5", "a", {{"T4", "a"}});
  start();
  split("T3", 0, 128);
  computeAt("T1", "T3", 1);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 1/1, T4 0/1, T5 0/0");
  EXPECT_EQ(loops("T4"), "T4[ao, ai]");
  EXPECT_EQ(loops("T5"), "T5[a]");
}

namespace {
class LongArm : public ComputeAtTest {
protected:
  void addLongArm() {
    b.size('a', 64).size('b', 64);
    b.input("T0", "ab");
    b.add("T1", "ab", {{"T0", "ab"}});
    b.add("T2", "ab", {{"T1", "ab"}});
    b.add("T3", "ab", {{"T2", "ab"}});
    b.add("T4", "ab", {{"T1", "ab"}});
    b.output("T5", "ab", {{"T3", "ab"}, {"T4", "ab"}});
  }
  void schedule(StringRef name) {
    merge(name, 0);
    split(name, 0, 128);
    split(name, 0, 4);
  }
};
} // namespace

// FusionComputeAtCommonConsumer2
TEST_F(LongArm, BothArmsAreComputedAtTheSamePosition) {
  addLongArm();
  start();
  schedule("T3");
  computeAt("T1", "T3", 1);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 1/1, T4 1/1, T5 0/1");
  for (const char *name : {"T1", "T2", "T3", "T4", "T5"})
    EXPECT_EQ(rank(name), 3u);
}

// FusionComputeAtCommonConsumer3
TEST_F(LongArm, AnOutputBesideLeavesNoCommonConsumer) {
  addLongArm();
  b.output("T6", "ab", {{"T1", "ab"}});
  start();
  schedule("T3");
  computeAt("T1", "T3", 1);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 1/1, T4 1/1, T5 0/1, T6 0/1");
  for (const char *name : {"T1", "T2", "T3", "T4", "T5", "T6"})
    EXPECT_EQ(rank(name), 3u);
}

// FusionComputeAtNoCommonConsumer
TEST_F(LongArm, TwoLevelsWithoutACommonConsumer) {
  b.size('a', 64).size('b', 64);
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "ab", {{"T1", "ab"}});
  b.add("T3", "ab", {{"T1", "ab"}});
  b.add("T4", "ab", {{"T2", "ab"}, {"T3", "ab"}});
  b.output("T5", "ab", {{"T4", "ab"}});
  b.output("T6", "ab", {{"T1", "ab"}});
  start();
  schedule("T3");
  computeAt("T1", "T3", 1);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 1/1, T4 1/1, T5 0/1, T6 0/1");
}

// FusionAdvancedComputeAt1
TEST_F(ComputeAtTest, FromAnInputWithUsesOutside) {
  b.size('a', 64).size('b', 64);
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "ab", {{"T1", "ab"}});
  b.add("T3", "ab", {{"T1", "ab"}});
  b.add("T4", "ab", {{"T1", "ab"}});
  b.add("T5", "ab", {{"T3", "ab"}, {"T2", "ab"}});
  b.output("T6", "ab", {{"T5", "ab"}, {"T4", "ab"}});
  b.output("T7", "ab", {{"T1", "ab"}, {"T4", "ab"}});
  start();
  merge("T7", 0);
  split("T7", 0, 128);
  split("T7", 0, 4);
  computeAt("T0", "T7", 1);
  EXPECT_EQ(positions(),
            "T1 1/0, T2 1/1, T3 1/1, T4 1/1, T5 1/1, T6 0/1, T7 0/1");
  EXPECT_EQ(rank("T6"), 3u);
}

// A tensor that is connected to the others only by the input that it reads also
// gets equal loops.
TEST_F(ComputeAtTest, FromAnInputToABranchBeside) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.output("T2", "a r:b", {{"T1", "ab"}});
  b.output("T3", "ab", {{"X", "ab"}});
  start();
  computeAt("X", "T3", 2);
  EXPECT_EQ(positions(), "T1 2/0, T2 0/2, T3 0/0");
  EXPECT_EQ(loops("X"), "X[a, b]");
}

// The branch gets the loops of the consumer, also if the input does not have
// all of them.
TEST_F(ComputeAtTest, FromAnInputWithSplitLoops) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.output("T2", "a r:b", {{"T1", "ab"}});
  b.output("T3", "ab", {{"X", "ab"}});
  start();
  reorder("T3", {1, 0});
  split("T3", 1, 4);
  computeAt("X", "T3", 2);
  EXPECT_EQ(loops("T1"), "T1[b, ao, ai]");
  EXPECT_EQ(loops("T2"), "T2[r:b, ao, ai]");
  EXPECT_EQ(loops("X"), "X[a, b]");
}

// FusionComputeAtNonterminatingOutput
TEST_F(ComputeAtTest, OutputWithUses) {
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.output("T2", "a", {{"T1", "a"}});
  b.output("T3", "a", {{"T1", "a"}});
  b.output("T4", "a", {{"T3", "a"}});
  start();
  computeAt("T0", "T2", -1);
  EXPECT_EQ(positions(), "T1 1/0, T2 0/1, T3 1/1, T4 0/1");
}

// FusionReductionMultiConsumer. Standard mode also accepts the request, because
// only the producer and the tensors between producer and consumer must reach
// the position.
TEST_F(ComputeAtTest, TwoReductionsOfOneProducer) {
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.add("T3", "a r:b", {{"T1", "ab"}});
  b.output("T4", "a", {{"T2", "a"}, {"T3", "a"}});
  start();
  const Schedule original = *s;
  for (InlineMode mode : {InlineMode::Standard, InlineMode::BestEffort,
                          InlineMode::MostInlined}) {
    *s = original;
    computeAt("T1", "T2", -1, mode);
    EXPECT_EQ(positions(), "T1 2/0, T2 1/2, T3 1/2, T4 0/1");
    EXPECT_EQ(loops("T2"), "T2[a, r:b]");
    EXPECT_EQ(loops("T3"), "T3[a, r:b]");
    EXPECT_EQ(loops("T4"), "T4[a]");
  }
}

TEST_F(ComputeAtTest, TwoBroadcastsOfOneProducer) {
  b.input("T0", "a");
  b.input("X", "ab");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "ab", {{"T1", "a"}});
  b.add("T3", "ab", {{"T1", "a"}});
  b.output("T4", "ab", {{"T2", "ab"}, {"T3", "ab"}, {"X", "ab"}});
  start();
  const Schedule original = *s;
  computeAt("T1", "T2", -1, InlineMode::Standard, /*hoist=*/true);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 1/1, T4 0/1");
  *s = original;
  computeAt("T1", "T2", -1);
  EXPECT_EQ(positions(), "T1 1/0, T2 2/1, T3 2/1, T4 0/2");
}

TEST_F(ComputeAtTest, TwoOuterBroadcastsOfOneProducer) {
  b.input("T0", "a");
  b.input("X", "ba");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "ba", {{"T1", "a"}});
  b.add("T3", "ba", {{"T1", "a"}});
  b.output("T4", "ba", {{"T2", "ba"}, {"T3", "ba"}, {"X", "ba"}});
  start();
  computeAt("T1", "T2", -1);
  EXPECT_EQ(positions(), "T1 1/0, T2 2/2, T3 2/2, T4 0/2");
}

TEST_F(ComputeAtTest, ReductionInAChain) {
  b.input("T0", "abc");
  b.add("T1", "abc", {{"T0", "abc"}});
  b.add("T2", "a r:b c", {{"T1", "abc"}});
  b.output("T3", "ac", {{"T2", "ac"}});
  start();
  computeAt("T1", "T2", 2);
  EXPECT_EQ(positions(), "T1 2/0, T2 0/2, T3 0/0");
  EXPECT_EQ(matchPosition(*s, id("T2"), id("T3"), 2,
                          ReplayDirection::ConsumerAsProducer),
            1u);
}

TEST_F(ComputeAtTest, BroadcastInAChain) {
  b.input("T0", "ac");
  b.input("X", "abc");
  b.add("T1", "ac", {{"T0", "ac"}});
  b.add("T2", "abc", {{"T1", "ac"}});
  b.output("T3", "abc", {{"T2", "abc"}, {"X", "abc"}});
  start();
  const Schedule original = *s;
  computeAt("T1", "T3", 2);
  EXPECT_EQ(positions(), "T1 1/0, T2 2/1, T3 0/2");
  *s = original;
  computeAt("T1", "T3", 2, InlineMode::Standard, /*hoist=*/true);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 0/1");
}

TEST_F(ComputeAtTest, ReductionBesideAPointwiseConsumer) {
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.output("T3", "ab", {{"T1", "ab"}});
  b.output("T5", "a", {{"T2", "a"}});
  start();
  computeAt("T1", "T3", 2);
  EXPECT_EQ(positions(), "T1 2/0, T2 1/2, T3 0/2, T5 0/1");
}

// FusionRootMappingReductionDependency2
TEST_F(ComputeAtTest, Normalization) {
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.add("T3", "ab", {{"T2", "a"}});
  b.output("T4", "ab", {{"T1", "ab"}, {"T3", "ab"}});
  start();
  EXPECT_EQ(refuse("T1", "T4", 2),
            "'T1' cannot be computed at position 2, only at positions up to 1: "
            "axis 'b' of 'T1' cannot share a loop with its consumers 'T2' and "
            "'T4': 'T4' needs the result of 'T2', which reduces over this "
            "axis; 'T2' reads 'T1'; 'T4' reads 'T1' and comes after 'T2'");
  computeAt("T1", "T4", 1);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 1/1, T4 0/1");
}

// FusionIssue1305Repro
TEST_F(ComputeAtTest, NormalizationOfASumThatIsReadTwice) {
  b.input("t0", "b");
  b.input("t1", "ab");
  b.add("t2", "ab", {{"t0", "b"}});
  b.add("t3", "ab", {{"t1", "ab"}, {"t2", "ab"}});
  b.add("t4", "ab", {{"t3", "ab"}, {"t2", "ab"}});
  b.add("t5", "a r:b", {{"t4", "ab"}});
  b.add("t6", "ab", {{"t5", "a"}});
  b.output("t7", "ab", {{"t3", "ab"}, {"t6", "ab"}});
  start();
  computeAt("t3", "t7", -1, InlineMode::MostInlined);
  EXPECT_EQ(s->getTensor(id("t3")).computeAt, 1u);
}

// FusionSoftmaxComputeAt
TEST_F(ComputeAtTest, TwoReductionsInARow) {
  b.input("T0", "ab");
  b.add("T1", "a r:b", {{"T0", "ab"}});
  b.add("T2", "ab", {{"T1", "a"}});
  b.add("T3", "ab", {{"T0", "ab"}});
  b.add("T4", "ab", {{"T2", "ab"}, {"T3", "ab"}});
  b.add("T5", "a r:b", {{"T4", "ab"}});
  b.add("T6", "ab", {{"T5", "a"}});
  b.output("T7", "ab", {{"T6", "ab"}, {"T4", "ab"}});
  start();
  EXPECT_TRUE(StringRef(refuse("T1", "T7", -1))
                  .starts_with("'T4' cannot be computed at position 2, only at "
                               "positions up to 1: "));
  computeAt("T1", "T7", 1);
  EXPECT_EQ(positions(),
            "T1 1/0, T2 1/1, T3 0/0, T4 1/1, T5 1/1, T6 1/1, T7 0/1");
}
