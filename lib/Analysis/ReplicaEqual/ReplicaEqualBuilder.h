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

/// An access of an op to one memory region.
struct Access {
  Operation *op = nullptr;
  /// The region; std::nullopt if the op may access any region.
  std::optional<MemoryRegionRef> memoryRegion;
  bool reads = false, writes = false;
  /// Whether a write replaces all elements of the region.
  bool isTotal = false;
  /// The number of the operand, result or use of state through which the op
  /// accesses the region. All are std::nullopt if the op does not name the
  /// region.
  std::optional<unsigned> operand, result, state;
  /// The loop whose iterations together write all elements of the region; null
  /// if there is none.
  Operation *loop = nullptr;
};

/// The regions to which an op or a terminator may branch, regardless of
/// constants.
struct BranchPoint {
  RegionBranchPoint point;
  SmallVector<RegionSuccessor> successors = {};
};
using BranchPoints = SmallVector<BranchPoint, 2>;

/// The memory regions that a function or the regions of an op use.
struct Uses {
  /// `touched` contains the regions that a caller can observe. `accessed`
  /// contains the regions in `touched` that ops read or write, but not the
  /// regions to which there are only refs. `written` contains all regions that
  /// ops write, including regions that a caller cannot observe.
  llvm::SmallSetVector<MemoryRegion, 4> touched, accessed, written;

  void add(const Uses &other) {
    touched.insert(other.touched.begin(), other.touched.end());
    accessed.insert(other.accessed.begin(), other.accessed.end());
    written.insert(other.written.begin(), other.written.end());
  }
};

/// Properties of the regions of an op.
struct RegionsOf {
  /// The memory regions that ops in these regions write.
  SmallVector<MemoryRegion, 4> written;
  /// The control flow between the regions, if the op implements
  /// RegionBranchOpInterface.
  RegionFlow flow;
};

/// A way in which a callee accesses elements of its caller or the state of a
/// symbol: through an argument, or through the symbol.
struct Name {
  /// The elements as a region of the caller, and their location in the callee.
  MemoryRegion memoryRegion;
  MemoryLocationId inCallee;
  /// The argument; null if the callee uses the symbol itself.
  BlockArgument argument;
  /// Whether the callee may access the elements in this way, and whether it may
  /// modify them.
  bool isAccessed, isWritten;
};

/// For a parameter of a callee: the number of the last op of the callee's block
/// that uses or creates a ref to the parameter, and the number of the first op
/// that may write the parameter. Ops are counted from 1; 0 means that there is
/// no such op.
struct ParameterUse {
  unsigned lastShown = 0, firstWritten = 0;
};

/// The atoms of some regions of a memory location. `atoms` contains these atoms
/// as disjoint segments; a segment ends where one of the regions starts or
/// ends.
struct Segments {
  MemoryLocationId memoryLocation;
  AtomRanges atoms;
};

/// The contents of memory at a point of the program.
using MemoryStatesOf = llvm::DenseMap<MemoryLocationId, MemoryState>;
/// The contents of the memory locations of some segments, in the order of the
/// segments.
using SegmentStates = SmallVector<MemoryState, 1>;

/// A node that `call` passes to a node of its callee.
struct PassedNode {
  CallOpInterface call;
  Node node;
};

/// The contents of some atoms when a function is called: their node in the
/// function, and the nodes that calls pass to it.
struct EntryCell {
  MemoryLocationId memoryLocation;
  AtomRange atoms;
  Node node;
  SmallVector<PassedNode, 1> passed = {};
};

/// The nodes of the inputs and outputs of a function.
struct FunctionNodes {
  /// The regions that the function uses and that a caller can observe. They
  /// belong to arguments and to the state of symbols.
  Uses uses;
  bool usesSymbols = false;
  SmallVector<Node> arguments, results;
  /// For each result, the argument that the result always equals, or null if
  /// there is none.
  SmallVector<BlockArgument, 1> passedOn;
  std::vector<EntryCell> entry;
  /// The contents of memory at the start of the function.
  MemoryStatesOf before;
  /// The segments that the function writes, and their contents when it returns.
  SmallVector<Segments, 0> written;
  SegmentStates after;
  Node control = kAll;
  bool isBuilt = false;
  /// The nodes that calls pass to each argument that is not a ref, and the
  /// nodes that calls pass to `control`.
  SmallVector<SmallVector<PassedNode, 1>> passed;
  SmallVector<PassedNode, 1> passedControl;
};

