//===- PrintFactorTable.cpp - Printing of one step ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module with shardings. Out: the same module. The pass prints the result
// of one step of propagation for each op.
//
//===----------------------------------------------------------------------===//

#include "FactorTable.h"
#include "PropagationDriver.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/IR/AsmState.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_PRINTFACTORTABLEPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// Along which way the factors of the op go, once priorities are over.
static sharding::Direction getDirection(const sharding::Factor &factor) {
  return factor.blocked ? sharding::Direction::None : sharding::Direction::Both;
}

static void printStep(raw_ostream &os, const PropagationStep &step,
                      PropagationStrategy strategy, bool conservative,
                      AsmState &names) {
  os << step.op->getName() << " at " << step.op->getLoc() << "\n";
  os << "  rule: " << toString(step.rule, step.op->getContext()) << "\n";
  if (!step.mesh) {
    os << "  tensors are on several meshes\n";
    return;
  }
  SmallVector<std::string> tensorNames = getTensorNames(step, names);
  printFactorTable(os, step.before, step.before, step.rule, step.mesh,
                   tensorNames);

  auto getFactorDirection = [&](unsigned factor) {
    return getDirection(step.rule.factors[factor]);
  };
  os << "  step 1:";
  for (unsigned factor = 0; factor < step.rule.factors.size(); ++factor)
    os << (factor ? ", " : " ") << getFactorName(factor) << " {"
       << toString(sharding::getCompatibleMajorAxes(step.before, factor,
                                                    getFactorDirection(factor)),
                   step.mesh)
       << "}";
  SmallVector<int64_t> sizes = getMeshSizes(step.mesh);
  sharding::PropagationContext context{step.rule, sizes, getFactorDirection};
  context.conservative = conservative;
  context.isElementwise = step.isElementwise;
  sharding::ShardingProjection after = step.before;
  if (strategy != PropagationStrategy::Aggressive)
    (void)sharding::propagateBasic(after, context);
  if (strategy != PropagationStrategy::Basic)
    (void)sharding::propagateAggressive(after, context);
  os << "\n  step 2:\n";
  printFactorTable(os, after, step.before, step.rule, step.mesh, tensorNames);
}

namespace {
struct PrintFactorTablePass
    : sdy::impl::PrintFactorTablePassBase<PrintFactorTablePass> {
  using PrintFactorTablePassBase::PrintFactorTablePassBase;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    PropagationOptions options;
    options.conservative = conservative;
    ShardingGroups groups(module);
    ShardingState state(module);
    PropagationDriver driver(module, state, groups, options);
    AsmState names(module);
    raw_ostream &os = llvm::outs();
    bool found = false;
    driver.inspect([&](const PropagationStep &step) {
      bool isFunction = step.op->hasTrait<OpTrait::IsTerminator>();
      if (op.empty() ? isFunction : step.op->getName().getStringRef() != op)
        return;
      printStep(os, step, strategy, conservative, names);
      found = true;
    });
    os.flush();
    if (!found && !op.empty())
      module.emitWarning()
          << "expects an op '" << op
          << "' with a sharding rule and a sharded tensor but found none";
  }
};
} // namespace
