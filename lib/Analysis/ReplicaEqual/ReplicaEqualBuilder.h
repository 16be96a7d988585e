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

/// What an op does to one region.
struct Access {
  Operation *op = nullptr;
  /// Nothing if it may be any.
  std::optional<MemoryRegionRef> memoryRegion;
  bool reads = false, writes = false;
  /// Whether a write replaces all elements of the region.
  bool isTotal = false;
  /// How the op names it, if by an operand, a result or a use of state.
  std::optional<unsigned> operand, result, state;
  /// The loop whose iterations write all elements of the region one by one.
  Operation *loop = nullptr;
};

/// Where an op or a terminator branches to, whatever constants say.
struct BranchPoint {
  RegionBranchPoint point;
  SmallVector<RegionSuccessor> successors = {};
};
using BranchPoints = SmallVector<BranchPoint, 2>;

/// Regions that a function or the regions of an op use.
struct Uses {
  /// Of what a caller sees, and of that what more than refs show; of all that
  /// is written.
  llvm::SmallSetVector<MemoryRegion, 4> touched, accessed, written;

  void add(const Uses &other) {
    touched.insert(other.touched.begin(), other.touched.end());
    accessed.insert(other.accessed.begin(), other.accessed.end());
    written.insert(other.written.begin(), other.written.end());
  }
};

/// What is known of the regions of an op.
struct RegionsOf {
  /// What is written in them.
  SmallVector<MemoryRegion, 4> written;
  /// Of an op that says how it branches.
  RegionFlow flow;
};

/// A way of a callee to elements of its caller, or to what has a symbol.
struct Name {
  /// The elements, as they are named outside of the callee and inside.
  MemoryRegion memoryRegion;
  MemoryLocationId inCallee;
  /// Null of what the callee names itself.
  BlockArgument argument;
  /// Whether the callee may read or modify it by this name, and modify it.
  bool isAccessed, isWritten;
};

/// Which ops of a callee's block, counted from 1, show a parameter last and may
/// write it first; 0 if none does.
struct ParameterUse {
  unsigned lastShown = 0, firstWritten = 0;
};

/// Atoms of a memory location that some regions cover, split where one of them
/// begins or ends.
struct Segments {
  MemoryLocationId memoryLocation;
  AtomRanges atoms;
};

/// What is in memory, at a time.
using MemoryStatesOf = llvm::DenseMap<MemoryLocationId, MemoryState>;
/// The same of the memory locations of some segments, in the same order.
using SegmentStates = SmallVector<MemoryState, 1>;

/// What a call passes to one of the callee's nodes.
struct PassedNode {
  CallOpInterface call;
  Node node;
};

/// What some atoms hold when a function is called.
struct EntryCell {
  MemoryLocationId memoryLocation;
  AtomRange atoms;
  Node node;
  SmallVector<PassedNode, 1> passed = {};
};

/// What calls of a function pass, and what they get.
struct FunctionNodes {
  /// What a caller sees: arguments and what has a symbol, if there is that.
  Uses uses;
  bool usesSymbols = false;
  SmallVector<Node> arguments, results;
  /// For each result the argument that it always is, if there is one.
  SmallVector<BlockArgument, 1> passedOn;
  std::vector<EntryCell> entry;
  /// What is in memory when it was called.
  MemoryStatesOf before;
  /// What it writes, and what is there when it returns.
  SmallVector<Segments, 0> written;
  SegmentStates after;
  Node control = kAll;
  bool isBuilt = false;
  /// For each argument that is no ref, and for control, what calls pass.
  SmallVector<SmallVector<PassedNode, 1>> passed;
  SmallVector<PassedNode, 1> passedControl;
};

/// What state holds when the program first starts, by the symbol for it.
struct StateStart {
  Operation *symbol;
  ReplicaStateStart start;
  MemoryRegion memoryRegion;
};

/// Writes a module as equations, and remembers which node is what. Unless all
/// effects are known, one node, `unknown`, stands for all that is ever in
/// memory: what is written goes into it, what is read is refined by it.
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
  /// States that an op writes.
  llvm::DenseMap<Operation *, Node> states;
  llvm::DenseMap<Block *, Node> controls;
  llvm::DenseMap<Operation *, FunctionNodes> functions;
  MemoryRegionTable memoryRegions;
  /// All that is ever in memory, unless all effects are known.
  Node unknown = kAll;

  Node lookup(Value value) const { return values.lookup(value); }
  /// Of what an op gets, whatever decided where that was passed on.
  Node lookupInput(Value value) { return lookup(sources.getSource(value)); }
  /// Nodes whose meet is what state holds before and after each run.
  SmallVector<Node, 2> getStateNodes(const ReplicaState &state);

private:
  using ExitFn = function_ref<void(Operation *)>;

  // ReplicaEqualUses.cpp: what is used where.
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

  // ReplicaEqualAliases.cpp: elements that have several names.
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

  // ReplicaEqualBuilder.cpp: functions and plain ops.
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
  /// While equations are built.
  const ReplicaEqualSemantics *semantics = nullptr;
  MemoryStates memory;
  /// The regions that refs show, as they were found.
  llvm::DenseMap<Value, std::optional<MemoryRegionRef>> memoryRegionsOf;
  /// The accesses of all ops, in the order in which ops are collected and then
  /// built, and those of how many the built ones took.
  std::vector<Access> allAccesses;
  size_t numTaken = 0;
  /// What is in ops with regions, and its index in `allRegions`.
  std::deque<RegionsOf> allRegions;
  llvm::DenseMap<Operation *, unsigned> regionsOf;
  /// Made for calls that may pass an element twice.
  std::optional<GraphEffects> effects;
  llvm::DenseMap<Operation *, bool> hasAliasConflict;
  llvm::DenseMap<Value, ParameterUse> parameterUses;
  /// Memory locations that may be the same, and for one of each class the node
  /// for what is ever written to them.
  llvm::EquivalenceClasses<MemoryLocationId> aliases;
  llvm::DenseMap<MemoryLocationId, Node> aliasNodes;
  /// For what a callee shows by its symbol, and does not access so, the node
  /// for what is ever written to it by other names; and these names' locations.
  llvm::DenseMap<MemoryLocationId, Node> shownNodes;
  llvm::DenseMap<MemoryLocationId, SmallVector<Node, 1>> shownBy;
  /// Regions that the iterations of a loop replace together.
  llvm::DenseMap<Operation *, llvm::SmallSetVector<MemoryRegion, 2>> replacedBy;
  llvm::DenseMap<Value, Node> values;
  ValueSources sources;
  /// How many values and blocks there are in what was collected.
  size_t numValues = 0, numBlocks = 0;
  /// Of each atom.
  llvm::DenseMap<MemoryLocationId, std::vector<Node>> starts;
  llvm::MapVector<MemoryLocationId, SmallVector<StateStart, 1>> startsOf;
  /// What is in memory where ops are being built.
  MemoryStatesOf current;
  /// For regions that loops around these ops replace, all that is written to
  /// the position in the loop.
  SmallVector<std::pair<MemoryRegion, Node>> writtenInLoops;
  Node control = kAll;
  bool hasUnknown = false;
  /// Whether functions may be called that no call names.
  bool hasIndirectCalls = false;
};

/// Whether `op` is no part of the function that it is in.
bool isSeparate(Operation *op);

/// Whether `value` is a handle on something that can be modified.
bool isHandle(Value value);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H
