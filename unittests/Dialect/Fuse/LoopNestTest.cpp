//===- LoopNestTest.cpp - Tests of the nest that a schedule means ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestFixture.h"
#include <chrono>

using namespace mlir;
using namespace mlir::fuse;

TEST_F(NestTest, TwoReductionsOfOneProducer) {
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.add("T3", "a r:b", {{"T1", "ab"}});
  b.output("T4", "a", {{"T2", "a"}, {"T3", "a"}});
  start();
  at("T1 2, T2 1, T3 1");
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc T2
  alloc T3
  init T2
  init T3
  for b < 8:
    alloc T1
    T1 = T0
    T2 += T1
    T3 += T1
  T4 = T2, T3
)");
}

TEST_F(NestTest, BroadcastsOfOneProducer) {
  b.input("T0", "a");
  b.input("X", "ab");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "ab", {{"T1", "a"}});
  b.add("T3", "ab", {{"T1", "a"}});
  b.output("T4", "ab", {{"T2", "ab"}, {"T3", "ab"}, {"X", "ab"}});
  start();
  at("T1 1, T2 1, T3 1");
  // A loop over broadcasts alone is omitted.
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc T1
  T1 = T0
  alloc T2
  T2 = T1
  alloc T3
  T3 = T1
  for b < 8:
    T4 = T2, T3, X
)");
  at("T2 2, T3 2");
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc T1
  T1 = T0
  for b < 8:
    alloc T2
    T2 = T1
    alloc T3
    T3 = T1
    T4 = T2, T3, X
)");
}

TEST_F(NestTest, OuterBroadcastsRecompute) {
  b.input("T0", "a");
  b.input("X", "ba");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "ba", {{"T1", "a"}});
  b.output("T4", "ba", {{"T2", "ba"}, {"X", "ba"}});
  start();
  at("T1 1, T2 2");
  EXPECT_EQ(nest(), R"(
for b < 8:
  for a < 8:
    alloc T1
    T1 = T0
    alloc T2
    T2 = T1
    T4 = T2, X
)");
  LoopClasses classes = LoopClasses::build(*s);
  auto recomputed = getRecomputation(*s, classes);
  ClassId loop = classes.getClass(id("T4"), 0);
  EXPECT_EQ(recomputed[id("T1")], SmallVector<ClassId>{loop});
  EXPECT_EQ(recomputed[id("T2")], SmallVector<ClassId>{loop});
  EXPECT_TRUE(recomputed[id("T4")].empty());
}

TEST_F(NestTest, MixedBranches) {
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.output("T3", "ab", {{"T1", "ab"}});
  b.output("T5", "a", {{"T2", "a"}});
  start();
  at("T1 2, T2 1");
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc T2
  init T2
  for b < 8:
    alloc T1
    T1 = T0
    T2 += T1
    T3 = T1
  T5 = T2
)");
}

TEST_F(NestTest, Normalisation) {
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.add("T3", "ab", {{"T2", "a"}});
  b.output("T4", "ab", {{"T1", "ab"}, {"T3", "ab"}});
  start();
  at("T1 1, T2 1, T3 1");
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc T1[b]
  for b < 8:
    T1 = T0
  alloc T2
  init T2
  for b < 8:
    T2 += T1
  alloc T3
  T3 = T2
  for b < 8:
    T4 = T1, T3
)");
}

TEST_F(NestTest, Softmax) {
  b.input("X", "ab");
  b.add("M", "a r:b", {{"X", "ab"}});
  b.add("Mb", "ab", {{"M", "a"}});
  b.add("S", "ab", {{"X", "ab"}, {"Mb", "ab"}});
  b.add("E", "ab", {{"S", "ab"}});
  b.add("Z", "a r:b", {{"E", "ab"}});
  b.add("Zb", "ab", {{"Z", "a"}});
  b.output("Y", "ab", {{"E", "ab"}, {"Zb", "ab"}});
  start();
  at("M 1, Mb 1, S 2, E 1, Z 1, Zb 1");
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc M
  init M
  for b < 8:
    M += X
  alloc Mb
  Mb = M
  alloc E[b]
  for b < 8:
    alloc S
    S = X, Mb
    E = S
  alloc Z
  init Z
  for b < 8:
    Z += E
  alloc Zb
  Zb = Z
  for b < 8:
    Y = E, Zb
)");
}

