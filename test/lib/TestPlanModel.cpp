//===- TestPlanModel.cpp - Models and candidates of the planner -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// test-print-plan-model prints the model of each function that is not called,
// and on request the tile mappings among which the planner chooses.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Planner/Candidates/FindCandidates.h"
#include "ipu-mlir/Planner/Model/ImportPlanModel.h"

#include "mlir/Pass/Pass.h"

using namespace mlir;
using namespace mlir::ipu;

namespace mlir::ipu::test {

namespace {
struct PrintPlanModel
    : public PassWrapper<PrintPlanModel, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PrintPlanModel)

  PrintPlanModel() = default;
  PrintPlanModel(const PrintPlanModel &other)
      : PassWrapper<PrintPlanModel, OperationPass<ModuleOp>>(other) {}

  StringRef getArgument() const final { return "test-print-plan-model"; }
  StringRef getDescription() const final {
    return "Print the tensors and steps that the planner plans";
  }

  void runOnOperation() override {
    FunctionCalls calls(getOperation());
    TargetModel target = getTargetModel(getOperation());
    DenseSet<Operation *> printed;
    for (FunctionOpInterface function : calls.getPreOrder()) {
      auto graph = dyn_cast<func::FuncOp>(function.getOperation());
      if (!graph || graph.isExternal() || printed.contains(graph))
        continue;
      PartitionCache cache(target);
      FailureOr<ImportedModel> imported =
          importPlanModel(graph, calls, target, cache, VariableTileMappings(),
                          ConstantCopies::OfAll, ConstantClones());
      if (failed(imported))
        return signalPassFailure();
      printed.insert(imported->functions.begin(), imported->functions.end());
      llvm::outs() << "model of @" << graph.getName() << '\n';
      imported->model.print(llvm::outs());
      if (printsCandidates)
        printCandidates(imported->model, cache);
    }
  }

  static void printCandidates(const PlanModel &model, PartitionCache &cache) {
    CandidateSources sources(model, cache,
                             /*isNested=*/model.getTarget().ipus > 1);
    CandidateLists lists = findCandidates(
        getInitialCandidates(model, sources, PlanOptions()), sources,
        [](unsigned, function_ref<void()> search) { search(); });
    for (unsigned tensor = 0; tensor < lists.size(); ++tensor)
      for (const Candidate &candidate : lists[tensor])
        llvm::outs() << "candidate of tensor " << tensor << " by "
                     << candidate.source << ": " << candidate.mapping << '\n';
  }

  Option<bool> printsCandidates{
      *this, "candidates",
      llvm::cl::desc("Also print the tile mappings to choose from")};
};
} // namespace

void registerTestPlanModel() { PassRegistration<PrintPlanModel>(); }

} // namespace mlir::ipu::test
