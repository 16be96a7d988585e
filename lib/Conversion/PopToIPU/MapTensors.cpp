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

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Planner/ProgramPlan.h"

#include "mlir/IR/Remarks.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_MAPTENSORSPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

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

namespace {
struct MapTensors : ipu::impl::MapTensorsPassBase<MapTensors> {
  using MapTensorsPassBase::MapTensorsPassBase;

  void runOnOperation() override {
    ProgramPlanOptions options;
    options.kind = planner;
    FailureOr<int64_t> perMille =
        getMemoryPerMille(availableMemoryProportion, getOperation().getLoc());
    if (failed(perMille))
      return signalPassFailure();
    options.plan.memoryPerMille = *perMille;
    options.copyConstants = copyConstants;
    VariableTileMappings variables;
    if (failed(planModule(getOperation(), options, variables, mapFunction)))
      return signalPassFailure();
    SymbolTable symbols(getOperation());
    for (auto [name, mapping] : variables)
      if (Operation *variable = symbols.lookup(name))
        variable->setAttr(IPUDialect::kTileMappingAttrName, mapping);
  }
};
} // namespace
