//===- ChooseAccumulation.cpp - Choice of accumulation orders ---*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: ops that accumulate, some without an order of accumulation. Out: the same
// ops, which all have an order of accumulation.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Pop/IR/Pop.h"
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h"
#include "mlir/IR/TypeUtilities.h"

namespace mlir::pop {
#define GEN_PASS_DEF_CHOOSEACCUMULATIONPASS
#include "ipu-mlir/Dialect/Pop/Transforms/Passes.h.inc"
} // namespace mlir::pop

using namespace mlir;
using namespace mlir::pop;

namespace {
struct ChooseAccumulationPass
    : pop::impl::ChooseAccumulationPassBase<ChooseAccumulationPass> {
  using ChooseAccumulationPassBase::ChooseAccumulationPassBase;

  void runOnOperation() override {
    Kinds kinds = {accumulation, partials};
    // `kept` counts the sums that have the order of each other choice.
    SmallVector<std::pair<Kinds, int64_t>> kept;
    for (auto other : {AccumulationKind::Blocked, AccumulationKind::Chain})
      for (PartialsKind type : {PartialsKind::F32, PartialsKind::F16})
        kept.emplace_back(Kinds{other, type}, 0);
    getOperation()->walk([&](AccumOpInterface op) {
      AccumAttr order = op.getAccumAttr();
      if (!order)
        return op.setAccumAttr(choose(op, kinds));
      if (!warnsKept || order == choose(op, kinds))
        return;
      auto *it = llvm::find_if(kept, [&](const auto &other) {
        return order == choose(op, other.first);
      });
      if (it != kept.end())
        ++it->second;
    });
    for (auto [other, count] : kept)
      if (count > 0)
        warnKept(kinds, other, count);
  }

private:
  /// A choice of the values of both options.
  struct Kinds {
    AccumulationKind order;
    PartialsKind partials;

    /// Returns the option that has another value in `other`, with its value in
    /// this choice.
    std::pair<StringRef, StringRef> describe(Kinds other) const {
      if (order != other.order)
        return {"accumulation",
                order == AccumulationKind::Blocked ? "blocked" : "chain"};
      return {"partials", partials == PartialsKind::F16 ? "f16" : "f32"};
    }
  };

  static AccumAttr choose(AccumOpInterface op, Kinds kinds) {
    AccumAttr order = kinds.order == AccumulationKind::Blocked
                          ? op.chooseAccum()
                          : op.getDefaultAccum();
    bool isOfF16 = getElementTypeOrSelf(op->getOperand(0)).isF16();
    // Only sums of products have blocks of one lane that are no tree.
    if (kinds.partials == PartialsKind::F32 || !isOfF16 || order.isChain() ||
        order.getLanes() != 1 || order.getBox())
      return order;
    return AccumAttr::get(op->getContext(), order.getOrder(), order.getBlock(),
                          order.getLanes(), order.getGroup(), order.getKernel(),
                          Float16Type::get(op->getContext()), /*box=*/nullptr);
  }

  void warnKept(Kinds kinds, Kinds other, int64_t count) {
    auto [option, value] = kinds.describe(other);
    emitWarning(getOperation()->getLoc())
        << "'" << option << "=" << value << "' has no effect on " << count
        << " sums, for which an earlier pass chose the orders of '"
        << other.describe(kinds).second
        << "'; expects the option on the pass or pipeline that chooses first";
  }
};
} // namespace
