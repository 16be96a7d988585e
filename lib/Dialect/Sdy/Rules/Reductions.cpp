//===- Reductions.cpp - How parts become the whole ------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShapeRules.h"

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::Combiner;

std::optional<Combiner> sdy::matchCombiner(Operation *combiner) {
  if (!combiner || getElementTypeOrSelf(combiner->getResult(0)).isInteger(1))
    return std::nullopt;
  if (isa<stablehlo::AddOp, arith::AddFOp, arith::AddIOp, complex::AddOp>(
          combiner))
    return Combiner::Sum;
  if (isa<stablehlo::MaxOp, arith::MaximumFOp, arith::MaxNumFOp,
          arith::MaxSIOp>(combiner))
    return Combiner::Max;
  if (isa<stablehlo::MinOp, arith::MinimumFOp, arith::MinNumFOp,
          arith::MinSIOp>(combiner))
    return Combiner::Min;
  return std::nullopt;
}

std::optional<Combiner> sdy::getCombinerOf(Block &combiner) {
  SmallVector<std::optional<Combiner>> kinds;
  for (Value value : combiner.getTerminator()->getOperands()) {
    Operation *op = value.getDefiningOp();
    bool isOfArguments =
        op && op->getNumOperands() == 2 &&
        llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
    kinds.push_back(isOfArguments ? matchCombiner(op) : std::nullopt);
  }
  return kinds.empty() || !llvm::all_equal(kinds) ? std::nullopt
                                                  : kinds.front();
}

std::optional<ReductionKind> sdy::getReductionKind(Operation *op) {
  auto rules = dyn_cast<ShardingRuleOpInterface>(op);
  std::optional<Combiner> combiner =
      rules ? rules.getCombiner() : Combiner::Sum;
  if (!combiner)
    return std::nullopt;
  switch (*combiner) {
  case Combiner::Sum:
    return ReductionKind::Sum;
  case Combiner::Max:
    return ReductionKind::Max;
  case Combiner::Min:
    return ReductionKind::Min;
  }
  llvm_unreachable("unknown combiner");
}
