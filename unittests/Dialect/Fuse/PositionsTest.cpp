//===- PositionsTest.cpp - Limits, propagation, computeWith ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests of the single parts of computeAt, and of refused requests.
//
//===----------------------------------------------------------------------===//

#include "ComputeAtFixture.h"

using namespace mlir;
using namespace mlir::fuse;

//===----------------------------------------------------------------------===//
// Affected tensors
//===----------------------------------------------------------------------===//

TEST_F(ComputeAtTest, AffectedOfManyDiamonds) {
  // 40 diamonds have 2^40 chains of uses.
  b.input("D0", "a");
  for (unsigned i = 0; i < 40; ++i) {
    std::string from = "D" + std::to_string(i);
    std::string left = "L" + std::to_string(i);
    std::string right = "R" + std::to_string(i);
    b.add(left, "a", {{from, "a"}});
    b.add(right, "a", {{from, "a"}});
    b.add("D" + std::to_string(i + 1), "a", {{left, "a"}, {right, "a"}}, false,
          i == 39);
  }
  start();
  EXPECT_EQ(getAffected(*s, id("D1"), id("L20")).count(), 60u);
  EXPECT_EQ(getAffected(*s, id("D1"), id("D20")).count(), 57u);
  computeAt("D1", "D40", 1);
  EXPECT_EQ(s->getTensor(id("R1")).computeAt, 1u);
}

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

namespace {
/// linalg does not have the reshapes of nvFuser's test. The tensors between the
/// reshapes are the same.
class NormalizationOverTwoAxes : public ComputeAtTest {
protected:
  void SetUp() override {
    b.size('b', 64).size('c', 64);
    b.input("T0", "abc");
    b.add("T1", "abc", {{"T0", "abc"}});
    b.add("T2", "a r:b r:c", {{"T1", "abc"}});
    b.add("T3", "a", {{"T2", "a"}});
    b.add("T4", "abc", {{"T3", "a"}});
    b.add("T5", "abc", {{"T1", "abc"}, {"T4", "abc"}});
    b.output("T6", "abc", {{"T5", "abc"}});
    start();
  }
  void schedule() {
    for (const char *name : {"T1", "T2", "T4", "T5", "T6"}) {
      merge(name, 1);
      split(name, 1, 4);
      split(name, 1, 128);
    }
  }
  std::string getLimits() {
    RootDomainMap map(*s);
    std::string text;
    for (const char *name : {"T1", "T2", "T3", "T4", "T5"})
      text += std::to_string(
          getMaxPosition(*s, map, id(name), InlineMode::BestEffort));
    return text;
  }
};
} // namespace

// GetMaxPosAllNormalization
TEST_F(NormalizationOverTwoAxes, Limits) {
  EXPECT_EQ(getLimits(), "11133");
  schedule();
  EXPECT_EQ(getLimits(), "11144");
}

// ProducerPosNormalization
TEST_F(NormalizationOverTwoAxes, InlineMost) {
  schedule();
  inlineMost();
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 1/1, T4 1/1, T5 4/1, T6 0/4");
}

// ProducerPosWithBroadcast. nvFuser's test sets the loops of tv2 directly;
// here, the merge with a broadcast is forwarded.
TEST_F(ComputeAtTest, FlattenedBroadcast) {
  b.size('a', 64);
  b.input("T0", "ab");
  b.input("T1", "a");
  b.add("T2", "a", {{"T1", "a"}});
  b.add("T3", "ab", {{"T2", "a"}});
  b.output("T4", "ab", {{"T0", "ab"}, {"T3", "ab"}});
  start();
  for (const char *name : {"T3", "T4"})
    merge(name, 0);
  for (const char *name : {"T2", "T3", "T4"})
    split(name, 0, 32);
  ok(inlineAt(*s, id("T2"), -1));
  expectLegal();
  EXPECT_EQ(positions(), "T2 2/0, T3 0/2, T4 0/0");
}

// GetMaxProducerPosFromConsumerWithReshape
TEST_F(ComputeAtTest, UnrolledAndVectorizedLoopsAreClosed) {
  addChain("ab", 2);
  start();
  for (const char *name : {"T1", "T2"})
    split(name, 1, 4);
  auto limit = [&](InlineMode mode) {
    return getMaxPosition(*s, RootDomainMap(*s), id("T1"), mode);
  };
  EXPECT_EQ(limit(InlineMode::BestEffort), 3u);
  ok(s->setLoopType(id("T2"), 2, LoopType::Unroll));
  EXPECT_EQ(limit(InlineMode::BestEffort), 2u);
  EXPECT_EQ(limit(InlineMode::Standard), 3u);
  ok(s->setLoopType(id("T2"), 2, LoopType::Vectorize));
  EXPECT_EQ(limit(InlineMode::Standard), 2u);
  EXPECT_EQ(
      refuse("T1", "T2", 3),
      "'T1' cannot be computed at position 3, only at positions up to 2: loop "
      "'bi' of 'T1' corresponds to loop 'bi:vectorize' of 'T2', which is of "
      "type 'vectorize'; the consumer has the loops T2[a, bo, bi:vectorize]");
}

