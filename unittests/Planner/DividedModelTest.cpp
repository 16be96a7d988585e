//===- DividedModelTest.cpp - The equal part of each IPU --------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Model/DividedModel.h"

#include "PlanModels.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {

using Origin = ModelTensor::Origin;
using Kind = ModelStep::Kind;

class DividedModelTest : public PlanModelTest {
protected:
  /// Returns a tile mapping with blocks of equal size and step, each along its
  /// own axis. A block of size 0 is the whole dimension. With `copies`, tiles
  /// along a first axis of this extent hold copies.
  TileMappingAttr getMapping(ArrayRef<int64_t> domain, ArrayRef<int64_t> sizes,
                             int64_t copies = 0) {
    SmallVector<int64_t> grid;
    if (copies > 0)
      grid.push_back(copies);
    SmallVector<TileMappingBlock> blocks(domain.size());
    for (auto [dim, size] : llvm::enumerate(sizes)) {
      if (size == 0)
        continue;
      blocks[dim] = {static_cast<int64_t>(grid.size()), size, size};
      grid.push_back(llvm::divideCeil(domain[dim], size));
    }
    return TileMappingAttr::get(&context, domain, grid, blocks);
  }

  std::string print(Attribute attribute) {
    std::string text;
    llvm::raw_string_ostream(text) << attribute;
    return text;
  }
};

TEST_F(DividedModelTest, OperandsThatDependOnTheLoopAreDivided) {
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({16, 6}, Origin::Argument));
  unsigned w = add(builder, makeTensor({6, 8}, Origin::Constant));
  unsigned y = addStep(builder, Kind::Compute, makeMatmul(16, 6, 8), {x, w});
  unsigned z =
      addStep(builder, Kind::Compute, makeElementwise({16, 8}), {y, y});
  builder.addStep({Kind::HostStore, {}, z, {}});
  PlanModel model = builder.finish();
  PartitionCache cache(target);
  std::optional<DividedModel> divided = divideModel(model, 4, cache);
  ASSERT_TRUE(divided);
  ArrayRef<ModelTensor> parts = divided->part.getTensors();
  EXPECT_EQ(ArrayRef(parts[x].shape), ArrayRef<int64_t>({4, 6}));
  EXPECT_EQ(ArrayRef(parts[w].shape), ArrayRef<int64_t>({6, 8}));
  EXPECT_FALSE(divided->divisions[w]);
  EXPECT_EQ(ArrayRef(parts[z].shape), ArrayRef<int64_t>({4, 8}));
  // Blocks of rows of the matmul must not cross the borders of parts.
  const PartitionProblem *problem = parts[y].getProblem(parts[y].shape);
  ASSERT_TRUE(problem);
  EXPECT_EQ(ArrayRef(problem->form.loops), ArrayRef<int64_t>({1, 4, 8}));
  EXPECT_EQ(problem->evenLoop, std::optional<unsigned>(1));
  EXPECT_FALSE(parts[z].getProblem(parts[z].shape)->evenLoop);

  // The part of an IPU is on 2 x 4 of its tiles. Blocks of 3 rows of the
  // elementwise op are uneven, so that the parts have a dimension.
  std::optional<SmallVector<TileMappingAttr>> mappings =
      divided->getWholeMappings(model,
                                {getMapping({4, 6}, {0, 0}),
                                 getMapping({1, 6, 8}, {0, 0, 2}, /*copies=*/2),
                                 getMapping({1, 4, 8}, {0, 2, 2}),
                                 getMapping({4, 8}, {3, 0})});
  ASSERT_TRUE(mappings);
  EXPECT_EQ(print((*mappings)[x]), "#ipu.map<[16, 6], grid = [4], blocks = "
                                   "[p0 * 4 : 4, all], ipus = [4] * 12>");
  EXPECT_EQ(print((*mappings)[w]),
            "#ipu.map<[1, 6, 8], grid = [8, 4], blocks = [all, all, p1 * 2 : "
            "2], ipus = [4, 1] * 12>");
  EXPECT_EQ(print((*mappings)[y]),
            "#ipu.map<[1, 16, 8], grid = [8, 4], blocks = [all, p0 * 2 : 2, p1 "
            "* 2 : 2], ipus = [4, 1] * 12>");
  EXPECT_EQ(print((*mappings)[z]),
            "#ipu.map<[4, 4, 8], grid = [2, 4], blocks = [p1 * 1 : 1, p0 * 3 : "
            "3, all], ipus = [1, 4] * 12>");
  // A weight that is on one tile of an IPU is on one tile of each IPU.
  mappings = divided->getWholeMappings(
      model, {getMapping({4, 6}, {0, 0}), getMapping({6, 8}, {3, 0}),
              getMapping({1, 4, 8}, {0, 2, 2}), getMapping({4, 8}, {3, 0})});
  ASSERT_TRUE(mappings);
  EXPECT_EQ(print((*mappings)[w]), "#ipu.map<[6, 8], grid = [2, 4], blocks = "
                                   "[p0 * 3 : 3, all], ipus = [1, 4] * 12>");
}

TEST_F(DividedModelTest, AMatmulHasNoUnevenBlocks) {
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({16, 6}, Origin::Argument));
  unsigned w = add(builder, makeTensor({6, 8}, Origin::Constant));
  unsigned y = addStep(builder, Kind::Compute, makeMatmul(16, 6, 8), {x, w});
  builder.addStep({Kind::HostStore, {}, y, {}});
  PlanModel model = builder.finish();
  PartitionCache cache(target);
  std::optional<DividedModel> divided = divideModel(model, 4, cache);
  ASSERT_TRUE(divided);
  EXPECT_FALSE(divided->getWholeMappings(
      model, {getMapping({4, 6}, {0, 0}), getMapping({6, 8}, {0, 0}),
              getMapping({1, 4, 8}, {0, 3, 0})}));
}

TEST_F(DividedModelTest, SumsOverPartialValuesAreDividedInside) {
  // The sums of 16 elements each of 3 rows are divided, and so is each row.
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({3, 16}, Origin::Argument));
  unsigned y = addStep(builder, Kind::Compute, makeColumnSum(3, 16), {x});
  builder.addStep({Kind::HostStore, {}, y, {}});
  PlanModel model = builder.finish();
  PartitionCache cache(target);
  std::optional<DividedModel> divided = divideModel(model, 4, cache);
  ASSERT_TRUE(divided);
  ASSERT_TRUE(divided->divisions[x]);
  EXPECT_EQ(divided->divisions[x]->outer, 3);
  EXPECT_EQ(ArrayRef(divided->part.getTensor(x).shape),
            ArrayRef<int64_t>({3, 4}));
}

TEST_F(DividedModelTest, WholeResultsAreRefused) {
  // Each part of the sums over all rows of y * v needs all rows of y.
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({16, 6}, Origin::Argument));
  unsigned w = add(builder, makeTensor({6, 8}, Origin::Constant));
  unsigned v = add(builder, makeTensor({8, 8}, Origin::Constant));
  unsigned y = addStep(builder, Kind::Compute, makeMatmul(16, 6, 8), {x, w});
  unsigned z = addStep(builder, Kind::Compute, makeMatmul(16, 8, 8), {y, v});
  unsigned sums = addStep(builder, Kind::Compute, makeColumnSum(16, 8), {z});
  builder.addStep({Kind::HostStore, {}, sums, {}});
  PlanModel model = builder.finish();
  PartitionCache cache(target);
  EXPECT_FALSE(divideModel(model, 4, cache));
  // Three parts of eight elements are not equal.
  EXPECT_FALSE(divideModel(model, 3, cache));
}

} // namespace
