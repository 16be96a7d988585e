//===- InliningTest.cpp - Positions of whole fusions ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of inlineMost, inlineAllAt and sequences of computeAt for
// softmax, layer norm, merged and transposed axes, rfactor, and tiles. The
// position of an output that no tensor reads has no meaning and stays 0.
//
//===----------------------------------------------------------------------===//

#include "ComputeAtFixture.h"

using namespace mlir;
using namespace mlir::fuse;

TEST_F(ComputeAtTest, SoftmaxKeepsItsExponentials) {
  b.input("X", "ab");
  b.add("M", "a r:b", {{"X", "ab"}});
  b.add("Mb", "ab", {{"M", "a"}});
  b.add("S", "ab", {{"X", "ab"}, {"Mb", "ab"}});
  b.add("E", "ab", {{"S", "ab"}});
  b.add("Z", "a r:b", {{"E", "ab"}});
  b.add("Zb", "ab", {{"Z", "a"}});
  b.output("Y", "ab", {{"E", "ab"}, {"Zb", "ab"}});
  start();
  inlineMost();
  EXPECT_EQ(positions(), "M 1/0, Mb 1/1, S 2/1, E 1/2, Z 1/1, Zb 1/1, Y 0/1");
}

namespace {
class LayerNorm : public ComputeAtTest {
protected:
  void SetUp() override {
    b.size('a', 64);
    b.input("X", "ab");
    b.input("W", "b");
    b.add("Xc", "ab", {{"X", "ab"}});
    b.add("Mu", "a r:b", {{"Xc", "ab"}});
    b.add("Mb", "ab", {{"Mu", "a"}});
    b.add("D", "ab", {{"Xc", "ab"}, {"Mb", "ab"}});
    b.add("Q", "ab", {{"D", "ab"}, {"D", "ab"}});
    b.add("V", "a r:b", {{"Q", "ab"}});
    b.add("R", "a", {{"V", "a"}});
    b.add("Rb", "ab", {{"R", "a"}});
    b.add("Y", "ab", {{"D", "ab"}, {"Rb", "ab"}});
    b.add("Wb", "ab", {{"W", "b"}});
    b.output("O", "ab", {{"Y", "ab"}, {"Wb", "ab"}});
    start();
  }
};
} // namespace

TEST_F(LayerNorm, InlineMost) {
  inlineMost();
  EXPECT_EQ(positions(), "Xc 1/0, Mu 1/1, Mb 1/1, D 1/1, Q 2/1, V 1/2, R 1/1, "
                         "Rb 1/1, Y 2/1, Wb 2/0, O 0/2");
}

TEST_F(LayerNorm, RowsSplitEverywhere) {
  for (TensorId t : s->getProgramOrder())
    if (!s->getTensor(t).isInput)
      ok(s->split(t, 0, 8));
  inlineMost();
  EXPECT_EQ(positions(), "Xc 2/0, Mu 2/2, Mb 2/2, D 2/2, Q 3/2, V 2/3, R 2/2, "
                         "Rb 2/2, Y 3/2, Wb 3/0, O 0/3");
}

// FusionInlineRepro1803. Here, all results of an op are one tensor.
TEST_F(ComputeAtTest, SiblingsStopAtAnUnrolledLoop) {
  b.size('a', 64);
  b.input("T0", "ab");
  TensorId welford = b.add("W", "a r:b", {{"T0", "ab"}});
  b.output("O", "a", {{"W", "a"}});
  b.output("O2", "a", {{"W", "a"}});
  start();
  s->getTensor(welford).logical.push_back(s->getTensor(welford).logical[0]);
  s->getTensor(id("O2")).operands[0].result = 1;
  split("O", 0, 16);
  ok(s->setLoopType(id("O"), 1, LoopType::Unroll));
  computeAt("T0", "O", -1, InlineMode::BestEffort);
  EXPECT_EQ(positions(), "W 1/0, O 0/1, O2 0/1");
  EXPECT_EQ(loops("O2"), "O2[ao, ai]");
}

