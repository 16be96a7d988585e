//===- AxisGroupsTest.cpp - Tests of values of axes in loops --------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "NestFixture.h"
#include "NestInterpreter.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "llvm/ADT/Sequence.h"
#include "llvm/Support/raw_ostream.h"
#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {
class AxisGroupsTest : public NestTest {
protected:
  /// Runs the nest of the schedule, which must be legal, and returns the number
  /// of executed statements.
  unsigned execute(std::vector<int64_t> symbols = {}) const {
    LoopClasses classes = LoopClasses::build(*s);
    ok(verifyLegality(*s, classes));
    LoopNest nest;
    ok(buildLoopNest(*s, classes, nest));
    NestInterpreter interpreter(*s, classes, std::move(symbols));
    interpreter.run(nest);
    if (HasFailure())
      llvm::errs() << nest.format(*s, classes);
    return interpreter.getNumStatements();
  }

  static std::string print(AffineExpr expr) {
    std::string text;
    llvm::raw_string_ostream os(text);
    if (expr)
      os << expr;
    return text;
  }
  std::string solve(StringRef name, AxisId axis) const {
    LoopClasses classes = LoopClasses::build(*s);
    return print(IndexSolver(*s, classes, id(name)).solve(axis));
  }
  std::string bounds(StringRef name) const {
    LoopClasses classes = LoopClasses::build(*s);
    std::string text;
    for (const IndexBound &bound :
         IndexSolver(*s, classes, id(name)).getBounds())
      text += (text.empty() ? "" : ", ") + print(bound.index) + " < " +
              print(bound.bound);
    return text;
  }
  AxisId root(StringRef name, unsigned i) const {
    return s->getTensor(id(name)).root[i];
  }
  AxisId loop(StringRef name, unsigned i) const {
    return s->getTensor(id(name)).loop[i];
  }
};
} // namespace

TEST_F(AxisGroupsTest, GroupsFollowSharedLoopsOnly) {
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.output("T2", "ab", {{"T1", "ab"}});
  start();
  split({"T1", "T2"}, 0, 4);
  at("T1 1");
  AxisGroups groups = AxisGroups::build(*s);
  EXPECT_TRUE(groups.areSame(root("T1", 0), root("T2", 0)));
  EXPECT_FALSE(groups.areSame(root("T1", 1), root("T2", 1)));
  EXPECT_FALSE(groups.areSame(root("X", 0), root("T1", 0)));
  for (unsigned i : {0, 1})
    EXPECT_TRUE(groups.areSame(loop("T1", i), loop("T2", i)));
  EXPECT_FALSE(groups.areSame(loop("T1", 0), loop("T1", 1)));
}

TEST_F(AxisGroupsTest, MergeWithABroadcast) {
  b.size('y', 3).size('z', 5);
  b.input("X", "y");
  b.input("W", "yz");
  b.add("T1", "y", {{"X", "y"}});
  b.add("T2", "yz", {{"T1", "y"}});
  b.output("T3", "yz", {{"T2", "yz"}, {"W", "yz"}});
  start();
  merge({"T2", "T3"}, 0);
  at("T1 1");
  {
    // No consumer in the loop makes the broadcast concrete.
    AxisGroups groups = AxisGroups::build(*s);
    EXPECT_TRUE(groups.areSame(loop("T1", 0), loop("T2", 0)));
    EXPECT_FALSE(groups.isConcrete(root("T2", 1)));
    EXPECT_EQ(print(groups.getExtent(loop("T2", 0))), "3");
  }
  at("T2 1");
  AxisGroups groups = AxisGroups::build(*s);
  EXPECT_FALSE(groups.areSame(loop("T1", 0), loop("T2", 0)));
  EXPECT_TRUE(groups.areSame(loop("T2", 0), loop("T3", 0)));
  EXPECT_TRUE(groups.isConcrete(root("T2", 1)));
  EXPECT_EQ(print(groups.getExtent(loop("T2", 0))), "15");
  EXPECT_EQ(solve("T1", root("T1", 0)), solve("T3", root("T3", 0)));
  EXPECT_EQ(execute(), 4 * 15u - 15u);
}

TEST_F(AxisGroupsTest, Indices) {
  b.size('a', 6).size('b', 10);
  b.input("X", "ab");
  b.output("T1", "ab", {{"X", "ab"}});
  start();
  merge({"T1"}, 0);
  split({"T1"}, 0, 4);
  ClassId outer = LoopClasses::build(*s).getClass(id("T1"), 0);
  std::string o = "d" + std::to_string(outer);
  std::string i = "d" + std::to_string(outer + 1);
  EXPECT_EQ(solve("T1", loop("T1", 0)), o);
  EXPECT_EQ(solve("T1", root("T1", 0)),
            "(" + o + " * 4 + " + i + ") floordiv 10");
  EXPECT_EQ(solve("T1", root("T1", 1)), "(" + o + " * 4 + " + i + ") mod 10");
  EXPECT_EQ(bounds("T1"), "");
  execute();
}