// InliningPosWithVectorizedCastOps. Each limit alone allows t2 @2.
TEST_F(ComputeAtTest, LimitOfAnIntermediateTensorCounts) {
  b.input("t0", "ab");
  b.add("t2", "ab", {{"t0", "ab"}});
  b.add("t3", "ab", {{"t2", "ab"}});
  b.add("t4", "ab", {{"t3", "ab"}});
  b.add("t5", "ab", {{"t4", "ab"}});
  b.output("t7", "ab", {{"t5", "ab"}, {"t2", "ab"}});
  start();
  ok(s->setLoopType(id("t4"), 1, LoopType::Vectorize));
  RootDomainMap map(*s);
  EXPECT_EQ(getMaxPosition(*s, map, id("t2"), InlineMode::BestEffort), 2u);
  const Schedule original = *s;
  inlineMost();
  EXPECT_EQ(positions(), "t2 1/0, t3 1/1, t4 1/1, t5 2/1, t7 0/2");
  *s = original;
  MaybeViolation violation = inlineAt(*s, id("t2"), 2);
  EXPECT_EQ(describe(violation),
            "'t2' cannot be computed at position 2, only at positions up to 0: "
            "loop 'a' of 't2' cannot be shared with all consumers: a path from "
            "'t3' to 't7' leaves the loop and enters it again; 't4' reads "
            "'t3'; 't5' reads 't4'; 't7' reads 't5'");
}

// FusionRootMappingConsumerMappedWithReductionInput. T7 or T2 must be outside
// of the inner loop, although no path from T7 goes through the sum. The
// positions determine which one is outside. Therefore the map of axes does not.
TEST_F(ComputeAtTest, IndirectConflictWithAReduction) {
  b.input("X", "ab");
  b.add("T2", "ab", {{"X", "ab"}});
  b.add("T7", "ab", {{"X", "ab"}});
  b.add("S", "a r:b", {{"T2", "ab"}});
  b.add("T6", "ab", {{"S", "a"}});
  b.output("T8", "ab", {{"T7", "ab"}, {"T6", "ab"}});
  b.output("T9", "ab", {{"T2", "ab"}, {"T7", "ab"}});
  start();
  inlineMost();
  EXPECT_EQ(s->getTensor(id("T2")).computeAt + s->getTensor(id("T7")).computeAt,
            3u);
}

// Two loops, each of which has to come before the other: no path leaves a loop
// and enters it again, but no order is possible.
TEST_F(ComputeAtTest, TwoLoopsThatNeedEachOther) {
  b.input("X", "a");
  b.add("P", "a", {{"X", "a"}});
  b.add("Q", "a", {{"X", "a"}});
  b.add("A1", "r:a", {{"P", "a"}});
  b.add("B2", "r:a", {{"Q", "a"}});
  b.output("B1", "a", {{"Q", "a"}, {"A1", ""}});
  b.output("A2", "a", {{"P", "a"}, {"B2", ""}});
  start();
  inlineMost();
  EXPECT_EQ(s->getTensor(id("P")).computeAt + s->getTensor(id("Q")).computeAt,
            1u);
  LoopNest nest;
  ok(buildLoopNest(*s, LoopClasses::build(*s), nest));
}

// FusionComputeAtMultiBCast. The loop over T1 would have to be both loops of
// T4.
TEST_F(ComputeAtTest, OuterSumOfOneTensor) {
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "xa", {{"T1", "a"}});
  b.add("T3", "ax", {{"T1", "a"}});
  b.output("T4", "xa", {{"T2", "xa"}, {"T3", "xa"}});
  start();
  EXPECT_TRUE(StringRef(refuse("T1", "T4", -1))
                  .contains("have this loop inside of different loops"));
  inlineMost();
}

// FusionNonUniqueBroadcastSize. In linalg, the consumer broadcasts. Therefore
// one broadcast axis may have two extents without a conflict.
TEST_F(ComputeAtTest, BroadcastToTwoExtents) {
  b.size('x', 5).size('y', 7);
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.output("T2", "ax", {{"T1", "a"}});
  b.output("T3", "ay", {{"T1", "a"}});
  start();
  inlineMost();
  EXPECT_EQ(positions(), "T1 1/0, T2 0/1, T3 0/1");
}

