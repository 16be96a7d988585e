//===- InferStages.cpp - Pipeline stages from virtual graphs ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a placed program without pipeline stages. Out: the same program, in which
// the stage of each op is its virtual graph.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/Transforms/ValueSources.h"

#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"

namespace mlir::pop {
#define GEN_PASS_DEF_INFERSTAGESPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
struct InferStagesPass : pop::impl::InferStagesPassBase<InferStagesPass> {
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    getOperation()->walk([&](Operation *op) {
      if (needsPlacement(op))
        ops.push_back(op);
    });
    auto *staged = llvm::find_if(ops, getStage);
    if (staged == ops.end()) {
      if (failed(setStages(ops)))
        return signalPassFailure();
      moveCopies(ops);
      if (failed(verifyOrder(ops)))
        signalPassFailure();
    } else if (failed(verifyStaged(ops, *staged))) {
      signalPassFailure();
    }
  }

private:
  /// Fails if only some of `ops` have stages. `staged` is the first one.
  static LogicalResult verifyStaged(ArrayRef<Operation *> ops,
                                    Operation *staged) {
    for (Operation *op : ops) {
      if (getStage(op))
        continue;
      InFlightDiagnostic error =
          op->emitOpError()
          << "expects attribute '" << PopDialect::kStageAttrName
          << "', because another op has it; state the stages of all ops or of "
             "none";
      error.attachNote(staged->getLoc()) << "this op is in a stage";
      return error;
    }
    return success();
  }

  static LogicalResult setStages(ArrayRef<Operation *> ops) {
    for (Operation *op : ops) {
      std::optional<int64_t> vgraph = getVgraphOfResults(op);
      if (!vgraph)
        return op->emitOpError()
               << "expects attribute '" << PopDialect::kVgraphAttrName
               << "', from which its stage follows; 'pop-auto-vgraph' and "
                  "'pop-place-graphs' place programs";
      op->setAttr(PopDialect::kStageAttrName,
                  Builder(op).getI64IntegerAttr(*vgraph));
    }
    return success();
  }

  /// Moves copies that copy a value back to the stage of the value.
  void moveCopies(ArrayRef<Operation *> ops) {
    ValueSources sources(getOperation());
    for (Operation *op : ops) {
      if (!isa<IpuCopyOp>(op))
        continue;
      std::optional<int64_t> latest = getStage(op);
      for (Value operand : op->getOperands())
        for (const ValueSources::Source &source :
             sources.find(operand, /*ofEarlierIterations=*/false))
          latest = std::max(latest, source.stage);
      op->setAttr(PopDialect::kStageAttrName,
                  Builder(op).getI64IntegerAttr(*latest));
    }
  }

  /// Fails if a value flows to an earlier stage, except in a later iteration
  /// of a loop.
  LogicalResult verifyOrder(ArrayRef<Operation *> ops) {
    ValueSources sources(getOperation());
    for (Operation *op : ops) {
      std::optional<int64_t> to = getStage(op);
      for (Value operand : op->getOperands()) {
        for (const ValueSources::Source &source :
             sources.find(operand, /*ofEarlierIterations=*/false)) {
          if (!source.stage || *source.stage <= *to)
            continue;
          InFlightDiagnostic error =
              op->emitOpError()
              << "is on virtual graph " << *to << " and so in stage " << *to
              << ", but reads a result of stage " << *source.stage
              << "; place it on virtual graph " << *source.stage
              << " or a later one, or state 'pop.stage' of all ops";
          error.attachNote(source.loc) << "the result is defined here";
          return error;
        }
      }
    }
    return success();
  }
};
} // namespace
