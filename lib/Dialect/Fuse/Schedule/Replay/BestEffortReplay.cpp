//===- BestEffortReplay.cpp - Replay of common transforms -------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "BestEffortReplay.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;
using namespace mlir::fuse;

Forwarding Forwarding::compute(const Schedule &schedule, ArrayRef<AxisId> loop,
                               ArrayRef<AxisId> own) {
  Forwarding result;
  if (own.empty())
    return result;
  AxisSet lacking(own.begin(), own.end());
  for (ExprId id : schedule.getHistory(loop)) {
    const AxisExpr &expr = schedule.getExpr(id);
    auto isLacking = [&](AxisId axis) { return lacking.contains(axis); };
    if (llvm::all_of(expr.inputs, isLacking)) {
      lacking.insert(expr.outputs.begin(), expr.outputs.end());
    } else if (llvm::any_of(expr.inputs, isLacking)) {
      AxisId mine = expr.inputs[isLacking(expr.inputs[0]) ? 0 : 1];
      AxisId other = expr.inputs[isLacking(expr.inputs[0]) ? 1 : 0];
      result.forward[other] = expr.outputs.front();
      result.complement[other] = mine;
    }
  }
  return result;
}

AxisId Forwarding::getEnd(AxisId axis) const {
  for (auto it = forward.find(axis); it != forward.end();
       it = forward.find(axis))
    axis = it->second;
  return axis;
}

bool Forwarding::pass(const AxisExpr &expr,
                      llvm::MapVector<AxisId, AxisId> &map) const {
  bool isForwarded = false;
  for (AxisId input : expr.inputs) {
    if (!forward.contains(input))
      continue;
    isForwarded = true;
    auto *it = map.find(input);
    if (it == map.end())
      continue;
    AxisId image = it->second;
    map.erase(it);
    map[getEnd(input)] = image;
  }
  return isForwarded;
}

BestEffortReplay::BestEffortReplay(const Schedule &schedule,
                                   const Request &request,
                                   llvm::MapVector<AxisId, AxisId> initial)
    : map(std::move(initial)), schedule(schedule), request(request) {
  for (auto [target, replay] : map)
    leaves.insert(replay);
  for (ExprId id : schedule.getHistory(request.replayLoop))
    for (AxisId axis : schedule.getExpr(id).inputs)
      uses[axis] = id;
  for (ExprId id : request.frozen)
    frozenInputs.insert(schedule.getExpr(id).inputs.begin(),
                        schedule.getExpr(id).inputs.end());
  for (ExprId id : schedule.getHistory(request.targets, request.targetRoots))
    visit(schedule.getExpr(id));
  keepMerged();
  addComplementLeaves();
}

// A loop of the replay side that is an axis merged with ones that the target
// lacks is as good as the axis: there is no need to take the merge apart.
void BestEffortReplay::keepMerged() {
  if (!request.replayForwarding)
    return;
  for (AxisId target : request.targets) {
    auto *it = map.find(target);
    if (it == map.end() || !leaves.contains(it->second))
      continue;
    AxisId merged = request.replayForwarding->getEnd(it->second);
    if (merged == it->second || !llvm::is_contained(request.replayLoop, merged))
      continue;
    forwarded.push_back(it->second);
    leaves.erase(it->second);
    leaves.insert(merged);
    it->second = merged;
  }
}

void BestEffortReplay::contradict(ArrayRef<AxisId> axes) {
  for (AxisId axis : axes)
    if (!contradicted && frozenInputs.contains(axis))
      contradicted = axis;
}

void BestEffortReplay::visit(const AxisExpr &expr) {
  if (request.targetForwarding && request.targetForwarding->pass(expr, map))
    return;

  SmallVector<AxisId> images, inputs;
  for (AxisId input : expr.inputs) {
    auto *it = map.find(input);
    if (it == map.end())
      continue;
    images.push_back(it->second);
    inputs.push_back(request.replayForwarding
                         ? request.replayForwarding->getEnd(it->second)
                         : it->second);
  }
  if (images.size() != expr.inputs.size())
    return contradict(inputs);

  auto use = uses.find(inputs.front());
  if (use == uses.end())
    return;
  const AxisExpr &found = schedule.getExpr(use->second);
  if (!found.isSameTransform(expr) || found.inputs != inputs)
    return contradict(inputs);

  for (auto [image, input] : llvm::zip_equal(images, inputs)) {
    if (image != input)
      forwarded.push_back(image);
    leaves.erase(image);
    leaves.erase(input);
  }
  for (auto [output, image] : llvm::zip_equal(expr.outputs, found.outputs)) {
    map[output] = image;
    leaves.insert(image);
  }
}

// An axis that was merged into a forwarded one may itself be a part of a split,
// whose other part is a leaf.
void BestEffortReplay::addComplementLeaves() {
  SmallVector<AxisId> complements;
  for (AxisId axis : forwarded)
    for (auto it = request.replayForwarding->forward.find(axis);
         it != request.replayForwarding->forward.end();
         it = request.replayForwarding->forward.find(it->second))
      complements.push_back(request.replayForwarding->complement.at(it->first));
  AxisList parts;
  for (ExprId id : schedule.getHistory(complements)) {
    const AxisExpr &expr = schedule.getExpr(id);
    for (AxisId input : expr.inputs)
      parts.erase(input);
    for (AxisId output : expr.outputs)
      if (!llvm::is_contained(complements, output))
        parts.insert(output);
  }
  for (AxisId axis : parts.take())
    leaves.insert(axis);
}