// An axis of a window is lost if the propagation goes backwards through it,
// like a broadcast axis.
TEST_F(ComputeAtTest, WindowsAreNotShared) {
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.output("T2", "ab", {{"T1", "a?"}});
  start();
  computeAt("T1", "T2", 2);
  EXPECT_EQ(positions(), "T1 1/0, T2 0/1");
  EXPECT_EQ(describe(inlineAt(*s, id("T1"), 2)),
            "'T1' cannot be computed at position 2, only at positions up to 1: "
            "axis 'b' of 'T1' cannot share a loop with its consumer 'T2', "
            "which reads elements that other iterations compute; read here");
}

//===----------------------------------------------------------------------===//
// Invalid requests
//===----------------------------------------------------------------------===//

TEST_F(ComputeAtTest, ConsumerThatDoesNotConsume) {
  addChain("ab", 3);
  start();
  EXPECT_EQ(refuse("T2", "T1", 1),
            "'T1' is not a consumer of 'T2', neither directly nor through "
            "other tensors; 'T2' is read by 'T3'");
  EXPECT_TRUE(StringRef(refuse("T2", "T2", 1)).contains("is not a consumer"));
}

TEST_F(ComputeAtTest, ReductionIsCompleteOnlyAfterItsLoop) {
  b.input("T0", "ab");
  b.add("T1", "a r:b", {{"T0", "ab"}});
  b.output("T2", "a", {{"T1", "a"}});
  start();
  EXPECT_EQ(describe(inlineAt(*s, id("T1"), 2)),
            "'T1' cannot be computed at position 2, only at positions up to 1: "
            "loop 'r:b' of 'T1' is a reduction, whose result is complete only "
            "after the loop");
  EXPECT_EQ(
      describe(inlineAt(*s, id("T1"), 3)),
      "position 3 of 'T1' is out of range: expected -3 to 2 for the loops "
      "T1[a, r:b]");
  ok(inlineAt(*s, id("T1"), 1));
  EXPECT_EQ(positions(), "T1 1/0, T2 0/1");
}

//===----------------------------------------------------------------------===//
// Propagation
//===----------------------------------------------------------------------===//

// FusionTransformPropagatePosition
TEST_F(ComputeAtTest, PropagateThroughBroadcasts) {
  b.input("T0", "abcd");
  b.input("T1", "abxcdy");
  b.add("T2", "abxcdy", {{"T0", "abcd"}});
  b.output("T3", "abxcdy", {{"T1", "abxcdy"}, {"T2", "abxcdy"}});
  start();
  merge("T0", 2);
  merge("T0", 0);
  ok(propagate(*s, id("T0"), -1));
  EXPECT_EQ(rank("T1"), 4u);
}

// FusionTransformPropagatorPos
TEST_F(ComputeAtTest, PropagateTheFirstLoopsOnly) {
  b.size('a', 22).size('b', 105);
  addChain("ab", 2);
  start();
  split("T1", 0, 2);
  split("T1", 2, 3);
  ok(propagate(*s, id("T1"), 2));
  EXPECT_EQ(loops("T2"), "T2[ao, ai, b]");
}

// FusionTransformPropagatorSelector
TEST_F(ComputeAtTest, PropagateToSomeOnly) {
  b.size('a', 100);
  b.input("T0", "a");
  b.input("T1", "a");
  b.add("T2", "a", {{"T0", "a"}, {"T1", "a"}});
  b.output("T3", "a", {{"T2", "a"}});
  b.output("T4", "a", {{"T2", "a"}});
  start();
  split("T2", 0, 10);
  llvm::BitVector only(s->getNumTensors());
  only.set(id("T0"));
  only.set(id("T3"));
  ok(propagate(*s, id("T2"), -1, &only));
  std::string ranks;
  for (const char *name : {"T0", "T1", "T2", "T3", "T4"})
    ranks += std::to_string(rank(name));
  EXPECT_EQ(ranks, "21221");
}

// FusionTransformPropagatorNoOverwrite
TEST_F(ComputeAtTest, PropagateKeepsWhatTheReferenceDoesNotKnow) {
  b.input("T0", "a");
  b.add("T1", "xay", {{"T0", "a"}});
  b.output("T2", "xay", {{"T1", "xay"}});
  start();
  split("T0", 0, 2);
  split("T2", 1, 2);
  split("T2", 0, 4);
  ok(propagate(*s, id("T2"), -1));
  ok(propagate(*s, id("T0"), -1));
  EXPECT_EQ(loops("T1"), "T1[b:xo, b:xi, ao, ai, b:y]");
  EXPECT_EQ(loops("T2"), "T2[xo, xi, ao, ai, y]");
}

