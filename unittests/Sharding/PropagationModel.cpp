//===- PropagationModel.cpp - Slow model of factor propagation ------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingModel.h"

#include <algorithm>
#include <numeric>
#include <tuple>

using namespace mlir;
using namespace mlir::ipu::sharding;
using namespace mlir::ipu::sharding::model;

//===----------------------------------------------------------------------===//
// Axes on which all tensors agree
//===----------------------------------------------------------------------===//

/// Merges two lists element by element. If one of two corresponding axes is a
/// prefix of the other, and further axes follow it, the list ends with it.
static void merge(Axes &acc, const Axes &list, bool &canExpand) {
  size_t i = 0;
  for (; i < acc.size() && i < list.size(); ++i) {
    AxisRef old = acc[i], added = list[i];
    if (old == added)
      continue;
    bool hasMore = false, isLonger = false;
    if (old.axis == added.axis && isPrefix(added, old)) {
      hasMore = i + 1 < list.size();
    } else if (old.axis == added.axis && isPrefix(old, added)) {
      hasMore = !canExpand || i + 1 < acc.size();
      isLonger = true;
    } else {
      acc.resize(i);
      canExpand = false;
      return;
    }
    if (hasMore) {
      acc[i] = isLonger ? old : added;
      acc.resize(i + 1);
      canExpand = false;
      return;
    }
    if (isLonger)
      acc[i] = added;
  }
  if (canExpand)
    for (; i < list.size(); ++i)
      acc.push_back(list[i]);
}

Axes model::getCompatible(const Tensors &tensors, unsigned factor,
                          const Setting &setting) {
  Direction direction = setting.getDirection(factor);
  if (direction == Direction::None)
    return {};
  size_t numOperands = setting.rule.operands.size();
  std::vector<size_t> groups[2];
  for (size_t i = 0; i < tensors.size(); ++i)
    groups[(i < numOperands) == (direction != Direction::Backward) ? 0 : 1]
        .push_back(i);
  Axes acc;
  bool canExpand = true;
  for (int group = 0; group < 2; ++group) {
    if (group == 1 && direction != Direction::Both)
      canExpand = false;
    for (size_t i : groups[group])
      if (auto it = tensors[i].factors.find(factor);
          it != tensors[i].factors.end())
        merge(acc, it->second.axes, canExpand);
  }
  return acc;
}

//===----------------------------------------------------------------------===//
// Conflicts
//===----------------------------------------------------------------------===//

static std::optional<AxisRef> cutAcross(std::optional<AxisRef> a,
                                        const Tensor &tensor, unsigned factor) {
  for (const auto &[index, other] : tensor.factors) {
    if (index == factor)
      continue;
    a = cut(a, other.overflow);
    a = cut(a, other.axes);
  }
  return a;
}

static std::optional<AxisRef> cutWithin(AxisRef axis, const Tensor &tensor,
                                        unsigned index, int64_t prev,
                                        const Setting &setting) {
  std::optional<AxisRef> a =
      cut(cut(axis, tensor.replicated), tensor.unreduced);
  if (!a)
    return a;
  const FactorState &factor = tensor.factors.at(index);
  for (AxisRef own : factor.axes)
    if (doesContain(own, *a))
      return a;
  if (!factor.isClosed && factor.overflow.empty()) {
    if (factor.isMinorMost)
      return a;
    int64_t size = setting.rule.factors[index].size;
    if (size % prev == 0) {
      int64_t gcd = std::gcd(size / prev, a->size);
      if (gcd > 1)
        return AxisRef{a->axis, a->preSize, gcd};
    }
  }
  if (!factor.axes.empty() && isPrefix(factor.axes.back(), *a))
    return factor.axes.back();
  return std::nullopt;
}

/// Truncates the list at the first axis for which `getPart` does not return the
/// whole axis.
static Axes
truncate(const Axes &axes, const Setting &setting,
         const std::function<std::optional<AxisRef>(AxisRef, int64_t prev)>
             &getPart) {
  Axes kept;
  for (AxisRef axis : axes) {
    std::optional<AxisRef> part = getPart(axis, multiply(kept));
    bool isSubAxis = part && part->size != setting.mesh[part->axis];
    if (!part || (setting.conservative && isSubAxis))
      break;
    kept.push_back(*part);
    if (*part != axis)
      break;
  }
  return kept;
}