// FusionComplexBCast1
TEST_F(ComputeAtTest, MergeAcrossBroadcasts) {
  b.input("T0", "y");
  b.input("T3", "yz");
  b.input("T6", "xyz");
  b.add("T1", "y", {{"T0", "y"}});
  b.add("T2", "yz", {{"T1", "y"}});
  b.add("T4", "yz", {{"T2", "yz"}, {"T3", "yz"}});
  b.add("T5", "xyz", {{"T4", "yz"}});
  b.output("T7", "xyz", {{"T5", "xyz"}, {"T6", "xyz"}});
  start();
  merge("T7", 0);
  merge("T7", 0);
  computeAt("T0", "T7", -1);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T4 1/1, T5 1/1, T7 0/1");
  EXPECT_EQ(loops("T1"), "T1[y]");
  EXPECT_EQ(rank("T2"), 1u);
  EXPECT_EQ(rank("T4"), 1u);
  LoopClasses classes = LoopClasses::build(*s);
  const LoopClass &loop = classes[classes.getClass(id("T1"), 0)];
  EXPECT_EQ(loop.extent, getAffineConstantExpr(8 * 8 * 8, b.getContext()));
}

// InliningBroadcast
TEST_F(ComputeAtTest, EachAxisMergedWithABroadcast) {
  b.input("T0", "abc");
  b.add("T1", "abc", {{"T0", "abc"}});
  b.add("T2", "axbycz", {{"T1", "abc"}});
  b.add("T3", "axbycz", {{"T2", "axbycz"}});
  b.output("T4", "axbycz", {{"T3", "axbycz"}});
  start();
  for (const char *name : {"T2", "T3", "T4"})
    for (int64_t axis : {0, 1, 2})
      merge(name, axis);
  inlineMost();
  EXPECT_EQ(positions(), "T1 3/0, T2 3/3, T3 3/3, T4 0/3");
}

// FusionBackOffInnerBroadcast
TEST_F(ComputeAtTest, BackOffFromInnerBroadcasts) {
  b.input("T0", "a");
  b.input("T1", "ab");
  b.input("T2", "abcd");
  b.add("T3", "abcd", {{"T0", "a"}});
  b.add("T4", "abcd", {{"T1", "ab"}});
  b.add("T5", "abcd", {{"T2", "abcd"}});
  b.add("T6", "abcd", {{"T3", "abcd"}, {"T5", "abcd"}});
  b.add("T7", "abcd", {{"T4", "abcd"}, {"T5", "abcd"}});
  b.add("T8", "abcd", {{"T3", "abcd"}, {"T4", "abcd"}});
  b.add("T9", "abcd", {{"T6", "abcd"}, {"T7", "abcd"}});
  b.output("T10", "abcd", {{"T9", "abcd"}, {"T8", "abcd"}});
  start();
  for (const char *name : {"T0", "T1", "T2"})
    computeAt(name, "T10", -2, InlineMode::Standard, /*hoist=*/true);
  auto position = [&](const char *name) {
    return s->getTensor(id(name)).computeAt;
  };
  EXPECT_EQ(position("T3"), 1u);
  EXPECT_EQ(position("T4"), 2u);
  EXPECT_EQ(position("T5"), 3u);
  EXPECT_EQ(s->getMaxProducer(id("T6")), 3u);
  EXPECT_EQ(s->getMaxProducer(id("T7")), 3u);
  EXPECT_EQ(s->getMaxProducer(id("T8")), 2u);
}

// FusionBackOffInnerBroadcast2
TEST_F(ComputeAtTest, BackOffFromAReorderedBroadcast) {
  b.input("T0", "ab");
  b.input("T1", "abc");
  b.add("T2", "abc", {{"T0", "ab"}});
  b.output("T3", "abc", {{"T2", "abc"}, {"T1", "abc"}});
  start();
  split("T3", 1, 4);
  reorder("T3", {0, 1, 3, 2});
  computeAt("T0", "T3", -2, InlineMode::Standard, /*hoist=*/true);
  EXPECT_EQ(positions(), "T2 2/0, T3 0/2");
}