TEST_F(NestTest, ProducerWithSideOutput) {
  b.size('a', 0).size('b', 100);
  b.input("T0", "ab");
  b.add("T1", "ab", {{"T0", "ab"}});
  b.output("T2", "ab", {{"T1", "ab"}});
  b.add("T3", "ab", {{"T1", "ab"}});
  b.output("T4", "ab", {{"T3", "ab"}});
  start();
  merge({"T1", "T2", "T3", "T4"}, 0);
  split({"T1", "T2", "T3", "T4"}, 0, 128);
  at("T1 1, T3 1");
  EXPECT_EQ(nest(), R"(
for (a*b)o < (s0 * 100) ceildiv 128:
  alloc T1[(a*b)i]
  for (a*b)i < 128:
    T1 = T0
  for (a*b)i < 128:
    T2 = T1
  alloc T3[(a*b)i]
  for (a*b)i < 128:
    T3 = T1
  for (a*b)i < 128:
    T4 = T3
)");
}

class MatmulNest : public NestTest {
protected:
  void SetUp() override {
    b.size('m', 64).size('n', 128).size('k', 32);
    b.input("A", "mk");
    b.input("B", "nk");
    b.add("As", "mk", {{"A", "mk"}});
    b.add("Bs", "nk", {{"B", "nk"}});
    b.add("C", "mn r:k", {{"As", "mk"}, {"Bs", "nk"}});
    b.output("D", "mn", {{"C", "mn"}});
    start();
    split({"C", "D"}, 1, 64);
    split({"C", "D"}, 0, 32);
    reorder("D", {0, 2, 1, 3});
    // mo mi no ni k -> mo no ko mi ni ki
    split({"C"}, 4, 16);
    reorder("C", {0, 2, 4, 1, 3, 5});
    for (StringRef name : {"As", "Bs"}) {
      split({name}, 1, 16);
      split({name}, 0, name == "As" ? 32 : 64);
      reorder(name, {0, 2, 1, 3});
    }
  }
};

TEST_F(MatmulNest, CachedTiles) {
  at("As 2, Bs 2, C 2");
  EXPECT_EQ(nest(), R"(
for mo < 2:
  for no < 2:
    alloc C[mi, ni]
    init C[mi, ni]
    for ko < 2:
      alloc As[mi, ki]
      for mi < 32:
        for ki < 16:
          As = A
      alloc Bs[ni, ki]
      for ni < 64:
        for ki < 16:
          Bs = B
      for mi < 32:
        for ni < 64:
          for ki < 16:
            C += As, Bs
    for mi < 32:
      for ni < 64:
        D = C
)");
  LoopClasses classes = LoopClasses::build(*s);
  auto recomputed = getRecomputation(*s, classes);
  EXPECT_EQ(recomputed[id("As")],
            SmallVector<ClassId>{classes.getClass(id("C"), 1)});
  EXPECT_EQ(recomputed[id("Bs")],
            SmallVector<ClassId>{classes.getClass(id("C"), 0)});
  EXPECT_TRUE(recomputed[id("C")].empty());
}

// The accumulator of an output is initialised directly before its first
// reduction loop.
TEST_F(MatmulNest, InitOfAnOutputIsSunk) {
  s->getTensor(id("C")).isOutput = true;
  at("As 2, Bs 2");
  std::string text = nest();
  EXPECT_EQ(text.substr(0, text.find("      alloc As")), R"(
for mo < 2:
  for no < 2:
    init C[mi, ni]
    for ko < 2:
)");
}

TEST_F(NestTest, RFactor) {
  b.input("T0", "ab");
  b.add("T", "a r:b", {{"T0", "ab"}});
  b.output("O", "a", {{"T", "a"}});
  start();
  split({"T"}, 1, 4);
  TensorId partial;
  ok(s->rfactor(id("T"), {1}, partial));
  s->getTensor(partial).name = "rf";
  s->getTensor(partial).computeAt = 1;
  at("T 1");
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc rf[bi]
  init rf[bi]
  for bo < 2:
    for bi < 4:
      rf += T0
  alloc T
  init T
  for bi < 4:
    T += rf
  O = T
)");
}

TEST_F(NestTest, ComputeWithFirstReduction) {
  b.input("X", "ab");
  b.add("C", "ab", {{"X", "ab"}});
  b.add("M", "a r:b", {{"C", "ab"}});
  b.add("S", "ab", {{"C", "ab"}, {"M", "a"}});
  b.output("Y", "ab", {{"S", "ab"}});
  start();
  at("C 1 2, M 1, S 2");
  EXPECT_EQ(nest(), R"(
for a < 8:
  alloc C[b]
  alloc M
  init M
  for b < 8:
    C = X
    M += C
  for b < 8:
    alloc S
    S = C, M
    Y = S
)");
}

