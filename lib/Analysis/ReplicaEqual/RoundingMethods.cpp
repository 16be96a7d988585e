//===- RoundingMethods.cpp - Stochastic rounding and equal values ---------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Analysis/ReplicaEqual/RoundingMethods.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// Whether `op` computes tensors, rather than moving them.
static bool computes(Operation *op) {
  if (op->hasTrait<MovesElements>())
    return false;
  // An op in place that is not written as others only copies.
  if (isa<CodeletOpInterface, DecomposableOpInterface>(op))
    return true;
  // A reduction by replicas.
  auto kind = op->getAttrOfType<pop::CollectiveOperatorAttr>("kind");
  return kind && kind.getValue() != CollectiveOperator::Local;
}

bool mlir::ipu::mayRoundStochastically(Operation *op) {
  auto isRounded = [](Type type) {
    return canRoundStochastically(getElementTypeOrSelf(type));
  };
  if (!llvm::any_of(op->getResultTypes(), isRounded)) {
    auto inPlace = dyn_cast<InPlaceOpInterface>(op);
    if (!inPlace || !isRounded(inPlace.getTarget().getType()))
      return false;
  }
  return computes(op);
}

ReplicaPartition
StochasticRoundingSemantics::getRefinement(Operation *op,
                                           ReplicaEqualContext &context) const {
  auto method = dyn_cast_or_null<StochasticRoundingMethodAttr>(
      op->getDiscardableAttr(PopDialect::kStochasticRoundingMethodAttrName));
  if (!method || !mayRoundStochastically(op))
    return {};
  ArrayRef<int64_t> classes = method.getPartition().getClasses();
  // A request for another number of replicas does not know seeds.
  if (static_cast<int64_t>(classes.size()) !=
      context.partitions.getNumReplicas())
    return context.partitions.getNone();
  return context.partitions.get(classes);
}

void mlir::ipu::forEachRoundedOp(ModuleOp module,
                                 function_ref<void(Operation *)> visit) {
  for (auto function : module.getOps<FunctionOpInterface>())
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op != function && !op->hasTrait<OpTrait::IsTerminator>())
        visit(op);
    });
}

StochasticRoundingMethodAttr mlir::ipu::getRoundingMethod(Operation *op) {
  return op->getAttrOfType<StochasticRoundingMethodAttr>(
      PopDialect::kStochasticRoundingMethodAttrName);
}

Operation *mlir::ipu::findOpWithoutRoundingMethod(ModuleOp module) {
  Operation *found = nullptr;
  if (module->hasAttr(PopDialect::kStochasticRoundingAttrName))
    forEachRoundedOp(module, [&](Operation *op) {
      if (!found && !getRoundingMethod(op))
        found = op;
    });
  return found;
}
