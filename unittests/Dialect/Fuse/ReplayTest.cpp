//===- ReplayTest.cpp - Tests of replay and matching ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include "ScheduleBuilder.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Sequence.h"
#include <gtest/gtest.h>
#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {

constexpr auto kPasC = ReplayDirection::ProducerAsConsumer;
constexpr auto kCasP = ReplayDirection::ConsumerAsProducer;
using Position = std::optional<unsigned>;

/// An input X, a tensor P that reads X, and a consumer C of P. `inputAxes` are
/// the axes of X. `producerReads` index X, and `consumerReads` index P.
struct Edge {
  Edge(StringRef inputAxes, StringRef producerAxes, StringRef producerReads,
       StringRef consumerAxes, StringRef consumerReads,
       const std::map<char, int64_t> &sizes = {}) {
    for (auto [letter, extent] : sizes)
      b.size(letter, extent);
    b.input("X", inputAxes);
    p = b.add("P", producerAxes, {{"X", producerReads.str()}});
    c = b.output("C", consumerAxes, {{"P", consumerReads.str()}});
    s = b.build();
  }
  Position match(unsigned position, ReplayDirection direction) const {
    return matchPosition(s, p, c, position, direction);
  }
  /// Replays and installs the loops. Returns the new loops and the position, as
  /// `P[i] @1`, or the violation.
  std::string replay(unsigned position, ReplayDirection direction) {
    ReplayResult result;
    MaybeViolation violation =
        direction == kPasC
            ? replayProducerAsConsumer(s, p, c, position, result)
            : replayConsumerAsProducer(s, c, p, position, result);
    if (violation)
      return describe(violation);
    TensorId changed = direction == kPasC ? p : c;
    if (MaybeViolation refused = installLoops(s, changed, result.loop))
      return describe(refused);
    return s.format(changed) + " @" + std::to_string(result.position);
  }

  ScheduleBuilder b;
  Schedule s{b.getContext()};
  TensorId p, c;
};

//===----------------------------------------------------------------------===//
// Pairwise map
//===----------------------------------------------------------------------===//

TEST(PairwiseMapTest, BroadcastsAndReductionsHaveNoPartner) {
  Edge e("ijk", "i r:j k", "ijk", "kbi", "ik");
  PairwiseMap map = getPairwiseMap(e.s, e.p, e.c);
  ArrayRef<AxisId> p = e.s.getTensor(e.p).root, c = e.s.getTensor(e.c).root;
  ASSERT_EQ(map.consumerToProducer.size(), 2u);
  EXPECT_EQ(map.consumerToProducer[c[0]], p[2]);
  EXPECT_EQ(map.consumerToProducer[c[2]], p[0]);
  EXPECT_EQ(map.producerToConsumer[p[0]], c[2]);
  EXPECT_EQ(map.consumerOnly, SmallVector<AxisId>{c[1]});
  EXPECT_TRUE(map.producerOnly.empty());
}

TEST(PairwiseMapTest, SqueezesAndWindows) {
  Edge squeeze("oi", "oi", "oi", "i", "0i", {{'o', 1}});
  PairwiseMap map = getPairwiseMap(squeeze.s, squeeze.p, squeeze.c);
  AxisId o = squeeze.s.getTensor(squeeze.p).root[0];
  EXPECT_EQ(map.producerOnly, SmallVector<AxisId>{o});
  EXPECT_EQ(map.squeezed, SmallVector<AxisId>{o});
  EXPECT_TRUE(map.unmappable.empty());

  Edge window("oi", "oi", "oi", "i", "?i");
  map = getPairwiseMap(window.s, window.p, window.c);
  o = window.s.getTensor(window.p).root[0];
  EXPECT_EQ(map.unmappable, SmallVector<AxisId>{o});
  EXPECT_TRUE(map.squeezed.empty());

  // Index 0 of an axis with more than one element is also a window.
  Edge slice("oi", "oi", "oi", "i", "0i");
  map = getPairwiseMap(slice.s, slice.p, slice.c);
  EXPECT_EQ(map.unmappable,
            SmallVector<AxisId>{slice.s.getTensor(slice.p).root[0]});
}

