//===- LegalityTest.cpp - Tests of the conditions on loops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// For each condition, some tests violate it and some satisfy it. The tests also
// check the notes of violations.
//
//===----------------------------------------------------------------------===//

#include "NestFixture.h"

using namespace mlir;
using namespace mlir::fuse;

TEST_F(NestTest, PositionOutOfRange) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.output("T2", "ab", {{"T1", "ab"}});
  start();
  at("T1 3");
  EXPECT_EQ(violation(),
            "tensor 'T1' is computed at position 3: expected 0 to 2");
  EXPECT_EQ(lower(), "T1 2");
  at("T1 2");
  EXPECT_EQ(violation(), "");
  at("X 1");
  EXPECT_EQ(violation(),
            "tensor 'X' is computed at position 1: expected 0 to 0");
  at("X 0, T1 2 1");
  EXPECT_EQ(violation(),
            "tensor 'T1' is stored at position 2 but computed outside of that "
            "position, at 1");
}

TEST_F(NestTest, LoopsThatDoNotCorrespond) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.output("T2", "ba", {{"T1", "ab"}});
  b.add("R", "a r:b", {{"X", "ab"}});
  b.output("T3", "a", {{"R", "a"}});
  start();
  at("T1 1, R 2");
  EXPECT_EQ(violation(),
            "loop 'a' of tensor 'T1' corresponds to no loop of its consumer "
            "'T2'; the loops of the consumer are T2[b, a]");
  EXPECT_EQ(lower(), "T1 0, R 1");
  at("T1 0");
  EXPECT_EQ(violation(),
            "tensor 'R' cannot be computed inside of its own reduction loop "
            "'r:b': expected a position of at most 1");
  at("R 1");
  EXPECT_EQ(violation(), "");
}

// Softmax: the sum is only complete after its loop.
TEST_F(NestTest, DescendantOfAReduction) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.add("T3", "ab", {{"T2", "a"}});
  b.output("T4", "ab", {{"T1", "ab"}, {"T3", "ab"}});
  start();
  at("T1 2, T2 1, T3 1");
  EXPECT_EQ(violation(),
            "'T4' depends on 'T2' and is in loop 'b', in which 'T2' is still "
            "being reduced; 'T3' reads 'T2'; 'T4' reads 'T3'");
  EXPECT_EQ(lower(), "T1 1");
  at("T1 1");
  EXPECT_EQ(violation(), "");
}

TEST_F(NestTest, ReaderOfAReduction) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.output("T4", "ab", {{"T1", "ab"}, {"T2", "a"}});
  start();
  at("T1 2, T2 1");
  EXPECT_EQ(violation(), "'T4' depends on 'T2' and is in loop 'b', in which "
                         "'T2' is still being reduced; 'T4' reads 'T2'");
  EXPECT_EQ(lower(), "T1 1");
}

// T4 reads a tensor outside of the loop that its producers share. Each position
// alone would be legal (nvFuser's issue 4829).
class PathAroundALoop : public NestTest {
protected:
  void SetUp() override {
    b.input("X", "ab");
    b.add("t2", "ab", {{"X", "ab"}});
    b.add("t3", "ab", {{"t2", "ab"}});
    b.add("t4", "ab", {{"t3", "ab"}});
    b.add("t5", "ab", {{"t4", "ab"}});
    b.output("t7", "ab", {{"t5", "ab"}, {"t2", "ab"}});
    start();
  }
};

TEST_F(PathAroundALoop, Reported) {
  at("t2 2, t3 1, t4 1, t5 2");
  EXPECT_EQ(violation(),
            "'t3' and 't5' share loop 'b', but 't4' on the path between them "
            "is outside of that loop; 't4' reads 't3'; 't5' reads 't4'");
  EXPECT_EQ(lower(), "t2 1");
  at("t2 1");
  EXPECT_EQ(violation(), "");
}

TEST_F(PathAroundALoop, AllInside) {
  at("t2 2, t3 2, t4 2, t5 2");
  EXPECT_EQ(violation(), "");
}

TEST_F(PathAroundALoop, AllOutside) {
  at("t2 0, t3 0, t4 0, t5 2");
  EXPECT_EQ(violation(), "");
}

// No path leaves a loop and enters it again, but the loops have no order.
TEST_F(NestTest, LoopsThatNeedEachOther) {
  b.input("X", "a");
  b.add("P", "a", {{"X", "a"}});
  b.add("Q", "a", {{"X", "a"}});
  b.add("A1", "r:a", {{"P", "a"}});
  b.add("B2", "r:a", {{"Q", "a"}});
  b.output("B1", "a", {{"Q", "a"}, {"A1", ""}});
  b.output("A2", "a", {{"P", "a"}, {"B2", ""}});
  start();
  at("P 1, Q 1");
  EXPECT_EQ(violation(),
            "loop 'a' of 'B1' and 'B2' would have to come before itself; 'A2' "
            "reads 'B2', in loop 'a'; 'B1' reads 'A1', in loop 'a'");
  EXPECT_EQ(lower(), "Q 0");
  at("Q 0");
  EXPECT_EQ(violation(), "");
}

TEST_F(NestTest, OuterSumOfOneTensor) {
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "xa", {{"T1", "a"}});
  b.add("T3", "ax", {{"T1", "a"}});
  b.output("T4", "xa", {{"T2", "xa"}, {"T3", "xa"}});
  start();
  at("T1 1, T2 2, T3 2");
  EXPECT_EQ(violation(), "tensor 'T4' would have its axes 'x' and 'a' in one "
                         "loop; both share the loop 'a' of 'T1'");
  EXPECT_EQ(lower(), "T1 0");
  at("T1 0");
  EXPECT_EQ(violation(), "");
}

