//===- VerifyReplicas.cpp - Groups and the target's replicas ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a module of pop functions for a target.
// Out: the same; an error at each op that is not one for as many replicas as
// the target has.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Conversion/PopToIPU/Passes.h"
#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/PopGraph.h"

namespace mlir::ipu {
#define GEN_PASS_DEF_VERIFYREPLICASPASS
#include "ipu-mlir/Conversion/PopToIPU/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

namespace {
struct VerifyReplicas : ipu::impl::VerifyReplicasPassBase<VerifyReplicas> {
  void runOnOperation() override {
    markAllAnalysesPreserved();
    int64_t replicas = getTargetModel(getOperation()).replicas;
    getOperation()->walk([&](pop::ReplicatedOpInterface op) {
      if (failed(op.verifyReplicas(replicas)))
        signalPassFailure();
    });
  }
};
} // namespace
