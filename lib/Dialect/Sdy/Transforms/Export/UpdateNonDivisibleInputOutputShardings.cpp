//===- UpdateNonDivisibleInputOutputShardings.cpp - Axes that divide ------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
// Shardings of what enters and leaves functions and computations, without axes
// that do not divide the tensors.
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Interfaces/CallInterfaces.h"
#include <numeric>

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_UPDATENONDIVISIBLEINPUTOUTPUTSHARDINGSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

static TensorShardingPerValueAttr replaceList(TensorShardingPerValueAttr list,
                                              TypeRange types,
                                              ReplaceShardingFn replace) {
  // One that is maximal may be on an op without results.
  if (!list || list.size() != static_cast<int64_t>(types.size()))
    return list;
  SmallVector<TensorShardingAttr> shardings;
  for (auto [sharding, type] : llvm::zip_equal(list.getShardings(), types)) {
    auto shaped = dyn_cast<ShapedType>(type);
    bool isStatic = shaped && shaped.hasStaticShape();
    shardings.push_back(isStatic ? replace(sharding, shaped) : sharding);
  }
  return TensorShardingPerValueAttr::get(list.getContext(), shardings);
}

/// The longest prefix of the axes that divides `size`; of one that fits in
/// part, the part that does.
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

namespace {
struct UpdateNonDivisibleInputOutputShardingsPass
    : sdy::impl::UpdateNonDivisibleInputOutputShardingsPassBase<
          UpdateNonDivisibleInputOutputShardingsPass> {
  using UpdateNonDivisibleInputOutputShardingsPassBase::
      UpdateNonDivisibleInputOutputShardingsPassBase;
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    bool changed = false;
    auto replace = [&](TensorShardingAttr sharding, ShapedType type) {
      MeshAttr mesh = sharding.getMesh(symbols);
      if (!mesh || mesh.isMaximal())
        return sharding;
      TensorShardingAttr replaced =
          replaceDims(sharding, [&](unsigned i, DimensionShardingAttr dim) {
            return getDivisible(dim, type.getDimSize(i), mesh);
          });
      changed |= replaced != sharding;
      return replaced;
    };
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      replaceSignatureShardings(function, replace);
    getOperation().walk([&](Operation *op) {
      if (auto manual = dyn_cast<ManualComputationOp>(op)) {
        manual.setInShardingsAttr(replaceList(
            manual.getInShardings(), manual.getOperandTypes(), replace));
        manual.setOutShardingsAttr(replaceList(
            manual.getOutShardings(), manual.getResultTypes(), replace));
      } else if (isa<CallOpInterface>(op)) {
        if (auto list = op->getAttrOfType<TensorShardingPerValueAttr>(
                kShardingAttrName))
          op->setAttr(kShardingAttrName,
                      replaceList(list, op->getResultTypes(), replace));
      }
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};
} // namespace
