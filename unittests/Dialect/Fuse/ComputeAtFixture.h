//===- ComputeAtFixture.h - Requests on small schedules ---------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixture has tensors by name, requests with expected results, and
// positions in one line: "T1 2/0, T2 1/2" lists the computeAt position and the
// greatest producer position of all tensors except inputs, in program order.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_DIALECT_FUSE_COMPUTEATFIXTURE_H
#define IPU_MLIR_UNITTESTS_DIALECT_FUSE_COMPUTEATFIXTURE_H

#include "ScheduleBuilder.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include <gtest/gtest.h>

namespace mlir::fuse {

class ComputeAtTest : public testing::Test {
protected:
  using Strings = std::vector<std::string>;

  void start() { s = std::make_unique<Schedule>(b.build()); }
  TensorId id(StringRef name) const {
    auto tensor = s->lookup(name);
    EXPECT_TRUE(tensor) << name.str();
    return tensor.value_or(0);
  }

  /// Requests `producer->computeAt(consumer, position)`. Expects that the
  /// request is accepted, and that the result is legal.
  void computeAt(StringRef producer, StringRef consumer, int64_t position,
                 InlineMode mode = InlineMode::Standard,
                 std::optional<bool> hoist = std::nullopt) {
    EXPECT_EQ(describe(fuse::computeAt(*s, id(producer), id(consumer), position,
                                       {mode, hoist})),
              "");
    expectLegal();
  }
  /// Makes the same request. Expects that it is refused, and that the schedule
  /// does not change. Returns the error.
  std::string refuse(StringRef producer, StringRef consumer, int64_t position,
                     InlineMode mode = InlineMode::Standard) {
    Strings before = getAll();
    MaybeViolation violation = fuse::computeAt(*s, id(producer), id(consumer),
                                               position, {mode, std::nullopt});
    EXPECT_TRUE(violation);
    EXPECT_EQ(getAll(), before);
    return describe(violation);
  }
  void inlineMost(bool hoist = true) {
    fuse::inlineMost(*s, nullptr, hoist);
    expectLegal();
  }
  void expectLegal() const {
    EXPECT_EQ(describe(verifyLegality(*s, LoopClasses::build(*s))), "");
  }
  void ok(const MaybeViolation &violation) const {
    EXPECT_EQ(describe(violation), "");
  }

  void split(StringRef name, int64_t axis, int64_t factor) {
    ok(s->split(id(name), axis, factor));
  }
  void merge(StringRef name, int64_t axis) {
    ok(s->merge(id(name), axis, axis + 1));
  }
  void reorder(StringRef name, ArrayRef<int64_t> order) {
    ok(s->reorder(id(name), order));
  }

  std::string positions() const {
    std::string result;
    for (TensorId t : s->getProgramOrder()) {
      const Tensor &tensor = s->getTensor(t);
      if (tensor.isInput)
        continue;
      result += (result.empty() ? "" : ", ") + tensor.name + " " +
                std::to_string(tensor.computeAt) + "/" +
                std::to_string(s->getMaxProducer(t));
    }
    return result;
  }
  std::string loops(StringRef name) const { return s->format(id(name)); }
  unsigned rank(StringRef name) const {
    return s->getTensor(id(name)).loop.size();
  }
  Strings getAll() const {
    Strings result;
    for (TensorId t : s->getProgramOrder())
      result.push_back(s->formatWithPositions(t));
    return result;
  }

  /// Adds a chain T0 -> T1 -> T2 -> ... over `axes`. T0 is the input, the other
  /// tensors are pointwise, and the last one is an output.
  void addChain(StringRef axes, unsigned count) {
    b.input("T0", axes);
    for (unsigned i = 1; i <= count; ++i)
      b.add("T" + std::to_string(i), axes,
            {{"T" + std::to_string(i - 1), axes.str()}}, false, i == count);
  }

  ScheduleBuilder b;
  std::unique_ptr<Schedule> s;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_UNITTESTS_DIALECT_FUSE_COMPUTEATFIXTURE_H
