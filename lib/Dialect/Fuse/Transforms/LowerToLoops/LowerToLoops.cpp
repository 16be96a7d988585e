//===- LowerToLoops.cpp - Lowering of fusions to loops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions with fuse.fusion ops, whose #fuse.schedule attributes define
// their loops. Out: the same functions, with loops on memrefs instead of these
// ops. The operands of the loops come from bufferization.to_buffer, and the
// results go to bufferization.to_tensor.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Transforms/LowerToLoops.h"
#include "FusionBoundary.h"
#include "NestEmitter.h"
#include "ValueForms.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/FusionRequests.h"
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h"
#include "mlir/Dialect/Affine/Analysis/LoopAnalysis.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Affine/LoopUtils.h"
#include "mlir/Dialect/Affine/Utils.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Bufferization/IR/Bufferization.h"
#include "mlir/Dialect/Complex/IR/Complex.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/SCF/Utils/Utils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace mlir::fuse {
#define GEN_PASS_DEF_TOLOOPSPASS
#include "ipu-mlir/Dialect/Fuse/Transforms/Passes.h.inc"
} // namespace mlir::fuse

using namespace mlir;
using namespace mlir::fuse;

/// Loops of more iterations stay loops.
static constexpr uint64_t kMaxUnroll = 256;

static void unroll(Block *body) {
  Operation *loop = body->getParentOp();
  if (auto forOp = dyn_cast<affine::AffineForOp>(loop)) {
    std::optional<uint64_t> count = affine::getConstantTripCount(forOp);
    if (count && *count <= kMaxUnroll)
      (void)affine::loopUnrollFull(forOp);
    return;
  }
  auto forOp = cast<scf::ForOp>(loop);
  std::optional<APInt> count = forOp.getStaticTripCount();
  if (count && count->ule(kMaxUnroll))
    (void)loopUnrollFull(forOp);
}

/// What a loop carries stays in its buffer: the result of a fusion, a buffer of
/// its own, is copied there before the next iteration, since one-shot
/// bufferization refuses a loop that yields another buffer each time. What has
/// a size known at run time may have another one each time.
static void carryInPlace(Value result, Value buffer) {
  if (!cast<RankedTensorType>(result.getType()).hasStaticShape())
    return;
  for (OpOperand &use : result.getUses()) {
    auto loop = dyn_cast<scf::ForOp>(use.getOwner()->getParentOp());
    if (!loop || !isa<scf::YieldOp>(use.getOwner()))
      continue;
    OpBuilder builder(use.getOwner());
    Value carried = loop.getRegionIterArg(use.getOperandNumber());
    Value copy =
        bufferization::MaterializeInDestinationOp::create(
            builder, result.getLoc(), carried.getType(), buffer, carried)
            .getResult();
    use.set(copy);
    return;
  }
}

/// Writes affine maps in the bodies of linalg ops out. An index there may be a
/// symbol of such an indexing map, which the variable of a loop may not; and
/// lanes have vectors of indices.
static void expandAffineMaps(FusionOp fusion) {
  fusion.walk([](affine::AffineApplyOp apply) {
    if (!apply->getParentOfType<linalg::LinalgOp>())
      return;
    ImplicitLocOpBuilder b(apply.getLoc(), apply);
    SmallVector<Value> operands(apply.getMapOperands());
    std::optional<SmallVector<Value, 8>> values =
        affine::expandAffineMap(b, b.getLoc(), apply.getAffineMap(), operands);
    if (!values)
      return;
    apply.getResult().replaceAllUsesWith(values->front());
    apply.erase();
  });
}

LogicalResult mlir::fuse::lowerToLoops(FusionOp op,
                                       const LowerToLoopsOptions &options) {
  expandAffineMaps(op);
  FailureOr<FusionSchedule> fusion = FusionSchedule::read(op);
  if (failed(fusion))
    return failure();
  LoopClasses classes = LoopClasses::build(fusion->schedule);
  LoopNest nest;
  if (failed(verifySchedule(*fusion, classes, nest)))
    return failure();

  ImplicitLocOpBuilder b(op.getLoc(), op);
  InputLayouts layouts(options.identityLayout);
  FusionBoundary boundary(*fusion, layouts, b);
  if (failed(boundary.emitInputs()))
    return failure();
  // Sizes can be symbols of affine maps only at the top of a function.
  bool isTop = op->getParentOp()->hasTrait<OpTrait::AffineScope>();
  bool isAffine = options.affine && (isTop || boundary.getSymbols().empty());
  IndexBuilder index(b, isAffine, boundary.getSymbols(), classes.size());
  NestContext context(*fusion, classes, nest, boundary.getBuffers(),
                      boundary.getScalars(), index);
  boundary.emitOutputs(context.states);
  chooseForms(context);
  NestEmitter emitter(context, options.peel);
  if (failed(emitter.run()))
    return failure();
  SmallVector<Value> results = boundary.emitResults();
  // Inner loops first, while the blocks of outer ones are the only copy.
  for (Block *body : llvm::reverse(emitter.getUnrolled()))
    unroll(body);
  for (auto [old, result] : llvm::zip_equal(op.getResults(), results))
    carryInPlace(old, result);
  op.replaceAllUsesWith(results);
  op.erase();
  return success();
}

namespace {
struct ToLoopsPass : fuse::impl::ToLoopsPassBase<ToLoopsPass> {
  using ToLoopsPassBase::ToLoopsPassBase;

  void runOnOperation() override {
    if (loops != "affine" && loops != "scf") {
      getOperation().emitError("option 'loops' expects affine or scf but got '")
          << loops << "'";
      return signalPassFailure();
    }
    if (layout != "dynamic" && layout != "identity") {
      getOperation().emitError(
          "option 'layout' expects dynamic or identity but got '")
          << layout << "'";
      return signalPassFailure();
    }
    SmallVector<FusionOp> fusions;
    getOperation().walk([&](FusionOp op) { fusions.push_back(op); });
    LowerToLoopsOptions options;
    options.affine = loops == "affine";
    options.peel = peel;
    options.identityLayout = layout == "identity";
    for (FusionOp op : fusions)
      if (failed(lowerToLoops(op, options)))
        return signalPassFailure();
  }
};
} // namespace
