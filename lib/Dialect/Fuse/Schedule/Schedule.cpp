//===- Schedule.cpp - Loops of the tensors of a fusion --------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Constructs schedules and answers queries about them. Transforms are in
// ScheduleTransforms.cpp.
//
//===----------------------------------------------------------------------===//

#include "ipu-mlir/Dialect/Fuse/Schedule/Schedule.h"
#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/raw_ostream.h"
#include <algorithm>

using namespace mlir;
using namespace mlir::fuse;

StringRef mlir::fuse::stringifyLoopType(LoopType type) {
  switch (type) {
  case LoopType::Serial:
    return "serial";
  case LoopType::Parallel:
    return "parallel";
  case LoopType::Vectorize:
    return "vectorize";
  case LoopType::Unroll:
    return "unroll";
  }
  llvm_unreachable("unknown loop type");
}

std::optional<LoopType> mlir::fuse::symbolizeLoopType(StringRef name) {
  return llvm::StringSwitch<std::optional<LoopType>>(name)
      .Case("serial", LoopType::Serial)
      .Case("parallel", LoopType::Parallel)
      .Case("vectorize", LoopType::Vectorize)
      .Case("unroll", LoopType::Unroll)
      .Default(std::nullopt);
}

unsigned Tensor::getFirstReduction(const Schedule &schedule) const {
  const auto *first = llvm::find_if(
      loop, [&](AxisId axis) { return schedule.getAxis(axis).isReduction(); });
  return first - loop.begin();
}

bool Tensor::startsFrom(TensorId producer) const {
  return llvm::any_of(operands, [&](const Operand &operand) {
    return operand.isInit && operand.producer == producer;
  });
}

bool Tensor::hasReduction(const Schedule &schedule) const {
  return llvm::any_of(
      loop, [&](AxisId axis) { return schedule.getAxis(axis).isReduction(); });
}

//===----------------------------------------------------------------------===//
// Building
//===----------------------------------------------------------------------===//

AxisId Schedule::addAxis(StringRef name, AffineExpr extent, AxisKind kind) {
  Axis axis;
  axis.name = name.str();
  axis.extent = extent;
  axis.kind = kind;
  axes.push_back(std::move(axis));
  return axes.size() - 1;
}

void Schedule::insertInProgramOrder(TensorId tensor, unsigned ordinal) {
  programOrder.insert(programOrder.begin() + ordinal, tensor);
  for (unsigned i = ordinal; i < programOrder.size(); ++i)
    ordinals[programOrder[i]] = i;
}

TensorId Schedule::addTensor(Tensor tensor) {
  TensorId id = tensors.size();
  tensor.loop = tensor.root;
  if (tensor.isInput && tensor.logical.empty())
    tensor.logical.push_back(tensor.root);
  byName.try_emplace(tensor.name, id);
  unsigned ordinal = tensor.isInput ? numInputs++ : programOrder.size();
  tensors.push_back(std::move(tensor));
  consumers.emplace_back();
  ordinals.push_back(0);
  insertInProgramOrder(id, ordinal);
  for (TensorId producer : getProducers(id))
    consumers[producer].push_back(id);
  return id;
}

void Schedule::inferBroadcasts() {
  llvm::DenseSet<AxisId> varying;
  for (TensorId id : programOrder) {
    const Tensor &tensor = tensors[id];
    // Of a window it is not known which axes are in it.
    bool varyAll = tensor.isInput || tensor.isOutput || tensor.usesIndices;
    varying.clear();
    for (const Operand &operand : tensor.operands) {
      varyAll |= operand.opaque;
      ArrayRef<AxisId> logical =
          tensors[operand.producer].logical[operand.result];
      for (auto [axis, read] : llvm::zip(logical, operand.axes))
        if (read && !axes[axis].isBroadcast())
          varying.insert(*read);
    }
    for (AxisId axis : tensor.root) {
      auto constant = dyn_cast<AffineConstantExpr>(axes[axis].extent);
      bool isOne = constant && constant.getValue() == 1;
      if (!axes[axis].isReduction())
        axes[axis].kind = isOne || !(varyAll || varying.contains(axis))
                              ? AxisKind::Broadcast
                              : AxisKind::Iteration;
    }
    for (ExprId expr : getHistory(tensor.loop)) {
      ArrayRef<AxisId> inputs = exprs[expr].inputs;
      if (axes[inputs.front()].isReduction())
        continue;
      bool isBroadcast = llvm::all_of(
          inputs, [&](AxisId axis) { return axes[axis].isBroadcast(); });
      for (AxisId axis : exprs[expr].outputs)
        axes[axis].kind =
            isBroadcast ? AxisKind::Broadcast : AxisKind::Iteration;
    }
  }
}