TEST_F(AxisGroupsTest, BoundsOfUnevenSplits) {
  b.size('a', 10);
  b.input("X", "a");
  b.output("T1", "a", {{"X", "a"}});
  start();
  split({"T1"}, 0, 3);
  split({"T1"}, 1, 5);
  ClassId first = LoopClasses::build(*s).getClass(id("T1"), 0);
  auto d = [&](unsigned i) { return "d" + std::to_string(first + i); };
  // The inner axis of an uneven split needs a bound of its own, because the
  // elements beyond it belong to the next outer iteration.
  EXPECT_EQ(bounds("T1"), d(0) + " * 3 + " + d(1) + " * 5 + " + d(2) +
                              " < 10, " + d(1) + " * 5 + " + d(2) + " < 3");
  EXPECT_EQ(execute(), 10u);
}

TEST_F(AxisGroupsTest, SymbolicExtents) {
  b.size('a', 0).size('b', 0);
  b.input("X", "ab");
  b.add("T1", "ab", {{"X", "ab"}});
  b.add("T2", "a r:b", {{"T1", "ab"}});
  b.output("T3", "ab", {{"T1", "ab"}, {"T2", "a"}});
  start();
  split({"T1", "T2", "T3"}, 0, 4);
  split({"T1", "T2", "T3"}, 2, 3);
  at("T1 2, T2 2");
  for (int64_t a : {0, 1, 4, 7})
    for (int64_t b : {1, 3, 8})
      execute({a, b});
}

TEST_F(AxisGroupsTest, PartOfASplitShared) {
  b.size('y', 3).size('z', 5);
  b.input("X", "y");
  b.input("W", "yz");
  b.add("T1", "yz", {{"X", "y"}});
  b.output("T2", "yz", {{"T1", "yz"}, {"W", "yz"}});
  start();
  merge({"T1", "T2"}, 0);
  split({"T1", "T2"}, 0, 4);
  for (unsigned position : {0, 1, 2}) {
    s->getTensor(id("T1")).computeAt = position;
    execute();
  }
}

// An accumulator is not updated repeatedly in a loop of other tensors.
TEST_F(AxisGroupsTest, ReductionInALoopOfOthers) {
  b.input("X", "km");
  b.input("W", "knm");
  b.add("P", "km", {{"X", "km"}});
  b.output("R", "r:k m", {{"P", "km"}});
  b.output("S", "knm", {{"P", "km"}, {"W", "knm"}});
  start();
  at("P 2");
  EXPECT_EQ(bounds("S"), "");
  EXPECT_TRUE(StringRef(bounds("R")).ends_with(" < 1"));
  execute();
}

// The loop of the reduction is a loop over y*z.
TEST_F(AxisGroupsTest, ReductionInALargerLoop) {
  b.input("X", "y");
  b.input("W", "yz");
  b.add("P", "y", {{"X", "y"}});
  b.output("R", "r:y", {{"P", "y"}});
  b.output("S", "yz", {{"P", "y"}, {"W", "yz"}});
  start();
  merge({"S"}, 0);
  at("P 1");
  EXPECT_TRUE(StringRef(bounds("R")).ends_with(" mod 8 < 1"));
  execute();
}

// An accumulator is not updated repeatedly in its own loop over a broadcast
// that other tensors make concrete.
TEST_F(AxisGroupsTest, ReductionOutsideOfABroadcast) {
  b.input("X", "k");
  b.input("W", "kc");
  b.add("P", "kc", {{"X", "k"}});
  b.add("R", "r:k c", {{"P", "kc"}});
  b.output("S", "kc", {{"P", "kc"}, {"W", "kc"}});
  b.output("O", "c", {{"R", "c"}});
  start();
  at("P 2");
  EXPECT_TRUE(StringRef(bounds("R")).ends_with(" < 1"));
  execute();
}

TEST_F(AxisGroupsTest, RFactorOfAnUnevenSplit) {
  b.size('b', 10);
  b.input("T0", "ab");
  b.add("T", "a r:b", {{"T0", "ab"}});
  b.output("O", "a", {{"T", "a"}});
  start();
  split({"T"}, 1, 4);
  split({"T"}, 2, 3);
  TensorId partial;
  ok(s->rfactor(id("T"), {1, 2}, partial));
  s->getTensor(partial).computeAt = 1;
  at("T 1");
  execute();
}

//===----------------------------------------------------------------------===//
// Random schedules
//===----------------------------------------------------------------------===//

namespace {
class RandomNests : public AxisGroupsTest {
protected:
  unsigned pick(unsigned size) { return size ? random() % size : 0; }

