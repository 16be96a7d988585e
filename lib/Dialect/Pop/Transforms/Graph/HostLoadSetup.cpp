//===- HostLoadSetup.cpp - Loads of the entry's arguments -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module, where the entry function loads its
// arguments from streams.
//
//===----------------------------------------------------------------------===//

#include "GraphTransforms.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/IR/SerializationMarks.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_HOSTLOADSETUPPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// Whether `a` is of an earlier stage than `b`, or of an earlier phase of the
/// batch in the same one, as far as both have them.
static bool isEarlier(Operation *a, Operation *b) {
  if (getStage(a) && getStage(b) && *getStage(a) != *getStage(b))
    return *getStage(a) < *getStage(b);
  return getBatchPhase(a) && getBatchPhase(b) &&
         *getBatchPhase(a) < *getBatchPhase(b);
}

static bool isConstant(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>();
}

/// The op that says where the load of each argument is: of the ops that use the
/// argument, one of the first stage, the first in the order of the program. Of
/// an argument without such a user it is the first op that is somewhere; null
/// if there is none.
static SmallVector<Operation *> findNeighbours(FunctionOpInterface entry) {
  SmallVector<Operation *> neighbours(entry.getNumArguments());
  Operation *any = nullptr;
  entry->walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (!hasSchedule(op))
      return;
    // Constants have fewer attributes.
    if (!any || (isConstant(any) && !isConstant(op)))
      any = op;
    for (Value operand : op->getOperands()) {
      auto argument = dyn_cast<BlockArgument>(operand);
      if (!argument || argument.getOwner()->getParentOp() != entry)
        continue;
      Operation *&neighbour = neighbours[argument.getArgNumber()];
      if (!neighbour || isEarlier(op, neighbour))
        neighbour = op;
    }
  });
  llvm::replace(neighbours, static_cast<Operation *>(nullptr), any);
  return neighbours;
}

/// Gives the load of an argument the batch axis and the placement that the
/// argument has. As far as the argument has none, the load has the IPU, stage
/// and phases of `neighbour`, which may be null. A copy between IPUs reads the
/// argument on another IPU than that of its result.
static void placeLoad(HostLoadOp load, BlockArgument argument,
                      ArrayRef<NamedAttribute> attributes,
                      Operation *neighbour) {
  for (NamedAttribute attribute : attributes)
    if (isPlacementAttr(attribute.getName()) ||
        attribute.getName() == kBatchAxisAttrName)
      load->setAttr(attribute.getName(), attribute.getValue());
  if (!neighbour)
    return;
  for (OpOperand &operand : neighbour->getOpOperands()) {
    std::optional<int64_t> vgraph = getVgraph(operand);
    if (operand.get() == argument && vgraph &&
        !load->hasAttr(PopDialect::kVgraphAttrName))
      load->setAttr(PopDialect::kVgraphAttrName,
                    Builder(load).getI64IntegerAttr(*vgraph));
  }
  inheritSchedule(neighbour, load);
}

namespace {
struct HostLoadSetupPass : pop::impl::HostLoadSetupPassBase<HostLoadSetupPass> {
  void runOnOperation() override {
    FailureOr<FunctionOpInterface> entry =
        getEntryForHostIO(getOperation(), getArgument());
    if (failed(entry) || failed(verify(*entry)))
      return signalPassFailure();
    auto b = OpBuilder::atBlockBegin(&entry->getFunctionBody().front());
    SymbolTable symbols(getOperation());
    SmallVector<Operation *> neighbours = findNeighbours(*entry);
    for (auto [argument, neighbour] :
         llvm::zip_equal(entry->getArguments(), neighbours)) {
      StreamOp stream = createHostStream(
          *entry, symbols, argument.getLoc(),
          entry->getArgAttr(argument.getArgNumber(), PopDialect::kNameAttrName),
          "arg" + Twine(argument.getArgNumber()), StreamDirection::HostToDevice,
          /*isBroadcast=*/!getGroups(*entry, argument.getArgNumber()),
          cast<RankedTensorType>(argument.getType()));
      stream.setDefaultValueAttr(entry->getArgAttrOfType<ElementsAttr>(
          argument.getArgNumber(), PopDialect::kDefaultAttrName));
      auto load = HostLoadOp::create(b, argument.getLoc(), argument.getType(),
                                     stream.getSymName());
      placeLoad(load, argument, entry->getArgAttrs(argument.getArgNumber()),
                neighbour);
      argument.replaceAllUsesWith(load);
    }
    if (entry->getNumArguments() == 0)
      return markAllAnalysesPreserved();
    remark::passed(entry->getLoc(), getGraphRemark("HostLoadSetup"))
        << remark::metric("streams", int64_t(entry->getNumArguments()));
    (void)entry->eraseArguments(BitVector(entry->getNumArguments(), true));
  }

private:
  static ReplicaGroupsAttr getGroups(FunctionOpInterface entry,
                                     unsigned index) {
    return entry.getArgAttrOfType<ReplicaGroupsAttr>(
        index, PopDialect::kGroupsAttrName);
  }

  static LogicalResult verify(FunctionOpInterface entry) {
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
      if (failed(verifyHostType(entry, "argument #" + Twine(i), type)))
        return failure();
      ReplicaGroupsAttr groups = getGroups(entry, i);
      if (groups && groups.getGroupSize() != 1)
        return entry.emitOpError()
               << "has argument #" << i << " with groups of "
               << groups.getGroupSize()
               << " replicas; a stream has one tensor for all replicas or one "
                  "for each replica";
    }
    return success();
  }
};
} // namespace