//===----------------------------------------------------------------------===//
// Looking
//===----------------------------------------------------------------------===//

SmallVector<TensorId> Schedule::getProducers(TensorId tensor) const {
  SmallVector<TensorId> producers;
  llvm::SmallDenseSet<TensorId> seen;
  for (const Operand &operand : tensors[tensor].operands)
    if (seen.insert(operand.producer).second)
      producers.push_back(operand.producer);
  return producers;
}

std::optional<TensorId> Schedule::lookup(StringRef name) const {
  auto it = byName.find(name);
  if (it == byName.end())
    return std::nullopt;
  return it->second;
}

std::string Schedule::formatAxis(AxisId id) const {
  const Axis &axis = axes[id];
  std::string text = axis.isReduction() ? "r:" : axis.isBroadcast() ? "b:" : "";
  text += axis.name;
  if (axis.loopType != LoopType::Serial)
    text += ":" + stringifyLoopType(axis.loopType).str();
  return text;
}

std::string Schedule::format(TensorId tensor) const {
  std::string text = tensors[tensor].name + "[";
  llvm::raw_string_ostream os(text);
  llvm::interleaveComma(tensors[tensor].loop, os,
                        [&](AxisId axis) { os << formatAxis(axis); });
  os << "]";
  return text;
}

std::string Schedule::formatWithPositions(TensorId tensor) const {
  std::string text = format(tensor);
  text.insert(tensors[tensor].name.size(), " ");
  llvm::raw_string_ostream os(text);
  os << " @" << tensors[tensor].computeAt << "/" << getMaxProducer(tensor);
  return text;
}

SmallVector<ExprId> Schedule::getHistory(ArrayRef<AxisId> to,
                                         ArrayRef<AxisId> from) const {
  SmallVector<ExprId> history;
  llvm::SmallDenseSet<AxisId, 16> seen(from.begin(), from.end());
  llvm::SmallDenseSet<ExprId, 16> seenExprs;
  SmallVector<AxisId> worklist(to);
  while (!worklist.empty()) {
    AxisId axis = worklist.pop_back_val();
    std::optional<ExprId> definition = axes[axis].definition;
    if (!seen.insert(axis).second || !definition ||
        !seenExprs.insert(*definition).second)
      continue;
    history.push_back(*definition);
    llvm::append_range(worklist, exprs[*definition].inputs);
  }
  // Expressions are numbered as they are made, so after those of their inputs.
  llvm::sort(history);
  return history;
}

SmallVector<AxisId> Schedule::getRoots(ArrayRef<AxisId> to) const {
  SmallVector<AxisId> roots;
  llvm::SmallDenseSet<AxisId, 16> seen;
  SmallVector<AxisId> worklist(llvm::reverse(to));
  while (!worklist.empty()) {
    AxisId axis = worklist.pop_back_val();
    if (!seen.insert(axis).second)
      continue;
    if (!axes[axis].definition)
      roots.push_back(axis);
    else
      llvm::append_range(worklist,
                         llvm::reverse(exprs[*axes[axis].definition].inputs));
  }
  return roots;
}

