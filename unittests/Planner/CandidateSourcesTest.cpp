//===- CandidateSourcesTest.cpp - Sources of tile mappings ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// One test for each source of candidates, on models without IR.
//
//===----------------------------------------------------------------------===//

#include "PlanModels.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::test;

namespace {

class CandidateSourcesTest : public PlanModelTest {
protected:
  /// Finds the candidates of the model of `builder`.
  void find(PlanModelBuilder &builder, bool isNested = false) {
    model = builder.finish();
    candidates.emplace(model, isNested);
    lists.emplace(candidates->find());
  }

  /// Returns the first candidate of `tensor` that `source` found, or null.
  TileMappingAttr get(unsigned tensor, StringRef source) const {
    for (const Candidate &candidate : (*lists)[tensor])
      if (candidate.source == source)
        return candidate.mapping;
    return nullptr;
  }

  bool has(unsigned tensor, TileMappingAttr mapping) const {
    return mapping && lists->contains(tensor, mapping);
  }

  TileMappingAttr getMapping(ArrayRef<int64_t> domain, ArrayRef<int64_t> grid,
                             ArrayRef<TileMappingBlock> blocks,
                             int64_t first = 0) {
    return TileMappingAttr::get(&context, domain, grid, blocks, first);
  }

  PlanModel model;
  std::optional<ModelCandidates> candidates;
  std::optional<CandidateLists> lists;
};

TEST_F(CandidateSourcesTest, Given) {
  PlanModelBuilder builder(&context, target);
  ModelTensor tensor = makeTensor({24}, ModelTensor::Origin::Argument);
  tensor.given = getMapping({24}, {3}, {{0, 8, 8}}, /*first=*/2);
  unsigned x = add(builder, tensor);
  addStep(builder, ModelStep::Kind::Compute, makeElementwise({24}), {x, x});
  find(builder);
  ASSERT_EQ((*lists)[x].size(), 1u);
  EXPECT_EQ(get(x, "given"), tensor.given);
}

TEST_F(CandidateSourcesTest, Generic) {
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({24}, ModelTensor::Origin::Argument));
  find(builder);
  EXPECT_EQ(get(x, "generic"), getMapping({24}, {12}, {{0, 2, 2}}));
}

TEST_F(CandidateSourcesTest, BestAndNextPartitions) {
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({16, 8}, ModelTensor::Origin::Argument)),
           w = add(builder, makeTensor({8, 6}, ModelTensor::Origin::Argument));
  unsigned y =
      addStep(builder, ModelStep::Kind::Compute, makeMatmul(16, 8, 6), {x, w});
  find(builder);
  ArrayRef<TilePlan> best;
  PlanOptions options;
  options.maxPlans = 3;
  const PartitionProblem *problem = model.getTensor(y).getProblem({});
  best = candidates->cache.getPlans(problem, options);
  auto getMappingOf = [&](const TilePlan &plan) {
    return getAccessTileMapping(&context, problem->form, plan.blocks,
                                problem->form.results.front());
  };
  EXPECT_EQ(get(y, "best"), getMappingOf(best[0]));
  EXPECT_EQ(get(y, "partition"), getMappingOf(best[1]));
}

TEST_F(CandidateSourcesTest, SlotsAreOnAllTiles) {
  // The number of the slot is on one tile, but the update does not follow it.
  PlanModelBuilder builder(&context, target);
  unsigned buffer =
      add(builder, makeTensor({8, 2400}, ModelTensor::Origin::Variable));
  unsigned slot =
      add(builder, makeTensor({1, 2400}, ModelTensor::Origin::Argument));
  unsigned number =
      add(builder, makeTensor({1}, ModelTensor::Origin::Argument));
  unsigned updated = addStep(builder, ModelStep::Kind::Compute,
                             makeSlotUpdate(8, 2400), {buffer, slot, number});
  ModelStep copy;
  copy.kind = ModelStep::Kind::Copy;
  copy.operands = {read(builder, updated)};
  copy.tensor = buffer;
  copy.canForward = true;
  builder.addStep(copy);
  find(builder);
  TileMappingAttr best =
      getMapping({1, 8, 2400}, {12}, {{}, {}, {0, 200, 200}});
  EXPECT_EQ(get(updated, "best"), best);
  EXPECT_TRUE(has(buffer, best));
  // The input that is updated in place is the result, so it does not move.
  const PartitionProblem *problem = (*lists)[updated].front().problem;
  TilePlan plan = getTilePlan(target, *problem, {1, 8, 200});
  EXPECT_EQ(plan.bytes, 8 * 200 * 4 + 200 * 4 + 8);
}