TEST(PairwiseMapTest, ReadsThatDisagreeMapNothing) {
  ScheduleBuilder b;
  b.input("X", "aij");
  TensorId p = b.add("P", "aij", {{"X", "aij"}});
  TensorId c = b.add("C", "aij", {{"P", "aij"}, {"P", "aji"}});
  TensorId diagonal = b.add("D", "ai", {{"P", "aii"}});
  TensorId twice = b.output("T", "aij", {{"P", "aij"}, {"P", "aij"}});
  Schedule s = b.build();
  PairwiseMap map = getPairwiseMap(s, p, c);
  EXPECT_EQ(map.producerToConsumer.size(), 1u);
  EXPECT_EQ(map.unmappable.size(), 2u);
  EXPECT_EQ(map.consumerOnly.size(), 2u);
  map = getPairwiseMap(s, p, diagonal);
  EXPECT_EQ(map.producerToConsumer.size(), 1u);
  EXPECT_EQ(map.unmappable.size(), 2u);
  EXPECT_EQ(getPairwiseMap(s, p, twice).producerToConsumer.size(), 3u);
}

//===----------------------------------------------------------------------===//
// Matching. The first four tests are the rows of the table of the model.
//===----------------------------------------------------------------------===//

TEST(MatchTest, Pointwise) {
  Edge e("ik", "ik", "ik", "ik", "ik");
  for (unsigned position = 0; position <= 2; ++position) {
    EXPECT_EQ(e.match(position, kPasC), position);
    EXPECT_EQ(e.match(position, kCasP), position);
  }
  EXPECT_EQ(e.match(3, kPasC), std::nullopt);
}

TEST(MatchTest, ReductionOfTheProducer) {
  Edge e("irk", "i r:r k", "irk", "ik", "ik");
  EXPECT_EQ(e.match(1, kPasC), 1u);
  EXPECT_EQ(e.match(2, kPasC), std::nullopt);
  EXPECT_EQ(matchClosest(e.s, e.p, e.c, 2, kPasC), 1u);
  EXPECT_EQ(e.match(2, kCasP), 1u);
  EXPECT_EQ(e.match(3, kCasP), 2u);
  EXPECT_EQ(matchLoops(e.s, e.p, e.c, 3),
            (SmallVector<Position>{0, std::nullopt, 1}));
  EXPECT_EQ(matchLoops(e.s, e.p, e.c, 1), SmallVector<Position>{0});
  // A replay puts the reduction last.
  EXPECT_EQ(e.replay(2, kPasC), "P[i, k, r:r] @2");
  EXPECT_EQ(e.match(2, kPasC), 2u);
}

TEST(MatchTest, BroadcastOfTheConsumer) {
  Edge e("ik", "ik", "ik", "ibk", "ik");
  EXPECT_EQ(e.match(1, kPasC), 1u);
  EXPECT_EQ(e.match(2, kPasC), 1u);
  EXPECT_EQ(e.match(3, kPasC), 2u);
  EXPECT_EQ(e.match(1, kCasP), 1u);
  EXPECT_EQ(e.match(2, kCasP), 3u);
  EXPECT_EQ(matchLoops(e.s, e.p, e.c, 2), (SmallVector<Position>{0, 2}));
}

TEST(MatchTest, MergedAcrossABroadcast) {
  Edge e("y", "y", "y", "yb", "y");
  ASSERT_FALSE(e.s.merge(e.c, 0, 1));
  EXPECT_EQ(e.match(1, kPasC), 1u);
  EXPECT_EQ(e.match(1, kCasP), 1u);
}

TEST(MatchTest, SplitOfWhatWasMergedAcrossABroadcast) {
  Edge e("y", "y", "y", "yb", "y");
  ASSERT_FALSE(e.s.merge(e.c, 0, 1));
  ASSERT_FALSE(e.s.split(e.c, 0, 4));
  EXPECT_EQ(e.match(1, kPasC), std::nullopt);
  Edge other = Edge("y", "y", "y", "yb", "y");
  ASSERT_FALSE(other.s.merge(other.c, 0, 1));
  ASSERT_FALSE(other.s.split(other.c, 0, 4));
  ASSERT_FALSE(other.s.split(other.p, 0, 4));
  EXPECT_EQ(other.match(2, kPasC), 2u);
  EXPECT_EQ(other.match(2, kCasP), 2u);
  // Splits by other factors do not correspond.
  ASSERT_FALSE(e.s.split(e.p, 0, 8));
  EXPECT_EQ(e.match(1, kCasP), std::nullopt);
}

TEST(MatchTest, OrderOfLoopsMatters) {
  Edge e("ijk", "ijk", "ijk", "ikj", "ijk");
  EXPECT_EQ(e.match(1, kCasP), 1u);
  EXPECT_EQ(e.match(2, kCasP), std::nullopt);
  EXPECT_EQ(e.match(2, kPasC), std::nullopt);
  EXPECT_EQ(matchClosest(e.s, e.p, e.c, 3, kPasC), 1u);
  EXPECT_EQ(matchLoops(e.s, e.p, e.c, 3).size(), 1u);
}

