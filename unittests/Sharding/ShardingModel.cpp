//===- ShardingModel.cpp - Slow model of factor propagation ---------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ShardingModel.h"

#include "ShardingTestUtils.h"
#include <algorithm>
#include <numeric>

using namespace mlir;
using namespace mlir::ipu::sharding;
using namespace mlir::ipu::sharding::model;

//===----------------------------------------------------------------------===//
// Intervals
//===----------------------------------------------------------------------===//

static int64_t next(AxisRef a) { return a.preSize * a.size; }

static bool doOverlap(AxisRef a, AxisRef b) {
  return a.axis == b.axis &&
         std::max(a.preSize, b.preSize) < std::min(next(a), next(b));
}

bool model::doesContain(AxisRef a, AxisRef b) {
  return a.axis == b.axis && a.preSize <= b.preSize && next(b) <= next(a);
}

bool model::isPrefix(AxisRef a, AxisRef b) {
  return doesContain(b, a) && a.preSize == b.preSize;
}

static bool areCompatible(AxisRef a, AxisRef b) {
  if (a.axis != b.axis)
    return true;
  int64_t minPre = std::min(a.preSize, b.preSize),
          maxPre = std::max(a.preSize, b.preSize);
  int64_t minNext = std::min(next(a), next(b));
  int64_t maxNext = std::max(next(a), next(b));
  if (!doOverlap(a, b))
    return maxPre % minNext == 0;
  return minNext % maxPre == 0 && maxPre % minPre == 0 &&
         maxNext % minNext == 0;
}

std::optional<AxisRef> model::cut(AxisRef a, AxisRef b) {
  if (!areCompatible(a, b))
    return std::nullopt;
  if (!doOverlap(a, b))
    return a;
  if (a.preSize >= b.preSize)
    return std::nullopt;
  return AxisRef{a.axis, a.preSize, b.preSize / a.preSize};
}

std::optional<AxisRef> model::cut(std::optional<AxisRef> a, const Axes &list) {
  for (AxisRef b : list)
    if (a)
      a = cut(*a, b);
  return a;
}

static void addMerged(Axes &axes, AxisRef ref) {
  if (!axes.empty() && axes.back().axis == ref.axis &&
      next(axes.back()) == ref.preSize)
    axes.back().size *= ref.size;
  else
    axes.push_back(ref);
}

int model::comparePrefix(const Axes &a, const Axes &b) {
  if (a == b)
    return 0;
  if (a.empty())
    return 1;
  if (a.size() > b.size())
    return -1;
  size_t last = a.size() - 1;
  for (size_t i = 0; i < last; ++i)
    if (a[i] != b[i])
      return -1;
  return isPrefix(a[last], b[last]) ? 1 : -1;
}

int64_t model::multiply(const Axes &axes) {
  int64_t product = 1;
  for (AxisRef ref : axes)
    product *= ref.size;
  return product;
}

//===----------------------------------------------------------------------===//
// Dimensions and factors
//===----------------------------------------------------------------------===//

static void projectDim(const DimSharding &dim, const DimMapping &mapping,
                       const Rule &rule, Tensor &tensor) {
  Axes left(dim.axes.begin(), dim.axes.end());
  bool overflowed = false;
  for (size_t i = 0; i < mapping.size(); ++i) {
    FactorState &factor = tensor.factors[mapping[i]];
    if (overflowed) {
      factor.isClosed = true;
      return;
    }
    factor.isClosed = dim.isClosed;
    factor.isMinorMost = i + 1 == mapping.size();
    if (factor.isMinorMost) {
      for (AxisRef ref : left)
        addMerged(factor.axes, ref);
      return;
    }
    int64_t rest = rule.factors[mapping[i]].size;
    while (!left.empty()) {
      AxisRef &first = left.front();
      int64_t gcd = std::gcd(rest, first.size);
      if (first.size != 1 && gcd <= 1)
        break;
      rest /= gcd;
      if (first.size > gcd) {
        factor.axes.push_back({first.axis, first.preSize, gcd});
        first = {first.axis, first.preSize * gcd, first.size / gcd};
      } else {
        factor.axes.push_back(first);
        left.erase(left.begin());
      }
    }
    if (rest > 1 && !left.empty()) {
      factor.overflow = left;
      overflowed = true;
    }
  }
}

