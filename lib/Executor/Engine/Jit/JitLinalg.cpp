//===- JitLinalg.cpp - Lowering of linalg ops to loops --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../Program/EngineCodelets.h"
#include "Jit.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace mlir::ipu;

/// Of elements: a loop over so many becomes vectors, and nothing else.
static constexpr int64_t kStrip = 64;
/// Bytes that are fetched at once.
static constexpr int64_t kCacheLine = 64;

/// Makes a loop that fetches element by element fetch once for each cache line,
/// before the strip of elements that are computed meanwhile.
static void stripMineFetches(scf::ForOp loop) {
  auto fetches = llvm::to_vector(loop.getOps<memref::PrefetchOp>());
  if (fetches.empty())
    return;
  ImplicitLocOpBuilder b(loop.getLoc(), loop);
  Value begin = loop.getLowerBound(), end = loop.getUpperBound();
  Value size = arith::ConstantIndexOp::create(b, kStrip);
  Value rest = arith::RemUIOp::create(b, end, size);
  Value wholeEnd = arith::SubIOp::create(b, end, rest);
  auto strips = scf::ForOp::create(b, begin, wholeEnd, size);
  Value first = strips.getInductionVar();
  b.setInsertionPointToStart(strips.getBody());
  for (memref::PrefetchOp op : fetches) {
    int64_t lineElements =
        kCacheLine * 8 / op.getMemRefType().getElementTypeBitWidth();
    for (int64_t at = 0; at < kStrip; at += lineElements) {
      IRMapping mapping;
      Value offset = arith::ConstantIndexOp::create(b, at);
      mapping.map(loop.getInductionVar(),
                  arith::AddIOp::create(b, first, offset).getResult());
      b.clone(*op, mapping);
    }
    op.erase();
  }
  auto strip = scf::ForOp::create(b, begin, size, loop.getStep());
  b.setInsertionPointToStart(strip.getBody());
  Value index = arith::AddIOp::create(b, first, strip.getInductionVar());
  IRMapping mapping;
  mapping.map(loop.getInductionVar(), index);
  for (Operation &op : loop.getBody()->without_terminator())
    b.clone(op, mapping);
  loop.setLowerBound(wholeEnd);
}

LogicalResult mlir::ipu::lowerLinalg(func::FuncOp function,
                                     const JitTarget &target) {
  SmallVector<linalg::GenericOp> generics;
  function.walk([&](linalg::GenericOp op) { generics.push_back(op); });
  IRRewriter rewriter(function.getContext());
  llvm::SmallPtrSet<Operation *, 4> erased;
  auto erase = [&](std::initializer_list<linalg::GenericOp> lowered) {
    for (linalg::GenericOp op : lowered) {
      if (!op)
        continue;
      erased.insert(op);
      rewriter.eraseOp(op);
    }
  };
  for (linalg::GenericOp op : generics) {
    linalg::GenericOp sum =
        erased.contains(op) ? linalg::GenericOp() : findSum(op);
    if (!sum)
      continue;
    linalg::GenericOp fill = findFill(op), sumFill = findFill(sum);
    if (lowerSummedContraction(op, fill, sum, sumFill, target))
      erase({sum, sumFill, op, fill});
  }
  // Contractions come before what fills their outputs.
  for (linalg::GenericOp op : llvm::reverse(generics)) {
    if (erased.contains(op))
      continue;
    linalg::GenericOp fill = findFill(op);
    if (lowerContraction(op, fill, target))
      erase({op, fill});
  }
  SmallVector<linalg::LinalgOp> ops;
  function.walk([&](linalg::LinalgOp op) { ops.push_back(op); });
  for (linalg::LinalgOp op : ops) {
    rewriter.setInsertionPoint(op);
    FailureOr<linalg::LinalgLoops> loops =
        linalg::linalgOpToLoops(rewriter, op);
    if (failed(loops))
      return op->emitOpError("cannot be written as loops");
    rewriter.eraseOp(op);
    if (!loops->empty())
      stripMineFetches(cast<scf::ForOp>(loops->back()));
  }
  return success();
}
