//===- SdyDialect.cpp - The sdy dialect -----------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

#include "ipu-mlir/Interfaces/InlineAnywhere.h"
#include "ipu-mlir/Interfaces/ShardingInterfaces.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

#include "ipu-mlir/Dialect/Sdy/IR/SdyDialect.cpp.inc"
#include "ipu-mlir/Dialect/Sdy/IR/SdyEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ipu-mlir/Dialect/Sdy/IR/SdyAttrs.cpp.inc"

void SdyDialect::initialize() {
  addInterfaces<InlineAnywhereInterface>();
  addAttributes<
#define GET_ATTRDEF_LIST
#include "ipu-mlir/Dialect/Sdy/IR/SdyAttrs.cpp.inc"
      >();
  registerSdyDialectOperations(this);
}

static LogicalResult verifyBlockArgShardings(Operation *op, Attribute value) {
  auto shardings = dyn_cast<TensorShardingPerValueAttr>(value);
  if (!shardings)
    return op->emitOpError("should have a block argument sharding attribute of "
                           "type TensorShardingPerValueAttr");
  if (op->getNumRegions() == 0 || op->getRegion(0).empty())
    return op->emitOpError(
        "has shardings of block arguments but no block in its first region");
  return verifyShardings(shardings, op->getRegion(0).getArgumentTypes(), op,
                         "block argument", [op] { return op->emitOpError(); });
}

LogicalResult SdyDialect::verifyOperationAttribute(Operation *op,
                                                   NamedAttribute attribute) {
  if (attribute.getName() == kShardingAttrName) {
    auto shardings = dyn_cast<TensorShardingPerValueAttr>(attribute.getValue());
    if (!shardings)
      return op->emitOpError("should have a sharding attribute of type "
                             "TensorShardingPerValueAttr");
    return verifyShardings(shardings, op->getResultTypes(), op, "result",
                           [op] { return op->emitOpError(); });
  }
  if (attribute.getName() == kBlockArgShardingAttrName)
    return verifyBlockArgShardings(op, attribute.getValue());
  if (attribute.getName() == kShardingRuleAttrName) {
    auto rule = dyn_cast<OpShardingRuleAttr>(attribute.getValue());
    if (!rule)
      return op->emitOpError("should have a sharding rule attribute of type "
                             "OpShardingRuleAttr");
    return verifyShardingRule(rule, op);
  }
  return verifyDebugAttribute(op, attribute);
}

/// An attribute of a function's argument or result beside `own`, its sharding.
static LogicalResult verifyValueAttribute(Operation *op, StringRef kind,
                                          unsigned index, Type type,
                                          TensorShardingAttr own,
                                          NamedAttribute attribute) {
  auto emitError = [&] {
    InFlightDiagnostic diag = op->emitOpError();
    diag << kind << " " << index << " - ";
    return diag;
  };
  if (attribute.getName() != kShardingAttrName)
    return verifyValueDebugAttribute(attribute, own, op, emitError);
  auto sharding = dyn_cast<TensorShardingAttr>(attribute.getValue());
  if (!sharding)
    return emitError()
           << "should have a sharding attribute of type TensorShardingAttr";
  return verifySharding(sharding, type, op, emitError);
}

LogicalResult SdyDialect::verifyRegionArgAttribute(Operation *op, unsigned,
                                                   unsigned index,
                                                   NamedAttribute attribute) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return verifyValueAttribute(
        op, "arg", index, function.getArgumentTypes()[index],
        function.getArgAttrOfType<TensorShardingAttr>(index, kShardingAttrName),
        attribute);
  return success();
}

LogicalResult
SdyDialect::verifyRegionResultAttribute(Operation *op, unsigned, unsigned index,
                                        NamedAttribute attribute) {
  if (auto function = dyn_cast<FunctionOpInterface>(op))
    return verifyValueAttribute(
        op, "result", index, function.getResultTypes()[index],
        function.getResultAttrOfType<TensorShardingAttr>(index,
                                                         kShardingAttrName),
        attribute);
  return success();
}

//===----------------------------------------------------------------------===//
// Axes and shardings of values
//===----------------------------------------------------------------------===//

