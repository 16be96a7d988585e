//===- OverlapCodeLoads.cpp - Loads of code while tiles compute -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loads of code and compute, with the tiles that they are on.
// Out: the loads that go on while the compute behind them runs are marked
// (pop.overlaps_compute); for the others a remark says which of the five
// conditions of PopXL's user guide ("Optimisation: merging the code load
// operations") does not hold.
//
//===----------------------------------------------------------------------===//

#include "CodeLoads.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"

namespace mlir::pop {
#define GEN_PASS_DEF_OVERLAPCODELOADSPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::pop;

/// Whether `op`, or an op in it, is on I/O tiles.
static bool usesIOTiles(Operation *op) {
  return op
      ->walk([](Operation *inner) {
        return isOnIOTiles(inner) ? WalkResult::interrupt()
                                  : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Whether nothing happens where `op` is: constants, handles, and views.
static bool isFree(Operation *op) {
  return op->hasTrait<OpTrait::ConstantLike>() || isa<GetVariableOp>(op) ||
         (isa<ViewLikeOpInterface>(op) && isMemoryEffectFree(op));
}

namespace {
/// The condition that a load breaks, 1 to 5, and how.
struct Violation {
  int64_t condition;
  std::string text;
};

class OverlapFinder {
public:
  OverlapFinder(RemoteCodeLoadOp load, const GraphEffects &effects)
      : load(load), effects(effects) {}

  /// Finds the compute that `load` overlaps, or the condition in its way.
  std::optional<Violation> find(Operation *&compute);

private:
  /// Whether `op` reads or moves the code that is loaded.
  bool touchesCode(Operation *op) {
    const EffectSummary &summary = effects.getEffects(op);
    return llvm::any_of(
        load.getGraphs().getAsRange<SymbolRefAttr>(), [&](SymbolRefAttr graph) {
          MemoryLocation code =
              MemoryLocation::getResource(CodeResource::get(), graph);
          return summary.mayRead(code) || summary.mayWrite(code);
        });
  }

  RemoteCodeLoadOp load;
  const GraphEffects &effects;
};
} // namespace

static std::string quote(Operation *op) {
  return ("'" + op->getName().getStringRef() + "'").str();
}

std::optional<Violation> OverlapFinder::find(Operation *&compute) {
  if (!isOnIOTiles(load))
    return Violation{3, "the load is not placed on I/O tiles"};
  if (load.getDestination() != CodeLocation::IOBuffer)
    return Violation{
        3, ("the load writes memory of other tiles: expects destination "
            "'io_buffer' but got '" +
            stringifyCodeLocation(load.getDestination()) + "'")
               .str()};
  for (Operation *op = load->getNextNode(); op; op = op->getNextNode()) {
    if (isFree(op))
      continue;
    if (op->hasTrait<OpTrait::IsTerminator>())
      break;
    if (isTransfer(op)) {
      if (touchesCode(op))
        return Violation{1, quote(op) + " uses the code before any compute"};
      if (!usesIOTiles(op))
        return Violation{5, quote(op) +
                                " in between is not placed on I/O tiles and "
                                "cannot be merged with the load"};
      continue;
    }
    if (touchesCode(op))
      return Violation{2, quote(op) + " needs the code that is loaded"};
    if (usesIOTiles(op))
      return Violation{4, quote(op) + " is placed on I/O tiles"};
    const EffectSummary &summary = effects.getEffects(op);
    if (summary.isUnknown() ||
        summary.mayWrite(
            MemoryLocation::getResource(HostStreamResource::get())) ||
        summary.mayWrite(
            MemoryLocation::getResource(RemoteMemoryResource::get())) ||
        summary.mayWrite(MemoryLocation::getResource(CodeResource::get())))
      return Violation{5, quote(op) +
                              " makes transfers that cannot be merged with the "
                              "load"};
    compute = op;
    return std::nullopt;
  }
  return Violation{1, "there is no compute behind the load in its block"};
}

namespace {
struct OverlapCodeLoadsPass
    : pop::impl::OverlapCodeLoadsPassBase<OverlapCodeLoadsPass> {
  void runOnOperation() override {
    const auto &effects = getAnalysis<GraphEffects>();
    getOperation().walk([&](RemoteCodeLoadOp load) { mark(load, effects); });
  }

private:
  void mark(RemoteCodeLoadOp load, const GraphEffects &effects) {
    Operation *compute = nullptr;
    std::optional<Violation> violation =
        OverlapFinder(load, effects).find(compute);
    remark::RemarkOpts options =
        remark::RemarkOpts::name("OverlapCodeLoad").category(kCodeRemarks);
    if (violation) {
      load->removeAttr(PopDialect::kOverlapsComputeAttrName);
      remark::missed(load.getLoc(), options)
          << "the load overlaps no compute: " + violation->text
          << remark::metric("condition", violation->condition);
      return;
    }
    load->setAttr(PopDialect::kOverlapsComputeAttrName,
                  UnitAttr::get(&getContext()));
    remark::passed(load.getLoc(), options)
        << "the load overlaps " + quote(compute);
  }
};
} // namespace
