//===- ReplicaEqualAliases.cpp - Aliases of elements ----------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call may pass the same elements twice, or elements of a variable that the
// callee also names itself. If the callee writes such elements under one of
// these names, reads under the other names return the written values. Memory
// locations that may be the same are in one class. The class has one node for
// all values that are written to any of its locations.
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualBuilder.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

/// Whether an op, or one in it, gets or makes a ref to what `root` is.
static bool showsRef(Operation &op, const RefOrigins &origins, Value root) {
  MemoryLocation of = MemoryLocation::getRoot(root);
  auto isOf = [&](Value value) {
    if (!isHandle(value))
      return false;
    const RefOrigin &origin = origins.get(value);
    return !origin.isKnown() || origin.getMemoryLocation() == of;
  };
  return op
      .walk([&](Operation *nested) {
        return llvm::any_of(nested->getOperands(), isOf) ||
                       llvm::any_of(nested->getResults(), isOf)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

const ParameterUse &EquationBuilder::getParameterUse(BlockArgument parameter) {
  auto [it, isNew] = parameterUses.try_emplace(parameter);
  if (!isNew)
    return it->second;
  ParameterUse &use = it->second;
  unsigned number = 0;
  // Refs have answers even where no op reads them.
  for (Operation &op : *parameter.getOwner()) {
    ++number;
    if (use.firstWritten == 0 && effects->mayWrite(&op, parameter))
      use.firstWritten = number;
    if (showsRef(op, origins, parameter))
      use.lastShown = number;
  }
  return use;
}

/// Whether the callee is done with one parameter before it writes another one
/// that the call passes the same elements for. It then reads what was passed,
/// as if they were distinct, and its writes are the only ones.
bool EquationBuilder::readsFirst(CallOpInterface call, BlockArgument reader,
                                 BlockArgument writer) {
  if (!effects)
    effects.emplace(module);
  auto [conflict, isNew] = hasAliasConflict.try_emplace(call);
  if (isNew)
    conflict->second = effects->findAliasConflict(call).has_value();
  if (conflict->second || !reader.getParentRegion()->hasOneBlock())
    return false;
  unsigned firstWritten = getParameterUse(writer).firstWritten;
  return firstWritten == 0 || getParameterUse(reader).lastShown < firstWritten;
}

/// The ways that a callee has to elements of the caller and to what has a
/// symbol, by memory locations that may be the same.
EquationBuilder::NamesOf EquationBuilder::getNames(CallOpInterface call,
                                                   FunctionOpInterface callee) {
  const Uses &inside = functions.find(callee)->second.uses;
  struct Kind {
    bool isAccessed = false, isWritten = false;
  };
  llvm::SmallMapVector<MemoryLocationId, Kind, 4> touched;
  for (MemoryRegion memoryRegion : inside.touched) {
    Kind &kind = touched[memoryRegions.getMemoryLocationOf(memoryRegion)];
    kind.isAccessed |= inside.accessed.contains(memoryRegion);
    kind.isWritten |= inside.written.contains(memoryRegion);
  }
  NamesOf names;
  auto add = [&](const Name &name) {
    names[getAliasClass(memoryRegions.getMemoryLocationOf(name.memoryRegion))]
        .push_back(name);
  };
  for (auto [location, kind] : touched)
    if (!memoryRegions.getKey(location).getRoot())
      add({memoryRegions.getWhole(location),
           location,
           {},
           kind.isAccessed,
           kind.isWritten});
  for (auto [operand, argument] :
       llvm::zip_equal(call.getArgOperands(), callee.getArguments())) {
    if (!isHandle(operand))
      continue;
    MemoryLocationId location = memoryRegions.getMemoryLocation(argument);
    if (std::optional<MemoryRegionRef> known = getMemoryRegion(operand))
      add({known->memoryRegion, location, argument, /*isAccessed=*/true,
           touched.lookup(location).isWritten});
  }
  return names;
}

/// Whether it does not matter that two names may be of the same elements.
bool EquationBuilder::areApart(CallOpInterface call, const Name &a,
                               const Name &b) {
  if (!a.isWritten && !b.isWritten)
    return true;
  // What the callee names itself is its own memory location.
  if (!a.argument || !b.argument)
    return !a.argument && !b.argument;
  if (memoryRegions.getMemoryLocationOf(a.memoryRegion) ==
          memoryRegions.getMemoryLocationOf(b.memoryRegion) &&
      !memoryRegions.mayOverlap(a.memoryRegion, b.memoryRegion))
    return true;
  return (!a.isWritten && readsFirst(call, a.argument, b.argument)) ||
         (!b.isWritten && readsFirst(call, b.argument, a.argument));
}

/// Lets writes by one name be seen by the other one. Only refs see what is not
/// accessed by its symbol, so that all else has the answers of distinct
/// elements.
void EquationBuilder::join(const Name &a, const Name &b,
                           MemoryLocationId aliasClass) {
  for (auto [shown, other] : {std::pair(&a, &b), std::pair(&b, &a)}) {
    if (shown->isAccessed)
      continue;
    Node &node = shownNodes[shown->inCallee];
    if (node == kAll)
      node = graph.addNode();
    if (auto &nodes = shownBy[other->inCallee];
        !llvm::is_contained(nodes, node))
      nodes.push_back(node);
    return;
  }
  aliases.unionSets(aliasClass, a.inCallee);
  aliases.unionSets(aliasClass, b.inCallee);
}

/// Joins the names of elements that the callee has two ways to and may modify,
/// even if it reads them by one way only.
void EquationBuilder::findAliases(CallOpInterface call,
                                  FunctionOpInterface callee) {
  // Nearly all callees have one way to anything.
  ptrdiff_t numRefs = llvm::count_if(call.getArgOperands(), isHandle);
  if (numRefs == 0 ||
      (numRefs == 1 && !functions.find(callee)->second.usesSymbols))
    return;
  for (const auto &[aliasClass, names] : getNames(call, callee))
    for (auto [i, a] : llvm::enumerate(names))
      for (const Name &b : ArrayRef(names).take_front(i))
        if (!areApart(call, a, b))
          join(a, b, aliasClass);
}

void EquationBuilder::findAliases(ArrayRef<FunctionOpInterface> order) {
  // Callers first: their arguments may be the same already.
  for (FunctionOpInterface function : llvm::reverse(order))
    for (CallOpInterface call : calls.getCallsIn(function))
      if (FunctionOpInterface callee = calls.getCallee(call);
          callee && functions.contains(callee))
        findAliases(call, callee);
  for (const auto *each : aliases)
    if (each->isLeader())
      aliasNodes[each->getData()] = graph.addNode();
}

/// A memory location that stands for all that may be the same.
MemoryLocationId
EquationBuilder::getAliasClass(MemoryLocationId memoryLocation) const {
  auto leader = aliases.findLeader(memoryLocation);
  return leader == aliases.member_end() ? memoryLocation : *leader;
}

/// All that is ever written to what may be a memory location, if that has
/// several names.
Node EquationBuilder::getAliasNode(MemoryLocationId memoryLocation) const {
  return aliasNodes.empty() ? kAll
                            : aliasNodes.lookup(getAliasClass(memoryLocation));
}