TEST(MatchTest, SqueezedLoopsAreNothing) {
  Edge e("oi", "oi", "oi", "i", "0i", {{'o', 1}});
  EXPECT_EQ(e.match(1, kCasP), 0u);
  EXPECT_EQ(e.match(2, kCasP), 1u);
  EXPECT_EQ(e.match(1, kPasC), 2u);
  EXPECT_EQ(matchLoops(e.s, e.p, e.c, 2),
            (SmallVector<Position>{std::nullopt, 0}));
  ASSERT_FALSE(e.s.merge(e.p, 0, 1));
  EXPECT_EQ(e.match(1, kPasC), 1u);
  EXPECT_EQ(e.match(1, kCasP), 1u);
}

TEST(MatchTest, WindowsMatchNothing) {
  Edge e("oi", "oi", "oi", "oi", "?i");
  EXPECT_EQ(e.match(1, kCasP), std::nullopt);
  EXPECT_EQ(e.match(1, kPasC), 0u);
  EXPECT_EQ(e.match(2, kPasC), std::nullopt);
}

//===----------------------------------------------------------------------===//
// Replay
//===----------------------------------------------------------------------===//

TEST(ReplayTest, SeedReduction) {
  Edge e("abc", "a r:b c", "abc", "ac", "ac");
  EXPECT_EQ(e.replay(2, kCasP), "C[a, c] @1");
}

TEST(ReplayTest, SeedBroadcast) {
  // T1 -> T2 = broadcast -> T3: position 2 of T3 corresponds to position 2 of
  // T2 and position 1 of T1.
  ScheduleBuilder b;
  b.input("T0", "ac");
  TensorId t1 = b.add("T1", "ac", {{"T0", "ac"}});
  TensorId t2 = b.add("T2", "abc", {{"T1", "ac"}});
  TensorId t3 = b.output("T3", "abc", {{"T2", "abc"}});
  Schedule s = b.build();
  ReplayResult result;
  ASSERT_FALSE(replayProducerAsConsumer(s, t2, t3, 2, result));
  EXPECT_EQ(result.position, 2u);
  ASSERT_FALSE(replayProducerAsConsumer(s, t1, t2, 2, result));
  EXPECT_EQ(result.position, 1u);
  EXPECT_EQ(result.loop, s.getTensor(t1).loop);
}

TEST(ReplayTest, SplitsAndMergesOfTheConsumer) {
  Edge e("ab", "ab", "ab", "ab", "ab", {{'a', 10}, {'b', 0}});
  ASSERT_FALSE(e.s.merge(e.c, 0, 1));
  ASSERT_FALSE(e.s.split(e.c, 0, 4, /*inner=*/false));
  ASSERT_FALSE(e.s.split(e.c, 1, 3));
  ASSERT_FALSE(e.s.reorder(e.c, {1, 0, 2}));
  EXPECT_EQ(e.replay(1, kPasC), "P[(a*b)io, (a*b)o, (a*b)ii] @1");
  for (auto [mine, its] :
       llvm::zip_equal(e.s.getTensor(e.p).loop, e.s.getTensor(e.c).loop))
    EXPECT_EQ(e.s.getAxis(mine).extent, e.s.getAxis(its).extent);
  // A second replay changes nothing.
  SmallVector<AxisId> loop = e.s.getTensor(e.p).loop;
  e.replay(3, kPasC);
  EXPECT_EQ(e.s.getTensor(e.p).loop, loop);
}

TEST(ReplayTest, MakesOnlyWhatThePrefixNeeds) {
  Edge e("abc", "abc", "abc", "abc", "abc");
  ASSERT_FALSE(e.s.split(e.c, 0, 4));
  ASSERT_FALSE(e.s.split(e.c, 2, 2));
  ASSERT_FALSE(e.s.split(e.p, 1, 8));
  ASSERT_FALSE(e.s.merge(e.p, 2, 3));
  ASSERT_EQ(e.s.format(e.p), "P[a, bo, (bi*c)]");
  EXPECT_EQ(e.replay(1, kPasC), "P[ao, ai, bo, (bi*c)] @1");
  // Now b is needed, so that the former transforms of b are removed.
  EXPECT_EQ(e.replay(3, kPasC), "P[ao, ai, bo, bi, c] @3");
}

