//===- LintShardings.cpp - Lint of shardings ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module. Out: the same module. The pass warns of shardings that Shardy's
// documentation forbids and its verifier accepts: meshes with different numbers
// of devices, sharded dimensions of size 0, dimensions with so many axes that
// some devices have no elements, and custom rules with factors that are in no
// dimension. It also warns of shardings that are ignored.
//
//===----------------------------------------------------------------------===//

#include "../ShardingUtils.h"
#include "LintIgnoredShardings.h"
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/MathExtras.h"

namespace mlir::ipu::sdy {
#define GEN_PASS_DEF_LINTSHARDINGSPASS
#include "ipu-mlir/Dialect/Sdy/Transforms/Passes.h.inc"
} // namespace mlir::ipu::sdy

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

static void lintMeshes(ModuleOp module) {
  MeshOp first;
  for (MeshOp op : module.getOps<MeshOp>()) {
    MeshAttr mesh = op.getMesh();
    // Neither spans all devices.
    if (mesh.empty() || mesh.isMaximal())
      continue;
    auto getNumDevices = [](MeshOp op) {
      SmallVector<int64_t> sizes = getMeshSizes(op.getMesh());
      return llvm::product_of(sizes);
    };
    if (!first) {
      first = op;
    } else if (getNumDevices(op) != getNumDevices(first)) {
      InFlightDiagnostic warning = op.emitWarning()
                                   << "mesh @" << op.getSymName() << " has "
                                   << getNumDevices(op) << " devices but mesh @"
                                   << first.getSymName() << " has "
                                   << getNumDevices(first);
      warning.attachNote(first.getLoc()) << "the other mesh";
    }
  }
}

/// `what`: which argument or result of the op.
static void lintSharding(TensorShardingAttr sharding, Type type, Operation *op,
                         const Twine &what, SymbolTable &symbols) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!sharding || !tensor)
    return;
  MeshAttr mesh = sharding.getMesh(symbols);
  if (!mesh || mesh.isMaximal())
    return;
  for (auto [number, dim, size] :
       llvm::enumerate(sharding.getDimShardings(), tensor.getShape())) {
    sharding::AxisList axes = getAxisList(dim.getAxes(), mesh);
    if (axes.empty() || ShapedType::isDynamic(size))
      continue;
    int64_t withoutLast = sharding::getProduct(ArrayRef(axes).drop_back());
    if (size == 0)
      op->emitWarning() << what
                        << " has a sharded dimension of size 0: " << sharding;
    else if (withoutLast >= size && axes.size() > 1)
      op->emitWarning() << "dimension " << number << " of " << what
                        << " has size " << size
                        << " but all axes except the last already divide it "
                           "into "
                        << withoutLast
                        << " shards; the last axis only adds empty shards: "
                        << sharding;
  }
}

static void lintShardings(Operation *op, SymbolTable &symbols) {
  if (auto function = dyn_cast<FunctionOpInterface>(op)) {
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      lintSharding(
          function.getArgAttrOfType<TensorShardingAttr>(i, kShardingAttrName),
          function.getArgumentTypes()[i], op, "argument " + Twine(i), symbols);
    for (unsigned i = 0; i < function.getNumResults(); ++i)
      lintSharding(function.getResultAttrOfType<TensorShardingAttr>(
                       i, kShardingAttrName),
                   function.getResultTypes()[i], op, "result " + Twine(i),
                   symbols);
    return;
  }
  for (OpResult result : op->getResults())
    lintSharding(getSharding(result), result.getType(), op,
                 "result " + Twine(result.getResultNumber()), symbols);
  TensorShardingPerValueAttr inShardings;
  if (auto manual = dyn_cast<ManualComputationOp>(op))
    inShardings = manual.getInShardings();
  else if (auto named = dyn_cast<NamedComputationOp>(op))
    inShardings = named.getInShardingsAttr();
  if (inShardings)
    for (auto [i, sharding] : llvm::enumerate(inShardings.getShardings()))
      lintSharding(sharding, op->getOperand(i).getType(), op,
                   "operand " + Twine(i), symbols);
}

/// What export will drop. Nothing is replaced.
static void lintNonDivisible(Operation *op, bool exportsComputations,
                             SymbolTable &symbols) {
  auto lint = [&](TensorShardingAttr sharding, ShapedType type,
                  const ShardedPlace &place) {
    auto kept = getDivisibleSharding(sharding, type, symbols);
    if (kept != sharding)
      warnOfNonDivisible(place, type, sharding, kept);
    return sharding;
  };
  auto named = dyn_cast<NamedComputationOp>(op);
  if (named && exportsComputations)
    replaceComputationShardings(named, lint);
  else
    replaceInputOutputShardings(op, lint);
}

/// Padding and convolutions have dimensions that are no product of factors; but
/// each factor is part of one that is.
static void lintRule(Operation *op) {
  auto rule = op->getAttrOfType<OpShardingRuleAttr>(kShardingRuleAttrName);
  if (!rule || !rule.getIsCustomRule())
    return;
  llvm::BitVector found(rule.getFactorSizes().size());
  auto look = [&](ArrayRef<TensorMappingAttr> mappings, TypeRange types) {
    for (auto [mapping, type] : llvm::zip(mappings, types))
      for (auto [dim, size] : llvm::zip(mapping.getDimMappings(),
                                        cast<ShapedType>(type).getShape())) {
        int64_t product = 1;
        bool overflows = false;
        for (int64_t factor : dim.getFactorIndices())
          overflows |= llvm::MulOverflow(product, rule.getFactorSizes()[factor],
                                         product);
        if (product == size && !overflows)
          for (int64_t factor : dim.getFactorIndices())
            found.set(factor);
      }
  };
  look(rule.getOperandMappings(), op->getOperandTypes());
  look(rule.getResultMappings(), op->getResultTypes());
  for (auto [factor, size] : llvm::enumerate(rule.getFactorSizes()))
    if (!found.test(factor))
      op->emitWarning()
          << "factor " << getFactorSymbol(factor) << " of the rule has size "
          << size
          << ", but in each dimension with this factor, the product of the "
             "factor sizes differs from the dimension's size";
}

namespace {
struct LintShardingsPass : sdy::impl::LintShardingsPassBase<LintShardingsPass> {
  using LintShardingsPassBase::LintShardingsPassBase;
  void runOnOperation() override {
    markAllAnalysesPreserved();
    ModuleOp module = getOperation();
    lintMeshes(module);
    lintIgnoredShardings(module);
    SymbolTable symbols(module);
    module.walk([&](Operation *op) {
      lintShardings(op, symbols);
      if (nonDivisible)
        lintNonDivisible(op, exportsComputations, symbols);
      lintRule(op);
    });
  }
};
} // namespace
