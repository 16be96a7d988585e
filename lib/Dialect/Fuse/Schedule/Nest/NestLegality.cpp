//===- NestLegality.cpp - Legality of loop nests ----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// In: a schedule with its loop classes. Out: the conditions of LoopNest.h that
// do not hold, each with the tensors that violate it and the positions to
// lower. The conditions are checked in stages, because later ones need the
// earlier ones; NestLegalityPaths.cpp checks paths through loops.
//
//===----------------------------------------------------------------------===//

#include "NestLegality.h"

#include "ipu-mlir/Dialect/Fuse/Schedule/Replay.h"

using namespace mlir;
using namespace mlir::fuse;

using Condition = LegalityFinding::Condition;

std::string LegalityChecker::quote(TensorId tensor) const {
  return "'" + schedule.getTensor(tensor).name + "'";
}

std::string LegalityChecker::quoteLoop(ClassId loop) const {
  return "'" + schedule.getAxis(classes[loop].promoted).name + "'";
}

std::string LegalityChecker::quoteAxis(TensorId tensor,
                                       unsigned position) const {
  AxisId axis = schedule.getTensor(tensor).loop[position];
  return "'" + schedule.formatAxis(axis) + "'";
}

LegalityFinding &LegalityChecker::add(Condition condition, TensorId tensor,
                                      std::string text) {
  LegalityFinding finding;
  finding.condition = condition;
  finding.violation.tensor = tensor;
  finding.violation.text = std::move(text);
  findings.push_back(std::move(finding));
  return findings.back();
}

unsigned LegalityChecker::getSharedCount(TensorId tensor) const {
  const Tensor &data = schedule.getTensor(tensor);
  if (data.isInput || schedule.getConsumers(tensor).empty())
    return 0;
  return std::max(data.computeAt, data.computeWith.value_or(0));
}

//===----------------------------------------------------------------------===//
// Positions
//===----------------------------------------------------------------------===//

void LegalityChecker::checkRange(TensorId id) {
  const Tensor &tensor = schedule.getTensor(id);
  unsigned size = tensor.isInput ? 0 : tensor.loop.size();
  unsigned position =
      std::max(tensor.computeAt, tensor.computeWith.value_or(0));
  if (position > size) {
    add(Condition::Range, id,
        "tensor " + quote(id) + " is computed at position " +
            std::to_string(position) + ": expected 0 to " +
            std::to_string(size))
        .lower.push_back({id, size});
    return;
  }
  if (tensor.computeWith && *tensor.computeWith < tensor.computeAt)
    add(Condition::Range, id,
        "tensor " + quote(id) + " is stored at position " +
            std::to_string(tensor.computeAt) +
            " but computed outside of that position, at " +
            std::to_string(*tensor.computeWith))
        .lower.push_back({id, *tensor.computeWith});
}

void LegalityChecker::checkMatch(TensorId id) {
  const Tensor &tensor = schedule.getTensor(id);
  unsigned count = getSharedCount(id);
  for (unsigned i = 0; i < count; ++i)
    if (schedule.getAxis(tensor.loop[i]).isReduction()) {
      add(Condition::Match, id,
          "tensor " + quote(id) +
              " cannot be computed inside of its own reduction loop " +
              quoteAxis(id, i) + ": expected a position of at most " +
              std::to_string(i))
          .lower.push_back({id, i});
      count = i;
    }
  for (auto [i, consumer] : llvm::enumerate(schedule.getConsumers(id))) {
    unsigned shared = i == 0 ? count : std::min(count, tensor.computeAt);
    if (!shared)
      continue;
    unsigned matched = matchLoops(schedule, id, consumer, shared).size();
    if (matched >= shared)
      continue;
    LegalityFinding &finding =
        add(Condition::Match, id,
            "loop " + quoteAxis(id, matched) + " of tensor " + quote(id) +
                " corresponds to no loop of its consumer " + quote(consumer));
    finding.lower.push_back({id, matched});
    finding.violation.notes.push_back(
        {consumer,
         "the loops of the consumer are " + schedule.format(consumer)});
  }
}

