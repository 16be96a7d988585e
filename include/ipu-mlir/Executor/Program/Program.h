//===- Program.h - An ipu program for execution -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IR of a program, read once into plain structs: numbers instead of
// values, regions instead of maps. All properties that a run needs have been
// checked.
//
//===----------------------------------------------------------------------===//

#ifndef IPU_MLIR_EXECUTOR_PROGRAM_PROGRAM_H
#define IPU_MLIR_EXECUTOR_PROGRAM_PROGRAM_H

#include "ipu-mlir/Analysis/TileMemory/TileMemory.h"
#include "ipu-mlir/Dialect/IPU/IR/IPUControl.h"
#include "ipu-mlir/Host/HostTensor.h"
#include "ipu-mlir/Interfaces/TileInterfaces.h"
#include "ipu-mlir/Replica/ReplicaGroups.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace mlir::ipu {

struct Collective;
struct ProgramInput;

/// How long a variable keeps its elements.
enum class VariableLiveRange {
  /// From a LiveRangeBeginNode to a LiveRangeEndNode.
  Scoped,
  /// Undefined when a run begins.
  Run,
  /// As long as the program is loaded.
  Device,
};

/// A variable: row-major, `bytes` on each replica. Either an `ipu.var` or an
/// `ipu.storage`, which all handles on it stand for.
struct ProgramVariable {
  Operation *op = nullptr;
  std::string name;
  MemRefType type;
  TileMappingAttr mapping;
  int64_t elementBytes = 0;
  int64_t bytes = 0;
  ElementsAttr init;
  VariableLiveRange liveRange = VariableLiveRange::Scoped;
};

/// Rows of `bytes` on each replica.
struct ProgramRemoteBuffer {
  RemoteBufferOp op;
  std::string name;
  int64_t rows = 0;
  int64_t elementBytes = 0;
  int64_t bytes = 0;
};

/// A tensor that the host gives, reads and writes.
struct HostState {
  /// An `ipu.state` or an `ipu.rng_state`.
  Operation *op = nullptr;
  std::string name;
  /// What one replica has, before sharding.
  RankedTensorType type;
  /// Replicas of a group have the same value to begin with.
  ReplicaGroups groups = ReplicaGroups::getAll(1);
  /// Whether the host reads all replicas, not one of each group.
  bool readsReplicas = false;
  std::optional<ReplicaGroups> sharding;
  bool isRemote = false;
  /// A variable; or a remote buffer and a row of it.
  unsigned storageIndex = 0;
  int64_t row = 0;
};

struct ProgramStream {
  StreamOp op;
  std::string name;
  /// What one replica sees, and what the host sees.
  RankedTensorType type;
  RankedTensorType hostType;
  /// See getHostTransfers().
  int64_t transfers = 1;
  /// Each of several replicas has its own tensor.
  bool replicated = false;

  int64_t getNumHostDims() const { return hostType.getRank() - type.getRank(); }
};

/// One vertex on each of several tiles. A row of `table` holds, for each
/// operand and then for `rng`, the region that the vertex sees of its variable:
/// offset, sizes, and strides, all in elements. What else the codelet asks for,
/// as EngineCodelets has it, follows.
struct VertexGroup {
  VerticesOp op;
  /// Of Program::codelets.
  unsigned codelet = 0;
  SmallVector<unsigned> variables;
  unsigned numInputs = 0;
  /// Holds the generators that the vertices draw from.
  std::optional<unsigned> rng;
  /// For each operand that a vertex reads where it writes, the operand that
  /// writes; its own number for all others, and for `rng`, which is the last.
  SmallVector<unsigned> alias;
  std::vector<int64_t> table;
  int64_t rowSize = 0;
  std::vector<int32_t> tiles;
  /// Whether the vertices, together, have all elements of all outputs.
  bool writesAll = true;
  /// Whether they surely write these, and read none of them before.
  bool definesAll = false;

  int64_t getNumRows() const { return tiles.size(); }
  const int64_t *getRow(int64_t row) const {
    return table.data() + row * rowSize;
  }
};

/// A copy of elements from one view of a variable to one of another.
struct ProgramMove {
  MoveOp op;
  unsigned source = 0, target = 0;
  StridedView from, to;
  int64_t elementBytes = 0;
};

/// A step's index in Program::steps.
struct ComputeNode {
  unsigned step = 0;
  std::vector<VertexGroup> groups;
};
struct ExchangeNode {
  unsigned step = 0;
  std::vector<ProgramMove> moves;
};
struct SyncNode {
  unsigned step = 0;
  SyncKind kind = SyncKind::Internal;
};
/// The state of a counter, `rng`, moves on.
struct AdvanceRngNode {
  unsigned rng = 0;
};
struct HostCopyNode {
  unsigned step = 0;
  unsigned stream = 0;
  unsigned variable = 0;
  bool isLoad = false;
};
struct ExpectNode {
  ExpectOp op;
  unsigned variable = 0;
};
struct LiveRangeBeginNode {
  unsigned variable = 0;
};
struct LiveRangeEndNode {
  unsigned variable = 0;
};

