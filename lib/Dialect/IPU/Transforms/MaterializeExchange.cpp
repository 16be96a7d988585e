//===- MaterializeExchange.cpp - Exchanges of operands ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: vertices whose operands may be on any tiles. Out: vertices whose operands
// are on the tiles that read them, and exchanges. A step has two exchanges if
// the data are exchanged in less time with a separate exchange for pairs of
// tiles.
//
//===----------------------------------------------------------------------===//

#include "SplitExchange.h"
#include "ipu-mlir/Analysis/Exchange/Exchange.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/IPU/IR/Origins.h"
#include "ipu-mlir/Dialect/IPU/IR/Views.h"
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_MATERIALIZEEXCHANGEPASS
#include "ipu-mlir/Dialect/IPU/Transforms/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

static CodeletOp getCodelet(VerticesOp vertices) {
  return SymbolTable::lookupNearestSymbolFrom<CodeletOp>(
      vertices, vertices.getCodeletAttr());
}

/// Makes input `index` of `vertices` local, with a move in `exchange` (created
/// before the compute set when the first one is needed) that is appended to
/// `added`.
static void materializeInput(VerticesOp vertices, unsigned index,
                             ExchangeOp &exchange,
                             SmallVectorImpl<MoveOp> &added) {
  OpOperand &operand = vertices.getInputsMutable()[index];
  Value source = operand.get();
  TileMappingAttr access = vertices.getAccessTileMapping(index);
  if (isLocal(vertices, getCodelet(vertices), index)) {
    if (getView(source).isContiguous())
      operand.set(getVariable(source).getResult());
    return;
  }
  if (exchange)
    for (auto move : exchange.getBody().getOps<MoveOp>())
      if (getVariable(move.getSource()) == getVariable(source) &&
          move.getSource().getType() == source.getType() &&
          getTileMapping(cast<MemRefType>(move.getTarget().getType())) ==
              access) {
        operand.set(move.getTarget());
        return;
      }
  auto computeSet = vertices->getParentOfType<ComputeSetOp>();
  OpBuilder builder(computeSet);
  if (!exchange) {
    SyncKind sync =
        getTargetModel(vertices).ipus > 1 ? SyncKind::IPUs : SyncKind::Internal;
    copyOrigins(computeSet, SyncOp::create(builder, computeSet.getLoc(), sync,
                                           StepCostAttr()));
    exchange = ExchangeOp::create(builder, computeSet.getLoc(),
                                  computeSet.getName(), StepCostAttr());
    copyOrigins(computeSet, exchange);
    exchange.getBody().emplaceBlock();
  }
  builder.setInsertionPoint(exchange->getPrevNode());
  auto sourceType = cast<MemRefType>(source.getType());
  auto localType =
      MemRefType::get(sourceType.getShape(), sourceType.getElementType(),
                      MemRefLayoutAttrInterface(), access);
  std::string name = (computeSet.getName() + ".in" + Twine(index)).str();
  auto local = VarOp::create(builder, vertices.getLoc(), localType, name,
                             /*copies=*/true, /*init=*/ElementsAttr());
  builder.setInsertionPointToEnd(&exchange.getBody().front());
  added.push_back(MoveOp::create(builder, vertices.getLoc(), source, local));
  operand.set(local);
}

/// Returns whether vertices have a pointer to each row of their input.
static bool hasRowPointers(VerticesOp vertices) {
  CodeletOp codelet = getCodelet(vertices);
  return codelet && codelet.getCostAttr() &&
         codelet.getCostAttr().hasRowPointers();
}

/// If vertices can read the elements of a move that their tile already holds
/// without a copy, and this saves cycles, adds the source to `in_place`. The
/// source is then live until the vertices ran.
static void readInPlace(const TargetModel &target, MoveOp move) {
  SmallVector<VerticesOp> readers;
  for (Operation *user : move.getTarget().getUsers()) {
    auto vertices = dyn_cast<VerticesOp>(user);
    if (user != move && (!vertices || !hasRowPointers(vertices) ||
                         vertices.getInputs().front() != move.getTarget()))
      return;
    if (vertices && !llvm::is_contained(readers, vertices))
      readers.push_back(vertices);
  }
  Value source = getVariable(move.getSource()).getResult();
  auto exchange = cast<ExchangeOp>(move->getParentOp());
  auto getCycles = [&] {
    return getExchangeCycles(
        target, getExchangeTraffic(target, getExchangeMoves(exchange)));
  };
  int64_t before = getCycles();
  for (VerticesOp vertices : readers)
    vertices.getInPlaceMutable().append(source);
  if (getCycles() < before)
    return;
  for (VerticesOp vertices : readers)
    vertices.getInPlaceMutable().erase(vertices.getInPlace().size() - 1);
}

/// Whether the next step is an exchange, and no sync of all IPUs is before it.
static bool isBeforeExchange(ExchangeOp exchange) {
  for (Operation *next = exchange->getNextNode(); next;
       next = next->getNextNode()) {
    auto sync = dyn_cast<SyncOp>(next);
    if (sync && sync.getKind() != SyncKind::Internal)
      return false;
    if (!sync && !isa<VarOp>(next) && !isMemoryEffectFree(next))
      return isa<ExchangeOp>(next);
  }
  return false;
}

/// Lets the tiles of each IPU wait for each other, instead of all IPUs, before
/// an exchange that uses no links. A later exchange may rely on the sync, too.
static void weakenSync(ExchangeOp exchange, const ExchangeSources &sources) {
  auto sync = dyn_cast_or_null<SyncOp>(exchange->getPrevNode());
  if (sync && sync.getKind() == SyncKind::IPUs && !isBeforeExchange(exchange))
    sync.setKind(getExchangeSyncKind(sources.usesLinks()));
}

namespace {
struct MaterializeExchange
    : ipu::impl::MaterializeExchangePassBase<MaterializeExchange> {
  void runOnOperation() override {
    SmallVector<MoveOp> added;
    getOperation().walk([&](ComputeSetOp computeSet) {
      ExchangeOp exchange;
      for (auto vertices : computeSet.getBody().getOps<VerticesOp>())
        for (unsigned i = 0, e = vertices.getInputs().size(); i < e; ++i)
          materializeInput(vertices, i, exchange, added);
    });
    TargetModel target = getTargetModel(getOperation());
    for (MoveOp move : added)
      readInPlace(target, move);
    getOperation().walk([&](ExchangeOp exchange) {
      ExchangeSources sources(target, exchange);
      weakenSync(exchange, sources);
      splitExchangeInPairs(target, exchange, sources);
    });
  }
};
} // namespace
