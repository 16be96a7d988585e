//===- ReplicaEqualBuilder.cpp - Equations of functions and ops -----------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualBuilder.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

//===----------------------------------------------------------------------===//
// Values and cells
//===----------------------------------------------------------------------===//

/// The node of a value, which may be set later.
Node EquationBuilder::nodeOf(Value value) {
  auto [it, isNew] = values.try_emplace(value, kAll);
  if (isNew)
    it->second = graph.addNode();
  return it->second;
}

void EquationBuilder::setNode(Value value, Node node) {
  auto [it, isNew] = values.try_emplace(value, node);
  // It was asked for before.
  if (!isNew)
    graph.addInput(it->second, node);
}

Node EquationBuilder::withControl(Node node) {
  return graph.addMeet({node, control});
}

Node EquationBuilder::read(const std::optional<MemoryRegionRef> &memoryRegion) {
  return memoryRegion
             ? graph.addMeet(
                   {current.lookup(memoryRegion->memoryRegion), unknown})
             : unknown;
}

/// What a cell that has a symbol holds when a run starts.
Node EquationBuilder::getStart(MemoryRegion memoryRegion) {
  auto [it, isNew] = starts.try_emplace(memoryRegion, kAll);
  if (!isNew)
    return it->second;
  MemoryLocationId memoryLocation =
      memoryRegions.getMemoryLocationOf(memoryRegion);
  SmallVector<StateStart, 1> states = startsOf.lookup(memoryLocation);
  llvm::erase_if(states, [&](const StateStart &state) {
    MemoryRegion of =
        state.start.state.part
            ? memoryRegions.getMemoryRegion(state.start.state).memoryRegion
            : memoryRegions.getWhole(memoryLocation);
    return memoryRegions.getCover(of, memoryRegion) == Cover::None;
  });
  OriginScope scope(graph, states.empty() ? nullptr : states.front().symbol);
  Node node = it->second = graph.addNode();
  for (const StateStart &state : states) {
    OriginScope scope(graph, state.symbol);
    graph.refine(node, state.start.partition);
  }
  return node;
}