// FusionSkipReplay
TEST_F(ComputeAtTest, PropagateTwiceMakesNoNewAxes) {
  addChain("ab", 4);
  start();
  split("T2", 0, 4);
  ok(propagate(*s, id("T2"), -1));
  unsigned count = s->getNumAxes();
  ok(propagate(*s, id("T2"), -1));
  ok(propagate(*s, id("T4"), -1));
  EXPECT_EQ(s->getNumAxes(), count);
}

// MaxLogicalDomainInfoSpanningTreePrintTwice
TEST_F(ComputeAtTest, TreeTakesWhatKeepsMost) {
  b.input("T0", "ab");
  b.add("T1", "r:a b", {{"T0", "ab"}});
  b.output("T2", "b", {{"T1", "b"}});
  start();
  for (unsigned i = 0; i < 2; ++i) {
    auto tree = getMaxInformationTree(*s, id("T1"), 2,
                                      [](const Hop &) { return true; });
    ASSERT_EQ(tree.size(), 2u);
    EXPECT_EQ(tree[0].to, id("T0"));
    EXPECT_EQ(tree[1].to, id("T2"));
  }
}

//===----------------------------------------------------------------------===//
// computeWith and recomputation
//===----------------------------------------------------------------------===//

namespace {
class CachedSoftmax : public ComputeAtTest {
protected:
  void SetUp() override {
    b.input("X", "ab");
    b.add("C", "ab", {{"X", "ab"}});
    b.add("M", "a r:b", {{"C", "ab"}});
    b.add("S", "ab", {{"C", "ab"}, {"M", "a"}});
    b.output("Y", "ab", {{"S", "ab"}});
    start();
    inlineMost();
  }
};
} // namespace

TEST_F(CachedSoftmax, LoadedInTheLoopOfTheFirstReduction) {
  EXPECT_EQ(positions(), "C 1/0, M 1/1, S 2/1, Y 0/2");
  ok(computeWith(*s, id("C"), 2));
  expectLegal();
  EXPECT_EQ(s->getTensor(id("C")).computeAt, 1u);
  EXPECT_EQ(s->getTensor(id("C")).computeWith, 2u);
  EXPECT_EQ(s->getNumFrozenLoops(id("M")), 2u);
  EXPECT_TRUE(s->split(id("M"), 1, 2));
  LoopNest nest;
  ok(buildLoopNest(*s, LoopClasses::build(*s), nest));
}

TEST_F(CachedSoftmax, ComputeWithRefused) {
  EXPECT_EQ(describe(computeWith(*s, id("C"), 0)),
            "'C' is stored at position 1 and cannot be computed outside of "
            "that position, at position 0");
  EXPECT_EQ(describe(computeWith(*s, id("Y"), 1)),
            "'Y' has no consumer and cannot be computed with a consumer");
  EXPECT_EQ(
      describe(computeWith(*s, id("X"), 1)),
      "'X' is an input of the fusion and cannot be computed with a consumer");
  EXPECT_TRUE(StringRef(describe(computeWith(*s, id("C"), 3)))
                  .contains("out of range"));
  EXPECT_TRUE(StringRef(describe(computeWith(*s, id("M"), 2)))
                  .contains("is a reduction"));
}

TEST_F(ComputeAtTest, CloneServesTheReduction) {
  b.input("X", "ab");
  b.add("E", "ab", {{"X", "ab"}});
  b.add("Z", "a r:b", {{"E", "ab"}});
  b.output("Y", "ab", {{"E", "ab"}, {"Z", "a"}});
  b.output("E2", "ab", {{"E", "ab"}});
  start();
  refuse("E", "Y", 2);
  auto plan = planRecomputation(*s, id("E"), id("Y"), 2);
  ASSERT_TRUE(plan);
  EXPECT_EQ(plan->consumers, SmallVector<TensorId>{id("Z")});
  EXPECT_EQ(plan->work, getAffineConstantExpr(64, b.getContext()));
  EXPECT_FALSE(planRecomputation(*s, id("E"), id("Y"), 1));
  EXPECT_FALSE(planRecomputation(*s, id("X"), id("Y"), 2));
  EXPECT_FALSE(planRecomputation(*s, id("Y"), id("E"), 1));
}
