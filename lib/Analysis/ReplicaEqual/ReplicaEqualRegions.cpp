//===- ReplicaEqualRegions.cpp - Equations of calls and regions -----------===//
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
// Calls
//===----------------------------------------------------------------------===//

/// What cells hold that the callee uses, of arguments and of what has a symbol.
void EquationBuilder::passRefs(CallOpInterface call, FunctionOpInterface callee,
                               bool passes) {
  FunctionNodes &nodes = functions[callee];
  for (auto [memoryRegion, entry] : nodes.entry) {
    auto argument = dyn_cast_if_present<BlockArgument>(
        memoryRegions.getKey(memoryRegions.getMemoryLocationOf(memoryRegion))
            .getRoot());
    if (!argument) {
      if (passes)
        graph.addInput(entry, current.lookup(memoryRegion));
      continue;
    }
    unsigned index = argument.getArgNumber();
    const RefOrigin &operand = origins.get(call.getArgOperands()[index]);
    Node passed = operand.isKnown() ? read(memoryRegions.getMemoryRegionThrough(
                                          operand, argument, memoryRegion))
                                    : unknown;
    if (passes)
      graph.addInput(entry, passed);
    if (memoryRegion == memoryRegions.getWhole(
                            memoryRegions.getMemoryLocationOf(memoryRegion))) {
      nodes.passed[index].push_back({call, passed});
      inputs[&call.getArgOperandsMutable()[index]] = passed;
    }
  }
}

/// Where cells are that the callee wrote.
void EquationBuilder::takeRefs(CallOpInterface call,
                               FunctionOpInterface callee) {
  FunctionNodes &nodes = functions[callee];
  // All of an argument first: its parts are better known.
  SmallVector<std::pair<MemoryRegion, Node>> exits(nodes.exit.begin(),
                                                   nodes.exit.end());
  llvm::sort(exits);
  for (auto [memoryRegion, exit] : exits) {
    MemoryLocationId memoryLocation =
        memoryRegions.getMemoryLocationOf(memoryRegion);
    auto argument = dyn_cast_if_present<BlockArgument>(
        memoryRegions.getKey(memoryLocation).getRoot());
    if (!argument) {
      current[memoryRegion] = exit;
      continue;
    }
    unsigned index = argument.getArgNumber();
    const RefOrigin &operand = origins.get(call.getArgOperands()[index]);
    if (!operand.isKnown()) {
      modified[call].push_back({index, unknown});
      continue;
    }
    MemoryRegionRef own =
        memoryRegions.getMemoryRegionThrough(operand, argument, memoryRegion);
    if (memoryRegion != memoryRegions.getWhole(memoryLocation)) {
      if (own.isExact)
        current[own.memoryRegion] = exit;
      continue;
    }
    for (MemoryRegion other : memoryRegions.getMemoryRegions(
             memoryRegions.getMemoryLocationOf(own.memoryRegion))) {
      Cover cover = memoryRegions.getCover(own.memoryRegion, other);
      if (cover == Cover::All && own.isExact)
        current[other] = exit;
      else if (cover != Cover::None)
        current[other] = graph.addMeet({current.lookup(other), exit});
    }
    modified[call].push_back({index, kAll});
  }
  auto changed = modified.find(call);
  if (changed == modified.end())
    return;
  llvm::sort(changed->second);
  for (auto &[index, node] : changed->second) {
    OperandRange operands = call.getArgOperands();
    const RefOrigin &operand = origins.get(operands[index]);
    if (operand.isKnown())
      node = read(memoryRegions.getMemoryRegion(operand));
    index += operands.getBeginOperandIndex();
  }
}

