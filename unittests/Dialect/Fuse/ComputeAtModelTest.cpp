//===- ComputeAtModelTest.cpp - computeAt against a model -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Random graphs in which several tensors read each input. The test lists all
// paths to find the tensors that a computeAt affects. If all tensors of a graph
// have the requested axis, all affected tensors must get the requested position
// and the same loops as the consumer, and no other tensor may change.
//
//===----------------------------------------------------------------------===//

#include "ComputeAtFixture.h"
#include <random>
#include <set>

using namespace mlir;
using namespace mlir::fuse;

namespace {

class ComputeAtModel : public ComputeAtTest {
protected:
  using Path = std::vector<TensorId>;

  unsigned pick(unsigned size) { return random() % size; }

  /// Adds two inputs and `count` tensors over a and b. A reduction removes b,
  /// and its readers broadcast it along b.
  void addGraph(unsigned count, bool withReductions) {
    b.size('a', 24).size('b', 10);
    std::vector<std::pair<std::string, std::string>> known;
    for (const char *name : {"X", "Y"}) {
      b.input(name, "ab");
      known.emplace_back(name, "ab");
    }
    std::vector<ScheduleBuilder::Reads> reads(count);
    std::vector<std::string> axes(count);
    std::set<std::string> used;
    for (unsigned i = 0; i < count; ++i) {
      for (unsigned j = 0, e = 1 + pick(2); j < e; ++j)
        reads[i].push_back(known[pick(known.size())]);
      for (auto &[name, letters] : reads[i])
        used.insert(name);
      bool reduces = withReductions && pick(3) == 0 &&
                     llvm::any_of(reads[i], [](auto &read) {
                       return read.second == "ab";
                     });
      axes[i] = reduces ? "a r:b" : "ab";
      known.emplace_back("T" + std::to_string(i), reduces ? "a" : "ab");
    }
    for (unsigned i = 0; i < count; ++i) {
      std::string name = "T" + std::to_string(i);
      b.add(name, axes[i], reads[i], false, !used.count(name));
    }
    start();
  }

  /// Adds all paths from `tensor` to unread tensors.
  void listPaths(TensorId tensor, Path &path, std::vector<Path> &paths) const {
    path.push_back(tensor);
    for (TensorId consumer : s->getConsumers(tensor))
      listPaths(consumer, path, paths);
    if (s->getConsumers(tensor).empty())
      paths.push_back(path);
    path.pop_back();
  }
  bool leadsTo(TensorId from, TensorId to) const {
    return from == to || llvm::any_of(s->getConsumers(from), [&](TensorId c) {
             return leadsTo(c, to);
           });
  }

  /// Returns the affected tensors by the rule: the tensors on all paths before
  /// the first tensor at or after the consumer that is on all paths. If there
  /// is no such tensor, all read tensors on the paths are affected.
  std::set<TensorId> getAffectedByPaths(TensorId producer,
                                        TensorId consumer) const {
    std::vector<Path> paths;
    Path path;
    listPaths(producer, path, paths);
    auto isOnAll = [&](TensorId tensor) {
      return llvm::all_of(paths, [&](const Path &path) {
        return llvm::is_contained(path, tensor);
      });
    };
    std::optional<TensorId> join;
    for (TensorId tensor : s->getProgramOrder())
      if (!join && tensor != producer && leadsTo(consumer, tensor) &&
          isOnAll(tensor))
        join = tensor;
    std::set<TensorId> affected;
    for (const Path &path : paths)
      for (TensorId tensor : path)
        if (join ? tensor != *join && leadsTo(tensor, *join)
                 : !s->getConsumers(tensor).empty())
          affected.insert(tensor);
    return affected;
  }

  void checkRequest(TensorId producer, TensorId consumer, unsigned position) {
    std::set<TensorId> affected = getAffectedByPaths(producer, consumer);
    const Schedule before = *s;
    ok(fuse::computeAt(*s, producer, consumer, position));
    expectLegal();
    std::string prefix = names(consumer, position);
    for (TensorId tensor : s->getProgramOrder()) {
      const Tensor &data = s->getTensor(tensor);
      SCOPED_TRACE(data.name);
      bool isRaised = affected.count(tensor) && !data.isInput;
      EXPECT_EQ(data.computeAt, isRaised ? position : 0u);
      if (data.isInput) {
        EXPECT_EQ(s->format(tensor), before.format(tensor));
      } else if (isRaised) {
        EXPECT_EQ(names(tensor, position), prefix);
      } else if (tensor != consumer && !readsAny(tensor, affected)) {
        EXPECT_EQ(s->format(tensor), before.format(tensor));
      }
    }
  }

  std::string names(TensorId tensor, unsigned count) const {
    std::string result;
    for (AxisId axis : ArrayRef(s->getTensor(tensor).loop).take_front(count))
      result += s->getAxis(axis).name + " ";
    return result;
  }
  bool readsAny(TensorId tensor, const std::set<TensorId> &producers) const {
    return llvm::any_of(s->getProducers(tensor), [&](TensorId producer) {
      return producers.count(producer);
    });
  }

  void run(bool withReductions, unsigned maxPosition) {
    unsigned numFromInputs = 0;
    for (unsigned seed = 0; seed < 2000 && !HasFailure(); ++seed) {
      SCOPED_TRACE(seed);
      random.seed(seed);
      b.reset();
      addGraph(2 + pick(9), withReductions);
      TensorId producer = pick(s->getNumTensors());
      SmallVector<TensorId> after;
      for (TensorId tensor : s->getProgramOrder())
        if (tensor != producer && leadsTo(producer, tensor))
          after.push_back(tensor);
      if (after.empty())
        continue;
      TensorId consumer = after[pick(after.size())];
      if (pick(2))
        ok(s->split(consumer, 0, 2 + pick(6)));
      numFromInputs += s->getTensor(producer).isInput;
      checkRequest(producer, consumer, 1 + pick(maxPosition));
    }
    EXPECT_GT(numFromInputs, 200u);
  }

  std::mt19937 random;
};

} // namespace

TEST_F(ComputeAtModel, PointwiseAtAnyPosition) { run(false, 2); }
TEST_F(ComputeAtModel, WithReductionsAtTheirRows) { run(true, 1); }