//===----------------------------------------------------------------------===//
// One axis for each loop
//===----------------------------------------------------------------------===//

void LegalityChecker::lowerForks(ClassId loop, LegalityFinding &finding) {
  for (bool forksOnly : {true, false}) {
    for (const LoopClass::Member &member : classes[loop].members) {
      if (getSharedCount(member.tensor) <= member.position ||
          (forksOnly && schedule.getConsumers(member.tensor).size() < 2))
        continue;
      // Of two loops of one tensor the inner one may be enough.
      if (!finding.lower.empty() &&
          finding.lower.back().tensor == member.tensor)
        finding.lower.pop_back();
      finding.lower.push_back(member);
    }
    if (!finding.lower.empty())
      return;
  }
}

void LegalityChecker::checkSelfMap(ClassId loop) {
  ArrayRef<LoopClass::Member> members = classes[loop].members;
  auto isBroadcast = [&](const LoopClass::Member &member) {
    return schedule
        .getAxis(schedule.getTensor(member.tensor).loop[member.position])
        .isBroadcast();
  };
  if (!classes[loop].hasLoop)
    return;
  // Best shown by a tensor that does vary along both.
  std::optional<size_t> found;
  for (size_t i = 1; i < members.size(); ++i) {
    if (members[i - 1].tensor != members[i].tensor)
      continue;
    bool isPlain = !isBroadcast(members[i - 1]) && !isBroadcast(members[i]);
    if (!found || isPlain)
      found = i;
    if (isPlain)
      break;
  }
  if (!found)
    return;
  const LoopClass::Member &a = members[*found - 1], &b = members[*found];
  LegalityFinding &finding =
      add(Condition::SelfMap, a.tensor,
          "tensor " + quote(a.tensor) + " would have its axes " +
              quoteAxis(a.tensor, a.position) + " and " +
              quoteAxis(b.tensor, b.position) + " in one loop");
  lowerForks(loop, finding);
  for (const LoopClass::Member &member : finding.lower)
    finding.violation.notes.push_back(
        {member.tensor, "both share the loop " +
                            quoteAxis(member.tensor, member.position) + " of " +
                            quote(member.tensor)});
}

void LegalityChecker::checkGroups(TensorId id, bool withBroadcasts) {
  const AxisGroups &groups = classes.getGroups();
  llvm::SmallDenseMap<AxisId, AxisId, 8> seen;
  for (AxisId axis : schedule.getTensor(id).root) {
    if (!groups.isConcrete(axis) ||
        (schedule.getAxis(axis).isBroadcast() && !withBroadcasts))
      continue;
    auto [it, isNew] = seen.try_emplace(groups.getGroup(axis), axis);
    if (isNew)
      continue;
    LegalityFinding &finding =
        add(Condition::SelfMap, id,
            "tensor " + quote(id) + " would have its axes '" +
                schedule.getAxis(it->second).name + "' and '" +
                schedule.getAxis(axis).name +
                "' take the same values in shared loops");
    lowerGroup(groups.getGroup(axis), finding);
    for (const LoopClass::Member &member : finding.lower)
      finding.violation.notes.push_back(
          {member.tensor, quote(member.tensor) + " shares the loop " +
                              quoteAxis(member.tensor, member.position)});
    return;
  }
}

void LegalityChecker::lowerGroup(AxisId group, LegalityFinding &finding) {
  if (sharedByGroup.empty())
    for (TensorId id : schedule.getProgramOrder())
      for (unsigned i = 0, e = getSharedCount(id); i < e; ++i)
        for (AxisId source : classes.getSourceGroups(schedule, id, i))
          if (auto &members = sharedByGroup[source];
              members.empty() || members.back().tensor != id)
            members.push_back({id, i});
  for (bool forksOnly : {true, false}) {
    for (const LoopClass::Member &member : sharedByGroup[group])
      if (!forksOnly || schedule.getConsumers(member.tensor).size() > 1)
        finding.lower.push_back(member);
    if (!finding.lower.empty())
      return;
  }
}

//===----------------------------------------------------------------------===//
// Order
//===----------------------------------------------------------------------===//