TEST(ReplayTest, PositionZeroChangesNothing) {
  Edge e("ab", "ab", "ab", "ab", "ab");
  ASSERT_FALSE(e.s.split(e.c, 0, 4));
  ASSERT_FALSE(e.s.reorder(e.p, {1, 0}));
  EXPECT_EQ(e.replay(0, kPasC), "P[b, a] @0");
  EXPECT_EQ(e.replay(0, kCasP), "C[ao, ai, b] @0");
}

TEST(ReplayTest, CrossingABroadcastBackwardsLosesAxes) {
  Edge e("ik", "ik", "ik", "bik", "ik");
  EXPECT_EQ(e.replay(2, kPasC), "P[i, k] @1");
  ASSERT_FALSE(e.s.merge(e.c, 0, 1));
  ASSERT_FALSE(e.s.split(e.c, 0, 2));
  EXPECT_EQ(e.replay(2, kPasC), "P[io, ii, k] @2");
}

TEST(ReplayTest, CrossingABroadcastForwardsPutsItLast) {
  Edge e("ik", "ik", "ik", "bik", "ik");
  ASSERT_FALSE(e.s.split(e.p, 0, 2));
  EXPECT_EQ(e.replay(2, kCasP), "C[io, ii, b, k] @2");
}

TEST(ReplayTest, CrossingAReductionForwardsLosesAxes) {
  Edge e("ijk", "i r:j k", "ijk", "ik", "ik");
  ASSERT_FALSE(e.s.split(e.p, 1, 2));
  ASSERT_FALSE(e.s.split(e.p, 3, 4));
  ASSERT_EQ(e.s.format(e.p), "P[i, r:jo, r:ji, ko, ki]");
  EXPECT_EQ(e.replay(4, kCasP), "C[i, ko, ki] @2");
  // The replay in the other direction loses nothing: the reduction moves
  // inwards, together with its split.
  EXPECT_EQ(e.replay(3, kPasC), "P[i, ko, ki, r:jo, r:ji] @3");
}

TEST(ReplayTest, ReductionOfTheConsumerIsAnAxisOfTheProducer) {
  Edge e("ij", "ij", "ij", "i r:j", "ij");
  ASSERT_FALSE(e.s.split(e.c, 1, 2));
  ASSERT_FALSE(e.s.reorder(e.c, {2, 0, 1}));
  EXPECT_EQ(e.replay(2, kPasC), "P[ji, i, jo] @2");
  ASSERT_FALSE(e.s.split(e.p, 2, 2));
  EXPECT_EQ(e.replay(4, kCasP), "C[r:ji, i, r:joo, r:joi] @4");
}

TEST(ReplayTest, ReductionsDoNotMergeWithOthers) {
  Edge e("ij", "ij", "ij", "i r:j", "ij");
  ASSERT_FALSE(e.s.merge(e.p, 0, 1));
  EXPECT_EQ(
      e.replay(1, kCasP),
      "the loops of tensor 'C' cannot be transformed like the loops of tensor "
      "'P' for loop '(i*j)': reduction 'j' cannot be merged with 'i', which is "
      "not a reduction; its loops are P[(i*j)]; its loops are C[i, r:j]");
  EXPECT_EQ(e.s.format(e.c), "C[i, r:j]");
  EXPECT_EQ(e.replay(0, kCasP), "C[i, r:j] @0");
}

TEST(ReplayTest, TransposesKeepTheOrderOfThePrefix) {
  Edge e("ijk", "ijk", "ijk", "kij", "ijk");
  EXPECT_EQ(e.replay(1, kPasC), "P[k, i, j] @1");
  Edge f("ijk", "ijk", "ijk", "kij", "ijk");
  EXPECT_EQ(f.replay(2, kCasP), "C[i, j, k] @2");
}

//===----------------------------------------------------------------------===//
// Forwarding
//===----------------------------------------------------------------------===//

TEST(ForwardingTest, MergeAcrossABroadcast) {
  Edge e("i", "i", "i", "ib", "i");
  ASSERT_FALSE(e.s.merge(e.c, 0, 1));
  EXPECT_EQ(e.replay(1, kPasC), "P[i] @1");
  ASSERT_FALSE(e.s.split(e.c, 0, 128));
  EXPECT_EQ(e.replay(1, kPasC), "P[io, ii] @1");
  EXPECT_EQ(e.replay(2, kPasC), "P[io, ii] @2");
  EXPECT_EQ(e.match(2, kPasC), 2u);
}

