//===- RootDomainMap.cpp - Correspondence of root axes ----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: tensors and edges, with any loops. Out: the logical axes of producers
// over which no loop can be shared with all consumers: axes of windows, and
// axes that are reduced on the path to a consumer whose result another consumer
// needs.
//
// Sets of reductions are bit vectors, so each edge is visited once.
//
//===----------------------------------------------------------------------===//

#include "../ScheduleViolations.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/ComputeAt.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {

class Flow {
public:
  explicit Flow(const Schedule &schedule)
      : schedule(schedule), into(schedule.getNumAxes()),
        after(schedule.getNumTensors()) {
    for (TensorId t : schedule.getProgramOrder())
      if (schedule.getTensor(t).hasReduction(schedule)) {
        numbers[t] = reductions.size();
        reductions.push_back(t);
      }
    for (TensorId t : schedule.getProgramOrder())
      for (TensorId producer : schedule.getProducers(t)) {
        merge(after[t], after[producer]);
        if (auto it = numbers.find(producer); it != numbers.end())
          set(after[t], it->second);
      }
  }

  /// To be called for consumers first: the axes of `tensor` flow into its own
  /// reductions and into those that `mapped` says for logical axes.
  void addTensor(TensorId tensor) {
    const Tensor &data = schedule.getTensor(tensor);
    auto number = numbers.find(tensor);
    if (number == numbers.end())
      return;
    for (AxisId axis : data.root)
      if (schedule.getAxis(axis).isReduction())
        set(into[axis], number->second);
    for (AxisId axis : data.loop)
      if (schedule.getAxis(axis).isReduction())
        for (AxisId root : schedule.getRoots({axis}))
          if (schedule.getAxis(root).isReduction())
            set(into[root], number->second);
  }

  void addLogical(TensorId tensor, AxisId axis, const llvm::BitVector &flow) {
    merge(into[axis], flow);
    const Tensor &data = schedule.getTensor(tensor);
    if (!data.frozen.empty())
      for (AxisId root : schedule.getRoots({axis}))
        if (root != axis)
          merge(into[root], flow);
  }

  const llvm::BitVector &getInto(AxisId axis) const { return into[axis]; }
  const llvm::BitVector &getAfter(TensorId tensor) const {
    return after[tensor];
  }
  TensorId getReduction(unsigned number) const { return reductions[number]; }

  static void merge(llvm::BitVector &set, const llvm::BitVector &other) {
    if (other.any())
      set |= other;
  }

private:
  void set(llvm::BitVector &set, unsigned number) {
    if (set.size() <= number)
      set.resize(reductions.size());
    set.set(number);
  }

  const Schedule &schedule;
  std::vector<TensorId> reductions;
  llvm::DenseMap<TensorId, unsigned> numbers;
  /// By axis: the reductions that it flows into.
  std::vector<llvm::BitVector> into;
  /// By tensor: the reductions that it comes after.
  std::vector<llvm::BitVector> after;
};

} // namespace

RootDomainMap::RootDomainMap(const Schedule &schedule) {
  Flow flow(schedule);
  ArrayRef<TensorId> order = schedule.getProgramOrder();
  for (TensorId tensor : llvm::reverse(order)) {
    flow.addTensor(tensor);
    // By logical axis, in order: what the consumers' axes flow into.
    llvm::MapVector<AxisId, llvm::BitVector> into;
    llvm::BitVector after;
    ArrayRef<TensorId> consumers = schedule.getConsumers(tensor);
    for (TensorId consumer : consumers) {
      PairwiseMap map = getPairwiseMap(schedule, tensor, consumer);
      for (auto [producerAxis, consumerAxis] : map.producerToConsumer)
        Flow::merge(into[producerAxis], flow.getInto(consumerAxis));
      for (AxisId axis : map.unmappable)
        unmappable.insert({{tensor, axis}, {consumer, consumer, consumer}});
      Flow::merge(after, flow.getAfter(consumer));
    }
    for (auto &[axis, bits] : into) {
      flow.addLogical(tensor, axis, bits);
      // A consumer that flows into a reduction does not come after it, so the
      // two are not one.
      auto common = bits.set_bits();
      auto first = llvm::find_if(common, [&](unsigned bit) {
        return bit < after.size() && after.test(bit);
      });
      if (first == common.end())
        continue;
      unsigned number = *first;
      Reason reason{tensor, tensor, flow.getReduction(number)};
      for (TensorId consumer : consumers) {
        PairwiseMap map = getPairwiseMap(schedule, tensor, consumer);
        auto *it = map.producerToConsumer.find(axis);
        if (it != map.producerToConsumer.end() &&
            number < flow.getInto(it->second).size() &&
            flow.getInto(it->second).test(number))
          reason.before = consumer;
        if (number < flow.getAfter(consumer).size() &&
            flow.getAfter(consumer).test(number))
          reason.after = consumer;
      }
      unmappable.insert({{tensor, axis}, reason});
    }
  }
}

bool RootDomainMap::isMappable(TensorId tensor, AxisId axis) const {
  return !unmappable.contains({tensor, axis});
}

Violation RootDomainMap::explain(const Schedule &schedule, TensorId tensor,
                                 AxisId axis) const {
  const Reason &reason = unmappable.at({tensor, axis});
  auto name = [&](TensorId t) { return quote(schedule.getTensor(t).name); };
  Violation violation;
  violation.tensor = tensor;
  std::string start = "axis '" + schedule.formatAxis(axis) + "' of " +
                      name(tensor) + " cannot share a loop with ";
  if (reason.before == reason.after) {
    violation.text = start + "its consumer " + name(reason.before) +
                     ", which reads elements that other iterations compute";
    violation.notes.push_back({reason.before, "read here"});
    return violation;
  }
  violation.text = start + "its consumers " + name(reason.before) + " and " +
                   name(reason.after) + ": " + name(reason.after) +
                   " needs the result of " + name(reason.reduction) +
                   ", which reduces over this axis";
  violation.notes.push_back(
      {reason.before, name(reason.before) + " reads " + name(tensor)});
  if (reason.reduction != reason.before)
    violation.notes.push_back(
        {reason.reduction,
         name(reason.reduction) +
             " reduces over an axis that depends on this axis through " +
             name(reason.before)});
  violation.notes.push_back(
      {reason.after, name(reason.after) + " reads " + name(tensor) +
                         " and comes after " + name(reason.reduction)});
  return violation;
}
