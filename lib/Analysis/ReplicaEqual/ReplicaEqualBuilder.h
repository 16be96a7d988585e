//===- ReplicaEqualBuilder.h - Equations of a program -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H

#include "ReplicaEqualFlow.h"
#include "ReplicaEqualGraph.h"
#include "ReplicaEqualMemory.h"
#include "ReplicaEqualSources.h"
#include "ReplicaEqualStates.h"
#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"
#include <deque>

namespace mlir::ipu::replica_equal {

/// An access of an op to one region.
struct Access {
  Operation *op = nullptr;
  /// None if any region may be accessed.
  std::optional<MemoryRegionRef> memoryRegion;
  bool reads = false, writes = false;
  /// Whether a write replaces all elements of the region.
  bool isTotal = false;
  /// The operand, result or use of state by which the op names the region, if
  /// any.
  std::optional<unsigned> operand, result, state;
  /// The loop whose iterations, one by one, write all elements of the region.
  Operation *loop = nullptr;
};

/// The targets of the branch of an op or a terminator, regardless of constants.
struct BranchPoint {
  RegionBranchPoint point;
  SmallVector<RegionSuccessor> successors = {};
};
using BranchPoints = SmallVector<BranchPoint, 2>;

/// Regions that a function or the regions of an op use.
struct Uses {
  /// Regions that a caller can observe; those of them that are accessed and not
  /// only viewed by refs; and all regions that are written.
  llvm::SmallSetVector<MemoryRegion, 4> touched, accessed, written;

  void add(const Uses &other) {
    touched.insert(other.touched.begin(), other.touched.end());
    accessed.insert(other.accessed.begin(), other.accessed.end());
    written.insert(other.written.begin(), other.written.end());
  }
};

/// Properties of the regions of an op.
struct RegionsOf {
  /// The memory regions that are written in them.
  SmallVector<MemoryRegion, 4> written;
  /// For an op that describes its branches.
  RegionFlow flow;
};

/// A name by which a callee accesses elements of its caller, or the state of a
/// symbol.
struct Name {
  /// The elements, by their names outside and inside of the callee.
  MemoryRegion memoryRegion;
  MemoryLocationId inCallee;
  /// Null if the callee uses the symbol itself.
  BlockArgument argument;
  /// Whether the callee may access the elements by this name, and whether it
  /// may modify them.
  bool isAccessed, isWritten;
};

/// The last op of a callee's block that views a parameter, and the first op
/// that may write it, counted from 1; 0 if there is none.
struct ParameterUse {
  unsigned lastShown = 0, firstWritten = 0;
};

/// Atoms of a memory location that some regions cover, split at the start and
/// end of each region.
struct Segments {
  MemoryLocationId memoryLocation;
  AtomRanges atoms;
};

/// The contents of memory at a point of the program.
using MemoryStatesOf = llvm::DenseMap<MemoryLocationId, MemoryState>;
/// The contents of the memory locations of some segments, in the same order.
using SegmentStates = SmallVector<MemoryState, 1>;

/// The node that a call passes to one of the callee's nodes.
struct PassedNode {
  CallOpInterface call;
  Node node;
};

/// The contents of some atoms when a function is called.
struct EntryCell {
  MemoryLocationId memoryLocation;
  AtomRange atoms;
  Node node;
  SmallVector<PassedNode, 1> passed = {};
};

/// The inputs and outputs of the calls of a function.
struct FunctionNodes {
  /// The regions that a caller can observe: arguments and the state of symbols.
  Uses uses;
  bool usesSymbols = false;
  SmallVector<Node> arguments, results;
  /// For each result, the argument to which it is always equal, if there is
  /// one.
  SmallVector<BlockArgument, 1> passedOn;
  std::vector<EntryCell> entry;
  /// The contents of memory at the call.
  MemoryStatesOf before;
  /// The segments that the function writes, and their contents at its return.
  SmallVector<Segments, 0> written;
  SegmentStates after;
  Node control = kAll;
  bool isBuilt = false;
  /// For each argument that is not a ref, and for control: the nodes that calls
  /// pass.
  SmallVector<SmallVector<PassedNode, 1>> passed;
  SmallVector<PassedNode, 1> passedControl;
};

/// The initial partition of the state of a symbol at the first start of the
/// program.
struct StateStart {
  Operation *symbol;
  ReplicaStateStart start;
  MemoryRegion memoryRegion;
};

/// Converts a module to equations, and stores the node of each value. If some
/// effects are not known, one node, `unknown`, represents all contents of
/// memory at any time: it is refined by all written values, and it refines all
/// values that are read.
class EquationBuilder {
public:
  EquationBuilder(ModuleOp module, ReplicaEqualContext &context)
      : calls(module), module(module), context(context), memory(graph) {}

