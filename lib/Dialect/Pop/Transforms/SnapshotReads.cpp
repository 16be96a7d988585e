//===- SnapshotReads.cpp - Copies of overwritten reads ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: functions that read refs. Out: the same functions, where a tensor that is
// read is copied if the ref may change before its last use. All other reads can
// share the ref's storage.
//
//===----------------------------------------------------------------------===//

#include "OverwrittenReads.h"
#include "ipu-mlir/Dialect/Pop/IR/PopBuilder.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_SNAPSHOTREADSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

namespace {
struct SnapshotReads : pop::impl::SnapshotReadsPassBase<SnapshotReads> {
  void runOnOperation() override {
    SmallVector<ReadOp> overwritten =
        findOverwrittenReads(getOperation(), GraphEffects(getOperation()));
    for (ReadOp read : overwritten) {
      PopBuilder b(read);
      b.setInsertionPointAfter(read);
      auto copy = CopyOp::create(b, read.getLoc(), read.getResult());
      read.getResult().replaceAllUsesExcept(copy.getResult(), copy);
    }
    if (overwritten.empty())
      markAllAnalysesPreserved();
  }
};
} // namespace