/// A cycle of pairs (outer, inner) of `numClasses` loops, of which each is
/// inside of the one before it. There is one.
static SmallVector<ClassId>
findCycle(ArrayRef<std::pair<ClassId, ClassId>> order, unsigned numClasses) {
  std::vector<SmallVector<ClassId, 2>> outers(numClasses);
  std::vector<unsigned> missing(numClasses);
  for (auto [outer, inner] : order) {
    outers[inner].push_back(outer);
    ++missing[outer];
  }
  // Without those that no other loop is inside of, what is left leads to a
  // cycle.
  SmallVector<ClassId> done;
  for (ClassId id = 0; id < numClasses; ++id)
    if (!missing[id])
      done.push_back(id);
  for (size_t i = 0; i < done.size(); ++i)
    for (ClassId outer : outers[done[i]])
      if (--missing[outer] == 0)
        done.push_back(outer);
  std::vector<std::optional<ClassId>> next(numClasses);
  for (auto [outer, inner] : order)
    if (missing[outer] && missing[inner] && !next[outer])
      next[outer] = inner;
  ClassId at = llvm::find_if(missing, [](unsigned n) { return n != 0; }) -
               missing.begin();
  std::vector<bool> seen(numClasses);
  for (; !seen[at]; at = *next[at])
    seen[at] = true;
  SmallVector<ClassId> cycle;
  for (ClassId start = at; cycle.empty() || at != start; at = *next[at])
    cycle.push_back(at);
  return cycle;
}

void LegalityChecker::checkOrder() {
  SmallVector<ClassId> cycle =
      findCycle(classes.getDirectOrder(schedule), classes.size());
  LegalityFinding &finding =
      add(Condition::Order, classes[cycle.front()].members.front().tensor,
          "loops " + quoteLoop(cycle.front()) + " and " +
              quoteLoop(cycle.back()) + " would each be inside of the other");
  finding.violation.tensor = 0;
  for (auto [i, outer] : llvm::enumerate(cycle))
    noteOrder(outer, cycle[(i + 1) % cycle.size()], finding);
  finding.violation.tensor = finding.violation.notes.front().tensor;
  // Of the loops in the cycle the innermost one is worth least.
  ClassId lowest = *llvm::max_element(cycle, [&](ClassId a, ClassId b) {
    auto getDeepest = [&](ClassId loop) {
      unsigned deepest = 0;
      for (const LoopClass::Member &member : classes[loop].members)
        deepest = std::max(deepest, member.position);
      return deepest;
    };
    return getDeepest(a) < getDeepest(b);
  });
  for (const LoopClass::Member &member : classes[lowest].members)
    if (getSharedCount(member.tensor) > member.position)
      finding.lower.push_back(member);
}

void LegalityChecker::noteOrder(ClassId outer, ClassId inner,
                                LegalityFinding &finding) const {
  for (const LoopClass::Member &member : classes[inner].members) {
    std::optional<unsigned> around;
    for (unsigned i = 0; i < member.position; ++i)
      if (classes[classes.getClass(member.tensor, i)].hasLoop)
        around = i;
    if (!around || classes.getClass(member.tensor, *around) != outer)
      continue;
    finding.violation.notes.push_back(
        {member.tensor, quote(member.tensor) + " has " + quoteLoop(inner) +
                            " inside of " + quoteLoop(outer) +
                            ": its loops are " +
                            schedule.format(member.tensor)});
    return;
  }
}

//===----------------------------------------------------------------------===//
// Promotion
//===----------------------------------------------------------------------===//