// FusionBackOffInnerBroadcast3
TEST_F(ComputeAtTest, BackOffFromNestedBroadcasts) {
  b.input("T0", "ab");
  b.input("T1", "adbc");
  b.add("T2", "abc", {{"T0", "ab"}});
  b.add("T3", "adbc", {{"T2", "abc"}});
  b.output("T4", "adbc", {{"T3", "adbc"}, {"T1", "adbc"}});
  start();
  computeAt("T0", "T4", -1, InlineMode::Standard, /*hoist=*/true);
  EXPECT_EQ(s->getTensor(id("T2")).computeAt, 2u);
  EXPECT_EQ(s->getMaxProducer(id("T3")), 3u);
}

TEST_F(ComputeAtTest, NonDivisibleSplit) {
  b.size('a', 100);
  addChain("ab", 3);
  start();
  split("T3", 0, 32);
  computeAt("T1", "T3", 2);
  EXPECT_EQ(positions(), "T1 2/0, T2 2/2, T3 0/2");
  EXPECT_EQ(s->getAxis(s->getTensor(id("T1")).loop[0]).extent,
            getAffineConstantExpr(4, b.getContext()));
}

namespace {
class ReductionInTheMiddle : public ComputeAtTest {
protected:
  void SetUp() override {
    b.input("T0", "ijk");
    b.add("Tp", "ijk", {{"T0", "ijk"}});
    b.add("T1", "i r:j k", {{"Tp", "ijk"}});
    b.output("T2", "ik", {{"T1", "ik"}});
    start();
  }
};
} // namespace

TEST_F(ReductionInTheMiddle, SinksAfterThePrefix) {
  computeAt("T1", "T2", 2);
  EXPECT_EQ(loops("T1"), "T1[i, k, r:j]");
  EXPECT_EQ(positions(), "Tp 0/0, T1 2/0, T2 0/2");
}

TEST_F(ReductionInTheMiddle, CannotSinkIfItIsShared) {
  computeAt("Tp", "T1", 2);
  EXPECT_TRUE(StringRef(refuse("T1", "T2", 2)).contains("'T1'"));
  EXPECT_TRUE(StringRef(refuse("T1", "T2", 3)).contains("out of range"));
  computeAt("T1", "T2", 1);
  EXPECT_EQ(positions(), "Tp 2/0, T1 1/2, T2 0/1");
}

TEST_F(ComputeAtTest, ReduceThenBroadcast) {
  b.input("T0", "ij");
  b.input("X", "ij");
  b.add("T1", "i r:j", {{"T0", "ij"}});
  b.add("T2", "ij", {{"T1", "i"}});
  b.output("T3", "ij", {{"T2", "ij"}, {"X", "ij"}});
  start();
  computeAt("T1", "T3", 2, InlineMode::Standard, /*hoist=*/true);
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 0/1");
  EXPECT_EQ(loops("T1"), "T1[i, r:j]");
}

// FusionSqueezeInlining
TEST_F(ComputeAtTest, Squeeze) {
  b.size('o', 1).size('n', 1000);
  b.input("T0", "on");
  b.add("T1", "on", {{"T0", "on"}});
  b.output("T2", "n", {{"T1", "0n"}});
  start();
  merge("T1", 0);
  split("T1", 0, 128);
  ok(propagate(*s, id("T1"), -1));
  EXPECT_EQ(rank("T2"), 2u);
  inlineMost();
  EXPECT_EQ(positions(), "T1 2/0, T2 0/2");
}