SmallVector<Node, 2> EquationBuilder::getStateNodes(const ReplicaState &state) {
  SmallVector<Node, 2> nodes = {unknown};
  auto memoryLocation = memoryRegions.lookupMemoryLocation(
      MemoryLocation::getVariable(state.symbol));
  if (!memoryLocation)
    return nodes;
  MemoryRegion memoryRegion =
      state.part ? memoryRegions.getMemoryRegion(state).memoryRegion
                 : memoryRegions.getWhole(*memoryLocation);
  // A row that no op names is part of what ops of any row use.
  if (!starts.contains(memoryRegion))
    memoryRegion = memoryRegions.getWhole(*memoryLocation);
  nodes.push_back(starts.lookup(memoryRegion));
  return nodes;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void EquationBuilder::createNodes(FunctionOpInterface function) {
  OriginScope scope(graph, function);
  FunctionNodes &nodes = functions[function];
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    nodes.arguments.push_back(graph.addNode());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    nodes.results.push_back(graph.addNode());
  nodes.passed.resize(function.getNumArguments());
  for (MemoryLocationId memoryLocation : nodes.uses.touched)
    for (MemoryRegion memoryRegion :
         memoryRegions.getMemoryRegions(memoryLocation))
      nodes.entry[memoryRegion] = graph.addNode();
  for (MemoryLocationId memoryLocation : nodes.uses.written)
    for (MemoryRegion memoryRegion :
         memoryRegions.getMemoryRegions(memoryLocation))
      nodes.exit[memoryRegion] = graph.addNode();
  // With unknown calls a function may be called under any condition.
  if (unknown != kAll)
    nodes.control = graph.addNode();
}

/// A function that the host calls, or nobody. Its arguments come from streams
/// that give all replicas the same.
void EquationBuilder::buildRoot(FunctionOpInterface function, bool isProgram) {
  FunctionNodes &nodes = functions[function];
  for (auto [memoryRegion, node] : nodes.entry)
    if (!memoryRegions.getKey(memoryRegions.getMemoryLocationOf(memoryRegion))
             .getRoot())
      graph.addInput(node, getStart(memoryRegion));
  if (!isProgram || !semantics->passes(ReplicaFlow::Run, function))
    return;
  for (auto [memoryRegion, node] : nodes.exit)
    if (!memoryRegions.getKey(memoryRegions.getMemoryLocationOf(memoryRegion))
             .getRoot())
      graph.addInput(getStart(memoryRegion), node);
}

void EquationBuilder::buildFunction(FunctionOpInterface function) {
  OriginScope scope(graph, function);
  FunctionNodes &nodes = functions[function];
  current.clear();
  for (auto [memoryRegion, node] : nodes.entry)
    current[memoryRegion] = node;
  control = nodes.control;
  for (auto [argument, node] :
       llvm::zip_equal(function.getArguments(), nodes.arguments)) {
    setNode(argument, node);
    if (!isHandle(argument))
      continue;
    MemoryRegion whole =
        memoryRegions.getWhole(memoryRegions.getMemoryLocation(argument));
    contents[argument] = read(MemoryRegionRef{whole, true});
  }
  buildRegion(function.getFunctionBody(), control, [&](Operation *exit) {
    for (auto [operand, node] : llvm::zip(exit->getOperands(), nodes.results)) {
      graph.addInput(node, nodeOf(operand));
      graph.addInput(node, control);
    }
    for (auto [memoryRegion, node] : nodes.exit)
      graph.addInput(node, current.lookup(memoryRegion));
  });
}

/// What the state of each symbol holds when the program first starts.
void EquationBuilder::collectStarts() {
  for (auto symbol : module.getOps<ReplicaStateOpInterface>()) {
    OriginScope scope(graph, symbol);
    for (const ReplicaStateStart &start :
         semantics->getStarts(symbol, context)) {
      if (unknown != kAll)
        graph.refine(unknown, start.partition);
      auto memoryLocation = memoryRegions.lookupMemoryLocation(
          MemoryLocation::getVariable(start.state.symbol));
      if (!memoryLocation)
        continue;
      startsOf[*memoryLocation].push_back({symbol, start});
      // The host reads a row of its own, also if ops name none.
      if (symbol.isReadOnce() && start.state.part)
        memoryRegions.getMemoryRegion(start.state);
    }
  }
}

void EquationBuilder::build(const ReplicaEqualSemantics &semantics) {
  this->semantics = &semantics;
  SmallVector<FunctionOpInterface> order = calls.getPostOrder();
  llvm::erase_if(order, [](FunctionOpInterface function) {
    return function.isExternal();
  });
  for (FunctionOpInterface function : order)
    collect(function);
  if (hasUnknown)
    unknown = graph.addNode();
  collectStarts();
  for (FunctionOpInterface function : order)
    createNodes(function);
  FunctionOpInterface main = getMainFunction(module);
  // With another entry, which calls it, it is not the program.
  bool isMainCalled = main && !calls.getCallsOf(main).empty();
  for (FunctionOpInterface function : llvm::reverse(order)) {
    bool isCalled = !calls.getCallsOf(function).empty();
    bool isProgram = function == main || (!isCalled && (!main || isMainCalled));
    if (isProgram || !isCalled)
      buildRoot(function, isProgram);
    if (hasIndirectCalls && function != main) {
      FunctionNodes &nodes = functions[function];
      OriginScope scope(graph, function);
      for (Node node : nodes.arguments)
        graph.refine(node, context.partitions.getNone());
      graph.refine(nodes.control, context.partitions.getNone());
    }
    buildFunction(function);
  }
  this->semantics = nullptr;
}

//===----------------------------------------------------------------------===//
// Plain ops
//===----------------------------------------------------------------------===//

/// What `op` gets by an operand.
Node EquationBuilder::getInputNode(Operation *op, unsigned operand,
                                   ArrayRef<Access> accesses) {
  Value value = op->getOperand(operand);
  SmallVector<Node, 2> nodes;
  if (!isHandle(value) || !origins.get(value).isKnown())
    nodes.push_back(nodeOf(value));
  for (const Access &access : accesses)
    if (access.operand == operand && access.reads)
      nodes.push_back(read(access.memoryRegion));
  Node node = graph.addMeet(nodes);
  if (isHandle(value))
    inputs[&op->getOpOperand(operand)] = node;
  return node;
}

/// Replaces what is in cells. Each access is a write, with what it writes.
void EquationBuilder::applyWrites(Operation *op,
                                  ArrayRef<std::pair<Access, Node>> writes) {
  // What is written as a whole, then what is added to it.
  llvm::SmallDenseMap<MemoryRegion, const void *, 8> replacedBy;
  for (const auto &write : writes) {
    if (!write.first.memoryRegion) {
      graph.addInput(unknown, write.second);
      continue;
    }
    if (unknown != kAll)
      graph.addInput(unknown, write.second);
    MemoryRegionRef to = *write.first.memoryRegion;
    if (!write.first.isTotal || !to.isExact)
      continue;
    for (MemoryRegion memoryRegion : memoryRegions.getMemoryRegions(
             memoryRegions.getMemoryLocationOf(to.memoryRegion)))
      if (memoryRegions.getCover(to.memoryRegion, memoryRegion) == Cover::All &&
          replacedBy.try_emplace(memoryRegion, &write).second)
        current[memoryRegion] = write.second;
  }
  bool overlaps = semantics->passes(ReplicaFlow::Overlap, op);
  for (const auto &write : writes) {
    if (!write.first.memoryRegion)
      continue;
    MemoryRegion to = write.first.memoryRegion->memoryRegion;
    for (MemoryRegion memoryRegion : memoryRegions.getMemoryRegions(
             memoryRegions.getMemoryLocationOf(to))) {
      Cover cover = memoryRegions.getCover(to, memoryRegion);
      if (cover == Cover::Some && !overlaps)
        continue;
      if (replacedBy.lookup(memoryRegion) != &write && cover != Cover::None)
        current[memoryRegion] =
            graph.addMeet({current.lookup(memoryRegion), write.second});
    }
  }
  for (const auto &[access, node] : writes) {
    Node after = access.memoryRegion ? read(access.memoryRegion) : unknown;
    if (access.operand)
      modified[op].push_back({*access.operand, after});
    else if (access.result)
      contents[op->getResult(*access.result)] = after;
    else
      states[op] =
          states.contains(op) ? graph.addMeet({states[op], after}) : after;
  }
}

/// All that an op makes is equal where all that it gets is.
void EquationBuilder::buildDefault(Operation *op, ArrayRef<Access> accesses) {
  bool writes = llvm::any_of(
      accesses, [](const Access &access) { return access.writes; });
  SmallVector<Node> nodes;
  for (unsigned i = 0; i < op->getNumOperands(); ++i)
    nodes.push_back(getInputNode(op, i, accesses));
  if (op->getNumResults() == 0 && !writes)
    return;
  for (const Access &access : accesses)
    if (!access.operand && access.reads)
      nodes.push_back(read(access.memoryRegion));
  nodes.push_back(control);
  Node node = graph.addOwn(graph.addMeet(nodes));
  if (ReplicaPartition finer = semantics->getRefinement(op, context)) {
    Node refined = graph.addNode();
    graph.addInput(refined, node);
    graph.refine(refined, finer);
    node = refined;
  }
  for (Value result : op->getResults())
    setNode(result, node);
  SmallVector<std::pair<Access, Node>, 2> written;
  for (const Access &access : accesses)
    if (access.writes)
      written.push_back({access, node});
  applyWrites(op, written);
}

void EquationBuilder::buildRule(ReplicaEqualOpInterface op,
                                ArrayRef<Access> accesses) {
  Rule rule{op, {}, {}, {}, {}, {}};
  ReplicaPartition finer = semantics->getRefinement(op, context);
  auto addOutput = [&] {
    Node node = graph.addNode();
    graph.addInput(node, control);
    if (finer)
      graph.refine(node, finer);
    return node;
  };
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    rule.operands.push_back(getInputNode(op, i, accesses));
    rule.newOperands.push_back(kAll);
  }
  SmallVector<std::pair<Access, Node>, 2> written;
  for (const Access &access : accesses) {
    Node output = access.writes ? addOutput() : kAll;
    if (access.writes)
      written.push_back({access, output});
    if (access.operand) {
      rule.newOperands[*access.operand] = output;
    } else if (access.state) {
      rule.states.push_back(access.reads ? read(access.memoryRegion) : kAll);
      rule.newStates.push_back(output);
    }
  }
  for (Value result : op->getResults()) {
    rule.results.push_back(addOutput());
    setNode(result, rule.results.back());
  }
  graph.addRule(std::move(rule));
  applyWrites(op, written);
}

void EquationBuilder::buildPlain(Operation *op) {
  SmallVector<Access> accesses;
  getAccesses(op, accesses);
  if (auto rule = dyn_cast<ReplicaEqualOpInterface>(op))
    buildRule(rule, accesses);
  else
    buildDefault(op, accesses);
  // A handle on what is there already.
  for (Value result : op->getResults())
    if (isHandle(result) && !contents.contains(result)) {
      const RefOrigin &origin = origins.get(result);
      contents[result] = origin.isKnown()
                             ? read(memoryRegions.getMemoryRegion(origin))
                             : graph.addMeet({nodeOf(result), unknown});
    }
}

void EquationBuilder::buildOp(Operation *op) {
  if (isa<FunctionOpInterface>(op) || op->hasTrait<OpTrait::SymbolTable>())
    return;
  OriginScope scope(graph, op);
  if (auto call = dyn_cast<CallOpInterface>(op))
    return buildCall(call);
  if (op->getNumRegions() == 0)
    return buildPlain(op);
  if (auto branches = dyn_cast<RegionBranchOpInterface>(op))
    return buildBranches(branches);
  buildOpaque(op);
}