static void expand(Tensor &tensor, unsigned factor, const Axes &axes) {
  auto it = tensor.factors.find(factor);
  if (it != tensor.factors.end() && comparePrefix(it->second.axes, axes) == 1)
    it->second.axes = axes;
}

void model::propagateBasic(Tensors &tensors, const Setting &setting) {
  for (unsigned factor = 0; factor < setting.rule.factors.size(); ++factor) {
    Axes axes =
        truncate(getCompatible(tensors, factor, setting), setting,
                 [&](AxisRef axis, int64_t prev) {
                   std::optional<AxisRef> part = axis;
                   for (const Tensor &tensor : tensors) {
                     part = cutAcross(part, tensor, factor);
                     if (part && tensor.factors.count(factor))
                       part = cutWithin(*part, tensor, factor, prev, setting);
                   }
                   return part;
                 });
    for (Tensor &tensor : tensors)
      expand(tensor, factor, axes);
  }
}

//===----------------------------------------------------------------------===//
// Aggressive
//===----------------------------------------------------------------------===//

namespace {
struct Order {
  unsigned factor;
  int64_t sourceSize = -1, source = -1;
};
} // namespace

static Order findSource(const Tensors &tensors, unsigned factor,
                        const Axes &axes, const Setting &setting) {
  Order order{factor};
  for (size_t i = 0; i < tensors.size(); ++i) {
    auto it = tensors[i].factors.find(factor);
    if (it == tensors[i].factors.end() ||
        comparePrefix(axes, it->second.axes) == -1)
      continue;
    int64_t size = 1;
    for (const DimMapping &dim : setting.rule.getTensor(i))
      for (unsigned other : dim)
        size *= setting.rule.factors[other].size;
    if (size > order.sourceSize) {
      order.sourceSize = size;
      order.source = i;
    }
  }
  return order;
}

static void updateTensor(Tensors &tensors, size_t index, unsigned factor,
                         const Axes &compatible, const Setting &setting) {
  size_t numOperands = setting.rule.operands.size();
  Tensor &tensor = tensors[index];
  if (!tensor.factors.count(factor))
    return;
  Axes axes = truncate(compatible, setting, [&](AxisRef axis, int64_t prev) {
    return cutWithin(axis, tensor, factor, prev, setting);
  });
  if (comparePrefix(tensor.factors[factor].axes, axes) != 1)
    return;
  axes = truncate(axes, setting, [&](AxisRef axis, int64_t) {
    return cutAcross(axis, tensor, factor);
  });
  if (setting.isElementwise && index < numOperands)
    for (size_t result = numOperands; result < tensors.size(); ++result)
      if (auto it = tensors[result].factors.find(factor);
          it != tensors[result].factors.end() &&
          comparePrefix(it->second.axes, axes) == 1)
        axes = it->second.axes;
  expand(tensor, factor, axes);
}

void model::propagateAggressive(Tensors &tensors, const Setting &setting) {
  std::vector<Axes> compatible;
  std::vector<Order> orders;
  for (unsigned factor = 0; factor < setting.rule.factors.size(); ++factor) {
    compatible.push_back(getCompatible(tensors, factor, setting));
    orders.push_back(findSource(tensors, factor, compatible.back(), setting));
  }
  auto getKey = [&](const Order &order) {
    int64_t size =
        setting.isElementwise ? -multiply(compatible[order.factor]) : 0;
    return std::make_tuple(-order.sourceSize, size, order.source, order.factor);
  };
  std::sort(orders.begin(), orders.end(), [&](const Order &a, const Order &b) {
    return getKey(a) < getKey(b);
  });
  size_t numOperands = setting.rule.operands.size();
  for (size_t i = 0; i < tensors.size(); ++i) {
    // Results come before operands.
    size_t index = (i + numOperands) % tensors.size();
    for (const Order &order : orders)
      updateTensor(tensors, index, order.factor, compatible[order.factor],
                   setting);
  }
}
