//===- IPURandomOps.cpp - Random bits in codelets ---------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "IPUDetail.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::detail;

#define GET_OP_CLASSES
#include "ipu-mlir/Dialect/IPU/IR/IPURandomOps.cpp.inc"

//===----------------------------------------------------------------------===//
// Generators and their state
//===----------------------------------------------------------------------===//

MemRefType mlir::ipu::getRngStateType(MLIRContext *context, int64_t numTiles) {
  SmallVector<int64_t> shape = {numTiles, kRngWorkers, kRngWords};
  TileMappingBlock row{/*axis=*/0, /*step=*/1, /*extent=*/1};
  auto mapping = TileMappingAttr::get(context, shape, numTiles, {row, {}, {}});
  return MemRefType::get(shape, IntegerType::get(context, 32),
                         MemRefLayoutAttrInterface(), mapping);
}

bool mlir::ipu::drawsRandomBits(CodeletOp codelet) {
  return codelet.walk([](RandomBitsOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

RngGenerator mlir::ipu::getRngGenerator(Operation *op) {
  auto module = op->getParentOfType<ModuleOp>();
  if (auto self = dyn_cast<ModuleOp>(op))
    module = self;
  auto generator =
      module ? module->getAttrOfType<RngGeneratorAttr>(IPUDialect::kRngAttrName)
             : RngGeneratorAttr();
  return generator ? generator.getValue() : RngGenerator::Counter;
}

bool mlir::ipu::canRoundStochastically(Type elementType) {
  return isa<Float16Type, Float8E4M3FNUZType, Float8E5M2FNUZType>(elementType);
}

LogicalResult mlir::ipu::detail::verifyRng(Operation *op, Value rng) {
  auto type = cast<MemRefType>(rng.getType());
  int64_t tiles = type.getRank() > 0 ? type.getDimSize(0) : 0;
  if (tiles < 1 || tiles > kMaxTiles ||
      type != getRngStateType(op->getContext(), tiles))
    return op->emitOpError()
           << "expects an RNG state of type "
           << getRngStateType(op->getContext(),
                              getTargetModel(op).getTilesPerReplica())
           << " but got " << type;
  if (!rng.getDefiningOp<VarOp>())
    return op->emitOpError("expects an RNG state to be a whole variable");
  return verifyWritable(op, rng);
}

// c7 of vertices, c6 of collectives
LogicalResult mlir::ipu::detail::verifyDraw(Operation *op, Value rng,
                                            DrawAttr draw) {
  bool isCounter = getRngGenerator(op) == RngGenerator::Counter;
  if (rng && isCounter && !draw)
    return op->emitOpError(
        "expects a 'draw' because the module's generator is 'counter'");
  if (!draw || (rng && isCounter))
    return success();
  return op->emitOpError() << "has a 'draw' but "
                           << (rng ? "the module's generator is 'stream'"
                                   : "no 'rng'");
}

void mlir::ipu::detail::addRngEffects(
    MutableOperandRange rng, DrawAttr draw,
    SmallVectorImpl<MemoryEffects::EffectInstance> &effects) {
  for (OpOperand &state : rng) {
    effects.emplace_back(MemoryEffects::Read::get(), &state);
    if (!draw)
      effects.emplace_back(MemoryEffects::Write::get(), &state);
  }
}

LogicalResult AdvanceRngOp::verify() {
  if (failed(verifyRng(*this, getRng())))
    return failure();
  int64_t maxCount = std::numeric_limits<int32_t>::max(), count = getCount();
  if (count < -maxCount || count > maxCount)
    return emitOpError() << "expects a count from " << -maxCount << " to "
                         << maxCount << " but got " << count;
  int64_t shift = getShift();
  if (shift < -kMaxDrawNumber || shift > kMaxDrawNumber)
    return emitOpError() << "expects a shift from " << -kMaxDrawNumber << " to "
                         << kMaxDrawNumber << " but got " << shift;
  if (getRngGenerator(*this) == RngGenerator::Counter)
    return success();
  return emitOpError("expects the module's generator to be 'counter' but got "
                     "'stream'");
}

//===----------------------------------------------------------------------===//
// Ops on elements
//===----------------------------------------------------------------------===//

// c1, c2
static LogicalResult verifyElement(Operation *op, Value buffer,
                                   ValueRange indices) {
  auto codelet = op->getParentOfType<CodeletOp>();
  if (!codelet)
    return op->emitOpError("expects to be in an 'ipu.codelet'");
  auto argument = dyn_cast<BlockArgument>(buffer);
  if (!argument || argument.getOwner() != &codelet.getBody().front() ||
      argument.getArgNumber() < codelet.getNumInputs())
    return op->emitOpError("expects the buffer to be an output of the codelet");
  int64_t rank = cast<MemRefType>(buffer.getType()).getRank();
  if (static_cast<int64_t>(indices.size()) != rank)
    return op->emitOpError()
           << "expects one index for each dimension of " << buffer.getType()
           << " but got " << indices.size();
  return success();
}

LogicalResult ElementNumberOp::verify() {
  return verifyElement(*this, getBuffer(), getIndices());
}

LogicalResult RandomBitsOp::verify() {
  // c3
  if (int64_t draw = getDraw(); draw < 0 || draw >= kMaxCodeletDraws)
    return emitOpError() << "expects a draw from 0 to " << kMaxCodeletDraws - 1
                         << " but got " << draw;
  return verifyElement(*this, getBuffer(), getIndices());
}

LogicalResult mlir::ipu::detail::verifyOneNumberedBuffer(CodeletOp codelet) {
  Operation *first = nullptr;
  Value buffer;
  WalkResult result = codelet.walk([&](Operation *op) {
    if (!isa<ElementNumberOp, RandomBitsOp>(op) || op->getNumOperands() == 0)
      return WalkResult::advance();
    if (!first) {
      first = op;
      buffer = op->getOperand(0);
    }
    if (op->getOperand(0) == buffer)
      return WalkResult::advance();
    InFlightDiagnostic diag = op->emitOpError(
        "expects the same buffer as the other ops 'ipu.element_number' and "
        "'ipu.random_bits' of the codelet");
    diag.attachNote(first->getLoc()) << "another op is here";
    return WalkResult::interrupt();
  });
  return failure(result.wasInterrupted());
}
