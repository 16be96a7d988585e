//===- PropagationPasses.cpp - The passes of propagation ------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_BASICPROPAGATEPASS
#define GEN_PASS_DEF_AGGRESSIVEPROPAGATEPASS
#define GEN_PASS_DEF_OPPRIORITYPROPAGATEPASS
#define GEN_PASS_DEF_USERPRIORITYPROPAGATEPASS
#define GEN_PASS_DEF_POPULATEOPSHARDINGRULESPASS
#define GEN_PASS_DEF_REMOVEPROPAGATIONDEBUGINFOPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

namespace {
/// Reads the options that all of the passes have.
template <typename BaseT>
struct PropagatePass : BaseT {
  using BaseT::BaseT;

protected:
  PropagationOptions getOptions() {
    PropagationOptions options;
    options.opPriority = options.userPriority = false;
    options.conservative = this->conservative;
    options.keepShardingRules = this->keepShardingRules;
    options.report = this->report ? &llvm::errs() : nullptr;
    options.debugShardingOrigins = this->debugShardingOrigins;
    options.debugPropagationEdges = this->debugPropagationEdges;
    options.moduleDumpDirectory = this->moduleDumpDirectory;
    return options;
  }
};

struct BasicPropagatePass
    : PropagatePass<sdy::impl::BasicPropagatePassBase<BasicPropagatePass>> {
  using PropagatePass::PropagatePass;
  void runOnOperation() override {
    PropagationOptions options = getOptions();
    options.strategy = PropagationStrategy::Basic;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct AggressivePropagatePass
    : PropagatePass<
          sdy::impl::AggressivePropagatePassBase<AggressivePropagatePass>> {
  using PropagatePass::PropagatePass;
  void runOnOperation() override {
    PropagationOptions options = getOptions();
    options.strategy = strategy;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct OpPriorityPropagatePass
    : PropagatePass<
          sdy::impl::OpPriorityPropagatePassBase<OpPriorityPropagatePass>> {
  using PropagatePass::PropagatePass;
  void runOnOperation() override {
    PropagationOptions options = getOptions();
    options.strategy = strategy;
    options.opPriority = runOpPriority;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct UserPriorityPropagatePass
    : PropagatePass<
          sdy::impl::UserPriorityPropagatePassBase<UserPriorityPropagatePass>> {
  using PropagatePass::PropagatePass;
  void runOnOperation() override {
    PropagationOptions options = getOptions();
    options.strategy = strategy;
    options.opPriority = runOpPriority;
    options.userPriority = true;
    if (failed(propagateShardings(getOperation(), options)))
      signalPassFailure();
  }
};

struct PopulateOpShardingRulesPass
    : sdy::impl::PopulateOpShardingRulesPassBase<PopulateOpShardingRulesPass> {
  using PopulateOpShardingRulesPassBase::PopulateOpShardingRulesPassBase;
  void runOnOperation() override {
    getOperation().walk([&](Operation *op) {
      if (std::optional<sharding::Rule> rule =
              getShardingRule(op, conservative))
        op->setAttr(kShardingRuleAttrName, getRuleAttr(&getContext(), *rule));
    });
  }
};

struct RemovePropagationDebugInfoPass
    : sdy::impl::RemovePropagationDebugInfoPassBase<
          RemovePropagationDebugInfoPass> {
  using RemovePropagationDebugInfoPassBase::RemovePropagationDebugInfoPassBase;
  void runOnOperation() override {
    StringRef names[] = {
        kShardingOriginsAttrName,       kBlockArgShardingOriginsAttrName,
        kResultShardingOriginsAttrName, kShardingOriginNameAttrName,
        kPropagationEdgesAttrName,      kBlockArgPropagationEdgesAttrName,
        kResultPropagationEdgesAttrName};
    getOperation().walk([&](Operation *op) {
      for (StringRef name : names)
        op->removeDiscardableAttr(name);
      auto function = dyn_cast<FunctionOpInterface>(op);
      if (!function)
        return;
      for (StringRef name : names) {
        auto attr = StringAttr::get(&getContext(), name);
        for (unsigned i = 0; i < function.getNumArguments(); ++i)
          function.removeArgAttr(i, attr);
        for (unsigned i = 0; i < function.getNumResults(); ++i)
          function.removeResultAttr(i, attr);
      }
    });
  }
};
} // namespace
