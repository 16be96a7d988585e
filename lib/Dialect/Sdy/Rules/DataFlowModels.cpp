//===- DataFlowModels.cpp - Edges of stablehlo and sdy ops ----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "RulesDetail.h"

#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

static unsigned getNumber(Value owner) {
  if (auto argument = dyn_cast<BlockArgument>(owner))
    return argument.getArgNumber();
  return cast<OpResult>(owner).getResultNumber();
}

static OpOperand *getYielded(Region &region, unsigned number) {
  return &region.front().getTerminator()->getOpOperand(number);
}

namespace {
struct WhileModel
    : ShardableDataFlowOpInterface::ExternalModel<WhileModel,
                                                  stablehlo::WhileOp> {
  SmallVector<Value> getEdgeOwners(Operation *op) const {
    return llvm::to_vector_of<Value>(op->getResults());
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    unsigned i = getNumber(owner);
    return {&op->getOpOperand(i),
            getYielded(cast<stablehlo::WhileOp>(op).getBody(), i)};
  }
  SmallVector<Value> getOtherTargets(Operation *op, Value owner) const {
    auto loop = cast<stablehlo::WhileOp>(op);
    unsigned i = getNumber(owner);
    return {loop.getCond().getArgument(i), loop.getBody().getArgument(i)};
  }
};

/// Regions without arguments, of which one is run.
template <typename OpT>
struct BranchesModel
    : ShardableDataFlowOpInterface::ExternalModel<BranchesModel<OpT>, OpT> {
  SmallVector<Value> getEdgeOwners(Operation *op) const {
    return llvm::to_vector_of<Value>(op->getResults());
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    return llvm::map_to_vector(op->getRegions(), [&](Region &branch) {
      return getYielded(branch, getNumber(owner));
    });
  }
};

struct OptimizationBarrierModel
    : ShardableDataFlowOpInterface::ExternalModel<
          OptimizationBarrierModel, stablehlo::OptimizationBarrierOp> {
  SmallVector<Value> getEdgeOwners(Operation *op) const {
    return llvm::to_vector_of<Value>(op->getResults());
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    return {&op->getOpOperand(getNumber(owner))};
  }
};

/// A body that is run once: arguments take operands, results what it returns.
template <typename OpT>
struct ComputationModel
    : ShardableDataFlowOpInterface::ExternalModel<ComputationModel<OpT>, OpT> {
  SmallVector<Value> getEdgeOwners(Operation *op) const {
    auto owners =
        llvm::to_vector_of<Value>(cast<OpT>(op).getBody().getArguments());
    llvm::append_range(owners, op->getResults());
    return owners;
  }
  SmallVector<OpOperand *> getEdgeSources(Operation *op, Value owner) const {
    unsigned i = getNumber(owner);
    return {isa<BlockArgument>(owner) ? &op->getOpOperand(i)
                                      : getYielded(cast<OpT>(op).getBody(), i)};
  }
};
} // namespace

void sdy::registerDataFlowModels(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context,
                            stablehlo::StableHLODialect *dialect) {
    if (!isOwn(dialect))
      return;
    stablehlo::WhileOp::attachInterface<WhileModel>(*context);
    stablehlo::CaseOp::attachInterface<BranchesModel<stablehlo::CaseOp>>(
        *context);
    stablehlo::IfOp::attachInterface<BranchesModel<stablehlo::IfOp>>(*context);
    stablehlo::OptimizationBarrierOp::attachInterface<OptimizationBarrierModel>(
        *context);
  });
  registry.addExtension(+[](MLIRContext *context, SdyDialect *dialect) {
    if (!isOwn(dialect))
      return;
    ManualComputationOp::attachInterface<ComputationModel<ManualComputationOp>>(
        *context);
    NamedComputationOp::attachInterface<ComputationModel<NamedComputationOp>>(
        *context);
  });
  registerRegionDataFlowModels(registry);
}
