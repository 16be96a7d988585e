//===- RoundCodelets.cpp - Stochastic rounding in codelets ------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces codelets that round to nearest by codelets that round
// stochastically. The RNG states from which they draw become storage of the
// module. A modifier distinguishes the states: it is 0 for the state that all
// replicas share and 1 for the state that no two replicas share. Other states
// have numbers from 2 on, in the order of the program.
//
//===----------------------------------------------------------------------===//

#include "FunctionConverter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;
using namespace mlir::ipu;

//===----------------------------------------------------------------------===//
// Codelets
//===----------------------------------------------------------------------===//

/// Builds the indices of the element that an iteration of `generic` computes,
/// in the output of the codelet. Fails if the iteration does not compute an
/// element of its own.
static FailureOr<SmallVector<Value>> buildIndices(OpBuilder &b,
                                                  linalg::GenericOp generic) {
  if (!llvm::all_of(generic.getIteratorTypesArray(),
                    [](utils::IteratorType type) {
                      return type == utils::IteratorType::parallel;
                    }) ||
      generic.getOutputs().size() != 1 ||
      !isa<BlockArgument>(generic.getOutputs().front()))
    return failure();
  AffineMap map = generic.getMatchingIndexingMap(generic.getDpsInitOperand(0));
  if (!map.isPermutation())
    return failure();
  return llvm::map_to_vector(map.getResults(), [&](AffineExpr expr) -> Value {
    return linalg::IndexOp::create(b, generic.getLoc(),
                                   cast<AffineDimExpr>(expr).getPosition());
  });
}

/// Builds a float of at least 32 bits with the value that `op` rounds. The
/// float is exact, except for integers that are too large for each float type
/// that supports stochastic rounding.
static Value buildUnrounded(OpBuilder &b, Operation *op) {
  Value input = op->getOperand(0);
  Location loc = op->getLoc();
  Type wide = input.getType();
  if (isa<arith::SIToFPOp, arith::UIToFPOp>(op)) {
    wide = input.getType().getIntOrFloatBitWidth() > 24 ? b.getF64Type()
                                                        : Type(b.getF32Type());
    return isa<arith::SIToFPOp>(op)
               ? arith::SIToFPOp::create(b, loc, wide, input).getResult()
               : arith::UIToFPOp::create(b, loc, wide, input).getResult();
  }
  // The operand of a conversion to f8 may have fewer than 32 bits.
  if (wide.getIntOrFloatBitWidth() < 32)
    return arith::ExtFOp::create(b, loc, b.getF32Type(), input);
  return input;
}

LogicalResult
mlir::ipu::roundStochastically(CodeletOp codelet,
                               pop::StochasticRoundingAttr rounding,
                               TargetAttr target) {
  SmallVector<Operation *> roundings;
  codelet.walk([&](Operation *op) {
    if (isa<arith::TruncFOp, arith::SIToFPOp, arith::UIToFPOp>(op) &&
        canRoundStochastically(op->getResult(0).getType()) &&
        isNative(op->getResult(0).getType(), target))
      roundings.push_back(op);
  });
  if (roundings.size() > 1 && rounding.getGenerator() == RngGenerator::Stream)
    return roundings.back()->emitOpError(
        "rounds an element a second time, but generator 'stream' has random "
        "bits for only one rounding of each element");
  if (static_cast<int64_t>(roundings.size()) > kMaxCodeletDraws)
    return roundings[kMaxCodeletDraws]->emitOpError()
           << "is one of " << roundings.size()
           << " ops that round an element, but an element has random bits for "
              "at most "
           << kMaxCodeletDraws << " ops";
  for (auto [draw, op] : llvm::enumerate(roundings)) {
    auto generic = dyn_cast<linalg::GenericOp>(op->getParentOp());
    OpBuilder b(op);
    FailureOr<SmallVector<Value>> indices;
    if (generic)
      indices = buildIndices(b, generic);
    if (failed(indices))
      return op->emitOpError("cannot be rounded stochastically: the op does "
                             "not compute a single element");
    auto bits =
        RandomBitsOp::create(b, op->getLoc(), b.getI32Type(),
                             generic.getOutputs().front(), *indices, draw);
    auto rounded = RoundStochasticOp::create(
        b, op->getLoc(), op->getResult(0).getType(), buildUnrounded(b, op),
        bits, rounding.getOverflow());
    op->getResult(0).replaceAllUsesWith(rounded.getResult());
    op->erase();
  }
  return success();
}

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

ProgramState::ProgramState(ModuleOp module)
    : module(module), target(getTargetModel(module)), symbols(module),
      codelets(symbols),
      rounding(module->getAttrOfType<pop::StochasticRoundingAttr>(
          pop::PopDialect::kStochasticRoundingAttrName)) {
  if (!rounding)
    return;
  module->setAttr(
      IPUDialect::kRngAttrName,
      RngGeneratorAttr::get(module.getContext(), rounding.getGenerator()));
  module->removeAttr(pop::PopDialect::kStochasticRoundingAttrName);
}

StorageOp ProgramState::getRngState(Location loc,
                                    pop::ReplicaPartitionAttr partition) {
  StorageOp &storage = rngStates[partition];
  if (storage)
    return storage;
  bool isNone = partition.getNumClasses() == partition.getNumReplicas();
  std::string name = "rng.all";
  int64_t modifier = 0;
  if (!partition.isAll()) {
    // Other states are numbered in the order of the program.
    modifier = isNone ? 1 : 2 + numGroupRngStates++;
    name = isNone ? "rng.none" : "rng.groups" + std::to_string(modifier - 2);
  }
  OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
  storage = StorageOp::create(
      b, loc, name + ".storage",
      getRngStateType(b.getContext(), target.getTilesPerReplica()));
  symbols.insert(storage);
  auto rngState = RngStateOp::create(b, loc, name, storage.getSymName(),
                                     partition, modifier);
  symbols.insert(rngState);
  return storage;
}