TEST_F(CandidateSourcesTest, OperandOnce) {
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder,
                   makeTensor({4, 512}, ModelTensor::Origin::Argument)),
           w = add(builder,
                   makeTensor({512, 24}, ModelTensor::Origin::Argument));
  unsigned y = addStep(builder, ModelStep::Kind::Compute,
                       makeMatmul(4, 512, 24), {x, w});
  find(builder);
  // No two tiles read the same weights, or no two tiles read the same row.
  TileMappingAttr rows = getMapping({1, 4, 24}, {4}, {{}, {0, 1, 1}, {}}),
                  columns = getMapping({1, 4, 24}, {12}, {{}, {}, {0, 2, 2}});
  EXPECT_TRUE(has(y, rows));
  EXPECT_TRUE(has(y, columns));
  EXPECT_TRUE(get(y, "operand-once"));
}

TEST_F(CandidateSourcesTest, Nested) {
  target.ipus = 2;
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder,
                   makeTensor({64, 32}, ModelTensor::Origin::Argument)),
           w = add(builder,
                   makeTensor({32, 64}, ModelTensor::Origin::Argument));
  unsigned y = addStep(builder, ModelStep::Kind::Compute,
                       makeMatmul(64, 32, 64), {x, w});
  find(builder, /*isNested=*/true);
  ASSERT_TRUE(get(y, "nested"));
  EXPECT_TRUE(get(y, "nested").isNested());
  EXPECT_EQ(get(y, "nested").getNumIPUs(), 2);
}

TEST_F(CandidateSourcesTest, SharedSums) {
  // Four tiles hold partial sums of the same six elements. They share the sums.
  PlanModelBuilder builder(&context, target);
  ModelTensor partial = makeTensor({4, 12}, ModelTensor::Origin::Argument);
  partial.given = getMapping({4, 12}, {4, 2}, {{0, 1, 1}, {1, 6, 6}});
  unsigned x = add(builder, partial);
  unsigned sum =
      addStep(builder, ModelStep::Kind::Compute, makeColumnSum(4, 12), {x});
  find(builder);
  TileMappingAttr shared = get(sum, "shared-sums");
  ASSERT_TRUE(shared);
  EXPECT_TRUE(shared.coversOnce());
  EXPECT_EQ(shared.getMaxElements(), 2);
  EXPECT_EQ(shared.getNumTiles(), 6);
}

TEST_F(CandidateSourcesTest, Operand) {
  // An elementwise op stays on the tiles of its operand.
  PlanModelBuilder builder(&context, target);
  ModelTensor given = makeTensor({24, 4}, ModelTensor::Origin::Argument);
  given.given = getMapping({24, 4}, {3}, {{0, 8, 8}, {}}, /*first=*/2);
  unsigned x = add(builder, given);
  unsigned y = addStep(builder, ModelStep::Kind::Compute,
                       makeElementwise({24, 4}), {x, x});
  // A slice of rows has as many parts as the whole.
  ModelStep move;
  move.kind = ModelStep::Kind::Move;
  move.operands = {read(builder, y)};
  move.operands.front().to = StridedView{0, {24, 4}, {4, 1}};
  move.tensor = add(builder, makeTensor({30, 4}));
  builder.addStep(move);
  find(builder);
  EXPECT_EQ(get(y, "operand"), given.given);
  EXPECT_TRUE(has(move.tensor, getMapping({30, 4}, {3}, {{0, 10, 10}, {}}, 2)));
  EXPECT_TRUE(get(move.tensor, "operand"));
}

