//===- ComputeAtPropertyTest.cpp - Requests on random schedules -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random graphs of pointwise tensors, reductions, broadcasts and transposes,
// with random loops. Each accepted request must result in a legal schedule with
// a loop nest. Further tests have graphs of 10,000 tensors.
//
//===----------------------------------------------------------------------===//

#include "ComputeAtFixture.h"
#include "llvm/ADT/Sequence.h"
#include <random>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class RandomSchedules : public ComputeAtTest {
protected:
  unsigned pick(unsigned size) { return size ? random() % size : 0; }

  /// Adds `count` tensors. Each of them reads a few of the last `window`
  /// tensors, with their axes in any order.
  void addTensors(unsigned count, unsigned window) {
    b.size('a', 12).size('b', 10).size('c', 6);
    struct Known {
      std::string name, axes;
    };
    std::vector<Known> known;
    std::vector<bool> used;
    for (const char *axes : {"ab", "abc", "a"}) {
      known.push_back({"I" + std::string(axes), axes});
      b.input(known.back().name, axes);
      used.push_back(true);
    }
    // A tensor that no later tensor reads is an output, which is only known at
    // the end.
    struct Planned {
      std::string name, axes, logical;
      ScheduleBuilder::Reads reads;
    };
    std::vector<Planned> planned;
    for (unsigned i = 0; i < count; ++i) {
      std::string all = "abc";
      std::shuffle(all.begin(), all.end(), random);
      if (pick(2))
        std::sort(all.begin(), all.end());
      unsigned first = known.size() > window ? known.size() - window : 0;
      Planned tensor;
      tensor.name = "T" + std::to_string(i);
      std::string letters;
      for (unsigned j = 0, e = 1 + pick(2); j < e; ++j) {
        unsigned from = first + pick(known.size() - first);
        used[from] = true;
        tensor.reads.emplace_back(known[from].name, known[from].axes);
        letters += known[from].axes;
      }
      bool reduces = pick(4) == 0;
      if (pick(6) == 0)
        letters += all[0];
      for (char c : all) {
        if (letters.find(c) == std::string::npos)
          continue;
        bool isReduced = reduces && pick(2);
        tensor.axes += isReduced ? " r:" : " ";
        tensor.axes += c;
        if (!isReduced)
          tensor.logical += c;
      }
      known.push_back({tensor.name, tensor.logical});
      used.push_back(false);
      planned.push_back(tensor);
    }
    for (unsigned i = 0; i < count; ++i)
      b.add(planned[i].name, planned[i].axes, planned[i].reads, false,
            !used[i + 3] || pick(12) == 0);
    start();
  }

  void transformSome(unsigned count) {
    for (unsigned i = 0; i < count; ++i) {
      TensorId t = 3 + pick(s->getNumTensors() - 3);
      unsigned size = s->getTensor(t).loop.size();
      switch (pick(3)) {
      case 0:
        (void)s->split(t, pick(size), 2 + pick(4), pick(2));
        break;
      case 1:
        if (size > 1) {
          unsigned axis = pick(size - 1);
          (void)s->merge(t, axis, axis + 1);
        }
        break;
      case 2:
        SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(size));
        std::shuffle(order.begin(), order.end(), random);
        (void)s->reorder(t, order);
        break;
      }
    }
  }

  void expectNest() {
    expectLegal();
    LoopNest nest;
    ok(buildLoopNest(*s, LoopClasses::build(*s), nest));
  }

  std::vector<unsigned> getPositions() const {
    std::vector<unsigned> result;
    result.reserve(s->getNumTensors());
    for (TensorId t = 0; t < s->getNumTensors(); ++t)
      result.push_back(s->getTensor(t).computeAt);
    return result;
  }

  std::mt19937 random;
};

} // namespace