void LegalityChecker::checkPromotion(ClassId loop) {
  const LoopClass &loopClass = classes[loop];
  const AxisGroups &groups = classes.getGroups();
  if (!loopClass.hasLoop || !loopClass.isShared())
    return;
  const LoopClass::Member *best = nullptr;
  for (const LoopClass::Member &member : loopClass.members)
    if (!best && schedule.getTensor(member.tensor).loop[member.position] ==
                     loopClass.promoted)
      best = &member;
  std::optional<SmallVector<AxisId>> sources;
  for (const LoopClass::Member &member : loopClass.members) {
    AxisId axis = schedule.getTensor(member.tensor).loop[member.position];
    if (groups.areSame(axis, loopClass.promoted) || !groups.isConcrete(axis))
      continue;
    if (!sources)
      sources = classes.getSourceGroups(schedule, best->tensor, best->position);
    SmallVector<AxisId> others =
        classes.getSourceGroups(schedule, member.tensor, member.position);
    bool isLess = others.size() < sources->size() &&
                  std::includes(sources->begin(), sources->end(),
                                others.begin(), others.end());
    if (isLess) {
      IndexSolver solver(schedule, classes, member.tensor);
      isLess = llvm::all_of(schedule.getTensor(member.tensor).root,
                            [&](AxisId root) { return solver.solve(root); });
    }
    if (isLess)
      continue;
    LegalityFinding &finding = add(
        Condition::Promotion, member.tensor,
        "no loop covers both " + quoteAxis(best->tensor, best->position) +
            " of " + quote(best->tensor) + " and " +
            quoteAxis(member.tensor, member.position) + " of " +
            quote(member.tensor) + ": neither covers all values of the other");
    for (const LoopClass::Member &end : {*best, member})
      finding.violation.notes.push_back(
          {end.tensor, "the loops of " + quote(end.tensor) + " are " +
                           schedule.format(end.tensor)});
    lowerForks(loop, finding);
    return;
  }
}

/// What accumulators start from is there before the reduction begins.
void LegalityChecker::checkInit(TensorId id) {
  for (TensorId consumer : schedule.getConsumers(id)) {
    const Tensor &reader = schedule.getTensor(consumer);
    if (!reader.startsFrom(id))
      continue;
    unsigned first = reader.getFirstReduction(schedule);
    for (unsigned i = 0, e = getSharedCount(id); i < e; ++i) {
      ClassId loop = classes.getClass(id, i);
      ArrayRef<ClassId> inside = classes.getClasses(consumer).drop_front(first);
      if (!classes[loop].hasLoop || !llvm::is_contained(inside, loop))
        continue;
      LegalityFinding &finding =
          add(Condition::Reduction, id,
              quote(consumer) + " reads " + quote(id) +
                  " as the initial value of its reduction, before the "
                  "outermost reduction loop, but shares loop " +
                  quoteLoop(loop) + " inside of that loop with " + quote(id));
      notePath({id, consumer}, finding);
      finding.lower.push_back({id, i});
      return;
    }
  }
}

//===----------------------------------------------------------------------===//
// All
//===----------------------------------------------------------------------===//

std::vector<LegalityFinding> LegalityChecker::run() {
  ArrayRef<TensorId> tensors = schedule.getProgramOrder();
  llvm::for_each(tensors, [&](TensorId id) { checkRange(id); });
  if (!findings.empty())
    return std::move(findings);
  llvm::for_each(tensors, [&](TensorId id) { checkMatch(id); });
  if (!findings.empty())
    return std::move(findings);
  for (ClassId loop = 0; loop < classes.size(); ++loop)
    checkSelfMap(loop);
  for (bool withBroadcasts : {false, true}) {
    if (!findings.empty())
      return std::move(findings);
    for (TensorId id : tensors)
      checkGroups(id, withBroadcasts);
  }
  if (!findings.empty())
    return std::move(findings);
  if (!classes.isOrdered()) {
    checkOrder();
    return std::move(findings);
  }
  for (ClassId loop = 0; loop < classes.size(); ++loop)
    checkPromotion(loop);
  llvm::for_each(tensors, [&](TensorId id) { checkInit(id); });
  checkPaths();
  return std::move(findings);
}

std::vector<LegalityFinding>
mlir::fuse::findViolations(const Schedule &schedule,
                           const LoopClasses &classes) {
  return LegalityChecker(schedule, classes).run();
}

MaybeViolation mlir::fuse::verifyLegality(const Schedule &schedule,
                                          const LoopClasses &classes) {
  std::vector<LegalityFinding> findings = findViolations(schedule, classes);
  if (findings.empty())
    return std::nullopt;
  return std::move(findings.front().violation);
}