TEST_F(CandidateSourcesTest, Copied) {
  PlanModelBuilder builder(&context, target);
  ModelTensor given = makeTensor({6, 4}, ModelTensor::Origin::Argument);
  given.given = getMapping({6, 4}, {3}, {{0, 2, 2}, {}}, /*first=*/1);
  unsigned x = add(builder, given);
  unsigned whole =
      addStep(builder, ModelStep::Kind::Copy,
              makeTensor({6, 4}, ModelTensor::Origin::Scratch), {x});
  ModelStep slice;
  slice.kind = ModelStep::Kind::Copy;
  slice.operands = {read(builder, x)};
  slice.operands.front().to = StridedView{0, {6, 4}, {4, 1}};
  slice.tensor =
      add(builder, makeTensor({12, 4}, ModelTensor::Origin::Scratch));
  builder.addStep(slice);
  find(builder);
  EXPECT_EQ(get(whole, "copied"), given.given);
  // Each slice of six rows is on the tiles of x.
  TileMappingAttr slices = get(slice.tensor, "copied");
  ASSERT_TRUE(slices);
  EXPECT_EQ(slices.getMaxElements(), 16);
  EXPECT_EQ(slices.getFirst(), 1);
}

TEST_F(CandidateSourcesTest, Separated) {
  // Rows and columns are merged in the operand. Zeros come between the rows.
  PlanModelBuilder builder(&context, target);
  ModelTensor given = makeTensor({2, 4, 6}, ModelTensor::Origin::Argument);
  given.given = getMapping({2, 24}, {2}, {{0, 1, 1}, {}});
  unsigned x = add(builder, given);
  ModelStep pad;
  pad.kind = ModelStep::Kind::Move;
  pad.fills = true;
  pad.operands = {read(builder, x)};
  pad.operands.front().to = StridedView{9, {2, 4, 6}, {48, 8, 1}};
  pad.tensor = add(builder, makeTensor({2, 6, 8}));
  builder.addStep(pad);
  find(builder);
  EXPECT_TRUE(has(pad.tensor, getMapping({2, 6, 8}, {2}, {{0, 1, 1}, {}, {}})));
  EXPECT_TRUE(get(pad.tensor, "separated"));
}

TEST_F(CandidateSourcesTest, ReaderAndCopies) {
  PlanModelBuilder builder(&context, target);
  ModelTensor weights = makeTensor({32, 24}, ModelTensor::Origin::Constant);
  weights.mayHaveCopies = true;
  unsigned x = add(builder,
                   makeTensor({48, 32}, ModelTensor::Origin::Argument)),
           w = add(builder, weights);
  unsigned y = addStep(builder, ModelStep::Kind::Compute,
                       makeMatmul(48, 32, 24), {x, w});
  find(builder);
  const Candidate &best = (*lists)[y].front();
  ASSERT_EQ(best.source, "best");
  // Tiles that read the same rows of x share them. Tiles that read the same
  // weights all hold them.
  TileMappingAttr spread = get(x, "reader"), copies = get(w, "copies");
  ASSERT_TRUE(spread && copies);
  EXPECT_TRUE(spread.coversOnce());
  EXPECT_EQ(copies, best.inputs[1]);
  EXPECT_FALSE(copies.coversOnce());
}

TEST_F(CandidateSourcesTest, CopyTarget) {
  PlanModelBuilder builder(&context, target);
  ModelTensor given = makeTensor({24}, ModelTensor::Origin::Scratch);
  given.given = getMapping({24}, {3}, {{0, 8, 8}}, /*first=*/2);
  unsigned variable = add(builder, given);
  unsigned x = add(builder, makeTensor({24}, ModelTensor::Origin::Constant));
  ModelStep copy;
  copy.kind = ModelStep::Kind::Copy;
  copy.operands = {read(builder, x)};
  copy.tensor = variable;
  builder.addStep(copy);
  find(builder);
  EXPECT_EQ(get(x, "copy-target"), given.given);
}