Tensor model::project(const TensorSharding &sharding,
                      const TensorMapping &mapping, const Rule &rule) {
  Tensor tensor;
  for (size_t i = 0; i < mapping.size(); ++i)
    projectDim(sharding.dims[i], mapping[i], rule, tensor);
  tensor.replicated.assign(sharding.replicated.begin(),
                           sharding.replicated.end());
  tensor.unreduced.assign(sharding.unreduced.begin(), sharding.unreduced.end());
  return tensor;
}

TensorSharding model::unproject(const Tensor &tensor,
                                const TensorMapping &mapping,
                                const Rule &rule) {
  TensorSharding sharding;
  for (const DimMapping &dimMapping : mapping) {
    DimSharding &dim = sharding.dims.emplace_back();
    Axes axes;
    for (unsigned index : dimMapping) {
      auto it = tensor.factors.find(index);
      if (it == tensor.factors.end())
        break;
      const FactorState &factor = it->second;
      dim.isClosed |= factor.isClosed;
      for (size_t i = 0; i < factor.axes.size(); ++i)
        if (i == 0)
          addMerged(axes, factor.axes[i]);
        else
          axes.push_back(factor.axes[i]);
      for (size_t i = 0; i < factor.overflow.size(); ++i)
        if (i == 0)
          addMerged(axes, factor.overflow[i]);
        else
          axes.push_back(factor.overflow[i]);
      if (!factor.overflow.empty() ||
          multiply(factor.axes) < rule.factors[index].size)
        break;
    }
    dim.axes.assign(axes.begin(), axes.end());
  }
  sharding.replicated.assign(tensor.replicated.begin(),
                             tensor.replicated.end());
  sharding.unreduced.assign(tensor.unreduced.begin(), tensor.unreduced.end());
  return sharding;
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

std::string model::format(const Tensor &tensor, MeshSizes mesh) {
  std::string text;
  for (const auto &[index, factor] : tensor.factors) {
    text += (text.empty() ? "" : ", ") + std::string(1, char('i' + index)) +
            "=" + format(ArrayRef(factor.axes), mesh);
    if (!factor.overflow.empty())
      text += " over " + format(ArrayRef(factor.overflow), mesh);
    if (factor.isClosed)
      text += " closed";
  }
  if (!tensor.replicated.empty())
    text += " r={" + format(ArrayRef(tensor.replicated), mesh) + "}";
  if (!tensor.unreduced.empty())
    text += " u={" + format(ArrayRef(tensor.unreduced), mesh) + "}";
  return text;
}

std::string model::format(const Tensors &tensors, MeshSizes mesh) {
  std::string text;
  for (const Tensor &tensor : tensors)
    text += (text.empty() ? "" : " | ") + format(tensor, mesh);
  return text;
}

Tensors model::convert(const ShardingProjection &projection) {
  auto copy = [](const AxisList &list) {
    return Axes(list.begin(), list.end());
  };
  Tensors tensors;
  for (unsigned i = 0; i < projection.getNumTensors(); ++i) {
    const TensorFactorShardings &source = projection.getTensor(i);
    Tensor &tensor = tensors.emplace_back();
    for (const FactorSharding &factor : source.factors)
      tensor.factors[factor.factor] = {copy(factor.axes), factor.isClosed,
                                       factor.isMinorMost,
                                       copy(factor.overflow)};
    tensor.replicated = copy(source.replicated);
    tensor.unreduced = copy(source.unreduced);
  }
  return tensors;
}