TEST_F(RandomSchedules, AcceptedRequestsAreLegal) {
  unsigned numAccepted = 0, numRefused = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    random.seed(seed);
    b.reset();
    addTensors(4 + pick(14), 6);
    transformSome(pick(8));
    for (unsigned request = 0; request < 6; ++request) {
      SCOPED_TRACE(request);
      TensorId producer = pick(s->getNumTensors());
      llvm::BitVector after = getDescendants(*s, producer);
      after.reset(producer);
      if (after.none())
        continue;
      SmallVector<unsigned> consumers(after.set_bits());
      TensorId consumer = consumers[pick(consumers.size())];
      unsigned position = pick(s->getTensor(consumer).loop.size() + 1);
      InlineMode mode = InlineMode(pick(3));
      const Schedule before = *s;
      std::vector<unsigned> positionsBefore = getPositions();
      MaybeViolation violation =
          fuse::computeAt(*s, producer, consumer, position, {mode, {}});
      ++(violation ? numRefused : numAccepted);
      if (violation) {
        EXPECT_EQ(getPositions(), positionsBefore);
        continue;
      }
      expectNest();
      for (auto [now, then] : llvm::zip(getPositions(), positionsBefore))
        EXPECT_GE(now, then);
      Strings all = getAll();
      ok(fuse::computeAt(*s, producer, consumer, position, {mode, {}}));
      EXPECT_EQ(getAll(), all);
      if (mode == InlineMode::Standard) {
        Schedule other = before;
        std::swap(*s, other);
        ok(fuse::computeAt(*s, producer, consumer, position,
                           {InlineMode::BestEffort, {}}));
        EXPECT_EQ(getAll(), all);
      }
      if (HasFailure())
        return;
    }
  }
  EXPECT_GT(numAccepted, numRefused);
}

TEST_F(RandomSchedules, InlineMostIsLegal) {
  for (unsigned seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    random.seed(1000 + seed);
    b.reset();
    addTensors(4 + pick(30), 8);
    transformSome(pick(10));
    fuse::inlineMost(*s);
    expectNest();
    Strings all = getAll();
    fuse::inlineMost(*s);
    EXPECT_EQ(getAll(), all);
    if (HasFailure())
      return;
  }
}

// Each of these graphs has 10,000 tensors, to test the speed.
TEST_F(RandomSchedules, LargeChain) {
  addChain("ab", 10000);
  start();
  fuse::inlineMost(*s);
  EXPECT_EQ(s->getTensor(id("T1")).computeAt, 2u);
  EXPECT_EQ(s->getTensor(id("T9999")).computeAt, 2u);
}

TEST_F(RandomSchedules, LargeSoftmaxes) {
  b.input("Y0", "ab");
  for (unsigned i = 1; i <= 1666; ++i) {
    std::string n = std::to_string(i);
    b.add("M" + n, "a r:b", {{"Y" + std::to_string(i - 1), "ab"}});
    b.add("S" + n, "ab", {{"Y" + std::to_string(i - 1), "ab"}, {"M" + n, "a"}});
    b.add("E" + n, "ab", {{"S" + n, "ab"}});
    b.add("Z" + n, "a r:b", {{"E" + n, "ab"}});
    b.add("R" + n, "a", {{"Z" + n, "a"}});
    b.add("Y" + n, "ab", {{"E" + n, "ab"}, {"R" + n, "a"}}, false, i == 1666);
  }
  start();
  fuse::inlineMost(*s);
  EXPECT_EQ(s->getTensor(id("S1000")).computeAt, 2u);
  EXPECT_EQ(s->getTensor(id("E1000")).computeAt, 1u);
  EXPECT_EQ(s->getTensor(id("Y1000")).computeAt, 1u);
}

TEST_F(RandomSchedules, LargeRandomGraph) {
  random.seed(7);
  addTensors(10000, 20);
  fuse::inlineMost(*s);
  EXPECT_GT(llvm::count_if(getPositions(), [](unsigned p) { return p > 0; }),
            1000);
}

TEST_F(RandomSchedules, LargeNumberOfReductionPairs) {
  b.input("T0", "ab");
  std::string last = "T0", axes = "ab";
  for (unsigned i = 0; i < 2500; ++i) {
    std::string n = std::to_string(i);
    b.add("P" + n, "ab", {{last, axes}, {"T0", "ab"}});
    b.add("L" + n, "a r:b", {{"P" + n, "ab"}});
    b.add("R" + n, "a r:b", {{"P" + n, "ab"}});
    b.add("D" + n, "a", {{"L" + n, "a"}, {"R" + n, "a"}}, false, i == 2499);
    last = "D" + n;
    axes = "a";
  }
  start();
  fuse::inlineMost(*s);
  EXPECT_EQ(s->getTensor(id("P0")).computeAt, 2u);
  EXPECT_EQ(s->getTensor(id("P2499")).computeAt, 2u);
}