// The same case after merges: there is one loop, but an element of T1 would
// have to be two elements.
TEST_F(NestTest, OuterSumWithMerges) {
  b.input("T0", "a");
  b.add("T1", "a", {{"T0", "a"}});
  b.add("T2", "xa", {{"T1", "a"}});
  b.add("T3", "ax", {{"T1", "a"}});
  b.output("T4", "xa", {{"T2", "xa"}, {"T3", "xa"}});
  start();
  merge({"T2", "T3", "T4"}, 0);
  at("T1 1, T2 1, T3 1");
  EXPECT_EQ(violation(),
            "tensor 'T4' would have its axes 'x' and 'a' take the same values "
            "in shared loops; 'T1' shares the loop 'a'");
  at("T1 0");
  EXPECT_EQ(violation(), "");
}

TEST_F(NestTest, CircularOrder) {
  b.input("X", "a");
  b.input("Y", "b");
  b.input("W", "ab");
  b.add("P", "a", {{"X", "a"}});
  b.add("Q", "b", {{"Y", "b"}});
  b.output("C", "ab", {{"P", "a"}, {"Q", "b"}, {"W", "ab"}});
  b.output("D", "ba", {{"P", "a"}, {"Q", "b"}, {"W", "ab"}});
  start();
  at("P 1, Q 1");
  EXPECT_EQ(violation(),
            "loops 'a' and 'b' would each be inside of the other; 'C' has 'b' "
            "inside of 'a': its loops are C[a, b]; 'D' has 'a' inside of 'b': "
            "its loops are D[b, a]");
  EXPECT_EQ(lower(), "P 0");
  at("P 0");
  EXPECT_EQ(violation(), "");
}

TEST_F(NestTest, NoLoopForBoth) {
  b.input("X", "y");
  b.input("V", "yz");
  b.input("W", "xy");
  b.add("P", "y", {{"X", "y"}});
  b.output("C", "yz", {{"P", "y"}, {"V", "yz"}});
  b.output("D", "xy", {{"P", "y"}, {"W", "xy"}});
  start();
  merge({"C", "D"}, 0);
  at("P 1");
  EXPECT_EQ(violation(),
            "no loop covers both '(y*z)' of 'C' and '(x*y)' of 'D': neither "
            "covers all values of the other; the loops of 'C' are C[(y*z)]; "
            "the loops of 'D' are D[(x*y)]");
  EXPECT_EQ(lower(), "P 0");
  at("P 0");
  EXPECT_EQ(violation(), "");
}

// P has a private part of its loop, which differs from the inner loops of C.
TEST_F(NestTest, PartOfAPromotedLoop) {
  b.size('y', 6).size('z', 5);
  b.input("X", "y");
  b.input("V", "yz");
  b.add("P", "y", {{"X", "y"}});
  b.output("C", "yz", {{"P", "y"}, {"V", "yz"}});
  start();
  merge({"C"}, 0);
  split({"C", "P"}, 0, 4);
  at("P 1");
  EXPECT_TRUE(StringRef(violation()).starts_with("no loop covers both"));
  EXPECT_EQ(lower(), "P 0");
  at("P 2");
  EXPECT_EQ(violation(), "");
}

// P and C are in the loop that they share with Q, but C reads elements of P
// from other iterations.
TEST_F(NestTest, ReadOfOtherIterations) {
  b.input("X", "ab");
  b.add("Q", "ab", {{"X", "ab"}});
  b.output("P", "ab", {{"Q", "ab"}});
  b.output("C", "ab", {{"Q", "ab"}, {"P", "ba"}});
  start();
  at("Q 1");
  EXPECT_EQ(
      violation(),
      "'C' reads 'P' in loop 'a', including elements that other iterations "
      "compute; the loops of 'P' are P[a, b]; the loops of 'C' are C[a, b]");
  EXPECT_EQ(lower(), "Q 0");
  at("Q 0");
  EXPECT_EQ(violation(), "");
}

TEST_F(NestTest, ReadOfTheSameIteration) {
  b.input("X", "ab");
  b.add("Q", "ab", {{"X", "ab"}});
  b.output("P", "ab", {{"Q", "ab"}});
  b.output("C", "ab", {{"Q", "ab"}, {"P", "ab"}});
  start();
  at("Q 2");
  EXPECT_EQ(violation(), "");
}

// If a tensor is computed in a deeper loop than the loop that stores it, its
// readers must come after the deeper loop.
TEST_F(NestTest, ComputeWith) {
  b.input("X", "ab");
  b.add("C", "ab", {{"X", "ab"}});
  b.add("M", "a r:b", {{"C", "ab"}});
  b.output("Y", "ab", {{"C", "ab"}, {"M", "a"}});
  start();
  at("C 1 2, M 1");
  EXPECT_EQ(violation(), "");
  // C is stored in a loop that also contains the reader of M.
  at("C 2, M 1");
  EXPECT_EQ(lower(), "C 1");
}

// All violations are reported together.
TEST_F(NestTest, SeveralViolations) {
  b.input("X", "ab");
  std::string last = "X";
  for (unsigned i = 0; i < 3; ++i) {
    std::string n = std::to_string(i);
    b.add("E" + n, "ab", {{last, "ab"}});
    b.add("Z" + n, "a r:b", {{"E" + n, "ab"}});
    last = "Y" + n;
    b.add(last, "ab", {{"E" + n, "ab"}, {"Z" + n, "a"}}, false, true);
  }
  start();
  for (unsigned i = 0; i < 3; ++i)
    at("E" + std::to_string(i) + " 2");
  EXPECT_EQ(lower(), "E0 1, E1 1, E2 1");
  for (unsigned i = 0; i < 3; ++i)
    at("E" + std::to_string(i) + " 1");
  EXPECT_EQ(violation(), "");
}