  void addTensors(unsigned count) {
    // The first letter that is read becomes the first symbol. The letter a is
    // always read.
    b.size('a', pick(3) ? 4 : 0).size('b', 4).size('c', 3);
    std::vector<std::pair<std::string, std::string>> known;
    for (StringRef axes : {"ab", "abc", "a", "b"}) {
      known.emplace_back("I" + axes.str(), axes.str());
      b.input(known.back().first, axes);
    }
    for (unsigned i = 0; i < count; ++i) {
      ScheduleBuilder::Reads reads;
      std::string letters, axes, logical, all = "abc";
      std::string name = "T" + std::to_string(i);
      for (unsigned j = 0, e = 1 + pick(2); j < e; ++j) {
        auto [from, indices] = known[known.size() - 1 - pick(5) % known.size()];
        // Some reads are transposed.
        if (pick(6) == 0)
          for (char &letter : indices)
            letter = letter == 'a' ? 'b' : letter == 'b' ? 'a' : letter;
        reads.emplace_back(from, indices);
        letters += indices;
      }
      if (pick(3) == 0)
        letters += "abc"[pick(3)];
      std::shuffle(all.begin(), all.end(), random);
      if (pick(3))
        llvm::sort(all);
      bool reduces = pick(3) == 0;
      for (char letter : all) {
        if (letters.find(letter) == std::string::npos)
          continue;
        bool isReduced = reduces && pick(2);
        axes += (isReduced ? " r:" : " ") + std::string(1, letter);
        if (!isReduced)
          logical += letter;
      }
      // An output has no broadcasts, so that its reads must have all of its
      // axes.
      bool isOutput = i + 3 > count || pick(8) == 0;
      b.add(name, axes, reads, false, isOutput);
      known.emplace_back(name, logical);
    }
    start();
  }

  void transform(TensorId t) {
    unsigned size = s->getTensor(t).loop.size();
    unsigned axis = pick(size);
    TensorId partial;
    switch (pick(5)) {
    case 4:
      (void)s->rfactor(t, {axis}, partial);
      break;
    case 0:
    case 1:
      (void)s->split(t, axis, 2 + pick(3), pick(2));
      break;
    case 2:
      if (size > 1 && axis + 1 < size)
        (void)s->merge(t, axis, axis + 1);
      break;
    case 3:
      SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(size));
      std::shuffle(order.begin(), order.end(), random);
      (void)s->reorder(t, order);
      break;
    }
  }

  /// Sets random positions, and lowers them until the schedule is legal.
  void setPositions() {
    for (TensorId t = 0; t < s->getNumTensors(); ++t) {
      Tensor &tensor = s->getTensor(t);
      if (tensor.isInput || s->getConsumers(t).empty())
        continue;
      tensor.computeAt = pick(tensor.loop.size() + 1);
      if (pick(6) == 0)
        tensor.computeWith = tensor.loop.size();
    }
    for (unsigned iteration = 0;; ++iteration) {
      ASSERT_LT(iteration, 100u);
      auto findings = findViolations(*s, LoopClasses::build(*s));
      if (findings.empty())
        return;
      for (const LegalityFinding &finding : findings) {
        ++counts[finding.condition];
        ASSERT_FALSE(finding.lower.empty()) << finding.violation.text;
        for (const LoopClass::Member &member : finding.lower) {
          Tensor &tensor = s->getTensor(member.tensor);
          ASSERT_TRUE(tensor.computeAt > member.position ||
                      tensor.computeWith.value_or(0) > member.position ||
                      findings.size() > 1)
              << finding.violation.text;
          tensor.computeAt = std::min(tensor.computeAt, member.position);
          if (tensor.computeWith.value_or(0) > member.position)
            tensor.computeWith = member.position;
          if (tensor.computeWith && *tensor.computeWith <= tensor.computeAt)
            tensor.computeWith.reset();
        }
      }
    }
  }

  std::mt19937 random;
  std::map<LegalityFinding::Condition, unsigned> counts;
  unsigned numShared = 0;
};
} // namespace

TEST_F(RandomNests, OutputsAreRight) {
  unsigned numRecomputed = 0;
  for (unsigned seed = 0; seed < 1500; ++seed) {
    SCOPED_TRACE(seed);
    random.seed(seed);
    b.reset();
    addTensors(3 + pick(8));
    // Transform the loops of one tensor, and apply similar transforms to other
    // tensors.
    TensorId reference = 4 + pick(s->getNumTensors() - 4);
    for (unsigned i = 0, e = pick(4); i < e; ++i)
      transform(reference);
    if (pick(4))
      (void)propagate(*s, reference, s->getTensor(reference).loop.size());
    for (unsigned i = 0, e = pick(3); i < e; ++i)
      transform(4 + pick(s->getNumTensors() - 4));
    setPositions();
    if (HasFatalFailure())
      return;
    for (TensorId t = 0; t < s->getNumTensors(); ++t)
      numShared += s->getTensor(t).computeAt > 0;
    for (const auto &loops : getRecomputation(*s, LoopClasses::build(*s)))
      numRecomputed += !loops.empty();
    execute({4});
    if (HasFailure())
      return;
  }
  // Check that each case occurred, so that the test can fail. A circular order
  // is rare.
  EXPECT_GT(numShared, 1500u);
  EXPECT_GT(numRecomputed, 100u);
  using Condition = LegalityFinding::Condition;
  for (Condition condition :
       {Condition::Match, Condition::SelfMap, Condition::Promotion,
        Condition::Convexity, Condition::Reduction, Condition::Iteration})
    EXPECT_GT(counts[condition], 0u) << int(condition);
}
