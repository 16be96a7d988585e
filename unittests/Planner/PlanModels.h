//===- PlanModels.h - Models for tests of the planner -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_UNITTESTS_PLANNER_PLANMODELS_H
#define IPU_MLIR_UNITTESTS_PLANNER_PLANMODELS_H

#include "ipu-mlir/Planner/Candidates/FindCandidates.h"
#include "ipu-mlir/Planner/Cost/AssignmentCosts.h"
#include "ipu-mlir/Planner/Search/AssignmentSearch.h"
#include "gtest/gtest.h"
#include <map>

namespace mlir::ipu::test {

/// The candidates of a model: all of them, or only the given and generic ones.
struct ModelCandidates {
  explicit ModelCandidates(const PlanModel &model, bool isNested = false)
      : cache(model.getTarget()), sources(model, cache, isNested),
        initial(getInitialCandidates(model, sources, PlanOptions())) {}

  CandidateLists find() const {
    return findCandidates(
        initial, sources,
        [](unsigned, function_ref<void()> search) { search(); });
  }

  PartitionCache cache;
  CandidateSources sources;
  CandidateLists initial;
};

/// A search among all candidates of a model.
struct ModelSearch {
  explicit ModelSearch(const PlanModel &model)
      : candidates(model), lists(candidates.find()),
        exchanges(model.getTarget(), kMaxExchangePieces),
        costs(lists, exchanges), search(costs, tables),
        network(search.createNetwork()) {}

  ModelCandidates candidates;
  CandidateLists lists;
  ExchangeCosts exchanges;
  AssignmentCosts costs;
  StepTableCache tables;
  AssignmentSearch search;
  CostNetwork network;
};

/// A machine with 12 tiles on each IPU, and the partition problems of a few
/// ops, without IR. Subclasses build models from them.
class PlanModelTest : public ::testing::Test {
protected:
  PlanModelTest() {
    context.loadDialect<IPUDialect>();
    target = *TargetModel::getPreset("gc200");
    target.tiles = 12;
    f32 = Float32Type::get(&context);
  }

  /// Returns a tensor that no op computes.
  ModelTensor
  makeTensor(ArrayRef<int64_t> shape,
             ModelTensor::Origin origin = ModelTensor::Origin::Result) {
    ModelTensor tensor;
    tensor.origin = origin;
    tensor.shape = llvm::to_vector(shape);
    tensor.elementType = f32;
    tensor.elementBytes = 4;
    return tensor;
  }

  /// Returns the result [m, n] of a matmul [m, k] x [k, n], whose loops are
  /// over m and n.
  ModelTensor makeMatmul(int64_t m, int64_t k, int64_t n) {
    TileForm form;
    form.loops = {1, m, n};
    form.inputs = {{{1, m, k}, {{0, 1, 1}, {1, 1, 1}, {}}},
                   {{1, k, n}, {{0, 1, 1}, {}, {2, 1, 1}}}};
    form.results = {{{1, m, n}, {{0, 1, 1}, {1, 1, 1}, {2, 1, 1}}}};
    ModelTensor tensor = makeTensor({m, n});
    const PartitionProblem *problem = addProblem(
        "matmul", {m, k, n}, form, {CodeletCostKind::Matmul, "matmul"});
    tensor.getProblem = [problem](ArrayRef<int64_t>) { return problem; };
    return tensor;
  }

  /// Returns the result of an elementwise op of two operands, whose loops are
  /// over any domain.
  ModelTensor makeElementwise(ArrayRef<int64_t> shape) {
    ModelTensor tensor = makeTensor(shape);
    tensor.getProblem =
        [this, size = tensor.getNumElements()](
            ArrayRef<int64_t> domain) -> const PartitionProblem * {
      if (ShapedType::getNumElements(domain) != size)
        return nullptr;
      TileForm form = getLoops(domain);
      form.inputs = {form.results.front(), form.results.front()};
      return addProblem("add", domain, form, {CodeletCostKind::Vector, "add"});
    };
    return tensor;
  }