/// The initial partition of the state of a symbol when the program is first
/// started.
struct StateStart {
  Operation *symbol;
  ReplicaStateStart start;
  MemoryRegion memoryRegion;
};

/// Converts a module to equations, and stores the node of each value. If some
/// effects are not known, one node, `unknown`, represents all contents of
/// memory at any time. All written values refine this node, and the node
/// refines all values that are read.
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
  /// The nodes of the states that ops write.
  llvm::DenseMap<Operation *, Node> states;
  llvm::DenseMap<Block *, Node> controls;
  llvm::DenseMap<Operation *, FunctionNodes> functions;
  MemoryRegionTable memoryRegions;
  /// The node for all contents of memory at any time; `kAll` if all effects are
  /// known.
  Node unknown = kAll;

  Node lookup(Value value) const { return values.lookup(value); }
  /// Returns the node of the source of `value` (see ValueSources). In contrast
  /// to the node of `value`, it does not depend on the control flow that
  /// forwarded the source to `value`.
  Node lookupInput(Value value) { return lookup(sources.getSource(value)); }
  /// Returns nodes whose meet is the partition of `state` before and after each
  /// run.
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

  // ReplicaEqualAliases.cpp: elements that a callee can access in several ways.
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
  /// The semantics; set while equations are built.
  const ReplicaEqualSemantics *semantics = nullptr;
  MemoryStates memory;
  /// For each ref, the region to which it refers; std::nullopt if the region is
  /// not known.
  llvm::DenseMap<Value, std::optional<MemoryRegionRef>> memoryRegionsOf;
  /// The accesses of all ops, in the order in which ops are collected and then
  /// built; and the number of accesses that belong to ops that were already
  /// built.
  std::vector<Access> allAccesses;
  size_t numTaken = 0;
  /// The properties of ops with regions, and the index in `allRegions` for each
  /// op.
  std::deque<RegionsOf> allRegions;
  llvm::DenseMap<Operation *, unsigned> regionsOf;
  /// The effects of graphs. They are computed when a call may pass an element
  /// twice.
  std::optional<GraphEffects> effects;
  llvm::DenseMap<Operation *, bool> hasAliasConflict;
  llvm::DenseMap<Value, ParameterUse> parameterUses;
  /// The classes of memory locations that may have common elements. For one
  /// location of each class, `aliasNodes` contains the node for all values that
  /// are ever written to a location of the class.
  llvm::EquivalenceClasses<MemoryLocationId> aliases;
  llvm::DenseMap<MemoryLocationId, Node> aliasNodes;
  /// Two locations of a callee may have common elements that the callee
  /// accesses only through one of them, while it has only refs to the other one
  /// (`Name::isAccessed` is false). For a location without accesses,
  /// `shownNodes` contains the node for all values that are ever written
  /// through the locations with accesses. For each location with accesses,
  /// `shownBy` contains the nodes in `shownNodes` to which its written values
  /// are added.
  llvm::DenseMap<MemoryLocationId, Node> shownNodes;
  llvm::DenseMap<MemoryLocationId, SmallVector<Node, 1>> shownBy;
  /// For each loop, the regions that its iterations together replace.
  llvm::DenseMap<Operation *, llvm::SmallSetVector<MemoryRegion, 2>> replacedBy;
  llvm::DenseMap<Value, Node> values;
  ValueSources sources;
  /// The number of values and the number of blocks in the collected functions.
  size_t numValues = 0, numBlocks = 0;
  /// For each memory location, the nodes of its atoms at the start of a run;
  /// and the initial partitions of its states.
  llvm::DenseMap<MemoryLocationId, std::vector<Node>> starts;
  llvm::MapVector<MemoryLocationId, SmallVector<StateStart, 1>> startsOf;
  /// The contents of memory at the point of the op for which equations are
  /// built.
  MemoryStatesOf current;
  /// For each region that an enclosing loop replaces: the node for all values
  /// that were written in the loop before the current op.
  SmallVector<std::pair<MemoryRegion, Node>> writtenInLoops;
  Node control = kAll;
  bool hasUnknown = false;
  /// Whether there are indirect calls: calls that do not name the called
  /// function.
  bool hasIndirectCalls = false;
};

/// Returns whether `op` is a function or a symbol table, which does not belong
/// to the function that contains it.
bool isSeparate(Operation *op);

/// Returns whether `value` is a handle to memory that can be modified.
bool isHandle(Value value);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H
