//===- LoopNest.cpp - Loop nest of a schedule -----------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a legal schedule with its loop classes. Out: the tree of loops. Each
// buffer, and each initialisation of an accumulator, is in the loop that first
// needs it.
//
//===----------------------------------------------------------------------===//

#include "LoopBodyOrder.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace mlir;
using namespace mlir::fuse;

namespace {
class NestBuilder {
public:
  NestBuilder(const Schedule &schedule, const LoopClasses &classes)
      : schedule(schedule), classes(classes), bodyOrder(schedule, classes),
        allocDepths(schedule.getNumTensors()),
        initDepths(schedule.getNumTensors()) {
    for (TensorId tensor : bodyOrder.getStatements())
      setDepths(tensor);
  }

  bool build(std::vector<LoopNode> &body) {
    return build(bodyOrder.getStatements(), 0, body);
  }

private:
  const Axis &getLoop(TensorId tensor, unsigned position) const {
    return schedule.getAxis(schedule.getTensor(tensor).loop[position]);
  }

  /// How many loops are around the buffer and the init of `tensor`.
  void setDepths(TensorId tensor) {
    const Tensor &data = schedule.getTensor(tensor);
    for (unsigned i = 0; i < data.loop.size(); ++i) {
      ClassId loop = classes.getClass(tensor, i);
      if (!classes[loop].hasLoop)
        continue;
      unsigned depth = bodyOrder.getDepth(loop);
      if (i < data.computeAt)
        allocDepths[tensor] = depth + 1;
      if (getLoop(tensor, i).isReduction() && !initDepths[tensor])
        initDepths[tensor] = depth;
    }
  }

  /// The loops from position `first` on that are dimensions of a buffer.
  SmallVector<unsigned> getDimensions(TensorId tensor, unsigned first) const {
    SmallVector<unsigned> axes;
    for (unsigned i = first; i < schedule.getTensor(tensor).loop.size(); ++i)
      if (getLoop(tensor, i).kind == AxisKind::Iteration)
        axes.push_back(i);
    return axes;
  }

  /// The buffers and inits that go before an item.
  void addPreparation(const BodyItem &item, unsigned depth,
                      std::vector<LoopNode> &body) const {
    for (TensorId tensor : item.tensors) {
      const Tensor &data = schedule.getTensor(tensor);
      if (data.isOutput || allocDepths[tensor] != depth)
        continue;
      LoopNode node{LoopNode::Kind::Alloc, 0, tensor, {}, {}};
      node.axes = getDimensions(tensor, data.computeAt);
      body.push_back(std::move(node));
    }
    for (TensorId tensor : item.tensors) {
      if (initDepths[tensor] != depth)
        continue;
      const Tensor &data = schedule.getTensor(tensor);
      unsigned first = 0;
      while (!schedule.getAxis(data.loop[first]).isReduction())
        ++first;
      LoopNode node{LoopNode::Kind::Init, 0, tensor, {}, {}};
      node.axes = getDimensions(tensor, first);
      body.push_back(std::move(node));
    }
  }

  bool build(ArrayRef<TensorId> tensors, unsigned depth,
             std::vector<LoopNode> &body) {
    std::vector<SmallVector<unsigned>> cycles;
    std::vector<BodyItem> items = bodyOrder.getItems(tensors, depth, cycles);
    if (!cycles.empty())
      return false;
    for (const BodyItem &item : items) {
      addPreparation(item, depth, body);
      if (!item.loop) {
        body.push_back(
            {LoopNode::Kind::Compute, 0, item.tensors.front(), {}, {}});
        continue;
      }
      LoopNode node{LoopNode::Kind::Loop, *item.loop, 0, {}, {}};
      if (!build(item.tensors, depth + 1, node.body))
        return false;
      body.push_back(std::move(node));
    }
    return true;
  }

  const Schedule &schedule;
  const LoopClasses &classes;
  LoopBodyOrder bodyOrder;
  std::vector<unsigned> allocDepths;
  std::vector<std::optional<unsigned>> initDepths;
};
} // namespace

