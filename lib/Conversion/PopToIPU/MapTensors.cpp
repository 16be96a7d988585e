//===- MapTensors.cpp - Choice of tile mappings -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: decomposed pop functions. Out: the same functions with an `ipu.map` on
// each argument, on each op whose result needs storage, and on each variable.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/TileCounts/Count.h"
#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Interfaces/ShapeLimits.h"
#include "ipu-mlir/Planner/ProgramPlan.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Support/DebugStringHelper.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_MAPTENSORSPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Emits a remark on each tensor: the source of its tile mapping, and the best
/// alternative.
static void emitReports(const ProgramPlan &plan) {
  for (const MappingReport &report : plan.reports) {
    auto remark = remark::analysis(
        report.value.getLoc(),
        remark::RemarkOpts::name(report.source).category("ipu-mapping"));
    if (!remark)
      return;
    remark << remark::metric("mapping", debugString(report.mapping))
           << remark::metric("last-tiles", report.isOnLastTiles)
           << remark::metric("bytes", report.bytes)
           << remark::metric("first-step", report.firstStep)
           << remark::metric("last-step", report.lastStep);
    if (report.alternative)
      remark << remark::metric("alternative", report.alternative->source)
             << remark::metric("alternative-mapping",
                               debugString(report.alternative->mapping))
             << remark::metric("alternative-cycles",
                               report.alternative->moreCycles)
             << remark::metric("alternative-bytes", report.alternative->bytes);
  }
}

/// Sets the tile mappings of `plan` on `function`.
static void mapFunction(func::FuncOp function, const ProgramPlan &plan) {
  // Set the attributes of all arguments at once, because each change of an
  // argument's attributes copies the attributes of all arguments.
  SmallVector<DictionaryAttr> ofArguments;
  function.getAllArgAttrs(ofArguments);
  for (auto [value, mapping] : plan.mappings) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      DictionaryAttr &attributes = ofArguments[argument.getArgNumber()];
      NamedAttrList list(attributes);
      list.set(IPUDialect::kTileMappingAttrName, mapping);
      attributes = list.getDictionary(function.getContext());
    } else {
      value.getDefiningOp()->setAttr(IPUDialect::kTileMappingAttrName, mapping);
    }
  }
  function.setAllArgAttrs(ofArguments);
  for (auto [index, mapping] : plan.results)
    function.setResultAttr(index, IPUDialect::kTileMappingAttrName, mapping);
  emitReports(plan);
  remark::analysis(
      function.getLoc(),
      remark::RemarkOpts::name("pop-map-tensors").category("ipu-plan"))
      << remark::metric("cycles", plan.cycles)
      << remark::metric("unmerged", plan.unmergedCycles)
      << remark::metric("generic", plan.genericCycles)
      << remark::metric("greedy", plan.greedyCycles)
      << remark::metric("flat", plan.flatCycles)
      << remark::metric("optimal", plan.isOptimal)
      << remark::metric("listed-share", plan.listedPerMille)
      << remark::metric("over-share", plan.numOverShare)
      << remark::metric("plans", plan.numPlans)
      << remark::metric("plan-hits", plan.numPlanHits)
      << remark::metric("tables", plan.numTables)
      << remark::metric("table-hits", plan.numTableHits)
      << remark::metric("exchanges", plan.numExchanges)
      << remark::metric("code", plan.codeBytes)
      << remark::metric("data", plan.dataBytes)
      << remark::metric("ipus", plan.numIPUs);
}

/// Gives each user of a constant its own clone of the constant, which may have
/// copies on the tiles of this user. Returns these clones in program order.
/// Clones are small if they take at most a thousandth of the memory of all
/// tiles when each element is on one tile.
static SmallVector<std::pair<Operation *, ConstantClone>>
cloneConstants(ModuleOp module, const TargetModel &target) {
  int64_t most = target.tile_memory / 1000 * target.getTilesPerReplica();
  SmallVector<std::pair<Operation *, ConstantClone>> cloned;
  SmallVector<Operation *> constants;
  module->walk([&](Operation *op) {
    if (op->hasTrait<OpTrait::ConstantLike>() &&
        !op->hasAttr(IPUDialect::kTileMappingAttrName))
      constants.push_back(op);
  });
  for (Operation *op : constants) {
    llvm::SetVector<Operation *> users(op->user_begin(), op->user_end());
    auto type = dyn_cast<ShapedType>(op->getResult(0).getType());
    if (users.size() < 2 || !type)
      continue;
    Count bytes = Count(getStoredBytes(type.getElementType())) *
                  type.getNumElements() * (users.size() - 1);
    ConstantClone clone = {op, /*isLarge=*/bytes.get() > most};
    cloned.push_back({op, clone});
    OpBuilder builder(op->getContext());
    builder.setInsertionPointAfter(op);
    for (Operation *user : llvm::drop_begin(users)) {
      Operation *own = builder.clone(*op);
      user->replaceUsesOfWith(op->getResult(0), own->getResult(0));
      cloned.push_back({own, clone});
    }
  }
  return cloned;
}

/// Replaces clones of a constant that have the same attributes by one of them.
static void
mergeClones(ArrayRef<std::pair<Operation *, ConstantClone>> cloned) {
  DenseMap<std::pair<Operation *, DictionaryAttr>, Operation *> first;
  for (const auto &[op, clone] : cloned) {
    auto [it, isNew] =
        first.insert({{clone.first, op->getAttrDictionary()}, op});
    if (isNew)
      continue;
    op->replaceAllUsesWith(it->second);
    op->erase();
  }
}

namespace {
struct MapTensors : ipu::impl::MapTensorsPassBase<MapTensors> {
  using MapTensorsPassBase::MapTensorsPassBase;

  void runOnOperation() override {
    if (failed(verifyAddressable(getOperation())) ||
        failed(pop::verifyVgraphs(getOperation(),
                                  getTargetModel(getOperation()).ipus)))
      return signalPassFailure();
    ProgramPlanOptions options;
    options.kind = planner;
    FailureOr<int64_t> perMille =
        getMemoryPerMille(availableMemoryProportion, getOperation().getLoc());
    if (failed(perMille))
      return signalPassFailure();
    options.plan.memoryPerMille = *perMille;
    SmallVector<std::pair<Operation *, ConstantClone>> cloned;
    if (!copyConstants)
      options.copies = ConstantCopies::None;
    else if (planner == PlannerKind::Program)
      cloned = cloneConstants(getOperation(), getTargetModel(getOperation()));
    options.clones.insert(cloned.begin(), cloned.end());
    VariableTileMappings variables;
    if (failed(planModule(getOperation(), options, variables, mapFunction)))
      return signalPassFailure();
    mergeClones(cloned);
    SymbolTable symbols(getOperation());
    for (auto [name, mapping] : variables)
      if (Operation *variable = symbols.lookup(name))
        variable->setAttr(IPUDialect::kTileMappingAttrName, mapping);
  }
};
} // namespace
