//===- UnreducedVerifiers.cpp - Do parts of sums stay parts? --------------===//
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

LogicalResult sdy::verifyUnreduced(TensorShardingAttr in,
                                   TensorShardingAttr out, Operation *op,
                                   const UnreducedChange &change,
                                   EmitErrorFn emitError) {
  MeshAttr mesh = out.getMesh(op);
  AxisList before = getAxisList(in.getUnreducedAxes(), mesh);
  AxisList after = getAxisList(out.getUnreducedAxes(), mesh);
  auto getName = [&](const AxisRef &ref) {
    return getAxisRefAttr(op->getContext(), ref, mesh).toString();
  };
  AxisList added = sharding::getDifference(after, before);
  if (!added.empty() && change.introduces != out.getReductionKind())
    return emitError() << "cannot introduce unreduced axis "
                       << getName(added.front()) << " of kind "
                       << stringifyReductionKind(out.getReductionKind());
  AxisList gone = sharding::getDifference(before, after);
  if (!gone.empty() && change.removes != in.getReductionKind())
    return emitError() << "cannot remove unreduced axis "
                       << getName(gone.front()) << " of kind "
                       << stringifyReductionKind(in.getReductionKind());
  if (change.removable)
    gone = sharding::getDifference(gone, *change.removable);
  if (change.removable && !gone.empty())
    return emitError() << "cannot remove unreduced axis "
                       << getName(gone.front())
                       << " that it does not reduce along";
  if (in.getReductionKind() != out.getReductionKind())
    for (const AxisRef &ref : after)
      for (const AxisRef &other : before)
        if (sharding::overlaps(ref, other))
          return emitError()
                 << "cannot change the kind of unreduced axis " << getName(ref)
                 << " from " << stringifyReductionKind(in.getReductionKind())
                 << " to " << stringifyReductionKind(out.getReductionKind());
  return success();
}

LogicalResult sdy::verifyUnreducedReshard(TensorShardingAttr in,
                                          TensorShardingAttr out, Operation *op,
                                          EmitErrorFn emitError) {
  if (!in || in.getMesh(op) != out.getMesh(op))
    return success();
  return verifyUnreduced(
      in, out, op, {ReductionKind::Sum, in.getReductionKind()}, emitError);
}