TEST(ForwardingTest, ChainOfMerges) {
  Edge e("ik", "ik", "ik", "aibk", "ik");
  ASSERT_FALSE(e.s.merge(e.c, 1, 2)); // i*b
  ASSERT_FALSE(e.s.merge(e.c, 0, 1)); // a*(i*b)
  ASSERT_FALSE(e.s.merge(e.c, 0, 1)); // with k, which both have
  ASSERT_FALSE(e.s.split(e.c, 0, 16));
  EXPECT_EQ(e.replay(1, kPasC), "P[(i*k)o, (i*k)i] @1");
  EXPECT_EQ(e.match(2, kPasC), 2u);
}

TEST(ForwardingTest, TheProducersSplitIsFoundAfterTheConsumersMerge) {
  Edge e("i", "i", "i", "ib", "i");
  ASSERT_FALSE(e.s.split(e.p, 0, 4));
  ASSERT_FALSE(e.s.merge(e.c, 0, 1));
  ASSERT_FALSE(e.s.split(e.c, 0, 4));
  SmallVector<AxisId> loop = e.s.getTensor(e.c).loop;
  // The consumer already has this split.
  EXPECT_EQ(e.replay(1, kCasP), "C[(i*b)o, (i*b)i] @1");
  EXPECT_EQ(e.s.getTensor(e.c).loop, loop);
}

TEST(ForwardingTest, PartsOfTheMergedAxisRemain) {
  Edge e("i", "i", "i", "ib", "i");
  ASSERT_FALSE(e.s.split(e.c, 1, 4)); // i, bo, bi
  ASSERT_FALSE(e.s.merge(e.c, 0, 2)); // i*bi, bo
  ASSERT_FALSE(e.s.split(e.c, 0, 2));
  ASSERT_FALSE(e.s.reorder(e.c, {2, 0, 1}));
  ASSERT_FALSE(e.s.split(e.p, 0, 2));
  EXPECT_EQ(e.replay(1, kCasP), "C[(i*bi)o, (i*bi)i, bo] @1");
}

TEST(ForwardingTest, SplitsMadeByTheReplayAreForwardedToo) {
  Edge e("ab", "ab", "ab", "abn", "ab");
  ASSERT_FALSE(e.s.split(e.c, 0, 4)); // ao, ai, b, n
  ASSERT_FALSE(e.s.merge(e.c, 0, 3)); // ao*n, ai, b
  ASSERT_FALSE(e.s.merge(e.p, 0, 1));
  EXPECT_EQ(e.replay(2, kPasC), "P[ao, ai, b] @2");
  EXPECT_EQ(e.match(2, kPasC), 2u);
}

TEST(ForwardingTest, MergedLoopsStay) {
  Edge e("ij", "ij", "ij", "ijb", "ij");
  ASSERT_FALSE(e.s.split(e.c, 2, 4)); // i, j, bo, bi
  ASSERT_FALSE(e.s.merge(e.c, 0, 3)); // i*bi, j, bo
  ASSERT_FALSE(e.s.split(e.p, 1, 2));
  EXPECT_EQ(e.replay(2, kCasP), "C[(i*bi), jo, ji, bo] @2");
  EXPECT_EQ(e.match(2, kCasP), 2u);
  // They do not stay if another transform of the axis is needed.
  ASSERT_FALSE(e.s.split(e.p, 0, 2));
  EXPECT_EQ(e.replay(1, kCasP), "C[io, ii, jo, ji, bo, bi] @1");
}

TEST(ForwardingTest, SplitsOfNewAxesAreInvisible) {
  Edge e("i", "i", "i", "ib", "i");
  ASSERT_FALSE(e.s.split(e.c, 1, 4));
  ASSERT_FALSE(e.s.reorder(e.c, {1, 0, 2}));
  EXPECT_EQ(e.replay(3, kPasC), "P[i] @1");
}

TEST(ForwardingTest, MergeAcrossASqueeze) {
  Edge e("oi", "oi", "oi", "i", "0i", {{'o', 1}});
  ASSERT_FALSE(e.s.merge(e.p, 0, 1));
  ASSERT_FALSE(e.s.split(e.p, 0, 128));
  EXPECT_EQ(e.replay(2, kCasP), "C[io, ii] @2");
  EXPECT_EQ(e.match(2, kCasP), 2u);
  // The replay finds the same split of the producer again.
  SmallVector<AxisId> loop = e.s.getTensor(e.p).loop;
  EXPECT_EQ(e.replay(2, kPasC), "P[(o*i)o, (o*i)i] @2");
  EXPECT_EQ(e.s.getTensor(e.p).loop, loop);
}