std::optional<sharding::AxisRef> sdy::getAxisRef(AxisRefAttr ref,
                                                 MeshAttr mesh) {
  std::optional<unsigned> index = mesh.getAxisIndex(ref.getName());
  if (!index)
    return std::nullopt;
  if (SubAxisInfoAttr info = ref.getSubAxisInfo())
    return sharding::AxisRef{*index, info.getPreSize(), info.getSize()};
  return sharding::AxisRef{*index, 1, mesh.getAxes()[*index].getSize()};
}

AxisRefAttr sdy::getAxisRefAttr(MLIRContext *context,
                                const sharding::AxisRef &ref, MeshAttr mesh) {
  MeshAxisAttr axis = mesh.getAxes()[ref.axis];
  if (ref.size == axis.getSize())
    return AxisRefAttr::get(context, axis.getName());
  return AxisRefAttr::get(context, axis.getName(),
                          SubAxisInfoAttr::get(context, ref.preSize, ref.size));
}

sharding::AxisList sdy::getAxisList(ArrayRef<AxisRefAttr> refs, MeshAttr mesh) {
  sharding::AxisList list;
  for (AxisRefAttr ref : refs)
    if (std::optional<sharding::AxisRef> axis = getAxisRef(ref, mesh))
      list.push_back(*axis);
  return list;
}

SmallVector<int64_t> sdy::getMeshSizes(MeshAttr mesh) {
  SmallVector<int64_t> sizes;
  for (MeshAxisAttr axis : mesh.getAxes())
    sizes.push_back(axis.getSize());
  return sizes;
}

TensorShardingAttr sdy::getSharding(Value value) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto pick = [&](TensorShardingPerValueAttr shardings) {
      return shardings && argument.getArgNumber() < shardings.size()
                 ? shardings.getShardings()[argument.getArgNumber()]
                 : TensorShardingAttr();
    };
    if (auto manual = dyn_cast<ManualComputationOp>(parent))
      return pick(manual.getInShardings());
    if (auto named = dyn_cast<NamedComputationOp>(parent))
      return pick(named.getInShardingsAttr());
    if (argument.getOwner() != &parent->getRegion(0).front())
      return {};
    if (auto function = dyn_cast<FunctionOpInterface>(parent))
      return function.getArgAttrOfType<TensorShardingAttr>(
          argument.getArgNumber(), kShardingAttrName);
    return pick(parent->getAttrOfType<TensorShardingPerValueAttr>(
        kBlockArgShardingAttrName));
  }
  auto result = cast<OpResult>(value);
  unsigned index = result.getResultNumber();
  auto pick = [&](TensorShardingPerValueAttr shardings) {
    return shardings && index < shardings.size()
               ? shardings.getShardings()[index]
               : TensorShardingAttr();
  };
  return llvm::TypeSwitch<Operation *, TensorShardingAttr>(result.getOwner())
      .Case<ShardingConstraintOp, ReshardOp>(
          [](auto op) { return op.getSharding(); })
      .Case([](DataFlowEdgeOp op) { return op.getShardingAttr(); })
      .Case<AllGatherOp, AllSliceOp, AllToAllOp, AllReduceOp, ReduceScatterOp,
            CollectivePermuteOp, ShardedToUnreducedOp, ReplicatedToUnreducedOp>(
          [](auto op) { return op.getOutSharding(); })
      .Case([&](ManualComputationOp op) { return pick(op.getOutShardings()); })
      .Case(
          [&](NamedComputationOp op) { return pick(op.getOutShardingsAttr()); })
      .Default([&](Operation *op) {
        return pick(
            op->getAttrOfType<TensorShardingPerValueAttr>(kShardingAttrName));
      });
}

bool sdy::isCollective(Operation *op) {
  return isa<AllGatherOp, AllSliceOp, AllToAllOp, AllReduceOp, ReduceScatterOp,
             CollectivePermuteOp, ShardedToUnreducedOp,
             ReplicatedToUnreducedOp>(op);
}

ManualComputationOp sdy::getManualComputation(Value value) {
  auto argument = dyn_cast_or_null<BlockArgument>(value);
  return argument ? dyn_cast_or_null<ManualComputationOp>(
                        argument.getOwner()->getParentOp())
                  : ManualComputationOp();
}