bool Schedule::isSamePrefix(ArrayRef<AxisId> a, ArrayRef<AxisId> b,
                            unsigned count) const {
  if (a.size() < count || b.size() < count)
    return false;
  llvm::SmallDenseSet<std::pair<AxisId, AxisId>> same;
  SmallVector<std::pair<AxisId, AxisId>> worklist;
  for (unsigned i = 0; i < count; ++i)
    worklist.push_back({a[i], b[i]});
  while (!worklist.empty()) {
    auto [x, y] = worklist.pop_back_val();
    if (x == y || !same.insert({x, y}).second)
      continue;
    if (!axes[x].definition || !axes[y].definition)
      return false;
    const AxisExpr &left = exprs[*axes[x].definition];
    const AxisExpr &right = exprs[*axes[y].definition];
    if (!left.isSameTransform(right) ||
        (left.outputs.front() == x) != (right.outputs.front() == y))
      return false;
    for (auto [input, other] : llvm::zip_equal(left.inputs, right.inputs))
      worklist.push_back({input, other});
  }
  return true;
}

SmallVector<AxisId> Schedule::getLogicalWithReductions(TensorId tensor) const {
  SmallVector<AxisId> list = tensors[tensor].root;
  for (ExprId id : tensors[tensor].frozen) {
    const AxisExpr &expr = exprs[id];
    auto *first = llvm::find(list, expr.inputs.front());
    *first = expr.outputs.front();
    if (expr.kind == AxisExpr::Kind::Split)
      list.insert(first + 1, expr.outputs[1]);
    else
      list.erase(llvm::find(list, expr.inputs[1]));
  }
  return list;
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

/// The first loops of `tensor` that correspond to the first `count` of
/// `producer`.
static unsigned getSharedLoops(const Schedule &schedule, TensorId producer,
                               TensorId tensor, unsigned count) {
  unsigned shared = 0;
  if (count)
    for (std::optional<unsigned> loop :
         matchLoops(schedule, producer, tensor, count))
      shared = std::max(shared, loop ? *loop + 1 : 0);
  return shared;
}

/// The loops that `tensor` shares with all consumers, stored or not.
static unsigned getComputePosition(const Tensor &tensor) {
  return std::max(tensor.computeAt, tensor.computeWith.value_or(0));
}

unsigned Schedule::getMaxProducer(TensorId tensor) const {
  unsigned position = 0;
  for (TensorId producer : getProducers(tensor))
    position = std::max(position, getSharedLoops(*this, producer, tensor,
                                                 tensors[producer].computeAt));
  return position;
}

unsigned Schedule::getNumFrozenLoops(TensorId tensor) const {
  unsigned frozen = getComputePosition(tensors[tensor]);
  for (TensorId producer : getProducers(tensor))
    frozen =
        std::max(frozen, getSharedLoops(*this, producer, tensor,
                                        getComputePosition(tensors[producer])));
  return std::min<unsigned>(frozen, tensors[tensor].loop.size());
}

std::vector<Violation::Note>
Schedule::explainFrozenLoops(TensorId tensor) const {
  std::vector<Violation::Note> notes;
  auto addNote = [&](TensorId neighbour, TensorId inner, TensorId outer,
                     unsigned position) {
    notes.push_back({neighbour, "tensor '" + tensors[inner].name +
                                    "' is computed at position " +
                                    std::to_string(position) +
                                    " of the loops of its consumer '" +
                                    tensors[outer].name + "'"});
  };
  unsigned frozen = getNumFrozenLoops(tensor);
  if (getComputePosition(tensors[tensor]) == frozen)
    for (TensorId consumer : consumers[tensor])
      addNote(consumer, tensor, consumer,
              getSharedLoops(*this, tensor, consumer, frozen));
  for (TensorId producer : getProducers(tensor)) {
    unsigned shared = getSharedLoops(*this, producer, tensor,
                                     getComputePosition(tensors[producer]));
    if (shared == frozen)
      addNote(producer, producer, tensor, shared);
  }
  return notes;
}

std::optional<unsigned> Schedule::normalizePosition(TensorId tensor,
                                                    int64_t p) const {
  int64_t size = tensors[tensor].loop.size();
  if (p < -size - 1 || p > size)
    return std::nullopt;
  return p < 0 ? p + size + 1 : p;
}

std::optional<unsigned> Schedule::normalizeAxis(TensorId tensor,
                                                int64_t axis) const {
  int64_t size = tensors[tensor].loop.size();
  if (axis < -size || axis >= size)
    return std::nullopt;
  return axis < 0 ? axis + size : axis;
}