namespace {
class Rfactor : public ComputeAtTest {
protected:
  void SetUp() override {
    b.size('b', 64);
    b.input("T0", "ab");
    b.add("Tc", "ab", {{"T0", "ab"}});
    sum = b.add("Tsum", "a r:b", {{"Tc", "ab"}});
    b.output("O", "a", {{"Tsum", "a"}});
    start();
    ok(s->split(sum, 1, 32));
    ok(s->rfactor(sum, {1}, partial));
  }
  TensorId sum = 0, partial = 0;
};
} // namespace

TEST_F(Rfactor, PartialSumInTheLoopsOfTheLast) {
  ok(fuse::computeAt(*s, partial, sum, 2));
  expectLegal();
  EXPECT_EQ(s->getTensor(partial).computeAt, 2u);
  EXPECT_EQ(s->getMaxProducer(sum), 2u);
  ArrayRef<AxisId> loop = s->getTensor(partial).loop;
  ASSERT_EQ(loop.size(), 3u);
  EXPECT_FALSE(s->getAxis(loop[1]).isReduction());
  EXPECT_TRUE(s->getAxis(loop[2]).isReduction());
}

TEST_F(Rfactor, ProducerInTheLoopsOfTheLast) {
  ok(fuse::computeAt(*s, id("Tc"), sum, 1));
  expectLegal();
  EXPECT_EQ(s->getTensor(id("Tc")).computeAt, 1u);
  EXPECT_EQ(s->getTensor(partial).computeAt, 1u);
  EXPECT_EQ(s->getMaxProducer(partial), 1u);
  EXPECT_EQ(s->getMaxProducer(sum), 1u);
}

TEST_F(Rfactor, InlineMost) {
  inlineMost();
  EXPECT_EQ(s->getTensor(id("Tc")).computeAt, 1u);
  EXPECT_EQ(s->getTensor(partial).computeAt, 1u);
  EXPECT_EQ(s->getMaxProducer(partial), 1u);
  EXPECT_EQ(s->getTensor(sum).computeAt, 1u);
  EXPECT_EQ(s->getMaxProducer(sum), 1u);
}

namespace {
class TransposedChain : public ComputeAtTest {
protected:
  void SetUp() override {
    b.input("T0", "abc");
    b.add("T1", "abc", {{"T0", "abc"}});
    b.add("T2", "abc", {{"T1", "abc"}});
    b.add("T3", "abc", {{"T2", "acb"}});
    b.add("T4", "abc", {{"T3", "abc"}});
    b.output("T5", "abc", {{"T4", "abc"}});
    start();
  }
};
} // namespace

// InliningMismatchedDims1
TEST_F(TransposedChain, StopsAtTheFirstMismatch) {
  inlineMost();
  EXPECT_EQ(positions(), "T1 3/0, T2 1/3, T3 3/1, T4 3/3, T5 0/3");
}

// InliningMismatchedDims2
TEST_F(TransposedChain, InlineAllAt) {
  inlineAllAt(*s, id("T5"), -1);
  expectLegal();
  EXPECT_EQ(positions(), "T1 1/0, T2 1/1, T3 3/1, T4 3/3, T5 0/3");
}

// InliningMismatchedDims4
TEST_F(TransposedChain, OneTensorMerged) {
  merge("T3", 1);
  inlineMost();
  EXPECT_EQ(positions(), "T1 3/0, T2 1/3, T3 1/1, T4 3/1, T5 0/3");
}

