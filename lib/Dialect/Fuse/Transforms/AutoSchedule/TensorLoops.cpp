//===- TensorLoops.cpp - Loops of one tensor ------------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "TensorLoops.h"

#include "llvm/ADT/SmallVectorExtras.h"

using namespace mlir;
using namespace mlir::fuse;

SmallVector<int64_t> fuse::getReductionLoops(const Schedule &schedule,
                                             TensorId tensor) {
  SmallVector<int64_t> positions;
  for (auto [i, axis] : llvm::enumerate(schedule.getTensor(tensor).loop))
    if (schedule.getAxis(axis).isReduction())
      positions.push_back(i);
  return positions;
}

std::optional<int64_t> fuse::getConstantExtent(const Schedule &schedule,
                                               TensorId tensor,
                                               int64_t position) {
  AffineExpr extent =
      schedule.getAxis(schedule.getTensor(tensor).loop[position]).extent;
  if (auto constant = dyn_cast<AffineConstantExpr>(extent))
    return constant.getValue();
  return std::nullopt;
}

double fuse::getPoints(const Schedule &schedule, ArrayRef<AxisId> axes,
                       const CostParameters &cost) {
  double points = 1;
  for (AxisId axis : axes)
    points *= evaluateExtent(schedule.getAxis(axis).extent, cost);
  return points;
}

std::optional<AxisId> fuse::getContiguousAxis(const Schedule &schedule,
                                              TensorId tensor,
                                              const CostParameters &cost) {
  const Tensor &t = schedule.getTensor(tensor);
  std::optional<AxisId> best;
  double most = -1;
  for (AxisId axis : t.root) {
    double elements = 0;
    for (const Operand &operand : t.operands)
      if (!operand.axes.empty() && operand.axes.back() == axis)
        elements += getPoints(
            schedule,
            llvm::map_to_vector(
                llvm::make_filter_range(
                    operand.axes, [](auto axis) { return axis.has_value(); }),
                [](auto axis) { return *axis; }),
            cost);
    for (ArrayRef<AxisId> logical : t.logical)
      if (!logical.empty() && logical.back() == axis)
        elements += getPoints(schedule, logical, cost);
    if (elements >= most) {
      best = axis;
      most = elements;
    }
  }
  return best;
}

void fuse::sinkLoop(Schedule &schedule, TensorId tensor, int64_t position) {
  SmallVector<int64_t> order;
  int64_t size = schedule.getTensor(tensor).loop.size();
  for (int64_t i = 0; i != size; ++i)
    if (i != position)
      order.push_back(i);
  order.push_back(position);
  schedule.reorder(tensor, order);
}