TEST(ForwardingTest, MergesWithWindowsAreNotForwarded) {
  Edge e("oi", "oi", "oi", "i", "?i");
  ASSERT_FALSE(e.s.merge(e.p, 0, 1));
  EXPECT_EQ(e.replay(1, kCasP), "C[i] @0");
  EXPECT_EQ(e.match(1, kCasP), std::nullopt);
}

//===----------------------------------------------------------------------===//
// Errors
//===----------------------------------------------------------------------===//

TEST(ReplayErrorTest, PositionOutOfRange) {
  Edge e("ij", "i r:j", "ij", "i", "i");
  EXPECT_EQ(e.replay(2, kPasC),
            "position 2 of tensor 'C' is out of range: expected 0 to 1");
  EXPECT_EQ(e.replay(3, kCasP),
            "position 3 of tensor 'P' is out of range: expected 0 to 2");
}

TEST(ReplayErrorTest, NoEdge) {
  Edge e("i", "i", "i", "i", "i");
  ReplayResult result;
  EXPECT_EQ(describe(replayProducerAsConsumer(e.s, 0, e.c, 1, result)),
            "tensor 'C' does not read tensor 'X'");
  EXPECT_EQ(describe(replayConsumerAsProducer(e.s, e.p, e.c, 1, result)),
            "tensor 'P' does not read tensor 'C'");
}

TEST(ReplayErrorTest, FrozenPrefix) {
  // P[i, j, k] is computed from Q in loops i, j.
  ScheduleBuilder b;
  b.input("X", "ijk");
  TensorId q = b.add("Q", "ijk", {{"X", "ijk"}});
  TensorId p = b.add("P", "i r:j k", {{"Q", "ijk"}});
  TensorId c = b.output("C", "ik", {{"P", "ik"}});
  Schedule s = b.build();
  s.getTensor(q).computeAt = 2;
  ReplayResult result;
  ASSERT_FALSE(replayProducerAsConsumer(s, p, c, 1, result));
  EXPECT_EQ(describe(installLoops(s, p, result.loop)), "");
  ASSERT_FALSE(replayProducerAsConsumer(s, p, c, 2, result));
  EXPECT_EQ(describe(installLoops(s, p, result.loop)),
            "the loops P[i, r:j, k] would have to become P[i, k, r:j], but the "
            "first 2 loops are frozen; "
            "tensor 'Q' is computed at position 2 of the loops of its consumer "
            "'P'");
  EXPECT_EQ(s.format(p), "P[i, r:j, k]");
  s.getTensor(q).computeAt = 1;
  EXPECT_FALSE(installLoops(s, p, result.loop));
  EXPECT_EQ(s.format(p), "P[i, k, r:j]");
}

TEST(ReplayErrorTest, EqualFrozenLoopsStay) {
  Edge e("ij", "ij", "ij", "ij", "ij");
  ASSERT_FALSE(e.s.split(e.c, 0, 4));
  ASSERT_EQ(e.replay(1, kPasC), "P[io, ii, j] @1");
  e.s.getTensor(e.p).computeAt = 1;
  ASSERT_FALSE(e.s.setLoopType(e.p, 0, LoopType::Parallel));
  AxisId old = e.s.getTensor(e.p).loop[0];
  // An equal split of the same root axis is the same loop.
  auto [outer, inner] = e.s.makeSplit(e.s.getTensor(e.p).root[0], 4, true);
  AxisId j = e.s.getTensor(e.p).root[1];
  EXPECT_FALSE(installLoops(e.s, e.p, {outer, j, inner}));
  EXPECT_EQ(e.s.getTensor(e.p).loop[0], old);
  EXPECT_EQ(e.s.format(e.p), "P[io:parallel, j, ii]");
  // A split by another factor is another loop.
  std::tie(outer, inner) = e.s.makeSplit(e.s.getTensor(e.p).root[0], 2, true);
  EXPECT_TRUE(installLoops(e.s, e.p, {outer, j, inner}));
}

//===----------------------------------------------------------------------===//
// Rfactor
//===----------------------------------------------------------------------===//