TEST_F(NestTest, MergeAcrossBroadcasts) {
  b.size('x', 2).size('y', 3).size('z', 5);
  b.input("T0", "y");
  b.input("T3", "yz");
  b.input("T6", "xyz");
  b.add("T1", "y", {{"T0", "y"}});
  b.add("T2", "yz", {{"T1", "y"}});
  b.add("T4", "yz", {{"T2", "yz"}, {"T3", "yz"}});
  b.add("T5", "xyz", {{"T4", "yz"}});
  b.output("T7", "xyz", {{"T5", "xyz"}, {"T6", "xyz"}});
  start();
  merge({"T2", "T4"}, 0);
  merge({"T5", "T7"}, 0);
  merge({"T5", "T7"}, 0);
  at("T1 1, T2 1, T4 1, T5 1");
  EXPECT_EQ(nest(), R"(
for ((x*y)*z) < 30:
  alloc T1
  T1 = T0
  alloc T2
  T2 = T1
  alloc T4
  T4 = T2, T3
  alloc T5
  T5 = T4
  T7 = T5, T6
)");
}

TEST_F(NestTest, ZeroDimensions) {
  b.input("T0", "a");
  b.add("T1", "r:a", {{"T0", "a"}});
  b.output("T2", "", {{"T1", ""}});
  start();
  EXPECT_EQ(nest(), R"(
alloc T1
init T1
for a < 8:
  T1 += T0
T2 = T1
)");
}

// Two loops without an order between them both contain all statements of either
// loop.
TEST_F(NestTest, LoopsWithoutAnOrder) {
  b.input("X", "y");
  b.input("A", "ay");
  b.input("B", "by");
  b.add("P", "y", {{"X", "y"}});
  b.output("T1", "ay", {{"P", "y"}, {"A", "ay"}});
  b.output("T2", "by", {{"P", "y"}, {"B", "by"}});
  start();
  at("P 1");
  EXPECT_EQ(nest(), R"(
for a < 8:
  for b < 8:
    for y < 8:
      alloc P
      P = X
      T1 = P, A
      T2 = P, B
)");
}

// Statements and loops stay in program order where this is possible.
TEST_F(NestTest, OrderOfStatements) {
  b.input("X", "a");
  b.add("T1", "a", {{"X", "a"}});
  b.output("T2", "a", {{"X", "a"}});
  b.output("T3", "a", {{"T2", "a"}});
  b.output("T4", "a", {{"T3", "a"}, {"T1", "a"}});
  b.output("T5", "", {});
  start();
  at("T1 1");
  EXPECT_EQ(nest(), R"(
for a < 8:
  T2 = X
for a < 8:
  T3 = T2
for a < 8:
  alloc T1
  T1 = X
  T4 = T3, T1
T5 = constant
)");
}

TEST_F(NestTest, LoopTypes) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.output("T2", "ab", {{"T1", "ab"}});
  start();
  ok(s->setLoopType(id("T2"), 0, LoopType::Parallel));
  ok(s->setLoopType(id("T2"), 1, LoopType::Vectorize));
  at("T1 1");
  EXPECT_EQ(nest(), R"(
for a:parallel < 8:
  alloc T1[b]
  for b < 8:
    T1 = X
  for b:vectorize < 8:
    T2 = T1
)");
}

// 10,000 tensors: a sequence of softmaxes, each of which is fused.
TEST_F(NestTest, LargeFusion) {
  b.input("Y0", "ab");
  for (unsigned i = 1; i <= 2500; ++i) {
    std::string n = std::to_string(i), y = "Y" + std::to_string(i - 1);
    b.add("M" + n, "a r:b", {{y, "ab"}});
    b.add("E" + n, "ab", {{y, "ab"}, {"M" + n, "a"}});
    b.add("Z" + n, "a r:b", {{"E" + n, "ab"}});
    b.add("Y" + n, "ab", {{"E" + n, "ab"}, {"Z" + n, "a"}}, false, i == 2500);
  }
  start();
  for (TensorId t = 0; t < s->getNumTensors(); ++t)
    if (!s->getTensor(t).isInput && !s->getTensor(t).isOutput)
      s->getTensor(t).computeAt = 1;
  auto begin = std::chrono::steady_clock::now();
  LoopClasses classes = LoopClasses::build(*s);
  auto built = std::chrono::steady_clock::now();
  ok(verifyLegality(*s, classes));
  auto verified = std::chrono::steady_clock::now();
  LoopNest nest;
  ok(buildLoopNest(*s, classes, nest));
  auto end = std::chrono::steady_clock::now();
  auto getMs = [](auto from, auto to) {
    return std::chrono::duration<double, std::milli>(to - from).count();
  };
  RecordProperty("classes_ms", std::to_string(getMs(begin, built)));
  RecordProperty("legality_ms", std::to_string(getMs(built, verified)));
  RecordProperty("nest_ms", std::to_string(getMs(verified, end)));
  ASSERT_EQ(nest.body.size(), 1u);
  // Each softmax has three buffers, two inits and four loops, except that the
  // output has no buffer.
  EXPECT_EQ(nest.body[0].body.size(), 2500u * 10 - 1);
}
