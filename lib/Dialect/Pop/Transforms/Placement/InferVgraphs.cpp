//===- InferVgraphs.cpp - Virtual graphs of all values ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program in which ops have virtual graphs. Calls and regions pass values
// only in variables, and these passes created ops without virtual graphs.
// Out: the same program, in which all ops on tensors and refs, all variables
// and all arguments have a virtual graph. Constants are cloned for each virtual
// graph that reads them.
//
//===----------------------------------------------------------------------===//

#include "VgraphInference.h"

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

namespace mlir::pop {
#define GEN_PASS_DEF_INFERVGRAPHSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

/// Reports an operand that nothing copies to the IPU of its reader.
static LogicalResult reportCrossing(OpOperand &operand, int64_t reader,
                                    VgraphUse value) {
  InFlightDiagnostic error = operand.getOwner()->emitOpError()
                             << "reads operand #" << operand.getOperandNumber()
                             << " on virtual graph " << reader
                             << ", but the operand is on virtual graph "
                             << value.vgraph << "; insert 'pop.ipu_copy'";
  error.attachNote(value.loc) << "the operand is placed here";
  return error;
}

LogicalResult mlir::pop::inferVgraphs(ModuleOp module) {
  VgraphInference inference(module);
  if (failed(inference.run(reportCrossing)))
    return failure();
  if (inference.isPlaced()) {
    inference.setVgraphs();
    inference.placeConstants();
  }
  return success();
}

namespace {
struct InferVgraphsPass : pop::impl::InferVgraphsPassBase<InferVgraphsPass> {
  void runOnOperation() override {
    if (failed(inferVgraphs(getOperation())))
      signalPassFailure();
  }
};
} // namespace
