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
// Values and memory
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

/// What is in a memory location where ops are being built.
MemoryState &EquationBuilder::getState(MemoryLocationId memoryLocation) {
  MemoryState state;
  state.numAtoms = memoryRegions.getNumAtoms(memoryLocation);
  return current.try_emplace(memoryLocation, state).first->second;
}

Node EquationBuilder::read(const std::optional<MemoryRegionRef> &memoryRegion) {
  if (!memoryRegion)
    return unknown;
  MemoryRegion from = memoryRegion->memoryRegion;
  MemoryLocationId location = memoryRegions.getMemoryLocationOf(from);
  Node node = memory.read(getState(location), memoryRegions.getAtoms(from));
  return graph.addMeet({node, getAliasNode(location), unknown});
}

/// What a ref shows, by whatever name it was written.
Node EquationBuilder::readShown(const MemoryRegionRef &memoryRegion) {
  Node node = read(memoryRegion);
  if (shownNodes.empty())
    return node;
  return graph.addMeet(
      {node, shownNodes.lookup(memoryRegions.getMemoryLocationOf(
                 memoryRegion.memoryRegion))});
}

/// What the atoms of state that has a symbol hold when a run starts.
ArrayRef<Node> EquationBuilder::getStarts(MemoryLocationId memoryLocation) {
  std::vector<Node> &nodes = starts[memoryLocation];
  if (!nodes.empty())
    return nodes;
  ArrayRef<StateStart> states;
  auto *found = startsOf.find(memoryLocation);
  if (found != startsOf.end())
    states = found->second;
  std::vector<const StateStart *> startOf(
      memoryRegions.getNumAtoms(memoryLocation), nullptr);
  auto forEachAtom = [&](const StateStart &state, auto visit) {
    for (AtomRange range : memoryRegions.getAtoms(state.memoryRegion))
      for (unsigned atom = range.begin; atom < range.end; ++atom)
        visit(atom);
  };
  for (const StateStart &state : states)
    forEachAtom(state, [&](unsigned atom) { startOf[atom] = &state; });
  for (const StateStart *start : startOf) {
    OriginScope scope(graph, start ? start->symbol : nullptr);
    nodes.push_back(graph.addNode());
  }
  for (const StateStart &state : states) {
    OriginScope scope(graph, state.symbol);
    forEachAtom(state, [&](unsigned atom) {
      graph.refine(nodes[atom], state.start.partition);
    });
  }
  return nodes;
}

/// Whether all of a memory location starts anew in each run.
bool EquationBuilder::startsEachRun(MemoryLocationId memoryLocation) const {
  auto *found = startsOf.find(memoryLocation);
  return found != startsOf.end() &&
         llvm::all_of(found->second, [](const StateStart &state) {
           return state.start.isEachRun && !state.start.state.part;
         });
}