MaybeViolation mlir::fuse::buildLoopNest(const Schedule &schedule,
                                         const LoopClasses &classes,
                                         LoopNest &nest) {
  nest.body.clear();
  if (classes.isOrdered() && NestBuilder(schedule, classes).build(nest.body))
    return std::nullopt;
  return verifyLegality(schedule, classes);
}

static void
walkNodes(const std::vector<LoopNode> &body, SmallVectorImpl<ClassId> &loops,
          llvm::function_ref<void(const LoopNode &, ArrayRef<ClassId>)> visit) {
  for (const LoopNode &node : body) {
    visit(node, loops);
    if (node.kind != LoopNode::Kind::Loop)
      continue;
    loops.push_back(node.loopClass);
    walkNodes(node.body, loops, visit);
    loops.pop_back();
  }
}

void LoopNest::walk(
    llvm::function_ref<void(const LoopNode &, ArrayRef<ClassId>)> visit) const {
  SmallVector<ClassId> loops;
  walkNodes(body, loops, visit);
}

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static void formatNode(const Schedule &schedule, const LoopClasses &classes,
                       const LoopNode &node, unsigned indent,
                       llvm::raw_ostream &os) {
  os.indent(indent);
  const Tensor &tensor = schedule.getTensor(node.tensor);
  auto formatAxes = [&] {
    if (node.axes.empty())
      return;
    os << "[";
    llvm::interleaveComma(node.axes, os, [&](unsigned position) {
      os << schedule.getAxis(tensor.loop[position]).name;
    });
    os << "]";
  };
  switch (node.kind) {
  case LoopNode::Kind::Loop: {
    const LoopClass &loopClass = classes[node.loopClass];
    os << "for " << schedule.getAxis(loopClass.promoted).name;
    if (loopClass.type != LoopType::Serial)
      os << ":" << stringifyLoopType(loopClass.type);
    os << " < " << loopClass.extent << ":\n";
    for (const LoopNode &inner : node.body)
      formatNode(schedule, classes, inner, indent + 2, os);
    return;
  }
  case LoopNode::Kind::Alloc:
    os << "alloc " << tensor.name;
    formatAxes();
    break;
  case LoopNode::Kind::Init:
    os << "init " << tensor.name;
    formatAxes();
    break;
  case LoopNode::Kind::Compute:
    os << tensor.name << (tensor.hasReduction(schedule) ? " += " : " = ");
    if (tensor.operands.empty())
      os << "constant";
    llvm::interleaveComma(
        schedule.getProducers(node.tensor), os,
        [&](TensorId producer) { os << schedule.getTensor(producer).name; });
    break;
  }
  os << "\n";
}

std::string LoopNest::format(const Schedule &schedule,
                             const LoopClasses &classes) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const LoopNode &node : body)
    formatNode(schedule, classes, node, 0, os);
  return text;
}

//===----------------------------------------------------------------------===//
// Recomputation
//===----------------------------------------------------------------------===//

std::vector<SmallVector<ClassId>>
mlir::fuse::getRecomputation(const Schedule &schedule,
                             const LoopClasses &classes) {
  const AxisGroups &groups = classes.getGroups();
  std::vector<SmallVector<ClassId>> result(schedule.getNumTensors());
  for (TensorId id : schedule.getProgramOrder()) {
    const Tensor &tensor = schedule.getTensor(id);
    if (tensor.isInput)
      continue;
    for (ClassId loop : classes.getLoopsAround(id)) {
      const auto *own = llvm::find(classes.getClasses(id), loop);
      if (own == classes.getClasses(id).end()) {
        result[id].push_back(loop);
        continue;
      }
      AxisId axis = tensor.loop[own - classes.getClasses(id).begin()];
      if (schedule.getAxis(axis).isBroadcast() ||
          !groups.areSame(axis, classes[loop].promoted))
        result[id].push_back(loop);
    }
  }
  return result;
}