void EquationBuilder::buildCall(CallOpInterface call) {
  FunctionOpInterface callee = calls.getCallee(call);
  auto known = callee ? functions.find(callee) : functions.end();
  if (known == functions.end() || callee.isExternal()) {
    // It may ask for the replica's index, say, and leave it in memory.
    graph.refine(unknown, context.partitions.getNone());
    for (Value result : call->getResults())
      setNode(result, unknown);
    return;
  }
  FunctionNodes &nodes = known->second;
  bool passes = semantics->passes(ReplicaFlow::Call, call);
  for (auto [i, operand] : llvm::enumerate(call.getArgOperands())) {
    Node passed = nodeOf(operand);
    if (passes)
      graph.addInput(nodes.arguments[i], passed);
    if (!isHandle(operand))
      nodes.passed[i].push_back({call, passed});
  }
  if (control != kAll) {
    if (nodes.control == kAll)
      nodes.control = graph.addNode();
    graph.addInput(nodes.control, control);
  }
  passRefs(call, callee, passes);
  takeRefs(call, callee);
  for (auto [result, node] : llvm::zip_equal(call->getResults(), nodes.results))
    setNode(result, withControl(node));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

/// Builds a block. `onExit` is called behind it if it leaves its region.
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
  SmallVector<MemoryRegion> written =
      getWrittenMemoryRegions(region.getParentOp());
  llvm::DenseMap<Block *, llvm::DenseMap<MemoryRegion, Node>> entries;
  for (Block &block : llvm::drop_begin(region)) {
    for (MemoryRegion memoryRegion : written)
      entries[&block][memoryRegion] = graph.addNode();
    for (BlockArgument argument : block.getArguments())
      setNode(argument, graph.addNode());
  }
  // Nothing branches to the first block.
  Node decision = getDecision(region, regionControl);
  for (Block &block : region) {
    bool isFirst = block.isEntryBlock();
    if (!isFirst)
      for (MemoryRegion memoryRegion : written)
        current[memoryRegion] = entries[&block][memoryRegion];
    buildBlock(block, isFirst ? regionControl : decision, onExit);
    for (auto [i, successor] : llvm::enumerate(block.getSuccessors())) {
      for (MemoryRegion memoryRegion : written)
        graph.addInput(entries[successor][memoryRegion],
                       current.lookup(memoryRegion));
      auto branch = dyn_cast<BranchOpInterface>(block.getTerminator());
      for (BlockArgument argument : successor->getArguments()) {
        Value passed =
            branch ? branch.getSuccessorOperands(i)[argument.getArgNumber()]
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
  }
}

//===----------------------------------------------------------------------===//
// Branches and loops
//===----------------------------------------------------------------------===//

static SmallVector<RegionSuccessor> getSuccessors(RegionBranchOpInterface op,
                                                  RegionBranchPoint point) {
  SmallVector<RegionSuccessor> successors;
  op.getSuccessorRegions(point, successors);
  return successors;
}

/// Operands that `op`, the parent or a terminator, does not pass on.
static SmallVector<Value> getDecidingOperands(RegionBranchOpInterface op,
                                              RegionBranchPoint point,
                                              Operation *at) {
  llvm::SmallBitVector forwards(at->getNumOperands());
  for (RegionSuccessor successor : getSuccessors(op, point)) {
    OperandRange passed = op.getSuccessorOperands(point, successor);
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
Node EquationBuilder::getDecision(RegionBranchOpInterface op) {
  if (!semantics->passes(ReplicaFlow::Decision, op))
    return control;
  SmallVector<Node> nodes = {control};
  for (RegionBranchPoint point : op.getAllRegionBranchPoints()) {
    Operation *at = point.isParent() ? op.getOperation()
                                     : point.getTerminatorPredecessorOrNull();
    for (Value value : getDecidingOperands(op, point, at))
      nodes.push_back(nodeOf(value));
  }
  return graph.addMeet(nodes);
}

/// The arguments and results of `op` that its branches pass values to; fails if
/// there are others of which it is not known how they come about.
static FailureOr<llvm::SetVector<Value>>
getBranchInputs(RegionBranchOpInterface op) {
  llvm::SetVector<Value> passed, all;
  for (RegionBranchPoint point : op.getAllRegionBranchPoints())
    for (RegionSuccessor successor : getSuccessors(op, point)) {
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
static bool isRepeated(RegionBranchPoint from, RegionSuccessor to) {
  if (from.isParent() || to.isParent())
    return false;
  Region *region = from.getTerminatorPredecessorOrNull()->getParentRegion();
  return to.getSuccessor()->getRegionNumber() <= region->getRegionNumber();
}

void EquationBuilder::buildBranches(RegionBranchOpInterface op) {
  FailureOr<llvm::SetVector<Value>> passed = getBranchInputs(op);
  SmallVector<Access> accesses;
  getAccesses(op, accesses);
  if (failed(passed) || !accesses.empty())
    return buildOpaque(op);
  Node decision = getDecision(op);
  auto setInput = [&](Value value) {
    Node node = graph.addNode();
    graph.addInput(node, decision);
    setNode(value, node);
  };
  llvm::for_each(*passed, setInput);
  for (Region &region : op->getRegions())
    if (!region.empty())
      for (BlockArgument argument : region.getArguments())
        if (!passed->contains(argument))
          setInput(argument);
  // What cells hold where each region starts, and behind the op.
  SmallVector<MemoryRegion> written = getWrittenMemoryRegions(op);
  llvm::DenseMap<Region *, llvm::DenseMap<MemoryRegion, Node>> entries;
  for (MemoryRegion memoryRegion : written) {
    entries[nullptr][memoryRegion] = graph.addNode();
    for (Region &region : op->getRegions())
      entries[&region][memoryRegion] = graph.addNode();
  }
  bool iterates = semantics->passes(ReplicaFlow::Iteration, op);
  auto branchFrom = [&](RegionBranchPoint point) {
    for (RegionSuccessor successor : getSuccessors(op, point)) {
      if (!iterates && isRepeated(point, successor))
        continue;
      if (!written.empty())
        for (auto [memoryRegion, node] : entries[successor.getSuccessor()])
          graph.addInput(node, current.lookup(memoryRegion));
      for (auto [input, operand] :
           llvm::zip_equal(successor.getSuccessorInputs(),
                           op.getSuccessorOperands(point, successor)))
        graph.addInput(nodeOf(input), nodeOf(operand));
    }
  };
  auto goTo = [&](Region *region) {
    for (MemoryRegion memoryRegion : written)
      current[memoryRegion] = entries[region][memoryRegion];
  };
  branchFrom(RegionBranchPoint::parent());
  for (Region &region : op->getRegions()) {
    goTo(&region);
    buildRegion(region, decision, [&](Operation *exit) {
      if (auto terminator = dyn_cast<RegionBranchTerminatorOpInterface>(exit))
        branchFrom(terminator);
    });
  }
  goTo(nullptr);
}

/// An op whose regions may be executed in any order, any number of times, with
/// anything that it gets or that they make as arguments, results and condition.
void EquationBuilder::buildOpaque(Operation *op) {
  Node all = graph.addNode();
  graph.addInput(all, control);
  SmallVector<Access> accesses;
  getAccesses(op, accesses);
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
  llvm::DenseMap<MemoryRegion, Node> entry;
  for (MemoryRegion memoryRegion : getWrittenMemoryRegions(op)) {
    entry[memoryRegion] = graph.addNode();
    graph.addInput(entry[memoryRegion], current.lookup(memoryRegion));
    current[memoryRegion] = entry[memoryRegion];
  }
  auto goToEntry = [&] {
    for (auto [memoryRegion, node] : entry)
      current[memoryRegion] = node;
  };
  for (Region &region : op->getRegions()) {
    for (Block &block : region)
      for (BlockArgument argument : block.getArguments())
        setNode(argument, all);
    goToEntry();
    buildRegion(region, all, [&](Operation *) {
      for (auto [memoryRegion, node] : entry)
        graph.addInput(node, current.lookup(memoryRegion));
    });
    region.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        graph.addInput(all, nodeOf(operand));
      for (Value result : inner->getResults())
        graph.addInput(all, nodeOf(result));
    });
  }
  goToEntry();
  applyWrites(op, written);
}
