//===- AutoVgraph.cpp - Placement of programs on IPUs -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a program without virtual graphs. Out: the same program, in which each op
// is on one of the IPUs of a replica. Copies between the IPUs are not inserted.
//
//===----------------------------------------------------------------------===//

#include "SplitProgram.h"

#include "ipu-mlir/Dialect/IPU/IR/IPU.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/VirtualGraphs.h"
#include "ipu-mlir/Placement/Passes.h"
#include "mlir/IR/Remarks.h"

#include <cmath>

namespace mlir::ipu {
#define GEN_PASS_DEF_AUTOVGRAPHPASS
#include "ipu-mlir/Placement/Passes.h.inc"
} // namespace mlir::ipu

using namespace mlir;
using namespace mlir::ipu;

/// The greatest number of bytes for each byte of a weight.
static constexpr int64_t kMaxWeightFactor = 1000;

namespace {
struct AutoVgraphPass : ipu::impl::AutoVgraphPassBase<AutoVgraphPass> {
  using AutoVgraphPassBase::AutoVgraphPassBase;

  void runOnOperation() override {
    TargetModel target = getTargetModel(getOperation());
    int64_t numIPUs = target.ipus;
    if (failed(checkOptions(numIPUs)) || failed(checkEntry()) ||
        failed(checkUnplaced()))
      return signalPassFailure();
    target.ipus = 1;
    SplitProgram program(getOperation(), target, {training, weightFactor});
    if (!program.hasOps())
      return program.place(ArrayRef<unsigned>());
    if (method == SplitMethod::Balanced)
      placeBalanced(program, numIPUs);
    else if (failed(placeSegments(program, numIPUs)))
      signalPassFailure();
  }

private:
  InFlightDiagnostic emitOptionError() {
    return getOperation().emitError() << "'" << getArgument() << "' expects ";
  }

  LogicalResult checkOptions(int64_t numIPUs) {
    if (std::isnan(weightFactor) || weightFactor < 1 ||
        weightFactor > kMaxWeightFactor)
      return emitOptionError()
             << "option 'weight-factor' to be from 1 to " << kMaxWeightFactor
             << " but got "
             << llvm::formatv("{0}", weightFactor.getValue()).str();
    if (!llvm::isUInt<31>(microBatches))
      return emitOptionError()
             << "option 'micro-batches' to be from 0 to 2147483647 but got "
             << microBatches.getValue();
    if (microBatches > 0 && !training)
      return emitOptionError()
             << "option 'training' with option 'micro-batches', because only a "
                "backward pass needs activations again";
    if (ratios.empty())
      return success();
    if (method != SplitMethod::Segments)
      return emitOptionError()
             << "option 'method' to be 'segments' if there are ratios";
    if (static_cast<int64_t>(ratios.size()) != numIPUs)
      return emitOptionError()
             << "one ratio for each of the " << numIPUs
             << " IPUs of a replica but got " << ratios.size();
    double sum = 0;
    for (double ratio : ratios) {
      if (std::isnan(ratio) || ratio <= 0 || ratio > 1)
        return emitOptionError() << "ratios between 0 and 1 but got "
                                 << llvm::formatv("{0}", ratio).str();
      sum += ratio;
    }
    if (std::abs(sum - 1) > 1e-6)
      return emitOptionError()
             << "ratios with sum 1 but got " << llvm::formatv("{0}", sum).str();
    return success();
  }

  LogicalResult checkEntry() {
    ModuleOp module = getOperation();
    if (getMainFunction(module) || module.getOps<FunctionOpInterface>().empty())
      return success();
    return emitOptionError()
           << "a function 'main', because the module has several functions";
  }

  LogicalResult checkUnplaced() {
    WalkResult result = getOperation().walk([&](Operation *op) {
      if (!pop::getStage(op))
        return WalkResult::advance();
      op->emitOpError() << "is in a pipeline stage, but '" << getArgument()
                        << "' expects a program without stages, because the "
                           "ops of a stage are on one IPU; remove attribute '"
                        << pop::PopDialect::kStageAttrName << "'";
      return WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
    std::optional<pop::VgraphUse> use = pop::findFirstVgraph(getOperation());
    if (!use)
      return success();
    InFlightDiagnostic error =
        emitOptionError() << "a program without virtual graphs; remove them "
                             "with 'pop-remove-vgraphs'";
    error.attachNote(use->loc) << "this is on virtual graph " << use->vgraph;
    return error;
  }

  remark::detail::InFlightRemark emitRemark(const SplitProgram &program,
                                            int64_t numIPUs) {
    remark::detail::InFlightRemark result = remark::passed(
        getOperation().getLoc(),
        remark::RemarkOpts::name("AutoVgraph").category("pop-graph"));
    result << "each IPU has a part of the program"
           << remark::metric("ipus", numIPUs)
           << remark::metric("copied-bytes", program.getCopiedBytes());
    return result;
  }

  /// Sets, for each number of IPUs after an IPU, the number of micro-batches
  /// whose activations the IPU keeps in a pipeline.
  void setSavedCounts(SplitProblem &problem, int64_t numIPUs) {
    if (microBatches == 0)
      return;
    // Each IPU has a stage of the forward and one of the backward pass, which
    // are one stage on the last IPU with `popart`.
    auto numForward = static_cast<unsigned>(numIPUs);
    unsigned firstBackward =
        schedule == pop::PipelineKind::Popart ? numForward - 1 : numForward;
    pop::PipelineSchedule pipeline(schedule, firstBackward + numForward,
                                   numForward);
    for (unsigned after = 0; after < numForward; ++after)
      problem.savedCounts.push_back(std::min<int64_t>(
          microBatches,
          pipeline.getNumSlots(numForward - 1 - after, /*isCopy=*/false,
                               firstBackward + after, microBatches)));
    // No sum of bytes overflows. A part with so many bytes fits nowhere.
    int64_t most = *llvm::max_element(problem.savedCounts) *
                   static_cast<int64_t>(problem.units.size() + 1);
    for (SplitUnit &unit : problem.units)
      unit.savedBytes = std::min(unit.savedBytes, INT64_MAX / 8 / most);
  }

  void placeBalanced(SplitProgram &program, int64_t numIPUs) {
    SplitProblem problem = program.getProblem();
    setSavedCounts(problem, numIPUs);
    SmallVector<SplitPart> parts = findBalancedSplit(problem, numIPUs);
    program.place(parts);
    int64_t slowest = 0, fullest = 0, all = 0;
    for (const SplitPart &part : parts) {
      slowest = std::max(slowest, part.cycles);
      fullest = std::max(fullest, part.bytes);
      all += part.cycles;
    }
    emitRemark(program, parts.size())
        << remark::metric("cycles-of-slowest", slowest)
        << remark::metric("cycles-of-all", all)
        << remark::metric("bytes-of-fullest", fullest)
        << remark::metric("bytes-of-memory", problem.memory);
  }

  LogicalResult placeSegments(SplitProgram &program, int64_t numIPUs) {
    SmallVector<double> shares(ratios.begin(), ratios.end());
    if (shares.empty())
      shares.assign(numIPUs, 1.0 / static_cast<double>(numIPUs));
    llvm::Expected<SmallVector<unsigned, 0>> parts =
        splitSegments(program.getSegmentOps(), shares);
    if (llvm::Error error = parts.takeError())
      return getMainFunction(getOperation())->emitError()
             << "the program " << llvm::toString(std::move(error))
             << "; use fewer IPUs, or 'method=balanced'";
    program.place(*parts);
    emitRemark(program, numIPUs);
    return success();
  }
};
} // namespace