/// X -> T = X + 1 -> S_rf, S = sum over b of T, split by 4.
struct RFactorReplayTest : testing::Test {
  void SetUp() override {
    b.size('b', 10);
    b.input("X", "ab");
    t = b.add("T", "ab", {{"X", "ab"}});
    sum = b.output("S", "a r:b", {{"T", "ab"}});
    s = b.build();
    ASSERT_FALSE(s.split(sum, 1, 4));
    ASSERT_FALSE(s.rfactor(sum, {1}, partial));
    ASSERT_EQ(s.format(partial), "S_rf[a, r:bo, bi]");
  }
  ScheduleBuilder b;
  Schedule s{b.getContext()};
  TensorId t, sum, partial;
  ReplayResult result;
};

TEST_F(RFactorReplayTest, ReductionSinks) {
  ASSERT_FALSE(replayProducerAsConsumer(s, partial, sum, 2, result));
  EXPECT_EQ(result.position, 2u);
  ASSERT_FALSE(installLoops(s, partial, result.loop));
  EXPECT_EQ(s.format(partial), "S_rf[a, bi, r:bo]");
  EXPECT_EQ(matchPosition(s, partial, sum, 2, kPasC), 2u);
}

TEST_F(RFactorReplayTest, TransformsReachTheProducer) {
  ASSERT_FALSE(replayProducerAsConsumer(s, t, partial, 3, result));
  EXPECT_EQ(result.position, 3u);
  ASSERT_FALSE(installLoops(s, t, result.loop));
  EXPECT_EQ(s.format(t), "T[a, bo, bi]");
  // A replay in the other direction finds them again.
  SmallVector<AxisId> loop = s.getTensor(partial).loop;
  ASSERT_FALSE(replayConsumerAsProducer(s, partial, t, 3, result));
  EXPECT_EQ(result.position, 3u);
  EXPECT_EQ(result.loop, loop);
}

TEST_F(RFactorReplayTest, SplitsAfterTheFrozenOnesAreFree) {
  ASSERT_FALSE(s.split(sum, 1, 2));
  ASSERT_FALSE(replayProducerAsConsumer(s, partial, sum, 2, result));
  ASSERT_FALSE(installLoops(s, partial, result.loop));
  EXPECT_EQ(s.format(partial), "S_rf[a, bio, bii, r:bo]");
  ASSERT_FALSE(replayProducerAsConsumer(s, t, partial, 2, result));
  ASSERT_FALSE(installLoops(s, t, result.loop));
  EXPECT_EQ(s.format(t), "T[a, bio, bii, bo]");
}

TEST_F(RFactorReplayTest, FrozenTransformsAreNotContradicted) {
  ASSERT_FALSE(s.split(t, 1, 2));
  EXPECT_EQ(
      describe(replayConsumerAsProducer(s, partial, t, 2, result)),
      "the loops of tensor 'S_rf' cannot be transformed like the loops of "
      "tensor 'T' for loop 'b': an rfactor has transformed the loop in "
      "another way; its loops are T[a, bo, bi]; its loops are S_rf[a, r:bo, "
      "bi]");
  EXPECT_FALSE(replayConsumerAsProducer(s, partial, t, 1, result));
  EXPECT_EQ(result.position, 1u);
}

TEST_F(RFactorReplayTest, FrozenTransformsAreNotUndone) {
  EXPECT_EQ(
      describe(replayConsumerAsProducer(s, partial, t, 2, result)),
      "the loops of tensor 'S_rf' cannot be transformed like the loops of "
      "tensor 'T' for loop 'b': an rfactor has transformed the loop, so the "
      "loop cannot change; its loops are T[a, b]; its loops are S_rf[a, r:bo, "
      "bi]");
}

//===----------------------------------------------------------------------===//
// Properties
//===----------------------------------------------------------------------===//

class RandomEdge {
public:
  explicit RandomEdge(unsigned seed) : random(seed) {
    // There are axes that both tensors have, axes that the producer reduces,
    // axes that the consumer adds, and an axis that the consumer reduces.
    std::string input = "ab", producer = "ab", consumer = "ab";
    if (draw(0, 2) == 0) {
      input += "r";
      producer.insert(draw(0, 1) * 2, "r:r");
    }
    if (draw(0, 2) == 0)
      consumer.insert(draw(0, 2), "n");
    if (draw(0, 2) == 0) {
      input += "c";
      producer += "c";
      consumer += "r:c";
    }
    if (draw(0, 3) == 0)
      std::swap(consumer.front(), consumer[1]);
    if (consumer.find(':') != std::string::npos &&
        consumer.find("r:c") == std::string::npos)
      consumer = "ab r:c";
    std::string squeezed;
    if (draw(0, 3) == 0) {
      squeezed = "0";
      input = "o" + input;
      producer = "o" + producer;
    }
    std::string reads = squeezed;
    reads += producer.find('c') == std::string::npos ? "ab" : "abc";
    b.size('o', 1)
        .size('a', draw(0, 12))
        .size('b', draw(1, 12))
        .size('n', draw(2, 5));
    b.input("X", input);
    p = b.add("P", producer, {{"X", input}});
    c = b.output("C", consumer, {{"P", reads}});
    s = b.build();
  }

