//===- OverlapCodeLoads.cpp - Code loads that overlap compute -------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: loads of code and compute, with their sets of tiles.
// Out: loads that are executed at the same time as the following compute have a
// mark (pop.overlaps_compute). For each other load, a remark names a violated
// condition, one of the five conditions of PopXL's user guide ("Optimisation:
// merging the code load operations").
//
//===----------------------------------------------------------------------===//

#include "CodeLoads.h"
#include "ipu-mlir/Dialect/Pop/IR/Placement.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SmallPtrSet.h"

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

/// Looks along the paths after a load for the compute that it overlaps.
class OverlapFinder {
public:
  OverlapFinder(RemoteCodeLoadOp load, const GraphEffects &effects)
      : load(load), effects(effects) {}

  /// Finds the compute that `load` overlaps, or the condition in its way.
  std::optional<Violation> find(Operation *&compute);

private:
  /// What a part of a path is: nothing that matters, compute, or in the way.
  enum class Part { Free, Compute, Wrong };

  Part fail(int64_t condition, std::string text) {
    if (!violation)
      violation = Violation{condition, std::move(text)};
    return Part::Wrong;
  }
  Part scan(Operation *op);
  Part scanTransfer(Operation *op);
  std::optional<Violation> findWrong(Operation *op);
  Part scanInside(Operation *op);
  Part scanFrom(Operation *op);
  Part scanAfter(Operation *op);
  Part scanRest(Operation *last);
  Part scanAfterCalls(FunctionOpInterface function);
  /// Of paths of which one is taken.
  static Part unite(Part a, Part b) { return std::max(a, b); }

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
  Operation *compute = nullptr;
  std::optional<Violation> violation;
  llvm::SmallPtrSet<Operation *, 4> left;
};
} // namespace

OverlapFinder::Part OverlapFinder::scanTransfer(Operation *op) {
  if (touchesCode(op))
    return fail(1, describeOp(op) + " uses the code before any compute");
  if (!usesIOTiles(op))
    return fail(5, describeOp(op) +
                       " between the load and the compute is not placed on "
                       "I/O tiles and cannot be merged with the load");
  return Part::Free;
}

/// Why `op`, with all that is in it, is not what the load overlaps.
std::optional<Violation> OverlapFinder::findWrong(Operation *op) {
  if (touchesCode(op))
    return Violation{2, describeOp(op) + " needs the code that is loaded"};
  if (usesIOTiles(op))
    return Violation{4, describeOp(op) + " is placed on I/O tiles"};
  const EffectSummary &summary = effects.getEffects(op);
  if (summary.isUnknown() ||
      summary.mayWrite(
          MemoryLocation::getResource(HostStreamResource::get())) ||
      summary.mayWrite(
          MemoryLocation::getResource(RemoteMemoryResource::get())) ||
      summary.mayWrite(MemoryLocation::getResource(CodeResource::get())))
    return Violation{5, describeOp(op) +
                            " makes transfers that cannot be merged with the "
                            "load"};
  return std::nullopt;
}

/// What `op` does first decides.
OverlapFinder::Part OverlapFinder::scanInside(Operation *op) {
  if (auto call = dyn_cast<CallOpInterface>(op)) {
    FunctionOpInterface callee = effects.getCalls().getCallee(call);
    bool isLoaded =
        callee &&
        llvm::any_of(load.getGraphs().getAsRange<SymbolRefAttr>(),
                     [&](SymbolRefAttr graph) {
                       return graph.getLeafReference() == callee.getName();
                     });
    if (!callee || callee.isExternal() || isLoaded ||
        !callee.getFunctionBody().hasOneBlock())
      return Part::Wrong;
    return scanFrom(&callee.getFunctionBody().front().front());
  }
  if (!isa<RegionBranchOpInterface>(op))
    return Part::Wrong;
  Part part = Part::Free;
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    if (!region.hasOneBlock() || region.front().empty())
      return Part::Wrong;
    part = unite(part, scanFrom(&region.front().front()));
  }
  return part;
}

OverlapFinder::Part OverlapFinder::scan(Operation *op) {
  if (isFree(op))
    return Part::Free;
  if (isTransfer(op))
    return scanTransfer(op);
  std::optional<Violation> wrong = findWrong(op);
  if (!wrong) {
    if (!compute)
      compute = op;
    return Part::Compute;
  }
  Part part = scanInside(op);
  // What is in it tells more, if it knows.
  return part == Part::Wrong ? fail(wrong->condition, wrong->text) : part;
}

/// From `op` to the end of its block.
OverlapFinder::Part OverlapFinder::scanFrom(Operation *op) {
  for (; op && !op->hasTrait<OpTrait::IsTerminator>(); op = op->getNextNode())
    if (Part part = scan(op); part != Part::Free)
      return part;
  return Part::Free;
}

/// From after `op` on, also out of its block.
OverlapFinder::Part OverlapFinder::scanAfter(Operation *op) {
  Part part = op->getNextNode() ? scanFrom(op->getNextNode()) : Part::Free;
  return part == Part::Free ? scanRest(op) : part;
}

/// Out of the block of `last`.
OverlapFinder::Part OverlapFinder::scanRest(Operation *last) {
  Operation *parent = last->getParentOp();
  if (auto function = dyn_cast<FunctionOpInterface>(parent))
    return scanAfterCalls(function);
  // What is in an exchange happens at once, as one transfer.
  if (!isa<RegionBranchOpInterface>(parent) || isa<RemoteExchangeOp>(parent) ||
      !left.insert(parent).second)
    return Part::Free;
  Part part = Part::Free;
  if (isa<LoopLikeOpInterface>(parent))
    // The next iteration comes back to the load, unless it meets compute.
    for (Region &region : parent->getRegions())
      part = unite(part, scanFrom(&region.front().front()));
  return part == Part::Wrong ? part : unite(part, scanAfter(parent));
}

OverlapFinder::Part
OverlapFinder::scanAfterCalls(FunctionOpInterface function) {
  if (!left.insert(function).second)
    return Part::Free;
  Part part = Part::Free;
  for (CallOpInterface call : effects.getCalls().getCallsOf(function))
    part = unite(part, scanAfter(call));
  return part;
}

std::optional<Violation> OverlapFinder::find(Operation *&found) {
  if (!isOnIOTiles(load))
    return Violation{3, "the load is not placed on I/O tiles"};
  if (load.getDestination() != CodeLocation::IOBuffer)
    return Violation{
        3, ("the load writes memory of other tiles: expects destination "
            "'io_buffer' but got '" +
            stringifyCodeLocation(load.getDestination()) + "'")
               .str()};
  switch (scanAfter(load)) {
  case Part::Compute:
    found = compute;
    return std::nullopt;
  case Part::Wrong:
    return violation;
  case Part::Free:
    return Violation{1, "there is no compute after the load"};
  }
  llvm_unreachable("covers all parts");
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
        << "the load overlaps " + describeOp(compute);
  }
};
} // namespace