struct CallNode {
  unsigned step = 0;
  Operation *op = nullptr;
  unsigned function = 0;
  /// The code may be gone afterwards.
  bool isLastUse = false;
};
struct CollectiveNode {
  unsigned step = 0;
  Operation *op = nullptr;
  std::shared_ptr<const Collective> collective;
  unsigned source = 0, target = 0;
  /// Holds the generators that results are rounded by.
  std::optional<unsigned> rng;
};
struct ReplicaIndexNode {
  unsigned step = 0;
  unsigned variable = 0;
};
/// A copy of a whole variable to or from a row of a remote buffer.
struct ProgramRemoteCopy {
  Operation *op = nullptr;
  unsigned buffer = 0;
  int64_t row = 0;
  /// Holds the row, where that is not known.
  std::optional<unsigned> rowVariable;
  unsigned variable = 0;
  bool isLoad = false;
};
struct RemoteNode {
  unsigned step = 0;
  std::vector<ProgramRemoteCopy> copies;
};
/// Brings the code of functions to a memory, from another one or, if it is a
/// load, from outside of the chip.
struct CodeNode {
  unsigned step = 0;
  Operation *op = nullptr;
  SmallVector<unsigned> functions;
  bool isLoad = false;
  CodeLocation source = CodeLocation::Executable;
  CodeLocation destination = CodeLocation::Executable;
};

struct RepeatNode;
struct IfNode;
struct WhileNode;
using ProgramNode =
    std::variant<ComputeNode, ExchangeNode, SyncNode, AdvanceRngNode,
                 HostCopyNode, ExpectNode, LiveRangeBeginNode, LiveRangeEndNode,
                 CallNode, CollectiveNode, ReplicaIndexNode, RemoteNode,
                 CodeNode, std::unique_ptr<RepeatNode>, std::unique_ptr<IfNode>,
                 std::unique_ptr<WhileNode>>;
struct ProgramSequence {
  std::vector<ProgramNode> nodes;
};
struct RepeatNode {
  /// Going back to the start; after the steps of the body.
  unsigned step = 0;
  Operation *op = nullptr;
  int64_t count = 0;
  /// Holds the count, where that is not known.
  std::optional<unsigned> countVariable;
  ProgramSequence body;
};
/// The steps of both bodies come before its own.
struct IfNode {
  unsigned step = 0;
  Operation *op = nullptr;
  unsigned condition = 0;
  ProgramSequence thenBody, elseBody;
};
struct WhileNode {
  unsigned step = 0;
  Operation *op = nullptr;
  unsigned condition = 0;
  ProgramSequence before, body;
};

/// A function that is called, or whose code is loaded. Its steps are numbered
/// where it is called first, before the step of that call.
struct ProgramFunction {
  func::FuncOp op;
  std::string name;
  ProgramSequence body;
  /// Whether any load names it, and whether its code is there from the start.
  bool isLoaded = false;
  bool isInImage = true;
};

struct Program {
  ModuleOp module;
  func::FuncOp function;
  TargetModel target;
  std::string preset;
  RngGenerator rngGenerator = RngGenerator::Counter;
  std::vector<ProgramVariable> variables;
  std::vector<ProgramRemoteBuffer> remoteBuffers;
  std::vector<HostState> states;
  std::vector<ProgramFunction> functions;
  std::vector<ProgramStream> streams;
  /// All have a cost, for the IPUs of the target.
  std::vector<StepOpInterface> steps;
  ProgramSequence body;
  /// Distinct codelets, without regard to names and costs, with their named
  /// linalg ops written as linalg.generic; all in `codeletModule`.
  std::vector<CodeletOp> codelets;
  /// Each in generic form, as if it had the name @codelet.
  std::vector<std::string> codeletTexts;
  OwningOpRef<ModuleOp> codeletModule;
  /// What it needs of the memory of tiles; steps are numbered as here.
  MemoryProblem memory;
  MemoryPlan memoryPlan;
};

/// How many tensors `stream` moves in a run: its own `transfers` or, where it
/// has none, the `ipu.host_transfers` of the module; 1 without either.
int64_t getHostTransfers(StreamOp stream);

/// What the host gives to or gets of `stream` in a run: `[d, r, *shape]`, with
/// the stream's host transfers d, if there are several, and replicas r, if
/// there are several and the stream is replicated. The nth load or store of a
/// run has part n modulo d; with one transfer all loads get the same tensor,
/// and the last store stays.
RankedTensorType getStreamType(StreamOp stream);

/// `stream` as an input of a program, or as an output.
ProgramInput getProgramInput(StreamOp stream);

/// The default value of a stream that has one, as a tensor of the host: once
/// for each host transfer and replica. Fails with a diagnostic.
FailureOr<HostTensor> getDefaultInput(StreamOp stream);

/// Calls `visit` for the ops of a program in the order of their steps: those of
/// a function where it is called first.
void walkProgram(func::FuncOp entry, function_ref<void(Operation *)> visit);

/// Reads the program `entry` of `module`. Emits a diagnostic at whatever is not
/// executable.
FailureOr<Program> readProgram(ModuleOp module, StringRef entry);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROGRAM_PROGRAM_H
