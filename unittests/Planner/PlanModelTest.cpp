//===- PlanModelTest.cpp - Tensors and steps of a planned program ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanModels.h"

#include "mlir/Support/DebugStringHelper.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {

TEST(TileSpaceTest, IPUsAndIOTiles) {
  TargetModel target = *TargetModel::getPreset("gc200");
  target.tiles = 10;
  target.ipus = 3;
  target.io_tiles = 4;
  using Kind = TileSpace::Kind;
  auto getRange = [&](const TileSpace &space) {
    return std::pair(space.getFirst(target), space.getNumTiles(target));
  };
  // With I/O tiles, a space without an IPU is on IPU 0.
  EXPECT_EQ(getRange({}), std::pair(int64_t(0), int64_t(6)));
  EXPECT_EQ(getRange({Kind::IO}), std::pair(int64_t(6), int64_t(4)));
  EXPECT_EQ(getRange({Kind::Compute, 0}), std::pair(int64_t(0), int64_t(6)));
  EXPECT_EQ(getRange({Kind::Compute, 1}), std::pair(int64_t(10), int64_t(6)));
  EXPECT_EQ(getRange({Kind::IO, 1}), std::pair(int64_t(16), int64_t(4)));
  EXPECT_EQ(getRange({Kind::IO, 2}), std::pair(int64_t(26), int64_t(4)));
  EXPECT_EQ(getRange({Kind::Compute, 3}).second, 0);
  for (int64_t ipu : {0, 1, 2}) {
    TileSpace space{Kind::Compute, ipu};
    EXPECT_EQ(space.getTarget(target).getComputeTilesPerReplica(),
              space.getNumTiles(target));
    EXPECT_EQ(space.getTarget(target).ipus, 1);
  }
  EXPECT_EQ(TileSpace({Kind::IO}).getTarget(target).getComputeTilesPerReplica(),
            4);
  target.io_tiles = 0;
  EXPECT_EQ(getRange({}), std::pair(int64_t(0), int64_t(30)));
  EXPECT_EQ(getRange({Kind::IO}).second, 0);
}

TEST_F(PlanModelTest, LiveRanges) {
  PlanModelBuilder builder(&context, target);
  unsigned x =
      add(builder, makeTensor({16, 24}, ModelTensor::Origin::Argument));
  unsigned w =
      add(builder, makeTensor({24, 24}, ModelTensor::Origin::Constant));
  unsigned unused =
      add(builder, makeTensor({24, 24}, ModelTensor::Origin::Scratch));
  unsigned a = addStep(builder, ModelStep::Kind::Compute,
                       makeMatmul(16, 24, 24), {x, w});
  unsigned b = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({16, 24}), {a, a});
  unsigned c = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({16, 24}), {b, b});
  PlanModel model = builder.finish();
  auto getRange = [&](unsigned tensor) {
    return std::pair(model.getTensor(tensor).firstStep,
                     model.getTensor(tensor).lastStep);
  };
  EXPECT_EQ(getRange(x), std::pair(size_t(0), size_t(0)));
  EXPECT_EQ(getRange(w), std::pair(size_t(0), size_t(2)));
  EXPECT_EQ(getRange(a), std::pair(size_t(0), size_t(1)));
  EXPECT_EQ(getRange(b), std::pair(size_t(1), size_t(2)));
  EXPECT_EQ(getRange(c), std::pair(size_t(2), size_t(2)));
  EXPECT_GT(getRange(unused).first, getRange(unused).second);
  EXPECT_EQ(model.getTensor(a).numReaders, 2u);
}

TEST_F(PlanModelTest, TensorsFromOutsideAreLiveInTheWholeLoop) {
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({384}, ModelTensor::Origin::Argument));
  unsigned a = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({384}), {x, x});
  size_t begin = builder.getNumSteps();
  builder.setTimes(7);
  unsigned outer = builder.getBlock();
  builder.beginBlock();
  unsigned b = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({384}), {a, a});
  unsigned c = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({384}), {b, b});
  builder.continueBlock(outer);
  builder.addLoop(begin);
  PlanModel model = builder.finish();
  EXPECT_EQ(model.getTensor(a).lastStep, 2u);
  EXPECT_EQ(model.getTensor(b).firstStep, 1u);
  EXPECT_EQ(model.getSteps()[0].times, 1);
  EXPECT_EQ(model.getSteps()[1].times, 7);
  EXPECT_NE(model.getSteps()[0].block, model.getSteps()[1].block);
  EXPECT_EQ(model.getTensor(c).lastStep, 2u);
}

