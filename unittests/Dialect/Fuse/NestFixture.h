//===- NestFixture.h - Nests of small schedules -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The fixture sets positions directly, so that the tests do not depend on the
// choice of positions.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_DIALECT_FUSE_NESTFIXTURE_H
#define IPU_MLIR_UNITTESTS_DIALECT_FUSE_NESTFIXTURE_H

#include "ScheduleBuilder.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"
#include <gtest/gtest.h>

namespace mlir::fuse {

class NestTest : public testing::Test {
protected:
  void start() { s = std::make_unique<Schedule>(b.build()); }
  TensorId id(StringRef name) const {
    auto tensor = s->lookup(name);
    EXPECT_TRUE(tensor) << name.str();
    return tensor.value_or(0);
  }
  void ok(const MaybeViolation &violation) const {
    EXPECT_EQ(describe(violation), "");
  }

  /// Sets positions, as in "T1 2, T2 1", or "T1 1 2" for a computeAt and a
  /// computeWith position.
  void at(StringRef text) {
    SmallVector<StringRef> parts, words;
    text.split(parts, ',');
    for (StringRef part : parts) {
      words.clear();
      part.trim().split(words, ' ');
      Tensor &tensor = s->getTensor(id(words[0]));
      ASSERT_FALSE(words[1].getAsInteger(10, tensor.computeAt));
      unsigned with;
      if (words.size() > 2 && !words[2].getAsInteger(10, with))
        tensor.computeWith = with;
    }
  }
  void split(ArrayRef<StringRef> names, int64_t axis, int64_t factor) {
    for (StringRef name : names)
      ok(s->split(id(name), axis, factor));
  }
  void merge(ArrayRef<StringRef> names, int64_t axis) {
    for (StringRef name : names)
      ok(s->merge(id(name), axis, axis + 1));
  }
  void reorder(StringRef name, ArrayRef<int64_t> order) {
    ok(s->reorder(id(name), order));
  }

  /// Returns the text of the nest of the schedule, which must be legal.
  std::string nest() const {
    LoopClasses classes = LoopClasses::build(*s);
    ok(verifyLegality(*s, classes));
    LoopNest nest;
    ok(buildLoopNest(*s, classes, nest));
    return "\n" + nest.format(*s, classes);
  }
  /// Returns the text of the first violation of legality, with one line for
  /// each note.
  std::string violation() const {
    return describe(verifyLegality(*s, LoopClasses::build(*s)));
  }
  /// Returns the positions to lower for all violations, as in "T1 1, T2 0".
  std::string lower() const {
    std::string text;
    LoopClasses classes = LoopClasses::build(*s);
    for (const LegalityFinding &finding : findViolations(*s, classes))
      for (const LoopClass::Member &member : finding.lower)
        text += (text.empty() ? "" : ", ") + s->getTensor(member.tensor).name +
                " " + std::to_string(member.position);
    return text;
  }

  ScheduleBuilder b;
  std::unique_ptr<Schedule> s;
};

} // namespace mlir::fuse

#endif // IPU_MLIR_UNITTESTS_DIALECT_FUSE_NESTFIXTURE_H
