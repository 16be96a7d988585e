//===- ReplicaEqualBuilder.h - Equations of a program -----------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H
#define IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H

#include "ReplicaEqualGraph.h"
#include "ReplicaEqualMemory.h"
#include "ipu-mlir/Analysis/ReplicaEqual/ReplicaEqual.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/SetVector.h"

namespace mlir::ipu::replica_equal {

/// What an op does to one cell.
struct Access {
  /// Nothing if it may be any.
  std::optional<MemoryRegionRef> memoryRegion;
  bool reads = false, writes = false;
  /// Whether a write replaces all elements of the cell.
  bool isTotal = false;
  /// How the op names it, if by an operand, a result or a use of state.
  std::optional<unsigned> operand, result, state;
};

/// Places that a function or the regions of an op use.
struct Uses {
  llvm::SmallSetVector<MemoryLocationId, 4> touched, written;

  void add(const Uses &other) {
    touched.insert(other.touched.begin(), other.touched.end());
    written.insert(other.written.begin(), other.written.end());
  }
};

/// What calls of a function pass, and what they get.
struct FunctionNodes {
  /// What a caller sees: arguments and what has a symbol.
  Uses uses;
  SmallVector<Node> arguments, results;
  llvm::DenseMap<MemoryRegion, Node> entry, exit;
  Node control = kAll;
  /// For each argument, calls with what they pass.
  SmallVector<SmallVector<std::pair<CallOpInterface, Node>, 2>> passed;
};

/// What state holds when the program first starts, by the symbol for it.
struct StateStart {
  Operation *symbol;
  ReplicaStateStart start;
};

/// Writes a module as equations, and remembers which node is what. Unless all
/// effects are known, one node, `unknown`, stands for all that is ever in
/// memory: what is written goes into it, what is read is refined by it.
class EquationBuilder {
public:
  EquationBuilder(ModuleOp module, ReplicaEqualContext &context)
      : calls(module), module(module), context(context) {}

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
  /// All that is ever in memory, unless all effects are known.
  Node unknown = kAll;

  Node lookup(Value value) const { return values.lookup(value); }
  /// Nodes whose meet is what state holds before and after each run.
  SmallVector<Node, 2> getStateNodes(const ReplicaState &state);

private:
  using ExitFn = function_ref<void(Operation *)>;

  // ReplicaEqualUses.cpp: what is used where.
  void getAccesses(Operation *op, SmallVectorImpl<Access> &accesses);
  void addMemoryAccesses(Operation *op, SmallVectorImpl<Access> &accesses);
  void collect(FunctionOpInterface function);
  void collect(Region &region, Uses &uses);
  void collectCall(CallOpInterface call, Uses &uses);
  bool meetsTwice(CallOpInterface call, FunctionOpInterface callee,
                  const Uses &inside);
  SmallVector<MemoryRegion> getWrittenMemoryRegions(Operation *op) const;

  // ReplicaEqualBuilder.cpp: functions and plain ops.
  void collectStarts();
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
  Node getStart(MemoryRegion memoryRegion);
  Node withControl(Node node);

  Node nodeOf(Value value);
  void setNode(Value value, Node node);

  // ReplicaEqualRegions.cpp: calls, branches and loops.
  void buildCall(CallOpInterface call);
  void passRefs(CallOpInterface call, FunctionOpInterface callee, bool passes);
  void takeRefs(CallOpInterface call, FunctionOpInterface callee);
  void buildBranches(RegionBranchOpInterface op);
  void buildOpaque(Operation *op);
  void buildRegion(Region &region, Node regionControl, ExitFn onExit);
  void buildBlock(Block &block, Node blockControl, ExitFn onExit);
  Node getDecision(RegionBranchOpInterface op);
  Node getDecision(Region &region, Node regionControl);

  ModuleOp module;
  ReplicaEqualContext &context;
  /// While equations are built.
  const ReplicaEqualSemantics *semantics = nullptr;
  MemoryRegionTable memoryRegions;
  llvm::DenseMap<Operation *, Uses> usesOf;
  llvm::DenseMap<Value, Node> values;
  llvm::DenseMap<MemoryRegion, Node> starts;
  llvm::DenseMap<MemoryLocationId, SmallVector<StateStart, 1>> startsOf;
  /// The node of each cell where ops are being built.
  llvm::DenseMap<MemoryRegion, Node> current;
  Node control = kAll;
  bool hasUnknown = false;
  /// Whether functions may be called that no call names.
  bool hasIndirectCalls = false;
};

/// Whether `value` is a handle on something that can be modified.
bool isHandle(Value value);

} // namespace mlir::ipu::replica_equal

#endif // IPU_MLIR_LIB_ANALYSIS_REPLICAEQUAL_REPLICAEQUALBUILDER_H