  void build(const ReplicaEqualSemantics &semantics);

  EquationGraph graph;
  FunctionCalls calls;
  RefOrigins origins;
  llvm::DenseMap<Value, Node> contents;
  llvm::DenseMap<OpOperand *, Node> inputs;
  llvm::DenseMap<Operation *, SmallVector<std::pair<unsigned, Node>, 1>>
      modified;
  /// The states that an op writes.
  llvm::DenseMap<Operation *, Node> states;
  llvm::DenseMap<Block *, Node> controls;
  llvm::DenseMap<Operation *, FunctionNodes> functions;
  MemoryRegionTable memoryRegions;
  /// The node for all contents of memory at any time, if some effects are not
  /// known.
  Node unknown = kAll;

  Node lookup(Value value) const { return values.lookup(value); }
  /// The node of an input of an op, regardless of the control flow that passed
  /// it on.
  Node lookupInput(Value value) { return lookup(sources.getSource(value)); }
  /// Nodes whose meet is the partition of state before and after each run.
  SmallVector<Node, 2> getStateNodes(const ReplicaState &state);

private:
  using ExitFn = function_ref<void(Operation *)>;

  // ReplicaEqualUses.cpp: the uses of values and memory.
  std::optional<MemoryRegionRef> getMemoryRegion(Value ref);
  SmallVector<Access> findAccesses(Operation *op);
  ArrayRef<Access> takeAccesses(Operation *op);
  void addMemoryAccesses(Operation *op, SmallVectorImpl<Access> &accesses);
  void collect(FunctionOpInterface function);
  void collect(Region &region, Uses &uses);
  RegionsOf &addRegions(Operation *op, Uses &inner);
  void addUse(MemoryRegion memoryRegion, bool isAccessed, bool isWritten,
              Uses &uses) const;
  void collectAccesses(Operation *op, Uses &uses);
  void collectCall(CallOpInterface call, Uses &uses);
  SmallVector<BlockArgument, 1> findPassedOn(FunctionOpInterface function);
  SmallVector<Segments, 0>
  getSegments(ArrayRef<MemoryRegion> memoryRegions) const;
  SmallVector<Segments, 0> getWrittenSegments(Operation *op) const;

  // ReplicaEqualAliases.cpp: elements with several names.
  using NamesOf =
      llvm::SmallMapVector<MemoryLocationId, SmallVector<Name, 1>, 4>;
  const ParameterUse &getParameterUse(BlockArgument parameter);
  bool readsFirst(CallOpInterface call, BlockArgument reader,
                  BlockArgument writer);
  NamesOf getNames(CallOpInterface call, FunctionOpInterface callee);
  bool areApart(CallOpInterface call, const Name &a, const Name &b);
  void findAliases(CallOpInterface call, FunctionOpInterface callee);
  void findAliases(ArrayRef<FunctionOpInterface> order);
  void join(const Name &a, const Name &b, MemoryLocationId aliasClass);
  MemoryLocationId getAliasClass(MemoryLocationId memoryLocation) const;
  Node getAliasNode(MemoryLocationId memoryLocation) const;

  // ReplicaEqualBuilder.cpp: functions and ops without regions.
  void collectStarts();
  bool isControlled(FunctionOpInterface function) const;
  void createNodes(FunctionOpInterface function);
  void buildRoot(FunctionOpInterface function, bool isProgram);
  void buildFunction(FunctionOpInterface function);
  void buildOp(Operation *op);
  void buildPlain(Operation *op);
  void buildRule(ReplicaEqualOpInterface op, ArrayRef<Access> accesses);
  void buildDefault(Operation *op, ArrayRef<Access> accesses);
  Node getInputNode(Operation *op, unsigned operand, ArrayRef<Access> accesses);
  void applyWrites(Operation *op, ArrayRef<std::pair<Access, Node>> writes);
  Node read(const std::optional<MemoryRegionRef> &memoryRegion);
  Node readShown(const MemoryRegionRef &memoryRegion);
  ArrayRef<Node> getStarts(MemoryLocationId memoryLocation);
  bool startsEachRun(MemoryLocationId memoryLocation) const;
  MemoryState &getState(MemoryLocationId memoryLocation);
  Node withControl(Node node);

