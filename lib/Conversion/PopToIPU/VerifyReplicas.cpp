//===- VerifyReplicas.cpp - Groups and the target's replicas ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of pop functions for a target. Out: the same module, with an
// error at each op that is invalid for the target's number of replicas, an
// error at the first collective of a sharded program, and a warning if values
// are sharded over replicas.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Sdy/IR/Sdy.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_VERIFYREPLICASPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// Returns whether replicas would hold different parts of a value.
static bool isSplit(sdy::TensorShardingAttr sharding) {
  return sharding && (!sharding.getUnreducedAxes().empty() ||
                      llvm::any_of(sharding.getDimShardings(),
                                   [](sdy::DimensionShardingAttr dim) {
                                     return !dim.getAxes().empty();
                                   }));
}

namespace {
/// The number of sharded values of a module, with a description of the first
/// one.
struct ShardedValues {
  void add(sdy::TensorShardingAttr sharding, Location loc, const Twine &name) {
    if (!isSplit(sharding) || ++count > 1)
      return;
    first = sharding;
    firstLoc = loc;
    firstName = name.str();
  }

  int64_t count = 0;
  sdy::TensorShardingAttr first;
  std::optional<Location> firstLoc;
  std::string firstName;
};
} // namespace

static void addShardings(Operation *op, ShardedValues &values) {
  auto name = [&](const Twine &what, unsigned number) {
    return ("'" + op->getName().getStringRef() + "' op " + what + " " +
            Twine(number))
        .str();
  };
  for (OpResult result : op->getResults())
    values.add(sdy::getSharding(result), result.getLoc(),
               name("result", result.getResultNumber()));
  for (Region &region : op->getRegions())
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        values.add(sdy::getSharding(argument), argument.getLoc(),
                   name("argument", argument.getArgNumber()));
  auto function = dyn_cast<FunctionOpInterface>(op);
  for (unsigned i = 0; function && i < function.getNumResults(); ++i)
    values.add(function.getResultAttrOfType<sdy::TensorShardingAttr>(
                   i, sdy::kShardingAttrName),
               op->getLoc(), name("result", i));
}

/// Sharded programs with explicit collectives are not partitioned, so the
/// collectives have no meaning for the device.
static LogicalResult checkPartitioned(ModuleOp module) {
  WalkResult result = module.walk([](Operation *op) {
    if (!sdy::isCollective(op))
      return WalkResult::advance();
    InFlightDiagnostic diag =
        op->emitOpError("cannot be lowered to ipu, because no pass partitions "
                        "sharded programs");
    diag.attachNote()
        << "to run the program, lower it before sdy passes insert "
           "collectives, or use collectives of pop instead";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}

/// Nothing splits tensors here: sharded ones are computed as if they were not.
static void warnOfShardings(ModuleOp module, int64_t replicas) {
  ShardedValues values;
  module.walk<WalkOrder::PreOrder>(
      [&](Operation *op) { addShardings(op, values); });
  if (values.count == 0)
    return;
  InFlightDiagnostic diag =
      emitWarning(*values.firstLoc)
      << values.firstName << " is sharded as " << values.first
      << ", but the program is not partitioned: each of the " << replicas
      << " replicas computes the whole program";
  if (values.count > 1)
    diag << "; " << values.count << " values are sharded";
}

namespace {
struct VerifyReplicas : ipu::impl::VerifyReplicasPassBase<VerifyReplicas> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    int64_t replicas = getTargetModel(getOperation()).replicas;
    getOperation()->walk([&](pop::ReplicatedOpInterface op) {
      if (failed(op.verifyReplicas(replicas)))
        signalPassFailure();
    });
    if (failed(checkPartitioned(getOperation())))
      return signalPassFailure();
    if (replicas > 1)
      warnOfShardings(getOperation(), replicas);
  }
};
} // namespace
