//===- UnreducedVerifiers.cpp - Verifiers of unreduced axes ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SdyDetail.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::sdy;
using sharding::AxisList;
using sharding::AxisRef;

std::optional<std::string>
sdy::findUnreducedFault(TensorShardingAttr in, TensorShardingAttr out,
                        Operation *op, const UnreducedChange &change) {
  MeshAttr mesh = out.getMesh(op);
  AxisList before = getAxisList(in.getUnreducedAxes(), mesh);
  AxisList after = getAxisList(out.getUnreducedAxes(), mesh);
  auto describe = [&](StringRef what, const AxisRef &ref) {
    return (what + " unreduced axis " +
            getAxisRefAttr(op->getContext(), ref, mesh).toString())
        .str();
  };
  std::string kindBefore = stringifyReductionKind(in.getReductionKind()).str();
  std::string kindAfter = stringifyReductionKind(out.getReductionKind()).str();
  AxisList added = sharding::getDifference(after, before);
  if (!added.empty() && change.introduces != out.getReductionKind())
    return describe("cannot introduce", added.front()) + " of kind " +
           kindAfter;
  AxisList gone = sharding::getDifference(before, after);
  if (!gone.empty() && change.removes != in.getReductionKind())
    return describe("cannot remove", gone.front()) + " of kind " + kindBefore;
  if (change.removable)
    gone = sharding::getDifference(gone, *change.removable);
  if (change.removable && !gone.empty())
    return describe("cannot remove", gone.front()) +
           " that it does not reduce along";
  if (in.getReductionKind() != out.getReductionKind())
    for (const AxisRef &ref : after)
      for (const AxisRef &other : before)
        if (sharding::overlaps(ref, other))
          return describe("cannot change the kind of", ref) + " from " +
                 kindBefore + " to " + kindAfter;
  return std::nullopt;
}

std::optional<std::string>
sdy::findUnreducedReshardFault(TensorShardingAttr in, TensorShardingAttr out,
                               Operation *op) {
  if (!in || in.getMesh(op) != out.getMesh(op))
    return std::nullopt;
  return findUnreducedFault(in, out, op,
                            {ReductionKind::Sum, in.getReductionKind()});
}
