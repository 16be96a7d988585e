//===- EstimateCost.cpp - Cycles, operations and bytes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: an ipu program, or a module of several.
// Out: the same with the estimated cost on every step, at the level asked for.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/Cost/CostModel.h"
#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/TypeSwitch.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_ESTIMATECOSTPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Emits an error for steps that have no estimate.
static WalkResult canEstimate(Operation *op) {
  // Symbols are verified only below a symbol table.
  if (auto vertices = dyn_cast<VerticesOp>(op))
    if (!SymbolTable::lookupNearestSymbolFrom<CodeletOp>(
            op, vertices.getCodeletAttr())) {
      op->emitOpError() << "expects " << vertices.getCodeletAttr()
                        << " to be an 'ipu.codelet'";
      return WalkResult::interrupt();
    }
  return WalkResult::advance();
}

namespace {
/// Bytes of the code of functions on each tile, found when they are asked for.
class CodeBytes {
public:
  CodeBytes(ModuleOp module, const TargetModel &target)
      : module(module), target(target) {}

  /// Of `functions`, where they lie in `memory`.
  FailureOr<TileCounts> get(Operation *step, ArrayRef<Attribute> functions,
                            CodeLocation memory);

private:
  ModuleOp module;
  const TargetModel &target;
  std::optional<llvm::StringMap<TileCounts>> bytesOfFunction;
};

struct EstimateCost : ipu::impl::EstimateCostPassBase<EstimateCost> {
  using EstimateCostPassBase::EstimateCostPassBase;

  bool canScheduleOn(RegisteredOperationName name) const override {
    return name.getStringRef() == ModuleOp::getOperationName() ||
           name.getStringRef() == func::FuncOp::getOperationName();
  }
  void runOnOperation() override;

private:
  LogicalResult estimate(Operation *op, const TargetModel &target,
                         CodeBytes &code);
  template <typename StepOp>
  LogicalResult setCost(StepOp step, StepCostAttr cost);
};
} // namespace

/// Codelets that a function shares with others are not part of what loads
/// bring.
FailureOr<TileCounts> CodeBytes::get(Operation *step,
                                     ArrayRef<Attribute> functions,
                                     CodeLocation memory) {
  if (!module) {
    step->emitOpError("loads code, the cost of which only a run of "
                      "ipu-estimate-cost on the module can tell");
    return failure();
  }
  if (!bytesOfFunction) {
    bytesOfFunction.emplace();
    for (func::FuncOp program : getPrograms(module)) {
      FailureOr<MemoryProblem> problem = readMemoryProblem(program);
      if (failed(problem))
        return failure();
      for (const MemoryCode &code : problem->code) {
        TileCounts sum(problem->numTiles);
        for (const TileCounts &part : code.bytes)
          sum.add(part);
        bytesOfFunction->try_emplace(
            cast<func::FuncOp>(code.function).getSymName(), sum);
      }
    }
  }
  TileCounts sum(target.getTilesPerReplica());
  for (Attribute function : functions) {
    // Nothing is there of a function that no program calls.
    auto it =
        bytesOfFunction->find(cast<FlatSymbolRefAttr>(function).getValue());
    if (it != bytesOfFunction->end())
      sum.add(memory == CodeLocation::Executable
                  ? it->second
                  : getBytesInBuffer(target, it->second, memory));
  }
  return sum;
}

template <typename StepOp>
LogicalResult EstimateCost::setCost(StepOp step, StepCostAttr cost) {
  step.setCostAttr(cost);
  int64_t cycles = *llvm::max_element(cost.getCycles());
  remark::analysis(step.getLoc(),
                   remark::RemarkOpts::name(step->getName().getStringRef())
                       .category("ipu-cost"))
      << remark::metric("cycles", cycles)
      << remark::metric("bytes", cost.getBytes());
  return success();
}

LogicalResult EstimateCost::estimate(Operation *op, const TargetModel &target,
                                     CodeBytes &code) {
  return llvm::TypeSwitch<Operation *, LogicalResult>(op)
      .Case([&](ComputeSetOp step) {
        return setCost(step, getComputeCost(target, step, level));
      })
      .Case([&](ExchangeOp step) {
        return setCost(step, getExchangeCost(target, step));
      })
      .Case(
          [&](SyncOp step) { return setCost(step, getSyncCost(target, step)); })
      .Case([&](RepeatOp step) {
        return setCost(step, getRepeatCost(target, step));
      })
      .Case<IfOp, WhileOp>([&](auto step) {
        return setCost(step, getConditionCost(target, step));
      })
      .Case(
          [&](CallOp step) { return setCost(step, getCallCost(target, step)); })
      .Case<HostLoadOp, HostStoreOp>([&](auto step) {
        return setCost(step, getHostCopyCost(target, step.getVariable()));
      })
      .Case([&](RemoteExchangeOp step) {
        return setCost(step, getRemoteExchangeCost(target, step));
      })
      .Case([&](CollectiveOp step) -> LogicalResult {
        FailureOr<ReplicaGroups> groups =
            resolveReplicaGroups(step.getGroupsAttr(), target.replicas,
                                 [&] { return step.emitOpError(); });
        if (failed(groups))
          return failure();
        return setCost(step,
                       getCollectiveCost(target, step, groups->getGroupSize()));
      })
      .Case([&](ReplicaIndexOp step) {
        return setCost(step, getReplicaIndexCost(target, step));
      })
      .Case([&](CodeLoadOp step) -> LogicalResult {
        FailureOr<TileCounts> bytes = code.get(
            step, step.getFunctions().getValue(), step.getDestination());
        if (failed(bytes))
          return failure();
        return setCost(step, getCodeLoadCost(target, step, *bytes));
      })
      .Case([&](CodeCopyOp step) -> LogicalResult {
        Attribute function = step.getFunctionAttr();
        FailureOr<TileCounts> from = code.get(step, function, step.getSource());
        FailureOr<TileCounts> to =
            code.get(step, function, step.getDestination());
        if (failed(from) || failed(to))
          return failure();
        return setCost(step, getCodeCopyCost(target, step, *from, *to));
      })
      .Default([](Operation *) { return success(); });
}

void EstimateCost::runOnOperation() {
  TargetModel target = getTargetModel(getOperation());
  if (getOperation()->walk(canEstimate).wasInterrupted())
    return signalPassFailure();
  CodeBytes code(dyn_cast<ModuleOp>(getOperation()), target);
  WalkResult result = getOperation()->walk([&](Operation *op) {
    return succeeded(estimate(op, target, code)) ? WalkResult::advance()
                                                 : WalkResult::interrupt();
  });
  if (result.wasInterrupted())
    signalPassFailure();
}
