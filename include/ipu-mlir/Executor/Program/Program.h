//===- Program.h - An ipu program for execution -----------------*- C++ -*-===//
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The IR of a program, read once into plain structs: numbers instead of values,
// and regions instead of tile mappings. All properties that a run requires have
// been checked.
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
  /// The variable is live from a LiveRangeBeginNode to a LiveRangeEndNode.
  Scoped,
  /// The variable is undefined at the start of a run.
  Run,
  /// The variable keeps its elements as long as the program is loaded.
  Device,
};

/// A variable in row-major order, with `bytes` on each replica. It is an
/// `ipu.var`, or an `ipu.storage` to which all of its handles refer.
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

/// A tensor that the host initialises, reads and writes.
struct HostState {
  /// An `ipu.state` or an `ipu.rng_state`.
  Operation *op = nullptr;
  std::string name;
  /// The type on one replica, before sharding.
  RankedTensorType type;
  /// Replicas of a group have the same initial value.
  ReplicaGroups groups = ReplicaGroups::getAll(1);
  /// Whether the host reads the values of all replicas instead of one value of
  /// each group.
  bool readsReplicas = false;
  std::optional<ReplicaGroups> sharding;
  bool isRemote = false;
  /// The index of a variable; or of a remote buffer, with a row of it.
  unsigned storageIndex = 0;
  int64_t row = 0;
};

struct ProgramStream {
  StreamOp op;
  std::string name;
  /// The type on one replica, and the type for the host.
  RankedTensorType type;
  RankedTensorType hostType;
  /// See getHostTransfers().
  int64_t transfers = 1;
  /// Whether each of several replicas has a tensor of its own.
  bool replicated = false;

  int64_t getNumHostDims() const { return hostType.getRank() - type.getRank(); }
};

/// One vertex on each of several tiles. A row of `table` contains, for each
/// operand and then for `rng`, the region of the variable for the vertex:
/// offset, sizes and strides, all in elements. Other values that the codelet
/// needs follow, in the order of EngineCodelets.
struct VertexGroup {
  VerticesOp op;
  /// Index in Program::codelets.
  unsigned codelet = 0;
  SmallVector<unsigned> variables;
  unsigned numInputs = 0;
  /// The variable of the RNG state from which the vertices draw.
  std::optional<unsigned> rng;
  /// For each operand that a vertex reads at the elements that it writes: the
  /// number of the operand that writes them. For all other operands and for
  /// `rng`, which is the last: the number of the operand itself.
  SmallVector<unsigned> alias;
  std::vector<int64_t> table;
  int64_t rowSize = 0;
  std::vector<int32_t> tiles;
  /// Whether the vertices together hold all elements of all outputs.
  bool writesAll = true;
  /// Whether the vertices certainly write all these elements, and do not read
  /// them before.
  bool definesAll = false;

  int64_t getNumRows() const { return tiles.size(); }
  const int64_t *getRow(int64_t row) const {
    return table.data() + row * rowSize;
  }
};

/// A copy of elements from a view of one variable to a view of another.
struct ProgramMove {
  MoveOp op;
  unsigned source = 0, target = 0;
  StridedView from, to;
  int64_t elementBytes = 0;
};

/// The index of the step in Program::steps.
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
/// Advances the RNG state `rng`.
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
  /// Whether the code may be overwritten afterwards.
  bool isLastUse = false;
};
struct CollectiveNode {
  unsigned step = 0;
  Operation *op = nullptr;
  std::shared_ptr<const Collective> collective;
  unsigned source = 0, target = 0;
  /// The variable of the RNG state by which results are rounded.
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
  /// The variable that holds the row, if the row is not constant.
  std::optional<unsigned> rowVariable;
  unsigned variable = 0;
  bool isLoad = false;
};
struct RemoteNode {
  unsigned step = 0;
  std::vector<ProgramRemoteCopy> copies;
};
/// Brings the code of functions to a memory. The source is another memory or,
/// for a load, outside of the chip.
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
  /// The step of the jump to the start of the loop. It follows the steps of the
  /// body.
  unsigned step = 0;
  Operation *op = nullptr;
  int64_t count = 0;
  /// The variable that holds the count, if the count is not constant.
  std::optional<unsigned> countVariable;
  ProgramSequence body;
};
/// The steps of both bodies come before the step of the branch itself.
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
/// at its first call, before the step of this call.
struct ProgramFunction {
  func::FuncOp op;
  std::string name;
  ProgramSequence body;
  /// Whether any load names the function, and whether its code is on the tiles
  /// from the start.
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
  /// All steps have a cost for the IPUs of the target.
  std::vector<StepOpInterface> steps;
  ProgramSequence body;
  /// Codelets that differ in more than name and cost. Their named linalg ops
  /// are written as linalg.generic. All are in `codeletModule`.
  std::vector<CodeletOp> codelets;
  /// The text of each codelet in generic form, with the name @codelet.
  std::vector<std::string> codeletTexts;
  OwningOpRef<ModuleOp> codeletModule;
  /// The needs of tile memory, with the same numbers of steps.
  MemoryProblem memory;
  MemoryPlan memoryPlan;
};

/// The number of tensors that `stream` moves in a run: its own `transfers`,
/// otherwise the `ipu.host_transfers` of the module, otherwise 1.
int64_t getHostTransfers(StreamOp stream);

/// The type of the tensor that the host gives to `stream`, or gets from it, in
/// a run: `[d, r, *shape]`. The dimension of the host transfers, d, exists if
/// there are several. The dimension of the replicas, r, exists if there are
/// several and the stream is replicated. The nth load or store of a run has
/// part n modulo d. With one transfer, all loads get the same tensor, and the
/// last store remains.
RankedTensorType getStreamType(StreamOp stream);

/// The description of `stream` as an input or output of a program.
ProgramInput getProgramInput(StreamOp stream);

/// The default value of a stream that has one, as a tensor of the host,
/// repeated for each host transfer and replica. Fails with a diagnostic.
FailureOr<HostTensor> getDefaultInput(StreamOp stream);

/// Calls `visit` for the ops of a program in the order of their steps. The ops
/// of a function are visited at its first call.
void walkProgram(func::FuncOp entry, function_ref<void(Operation *)> visit);

/// Reads the program `entry` of `module`. Emits a diagnostic at each op that is
/// not executable.
FailureOr<Program> readProgram(ModuleOp module, StringRef entry);

} // namespace mlir::ipu

#endif // IPU_MLIR_EXECUTOR_PROGRAM_PROGRAM_H
