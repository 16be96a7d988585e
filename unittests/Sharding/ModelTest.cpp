//===- ModelTest.cpp - Comparison with the slow model ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RandomShardings.h"
#include "ShardingModel.h"
#include "ShardingTestUtils.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace mlir::ipu::sharding;

namespace {
/// A rule, a mesh, and shardings of the rule's tensors.
struct Example {
  explicit Example(uint64_t seed) : random(seed) {
    mesh = makeMesh(random);
    rule = makeRule(random);
    std::vector<AxisList> plan = makePlan(random, rule, mesh);
    int percentPlanned = random.pick<int>({0, 60, 90, 100});
    for (unsigned i = 0; i < rule.getNumTensors(); ++i) {
      const TensorMapping &mapping = rule.getTensor(i);
      shardings.push_back(random.chance(percentPlanned)
                              ? makeSharding(random, plan, mapping)
                              : makeSharding(random, mapping.size(), mesh));
    }
    direction = random.pick<Direction>({Direction::Both, Direction::Both,
                                        Direction::Forward, Direction::Backward,
                                        Direction::None});
    oddDirection =
        random.pick<Direction>({Direction::Both, Direction::Forward,
                                Direction::Backward, Direction::None});
    conservative = random.chance(20);
    isElementwise = random.chance(50);
  }

  Direction getDirection(unsigned factor) const {
    return factor == 1 ? oddDirection : direction;
  }

  ShardingProjection project() const {
    SmallVector<const TensorSharding *> pointers;
    for (const TensorSharding &sharding : shardings)
      pointers.push_back(&sharding);
    return ShardingProjection::build(pointers, rule);
  }

  std::string getText() const {
    std::string text = format(rule) + " mesh";
    for (int64_t size : mesh)
      text += " " + std::to_string(size);
    for (const TensorSharding &sharding : shardings)
      text += "\n  " + format(sharding, mesh);
    text += "\n  direction " + std::to_string(int(direction)) + ", of j " +
            std::to_string(int(oddDirection));
    text += conservative ? " conservative" : "";
    return text + (isElementwise ? " elementwise" : "");
  }

  Random random;
  SmallVector<int64_t> mesh;
  Rule rule;
  std::vector<TensorSharding> shardings;
  Direction direction, oddDirection;
  bool conservative, isElementwise;
};
} // namespace

constexpr uint64_t kCount = 20000;

TEST(ModelTest, ShardingProjection) {
  for (uint64_t seed = 0; seed < kCount; ++seed) {
    Example example(seed);
    ShardingProjection projection = example.project();
    model::Tensors converted = model::convert(projection);
    for (unsigned i = 0; i < example.rule.getNumTensors(); ++i) {
      const TensorMapping &mapping = example.rule.getTensor(i);
      model::Tensor expected =
          model::project(example.shardings[i], mapping, example.rule);
      ASSERT_EQ(model::format(converted[i], example.mesh),
                model::format(expected, example.mesh))
          << example.getText();
      ASSERT_EQ(format(makeTensorSharding(projection.getTensor(i), mapping,
                                          example.rule),
                       example.mesh),
                format(model::unproject(expected, mapping, example.rule),
                       example.mesh))
          << example.getText();
    }
  }
}

TEST(ModelTest, CompatibleAxes) {
  for (uint64_t seed = 0; seed < kCount; ++seed) {
    Example example(seed);
    ShardingProjection projection = example.project();
    model::Tensors tensors = model::convert(projection);
    for (unsigned factor = 0; factor < example.rule.factors.size(); ++factor)
      for (Direction direction : {Direction::None, Direction::Forward,
                                  Direction::Backward, Direction::Both}) {
        model::Setting setting{example.rule, example.mesh,
                               [&](unsigned) { return direction; }};
        ASSERT_EQ(
            format(getCompatibleMajorAxes(projection, factor, direction),
                   example.mesh),
            format(ArrayRef(model::getCompatible(tensors, factor, setting)),
                   example.mesh))
            << example.getText() << "\n  factor " << factor;
      }
  }
}

/// Compares steps of propagation until the shardings do not change. Returns the
/// number of examples in which a sharding changed.
static int compareSteps(bool aggressive) {
  int numChanged = 0;
  for (uint64_t seed = 0; seed < kCount; ++seed) {
    Example example(seed);
    ShardingProjection projection = example.project();
    model::Tensors tensors = model::convert(projection);
    auto getDirection = [&](unsigned factor) {
      return example.getDirection(factor);
    };
    PropagationContext context{example.rule, example.mesh, getDirection,
                               example.conservative, example.isElementwise};
    model::Setting setting{example.rule, example.mesh, getDirection,
                           example.conservative, example.isElementwise};
    std::string before = model::format(tensors, example.mesh);
    for (int step = 0; step < 3; ++step) {
      llvm::BitVector changed = aggressive
                                    ? propagateAggressive(projection, context)
                                    : propagateBasic(projection, context);
      model::Tensors old = tensors;
      if (aggressive)
        model::propagateAggressive(tensors, setting);
      else
        model::propagateBasic(tensors, setting);
      std::string expected = model::format(tensors, example.mesh);
      EXPECT_EQ(model::format(model::convert(projection), example.mesh),
                expected)
          << example.getText() << "\n  step " << step << "\n  from " << before;
      for (unsigned i = 0; i < tensors.size(); ++i) {
        const TensorMapping &mapping = example.rule.getTensor(i);
        EXPECT_EQ(changed.test(i), model::format(old[i], example.mesh) !=
                                       model::format(tensors[i], example.mesh))
            << example.getText() << "\n  tensor " << i;
        EXPECT_EQ(format(makeTensorSharding(projection.getTensor(i), mapping,
                                            example.rule),
                         example.mesh),
                  format(model::unproject(tensors[i], mapping, example.rule),
                         example.mesh))
            << example.getText() << "\n  tensor " << i;
      }
      if (testing::Test::HasFailure())
        return 0;
      numChanged += step == 0 && expected != before;
      before = expected;
    }
  }
  return numChanged;
}

TEST(ModelTest, Basic) { EXPECT_GT(compareSteps(false), int(kCount / 8)); }

TEST(ModelTest, Aggressive) { EXPECT_GT(compareSteps(true), int(kCount / 8)); }
