//===- StoreTensors.cpp - Stores of all tensors to the host -----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where the entry
// function stores each tensor of floats that it computes to a
// stream.
//
//===----------------------------------------------------------------------===//

#include "../Graph/GraphTransforms.h"
#include "GradientOps.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Support/LocationName.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

namespace mlir::pop {
#define GEN_PASS_DEF_STORETENSORSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Whether the results of `op` are new to the host: no constants, and no
/// elements of other tensors but those of variables.
static bool isStored(Operation *op) {
  return !op->hasTrait<OpTrait::ConstantLike>() && !isa<LossScaleOp>(op) &&
         (isa<ReadOp>(op) || !isa<ipu::TileViewOpInterface>(op));
}

/// How often a run of `entry` executes `op`, if loops of known trip counts say.
static std::optional<int64_t> getExecutions(FunctionOpInterface entry,
                                            Operation *op) {
  int64_t count = 1;
  for (Operation *parent = op->getParentOp(); parent != entry;
       parent = parent->getParentOp()) {
    auto loop = dyn_cast<LoopLikeOpInterface>(parent);
    std::optional<APInt> trips =
        loop ? loop.getStaticTripCount() : std::nullopt;
    if (!trips)
      return std::nullopt;
    count *= trips->getSExtValue();
  }
  return count;
}

namespace {
struct StoreTensorsPass : pop::impl::StoreTensorsPassBase<StoreTensorsPass> {
  void runOnOperation() override {
    FailureOr<FunctionOpInterface> entry =
        getEntryForHostIO(getOperation(), getArgument());
    if (failed(entry))
      return signalPassFailure();
    SmallVector<LossScaleOp> roots;
    SmallVector<OpResult> tensors;
    entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto root = dyn_cast<LossScaleOp>(op))
        roots.push_back(root);
      if (op == *entry || op->getNumRegions() > 0 || !isStored(op))
        return;
      for (OpResult result : op->getResults())
        if (isa<RankedTensorType>(result.getType()) &&
            isReferable(result.getType()) &&
            isa<FloatType>(getElementTypeOrSelf(result)))
          tensors.push_back(result);
    });
    llvm::DenseSet<Operation *> gradients = getGradientOps(roots);
    SymbolTable symbols(getOperation());
    for (auto [number, tensor] : llvm::enumerate(tensors))
      store(*entry, symbols, tensor,
            getName(number, tensor.getOwner(), gradients));
  }

private:
  static std::string getName(size_t number, Operation *op,
                             const llvm::DenseSet<Operation *> &gradients) {
    std::string name = ("tensor " + Twine(number) + ": ").str();
    if (gradients.contains(op))
      name += "gradient, ";
    name += op->getName().getStringRef();
    if (StringAttr source = ipu::getLocationName(op->getLoc()))
      name += (" of '" + source.getValue() + "'").str();
    return name;
  }

  static void store(FunctionOpInterface entry, SymbolTable &symbols,
                    OpResult tensor, const std::string &name) {
    Operation *op = tensor.getOwner();
    std::optional<int64_t> count = getExecutions(entry, op);
    if (!count || *count == 0)
      return;
    OpBuilder b(op->getContext());
    StreamOp stream = createHostStream(
        entry, symbols, op->getLoc(), b.getStringAttr(name), name,
        ipu::StreamDirection::DeviceToHost, /*isBroadcast=*/false,
        cast<RankedTensorType>(tensor.getType()));
    if (*count > 1)
      stream.setTransfers(*count);
    b.setInsertionPointAfter(op);
    auto store =
        HostStoreOp::create(b, op->getLoc(), tensor, stream.getSymName());
    inheritSchedule(op, store);
  }
};
} // namespace