  Node nodeOf(Value value);
  void setNode(Value value, Node node);

  // ReplicaEqualCalls.cpp: calls.
  void buildCall(CallOpInterface call);
  void passRefs(CallOpInterface call, FunctionOpInterface callee, bool passes);
  void takeRefs(CallOpInterface call, FunctionOpInterface callee);
  Node readWritten(const Cell &cell, const Segments &written);
  void takeRef(CallOpInterface call, BlockArgument argument, MemoryState after,
               const Segments &written);
  AtomRanges getAtomsThrough(CallOpInterface call, BlockArgument argument,
                             AtomRange inner, bool &isExact);

  // ReplicaEqualRegions.cpp: branches and loops.
  void buildBranches(RegionBranchOpInterface op);
  void buildOpaque(Operation *op, ArrayRef<Access> accesses);
  void buildRegion(Region &region, Node regionControl, ExitFn onExit);
  void buildBlocks(Region &region, Node regionControl, ExitFn onExit);
  void buildBlock(Block &block, Node blockControl, ExitFn onExit);
  void passToBlock(Block &block, unsigned successor, Node decision);
  Node getDecision(RegionBranchOpInterface op, const BranchPoints &points);
  Node getDecision(Region &region, Node regionControl);
  void buildRegions(RegionBranchOpInterface op, const RegionFlow &flow,
                    Node decision);
  void noteWrite(MemoryLocationId memoryLocation, Node written);
  SegmentStates getStates(ArrayRef<Segments> segments);
  void setStates(ArrayRef<Segments> segments, ArrayRef<MemoryState> states);
  SegmentStates addNodes(ArrayRef<Segments> segments);
  void addInputs(ArrayRef<Segments> segments, ArrayRef<MemoryState> to);
  void joinStates(ArrayRef<Segments> segments,
                  std::optional<SegmentStates> &states);

  ModuleOp module;
  ReplicaEqualContext &context;
  /// Set while equations are built.
  const ReplicaEqualSemantics *semantics = nullptr;
  MemoryStates memory;
  /// The regions to which refs refer, as far as they are known.
  llvm::DenseMap<Value, std::optional<MemoryRegionRef>> memoryRegionsOf;
  /// The accesses of all ops, in the order in which ops are collected and then
  /// built, and the number of accesses of the ops that are already built.
  std::vector<Access> allAccesses;
  size_t numTaken = 0;
  /// The properties of ops with regions, and their indices in `allRegions`.
  std::deque<RegionsOf> allRegions;
  llvm::DenseMap<Operation *, unsigned> regionsOf;
  /// Created for calls that may pass an element twice.
  std::optional<GraphEffects> effects;
  llvm::DenseMap<Operation *, bool> hasAliasConflict;
  llvm::DenseMap<Value, ParameterUse> parameterUses;
  /// Memory locations that may be the same; and for one location of each class,
  /// the node for all values that are ever written to the class.
  llvm::EquivalenceClasses<MemoryLocationId> aliases;
  llvm::DenseMap<MemoryLocationId, Node> aliasNodes;
  /// For locations that a callee can reach by a symbol but accesses by other
  /// names: the node for all values that are ever written by these names, and
  /// the locations of these names.
  llvm::DenseMap<MemoryLocationId, Node> shownNodes;
  llvm::DenseMap<MemoryLocationId, SmallVector<Node, 1>> shownBy;
  /// Regions that the iterations of a loop replace together.
  llvm::DenseMap<Operation *, llvm::SmallSetVector<MemoryRegion, 2>> replacedBy;
  llvm::DenseMap<Value, Node> values;
  ValueSources sources;
  /// The numbers of values and blocks in the collected functions.
  size_t numValues = 0, numBlocks = 0;
  /// One node for each atom.
  llvm::DenseMap<MemoryLocationId, std::vector<Node>> starts;
  llvm::MapVector<MemoryLocationId, SmallVector<StateStart, 1>> startsOf;
  /// The contents of memory at the point where ops are built.
  MemoryStatesOf current;
  /// For regions that enclosing loops replace: all values that were written in
  /// the loop before the current op.
  SmallVector<std::pair<MemoryRegion, Node>> writtenInLoops;
  Node control = kAll;
  bool hasUnknown = false;
  /// Whether functions may be called without naming them in a call.
  bool hasIndirectCalls = false;
};

/// Whether `op` is not a part of the function that contains it.
bool isSeparate(Operation *op);

/// Whether `value` is a handle on memory that can be modified.
bool isHandle(Value value);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H