  /// Returns the sum over the first dimension of a tensor [parts, n], whose
  /// loops are over any domain of the result.
  ModelTensor makeColumnSum(int64_t parts, int64_t n) {
    ModelTensor tensor = makeTensor({n});
    tensor.getProblem =
        [this, parts, n](ArrayRef<int64_t> domain) -> const PartitionProblem * {
      if (ShapedType::getNumElements(domain) != n)
        return nullptr;
      TileForm form = getLoops(domain);
      TileAccess input = form.results.front();
      input.domain.insert(input.domain.begin(), parts);
      input.dims.insert(input.dims.begin(), DimAccess());
      form.inputs = {input};
      CodeletCost cost{CodeletCostKind::ReduceColumns, "reduce"};
      cost.combined = parts;
      return addProblem("sum", domain, form, cost);
    };
    return tensor;
  }

  /// Returns a tensor [slots, n] of which a slot [1, n] is replaced in place.
  /// The number of the slot is an operand.
  ModelTensor makeSlotUpdate(int64_t slots, int64_t n) {
    TileForm form = getLoops({1, slots, n});
    TileAccess slot = form.results.front();
    slot.domain[1] = 1;
    slot.dims[1] = DimAccess();
    form.inputs = {form.results.front(), slot, {{1}, {DimAccess()}}};
    form.updatedInput = 0;
    form.isInPlace = true;
    const PartitionProblem *problem =
        addProblem("dynamic_update", {slots, n}, form,
                   {CodeletCostKind::DynamicUpdate, "dynamic_update"});
    ModelTensor tensor = makeTensor({slots, n});
    tensor.getProblem = [problem](ArrayRef<int64_t>) { return problem; };
    return tensor;
  }

  static unsigned add(PlanModelBuilder &builder, ModelTensor tensor) {
    FailureOr<unsigned> number = builder.addTensor(std::move(tensor));
    EXPECT_TRUE(succeeded(number));
    return *number;
  }

  /// Returns an operand that is all of `tensor`.
  static ModelOperand read(PlanModelBuilder &builder, unsigned tensor,
                           unsigned index = 0) {
    ModelOperand operand;
    operand.tensor = operand.source = tensor;
    operand.view = StridedView::identity(builder.getTensor(tensor).shape);
    operand.elementBytes = 4;
    operand.index = index;
    return operand;
  }

  /// Adds a step of `kind` that writes `result`, and returns `result`.
  unsigned addStep(PlanModelBuilder &builder, ModelStep::Kind kind,
                   ModelTensor result, ArrayRef<unsigned> operands,
                   StringRef op = "op") {
    ModelStep step;
    step.kind = kind;
    step.ops = {op};
    for (auto [index, operand] : llvm::enumerate(operands))
      step.operands.push_back(read(builder, operand, index));
    step.tensor = add(builder, std::move(result));
    unsigned tensor = step.tensor;
    builder.addStep(std::move(step));
    return tensor;
  }

  MLIRContext context;
  TargetModel target;
  Type f32;

private:
  /// Returns loops over the dimensions of `domain`, which are the dimensions of
  /// the result, too.
  static TileForm getLoops(ArrayRef<int64_t> domain) {
    TileForm form;
    TileAccess result{llvm::to_vector(domain), {}};
    for (auto [loop, extent] : llvm::enumerate(domain)) {
      form.loops.push_back(extent);
      result.dims.push_back({static_cast<int64_t>(loop), 1, 1});
    }
    form.results = {result};
    return form;
  }

  const PartitionProblem *addProblem(StringRef op, ArrayRef<int64_t> sizes,
                                     TileForm form, CodeletCost cost) {
    std::vector<int64_t> key(sizes.begin(), sizes.end());
    auto [it, isNew] = problems.try_emplace({op.str(), key});
    if (isNew) {
      it->second.inputTypes.assign(form.inputs.size(), f32);
      it->second.resultTypes = {f32};
      it->second.form = std::move(form);
      it->second.cost = getCodeletCost(cost, f32, /*scalarOperand=*/false);
      EXPECT_TRUE(it->second.cost) << op.str();
    }
    return &it->second;
  }

  /// The problems, by name and sizes. Their addresses do not change.
  std::map<std::pair<std::string, std::vector<int64_t>>, PartitionProblem>
      problems;
};

} // namespace mlir::ipu::test

#endif // IPU_MLIR_UNITTESTS_PLANNER_PLANMODELS_H
