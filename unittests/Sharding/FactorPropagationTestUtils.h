//===- FactorPropagationTestUtils.h - Text of propagation steps -*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_SHARDING_FACTORPROPAGATIONTESTUTILS_H
#define IPU_MLIR_UNITTESTS_SHARDING_FACTORPROPAGATIONTESTUTILS_H

#include "ipu-mlir/Sharding/FactorPropagation.h"

#include "ShardingTestUtils.h"
#include <gtest/gtest.h>

namespace mlir::ipu::sharding {

/// The input of a step of propagation. An absent sharding is "".
struct Case {
  SmallVector<int64_t> mesh;
  StringRef rule;
  std::vector<std::string> tensors;
  Direction direction = Direction::Both;
  bool conservative = false;
  bool isElementwise = false;
};

inline std::vector<TensorSharding> parseTensors(const Case &test,
                                                const Rule &rule) {
  std::vector<TensorSharding> shardings;
  for (auto [i, text] : llvm::enumerate(test.tensors))
    shardings.push_back(text.empty() ? getOpenSharding(rule.getTensor(i).size())
                                     : parseTensor(text, test.mesh));
  return shardings;
}

inline ShardingProjection project(ArrayRef<TensorSharding> shardings,
                                  const Rule &rule) {
  SmallVector<const TensorSharding *> pointers;
  for (const TensorSharding &sharding : shardings)
    pointers.push_back(&sharding);
  return ShardingProjection::build(pointers, rule);
}

/// Returns the tensors after a step, separated by ` | `.
inline std::string propagate(const Case &test, bool aggressive) {
  Rule rule = parseRule(test.rule);
  ShardingProjection projection = project(parseTensors(test, rule), rule);
  ShardingProjection before = projection;
  auto getDirection = [&](unsigned) { return test.direction; };
  PropagationContext context{rule, test.mesh, getDirection, test.conservative,
                             test.isElementwise};
  llvm::BitVector changed = aggressive
                                ? propagateAggressive(projection, context)
                                : propagateBasic(projection, context);
  std::string text;
  for (unsigned i = 0; i < projection.getNumTensors(); ++i) {
    EXPECT_EQ(changed.test(i),
              !(before.getTensor(i) == projection.getTensor(i)));
    text +=
        (i ? " | " : "") + format(makeTensorSharding(projection.getTensor(i),
                                                     rule.getTensor(i), rule),
                                  test.mesh);
  }
  return text;
}

inline std::string basic(const Case &test) { return propagate(test, false); }
inline std::string aggressive(const Case &test) {
  return propagate(test, true);
}

/// Returns the axes on which the tensors agree for factor i.
inline std::string getCompatible(const Case &test) {
  Rule rule = parseRule(test.rule);
  return format(getCompatibleMajorAxes(project(parseTensors(test, rule), rule),
                                       0, test.direction),
                test.mesh);
}

constexpr StringLiteral kUnary = "([i])->([i]) {64}";
constexpr StringLiteral kThree = "([i], [i], [i])->([i]) {64}";
constexpr StringLiteral kDot = "([i, k], [k, j])->([i, j]) {64, 32, 8}";

constexpr StringLiteral kMatrix = "([i, j])->([i, j]) {64, 64}";
constexpr StringLiteral kBinary = "([i, j], [i, j])->([i, j]) {8, 8}";
constexpr StringLiteral kOuter = "([i], [j])->([i, j]) {64, 8}";

} // namespace mlir::ipu::sharding

#endif // IPU_MLIR_UNITTESTS_SHARDING_FACTORPROPAGATIONTESTUTILS_H
