//===- ConvertDraws.cpp - Random bits of rounding ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"
#include "ipu-mlir/Replica/ReplicaPartition.h"

using namespace mlir;
using namespace mlir::ipu;

static InFlightDiagnostic emitMissing(Operation *op, StringRef name) {
  return op->emitOpError() << "expects attribute '" << name
                           << "'; run pop-stochastic-rounding";
}

static pop::StochasticRoundingMethodAttr getMethod(Operation *op) {
  return op->getAttrOfType<pop::StochasticRoundingMethodAttr>(
      pop::PopDialect::kStochasticRoundingMethodAttrName);
}

FailureOr<RandomDraw> FunctionConverter::getDraw(Operation *op) {
  pop::StochasticRoundingMethodAttr method = getMethod(op);
  if (!method)
    return emitMissing(op, pop::PopDialect::kStochasticRoundingMethodAttrName);
  StorageOp storage = state.getRngState(op->getLoc(), method.getPartition());
  RandomDraw result;
  result.rng = getHandle(op->getLoc(), storage.getSymName(), storage);
  if (state.rounding.getGenerator() != RngGenerator::Counter)
    return result;
  auto draw = op->getAttrOfType<pop::DrawAttr>(pop::PopDialect::kDrawAttrName);
  if (!draw)
    return emitMissing(op, pop::PopDialect::kDrawAttrName);
  result.draw = DrawAttr::get(op->getContext(),
                              draw.getNumber() * pop::DrawAttr::kMaxParts +
                                  draw.getPart(),
                              draw.getOffset());
  return result;
}

/// Keeps the op until all functions are converted, because only then all RNG
/// states are known.
LogicalResult FunctionConverter::convertAdvanceDraws(pop::AdvanceDrawsOp op) {
  if (!state.rounding || state.rounding.getGenerator() != RngGenerator::Counter)
    return success();
  if (!getMethod(op))
    return emitMissing(op, pop::PopDialect::kStochasticRoundingMethodAttrName);
  state.advances.push_back(cast<pop::AdvanceDrawsOp>(builder.clone(*op)));
  return success();
}

/// Returns the handle on `storage` in the function that contains `op`. The
/// handle is before all steps.
static Value getHandle(Operation *op, StorageOp storage) {
  Block &entry = op->getParentOfType<func::FuncOp>().getFunctionBody().front();
  auto name = FlatSymbolRefAttr::get(storage.getSymNameAttr());
  for (auto variable : entry.getOps<VarOp>())
    if (variable.getStorageAttr() == name) {
      variable->moveBefore(&entry, entry.begin());
      return variable.getResult();
    }
  OpBuilder b = OpBuilder::atBlockBegin(&entry);
  return VarOp::create(b, op->getLoc(), cast<MemRefType>(storage.getType()),
                       storage.getSymName(), /*copies=*/false, ElementsAttr(),
                       name)
      .getResult();
}

void mlir::ipu::convertAdvances(ProgramState &state) {
  for (pop::AdvanceDrawsOp op : state.advances) {
    OpBuilder b(op);
    pop::ReplicaPartitionAttr together = getMethod(op).getPartition();
    ReplicaPartitions partitions(together.getNumReplicas());
    for (auto [partition, storage] : state.rngStates)
      // The verifier reports states for another number of replicas.
      if (partition.getNumReplicas() == together.getNumReplicas() &&
          partitions.isFiner(partitions.get(partition.getClasses()),
                             partitions.get(together.getClasses())))
        AdvanceRngOp::create(b, op.getLoc(), getHandle(op, storage),
                             op.getCount(),
                             op.getShift() * pop::DrawAttr::kMaxParts);
    op.erase();
  }
}
