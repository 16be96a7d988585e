//===- ReplicaEqualRegions.cpp - Equations of regions ---------------------===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ReplicaEqualBuilder.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace mlir::ipu;
using namespace mlir::ipu::replica_equal;

//===----------------------------------------------------------------------===//
// States
//===----------------------------------------------------------------------===//

/// What is in places that are written, where ops are being built.
SegmentStates EquationBuilder::getStates(ArrayRef<Segments> segments) {
  SegmentStates states;
  for (const Segments &own : segments)
    states.push_back(getState(own.memoryLocation));
  return states;
}

void EquationBuilder::setStates(ArrayRef<Segments> segments,
                                ArrayRef<MemoryState> states) {
  for (auto [own, state] : llvm::zip_equal(segments, states))
    current[own.memoryLocation] = state;
}

/// What is in memory, with new nodes for what is written there from now on.
SegmentStates EquationBuilder::addNodes(ArrayRef<Segments> segments) {
  SegmentStates states = getStates(segments);
  for (auto [own, state] : llvm::zip_equal(segments, states))
    memory.addNodes(state, own.atoms);
  return states;
}

/// Passes what is in memory to nodes that were made for it.
void EquationBuilder::addInputs(ArrayRef<Segments> segments,
                                ArrayRef<MemoryState> to) {
  for (auto [own, state] : llvm::zip_equal(segments, to))
    memory.addInputs(state, getState(own.memoryLocation), own.atoms);
}

