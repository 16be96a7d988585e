//===- InferStages.cpp - Pipeline stages from virtual graphs ----*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a placed program without pipeline stages. Out: the same program, in which
// the stage of each op is its virtual graph or, on request, a further stage if
// the op reads a value of a later stage.
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
  using InferStagesPassBase::InferStagesPassBase;

  void runOnOperation() override {
    SmallVector<Operation *> ops = collectOps();
    auto *staged = llvm::find_if(ops, getStage);
    if (staged == ops.end()) {
      if (failed(setStages(ops)))
        return signalPassFailure();
      if (furtherStages)
        addStages(ops);
      moveCopies(ops);
      if (failed(verifyOrder(ops)))
        signalPassFailure();
    } else if (failed(verifyStaged(ops, *staged))) {
      signalPassFailure();
    }
  }

private:
  /// Returns the ops that get a stage, in the order of the program. The ops of
  /// a function that is not placed get the stages of its calls later.
  SmallVector<Operation *> collectOps() {
    SmallVector<Operation *> ops;
    ipu::FunctionCalls calls(getOperation());
    getOperation()->walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (auto function = dyn_cast<FunctionOpInterface>(op))
        if (!findFirstVgraph(function) &&
            llvm::any_of(calls.getCallsOf(function), isPlacedCall))
          return WalkResult::skip();
      if (needsPlacement(op) || isPlacedCall(op))
        ops.push_back(op);
      return WalkResult::advance();
    });
    return ops;
  }

  static bool isPlacedCall(Operation *op) {
    return isa<CallOpInterface>(op) && getVgraph(op);
  }

  /// Fails if only some of `ops` have stages. `staged` is the first one.
  static LogicalResult verifyStaged(ArrayRef<Operation *> ops,
                                    Operation *staged) {
    for (Operation *op : ops) {
      if (getStage(op) || isPlacedCall(op))
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

  /// Moves ops that read values of later stages to further stages, each of
  /// which has one virtual graph.
  void addStages(ArrayRef<Operation *> ops) {
    SmallVector<int64_t> vgraphs;
    for (Operation *op : ops)
      for (int64_t stage = *getStage(op);
           stage >= static_cast<int64_t>(vgraphs.size());)
        vgraphs.push_back(vgraphs.size());
    ValueSources sources(getOperation());
    for (Operation *op : ops) {
      int64_t vgraph = *getStage(op);
      int64_t stage = vgraph;
      for (Value operand : op->getOperands())
        for (const ValueSources::Source &source :
             sources.find(operand, /*ofEarlierIterations=*/false))
          stage = std::max(stage, source.stage.value_or(0));
      while (stage < static_cast<int64_t>(vgraphs.size()) &&
             vgraphs[stage] != vgraph)
        ++stage;
      if (stage == static_cast<int64_t>(vgraphs.size()))
        vgraphs.push_back(vgraph);
      op->setAttr(PopDialect::kStageAttrName,
                  Builder(op).getI64IntegerAttr(stage));
    }
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
