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

Node EquationBuilder::read(const std::optional<CellRef> &cell) {
  return cell ? graph.addMeet({current.lookup(cell->cell), unknown}) : unknown;
}

/// What a cell that has a symbol holds when a run starts.
Node EquationBuilder::getStart(Cell cell) {
  auto [it, isNew] = starts.try_emplace(cell, kAll);
  if (!isNew)
    return it->second;
  Node node = it->second = graph.addNode();
  PlaceId place = cells.getPlaceOf(cell);
  for (const ReplicaStateStart &start : startsOf.lookup(place)) {
    Cell of = start.state.part ? cells.getCell(start.state).cell
                               : cells.getWhole(place);
    if (cells.getCover(of, cell) != Cover::None)
      graph.refine(node, start.partition);
  }
  return node;
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

void EquationBuilder::createNodes(FunctionOpInterface function) {
  FunctionNodes &nodes = functions[function];
  for (unsigned i = 0; i < function.getNumArguments(); ++i)
    nodes.arguments.push_back(graph.addNode());
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    nodes.results.push_back(graph.addNode());
  nodes.passed.resize(function.getNumArguments());
  for (PlaceId place : nodes.uses.touched)
    for (Cell cell : cells.getCells(place))
      nodes.entry[cell] = graph.addNode();
  for (PlaceId place : nodes.uses.written)
    for (Cell cell : cells.getCells(place))
      nodes.exit[cell] = graph.addNode();
  // With unknown calls a function may be called under any condition.
  if (unknown != kAll)
    nodes.control = graph.addNode();
}

/// A function that the host calls, or nobody. Its arguments come from streams
/// that give all replicas the same.
void EquationBuilder::buildRoot(FunctionOpInterface function, bool isProgram) {
  FunctionNodes &nodes = functions[function];
  for (auto [cell, node] : nodes.entry)
    if (!cells.getKey(cells.getPlaceOf(cell)).getRoot())
      graph.addInput(node, getStart(cell));
  if (!isProgram || !semantics->passes(ReplicaFlow::Run, function))
    return;
  for (auto [cell, node] : nodes.exit)
    if (!cells.getKey(cells.getPlaceOf(cell)).getRoot())
      graph.addInput(getStart(cell), node);
}

void EquationBuilder::buildFunction(FunctionOpInterface function) {
  FunctionNodes &nodes = functions[function];
  current.clear();
  for (auto [cell, node] : nodes.entry)
    current[cell] = node;
  control = nodes.control;
  for (auto [argument, node] :
       llvm::zip_equal(function.getArguments(), nodes.arguments)) {
    setNode(argument, node);
    if (!isHandle(argument))
      continue;
    Cell whole = cells.getWhole(cells.getPlace(argument));
    contents[argument] = read(CellRef{whole, true});
  }
  buildRegion(function.getFunctionBody(), control, [&](Operation *exit) {
    for (auto [operand, node] : llvm::zip(exit->getOperands(), nodes.results)) {
      graph.addInput(node, nodeOf(operand));
      graph.addInput(node, control);
    }
    for (auto [cell, node] : nodes.exit)
      graph.addInput(node, current.lookup(cell));
  });
}

/// What the state of each symbol holds when the program first starts.
void EquationBuilder::collectStarts() {
  for (auto symbol : module.getOps<ReplicaStateOpInterface>())
    for (const ReplicaStateStart &start :
         semantics->getStarts(symbol, context)) {
      if (unknown != kAll)
        graph.refine(unknown, start.partition);
      if (auto place =
              cells.lookupPlace(Place::getVariable(start.state.symbol)))
        startsOf[*place].push_back(start);
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
      nodes.push_back(read(access.cell));
  Node node = graph.addMeet(nodes);
  if (isHandle(value))
    inputs[&op->getOpOperand(operand)] = node;
  return node;
}

/// Replaces what is in cells. Each access is a write, with what it writes.
void EquationBuilder::applyWrites(Operation *op,
                                  ArrayRef<std::pair<Access, Node>> writes) {
  // What is written as a whole, then what is added to it.
  llvm::SmallDenseMap<Cell, const void *, 8> replacedBy;
  for (const auto &write : writes) {
    if (!write.first.cell) {
      graph.addInput(unknown, write.second);
      continue;
    }
    if (unknown != kAll)
      graph.addInput(unknown, write.second);
    CellRef to = *write.first.cell;
    if (!write.first.isTotal || !to.isExact)
      continue;
    for (Cell cell : cells.getCells(cells.getPlaceOf(to.cell)))
      if (cells.getCover(to.cell, cell) == Cover::All &&
          replacedBy.try_emplace(cell, &write).second)
        current[cell] = write.second;
  }
  bool overlaps = semantics->passes(ReplicaFlow::Overlap, op);
  for (const auto &write : writes) {
    if (!write.first.cell)
      continue;
    Cell to = write.first.cell->cell;
    for (Cell cell : cells.getCells(cells.getPlaceOf(to))) {
      Cover cover = cells.getCover(to, cell);
      if (cover == Cover::Some && !overlaps)
        continue;
      if (replacedBy.lookup(cell) != &write && cover != Cover::None)
        current[cell] = graph.addMeet({current.lookup(cell), write.second});
    }
  }
  for (const auto &[access, node] : writes) {
    Node after = access.cell ? read(access.cell) : unknown;
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
      nodes.push_back(read(access.cell));
  nodes.push_back(control);
  Node node = graph.addMeet(nodes);
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
      rule.states.push_back(access.reads ? read(access.cell) : kAll);
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
                             ? read(cells.getCell(origin))
                             : graph.addMeet({nodeOf(result), unknown});
    }
}

void EquationBuilder::buildOp(Operation *op) {
  if (isa<FunctionOpInterface>(op) || op->hasTrait<OpTrait::SymbolTable>())
    return;
  if (auto call = dyn_cast<CallOpInterface>(op))
    return buildCall(call);
  if (op->getNumRegions() == 0)
    return buildPlain(op);
  if (auto branches = dyn_cast<RegionBranchOpInterface>(op))
    return buildBranches(branches);
  buildOpaque(op);
}