/// What is in memory after any of several ways, one of which ends here.
void EquationBuilder::joinStates(ArrayRef<Segments> segments,
                                 std::optional<SegmentStates> &states) {
  if (!states) {
    states = getStates(segments);
    return;
  }
  for (auto [own, state] : llvm::zip_equal(segments, *states))
    state = memory.join(state, getState(own.memoryLocation));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Builds a block. `onExit` is called after it if it leaves its region.
void EquationBuilder::buildBlock(Block &block, Node blockControl,
                                 ExitFn onExit) {
  Node outer = control;
  control = controls[&block] = blockControl;
  for (Operation &op : block)
    buildOp(&op);
  if (!block.empty() && block.back().getNumSuccessors() == 0)
    onExit(&block.back());
  control = outer;
}

/// What decides which blocks of a region are executed how often.
Node EquationBuilder::getDecision(Region &region, Node regionControl) {
  SmallVector<Node> nodes = {regionControl};
  for (Block &block : region) {
    if (block.getNumSuccessors() < 2)
      continue;
    Operation *terminator = block.getTerminator();
    llvm::SmallBitVector forwards(terminator->getNumOperands());
    if (auto branch = dyn_cast<BranchOpInterface>(terminator))
      for (unsigned i = 0; i < block.getNumSuccessors(); ++i) {
        OperandRange forwarded =
            branch.getSuccessorOperands(i).getForwardedOperands();
        if (!forwarded.empty())
          forwards.set(forwarded.getBeginOperandIndex(),
                       forwarded.getBeginOperandIndex() + forwarded.size());
      }
    for (OpOperand &operand : terminator->getOpOperands())
      if (!forwards[operand.getOperandNumber()])
        nodes.push_back(nodeOf(operand.get()));
  }
  return graph.addMeet(nodes);
}

/// Builds the blocks of a region from where `current` is. `onExit` is called
/// at each terminator that leaves the region.
void EquationBuilder::buildRegion(Region &region, Node regionControl,
                                  ExitFn onExit) {
  if (region.empty())
    return;
  if (region.hasOneBlock())
    return buildBlock(region.front(), regionControl, onExit);
  SmallVector<Segments, 0> written = getWrittenSegments(region.getParentOp());
  llvm::DenseMap<Block *, SegmentStates> entries;
  for (Block &block : llvm::drop_begin(region)) {
    entries[&block] = addNodes(written);
    for (BlockArgument argument : block.getArguments())
      setNode(argument, graph.addNode());
  }
  // Nothing branches to the first block.
  Node decision = getDecision(region, regionControl);
  for (Block &block : region) {
    bool isFirst = block.isEntryBlock();
    if (!isFirst)
      setStates(written, entries[&block]);
    buildBlock(block, isFirst ? regionControl : decision, onExit);
    for (unsigned i = 0; i < block.getNumSuccessors(); ++i) {
      addInputs(written, entries[block.getSuccessor(i)]);
      passToBlock(block, i, decision);
    }
  }
}

/// What a block passes to arguments of a successor.
void EquationBuilder::passToBlock(Block &block, unsigned successor,
                                  Node decision) {
  auto branch = dyn_cast<BranchOpInterface>(block.getTerminator());
  for (BlockArgument argument : block.getSuccessor(successor)->getArguments()) {
    Value passed =
        branch ? branch.getSuccessorOperands(successor)[argument.getArgNumber()]
               : Value();
    Node node = nodeOf(argument);
    graph.addInput(node, decision);
    if (passed)
      graph.addInput(node, nodeOf(passed));
    else
      // Made by the branch itself.
      for (Value operand : block.getTerminator()->getOperands())
        graph.addInput(node, nodeOf(operand));
  }
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

/// All points from which regions of `op` are entered or left.
static BranchPoints getBranchPoints(RegionBranchOpInterface op) {
  BranchPoints points;
  for (RegionBranchPoint point : op.getAllRegionBranchPoints())
    op.getSuccessorRegions(point,
                           points.emplace_back(BranchPoint{point}).successors);
  return points;
}

/// Operands that `at`, the parent `op` or a terminator, does not pass on.
static SmallVector<Value> getDecidingOperands(RegionBranchOpInterface op,
                                              const BranchPoint &from,
                                              Operation *at) {
  llvm::SmallBitVector forwards(at->getNumOperands());
  for (RegionSuccessor successor : from.successors) {
    OperandRange passed = op.getSuccessorOperands(from.point, successor);
    if (!passed.empty())
      forwards.set(passed.getBeginOperandIndex(),
                   passed.getBeginOperandIndex() + passed.size());
  }
  SmallVector<Value> deciding;
  for (OpOperand &operand : at->getOpOperands())
    if (!forwards[operand.getOperandNumber()])
      deciding.push_back(operand.get());
  return deciding;
}

/// What decides which regions of `op` are executed how often.
Node EquationBuilder::getDecision(RegionBranchOpInterface op,
                                  const BranchPoints &points) {
  if (!semantics->passes(ReplicaFlow::Decision, op))
    return control;
  SmallVector<Node> nodes = {control};
  for (const BranchPoint &from : points) {
    Operation *at = from.point.isParent()
                        ? op.getOperation()
                        : from.point.getTerminatorPredecessorOrNull();
    for (Value value : getDecidingOperands(op, from, at))
      nodes.push_back(nodeOf(value));
  }
  return graph.addOwn(graph.addMeet(nodes));
}

/// The arguments and results of `op` that its branches pass values to; fails if
/// there are others of which it is not known how they come about.
static FailureOr<llvm::SmallSetVector<Value, 4>>
getBranchInputs(RegionBranchOpInterface op, const BranchPoints &points) {
  llvm::SmallSetVector<Value, 4> passed;
  for (const auto &[point, successors] : points)
    for (RegionSuccessor successor : successors) {
      ValueRange values = successor.getSuccessorInputs();
      passed.insert(values.begin(), values.end());
      if (op.getSuccessorOperands(point, successor).size() != values.size())
        return failure();
    }
  auto loop = dyn_cast<LoopLikeOpInterface>(op.getOperation());
  std::optional<SmallVector<Value>> counters;
  if (loop)
    counters = loop.getLoopInductionVars();
  auto isKnown = [&](Value value) {
    return passed.contains(value) ||
           (counters && llvm::is_contained(*counters, value));
  };
  for (Region &region : op->getRegions())
    if (!region.empty() && !llvm::all_of(region.getArguments(), isKnown))
      return failure();
  if (!llvm::all_of(op->getResults(), isKnown))
    return failure();
  return passed;
}

/// Whether a branch goes back to a region that was executed before.
static bool isRepeated(const RegionFlow::Edge &edge) {
  if (edge.from.isParent() || edge.to.isParent())
    return false;
  Region *region =
      edge.from.getTerminatorPredecessorOrNull()->getParentRegion();
  return edge.to.getSuccessor()->getRegionNumber() <= region->getRegionNumber();
}

void EquationBuilder::buildBranches(RegionBranchOpInterface op) {
  BranchPoints points = getBranchPoints(op);
  FailureOr<llvm::SmallSetVector<Value, 4>> passed =
      getBranchInputs(op, points);
  ArrayRef<Access> accesses = takeAccesses(op);
  if (failed(passed) || !accesses.empty())
    return buildOpaque(op, accesses);
  const RegionFlow &flow = allRegions[regionsOf.lookup(op)].flow;
  Node decision = getDecision(op, points);
  auto setInput = [&](Value value) {
    Value source = sources.getSource(value);
    Node node = graph.addNode();
    // Whatever decides, it is there where the op is executed.
    bool isDecided = source == value || isa<BlockArgument>(value);
    graph.addInput(node, isDecided ? decision : control);
    if (source != value)
      graph.addInput(node, nodeOf(source));
    setNode(value, node);
  };
  llvm::for_each(*passed, setInput);
  for (Region &region : op->getRegions())
    if (!region.empty())
      for (BlockArgument argument : region.getArguments())
        if (!passed->contains(argument))
          setInput(argument);
  size_t numOuter = writtenInLoops.size();
  auto replaced = replacedBy.find(op);
  if (replaced != replacedBy.end())
    for (MemoryRegion memoryRegion : replaced->second)
      if (memoryRegions.isExact(memoryRegion))
        writtenInLoops.push_back({memoryRegion, graph.addNode()});
  buildRegions(op, flow, decision);
  for (auto [memoryRegion, written] :
       llvm::drop_begin(writtenInLoops, numOuter))
    memory.write(getState(memoryRegions.getMemoryLocationOf(memoryRegion)),
                 memoryRegions.getAtoms(memoryRegion), {written, kAll});
  writtenInLoops.truncate(numOuter);
}

/// Something is written to a location, in the loops around it and by its names.
void EquationBuilder::noteWrite(MemoryLocationId memoryLocation, Node written) {
  if (Node aliased = getAliasNode(memoryLocation); aliased != kAll)
    graph.addInput(aliased, written);
  if (auto shown = shownBy.find(memoryLocation); shown != shownBy.end())
    for (Node node : shown->second)
      graph.addInput(node, written);
  for (auto [memoryRegion, node] : writtenInLoops)
    if (memoryRegions.getMemoryLocationOf(memoryRegion) == memoryLocation)
      graph.addInput(node, written);
}

/// Builds the regions of an op, of which arguments and results have nodes.
void EquationBuilder::buildRegions(RegionBranchOpInterface op,
                                   const RegionFlow &flow, Node decision) {
  // What is in memory where each region starts, and after the op.
  SmallVector<Segments, 0> written = getWrittenSegments(op);
  SmallVector<SegmentStates, 2> entries;
  for (Region &region : op->getRegions())
    entries.push_back(flow.repeated.contains(&region) ? addNodes(written)
                                                      : getStates(written));
  std::optional<SegmentStates> after;
  bool iterates = semantics->passes(ReplicaFlow::Iteration, op);
  auto branchFrom = [&](RegionBranchPoint point) {
    for (const RegionFlow::Edge &edge : flow.edges) {
      if (edge.from != point || (!iterates && isRepeated(edge)))
        continue;
      if (edge.to.isParent())
        joinStates(written, after);
      else if (Region *to = edge.to.getSuccessor(); flow.repeated.contains(to))
        addInputs(written, entries[to->getRegionNumber()]);
      for (auto [input, operand] :
           llvm::zip_equal(edge.to.getSuccessorInputs(),
                           op.getSuccessorOperands(edge.from, edge.to)))
        if (!sources.hasSource(input))
          graph.addInput(nodeOf(input), nodeOf(operand));
    }
  };
  branchFrom(RegionBranchPoint::parent());
  for (Region &region : op->getRegions()) {
    setStates(written, entries[region.getRegionNumber()]);
    buildRegion(region, decision, [&](Operation *exit) {
      if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(exit))
        branchFrom(terminator);
    });
  }
  if (after)
    setStates(written, *after);
}

/// An op whose regions may be executed in any order, any number of times, with
/// anything that it gets or that they make as arguments, results and condition.
void EquationBuilder::buildOpaque(Operation *op, ArrayRef<Access> accesses) {
  Node all = graph.addNode();
  graph.addInput(all, control);
  SmallVector<std::pair<Access, Node>, 2> written;
  for (const Access &access : accesses) {
    if (access.reads)
      graph.addInput(all, read(access.memoryRegion));
    if (access.writes)
      written.push_back({access, all});
  }
  for (Value operand : op->getOperands())
    graph.addInput(all, nodeOf(operand));
  for (Value result : op->getResults())
    setNode(result, all);
  SmallVector<Segments, 0> inside = getWrittenSegments(op);
  SegmentStates entry = addNodes(inside);
  addInputs(inside, entry);
  for (Region &region : op->getRegions()) {
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        setNode(argument, all);
    setStates(inside, entry);
    buildRegion(region, all, [&](Operation *) { addInputs(inside, entry); });
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        graph.addInput(all, nodeOf(operand));
      for (Value result : inner->getResults())
        graph.addInput(all, nodeOf(result));
    });
  }
  setStates(inside, entry);
  applyWrites(op, written);
}