TEST_F(ComputeAtTest, MatmulTilesWithCachedOperands) {
  b.size('m', 128).size('n', 128).size('k', 64);
  b.input("A", "mk");
  b.input("B", "nk");
  b.add("As", "mk", {{"A", "mk"}});
  b.add("Bs", "nk", {{"B", "nk"}});
  b.add("Ab", "mnk", {{"As", "mk"}});
  b.add("Bb", "mnk", {{"Bs", "nk"}});
  b.add("P", "mnk", {{"Ab", "mnk"}, {"Bb", "mnk"}});
  b.output("C", "m n r:k", {{"P", "mnk"}});
  start();
  split("C", 0, 32);
  split("C", 2, 64);
  split("C", 4, 16);
  reorder("C", {0, 2, 4, 1, 3, 5});
  EXPECT_EQ(loops("C"), "C[mo, no, r:ko, mi, ni, r:ki]");
  computeAt("As", "C", 3);
  computeAt("Bs", "C", 3);
  computeAt("P", "C", -1);
  EXPECT_EQ(positions(), "As 2/0, Bs 2/0, Ab 3/3, Bb 3/3, P 6/3, C 0/6");
  EXPECT_EQ(loops("As"), "As[mo, ko, mi, ki]");
  EXPECT_EQ(loops("Bs"), "Bs[no, ko, ni, ki]");
}

// FusionTraversalOrder7
TEST_F(ComputeAtTest, OverlappingRequests) {
  b.size('a', 128);
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "a", {{"T1", "a"}});
  b.add("T3", "a", {{"T0", "a"}});
  b.add("T4", "a", {{"T3", "a"}});
  b.output("T5", "a", {{"T2", "a"}, {"T4", "a"}});
  start();
  for (const char *name : {"T1", "T2", "T3", "T4", "T5"})
    for (int64_t factor : {2, 4, 8})
      split(name, 0, factor);
  computeAt("T1", "T2", -1);
  computeAt("T3", "T4", -2);
  computeAt("T2", "T5", -4);
  computeAt("T4", "T5", -3);
  EXPECT_EQ(positions(), "T1 4/0, T2 1/4, T3 3/0, T4 2/3, T5 0/2");
}

// FusionZeroDimComputeAt
TEST_F(ComputeAtTest, ZeroDimensional) {
  b.input("T0", "a");
  b.add("T1", "r:a", {{"T0", "a"}});
  b.output("T2", "", {{"T1", ""}});
  start();
  computeAt("T1", "T2", 0);
  computeAt("T1", "T2", -1);
  EXPECT_EQ(positions(), "T1 0/0, T2 0/0");
}

namespace {
class TwoUsesOfOneBroadcast : public ComputeAtTest {
protected:
  void SetUp() override {
    b.size('a', 1024);
    b.input("T0", "a");
    b.input("T2", "a");
    b.input("T6", "ab");
    b.add("T1", "a", {{"T0", "a"}});
    b.add("T3", "a", {{"T2", "a"}});
    b.output("T4", "a", {{"T1", "a"}, {"T3", "a"}});
    b.add("T5", "ab", {{"T1", "a"}});
    b.output("T7", "ab", {{"T5", "ab"}, {"T6", "ab"}});
    start();
  }
};
} // namespace

// FusionAdvancedComputeAt7, without the splits.
TEST_F(TwoUsesOfOneBroadcast, LaterRequestsKeepWhatIsShared) {
  merge("T7", 0);
  computeAt("T0", "T7", 1);
  EXPECT_EQ(positions(), "T1 1/0, T3 0/0, T4 0/1, T5 1/1, T7 0/1");
  SmallVector<AxisId> before = s->getTensor(id("T5")).loop;
  computeAt("T0", "T4", -1);
  computeAt("T2", "T4", -1);
  EXPECT_EQ(s->getTensor(id("T5")).loop, before);
  EXPECT_EQ(positions(), "T1 1/0, T3 1/0, T4 0/1, T5 1/1, T7 0/1");
}

// FusionAdvancedComputeAt7 with the splits: the outer loop would run over parts
// of a*bo, and the private loops of T1 in it over parts of a. The private loops
// would also have to be promoted, which verifyLegality does not do. Therefore
// the request is refused.
TEST_F(TwoUsesOfOneBroadcast, SplitOfAMergeIsNotPromoted) {
  split("T7", 1, 2);
  merge("T7", 0);
  split("T7", 0, 4);
  split("T7", 0, 128);
  EXPECT_TRUE(StringRef(refuse("T0", "T7", 1)).contains("no loop covers both"));
}