  int draw(int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  }

  /// Applies random splits, merges and reorders, some of which are refused.
  void transform(TensorId tensor, unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      int last = s.getTensor(tensor).loop.size() - 1;
      int first = draw(0, last), second = draw(0, last);
      if (draw(0, 2) == 0) {
        (void)s.merge(tensor, first, second);
      } else if (draw(0, 1)) {
        (void)s.split(tensor, first, draw(1, 5), draw(0, 1));
      } else {
        SmallVector<int64_t> order = llvm::to_vector(
            llvm::seq<int64_t>(0, s.getTensor(tensor).loop.size()));
        std::swap(order[first], order[second]);
        (void)s.reorder(tensor, order);
      }
    }
  }

  /// Expects that the loops are derived from all root axes, each once.
  void expectComplete(TensorId id, ArrayRef<AxisId> loop) const {
    SmallVector<AxisId> roots = s.getRoots(loop);
    SmallVector<AxisId> wanted = s.getTensor(id).root;
    llvm::sort(roots);
    llvm::sort(wanted);
    EXPECT_EQ(roots, wanted);
    llvm::DenseMap<AxisId, unsigned> uses;
    for (ExprId expr : s.getHistory(loop))
      for (AxisId axis : s.getExpr(expr).inputs)
        ++uses[axis];
    for (AxisId axis : loop)
      ++uses[axis];
    SmallVector<AxisId> all = wanted;
    for (ExprId expr : s.getHistory(loop))
      llvm::append_range(all, s.getExpr(expr).outputs);
    for (AxisId axis : all)
      EXPECT_EQ(uses[axis], 1u) << s.formatAxis(axis);
  }

  std::mt19937 random;
  ScheduleBuilder b;
  Schedule s{b.getContext()};
  TensorId p, c;
};

TEST(ReplayPropertyTest, ThereAndBack) {
  unsigned done = 0, returned = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    RandomEdge e(seed);
    e.transform(e.p, e.draw(0, 4));
    e.transform(e.c, e.draw(0, 4));
    SCOPED_TRACE("seed " + std::to_string(seed) + ": " + e.s.format(e.p) +
                 " -> " + e.s.format(e.c));
    bool forwards = e.draw(0, 1);
    TensorId from = forwards ? e.p : e.c, to = forwards ? e.c : e.p;
    unsigned position = e.draw(0, e.s.getTensor(from).loop.size());
    auto replay = [&](bool forwards, unsigned position, ReplayResult &result) {
      return forwards
                 ? replayConsumerAsProducer(e.s, e.c, e.p, position, result)
                 : replayProducerAsConsumer(e.s, e.p, e.c, position, result);
    };
    ReplayResult there, back;
    if (replay(forwards, position, there))
      continue; // The merge was with a reduction.
    ++done;
    e.expectComplete(to, there.loop);
    ASSERT_FALSE(installLoops(e.s, to, there.loop));
    SCOPED_TRACE("position " + std::to_string(position) + ": " +
                 e.s.format(to) + " @" + std::to_string(there.position));

    // Matching must return the position of the replay.
    EXPECT_EQ(matchPosition(e.s, e.p, e.c, position, forwards ? kCasP : kPasC),
              Position(there.position));

    // If no transform was lost, a replay in the other direction results in the
    // same loops.
    ASSERT_FALSE(replay(!forwards, there.position, back));
    e.expectComplete(from, back.loop);
    if (there.position == position) {
      EXPECT_EQ(back.position, position);
      EXPECT_TRUE(
          e.s.isSamePrefix(back.loop, e.s.getTensor(from).loop, position));
      ++returned;
    }
    // A second replay changes nothing.
    ReplayResult again;
    ASSERT_FALSE(replay(forwards, position, again));
    EXPECT_EQ(again.position, there.position);
    EXPECT_TRUE(e.s.isSamePrefix(again.loop, there.loop, there.loop.size()));
  }
  EXPECT_GE(returned, 500u);
  EXPECT_GE(done, 1000u);
}

} // namespace