TEST_F(PlanModelTest, OperandsBeforeAnExchangeAreEarly) {
  // The matmul likely has an exchange. The operand `late` is written after it,
  // and the operand `early` before it.
  PlanModelBuilder builder(&context, target);
  unsigned x =
      add(builder, makeTensor({16, 24}, ModelTensor::Origin::Argument));
  unsigned w =
      add(builder, makeTensor({24, 24}, ModelTensor::Origin::Argument));
  unsigned early =
      add(builder, makeTensor({16, 24}, ModelTensor::Origin::Argument));
  unsigned late = addStep(builder, ModelStep::Kind::Compute,
                          makeMatmul(16, 24, 24), {x, w});
  addStep(builder, ModelStep::Kind::Compute, makeElementwise({16, 24}),
          {early, late});
  builder.beginBlock();
  addStep(builder, ModelStep::Kind::Compute, makeElementwise({16, 24}),
          {early, early});
  PlanModel model = builder.finish();
  EXPECT_TRUE(model.getSteps()[1].operands[0].isEarly);
  EXPECT_FALSE(model.getSteps()[1].operands[1].isEarly);
  EXPECT_FALSE(model.getSteps()[2].operands[0].isEarly);
}

TEST_F(PlanModelTest, StepsOfOneIPUNumberItsTilesFromZero) {
  target.ipus = 2;
  PlanModelBuilder builder(&context, target);
  auto onIPU = [](ModelTensor tensor, int64_t ipu) {
    tensor.space.ipu = ipu;
    return tensor;
  };
  unsigned x =
      add(builder, onIPU(makeTensor({384}, ModelTensor::Origin::Argument), 1));
  unsigned y = addStep(builder, ModelStep::Kind::Compute,
                       onIPU(makeElementwise({384}), 1), {x});
  addStep(builder, ModelStep::Kind::Copy, onIPU(makeTensor({384}), 0), {y});
  PlanModel model = builder.finish();
  EXPECT_EQ(model.getSteps()[0].tileOffset, 0);
  EXPECT_EQ(model.getSteps()[0].operands[0].tileOffset, 0);
  EXPECT_EQ(model.getSteps()[1].tileOffset, 0);
  EXPECT_EQ(model.getSteps()[1].operands[0].tileOffset, 12);
  EXPECT_EQ(model.getTensor(y).generic.getNumTiles(), 12);
}

TEST_F(PlanModelTest, TensorsWithoutAPartitionAreRefused) {
  PlanModelBuilder builder(&context, target);
  ModelTensor tensor = makeTensor({16});
  tensor.getProblem = [](ArrayRef<int64_t>) -> const PartitionProblem * {
    return nullptr;
  };
  EXPECT_TRUE(failed(builder.addTensor(tensor)));
}

TEST_F(PlanModelTest, PrintsItsParts) {
  PlanModelBuilder builder(&context, target);
  ModelTensor io = makeTensor({24}, ModelTensor::Origin::Argument);
  unsigned x = add(builder, io);
  ModelStep step;
  step.kind = ModelStep::Kind::Move;
  step.ops = {"pop.pad"};
  step.fills = true;
  step.operands = {read(builder, x)};
  step.operands.front().to = StridedView{2, {24}, {1}};
  step.tensor = add(builder, makeTensor({28}));
  builder.addStep(step);
  builder.addFixedCycles(5, 2);
  std::string text;
  llvm::raw_string_ostream os(text);
  builder.finish().print(os);
  EXPECT_EQ(text,
            "tensor 0: argument 24xf32 on compute tiles, live in steps 0 to "
            "0, generic #ipu.map<[24], grid = [12], blocks = [p0 * 2 : 2]>\n"
            "tensor 1: result 28xf32 on compute tiles, live in steps 0 to 0, "
            "generic #ipu.map<[28], grid = [10], blocks = [p0 * 3 : 3]>\n"
            "step 0 in block 0: move pop.pad to tensor 1, reads tensor 0 to "
            "[offset 2, sizes [24], strides [1]], fills\n"
            "fixed cycles: 10\n");
}

} // namespace
