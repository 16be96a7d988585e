//===- LoopTypes.cpp - Legality of loop types -------------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/LoopNest.h"

#include "llvm/ADT/BitVector.h"

using namespace mlir;
using namespace mlir::fuse;

/// The lanes of a vectorized loop are constant, and not too many.
static MaybeViolation verifyLanes(const Schedule &schedule,
                                  const LoopClass &loopClass) {
  auto extent = dyn_cast<AffineConstantExpr>(loopClass.extent);
  if (extent && extent.getValue() <= kMaxLanes)
    return std::nullopt;
  TensorId tensor = loopClass.members.front().tensor;
  Violation violation;
  violation.tensor = tensor;
  violation.text =
      "vectorized axis '" + schedule.getAxis(loopClass.promoted).name +
      "' of tensor '" + schedule.getTensor(tensor).name +
      "' expects a constant extent of at most " + std::to_string(kMaxLanes) +
      " but got " +
      (extent ? std::to_string(extent.getValue()) : "one that is not constant");
  return violation;
}

namespace {
/// What a part of the nest computes, and what it stores inside of it.
struct Contents {
  SmallVector<TensorId> computed;
  llvm::BitVector isStored;
};
} // namespace

static void collect(const LoopNode &node, Contents &contents) {
  if (node.kind == LoopNode::Kind::Alloc)
    contents.isStored.set(node.tensor);
  else if (node.kind == LoopNode::Kind::Compute)
    contents.computed.push_back(node.tensor);
  for (const LoopNode &child : node.body)
    collect(child, contents);
}

/// No two iterations of a parallel loop write one element.
static MaybeViolation verifyParallel(const Schedule &schedule,
                                     const LoopClass &loopClass,
                                     const LoopNode &node) {
  auto makeViolation = [&](TensorId tensor, StringRef text) {
    Violation violation;
    violation.tensor = tensor;
    violation.text = "tensor '" + schedule.getTensor(tensor).name +
                     "' in the parallel loop '" +
                     schedule.getAxis(loopClass.promoted).name + "' " +
                     text.str();
    return violation;
  };
  llvm::BitVector isMember(schedule.getNumTensors());
  for (const LoopClass::Member &member : loopClass.members) {
    AxisId axis = schedule.getTensor(member.tensor).loop[member.position];
    if (schedule.getAxis(axis).isReduction())
      return makeViolation(
          member.tensor,
          "reduces over this loop; expects a loop over an axis of the result");
    isMember.set(member.tensor);
  }
  Contents contents{{}, llvm::BitVector(schedule.getNumTensors())};
  collect(node, contents);
  for (TensorId tensor : contents.computed)
    if (!isMember.test(tensor) && !contents.isStored.test(tensor))
      return makeViolation(tensor, "is not divided by this loop: several "
                                   "iterations would write the same element");
  return std::nullopt;
}

static MaybeViolation verifyNodes(const Schedule &schedule,
                                  const LoopClasses &classes,
                                  ArrayRef<LoopNode> nodes) {
  for (const LoopNode &node : nodes) {
    if (node.kind != LoopNode::Kind::Loop)
      continue;
    const LoopClass &loopClass = classes[node.loopClass];
    if (loopClass.type == LoopType::Parallel)
      if (MaybeViolation violation = verifyParallel(schedule, loopClass, node))
        return violation;
    if (MaybeViolation violation = verifyNodes(schedule, classes, node.body))
      return violation;
  }
  return std::nullopt;
}

MaybeViolation mlir::fuse::verifyLoopTypes(const Schedule &schedule,
                                           const LoopClasses &classes,
                                           const LoopNest &nest) {
  for (ClassId id = 0; id < classes.size(); ++id)
    if (classes[id].type == LoopType::Vectorize)
      if (MaybeViolation violation = verifyLanes(schedule, classes[id]))
        return violation;
  return verifyNodes(schedule, classes, nest.body);
}
