//===- ShardingUtils.cpp - Shardings as attributes ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingUtils.h"

#include "mlir/IR/AttrTypeSubElements.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include <numeric>

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

LogicalResult sdy::verifyNoModulesInside(ModuleOp module) {
  auto inside = module.getOps<ModuleOp>();
  if (inside.empty())
    return success();
  return (*inside.begin())
      ->emitOpError("is nested in another module; run the pass on each module "
                    "separately");
}

bool sdy::replaceShardings(
    Operation *op,
    function_ref<TensorShardingAttr(TensorShardingAttr)> replace) {
  bool changed = false;
  AttrTypeReplacer replacer;
  replacer.addReplacement(
      [&](TensorShardingAttr sharding) -> std::pair<Attribute, WalkResult> {
        TensorShardingAttr replaced = replace(sharding);
        changed |= replaced != sharding;
        return {replaced, WalkResult::skip()};
      });
  replacer.recursivelyReplaceElementsIn(op);
  return changed;
}

//===----------------------------------------------------------------------===//
// Inputs and outputs
//===----------------------------------------------------------------------===//

static void replaceOfFunction(FunctionOpInterface function,
                              ReplaceInputOutputFn replace) {
  auto replaceOne = [&](TensorShardingAttr sharding, Type type, StringRef kind,
                        unsigned i, auto set) {
    auto shaped = dyn_cast<ShapedType>(type);
    if (sharding && shaped && shaped.hasStaticShape())
      set(replace(sharding, shaped, {function, kind, i}));
  };
  StringAttr name = StringAttr::get(function.getContext(), kShardingAttrName);
  for (auto [i, type] : llvm::enumerate(function.getArgumentTypes()))
    replaceOne(function.getArgAttrOfType<TensorShardingAttr>(i, name), type,
               "argument", i, [&, i = i](TensorShardingAttr s) {
                 function.setArgAttr(i, name, s);
               });
  for (auto [i, type] : llvm::enumerate(function.getResultTypes()))
    replaceOne(function.getResultAttrOfType<TensorShardingAttr>(i, name), type,
               "result", i, [&, i = i](TensorShardingAttr s) {
                 function.setResultAttr(i, name, s);
               });
}

void sdy::replaceSignatureShardings(FunctionOpInterface function,
                                    ReplaceShardingFn replace) {
  auto replaceOne = [&](TensorShardingAttr sharding, ShapedType type,
                        const ShardedPlace &) {
    return replace(sharding, type);
  };
  replaceOfFunction(function, replaceOne);
}

static TensorShardingPerValueAttr replaceList(TensorShardingPerValueAttr list,
                                              TypeRange types, Operation *op,
                                              StringRef kind,
                                              ReplaceInputOutputFn replace) {
  // One that is maximal may be on an op without results.
  if (!list || list.size() != static_cast<int64_t>(types.size()))
    return list;
  SmallVector<TensorShardingAttr> shardings(list.getShardings());
  for (auto [i, type] : llvm::enumerate(types))
    if (auto shaped = dyn_cast<ShapedType>(type);
        shaped && shaped.hasStaticShape())
      shardings[i] =
          replace(shardings[i], shaped, {op, kind, static_cast<unsigned>(i)});
  return TensorShardingPerValueAttr::get(list.getContext(), shardings);
}

void sdy::replaceInputOutputShardings(Operation *op,
                                      ReplaceInputOutputFn replace) {
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    replaceOfFunction(function, replace);
  } else if (auto manual = dyn_cast<ManualComputationOp>(op)) {
    manual.setInShardingsAttr(replaceList(manual.getInShardings(),
                                          manual.getOperandTypes(), op,
                                          "operand", replace));
    manual.setOutShardingsAttr(replaceList(manual.getOutShardings(),
                                           manual.getResultTypes(), op,
                                           "result", replace));
  } else if (isa<CallOpInterface>(op)) {
    if (auto list =
            op->getAttrOfType<TensorShardingPerValueAttr>(kShardingAttrName))
      op->setAttr(kShardingAttrName, replaceList(list, op->getResultTypes(), op,
                                                 "result", replace));
  }
}

void sdy::replaceComputationShardings(NamedComputationOp op,
                                      ReplaceInputOutputFn replace) {
  op.setInShardingsAttr(replaceList(
      op.getInShardingsAttr(), op.getOperandTypes(), op, "operand", replace));
  op.setOutShardingsAttr(replaceList(
      op.getOutShardingsAttr(), op.getResultTypes(), op, "result", replace));
}

static DimensionShardingAttr getDivisible(DimensionShardingAttr dim,
                                          int64_t size, MeshAttr mesh) {
  SmallVector<AxisRefAttr> kept;
  for (AxisRefAttr axis : dim.getAxes()) {
    int64_t axisSize = axis.getSize(mesh);
    int64_t part = std::gcd(size, axisSize);
    if (part == axisSize) {
      kept.push_back(axis);
      size /= part;
      continue;
    }
    if (part > 1) {
      sharding::AxisRef ref = *getAxisRef(axis, mesh);
      kept.push_back(getAxisRefAttr(dim.getContext(),
                                    {ref.axis, ref.preSize, part}, mesh));
    }
    break;
  }
  return replaceAxes(dim, kept);
}

TensorShardingAttr sdy::getDivisibleSharding(TensorShardingAttr sharding,
                                             ShapedType type,
                                             SymbolTable &symbols) {
  MeshAttr mesh = sharding.getMesh(symbols);
  if (!mesh || mesh.isMaximal())
    return sharding;
  return replaceDims(sharding, [&](unsigned i, DimensionShardingAttr dim) {
    return getDivisible(dim, type.getDimSize(i), mesh);
  });
}

Location ShardedPlace::getLoc() const {
  auto function = dyn_cast<FunctionOpInterface>(op);
  bool isArgument = function && kind == "argument" && !function.isExternal();
  return isArgument ? function.getArgument(number).getLoc() : op->getLoc();
}

void sdy::warnOfNonDivisible(const ShardedPlace &place, ShapedType type,
                             TensorShardingAttr sharding,
                             TensorShardingAttr kept) {
  // The op would be printed whole.
  emitWarning(place.getLoc())
      << "'" << place.op->getName() << "' op " << place.kind << " "
      << place.number << " expects axes that divide " << type << " but got "
      << sharding << "; keeps " << kept;
}

//===----------------------------------------------------------------------===//
// Dimensions
//===----------------------------------------------------------------------===//

TensorShardingAttr sdy::replaceDims(
    TensorShardingAttr sharding,
    function_ref<DimensionShardingAttr(unsigned, DimensionShardingAttr)>
        replace) {
  SmallVector<DimensionShardingAttr> dims;
  for (auto [i, dim] : llvm::enumerate(sharding.getDimShardings()))
    dims.push_back(replace(i, dim));
  return TensorShardingAttr::get(sharding.getContext(), sharding.getMeshOrRef(),
                                 dims, sharding.getReplicatedAxes(),
                                 sharding.getUnreducedAxes(),
                                 sharding.getReductionKind());
}

DimensionShardingAttr sdy::replaceAxes(DimensionShardingAttr dim,
                                       ArrayRef<AxisRefAttr> axes) {
  bool isNothing = axes.empty() && dim.getIsClosed();
  return DimensionShardingAttr::get(dim.getContext(), axes, dim.getIsClosed(),
                                    isNothing ? std::optional<int64_t>()
                                              : dim.getPriority());
}