TEST_F(CandidateSourcesTest, Slabs) {
  // A step reads x in the transposed order.
  PlanModelBuilder builder(&context, target);
  unsigned x =
      add(builder, makeTensor({18, 24}, ModelTensor::Origin::Argument));
  ModelStep reorder;
  reorder.kind = ModelStep::Kind::Reorder;
  reorder.operands = {read(builder, x)};
  reorder.operands.front().isWhole = false;
  reorder.operands.front().view = {0, {24, 18}, {1, 24}};
  reorder.tensor = add(builder, makeTensor({24, 18}));
  builder.addStep(reorder);
  addStep(builder, ModelStep::Kind::Compute, makeElementwise({24, 18}),
          {reorder.tensor, reorder.tensor});
  find(builder);
  EXPECT_TRUE(has(x, getMapping({18, 24}, {9}, {{0, 2, 2}, {}})));
  EXPECT_TRUE(has(x, getMapping({18, 24}, {12}, {{}, {0, 2, 2}})));
  EXPECT_TRUE(get(x, "slabs"));
}

TEST_F(CandidateSourcesTest, Squares) {
  // 12 tiles have blocks of 48 x 32 elements of x.
  PlanModelBuilder builder(&context, target);
  unsigned x =
      add(builder, makeTensor({128, 112}, ModelTensor::Origin::Argument));
  ModelStep reorder;
  reorder.kind = ModelStep::Kind::Reorder;
  reorder.operands = {read(builder, x)};
  reorder.operands.front().isWhole = false;
  reorder.operands.front().view = {0, {112, 128}, {1, 112}};
  reorder.tensor = add(builder, makeTensor({112, 128}));
  builder.addStep(reorder);
  addStep(builder, ModelStep::Kind::Compute, makeElementwise({112, 128}),
          {reorder.tensor, reorder.tensor});
  find(builder);
  EXPECT_EQ(get(x, "squares"),
            getMapping({128, 112}, {3, 4}, {{0, 48, 48}, {1, 32, 32}}));
}

TEST_F(CandidateSourcesTest, LastTiles) {
  PlanModelBuilder builder(&context, target);
  unsigned few = add(builder, makeTensor({7}, ModelTensor::Origin::Argument)),
           all = add(builder, makeTensor({24}, ModelTensor::Origin::Argument));
  find(builder);
  addFirstTiles(*lists, candidates->sources);
  EXPECT_EQ(get(few, "last-tiles"), getMapping({7}, {7}, {{0, 1, 1}}, 4));
  EXPECT_FALSE(get(all, "last-tiles"));
}

TEST_F(CandidateSourcesTest, NewSourcesAreAsked) {
  /// Puts a tensor on one tile.
  class OneTile : public CandidateSource {
  public:
    OneTile() : CandidateSource("one-tile") {}
    bool handles(const ModelStep &step,
                 const CandidateLists & /*lists*/) const override {
      return step.kind == ModelStep::Kind::Compute;
    }
    void followOperand(const Neighbour &neighbour, const CandidateLists &,
                       SmallVectorImpl<Proposal> &proposals) const override {
      TileMappingAttr mapping = neighbour.mapping;
      SmallVector<TileMappingBlock> all(mapping.getDomain().size());
      proposals.push_back({TileMappingAttr::get(
          mapping.getContext(), mapping.getDomain(), {}, all, 0)});
    }
  };
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder, makeTensor({24}, ModelTensor::Origin::Argument));
  unsigned y =
      addStep(builder, ModelStep::Kind::Compute, makeElementwise({24}), {x, x});
  model = builder.finish();
  candidates.emplace(model);
  candidates->sources.add(CandidatePhase::FollowOperand,
                          std::make_shared<OneTile>());
  lists.emplace(candidates->find());
  ASSERT_TRUE(get(y, "one-tile"));
  EXPECT_EQ(get(y, "one-tile").getNumTiles(), 1);
}

TEST_F(CandidateSourcesTest, TheShareOfMemoryLimitsCandidates) {
  target.tile_memory = 2000;
  PlanModelBuilder builder(&context, target);
  unsigned x = add(builder,
                   makeTensor({16, 64}, ModelTensor::Origin::Argument)),
           w = add(builder,
                   makeTensor({64, 24}, ModelTensor::Origin::Argument));
  unsigned y = addStep(builder, ModelStep::Kind::Compute,
                       makeMatmul(16, 64, 24), {x, w});
  find(builder);
  for (const Candidate &candidate : (*lists)[y])
    EXPECT_LE(lists->getOpBytes(candidate),
              std::max<int64_t>(1200, lists->getAllowedBytes(y)));
}

} // namespace