TensorShardingAttr sdy::removeManualAxes(ManualComputationOp op,
                                         TensorShardingAttr global) {
  auto getFree = [&](ArrayRef<AxisRefAttr> axes) {
    SmallVector<AxisRefAttr> free;
    llvm::copy_if(axes, std::back_inserter(free), [&](AxisRefAttr axis) {
      return !op.getManualAxes().contains(axis.getName());
    });
    return free;
  };
  MLIRContext *context = global.getContext();
  SmallVector<DimensionShardingAttr> dims;
  for (DimensionShardingAttr dim : global.getDimShardings()) {
    SmallVector<AxisRefAttr> free = getFree(dim.getAxes());
    // A closed empty dimension has no priority.
    bool isNothing = free.empty() && dim.getIsClosed();
    dims.push_back(DimensionShardingAttr::get(
        context, free, dim.getIsClosed(),
        isNothing ? std::optional<int64_t>() : dim.getPriority()));
  }
  return TensorShardingAttr::get(
      context, global.getMeshOrRef(), dims, getFree(global.getReplicatedAxes()),
      getFree(global.getUnreducedAxes()), global.getReductionKind());
}

TensorShardingAttr sdy::getLocalSharding(Value value) {
  TensorShardingAttr sharding = getSharding(value);
  ManualComputationOp manual = getManualComputation(value);
  return sharding && manual ? removeManualAxes(manual, sharding) : sharding;
}

TensorShardingAttr sdy::getUseSharding(Value value) {
  // Arguments of loops have the shardings of what owns their edges.
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto dataFlow = dyn_cast_or_null<ShardableDataFlowOpInterface>(
            argument.getOwner()->getParentOp()))
      if (Value owner = dataFlow.getEdgeOwner(argument))
        value = owner;
  return getLocalSharding(value);
}

static TensorShardingPerValueAttr
replaceSharding(TensorShardingPerValueAttr old, TypeRange types, unsigned index,
                TensorShardingAttr sharding) {
  SmallVector<TensorShardingAttr> shardings;
  if (old)
    llvm::append_range(shardings, old.getShardings());
  else
    for (Type type : types) {
      auto shaped = dyn_cast<ShapedType>(type);
      shardings.push_back(TensorShardingAttr::getFullyOpen(
          type.getContext(), shaped && shaped.hasRank() ? shaped.getRank() : 0,
          sharding.getMeshOrRef()));
    }
  shardings[index] = sharding;
  return TensorShardingPerValueAttr::get(sharding.getContext(), shardings);
}

void sdy::setSharding(Value value, TensorShardingAttr sharding) {
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    auto replace = [&](auto op) {
      op.setInShardingsAttr(replaceSharding(op.getInShardingsAttr(),
                                            op.getBody().getArgumentTypes(),
                                            argument.getArgNumber(), sharding));
    };
    if (auto manual = dyn_cast<ManualComputationOp>(parent))
      return replace(manual);
    if (auto named = dyn_cast<NamedComputationOp>(parent))
      return replace(named);
    if (auto function = dyn_cast<FunctionOpInterface>(parent))
      return function.setArgAttr(argument.getArgNumber(), kShardingAttrName,
                                 sharding);
    parent->setAttr(
        kBlockArgShardingAttrName,
        replaceSharding(parent->getAttrOfType<TensorShardingPerValueAttr>(
                            kBlockArgShardingAttrName),
                        argument.getOwner()->getArgumentTypes(),
                        argument.getArgNumber(), sharding));
    return;
  }
  auto result = cast<OpResult>(value);
  auto replace = [&](TensorShardingPerValueAttr old) {
    return replaceSharding(old, result.getOwner()->getResultTypes(),
                           result.getResultNumber(), sharding);
  };
  llvm::TypeSwitch<Operation *>(result.getOwner())
      .Case<ShardingConstraintOp, ReshardOp, DataFlowEdgeOp>(
          [&](auto op) { op.setShardingAttr(sharding); })
      .Case<AllGatherOp, AllSliceOp, AllToAllOp, AllReduceOp, ReduceScatterOp,
            CollectivePermuteOp, ShardedToUnreducedOp, ReplicatedToUnreducedOp>(
          [&](auto op) { op.setOutShardingAttr(sharding); })
      .Case<ManualComputationOp, NamedComputationOp>([&](auto op) {
        op.setOutShardingsAttr(replace(op.getOutShardingsAttr()));
      })
      .Default([&](Operation *op) {
        op->setAttr(kShardingAttrName,
                    replace(op->getAttrOfType<TensorShardingPerValueAttr>(
                        kShardingAttrName)));
      });
}
