//===- ReplicaEqualCalls.cpp - Equations of calls -------------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualBuilder.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

/// The atoms of the caller's memory that the callee knows as those of
/// `argument`; if that is not exact, these and maybe others.
AtomRanges EquationBuilder::getAtomsThrough(CallOpInterface call,
                                            BlockArgument argument,
                                            AtomRange inner, bool &isExact) {
  Value operand = call.getArgOperands()[argument.getArgNumber()];
  MemoryRegionRef outer = *getMemoryRegion(operand);
  // Nearly all arguments are used as a whole only.
  if (memoryRegions.getNumAtoms(memoryRegions.getMemoryLocation(argument)) ==
      1) {
    isExact = outer.isExact && memoryRegions.isExact(outer.memoryRegion);
    return AtomRanges(memoryRegions.getAtoms(outer.memoryRegion));
  }
  const auto *matches =
      memoryRegions.matchAtoms(operand, origins.get(operand), argument);
  isExact = matches;
  if (!matches)
    return AtomRanges(memoryRegions.getAtoms(outer.memoryRegion));
  AtomRanges atoms;
  for (unsigned atom = inner.begin; atom < inner.end; ++atom)
    llvm::append_range(atoms, (*matches)[atom]);
  return atoms;
}

/// The argument of a function that a memory location is of; null if it has a
/// symbol.
static BlockArgument getArgument(const MemoryRegionTable &memoryRegions,
                                 MemoryLocationId memoryLocation) {
  return dyn_cast_if_present<BlockArgument>(
      memoryRegions.getKey(memoryLocation).getRoot());
}

/// What memory holds that the callee uses, of arguments and of what has a
/// symbol.
void EquationBuilder::passRefs(CallOpInterface call, FunctionOpInterface callee,
                               bool passes) {
  for (EntryCell &cell : functions[callee].entry) {
    BlockArgument argument = getArgument(memoryRegions, cell.memoryLocation);
    Node passed = unknown;
    if (!argument) {
      passed = memory.read(getState(cell.memoryLocation), cell.atoms);
    } else if (auto known = getMemoryRegion(
                   call.getArgOperands()[argument.getArgNumber()])) {
      bool isExact;
      AtomRanges atoms = getAtomsThrough(call, argument, cell.atoms, isExact);
      MemoryLocationId from =
          memoryRegions.getMemoryLocationOf(known->memoryRegion);
      passed = graph.addMeet(
          {memory.read(getState(from), atoms), getAliasNode(from), unknown});
    }
    if (passes)
      graph.addCallInput(cell.node, passed);
    cell.passed.push_back({call, passed});
  }
  for (OpOperand &operand : call.getArgOperandsMutable())
    if (isHandle(operand.get()))
      inputs[&operand] = read(getMemoryRegion(operand.get()));
}

/// What a callee leaves, which may have written it by several names.
Node EquationBuilder::readWritten(const Cell &cell, const Segments &written) {
  return graph.addMeet({cell.written, getAliasNode(written.memoryLocation)});
}

/// What is in memory after an operand when the callee, which writes it,
/// returns.
void EquationBuilder::takeRef(CallOpInterface call, BlockArgument argument,
                              MemoryState after, const Segments &written) {
  auto known = getMemoryRegion(call.getArgOperands()[argument.getArgNumber()]);
  if (!known)
    return;
  MemoryLocationId memoryLocation =
      memoryRegions.getMemoryLocationOf(known->memoryRegion);
  MemoryState &own = getState(memoryLocation);
  memory.forEachCell(after, written.atoms, [&](AtomRange inner, Cell cell) {
    cell.written = readWritten(cell, written);
    noteWrite(memoryLocation, cell.written);
    bool isExact;
    AtomRanges atoms = getAtomsThrough(call, argument, inner, isExact);
    if (isExact && cell.kept == kAll)
      memory.write(own, atoms, {cell.written, kAll});
    else
      memory.add(own, atoms, cell.written);
  });
}

/// What is in memory that the callee wrote.
void EquationBuilder::takeRefs(CallOpInterface call,
                               FunctionOpInterface callee) {
  FunctionNodes &nodes = functions[callee];
  llvm::SmallSetVector<unsigned, 4> changed;
  for (size_t i = 0, e = nodes.written.size(); i != e; ++i) {
    const Segments &written = nodes.written[i];
    BlockArgument argument = getArgument(memoryRegions, written.memoryLocation);
    if (argument)
      changed.insert(argument.getArgNumber());
    // Of a call that leads back here all that is written is unknown.
    if (!nodes.isBuilt)
      continue;
    MemoryState after = nodes.after[i];
    if (argument) {
      takeRef(call, argument, after, written);
      continue;
    }
    MemoryLocationId memoryLocation = written.memoryLocation;
    MemoryState &own = getState(memoryLocation);
    memory.forEachCell(after, written.atoms, [&](AtomRange atoms, Cell cell) {
      cell.written = readWritten(cell, written);
      noteWrite(memoryLocation, cell.written);
      if (cell.kept == kAll)
        memory.write(own, atoms, {cell.written, kAll});
      else
        memory.add(own, atoms, cell.written);
    });
  }
  SmallVector<unsigned> arguments = changed.takeVector();
  llvm::sort(arguments);
  OperandRange operands = call.getArgOperands();
  for (unsigned index : arguments)
    modified[call].push_back({operands.getBeginOperandIndex() + index,
                              read(getMemoryRegion(operands[index]))});
}

void EquationBuilder::buildCall(CallOpInterface call) {
  FunctionOpInterface callee = calls.getCallee(call);
  auto known = callee ? functions.find(callee) : functions.end();
  if (known == functions.end() || callee.isExternal()) {
    // It may ask for the replica's index, say, and leave it in memory.
    graph.refine(unknown, context.partitions.getNone(), Blame::UnknownCall);
    for (Value result : call->getResults()) {
      Node node = graph.addNode();
      graph.refine(node, context.partitions.getNone());
      setNode(result, node);
    }
    return;
  }
  FunctionNodes &nodes = known->second;
  bool passes = semantics->passes(ReplicaFlow::Call, call);
  for (auto [i, operand] : llvm::enumerate(call.getArgOperands())) {
    Node passed = nodeOf(operand);
    if (passes)
      graph.addCallInput(nodes.arguments[i], passed);
    if (!isHandle(operand))
      nodes.passed[i].push_back({call, passed});
  }
  graph.addCallInput(nodes.control, control);
  nodes.passedControl.push_back({call, control});
  passRefs(call, callee, passes);
  takeRefs(call, callee);
  for (auto [result, node] : llvm::zip_equal(call->getResults(), nodes.results))
    setNode(result, withControl(node));
}