SmallVector<Node, 2> EquationBuilder::getStateNodes(const ReplicaState &state) {
  SmallVector<Node, 2> nodes = {unknown};
  auto memoryLocation = memoryRegions.lookupMemoryLocation(
      MemoryLocation::getVariable(state.symbol));
  if (!memoryLocation)
    return nodes;
  // No op uses a memory location without nodes.
  auto found = starts.find(*memoryLocation);
  if (found == starts.end())
    return nodes;
  for (AtomRange range : memoryRegions.getAtoms(
           memoryRegions.getMemoryRegion(state).memoryRegion))
    nodes.append(found->second.begin() + range.begin,
                 found->second.begin() + range.end);
  return nodes;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Whether a function may be called under a condition, or not equally often.
bool EquationBuilder::isControlled(FunctionOpInterface function) const {
  if (hasUnknown)
    return true;
  return llvm::any_of(calls.getCallsOf(function), [&](CallOpInterface call) {
    auto caller = call->getParentOfType<FunctionOpInterface>();
    Region *region = call->getParentRegion();
    return region->getParentOp() != caller || !region->hasOneBlock() ||
           functions.find(caller)->second.control != kAll;
  });
}

void EquationBuilder::createNodes(FunctionOpInterface function) {
  OriginScope scope(graph, function);
  FunctionNodes &nodes = functions[function];
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    nodes.arguments.push_back(graph.addNode());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    nodes.results.push_back(graph.addNode());
  nodes.passed.resize(function.getNumArguments());
  for (const Segments &segments :
       getSegments(nodes.uses.touched.getArrayRef())) {
    MemoryState &state = nodes.before[segments.memoryLocation];
    state.numAtoms = memoryRegions.getNumAtoms(segments.memoryLocation);
    for (AtomRange atoms : segments.atoms) {
      nodes.entry.push_back({segments.memoryLocation, atoms, graph.addNode()});
      memory.write(state, atoms, {kAll, nodes.entry.back().node});
    }
  }
  nodes.written = getSegments(nodes.uses.written.getArrayRef());
  if (isControlled(function))
    nodes.control = graph.addNode();
}

/// A function that the host calls, or no caller. Its arguments come from
/// streams that give all replicas the same.
void EquationBuilder::buildRoot(FunctionOpInterface function, bool isProgram) {
  FunctionNodes &nodes = functions[function];
  auto hasSymbol = [&](MemoryLocationId memoryLocation) {
    return !memoryRegions.getKey(memoryLocation).getRoot();
  };
  for (const EntryCell &cell : nodes.entry)
    if (hasSymbol(cell.memoryLocation))
      for (Node start :
           getStarts(cell.memoryLocation)
               .slice(cell.atoms.begin, cell.atoms.end - cell.atoms.begin))
        graph.addInput(cell.node, start);
  if (!isProgram || !semantics->passes(ReplicaFlow::Run, function))
    return;
  for (auto [written, after] : llvm::zip_equal(nodes.written, nodes.after)) {
    if (!hasSymbol(written.memoryLocation) ||
        startsEachRun(written.memoryLocation))
      continue;
    ArrayRef<Node> starts = getStarts(written.memoryLocation);
    Node aliased = getAliasNode(written.memoryLocation);
    // Atoms that keep what they had start the next run as this one.
    memory.forEachCell(after, written.atoms, [&](AtomRange atoms, Cell cell) {
      for (unsigned i = atoms.begin; i < atoms.end; ++i)
        for (Node node : {cell.written, aliased})
          graph.addNextRunInput(starts[i], node);
    });
  }
}

void EquationBuilder::buildFunction(FunctionOpInterface function) {
  OriginScope scope(graph, function);
  FunctionNodes &nodes = functions[function];
  current = nodes.before;
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
  std::optional<SegmentStates> after;
  buildRegion(function.getFunctionBody(), control, [&](Operation *exit) {
    for (auto [operand, node] : llvm::zip(exit->getOperands(), nodes.results)) {
      graph.addInput(node, nodeOf(operand));
      graph.addInput(node, control);
    }
    joinStates(nodes.written, after);
  });
  if (!after) {
    // It never returns.
    current = nodes.before;
    after = getStates(nodes.written);
  }
  nodes.after = std::move(*after);
  nodes.isBuilt = true;
}

/// Finds what has a symbol and a first value that is not equal on all replicas.
void EquationBuilder::collectStarts() {
  for (auto symbol : module.getOps<ReplicaStateOpInterface>()) {
    OriginScope scope(graph, symbol);
    for (const ReplicaStateStart &start :
         semantics->getStarts(symbol, context)) {
      if (unknown != kAll)
        graph.refine(unknown, start.partition, Blame::UnknownState);
      auto memoryLocation = memoryRegions.lookupMemoryLocation(
          MemoryLocation::getVariable(start.state.symbol));
      if (!memoryLocation)
        continue;
      MemoryRegion memoryRegion =
          memoryRegions.getMemoryRegion(start.state).memoryRegion;
      startsOf[*memoryLocation].push_back({symbol, start, memoryRegion});
    }
    if (std::optional<int64_t> numParts = symbol.getNumReplicaParts())
      if (auto memoryLocation =
              memoryRegions.lookupMemoryLocation(MemoryLocation::getVariable(
                  FlatSymbolRefAttr::get(SymbolTable::getSymbolName(symbol)))))
        memoryRegions.setNumParts(*memoryLocation, *numParts);
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
  values.reserve(numValues);
  controls.reserve(numBlocks);
  contents.reserve(memoryRegionsOf.size());
  modified.reserve(llvm::count_if(
      allAccesses, [](const Access &access) { return access.writes; }));
  findAliases(order);
  if (hasUnknown)
    unknown = graph.addNode();
  collectStarts();
  memoryRegions.splitIntoAtoms();
  // Callers first: what is executed under a condition calls under it.
  for (FunctionOpInterface function : llvm::reverse(order))
    createNodes(function);
  FunctionOpInterface main = getMainFunction(module);
  // With another entry, which calls it, it is not the program.
  bool isMainCalled = main && !calls.getCallsOf(main).empty();
  // Callees first: calls take what they leave.
  for (FunctionOpInterface function : order) {
    if (hasIndirectCalls && function != main) {
      FunctionNodes &nodes = functions[function];
      OriginScope scope(graph, function);
      for (Node node : nodes.arguments)
        graph.refine(node, context.partitions.getNone());
      graph.refine(nodes.control, context.partitions.getNone());
    }
    buildFunction(function);
    bool isCalled = !calls.getCallsOf(function).empty();
    bool isProgram = function == main || (!isCalled && (!main || isMainCalled));
    if (isProgram || !isCalled)
      buildRoot(function, isProgram);
  }
  assert(numTaken == allAccesses.size() && "built as collected");
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
  if (!isHandle(value) || !getMemoryRegion(value))
    nodes.push_back(nodeOf(sources.getSource(value)));
  for (const Access &access : accesses)
    if (access.operand == operand && access.reads)
      nodes.push_back(read(access.memoryRegion));
  Node node = graph.addMeet(nodes);
  if (isHandle(value))
    inputs[&op->getOpOperand(operand)] = node;
  return node;
}

/// Replaces what is in memory. Each access is a write, with what it writes.
void EquationBuilder::applyWrites(Operation *op,
                                  ArrayRef<std::pair<Access, Node>> writes) {
  bool reachesAll = semantics->passes(ReplicaFlow::Overlap, op);
  auto forEachKnown = [&](auto write) {
    for (const auto &[access, node] : writes) {
      if (!access.memoryRegion)
        continue;
      MemoryRegion to = access.memoryRegion->memoryRegion;
      AtomRanges atoms(memoryRegions.getAtoms(to));
      if (!reachesAll && !atoms.empty())
        atoms = {{atoms.front().begin, atoms.front().begin + 1}};
      MemoryLocationId memoryLocation = memoryRegions.getMemoryLocationOf(to);
      noteWrite(memoryLocation, node);
      write(access, node, getState(memoryLocation), atoms);
    }
  };
  auto isReplaced = [&](const Access &access) {
    return access.isTotal && access.memoryRegion->isExact &&
           memoryRegions.isExact(access.memoryRegion->memoryRegion);
  };
  // What is replaced, then what is added to it: of atoms that are written twice
  // it is not known which write is the last.
  forEachKnown([&](const Access &access, Node node, MemoryState &state,
                   ArrayRef<AtomRange> atoms) {
    if (isReplaced(access))
      memory.write(state, atoms, {node, kAll});
  });
  forEachKnown([&](const Access &access, Node node, MemoryState &state,
                   ArrayRef<AtomRange> atoms) {
    if (writes.size() > 1 || !isReplaced(access))
      memory.add(state, atoms, node);
  });
  for (const auto &[access, node] : writes) {
    if (unknown != kAll)
      graph.addInput(unknown, node);
    Node after = read(access.memoryRegion);
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
  Value single = op->getNumResults() == 1 && !isHandle(op->getResult(0))
                     ? op->getResult(0)
                     : Value();
  bool isConstant = single && sources.getConstant(single);
  Value only =
      single && sources.hasSource(single) ? sources.getSource(single) : Value();
  auto select = dyn_cast<SelectLikeOpInterface>(op);
  if (select && !only)
    only = sources.getOnlyChoice(select);
  if (only && !isConstant)
    nodes.push_back(nodeOf(only));
  for (unsigned i = 0; i < op->getNumOperands(); ++i) {
    Node input = getInputNode(op, i, accesses);
    if (!only && !isConstant)
      nodes.push_back(input);
  }
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
    graph.refine(refined, finer, Blame::OpItself);
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
      graph.refine(node, finer, Blame::OpItself);
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
  ArrayRef<Access> accesses = takeAccesses(op);
  if (auto rule = dyn_cast<ReplicaEqualOpInterface>(op))
    buildRule(rule, accesses);
  else
    buildDefault(op, accesses);
  // A handle on what is there already.
  for (Value result : op->getResults())
    if (isHandle(result) && !contents.contains(result)) {
      std::optional<MemoryRegionRef> known = getMemoryRegion(result);
      contents[result] =
          known ? readShown(*known) : graph.addMeet({nodeOf(result), unknown});
    }
}

void EquationBuilder::buildOp(Operation *op) {
  if (isSeparate(op))
    return;
  OriginScope scope(graph, op);
  if (auto call = dyn_cast<CallOpInterface>(op))
    return buildCall(call);
  if (op->getNumRegions() == 0)
    return buildPlain(op);
  if (auto branches = dyn_cast<RegionBranchOpInterface>(op))
    return buildBranches(branches);
  buildOpaque(op, takeAccesses(op));
}
