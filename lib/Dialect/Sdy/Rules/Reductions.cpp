//===- Reductions.cpp - How parts of results are combined -----------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Sdy/Rules/Rules.h"

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/StableHLO/IR/StableHLO.h"
#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tosa/IR/TosaOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;

/// Of an op of scalars. Unsigned maxima of signless integers, and ops of bits,
/// are none that a collective could be told to compute.
static std::optional<ReductionKind> getKind(Operation *combiner) {
  if (!combiner || getElementTypeOrSelf(combiner->getResult(0)).isInteger(1))
    return std::nullopt;
  if (isa<stablehlo::AddOp, arith::AddFOp, arith::AddIOp, complex::AddOp>(
          combiner))
    return ReductionKind::Sum;
  if (isa<stablehlo::MaxOp, arith::MaximumFOp, arith::MaxNumFOp,
          arith::MaxSIOp>(combiner))
    return ReductionKind::Max;
  if (isa<stablehlo::MinOp, arith::MinimumFOp, arith::MinNumFOp,
          arith::MinSIOp>(combiner))
    return ReductionKind::Min;
  return std::nullopt;
}

static std::optional<ReductionKind>
getCommonKind(ArrayRef<std::optional<ReductionKind>> kinds) {
  return llvm::all_equal(kinds) ? kinds.front() : std::nullopt;
}

/// Each result is made by one op of the body, of two of its arguments.
static std::optional<ReductionKind> getKindOfBody(Block &body) {
  SmallVector<std::optional<ReductionKind>> kinds;
  for (Value value : body.getTerminator()->getOperands()) {
    Operation *combiner = value.getDefiningOp();
    bool isOfArguments =
        combiner && combiner->getNumOperands() == 2 &&
        llvm::all_of(combiner->getOperands(), llvm::IsaPred<BlockArgument>);
    kinds.push_back(isOfArguments ? getKind(combiner) : std::nullopt);
  }
  return kinds.empty() ? std::nullopt : getCommonKind(kinds);
}

static std::optional<ReductionKind> getKindOfLinalg(linalg::LinalgOp op) {
  SmallVector<std::optional<ReductionKind>> kinds;
  for (unsigned i = 0, e = op.getNumDpsInits(); i < e; ++i) {
    SmallVector<Operation *> combiners;
    Value reduced = matchReduction(op.getRegionOutputArgs(), i, combiners);
    kinds.push_back(reduced && combiners.size() == 1
                        ? getKind(combiners.front())
                        : std::nullopt);
  }
  return kinds.empty() ? std::nullopt : getCommonKind(kinds);
}

static std::optional<ReductionKind> getKindOfPop(pop::ReduceOp op) {
  switch (op.getKind()) {
  case pop::ReduceKind::Sum:
    return ReductionKind::Sum;
  case pop::ReduceKind::Max:
    return ReductionKind::Max;
  case pop::ReduceKind::Min:
    return ReductionKind::Min;
  default:
    return std::nullopt;
  }
}

std::optional<ReductionKind> sdy::getReductionKind(Operation *op) {
  using Kind = std::optional<ReductionKind>;
  return llvm::TypeSwitch<Operation *, Kind>(op)
      .Case([](stablehlo::ReduceOp op) {
        return getKindOfBody(op.getBody().front());
      })
      .Case([](stablehlo::ScatterOp op) {
        return getKindOfBody(op.getUpdateComputation().front());
      })
      .Case([](linalg::LinalgOp op) { return getKindOfLinalg(op); })
      .Case([](pop::ReduceOp op) { return getKindOfPop(op); })
      .Case<tosa::ReduceMaxOp>([](auto) { return ReductionKind::Max; })
      .Case<tosa::ReduceMinOp>([](auto) { return ReductionKind::Min; })
      .Case<tosa::ReduceAllOp, tosa::ReduceAnyOp, tosa::ReduceProductOp>(
          [](auto) { return std::nullopt; })
      .Default([](Operation *) { return ReductionKind::Sum; });
}
